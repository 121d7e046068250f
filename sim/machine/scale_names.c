/* scale_names.c - where the functions are whose time is scaled
 * (sim/core/scale.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/machine/machine.h"

#define SLEEPS "thread_sleep"     /* guest/kernel/timer.c */
#define SLEEPS_UNTIL "task_sleep" /* guest/process/wait/wait.c */

/* In the names of one file. */
static bool find(const struct names *names, const char *file,
                 const struct what_if_function *w, struct scale_function *f,
                 char *why, size_t size)
{
    const char *source[2];
    uint32_t at, other;

    if (!names_find(names, w->name, &at))
        return false;
    if (names_another(names, w->name, at, &other, source)) {
        snprintf(why, size,
                 "--what-if func:%s: %s has several, at 0x%08" PRIx32
                 " and 0x%08" PRIx32 "%s%s%s%s",
                 w->name, file, at, other, source[0] ? "; write 'func:" : "",
                 source[0] ? w->name : "", source[0] ? " (FILE)'" : "",
                 source[0] ? " with its source file" : "");
        return false;
    }
    if (!names_function(names, at, f->from, f->end) || f->from[0] != at) {
        snprintf(why, size, "--what-if func:%s: that is no function of %s",
                 w->name, file);
        return false;
    }
    f->callees = w->callees;
    f->k = w->k;
    return true;
}

static bool not_there(const struct machine *m, const struct names *names,
                      const struct image *program,
                      const struct what_if_function *w, char *why, size_t size)
{
    char near_by[DID_YOU_MEAN_TEXT];

    if (!*why)
        snprintf(why, size, "--what-if func:%s: %s%s%s has no such function%s",
                 w->name, m->with.image->name, program ? " or " : "",
                 program ? program->name : "",
                 names_near(names, w->name, near_by));
    return false;
}

bool machine_scale(struct machine *m, const struct image *program, char *why,
                   size_t size)
{
    const struct what_if *w = &m->with.what_if;
    struct names own = {0}, more = {0};
    bool good;

    m->scale.sleeps = m->scale.sleeps_until = 1;
    if (!w->functions)
        return true;
    *why = '\0';
    good = names_open(&own, m->with.image) &&
           (!program || names_open(&more, program));
    if (!good)
        snprintf(why, size, "--what-if: the host has no memory for the names");
    for (unsigned n = 0; good && n < w->functions; n++) {
        struct scale_function *f = &m->scale.function[n];

        good = find(&own, m->with.image->name, &w->function[n], f, why, size) ||
               (!*why && program &&
                find(&more, program->name, &w->function[n], f, why, size)) ||
               not_there(m, program ? &more : &own, program, &w->function[n],
                         why, size);
        m->scale.functions = n + 1;
    }
    if (good && !m->with.supervisor.enter) {
        names_find(&own, SLEEPS, &m->scale.sleeps);
        names_find(&own, SLEEPS_UNTIL, &m->scale.sleeps_until);
    }
    if (program)
        names_close(&more);
    names_close(&own);
    return good;
}
