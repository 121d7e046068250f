/* causes_only.c - see causes_only.h. */
#include "tools/simprof/reports/causes/causes_only.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/states/words.h"

/* ---- an object ----------------------------------------------------------- */

/* Is it called so: as a variable, with what lies behind it or without, as
 * --what-if hold: has it, or by its address? */
static bool is_called(const struct causes_only *c, uint32_t kind,
                      uint32_t object, uint64_t cycle)
{
    char name[WORDS_TEXT], said[WORDS_TEXT], address[WORDS_TEXT];

    if (kind != OBJECT_KERNEL && kind != OBJECT_USER)
        return false;
    words_symbol(c->scene->r, object, cycle, name);
    words_object(c->scene->r, kind, object, cycle, said);
    snprintf(address, sizeof address, "0x%08" PRIx32, object);
    return !strcmp(c->object, name) || !strcmp(c->object, said) ||
           !strcmp(c->object, address);
}

/* What was found for a kind and object is kept: stays are many. */
static bool is_it(const struct causes_only *c, struct hash *known,
                  uint32_t kind, uint32_t object, uint64_t cycle)
{
    bool fresh;
    uint32_t *is = hash_at(known, (uint64_t)kind << 32 | object, &fresh);

    if (fresh)
        *is = is_called(c, kind, object, cycle);
    return *is;
}

static bool find_object(struct causes_only *c)
{
    const struct scene *s = c->scene;
    struct hash known = {0};
    bool any = false;

    c->waits = grow_zero(s->stays + 1, sizeof *c->waits);
    c->lock = grow_zero(s->locks + 1, sizeof *c->lock);
    c->poll = grow_zero(s->polls + 1, sizeof *c->poll);
    for (uint32_t n = 0; n < s->locks; n++)
        c->lock[n] =
            is_it(c, &known, s->lock[n].kind, s->lock[n].object, s->lock[n].at);
    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];

        c->waits[n] =
            scene_blocked(t) && is_it(c, &known, t->kind, t->object, t->from);
        any |= c->waits[n];
    }
    for (uint32_t n = 0; n < s->polls; n++) {
        c->poll[n] =
            !s->poll[n].works &&
            is_it(c, &known, OBJECT_USER, s->poll[n].object, s->poll[n].since);
        any |= c->poll[n];
    }
    for (size_t n = 0; n < s->spins && !any; n++)
        any = s->spin[n].lock != SCENE_NONE && c->lock[s->spin[n].lock];
    hash_free(&known);
    return any;
}

/* Does its thread wait for that, look for it now and then, or spin? */
static bool is_for(const struct causes_only *c, const struct chain_hop *h)
{
    const struct scene *s = c->scene;

    if (h->spin)
        return h->spin->poll != SCENE_NONE ? c->poll[h->spin->poll]
                                           : c->lock[h->spin->lock];
    return h->stay != SCENE_NONE &&
           (c->waits[h->stay] || (s->stay[h->stay].poll != SCENE_NONE &&
                                  c->poll[s->stay[h->stay].poll]));
}

static bool goes_through(const struct causes_only *c, const struct chain *chain)
{
    for (unsigned n = 0; n < chain->hops; n++)
        if (is_for(c, &chain->hop[n]))
            return true;
    return false;
}

/* ---- a process ----------------------------------------------------------- */

static uint32_t process_of(const struct causes_only *c, uint32_t thread)
{
    const struct scene_thread *t = &c->scene->thread[thread];
    uint64_t at = t->stays ? c->scene->stay[t->first].from : 0;

    return threads_process(&c->scene->r->threads, t->id, at, t->id);
}

static bool has_threads(const struct causes_only *c)
{
    for (uint32_t n = 0; n < c->scene->threads; n++)
        if (process_of(c, n) == c->process)
            return true;
    return false;
}

/* ---- all ----------------------------------------------------------------- */

bool causes_only_open(struct causes_only *c, const struct scene *s,
                      const struct options *o)
{
    const char *process = o->text[OPTION_BIT_PROCESS];
    uint64_t n;

    *c = (struct causes_only){.scene = s,
                              .object = o->text[OPTION_BIT_OBJECT],
                              .one_process = process};
    if (causes_only_some(c) && o->text[OPTION_BIT_METHODS]) {
        report_refuse(o, "--process and --object do not go with --methods");
        return false;
    }
    if (process && (!text_number(process, &n) || n > UINT32_MAX)) {
        report_refuse(o,
                      "--process=%s: must be a process's number; simprof "
                      "statistics lists them",
                      process);
        return false;
    }
    c->process = process ? (uint32_t)n : 0;
    if (process && !has_threads(c)) {
        report_refuse(o,
                      "--process=%s: no state of a thread of that process is "
                      "recorded; simprof statistics lists them",
                      process);
        return false;
    }
    if (c->object && !find_object(c)) {
        report_refuse(
            o,
            "--object=%s: no thread waits or spins for anything of that name; "
            "simprof locks and history name what they wait for",
            c->object);
        return false;
    }
    return true;
}

void causes_only_close(struct causes_only *c)
{
    free(c->waits);
    free(c->lock);
    free(c->poll);
}

bool causes_only_some(const struct causes_only *c)
{
    return c->object || c->one_process;
}

bool causes_only_counts(void *only, uint32_t thread, const struct chain *chain)
{
    const struct causes_only *c = only;

    return (!c->one_process ||
            (thread != SCENE_NONE && process_of(c, thread) == c->process)) &&
           (!c->object || goes_through(c, chain));
}

void causes_only_say(const struct causes_only *c, const struct options *o,
                     FILE *to)
{
    if (c->one_process)
        report_say(o, to, "Only what threads of process %" PRIu32 " wait for.",
                   c->process);
    if (c->object)
        report_say(o, to, "Only where a thread waits for %s.", c->object);
    putc('\n', to);
}
