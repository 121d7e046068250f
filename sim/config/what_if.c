/* what_if.c - see what_if.h. Knows how specs are written, not what they do. */
#include "sim/config/what_if.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"

#define KINDS                                                                  \
    "'func:NAME=xK', 'func:NAME+=xK', 'hold:LOCK=xK', 'device:disk "           \
    "latency=xK', cpus=+N, affinity:THREAD=LIST or priority:THREAD=LEVEL"
#define FACTOR_MOST 1000u
#define CPUS_MOST 64u

uint64_t what_if_scaled(struct what_if_factor k, uint64_t n)
{
    if (!k.set)
        return n;
    return n / WHAT_IF_UNIT * k.millionths +
           n % WHAT_IF_UNIT * k.millionths / WHAT_IF_UNIT;
}

/* Always false. */
__attribute__((format(printf, 3, 4))) static bool wrong(char *why, size_t size,
                                                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(why, size, format, args);
    va_end(args);
    return false;
}

/* ---- pieces of a spec ---------------------------------------------------- */

/* "x0.25", to the end. */
static bool factor(const char *text, struct what_if_factor *k)
{
    const char *point = strchr(text, '.');
    size_t whole = point ? (size_t)(point - text) : strlen(text);
    uint64_t units, part = 0, scale = WHAT_IF_UNIT;

    if (*text != 'x' || whole < 2 || text[1] == '+' || text[1] == '-' ||
        strchr(text, 'X') || strchr(text + 1, 'x') ||
        !text_digits(text + 1, whole - 1, &units) || units > FACTOR_MOST)
        return false;
    if (point && !point[1])
        return false;
    for (const char *c = point ? point + 1 : ""; *c; c++) {
        if (*c < '0' || *c > '9' || scale == 1)
            return false;
        scale /= 10;
        part += (uint64_t)(*c - '0') * scale;
    }
    if (units == FACTOR_MOST && part)
        return false;
    *k = (struct what_if_factor){true, (uint32_t)(units * WHAT_IF_UNIT + part)};
    return true;
}

/* "1003", "worker" or "all", `length` bytes. */
static bool thread(const char *text, size_t length, struct what_if_thread *t)
{
    uint64_t n;

    if (length == 3 && memcmp(text, "all", 3) == 0)
        return true;
    if (text_digits(text, length, &n)) {
        t->number = n > INT32_MAX ? 0 : (int)n;
        return t->number;
    }
    if (!length || length >= sizeof t->name)
        return false;
    memcpy(t->name, text, length);
    return true;
}

static bool no_thread(const char *spec, char *why, size_t size)
{
    return wrong(why, size,
                 "--what-if '%s': give a thread by its number or its name, of "
                 "up to %d bytes, as simprof states has them, or all",
                 spec, WHAT_IF_THREAD - 1);
}

/* The last = of a spec; a name may have others. */
static const char *behind(const char *spec)
{
    const char *at = strrchr(spec, '=');

    return at ? at + 1 : NULL;
}

/* ---- specs --------------------------------------------------------------- */

static bool add_function(struct what_if *w, const char *spec, char *why,
                         size_t size)
{
    struct what_if_function f = {0};
    const char *name = spec + strlen("func:"), *value = behind(spec);
    size_t length = value ? (size_t)(value - 1 - name) : 0;

    if (!value || !factor(value, &f.k))
        return wrong(why, size,
                     "--what-if '%s': give 'func:NAME=xK', K from 0 to %u with "
                     "up to six digits behind a point",
                     spec, FACTOR_MOST);
    if (length && name[length - 1] == '+') {
        f.callees = true;
        length--;
    }
    if (!length || length >= sizeof f.name)
        return wrong(why, size,
                     "--what-if '%s': give a function's name, of up to %zu "
                     "bytes",
                     spec, sizeof f.name - 1);
    memcpy(f.name, name, length);
    for (unsigned n = 0; n < w->functions; n++)
        if (strcmp(w->function[n].name, f.name) == 0)
            return wrong(why, size,
                         "--what-if '%s': there is a factor of %s already",
                         spec, f.name);
    w->function[w->functions++] = f;
    return true;
}

static bool add_lock(struct what_if *w, const char *spec, char *why,
                     size_t size)
{
    struct what_if_lock l = {0};
    const char *name = spec + strlen("hold:"), *value = behind(spec);
    size_t length = value ? (size_t)(value - 1 - name) : 0;

    if (!value || !factor(value, &l.k) || !length || length >= sizeof l.name)
        return wrong(why, size,
                     "--what-if '%s': give 'hold:LOCK=xK', LOCK the variable "
                     "or the address, K from 0 to %u",
                     spec, FACTOR_MOST);
    memcpy(l.name, name, length);
    for (unsigned n = 0; n < w->locks; n++)
        if (strcmp(w->lock[n].name, l.name) == 0)
            return wrong(why, size,
                         "--what-if '%s': there is a factor of %s already",
                         spec, l.name);
    w->lock[w->locks++] = l;
    return true;
}

