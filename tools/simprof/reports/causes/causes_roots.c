/* causes_roots.c - see causes_roots.h. */
#include "tools/simprof/reports/causes/causes_roots.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/causes/uneven.h"
#include "tools/analysis/profile/exact_cycles.h"
#include "tools/analysis/profile/samples.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/report/same_code.h"
#include "tools/simprof/reports/causes/causes_words.h"

#define SPINS_MATTER 5 /* percent of the CPUs' time */
#define SPINS_SHOW 1   /* likewise: below, text has nothing of them */
#define GAIN_SHOWS 1   /* percent of the run */

static const struct {
    const char *key, *text;
} roots[] = {
#define ROOT(name, key, text, does, noun, apart) {key, text},
#include "tools/analysis/causes/roots.def"
#undef ROOT
};

const char *causes_root_key(enum chain_root root)
{
    return roots[root].key;
}

bool causes_spins_show(const struct causes *c)
{
    return c->spun > recording_span(c->r) * c->cpus / 100 * SPINS_SHOW;
}

/* Is it why CPUs were idle? A path has no classes. */
static bool is_of_idle(const struct causes *c)
{
    return c->by_class != NULL;
}

/* Gains and spins in CSV stand behind what earlier versions had. */
static void root_columns(struct table *t, const struct causes *c,
                         const char *of, const char *key)
{
    table_column(t, "cycles", "cycles", TABLE_NUMBER);
    table_column(t, of, key, TABLE_NUMBER);
    if (causes_spins_show(c))
        table_column(t, "spun", "", TABLE_NUMBER | TABLE_TEXT);
    if (c->ranked)
        table_column(t, "gain", "", TABLE_NUMBER | TABLE_TEXT);
    table_column(t, "what", "what", 0);
    table_column(t, "line", "line", TABLE_PATH);
    table_column(t, "", "functions", TABLE_CSV);
    if (c->ranked)
        table_column(t, "", "gain_percent", TABLE_NUMBER | TABLE_CSV);
    if (is_of_idle(c))
        table_column(t, "", "spun", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "function < caller < ..", "", TABLE_TEXT);
}

/* Of the run, what half of it is predicted to take away. */
static void put_gain(struct table *t, const struct causes *c,
                     const struct causes_root *r)
{
    uint64_t run = recording_span(c->r),
             size = (uint64_t)(r->gain < 0 ? -r->gain : r->gain),
             tenths = run ? (size * 1000 + run / 2) / run : 0;
    char plain[TEXT_NUMBER], text[TEXT_NUMBER + 2];

    snprintf(plain, sizeof plain, "%s%" PRIu64 ".%" PRIu64,
             r->gain < 0 && tenths ? "-" : "", tenths / 10, tenths % 10);
    snprintf(text, sizeof text, "%s%s%%", r->doubtful ? "~" : "", plain);
    if (r->foretold)
        table_number(t, text, plain);
    else
        table_number(t, ".", "");
}

static void put_root(struct table *t, const struct causes *c,
                     const struct causes_root *r)
{
    table_count(t, r->cycles);
    table_percent(t, r->cycles, c->total);
    if (causes_spins_show(c))
        table_dotted(t, r->spun);
    if (c->ranked)
        put_gain(t, c, r);
    table_text(t, roots[r->is].key);
    causes_put_line(t, c, r->place);
    causes_put_functions(t, c, r->place, "");
    if (c->ranked)
        put_gain(t, c, r);
    if (is_of_idle(c))
        table_count(t, r->spun);
    causes_put_functions(t, c, r->place, roots[r->is].text);
}

/* Names that the compiler gave to one piece of code. */
static void say_same_code(const struct causes *c, size_t shown,
                          const struct options *o, FILE *to)
{
    uint32_t *f = grow_zero(shown + 1, PLACES_FUNCTIONS * sizeof *f);

    for (size_t n = 0; n < shown; n++)
        memcpy(f + n * PLACES_FUNCTIONS,
               c->places->list[c->root[n].place].function,
               PLACES_FUNCTIONS * sizeof *f);
    same_code_say(c->r, c->places->sources, f, shown * PLACES_FUNCTIONS, o, to);
    free(f);
}

