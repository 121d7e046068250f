/* poll.c - waiting for files that can be read or written. A file does not know
 * who waits for it so: they are asked again and again.
 */
#include <asm/poll.h>

#include "guest/calls/calls.h"
#include "guest/process/file.h"

#define POLL_PAUSE_NS 1000000ULL
#define POLL_MOST 256

static int16_t ready(struct task *t, uint32_t fd, int16_t wanted)
{
    struct file *f = file_get(t, fd);
    int16_t can = POLLIN | POLLOUT;

    if (!f)
        return POLLNVAL;
    if (f->pipe && (f->flags & O_ACCMODE) == O_WRONLY)
        can = pipe_ready(f, true) ? POLLOUT : 0;
    else if (f->pipe) /* ready, and empty: no one will write any more */
        can = !pipe_ready(f, false) ? 0 : pipe_held(f->pipe) ? POLLIN : POLLHUP;
    file_drop(f);
    return can & (wanted | POLLHUP);
}

/* How many of the files are ready; -EFAULT. */
static int32_t look(struct task *t, uint32_t at, uint32_t count)
{
    int32_t found = 0;

    for (; count; count--, at += 8) {
        struct pollfd p;

        if (!copy_in(t->process->space, &p, at, sizeof p))
            return -EFAULT;
        p.revents = p.fd < 0 ? 0 : ready(t, (uint32_t)p.fd, p.events);
        found += p.revents != 0;
        if (!copy_out(t->process->space, at, &p, sizeof p))
            return -EFAULT;
    }
    return found;
}

/* ---- how long, and which signals meanwhile -------------------------------- */

/* A time from now on in user memory, 0: for ever; and signals that are blocked
 * until the call is over, as by sigsuspend, or 0. */
static int32_t begin(struct task *t, uint32_t at, uint32_t wide, uint32_t mask,
                     uint64_t *end)
{
    uint64_t set, ns;
    int32_t error = at ? time_get(t, at, wide, &ns) : 0;

    if (!error && mask && !signal_set_get(t, mask, &set))
        error = -EFAULT;
    if (!error && mask)
        signals_suspend(t, set);
    *end = at && !error ? clock_due(ns) : FOR_EVER;
    return error;
}

static uint64_t left(uint64_t end)
{
    uint64_t now = time_now();

    return end > now ? clock_ns_of(end - now) : 0;
}

/* The call's answer is r; what is left of its time is told. */
static int32_t tell_left(struct task *t, int32_t r, uint32_t at, uint32_t wide,
                         uint64_t end)
{
    return at && time_put(t, at, left(end), wide) ? -EFAULT : r;
}

/* Until the time is `end`, one of them is ready or a signal comes. */
static int32_t ask(struct task *t, __typeof__(look) *look_at, uint32_t at,
                   uint32_t count, uint64_t end)
{
    int32_t found;

    while (!(found = look_at(t, at, count)) && time_now() < end) {
        uint64_t next = clock_due(POLL_PAUSE_NS);

        will_wait(STATE_QUEUE, OBJECT_NONE, 0, 0);
        if (task_sleep(next < end ? next : end) == WAKE_SIGNAL) {
            found = -EINTR;
            break;
        }
    }
    t->poked |= t->resuspend; /* back to the signals that were blocked */
    return found;
}

int32_t call_poll(struct task *t, const uint32_t *a)
{
    uint64_t end = (int32_t)a[2] < 0 ? FOR_EVER : clock_due(a[2] * 1000000ULL);

    return a[1] > POLL_MOST ? -EINVAL : ask(t, look, a[0], a[1], end);
}

/* In front: how wide a time is. */
int32_t call_ppoll(struct task *t, const uint32_t *a)
{
    uint64_t end;
    int32_t r = a[2] > POLL_MOST ? -EINVAL : begin(t, a[3], *a, a[4], &end);

    return r ? r : tell_left(t, ask(t, look, a[1], a[2], end), a[3], *a, end);
}

/* ---- select --------------------------------------------------------------- */

#define WORDS (FILES / 32)

/* Where three sets are, each asked for at `wants` and answered at the place. */
struct sets {
    uint32_t place[3], wants[3][WORDS];
};

/* The sets of the call that t makes are in kernel memory at `at`. */
static int32_t look_sets(struct task *t, uint32_t at, uint32_t count)
{
    static const int16_t events[3] = {POLLIN, POLLOUT, POLLPRI};
    const struct sets *s = (const struct sets *)at;
    int32_t found = 0;

    for (unsigned k = 0; k < 3; k++) {
        uint32_t has[WORDS] = {0};

        for (uint32_t fd = 0; s->place[k] && fd < count; fd++) {
            uint32_t bit = 1u << fd % 32;
            int16_t is =
                s->wants[k][fd / 32] & bit ? ready(t, fd, events[k]) : 0;

            if (is & POLLNVAL)
                return -EBADF;
            has[fd / 32] |= is ? bit : 0;
            found += is != 0;
        }
        if (s->place[k] && !copy_out(t->process->space, s->place[k], has,
                                     (count + 31) / 32 * 4))
            return -EFAULT;
    }
    return found;
}

static int32_t select_until(struct task *t, const uint32_t *a, uint64_t end)
{
    uint32_t count = a[0] < FILES ? a[0] : FILES;
    struct sets s = {{a[1], a[2], a[3]}, {{0}}};

    if ((int32_t)a[0] < 0)
        return -EINVAL;
    for (unsigned k = 0; k < 3; k++) {
        if (s.place[k] && !copy_in(t->process->space, s.wants[k], s.place[k],
                                   (count + 31) / 32 * 4))
            return -EFAULT;
    }
    return ask(t, look_sets, (uint32_t)&s, count, end);
}

/* How many, three sets, seconds and microseconds. */
int32_t call_select(struct task *t, const uint32_t *a)
{
    uint32_t w[2] = {0};
    uint64_t end = FOR_EVER;
    int32_t r;

    if (a[4] && !copy_in(t->process->space, w, a[4], sizeof w))
        return -EFAULT;
    if ((int32_t)w[0] < 0 || w[1] >= 1000000)
        return -EINVAL;
    if (a[4])
        end = clock_due(w[0] * SECOND + w[1] * 1000);
    r = select_until(t, a, end);
    w[0] = clock_split(left(end), &w[1]);
    w[1] /= 1000;
    return a[4] && answer(t, a[4], w, sizeof w) ? -EFAULT : r;
}

/* In front: how wide a time is. The last argument: where a set of signals is
 * told, and its size. */
int32_t call_pselect(struct task *t, const uint32_t *a)
{
    uint32_t mask[2] = {0};
    uint64_t end;
    int32_t r;

    if (a[6] && !copy_in(t->process->space, mask, a[6], sizeof mask))
        return -EFAULT;
    r = begin(t, a[5], a[0], mask[0], &end);
    return r ? r : tell_left(t, select_until(t, a + 1, end), a[5], a[0], end);
}
