/* tried.c - see tried.h; and tried_write of advise.h. */
#define _GNU_SOURCE
#include "tools/analysis/advise/advise.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/replace_file.h"
#include "lib/base/text.h"
#include "lib/base/text_lines.h"
#include "lib/elf/demangle.h"

#define NAME "tried"
#define FORMAT "simrun-tried"
#define VERSION "1"
#define FUNC "func:"

static bool is_cause(const struct advise *a, const struct advise_plan *p,
                     size_t n)
{
    return n == p->best && advise_brings(p, &a->candidate[n].measured) &&
           advise_brings(p, &p->confirmed);
}

bool tried_write(const struct advise *a, const struct advise_plan *p,
                 const char *experiment)
{
    struct replace file;
    char *path;
    bool good;

    if (asprintf(&path, "%s/" NAME, experiment) < 0)
        return false;
    good = replace_open(&file, path);
    free(path);
    if (!good)
        return false;
    fputs(FORMAT " " VERSION "\n", file.to);
    for (size_t n = 0; n < p->tried; n++) {
        const struct advise_candidate *c = &a->candidate[n];
        const struct advise_gain *g = &c->measured;

        if (g->gain.spread)
            fprintf(file.to,
                    "change %" PRId64 " %" PRIu64 " %" PRId64 " %" PRIu64
                    " %" PRId64 " %zu %d %d %d %s\n",
                    c->predicted, retime_recorded(a->graph), g->gain.mean,
                    g->gain.half, g->base, g->gain.count, advise_brings(p, g),
                    is_cause(a, p, n), c->doubt == RETIME_POLLS, c->spec);
    }
    for (size_t n = 0; n < p->pairs; n++) {
        const struct advise_pair *x = &p->pair[n];

        if (advise_is_together(p, x))
            fprintf(file.to, "pair %" PRId64 " %" PRId64 " %s; %s\n",
                    x->measured.gain.mean, x->measured.base, x->one, x->other);
    }
    return replace_close(&file, !ferror(file.to));
}

/* ---- reading ------------------------------------------------------------- */

/* "PREDICTED RECORDED MEAN HALF BASE PAIRS BRINGS CAUSE AT_MOST SPEC". */
static bool read_change(const char *value, struct tried *t)
{
    unsigned brings, cause, at_most;
    int used = 0;

    *t = (struct tried){.base = 0};
    if (sscanf(value,
               "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %u %u %u %u %n",
               &t->predicted, &t->recorded, &t->mean, &t->half, &t->base,
               &t->pairs, &brings, &cause, &at_most, &used) != 9 ||
        !used || !value[used] || strlen(value + used) >= sizeof t->spec ||
        t->recorded <= 0 || t->base <= 0 || t->half < 0 || t->mean > t->base ||
        t->mean < -(INT64_C(1) << 50) || t->base > INT64_C(1) << 50 ||
        t->half > INT64_C(1) << 50 || brings > 1 || cause > brings ||
        at_most > 1)
        return false;
    strcpy(t->spec, value + used);
    t->brings = brings;
    t->cause = cause;
    t->at_most = at_most;
    return true;
}

/* "MEAN BASE SPEC; SPEC". */
static bool read_pair(const char *value, struct tried_pair *p)
{
    const char *end;
    int used = 0;

    if (sscanf(value, "%" SCNd64 " %" SCNd64 " %n", &p->mean, &p->base,
               &used) != 2 ||
        !used || p->base <= 0 || p->mean <= 0 || p->mean > p->base)
        return false;
    end = strstr(value + used, "; ");
    if (!end || (size_t)(end - value) - (size_t)used >= sizeof p->one ||
        !end[2] || strlen(end + 2) >= sizeof p->other)
        return false;
    snprintf(p->one, sizeof p->one, "%.*s", (int)(end - value) - used,
             value + used);
    snprintf(p->other, sizeof p->other, "%s", end + 2);
    return true;
}

static bool read_line(struct tried_list *t, const char *key, const char *value)
{
    if (!strcmp(key, "change")) {
        t->list = grow(t->list, &t->room, t->count + 1, sizeof *t->list);
        return read_change(value, &t->list[t->count++]);
    }
    if (!strcmp(key, "pair")) {
        t->pair = grow(t->pair, &t->pairs_room, t->pairs + 1, sizeof *t->pair);
        return read_pair(value, &t->pair[t->pairs++]);
    }
    return true;
}

void tried_read(struct tried_list *t, const struct recording *r)
{
    struct text_lines l;

    *t = (struct tried_list){.list = NULL};
    if (!text_lines_read(&l, r->dir, NAME)) {
        t->damaged = errno != ENOENT;
        return;
    }
    t->damaged = l.garbage || !l.count || strcmp(l.line[0].key, FORMAT) ||
                 strcmp(l.line[0].value, VERSION);
    for (size_t n = 1; n < l.count && !t->damaged; n++)
        t->damaged = !read_line(t, l.line[n].key, l.line[n].value);
    if (t->damaged)
        t->count = t->pairs = 0;
    text_lines_free(&l);
}

