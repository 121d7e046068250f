/* symbols.c - function symbols, put in order for lookup. */
#include "tools/analysis/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "lib/base/text.h"
#include "lib/elf/symtab.h"
#include "lib/elf/demangle.h"

enum layer { SIZED, OPEN, LABEL, SECTION };

/* A copy of text with nothing in it that a terminal would obey. */
static char *tame(const char *text)
{
    char *copy = grow_text(text);

    text_printable(copy);
    return copy;
}

static void add(struct symbols *s, const struct function *f, const char *name)
{
    s->function =
        grow(s->function, &s->room, s->count + 1, sizeof *s->function);
    s->function[s->count] = *f;
    s->function[s->count++].name = tame(name);
}

static const char *keep(struct symbols *s, const char *source)
{
    s->kept = grow(s->kept, &s->keeps_room, s->keeps + 1, sizeof *s->kept);
    return s->kept[s->keeps++] = tame(source);
}

/* Which rule a symbol comes under; -1: it names no code. */
static int layer_of(const struct elf_symbol *n)
{
    if (!n->code)
        return -1;
    if (n->kind == ELF_SYMBOL_FUNCTION || n->kind == ELF_SYMBOL_RESOLVER)
        return n->size ? SIZED : OPEN;
    if (n->kind != ELF_SYMBOL_LABEL || !strncmp(n->name, ".L", 2) ||
        n->name[0] == '$')
        return -1;
    return n->local ? LABEL : OPEN;
}

static void take_variable(struct symbols *s, const struct elf_symbol *n)
{
    if (!n->size)
        return;
    s->variable = grow(s->variable, &s->variables_room, s->variables + 1,
                       sizeof *s->variable);
    s->variable[s->variables++] = (struct variable){
        .name = tame(n->name), .start = n->address, .size = n->size};
}

/* The end of those without a size comes later and is that of the section for
 * now. */
static void take_symbol(struct symbols *s, const struct elf_symbol *n)
{
    struct function f = {
        .start = n->address, .layer = layer_of(n), .local = n->local};

    if (n->kind == ELF_SYMBOL_DATA)
        take_variable(s, n);
    f.end = f.layer == SIZED ? f.start + n->size : n->end;
    if (f.layer < 0 || f.end <= f.start)
        return;
    f.source = n->source ? keep(s, n->source) : NULL;
    add(s, &f, n->name);
}

static bool take_symbols(struct symbols *s, const struct elf_image *e)
{
    struct elf_symtab t;

    if (!elf_symtab_read(&t, e))
        return false;
    for (size_t k = 0; k < t.count; k++)
        take_symbol(s, &t.all[k]);
    elf_symtab_free(&t);
    return true;
}

static void take_section(struct symbols *s, const struct elf_section *section)
{
    char written[256];
    struct function f = {
        .start = section->address,
        .end = section->address + section->size,
        .layer = SECTION,
        .local = true,
    };

    if (!section->code || f.end <= f.start)
        return;
    snprintf(written, sizeof written, "<%s>",
             section->name ? section->name : "code");
    add(s, &f, written);
}

static void take_loads(struct symbols *s, const struct elf_image *e)
{
    struct elf_segment p;
    struct elf_wrong unused;

    for (unsigned k = 0; k < e->segments; k++) {
        if (!elf_image_segment(e, k, &p, &unused) || p.type != ELF_SEGMENT_LOAD)
            continue;
        s->loaded =
            grow(s->loaded, &s->loads_room, s->loads + 1, sizeof *s->loaded);
        s->loaded[s->loads++] =
            (struct loaded){.offset = p.offset, .size = p.file, .addr = p.va};
    }
}

/* Where its instructions were moved from (simmark opcodes); of a broken
 * section, or none, all zero. */
static void take_markers(struct symbols *s, const struct elf_image *e)
{
    struct elf_section section = {0};
    char why[200];

    while (!s->markers.home &&
           elf_image_next_named(e, MARKERS_SECTION, &section)) {
        const unsigned char *bytes = elf_section_bytes(e, &section);

        if (bytes)
            markers_read(&s->markers, bytes, section.size, why, sizeof why);
    }
}

