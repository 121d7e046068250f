/* sampler.h - what the sampler, a process, asks of the kernel: a system call of
 * the guest's own, whose first argument is one of these. Only the sampler has
 * it; to others it is ENOSYS. They are asked in this order, each for the CPU
 * that the asking thread is pinned to, and the answer is 0; what is about a
 * sample only if there is one, and AHEAD until there is no more to take.
 */
#ifndef GUEST_PROF_SAMPLER_SAMPLER_H
#define GUEST_PROF_SAMPLER_SAMPLER_H

#define CALL_SAMPLER 4000 /* Linux has none so high */

enum sampler_asks {
    SAMPLER_REGISTER, /* this thread takes the samples of its CPU */
    SAMPLER_WAIT,     /* ... until there is one: it is in the area */
    SAMPLER_CAPTURE,  /* the target's stack is in the area */
    SAMPLER_RELEASE,  /* the target may run wherever it could before */
    SAMPLER_RECORD,   /* the stack is kept */
    SAMPLER_AHEAD,    /* another thread's stack is taken beforehand; 0: none is
                         to be */
    SAMPLER_COMPLETE  /* the sample is complete */
};

/* Where the sampler of a CPU has its page: what the kernel tells it, then its
 * stack. It is never out. */
#define SAMPLER_PAGES 0x20000000u
#define SAMPLER_FRAMES 64 /* program counters of a stack, at most */

struct sampler_area {
    unsigned thread, process;
    unsigned kind;  /* IDLE_KIND_...; 0: there is no target, but */
    unsigned ahead; /* stacks are to be taken beforehand */
    unsigned depth; /* of its stack, leaf first: */
    unsigned pcs[SAMPLER_FRAMES];
    unsigned samples, deepest; /* the sampler's own counts */
};

/* Where a thread of the sampler begins, in user mode. */
void sampler_process(struct sampler_area *area) __attribute__((noreturn));

#endif
