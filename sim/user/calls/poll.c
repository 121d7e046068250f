/* poll.c - waiting for several files: poll, select and their kin. Files of
 * the host are asked for what they are ready now; a thread that has to wait
 * looks again whenever another thread did something with a file, and gives
 * up at its limit in simulated time.
 */
#define _GNU_SOURCE
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define POLL_MAX USER_FILES

/* A limit as the program gave it: where (0: nowhere, none), as two double
 * words or as two words, the second in units of so many ns. */
struct limit {
    uint32_t at;
    bool wide;
    uint64_t unit;
    uint64_t ns;   /* UINT64_MAX: for ever */
    uint64_t left; /* of ns, once the wait is over */
};

/* A wait under way. */
struct watch {
    struct call *k;
    struct pollfd p[POLL_MAX];
    uint32_t fd[POLL_MAX]; /* the program's */
    unsigned n;
    struct limit *limit;
};

static void add(struct watch *w, uint32_t fd, short events)
{
    struct file *f = file_get(w->k->u, fd);
    int host = f ? f->host : -1;

    if (f && f->kind == FILE_RANDOM)
        host = -1;
    w->fd[w->n] = fd;
    w->p[w->n++] = (struct pollfd){host, events, 0};
}

/* How many are ready; what is always ready counts. */
static int look(struct watch *w)
{
    int ready = 0;

    if (poll(w->p, w->n, 0) < 0)
        return -errno;
    for (unsigned i = 0; i < w->n; i++) {
        struct file *f = file_get(w->k->u, w->fd[i]);

        if (f && f->standard)
            w->p[i].revents =
                (short)journal_value(w->k, f, JOURNAL_POLL, w->p[i].revents);
        if ((int32_t)w->fd[i] < 0)
            w->p[i].revents = 0;
        else if (!f)
            w->p[i].revents = POLLNVAL;
        else if (f->kind == FILE_RANDOM)
            w->p[i].revents = w->p[i].events & (POLLIN | POLLOUT);
        ready += w->p[i].revents != 0;
    }
    return ready;
}

/* Nothing else can make it ready: the host has to. */
static bool outside(const struct watch *w)
{
    for (unsigned i = 0; i < w->n; i++) {
        const struct file *f = file_get(w->k->u, w->fd[i]);

        if (f && f->kind == FILE_HOST)
            return true;
    }
    return false;
}

/* Not ready: wait. 0: look again at once; else the result. */
static int32_t wait_more(struct watch *w)
{
    struct call *k = w->k;
    struct thread *t = k->t;
    cycle_t until, soon;

    if (w->limit->ns == 0)
        return 0;
    if (signal_waits(k->u, t))
        return -EINTR;
    if (k->u->over)
        return -EINTR;
    if (w->limit->ns == UINT64_MAX && outside(w) && stuck_but(k->u, t)) {
        if (k->u->with.host.recall)
            return CALL_SET;
        for (unsigned i = 0; i < w->n; i++) {
            const struct file *f = file_get(k->u, w->fd[i]);

            if (f && f->kind == FILE_HOST &&
                !k->u->with.host.wait(k->u->with.host.arg, f->host,
                                      w->p[i].events)) {
                k->u->over = true;
                k->u->m->end = MACHINE_STOPPED;
                return -EINTR;
            }
            if (f && f->kind == FILE_HOST)
                break;
        }
        return CALL_SET; /* look again */
    }
    t->restartable = false;
    if (!t->polling) {
        t->polling = true;
        t->poll_until = w->limit->ns == UINT64_MAX
                            ? CYCLE_NEVER
                            : user_limit(k, w->limit->ns);
    }
    if (t->poll_until <= k->now)
        return 0;
    until = t->poll_until;
    /* While others run or wait for a time, the host is asked now and then. */
    soon = k->now + thread_slice_length(k->u, t);
    if (outside(w) && until > soon)
        until = soon;
    thread_block(k, WAIT_IO, until);
    return CALL_RETRY;
}

