/* call_stat.c - what a file is, what a directory holds. */
#include <asm/stat.h>

#include "guest/process/file.h"

/* NULL: of a pipe. */
static int32_t give(struct task *t, uint32_t to, const struct node *n)
{
    static const struct node pipe = {
        .mode = S_IFIFO | 0600, .links = 1, .time = EPOCH};
    const struct node *of = n ? n : &pipe;
    uint32_t size = of->device ? 0 : of->size;
    struct stat64 s = {.st_dev = 1,
                       .st_ino = of->number,
                       .st_mode = of->mode,
                       .st_nlink = of->links,
                       .st_uid = of->user,
                       .st_gid = of->group,
                       .st_rdev = of->device,
                       .st_size = size,
                       .st_blksize = PAGE,
                       .st_blocks = (size + 511) / 512,
                       .st_atime = of->time,
                       .st_mtime = of->time,
                       .st_ctime = of->time};

    return answer(t, to, &s, sizeof s);
}

static int32_t stat_at(struct task *t, uint32_t directory, uint32_t path,
                       uint32_t flags, uint32_t to)
{
    int32_t error;
    const struct node *n;
    struct file *f;
    char first;

    if (flags & AT_EMPTY_PATH && copy_in(t->process->space, &first, path, 1) &&
        !first && (int32_t)directory != AT_FDCWD) {
        f = file_get(t, directory);
        if (!f)
            return -EBADF;
        n = f->node;
        file_drop(f);
        return give(t, to, n);
    }
    n = path_find(t, directory, path, !(flags & AT_SYMLINK_NOFOLLOW), &error);
    return n ? give(t, to, n) : error;
}

/* In front: flags. */
int32_t call_stat(struct task *t, const uint32_t *a)
{
    return stat_at(t, AT_FDCWD, a[1], a[0], a[2]);
}

int32_t call_fstatat(struct task *t, const uint32_t *a)
{
    return stat_at(t, a[0], a[1], a[3], a[2]);
}

int32_t call_fstat(struct task *t, const uint32_t *a)
{
    return give(t, a[1], t->file->node);
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

/* The first entry of a directory whose number is `at` or more: 0 and 1 are .
 * and .. */
static const struct node *entry_at(const struct node *d, uint32_t at,
                                   const char **name)
{
    const struct node *n = d->children;

    *name = at ? ".." : ".";
    if (at < 2)
        return at ? d->parent : d;
    while (n && n->number < at)
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
        const struct node *of = n->of ? n->of : n;
        struct entry e = {.number = of->number,
                          .next = f->at < 2 ? f->at + 1 : n->number + 1,
                          .kind = (uint8_t)((of->mode & S_IFMT) >> 12)};

        text_copy(e.name, name, sizeof e.name);
        e.bytes = (uint16_t)((ENTRY_FIXED + text_length(e.name) + 1 + 7) & ~7u);
        if (e.bytes > size - done)
            return done ? (int32_t)done : -EINVAL;
        if (!copy_out(t->process->space, to + done, &e, e.bytes))
            return -EFAULT;
        done += e.bytes;
        f->at = (uint32_t)e.next;
    }
    return (int32_t)done;
}

int32_t call_getdents(struct task *t, const uint32_t *a)
{
    struct file *f = t->file;
    int32_t r;

    if (!f->node || !S_ISDIR(f->node->mode))
        return -ENOTDIR;
    mutex_lock(&tree_lock);
    mutex_lock(&f->lock);
    r = list(f, t, a[1], a[2]);
    mutex_unlock(&f->lock);
    mutex_unlock(&tree_lock);
    return r;
}
