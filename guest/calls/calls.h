/* calls.h - more of Linux's system calls, which the programs of others make and
 * the kernel does without: a file a subject, entered by a hook (more.c).
 */
#ifndef GUEST_CALLS_CALLS_H
#define GUEST_CALLS_CALLS_H

#include "guest/process/process.h"

/* signals.c: t blocks these alone until its call is over. */
void signals_suspend(struct task *t, uint64_t set);

#define CALL(number, name, handler, how) call_function call_##handler;
#include "guest/calls/calls.def"
#undef CALL

#endif
