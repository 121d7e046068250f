/* advise.c - the report `advise`: what changes are predicted to bring, and what
 * they brought when the run was done again with them. Candidates and runs are
 * the matter of tools/analysis/advise.
 */
#include "tools/analysis/advise/advise.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "tools/analysis/advise/tried.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/same_code.h"
#include "tools/simprof/reports/causes/causes_roots.h"

#define TITLE "what would bring how much"
#define SECONDS 60u /* without --budget */
#define TRIES 6u    /* without --limit */
#define SHARE 24    /* room for a share as text */

struct view {
    struct advise a;
    struct advise_rerun again;
    struct advise_plan plan;
    struct naps naps;
    struct recording *r;
    const struct options *o;
    FILE *to;
};

/* ---- options ------------------------------------------------------------- */

/* "0.25" in millionths, below 1. */
static bool read_factor(const char *text, uint32_t *factor)
{
    uint64_t scale = ADVISE_UNIT / 10;

    if (!text)
        return true;
    *factor = 0;
    if (strcmp(text, "0") == 0)
        return true;
    if (strncmp(text, "0.", 2) != 0 || !text[2])
        return false;
    for (text += 2; *text; text++, scale /= 10) {
        if (*text < '0' || *text > '9' || !scale)
            return false;
        *factor += (uint32_t)((uint64_t)(*text - '0') * scale);
    }
    return true;
}

static bool read_options(struct view *v, uint32_t *factor)
{
    const char *budget = v->o->text[OPTION_BIT_BUDGET],
               *given = v->o->text[OPTION_BIT_PAIRS];
    uint64_t seconds = SECONDS, pairs = ADVISE_SEEDS;

    *factor = ADVISE_UNIT / 2;
    v->plan.most = v->o->text[OPTION_BIT_LIMIT] ? v->o->limit : TRIES;
    if (!v->plan.most)
        v->plan.most = UINT32_MAX;
    if (!read_factor(v->o->text[OPTION_BIT_FACTOR], factor))
        report_refuse(v->o, "--factor: give a number from 0 to below 1, with "
                            "up to six digits behind the point");
    else if (budget &&
             (!text_number(budget, &seconds) || !seconds || seconds > 1000000))
        report_refuse(v->o, "--budget: give seconds, 1 to 1000000");
    else if (given &&
             (!text_number(given, &pairs) || pairs < 3 || pairs > ADVISE_SEEDS))
        report_refuse(v->o, "--pairs: give 3 to %u pairs of runs",
                      ADVISE_SEEDS);
    v->plan.seconds = (unsigned)seconds;
    v->plan.seeds = (unsigned)pairs;
    return !v->o->refusal->text[0];
}

/* ---- numbers ------------------------------------------------------------- */

/* n of `of` in percent, one digit, with a sign if it is below nothing. */
static const char *share(char out[SHARE], int64_t n, int64_t of)
{
    uint64_t size = (uint64_t)(n < 0 ? -n : n),
             whole = of > 0 ? (uint64_t)of : 1,
             tenths = (uint64_t)(((unsigned __int128)size * 1000 + whole / 2) /
                                 whole);

    snprintf(out, SHARE, "%s%" PRIu64 ".%" PRIu64, n < 0 && tenths ? "-" : "",
             tenths / 10, tenths % 10);
    return out;
}

static void put_prefixed(struct table *t, const char *prefix, int64_t n,
                         int64_t of)
{
    char plain[SHARE], text[SHARE + 2];

    snprintf(text, sizeof text, "%s%s%%", prefix, share(plain, n, of));
    table_number(t, text, plain);
}

static void put_share(struct table *t, int64_t n, int64_t of)
{
    put_prefixed(t, "", n, of);
}

static void put_none(struct table *t, unsigned cells)
{
    while (cells--)
        table_both(t, ".", "");
}

/* ---- the table ----------------------------------------------------------- */

static void columns(struct table *t)
{
    table_column(t, "predicted", "predicted_percent", TABLE_NUMBER);
    table_column(t, "measured", "measured_percent", TABLE_NUMBER);
    table_column(t, "95%", "half_interval", TABLE_NUMBER);
    table_column(t, "", "predicted_cycles", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "measured_cycles", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "half_cycles", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "base_cycles", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "pairs", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "brings", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "kind", TABLE_CSV);
    table_column(t, "", "change", TABLE_CSV);
    table_column(t, "change", "", TABLE_TEXT | TABLE_WHOLE);
    table_column(t, "what it is about", "what", TABLE_CSV);
    table_column(t, "line", "line", TABLE_CSV);
    table_column(t, "", "at_most", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "in_doubt", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "what it is about", "", TABLE_TEXT);
}

