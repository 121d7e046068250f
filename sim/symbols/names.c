/* names.c - looks names up among those of pmu/markspec/symbols.h, and for the
 * markers of instructions that were moved. Believes nothing in the file.
 */
#include "sim/symbols/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/markspec/symbols.h"
#include "sim/config/config.h"
#include "lib/base/snap.h"
#include "lib/base/text.h"
#include "lib/elf/demangle.h"

static void read_markers(struct names *s, const struct elf_image *e)
{
    struct elf_section section = {0};

    while (elf_image_next_named(e, MARKERS_SECTION, &section)) {
        const unsigned char *bytes =
            section.size ? elf_section_bytes(e, &section) : NULL;

        if (!bytes || s->markers.home)
            snprintf(s->wrong, sizeof s->wrong,
                     MARKERS_SECTION " is not all in the file, or there twice");
        else
            markers_read(&s->markers, bytes, section.size, s->wrong,
                         sizeof s->wrong);
    }
}

/* The symbols of an image, the last that was opened, where it was moved to. */
static bool read_table(struct elf_symtab *to, const struct names *s,
                       const struct image *i)
{
    if (!symbols_of_places(to, &s->file[s->files - 1]))
        return false;
    for (size_t k = 0; k < to->count; k++) {
        to->all[k].address += i->bias;
        to->all[k].end += i->bias;
        to->all[k].object = s->object[s->files - 1];
    }
    return true;
}

/* Open one more file; one that is no ELF file has no names. False: the host
 * has no memory. */
static bool open_file(struct names *s, const struct image *i)
{
    struct elf_image *more = realloc(s->file, (s->files + 1) * sizeof *s->file);
    char **object, *name = s->files ? strdup(i->name) : NULL;
    struct elf_wrong unused;

    s->file = more ? more : s->file;
    object = realloc(s->object, (s->files + 1) * sizeof *s->object);
    s->object = object ? object : s->object;
    if (!more || !object || (s->files && !name)) {
        free(name);
        return false;
    }
    s->object[s->files] = name;
    elf_image_borrow(&s->file[s->files++], i->bytes, i->size, &unused);
    return true;
}

bool names_open(struct names *s, const struct image *i)
{
    bool ok;

    *s = (struct names){0};
    s->strangers = calloc(1, sizeof *s->strangers);
    s->stops = calloc(KNOWN_STOPS, sizeof *s->stops);
    ok = s->strangers && s->stops && open_file(s, i) &&
         read_table(&s->table, s, i);
    if (ok)
        read_markers(s, s->file);
    for (i = i->beside; ok && i; i = i->beside)
        ok = names_add(s, i);
    if (!ok)
        names_close(s);
    return ok;
}

/* Is the symbol in no segment of the image? */
static bool is_apart(const struct elf_symbol *n, void *image)
{
    const struct image *i = image;

    for (unsigned k = 0; k < i->count; k++)
        if (n->address >= i->segment[k].va &&
            n->address - i->segment[k].va < i->segment[k].memory)
            return false;
    return true;
}

bool names_add(struct names *s, const struct image *i)
{
    struct elf_symtab new = {0};
    bool ok = open_file(s, i) && read_table(&new, s, i);

    if (ok) {
        elf_symtab_keep(&s->table, is_apart, (void *)i);
        ok = elf_symtab_merge(&s->table, &new);
    }
    elf_symtab_free(&new);
    *s->strangers = (struct strangers){0};
    memset(s->stops, 0, KNOWN_STOPS * sizeof *s->stops);
    return ok;
}

void names_close(struct names *s)
{
    for (unsigned k = 0; k < s->files; k++) {
        elf_image_close(&s->file[k]);
        free(s->object[k]);
    }
    free(s->file);
    free(s->object);
    elf_symtab_free(&s->table);
    markers_free(&s->markers);
    free(s->strangers);
    free(s->stops);
    *s = (struct names){0};
}

#define INSIDE 256 /* labels in a function, at most, before one of its */

/* The symbol that covers an address, or NULL. A label in the middle of a
 * function whose size is known hides nothing of it. The address of a moved
 * instruction becomes its old one. */
static const struct elf_symbol *covering(const struct names *s, uint32_t *at)
{
    uint32_t address = *at = markers_home(&s->markers, *at);
    const struct elf_symbol *found = elf_symtab_nearest(&s->table, address),
                            *n = found;

    for (unsigned k = 0; n && k<INSIDE; k++, n = n> s->table.all ? n - 1 : NULL)
        if (n->size && address - n->address < n->size)
            return n;
    if (!found || found->size)
        return NULL;
    return address < found->end || address == found->address ? found : NULL;
}

