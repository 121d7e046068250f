/* transfer.c - reading and writing what is open. A thread that has to wait for
 * another one waits in simulated time; for the host, simulated time stops.
 */
#define _GNU_SOURCE
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 65536u
#define MAX_TRANSFER 0x7FFFF000u

/* Where bytes come from or go to: a place in the file, or (-1) where it
 * stands. */
struct transfer {
    struct call *k;
    struct file *f;
    int64_t at;
    bool out; /* to the file */
    int32_t done;
    unsigned chunks;
};

/* The host may have to wait: not for pipes of our own, whose other end is a
 * thread. */
static int may_block(struct transfer *t, short events)
{
    struct user *u = t->k->u;
    struct stat st;

    if (t->f->kind == FILE_PIPE ||
        (fstat(t->f->host, &st) == 0 &&
         (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))))
        return 0;
    if (t->f->nonblock) {
        struct pollfd p = {t->f->host, events, 0};

        return poll(&p, 1, 0) == 1 ? 0 : EAGAIN;
    }
    if (!u->with.host.wait(u->with.host.arg, t->f->host, events)) {
        u->over = true;
        u->m->end = MACHINE_STOPPED;
        return EINTR;
    }
    return 0;
}

/* Where a transfer of the host begins. */
static uint64_t place(const struct transfer *t)
{
    off_t at = t->at < 0 ? lseek(t->f->host, 0, SEEK_CUR) : t->at + t->done;

    return at < 0 ? 0 : (uint64_t)at;
}

static ssize_t read_file(struct transfer *t, uint8_t *bytes, size_t size)
{
    struct space *s = &t->k->u->space;
    int error;

    if (space_file_mapped(s, t->f->host))
        space_file_sync(s, t->f->host, place(t), size);
    if (t->at >= 0)
        return pread(t->f->host, bytes, size, t->at + t->done);
    error = may_block(t, POLLIN);
    if (error) {
        errno = error;
        return -1;
    }
    return read(t->f->host, bytes, size);
}

static ssize_t noted(int64_t value)
{
    if (value >= 0)
        return (ssize_t)value;
    errno = (int)-value;
    return -1;
}

/* The name of a thread, and a line's end; all of a write is one. */
static ssize_t read_name(struct transfer *t, uint8_t *bytes, size_t size)
{
    const struct thread *of = thread_find(t->k->u, t->f->named);
    char text[THREAD_NAME + 1];
    size_t length;

    if (!of)
        return noted(-ESRCH);
    length = (size_t)snprintf(text, sizeof text, "%s\n", of->name);
    if (t->f->place >= length)
        return 0;
    length -= t->f->place;
    length = length < size ? length : size;
    memcpy(bytes, text + t->f->place, length);
    t->f->place += (uint32_t)length;
    return (ssize_t)length;
}

static ssize_t write_name(struct transfer *t, const uint8_t *bytes, size_t size)
{
    struct thread *of = thread_find(t->k->u, t->f->named);
    char text[2 * THREAD_NAME] = "";

    if (!of)
        return noted(-ESRCH);
    snprintf(text, sizeof text, "%s%.*s", t->done ? of->name : "",
             (int)(size < THREAD_NAME ? size : THREAD_NAME),
             (const char *)bytes);
    thread_name(t->k->u, of, text, strlen(text), t->k->now);
    return (ssize_t)size;
}

static ssize_t host_read(struct transfer *t, uint8_t *bytes, size_t size)
{
    int64_t then;
    ssize_t n;

    if (t->f->kind == FILE_RANDOM && t->f->named)
        return read_name(t, bytes, size);
    if (t->f->kind == FILE_RANDOM) {
        for (n = 0; n < (ssize_t)size; n++)
            bytes[n] = (uint8_t)user_random(t->k->u);
        return n;
    }
    if (journal_recall(t->k, t->f, JOURNAL_READ, &then, bytes, size))
        return noted(then > (int64_t)size ? (int64_t)size : then);
    n = read_file(t, bytes, size);
    if (n >= 0 && size)
        times_changed(t->k->u, t->f->host, TIMES_READ);
    journal_note(t->k, t->f, JOURNAL_READ, n < 0 ? -errno : n, bytes,
                 n > 0 ? (size_t)n : 0);
    return n;
}

static ssize_t put_file(struct transfer *t, const uint8_t *bytes, size_t size)
{
    int error;

    if (t->f->append && t->at < 0)
        (void)lseek(t->f->host, 0, SEEK_END);
    if (t->at >= 0)
        return pwrite(t->f->host, bytes, size, t->at + t->done);
    error = may_block(t, POLLOUT);
    if (error) {
        errno = error;
        return -1;
    }
    return write(t->f->host, bytes, size);
}

