/* types.c - collects variables and the types that they need from libdw. Types
 * are read from a list of what is still to do, so that none nests on our stack.
 * See types.h.
 */
#include "lib/dwarf/types.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/dwarf/scopes.h"

#define DEEPEST 200 /* blocks within blocks, or qualifiers; more is damage */
#define POINTER 4   /* bytes of an address of this machine */

struct reading {
    struct data_table *table;
    struct hash known; /* where a type is described, to its index */
    Dwarf_Die *todo;   /* the description of each type of the table */
    size_t room;
    uint64_t left; /* entries that may still be looked at; fewer is damage */
    char scope[SCOPED_NAME]; /* "main::" of the function or namespace at hand */
    Dwarf_Die *described; /* elsewhere is that function, whose scopes are not in
                           * `scope` yet; NULL: none */
};

/* ---- types --------------------------------------------------------------- */

/* The type that an entry names, without typedefs and qualifiers. False: it
 * names none, which is void. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    Dwarf_Die at = *die;

    for (int i = 0; i < DEEPEST; i++) {
        if (!dwarf_formref_die(dwarf_attr_integrate(&at, DW_AT_type, &attr),
                               type))
            return false;
        dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &attr), type);
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

static uint32_t add_type(struct reading *r, Dwarf_Die *die)
{
    struct data_table *t = r->table;
    size_t room = t->types_room;

    t->type = grow(t->type, &t->types_room, t->types + 1, sizeof *t->type);
    if (room != t->types_room)
        r->todo = grow(r->todo, &r->room, t->types_room, sizeof *r->todo);
    t->type[t->types] = (struct data_type){0};
    r->todo[t->types] = *die;
    return (uint32_t)t->types++;
}

/* The index of a type, which is read later. */
static uint32_t type_index(struct reading *r, Dwarf_Die *die)
{
    bool fresh;
    uint32_t *at = hash_at(&r->known, (uint64_t)(uintptr_t)die->addr, &fresh);

    if (!fresh)
        return *at;
    return *at = add_type(r, die);
}

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
    Dwarf_Attribute attr;
    Dwarf_Word n;

    return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &n)
               ? otherwise
               : n;
}

/* Where a member begins in its structure: a number, or in old files the
 * expression that adds one. False: neither, as a virtual base class. */
static bool member_offset(Dwarf_Die *die, uint64_t *offset)
{
    Dwarf_Attribute attr;
    Dwarf_Op *op;
    Dwarf_Word n;
    size_t count;

    *offset = 0;
    if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
        return true;
    if (!dwarf_formudata(&attr, &n)) {
        *offset = n;
        return true;
    }
    if (dwarf_getlocation(&attr, &op, &count) || count != 1 ||
        op->atom != DW_OP_plus_uconst)
        return false;
    *offset = op->number;
    return true;
}

/* The unit that a bit-field is in: of the size of its type, and aligned to it.
 * From DWARF 4 on its first bit is counted from the structure's beginning. */
static void bit_field(Dwarf_Die *die, Dwarf_Die *type, struct data_member *m)
{
    uint64_t bits = number_of(die, DW_AT_bit_size, 0);
    uint64_t first = number_of(die, DW_AT_data_bit_offset, UINT64_MAX);
    int size = dwarf_bytesize(type);
    uint64_t end;

    m->bits = true;
    m->size =
        number_of(die, DW_AT_byte_size, size > 0 ? (uint64_t)size : POINTER);
    if (first == UINT64_MAX || bits > 64 || first > UINT64_MAX - 64 ||
        !m->size || m->size > 16)
        return;
    end = (first + bits + 7) / 8;
    m->offset = first / 8 / m->size * m->size;
    if (end > m->offset + m->size)
        m->size = end - m->offset;
}

static void read_member(struct reading *r, Dwarf_Die *die)
{
    struct data_table *t = r->table;
    struct data_member m = {0};
    const char *name = dwarf_diename(die);
    Dwarf_Die type;

    if (dwarf_hasattr(die, DW_AT_declaration) ||
        dwarf_hasattr(die, DW_AT_external) || !member_offset(die, &m.offset) ||
        !type_of(die, &type))
        return;
    if (dwarf_hasattr(die, DW_AT_bit_size))
        bit_field(die, &type, &m);
    m.type = type_index(r, &type);
    m.name = name && dwarf_tag(die) == DW_TAG_member ? grow_text(name) : NULL;
    t->member =
        grow(t->member, &t->members_room, t->members + 1, sizeof *t->member);
    t->member[t->members++] = m;
}

