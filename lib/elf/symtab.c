/* symtab.c - reads symbol tables with libelf. See symtab.h. */
#include "lib/elf/symtab.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"

/* Does the symbol name code, data or a label of a section? */
static bool is_kept(Elf *elf, const GElf_Sym *sym, struct elf_symbol *new)
{
    Elf_Scn *section;
    GElf_Shdr h;

    switch (GELF_ST_TYPE(sym->st_info)) {
    case STT_FUNC:
        new->kind = ELF_SYMBOL_FUNCTION;
        break;
    case STT_GNU_IFUNC:
        new->kind = ELF_SYMBOL_RESOLVER;
        break;
    case STT_OBJECT:
        new->kind = ELF_SYMBOL_DATA;
        break;
    case STT_NOTYPE:
        new->kind = ELF_SYMBOL_LABEL;
        break;
    default:
        return false;
    }
    if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
        return false;
    section = elf_getscn(elf, sym->st_shndx);
    if (!section || !gelf_getshdr(section, &h))
        return false;
    new->end = h.sh_addr + h.sh_size;
    new->code = h.sh_flags &SHF_EXECINSTR;
    new->inside = h.sh_flags &SHF_ALLOC && sym->st_value >= h.sh_addr &&
                  sym->st_value - h.sh_addr <= h.sh_size;
    return true;
}

static bool add_symbol(struct elf_symtab *t, const struct elf_symbol *new)
{
    if ((t->count & (t->count + 1)) == 0) { /* room for 2 n + 1 */
        void *more = realloc(t->all, (2 * t->count + 1) * sizeof *t->all);

        if (!more)
            return false;
        t->all = more;
    }
    t->all[t->count++] = *new;
    return true;
}

static bool read_table(struct elf_symtab *t, Elf *elf, Elf_Scn *section,
                       const GElf_Shdr *h)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && h->sh_entsize ? h->sh_size / h->sh_entsize : 0;
    const char *source = NULL; /* of the local names behind it */
    GElf_Sym sym;

    for (size_t k = 0; k < count && k < INT32_MAX; k++) {
        struct elf_symbol new = {0};

        if (!gelf_getsym(data, (int)k, &sym))
            break;
        new.name = elf_strptr(elf, h->sh_link, sym.st_name);
        if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
            source = new.name &&*new.name ? new.name : NULL;
        if (!is_kept(elf, &sym, &new))
            continue;
        new.local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
        new.source = new.local ? source : NULL;
        new.address = (uint32_t)sym.st_value;
        new.size = (uint32_t)sym.st_size;
        if (new.name &&*new.name && !add_symbol(t, &new))
            return false;
    }
    return true;
}

int elf_symbol_order(bool a_local, const char *a, bool b_local, const char *b)
{
    return a_local != b_local ? a_local - b_local : strcmp(b, a);
}

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return elf_symbol_order(x->local, x->name, y->local, y->name);
}

bool elf_symtab_read(struct elf_symtab *t, const struct elf_image *e)
{
    static const uint32_t table[] = {SHT_SYMTAB, SHT_DYNSYM};

    *t = (struct elf_symtab){0};
    for (unsigned k = 0; k < 2 && !t->count && e->libelf; k++) {
        Elf_Scn *section = NULL;
        GElf_Shdr h;

        while ((section = elf_nextscn(e->libelf, section)))
            if (gelf_getshdr(section, &h) && h.sh_type == table[k] &&
                !read_table(t, e->libelf, section, &h)) {
                elf_symtab_free(t);
                return false;
            }
    }
    if (t->count)
        qsort(t->all, t->count, sizeof *t->all, by_address);
    return true;
}

void elf_symtab_free(struct elf_symtab *t)
{
    free(t->all);
    *t = (struct elf_symtab){0};
}

void elf_symtab_keep(struct elf_symtab *t,
                     bool (*stay)(const struct elf_symbol *, void *arg),
                     void *arg)
{
    size_t kept = 0;

    for (size_t k = 0; k < t->count; k++)
        if (stay(&t->all[k], arg))
            t->all[kept++] = t->all[k];
    t->count = kept;
}

bool elf_symtab_merge(struct elf_symtab *t, const struct elf_symtab *more)
{
    size_t count = t->count + more->count;
    struct elf_symbol *all = count ? malloc(count * sizeof *all) : NULL;
    size_t a = 0, b = 0;

    if (count && !all)
        return false;
    for (size_t k = 0; k < count; k++)
        if (b == more->count ||
            (a < t->count && by_address(&t->all[a], &more->all[b]) <= 0))
            all[k] = t->all[a++];
        else
            all[k] = more->all[b++];
    free(t->all);
    *t = (struct elf_symtab){all, count};
    return true;
}

const struct elf_symbol *elf_symtab_nearest(const struct elf_symtab *t,
                                            uint32_t address)
{
    size_t n = SEARCH_FIRST(0, t->count, i, t->all[i].address > address);

    if (!n)
        return NULL;
    n--;
    while (n && t->all[n - 1].address == t->all[n].address)
        n--;
    return &t->all[n];
}

uint64_t elf_symtab_end(const struct elf_symtab *t, size_t k)
{
    const struct elf_symbol *n = &t->all[k];
    uint64_t end = n->end > n->address ? n->end : n->address;

    if (n->size)
        return (uint64_t)n->address + n->size;
    while (k < t->count && t->all[k].address == n->address)
        k++;
    return k < t->count && t->all[k].address < end ? t->all[k].address : end;
}
