/* queue.h - a queue of numbers between threads, of a fixed capacity. */
#ifndef GUEST_WORK_PTHREAD_COMMON_QUEUE_H
#define GUEST_WORK_PTHREAD_COMMON_QUEUE_H

#include <pthread.h>
#include <stdint.h>

#define QUEUE_MOST 16

struct queue {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t filled, emptied;
    uint32_t item[QUEUE_MOST];
    unsigned first, count, capacity; /* capacity: 1 to QUEUE_MOST */
};

void queue_init(struct queue *q, unsigned capacity);
/* Both wait: for room, for an item. */
void queue_put(struct queue *q, uint32_t item);
uint32_t queue_take(struct queue *q);

#endif