static void read_record(struct reading *r, uint32_t index, Dwarf_Die *die)
{
    size_t first = r->table->members;
    const char *name = dwarf_diename(die);
    int size = dwarf_bytesize(die);
    struct data_type *y;
    Dwarf_Die child;

    if (!dwarf_child(die, &child))
        do {
            int tag = dwarf_tag(&child);

            if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
                read_member(r, &child);
        } while (r->left && r->left-- && !dwarf_siblingof(&child, &child));
    y = &r->table->type[index];
    y->shape = DATA_RECORD;
    y->name = name ? grow_text(name) : NULL;
    y->size = size > 0 ? (uint64_t)size : 0;
    y->first = first;
    y->members = r->table->members - first;
}

/* Elements of a dimension; 0: not known. */
static uint64_t extent(Dwarf_Die *range)
{
    uint64_t low = number_of(range, DW_AT_lower_bound, 0);
    uint64_t high = number_of(range, DW_AT_upper_bound, UINT64_MAX);

    if (dwarf_hasattr(range, DW_AT_count))
        return number_of(range, DW_AT_count, 0);
    return high == UINT64_MAX || high < low ? 0 : high - low + 1;
}

/* A dimension after the other: an array of arrays. */
static void read_array(struct reading *r, uint32_t index, Dwarf_Die *die)
{
    struct data_table *t = r->table;
    Dwarf_Die child, element;
    bool first = true;
    uint32_t inner;

    if (!type_of(die, &element))
        return;
    t->type[index].shape = DATA_ARRAY;
    if (!dwarf_child(die, &child))
        do {
            if (dwarf_tag(&child) != DW_TAG_subrange_type)
                continue;
            if (!first) {
                inner = add_type(r, die);
                t->type[index].element = inner;
                t->type[inner].shape = DATA_ARRAY;
                index = inner;
            }
            first = false;
            t->type[index].count = extent(&child);
        } while (r->left && r->left-- && !dwarf_siblingof(&child, &child));
    inner = type_index(r, &element); /* the list may move */
    t->type[index].element = inner;
}

static void read_type(struct reading *r, uint32_t index)
{
    Dwarf_Die die = r->todo[index];
    struct data_type *y = &r->table->type[index];
    int size;

    if (y->shape == DATA_ARRAY) /* a further dimension of the one before */
        return;
    switch (dwarf_tag(&die)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        read_record(r, index, &die);
        break;
    case DW_TAG_array_type:
        read_array(r, index, &die);
        break;
    default:
        size = dwarf_bytesize(&die);
        y->size = size > 0 ? (uint64_t)size : POINTER;
        break;
    }
}

/* The size of a type, those of arrays being worked out; 0: not known, or one
 * that contains itself. */
static uint64_t sized(struct data_table *t, uint32_t index, unsigned depth)
{
    struct data_type *y = &t->type[index];
    uint64_t all = 0;

    if (y->shape != DATA_ARRAY || y->size || depth == DEEPEST)
        return y->size;
    if (__builtin_mul_overflow(sized(t, y->element, depth + 1), y->count, &all))
        return 0;
    return y->size = all;
}

/* ---- variables ----------------------------------------------------------- */

/* Where it stays. False: it has no address of its own. */
static bool address_of(Dwarf_Die *die, uint64_t *address)
{
    Dwarf_Attribute attr;
    Dwarf_Op *op;
    size_t count;

    if (!dwarf_attr(die, DW_AT_location, &attr) ||
        dwarf_getlocation(&attr, &op, &count) || !count ||
        op->atom != DW_OP_addr)
        return false;
    *address = op->number;
    if (count == 2 && op[1].atom == DW_OP_plus_uconst)
        *address += op[1].number;
    else if (count != 1)
        return false;
    return *address != 0; /* 0: the linker left it out */
}

/* An entry that stands for another one: a member of a class, a variable of an
 * inlined function. */
static bool is_described(Dwarf_Die *die)
{
    return dwarf_hasattr(die, DW_AT_specification) ||
           dwarf_hasattr(die, DW_AT_abstract_origin);
}

/* Its name in its scopes, or those of its description. */
static char *name_of(struct reading *r, Dwarf_Die *die, const char *name)
{
    char text[2 * SCOPED_NAME];

    if (is_described(die)) {
        scoped_name(die, name, text);
        return grow_text(text);
    }
    if (r->described) {
        const char *function = dwarf_diename(r->described);

        scoped_name(r->described, function ? function : "", text);
        snprintf(r->scope, sizeof r->scope, "%.1000s::", text);
        r->described = NULL;
    }
    snprintf(text, sizeof text, "%s%.200s", r->scope, name);
    return grow_text(text);
}

