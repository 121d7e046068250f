/* recindex.c - time indices: made record by record, written, believed only
 * when they prove to be of the file.
 */
#include "tools/analysis/experiment/recindex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/record.h"
#include "lib/base/grow.h"

#define MAGIC "SIMRINDX"
#define VERSION 1
#define LOOKS 64 /* blocks looked at beside those that overlap */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the file is read as it is: little-endian hosts only"
#endif

struct header {
    char magic[8];
    uint64_t version, kind, size, cpus, until, count, check;
};

void recindex_add(struct recindex *x, uint64_t offset, uint64_t cycle)
{
    struct recindex_block *b = x->count ? &x->block[x->count - 1] : NULL;

    if (!b || offset - b->offset >= RECINDEX_BLOCK) {
        x->block = grow(x->block, &x->room, x->count + 1, sizeof *x->block);
        b = &x->block[x->count++];
        *b = (struct recindex_block){offset, cycle, cycle, cycle, 0};
    }
    b->least = cycle < b->least ? cycle : b->least;
    b->most = cycle > b->most ? cycle : b->most;
    b->records++;
    x->records++;
}

void recindex_free(struct recindex *x)
{
    free(x->block);
    *x = (struct recindex){0};
}

/* A sum that any change of a bit changes. */
static uint64_t check_of(const struct header *h, const struct recindex *x)
{
    const uint64_t *word = (const uint64_t *)x->block;
    uint64_t sum = h->kind ^ h->size * 3 ^ h->cpus * 5 ^ h->until * 7 ^
                   h->count * 11 ^ 0x9E3779B97F4A7C15u;

    for (size_t i = 0; i < x->count * sizeof *x->block / 8; i++) {
        sum = (sum ^ word[i]) * 0xD6E8FEB86659FD93u;
        sum ^= sum >> 32;
    }
    return sum;
}

/* "profile.rec.index" */
static void name_index(const struct recindex_of *of, const char *end,
                       char out[64])
{
    snprintf(out, 64, "%s.index%s", of->name, end);
}

static struct header header_of(const struct recindex *x,
                               const struct recindex_of *of)
{
    struct header h = {.version = VERSION,
                       .kind = of->kind,
                       .size = of->size,
                       .cpus = of->cpus,
                       .until = of->until,
                       .count = x->count};

    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.check = check_of(&h, x);
    return h;
}

bool recindex_write(const struct recindex *x, const struct recindex_of *of)
{
    struct header h = header_of(x, of);
    char name[64], forming[64], end[32];
    FILE *to = NULL;
    bool good;
    int fd;

    /* Two may make it at once: each writes a file of its own. */
    snprintf(end, sizeof end, ".%ld", (long)getpid());
    name_index(of, "", name);
    name_index(of, end, forming);
    fd =
        openat(of->dir, forming, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0)
        to = fdopen(fd, "wb");
    if (!to)
        return false;
    good = fwrite(&h, sizeof h, 1, to) == 1 &&
           (!x->count ||
            fwrite(x->block, sizeof *x->block, x->count, to) == x->count);
    if (fclose(to))
        good = false;
    if (good && !renameat(of->dir, forming, of->dir, name))
        return true;
    unlinkat(of->dir, forming, 0);
    return false;
}

static bool get(int fd, void *to, size_t size, uint64_t at)
{
    ssize_t n;

    do
        n = pread(fd, to, size, (off_t)at);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)size;
}

/* Does a record of this cycle and kind stand there? */
static bool begins(const struct recindex_of *of, const struct recindex_block *b)
{
    unsigned char head[REC_HEADER];
    uint64_t cycle;

    if (b->offset > of->size || !get(of->fd, head, sizeof head, b->offset))
        return false;
    memcpy(&cycle, head + 8, 8);
    return head[2] == of->kind && cycle == b->first;
}

static bool sound(struct recindex *x, const struct recindex_of *of,
                  uint64_t from, uint64_t to)
{
    size_t step = x->count / LOOKS + 1;

    for (size_t i = 0; i < x->count; i++) {
        const struct recindex_block *b = &x->block[i];

        x->records += b->records;
        if (b->least > b->most || (i && b->offset <= b[-1].offset))
            return false;
        if ((i % step == 0 || i + 1 == x->count ||
             recindex_overlaps(b, from, to)) &&
            !begins(of, b))
            return false;
    }
    return true;
}

static bool read_blocks(struct recindex *x, int fd,
                        const struct recindex_of *of)
{
    struct header h;
    struct stat st;
    size_t size;

    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !get(fd, &h, sizeof h, 0) ||
        memcmp(h.magic, MAGIC, sizeof h.magic) || h.version != VERSION ||
        h.kind != of->kind || h.size != of->size || h.cpus != of->cpus ||
        h.until != of->until || h.count > of->size / REC_HEADER)
        return false;
    size = h.count * sizeof *x->block;
    if ((uint64_t)st.st_size != sizeof h + size)
        return false;
    x->block = grow(NULL, &x->room, h.count + 1, sizeof *x->block);
    x->count = h.count;
    return get(fd, x->block, size, sizeof h) && check_of(&h, x) == h.check;
}

bool recindex_read(struct recindex *x, const struct recindex_of *of,
                   uint64_t from, uint64_t to)
{
    char name[64];
    bool good;
    int fd;

    *x = (struct recindex){0};
    name_index(of, "", name);
    fd = openat(of->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    good = read_blocks(x, fd, of) && sound(x, of, from, to);
    close(fd);
    if (!good) {
        recindex_free(x);
        return false;
    }
    return true;
}
