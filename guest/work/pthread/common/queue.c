/* queue.c - a queue of numbers between threads. */
#include "guest/work/pthread/common/queue.h"

void queue_init(struct queue *q, unsigned capacity)
{
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->filled, NULL);
    pthread_cond_init(&q->emptied, NULL);
    q->first = q->count = 0;
    q->capacity = capacity;
}

void queue_put(struct queue *q, uint32_t item)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == q->capacity)
        pthread_cond_wait(&q->emptied, &q->lock);
    q->item[(q->first + q->count++) % QUEUE_MOST] = item;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

uint32_t queue_take(struct queue *q)
{
    uint32_t item;

    pthread_mutex_lock(&q->lock);
    while (!q->count)
        pthread_cond_wait(&q->filled, &q->lock);
    item = q->item[q->first];
    q->first = (q->first + 1) % QUEUE_MOST;
    q->count--;
    pthread_cond_signal(&q->emptied);
    pthread_mutex_unlock(&q->lock);
    return item;
}