static void read_variable(struct reading *r, Dwarf_Die *die)
{
    struct data_table *t = r->table;
    const char *name = dwarf_diename(die);
    uint64_t address;
    Dwarf_Die type;

    if (!name || !address_of(die, &address) || !type_of(die, &type))
        return;
    t->variable = grow(t->variable, &t->variables_room, t->variables + 1,
                       sizeof *t->variable);
    t->variable[t->variables++] =
        (struct data_variable){.name = name_of(r, die, name),
                               .start = address,
                               .type = type_index(r, &type)};
}

static void walk(struct reading *r, Dwarf_Die *parent, unsigned depth);

/* What stands in a namespace or a function, which is a scope. To find the
 * scopes of one that is described elsewhere takes long: not before a variable
 * needs them. */
static void walk_scope(struct reading *r, Dwarf_Die *die, unsigned depth)
{
    const char *name = dwarf_diename(die);
    Dwarf_Die *described = r->described;
    char outer[SCOPED_NAME];

    memcpy(outer, r->scope, sizeof outer);
    if (is_described(die)) {
        r->described = die;
    } else {
        char *scope = name_of(r, die, name ? name : "(anonymous namespace)");

        snprintf(r->scope, sizeof r->scope, "%.1000s::", scope);
        free(scope);
    }
    walk(r, die, depth + 1);
    memcpy(r->scope, outer, sizeof outer);
    r->described = described;
}

/* What stands in a unit, a namespace, a function or a block. */
static void walk(struct reading *r, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;

    if (depth == DEEPEST || dwarf_child(parent, &die))
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
            read_variable(r, &die);
            break;
        case DW_TAG_namespace:
        case DW_TAG_subprogram:
            if (dwarf_haschildren(&die))
                walk_scope(r, &die, depth);
            break;
        case DW_TAG_inlined_subroutine:
        case DW_TAG_lexical_block:
            walk(r, &die, depth + 1);
            break;
        default:
            break;
        }
    } while (r->left && r->left-- && !dwarf_siblingof(&die, &die));
}

static int by_start(const void *a, const void *b)
{
    const struct data_variable *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* In order, without those of no size and those that begin in another: the
 * copies of one variable in several units, and damage. */
static void order(struct data_table *t)
{
    size_t kept = 0;
    uint64_t end = 0;

    for (size_t i = 0; i < t->variables; i++)
        t->variable[i].size = sized(t, t->variable[i].type, 0);
    if (t->variables)
        qsort(t->variable, t->variables, sizeof *t->variable, by_start);
    for (size_t i = 0; i < t->variables; i++) {
        struct data_variable *v = &t->variable[i];

        if (!v->size || v->size > UINT64_MAX - v->start ||
            (kept && v->start < end)) {
            free(v->name);
            continue;
        }
        end = v->start + v->size;
        t->variable[kept++] = *v;
    }
    t->variables = kept;
    for (size_t i = 0; i < t->types; i++)
        sized(t, (uint32_t)i, 0);
    for (size_t i = 0; i < t->members; i++)
        if (!t->member[i].bits)
            t->member[i].size = t->type[t->member[i].type].size;
}

void data_table_read(struct data_table *t, const struct elf_image *e)
{
    Dwarf *dwarf = dwarf_begin_elf(e->libelf, DWARF_C_READ, NULL);
    struct reading r = {.table = t, .left = 16 * (uint64_t)e->size};
    Dwarf_Off at = 0, next;
    size_t head;

    *t = (struct data_table){0};
    while (dwarf && !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL)) {
        Dwarf_Die unit;

        if (dwarf_offdie(dwarf, at + head, &unit))
            walk(&r, &unit, 0);
        at = next;
    }
    for (size_t i = 0; i < t->types; i++)
        read_type(&r, (uint32_t)i);
    dwarf_end(dwarf);
    hash_free(&r.known);
    free(r.todo);
    order(t);
}

void data_table_free(struct data_table *t)
{
    for (size_t i = 0; i < t->variables; i++)
        free(t->variable[i].name);
    for (size_t i = 0; i < t->members; i++)
        free(t->member[i].name);
    for (size_t i = 0; i < t->types; i++)
        free(t->type[i].name);
    free(t->variable);
    free(t->member);
    free(t->type);
    *t = (struct data_table){0};
}