/* What is left of the limit: all of it if there was no need to wait. */
static uint64_t left(const struct watch *w)
{
    const struct call *k = w->k;
    cycle_t until = k->t->poll_until;

    if (!k->t->polling)
        return w->limit->ns;
    return until > k->now ? user_time(k->u, until) - user_time(k->u, k->now)
                          : 0;
}

static int32_t watch(struct watch *w)
{
    int32_t r;

    for (;;) {
        r = look(w);
        if (r != 0)
            break;
        r = wait_more(w);
        if (r != CALL_SET)
            break;
    }
    if (r != CALL_RETRY) {
        w->limit->left = left(w);
        w->k->t->polling = false;
    }
    return r;
}

/* ---- poll ---------------------------------------------------------------- */

static int32_t poll_list(struct call *k, struct limit *l)
{
    struct space *s = &k->u->space;
    uint32_t count = k->a[1];
    struct watch w;
    uint8_t b[8];
    int32_t r;

    w.k = k;
    w.n = 0;
    w.limit = l;
    if (count > POLL_MAX)
        return -EINVAL;
    for (uint32_t i = 0; i < count; i++) {
        if (!space_read(s, k->a[0] + 8 * i, b, 8))
            return -EFAULT;
        add(&w, be_get32(b), (short)(b[4] << 8 | b[5]));
    }
    r = watch(&w);
    for (uint32_t i = 0; r >= 0 && i < count; i++) {
        be_put16(b, (uint16_t)w.p[i].revents);
        if (!space_write(s, k->a[0] + 8 * i + 6, b, 2))
            return -EFAULT;
    }
    return r;
}

int32_t call_poll(struct call *k)
{
    int32_t ms = (int32_t)k->a[2];
    struct limit l = {.ns = ms < 0 ? UINT64_MAX : (uint64_t)ms * 1000000};

    return poll_list(k, &l);
}

/* Reads the limit at l->at. */
static int32_t limit_read(struct call *k, struct limit *l)
{
    uint64_t sec, part;
    uint8_t b[16];

    l->ns = l->left = UINT64_MAX;
    if (!l->at)
        return 0;
    if (!space_read(&k->u->space, l->at, b, l->wide ? 16 : 8))
        return -EFAULT;
    sec = l->wide ? be_get64(b) : be_get32(b);
    part = l->wide ? be_get32(b + 12) : be_get32(b + 4);
    if (part >= NANO / l->unit || sec > INT32_MAX)
        return -EINVAL;
    l->ns = l->left = sec * NANO + part * l->unit;
    return 0;
}

/* Linux leaves there what is left, unless nothing was given; that it cannot
 * be written is no error of the program. Returns r. */
static int32_t limit_tell(struct call *k, const struct limit *l, int32_t r)
{
    uint64_t sec = l->left / NANO, part = l->left % NANO / l->unit;
    uint8_t b[16];

    if (!l->at || l->ns == 0 || r == CALL_RETRY)
        return r;
    if (l->wide) {
        be_put64(b, sec);
        be_put64(b + 8, part);
    } else {
        be_put32(b, (uint32_t)sec);
        be_put32(b + 4, (uint32_t)part);
    }
    (void)space_write(&k->u->space, l->at, b, l->wide ? 16 : 8);
    return r;
}

/* APPROX: the signal mask of ppoll and pselect is set when the wait begins
 * and after it, not at one instant. Cost: none, since one thread runs at a
 * time here while the system works. */
static bool swap_mask(struct call *k, uint32_t at)
{
    struct thread *t = k->t;
    uint8_t b[8];

    if (!at)
        return true;
    if (!space_read(&k->u->space, at, b, 8))
        return false;
    if (!t->polling)
        t->saved_mask = t->blocked;
    t->blocked = call_pair(be_get32(b + 4), be_get32(b)) & ~UINT64_C(0x40100);
    return true;
}

static int32_t unmask(struct call *k, uint32_t at, int32_t r)
{
    if (at && (r == -EINTR || r == CALL_RETRY))
        k->t->restore_mask = true; /* once the wait is over */
    else if (at)
        k->t->blocked = k->t->saved_mask;
    return r;
}

