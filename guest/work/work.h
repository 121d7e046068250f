/* work.h - what workloads have in common; guest/kernel/hook.h has WORK, which
 * enters one.
 */
#ifndef GUEST_WORK_WORK_H
#define GUEST_WORK_WORK_H

#include "guest/kernel/hook.h"

/* Create an application's thread "role.number" (number below 100) that runs
 * run(number). */
struct thread *thread_numbered(const char *role, uint32_t number, uint32_t pid,
                               uint32_t mask, void (*run)(uint32_t));

#endif
