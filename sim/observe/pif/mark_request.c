/* mark_request.c - the image as a struct perfinst_world, and what is marked in
 * it. Prints nothing. */
#include "sim/observe/pif/mark_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/role.h"
#include "include/board.h"
#include "lib/base/grow.h"
#include "pmu/markspec/symbols.h"
#include "sim/symbols/names.h"

/* The image, for those who know no ELF. */
struct view {
    const struct image *image;
    struct names names;
    struct perfinst_place *place; /* owned */
    char beside[DID_YOU_MEAN_TEXT];
    struct perfinst_symbol *symbol;
    struct perfinst_world world;
};

static bool word_at(void *arg, uint32_t address, uint32_t *word)
{
    const struct view *v = arg;

    return image_word(v->image, address, word);
}

static unsigned roles_at(void *arg, uint32_t address, uint32_t *target)
{
    uint32_t word;

    if (!word_at(arg, address, &word))
        return 0;
    isa_target(word, address, target);
    return isa_roles(word);
}

bool mark_request_fit(struct mark_request_options *o)
{
    uint32_t all[PERFINST_MANY];
    unsigned n = 0;
    bool fits = true;

    for (unsigned k = 0; k < o->count; k++)
        n = perfinst_thresholds_of(o->spec[k].text, all, n);
    for (unsigned k = 0; k < n; k++)
        fits &= perfinst_threshold_is(&o->threshold, all[k]);
    fits |= n > o->threshold.bits; /* who reads the marks says so */
    if (!fits)
        memcpy(o->threshold.cycles, all, n * sizeof *all);
    return !fits;
}

static struct perfinst_place place_of(const struct image_segment *s)
{
    uint32_t start = s->va & ~UINT32_C(3);
    uint64_t end = ((uint64_t)s->va + s->memory + 3) & ~UINT64_C(3);

    return (struct perfinst_place){start, (uint32_t)(end - start),
                                   s->flags[2] == 'x', s->flags[1] == 'w'};
}

static bool view_open(struct view *v, const struct image *i,
                      const struct mark_request_options *o)
{
    unsigned places = 0;

    *v = (struct view){.image = i};
    if (!names_open(&v->names, i))
        return false;
    v->symbol = symbols_for_marks(&v->names.table);
    v->place =
        calloc((size_t)v->names.files * IMAGE_SEGMENTS, sizeof *v->place);
    if (!v->symbol || !v->place)
        return false;
    for (const struct image *k = i; k; k = k->beside)
        for (unsigned n = 0; n < k->count; n++)
            v->place[places++] = place_of(&k->segment[n]);
    v->world = (struct perfinst_world){
        .file = i->name,
        .beside = i->is_kernel ? "; of a program inside a mark is "
                                 "func:PROGRAM:NAME, with --sysroot DIR"
                               : names_beside(&v->names, v->beside),
        .bias = i->bias,
        .place = v->place,
        .places = places,
        .symbol = v->symbol,
        .symbols = v->names.table.count,
        .threshold = &o->threshold,
        .arg = v,
        .roles = roles_at,
    };
    return true;
}

static void view_close(struct view *v)
{
    free(v->symbol);
    free(v->place);
    names_close(&v->names);
}

/* One more section that the program can read itself. */
static bool keep_section(struct mark_requests *m, const unsigned char *from,
                         size_t length, char *why, size_t size)
{
    size_t all = m->section_size + length;
    unsigned char *bytes =
        all <= BOARD_PERFINST_SIZE ? realloc(m->section, all + 1) : NULL;

    if (!bytes) {
        snprintf(why, size, PERFINST_SECTION " has more than %u bytes",
                 BOARD_PERFINST_SIZE);
        return false;
    }
    memcpy(bytes + m->section_size, from, length);
    m->section = bytes;
    m->section_size = (uint32_t)all;
    return true;
}

/* One section called .perfinst: kept, and, unless it is ignored, marked. */
static bool read_section(struct mark_requests *m, const struct view *v,
                         const unsigned char *bytes, size_t length, bool ignore,
                         char *why, size_t size)
{
    if (length == 0 || (!bytes && ignore))
        return true;
    if (!bytes) {
        snprintf(why, size,
                 "%s: " PERFINST_SECTION " is not all in the "
                 "file, make it again",
                 v->image->name);
        return false;
    }
    return keep_section(m, bytes, length, why, size) &&
           (ignore ||
            perfinst_read(&m->list, &v->world, bytes, length, why, size));
}