static void put_signed(struct table *t, int64_t n)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, n);
    table_number(t, text, text);
}

#define SPEC 44 /* bytes of a change in a table of text */

/* Of several that are too long together the first. */
static void put_change(struct table *t, const char *change)
{
    char first[SPEC + 8];
    int length = (int)strcspn(change, ";");

    snprintf(first, sizeof first, "%.*s; ..", length < SPEC ? length : SPEC,
             change);
    table_text(t, change[length] && strlen(change) > SPEC ? first : change);
}

/* One row; predicted NULL: nothing was. */
static void put_row(struct table *t, const struct view *v,
                    const int64_t *predicted, enum retime_doubt doubt,
                    const struct advise_gain *g, const char *kind,
                    const char *change, const char *what, const char *line)
{
    static const char *const sign[] = {
        [RETIME_HOLDS] = "",  [RETIME_POLLS] = "<",   [RETIME_LOOKS] = "~",
        [RETIME_ORDER] = "~", [RETIME_CONVOY] = "~",  [RETIME_BEYOND] = "~",
        [RETIME_MEETS] = "~", [RETIME_READERS] = "~", [RETIME_PLAYS] = "~",
        [RETIME_HELD] = "~",  [RETIME_WHERE] = "~",
    };
    /* Of a path the last name: what is behind it is read first. */
    const char *slash = strrchr(line, '/');
    char about[2 * ADVISE_TEXT];

    if (predicted)
        put_prefixed(t, sign[doubt], *predicted,
                     (int64_t)retime_recorded(v->a.graph));
    else
        put_none(t, 1);
    if (g->gain.count) {
        put_share(t, g->gain.mean, g->base);
        put_share(t, (int64_t)g->gain.half, g->base);
    } else {
        put_none(t, 2);
    }
    put_signed(t, predicted ? *predicted : 0);
    put_signed(t, g->gain.mean);
    put_signed(t, (int64_t)g->gain.half);
    put_signed(t, g->base);
    table_count(t, g->gain.count);
    table_count(t, advise_brings(&v->plan, g));
    table_text(t, kind);
    table_text(t, change);
    put_change(t, change);
    table_text(t, what);
    table_text(t, line);
    table_count(t, doubt == RETIME_POLLS);
    table_count(t, *sign[doubt] == '~');
    snprintf(about, sizeof about, "%s%s%s", slash ? slash + 1 : line,
             *line ? "  " : "", what);
    table_text(t, about);
}

/* "file:line" of what a candidate is about; "": there is none. */
static const char *line_of(const struct view *v,
                           const struct advise_candidate *c)
{
    return places_line(v->a.places, c->place);
}

static bool was_tried(const struct view *v, const char *spec)
{
    for (size_t n = 0; n < v->plan.tried; n++)
        if (strcmp(v->a.candidate[n].spec, spec) == 0)
            return true;
    return false;
}

/* Do two changes bring a hundredth of the run more than each of them? */
static bool adds(const struct advise_pair *q)
{
    int64_t one = q->alone[0].gain.mean, other = q->alone[1].gain.mean;

    return q->measured.gain.mean >
           (one > other ? one : other) + q->measured.base / 100;
}

static void print_table(const struct view *v)
{
    const struct advise_plan *p = &v->plan;
    const int64_t nothing = 0;
    struct table t = {0};
    char both[2 * ADVISE_SPEC + 8], found[ADVISE_SPEC + 20];

    columns(&t);
    for (size_t n = 0; n < p->tried; n++) {
        const struct advise_candidate *c = &v->a.candidate[n];

        put_row(&t, v, &c->predicted, c->doubt, &c->measured, "single", c->spec,
                c->what, line_of(v, c));
    }
    for (size_t n = 0; n < p->pairs; n++) {
        const struct advise_pair *q = &p->pair[n];

        snprintf(found, sizeof found, "ranks first with %s", q->one);
        if (!was_tried(v, q->other))
            put_row(&t, v, NULL, RETIME_HOLDS, &q->alone[1], "second", q->other,
                    found, "");
        snprintf(both, sizeof both, "%s and %s", q->one, q->other);
        if (v->o->csv || adds(q))
            put_row(&t, v, NULL, RETIME_HOLDS, &q->measured, "pair", both,
                    "both", "");
    }
    put_row(&t, v, &nothing, RETIME_HOLDS, &p->null, "null", "nothing",
            "the same with other seeds", "");
    report_table(&t, v->o, v->to);
}

