/* call_name.c - system calls about names of files: what they mean, and making
 * the first one. tree_lock is held in all of them.
 */
#include "guest/process/file.h"

#define SELF "/proc/self/exe"

/* Where a path begins that is relative to an open file. NULL, and *error is 0:
 * the root. */
static struct node *base(struct task *t, uint32_t directory, int32_t *error)
{
    struct node *n = t->process->directory;
    struct file *f;

    *error = 0;
    if ((int32_t)directory == AT_FDCWD)
        return n;
    f = file_get(t, directory);
    n = f ? f->node : NULL;
    *error = !f ? -EBADF : !n ? -ENOTDIR : 0;
    if (f)
        file_drop(f);
    return n;
}

static struct node *find(struct task *t, uint32_t directory, const char *path,
                         bool follow, int32_t *error)
{
    struct node *from =
        base(t, *path == '/' ? (uint32_t)AT_FDCWD : directory, error);

    return *error ? NULL : ramdisk_find(from, path, follow, error);
}

struct node *path_find(struct task *t, uint32_t directory, uint32_t at,
                       bool follow, int32_t *error)
{
    char path[PATH_SIZE];

    *error = copy_text(t->process->space, path, at, sizeof path);
    if (*error < 0)
        return NULL;
    if (text_equal(path, SELF))
        return t->process->file;
    return find(t, directory, path, follow, error);
}

struct node *path_parent(struct task *t, uint32_t directory, uint32_t at,
                         char *name, int32_t *error)
{
    char path[PATH_SIZE];
    int32_t end = copy_text(t->process->space, path, at, sizeof path);

    *error = end ? end : -ENOENT;
    if (end <= 0)
        return NULL;
    while (end > 1 && path[end - 1] == '/')
        path[--end] = '\0';
    while (end && path[end - 1] != '/')
        end--;
    text_copy(name, path[end] ? path + end : ".", PATH_SIZE);
    text_copy(path + end, ".", PATH_SIZE - (uint32_t)end);
    return find(t, directory, path, true, error);
}

struct node *path_make(struct task *t, uint32_t directory, uint32_t at,
                       uint32_t mode, const char *leads, int32_t *error)
{
    char name[PATH_SIZE];
    struct node *d = path_parent(t, directory, at, name, error), *n;

    n = d ? ramdisk_make(d, name, mode, leads, error) : NULL;
    *error = n ? 0 : *error;
    return n;
}

/* ---- asking -------------------------------------------------------------- */

/* User 0 may read and write everything. */
int32_t call_faccessat(struct task *t, const uint32_t *a)
{
    int32_t error;
    const struct node *n = path_find(t, a[0], a[1], true, &error);

    if (!n)
        return error;
    return a[2] & 1 && !(n->mode & 0111) ? -EACCES : 0;
}

int32_t call_readlinkat(struct task *t, const uint32_t *a)
{
    char path[PATH_SIZE];
    int32_t error = copy_text(t->process->space, path, a[1], sizeof path);
    const struct node *n = path_find(t, a[0], a[1], false, &error);
    uint32_t length;

    if (!n)
        return error;
    if (text_equal(path, SELF) && ramdisk_path(n, path, sizeof path) < 0)
        return -ENOENT;
    if (!S_ISLNK(n->mode) && n != t->process->file)
        return -EINVAL;
    length = S_ISLNK(n->mode) ? n->size : text_length(path);
    length = length < a[3] ? length : a[3];
    error = answer(t, a[2], S_ISLNK(n->mode) ? (const void *)n->bytes : path,
                   length);
    return error ? error : (int32_t)length;
}
