/* symbols.c - see symbols.h. */
#include "pmu/markspec/symbols.h"

#include <stdlib.h>

static bool is_place(const struct elf_symbol *s, void *unused)
{
    (void)unused;
    return s->inside && s->kind != ELF_SYMBOL_RESOLVER;
}

bool symbols_of_places(struct elf_symtab *t, const struct elf_image *e)
{
    if (!elf_symtab_read(t, e))
        return false;
    elf_symtab_keep(t, is_place, NULL);
    return true;
}

struct perfinst_symbol *symbols_for_marks(const struct elf_symtab *t)
{
    struct perfinst_symbol *to = calloc(t->count + 1, sizeof *to);

    for (size_t k = 0; to && k < t->count; k++) {
        const struct elf_symbol *n = &t->all[k];

        to[k] = (struct perfinst_symbol){
            .name = n->name,
            .source = n->source,
            .object = n->object,
            .address = n->address,
            .size = (uint32_t)(elf_symtab_end(t, k) - n->address),
            .function = n->kind == ELF_SYMBOL_FUNCTION,
            .label = n->kind == ELF_SYMBOL_LABEL || !n->size};
    }
    return to;
}