void names_text(const struct names *s, uint32_t address, char text[NAME_TEXT])
{
    const struct elf_symbol *found = covering(s, &address);

    if (!found)
        *text = '\0';
    else if (found->address == address)
        snprintf(text, NAME_TEXT, "%.60s", found->name);
    else
        snprintf(text, NAME_TEXT, "%.60s+0x%" PRIx32, found->name,
                 address - found->address);
}

bool names_start(const struct names *s, uint32_t address, uint32_t *start)
{
    const struct elf_symbol *found = covering(s, &address);

    if (found)
        *start = found->address;
    return found != NULL;
}

uint32_t names_word(const struct names *s, uint32_t address, uint32_t word)
{
    const struct marker *e =
        s->markers.entries ? markers_at(&s->markers, address) : NULL;

    return e && e->is == word ? e->was : word;
}

static bool is_called(const struct elf_symbol *n, const char *text,
                      size_t length)
{
    return perfinst_called(text, length,
                           &(struct perfinst_symbol){.name = n->name,
                                                     .source = n->source,
                                                     .object = n->object});
}

/* The program's own come first; a name of several shared objects is none. */
static const struct elf_symbol *named(const struct names *s, const char *text,
                                      size_t length)
{
    const struct elf_symbol *found = NULL;
    bool several = false;

    for (size_t k = 0; k < s->table.count; k++) {
        const struct elf_symbol *n = &s->table.all[k];

        if ((found && found->object && n->object == found->object) ||
            !is_called(n, text, length))
            continue;
        if (!n->object)
            return n;
        several |= found != NULL;
        found = n;
    }
    return several ? NULL : found;
}

static void extent(const struct names *s, const struct elf_symbol *n,
                   uint32_t *from, uint32_t *end)
{
    *from = n->address;
    *end = (uint32_t)elf_symtab_end(&s->table, (size_t)(n - s->table.all));
}

bool names_extent(const struct names *s, const char *text, uint32_t *from,
                  uint32_t *end)
{
    const struct elf_symbol *n = named(s, text, strlen(text));

    if (n)
        extent(s, n, from, end);
    return n != NULL;
}

bool names_function(const struct names *s, uint32_t address, uint32_t from[2],
                    uint32_t end[2])
{
    static const char cold[] = ".cold";
    const struct elf_symbol *n = covering(s, &address), *whole = NULL;
    size_t length = n ? strlen(n->name) : 0;

    if (!n || (n->kind != ELF_SYMBOL_FUNCTION && !n->code))
        return false;
    from[1] = end[1] = 0;
    if (length >= sizeof cold &&
        strcmp(n->name + length - (sizeof cold - 1), cold) == 0)
        whole = named(s, n->name, length - (sizeof cold - 1));
    extent(s, n, &from[whole != NULL], &end[whole != NULL]);
    if (whole)
        extent(s, whole, &from[0], &end[0]);
    return true;
}

static bool is_function(const struct elf_symbol *n, void *arg)
{
    (void)arg;
    return n->kind == ELF_SYMBOL_FUNCTION || n->kind == ELF_SYMBOL_RESOLVER ||
           (n->kind == ELF_SYMBOL_LABEL && n->code && !n->local);
}

void names_keep_functions(struct names *s)
{
    elf_symtab_keep(&s->table, is_function, NULL);
}

bool names_find(const struct names *s, const char *text, uint32_t *address)
{
    const char *file = strstr(text, " (");
    const char *close = file ? strchr(file, ')') : NULL;
    size_t length = close ? (size_t)(close + 1 - text) : strcspn(text, "+");
    const struct elf_symbol *n;
    uint64_t offset = 0;

    if (text[length] && text[length] != '+')
        return false;
    if (text[length] && !text_number(text + length + 1, &offset))
        return false;
    n = named(s, text, length);
    if (n)
        *address = n->address + (uint32_t)offset;
    return n != NULL;
}

const char *names_of_cplusplus(const struct names *s, const char *text,
                               bool *several)
{
    const struct elf_symbol *whole = NULL, *start = NULL;
    size_t length = strlen(text);
    struct demangler d;

    *several = false;
    demangler_open(&d);
    for (size_t k = 0; !whole && k < s->table.count; k++) {
        const struct elf_symbol *n = &s->table.all[k];
        char *meant = demangle(&d, n->name);
        const char *name = meant ? meant : n->name;

        if (meant && !strcmp(meant, text))
            whole = n;
        else if (demangled_short(name) == length &&
                 !strncmp(name, text, length)) {
            *several |= start && start->address != n->address;
            start = n;
        }
        free(meant);
    }
    demangler_close(&d);
    *several &= !whole;
    return whole ? whole->name : start && !*several ? start->name : NULL;
}

