/* disk_file.c - see disk_file.h. */
#define _GNU_SOURCE
#include "sim/host/disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/pack.h"

#define PIECE 65536

/* All of it, or what errno says (0: the file is shorter). */
static bool read_all(int fd, uint64_t at, void *to, size_t size)
{
    uint8_t *out = to;

    while (size) {
        ssize_t now = pread(fd, out, size, (off_t)at);

        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0) {
            errno = now ? errno : 0;
            return false;
        }
        out += now;
        at += (uint64_t)now;
        size -= (size_t)now;
    }
    return true;
}

static bool write_all(int fd, uint64_t at, const void *from, size_t size)
{
    const uint8_t *in = from;

    while (size) {
        ssize_t now = pwrite(fd, in, size, (off_t)at);

        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0)
            return false;
        in += now;
        at += (uint64_t)now;
        size -= (size_t)now;
    }
    return true;
}

/* The guest wants bytes that cannot be had: it is told of an error, and the
 * person here. */
static bool read_for_guest(void *arg, uint64_t at, void *to, size_t size)
{
    struct disk_file *d = arg;

    if (read_all(d->fd, at, to, size))
        return true;
    if (!d->failed)
        fprintf(stderr,
                "simrun: --disk: %s: cannot be read: %s; the guest is told "
                "of an error\n",
                d->name, errno ? strerror(errno) : "it has become shorter");
    d->failed = true;
    return false;
}

/* Can that be a disk? */
static bool check_kind(const char *name, const struct stat *st, char *why,
                       size_t size)
{
    unsigned long long bytes = (unsigned long long)st->st_size;

    if (S_ISDIR(st->st_mode))
        snprintf(why, size,
                 "--disk: %s: is a directory; give a file, for example one "
                 "made by mke2fs -d",
                 name);
    else if (!S_ISREG(st->st_mode))
        snprintf(why, size, "--disk: %s: is not a regular file", name);
    else if (!bytes)
        snprintf(why, size,
                 "--disk: %s: is empty; give it a size (truncate -s 64M)",
                 name);
    else if (bytes % MEDIUM_SECTOR)
        snprintf(why, size,
                 "--disk: %s: has %llu bytes, which are not whole sectors of "
                 "512; round up with truncate -s %%512",
                 name, bytes);
    else if (bytes > MEDIUM_MAX)
        snprintf(why, size, "--disk: %s: has more than 1024 GiB", name);
    else
        return true;
    return false;
}

static bool sum_file(int fd, uint64_t bytes, uint64_t *sum)
{
    uint8_t piece[PIECE];

    for (uint64_t at = 0; at < bytes; at += PIECE) {
        size_t now = bytes - at < PIECE ? (size_t)(bytes - at) : PIECE;

        if (!read_all(fd, at, piece, now))
            return false;
        *sum = pack_sum(*sum, piece, now);
    }
    return true;
}

/* What fails has left its reason in errno, or none: the file became shorter. */
static bool say_failed(const struct disk_file *d, const char *what, char *why,
                       size_t size)
{
    snprintf(why, size, "--disk: %s: cannot be %s: %s%s", d->name, what,
             errno ? strerror(errno) : "it has become shorter",
             errno == EACCES || errno == EROFS || errno == EPERM
                 ? d->keep ? "; leave it as it is with ,ro or ,private" : ""
                 : "");
    return false;
}

bool disk_file_open(struct disk_file *d, const struct disk_option *o,
                    struct machine_disk *setup, char *why, size_t size)
{
    struct stat st;

    *setup = (struct machine_disk){.size = o->size, .read_only = o->read_only};
    if (!o->file)
        return true;
    *d = (struct disk_file){.name = o->file, .keep = o->keep};
    /* A pipe is not waited for; what it is, is told below. */
    d->fd = open(o->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (d->fd < 0) {
        say_failed(d, "opened", why, size);
        d->name = NULL;
        return false;
    }
    if (fstat(d->fd, &st) != 0)
        return say_failed(d, "read", why, size);
    if (!check_kind(o->file, &st, why, size))
        return false;
    if (o->keep) {
        int fd = open(o->file, O_RDWR | O_CLOEXEC);

        if (fd < 0)
            return say_failed(d, "written", why, size);
        close(d->fd);
        d->fd = fd;
    }
    if (flock(d->fd, (o->keep ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 &&
        errno == EWOULDBLOCK) {
        snprintf(why, size,
                 "--disk: %s: another run has it; let only one write to it",
                 o->file);
        return false;
    }
    setup->size = (uint64_t)st.st_size;
    setup->source = (struct medium_source){d, read_for_guest};
    return sum_file(d->fd, setup->size, &setup->sum) ||
           say_failed(d, "read", why, size);
}

void disk_file_keep(struct disk_file *d, const struct medium *m)
{
    uint64_t page = 0;

    if (!d->name || !d->keep)
        return;
    while ((page = medium_written(m, page)) != MEDIUM_NONE) {
        uint64_t at = page * MEDIUM_PAGE;
        size_t now =
            m->size - at < MEDIUM_PAGE ? (size_t)(m->size - at) : MEDIUM_PAGE;

        if (!write_all(d->fd, at, m->bytes + at, now)) {
            fprintf(stderr,
                    "simrun: --disk: %s: cannot be written: %s; a part of "
                    "what the guest wrote is missing in it\n",
                    d->name, strerror(errno));
            d->failed = true;
            return;
        }
        page++;
    }
}

void disk_file_close(struct disk_file *d)
{
    if (d->name)
        close(d->fd);
    *d = (struct disk_file){0};
}
