/* timetree_file.c - the file `timetree`: written in one go, mapped to be read.
 */
#include "tools/lib/timetree_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "SIMRTREE"
#define VERSION 1
#define PARTS 8
#define FORMING TIMETREE_FILE ".new"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the file is mapped as it is: little-endian hosts only"
#endif

struct header {
    char magic[8];
    uint64_t version;
    uint64_t m, p, n, inherit, from, to, types;
    uint64_t seen, kind;
    uint64_t count[PARTS]; /* elements of each part, in the order below */
    char source[TIMETREE_SOURCE];
};

/* One array of the file. */
struct part {
    void **at;
    uint64_t *count;
    size_t size;
};

/* Where the parts are; `types` stands in for the count of call_of, and both
 * halves of the samples share one. */
static void list_parts(struct timetree_file *f, uint64_t *types,
                       uint64_t *offsets, struct part part[PARTS])
{
    struct timetree *t = &f->tree;

    part[0] = (struct part){(void **)&t->node, &t->nodes, sizeof *t->node};
    part[1] = (struct part){(void **)&t->entry, &t->entries, sizeof *t->entry};
    part[2] = (struct part){(void **)&t->stream.block, &t->stream.blocks,
                            sizeof *t->stream.block};
    part[3] = (struct part){(void **)&t->stream.type, &t->stream.count,
                            sizeof *t->stream.type};
    part[4] = (struct part){(void **)&f->call_of, types, sizeof *f->call_of};
    part[5] = (struct part){(void **)&f->call, &f->calls, sizeof *f->call};
    part[6] = (struct part){(void **)&f->name, &f->names, sizeof *f->name};
    part[7] = (struct part){(void **)&f->text, &f->text_size, 1};
    *offsets = t->stream.count;
}

static uint64_t padded(uint64_t bytes)
{
    return (bytes + 7) & ~(uint64_t)7;
}

/* ---- writing ------------------------------------------------------------ */

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
    uint64_t types = t->types, offsets;
    struct part part[PARTS];
    struct header h = {.version = VERSION,
                       .m = t->with.m,
                       .p = t->with.p,
                       .n = t->with.n,
                       .inherit = t->with.inherit,
                       .from = t->from,
                       .to = t->to,
                       .types = t->types,
                       .seen = f->seen,
                       .kind = f->kind};
    bool good;

    list_parts(&copy, &types, &offsets, part);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    memcpy(h.source, f->source, sizeof h.source);
    for (unsigned i = 0; i < PARTS; i++)
        h.count[i] = *part[i].count;
    good = put(to, &h, sizeof h);
    for (unsigned i = 0; good && i < PARTS; i++)
        good = put(to, *part[i].at, h.count[i] * part[i].size);
    return good && put(to, t->stream.offset, offsets * 4);
}

bool timetree_file_write(const struct timetree_file *f, int dir)
{
    int fd =
        openat(dir, FORMING, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "wb");
    bool good;
    int error;

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
    if (good && !renameat(dir, FORMING, dir, TIMETREE_FILE))
        return true;
    if (good)
        error = errno;
    unlinkat(dir, FORMING, 0);
    errno = error;
    return false;
}

/* ---- reading ------------------------------------------------------------ */

/* The next `count` elements; false: the file is too short. */
static bool take(struct timetree_file *f, uint64_t *at, void **to,
                 uint64_t count, size_t size)
{
    if (count > (f->map_size - *at) / size)
        return false;
    *to = (char *)f->map + *at;
    *at += padded(count * size);
    if (*at > f->map_size)
        *at = f->map_size;
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
        h->types > UINT32_MAX || h->count[4] != h->types || h->p > 100 ||
        h->n < 2 || h->n > UINT32_MAX || h->from > h->to)
        return false;
    t->with = (struct timetree_options){h->m, (unsigned)h->p, (unsigned)h->n,
                                        h->inherit != 0};
    t->from = h->from;
    t->to = h->to;
    t->types = (uint32_t)h->types;
    f->seen = h->seen;
    f->kind = h->kind;
    memcpy(f->source, h->source, sizeof f->source);
    f->source[sizeof f->source - 1] = '\0';
    return true;
}

static bool read_parts(struct timetree_file *f)
{
    const struct header *h = f->map;
    uint64_t types, offsets, at = padded(sizeof *h);
    struct part part[PARTS];

    if (f->map_size < sizeof *h || !read_header(f, h))
        return false;
    list_parts(f, &types, &offsets, part);
    for (unsigned i = 0; i < PARTS; i++) {
        if (!take(f, &at, part[i].at, h->count[i], part[i].size))
            return false;
        *part[i].count = h->count[i];
    }
    return take(f, &at, (void **)&f->tree.stream.offset, f->tree.stream.count,
                4) &&
           stacks_sound(f) && timetree_sound(&f->tree);
}

enum timetree_file_state timetree_file_open(struct timetree_file *f, int dir)
{
    int fd = openat(dir, TIMETREE_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    *f = (struct timetree_file){0};
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
    if (f->map && read_parts(f))
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
