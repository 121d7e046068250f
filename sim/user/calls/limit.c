/* limit.c - the system calls that read and set resource limits. What the limits
 * do is in sim/user/limit.c.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>

int32_t call_getrlimit(struct call *k)
{
    const struct bound *l;
    uint8_t b[8];

    if (k->a[0] >= USER_LIMITS)
        return -EINVAL;
    l = &k->u->limit[k->a[0]];
    be_put32(b, l->soft > UINT32_MAX ? UINT32_MAX : (uint32_t)l->soft);
    be_put32(b + 4, l->hard > UINT32_MAX ? UINT32_MAX : (uint32_t)l->hard);
    return space_write(&k->u->space, k->a[1], b, sizeof b) ? 0 : -EFAULT;
}

/* The largest word stands for no limit. */
static uint64_t wide(uint32_t v)
{
    return v == UINT32_MAX ? LIMIT_NONE : v;
}

int32_t call_setrlimit(struct call *k)
{
    uint8_t b[8];

    if (k->a[0] >= USER_LIMITS)
        return -EINVAL;
    if (!space_read(&k->u->space, k->a[1], b, sizeof b))
        return -EFAULT;
    return limit_set(k->u, k->a[0], wide(be_get32(b)), wide(be_get32(b + 4)));
}

int32_t call_prlimit64(struct call *k)
{
    struct bound before;
    uint8_t b[16];
    int32_t r;

    if (k->a[0] && k->a[0] != USER_PID)
        return -ESRCH;
    if (k->a[1] >= USER_LIMITS)
        return -EINVAL;
    before = k->u->limit[k->a[1]];
    if (k->a[2]) {
        if (!space_read(&k->u->space, k->a[2], b, sizeof b))
            return -EFAULT;
        r = limit_set(k->u, k->a[1], be_get64(b), be_get64(b + 8));
        if (r)
            return r;
    }
    be_put64(b, before.soft);
    be_put64(b + 8, before.hard);
    if (k->a[3] && !space_write(&k->u->space, k->a[3], b, sizeof b))
        return -EFAULT;
    return 0;
}
