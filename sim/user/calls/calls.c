/* calls.c - from a number to its handler. */
#include "sim/user/process.h"

#include <errno.h>

int32_t calls_run(struct call *k, uint32_t number)
{
    uint32_t asked = number;
    uint64_t bit = UINT64_C(1) << (number & 63);
    const char *name = NULL;

    switch (number) {
#define CALL(number, name, handler)                                            \
    case number:                                                               \
        return call_##handler(k);
#include "sim/user/calls/calls.def"
#undef CALL
    default:
        break;
    }
    switch (number) {
#define ABSENT(number, text)                                                   \
    case number:                                                               \
        name = text;                                                           \
        break;
#include "sim/user/calls/absent.def"
#undef ABSENT
    default:
        break;
    }
    if (number >= 512)
        bit = 1, number = 0; /* never given out: all such share one bit */
    if (!(k->u->told[number / 64] & bit) && name)
        user_say(k->u,
                 "%s: system call %u (%s) is not to be had here; it gets "
                 "ENOSYS",
                 k->u->with.image->name, asked, name);
    else if (!(k->u->told[number / 64] & bit))
        user_say(k->u, "%s: system call %u is not known here; it gets ENOSYS",
                 k->u->with.image->name, asked);
    k->u->told[number / 64] |= bit;
    return -ENOSYS;
}

int32_t call_refuse(struct call *k)
{
    (void)k;
    return -ENOSYS;
}
