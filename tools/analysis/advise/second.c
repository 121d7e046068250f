/* second.c - what is in the way once a change is made: the run recorded with
 * it, and its first candidate.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/advise/advise.h"
#include "tools/analysis/states/words.h"

/* " --what-if '...'" for each change that the run was recorded with. */
static char *options_of(const struct advise_rerun *a)
{
    size_t size;
    char *text = NULL;
    FILE *f = open_memstream(&text, &size);

    for (const char *at = a->given; f && *at;) {
        int length = (int)strcspn(at, ";");

        fprintf(f, " --what-if '%.*s'", length, at);
        at += length + (at[length] == ';');
    }
    if (f)
        fclose(f);
    return text;
}

static bool record(const struct advise_rerun *a, const char *spec,
                   const char *exp, char why[ADVISE_WHY])
{
    char *shell = NULL, *out = NULL, *error = NULL, *given = options_of(a);
    int status = 0;
    bool good =
        asprintf(&shell,
                 "exec '%s' -q --mode=fast --switch-stacks -e "
                 "cycles:1000 -f --pmu-trace='%s' --what-if '%s'%s "
                 "--max-cycles=%" PRIu64 " %s",
                 a->simrun, exp, spec, given, a->most, a->command) >= 0 &&
        asprintf(&out, "%s/second.out", a->dir) >= 0 &&
        asprintf(&error, "%s/second.err", a->dir) >= 0 &&
        advise_await("/bin/sh", (char *[]){"sh", "-c", shell, NULL}, out, error,
                     &status, why);

    free(given);
    free(shell);
    free(out);
    free(error);
    return good;
}

/* The function that a spec is about, of those that ran or slept;
 * LOADMAP_UNKNOWN: it is about none. */
static uint32_t function_of(const struct advise *a, const char *spec)
{
    size_t length = strcspn(spec, "+=");
    char name[ADVISE_SPEC];

    if (strncmp(spec, "func:", 5))
        return LOADMAP_UNKNOWN;
    snprintf(name, sizeof name, "%.*s", (int)length - 5, spec + 5);
    for (size_t n = 0; n < a->done.roots; n++) {
        const uint32_t *f = a->places->list[a->done.root[n].place].function;

        for (unsigned k = 0; k < PLACES_FUNCTIONS; k++)
            if (f[k] != LOADMAP_UNKNOWN &&
                (!strcmp(loadmap_name(&a->r->map, f[k]), name) ||
                 loadmap_called(&a->r->map, f[k], name)))
                return f[k];
    }
    return LOADMAP_UNKNOWN;
}

/* Is a lock let go in that function alone? */
static bool holds(const struct advise *a, const char *spec, uint32_t function)
{
    char name[WORDS_TEXT];
    bool any = false;

    for (size_t n = 0; n < a->locks.places; n++) {
        const struct locks_place *p = &a->locks.place[n];
        const struct scene_lock *l = &a->scene->lock[p->lock];
        const uint32_t *f = a->places->list[p->place].function;
        bool within = false;

        words_hold(a->r, l->object, l->at, name);
        if (!p->holds || strncmp(spec + 5, name, strcspn(spec + 5, "=")) ||
            name[strcspn(spec + 5, "=")])
            continue;
        for (unsigned k = 0; k < PLACES_FUNCTIONS; k++)
            within |= f[k] == function;
        if (!within)
            return false;
        any = true;
    }
    return any;
}

/* Does one of two changes contain the other? Together they are one. */
static bool nested(const struct advise *a, const char *spec,
                   const struct advise_candidate *other)
{
    uint32_t function = function_of(a, spec);

    if (other->kind != ADVISE_FUNCTION)
        return false;
    if (!strncmp(spec, "hold:", 5))
        return holds(a, spec, other->function);
    return function != LOADMAP_UNKNOWN &&
           (function == other->function ||
            advise_is_below(a, function, other->function) ||
            advise_is_below(a, other->function, function));
}

/* The first that is another change, of those with a K; no library's. */
static void pick(const struct advise *a, const char *spec,
                 char other[ADVISE_SPEC])
{
    for (size_t n = 0; n < a->candidates && !other[0]; n++) {
        const struct advise_candidate *c = &a->candidate[n];

        if ((c->kind == ADVISE_DEVICE ||
             (c->kind == ADVISE_FUNCTION && advise_is_own(a, c->function))) &&
            strcmp(c->spec, spec) && !nested(a, spec, c))
            snprintf(other, ADVISE_SPEC, "%s", c->spec);
    }
}

bool advise_second(const struct advise_rerun *a, const char *spec,
                   uint32_t factor, char other[ADVISE_SPEC],
                   char why[ADVISE_WHY])
{
    struct recording r;
    struct scene scene;
    struct places places;
    struct advise then;
    char *exp;
    bool good;

    other[0] = '\0';
    if (asprintf(&exp, "%s/second.exp", a->dir) < 0)
        return false;
    good =
        record(a, spec, exp, why) && recording_open(&r, exp, why, ADVISE_WHY);
    free(exp);
    if (!good)
        return false;
    scene_read(&scene, &r);
    places_open(&places, &r, &scene);
    advise_open(&then, &scene, &scene, &places,
                strstr(a->command, "--sysroot") != NULL);
    advise_find(&then, factor);
    pick(&then, spec, other);
    advise_free(&then);
    places_close(&places);
    scene_free(&scene);
    recording_close(&r);
    return true;
}