/* By layer, start, then the name that is shown first. */
static int by_place(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    int order;

    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    order = elf_symbol_order(x->local, x->name, y->local, y->name);
    if (order)
        return order;
    return x->end < y->end ? 1 : x->end > y->end ? -1 : 0;
}

static void add_alias(struct function *f, char *name)
{
    f->alias = grow(f->alias, &f->alias_room, f->aliases + 1, sizeof *f->alias);
    f->alias[f->aliases++] = name;
}

/* Of several names for one start in one layer the first is the function's,
 * with the furthest end any of them has. */
static void drop_aliases(struct symbols *s)
{
    size_t to = 0;

    for (size_t i = 0; i < s->count; i++) {
        struct function *f = &s->function[i];
        struct function *last = to ? &s->function[to - 1] : NULL;

        if (last && last->layer == f->layer && last->start == f->start) {
            if (f->end > last->end)
                last->end = f->end;
            if (strcmp(f->name, last->name))
                add_alias(last, f->name);
            else
                free(f->name);
            for (size_t k = 0; k < f->aliases; k++)
                add_alias(last, f->alias[k]);
            free(f->alias);
        } else {
            s->function[to++] = *f;
        }
    }
    s->count = to;
    for (int layer = 0; layer <= SYMBOLS_LAYERS; layer++) {
        size_t i = layer ? s->layer[layer - 1] : 0;

        while (i < s->count && s->function[i].layer < layer)
            i++;
        s->layer[layer] = i;
    }
}

/* The first function of a layer that starts behind addr; the layer's end if
 * there is none. */
static size_t behind(const struct symbols *s, int layer, uint64_t addr)
{
    return SEARCH_FIRST(s->layer[layer], s->layer[layer + 1], i,
                        s->function[i].start > addr);
}

/* Where that starts; `none` if there is none. */
static uint64_t next_start(const struct symbols *s, int layer, uint64_t addr,
                           uint64_t none)
{
    size_t n = behind(s, layer, addr);

    return n < s->layer[layer + 1] ? s->function[n].start : none;
}

/* End what has no size at the next symbol; then note how far each layer
 * reaches, for lookups among functions that overlap. */
static void close_ends(struct symbols *s)
{
    for (size_t i = s->layer[OPEN]; i < s->layer[SECTION]; i++) {
        struct function *f = &s->function[i];

        for (int layer = SIZED; layer <= f->layer; layer++)
            f->end = next_start(s, layer, f->start, f->end) < f->end
                         ? next_start(s, layer, f->start, f->end)
                         : f->end;
    }
    s->reach = grow_zero(s->count, sizeof *s->reach);
    for (size_t i = 0; i < s->count; i++) {
        const struct function *f = &s->function[i];

        s->reach[i] = f->end;
        if (i && s->function[i - 1].layer == f->layer &&
            s->reach[i - 1] > f->end)
            s->reach[i] = s->reach[i - 1];
    }
}

/* The last function of this layer that starts at or before addr and covers
 * it. */
static long find_in(const struct symbols *s, int layer, uint64_t addr)
{
    size_t n = behind(s, layer, addr);

    while (n > s->layer[layer] && s->reach[n - 1] > addr)
        if (s->function[--n].end > addr)
            return (long)n;
    return -1;
}

/* ---- functions whose names were stripped --------------------------------- */

/* The offset in the file of what is linked at addr; addr if it has none. */
static uint64_t offset_of(const struct symbols *s, uint64_t addr)
{
    for (size_t i = 0; i < s->loads; i++)
        if (addr >= s->loaded[i].addr &&
            addr - s->loaded[i].addr < s->loaded[i].size)
            return s->loaded[i].offset + (addr - s->loaded[i].addr);
    return addr;
}

/* The furthest end of any function that has a name and covers addr, and the
 * next start of one behind addr; addr and `none` if there is none. */
static uint64_t covered(const struct symbols *s, uint64_t addr, uint64_t none,
                        uint64_t *next)
{
    uint64_t end = addr;

    *next = none;
    for (int layer = SIZED; layer < SECTION; layer++) {
        long i = find_in(s, layer, addr);
        uint64_t start = next_start(s, layer, addr, none);

        if (i >= 0 && s->function[i].end > end)
            end = s->function[i].end;
        if (start < *next)
            *next = start;
    }
    return end;
}