static void put_others(struct table *t, const struct causes *c,
                       const struct causes_root *others)
{
    table_count(t, others->cycles);
    table_percent(t, others->cycles, c->total);
    if (causes_spins_show(c))
        table_dotted(t, others->spun);
    if (c->ranked)
        table_number(t, ".", "");
    table_text(t, "");
    table_text(t, "");
    table_text(t, "");
    if (c->ranked)
        table_number(t, "", "");
    if (is_of_idle(c))
        table_count(t, others->spun);
    table_text(t, "<all others>");
}

/* Text leaves out what no CPU was idle for, and half of which brings little,
 * where it has nothing of spins. */
static bool is_shown(const struct causes *c, const struct causes_root *r,
                     const struct options *o)
{
    int64_t least = (int64_t)(recording_span(c->r) / 100 * GAIN_SHOWS);

    return o->csv || r->cycles || causes_spins_show(c) ||
           (r->foretold && r->gain >= least);
}

void causes_print_roots(const struct causes *c, const struct options *o,
                        const char *of, const char *key, FILE *to)
{
    size_t whole = c->roots, rows = 0, shown = 0;
    struct causes_root others = {.cycles = 0};
    struct table t = {0};

    while (whole && causes_is_apart(c->root[whole - 1].is))
        whole--;
    root_columns(&t, c, of, key);
    for (size_t n = 0; n < whole; n++) {
        const struct causes_root *r = &c->root[n];

        if (!is_shown(c, r, o))
            continue;
        if (!o->limit || rows < o->limit) {
            put_root(&t, c, r);
            rows++;
            shown = n + 1;
        } else {
            others.cycles += r->cycles;
            others.spun += r->spun;
        }
    }
    if (others.cycles || (others.spun && causes_spins_show(c)))
        put_others(&t, c, &others);
    for (size_t n = whole; n < c->roots; n++)
        if (is_shown(c, &c->root[n], o))
            put_root(&t, c, &c->root[n]);
    report_table(&t, o, to);
    if (!o->csv)
        say_same_code(c, shown, o, to);
}

/* "1004"; "worker.3 12": names of threads may be shared. */
static void name_thread(const struct causes *c, const struct uneven *u,
                        char text[WORDS_TEXT])
{
    char number[WORDS_NUMBER];
    const char *name =
        words_thread(c->r, c->scene->thread[u->last].id, u->to, number);

    snprintf(text, WORDS_TEXT, name == number ? "%.100s" : "%.100s %s", name,
             number);
}

void causes_say_uneven(const struct causes *c, const char *before,
                       const struct options *o, FILE *to)
{
    char maker[CAUSES_PLACE], line[CAUSES_PLACE], from[TEXT_NUMBER],
        part[TEXT_NUMBER], gain[TEXT_NUMBER], last[WORDS_TEXT];
    const char *begins;
    struct uneven u;
    unsigned made;

    if (c->r->windowed || !uneven_find(&u, c->scene, c->places) ||
        u.gain < c->r->end / 100 * UNEVEN_MATTERS)
        return;
    made = u.threads - (u.maker != SCENE_NONE);
    begins = u.begins == LOADMAP_UNKNOWN ? "" : samples_name(c->r, u.begins);
    causes_functions(c, places_short(c->places, u.place), maker);
    causes_line(c, u.place, line);
    name_thread(c, &u, last);
    report_say(
        o, to,
        "%sThe %u thread%s%s%s that %s creates%s%s%s%s do not end together: "
        "from "
        "cycle %s on, for %s%% of the run, some have finished, and thread %s "
        "runs to the end. Divided evenly among them, for example in smaller "
        "pieces, the rest of their work would end earlier, by %s%% of the run "
        "at most; what they did before that cycle is not counted. A part that "
        "one thread does for all of them, as OpenMP's "
        "single, cannot be divided so.",
        before, made, made == 1 ? "" : "s", begins[0] ? " of " : "", begins,
        maker, line[0] ? " (" : "", line, line[0] ? ")" : "",
        u.maker != SCENE_NONE ? ", and the thread that creates them," : "",
        text_count(from, u.from), text_percent(part, u.to - u.from, c->r->end),
        last, text_percent(gain, u.gain, c->r->end));
}