static ssize_t write_file(struct transfer *t, const uint8_t *bytes, size_t size)
{
    struct space *s = &t->k->u->space;
    int error = limit_write(t->k->u, t->f->host,
                            t->at < 0 ? -1 : t->at + t->done, &size);
    uint64_t from;
    struct stat st;
    ssize_t n;

    if (error) {
        errno = error;
        return -1;
    }
    if (!space_file_mapped(s, t->f->host) || fstat(t->f->host, &st) != 0)
        return put_file(t, bytes, size);
    /* What mappings have of it, from the old end on if there will be a gap. */
    from = place(t);
    if (from > (uint64_t)st.st_size || fcntl(t->f->host, F_GETFL) & O_APPEND)
        from = (uint64_t)st.st_size;
    space_file_sync(s, t->f->host, from, UINT64_MAX);
    n = put_file(t, bytes, size);
    error = errno;
    if (n > 0)
        space_file_written(s, t->f->host, from,
                           place(t) > from ? place(t) - from + size : size);
    errno = error;
    return n;
}

static ssize_t host_write(struct transfer *t, const uint8_t *bytes, size_t size)
{
    int64_t then = (int64_t)size;
    ssize_t n;

    if (t->f->kind == FILE_RANDOM && t->f->named)
        return write_name(t, bytes, size);
    if (t->f->kind == FILE_RANDOM)
        return (ssize_t)size;
    if (journal_recall(t->k, t->f, JOURNAL_WRITE, &then, NULL, 0)) {
        if (then > 0 && then <= (int64_t)size && !t->k->u->with.host.silent)
            n = write_file(t, bytes,
                           (size_t)then); /* for a person who looks on */
        return noted(then);
    }
    n = write_file(t, bytes, size);
    if (n > 0)
        times_changed(t->k->u, t->f->host, TIMES_WRITTEN);
    t->k->u->spoke |= t->f->standard == 2;
    if (n != (ssize_t)size)
        journal_note(t->k, t->f, JOURNAL_WRITE, n < 0 ? -errno : n, NULL, 0);
    return n;
}

/* After a host call said no: what the program gets. */
static int32_t refused(struct transfer *t, int error)
{
    struct siginfo info = siginfo_kill(t->k->u, ABI_SI_USER, USER_PID);

    if (error == EPIPE)
        signal_send(t->k->u, t->k->t, SIGPIPE, &info, t->k->now);
    if (error == EFBIG)
        limit_passed(t->k);
    if (error == EAGAIN && t->f->kind == FILE_PIPE && !t->f->nonblock) {
        if (signal_waits(t->k->u, t->k->t))
            return -EINTR;
        t->k->t->restartable = true;
        thread_block(t->k, WAIT_IO, CYCLE_NEVER);
        return CALL_RETRY;
    }
    return -error;
}

/* One stretch of memory. 1: go on; 0: that was all; < 0 or CALL_...: this is
 * the result if nothing was done before. */
static int32_t move(struct transfer *t, bool out, ea_t at, uint32_t size)
{
    struct space *s = &t->k->u->space;
    uint8_t bytes[CHUNK];

    while (size) {
        uint32_t n = size < CHUNK ? size : CHUNK;
        uint32_t left;
        ssize_t did;

        if (!space_bytes(s, at, out ? SPACE_READ : SPACE_WRITE, &left))
            return -EFAULT;
        if (out && !space_read(s, at, bytes, n) &&
            !space_read(s, at, bytes, n = left < n ? left : n))
            return -EFAULT;
        did = out ? host_write(t, bytes, n) : host_read(t, bytes, n);
        if (did < 0)
            return refused(t, errno);
        if (!out && !space_write(s, at, bytes, (size_t)did))
            return -EFAULT;
        t->done += (int32_t)did;
        if (did < (ssize_t)n)
            return 0;
        if (++t->chunks % 16 == 0 && user_stopped(t->k->u))
            return 0;
        at += n;
        size -= n;
    }
    return 1;
}

static int32_t finish(struct transfer *t, int32_t r)
{
    if (t->done > 0 && t->f->kind == FILE_PIPE)
        thread_io(t->k->u, t->k->now);
    if (t->done > 0 && r == CALL_RETRY) { /* some went: that is the answer */
        t->k->t->state = THREAD_RUNNING;
        t->k->t->waiting = WAIT_NOTHING;
        t->k->t->wake_at = CYCLE_NEVER;
    }
    if (t->done > 0)
        return disk_moved(t->k, t->f, t->out, t->at, t->done);
    return r >= 0 ? 0 : r;
}

/* An event counter: eight bytes of a number. */
static int32_t event_move(struct transfer *t, bool out, ea_t at, uint32_t size)
{
    struct space *s = &t->k->u->space;
    uint64_t v;
    uint8_t b[8], swapped[8];
    ssize_t n;

    if (size < 8)
        return -EINVAL;
    if (out) {
        if (!space_read(s, at, b, 8))
            return -EFAULT;
        v = be_get64(b);
        n = write(t->f->host, &v, 8);
    } else {
        n = read(t->f->host, &v, 8);
    }
    if (n < 0)
        return refused(t, errno);
    be_put64(swapped, v);
    if (!out && !space_write(s, at, swapped, 8))
        return -EFAULT;
    thread_io(t->k->u, t->k->now);
    return 8;
}