/* What of a section lies between functions with names gets one for each
 * stretch (ANA-78). Of a section without any the section's name says more. */
static void name_gaps(struct symbols *s, uint64_t from, uint64_t to)
{
    uint64_t at = from, next;
    bool any = covered(s, from, to, &next) > from || next < to;

    while (any && at < to) {
        uint64_t end = covered(s, at, to, &next);
        char name[64];

        if (end == at) {
            struct function f = {
                .start = at, .end = next, .layer = SECTION, .local = true};

            snprintf(name, sizeof name, "<static>@0x%llx",
                     (unsigned long long)offset_of(s, at));
            add(s, &f, name);
            end = next;
        }
        at = end;
    }
}

static int by_address(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void order(struct symbols *s)
{
    if (s->count)
        qsort(s->function, s->count, sizeof *s->function, by_place);
    drop_aliases(s);
    free(s->reach);
    close_ends(s);
}

static void name_all_gaps(struct symbols *s)
{
    size_t sections = s->count - s->layer[SECTION];
    uint64_t *bounds = grow_zero(2 * sections + 1, sizeof *bounds);

    for (size_t i = 0; i < sections; i++) {
        bounds[2 * i] = s->function[s->layer[SECTION] + i].start;
        bounds[2 * i + 1] = s->function[s->layer[SECTION] + i].end;
    }
    for (size_t i = 0; i < sections; i++)
        name_gaps(s, bounds[2 * i], bounds[2 * i + 1]);
    free(bounds);
    order(s);
}

/* Told apart by its place: a local function, or one of C++, where the
 * several bodies of a constructor have one name. */
static bool may_be_renamed(const struct function *f)
{
    if (f->layer == SECTION)
        return false;
    for (size_t i = 0; i < f->aliases; i++)
        if (!strncmp(f->alias[i], "_Z", 2))
            return true;
    return f->local;
}

/* What a name of C++ means; NULL: it is none. The demangler is opened when it
 * is wanted first. */
static char *meaning(struct demangler *d, const char *name)
{
    if (!strncmp(name, "_Z", 2) && !d->library)
        demangler_open(d);
    return demangle(d, name);
}

/* Has a function, by its symbol, the first bytes of a name for its own? */
static bool is_called(const struct symbols *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strncmp(s->function[i].name, name, length) &&
            !s->function[i].name[length])
            return true;
    return false;
}

/* C++ names as a person writes them; what the compiler wrote, and the name
 * without parameters, find the function as well. */
static void demangle_all(struct symbols *s)
{
    struct demangler d = {0};

    for (size_t i = 0; i < s->variables; i++) {
        char *meant = meaning(&d, s->variable[i].name);

        if (!meant)
            continue;
        text_printable(meant);
        free(s->variable[i].name);
        s->variable[i].name = meant;
    }
    for (size_t i = 0; i < s->count; i++) {
        struct function *f = &s->function[i];
        char *meant = meaning(&d, f->name);
        size_t n;

        if (!meant)
            meant = demangle_stub(f->name);
        if (meant) {
            text_printable(meant);
            add_alias(f, f->name);
            f->name = meant;
        }
        n = demangled_short(f->name);
        if (n && (meant || !is_called(s, f->name, n))) {
            add_alias(f, grow_text(f->name));
            f->alias[f->aliases - 1][n] = '\0';
        }
    }
    demangler_close(&d);
}

static int by_name(const void *a, const void *b)
{
    const struct function *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);

    return order ? order : (*x)->start < (*y)->start ? -1 : 1;
}

static void rename_function(struct function *f)
{
    size_t room = strlen(f->name) + (f->source ? strlen(f->source) : 0) + 32;
    char *more = grow_zero(room, 1);

    if (f->source)
        snprintf(more, room, "%s (%s)", f->name, f->source);
    else
        snprintf(more, room, "%s (0x%llx)", f->name,
                 (unsigned long long)f->start);
    free(f->name);
    f->name = more;
}

