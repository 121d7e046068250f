/* check.h - what the programs of this folder share: a line per fact, the
 * call's name in front, so that two kernels can be compared. */
#ifndef CHECK_H
#define CHECK_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WILD ((void *)0xBFFFF004u) /* above every stack: nothing is there */

/* The call itself: a number, or minus the error's. */
#define CALL(number, ...)                                                      \
    ({                                                                         \
        long r_;                                                               \
        errno = 0;                                                             \
        r_ = syscall(number, ##__VA_ARGS__);                                   \
        (unsigned long)r_ > -4096ul ? -(long)errno : r_;                       \
    })

#define SAY(name, ...)                                                         \
    do {                                                                       \
        printf("%s: ", name);                                                  \
        printf(__VA_ARGS__);                                                   \
        printf("\n");                                                          \
    } while (0)

/* Result and nothing else. */
#define TRY(name, ...) SAY(#name, "%ld", CALL(__NR_##name, ##__VA_ARGS__))
/* Only whether it went well: the number is the kernel's own. */
#define FINE(name, ...)                                                        \
    SAY(#name, "%s", CALL(__NR_##name, ##__VA_ARGS__) >= 0 ? "fine" : "error")

#endif
