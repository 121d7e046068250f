/* causes.c - the report `causes`: why CPUs were idle, what stands at the end of
 * the chains of waiting, and the chains in words. What is so is computed in
 * tools/analysis/causes.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "tools/analysis/advise/advise.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/causes/causes_only.h"
#include "tools/simprof/reports/causes/causes_roots.h"
#include "tools/simprof/reports/causes/causes_rules.h"
#include "tools/simprof/reports/causes/causes_words.h"
#include "tools/simprof/reports/causes/methods.h"

#define CHAINS 3 /* in words, without --limit */
#define MUCH                                                                   \
    5 /* percent of the time: a row whose lack of a gain is explained */

static const struct {
    const char *key, *text;
} classes[] = {
#define CLASS(name, key, text) {key, text},
#include "tools/analysis/causes/classes.def"
#undef CLASS
};

static uint64_t class_sum(const struct causes *c, unsigned class)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < c->cpus; cpu++)
        sum += c->by_class[cpu][class];
    return sum;
}

/* The classes of CPUs that are idle, or of those on which threads spin. */
static bool is_of(unsigned class, bool spins)
{
    return causes_class_spins((enum causes_class) class) == spins;
}

/* class < 0: all. Spins are no share of idle time, which CSV has. */
static void put_class(struct table *t, const struct causes *c,
                      const struct options *o, bool spins, int class)
{
    uint64_t all = spins ? c->spun : c->total,
             cycles = class < 0 ? all : class_sum(c, (unsigned)class);

    table_count(t, cycles);
    if (spins && o->csv)
        table_number(t, "", "");
    else
        table_percent(t, cycles, all);
    for (unsigned cpu = 0; o->per_cpu && cpu < c->cpus; cpu++) {
        uint64_t sum = 0;

        for (int k = 0; k < CAUSES_CLASSES; k++)
            if (class < 0 ? is_of((unsigned)k, spins) : k == class)
                sum += c->by_class[cpu][k];
        table_dotted(t, sum);
    }
    if (class < 0)
        table_both(t, "<Total>", spins ? "spins" : "total");
    else
        table_both(t, classes[class].text, classes[class].key);
}

static void put_classes(struct table *t, const struct causes *c,
                        const struct options *o, bool spins)
{
    put_class(t, c, o, spins, -1);
    for (unsigned k = 0; k < CAUSES_CLASSES; k++)
        if (is_of(k, spins) && class_sum(c, k))
            put_class(t, c, o, spins, (int)k);
}

/* In CSV both kinds are one table. */
static void print_classes(const struct causes *c, const struct options *o,
                          bool spins, FILE *to)
{
    struct table t = {0};
    char name[CHAIN_CPUS][24];

    table_column(&t, "cycles", "cycles", TABLE_NUMBER);
    table_column(&t, spins ? "of spins" : "of idle", "idle_percent",
                 TABLE_NUMBER);
    for (unsigned cpu = 0; o->per_cpu && cpu < c->cpus && cpu < CHAIN_CPUS;
         cpu++) {
        snprintf(name[cpu], sizeof name[cpu], "CPU %u", cpu);
        table_column(&t, name[cpu], name[cpu], TABLE_NUMBER);
    }
    table_column(&t,
                 spins ? "why a CPU that is not idle does no work"
                       : "why a CPU is idle",
                 "class", 0);
    put_classes(&t, c, o, spins);
    if (o->csv && c->spun)
        put_classes(&t, c, o, true);
    report_table(&t, o, to);
}

/* The chains as rows, each with its longest example. */
static void print_chain_rows(const struct causes *c, const struct options *o,
                             FILE *to)
{
    static const char *const column[] = {"class", "what", "line", "functions",
                                         "chain"};
    char sentence[CAUSES_SENTENCE];
    struct table t = {0};

    table_column(&t, "cycles", "cycles", TABLE_NUMBER);
    table_column(&t, "of idle", "idle_percent", TABLE_NUMBER);
    table_column(&t, "longest", "longest", TABLE_NUMBER);
    table_column(&t, "from", "from_cycle", TABLE_NUMBER);
    table_column(&t, "CPU", "cpu", TABLE_NUMBER);
    for (size_t n = 0; n < sizeof column / sizeof *column; n++)
        table_column(&t, column[n], column[n], 0);
    for (size_t n = 0; n < c->shapes && (!o->limit || n < o->limit); n++) {
        const struct causes_shape *s = &c->shape[n];

        causes_sentence(c, s, sentence);
        table_count(&t, s->cycles);
        if (causes_class_spins(s->class))
            table_number(&t, "", "");
        else
            table_percent(&t, s->cycles, c->total);
        table_count(&t, s->longest);
        table_count(&t, s->at);
        table_count(&t, s->cpu);
        table_text(&t, classes[s->class].key);
        table_text(&t, causes_root_key(s->chain.root));
        causes_put_line(&t, c, s->place);
        causes_put_functions(&t, c, s->place, "");
        table_text(&t, sentence);
    }
    report_table(&t, o, to);
}

