/* moved.c - a context that one thread made and another goes on in has the
 * variables of the latter.
 */
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>

static __thread int own;
static ucontext_t body, back;

static void run(void)
{
    printf("own %d\n", own);
}

static void *other(void *unused)
{
    own = 2;
    swapcontext(&back, &body);
    return unused;
}

int main(void)
{
    static char stack[65536];
    pthread_t t;

    own = 1;
    getcontext(&body);
    body.uc_stack.ss_sp = stack;
    body.uc_stack.ss_size = sizeof stack;
    body.uc_link = &back;
    makecontext(&body, run, 0);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    return 0;
}
