/* layout.c - asks libdw unit by unit, until all structures have been met. See
 * layout.h. */
#include "lib/dwarf/layout.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#define DEEPEST 8     /* structures within structures, or qualifiers */
#define MOST 10000000 /* entries that are looked at; more is damage */
#define POINTER 4     /* bytes of an address of this machine */

struct layout {
    struct layout_member *member;
    unsigned n, missing; /* ... whose structure has not been met */
    uint64_t left;       /* entries that may still be looked at */
};

/* The type that an entry names, without typedefs and qualifiers. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    Dwarf_Die at = *die;

    for (int i = 0; i < DEEPEST; i++) {
        if (!dwarf_formref_die(dwarf_attr_integrate(&at, DW_AT_type, &attr),
                               type))
            return false;
        switch (dwarf_tag(type)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            at = *type;
            break;
        case DW_TAG_invalid: /* libdw must not be asked for more of it */
            return false;
        default:
            return true;
        }
    }
    return false;
}

static uint64_t size_of(Dwarf_Die *type)
{
    Dwarf_Word bytes;

    switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type:
        return POINTER;
    default:
        return dwarf_aggregate_size(type, &bytes) ? 0 : bytes;
    }
}

static bool is_record(Dwarf_Die *type)
{
    return dwarf_tag(type) == DW_TAG_structure_type ||
           dwarf_tag(type) == DW_TAG_union_type;
}

/* The members of `record`, which begins `base` bytes into the structure. */
static void read_members(struct layout *l, const char *structure,
                         Dwarf_Die *record, uint64_t base, unsigned depth)
{
    Dwarf_Die child, type;

    if (depth == DEEPEST || dwarf_child(record, &child))
        return;
    do {
        const char *name = dwarf_diename(&child);
        Dwarf_Attribute attr;
        Dwarf_Word offset = 0;

        if (dwarf_tag(&child) != DW_TAG_member || !type_of(&child, &type))
            continue;
        if (dwarf_attr(&child, DW_AT_data_member_location, &attr) &&
            dwarf_formudata(&attr, &offset))
            continue;
        if (!name && is_record(&type))
            read_members(l, structure, &type, base + offset, depth + 1);
        for (unsigned k = 0; name && k < l->n; k++) {
            struct layout_member *m = &l->member[k];

            if (m->found || strcmp(m->name, name) ||
                strcmp(m->structure, structure))
                continue;
            m->found = true;
            m->offset = base + offset;
            m->size = size_of(&type);
        }
    } while (l->left && l->left-- && !dwarf_siblingof(&child, &child));
}

/* A structure that is described whole, the first of its name: does anyone ask
 * for it? */
static void read_structure(struct layout *l, Dwarf_Die *record)
{
    const char *name = dwarf_diename(record);
    bool wanted = false;

    for (unsigned k = 0; name && k < l->n; k++) {
        struct layout_member *m = &l->member[k];

        if (m->described || strcmp(m->structure, name))
            continue;
        if (!wanted && dwarf_hasattr(record, DW_AT_declaration))
            return;
        m->described = wanted = true;
        l->missing--;
    }
    if (wanted)
        read_members(l, name, record, 0, 0);
}

static void read_unit(struct layout *l, Dwarf_Die *unit)
{
    Dwarf_Die die;

    if (dwarf_child(unit, &die))
        return;
    do {
        if (dwarf_tag(&die) == DW_TAG_structure_type)
            read_structure(l, &die);
    } while (l->missing && l->left && l->left-- &&
             !dwarf_siblingof(&die, &die));
}

void layout_find(const struct elf_image *e, struct layout_member *member,
                 unsigned n)
{
    struct layout l = {member, n, n, MOST};
    Dwarf *d = dwarf_begin_elf(e->libelf, DWARF_C_READ, NULL);
    Dwarf_CU *unit = NULL;
    Dwarf_Die top;
    uint8_t kind;

    for (unsigned k = 0; k < n; k++)
        member[k] = (struct layout_member){.structure = member[k].structure,
                                           .name = member[k].name};
    while (d && l.missing &&
           !dwarf_get_units(d, unit, &unit, NULL, &kind, &top, NULL))
        if (kind == DW_UT_compile || kind == DW_UT_partial)
            read_unit(&l, &top);
    if (d)
        dwarf_end(d);
}