static bool read_sections(struct mark_requests *m, const struct view *v,
                          bool ignore, char *why, size_t size)
{
    const struct elf_image *e = v->names.file;
    struct elf_section s = {0};
    bool ok = true;

    while (ok && elf_image_next_named(e, PERFINST_SECTION, &s))
        if (s.type != ELF_SECTION_EMPTY)
            ok = read_section(m, v, elf_section_bytes(e, &s), s.size, ignore,
                              why, size);
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

static const struct perfinst_action count = {PERFINST_COUNT, 0};

/* The program inside that "func:PROGRAM:NAME" is about, *n bytes; NULL: it is
 * about the image itself. */
static const char *program_in(const struct view *v, const char *text, size_t *n)
{
    const char *stop = text + strcspn(text, "="), *colon = strchr(text, ':');
    const char *place = colon ? colon + 1 : stop, *behind;

    if (!v->image->is_kernel || place >= stop || !strncmp(text, "line:", 5) ||
        !strncmp(text, "file:", 5))
        return NULL;
    behind = perfinst_behind_object(place, (size_t)(stop - place));
    *n = (size_t)(behind - place) - 1;
    return behind == place ? NULL : place;
}

/* What comes of all of f's that were asked for so far. */
static bool read_marks(struct marked_file *f, const struct view *v,
                       struct perfinst_error *e)
{
    perfinst_marks_free(&f->on);
    e->at = PERFINST_NOWHERE;
    if (!perfinst_marks(&f->list, &v->world, &f->on, e->why, sizeof e->why))
        return false;
    if (f->on.areas)
        snprintf(e->why, sizeof e->why,
                 "%s: a program inside has no count areas; mark the data with "
                 "=count",
                 f->image.name);
    return !f->on.areas;
}

/* Marks of a program inside, whose functions are called by its name, n bytes at
 * `name`, and their own. */
static bool read_inside(struct mark_requests *m,
                        const struct mark_request_options *o, const char *text,
                        const char *name, size_t n, struct perfinst_error *e)
{
    struct perfinst_error none = {.at = (size_t)(name - text), .lacking = true};
    struct marked_file *f = NULL;
    struct view v;
    bool ok = false;

    *e = none;
    if (o->sysroot)
        f = marked_open(&m->programs, o->sysroot, name, n, e->why,
                        sizeof e->why);
    else
        snprintf(e->why, sizeof e->why,
                 "of a program inside: --sysroot DIR says where its file is");
    if (!f)
        return false;
    if (view_open(&v, &f->image, o)) {
        char *object = grow_bytes(name, n);

        for (size_t k = 0; k < v.world.symbols; k++)
            v.symbol[k].object = object;
        ok = perfinst_parse(&f->list, &v.world, text, &count, e) &&
             read_marks(f, &v, e);
        free(object);
    } else {
        snprintf(e->why, sizeof e->why, "the host has no memory for its names");
    }
    view_close(&v);
    return ok;
}

static bool read_options(struct mark_requests *m,
                         const struct mark_request_options *o,
                         const struct view *v, char *why, size_t size)
{
    static const char *const options[] = {"--mark", "--range", "--data-range"};
    struct perfinst_error error = {0};
    size_t length;

    for (unsigned k = 0; k < o->count; k++) {
        const char *text = o->spec[k].text;
        enum mark_request_kind kind = o->spec[k].kind;
        const char *inside = program_in(v, text, &length);
        bool ok =
            kind != MARK_REQUEST_MARK
                ? perfinst_parse_range(&m->list, &v->world, text,
                                       kind == MARK_REQUEST_DATA_RANGE, &error)
            : inside
                ? read_inside(m, o, text, inside, length, &error)
                : perfinst_parse(&m->list, &v->world, text, &count, &error);

        m->misused = !ok && !error.lacking;
        if (!ok)
            return point(options[kind], text, &error, why, size);
    }
    m->asked = o->count > 0;
    return true;
}

/* --autoprofile. It is on no command line, so it has no text. */
static bool add_automatic(struct mark_requests *m,
                          const struct mark_request_options *o,
                          const struct view *v)
{
    m->automatic = o->automatic;
    autoprofile_marks(o->automatic, &v->world, &m->list);
    return true;
}

/* What marker instructions mark, as stretches of the old program. */
static void read_markers(struct mark_requests *m, const struct markers *from)
{
    for (uint32_t k = 0; k < from->entries; k++) {
        const struct marker *e = &from->entry[(uint32_t)from->order[k]];
        struct perfinst_entry *last =
            m->list.count ? &m->list.entry[m->list.count - 1] : NULL;

        if (last && last->address + last->length == e->home &&
            last->flags == e->indicator && last->limit == e->limit)
            last->length += 4;
        else
            perfinst_add(&m->list,
                         &(struct perfinst_entry){.address = e->home,
                                                  .length = 4,
                                                  .flags = e->indicator,
                                                  .limit = e->limit,
                                                  .text = MARKERS_SECTION});
    }
    m->carried = true;
}

/* Marker instructions are one carrier, and there is one at a time; and what
 * was moved is no longer where a range is. False: why says what it cannot be.
 */
static bool may_be(const struct mark_request_options *o, const struct view *v,
                   char *why, size_t size)
{
    const char *option = NULL, *text = "";

    for (unsigned k = 0; k < o->count && !option; k++)
        if (o->spec[k].kind != MARK_REQUEST_DATA_RANGE) {
            option = o->spec[k].kind == MARK_REQUEST_MARK ? "mark=" : "range=";
            text = o->spec[k].text;
        }
    if (!option && o->automatic)
        option = "autoprofile";
    if (option)
        snprintf(why, size,
                 "--%s%s: the marks of %s are marker instructions, and there "
                 "is one carrier at a time; run the program that it was made "
                 "from, or give marks to simmark opcodes",
                 option, text, v->image->name);
    return !option;
}

static bool read_program(struct mark_requests *m,
                         const struct mark_request_options *o,
                         const struct view *v, char *why, size_t size)
{
    const struct markers *markers = &v->names.markers;

    char wrong[sizeof v->names.wrong + 64];

    snprintf(wrong, sizeof wrong, "%s", v->names.wrong);
    if (wrong[0] ||
        !markers_check(markers, word_at, (void *)v, wrong, sizeof wrong)) {
        snprintf(why, size, "%s: %s", v->image->name, wrong);
        return false;
    }
    if (!markers->entries)
        return read_sections(m, v, o->ignore, why, size);
    if (!may_be(o, v, why, size))
        return false;
    if (!o->ignore)
        read_markers(m, markers);
    return true;
}

/* More --range, or --data-range, than there can be, whatever the program? */
static bool too_many(const struct mark_request_options *o)
{
    unsigned n[] = {0, 0, 0};

    for (unsigned k = 0; k < o->count; k++)
        n[o->spec[k].kind]++;
    return n[MARK_REQUEST_RANGE] > PERFINST_RANGES_MAX ||
           n[MARK_REQUEST_DATA_RANGE] > PERFINST_RANGES_MAX;
}

bool mark_request_open(struct mark_requests *m,
                       const struct mark_request_options *o,
                       const struct image *i, char *why, size_t size)
{
    struct view v;
    bool ok;

    *m = (struct mark_requests){0};
    ok = view_open(&v, i, o);
    if (!ok)
        snprintf(why, size, "the host has no memory for the program's names");
    ok = ok && read_program(m, o, &v, why, size) &&
         read_options(m, o, &v, why, size) && add_automatic(m, o, &v);
    if (ok && !perfinst_marks(&m->list, &v.world, &m->on, why, size)) {
        m->misused = too_many(o);
        ok = false;
    }
    view_close(&v);
    if (!ok)
        mark_request_close(m);
    return ok;
}

void mark_request_close(struct mark_requests *m)
{
    perfinst_free(&m->list);
    perfinst_marks_free(&m->on);
    marked_close(&m->programs);
    free(m->section);
    m->section = NULL;
}

static void log_list(const struct perfinst *list, uint32_t less,
                     const char *key, struct experiment *e)
{
    for (size_t k = 0; k < list->count; k++) {
        const struct perfinst_entry *x = &list->entry[k];

        if (x->text && x->flags & ~(uint32_t)PERFINST_RANGE)
            experiment_say(e,
                           "%s 0x%" PRIx32 " %" PRIu32 " 0x%08" PRIx32
                           " %" PRIu32 " %s %s",
                           key, x->address - less, x->length,
                           x->flags & ~(uint32_t)PERFINST_RANGE, x->limit,
                           x->data ? "data" : "code", x->text);
    }
}

void mark_request_log(const struct mark_requests *m, struct experiment *e)
{
    unsigned code = 0, data = 0;

    if (m->automatic)
        experiment_say(e, "autoprofile %s", autoprofile_name(m->automatic));
    log_list(&m->list, 0, "mark", e);
    for (unsigned k = 0; k < m->programs.count; k++)
        log_list(&m->programs.file[k].list, m->programs.file[k].image.bias,
                 "mark-inside", e);
    for (unsigned k = 0; k < m->on.ranges; k++) {
        const struct perfinst_range *r = &m->on.range[k];

        experiment_say(e, "range %u 0x%" PRIx32 " 0x%" PRIx32 " %s %s",
                       r->data ? data++ : code++, r->low, r->high,
                       r->data ? "data" : "code", r->text);
    }
}
