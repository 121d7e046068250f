/* shared.c - see shared.h. Knows regions and pages, and no system call.
 */
#define _GNU_SOURCE
#include "sim/user/mm/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/user/abi.h"
#include "sim/user/mm/pages.h"

/* ---- objects ------------------------------------------------------------- */

static struct space_file *find(const struct space *s, int host)
{
    struct stat st;

    if (!s->files || host < 0 || fstat(host, &st) != 0)
        return NULL;
    for (struct space_file *f = s->files; f; f = f->next)
        if (f->host >= 0 && f->device == st.st_dev && f->number == st.st_ino)
            return f;
    return NULL;
}

static bool writable(int host)
{
    return (fcntl(host, F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* One that may be written to takes the place of one that may not. */
static void take_better(struct space_file *f, int host)
{
    int better;

    if (writable(f->host) || !writable(host))
        return;
    better = fcntl(host, F_DUPFD_CLOEXEC, 3);
    if (better < 0)
        return;
    close(f->host);
    f->host = better;
}

struct space_file *shared_open(struct space *s, int host, int *error)
{
    struct space_file *f = find(s, host);
    struct stat st;

    if (f) {
        take_better(f, host);
        return f;
    }
    *error = ENOMEM;
    f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->host = -1;
    if (host >= 0) {
        f->host = fcntl(host, F_DUPFD_CLOEXEC, 3);
        if (f->host < 0 || fstat(host, &st) != 0) {
            *error = errno;
            free(f);
            return NULL;
        }
        f->device = st.st_dev;
        f->number = st.st_ino;
    }
    f->next = s->files;
    s->files = f;
    return f;
}

void shared_hold(struct space_file *f)
{
    if (f)
        f->regions++;
}

void shared_drop(struct space *s, struct space_file *f)
{
    struct space_file **link = &s->files;

    if (!f || (f->regions && --f->regions))
        return;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    if (f->host >= 0)
        close(f->host);
    hash_free(&f->frame);
    hash_free(&f->users);
    free(f);
}

/* ---- one frame a page ---------------------------------------------------- */

static uint64_t length_of(const struct region *r)
{
    return r->end - r->start;
}

static uint64_t place_of(const struct region *r, ea_t page)
{
    return r->offset + (page - r->start);
}

static uint64_t number_of(const struct region *r, ea_t page)
{
    return place_of(r, page) / ABI_PAGE;
}

pa_t shared_frame(const struct region *r, ea_t page)
{
    const uint32_t *frame =
        r->file ? hash_find(&r->file->frame, number_of(r, page)) : NULL;

    return frame ? *frame : 0;
}

void shared_take(const struct region *r, ea_t page, pa_t frame)
{
    bool fresh;

    *hash_at(&r->file->frame, number_of(r, page), &fresh) = frame;
    if (++*hash_at(&r->file->users, number_of(r, page), &fresh) == 1)
        r->file->pages++;
}

bool shared_leave(const struct region *r, ea_t page)
{
    bool fresh;
    uint32_t *users = hash_at(&r->file->users, number_of(r, page), &fresh);

    if (--*users)
        return false;
    *hash_at(&r->file->frame, number_of(r, page), &fresh) = 0;
    r->file->pages--;
    return true;
}

bool shared_fill(struct space *s, const struct region *r, ea_t page, pa_t frame)
{
    uint64_t from = place_of(r, page);
    uint8_t *to = s->ram->bytes + frame;
    struct stat st;
    pa_t other;

    if (!r->file || r->file->host < 0)
        return true;
    if (fstat(r->file->host, &st) != 0 || from >= (uint64_t)st.st_size)
        return false;
    other = shared_frame(r, page);
    if (other) {
        s->loaded(s->arg, other, ABI_PAGE);
        memcpy(to, s->ram->bytes + other, ABI_PAGE);
        return true;
    }
    return pread(r->file->host, to, ABI_PAGE, (off_t)from) >= 0;
}

/* ---- the file kept in step ----------------------------------------------- */

/* pwrite would append where a file is open for appending. */
static ssize_t write_at(int host, const void *bytes, size_t size, uint64_t at)
{
    int flags = fcntl(host, F_GETFL);
    ssize_t n;

    if (flags & O_APPEND)
        fcntl(host, F_SETFL, flags & ~O_APPEND);
    n = pwrite(host, bytes, size, (off_t)at);
    if (flags & O_APPEND)
        fcntl(host, F_SETFL, flags);
    return n;
}

static int page_back(struct space *s, const struct region *r, ea_t page)
{
    pa_t frame = page_get(s, page) & ~(ABI_PAGE - 1);
    uint64_t at = place_of(r, page);
    size_t size = ABI_PAGE;
    struct stat st;

    if (fstat(r->file->host, &st) != 0 || at >= (uint64_t)st.st_size)
        return 0; /* behind the end there is nothing to keep */
    if ((uint64_t)st.st_size - at < size)
        size = (size_t)((uint64_t)st.st_size - at);
    s->loaded(s->arg, frame, ABI_PAGE);
    return write_at(r->file->host, s->ram->bytes + frame, size, at) < 0 ? EIO
                                                                        : 0;
}

int shared_write_back(struct space *s, const struct region *r, ea_t from,
                      ea_t to, bool *cleaned)
{
    bool changed = false;
    int error = 0;

    if (!r->shared || !r->may_write || !r->file || r->file->host < 0)
        return 0;
    for (ea_t page = from; page < to; page += ABI_PAGE) {
        int failed;

        if (!(page_get(s, page) & PAGE_THERE) || !page_dirty(s, page))
            continue;
        failed = page_back(s, r, page);
        error = failed ? failed : error;
        page_clean(s, page);
        *cleaned = true;
        changed = true;
    }
    if (changed)
        s->wrote(s->arg, r->file->host);
    return error;
}

/* The pages of x that the file has from `from` up to `to`. False: none. */
static bool part(const struct region *x, uint64_t from, uint64_t to, ea_t *low,
                 ea_t *high)
{
    uint64_t end = x->offset + length_of(x);

    from = from > x->offset ? from : x->offset;
    to = to < end ? to : end;
    if (from >= to)
        return false;
    *low = x->start + ((ea_t)(from - x->offset) & ~(ABI_PAGE - 1));
    *high = x->start + (ea_t)(to - x->offset);
    return true;
}

static uint64_t behind(uint64_t from, uint64_t size)
{
    return size > UINT64_MAX - from ? UINT64_MAX : from + size;
}

void space_file_sync(struct space *s, int host, uint64_t from, uint64_t size)
{
    const struct space_file *f = find(s, host);
    bool cleaned = false;
    ea_t low, high;

    for (unsigned i = 0; f && i < s->regions; i++)
        if (s->region[i].file == f &&
            part(&s->region[i], from, behind(from, size), &low, &high))
            shared_write_back(s, &s->region[i], low, high, &cleaned);
    if (cleaned)
        s->changed(s->arg);
}

/* What the frame of a page has is what the file has now. */
static void take_page(struct space *s, const struct region *r, ea_t page)
{
    pa_t frame = page_get(s, page) & ~(ABI_PAGE - 1);
    uint8_t now[ABI_PAGE] = {0};

    if (pread(r->file->host, now, ABI_PAGE, (off_t)place_of(r, page)) < 0 ||
        memcmp(now, s->ram->bytes + frame, ABI_PAGE) == 0)
        return;
    memcpy(s->ram->bytes + frame, now, ABI_PAGE);
    s->stored(s->arg, frame, ABI_PAGE);
}

void space_file_written(struct space *s, int host, uint64_t from, uint64_t size)
{
    const struct space_file *f = find(s, host);
    ea_t low, high;

    for (unsigned i = 0; f && i < s->regions; i++) {
        const struct region *r = &s->region[i];

        if (r->file != f || !r->shared ||
            !part(r, from, behind(from, size), &low, &high))
            continue;
        for (ea_t page = low; page < high; page += ABI_PAGE)
            if (page_get(s, page) & PAGE_THERE)
                take_page(s, r, page);
    }
}

void space_file_cut(struct space *s, int host)
{
    const struct space_file *f = find(s, host);
    uint64_t end;
    struct stat st;
    ea_t low, high;

    if (!f || fstat(host, &st) != 0)
        return;
    end = ((uint64_t)st.st_size + ABI_PAGE - 1) & ~(uint64_t)(ABI_PAGE - 1);
    for (unsigned i = 0; i < s->regions; i++)
        if (s->region[i].file == f &&
            part(&s->region[i], end, UINT64_MAX, &low, &high))
            space_drop(s, &s->region[i], low, high);
    space_file_written(s, host, 0, end);
    s->changed(s->arg);
}

uint64_t space_nameless(const struct space *s, uint64_t device,
                        const uint64_t *numbers, unsigned n, uint64_t sum)
{
    for (const struct space_file *f = s->files; f; f = f->next) {
        uint64_t in_memory;
        struct stat st;
        unsigned i;

        if (f->host < 0 || f->device != device || fstat(f->host, &st) != 0)
            continue;
        for (i = 0; i < n && numbers[i] != f->number; i++)
            ;
        if (i == n)
            sum += (uint64_t)st.st_blocks * 512;
        in_memory = (uint64_t)f->pages * ABI_PAGE;
        sum -= in_memory < sum ? in_memory : sum;
    }
    return sum;
}

bool space_file_mapped(const struct space *s, int host)
{
    return find(s, host) != NULL;
}