static void print_chains(const struct causes *c, const struct options *o,
                         FILE *to)
{
    size_t most = o->text[OPTION_BIT_LIMIT] ? o->limit : CHAINS;
    char sentence[CAUSES_SENTENCE], share[TEXT_NUMBER], cycle[TEXT_NUMBER],
        long_[TEXT_NUMBER];

    for (size_t n = 0, shown = 0; n < c->shapes && (!most || shown < most);
         n++) {
        const struct causes_shape *s = &c->shape[n];
        bool spins = causes_class_spins(s->class);

        if (spins && !causes_spins_show(c))
            continue;
        shown++;
        causes_sentence(c, s, sentence);
        report_say(o, to,
                   "\n%s%% of %s time is like this, as for %s cycles from "
                   "cycle %s on:",
                   text_percent(share, s->cycles, spins ? c->spun : c->total),
                   spins ? "spinning" : "idle", text_count(long_, s->longest),
                   text_count(cycle, s->at));
        report_say(o, to, "%s", sentence);
    }
}

/* The sum is worked out in two ways: of the classes, and by the account. */
static void say_sum(const struct causes *c, const struct naps *n,
                    const struct causes_choice *choice,
                    const struct selection *s, const struct options *o,
                    FILE *to)
{
    char naps[TEXT_NUMBER], sum[TEXT_NUMBER], spun[TEXT_NUMBER];

    text_count(naps, c->naps);
    text_count(sum, c->total);
    if (s->one_thread)
        report_say(o, to, "\nOf %s idle cycles %s are that thread's.", naps,
                   sum);
    else if (choice->counts)
        report_say(o, to, "\nOf %s idle cycles %s are of that kind%s%s%s.",
                   naps, sum, c->spun ? "; so are " : "",
                   c->spun ? text_count(spun, c->spun) : "",
                   c->spun ? " in which threads spun" : "");
    else if (c->total != c->naps)
        report_say(o, to,
                   "\nThe classes add up to %s cycles, but CPUs were "
                   "idle for %s: please report this.",
                   sum, naps);
    else if (n->spins)
        report_say(o, to,
                   "\nThe classes add up to the %s cycles that idle "
                   "threads ran by the context switches; no CPU napped.",
                   naps);
    else
        report_say(o, to,
                   "\nThe classes add up to the %s cycles that CPUs "
                   "napped by the exact account.",
                   naps);
    if (n->parked) {
        text_count(sum, n->parked);
        if (n->never)
            report_say(o, to,
                       "CPUs not yet released, %s cycles, are not idle "
                       "here: %u of %u never had a thread.",
                       sum, n->never, n->cpus);
        else
            report_say(o, to,
                       "CPUs not yet released, %s cycles, are not idle "
                       "here.",
                       sum);
    }
}

/* What `advise` has tried of this run. */
static void say_tried(const struct causes *c, const struct options *o, FILE *to)
{
    struct tried_list tried;
    size_t size, brought = 0;
    char *text;
    FILE *f;

    tried_read(&tried, c->r);
    if (tried.damaged)
        report_say(o, to,
                   "\nWhat was tried cannot be read from the file tried of the "
                   "experiment: simprof advise writes it anew.");
    else if (tried.count)
        putc('\n', to);
    for (size_t n = 0; n < tried.count; n++) {
        if (!tried.list[n].brings || !(f = open_memstream(&text, &size)))
            continue;
        fprintf(f, "Tried: with %s", tried.list[n].spec);
        if (!strncmp(tried.list[n].spec, "func:", 5)) {
            fputs(", ", f);
            tried_say_change(&tried.list[n], f);
            putc(',', f);
        }
        putc(' ', f);
        tried_say(&tried.list[n], f);
        fclose(f);
        report_say(o, to, "%s.", text);
        free(text);
        brought++;
    }
    if (tried.count && !brought)
        report_say(o, to, "Tried: none of %zu changes brings 1%%.",
                   tried.count);
    tried_free(&tried);
}

