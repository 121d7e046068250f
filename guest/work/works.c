/* works.c - the workloads; the first is the default. */
#include "guest/kernel/defs.h"

const struct work *const works[] = {&work_txn,    &work_prodcons, &work_busy,
                                    &work_switch, &work_calls,    NULL};
