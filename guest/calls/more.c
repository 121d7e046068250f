/* more.c - the calls of this folder, for a number that the kernel has not. */
#include "guest/calls/calls.h"

#include "guest/kernel/hook.h"
#include "guest/process/file.h"

int32_t call_constant(struct task *t, const uint32_t *a)
{
    (void)t;
    return (int32_t)a[0];
}

static const struct call calls[] = {
#define CALL(number, name, handler, how) [number] = {call_##handler, how},
#include "guest/calls/calls.def"
#undef CALL
};

static bool more_call(struct task *t, uint32_t number, const uint32_t *a,
                      int32_t *result)
{
    uint32_t front[1 + 6];

    if (number >= sizeof calls / sizeof *calls || !calls[number].serve)
        return false;
    memcpy(front + 1, a, 6 * sizeof *a);
    *result = call_make(&calls[number], t, front);
    return true;
}
HOOK(call, 120, more_call);
