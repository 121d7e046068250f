/* export_gprofng.c - writes an experiment of gprofng (binutils 2.40 or later).
 * Knows what gprofng display reads: log.xml (what ran, which counters, how a
 * packet is laid out), map.xml (what was loaded), hwcounters (a packet for
 * each sample) and data.frameinfo (each different stack once). Every counter
 * is a hardware counter, cycles too, so that totals are events, not ticks.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/bytes.h"
#include "lib/base/grow.h"
#include "tools/analysis/export/export.h"
#include "tools/analysis/profile/stacktree.h"

enum {
    KIND_HWC = 7,
    KIND_FRAME = 11,
    KIND_STACK = 1,
    PACKET = 80, /* bytes of one in hwcounters, PACKET_FIELDS */
    BLOCK = 65536
};

/* The packet after its 8 bytes of size and kind, in order. */
#define PACKET_FIELDS(F)                                                       \
    F("LWPID", 8, "INT64")                                                     \
    F("THRID", 16, "INT64")                                                    \
    F("TSTAMP", 24, "INT64")                                                   \
    F("FRINFO", 32, "INT64")                                                   \
    F("HWCINT", 40, "INT64")                                                   \
    F("VADDR", 48, "UINT64")                                                   \
    F("PADDR", 56, "UINT64")                                                   \
    F("CPUID", 64, "INT32")                                                    \
    F("HWCTAG", 68, "INT32")

struct gprofng {
    struct export *e;
    char *forming; /* the directory's name while it is written; owned */
    int dir;
    FILE *packets, *frames;
    struct bytes b;
    struct stacktree stacks; /* of program counters */
    bool *known;             /* by node: written to data.frameinfo */
    size_t known_room;
};

/* ---- text files ---------------------------------------------------------- */

