/* call_stat.c - what a file is, what a directory holds, which can be read. */
#include "guest/process/errno.h"
#include "guest/process/file.h"

#define AT_EMPTY 0x1000u
#define EPOCH 1000000000u
#define POLL_IN 1u
#define POLL_OUT 4u
#define POLL_INVALID 0x20u
#define POLL_PAUSE_NS 1000000ULL
#define POLL_MOST 256

struct stat64 {
    uint64_t device, number;
    uint32_t mode, links, user, group;
    uint64_t special;
    uint32_t pad[2];
    int64_t size;
    uint32_t block;
    uint32_t pad2;
    int64_t blocks;
    uint32_t access[2], change[2], status[2], spare[2];
};
_Static_assert(sizeof(struct stat64) == 104, "Linux's");

/* Of a node, or a pipe (NULL). */
struct facts {
    uint32_t number, mode, size, special;
};

static struct facts facts_of(const struct node *n)
{
    if (!n)
        return (struct facts){.mode = MODE_PIPE | 0600};
    return (struct facts){n->number, n->mode, n->device ? 0 : n->size,
                          n->device};
}

static int32_t give(struct task *t, uint32_t to, const struct facts *f)
{
    struct stat64 s = {.device = 1,
                       .number = f->number,
                       .mode = f->mode,
                       .links = 1,
                       .special = f->special,
                       .size = f->size,
                       .block = PAGE,
                       .blocks = (f->size + 511) / 512,
                       .access = {EPOCH, 0},
                       .change = {EPOCH, 0},
                       .status = {EPOCH, 0}};

    return answer(t, to, &s, sizeof s);
}

static int32_t facts_at(struct task *t, uint32_t directory, uint32_t path,
                        uint32_t flags, struct facts *facts)
{
    int32_t error;
    const struct node *n;
    struct file *f;
    char first;

    if (flags & AT_EMPTY && copy_in(t->process->space, &first, path, 1) &&
        !first && directory != AT_CWD) {
        f = file_get(t, directory);
        if (!f)
            return -EBADF;
        *facts = facts_of(f->node);
        file_drop(f);
        return 0;
    }
    n = path_find(t, directory, path, !(flags & AT_NOFOLLOW), &error);
    if (!n)
        return error;
    *facts = facts_of(n);
    return 0;
}

static int32_t stat_at(struct task *t, uint32_t directory, uint32_t path,
                       uint32_t flags, uint32_t to)
{
    struct facts f;
    int32_t error = facts_at(t, directory, path, flags, &f);

    return error ? error : give(t, to, &f);
}

/* In front: flags. */
int32_t call_stat(struct task *t, const uint32_t *a)
{
    return stat_at(t, AT_CWD, a[1], a[0], a[2]);
}

int32_t call_fstatat(struct task *t, const uint32_t *a)
{
    return stat_at(t, a[0], a[1], a[3], a[2]);
}

int32_t call_fstat(struct task *t, const uint32_t *a)
{
    struct facts f = facts_of(t->file->node);

    return give(t, a[1], &f);
}

/* ---- directories --------------------------------------------------------- */

struct entry {
    uint64_t number;
    int64_t next;
    uint16_t bytes;
    uint8_t kind;
    char name[PATH_SIZE];
};
#define ENTRY_FIXED offsetof(struct entry, name)

/* Entry number `at` of a directory: . and .. come first. */
static const struct node *entry_at(const struct node *d, uint32_t at,
                                   const char **name)
{
    const struct node *n = d->children;

    *name = at ? ".." : ".";
    if (at < 2)
        return at ? d->parent : d;
    for (at -= 2; n && at; at--)
        n = n->next;
    *name = n ? n->name : NULL;
    return n;
}

static int32_t list(struct file *f, struct task *t, uint32_t to, uint32_t size)
{
    uint32_t done = 0;
    const struct node *n;
    const char *name;

    while ((n = entry_at(f->node, f->at, &name))) {
        struct entry e = {.number = n->number,
                          .next = f->at + 1,
                          .kind = (uint8_t)((n->mode & MODE_KIND) >> 12)};

        text_copy(e.name, name, sizeof e.name);
        e.bytes = (uint16_t)((ENTRY_FIXED + text_length(e.name) + 1 + 7) & ~7u);
        if (e.bytes > size - done)
            return done ? (int32_t)done : -EINVAL;
        if (!copy_out(t->process->space, to + done, &e, e.bytes))
            return -EFAULT;
        done += e.bytes;
        f->at++;
    }
    return (int32_t)done;
}

int32_t call_getdents(struct task *t, const uint32_t *a)
{
    struct file *f = t->file;
    int32_t r;

    if (!f->node || (f->node->mode & MODE_KIND) != MODE_DIRECTORY)
        return -ENOTDIR;
    mutex_lock(&f->lock);
    r = list(f, t, a[1], a[2]);
    mutex_unlock(&f->lock);
    return r;
}

/* ---- poll ---------------------------------------------------------------- */

static uint16_t ready(struct task *t, uint32_t fd, uint16_t wanted)
{
    struct file *f = file_get(t, fd);
    uint16_t can = POLL_IN | POLL_OUT;

    if (!f)
        return POLL_INVALID;
    if (f->pipe)
        can = (f->flags & O_ACCMODE) == O_WRONLY
                  ? (pipe_ready(f, true) ? POLL_OUT : 0)
                  : (pipe_ready(f, false) ? POLL_IN : 0);
    file_drop(f);
    return can & wanted;
}

/* How many of the files are ready; -EFAULT. */
static int32_t look(struct task *t, uint32_t at, uint32_t count)
{
    int32_t found = 0;

    for (; count; count--, at += 8) {
        struct {
            int32_t fd;
            uint16_t wanted, is;
        } p;

        if (!copy_in(t->process->space, &p, at, sizeof p))
            return -EFAULT;
        p.is = p.fd < 0 ? 0 : ready(t, (uint32_t)p.fd, p.wanted);
        found += p.is != 0;
        if (!copy_out(t->process->space, at, &p, sizeof p))
            return -EFAULT;
    }
    return found;
}

/* Asks again and again: a pipe does not know who polls it. */
int32_t call_poll(struct task *t, const uint32_t *a)
{
    uint64_t end = (int32_t)a[2] < 0 ? FOR_EVER : clock_due(a[2] * 1000000ULL);
    int32_t found;

    if (a[1] > POLL_MOST)
        return -EINVAL;
    while (!(found = look(t, a[0], a[1])) && time_now() < end) {
        uint64_t next = clock_due(POLL_PAUSE_NS);

        will_wait(STATE_QUEUE, OBJECT_NONE, 0, 0);
        if (task_sleep(next < end ? next : end) == WAKE_SIGNAL)
            return -EINTR;
    }
    return found;
}