bool names_variable(const struct names *s, const char *text, uint32_t *at)
{
    struct demangler d;
    bool found = false;

    demangler_open(&d);
    for (size_t k = 0; k < s->table.count && !found; k++) {
        const struct elf_symbol *n = &s->table.all[k];
        char *meant;

        if (n->kind != ELF_SYMBOL_DATA || !n->size)
            continue;
        meant = demangle(&d, n->name);
        found = !strcmp(meant ? meant : n->name, text);
        if (found)
            *at = n->address;
        free(meant);
    }
    demangler_close(&d);
    return found;
}

bool names_another(const struct names *s, const char *text, uint32_t address,
                   uint32_t *other, const char *source[2])
{
    const struct elf_symbol *n = named(s, text, strlen(text));

    source[0] = source[1] = NULL;
    for (size_t k = 0; n && k < s->table.count; k++) {
        const struct elf_symbol *y = &s->table.all[k];

        if (y->address == address || y->object != n->object ||
            !is_called(y, text, strlen(text)))
            continue;
        *other = y->address;
        if (n->source && y->source && strcmp(n->source, y->source) != 0) {
            source[0] = n->source;
            source[1] = y->source;
        }
        return true;
    }
    return false;
}

/* Of a name that several shared objects have: how to say which. */
static bool say_objects(const struct names *s, const char *wanted,
                        char text[DID_YOU_MEAN_TEXT])
{
    const char *object[2];
    unsigned n = 0;

    for (size_t k = 0; k < s->table.count && n < 2; k++)
        if (is_called(&s->table.all[k], wanted, strlen(wanted)) &&
            s->table.all[k].object &&
            (!n || object[0] != s->table.all[k].object))
            object[n++] = s->table.all[k].object;
    if (n == 2)
        snprintf(text, DID_YOU_MEAN_TEXT, "; write %.80s:%.80s or %.80s:%.80s",
                 object[0], wanted, object[1], wanted);
    return n == 2;
}

const char *names_beside(const struct names *s, char text[DID_YOU_MEAN_TEXT])
{
    size_t used = 0;

    *text = '\0';
    for (unsigned k = 1; k < s->files && used < DID_YOU_MEAN_TEXT / 2; k++)
        used +=
            (size_t)snprintf(text + used, DID_YOU_MEAN_TEXT - used, "%s%.60s",
                             k > 1 ? ", " : "; looked in ", s->object[k]);
    if (used)
        snprintf(text + used, DID_YOU_MEAN_TEXT - used,
                 ", too (what the program opens itself: --env "
                 "LD_PRELOAD=FILE)");
    return text;
}

const char *names_near(const struct names *s, const char *wanted,
                       char text[DID_YOU_MEAN_TEXT])
{
    char meant[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;
    size_t used;

    if (say_objects(s, wanted, text))
        return text;
    did_you_mean_begin(&n, perfinst_behind_object(wanted, strlen(wanted)));
    for (size_t k = 0; k < s->table.count; k++)
        did_you_mean_offer(&n, s->table.all[k].name);
    used = strlen(names_beside(s, text));
    snprintf(text + used, DID_YOU_MEAN_TEXT - used, "%s",
             did_you_mean_text(&n, meant));
    return text;
}

/* ---- save and load -------------------------------------------------------
 */

static void strangers_state(struct snap *s, struct strangers *k)
{
    SNAP_OWNS(s, struct strangers, k, 1);
    SNAP(s, k->forgotten);
    SNAP(s, k->vectors);
    SNAP_ARRAY(s, k->at);
    SNAP(s, k->n);
    SNAP_SKIP(s, k->reach, "found again");
}

bool names_state(struct snap *s, struct names *n)
{
    bool read = n->strangers;

    snap_begin(s, "names", 1);
    SNAP_SKIP(s, n->table, "of the image");
    SNAP_SKIP(s, n->file, "the image");
    SNAP_SKIP(s, n->object, "the image has none");
    SNAP_SKIP(s, n->files, "one, the image");
    SNAP_SKIP(s, n->markers, "of the image");
    SNAP_SKIP(s, n->wrong, "of the image");
    SNAP_SKIP(s, n->real, "of the image");
    SNAP_SKIP(s, n->strangers, "owned; saved below, if there");
    SNAP_SKIP(s, n->stops, "found again");
    SNAP_SAME(s, read);
    if (read)
        strangers_state(s, n->strangers);
    return snap_end(s);
}