static bool add_disk(struct what_if *w, const char *spec, char *why,
                     size_t size)
{
    const char *value = behind(spec);

    if (!value ||
        strncmp(spec, "device:disk latency=", (size_t)(value - spec)) != 0 ||
        !factor(value, &w->disk))
        return wrong(why, size,
                     "--what-if '%s': give 'device:disk latency=xK', K from 0 "
                     "to %u; the disk is the only device with a latency",
                     spec, FACTOR_MOST);
    return true;
}

static bool add_cpus(struct what_if *w, const char *spec, char *why,
                     size_t size)
{
    const char *value = spec + strlen("cpus=");
    uint64_t n;

    if ((*value != '+' && *value != '-') ||
        !text_digits(value + 1, strlen(value + 1), &n) || !n || n > CPUS_MOST)
        return wrong(why, size,
                     "--what-if '%s': give cpus=+N or cpus=-N, N from 1 to %u, "
                     "so many more or fewer than --cpus",
                     spec, CPUS_MOST);
    w->cpus = *value == '+' ? (int)n : -(int)n;
    return true;
}

static bool add_affinity(struct what_if *w, const char *spec, char *why,
                         size_t size)
{
    const char *who = spec + strlen("affinity:"), *value = behind(spec);
    struct what_if_thread t = {0};

    if (!value || !thread(who, (size_t)(value - 1 - who), &t))
        return no_thread(spec, why, size);
    if (strcmp(value, "all") == 0)
        t.affinity = ~UINT64_C(0);
    else if (!text_cpu_list(value, &t.affinity))
        return wrong(why, size,
                     "--what-if '%s': give CPUs, such as 0,2-3, or all", spec);
    w->thread[w->threads++] = t;
    return true;
}

static bool add_priority(struct what_if *w, const char *spec, char *why,
                         size_t size)
{
    const char *who = spec + strlen("priority:"), *value = behind(spec);
    struct what_if_thread t = {.ranked = true};
    uint64_t level = 0;

    if (!value || !thread(who, (size_t)(value - 1 - who), &t))
        return no_thread(spec, why, size);
    t.idle = strcmp(value, "low") == 0;
    if (strcmp(value, "high") == 0)
        level = 99;
    else if (!t.idle &&
             (!text_digits(value, strlen(value), &level) || level > 99))
        return wrong(why, size, "--what-if '%s': give low, high or 0 to 99",
                     spec);
    t.level = (unsigned)level;
    w->thread[w->threads++] = t;
    return true;
}

static const struct {
    const char *begins;
    bool (*add)(struct what_if *w, const char *spec, char *why, size_t size);
} kinds[] = {
    {"func:", add_function},     {"hold:", add_lock},
    {"device:", add_disk},       {"cpus=", add_cpus},
    {"affinity:", add_affinity}, {"priority:", add_priority},
};

bool what_if_add(struct what_if *w, const char *spec, char *why, size_t size)
{
    for (const char *c = spec; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c == 0x7F)
            return wrong(why, size, "--what-if: give " KINDS);
    if (w->count == WHAT_IF_SPECS)
        return wrong(why, size, "--what-if '%s': %d are all there are", spec,
                     WHAT_IF_SPECS);
    for (unsigned n = 0; n < sizeof kinds / sizeof kinds[0]; n++) {
        if (strncmp(spec, kinds[n].begins, strlen(kinds[n].begins)) != 0)
            continue;
        if (!kinds[n].add(w, spec, why, size))
            return false;
        w->text[w->count++] = spec;
        return true;
    }
    return wrong(why, size, "--what-if '%s': give " KINDS, spec);
}

bool what_if_add_all(struct what_if *w, const char *specs, char *why,
                     size_t size)
{
    char *rest;
    bool good = true;

    if (!strchr(specs, ';'))
        return what_if_add(w, specs, why, size);
    rest = grow_text(specs);
    w->copy = grow(w->copy, &w->copies_room, w->copies + 1, sizeof *w->copy);
    w->copy[w->copies++] = rest;
    while (good && rest)
        good = what_if_add(w, text_part(&rest, ';'), why, size);
    return good;
}

void what_if_free(struct what_if *w)
{
    for (size_t n = 0; n < w->copies; n++)
        free(w->copy[n]);
    free(w->copy);
    *w = (struct what_if){0};
}
