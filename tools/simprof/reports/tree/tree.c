/* tree.c - the reports `tree build` and `tree query`: a time tree kept in the
 * experiment, and reports on any interval of the run from it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/profile/samples.h"
#include "lib/base/text.h"
#include "tools/analysis/timetree/timetree_file.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/reports/tree/tree.h"

/* ---- options ------------------------------------------------------------- */

/* A number, or false and the refusal is said. */
static bool number(const struct options *o, int bit, const char *name,
                   uint64_t least, uint64_t most, uint64_t *n)
{
    if (!o->text[bit])
        return true;
    if (text_number(o->text[bit], n) && *n >= least && *n <= most)
        return true;
    report_refuse(o, "--%s=%s: must be a number from %" PRIu64 " to %" PRIu64,
                  name, o->text[bit], least, most);
    return false;
}

/* One of two words; the first is the default. */
static bool either(const struct options *o, int bit, const char *name,
                   const char *no, const char *yes, bool *is)
{
    const char *text = o->text[bit];

    *is = text && !strcmp(text, yes);
    if (!text || *is || !strcmp(text, no))
        return true;
    report_refuse(o, "--%s=%s: must be %s or %s", name, text, no, yes);
    return false;
}

bool tree_choice(struct recording *r, const struct options *o,
                 struct timetree_choice *c, struct selection *s)
{
    uint64_t m = 0, p = 95, n = 2, thread = 0;
    struct options others = *o;

    if (!number(o, OPTION_BIT_M, "m", 1, UINT32_MAX, &m) ||
        !number(o, OPTION_BIT_P, "p", 1, 99, &p) ||
        !number(o, OPTION_BIT_N, "n", 2, 1000, &n) ||
        !number(o, OPTION_BIT_THREAD, "thread", 0, UINT32_MAX, &thread) ||
        !either(o, OPTION_BIT_DESCEND, "descend", "literal", "inherit",
                &c->with.inherit))
        return false;
    c->with.m = m;
    c->with.p = (unsigned)p;
    c->with.n = (unsigned)n;
    c->event = o->text[OPTION_BIT_EVENT];
    c->one_thread = o->text[OPTION_BIT_THREAD] != NULL;
    c->thread = (uint32_t)thread;
    c->cpu = o->cpu;
    *s = (struct selection){0};
    others.text[OPTION_BIT_THREAD] = NULL; /* the tree's own */
    if (!o->text[OPTION_BIT_FILTERS])
        return true;
    c->where = o->text[OPTION_BIT_FILTERS];
    c->wants = selection_wants;
    c->arg = s;
    return selection_open(s, r, &others);
}

/* Build one tree, and keep it. */
static bool build_one(struct recording *r, const struct options *o,
                      const struct timetree_choice *c, FILE *to)
{
    char why[512], name[TIMETREE_SOURCE + 16];
    struct timetree_file f;
    bool kept;

    if (!timetree_file_build(&f, r, c, why, sizeof why)) {
        report_refuse(o, "%s", why);
        return false;
    }
    kept = timetree_file_write(&f, r->dir);
    timetree_file_name(f.source, name);
    if (kept)
        tree_say_shape(&f, o, to);
    else
        report_fail(o, "%s/%s: %s, the tree is not kept", o->experiment, name,
                    strerror(errno));
    timetree_file_close(&f);
    return kept;
}

/* Are there samples of idle transitions? */
static bool any_idle(struct recording *r)
{
    struct record record;
    struct recfile f;
    uint32_t version;
    bool any;

    if (recfile_open(&f, r->dir, REC_IDLE, r->cpus, &version) != RECFILE_OK)
        return false;
    any = recfile_next(&f, &record);
    recfile_close(&f);
    return any;
}

/* Of every counter that took samples and of idleness, if no event is named and
 * nothing chosen. */
void report_tree_build(struct recording *r, const struct options *o, FILE *to)
{
    struct timetree_choice c = {0};
    struct samples_metrics m;
    struct selection s;
    struct timetree_choice one;
    bool idle, good = true;

    if (!tree_choice(r, o, &c, &s))
        return;
    one = c;
    samples_metrics_open(&m, r);
    idle = !c.event && !c.one_thread && c.cpu < 0 && !c.where && any_idle(r);
    if (c.event || (m.count <= 2 && !idle))
        good = build_one(r, o, &c, to);
    for (unsigned i = 1; good && !c.event && i + 1 < m.count; i++) {
        one.event = m.list[i].name;
        one.may_be_empty = !c.one_thread && c.cpu < 0 && !c.where;
        good = build_one(r, o, &one, to);
    }
    one.event = TIMETREE_IDLE;
    if (good && idle)
        build_one(r, o, &one, to);
    samples_metrics_free(&m);
    selection_close(&s);
}

bool tree_open(struct recording *r, const struct options *o, const char *source,
               bool must, struct timetree_file *f)
{
    char name[TIMETREE_SOURCE + 16];

    timetree_file_name(source, name);
    switch (timetree_file_open(f, r->dir, source)) {
    case TIMETREE_FILE_OK:
        break;
    case TIMETREE_FILE_MISSING:
        if (must)
            report_refuse(o,
                          "%s: has no time tree of %s, make it with simprof "
                          "tree build %s",
                          o->experiment, source, o->experiment);
        return false;
    case TIMETREE_FILE_UNREADABLE:
        report_fail(o, "%s/%s: %s", o->experiment, name, strerror(errno));
        return false;
    case TIMETREE_FILE_DAMAGED:
        report_fail(o,
                    "%s/%s: damaged or of another version, make it again "
                    "with simprof tree build %s",
                    o->experiment, name, o->experiment);
        return false;
    }
    if (!timetree_file_fresh(f, r))
        problem_add(&r->problems, PROBLEM_NOTE,
                    "%s: %s has changed since it was made; make it again with "
                    "simprof tree build %s",
                    name, recfile_name((unsigned)f->origin.kind),
                    o->experiment);
    return true;
}

