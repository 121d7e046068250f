/* disk.c - files that lie on a disk (knob user_disk): a thread that reads,
 * writes or flushes one waits as long as the disk device would take, requests
 * one behind the other.
 *
 * APPROX: the system caches no file, so every call is a request; its bytes move
 * when it is made, and sectors are those of the file. Opening, listing and
 * pages of mapped files take no time. Source: a choice. Cost: a program that
 * reads a file twice waits twice, one that maps it never.
 */
#include "sim/user/process.h"

#include <sys/stat.h>
#include <unistd.h>

static bool is_on_disk(const struct user *u, const struct file *f)
{
    struct stat st;

    return u->m->with.params.user_disk && f->kind == FILE_HOST &&
           !f->standard && fstat(f->host, &st) == 0 && S_ISREG(st.st_mode) &&
           !tree_passes(u, f->host);
}

/* Ask for it now; the disk serves it when it is free. */
static int32_t ask(struct call *k, struct disk_done d, uint64_t sectors,
                   int32_t result)
{
    struct user *u = k->u;
    struct thread *t = k->t;
    cycle_t cycles;

    d.request.cpu = (uint8_t)k->core->number;
    d.request.context = (uint32_t)t->tid;
    d.request.asked = k->now;
    d.number = u->disk_asked++;
    u->m->with.what_if.disk_met = true;
    d.begin = u->disk_free > k->now ? u->disk_free : k->now;
    cycles =
        disk_cycles(&u->m->disk.latency, d.number, sectors * MEDIUM_SECTOR);
    d.end = d.begin + what_if_scaled(user_scale(k), cycles);
    u->disk_free = d.end;
    t->disk = d;
    t->disk_result = result;
    thread_block(k, WAIT_DISK, d.end);
    return CALL_BLOCKED;
}

int32_t disk_moved(struct call *k, const struct file *f, bool out, int64_t from,
                   int32_t result)
{
    struct disk_done d = {.type = out ? DISK_OUT : DISK_IN,
                          .bytes = (uint32_t)result};
    uint64_t end;

    if (result <= 0 || !is_on_disk(k->u, f))
        return result;
    if (from < 0)
        from = lseek(f->host, 0, SEEK_CUR) - result;
    d.sector = (uint64_t)from / MEDIUM_SECTOR;
    end =
        ((uint64_t)from + (uint32_t)result + MEDIUM_SECTOR - 1) / MEDIUM_SECTOR;
    return ask(k, d, end - d.sector, result);
}

int32_t disk_flushed(struct call *k, const struct file *f, int32_t result)
{
    struct disk_done d = {.type = DISK_FLUSH};

    return result || !is_on_disk(k->u, f) ? result : ask(k, d, 0, result);
}

void disk_over(struct user *u, struct thread *t, cycle_t at)
{
    u->m->disk.to.done(u->m->disk.to.arg, &t->disk);
    thread_wake(u, t, t->disk_result, at);
}
