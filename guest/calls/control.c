/* control.c - fcntl, and what it locks: parts of files for a process. A lock is
 * gone when its process closes a number of that file, or ends. One table for
 * all processes; those who wait for a part look again whenever one is given
 * back.
 */
#include <linux/fs.h>

#include "guest/kernel/hook.h"

#include "guest/calls/calls.h"
#include "guest/process/file.h"

#define LOCKS 128

struct record {
    const struct process *owner; /* NULL: the place is free */
    const struct node *node;
    int64_t start, end; /* the byte behind the last */
    bool write;
};

static struct mutex lock; /* behind process_lock */
static struct record records[LOCKS];
static struct event given_back;

#define FOR_RECORDS(r)                                                         \
    for (struct record *r = records; r < records + LOCKS; r++)

static bool meets(const struct record *r, const struct record *of)
{
    return r->owner && r->node == of->node && r->start < of->end &&
           r->end > of->start;
}

/* Another process's that stands in the way of it; NULL: none. */
static const struct record *in_the_way(const struct record *wanted)
{
    FOR_RECORDS(r)
    {
        if (meets(r, wanted) && r->owner != wanted->owner &&
            (r->write || wanted->write))
            return r;
    }
    return NULL;
}

static struct record *free_place(void)
{
    FOR_RECORDS(r)
    {
        if (!r->owner)
            return r;
    }
    return NULL;
}

/* The owner has none of the range any more; false: no room for the parts. */
static bool give_back(const struct record *range)
{
    FOR_RECORDS(r)
    {
        struct record rest = *r, *place;

        if (!meets(r, range) || r->owner != range->owner)
            continue;
        if (r->start < range->start && r->end > range->end) {
            place = free_place();
            if (!place)
                return false;
            rest.start = range->end;
            *place = rest;
            r->end = range->start;
        } else if (r->start < range->start) {
            r->end = range->start;
        } else if (r->end > range->end) {
            r->start = range->end;
        } else {
            r->owner = NULL;
        }
    }
    return true;
}

/* 0, or -errno: -EAGAIN, another has it. *seen is to be waited on then. */
static int32_t take(const struct record *wanted, bool unlock, uint32_t *seen)
{
    struct record *place;
    int32_t error = 0;

    mutex_lock(&lock);
    *seen = given_back.count;
    if (!unlock && in_the_way(wanted))
        error = -EAGAIN;
    else if ((!unlock && !free_place()) || !give_back(wanted))
        error = -ENOLCK;
    place = error || unlock ? NULL : free_place();
    if (place)
        *place = *wanted;
    else if (!error && !unlock)
        error = -ENOLCK;
    mutex_unlock(&lock);
    if (!error)
        event_happen(&given_back);
    return error;
}

static void forget(const struct process *p, const struct node *n)
{
    bool any = false;

    mutex_lock(&lock);
    FOR_RECORDS(r)
    {
        if (r->owner == p && (!n || r->node == n)) {
            r->owner = NULL;
            any = true;
        }
    }
    mutex_unlock(&lock);
    if (any)
        event_happen(&given_back);
}

static void on_closed(struct process *p, const struct file *f)
{
    if (f->node)
        forget(p, f->node);
}
HOOK(closed, 100, on_closed);

static void on_ended(struct process *p)
{
    forget(p, NULL);
}
HOOK(ended, 900, on_ended);

/* ---- as programs ask for it ---------------------------------------------- */

/* Linux's flock, and flock64 with its longer places. */
struct range {
    int16_t type, whence;
    int64_t start, length;
    int32_t pid;
};

static bool range_get(struct task *t, uint32_t at, bool wide, struct range *g)
{
    struct {
        int16_t type, whence;
        int32_t start, length, pid;
    } narrow;

    if (wide)
        return copy_in(t->process->space, g, at, sizeof *g);
    if (!copy_in(t->process->space, &narrow, at, sizeof narrow))
        return false;
    *g = (struct range){narrow.type, narrow.whence, narrow.start, narrow.length,
                        narrow.pid};
    return true;
}