/* ---- words --------------------------------------------------------------- */

static bool is_fast(const struct view *v)
{
    const char *mode = text_lines_get(&v->r->log, "mode");

    return mode && strcmp(mode, "fast") == 0;
}

/* Was it recorded in another mode, in which it is another run? */
static bool is_other_mode(const struct view *v)
{
    return !is_fast(v) && tried_is_apart(v->plan.repeated, (int64_t)v->r->end);
}

static void say_other_mode(const struct view *v)
{
    char cycles[TEXT_NUMBER], recorded[TEXT_NUMBER];

    report_say(v->o, v->to,
               "Predicted is of the recorded run, of %s cycles, and measured "
               "of the same in fast mode, of %s: they may have other causes. "
               "A recording with --mode=fast has the one that is measured.",
               text_count(recorded, v->r->end),
               text_count(cycles, (uint64_t)v->plan.repeated));
}

static void say_gain(const struct view *v, const struct advise_candidate *c,
                     const struct advise_gain *g, bool idles)
{
    char low[SHARE], high[SHARE], mean[SHARE], again[SHARE], half[SHARE];
    int64_t h = (int64_t)g->gain.half;
    const struct advise_gain *f = &v->plan.confirmed;
    const char *line = line_of(v, c);

    report_say(v->o, v->to,
               "%s%s: %s%s%s%s%s. With %s the run takes %s%% fewer cycles "
               "(95%%: %s-%s%%), and on %u fresh seeds %s%% +- %s%%.",
               idles                    ? "The cause"
               : c->kind == ADVISE_LOCK ? "What brings most"
                                        : "Most of the work",
               is_other_mode(v) ? " in fast mode" : "", c->what,
               *line ? " (" : "", line, *line ? ")" : "",
               advise_takes_cpu(&v->a, c)
                   ? ", on a CPU that a thread on the critical path waits for"
                   : "",
               c->spec, share(mean, g->gain.mean, g->base),
               share(low, g->gain.mean - h, g->base),
               share(high, g->gain.mean + h, g->base), v->plan.seeds,
               share(again, f->gain.mean, f->base),
               share(half, (int64_t)f->gain.half, f->base));
    same_code_say(v->r, v->a.places->sources,
                  v->a.places->list[c->place].function, PLACES_FUNCTIONS, v->o,
                  v->to);
}

/* Does one of a pair bring a tenth of both by itself? */
static bool is_something(const struct advise_pair *p, unsigned which)
{
    return p->alone[which].gain.mean > p->measured.gain.mean / 10;
}

static void say_pairs(const struct view *v)
{
    char mean[SHARE], one[SHARE], other[SHARE];

    for (size_t n = 0; n < v->plan.pairs; n++) {
        const struct advise_pair *p = &v->plan.pair[n];

        if (advise_is_together(&v->plan, p))
            report_say(v->o, v->to,
                       "%s: %s and %s bring %s%%, the one alone "
                       "%s%%, the other %s%%: then the second cause is in the "
                       "way.",
                       is_something(p, 0) || is_something(p, 1)
                           ? "More together"
                           : "Only together",
                       p->one, p->other,
                       share(mean, p->measured.gain.mean, p->measured.base),
                       share(one, p->alone[0].gain.mean, p->alone[0].base),
                       share(other, p->alone[1].gain.mean, p->alone[1].base));
    }
}

/* Sleeps that CPUs idled for may be looks at a word, whose writer is known only
 * then. */
static void say_recording(const struct view *v)
{
    uint64_t slept = 0;

    for (size_t n = 0; n < v->a.causes.roots; n++)
        if (v->a.causes.root[n].is == ROOT_SLEEPS)
            slept += v->a.causes.root[n].cycles;
    if (!text_lines_get(&v->r->log, "record-locks") &&
        causes_waits_matter(slept, &v->naps, v->r))
        report_say(v->o, v->to,
                   "CPUs idled since threads slept: if those look again and "
                   "again for what another one writes, a recording with "
                   "simrun --record-locks instead of --switch-stacks says who "
                   "that is.");
}

/* Of what was tried and brings something that which brings most, where CPUs
 * wait for it; NULL: there is none. */
static const struct advise_candidate *waited_for(const struct view *v)
{
    const struct advise_candidate *best = NULL;

    for (size_t n = 0; n < v->plan.tried; n++) {
        const struct advise_candidate *c = &v->a.candidate[n];

        if (c->kind != ADVISE_CPUS && advise_brings(&v->plan, &c->measured) &&
            causes_waits_matter(advise_idle_for(&v->a, c), &v->naps, v->r) &&
            (!best || c->measured.gain.mean > best->measured.gain.mean))
            best = c;
    }
    return best;
}

