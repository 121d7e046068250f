/* pipe.c - a page of bytes between two ends. */
#include "guest/process/file.h"

struct pipe {
    struct mutex lock;         /* of all below */
    uint8_t *bytes;            /* a page: fixed */
    uint32_t first, held;      /* where the oldest is, how many */
    uint32_t readers, writers; /* ends that are open */
    struct event change;
};

static struct pool pipes = {.size = sizeof(struct pipe)};

bool pipe_new(struct file *end[2], uint32_t flags)
{
    struct pipe *p = pool_take(&pipes);

    if (!p)
        return false;
    p->bytes = (uint8_t *)frame_take();
    end[0] = p->bytes ? file_open(NULL, flags) : NULL;
    end[1] = end[0] ? file_open(NULL, flags | O_WRONLY) : NULL;
    if (end[1]) {
        p->readers = p->writers = 1;
        end[0]->pipe = end[1]->pipe = p;
        return true;
    }
    if (end[0])
        file_drop(end[0]);
    if (p->bytes)
        frame_drop((uint32_t)p->bytes);
    pool_give(&pipes, p);
    return false;
}

void pipe_closed(struct pipe *p, bool writer)
{
    bool last;

    mutex_lock(&p->lock);
    if (writer)
        p->writers--;
    else
        p->readers--;
    last = !p->readers && !p->writers;
    mutex_unlock(&p->lock);
    event_happen(&p->change);
    if (!last)
        return;
    frame_drop((uint32_t)p->bytes);
    pool_give(&pipes, p);
}

uint32_t pipe_held(struct pipe *p)
{
    return *(volatile uint32_t *)&p->held;
}

bool pipe_ready(struct file *f, bool write)
{
    struct pipe *p = f->pipe;
    bool ready;

    mutex_lock(&p->lock);
    ready = write ? p->held < PAGE || !p->readers : p->held || !p->writers;
    mutex_unlock(&p->lock);
    return ready;
}

/* Up to `n` bytes that lie in one piece; p->lock is held. -EFAULT, or how many.
 */
static int32_t take(struct pipe *p, struct space *s, uint32_t to, uint32_t n)
{
    n = n < p->held ? n : p->held;
    n = n < PAGE - p->first ? n : PAGE - p->first;
    if (!copy_out(s, to, p->bytes + p->first, n))
        return -EFAULT;
    p->first = (p->first + n) % PAGE;
    p->held -= n;
    return (int32_t)n;
}

static int32_t put(struct pipe *p, struct space *s, uint32_t from, uint32_t n)
{
    uint32_t at = (p->first + p->held) % PAGE;

    n = n < PAGE - p->held ? n : PAGE - p->held;
    n = n < PAGE - at ? n : PAGE - at;
    if (!copy_in(s, p->bytes + at, from, n))
        return -EFAULT;
    p->held += n;
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
        r = take(p, t->process->space, to + done, bytes - done);
        done += r > 0 ? (uint32_t)r : 0;
    }
    mutex_unlock(&p->lock);
    if (done)
        event_happen(&p->change);
    return done ? (int32_t)done : r;
}

/* Room for `bytes`, at once if they are few enough to stay together. */
static bool room(const struct pipe *p, uint32_t bytes)
{
    return PAGE - p->held >= (bytes <= PAGE ? bytes : 1);
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
            r = put(p, t->process->space, from + done, bytes - done);
            done += r > 0 ? (uint32_t)r : 0;
            if (r > 0 && (p->held == PAGE || done == bytes))
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
