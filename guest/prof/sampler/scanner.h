/* scanner.h - what the scan daemon, a process, asks of the kernel: a system
 * call of the guest's own, whose first argument is one of these. Only the
 * daemon has it; to others it is ENOSYS.
 */
#ifndef GUEST_PROF_SAMPLER_SCANNER_H
#define GUEST_PROF_SAMPLER_SCANNER_H

#define CALL_SCANNER 4001

enum scanner_asks {
    SCANNER_WAIT, /* until the time of a turn has passed; 0 */
    SCANNER_LOOK, /* program n, from 0 on, is in the area: 1; 0: there is none
                   */
    SCANNER_MARK  /* of program n that part is marked, and no other: what was is
                     counted, and in the area; 0 */
};

/* Where the daemon has its page: what the kernel tells it, then its stack. It
 * is never out. */
#define SCANNER_PAGE 0x20000000u

struct scanner_area {
    unsigned running;     /* processes that have the program now */
    unsigned parts, part; /* of its text, from 0; the one that is marked */
    unsigned executed;    /* in the turn of the part that was marked before */
    unsigned turns;       /* the daemon's own counts: parts marked, */
    unsigned collected;   /* instructions executed in turns that are over */
};

/* Where the daemon begins, in user mode. */
void scanner_process(struct scanner_area *area) __attribute__((noreturn));

#endif