/* What CPUs wait for, where something else brings more. */
static void say_waited_for(const struct view *v)
{
    const struct advise_candidate *c = waited_for(v);
    const char *line = c ? line_of(v, c) : "";
    char mean[SHARE];

    if (!c) {
        causes_say_waits(&v->a.causes, &v->naps, v->r, v->o, v->to);
        if (causes_idle_matters(&v->naps, v->r))
            report_say(v->o, v->to,
                       "No single change of what CPUs wait for brings 1%%.");
        return;
    }
    report_say(v->o, v->to,
               "CPUs wait for something else: %s%s%s%s. "
               "With %s the run takes %s%% fewer cycles.",
               c->what, *line ? " (" : "", line, *line ? ")" : "", c->spec,
               share(mean, c->measured.gain.mean, c->measured.base));
}

/* What was first only with another change made, and brings something alone.
 * False: there is no such thing. */
static bool say_second(const struct view *v)
{
    char mean[SHARE];
    bool any = false;

    for (size_t n = 0; n < v->plan.pairs; n++) {
        const struct advise_pair *p = &v->plan.pair[n];

        if (was_tried(v, p->other) || !advise_brings(&v->plan, &p->alone[1]))
            continue;
        any = true;
        report_say(v->o, v->to,
                   "Only %s brings something. It ranks first in a recording "
                   "with %s. With it alone the run takes %s%% fewer cycles.",
                   p->other, p->one,
                   share(mean, p->alone[1].gain.mean, p->alone[1].base));
    }
    return any;
}

/* Changes of which a run did not end as the recorded one. */
static size_t lost(const struct view *v)
{
    size_t count = 0;

    for (size_t n = 0; n < v->plan.tried; n++)
        count += v->a.candidate[n].measured.lost > 0;
    return count;
}

static void say_lost(const struct view *v)
{
    size_t count = lost(v);

    if (count)
        report_say(v->o, v->to,
                   "With %zu of the %zu changes runs did not end as the "
                   "recorded one, so that they count as not tried: %s.",
                   count, v->plan.tried, v->again.lost);
}

/* Where threads spin, do others wait for a function: does the change bring half
 * as much again as what it takes from it, shared by all CPUs? */
static bool spun_for(const struct view *v, const struct advise_candidate *c)
{
    double own, factor = (double)v->plan.factor / ADVISE_UNIT;

    if (!causes_spins_matter(&v->naps, v->a.scene) ||
        c->kind != ADVISE_FUNCTION || c->function >= v->r->map.functions)
        return false;
    own = (double)v->a.inside[c->function] * (1 - factor) / v->r->cpus;
    return (double)c->measured.gain.mean > 1.5 * own;
}

static void say_result(const struct view *v)
{
    const struct advise_plan *p = &v->plan;
    const struct advise_candidate *c =
        p->best == SIZE_MAX ? NULL : &v->a.candidate[p->best];
    bool brings =
        c && advise_brings(p, &c->measured) && advise_brings(p, &p->confirmed);
    bool idles =
        brings &&
        (c->kind == ADVISE_CPUS || c->kind == ADVISE_PRIORITY ||
         causes_waits_matter(advise_idle_for(&v->a, c), &v->naps, v->r) ||
         advise_takes_cpu(&v->a, c) || spun_for(v, c));

    putc('\n', v->to);
    if (is_other_mode(v))
        say_other_mode(v);
    if (!brings && !causes_waits_matter(UINT64_MAX, &v->naps, v->r))
        causes_say_waits(&v->a.causes, &v->naps, v->r, v->o, v->to);
    if (brings)
        say_gain(v, c, &c->measured, idles);
    else if (!say_second(v) && p->tried > lost(v))
        report_say(v->o, v->to,
                   "No single change of the %zu that were tried brings 1%%.",
                   p->tried - lost(v));
    else if (!p->tried)
        report_say(v->o, v->to, "There is nothing to try.");
    if (brings && !idles)
        say_waited_for(v);
    say_lost(v);
    if (!brings)
        say_recording(v);
    say_pairs(v);
    causes_say_uneven(&v->a.causes, "", v->o, v->to);
}

/* A name that is longer, or another standard output, may take some cycles. */
static bool is_another(const struct view *v)
{
    int64_t off = v->plan.repeated - (int64_t)v->r->end;

    return (off < 0 ? -off : off) > (int64_t)v->r->end / 1000;
}

