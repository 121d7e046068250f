/* types_name.c - which variable, element and member an address is. See
 * types.h.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/base/text.h"
#include "lib/dwarf/types.h"

#define DEEPEST 64   /* structures within structures; more is damage */
#define SHARED 8     /* members of one byte that are named */
#define STEPS 100000 /* members looked at for one name; more is damage */

/* A name that is being written, and the bytes that have it. */
struct spelling {
    const struct data_table *table;
    struct data_place *at;
    uint64_t address;
    char *text;
    size_t size, used;
    unsigned steps;
    bool object; /* no further than what begins there: data_table_object */
};

/* Members at the address, those of members without a name among them. */
struct shared {
    struct {
        const struct data_member *member;
        uint64_t base; /* of the structure that it is in */
    } of[SHARED];
    unsigned count;
    bool plain; /* one of them is no bit-field: that alone is meant */
};

__attribute__((format(printf, 2, 3))) static void put(struct spelling *s,
                                                      const char *format, ...)
{
    va_list args;

    if (s->used >= s->size)
        return;
    va_start(args, format);
    s->used +=
        (size_t)vsnprintf(s->text + s->used, s->size - s->used, format, args);
    va_end(args);
}

/* The bytes from `from` on, before `end`, have one name, or another. True: the
 * address is one of them. */
static bool narrow(struct spelling *s, uint64_t from, uint64_t end)
{
    bool inside = from <= s->address && s->address < end;
    uint64_t low = inside ? from : s->address < from ? 0 : end;
    uint64_t high = inside ? end : s->address < from ? from : UINT64_MAX;

    if (from >= end)
        return false;
    if (low > s->at->start)
        s->at->start = low;
    if (high < s->at->end)
        s->at->end = high;
    return inside;
}

static void gather(struct spelling *s, const struct data_type *y, uint64_t base,
                   unsigned depth, struct shared *all)
{
    if (depth == DEEPEST)
        return;
    for (size_t i = 0; i < y->members && ++s->steps <= STEPS; i++) {
        const struct data_member *m = &s->table->member[y->first + i];
        uint64_t from = base + m->offset;

        if (m->offset > y->size || m->size > y->size - m->offset ||
            !narrow(s, from, from + m->size))
            continue;
        if (!m->name) {
            gather(s, &s->table->type[m->type], from, depth + 1, all);
            continue;
        }
        if (!m->bits && !all->plain)
            all->count = 0;
        all->plain |= !m->bits;
        if (m->bits == !all->plain && all->count < SHARED) {
            all->of[all->count].base = base;
            all->of[all->count++].member = m;
        }
    }
}

static bool is_reserved(const char *name)
{
    return name[0] == '_' && name[1] == '_';
}

static void spell(struct spelling *s, uint32_t type, uint64_t base,
                  unsigned depth);

static void spell_record(struct spelling *s, const struct data_type *y,
                         uint64_t base, unsigned depth)
{
    struct shared all = {.count = 0};

    gather(s, y, base, 0, &all);
    if (s->object && (!all.count || is_reserved(all.of[0].member->name)))
        return;
    put(s, all.count > 1 ? ".(" : ".");
    if (!all.count)
        put(s, "<padding>");
    for (unsigned i = 0; i < all.count; i++) {
        const struct data_member *m = all.of[i].member;

        put(s, "%s%s", i ? "|" : "", m->name);
        if (!m->bits)
            spell(s, m->type, all.of[i].base + m->offset, depth + 1);
    }
    if (all.count > 1)
        put(s, ")");
}

static void spell(struct spelling *s, uint32_t type, uint64_t base,
                  unsigned depth)
{
    const struct data_type *y = &s->table->type[type];

    if (depth == DEEPEST || (s->object && depth && base == s->address))
        return;
    if (y->shape == DATA_ARRAY) {
        uint64_t size = s->table->type[y->element].size;
        uint64_t i = size ? (s->address - base) / size : 0;

        if (!size)
            return;
        put(s, "[%" PRIu64 "]", i);
        narrow(s, base + i * size, base + (i + 1) * size);
        spell(s, y->element, base + i * size, depth + 1);
    } else if (y->shape == DATA_RECORD && y->members) {
        spell_record(s, y, base, depth);
    }
}

/* The variable that has the byte at an address; NULL: none. */
static const struct data_variable *variable_at(const struct data_table *t,
                                               uint64_t address)
{
    size_t n = SEARCH_FIRST(0, t->variables, i, t->variable[i].start > address);
    const struct data_variable *v = n ? &t->variable[n - 1] : NULL;

    return v && address - v->start < v->size ? v : NULL;
}

