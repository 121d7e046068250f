/* release.c - the words that let parked CPUs go. */
#include <assert.h>

#include "lib/base/snap.h"
#include "sim/dev/release.h"

void release_init(struct release *r, unsigned cpus, uint32_t entry, void *arg,
                  void (*start)(void *, unsigned, uint32_t, uint64_t))
{
    assert(cpus >= 1 && cpus <= RELEASE_CPUS);
    *r = (struct release){.cpus = cpus, .arg = arg, .start = start};
    r->entry[0] = entry;
    r->running[0] = true;
}

/* A word of a CPU that this machine has? */
static bool word_of(const struct release *r, const struct io_access *a)
{
    return a->size == 4 && a->offset % 4 == 0 && a->offset / 4 < r->cpus;
}

bool release_load(void *release, const struct io_access *a, uint32_t *value)
{
    struct release *r = release;

    if (!word_of(r, a))
        return false;
    *value = r->entry[a->offset / 4];
    return true;
}

void release_go(struct release *r, unsigned cpu, uint32_t entry, uint64_t at)
{
    if (r->running[cpu])
        return;
    r->running[cpu] = true;
    r->entry[cpu] = entry & ~UINT32_C(3);
    r->start(r->arg, cpu, r->entry[cpu], at);
}

bool release_store(void *release, const struct io_access *a, uint32_t value)
{
    struct release *r = release;
    unsigned cpu = a->offset / 4;

    if (!word_of(r, a))
        return false;
    release_go(r, cpu, value, a->at);
    return true;
}

bool release_state(struct snap *s, struct release *r)
{
    snap_begin(s, "release", 1);
    SNAP_SAME(s, r->cpus);
    SNAP_ARRAY(s, r->entry);
    SNAP_ARRAY(s, r->running);
    SNAP_SKIP(s, r->arg, "wired by release_init");
    SNAP_SKIP(s, r->start, "wired by release_init");
    return snap_end(s);
}