/* Tell functions of one name apart. */
static void tell_apart(struct symbols *s)
{
    struct function **list = grow_zero(s->count, sizeof *list);

    for (size_t i = 0; i < s->count; i++)
        list[i] = &s->function[i];
    qsort(list, s->count, sizeof *list, by_name);
    for (size_t i = 0, j; i < s->count; i = j) {
        for (j = i + 1; j < s->count; j++)
            if (strcmp(list[i]->name, list[j]->name))
                break;
        for (size_t k = i; j - i > 1 && k < j; k++)
            if (may_be_renamed(list[k]))
                list[k]->layer |= 0x100; /* to be renamed */
    }
    free(list);
    for (size_t i = 0; i < s->count; i++)
        if (s->function[i].layer & 0x100) {
            s->function[i].layer &= 0xFF;
            rename_function(&s->function[i]);
        }
}

static const char *refusal(const struct elf_wrong *w)
{
    switch (w->fault) {
    case ELF_FAULT_EMPTY:
    case ELF_FAULT_NOT_REGULAR:
    case ELF_FAULT_MAGIC:
    case ELF_FAULT_SHORT:
    case ELF_FAULT_HEADER:
        return "not an ELF file";
    case ELF_FAULT_CLASS:
    case ELF_FAULT_BYTE_ORDER:
    case ELF_FAULT_MACHINE:
        return "not a 32-bit big-endian PowerPC program";
    default:
        return w->text;
    }
}

bool symbols_read(struct symbols *s, int fd, char build_id[ELF_BUILD_ID],
                  char *why, size_t size)
{
    struct elf_section section = {0};
    struct elf_wrong wrong;
    struct elf_image file;
    bool ok;

    *s = (struct symbols){0};
    if (!elf_image_open_fd(&file, fd, &wrong)) {
        snprintf(why, size, "%s", refusal(&wrong));
        return false;
    }
    elf_build_id(&file, build_id);
    take_loads(s, &file);
    ok = take_symbols(s, &file);
    while (elf_image_next(&file, &section))
        take_section(s, &section);
    take_markers(s, &file);
    elf_image_close(&file);
    if (!ok) {
        snprintf(why, size, "the host has no memory for its names");
        symbols_free(s);
        return false;
    }
    order(s);
    name_all_gaps(s);
    demangle_all(s);
    tell_apart(s);
    if (s->variables)
        qsort(s->variable, s->variables, sizeof *s->variable, by_address);
    return true;
}

void symbols_free(struct symbols *s)
{
    for (size_t i = 0; i < s->count; i++) {
        for (size_t k = 0; k < s->function[i].aliases; k++)
            free(s->function[i].alias[k]);
        free(s->function[i].alias);
        free(s->function[i].name);
    }
    for (size_t i = 0; i < s->keeps; i++)
        free(s->kept[i]);
    for (size_t i = 0; i < s->variables; i++)
        free(s->variable[i].name);
    markers_free(&s->markers);
    free(s->variable);
    free(s->function);
    free(s->reach);
    free(s->loaded);
    free(s->kept);
    *s = (struct symbols){0};
}

long symbols_find(const struct symbols *s, uint64_t addr)
{
    for (int layer = 0; layer < SYMBOLS_LAYERS; layer++) {
        long found = find_in(s, layer, addr);

        if (found >= 0)
            return found;
    }
    return -1;
}

size_t symbols_variables(const struct symbols *s, uint64_t from, uint64_t to,
                         size_t *count)
{
    size_t n = SEARCH_FIRST(0, s->variables, i, s->variable[i].start >= from);
    size_t first = n;

    /* The one before may reach into it. */
    if (n && s->variable[n - 1].start + s->variable[n - 1].size > from)
        first--;
    while (n < s->variables && s->variable[n].start < to)
        n++;
    *count = n - first;
    return first;
}

bool symbols_address(const struct symbols *s, uint64_t offset, uint64_t *addr)
{
    for (size_t i = 0; i < s->loads; i++) {
        const struct loaded *l = &s->loaded[i];

        if (offset >= l->offset && offset - l->offset < l->size) {
            *addr = l->addr + (offset - l->offset);
            return true;
        }
    }
    return false;
}
