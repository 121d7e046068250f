/* modules.c - see modules.h. The file in memory is relocatable: of its section
 * headers the kernel has set the addresses. What comes of it is a linked file
 * with the same section headers, in which what was loaded has the bytes that
 * are in memory, and symbols have addresses.
 */
#include "sim/tasks/modules.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/big_endian.h"
#include "lib/base/grow.h"
#include "sim/tasks/memory.h"

#define SECTIONS_MAX 2048u
#define BYTES_MAX (64u << 20)
#define SEGMENTS_MAX 60u /* a reader's are not many more */
#define NAME 64
#define FILE_HEADER 52u /* bytes in the file of each */
#define SEGMENT 32u
#define HEADER 40u
#define SYMBOL 16u

struct section {
    uint32_t name, type, flags, address, offset, size, link, info, align;
    uint32_t at;   /* in the new file */
    uint32_t from; /* in the machine's memory */
    bool loaded, kept;
};

struct module {
    const struct machine *machine;
    const struct core *core;
    uint32_t file; /* where it is in memory */
    struct section *section;
    unsigned sections, names, symbols; /* how many; the numbers of .shstrtab and
                                        * .symtab, 0: none */
    unsigned segments;
    uint8_t *bytes; /* of the new file */
    uint32_t size;
    char name[NAME];
};

/* ---- big-endian words ---------------------------------------------------- */

static uint32_t guest(const struct module *m, uint32_t ea)
{
    uint32_t shift = 8 * (ea & 3), word;

    word = kernel_word_at(m->machine, m->core, ea & ~3u) << shift;
    if (shift)
        word |=
            kernel_word_at(m->machine, m->core, (ea & ~3u) + 4) >> (32 - shift);
    return word;
}

static void copy(const struct module *m, uint8_t *to, uint32_t ea, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        to[k] = (uint8_t)(guest(m, ea + k) >> 24);
}

/* ---- what the kernel has ------------------------------------------------- */

static void read_section(const struct module *m, uint32_t at, struct section *s)
{
    uint32_t *const field[] = {&s->name,    &s->type,   &s->flags,
                               &s->address, &s->offset, &s->size,
                               &s->link,    &s->info,   &s->align};

    for (unsigned k = 0; k < sizeof field / sizeof *field; k++)
        *field[k] = guest(m, at + 4 * k);
    s->loaded = s->flags & SHF_ALLOC && s->size && s->address &&
                s->type != SHT_SYMTAB && s->type != SHT_STRTAB;
    s->from = s->loaded ? s->address : m->file + s->offset;
}

/* Keep the sections that are loaded, those with code first, and the tables that
 * name things. False: this is no file, or too large a one. */
static bool choose(struct module *m)
{
    uint64_t all = 0;

    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned k = 1; k < m->sections; k++) {
            struct section *s = &m->section[k];

            if (s->loaded && !s->kept && m->segments < SEGMENTS_MAX &&
                (pass || s->flags & SHF_EXECINSTR)) {
                s->kept = true;
                m->segments++;
            }
        }
    if (m->symbols && m->section[m->symbols].link < m->sections) {
        m->section[m->symbols].kept = true;
        m->section[m->section[m->symbols].link].kept = true;
    }
    m->section[m->names].kept = true;
    for (unsigned k = 1; k < m->sections; k++)
        all += m->section[k].kept ? m->section[k].size : 0;
    return m->symbols && m->segments && all <= BYTES_MAX;
}

static bool read_headers(struct module *m, uint32_t headers)
{
    uint32_t counts = guest(m, m->file + 48);

    m->sections = counts >> 16;
    m->names = counts & 0xFFFF;
    if (guest(m, m->file) != 0x7F454C46 || !m->names ||
        m->names >= m->sections || m->sections > SECTIONS_MAX)
        return false;
    m->section = grow_zero(m->sections, sizeof *m->section);
    for (unsigned k = 1; k < m->sections; k++) {
        read_section(m, headers + HEADER * k, &m->section[k]);
        if (m->section[k].type == SHT_SYMTAB)
            m->symbols = k;
    }
    return choose(m);
}

/* What it calls itself: "name=" among the texts of .modinfo. */
static void read_name(struct module *m)
{
    const struct section *names = &m->section[m->names];

    snprintf(m->name, sizeof m->name, "module");
    for (unsigned k = 1; k < m->sections; k++) {
        const struct section *s = &m->section[k];
        char text[NAME];

        copy(m, (uint8_t *)text, names->from + s->name, 9);
        for (uint32_t at = 0; !memcmp(text, ".modinfo", 9) && at < s->size;) {
            uint32_t from = m->file + s->offset + at, n = 0;

            while (n < NAME - 1 && guest(m, from + n) >> 24)
                n++;
            if (n > 5 && guest(m, from) == 0x6E616D65 &&
                guest(m, from + 4) >> 24 == '=') {
                copy(m, (uint8_t *)m->name, from + 5, n - 5);
                m->name[n - 5] = '\0';
                return;
            }
            while (at < s->size && guest(m, m->file + s->offset + at) >> 24)
                at++;
            at++;
        }
    }
}

/* ---- the new file -------------------------------------------------------- */

static void place(struct module *m)
{
    uint32_t at = FILE_HEADER + SEGMENT * m->segments;

    for (unsigned k = 1; k < m->sections; k++)
        if (m->section[k].kept) {
            m->section[k].at = at;
            at += (m->section[k].size + 7) & ~7u;
        }
    m->size = at + HEADER * m->sections;
    m->bytes = grow_zero(m->size, 1);
}

