/* change.c - see change.h. Knows how specs are written, not what they do. */
#include "tools/analysis/retime/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/elf/demangle.h"

#define CPUS_MOST 7u /* more or fewer: a machine has 1 to 8 */
#define FACTOR_MOST 1000u
#define DIGITS 6

struct retime_change retime_change_none(void)
{
    return (struct retime_change){.device = RETIME_NO_FACTOR};
}

uint64_t retime_scale(uint32_t millionths, uint64_t n)
{
    return (uint64_t)((unsigned __int128)n * millionths / RETIME_UNIT);
}

/* "x0.25", to the end. */
static bool factor(const char *text, uint32_t *k)
{
    uint64_t whole, part = 0, unit = RETIME_UNIT;
    size_t digits = *text == 'x' ? strcspn(text + 1, ".") : 0;
    const char *point = text + 1 + digits;

    if (!digits || !text_digits(text + 1, digits, &whole) ||
        whole > FACTOR_MOST ||
        (*point && (!point[1] || strlen(point) > DIGITS + 1)))
        return false;
    for (const char *c = *point ? point + 1 : point; *c; c++) {
        if (*c < '0' || *c > '9')
            return false;
        unit /= 10;
        part += (uint64_t)(*c - '0') * unit;
    }
    *k = (uint32_t)(whole * RETIME_UNIT + part);
    return true;
}

/* A lock as reports have it, of C++ too, with +0x40 behind it or not. */
static void as_reports_have_it(char name[RETIME_NAME])
{
    size_t length = strcspn(name, "+");
    size_t rest = strlen(name) - length + 1; /* with the end */
    char start[RETIME_NAME], *meant;
    struct demangler d;

    if (strncmp(name, "_Z", 2) != 0)
        return;
    memcpy(start, name, length);
    start[length] = '\0';
    demangler_open(&d);
    meant = demangle(&d, start);
    if (meant && strlen(meant) + rest <= RETIME_NAME) {
        memmove(name + strlen(meant), name + length, rest);
        memcpy(name, meant, strlen(meant));
    }
    free(meant);
    demangler_close(&d);
}

/* func:NAME=xK, func:NAME+=xK, hold:LOCK=xK. */
static bool add_scaled(struct retime_change *c, const char *spec, bool lock)
{
    struct retime_scaled s = {.lock = lock};
    const char *name = strchr(spec, ':') + 1, *value = strrchr(spec, '=');
    size_t length = value && value > name ? (size_t)(value - name) : 0;

    if (!length || !factor(value + 1, &s.millionths))
        return false;
    if (!lock && name[length - 1] == '+') {
        s.callees = true;
        length--;
    }
    if (!length || length >= sizeof s.name || c->count == RETIME_SPECS)
        return false;
    memcpy(s.name, name, length);
    if (lock)
        as_reports_have_it(s.name);
    c->scaled[c->count++] = s;
    return true;
}

static bool add_cpus(struct retime_change *c, const char *value)
{
    uint64_t n;

    if ((*value != '+' && *value != '-') ||
        !text_digits(value + 1, strlen(value + 1), &n) || !n || n > CPUS_MOST)
        return false;
    c->cpus = *value == '+' ? (int)n : -(int)n;
    return true;
}

static bool add_mask(struct retime_change *c, const char *spec)
{
    struct retime_mask m = {.cpus = UINT64_MAX};
    size_t length = strcspn(spec, "=");
    uint64_t thread = 0;

    if (!spec[length] || c->masks == RETIME_SPECS)
        return false;
    if (text_digits(spec, length, &thread)) {
        if (!thread || thread > UINT32_MAX)
            return false;
    } else if (length != 3 || memcmp(spec, "all", 3) != 0) {
        if (!length || length >= sizeof m.name)
            return false;
        memcpy(m.name, spec, length);
    }
    if (strcmp(spec + length + 1, "all") != 0 &&
        !text_cpu_list(spec + length + 1, &m.cpus))
        return false;
    m.thread = (uint32_t)thread;
    c->mask[c->masks++] = m;
    return true;
}

static bool begins(const char *spec, const char *with)
{
    return strncmp(spec, with, strlen(with)) == 0;
}

/* Is the last factor one of what has a factor already? */
static bool is_twice(const struct retime_change *c)
{
    const struct retime_scaled *last = &c->scaled[c->count - 1];

    for (const struct retime_scaled *s = c->scaled; s < last; s++)
        if (s->lock == last->lock && strcmp(s->name, last->name) == 0)
            return true;
    return false;
}

static bool add(struct retime_change *c, const char *spec, char *why,
                size_t size)
{
    static const char disk[] = "device:disk latency=";
    bool good = false;

    if (begins(spec, "func:"))
        good = add_scaled(c, spec, false);
    else if (begins(spec, "hold:"))
        good = add_scaled(c, spec, true);
    else if (begins(spec, disk))
        good = factor(spec + sizeof disk - 1, &c->device);
    else if (begins(spec, "cpus="))
        good = add_cpus(c, spec + strlen("cpus="));
    else if (begins(spec, "affinity:"))
        good = add_mask(c, spec + strlen("affinity:"));
    if (begins(spec, "priority:"))
        snprintf(why, size,
                 "--what-if '%s': a recording does not tell what another "
                 "priority changes; simrun --what-if '%s' tries it",
                 spec, spec);
    else if (!good && begins(spec, "cpus="))
        snprintf(why, size,
                 "--what-if '%s': give cpus=+N or cpus=-N, N from 1 to %u, so "
                 "many more or fewer",
                 spec, CPUS_MOST);
    else if (!good)
        snprintf(why, size,
                 "--what-if '%s': give 'func:NAME=xK', 'func:NAME+=xK', "
                 "'hold:LOCK=xK', 'device:disk latency=xK', cpus=+N or "
                 "affinity:THREAD=LIST, K from 0 to %u with up to six digits "
                 "behind a point",
                 spec, FACTOR_MOST);
    if (!good || (!begins(spec, "func:") && !begins(spec, "hold:")) ||
        !is_twice(c))
        return good;
    snprintf(why, size, "--what-if '%s': there is a factor of %s already", spec,
             c->scaled[c->count - 1].name);
    return false;
}

bool retime_change_add(struct retime_change *c, const char *specs, char *why,
                       size_t size)
{
    char *text = grow_text(specs), *rest = text;
    bool good = true;

    while (good && rest)
        good = add(c, text_part(&rest, ';'), why, size);
    free(text);
    return good;
}