static bool any_doubtful(const struct causes *c)
{
    for (size_t n = 0; n < c->roots; n++)
        if (c->root[n].foretold && c->root[n].doubtful)
            return true;
    return false;
}

/* Has one that much of the time is charged to no gain, though it is work? */
static bool any_without(const struct causes *c)
{
    for (size_t n = 0; n < c->roots; n++) {
        const struct causes_root *r = &c->root[n];

        if (r->is == ROOT_RUNS && !r->foretold && r->place != PLACES_NOWHERE &&
            r->cycles + r->spun > (c->total + c->spun) / 100 * MUCH)
            return true;
    }
    return false;
}

static void print_roots(const struct causes *c,
                        const struct causes_choice *choice,
                        const struct selection *s, const struct options *o,
                        FILE *to)
{
    fputs("Roots: what was waited for in the end\n", to);
    causes_print_roots(c, o, "of idle", "idle_percent", to);
    if (c->ranked)
        report_say(
            o, to,
            "\ngain: of %s, what half of it is predicted to take away "
            "(simprof predict); most first, or half of a CPU's idle time "
            "where that is more%s.%s%s",
            s->all ? "the run" : "this time",
            any_doubtful(c) ? "; with ~ it may not hold" : "",
            any_without(c)
                ? " A row that runs and has . has no change of its own: it is "
                  "what a library, or a function that several call, does for "
                  "one that begins a thread, or what a library does and the "
                  "row of its caller has."
                : "",
            recording_stopped(c->r)
                ? " The run was stopped: gain is of what it did by then."
                : "");
    if (causes_spins_show(c))
        report_say(o, to,
                   "%sspun: cycles of CPUs that were not idle: threads spun "
                   "there until that was over.",
                   c->ranked ? "" : "\n");
    if (!choice->counts)
        say_tried(c, o, to);
}

/* What the run, or the time of a program, is about, in a sentence. */
static void say_most(const struct causes *c, const struct naps *n,
                     const struct selection *s, const struct options *o,
                     FILE *to)
{
    char sentence[CAUSES_SENTENCE];
    bool circle = s->all && causes_deadlock(c, sentence);
    bool is = circle || (s->all && causes_waits_for_ever(c, sentence));

    if (is)
        report_say(o, to, "%s: %s",
                   circle ? "It ends in a deadlock"
                          : "It ends with threads that wait for ever",
                   sentence);
    if (!is || causes_idle_matters(n, c->r))
        causes_say_idle(n, c->scene, o, to);
}

static void print_text(const struct causes *c, const struct naps *n,
                       const struct causes_choice *choice,
                       const struct selection *s, const struct options *o,
                       FILE *to)
{
    report_head(c->r, "why CPUs were idle, and what stood behind it", to);
    selection_say(s, o, to);
    if (choice->counts)
        causes_only_say(choice->counts_arg, o, to);
    if (s->cpu < 0 && !s->one_thread && !choice->counts) {
        say_most(c, n, s, o, to);
        if (o->part != PART_CHAINS)
            putc('\n', to);
    }
    if (o->part == PART_ALL || o->part == PART_CLASSES) {
        print_classes(c, o, false, to);
        say_sum(c, n, choice, s, o, to);
        if (causes_spins_show(c)) {
            putc('\n', to);
            print_classes(c, o, true, to);
        }
    }
    if (o->part == PART_ALL)
        putc('\n', to);
    if (o->part == PART_ALL || o->part == PART_ROOTS)
        print_roots(c, choice, s, o, to);
    if (o->part == PART_ALL || o->part == PART_CHAINS)
        print_chains(c, o, to);
    if (o->part == PART_ALL && s->all && !choice->counts)
        causes_say_uneven(c, "\n", o, to);
    if (o->part == PART_ALL && !s->one_thread)
        causes_say_rules(c, choice, o, to);
    if (o->part != PART_CLASSES)
        causes_say_where(c, o, to);
}

