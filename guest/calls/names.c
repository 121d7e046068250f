/* names.c - calls about names of files: tree_lock is held where one is given.
 */
#include <linux/fs.h>

#include "guest/calls/calls.h"
#include "guest/process/file.h"

/* ---- making -------------------------------------------------------------- */

int32_t call_mkdirat(struct task *t, const uint32_t *a)
{
    int32_t error;

    (void)path_make(t, a[0], a[1], S_IFDIR | (a[2] & 07777 & ~t->process->mask),
                    NULL, &error);
    return error;
}

int32_t call_symlinkat(struct task *t, const uint32_t *a)
{
    char leads[PATH_SIZE];
    int32_t error = copy_text(t->process->space, leads, a[0], sizeof leads);

    if (error <= 0)
        return error ? error : -ENOENT;
    (void)path_make(t, a[1], a[2], S_IFLNK | 0777, leads, &error);
    return error;
}

int32_t call_symlink(struct task *t, const uint32_t *a)
{
    const uint32_t same[3] = {a[0], AT_FDCWD, a[1]};

    return call_symlinkat(t, same);
}

/* From a directory, a path; one more name for that; flags. */
int32_t call_linkat(struct task *t, const uint32_t *a)
{
    int32_t error;
    struct node *file =
        path_find(t, a[0], a[1], a[4] & AT_SYMLINK_FOLLOW, &error);
    struct node *n;

    if (!file || S_ISDIR(file->mode))
        return file ? -EPERM : error;
    n = path_make(t, a[2], a[3], file->mode, NULL, &error);
    if (!n)
        return error;
    atomic_add(&file->users, 1);
    file->links++;
    n->of = file;
    return 0;
}

int32_t call_link(struct task *t, const uint32_t *a)
{
    const uint32_t same[5] = {AT_FDCWD, a[0], AT_FDCWD, a[1], 0};

    return call_linkat(t, same);
}

/* ---- removing ------------------------------------------------------------ */

/* Whether a name of d can go, in the place of which may come another, a
 * directory or not. 0 or -errno. */
static int32_t may_go(const struct node *n, const struct node *d,
                      bool directory)
{
    if (n->parent != d || n == d)
        return -EINVAL; /* . or .. */
    if (!S_ISDIR(n->mode))
        return directory ? -ENOTDIR : 0;
    return !directory ? -EISDIR : n->children ? -ENOTEMPTY : 0;
}

int32_t call_unlinkat(struct task *t, const uint32_t *a)
{
    char name[PATH_SIZE];
    int32_t error;
    struct node *d = path_parent(t, a[0], a[1], name, &error), *n;

    n = d ? ramdisk_child(d, name, &error) : NULL;
    if (n)
        error = may_go(n, d, a[2] & AT_REMOVEDIR);
    if (!error)
        ramdisk_remove(n);
    return error;
}

/* In front: whether it is a directory. */
int32_t call_unlink(struct task *t, const uint32_t *a)
{
    const uint32_t same[3] = {AT_FDCWD, a[1], a[0]};

    return call_unlinkat(t, same);
}

static bool is_inside(const struct node *n, const struct node *of)
{
    while (n && n != of && n != n->parent)
        n = n->parent;
    return n == of;
}

/* From a directory, a path; to another. */
int32_t call_renameat(struct task *t, const uint32_t *a)
{
    char name[PATH_SIZE];
    int32_t error;
    struct node *in = path_find(t, a[0], a[1], false, &error)
                          ? path_parent(t, a[0], a[1], name, &error)
                          : NULL;
    struct node *from = in ? ramdisk_child(in, name, &error) : NULL;
    struct node *to = from ? path_parent(t, a[2], a[3], name, &error) : NULL,
                *old;

    if (!to)
        return error;
    old = ramdisk_child(to, name, &error);
    if (!old && error != -ENOENT)
        return error;
    if (old && (old->of ? old->of : old) == (from->of ? from->of : from))
        return 0;
    if (from->parent != in || from == in || is_inside(to, from))
        return -EINVAL;
    error = old ? may_go(old, to, S_ISDIR(from->mode)) : 0;
    if (!error)
        error = ramdisk_rename(from, to, name);
    if (!error && old)
        ramdisk_remove(old);
    return error;
}

int32_t call_rename(struct task *t, const uint32_t *a)
{
    const uint32_t same[4] = {AT_FDCWD, a[0], AT_FDCWD, a[1]};

    return call_renameat(t, same);
}

/* ---- what is known of them ----------------------------------------------- */

static void set_mode(struct node *n, uint32_t mode)
{
    n->mode = (n->mode & S_IFMT) | (mode & 07777);
}

int32_t call_fchmodat(struct task *t, const uint32_t *a)
{
    int32_t error;
    struct node *n = path_find(t, a[0], a[1], true, &error);

    if (!n)
        return error;
    set_mode(n, a[2]);
    return 0;
}

int32_t call_fchmod(struct task *t, const uint32_t *a)
{
    if (t->file->node)
        set_mode(t->file->node, a[1]);
    return t->file->node ? 0 : -EINVAL;
}

/* ---- where a process is -------------------------------------------------- */

static int32_t change_to(struct task *t, struct node *n)
{
    struct node *old = t->process->directory;

    if (!n || !S_ISDIR(n->mode))
        return -ENOTDIR;
    atomic_add(&n->users, 1);
    t->process->directory = n;
    if (old)
        node_drop(old);
    return 0;
}

int32_t call_chdir(struct task *t, const uint32_t *a)
{
    int32_t error;
    struct node *n = path_find(t, AT_FDCWD, a[0], true, &error);

    return n ? change_to(t, n) : error;
}

int32_t call_getcwd(struct task *t, const uint32_t *a)
{
    char path[PATH_SIZE];
    int32_t length = ramdisk_path(t->process->directory, path, sizeof path);

    if (length < 0 || (uint32_t)length > a[1])
        return length < 0 ? length : -ERANGE;
    return answer(t, a[0], path, (uint32_t)length) ? -EFAULT : length;
}

int32_t call_fchdir(struct task *t, const uint32_t *a)
{
    int32_t error;

    (void)a;
    mutex_lock(&tree_lock);
    error = change_to(t, t->file->node);
    mutex_unlock(&tree_lock);
    return error;
}

/* ---- sizes ------------------------------------------------------------- */

int32_t call_creat(struct task *t, const uint32_t *a)
{
    const uint32_t same[4] = {AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC,
                              a[1]};

    return call_openat(t, same);
}

static int32_t resize(struct node *n, uint32_t high, uint32_t low)
{
    if (!n || !S_ISREG(n->mode))
        return n && S_ISDIR(n->mode) ? -EISDIR : -EINVAL;
    if ((int32_t)high < 0)
        return -EINVAL;
    return high ? -EFBIG : node_cut(n, low);
}

/* In front: how wide a size is; 64 bits begin at an even argument. */
int32_t call_truncate(struct task *t, const uint32_t *a)
{
    int32_t error;
    struct node *n = path_find(t, AT_FDCWD, a[1], true, &error);

    if (!n)
        return error;
    return a[0] ? resize(n, a[3], a[4]) : resize(n, 0, a[2]);
}

int32_t call_ftruncate(struct task *t, const uint32_t *a)
{
    struct node *n = t->file->node;

    if (!(t->file->flags & O_ACCMODE))
        return -EINVAL;
    return a[0] ? resize(n, a[3], a[4]) : resize(n, 0, a[2]);
}
