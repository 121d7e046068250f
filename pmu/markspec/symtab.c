/* symtab.c - reads a symbol table with libelf. See symtab.h. */
#include "pmu/markspec/symtab.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

static unsigned rank_of(const GElf_Sym *sym)
{
    unsigned type = GELF_ST_TYPE(sym->st_info);
    unsigned rank = type == STT_FUNC ? 0 : type == STT_OBJECT ? 2 : 4;

    return rank + (GELF_ST_BIND(sym->st_info) == STB_LOCAL);
}

/* Does the symbol name code, data or a label of a loaded section? Of that
 * section *new says where it ends and what it is. */
static bool is_place(Elf *elf, const GElf_Sym *sym, struct elfname *new)
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
    new->end = (uint32_t)(h.sh_addr + h.sh_size);
    new->data = type != STT_FUNC && !(h.sh_flags & SHF_EXECINSTR);
    return sym->st_value >= h.sh_addr && sym->st_value - h.sh_addr <= h.sh_size;
}

static bool add(struct symtab *s, const struct elfname *new)
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

static bool read_table(struct symtab *s, Elf *elf, Elf_Scn *section,
                       const GElf_Shdr *h)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && h->sh_entsize ? h->sh_size / h->sh_entsize : 0;
    const char *source = NULL; /* of the local names behind it */
    GElf_Sym sym;

    for (size_t k = 0; k < count && k < INT32_MAX; k++) {
        struct elfname new;

        if (!gelf_getsym(data, (int)k, &sym))
            break;
        new.name = elf_strptr(elf, h->sh_link, sym.st_name);
        if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
            source = new.name &&*new.name ? new.name : NULL;
        if (!is_place(elf, &sym, &new))
            continue;
        new.source = GELF_ST_BIND(sym.st_info) == STB_LOCAL ? source : NULL;
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
    const struct elfname *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

bool symtab_read(struct symtab *s, Elf *elf)
{
    static const uint32_t table[] = {SHT_SYMTAB, SHT_DYNSYM};

    *s = (struct symtab){0};
    for (unsigned t = 0; t < 2 && !s->count; t++) {
        Elf_Scn *section = NULL;
        GElf_Shdr h;

        while ((section = elf_nextscn(elf, section)))
            if (gelf_getshdr(section, &h) && h.sh_type == table[t] &&
                !read_table(s, elf, section, &h)) {
                symtab_free(s);
                return false;
            }
    }
    if (s->count)
        qsort(s->all, s->count, sizeof *s->all, order);
    return true;
}

bool symtab_merge(struct symtab *s, const struct symtab *more)
{
    size_t count = s->count + more->count;
    struct elfname *all = count ? malloc(count * sizeof *all) : NULL;
    size_t a = 0, b = 0;

    if (count && !all)
        return false;
    for (size_t k = 0; k < count; k++)
        if (b == more->count ||
            (a < s->count && order(&s->all[a], &more->all[b]) <= 0))
            all[k] = s->all[a++];
        else
            all[k] = more->all[b++];
    free(s->all);
    *s = (struct symtab){all, count};
    return true;
}

void symtab_free(struct symtab *s)
{
    free(s->all);
    *s = (struct symtab){0};
}

static uint32_t reach(const struct symtab *s, size_t k)
{
    const struct elfname *n = &s->all[k];
    size_t next = k + 1;

    if (n->size)
        return n->size;
    while (next < s->count && s->all[next].address == n->address)
        next++;
    if (next < s->count && s->all[next].address < n->end)
        return s->all[next].address - n->address;
    return n->end > n->address ? n->end - n->address : 0;
}

struct perfinst_symbol *symtab_symbols(const struct symtab *s)
{
    struct perfinst_symbol *to = calloc(s->count + 1, sizeof *to);

    for (size_t k = 0; to && k < s->count; k++) {
        const struct elfname *n = &s->all[k];

        to[k] = (struct perfinst_symbol){.name = n->name,
                                         .source = n->source,
                                         .address = n->address,
                                         .size = reach(s, k),
                                         .function = n->rank < 2,
                                         .label = n->rank >= 4 || !n->size};
    }
    return to;
}