static void write_header(const struct module *m)
{
    static const uint8_t ident[] = {0x7F, 'E', 'L', 'F', 1, 2, 1};
    uint8_t *b = m->bytes;

    memcpy(b, ident, sizeof ident);
    be_put16(b + 16, ET_DYN);
    be_put16(b + 18, EM_PPC);
    be_put32(b + 20, 1);
    be_put32(b + 28, FILE_HEADER);
    be_put32(b + 32, m->size - HEADER * m->sections);
    be_put16(b + 40, FILE_HEADER);
    be_put16(b + 42, SEGMENT);
    be_put16(b + 44, m->segments);
    be_put16(b + 46, HEADER);
    be_put16(b + 48, m->sections);
    be_put16(b + 50, m->names);
}

static void write_segments(const struct module *m)
{
    uint8_t *b = m->bytes + FILE_HEADER;

    for (unsigned k = 1; k < m->sections; k++) {
        const struct section *s = &m->section[k];
        uint32_t flags = PF_R | (s->flags & SHF_WRITE ? PF_W : 0) |
                         (s->flags & SHF_EXECINSTR ? PF_X : 0);
        const uint32_t words[] = {PT_LOAD, s->at,   s->address, s->address,
                                  s->size, s->size, flags,      1};

        if (!s->loaded || !s->kept)
            continue;
        for (unsigned n = 0; n < 8; n++)
            be_put32(b + 4 * n, words[n]);
        b += SEGMENT;
    }
}

static void write_sections(const struct module *m)
{
    uint8_t *b = m->bytes + m->size - HEADER * m->sections;

    for (unsigned k = 1; k < m->sections; k++) {
        const struct section *s = &m->section[k];
        const uint32_t words[] = {s->name,
                                  s->type == SHT_NOBITS ? SHT_PROGBITS
                                                        : s->type,
                                  s->loaded ? s->flags : 0,
                                  s->loaded ? s->address : 0,
                                  s->at,
                                  s->size,
                                  s->link,
                                  s->info,
                                  s->align,
                                  s->type == SHT_SYMTAB ? SYMBOL : 0};

        if (!s->kept)
            continue;
        for (unsigned n = 0; n < 10; n++)
            be_put32(b + HEADER * k + 4 * n, words[n]);
        copy(m, m->bytes + s->at, s->from, s->size);
    }
}

/* Symbols get addresses. The kernel has given them some where it did not copy
 * the table, as it does for its own list of symbols. */
static void link_symbols(const struct module *m)
{
    const struct section *table = &m->section[m->symbols];
    bool linked = table->address == m->file + table->offset;

    for (uint32_t at = 0; at + SYMBOL <= table->size; at += SYMBOL) {
        uint8_t *symbol = m->bytes + table->at + at;
        uint32_t of = be_get32(symbol + 12) & 0xFFFF;

        if (of && of < m->sections && m->section[of].kept) {
            if (!linked)
                be_put32(symbol + 4,
                         be_get32(symbol + 4) + m->section[of].address);
        } else {
            be_put16(symbol + 14, 0);
        }
    }
}

/* ---- when ---------------------------------------------------------------- */

/* The file goes to the archives, and where it is to the map. */
static void tell(struct task_modules *t, const struct module *m, cycle_t at)
{
    struct image *i = grow_zero(1, sizeof *i);
    char archive[EXPERIMENT_NAME], name[NAME + 4], why[256];

    snprintf(name, sizeof name, "%s.ko", m->name);
    if (!image_read(i, name, m->bytes, m->size, IMAGE_SHARED, why,
                    sizeof why)) {
        free(i);
        return;
    }
    experiment_archive_name(archive, i->name, i->build_id);
    experiment_archive(t->experiment, archive, i->bytes, i->size);
    for (unsigned n = 0; n < i->count; n++) {
        const struct image_segment *s = &i->segment[n];
        const struct experiment_segment segment = {
            at, s->va, s->memory, s->offset, s->flags, archive, 0};

        experiment_segment(t->experiment, &segment);
    }
    t->image = grow(t->image, &t->room, t->count + 1, sizeof *t->image);
    t->image[t->count++] = i;
    if (t->machine->named)
        names_add(&t->machine->names, i);
}

/* module_finalize(file, section headers, module) */
void task_modules_watched(struct task_modules *t, const struct core *c)
{
    struct module m = {.machine = t->machine, .core = c};

    if (!t->machine || c->cpu.pc != t->linked)
        return;
    m.file = c->cpu.gpr[3];
    if (read_headers(&m, c->cpu.gpr[4])) {
        read_name(&m);
        place(&m);
        write_header(&m);
        write_segments(&m);
        write_sections(&m);
        link_symbols(&m);
        tell(t, &m, c->observed_cycle);
    }
    free(m.section);
    free(m.bytes);
}

void task_modules_open(struct task_modules *t, struct machine *m,
                       struct experiment *e)
{
    uint32_t end, pa;

    *t = (struct task_modules){.experiment = e};
    if (!names_extent(&m->names, "module_finalize", &t->linked, &end))
        return;
    pa = kernel_pa(m, t->linked);
    for (unsigned n = 0; n < m->with.cpus; n++)
        if (pa % 4 || pa > m->ram.size - 4 || !core_watch(&m->core[n], pa))
            return;
    t->machine = m;
}

void task_modules_close(struct task_modules *t)
{
    for (size_t k = 0; k < t->count; k++) {
        image_close(t->image[k]);
        free(t->image[k]);
    }
    free(t->image);
    *t = (struct task_modules){0};
}