static int32_t transfer(struct call *k, bool out, ea_t at, uint32_t size,
                        int64_t offset)
{
    struct transfer t = {k, file_get(k->u, k->a[0]), offset, out, 0, 0};

    if (!t.f)
        return -EBADF;
    if (offset < -1)
        return -EINVAL;
    if (at > SPACE_TOP || size > SPACE_TOP - at)
        return -EFAULT;
    if (size > INT32_MAX)
        return -EINVAL;
    if (size > MAX_TRANSFER)
        size = MAX_TRANSFER;
    if (t.f->kind == FILE_EVENT) {
        t.f->kind = FILE_PIPE; /* waits as a pipe does */
        int32_t r = event_move(&t, out, at, size);
        t.f->kind = FILE_EVENT;
        return r;
    }
    if (!size) {
        ssize_t n = out ? host_write(&t, NULL, 0) : host_read(&t, NULL, 0);

        return n < 0 ? -errno : (int32_t)n;
    }
    return finish(&t, move(&t, out, at, size));
}

int32_t call_read(struct call *k)
{
    return transfer(k, false, k->a[1], k->a[2], -1);
}

int32_t call_write(struct call *k)
{
    return transfer(k, true, k->a[1], k->a[2], -1);
}

/* A 64-bit argument stands in a pair of registers that begins with an odd
 * one: for pread64 r7 and r8, behind r6, which is unused. */
static int64_t offset_of(struct call *k)
{
    int64_t at = (int64_t)call_pair(k->a[4], k->a[5]);

    return at < 0 ? -2 : at;
}

int32_t call_pread64(struct call *k)
{
    return transfer(k, false, k->a[1], k->a[2], offset_of(k));
}

int32_t call_pwrite64(struct call *k)
{
    return transfer(k, true, k->a[1], k->a[2], offset_of(k));
}

static int32_t vector(struct call *k, bool out, int64_t offset)
{
    struct transfer t = {k, file_get(k->u, k->a[0]), offset, out, 0, 0};
    uint32_t count = k->a[2];
    int32_t r = 0;
    uint8_t b[8];

    if (!t.f)
        return -EBADF;
    if (count > 1024 || offset < -1)
        return -EINVAL;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t size;

        if (!space_read(&k->u->space, k->a[1] + 8 * n, b, 8)) {
            r = -EFAULT;
            break;
        }
        size = be_get32(b + 4);
        if (size > INT32_MAX) {
            r = -EINVAL;
            break;
        }
        if (size > MAX_TRANSFER - (uint32_t)t.done)
            size = MAX_TRANSFER - (uint32_t)t.done;
        r = move(&t, out, be_get32(b), size);
        if (r != 1)
            break;
    }
    return finish(&t, r);
}

int32_t call_readv(struct call *k)
{
    return vector(k, false, -1);
}

int32_t call_writev(struct call *k)
{
    return vector(k, true, -1);
}

/* Here the low word comes first. */
int32_t call_preadv(struct call *k)
{
    int64_t at = (int64_t)call_pair(k->a[4], k->a[3]);

    return at < 0 ? -EINVAL : vector(k, false, at);
}

int32_t call_pwritev(struct call *k)
{
    int64_t at = (int64_t)call_pair(k->a[4], k->a[3]);

    return at < 0 ? -EINVAL : vector(k, true, at);
}

/* From one file (r4) to another (r3), r6 bytes; *r5 is the place to read at
 * and is moved, 0: where the file stands. */
static int32_t send(struct call *k, bool wide)
{
    struct transfer in = {k, file_get(k->u, k->a[1]), -1, false, 0, 0};
    struct transfer out = {k, file_get(k->u, k->a[0]), -1, true, 0, 0};
    struct space *s = &k->u->space;
    uint32_t size = k->a[3] < CHUNK ? k->a[3] : CHUNK;
    uint8_t bytes[CHUNK], b[8];
    ssize_t got, put;

    if (!in.f || !out.f)
        return -EBADF;
    if (in.f->kind != FILE_HOST)
        return -EINVAL;
    if (k->a[2]) {
        if (!space_read(s, k->a[2], b, wide ? 8 : 4))
            return -EFAULT;
        in.at = wide ? (int64_t)be_get64(b) : (int32_t)be_get32(b);
        if (in.at < 0)
            return -EINVAL;
    }
    got = host_read(&in, bytes, size);
    if (got < 0)
        return -errno;
    put = host_write(&out, bytes, (size_t)got);
    if (put < 0)
        return refused(&out, errno) == CALL_RETRY ? CALL_RETRY : -errno;
    if (!k->a[2]) {
        if (put < got)
            lseek(in.f->host, put - got, SEEK_CUR);
        return disk_moved(k, in.f, false, -1, (int32_t)put);
    }
    if (wide)
        be_put64(b, (uint64_t)(in.at + put));
    else
        be_put32(b, (uint32_t)(in.at + put));
    if (!space_write(s, k->a[2], b, wide ? 8 : 4))
        return -EFAULT;
    return disk_moved(k, in.f, false, in.at, (int32_t)put);
}

int32_t call_sendfile(struct call *k)
{
    return send(k, false);
}

int32_t call_sendfile64(struct call *k)
{
    return send(k, true);
}