static int32_t ppoll_until(struct call *k, bool wide)
{
    struct limit l = {.at = k->a[2], .wide = wide, .unit = 1};
    int32_t r = limit_read(k, &l);

    if (r)
        return r;
    if (!swap_mask(k, k->a[3]))
        return -EFAULT;
    return limit_tell(k, &l, unmask(k, k->a[3], poll_list(k, &l)));
}

int32_t call_ppoll(struct call *k)
{
    return ppoll_until(k, false);
}

int32_t call_ppoll64(struct call *k)
{
    return ppoll_until(k, true);
}

/* ---- select -------------------------------------------------------------- */

/* Bit fd of a set: words, bit 0 the lowest. */
static bool set_bit(const uint8_t *set, uint32_t fd)
{
    return be_get32(set + fd / 32 * 4) >> fd % 32 & 1;
}

static void mark_bit(uint8_t *set, uint32_t fd)
{
    uint8_t *word = set + fd / 32 * 4;

    be_put32(word, be_get32(word) | 1u << fd % 32);
}

#define SET_BYTES (USER_FILES / 8)

struct sets {
    uint8_t in[3][SET_BYTES], out[3][SET_BYTES]; /* read, write, except */
    uint32_t bytes;
};

static const short asked[3] = {POLLIN, POLLOUT, POLLPRI};
static const short counts[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR,
                                POLLPRI};

static int32_t read_sets(struct call *k, struct sets *x)
{
    memset(x, 0, sizeof *x);
    if ((int32_t)k->a[0] < 0)
        return -EINVAL;
    if (k->a[0] > USER_FILES)
        k->a[0] = USER_FILES;
    x->bytes = (k->a[0] + 31) / 32 * 4;
    for (unsigned n = 0; n < 3; n++)
        if (k->a[1 + n] &&
            !space_read(&k->u->space, k->a[1 + n], x->in[n], x->bytes))
            return -EFAULT;
    return 0;
}

static int32_t select_files(struct call *k, struct limit *l)
{
    struct watch w;
    struct sets x;
    int32_t r = read_sets(k, &x), bits = 0;

    w.k = k;
    w.n = 0;
    w.limit = l;
    for (uint32_t fd = 0; !r && fd < k->a[0]; fd++) {
        short events = 0;

        for (unsigned n = 0; n < 3; n++)
            events |= set_bit(x.in[n], fd) ? asked[n] : 0;
        if (!events)
            continue;
        if (!file_get(k->u, fd))
            return -EBADF;
        add(&w, fd, events);
    }
    if (!r)
        r = watch(&w);
    if (r < 0)
        return r;
    for (unsigned i = 0; i < w.n; i++)
        for (unsigned n = 0; n < 3; n++)
            if (set_bit(x.in[n], w.fd[i]) && w.p[i].revents & counts[n]) {
                mark_bit(x.out[n], w.fd[i]);
                bits++;
            }
    for (unsigned n = 0; n < 3; n++)
        if (k->a[1 + n] &&
            !space_write(&k->u->space, k->a[1 + n], x.out[n], x.bytes))
            return -EFAULT;
    return bits;
}

int32_t call_select(struct call *k)
{
    struct limit l = {.at = k->a[4], .wide = false, .unit = 1000};
    int32_t r = limit_read(k, &l);

    return r ? r : limit_tell(k, &l, select_files(k, &l));
}

/* The last argument points to the address and the size of a signal mask. */
static int32_t pselect_until(struct call *k, bool wide)
{
    struct limit l = {.at = k->a[4], .wide = wide, .unit = 1};
    uint32_t mask = 0;
    int32_t r = limit_read(k, &l);

    if (r)
        return r;
    if ((k->a[5] && !space_read32(&k->u->space, k->a[5], &mask)) ||
        !swap_mask(k, mask))
        return -EFAULT;
    return limit_tell(k, &l, unmask(k, mask, select_files(k, &l)));
}

int32_t call_pselect(struct call *k)
{
    return pselect_until(k, false);
}

int32_t call_pselect64(struct call *k)
{
    return pselect_until(k, true);
}
