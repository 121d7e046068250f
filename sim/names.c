/* names.c - reads the symbol table with libelf. Believes nothing in it.
 * Of several names for an address functions win over data and labels, then
 * global ones over local ones, then the alphabet decides.
 */
#include "sim/names.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/config.h"

static unsigned rank_of(const GElf_Sym *sym)
{
    unsigned type = GELF_ST_TYPE(sym->st_info);
    unsigned rank = type == STT_FUNC ? 0 : type == STT_OBJECT ? 2 : 4;

    return rank + (GELF_ST_BIND(sym->st_info) == STB_LOCAL);
}

/* Is it the name of an address that somebody would look for? *end is where
 * its section ends. */
static bool is_place(Elf *elf, const GElf_Sym *sym, uint32_t *end)
{
    unsigned type = GELF_ST_TYPE(sym->st_info);
    Elf_Scn *section;
    GElf_Shdr h;

    if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE)
        return false;
    if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
        return false;
    section = elf_getscn(elf, sym->st_shndx);
    if (!section || !gelf_getshdr(section, &h) || !(h.sh_flags & SHF_ALLOC))
        return false;
    *end = (uint32_t)(h.sh_addr + h.sh_size);
    return sym->st_value >= h.sh_addr && sym->st_value - h.sh_addr <= h.sh_size;
}

static bool add(struct names *s, const struct name *new)
{
    if ((s->count & (s->count + 1)) == 0) { /* room for 2 n + 1 */
        void *more = realloc(s->all, (2 * s->count + 1) * sizeof *s->all);

        if (!more)
            return false;
        s->all = more;
    }
    s->all[s->count++] = *new;
    return true;
}

static bool read_table(struct names *s, Elf *elf, Elf_Scn *section,
                       const GElf_Shdr *h)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && h->sh_entsize ? h->sh_size / h->sh_entsize : 0;
    GElf_Sym sym;

    for (size_t k = 0; k < count && k < INT32_MAX; k++) {
        struct name new;

        if (!gelf_getsym(data, (int)k, &sym))
            break;
        if (!is_place(elf, &sym, &new.end))
            continue;
        new.name = elf_strptr(elf, h->sh_link, sym.st_name);
        new.address = (uint32_t)sym.st_value;
        new.size = (uint32_t)sym.st_size;
        new.rank = rank_of(&sym);
        if (new.name &&*new.name && !add(s, &new))
            return false;
    }
    return true;
}

static int order(const void *a, const void *b)
{
    const struct name *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

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

bool names_open(struct names *s, const struct image *i)
{
    Elf_Scn *section = NULL;
    size_t strings = 0;
    const char *name;
    GElf_Shdr h;
    bool ok = true;

    *s = (struct names){0};
    elf_version(EV_CURRENT);
    s->elf = elf_memory((char *)i->bytes, i->size);
    if (s->elf)
        elf_getshdrstrndx(s->elf, &strings);
    while (s->elf && ok && (section = elf_nextscn(s->elf, section))) {
        if (!gelf_getshdr(section, &h))
            continue;
        name = elf_strptr(s->elf, strings, h.sh_name);
        if (h.sh_type == SHT_SYMTAB)
            ok = read_table(s, s->elf, section, &h);
        else if (name && !strcmp(name, MARKERS_SECTION))
            read_markers(s, section);
    }
    if (!ok)
        names_close(s);
    else if (s->count)
        qsort(s->all, s->count, sizeof *s->all, order);
    return ok;
}

void names_close(struct names *s)
{
    free(s->all);
    markers_free(&s->markers);
    if (s->elf)
        elf_end(s->elf);
    *s = (struct names){0};
}

/* The last symbol at or before address, first of those there; NULL: none. */
static const struct name *nearest(const struct names *s, uint32_t address)
{
    size_t low = 0, high = s->count;
    const struct name *found;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->all[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    found = &s->all[low - 1];
    while (found > s->all && found[-1].address == found->address)
        found--;
    return found;
}

#define INSIDE 256 /* labels in a function, at most, before one of its */

/* The symbol that covers an address, or NULL. A label in the middle of a
 * function whose size is known hides nothing of it. The address of a moved
 * instruction becomes its old one. */
static const struct name *covering(const struct names *s, uint32_t *at)
{
    uint32_t address = *at = markers_home(&s->markers, *at);
    const struct name *found = nearest(s, address), *n = found;

    for (unsigned k = 0; n && k<INSIDE; k++, n = n> s->all ? n - 1 : NULL)
        if (n->size && address - n->address < n->size)
            return n;
    if (!found || found->size)
        return NULL;
    return address < found->end || address == found->address ? found : NULL;
}

void names_text(const struct names *s, uint32_t address, char text[NAME_TEXT])
{
    const struct name *found = covering(s, &address);

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
    const struct name *found = covering(s, &address);

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

static const struct name *named(const struct names *s, const char *text,
                                size_t length)
{
    for (size_t k = 0; k < s->count; k++)
        if (strlen(s->all[k].name) == length &&
            memcmp(s->all[k].name, text, length) == 0)
            return &s->all[k];
    return NULL;
}

static void extent(const struct names *s, const struct name *n, uint32_t *from,
                   uint32_t *end)
{
    const struct name *next;

    *from = n->address;
    *end = n->size ? n->address + n->size : n->end;
    for (next = n; !n->size && next < s->all + s->count; next++)
        if (next->address > n->address) {
            *end = next->address < *end ? next->address : *end;
            break;
        }
}

bool names_extent(const struct names *s, const char *text, uint32_t *from,
                  uint32_t *end)
{
    const struct name *n = named(s, text, strlen(text));

    if (n)
        extent(s, n, from, end);
    return n != NULL;
}

bool names_function(const struct names *s, uint32_t address, uint32_t from[2],
                    uint32_t end[2])
{
    static const char cold[] = ".cold";
    const struct name *n = covering(s, &address), *whole = NULL;
    size_t length = n ? strlen(n->name) : 0;

    if (!n)
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
    size_t length = strcspn(text, "+");
    const struct name *n;
    uint64_t offset = 0;

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
    for (size_t k = 0; k < s->count; k++)
        if (s->all[k].address != address && !strcmp(s->all[k].name, text)) {
            *other = s->all[k].address;
            return true;
        }
    return false;
}
