/* timetree_file.c - the file `timetree`: written in one go, mapped to be read.
 */
#include "tools/analysis/timetree/timetree_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "SIMRTREE"
#define VERSION 3
#define PARTS 8
#define CHECKED 6 /* the first ones are summed up; the rest as it is read */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the file is mapped as it is: little-endian hosts only"
#endif

struct header {
    char magic[8];
    uint64_t version, sum;
    uint64_t m, p, n, inherit, from, to, types, unit, samples;
    struct timetree_origin origin;
    uint64_t count[PARTS]; /* elements of each part, in the order below */
    char source[TIMETREE_SOURCE];
};

/* One array of the file. */
struct part {
    void **at;
    uint64_t *count;
    size_t size;
};

/* Where the parts are; `types` stands in for the count of call_of. */
static void list_parts(struct timetree_file *f, uint64_t *types,
                       struct part part[PARTS])
{
    struct timetree *t = &f->tree;
    struct stream *s = &t->stream;

    part[0] = (struct part){(void **)&t->node, &t->nodes, sizeof *t->node};
    part[1] = (struct part){(void **)&s->block, &s->blocks, sizeof *s->block};
    part[2] = (struct part){(void **)&f->call_of, types, sizeof *f->call_of};
    part[3] = (struct part){(void **)&f->call, &f->calls, sizeof *f->call};
    part[4] = (struct part){(void **)&f->name, &f->names, sizeof *f->name};
    part[5] = (struct part){(void **)&f->text, &f->text_size, 1};
    part[6] = (struct part){(void **)&t->entry.byte, &t->entry.size, 1};
    part[7] = (struct part){(void **)&s->bytes.byte, &s->bytes.size, 1};
}

static uint64_t padded(uint64_t bytes)
{
    return (bytes + 7) & ~(uint64_t)7;
}

/* ---- the records it is of ------------------------------------------------ */

#define PLACES 64 /* of a record file are looked at */
#define PLACE 64  /* bytes each */

/* Add a record file's size and a sum over places in it. */
static bool look_at(int dir, unsigned kind, uint64_t *size, uint64_t *sum)
{
    const char *name = recfile_name(kind);
    char bytes[PLACE];
    struct stat st;
    int fd = name ? openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return false;
    }
    *size += (uint64_t)st.st_size;
    for (uint64_t i = 0; i <= PLACES; i++) {
        off_t last = st.st_size > PLACE ? st.st_size - PLACE : 0;
        ssize_t n = pread(fd, bytes, sizeof bytes, last * (off_t)i / PLACES);

        *sum = pack_sum(*sum, bytes, n > 0 ? (size_t)n : 0);
    }
    close(fd);
    return true;
}

/* The record files that a tree was made from, and what of the log decides
 * which records make sense. */
static bool look(const struct recording *r, const struct timetree_origin *o,
                 uint64_t *size, uint64_t *sum)
{
    uint64_t known[2] = {r->cpus, r->ended ? r->end : UINT64_MAX};
    bool idleness = o->kind == REC_IDLE && !o->number;

    *size = 0;
    *sum = pack_sum(0, known, sizeof known);
    return look_at(r->dir, (unsigned)o->kind, size, sum) &&
           (!idleness || (look_at(r->dir, REC_SWITCH, size, sum) &&
                          look_at(r->dir, REC_THREAD, size, sum)));
}

void timetree_file_origin(struct timetree_file *f, const struct recording *r)
{
    struct timetree_origin *o = &f->origin;

    if (!look(r, o, &o->size, &o->sum))
        o->size = o->sum = 0;
}

bool timetree_file_fresh(const struct timetree_file *f,
                         const struct recording *r)
{
    uint64_t size, sum;

    return look(r, &f->origin, &size, &sum) && size == f->origin.size &&
           sum == f->origin.sum;
}

/* ---- names --------------------------------------------------------------- */

void timetree_file_name(const char *source, char name[TIMETREE_SOURCE + 16])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_-."
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ#";
    size_t n = (size_t)snprintf(name, TIMETREE_SOURCE + 16, TIMETREE_FILE ".");
    size_t length = strlen(source);
    bool lost = false;

    for (size_t i = 0; i < length && n < TIMETREE_SOURCE; i++) {
        char c = source[i] == ',' ? '.' : source[i];

        if (c == ' ')
            continue;
        if (!strchr(plain, c)) {
            c = '_';
            lost = true;
        }
        name[n++] = c;
    }
    name[n] = '\0';
    if (lost) /* what stood there has to tell it apart all the same */
        snprintf(name + n, TIMETREE_SOURCE + 16 - n, "-%08x",
                 (unsigned)(uint32_t)pack_sum(4, source, length));
}

/* ---- writing ------------------------------------------------------------- */

/* The sum of the header, its own field left out, and of the parts that are
 * read whole. */
static uint64_t sum_of(const struct header *h, const struct part *part)
{
    struct header bare = *h;
    uint64_t sum;

    bare.sum = 0;
    sum = pack_sum(1, &bare, sizeof bare);
    for (unsigned i = 0; i < CHECKED; i++)
        sum = pack_sum(sum, *part[i].at, h->count[i] * part[i].size);
    return sum;
}

static bool put(FILE *to, const void *bytes, uint64_t size)
{
    static const char zero[8];

    return (!size || fwrite(bytes, size, 1, to) == 1) &&
           (padded(size) == size ||
            fwrite(zero, padded(size) - size, 1, to) == 1);
}

