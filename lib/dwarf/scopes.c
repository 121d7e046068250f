/* scopes.c - asks libdw for the scopes of an entry. See scopes.h. */
#include "lib/dwarf/scopes.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

/* What an entry may be described in, by name; NULL: no scope of its name. */
static const char *scope_name(Dwarf_Die *scope)
{
    const char *name = dwarf_diename(scope);

    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace:
        return name ? name : "(anonymous namespace)";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return name ? name : "<lambda>";
    case DW_TAG_subprogram:
        return name;
    default:
        return NULL;
    }
}

void scoped_name(Dwarf_Die *die, const char *name, char text[SCOPED_NAME])
{
    Dwarf_Die origin = *die, declared, *scope = NULL;
    Dwarf_Attribute attr;
    size_t used = 0;
    int n;

    dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attr), &origin);
    declared = origin;
    dwarf_formref_die(dwarf_attr(&origin, DW_AT_specification, &attr),
                      &declared);
    n = dwarf_getscopes_die(&declared, &scope);
    for (int i = n - 1; i > 0 && used < SCOPED_NAME; i--) {
        const char *outer = scope_name(&scope[i]);

        if (outer)
            used += (size_t)snprintf(text + used, SCOPED_NAME - used,
                                     "%.200s::", outer);
    }
    if (n > 0)
        free(scope);
    if (used < SCOPED_NAME)
        snprintf(text + used, SCOPED_NAME - used, "%.200s", name);
}