static bool any_doubt(const struct view *v, bool at_most)
{
    for (size_t n = 0; n < v->plan.tried; n++) {
        enum retime_doubt doubt = v->a.candidate[n].doubt;

        if (doubt != RETIME_HOLDS && (doubt == RETIME_POLLS) == at_most)
            return true;
    }
    return false;
}

/* Is a row of the table not predicted? */
static bool any_dot(const struct view *v)
{
    for (size_t n = 0; n < v->plan.pairs; n++)
        if (!was_tried(v, v->plan.pair[n].other) || adds(&v->plan.pair[n]))
            return true;
    return false;
}

static void say_how(const struct view *v)
{
    char cycles[TEXT_NUMBER], recorded[TEXT_NUMBER];

    putc('\n', v->to);
    report_say(
        v->o, v->to,
        "Predicted: from the recording, by playing it through again%s%s%s. "
        "Measured: %u pairs of runs in fast mode, with and without the "
        "change, that differ in schedule jitter; no cause is called one "
        "that was not tried.",
        any_doubt(v, true) ? "; with <, no more than that" : "",
        any_doubt(v, false) ? "; with ~, threads would wait in another "
                              "way, so it may not hold"
                            : "",
        any_dot(v) ? "; with a dot, it was not" : "", v->plan.seeds);
    if (*v->again.given)
        report_say(v->o, v->to,
                   "All runs have the change that was recorded, %s, and what "
                   "that is about is not changed once more.",
                   v->again.given);
    if (!text_lines_get(&v->r->log, "record-locks"))
        report_say(
            v->o, v->to,
            "A recording with simrun --record-locks also knows the locks "
            "that no thread waits for, and predicts more of it.");
    text_count(cycles, (uint64_t)v->plan.repeated);
    text_count(recorded, v->r->end);
    if (!is_fast(v) && !is_other_mode(v))
        report_say(v->o, v->to,
                   "The run was recorded in another mode, in which it took %s "
                   "cycles; in fast mode it takes %s.",
                   recorded, cycles);
    else if (is_fast(v) && is_another(v))
        report_say(v->o, v->to,
                   "Done again as it was the run takes %s cycles, not %s: %s.",
                   cycles, recorded,
                   v->again.output == ADVISE_TERMINAL
                       ? "its standard output was a terminal, and is none now"
                       : "what it reads, or its place, is another");
    if (text_lines_get(&v->r->log, "changes-files"))
        report_say(v->o, v->to,
                   "The program changes files, so one run was made at a time.");
    if (v->again.copy)
        report_say(v->o, v->to,
                   "The program has changed, or is not where it was, seen from "
                   "this directory: what runs here is the experiment's copy.");
}

/* ---- the report ---------------------------------------------------------- */

static void advise(struct view *v, const struct scene *scene,
                   struct places *places, uint32_t factor)
{
    const char *with = v->o->text[OPTION_BIT_WITH];
    char why[ADVISE_WHY];

    v->again.experiment = v->o->experiment;
    v->plan.factor = factor;
    advise_open(&v->a, scene, scene, places, with && strstr(with, "--sysroot"));
    advise_find(&v->a, factor);
    if (!advise_rerun_open(&v->again, v->r, with, why) ||
        !advise_run(&v->a, &v->again, &v->plan, why)) {
        text_printable(why);
        report_fail(v->o, "%s", why);
    } else {
        if (!v->o->csv)
            report_head(v->r, TITLE, v->to);
        print_table(v);
        if (!v->o->csv) {
            say_result(v);
            say_how(v);
        }
        if (!tried_write(&v->a, &v->plan, v->o->experiment))
            fprintf(stderr,
                    "simprof: note: %s takes no file, other reports will not "
                    "say what was tried: %s\n",
                    v->o->experiment, strerror(errno));
    }
    advise_rerun_close(&v->again);
    advise_free(&v->a);
}

void report_advise(struct recording *r, const struct options *o, FILE *to)
{
    struct view v = {.r = r, .o = o, .to = to};
    struct scene scene;
    struct places places;
    uint32_t factor;

    if (!read_options(&v, &factor))
        return;
    scene_read(&scene, r);
    if (!scene.stays) {
        report_no_states(r, o);
    } else {
        places_open(&places, r, &scene);
        naps_read(&v.naps, &scene, r);
        advise(&v, &scene, &places, factor);
        naps_free(&v.naps);
        places_close(&places);
    }
    scene_free(&scene);
}
