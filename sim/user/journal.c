/* journal.c - what the host answered about stdin, stdout and stderr. They are
 * the one thing that a run takes from outside without a name: in a recorded run
 * each answer is noted with its cycle, in a replay it is what was noted then.
 * All of it is a matter of system calls on files that have `standard` set.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* What a stat is in the journal. */
#define FACTS 24u /* mode, block size, device, size */

static void tell(struct call *k, char kind, int64_t value, const void *bytes,
                 size_t size)
{
    OBSERVERS_TELL(&k->u->m->observers, stdio, k->now, kind, value, bytes,
                   size);
}

/* Those of the bytes that came with an answer. */
static size_t came(char kind, int64_t value, size_t size)
{
    if (value < 0)
        return 0;
    return (kind == JOURNAL_READ || kind == JOURNAL_MAPPED) &&
                   (uint64_t)value < size
               ? (size_t)value
               : size;
}

bool journal_recall(struct call *k, const struct file *f, char kind,
                    int64_t *value, void *bytes, size_t size)
{
    struct user_host *host = &k->u->with.host;

    if (!f->standard || !host->recall)
        return false;
    if (host->recall(host->arg, k->now, kind, value, bytes, size)) {
        tell(k, kind, *value, bytes, came(kind, *value, size));
        return true;
    }
    if (kind == JOURNAL_WRITE) /* noted only if less went than was to */
        return true;
    *value = -EIO;
    if (!k->u->over)
        user_say(k->u,
                 "--replay: at cycle %" PRIu64 " the program does something "
                 "else than in the recorded run, or that ended here; are "
                 "the files that it reads the same?",
                 k->now);
    k->u->over = true;
    k->u->m->end = MACHINE_STOPPED;
    return true;
}

void journal_note(struct call *k, const struct file *f, char kind,
                  int64_t value, const void *bytes, size_t size)
{
    int error = errno;

    if (f->standard && !k->u->with.host.recall && !k->u->over)
        tell(k, kind, value, bytes, size);
    errno = error;
}

/* The kind of file and its size. Its number and its times would be of this
 * one run on this host: it gets the same ones everywhere. */
static void put_facts(uint8_t b[FACTS], const struct stat *st)
{
    be_put32(b, st->st_mode);
    be_put32(b + 4, (uint32_t)st->st_blksize);
    be_put64(b + 8, st->st_rdev);
    be_put64(b + 16, (uint64_t)st->st_size);
}

int journal_stat(struct call *k, const struct file *f, struct stat *st)
{
    uint8_t b[FACTS] = {0};
    int64_t error = 0;

    if (!f->standard)
        return fstat(f->host, st) == 0 ? 0 : errno;
    if (!journal_recall(k, f, JOURNAL_STAT, &error, b, sizeof b)) {
        if (fstat(f->host, st) != 0)
            error = errno;
        else
            put_facts(b, st);
        journal_note(k, f, JOURNAL_STAT, error, b, sizeof b);
    }
    memset(st, 0, sizeof *st);
    st->st_mode = be_get32(b);
    st->st_blksize = be_get32(b + 4);
    st->st_rdev = be_get64(b + 8);
    st->st_size = (off_t)be_get64(b + 16);
    st->st_blocks = (st->st_size + 511) / 512;
    st->st_ino = (ino_t)f->standard;
    st->st_nlink = 1;
    st->st_atim.tv_sec = (time_t)k->u->m->with.params.user_epoch;
    st->st_mtim = st->st_ctim = st->st_atim;
    return error < 0 ? (int)-error : (int)error;
}

int64_t journal_value(struct call *k, const struct file *f, char kind,
                      int64_t value)
{
    int64_t then = value;

    if (journal_recall(k, f, kind, &then, NULL, 0))
        return then;
    journal_note(k, f, kind, value, NULL, 0);
    return value;
}

int32_t journal_act(struct call *k, struct file *f,
                    int32_t (*act)(struct call *k, struct file *f))
{
    int64_t then = 0;
    int32_t r;

    if (f->standard && journal_recall(k, f, JOURNAL_RESULT, &then, NULL, 0)) {
        if (then == -EFBIG)
            limit_passed(k);
        if (then == 0 && !k->u->with.host.silent)
            (void)act(k, f); /* for a person who looks on */
        return (int32_t)then;
    }
    r = act(k, f);
    journal_note(k, f, JOURNAL_RESULT, r, NULL, 0);
    return r;
}

bool journal_change(struct user *u, const char *path)
{
    const struct user_host *host = &u->with.host;

    if (!host->change || host->change(host->arg, path))
        return true;
    u->over = true;
    u->m->end = MACHINE_STOPPED;
    return false;
}

bool journal_change_open(struct user *u, int host, const char *what)
{
    return !u->with.host.change || tree_passes(u, host) ||
           journal_change(u, what);
}

bool user_changes_files(const struct user *u)
{
    return u->changes;
}

bool user_minds_pipe(const struct user *u)
{
    bool open = false;

    for (unsigned n = 0; n < USER_FILES; n++)
        open |= u->file[n].kind == FILE_HOST && u->file[n].standard == 2;
    return open && u->spoke && !u->action[SIGPIPE].handler;
}