static int32_t range_put(struct task *t, uint32_t at, bool wide,
                         const struct range *g)
{
    struct {
        int16_t type, whence;
        int32_t start, length, pid;
    } narrow = {g->type, g->whence, (int32_t)g->start, (int32_t)g->length,
                g->pid};

    return wide ? answer(t, at, g, sizeof *g)
                : answer(t, at, &narrow, sizeof narrow);
}

/* Which bytes: 0 or -errno. */
static int32_t bytes_of(const struct task *t, const struct range *g,
                        struct record *r)
{
    const struct file *f = t->file;
    int64_t from = g->whence == SEEK_CUR   ? f->at
                   : g->whence == SEEK_END ? f->node->size
                                           : 0;

    *r = (struct record){.owner = t->process,
                         .node = f->node,
                         .start = from + g->start,
                         .write = g->type == F_WRLCK};
    r->end = g->length ? r->start + g->length : INT64_MAX;
    if (g->length < 0) {
        r->end = r->start;
        r->start += g->length;
    }
    if (r->start < 0 || g->whence < 0 || g->whence > SEEK_END ||
        g->type < F_RDLCK || g->type > F_UNLCK)
        return -EINVAL;
    return 0;
}

/* F_GETLK: what stands in the way, or F_UNLCK. */
static int32_t ask(struct task *t, uint32_t at, bool wide, struct range *g,
                   const struct record *wanted)
{
    const struct record *r;

    mutex_lock(&lock);
    r = in_the_way(wanted);
    if (r)
        *g = (struct range){r->write ? F_WRLCK : F_RDLCK, SEEK_SET, r->start,
                            r->end == INT64_MAX ? 0 : r->end - r->start,
                            (int32_t)r->owner->number};
    else
        g->type = F_UNLCK;
    mutex_unlock(&lock);
    return range_put(t, at, wide, g);
}

static int32_t locks(struct task *t, uint32_t command, uint32_t at)
{
    uint32_t access = t->file->flags & O_ACCMODE, seen;
    bool wide = command >= F_GETLK64,
         waits = command == F_SETLKW || command == F_SETLKW64;
    struct range g;
    struct record wanted;
    int32_t error;

    if (!t->file->node)
        return -EBADF;
    if (!range_get(t, at, wide, &g))
        return -EFAULT;
    error = bytes_of(t, &g, &wanted);
    if (error)
        return error;
    if (command == F_GETLK || command == F_GETLK64)
        return g.type == F_UNLCK ? -EINVAL : ask(t, at, wide, &g, &wanted);
    if ((g.type == F_RDLCK && access == O_WRONLY) ||
        (g.type == F_WRLCK && !access))
        return -EBADF;
    while ((error = take(&wanted, g.type == F_UNLCK, &seen)) == -EAGAIN &&
           waits) {
        will_wait(STATE_LOCK, OBJECT_NONE, 0, 0);
        if (event_wait(&given_back, seen, FOR_EVER) == WAKE_SIGNAL)
            return CALL_RESTART;
    }
    return error;
}

int32_t call_fcntl(struct task *t, const uint32_t *a)
{
    const uint32_t settable = O_NONBLOCK | O_APPEND;
    struct process *p = t->process;
    struct file *f = t->file;

    switch (a[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        if (a[2] >= FILES)
            return -EINVAL;
        file_keep(f);
        return file_number(p, f, a[2], a[1] == F_DUPFD_CLOEXEC);
    case F_GETFD:
        return p->close_on_exec >> a[0] & 1;
    case F_SETFD:
        mutex_lock(&process_lock);
        file_close_on_exec(p, a[0], a[2] & 1);
        mutex_unlock(&process_lock);
        return 0;
    case F_GETFL:
        return (int32_t)f->flags;
    case F_SETFL:
        mutex_lock(&f->lock);
        f->flags = (f->flags & ~settable) | (a[2] & settable);
        mutex_unlock(&f->lock);
        return 0;
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_GETLK64:
    case F_SETLK64:
    case F_SETLKW64:
        return locks(t, a[1], a[2]);
    default:
        return -EINVAL;
    }
}
