/* pipe.c - 64 KiB of bytes between two ends, as Linux has them. */
#include "guest/process/disk.h"
#include "guest/process/file.h"

#define ROOM (16 * PAGE)

struct pipe {
    struct mutex lock;          /* of all below */
    uint32_t page[ROOM / PAGE]; /* the first: fixed; others: once used, or 0 */
    uint32_t first, held;       /* where the oldest is, how many */
    uint32_t readers, writers;  /* ends that are open */
    struct event change;
};

static struct pool pipes = {.size = sizeof(struct pipe)};
static volatile uint32_t extra; /* atomic: pages but the first, of all pipes */

bool pipe_new(struct file *end[2], uint32_t flags)
{
    struct pipe *p = pool_take(&pipes);

    if (!p)
        return false;
    p->page[0] = frame_take();
    end[0] = p->page[0] ? file_open(NULL, flags) : NULL;
    end[1] = end[0] ? file_open(NULL, flags | O_WRONLY) : NULL;
    if (end[1]) {
        p->readers = p->writers = 1;
        end[0]->pipe = end[1]->pipe = p;
        return true;
    }
    if (end[0])
        file_drop(end[0]);
    if (p->page[0])
        frame_drop(p->page[0]);
    pool_give(&pipes, p);
    return false;
}

void pipe_closed(struct pipe *p, bool writer)
{
    bool last;

    mutex_lock(&p->lock);
    p->writers -= writer;
    p->readers -= !writer;
    last = !p->readers && !p->writers;
    mutex_unlock(&p->lock);
    event_happen(&p->change);
    if (!last)
        return;
    for (uint32_t n = 0; n < ROOM / PAGE; n++) {
        if (p->page[n] && frame_drop(p->page[n]) && n)
            atomic_add(&extra, (uint32_t)-1);
    }
    pool_give(&pipes, p);
}

uint32_t pipe_held(struct pipe *p)
{
    return *(volatile uint32_t *)&p->held;
}

bool pipe_ready(struct file *f, bool write)
{
    const volatile struct pipe *p = f->pipe;

    return write ? p->held <= ROOM - PAGE || !p->readers
                 : p->held || !p->writers;
}

/* Up to `n` bytes into or out of one piece; p->lock is held. Their number. */
static int32_t move(struct pipe *p, struct space *s, uint32_t user, uint32_t n,
                    bool in)
{
    uint32_t at = (p->first + (in ? p->held : 0)) % ROOM, end = at % PAGE;
    uint32_t most = in ? ROOM - p->held : p->held;
    void *bytes = (void *)(p->page[at / PAGE] + end);

    n = n < most ? n : most;
    n = n < PAGE - end ? n : PAGE - end;
    if (!(in ? copy_in(s, bytes, user, n) : copy_out(s, user, bytes, n)))
        return -EFAULT;
    p->held += in ? n : -n;
    p->first = in ? p->first : p->held ? (at + n) % ROOM : 0;
    return (int32_t)n;
}

int32_t pipe_read(struct file *f, struct task *t, uint32_t to, uint32_t bytes)
{
    struct pipe *p = f->pipe;
    uint32_t done = 0, seen;
    int32_t r = 0;

    if (!bytes)
        return 0;
    mutex_lock(&p->lock);
    while (!p->held && p->writers && !(f->flags & O_NONBLOCK)) {
        seen = p->change.count;
        mutex_unlock(&p->lock);
        if (event_wait(&p->change, seen, FOR_EVER) == WAKE_SIGNAL)
            return CALL_RESTART;
        mutex_lock(&p->lock);
    }
    if (!p->held && p->writers)
        r = -EAGAIN;
    while (p->held && done < bytes && r >= 0) {
        r = move(p, t->process->space, to + done, bytes - done, false);
        done += r > 0 ? (uint32_t)r : 0;
    }
    mutex_unlock(&p->lock);
    if (done)
        event_happen(&p->change);
    return done ? (int32_t)done : r;
}

/* Room for `bytes`, at once if they are few enough to stay together. Where no
 * page more is to be had they wait until the pipe is empty, and one does. */
static bool room(struct pipe *p, uint32_t bytes)
{
    uint32_t at = p->first + p->held, n = bytes <= PAGE ? bytes : 1;

    if (ROOM - p->held < n)
        return false;
    for (uint32_t k = at / PAGE; k <= (at + n - 1) / PAGE; k++) {
        uint32_t *page = &p->page[k % (ROOM / PAGE)];

        while (!*page) {
            if (extra >= frames_all() / 8)
                return false;
            *page = frame_take_user();
            if (*page)
                atomic_add(&extra, 1);
            else if (!memory_wait(false))
                return false;
        }
    }
    return true;
}

static int32_t broken(struct task *t)
{
    mutex_lock(&process_lock);
    signal_task(t, SIGPIPE, t->process->number);
    mutex_unlock(&process_lock);
    return -EPIPE;
}

int32_t pipe_write(struct file *f, struct task *t, uint32_t from,
                   uint32_t bytes)
{
    struct pipe *p = f->pipe;
    uint32_t done = 0, seen;
    int32_t r = 0;

    mutex_lock(&p->lock);
    while (done < bytes && r >= 0) {
        if (!p->readers) {
            r = -EPIPE;
        } else if (room(p, bytes - done)) {
            r = move(p, t->process->space, from + done, bytes - done, true);
            done += r > 0 ? (uint32_t)r : 0;
            if (r > 0 && (p->held == ROOM || done == bytes))
                event_happen(&p->change);
        } else if (f->flags & O_NONBLOCK) {
            r = -EAGAIN;
        } else {
            seen = p->change.count;
            mutex_unlock(&p->lock);
            if (event_wait(&p->change, seen, FOR_EVER) == WAKE_SIGNAL)
                return done ? (int32_t)done : CALL_RESTART;
            mutex_lock(&p->lock);
        }
    }
    mutex_unlock(&p->lock);
    if (done)
        event_happen(&p->change);
    return r == -EPIPE ? broken(t) : done ? (int32_t)done : r;
}
