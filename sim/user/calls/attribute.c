/* attribute.c - files that are made without being opened, or have no name, and
 * attributes that do not exist. */
#define _GNU_SOURCE
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only regular files: a device or a FIFO could not be opened here. */
static int32_t make_node(struct call *k, int dirfd, uint32_t name,
                         uint32_t mode)
{
    char path[USER_PATH];
    int host, error = path_get(k, dirfd, name, path);

    if (error)
        return -error;
    if (mode & S_IFMT && !S_ISREG(mode))
        return S_ISDIR(mode) || S_ISCHR(mode) || S_ISBLK(mode) ||
                       S_ISFIFO(mode) || S_ISSOCK(mode)
                   ? -EPERM
                   : -EINVAL;
    host = path_open(k->u, path, O_CREAT | O_EXCL | O_WRONLY,
                     mode & 07777 & ~k->u->umask);
    if (host < 0)
        return host;
    times_made(k->u, host);
    close(host);
    return 0;
}

int32_t call_mknod(struct call *k)
{
    return make_node(k, ABI_AT_FDCWD, k->a[0], k->a[1]);
}

int32_t call_mknodat(struct call *k)
{
    return make_node(k, (int)k->a[0], k->a[1], k->a[2]);
}

int32_t call_memfd_create(struct call *k)
{
    char name[250];
    int host, fd, n = space_string(&k->u->space, k->a[0], name, sizeof name);

    if (n == -1)
        return -EFAULT;
    if (n < 0 || k->a[1] & ~(uint32_t)(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        return -EINVAL;
    host = memfd_create(name, MFD_CLOEXEC | (k->a[1] & MFD_ALLOW_SEALING));
    if (host < 0)
        return -errno;
    limit_is_memory(k->u, host);
    times_made(k->u, host);
    fd = file_new(k->u, FILE_HOST, host, 0);
    if (fd >= 0)
        k->u->file[fd].cloexec = k->a[1] & MFD_CLOEXEC;
    return fd;
}

/* ---- extended attributes: there are none --------------------------------- */

/* 0, or why the file of this name cannot have any. */
static int32_t named(struct call *k)
{
    char path[USER_PATH];
    int host, error = path_get(k, ABI_AT_FDCWD, k->a[0], path);

    if (error)
        return -error;
    host = path_open(k->u, path, O_PATH, 0);
    if (host < 0)
        return host;
    close(host);
    return 0;
}

int32_t call_getxattr(struct call *k)
{
    int32_t error = named(k);

    return error ? error : -ENODATA;
}

int32_t call_fgetxattr(struct call *k)
{
    return file_get(k->u, k->a[0]) ? -ENODATA : -EBADF;
}

int32_t call_listxattr(struct call *k)
{
    return named(k);
}

int32_t call_flistxattr(struct call *k)
{
    return file_get(k->u, k->a[0]) ? 0 : -EBADF;
}