static bool put_all(const struct timetree_file *f, FILE *to)
{
    struct timetree_file copy = *f;
    const struct timetree *t = &f->tree;
    uint64_t types = t->types;
    struct part part[PARTS];
    struct header h = {.version = VERSION,
                       .m = t->with.m,
                       .p = t->with.p,
                       .n = t->with.n,
                       .inherit = t->with.inherit,
                       .from = t->from,
                       .to = t->to,
                       .types = t->types,
                       .unit = t->stream.unit,
                       .samples = t->stream.count,
                       .origin = f->origin};
    bool good;

    list_parts(&copy, &types, part);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    memcpy(h.source, f->source, sizeof h.source);
    for (unsigned i = 0; i < PARTS; i++)
        h.count[i] = *part[i].count;
    h.sum = sum_of(&h, part);
    good = put(to, &h, sizeof h);
    for (unsigned i = 0; good && i < PARTS; i++)
        good = put(to, *part[i].at, h.count[i] * part[i].size);
    return good;
}

bool timetree_file_write(const struct timetree_file *f, int dir)
{
    char name[TIMETREE_SOURCE + 16], forming[TIMETREE_SOURCE + 48];
    FILE *to = NULL;
    bool good;
    int error, fd;

    timetree_file_name(f->source, name);
    snprintf(forming, sizeof forming, "%s.new%ld", name, (long)getpid());
    fd = openat(dir, forming, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd >= 0)
        to = fdopen(fd, "wb");
    if (!to) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    good = put_all(f, to);
    error = errno;
    if (fclose(to) && good) {
        good = false;
        error = errno;
    }
    if (good && !renameat(dir, forming, dir, name))
        return true;
    if (good)
        error = errno;
    unlinkat(dir, forming, 0);
    errno = error;
    return false;
}

/* ---- reading ------------------------------------------------------------- */

/* The next `count` elements; false: the file is too short. */
static bool take(struct timetree_file *f, uint64_t *at, void **to,
                 uint64_t count, size_t size)
{
    if (count > (f->map_size - *at) / size ||
        padded(count * size) > f->map_size - *at)
        return false;
    *to = (char *)f->map + *at;
    *at += padded(count * size);
    return true;
}

/* Names end inside the text, calls stand behind their parents. */
static bool stacks_sound(const struct timetree_file *f)
{
    if (!f->calls || !f->names || !f->text_size || f->calls > UINT32_MAX ||
        f->text[f->text_size - 1])
        return false;
    for (uint64_t i = 0; i < f->names; i++)
        if (f->name[i] >= f->text_size)
            return false;
    for (uint64_t i = 0; i < f->calls; i++)
        if (f->call[i].name >= f->names || (i && f->call[i].parent >= i))
            return false;
    for (uint32_t i = 0; i < f->tree.types; i++)
        if (f->call_of[i] >= f->calls)
            return false;
    return true;
}

static bool read_header(struct timetree_file *f, const struct header *h)
{
    struct timetree *t = &f->tree;

    if (memcmp(h->magic, MAGIC, sizeof h->magic) || h->version != VERSION ||
        h->types > UINT32_MAX || h->count[2] != h->types || h->p > 100 ||
        h->n < 2 || h->n > UINT32_MAX || h->from > h->to || !h->unit ||
        h->unit > UINT32_MAX)
        return false;
    t->with = (struct timetree_options){h->m, (unsigned)h->p, (unsigned)h->n,
                                        h->inherit != 0};
    t->from = h->from;
    t->to = h->to;
    t->types = (uint32_t)h->types;
    t->stream.unit = (uint32_t)h->unit;
    t->stream.count = h->samples;
    f->origin = h->origin;
    memcpy(f->source, h->source, sizeof f->source);
    f->source[sizeof f->source - 1] = '\0';
    return true;
}

static bool read_parts(struct timetree_file *f)
{
    const struct header *h = f->map;
    uint64_t types, at = padded(sizeof *h);
    struct part part[PARTS];

    if (f->map_size < sizeof *h || !read_header(f, h))
        return false;
    list_parts(f, &types, part);
    for (unsigned i = 0; i < PARTS; i++) {
        if (!take(f, &at, part[i].at, h->count[i], part[i].size))
            return false;
        *part[i].count = h->count[i];
    }
    return at == f->map_size && sum_of(h, part) == h->sum && stacks_sound(f) &&
           timetree_sound(&f->tree);
}

enum timetree_file_state timetree_file_open(struct timetree_file *f, int dir,
                                            const char *source)
{
    char name[TIMETREE_SOURCE + 16];
    struct stat st;
    int fd;

    *f = (struct timetree_file){0};
    timetree_file_name(source, name);
    fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? TIMETREE_FILE_MISSING
                               : TIMETREE_FILE_UNREADABLE;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        errno = EINVAL;
        return TIMETREE_FILE_UNREADABLE;
    }
    f->map_size = (size_t)st.st_size;
    f->map = f->map_size
                 ? mmap(NULL, f->map_size, PROT_READ, MAP_PRIVATE, fd, 0)
                 : NULL;
    close(fd);
    if (f->map == MAP_FAILED) {
        f->map = NULL;
        return TIMETREE_FILE_UNREADABLE;
    }
    if (f->map && read_parts(f) && !strcmp(f->source, source))
        return TIMETREE_FILE_OK;
    timetree_file_close(f);
    return TIMETREE_FILE_DAMAGED;
}

void timetree_file_close(struct timetree_file *f)
{
    if (f->map) {
        munmap(f->map, f->map_size);
    } else {
        timetree_free(&f->tree);
        free(f->call_of);
        free(f->call);
        free(f->name);
        free(f->text);
    }
    *f = (struct timetree_file){0};
}
