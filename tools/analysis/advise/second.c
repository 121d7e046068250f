/* second.c - what is in the way once a change is made: the run recorded with
 * it, and its first candidate.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/advise/advise.h"

static bool record(const struct advise_rerun *a, const char *spec,
                   const char *exp, char why[ADVISE_WHY])
{
    char *shell = NULL, *out = NULL, *error = NULL;
    int status = 0;
    bool good = asprintf(&shell,
                         "exec '%s' -q --mode=fast --switch-stacks -e "
                         "cycles:1000 -f --pmu-trace='%s' --what-if '%s' %s",
                         a->simrun, exp, spec, a->command) >= 0 &&
                asprintf(&out, "%s/second.out", a->dir) >= 0 &&
                asprintf(&error, "%s/second.err", a->dir) >= 0 &&
                advise_await("/bin/sh", (char *[]){"sh", "-c", shell, NULL},
                             out, error, &status, why);

    free(shell);
    free(out);
    free(error);
    return good;
}

/* Does one of two functions run below the other? */
static bool nested(const struct advise *a, const struct advise_candidate *one,
                   const struct advise_candidate *other)
{
    return one && one->kind == ADVISE_FUNCTION &&
           other->kind == ADVISE_FUNCTION &&
           (advise_is_within(a, one->function, other->function) ||
            advise_is_within(a, other->function, one->function));
}

/* The first that is another change, of those with a K. */
static void pick(const struct advise *a, const char *spec,
                 char other[ADVISE_SPEC])
{
    const struct advise_candidate *first = NULL;

    for (size_t n = 0; n < a->candidates; n++)
        if (strcmp(a->candidate[n].spec, spec) == 0)
            first = &a->candidate[n];
    for (size_t n = 0; n < a->candidates && !other[0]; n++) {
        const struct advise_candidate *c = &a->candidate[n];

        if ((c->kind == ADVISE_FUNCTION || c->kind == ADVISE_DEVICE) &&
            c != first && !nested(a, first, c))
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
    advise_find(&then, &scene, &places, factor);
    pick(&then, spec, other);
    advise_free(&then);
    places_close(&places);
    scene_free(&scene);
    recording_close(&r);
    return true;
}