/* ---- query --------------------------------------------------------------- */

static void say_visit(void *arg, const struct timetree *t, uint32_t node,
                      enum timetree_relation how)
{
    static const char *const words[] = {"outside, passed over",
                                        "partly inside, its children",
                                        "inside, merged"};
    const struct timetree_node *n = &t->node[node];
    bool leaf = n->flags & TIMETREE_LEAF;

    fprintf(arg, "node %" PRIu32 " [%" PRIu64 ", %" PRIu64 "): %s\n", node,
            n->from, n->to,
            how == TIMETREE_PARTLY && leaf ? "partly inside, its samples read"
                                           : words[how]);
}

static void say_answer(const struct timetree_file *f,
                       const struct timetree_answer *a, const struct options *o,
                       FILE *to)
{
    char n[5][TEXT_NUMBER];
    uint64_t all = a->counted + a->other;

    if (a->other + a->maybe)
        report_say(o, to,
                   "\nThe stacks of %s%% of the samples are known; %s are of "
                   "stacks too rare to be kept (<Other>). No row is too large, "
                   "and none too small by more than %s samples.",
                   text_percent(n[0], a->counted, all),
                   text_count(n[1], a->other),
                   text_count(n[2], a->other + a->maybe));
    else
        report_say(o, to, "\nEvery sample is in its row: exact.");
    if (a->maybe)
        report_say(o, to,
                   "Up to %s more lie in leaves that the interval cuts; with "
                   "--descend=inherit they are not kept.",
                   text_count(n[3], a->maybe));
    if (!o->text[OPTION_BIT_VERBOSE])
        return;
    report_say(o, to,
               "Samples read one by one: %s of %s (%s%%); nodes looked at: "
               "%" PRIu64 " of %" PRIu64 ", merged: %" PRIu64 ".",
               text_count(n[0], a->read), text_count(n[1], f->tree.node[0].raw),
               text_percent(n[2], a->read, f->tree.node[0].raw), a->visited,
               f->tree.nodes, a->merged);
}

/* The tree of the samples asked for; without one of a thread, CPU or filter,
 * one leaf that holds all of those, by reading every record; that is a note. */
static bool find_chosen(struct recording *r, const struct options *o,
                        struct timetree_choice *c, struct timetree_file *f)
{
    char why[512], source[TIMETREE_SOURCE];

    if (!timetree_file_source(r, c, source, why, sizeof why)) {
        report_refuse(o, "%s", why);
        return false;
    }
    if (tree_open(r, o, source, !c->one_thread && c->cpu < 0 && !c->where, f))
        return true;
    if (o->refusal->text[0])
        return false;
    problem_add(&r->problems, PROBLEM_NOTE,
                "timetree: there is none of %s; every record was read instead",
                source);
    c->with.m = UINT64_MAX;
    if (timetree_file_build(f, r, c, why, sizeof why))
        return true;
    report_refuse(o, "%s", why);
    return false;
}

static bool find_tree(struct recording *r, const struct options *o,
                      struct timetree_file *f)
{
    struct timetree_choice c = {0};
    struct selection s;
    bool found;

    if (!tree_choice(r, o, &c, &s))
        return false;
    found = find_chosen(r, o, &c, f);
    selection_close(&s);
    if (!found || !timetree_file_idleness(f))
        return found;
    report_refuse(o,
                  "%s: simprof idle reads it; of stacks alone are trees "
                  "of to-idle and from-idle",
                  f->source);
    timetree_file_close(f);
    return false;
}

void report_tree_query(struct recording *r, const struct options *o, FILE *to)
{
    struct timetree_query q = {.to = UINT64_MAX};
    struct timetree_answer a;
    struct timetree_file f;
    enum tree_show show;

    if (!option_cycles(r, o, OPTION_BIT_FROM, 0, &q.from) ||
        !option_cycles(r, o, OPTION_BIT_TO, UINT64_MAX, &q.to))
        return;
    if (q.from > q.to) {
        report_refuse(o, "--from must be below --to");
        return;
    }
    if (!tree_choose_show(o, &show) || !find_tree(r, o, &f))
        return;
    if (!o->csv) {
        report_head(r, "samples by call stack, from the time tree", to);
        fprintf(to, "%s, cycles %" PRIu64 " to %" PRIu64 "\n\n", f.source,
                q.from, q.to < f.tree.to ? q.to : f.tree.to);
    }
    if (!o->csv && o->text[OPTION_BIT_VERBOSE]) {
        q.visit = say_visit;
        q.arg = to;
    }
    timetree_ask(&f.tree, &q, &a);
    if (q.visit)
        putc('\n', to);
    if (a.damaged)
        report_fail(o,
                    "%s: the time tree of %s is damaged, make it again with "
                    "simprof tree build %s",
                    o->experiment, f.source, o->experiment);
    else
        tree_print(&f, &a, show, o, to);
    if (!o->csv && !a.damaged)
        say_answer(&f, &a, o, to);
    timetree_forget(&a);
    timetree_file_close(&f);
}