void tried_free(struct tried_list *t)
{
    free(t->list);
    free(t->pair);
    *t = (struct tried_list){.list = NULL};
}

/* ---- asking -------------------------------------------------------------- */

/* What a spec is about: up to its =, without a + in front of that. */
static size_t target(const char *spec)
{
    const char *end = strrchr(spec, '=');
    size_t length = end ? (size_t)(end - spec) : strlen(spec);

    return length && spec[length - 1] == '+' ? length - 1 : length;
}

/* Has a name of C++ that is as long as this one no parameters, and is it the
 * other's without its own? */
static bool is_short_of(const char *name, size_t length, const char *other,
                        size_t size)
{
    char *whole;
    bool is;

    if (length >= size || other[length] != '(' || memcmp(name, other, length))
        return false;
    whole = grow_text(other);
    whole[size] = '\0';
    is = demangled_short(whole) == length;
    free(whole);
    return is;
}

static bool is_same_name(const char *a, size_t length, const char *b,
                         size_t size)
{
    return (length == size && !memcmp(a, b, length)) ||
           is_short_of(a, length, b, size) || is_short_of(b, size, a, length);
}

bool tried_is_of(const char *spec, const char *function)
{
    size_t head = sizeof FUNC - 1;

    return !strncmp(spec, FUNC, head) &&
           is_same_name(spec + head, target(spec) - head, function,
                        strlen(function));
}

const struct tried *tried_find(const struct tried_list *t, const char *spec)
{
    const struct tried *other = NULL;
    bool whole = strstr(spec, "+=");

    for (size_t n = 0; n < t->count; n++) {
        const struct tried *is = &t->list[n];

        if (!is_same_name(is->spec, target(is->spec), spec, target(spec)))
            continue;
        if ((strstr(is->spec, "+=") != NULL) == whole)
            return is;
        other = other ? other : is;
    }
    return other;
}

const char *tried_with(const struct tried_list *t, const char *spec,
                       double *percent)
{
    for (size_t n = 0; n < t->pairs; n++) {
        const struct tried_pair *p = &t->pair[n];
        bool one = is_same_name(p->one, target(p->one), spec, target(spec));

        if (!one &&
            !is_same_name(p->other, target(p->other), spec, target(spec)))
            continue;
        *percent = 100 * (double)p->mean / (double)p->base;
        return one ? p->other : p->one;
    }
    return NULL;
}

bool tried_is_apart(int64_t base, int64_t recorded)
{
    return (base < recorded ? recorded - base : base - recorded) >
           recorded / 10;
}

void tried_keep_near(struct tried_list *t)
{
    size_t kept = 0;

    for (size_t n = 0; n < t->count; n++)
        if (!tried_is_apart(t->list[n].base, t->list[n].recorded))
            t->list[kept++] = t->list[n];
    t->count = kept;
}

static double percent(int64_t part, int64_t of)
{
    return 100 * (double)part / (double)of;
}

void tried_say_change(const struct tried *t, FILE *to)
{
    size_t length = target(t->spec), head = sizeof FUNC - 1;
    const char *factor = strstr(t->spec + length, "=x");

    if (strncmp(t->spec, FUNC, head) || !factor) {
        fputs(t->spec, to);
        return;
    }
    fprintf(to, "%.*s%s in ", (int)(length - head), t->spec + head,
            t->spec[length] == '+' ? " and what it calls" : "");
    if (strcmp(factor, "=x0.5"))
        fprintf(to, "%s times the time", factor + 2);
    else
        fputs("half the time", to);
}

void tried_say(const struct tried *t, FILE *to)
{
    char base[TEXT_NUMBER], recorded[TEXT_NUMBER];

    fputs("the run takes ", to);
    if (t->brings)
        fprintf(to, "%.1f%% fewer cycles", percent(t->mean, t->base));
    else
        fputs("as long", to);
    if (t->half * 2000 < t->base)
        fputs(" (the same each time; ", to);
    else
        fprintf(to, " (95%%: %.1f to %.1f%%; ",
                percent(t->mean - t->half, t->base),
                percent(t->mean + t->half, t->base));
    fprintf(to, "predicted %s%.1f%%)", t->at_most ? "at most " : "",
            percent(t->predicted, t->recorded));
    if (tried_is_apart(t->base, t->recorded))
        fprintf(to,
                ", in fast mode, in which it takes %s cycles, not %s as "
                "recorded",
                text_count(base, (uint64_t)t->base),
                text_count(recorded, (uint64_t)t->recorded));
}
