<<<<<<< HEAD
/* marks.c - the notes of an ELF file, with libelf for the section headers;
 * believes nothing in them. See marks.h. */
#include "sim/marks.h"

#include <gelf.h>
=======
/* marks.c - the image as a struct perfinst_world, and what is marked in it.
 * Prints nothing. */
#include "sim/marks.h"

#include <gelf.h>
#include <inttypes.h>
>>>>>>> 4f61e5b (pmu: marks in files and in words, simmark, simrun --mark)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

<<<<<<< HEAD
#define OWNER "simrun"
#define HEAD 20 /* bytes of a note before the description: 3 words, owner */
#define LEAST (HEAD + 4 + 1)

static uint32_t word_at(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

/* ---- the notes ---------------------------------------------------------- */

/* Where the bytes of the notes lie in the image; 0 bytes: there are none. */
static const unsigned char *notes_of(const struct image *i, size_t *size)
{
    const unsigned char *notes = NULL;
    Elf_Scn *section = NULL;
    size_t names;
    GElf_Shdr h;
    Elf *elf;

    *size = 0;
    elf_version(EV_CURRENT);
    elf = elf_memory((char *)i->bytes, i->size);
    if (!elf || elf_getshdrstrndx(elf, &names)) {
        elf_end(elf);
        return NULL;
    }
    while ((section = elf_nextscn(elf, section))) {
        const char *name;

        if (!gelf_getshdr(section, &h) || h.sh_type != SHT_NOTE)
            continue;
        name = elf_strptr(elf, names, h.sh_name);
        if (!name || strcmp(name, MARK_NOTE) || h.sh_offset > i->size ||
            h.sh_size > i->size - h.sh_offset)
            continue;
        notes = i->bytes + h.sh_offset;
        *size = h.sh_size;
    }
    elf_end(elf);
    return notes;
}

/* The word that is loaded to an address; false: none is. */
static bool loaded_word(const struct image *i, uint32_t address, uint32_t *word)
{
    for (unsigned k = 0; k < i->count; k++) {
        const struct image_segment *s = &i->segment[k];
        uint32_t at = address - s->va;

        if (address < s->va || s->file < 4 || at > s->file - 4)
            continue;
        *word = word_at(i->bytes + s->offset + at);
        return true;
    }
    return false;
}

/* The number of the section of this name, new or known. */
static uint32_t section_of(struct marks *m, const char *name)
{
    for (uint32_t n = 0; n < m->sections; n++)
        if (!strcmp(m->name[n], name))
            return n + 1;
    m->name[m->sections++] = name;
    return m->sections;
}

/* The log has a line for it. */
static bool can_be_told(const char *name)
{
    const unsigned char *c = (const unsigned char *)name;

    while (*c >= 0x20 && *c != 0x7F)
        c++;
    return *name && !*c;
}

/* What garbage collection of the linker dropped has no address left, and is
 * passed over. */
static bool add_mark(struct marks *m, const struct image *i, uint32_t address,
                     uint32_t kind, const char *name)
{
    uint32_t word;

    if (!address)
        return true;
    if ((kind != MARK_BEGIN && kind != MARK_END) || address % 4 ||
        !loaded_word(i, address, &word) || word != MARK_WORD + kind)
        return false;
    m->list[m->count++] =
        (struct mark){address, section_of(m, name), kind == MARK_BEGIN};
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* One note; *at goes behind it. */
static bool read_note(struct marks *m, const struct image *i,
                      const unsigned char *note, size_t size, size_t *at)
{
    const char *name = (const char *)note + HEAD + 4;
    size_t description;

    if (size < LEAST || word_at(note) != sizeof OWNER ||
        memcmp(note + 12, OWNER, sizeof OWNER))
        return false;
    description = word_at(note + 4);
    if (description < 5 || description > size - HEAD ||
        strnlen(name, description - 4) != description - 5 || !can_be_told(name))
        return false;
    *at += (HEAD + description + 3) & ~(size_t)3;
    return add_mark(m, i, word_at(note + HEAD), word_at(note + 8), name);
}

static bool read_notes(struct marks *m, const struct image *i,
                       const unsigned char *notes, size_t size)
{
    size_t at = 0;

    while (at < size)
        if (!read_note(m, i, notes + at, size - at, &at))
            return false;
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, by_address);
    return at == size;
}

bool marks_open(struct marks *m, const struct image *i, char *why, size_t size)
{
    size_t bytes;
    const unsigned char *notes = notes_of(i, &bytes);

    *m = (struct marks){0};
    if (!bytes)
        return true;
    m->list = calloc(bytes / LEAST + 1, sizeof *m->list);
    m->name = calloc(bytes / LEAST + 1, sizeof *m->name);
    if (m->list && m->name && read_notes(m, i, notes, bytes))
        return true;
    snprintf(why, size,
             "--sections: %s: what stands in " MARK_NOTE " are no marks, make "
             "them with guest/lib/section.h alone",
             i->name);
    marks_close(m);
    return false;
=======
#include "isa/role.h"
#include "sim/names.h"

/* The image, for those who know no ELF. */
struct view {
    const struct image *image;
    struct names names;
    struct perfinst_place place[IMAGE_SEGMENTS];
    struct perfinst_symbol *symbol;
    struct perfinst_world world;
};

static unsigned roles_at(void *arg, uint32_t address)
{
    const struct view *v = arg;

    for (unsigned k = 0; k < v->image->count; k++) {
        const struct image_segment *s = &v->image->segment[k];
        uint32_t at = address - s->va;
        const unsigned char *b = v->image->bytes + s->offset + at;

        if (address >= s->va && at < s->file && s->file - at >= 4)
            return isa_roles((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
                             (uint32_t)b[2] << 8 | b[3]);
    }
    return 0;
}

/* A name without a size reaches to the next one, or the section's end. */
static uint32_t reach(const struct names *s, size_t k)
{
    const struct name *n = &s->all[k];
    size_t next = k + 1;

    if (n->size)
        return n->size;
    while (next < s->count && s->all[next].address == n->address)
        next++;
    if (next < s->count && s->all[next].address < n->end)
        return s->all[next].address - n->address;
    return n->end > n->address ? n->end - n->address : 0;
}

static bool view_open(struct view *v, const struct image *i)
{
    *v = (struct view){.image = i};
    if (!names_open(&v->names, i))
        return false;
    v->symbol = calloc(v->names.count + 1, sizeof *v->symbol);
    if (!v->symbol)
        return false;
    for (size_t k = 0; k < v->names.count; k++) {
        const struct name *n = &v->names.all[k];

        v->symbol[k] = (struct perfinst_symbol){
            n->name, n->address, reach(&v->names, k), n->rank<2, n->rank> 3};
    }
    for (unsigned k = 0; k < i->count; k++) {
        const struct image_segment *s = &i->segment[k];
        uint64_t end = (uint64_t)s->va + s->memory;

        v->place[k] = (struct perfinst_place){
            s->va & ~UINT32_C(3),
            (uint32_t)(((end + 3) & ~UINT64_C(3)) - (s->va & ~UINT32_C(3))),
            s->flags[2] == 'x'};
    }
    v->world = (struct perfinst_world){
        .file = i->name,
        .place = v->place,
        .places = i->count,
        .symbol = v->symbol,
        .symbols = v->names.count,
        .arg = v,
        .roles = roles_at,
    };
    return true;
}

static void view_close(struct view *v)
{
    free(v->symbol);
    names_close(&v->names);
}

/* Every section called .perfinst. */
static bool read_sections(struct marks *m, const struct view *v, char *why,
                          size_t size)
{
    Elf *elf = elf_memory((char *)v->image->bytes, v->image->size);
    Elf_Scn *section = NULL;
    size_t names = 0;
    bool ok = true;
    GElf_Shdr h;

    if (elf)
        elf_getshdrstrndx(elf, &names);
    while (ok && elf && (section = elf_nextscn(elf, section))) {
        const char *name = NULL;
        Elf_Data *data;

        if (gelf_getshdr(section, &h))
            name = elf_strptr(elf, names, h.sh_name);
        if (!name || strcmp(name, PERFINST_SECTION) != 0 ||
            h.sh_type == SHT_NOBITS)
            continue;
        data = elf_rawdata(section, NULL);
        ok = data && data->d_size == h.sh_size;
        if (!ok)
            snprintf(why, size,
                     "%s: " PERFINST_SECTION " is not all in the "
                     "file, make it again",
                     v->image->name);
        else if (data->d_size)
            ok = perfinst_read(&m->list, &v->world, data->d_buf, data->d_size,
                               why, size);
    }
    if (elf)
        elf_end(elf);
    if (!ok && strlen(why) + 40 < size)
        strcat(why, "; --ignore-marks runs it without");
    return ok;
}

/* The text, and below it the place that is wrong. */
static bool point(const char *option, const char *text,
                  const struct perfinst_error *e, char *why, size_t size)
{
    if (e->at == PERFINST_NOWHERE)
        snprintf(why, size, "%s: %s", option, e->why);
    else
        snprintf(why, size, "%s: %s\n  %s\n  %*s^", option, e->why, text,
                 (int)e->at, "");
    return false;
}

static bool read_options(struct marks *m, const struct marks_options *o,
                         const struct view *v, char *why, size_t size)
{
    static const char *const options[] = {"--mark", "--range", "--data-range"};
    static const struct perfinst_action count = {PERFINST_COUNT, 0};
    struct perfinst_error error = {0};

    for (unsigned k = 0; k < o->count; k++) {
        const char *text = o->spec[k].text;
        enum marks_kind kind = o->spec[k].kind;
        bool ok =
            kind == MARKS_MARK
                ? perfinst_parse(&m->list, &v->world, text, &count, &error)
                : perfinst_parse_range(&m->list, &v->world, text,
                                       kind == MARKS_DATA_RANGE, &error);
        if (!ok)
            return point(options[kind], text, &error, why, size);
    }
    m->asked = o->count > 0;
    return true;
}

bool marks_open(struct marks *m, const struct marks_options *o,
                const struct image *i, char *why, size_t size)
{
    struct view v;
    bool ok;

    *m = (struct marks){0};
    ok = view_open(&v, i);
    if (!ok)
        snprintf(why, size, "the host has no memory for the program's names");
    ok = ok && (o->ignore || read_sections(m, &v, why, size)) &&
         read_options(m, o, &v, why, size) &&
         perfinst_marks(&m->list, &v.world, &m->on, why, size);
    view_close(&v);
    if (!ok)
        marks_close(m);
    return ok;
>>>>>>> 4f61e5b (pmu: marks in files and in words, simmark, simrun --mark)
}

void marks_close(struct marks *m)
{
<<<<<<< HEAD
    free(m->list);
    free(m->name);
    *m = (struct marks){0};
}

const struct mark *marks_find(const struct marks *m, uint32_t address)
{
    struct mark key = {.address = address};

    return m->count ? bsearch(&key, m->list, m->count, sizeof key, by_address)
                    : NULL;
}

/* ---- the cost ----------------------------------------------------------- */

#define BODY 8 /* additions in the loop's body, none waits for another */
#define LOOPS 4096
#define PROGRAM (2 * BODY + 8)

/* r3 = LOOPS; each: BODY additions to eight registers, perhaps a mark behind
 * each one; return. */
static unsigned program(uint32_t *word, bool marks)
{
    unsigned n = 0, loop;

    word[n++] = 0x38600000 | LOOPS; /* li r3,LOOPS */
    word[n++] = 0x7C6903A6;         /* mtctr r3 */
    loop = n;
    for (unsigned k = 0; k < BODY; k++) {
        word[n++] = 0x38000001 | (4 + k) << 21 | (4 + k) << 16; /* addi */
        if (marks)
            word[n++] = MARK_WORD + (k % 2 ? MARK_END : MARK_BEGIN);
    }
    word[n] = 0x42000000 | ((loop - n) * 4 & 0xFFFC); /* bdnz loop */
    n++;
    word[n++] = 0x4E800020; /* blr */
    return n;
}

static void nowhere(void *arg, uint8_t byte)
{
    (void)arg;
    (void)byte;
}

static enum machine_input nothing(void *arg, cycle_t at, bool asleep,
                                  uint8_t *byte)
{
    (void)arg;
    (void)at;
    (void)asleep;
    (void)byte;
    return INPUT_END;
}

static bool measure(const struct machine_setup *like, bool marks,
                    uint64_t *cycles, char *why, size_t size)
{
    struct machine *m = malloc(sizeof *m);
    unsigned char bytes[4 * PROGRAM];
    uint32_t word[PROGRAM];
    unsigned words = program(word, marks);
    struct image image = {.name = "marks", .count = 1, .bytes = bytes};
    struct machine_setup setup = {
        .params = like->params,
        .mode = like->mode,
        .cpus = 1,
        .ram = RAM_MIN,
        .args = "",
        .image = &image,
        .host = {NULL, nowhere, nothing, NULL},
        .chip = like->chip,
    };
    bool good;

    for (unsigned k = 0; k < 4 * words; k++)
        bytes[k] = (unsigned char)(word[k / 4] >> (24 - k % 4 * 8));
    image.entry = 0x1000;
    image.size = 4 * words;
    image.segment[0] =
        (struct image_segment){0x1000, 0x1000, 4 * words, 4 * words, 0, "r-x"};
    if (!m) {
        snprintf(why, size, "--sections: the host has no memory");
        return false;
    }
    good = machine_init(m, &setup, why, size);
    if (good) {
        machine_run(m);
        good = m->end == MACHINE_RETURN;
        if (!good)
            snprintf(why, size,
                     "--sections: the cost of a mark cannot be "
                     "measured on this machine");
        *cycles = m->cycles;
    }
    machine_free(m);
    free(m);
    return good;
}

bool marks_cost(const struct machine_setup *like, uint64_t *thousandths,
                char *why, size_t size)
{
    uint64_t without, with;

    if (!measure(like, false, &without, why, size) ||
        !measure(like, true, &with, why, size))
        return false;
    *thousandths =
        with > without ? (with - without) * 1000 / (LOOPS * BODY) : 0;
    return true;
=======
    perfinst_free(&m->list);
    perfinst_marks_free(&m->on);
}

void marks_log(const struct marks *m, struct experiment *e)
{
    unsigned code = 0, data = 0;

    for (size_t k = 0; k < m->list.count; k++) {
        const struct perfinst_entry *x = &m->list.entry[k];

        if (x->flags & ~(uint32_t)PERFINST_RANGE)
            experiment_say(e,
                           "mark 0x%" PRIx32 " %" PRIu32 " 0x%08" PRIx32
                           " %" PRIu32 " %s %s",
                           x->address, x->length,
                           x->flags & ~(uint32_t)PERFINST_RANGE, x->limit,
                           x->data ? "data" : "code", x->text);
    }
    for (unsigned k = 0; k < m->on.ranges; k++) {
        const struct perfinst_range *r = &m->on.range[k];

        experiment_say(e, "range %u 0x%" PRIx32 " 0x%" PRIx32 " %s %s",
                       r->data ? data++ : code++, r->low, r->high,
                       r->data ? "data" : "code", r->text);
    }
>>>>>>> 4f61e5b (pmu: marks in files and in words, simmark, simrun --mark)
}
