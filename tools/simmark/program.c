/* program.c - reads the ELF file. Believes nothing in it. */
#include "tools/simmark/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/role.h"
#include "lib/base/big_endian.h"
#include "pmu/markspec/symbols.h"

/* Where a check complains. */
struct reading {
    struct program *p;
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool
refuse(const struct reading *r, const char *format, ...)
{
    int used = snprintf(r->why, r->size, "%s: ", r->p->path);
    va_list args;

    va_start(args, format);
    if (used >= 0 && (size_t)used < r->size)
        vsnprintf(r->why + used, r->size - (size_t)used, format, args);
    va_end(args);
    return false;
}

/* ---- headers ------------------------------------------------------------- */

static bool refuse_file(const struct reading *r, const struct elf_wrong *w)
{
    switch (w->fault) {
    case ELF_FAULT_DIRECTORY:
        return refuse(r, "is not a regular file, name an ELF file");
    case ELF_FAULT_EMPTY:
    case ELF_FAULT_MAGIC:
    case ELF_FAULT_SHORT:
        return refuse(r, "is not an ELF file, name a PowerPC executable");
    case ELF_FAULT_CLASS:
    case ELF_FAULT_BYTE_ORDER:
        return refuse(r, "is not 32-bit big-endian, compile it for 32-bit "
                         "big-endian PowerPC");
    case ELF_FAULT_HEADER:
        return refuse(r, "cannot be understood (%s), make it again", w->detail);
    case ELF_FAULT_MEMORY:
        return refuse(r, "the host has no memory for it");
    default:
        return refuse(r, "%s", w->text);
    }
}

static bool add_segment(const struct reading *r, const struct elf_segment *h)
{
    struct program *p = r->p;
    struct program_segment *s = &p->segment[p->segments];
    uint64_t end = h->va + h->memory;
    uint32_t start = (uint32_t)h->va & ~UINT32_C(3);
    struct elf_wrong wrong;

    if (p->segments == PROGRAM_SEGMENTS)
        return refuse(r, "has more than %d segments, link it with fewer",
                      PROGRAM_SEGMENTS);
    /* Where it is physically does not matter to a mark. */
    if (!elf_segment_check(&p->elf, h, &wrong) &&
        wrong.fault != ELF_FAULT_PHYSICAL)
        return refuse(r,
                      "its segment at 0x%llx does not fit the file or the "
                      "address space, make it again",
                      (unsigned long long)h->va);
    *s = (struct program_segment){
        .address = (uint32_t)h->va,
        .memory = (uint32_t)h->memory,
        .offset = (uint32_t)h->offset,
        .file = (uint32_t)h->file,
    };
    elf_segment_flags(h, s->flags);
    p->place[p->segments++] = (struct perfinst_place){
        start, (uint32_t)(((end + 3) & ~UINT64_C(3)) - start), h->execute,
        h->write};
    return true;
}

static bool read_segments(const struct reading *r)
{
    struct elf_segment h;
    struct elf_wrong wrong;

    for (unsigned k = 0; k < r->p->elf.segments; k++) {
        if (!elf_image_segment(&r->p->elf, k, &h, &wrong))
            return refuse(r, "%s", wrong.text);
        if (h.type == ELF_SEGMENT_LOAD && h.memory && !add_segment(r, &h))
            return false;
    }
    return r->p->segments || refuse(r, "loads nothing, link it");
}

/* ---- symbols ------------------------------------------------------------- */

static bool find_symbols(const struct reading *r)
{
    struct program *p = r->p;
    struct elf_symtab names;

    if (!symbols_of_places(&names, &p->elf))
        return refuse(r, "the host has no memory for its names");
    p->symbol = symbols_for_marks(&names);
    p->symbols = names.count;
    elf_symtab_free(&names);
    return p->symbol || refuse(r, "the host has no memory for its names");
}

const struct perfinst_symbol *program_symbol(const struct program *p,
                                             uint32_t address, bool data)
{
    const struct perfinst_symbol *found = NULL;

    for (size_t k = 0; k < p->symbols; k++) {
        const struct perfinst_symbol *s = &p->symbol[k];

        if (s->address > address)
            break;
        if (address - s->address >= s->size)
            continue;
        if (found && s->label && s->function == data)
            continue; /* it hides nothing of the function it is in */
        if (found && found->address == s->address && found->function != data)
            continue; /* the first of an address is the best */
        found = s;
    }
    return found;
}

/* ---- marks ----------------------------------------------------------------
 */

static bool read_markers(const struct reading *r, const struct elf_section *s)
{
    const unsigned char *bytes = elf_section_bytes(&r->p->elf, s);
    char why[200];

    if (r->p->markers.entries)
        return refuse(r, "has " MARKERS_SECTION " twice, make it again");
    if (!bytes)
        return refuse(r, "is not all in the file");
    return markers_read(&r->p->markers, bytes, s->size, why, sizeof why) ||
           refuse(r, "%s", why);
}

static bool read_perfinst(const struct reading *r, const struct elf_section *s)
{
    const unsigned char *bytes = elf_section_bytes(&r->p->elf, s);
    struct program *p = r->p;

    if (s->type == ELF_SECTION_EMPTY || !s->size)
        return true;
    if (!bytes)
        return refuse(r, PERFINST_SECTION " is not all in the file, make "
                                          "it again");
    return perfinst_read(s->loaded ? &p->loaded : &p->own, &p->world, bytes,
                         s->size, r->why, r->size);
}

static bool read_marks(const struct reading *r)
{
    const struct elf_image *e = &r->p->elf;
    struct elf_section s = {0};

    while (elf_image_next(e, &s)) {
        if (!s.name || s.type == ELF_SECTION_UNUSED)
            continue;
        if (!strcmp(s.name, MARKERS_SECTION) && !read_markers(r, &s))
            return false;
        if (!strcmp(s.name, PERFINST_SECTION) && !read_perfinst(r, &s))
            return false;
    }
    return true;
}

long program_offset(const struct program *p, uint32_t address)
{
    for (unsigned k = 0; k < p->segments; k++) {
        const struct program_segment *s = &p->segment[k];
        uint32_t at = address - s->address;

        if (address >= s->address && at < s->file && s->file - at >= 4)
            return (long)(s->offset + at);
    }
    return -1;
}

bool program_word(const struct program *p, uint32_t address, uint32_t *word)
{
    long at = program_offset(p, address);
    const unsigned char *b = p->elf.bytes + at;

    if (at >= 0)
        *word = be_get32(b);
    return at >= 0;
}

static unsigned roles_at(void *arg, uint32_t address, uint32_t *target)
{
    uint32_t word;

    if (!program_word(arg, address, &word))
        return 0;
    isa_target(word, address, target);
    return isa_roles(word);
}

/* `open`: is its file open, and of this machine? */
static bool understand(struct program *p, bool open,
                       const struct elf_wrong *wrong, char *why, size_t size)
{
    struct reading r = {p, why, size};

    if (!open)
        return refuse_file(&r, wrong);
    if (p->elf.type != ELF_FILE_PROGRAM && p->elf.type != ELF_FILE_SHARED) {
        refuse(&r, "is not linked, link it first");
    } else if (read_segments(&r) && find_symbols(&r)) {
        p->world = (struct perfinst_world){.file = p->path,
                                           .place = p->place,
                                           .places = p->segments,
                                           .symbol = p->symbol,
                                           .symbols = p->symbols,
                                           .arg = p,
                                           .roles = roles_at,
                                           .line = program_line};
        if (read_marks(&r))
            return true;
    }
    program_close(p);
    return false;
}

bool program_open(struct program *p, const char *path, char *why, size_t size)
{
    struct elf_wrong wrong;

    *p = (struct program){.path = path};
    return understand(p, elf_image_open(&p->elf, path, &wrong), &wrong, why,
                      size);
}

bool program_adopt(struct program *p, const struct program *like,
                   unsigned char *bytes, size_t length, char *why, size_t size)
{
    struct elf_wrong wrong;
    bool open;

    *p = (struct program){.path = like->path};
    open = elf_image_adopt(&p->elf, bytes, length, &wrong);
    p->elf.mode = like->elf.mode;
    return understand(p, open, &wrong, why, size);
}

void program_close(struct program *p)
{
    markers_free(&p->markers);
    perfinst_free(&p->own);
    perfinst_free(&p->loaded);
    free(p->symbol);
    line_table_free(&p->lines);
    elf_image_close(&p->elf);
    *p = (struct program){0};
}

bool program_has_another(const struct program *p,
                         const struct perfinst_symbol *s)
{
    for (size_t k = 0; s->source && k < p->symbols; k++)
        if (p->symbol[k].address != s->address &&
            !strcmp(p->symbol[k].name, s->name))
            return true;
    return false;
}
