/* names.c - looks names up among those of pmu/markspec/symtab.h, and for the
 * markers of instructions that were moved. Believes nothing in the file.
 */
#include "sim/symbols/names.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config/config.h"

static void read_markers(struct names *s, Elf_Scn *section)
{
    Elf_Data *data = elf_rawdata(section, NULL);

    if (!data || !data->d_buf || s->markers.home)
        snprintf(s->wrong, sizeof s->wrong,
                 MARKERS_SECTION " is not all in the file, or there twice");
    else
        markers_read(&s->markers, data->d_buf, data->d_size, s->wrong,
                     sizeof s->wrong);
}

/* The symbols of an image, where it was moved to. */
static bool read_table(struct symtab *to, Elf *elf, const struct image *i)
{
    if (!symtab_read(to, elf))
        return false;
    for (size_t k = 0; k < to->count; k++) {
        to->all[k].address += i->bias;
        to->all[k].end += i->bias;
    }
    return true;
}

bool names_open(struct names *s, const struct image *i)
{
    Elf_Scn *section = NULL;
    size_t strings = 0;
    GElf_Shdr h;

    *s = (struct names){0};
    s->strangers = calloc(1, sizeof *s->strangers);
    if (!s->strangers)
        return false;
    elf_version(EV_CURRENT);
    s->elf = elf_memory((char *)i->bytes, i->size);
    if (!s->elf)
        return true;
    if (!read_table(&s->table, s->elf, i)) {
        names_close(s);
        return false;
    }
    elf_getshdrstrndx(s->elf, &strings);
    while ((section = elf_nextscn(s->elf, section))) {
        const char *name = gelf_getshdr(section, &h) && h.sh_type != SHT_NULL
                               ? elf_strptr(s->elf, strings, h.sh_name)
                               : NULL;

        if (name && !strcmp(name, MARKERS_SECTION))
            read_markers(s, section);
    }
    return true;
}

/* Drop the names from low on, before high. */
static void drop(struct symtab *t, uint32_t low, uint32_t high)
{
    size_t kept = 0;

    for (size_t k = 0; k < t->count; k++)
        if (t->all[k].address < low || t->all[k].address >= high)
            t->all[kept++] = t->all[k];
    t->count = kept;
}

bool names_add(struct names *s, const struct image *i)
{
    Elf *elf = elf_memory((char *)i->bytes, i->size);
    void *more = realloc(s->more, (s->images + 1) * sizeof *s->more);
    struct symtab new = {0};
    bool ok = more != NULL;

    if (more)
        s->more = more;
    ok = ok && (!elf || read_table(&new, elf, i));
    for (unsigned k = 0; ok && k < i->count; k++)
        drop(&s->table, i->segment[k].va,
             i->segment[k].va + i->segment[k].memory);
    ok = ok && symtab_merge(&s->table, &new);
    symtab_free(&new);
    if (ok && elf)
        s->more[s->images++] = elf;
    else
        elf_end(elf);
    *s->strangers = (struct strangers){0};
    return ok;
}

void names_close(struct names *s)
{
    for (unsigned k = 0; k < s->images; k++)
        elf_end(s->more[k]);
    free(s->more);
    symtab_free(&s->table);
    markers_free(&s->markers);
    free(s->strangers);
    if (s->elf)
        elf_end(s->elf);
    *s = (struct names){0};
}

/* The last symbol at or before address, first of those there; NULL: none. */
static const struct elfname *nearest(const struct names *s, uint32_t address)
{
    size_t low = 0, high = s->table.count;
    const struct elfname *found;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->table.all[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    found = &s->table.all[low - 1];
    while (found > s->table.all && found[-1].address == found->address)
        found--;
    return found;
}

#define INSIDE 256 /* labels in a function, at most, before one of its */

/* The symbol that covers an address, or NULL. A label in the middle of a
 * function whose size is known hides nothing of it. The address of a moved
 * instruction becomes its old one. */
static const struct elfname *covering(const struct names *s, uint32_t *at)
{
    uint32_t address = *at = markers_home(&s->markers, *at);
    const struct elfname *found = nearest(s, address), *n = found;

    for (unsigned k = 0; n && k<INSIDE; k++, n = n> s->table.all ? n - 1 : NULL)
        if (n->size && address - n->address < n->size)
            return n;
    if (!found || found->size)
        return NULL;
    return address < found->end || address == found->address ? found : NULL;
}

void names_text(const struct names *s, uint32_t address, char text[NAME_TEXT])
{
    const struct elfname *found = covering(s, &address);

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
    const struct elfname *found = covering(s, &address);

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

static const struct elfname *named(const struct names *s, const char *text,
                                   size_t length)
{
    for (size_t k = 0; k < s->table.count; k++)
        if (perfinst_called(text, length, s->table.all[k].name,
                            s->table.all[k].source))
            return &s->table.all[k];
    return NULL;
}

static void extent(const struct names *s, const struct elfname *n,
                   uint32_t *from, uint32_t *end)
{
    const struct elfname *next;

    *from = n->address;
    *end = n->size ? n->address + n->size : n->end;
    for (next = n; !n->size && next < s->table.all + s->table.count; next++)
        if (next->address > n->address) {
            *end = next->address < *end ? next->address : *end;
            break;
        }
}

bool names_extent(const struct names *s, const char *text, uint32_t *from,
                  uint32_t *end)
{
    const struct elfname *n = named(s, text, strlen(text));

    if (n)
        extent(s, n, from, end);
    return n != NULL;
}

bool names_function(const struct names *s, uint32_t address, uint32_t from[2],
                    uint32_t end[2])
{
    static const char cold[] = ".cold";
    const struct elfname *n = covering(s, &address), *whole = NULL;
    size_t length = n ? strlen(n->name) : 0;

    if (!n || n->data)
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

bool names_find(const struct names *s, const char *text, uint32_t *address)
{
    const char *file = strstr(text, " (");
    const char *close = file ? strchr(file, ')') : NULL;
    size_t length = close ? (size_t)(close + 1 - text) : strcspn(text, "+");
    const struct elfname *n;
    uint64_t offset = 0;

    if (text[length] && text[length] != '+')
        return false;
    if (text[length] && !number_parse(text + length + 1, &offset))
        return false;
    n = named(s, text, length);
    if (n)
        *address = n->address + (uint32_t)offset;
    return n != NULL;
}

bool names_another(const struct names *s, const char *text, uint32_t address,
                   uint32_t *other)
{
    for (size_t k = 0; k < s->table.count; k++)
        if (s->table.all[k].address != address &&
            perfinst_called(text, strlen(text), s->table.all[k].name,
                            s->table.all[k].source)) {
            *other = s->table.all[k].address;
            return true;
        }
    return false;
}

const char *names_near(const struct names *s, const char *wanted,
                       char text[DID_YOU_MEAN_TEXT])
{
    struct did_you_mean n;

    did_you_mean_begin(&n, wanted);
    for (size_t k = 0; k < s->table.count; k++)
        did_you_mean_offer(&n, s->table.all[k].name);
    return did_you_mean_text(&n, text);
}