static FILE *open_file(const struct gprofng *g, const char *name)
{
    int fd =
        openat(g->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    return fd < 0 ? NULL : fdopen(fd, "wb");
}

static bool close_file(FILE *file)
{
    bool good = file && !ferror(file);

    return file && !fclose(file) && good;
}

static void put_escaped(const char *text, FILE *to)
{
    for (; *text; text++)
        if (strchr("&<>\"'", *text))
            fprintf(to, "&#%d;", *text);
        else
            putc(*text, to);
}

static void put_stamp(const struct gprofng *g, uint64_t cycle, FILE *to)
{
    uint64_t ns = export_time(g->e, cycle);

    fprintf(to, "tstamp=\"%" PRIu64 ".%09" PRIu64 "\"", ns / 1000000000,
            ns % 1000000000);
}

/* The reader wants a machine that it knows for a host: x86_64. */
static void put_machine(const struct gprofng *g, FILE *to)
{
    const struct recording *r = g->e->r;
    const char *image = text_lines_get(&r->log, "image");

    fputs("<experiment version=\"12.4\">\n<collector>simprof</collector>\n"
          "</experiment>\n<system hostname=\"simrun\" arch=\"x86_64\" "
          "os=\"simrun\" pagesz=\"4096\" npages=\"131072\">\n",
          to);
    for (unsigned i = 0; i < r->cpus; i++)
        fprintf(to, "  <cpu id=\"%u\" clk=\"%" PRIu64 "\"/>\n", i,
                r->clock_hz / 1000000);
    fputs("</system>\n<process pid=\"1\"></process>\n"
          "<process wsize=\"64\"></process>\n<process>",
          to);
    put_escaped(image ? image : "?", to);
    fputs("</process>\n<dataptr name=\"frameinfo\" format=\"binary\"/>\n", to);
}

/* cycles:u is cycles.u, as a metric of simprof: a colon ends a metric's name,
 * at which gp-display-html gives up. */
static void put_name(const char *name, FILE *to)
{
    char *plain = grow_text(name);

    for (char *c = plain; *c; c++)
        if (*c == ':')
            *c = '.';
    put_escaped(plain, to);
    free(plain);
}

static void put_counters(const struct gprofng *g, FILE *to)
{
    fputs("<profdata fname=\"hwcounters\"/>\n<profpckt kind=\"7\" "
          "uname=\"Counter samples\">\n",
          to);
#define FIELD(name, offset, type)                                              \
    fprintf(to, "  <field name=\"%s\" offset=\"%d\" type=\"%s\"/>\n", name,    \
            offset, type);
    PACKET_FIELDS(FIELD)
#undef FIELD
    fputs("</profpckt>\n", to);
    for (size_t i = 0; i < g->e->counters; i++) {
        const struct export_counter *c = &g->e->counter[i];

        fputs("<profile name=\"hwcounter\" cpuver=\"2540\" hwcname=\"", to);
        put_name(c->name, to);
        fputs("\" int_name=\"", to);
        put_name(c->name, to);
        fprintf(to, "\" interval=\"%" PRIu64 "\" tag=\"%zu\" memop=\"0\"/>\n",
                c->period ? c->period : 1, i);
    }
}

static bool put_log(const struct gprofng *g)
{
    FILE *to = open_file(g, "log.xml");

    if (!to)
        return false;
    put_machine(g, to);
    fputs("<event kind=\"run\" tstamp=\"0.000000000\" time=\"0\" "
          "tm_zone=\"0\"/>\n<event kind=\"sample\" tstamp=\"0.000000000\" "
          "id=\"0\" label=\"start\"/>\n",
          to);
    put_counters(g, to);
    fputs("<event kind=\"sample\" ", to);
    put_stamp(g, g->e->r->end, to);
    fputs(" id=\"1\" label=\"end\"/>\n<event kind=\"exit\" ", to);
    put_stamp(g, g->e->r->end, to);
    fputs("/>\n", to);
    return close_file(to);
}

static bool put_map(const struct gprofng *g)
{
    const struct loadmap *m = &g->e->r->map;
    FILE *to = open_file(g, "map.xml");

    for (size_t i = 0; to && i < m->segments; i++) {
        const struct segment *s = &m->segment[i];

        fputs("<event kind=\"map\" object=\"segment\" ", to);
        put_stamp(g, s->from, to);
        fprintf(to,
                " vaddr=\"0x%016" PRIx32 "\" size=\"%" PRIu64
                "\" pagesz=\"4096\" foffset=\"+0x%08" PRIx64
                "\" modes=\"0x%03x\" chksum=\"0x0\" name=\"",
                s->addr, s->size, s->offset,
                (strchr(s->flags, 'r') ? 1u : 0u) |
                    (strchr(s->flags, 'w') ? 2u : 0u) |
                    (strchr(s->flags, 'x') ? 4u : 0u));
        put_escaped(g->e->path, to);
        fputs("/archives/", to);
        put_escaped(m->image[s->image].archive, to);
        fputs("\"/>\n", to);
    }
    return close_file(to);
}

/* ---- records ------------------------------------------------------------- */

/* The number of a stack; a new one is written. */
static bool put_stack(struct gprofng *g, const struct export_sample *s,
                      uint64_t *number)
{
    uint32_t node = stacktree_enter(&g->stacks, s->pc, s->depth);
    struct bytes *b = &g->b;

    *number = node;
    g->known =
        grow(g->known, &g->known_room, g->stacks.count, sizeof *g->known);
    if (g->known[node])
        return true;
    g->known[node] = true;
    b->count = 0;
    bytes_u16(b, 32 + 8 * s->depth);
    bytes_u16(b, KIND_FRAME);
    bytes_u32(b, 16);
    bytes_u64(b, node);
    bytes_u32(b, 16 + 8 * s->depth);
    bytes_u32(b, KIND_STACK);
    bytes_u64(b, (uint64_t)1 << 32 | node);
    for (size_t i = 0; i < s->depth; i++)
        bytes_u64(b, s->pc[i]);
    return bytes_write(b, g->frames);
}

static bool put_sample(struct gprofng *g, const struct export_sample *s)
{
    struct bytes *b = &g->b;
    uint64_t stack;

    if (!put_stack(g, s, &stack))
        return false;
    b->count = 0;
    bytes_u16(b, PACKET);
    bytes_u16(b, KIND_HWC);
    bytes_u32(b, 0);
    bytes_u64(b, s->thread);
    bytes_u64(b, s->thread);
    bytes_u64(b, export_time(g->e, s->cycle));
    bytes_u64(b, stack);
    bytes_u64(b, s->events);
    bytes_u64(b, s->address);
    bytes_u64(b, s->physical);
    bytes_u32(b, s->cpu);
    bytes_u32(b, s->counter);
    bytes_zero(b, PACKET - b->count);
    return bytes_write(b, g->packets);
}

/* An empty packet fills the last block. */
static bool end_packets(struct gprofng *g, uint64_t samples)
{
    size_t left = BLOCK - samples * PACKET % BLOCK;

    if (left == BLOCK)
        return true;
    g->b.count = 0;
    bytes_u16(&g->b, left);
    bytes_zero(&g->b, left - 2);
    return bytes_write(&g->b, g->packets);
}

static bool put_samples(struct gprofng *g)
{
    struct export_sample s;
    struct recfile f;
    uint64_t samples = 0;
    bool good = g->packets && g->frames;

    if (export_start(g->e, &f))
        while (export_next(g->e, &f, &s)) {
            good = good && put_sample(g, &s);
            samples++;
        }
    good = good && end_packets(g, samples);
    good = close_file(g->packets) && good;
    return close_file(g->frames) && good;
}

/* ---- the directory ------------------------------------------------------- */

/* Made beside what it is to become, whose name it has when all is written: a
 * directory that stops half way is not taken for an export. False: errno. */
static bool begin_directory(struct gprofng *g, const char *path)
{
    size_t size = strlen(path) + sizeof ".XXXXXX";
    mode_t mask = umask(0);
    int error;

    umask(mask);
    g->forming = grow_zero(size, 1);
    snprintf(g->forming, size, "%s.XXXXXX", path);
    if (!mkdtemp(g->forming)) {
        free(g->forming);
        return false;
    }
    g->dir = open(g->forming, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (g->dir >= 0 && fchmod(g->dir, 0777 & ~mask) == 0)
        return true;
    error = errno;
    if (g->dir >= 0)
        close(g->dir);
    rmdir(g->forming);
    free(g->forming);
    errno = error;
    return false;
}

/* It is complete, or goes. False: errno, and it is gone. */
static bool end_directory(struct gprofng *g, const char *path, bool good)
{
    static const char *const files[] = {"log.xml", "map.xml", "overview",
                                        "hwcounters", "data.frameinfo"};
    int error = errno;

    if (good && rename(g->forming, path) != 0) {
        good = false;
        error = errno;
    }
    if (!good) {
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            unlinkat(g->dir, files[k], 0);
        unlinkat(g->dir, "archives", AT_REMOVEDIR);
        rmdir(g->forming);
    }
    close(g->dir);
    free(g->forming);
    errno = error;
    return good;
}

bool export_gprofng(struct export *e, const char *path)
{
    struct gprofng g = {.e = e};
    bool good;

    if (!begin_directory(&g, path))
        return false;
    stacktree_init(&g.stacks, 1);
    g.packets = open_file(&g, "hwcounters");
    g.frames = open_file(&g, "data.frameinfo");
    good = put_log(&g) && put_map(&g) && close_file(open_file(&g, "overview"));
    good = put_samples(&g) && good;
    good = good && !mkdirat(g.dir, "archives", 0777);
    good = end_directory(&g, path, good);
    stacktree_free(&g.stacks);
    bytes_free(&g.b);
    free(g.known);
    return good;
}