static void print_csv(const struct causes *c, const struct options *o, FILE *to)
{
    if (o->part == PART_CLASSES)
        print_classes(c, o, false, to);
    else if (o->part == PART_CHAINS)
        print_chain_rows(c, o, to);
    else
        causes_print_roots(c, o, "of idle", "idle_percent", to);
}

static void print(struct causes *c, const struct causes_choice *choice,
                  const struct selection *s, const struct options *o, FILE *to)
{
    struct naps naps;

    if (o->text[OPTION_BIT_METHODS]) {
        causes_methods(c, o, to);
    } else if (o->csv) {
        print_csv(c, o, to);
    } else {
        naps_read(&naps, c->scene, c->r);
        print_text(c, &naps, choice, s, o, to);
        naps_free(&naps);
    }
}

/* Of the whole run, or of the time of a program, with what roots would bring.
 */
static void print_ranked(const struct scene *scene, const struct scene *run,
                         struct places *places, const struct selection *s,
                         const struct options *o, FILE *to)
{
    struct causes_choice all = {.cpu = -1, .thread = SCENE_NONE};
    struct advise a;

    advise_open(&a, scene, run, places, true);
    advise_rank(&a);
    print(&a.causes, &all, s, o, to);
    advise_free(&a);
}

/* What a change brings is known of the whole run alone. */
static bool print_program(const struct scene *scene, struct places *places,
                          const struct selection *s, const struct options *o,
                          FILE *to)
{
    struct recording whole;
    struct scene run;
    char why[512];

    if (!o->experiment ||
        !recording_open(&whole, o->experiment, why, sizeof why))
        return false;
    recording_within(&whole, 0, UINT64_MAX);
    scene_read(&run, &whole);
    print_ranked(scene, &run, places, s, o, to);
    scene_free(&run);
    recording_close(&whole);
    return true;
}

static void print_part(const struct scene *scene, struct places *places,
                       const struct causes_choice *choice,
                       const struct selection *s, const struct options *o,
                       FILE *to)
{
    struct naps naps;
    struct causes c;

    naps_read(&naps, scene, scene->r);
    causes_find(&c, scene, &naps, places, choice);
    naps_free(&naps);
    print(&c, choice, s, o, to);
    causes_free(&c);
}

static void print_places(struct recording *r, const struct scene *scene,
                         struct causes_choice *choice,
                         const struct selection *s, const struct options *o,
                         FILE *to)
{
    struct causes_only only;
    struct places places;

    if (causes_only_open(&only, scene, o)) {
        if (causes_only_some(&only)) {
            choice->counts = causes_only_counts;
            choice->counts_arg = &only;
        }
        places_open(&places, r, scene);
        if (s->all && !choice->counts && !o->text[OPTION_BIT_METHODS])
            print_ranked(scene, scene, &places, s, o, to);
        else if (o->text[OPTION_BIT_METHODS] || choice->counts || !s->program ||
                 !print_program(scene, &places, s, o, to))
            print_part(scene, &places, choice, s, o, to);
        places_close(&places);
    }
    causes_only_close(&only);
}

void report_causes(struct recording *r, const struct options *o, FILE *to)
{
    struct causes_choice choice = {.cpu = o->cpu, .thread = SCENE_NONE};
    struct selection s;
    struct scene scene;

    if (o->text[OPTION_BIT_GAINS] && !o->text[OPTION_BIT_METHODS]) {
        report_refuse(o, "--gains goes with --methods");
        return;
    }
    if (!report_part(o, PART_CLASSES, PART_CHAINS))
        return;
    if (o->part != PART_ALL && o->text[OPTION_BIT_METHODS]) {
        report_refuse(o, "--table and --methods do not go together");
        return;
    }
    if (!selection_open(&s, r, o))
        return;
    scene_read(&scene, r);
    if (s.one_thread)
        choice.thread = scene_thread_of(&scene, s.thread);
    if (!scene.stays) {
        report_no_states(r, o);
    } else if (s.one_thread && choice.thread == SCENE_NONE) {
        report_refuse(o, "--thread: no state of that thread is recorded");
    } else {
        print_places(r, &scene, &choice, &s, o, to);
    }
    scene_free(&scene);
    selection_close(&s);
}
