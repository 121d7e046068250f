/* spin.c - three threads that spin for a lock of tickets, for tests of the
 * page.
 */
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint next, serving;
static volatile unsigned sum;
static void __attribute__((noinline)) inside(void)
{
    for (int i = 0; i < 700; i++)
        sum = sum * 3 + 1;
}
static void __attribute__((noinline)) add(void)
{
    unsigned mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine)
        ;
    inside();
    atomic_fetch_add(&serving, 1);
}
static void *run(void *arg)
{
    for (int n = 0; n < 60; n++) {
        add();
        for (volatile int i = 0; i < 300; i++)
            ;
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int n = 0; n < 3; n++)
        pthread_create(&t[n], 0, run, 0);
    for (int n = 0; n < 3; n++)
        pthread_join(t[n], 0);
    return 0;
}
