/* markspec.c - marks in words: "func:main=count,limit:13". See perfinst.h;
 * docs/pif.md has the language. Opens a file only for file:LIST.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/pif/area.h"
#include "pmu/markspec/markspec.h"
#include "lib/base/did_you_mean.h"

enum role {
#define ROLE(name, word, text) ROLE_##name,
#include "isa/role.def"
#undef ROLE
    ROLE_COUNT
};

static const char *const role_words[] = {
#define ROLE(name, word, text) word,
#include "isa/role.def"
#undef ROLE
};

/* A text that is being read. */
struct spec {
    struct perfinst *to;
    const struct perfinst_world *world;
    const char *text; /* all of it, where errors point into */
    const char *name; /* what entries say they come from */
    struct perfinst_action action;
    struct perfinst_count count; /* a count area instead */
    bool nested;                 /* inside a list */
    struct perfinst_error *error;
};

__attribute__((format(printf, 3, 4))) static bool
wrong(const struct spec *s, const char *at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    markspec_wrong(s->error, at ? (size_t)(at - s->text) : PERFINST_NOWHERE,
                   format, args);
    va_end(args);
    return false;
}

/* Nothing is wrong with the text, but this program has no such thing. */
__attribute__((format(printf, 3, 4))) static bool
lacks(const struct spec *s, const char *at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    markspec_wrong(s->error, (size_t)(at - s->text), format, args);
    va_end(args);
    s->error->lacking = true;
    return false;
}

/* The actions behind the =. */
static bool actions(const struct spec *s, const char *at,
                    struct perfinst_action *a)
{
    if (perfinst_action_parse(at, s->world->threshold, a, s->error))
        return true;
    s->error->at += (size_t)(at - s->text);
    return false;
}

/* ---- places -------------------------------------------------------------- */

static void mark(const struct spec *s, uint32_t address, uint32_t length,
                 bool data)
{
    perfinst_add(s->to, &(struct perfinst_entry){.address = address,
                                                 .length = length,
                                                 .flags = s->action.flags,
                                                 .limit = s->action.limit,
                                                 .data = data,
                                                 .text = s->name,
                                                 .count = s->count});
}

/* Data whose accesses are counted in a count area. */
static bool mark_counted(const struct spec *s, const char *at, uint32_t address,
                         uint32_t length)
{
    struct perfinst_entry e = {.address = address,
                               .length = length,
                               .data = true,
                               .text = s->name,
                               .count = s->count};
    char why[300];

    if (!perfinst_countable(s->world, &e, why, sizeof why))
        return lacks(s, at, "%s", why);
    perfinst_add(s->to, &e);
    return true;
}