void causes_say_where(const struct causes *c, const struct options *o, FILE *to)
{
    if (!c->scene->stacks)
        report_say(o, to,
                   "\nWhere threads waited is not known: simrun records "
                   "it with --switch-stacks.");
    if (c->scene->samples)
        report_say(o, to,
                   "\nruns: where a thread was on which others waited, by "
                   "samples of cycles. The other rows are exact.");
    else
        report_say(o, to,
                   "\nruns: where a thread was on which others waited, by "
                   "the account of its interval; with samples (simrun "
                   "-e cycles:1000) callers are known, too.");
}

/* Cycles of all CPUs since they were released. */
static uint64_t released(const struct naps *n, const struct recording *r)
{
    return recording_span(r) * r->cpus - n->parked;
}

bool causes_idle_matters(const struct naps *n, const struct recording *r)
{
    return naps_sum(n) >= released(n, r) / 100 * EXACT_CYCLES_IDLE_MATTERS;
}

/* Cycles idle because of something that a program does. */
static uint64_t caused(const struct causes *c)
{
    uint64_t sum = 0;

    for (size_t n = 0; n < c->roots; n++)
        sum += causes_is_apart(c->root[n].is) ? 0 : c->root[n].cycles;
    return sum;
}

bool causes_waits_matter(uint64_t cycles, const struct naps *n,
                         const struct recording *r)
{
    return causes_idle_matters(n, r) && cycles >= released(n, r) / 100;
}

void causes_say_waits(const struct causes *c, const struct naps *n,
                      const struct recording *r, const struct options *o,
                      FILE *to)
{
    char share[TEXT_NUMBER], part[TEXT_NUMBER];

    if (!causes_idle_matters(n, r)) {
        causes_say_idle(n, c->scene, o, to);
        return;
    }
    text_percent(share, naps_sum(n), released(n, r));
    text_percent(part, caused(c), released(n, r));
    report_say(o, to,
               "CPUs were idle for %s%% of their time, for %s%% because of "
               "what the program does, and for less than 1%% because of this "
               "alone; the rest is that threads and programs begin, end and "
               "wake each other.",
               share, part);
}

/* Cycles in which threads ran and spun; of a part of a run none. */
static uint64_t spun(const struct scene *s)
{
    uint64_t sum = 0;

    for (size_t n = 0; !s->r->windowed && n < s->spins; n++)
        sum += s->spin[n].to - s->spin[n].from;
    return sum;
}

bool causes_spins_matter(const struct naps *n, const struct scene *s)
{
    return spun(s) >= released(n, s->r) / 100 * SPINS_MATTER;
}

/* Threads that are ready and have no CPU: in another order of them the run may
 * be shorter. */
static void say_ready(const struct scene *s, const struct options *o, FILE *to)
{
    char cycles[TEXT_NUMBER];
    uint64_t ready = s->r->windowed ? 0 : scene_runnable(s);

    if (ready > s->r->end / 100 * EXACT_CYCLES_IDLE_MATTERS)
        report_say(o, to,
                   "Threads were ready and waited for a CPU for %s cycles, all "
                   "together. Who had it while the critical path waited says "
                   "simprof path.",
                   text_count(cycles, ready));
}

void causes_say_idle(const struct naps *n, const struct scene *s,
                     const struct options *o, FILE *to)
{
    uint64_t all = released(n, s->r), spins = spun(s);
    char share[TEXT_NUMBER], part[TEXT_NUMBER];

    text_percent(share, naps_sum(n), all);
    if (causes_idle_matters(n, s->r))
        report_say(o, to, "CPUs were idle for %s%% of their time.", share);
    else if (causes_spins_matter(n, s))
        report_say(o, to,
                   "CPUs were idle for %s%% of their time, and for %s%% "
                   "threads ran in functions that take locks while others had "
                   "these (simprof locks), or looked at words until others "
                   "wrote them.",
                   share, text_percent(part, spins, all));
    else
        report_say(o, to,
                   "CPUs were idle for %s%% of their time, less than %d%%: "
                   "nothing that is waited for limits this run, only less "
                   "work makes it shorter (simprof functions).%s",
                   share, EXACT_CYCLES_IDLE_MATTERS,
                   s->holds || s->r->cpus == 1
                       ? ""
                       : " What threads spin for is not recorded, so it counts "
                         "as work here (simrun --record-locks).");
    if (!causes_idle_matters(n, s->r) && !causes_spins_matter(n, s))
        say_ready(s, o, to);
}
