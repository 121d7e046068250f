/* times.c - the times and numbers of files as a program sees them: by its own
 * clock, not the host's. A file that it makes, changes, reads or sets the
 * times of is remembered, with what its clock said; the rest of what is
 * known of a file is the host's. Numbers of files and of the devices that
 * they are on are given out in the order in which the program meets them.
 *
 * APPROX: another process's change to a file that the program has changed too
 * does not show in its times. The time of the last access to a file that the
 * program has not read is that of its last change, since the host's would
 * change from run to run. Source: a choice. Cost: none known.
 */
#define _GNU_SOURCE
#include "sim/user/process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define FIRST 64u /* places, a power of two */

struct known {
    bool used;
    uint8_t have; /* TIMES_... of which there is a time */
    uint32_t number;
    uint64_t device, inode; /* of the host's */
    struct timespec accessed, modified, changed;
};

struct times {
    struct known *place;
    uint32_t places, used, last; /* last: the number given last */
    uint64_t *device;
    uint32_t devices;
};

static struct timespec date(const struct user *u)
{
    uint64_t ns = user_date(u, u->now);

    return (struct timespec){(time_t)(ns / NANO), (long)(ns % NANO)};
}

/* ---- the table ----------------------------------------------------------- */

static struct known *place_of(struct known *place, uint32_t places,
                              uint64_t device, uint64_t inode)
{
    uint64_t hash = (inode ^ device << 32) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t n = (uint32_t)(hash >> 32) & (places - 1);

    while (place[n].used &&
           (place[n].inode != inode || place[n].device != device))
        n = (n + 1) & (places - 1);
    return &place[n];
}

static bool grow(struct times *t)
{
    uint32_t places = t->places ? 2 * t->places : FIRST;
    struct known *more = calloc(places, sizeof *more);

    if (!more)
        return false;
    for (uint32_t n = 0; n < t->places; n++)
        if (t->place[n].used)
            *place_of(more, places, t->place[n].device, t->place[n].inode) =
                t->place[n];
    free(t->place);
    t->place = more;
    t->places = places;
    return true;
}

/* What is known of a file, a new row if it was never met. NULL: the host has
 * no memory. */
static struct known *know(struct user *u, uint64_t device, uint64_t inode)
{
    struct known *k;
    struct times *t;

    if (!u->times && !(u->times = calloc(1, sizeof *u->times)))
        return NULL;
    t = u->times;
    if (2 * t->used >= t->places && !grow(t))
        return NULL;
    k = place_of(t->place, t->places, device, inode);
    if (!k->used) {
        k->used = true;
        k->device = device;
        k->inode = inode;
        k->number = ++t->last;
        t->used++;
    }
    return k;
}

void times_free(struct user *u)
{
    if (!u->times)
        return;
    free(u->times->place);
    free(u->times->device);
    free(u->times);
}

/* ---- what happens to files ----------------------------------------------- */

static struct known *of_host(struct user *u, int host, struct stat *st)
{
    return host >= 0 && fstat(host, st) == 0 ? know(u, st->st_dev, st->st_ino)
                                             : NULL;
}

void times_made(struct user *u, int host)
{
    uint32_t last = u->times ? u->times->last : 0;
    struct stat st;
    struct known *k = of_host(u, host, &st);

    if (!k)
        return;
    k->have = TIMES_READ | TIMES_WRITTEN | TIMES_STATUS;
    k->accessed = k->modified = k->changed = date(u);
    /* The host may have given it the number of one that is gone. */
    k->number = u->times->last = last + 1;
}

static bool later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec ||
           (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Linux notes an access only if there was a change since the one before, or
 * that was a day ago ("relatime"). */
static bool worth_noting(const struct known *k, const struct stat *st,
                         const struct timespec *now)
{
    const struct timespec *m =
        k->have & TIMES_WRITTEN ? &k->modified : &st->st_mtim;
    const struct timespec *c =
        k->have & TIMES_STATUS ? &k->changed : &st->st_ctim;

    return !(k->have & TIMES_READ) || !later(&k->accessed, m) ||
           !later(&k->accessed, c) ||
           now->tv_sec - k->accessed.tv_sec >= 24 * 3600;
}

void times_changed(struct user *u, int host, unsigned what)
{
    struct timespec now = date(u);
    struct stat st;
    struct known *k = of_host(u, host, &st);

    if (!k)
        return;
    if (what & TIMES_READ && worth_noting(k, &st, &now)) {
        k->accessed = now;
        k->have |= TIMES_READ;
    }
    if (what & TIMES_WRITTEN)
        k->modified = now;
    if (what & (TIMES_WRITTEN | TIMES_STATUS))
        k->changed = now;
    k->have |= what & TIMES_WRITTEN ? TIMES_WRITTEN | TIMES_STATUS
                                    : what & TIMES_STATUS;
}

static bool set(struct timespec *to, const struct timespec *t,
                const struct timespec *now)
{
    if (t->tv_nsec == UTIME_OMIT)
        return false;
    *to = t->tv_nsec == UTIME_NOW ? *now : *t;
    return true;
}

void times_set(struct user *u, int host, const struct timespec t[2])
{
    struct timespec now = date(u);
    struct stat st;
    struct known *k = of_host(u, host, &st);

    if (!k)
        return;
    k->have |= (set(&k->accessed, &t[0], &now) ? TIMES_READ : 0) |
               (set(&k->modified, &t[1], &now) ? TIMES_WRITTEN : 0) |
               TIMES_STATUS;
    k->changed = now;
}

/* ---- what a program is told ---------------------------------------------- */

/* Devices are few: the order is the number. */
static uint64_t number_of_device(struct user *u, uint64_t device)
{
    struct times *t = u->times;
    uint64_t *more;
    uint32_t n;

    for (n = 0; n < t->devices; n++)
        if (t->device[n] == device)
            return n + 1;
    more = realloc(t->device, (n + 1) * sizeof *more);
    if (!more)
        return 0;
    more[n] = device;
    t->device = more;
    return ++t->devices;
}

uint32_t times_number(struct user *u, uint64_t device, uint64_t inode)
{
    const struct known *k = know(u, device, inode);

    return k ? k->number : 0;
}

void times_show(struct user *u, struct stat *st)
{
    const struct known *k = know(u, st->st_dev, st->st_ino);

    if (!k)
        return;
    st->st_dev = makedev(0, number_of_device(u, st->st_dev));
    st->st_ino = k->number;
    if (k->have & TIMES_WRITTEN)
        st->st_mtim = k->modified;
    if (k->have & TIMES_STATUS)
        st->st_ctim = k->changed;
    st->st_atim = k->have & TIMES_READ ? k->accessed : st->st_mtim;
}

void times_device(struct user *u, struct stat *st)
{
    st->st_dev = makedev(0, 0);
    st->st_ino = st->st_rdev & 0xFFF;
    st->st_mtim.tv_sec = (time_t)u->m->with.params.user_epoch;
    st->st_mtim.tv_nsec = 0;
    st->st_atim = st->st_ctim = st->st_mtim;
}