/* * and ? as in file names. After a mistake the last star takes one more. */
static bool matches(const char *pattern, size_t n, const char *name)
{
    const char *end = pattern + n, *star = NULL, *taken = NULL;

    while (*name) {
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            taken = name;
        } else if (pattern < end && (*pattern == '?' || *pattern == *name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++taken;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

static void no_symbol(const struct spec *s, const char *at, size_t length)
{
    char name[256], near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    snprintf(name, sizeof name, "%.*s", (int)length, at);
    did_you_mean_begin(&n, perfinst_behind_object(name, strlen(name)));
    for (size_t k = 0; k < s->world->symbols; k++)
        did_you_mean_offer(&n, s->world->symbol[k].name);
    did_you_mean_text(&n, near_by);
    lacks(s, at, "%s has no symbol of this name%s%s%s", s->world->file,
          s->world->symbols ? "" : ", it has none at all",
          s->world->beside ? s->world->beside : "", near_by);
}

/* The symbol of this name; NULL: none, or several, which is said. A function
 * for code, anything but a function for data, if there is one. */
static const struct perfinst_symbol *symbol(const struct spec *s,
                                            const char *at, size_t n, bool data)
{
    const struct perfinst_symbol *found = NULL;
    unsigned best = 0;

    for (size_t k = 0; k < s->world->symbols; k++) {
        const struct perfinst_symbol *y = &s->world->symbol[k];
        unsigned rank = y->label ? 1 : y->function != data ? 3 : 2;

        rank += y->object ? 0 : 3; /* the program's own come first */
        if (rank < best || !perfinst_called(at, n, y))
            continue;
        if (found && rank == best && found->address != y->address) {
            if (y->object && found->object && y->object != found->object)
                lacks(s, at, "%s and %s have it: write %s:%s or %s:%s",
                      found->object, y->object, found->object, y->name,
                      y->object, y->name);
            else
                lacks(s, at,
                      "%s has several called %s, at 0x%" PRIx32
                      " and 0x%" PRIx32 "; write the address instead%s%s%s%s%s",
                      s->world->file, y->name, found->address, y->address,
                      y->source ? ", or " : "", y->source ? y->name : "",
                      y->source ? " (" : "", y->source ? y->source : "",
                      y->source ? ")" : "");
            return NULL;
        }
        found = y;
        best = rank;
    }
    if (!found)
        no_symbol(s, at, n);
    return found;
}

static bool is_number(const char *at)
{
    return *at >= '0' && *at <= '9';
}

/* NUMBER, or SYMBOL, or SYMBOL+NUMBER. */
static bool address(const struct spec *s, const char *at, size_t n, bool data,
                    uint32_t *value)
{
    const char *plus = memchr(at, '+', n);
    size_t name = plus ? (size_t)(plus - at) : n;
    const struct perfinst_symbol *y;
    uint32_t offset = 0;

    if (n && is_number(at))
        return markspec_number(at, n, value) ||
               wrong(s, at, "no number of 32 bits (write 0x for hexadecimal)");
    if (!name)
        return wrong(s, at, "an address or a symbol belongs here");
    y = symbol(s, at, name, data);
    if (!y)
        return false;
    if (plus && !markspec_number(plus + 1, n - name - 1, &offset))
        return wrong(s, plus + 1, "no number of 32 bits");
    *value = y->address + offset;
    return true;
}

/* An address that is written down is wrong for every program. */
static bool no_instruction(const struct spec *s, const char *at,
                           uint32_t address)
{
    wrong(s, at, "0x%" PRIx32 " is no instruction: no multiple of 4", address);
    s->error->lacking = !is_number(at);
    return false;
}

/* Is [start, start + size) loaded, and code if it has to be? */
static bool loaded(const struct spec *s, const char *at, uint32_t start,
                   uint64_t size, bool data)
{
    if (!data && start % 4)
        return no_instruction(s, at, start);
    for (size_t k = 0; k < s->world->places; k++) {
        const struct perfinst_place *p = &s->world->place[k];

        if (start >= p->start && start - p->start < p->size &&
            size <= p->size - (start - p->start) && (data || p->code))
            return true;
    }
    return lacks(s, at, "0x%" PRIx32 " to 0x%" PRIx64 " is not %s of %s", start,
                 start + size - 1, data ? "memory" : "code", s->world->file);
}

static bool at_address(struct spec *s, const char *at, size_t n)
{
    uint32_t start;

    if (!address(s, at, n, false, &start) || !loaded(s, at, start, 4, false))
        return false;
    mark(s, start, 4, false);
    return true;
}

/* A..B, B the first that is not in it. */
static bool bounds(const struct spec *s, const char *at, size_t n, bool data,
                   uint32_t *low, uint32_t *high)
{
    const char *dots = at;

    while (dots + 1 < at + n && memcmp(dots, "..", 2) != 0)
        dots++;
    if (dots + 1 >= at + n)
        return wrong(s, at + n, "a range is A..B, B the first behind it");
    if (!address(s, at, (size_t)(dots - at), data, low) ||
        !address(s, dots + 2, (size_t)(at + n - dots - 2), data, high))
        return false;
    if (*high <= *low) {
        wrong(s, dots + 2,
              "the range is empty: it ends at 0x%" PRIx32
              " and begins at 0x%" PRIx32,
              *high, *low);
        s->error->lacking = !is_number(at) || !is_number(dots + 2);
        return false;
    }
    if (!data && *low % 4)
        return no_instruction(s, at, *low);
    if (!data && *high % 4)
        return no_instruction(s, dots + 2, *high);
    return true;
}

static bool at_range(struct spec *s, const char *at, size_t n)
{
    uint32_t low, high;

    if (!bounds(s, at, n, false, &low, &high) ||
        !loaded(s, at, low, high - low, false))
        return false;
    mark(s, low, high - low, false);
    return true;
}

/* SYMBOL[+OFFSET][,BYTES] or NUMBER[,BYTES] */
static bool at_data(struct spec *s, const char *at, size_t n)
{
    const char *comma = memchr(at, ',', n);
    size_t name = comma ? (size_t)(comma - at) : n;
    uint32_t start, length = 4;

    if (!address(s, at, name, true, &start))
        return false;
    if (comma) {
        if (!markspec_number(comma + 1, n - name - 1, &length) || !length)
            return wrong(s, comma + 1, "a number of bytes belongs here");
    } else if (*at < '0' || *at > '9') {
        const char *plus = memchr(at, '+', name);
        const struct perfinst_symbol *y =
            symbol(s, at, plus ? (size_t)(plus - at) : name, true);

        if (!y || start - y->address >= y->size)
            return lacks(s, plus ? plus : at,
                         "%s: say how many bytes, as in data:NAME,4",
                         y && y->size ? "this is behind its end"
                                      : "its size is not known");
        length = y->size - (start - y->address);
    }
    if (!loaded(s, at, start, length, true))
        return false;
    if (s->count.granule)
        return mark_counted(s, at, start, length);
    mark(s, start, length, true);
    return true;
}

static unsigned roles(const struct spec *s, uint32_t address, uint32_t *target)
{
    return s->world->roles(s->world->arg, address, target);
}

/* Calls of a function, wherever they are, that name it. */
static bool at_callers(struct spec *s, const char *at, size_t n)
{
    uint32_t callee, target;

    if (!address(s, at, n, false, &callee))
        return false;
    for (size_t k = 0; k < s->world->places; k++) {
        const struct perfinst_place *p = &s->world->place[k];

        for (uint32_t i = 0; p->code && p->size - i >= 4; i += 4) {
            target = ~callee;
            if (roles(s, p->start + i, &target) & 1u << ROLE_CALL &&
                target == callee)
                mark(s, p->start + i, 4, false);
        }
    }
    return true;
}

/* Instructions of this role in a function; ROLE_COUNT: all. */
static bool in_function(struct spec *s, const char *at,
                        const struct perfinst_symbol *y, enum role role)
{
    uint32_t size = y->size & ~UINT32_C(3), target;

    if (!size)
        return lacks(s, at, "the size of %s is not known, write range:A..B",
                     y->name);
    if (!loaded(s, at, y->address, size, false))
        return false;
    if (role == ROLE_COUNT)
        mark(s, y->address, size, false);
    else
        for (uint32_t k = 0; k < size; k += 4)
            if (roles(s, y->address + k, &target) & 1u << role)
                mark(s, y->address + k, 4, false);
    return true;
}

/* A name, or a pattern for several functions: of the program, or of the object
 * that is named in front. */
static bool functions(struct spec *s, const char *at, size_t n, enum role role)
{
    const struct perfinst_symbol *y;
    const char *from;
    bool any = false;

    if (!memchr(at, '*', n) && !memchr(at, '?', n)) {
        y = symbol(s, at, n, false);
        return y && in_function(s, at, y, role);
    }
    for (size_t k = 0; k < s->world->symbols; k++) {
        y = &s->world->symbol[k];
        from = perfinst_own_name(at, n, y);
        if (!y->function || y->size < 4 || (y->object && from == at) ||
            !matches(from, (size_t)(at + n - from), y->name))
            continue;
        any = true;
        if (!in_function(s, at, y, role))
            return false;
    }
    return any ||
           lacks(s, at, "no function of %s is called like this%s",
                 s->world->file, s->world->beside ? s->world->beside : "");
}

static bool at_function(struct spec *s, const char *at, size_t n)
{
    return functions(s, at, n, ROLE_COUNT);
}

static void found_line(void *to, uint32_t start, uint32_t size)
{
    mark(to, start, size, false);
}

/* FILE:LINE */
static bool at_line(struct spec *s, const char *at, size_t n)
{
    const char *colon = at + n;
    uint32_t line;
    char file[256];

    while (colon > at && *colon != ':')
        colon--;
    if (colon == at || (size_t)(colon - at) >= sizeof file ||
        !markspec_number(colon + 1, (size_t)(at + n - colon - 1), &line))
        return wrong(s, at, "a line is FILE:NUMBER");
    snprintf(file, sizeof file, "%.*s", (int)(colon - at), at);
    if (!s->world->line)
        return wrong(s, at,
                     "simrun does not read source lines: mark them "
                     "with simmark");
    if (!s->world->line(s->world->arg, file, line, s, found_line))
        return lacks(s, at,
                     "%s has no instruction of this line; is it "
                     "compiled with -g?",
                     s->world->file);
    return true;
}

static bool parse(struct spec *s, const char *text, const char *end);

/* A spec a line; blanks in front, and what follows #, do not count. */
static bool at_file(struct spec *s, const char *at, size_t n)
{
    char name[512], line[1024];
    struct perfinst_error error = {0};
    unsigned row = 0;
    bool ok = true;
    FILE *f;

    snprintf(name, sizeof name, "%.*s", (int)n, at);
    f = s->nested || n >= sizeof name ? NULL : fopen(name, "r");
    if (!f)
        return wrong(s, at,
                     s->nested ? "a list cannot name another one"
                               : "this file cannot be read");
    while (ok && fgets(line, sizeof line, f)) {
        struct spec inner = *s;
        char *begin = line + strspn(line, " \t"), *stop;

        row++;
        stop = begin + strcspn(begin, "#\n");
        while (stop > begin && strchr(" \t\r", stop[-1]))
            stop--;
        *stop = '\0';
        inner.text = line;
        inner.nested = true;
        inner.error = &error;
        ok = !*begin || parse(&inner, begin, stop);
    }
    if (!ok) {
        wrong(s, at, "%s:%u:%zu: %s", name, row,
              error.at == PERFINST_NOWHERE ? 1 : error.at + 1, error.why);
        s->error->lacking = error.lacking;
    } else if (ferror(f)) {
        ok = wrong(s, at, "this file cannot be read");
    }
    fclose(f);
    return ok;
}

static const struct {
    const char *word;
    bool (*read)(struct spec *s, const char *at, size_t n);
} place_rows[] = {{"func", at_function},  {"addr", at_address},
                  {"range", at_range},    {"data", at_data},
                  {"line", at_line},      {"file", at_file},
                  {"callers", at_callers}};

/* area:PLACE[:GRANULARITY[:UNIT]] behind an =, words of 4 bytes unless said
 * otherwise. */
static bool area(struct spec *s, const char *at)
{
    uint32_t *number[] = {&s->count.granule, &s->count.unit};
    size_t n = strcspn(at, ":");

    s->count = (struct perfinst_count){4, 0, 4};
    s->action = (struct perfinst_action){0};
    if (!address(s, at, n, true, &s->count.area))
        return false;
    for (unsigned k = 0; k < 2 && at[n]; k++) {
        at += n + 1;
        n = strcspn(at, ":");
        if (!markspec_number(at, n, number[k]) ||
            !area_has(s->count.granule, s->count.unit))
            return wrong(s, at,
                         k ? "a count unit is 1, 2 or 4 bytes"
                           : "a granularity is a power of two, 1 to 4096");
    }
    return !at[n] ||
           wrong(s, at + n, "area:NAME:GRANULARITY:UNIT, and no more");
}

/* What stands behind the =, which is about the place at text. */
static bool meaning(struct spec *s, const char *text, const char *at)
{
    if (strncmp(at, "area:", 5) != 0)
        return actions(s, at, &s->action);
    if (strncmp(text, "data:", 5) != 0 && strncmp(text, "file:", 5) != 0)
        return wrong(s, at, "a count area is of data: data:NAME=area:NAME");
    return area(s, at + 5);
}

/* text to end, which is 0 */
static bool parse(struct spec *s, const char *text, const char *end)
{
    const char *colon = strchr(text, ':'), *equals = strchr(text, '=');
    const char *stop = equals ? equals : end;
    size_t word, n;

    if (equals)
        s->count = (struct perfinst_count){0};
    if (equals && !meaning(s, text, equals + 1))
        return false;
    if (!colon || colon > stop)
        colon = stop;
    word = (size_t)(colon - text);
    n = colon < stop ? (size_t)(stop - colon - 1) : 0;
    for (unsigned k = 0; k < sizeof place_rows / sizeof place_rows[0]; k++)
        if (markspec_is(text, word, place_rows[k].word))
            return n ? place_rows[k].read(s, colon + 1, n)
                     : wrong(s, stop, "what? %s:... names nothing",
                             place_rows[k].word);
    for (unsigned k = 0; k < ROLE_COUNT; k++)
        if (markspec_is(text, word, role_words[k]))
            return n ? functions(s, colon + 1, n, (enum role)k)
                     : wrong(s, stop, "which function's? %s:NAME",
                             role_words[k]);
    return wrong(s, text,
                 "a mark is func:, addr:, range:, data:, line:, file:, "
                 "branches:, calls:, returns:, syscalls:, loads:, stores: or "
                 "callers: and what, then =ACTION");
}

/* LOADS and STORES make sense for data, and RANGE for what is one stretch. */
static bool sensible(const struct spec *s, size_t from)
{
    for (size_t k = from; k < s->to->count; k++)
        if (!s->to->entry[k].data &&
            s->to->entry[k].flags & (PERFINST_LOADS | PERFINST_STORES))
            return wrong(s, s->text,
                         "loads-only and stores-only are for "
                         "data; loads:NAME marks load "
                         "instructions");
    return true;
}

bool perfinst_parse(struct perfinst *p, const struct perfinst_world *w,
                    const char *text, const struct perfinst_action *fallback,
                    struct perfinst_error *e)
{
    struct spec s = {.to = p,
                     .world = w,
                     .text = text,
                     .name = text,
                     .action = *fallback,
                     .error = e};
    size_t from = p->count;

    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return wrong(&s, c, "a character that is none");
    return parse(&s, text, text + strlen(text)) && sensible(&s, from);
}

bool perfinst_parse_range(struct perfinst *p, const struct perfinst_world *w,
                          const char *text, bool data, struct perfinst_error *e)
{
    struct spec s = {.to = p,
                     .world = w,
                     .text = text,
                     .name = text,
                     .action = {PERFINST_RANGE, 0},
                     .error = e};
    const struct perfinst_symbol *y;
    uint32_t low, high;

    if (strstr(text, "..")) {
        if (!bounds(&s, text, strlen(text), data, &low, &high))
            return false;
        mark(&s, low, high - low, data);
        return true;
    }
    if (data)
        return at_data(&s, text, strlen(text));
    y = symbol(&s, text, strlen(text), false);
    return y && in_function(&s, text, y, ROLE_COUNT);
}
