/* guest.h - what the guest's kernel does, and tools on the host count on.
 */
#ifndef INCLUDE_GUEST_H
#define INCLUDE_GUEST_H

/* A thread has a CPU for which another one waits so many cycles: 1 ms at
 * 200 MHz. */
#define GUEST_SLICE_CYCLES 200000

/* Behind a lock's name where programs have locks, too: it is the kernel's. */
#define GUEST_KERNELS " (kernel)"

#endif
