/* recfile.c - a window over a record file and the search for its records.
 * Knows the frame of a record and what each kind may contain; means nothing
 * by it. Reads through a buffer, not a mapping: a file that shrinks or a disk
 * that fails must not end the program.
 */
#include "tools/analysis/experiment/recfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/grow.h"

#define BUFFER (256 * 1024)
#define LARGEST (REC_HEADER + 4 * (REC_MAX_WORDS + 1))
#define TELL_EVERY (32 * 1024 * 1024)

/* Of a kind: its file, and the words of its records. */
static const struct shape {
    const char *file;
    size_t least, words;
    unsigned later;
    enum { WHOLE, CUT } part;
    size_t each;   /* words of each in the tail; 0: it has none */
    size_t count;  /* the word that says how many */
    bool rest;     /* any number of words behind the others */
    size_t flags;  /* the word that has, or has not, ... */
    uint32_t flag; /* ... this: one word more behind the tail; 0: never */
} kinds[REC_KINDS] = {
#define KIND(name, NAME, number, file_, by, least_, words_, later_, part_,     \
             what, about)                                                      \
    [number].file = file_, [number].least = least_, [number].words = words_,   \
    [number].later = later_, [number].part = part_,
#define TAIL(form, name, each_, count_, unit, meaning)                         \
    [RECORD_KIND_##form].each = each_,                                         \
    [RECORD_KIND_##form].count = RECORD_AT_##form##_##count_,
#define REST(form, name, unit, meaning) [RECORD_KIND_##form].rest = true,
#define BEHIND(form, name, tail, flags_, flag_, unit, meaning)                 \
    [RECORD_KIND_##form].flags = RECORD_AT_##form##_##flags_,                  \
    [RECORD_KIND_##form].flag = flag_,
#include "include/record.def"
};

static uint64_t little(const unsigned char *p, int bytes)
{
    uint64_t n = 0;

    while (bytes--)
        n = n << 8 | p[bytes];
    return n;
}

const char *recfile_name(unsigned kind)
{
    return kind < RECFILE_KINDS ? kinds[kind].file : NULL;
}

bool recfile_cuts(unsigned kind)
{
    return kinds[kind].part == CUT;
}

/* What is left of the file from the reading place on. */
static uint64_t left(const struct recfile *f)
{
    return f->size - (f->base + f->at);
}

/* How much to read at once: not far behind the blocks that are wanted. */
static size_t reach(const struct recfile *f, size_t need)
{
    uint64_t behind = f->base + f->have;
    uint64_t most = f->stop > behind ? f->stop - behind : 0;

    most = most < BUFFER ? most + 2 * LARGEST : BUFFER;
    if (most < need - f->have)
        most = need - f->have;
    return most < BUFFER - f->have ? (size_t)most : BUFFER - f->have;
}

/* Bring at least `need` bytes, or all that are left, into the buffer. Returns
 * how many stand at the reading place. */
static size_t fill(struct recfile *f, size_t need)
{
    if (f->have - f->at >= need || left(f) == f->have - f->at)
        return f->have - f->at;
    memmove(f->buffer, f->buffer + f->at, f->have - f->at);
    f->base += f->at;
    f->have -= f->at;
    f->at = 0;
    while (f->have < need && f->base + f->have < f->size) {
        uint64_t rest = f->size - (f->base + f->have);
        size_t room = reach(f, need);
        ssize_t n =
            pread(f->fd, f->buffer + f->have, rest < room ? (size_t)rest : room,
                  (off_t)(f->base + f->have));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) { /* shrunk under our eyes, or the disk failed */
            f->error = n < 0 ? errno : 0;
            f->size = f->base + f->have;
            break;
        }
        f->have += (size_t)n;
    }
    return f->have;
}

/* The size of a record with this payload. */
static size_t padded(size_t words)
{
    return (REC_HEADER + 4 * words + 7) & ~(size_t)7;
}

/* The size of the record that these bytes could be the header of, or 0. */
static size_t framed(const struct recfile *f, const unsigned char *p)
{
    size_t size = (size_t)little(p, 2);

    return p[2] == f->kind && size % 8 == 0 && size >= f->smallest &&
                   size <= f->largest
               ? size
               : 0;
}

/* Has this record the words that its tail takes? The word that pads one
 * without a tail is the count of it. */
static bool tail_fits(const struct recfile *f, const struct record *r)
{
    const struct shape *k = &kinds[f->kind];
    size_t words = k->words + f->unknown;
    uint32_t count;

    if (!k->each)
        return true;
    count = record_load_u32(r->payload + 4 * k->count);
    if (count > r->words)
        return false;
    words += k->each * count;
    words += (record_load_u32(r->payload + 4 * k->flags) & k->flag) != 0;
    return (words + 1) / 2 * 2 == r->words;
}

/* Can a record with this payload be? */
static bool sensible(const struct recfile *f, const struct record *r)
{
    if (r->cpu >= f->cpus || r->cycle > f->until || !tail_fits(f, r))
        return false;
    switch (r->kind) {
    case REC_IDLE:
        return record_get_idle_transition(r) == IDLE_KIND_TO ||
               record_get_idle_transition(r) == IDLE_KIND_FROM;
    case REC_UNSAMPLED:
        return record_get_unsampled_reason(r) >= 1 &&
               record_get_unsampled_reason(r) < UNSAMPLED_REASONS;
    case REC_PRECAPTURE:
        return record_get_precapture_event(r) >= 1 &&
               record_get_precapture_event(r) < PRECAPTURE_EVENTS;
    case REC_ORACLE:
        return recrows_sensible(r);
    case REC_STATE:
        return record_get_state_state(r) >= 1 &&
               record_get_state_state(r) < STATES_ALL;
    case REC_FRAME:
        return record_get_frame_caller(r) < record_get_frame_number(r);
    default:
        return true;
    }
}

static struct record decode(const unsigned char *p, size_t size)
{
    return (struct record){
        .kind = p[2],
        .cpu = p[3],
        .thread = (uint32_t)little(p + 4, 4),
        .cycle = little(p + 8, 8),
        .words = (unsigned)(size - REC_HEADER) / 4,
        .payload = p + REC_HEADER,
    };
}

/* Does what follows `skip` bytes on look like a record or the end? */
static bool goes_on(struct recfile *f, size_t skip)
{
    size_t have = fill(f, skip + REC_HEADER);

    return have - skip < REC_HEADER || framed(f, f->buffer + f->at + skip) > 0;
}

/* Is there, at the reading place, a whole record that can be? The one after
 * it is looked at only when `strict`. */
static size_t intact(struct recfile *f, struct record *r, bool strict)
{
    size_t have = fill(f, 2 * LARGEST);
    const unsigned char *p = f->buffer + f->at;
    size_t size = have < REC_HEADER ? 0 : framed(f, p);

    if (!size || size > have)
        return 0;
    *r = decode(p, size);
    if (!sensible(f, r) || (strict && !goes_on(f, size)))
        return 0;
    return size;
}

/* The reading place holds no intact record. Step over what is there: true if
 * something readable may follow. */
static bool step_over(struct recfile *f)
{
    size_t have = fill(f, 2 * LARGEST);
    const unsigned char *p = f->buffer + f->at;
    size_t size = have < REC_HEADER ? 0 : framed(f, p);
    uint64_t from = f->base + f->at;
    bool cut = have < REC_HEADER || size > have;
    struct record r;

    if (size && size <= have && goes_on(f, size)) {
        f->nonsense++;
        f->at += size;
        return true;
    }
    while (fill(f, 2 * LARGEST) > 8) {
        f->at += 8;
        if (intact(f, &r, true)) {
            f->skipped += f->base + f->at - from;
            f->places++;
            return true;
        }
    }
    if (cut) {
        f->tail = f->size - from;
    } else if (f->size > from) {
        f->skipped += f->size - from;
        f->places++;
    }
    f->at = f->have;
    return false;
}

/* ---- an interval of time ------------------------------------------------- */

static struct recindex_of index_of(const struct recfile *f)
{
    return (struct recindex_of){.dir = f->dir,
                                .fd = f->fd,
                                .name = kinds[f->kind].file,
                                .kind = f->kind,
                                .size = f->size,
                                .cpus = f->cpus,
                                .until = f->until};
}

void recfile_within(struct recfile *f, uint64_t from, uint64_t to)
{
    struct recindex_of of = index_of(f);

    f->windowed = f->rows.windowed = true;
    f->from = f->rows.from = from;
    f->to = f->rows.to = to;
    if (f->rows.interval) /* rows that end later have a part in it */
        to = to < UINT64_MAX - f->rows.interval ? to + f->rows.interval
                                                : UINT64_MAX;
    f->reach = to;
    f->making = !recindex_read(&f->index, &of, from, to);
    if (!f->making) {
        f->blocks = f->index.count;
        f->stop = 0;
    }
    f->making &= f->size >= RECINDEX_WORTH;
}

void recfile_index(struct recfile *f)
{
    f->making = f->size >= RECINDEX_WORTH && !f->windowed;
}

bool recfile_latest(const struct recfile *f, uint64_t *cycle)
{
    struct recindex_of of = index_of(f);
    struct recindex x;

    if (f->size < RECINDEX_WORTH || !recindex_read(&x, &of, 1, 0))
        return false;
    *cycle = 0;
    for (size_t i = 0; i < x.count; i++)
        *cycle = x.block[i].most > *cycle ? x.block[i].most : *cycle;
    recindex_free(&x);
    return true;
}

static bool within(const struct recfile *f, const struct record *r)
{
    if (!f->windowed || (f->kind == REC_ORACLE && f->rows.interval))
        return true;
    if (f->kind == REC_ORACLE)
        return r->cycle > f->from && r->cycle <= f->to;
    return r->cycle >= f->from && r->cycle < f->to;
}

/* The reading place is behind the blocks wanted so far: go to the next ones.
 * False: no more of them. */
static bool next_blocks(struct recfile *f)
{
    const struct recindex *x = &f->index;
    uint64_t at = f->base + f->at;

    while (f->block < x->count &&
           !recindex_overlaps(&x->block[f->block], f->from, f->reach)) {
        f->block++;
        f->passed++;
    }
    if (f->block == x->count)
        return false;
    if (x->block[f->block].offset > f->base + f->have) {
        f->base = x->block[f->block].offset;
        f->have = f->at = 0;
    } else if (x->block[f->block].offset > at) {
        f->at += (size_t)(x->block[f->block].offset - at);
    }
    while (f->block < x->count &&
           recindex_overlaps(&x->block[f->block], f->from, f->reach))
        f->block++;
    f->stop = f->block < x->count ? x->block[f->block].offset : UINT64_MAX;
    return true;
}

/* One line, written over and over. */
static void tell(struct recfile *f)
{
    uint64_t at = f->base + f->at;

    if (!f->tells || at - f->told < TELL_EVERY)
        return;
    f->told = at;
    fprintf(stderr, "\rreading %s: %u%%\033[K", kinds[f->kind].file,
            (unsigned)(100 * (unsigned __int128)at / f->size));
}

static bool more(struct recfile *f)
{
    tell(f);
    if (f->blocks && f->base + f->at >= f->stop && !next_blocks(f))
        return false;
    return fill(f, LARGEST) > 0;
}

/* ---- records ------------------------------------------------------------- */

/* The next record of the file. */
static bool next(struct recfile *f, struct record *r)
{
    while (more(f)) {
        size_t size = intact(f, r, false);

        if (size) {
            if (f->making)
                recindex_add(&f->index, f->base + f->at, r->cycle);
            f->at += size;
            f->records++;
            if (within(f, r))
                return true;
        } else if (!step_over(f)) {
            break;
        }
    }
    return false;
}

static bool next_row(struct recfile *f, struct record *r)
{
    struct record list;

    while (!recrows_next(&f->rows, r)) {
        if (!next(f, &list))
            return false;
        recrows_begin(&f->rows, &list);
    }
    return true;
}

bool recfile_next(struct recfile *f, struct record *r)
{
    bool is = f->kind == REC_ORACLE ? next_row(f, r) : next(f, r);

    if (f->whose)
        *f->whose = is ? r->thread : 0;
    return is;
}

/* Does the header say what it should? */
static enum recfile_state recognise(struct recfile *f, uint32_t *version)
{
    const unsigned char *p = f->buffer;
    uint32_t later;

    if (fill(f, REC_FILE_HEADER) < REC_FILE_HEADER)
        return RECFILE_SHORT;
    if (memcmp(p, REC_MAGIC, 8) || little(p + 12, 4) != f->kind)
        return RECFILE_FOREIGN;
    *version = (uint32_t)little(p + 8, 4);
    if (*version != REC_VERSION)
        return RECFILE_VERSION;
    later = (uint32_t)little(p + 16, 4);
    if (later > kinds[f->kind].later && later <= REC_MAX_WORDS)
        f->unknown = later - kinds[f->kind].later;
    f->smallest = padded(kinds[f->kind].least + f->unknown);
    f->largest = kinds[f->kind].each || kinds[f->kind].rest
                     ? LARGEST
                     : padded(kinds[f->kind].words + f->unknown);
    f->at = REC_FILE_HEADER;
    return RECFILE_OK;
}

enum recfile_state recfile_open(struct recfile *f, int dir, unsigned kind,
                                unsigned cpus, uint32_t *version)
{
    enum recfile_state state;
    struct stat st;

    *f = (struct recfile){.kind = kind,
                          .cpus = cpus,
                          .until = UINT64_MAX,
                          .stop = UINT64_MAX,
                          .dir = dir};
    f->fd = openat(dir, kinds[kind].file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f->fd < 0)
        return errno == ENOENT ? RECFILE_MISSING : RECFILE_UNREADABLE;
    if (fstat(f->fd, &st) || !S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        close(f->fd);
        return RECFILE_UNREADABLE;
    }
    f->size = (uint64_t)st.st_size;
    f->buffer = grow_zero(1, BUFFER);
    state = recognise(f, version);
    if (state != RECFILE_OK)
        recfile_close(f);
    return state;
}

bool recfile_keep(struct recfile *f)
{
    struct recindex_of of = index_of(f);
    struct stat st;

    return f->making && !f->error && f->base + f->at >= f->size &&
           !fstat(f->fd, &st) && (uint64_t)st.st_size == f->size &&
           recindex_write(&f->index, &of);
}

void recfile_close(struct recfile *f)
{
    if (f->buffer)
        close(f->fd);
    if (f->told)
        fputs("\r\033[K", stderr);
    f->told = 0;
    recindex_free(&f->index);
    free(f->buffer);
    f->buffer = NULL;
}