/* The variable's name, and the way to s->address in it: *s->at. */
static bool find(struct spelling *s)
{
    const struct data_variable *v = variable_at(s->table, s->address);

    if (!v)
        return false;
    *s->at = (struct data_place){v, v->start, v->start + v->size};
    put(s, "%s", v->name);
    spell(s, v->type, v->start, 0);
    return true;
}

/* The first member that has the byte so far behind the record's beginning; base
 * classes are members, too. */
static const struct data_member *member_at(const struct data_table *t,
                                           const struct data_type *y,
                                           uint64_t offset)
{
    for (size_t i = 0; i < y->members; i++) {
        const struct data_member *m = &t->member[y->first + i];

        if (offset >= m->offset && offset - m->offset < m->size)
            return m;
    }
    return NULL;
}

bool data_table_is_in(const struct data_table *t, uint64_t address,
                      const char *type)
{
    const struct data_variable *v = variable_at(t, address);
    uint64_t offset = v ? address - v->start : 0;
    uint32_t at = v ? v->type : 0;
    size_t length = strlen(type);

    for (unsigned depth = 0; v && depth < DEEPEST; depth++) {
        const struct data_type *y = &t->type[at];
        const struct data_member *m = NULL;

        if (y->name && !strncmp(y->name, type, length) &&
            (!y->name[length] || y->name[length] == '<'))
            return true;
        if (y->shape == DATA_ARRAY && t->type[y->element].size) {
            offset %= t->type[y->element].size;
            at = y->element;
        } else if ((m = member_at(t, y, offset))) {
            offset -= m->offset;
            at = m->type;
        } else {
            return false;
        }
    }
    return false;
}

bool data_table_find(const struct data_table *t, uint64_t address,
                     struct data_place *at, char *text, size_t size)
{
    struct spelling s = {
        .table = t, .at = at, .address = address, .text = text, .size = size};

    return find(&s);
}

bool data_table_object(const struct data_table *t, uint64_t address, char *text,
                       size_t size)
{
    struct data_place at;
    struct spelling s = {.table = t,
                         .at = &at,
                         .address = address,
                         .text = text,
                         .size = size,
                         .object = true};

    return find(&s);
}

/* ---- the way back -------------------------------------------------------- */

/* The member of that name, of `length` bytes; *offset gets where it begins in
 * the record. NULL: there is none. */
static const struct data_member *member_named(const struct data_table *t,
                                              const struct data_type *y,
                                              const char *name, size_t length,
                                              uint64_t *offset, unsigned depth,
                                              unsigned *steps)
{
    for (size_t i = 0; depth < DEEPEST && i < y->members; i++) {
        const struct data_member *m = &t->member[y->first + i];
        const struct data_member *found = NULL;
        uint64_t inside = 0;

        if (++*steps > STEPS)
            return NULL;
        if (!m->name)
            found = member_named(t, &t->type[m->type], name, length, &inside,
                                 depth + 1, steps);
        else if (!strncmp(m->name, name, length) && !m->name[length])
            found = m;
        if (found) {
            *offset = m->offset + inside;
            return found;
        }
    }
    return NULL;
}

/* "[17]" of an array; what it takes of the text. 0: it is none. */
static size_t step_element(const struct data_table *t, uint32_t *type,
                           const char *text, uint64_t *address)
{
    const struct data_type *y = &t->type[*type];
    size_t digits = strspn(text + 1, "0123456789");
    uint64_t n;

    if (y->shape != DATA_ARRAY || text[1 + digits] != ']' ||
        !text_digits(text + 1, digits, &n) || n >= y->count)
        return 0;
    *address += n * t->type[y->element].size;
    *type = y->element;
    return digits + 2;
}

/* ".ready" of a record, likewise. */
static size_t step_member(const struct data_table *t, uint32_t *type,
                          const char *text, uint64_t *address)
{
    size_t length = strcspn(text + 1, ".[");
    unsigned steps = 0;
    uint64_t offset;
    const struct data_member *m =
        member_named(t, &t->type[*type], text + 1, length, &offset, 0, &steps);

    if (!m)
        return 0;
    *address += offset;
    *type = m->type;
    return length + 1;
}

bool data_table_address(const struct data_table *t, const char *text,
                        uint64_t *address)
{
    for (size_t i = 0; i < t->variables; i++) {
        const struct data_variable *v = &t->variable[i];
        size_t length = strlen(v->name), taken = 1;
        uint32_t type = v->type;

        if (strncmp(text, v->name, length) != 0)
            continue;
        *address = v->start;
        for (const char *at = text + length; taken && *at; at += taken)
            taken = *at == '.'   ? step_member(t, &type, at, address)
                    : *at == '[' ? step_element(t, &type, at, address)
                                 : 0;
        if (taken && text[length])
            return true;
    }
    return false;
}
