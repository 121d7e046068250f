/* timetree_samples.c - the counts of a time tree's stacks become a profile.
 * A tree keeps the name of every function and an address in it: the function
 * is looked up again, and has to have that name still.
 */
#include "tools/analysis/timetree/timetree_samples.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "tools/analysis/timetree/timetree_file.h"

/* One counter's tree and what it says of the interval. */
struct answered {
    struct timetree_file f;
    struct timetree_answer a;
    uint32_t *function; /* by call */
    bool open;
};

static bool find_functions(struct samples *p, struct recording *r,
                           struct answered *t)
{
    const struct timetree_file *f = &t->f;

    t->function = grow_zero(f->calls, sizeof *t->function);
    t->function[0] = SAMPLES_TOTAL;
    for (uint32_t i = 1; i < f->calls; i++) {
        const struct timetree_call *c = &f->call[i];
        uint32_t at = SAMPLES_TRUNCATED;

        if (c->is == TIMETREE_NAPPING)
            at = EXACT_CYCLES_NAPPING;
        else if (c->is != TIMETREE_TRUNCATED)
            at = loadmap_find(&r->map, c->pc, c->cycle).function;
        for (uint32_t k = 0;
             c->is >= TIMETREE_ORIGIN && at != EXACT_CYCLES_NAPPING &&
             k <= c->is - TIMETREE_ORIGIN && k < SAMPLES_ORIGINS;
             k++)
            at = samples_origin(p, r, at);
        if (strcmp(samples_name(r, at), timetree_name(f, i)) != 0)
            return false;
        t->function[i] = at;
    }
    return true;
}

/* Why a tree cannot be taken; NULL: it can, and is asked. */
static const char *ask(struct samples *p, struct recording *r, unsigned metric,
                       struct answered *t)
{
    const struct samples_metric *m = &p->metric.list[metric];
    struct timetree_query q = {.to = UINT64_MAX, .exact = true};

    switch (timetree_file_open(&t->f, r->dir, m->name)) {
    case TIMETREE_FILE_OK:
        t->open = true;
        break;
    case TIMETREE_FILE_MISSING:
        return "there is none";
    default:
        return "it is damaged or of another version";
    }
    if (!timetree_file_fresh(&t->f, r) || t->f.origin.kind != REC_PROFILE ||
        t->f.origin.number != m->number)
        return "its records have changed since it was made";
    if (t->f.origin.strange)
        return "some records are damaged";
    if (t->f.tree.with.inherit)
        return "with --descend=inherit it does not tell everything";
    if (!find_functions(p, r, t))
        return "the programs that it names are not those in archives";
    if (r->windowed) {
        q.from = r->from;
        q.to = r->to;
    }
    timetree_ask(&t->f.tree, &q, &t->a);
    return t->a.damaged ? "it is damaged" : NULL;
}

static void done(struct answered *t)
{
    timetree_forget(&t->a);
    free(t->function);
    if (t->open)
        timetree_file_close(&t->f);
}

/* Does a stack that is this call, or ends in it, have a sample? By call. */
static bool *met_calls(const struct answered *t)
{
    bool *met = grow_zero(t->f.calls, sizeof *met);

    for (uint32_t i = 0; i < t->f.tree.types; i++)
        met[t->f.call_of[i]] |= t->a.count[i] != 0;
    for (uint64_t i = t->f.calls; i-- > 1;)
        met[t->f.call[i].parent] |= met[i];
    return met;
}

static void take(struct samples *p, unsigned metric, const struct answered *t)
{
    struct samples_metric *m = &p->metric.list[metric];
    const struct timetree_file *f = &t->f;
    bool *met = met_calls(t), *cut = grow_zero(f->calls, sizeof *cut);
    uint32_t *node = grow_zero(f->calls, sizeof *node);

    for (uint32_t i = 1; i < f->calls; i++) {
        const struct timetree_call *c = &f->call[i];

        if (!met[i])
            continue;
        cut[i] = cut[c->parent] || c->is == TIMETREE_TRUNCATED;
        node[i] = stacktree_below(&p->tree, node[c->parent],
                                  samples_frame(p, t->function[i], 0, 0));
    }
    for (uint32_t i = 0; i < f->tree.types; i++) {
        if (!t->a.count[i])
            continue;
        stacktree_add(&p->tree, node[f->call_of[i]], metric, t->a.weight[i]);
        m->total += t->a.weight[i];
        m->samples += t->a.count[i];
        m->truncated += cut[f->call_of[i]] ? t->a.count[i] : 0;
    }
    free(met);
    free(cut);
    free(node);
}

/* Of counters with one number the first has all the samples; and is there a
 * tree at all? */
static bool worth_it(const struct samples_metrics *m, const struct recording *r)
{
    for (unsigned i = 1; i + 1 < m->count; i++)
        for (unsigned k = i + 1; k + 1 < m->count; k++)
            if (m->list[i].number == m->list[k].number)
                return false;
    return m->count > 2 && timetree_samples_there(m, r);
}

bool timetree_samples_there(const struct samples_metrics *m,
                            const struct recording *r)
{
    char name[TIMETREE_SOURCE + 16];

    if (m->count < 2)
        return false;
    timetree_file_name(m->list[1].name, name);
    return !faccessat(r->dir, name, F_OK, 0);
}

static void say(struct samples *p, struct recording *r,
                const struct answered *t)
{
    for (unsigned i = 1; i + 1 < p->metric.count && r->verbose; i++)
        problem_add(&r->problems, PROBLEM_NOTE,
                    TIMETREE_FILE ".%s: %" PRIu64 " of %" PRIu64
                                  " samples were read, %" PRIu64
                                  " nodes merged",
                    p->metric.list[i].name, t[i].a.read,
                    t[i].f.tree.node[0].raw, t[i].a.merged);
}

bool timetree_samples(struct samples *p, struct recording *r)
{
    unsigned counters = p->metric.count;
    struct answered *t;
    bool good = true;

    if (!worth_it(&p->metric, r))
        return false;
    t = grow_zero(counters, sizeof *t);
    for (unsigned i = 1; good && i + 1 < counters; i++) {
        const char *why = ask(p, r, i, &t[i]);

        good = !why;
        if (why)
            problem_add(&r->problems, PROBLEM_NOTE,
                        TIMETREE_FILE ".%s: %s; the records are read instead",
                        p->metric.list[i].name, why);
    }
    for (unsigned i = 1; good && i + 1 < counters; i++)
        take(p, i, &t[i]);
    if (good)
        say(p, r, t);
    for (unsigned i = 1; i + 1 < counters; i++)
        done(&t[i]);
    free(t);
    return good;
}
