/* verify.c - see verify.h. Prints. */
#include "tools/simmark/verify.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/simmark/opcodes.h"

#define MESSAGE 2048

static int say(const char *why)
{
    fprintf(stderr, "simmark: %s\n", why);
    return EXIT_BROKEN;
}

static void print_segments(const struct program *p)
{
    for (unsigned k = 0; k < p->segments; k++)
        printf("%s: segment 0x%08" PRIx32 " %10" PRIu32 " bytes %s %016" PRIx64
               "\n",
               p->path, p->segment[k].address, p->segment[k].file,
               p->segment[k].flags, program_checksum(p, k));
}

static int compare(const struct program *p, const struct program *q)
{
    bool same = p->segments == q->segments && p->elf.entry == q->elf.entry;

    for (unsigned k = 0; same && k < p->segments; k++)
        same = !memcmp(&p->segment[k], &q->segment[k], sizeof p->segment[k]) &&
               program_checksum(p, k) == program_checksum(q, k);
    print_segments(q);
    if (same)
        printf("what is loaded is the same\n");
    else
        fprintf(stderr, "simmark: %s and %s load different bytes\n", p->path,
                q->path);
    return same ? 0 : EXIT_DIFFERS;
}

/* The file's headers, which differ: one segment more. */
static uint32_t headers(const struct program *p)
{
    return (uint32_t)(p->elf.segment_table +
                      (p->elf.segments + 1) * sizeof(Elf32_Phdr));
}

/* Of marker instructions: is p the other one, but for what was moved? The
 * island is one segment more. */
static int compare_moved(struct program *p, struct program *q)
{
    bool same = p->elf.entry == q->elf.entry;

    opcodes_undo(p);
    print_segments(q);
    for (unsigned k = 0; same && k < q->segments; k++) {
        const struct program_segment *s = &q->segment[k];
        uint32_t head = headers(q);
        uint32_t skip = s->offset < head ? head - s->offset : 0;
        const struct program_segment *t = NULL;

        for (unsigned n = 0; n < p->segments; n++)
            if (p->segment[n].address == s->address)
                t = &p->segment[n];
        same = t && t->memory == s->memory && t->file == s->file &&
               (skip >= s->file ||
                !memcmp(p->elf.bytes + t->offset + skip,
                        q->elf.bytes + s->offset + skip, s->file - skip));
    }
    if (same)
        printf("what is loaded is the same, but for what was moved\n");
    else
        fprintf(stderr, "simmark: %s and %s load different bytes\n", p->path,
                q->path);
    return same ? 0 : EXIT_DIFFERS;
}

/* The marks of sections, or those of instructions. */
static bool check(const struct program *p, char *why, size_t room)
{
    struct perfinst all = {0};
    struct perfinst_marks m;
    bool ok;

    for (size_t k = 0; k < p->loaded.count + p->own.count; k++)
        perfinst_add(&all, k < p->loaded.count
                               ? &p->loaded.entry[k]
                               : &p->own.entry[k - p->loaded.count]);
    ok = perfinst_marks(&all, &p->world, &m, why, room);
    perfinst_free(&all);
    if (!ok)
        return false;
    printf("%s: %zu entries are sound, %zu words and %u ranges\n", p->path,
           p->loaded.count + p->own.count, m.words, m.ranges);
    if (m.areas)
        printf("%s: and %u count areas\n", p->path, m.areas);
    perfinst_marks_free(&m);
    if (p->markers.entries && !opcodes_check(p, why, room))
        return false;
    if (p->markers.entries)
        printf("%s: %" PRIu32 " instructions are behind their markers\n",
               p->path, p->markers.entries);
    return true;
}

int program_verify(struct program *p, const char *other)
{
    struct program q;
    char why[MESSAGE];
    int status;

    if (!check(p, why, sizeof why))
        return say(why);
    print_segments(p);
    if (!other)
        return 0;
    if (!program_open(&q, other, why, sizeof why))
        return say(why);
    status = p->markers.entries && !q.markers.entries ? compare_moved(p, &q)
                                                      : compare(p, &q);
    program_close(&q);
    return status;
}
