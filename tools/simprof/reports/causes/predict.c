/* predict.c - the report `predict`: how long the run would take with something
 * changed. It is worked out in tools/analysis/retime.
 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/base/text.h"
#include "tools/analysis/retime/retime.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/causes/causes_roots.h"

#define SPECS 1024 /* bytes of all specs, one behind the other */

/* What a run of so many cycles would bring: hundredths of a percent of the
 * recorded one, with a sign. */
static const char *part(char *text, size_t size, uint64_t cycles,
                        uint64_t recorded)
{
    bool lost = cycles > recorded;
    char number[TEXT_NUMBER];

    snprintf(text, size, "%s%s", lost ? "-" : "",
             text_percent(number, lost ? cycles - recorded : recorded - cycles,
                          recorded));
    return text;
}

/* Cycles, and part of the recorded run. */
static void put_gain(struct table *t, uint64_t cycles, uint64_t recorded)
{
    bool lost = cycles > recorded;
    uint64_t gain = lost ? cycles - recorded : recorded - cycles;
    char number[TEXT_NUMBER], text[TEXT_NUMBER + 2], csv[TEXT_NUMBER + 1];

    snprintf(text, sizeof text, "%s%s", lost ? "-" : "",
             text_count(number, gain));
    snprintf(csv, sizeof csv, "%s%" PRIu64, lost ? "-" : "", gain);
    table_number(t, text, csv);
    part(csv, sizeof csv, cycles, recorded);
    snprintf(text, sizeof text, "%s%%", csv);
    table_number(t, text, csv);
}

/* What the longest and the shortest play bring, as text if there are several.
 */
static void put_plays(struct table *t, const struct retime_prediction *p,
                      uint64_t recorded, bool several)
{
    char low[TEXT_NUMBER + 1], high[TEXT_NUMBER + 1];
    char text[2 * TEXT_NUMBER + 8] = "";

    if (p->least < p->most)
        snprintf(text, sizeof text, "%s to %s%%",
                 part(low, sizeof low, p->most, recorded),
                 part(high, sizeof high, p->least, recorded));
    if (several)
        table_text(t, text);
    table_count(t, p->least);
    table_count(t, p->most);
}

static void put_row(struct table *t, const struct retime_prediction *p,
                    uint64_t recorded, enum retime_doubt doubt,
                    const char *what, bool several)
{
    static const char *const word[] = {
        [RETIME_HOLDS] = "",        [RETIME_POLLS] = "polls",
        [RETIME_LOOKS] = "looks",   [RETIME_ORDER] = "order",
        [RETIME_CONVOY] = "convoy", [RETIME_BEYOND] = "beyond",
        [RETIME_MEETS] = "meets",   [RETIME_READERS] = "readers",
        [RETIME_PLAYS] = "plays",   [RETIME_HELD] = "held",
        [RETIME_WHERE] = "where",
    };

    table_count(t, p->elapsed);
    put_gain(t, p->elapsed, recorded);
    put_plays(t, p, recorded, several);
    table_text(t, what);
    table_count(t, doubt == RETIME_POLLS);
    table_text(t, word[doubt]);
}

static void print_prediction(struct recording *r, const struct options *o,
                             const struct retime *g,
                             const struct retime_prediction *p,
                             enum retime_doubt doubt, FILE *to)
{
    uint64_t run = retime_recorded(g);
    bool several = p->least < p->most;
    struct table t = {0};
    char what[SPECS] = "";
    size_t at = 0;

    for (unsigned n = 0; n < o->what_ifs && at < sizeof what; n++)
        at += (size_t)snprintf(what + at, sizeof what - at, "%s%s",
                               n ? "; " : "", o->what_if[n]);
    if (!o->csv)
        report_head(r, "how long the run would take", to);
    table_column(&t, "cycles", "cycles", TABLE_NUMBER);
    table_column(&t, "gain", "gain", TABLE_NUMBER);
    table_column(&t, "of run", "gain_percent", TABLE_NUMBER);
    if (several)
        table_column(&t, "plays", "", TABLE_TEXT);
    table_column(&t, "", "least", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "", "most", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "with", "what_if", 0);
    table_column(&t, "", "at_most", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "", "doubt", TABLE_CSV);
    if (o->what_ifs)
        put_row(&t, &(struct retime_prediction){run, run, run}, run,
                RETIME_HOLDS, "", several);
    put_row(&t, p, run, doubt, what, several);
    report_table(&t, o, to);
}

static void say_doubt(enum retime_doubt doubt, const struct options *o,
                      FILE *to)
{
    static const char *const why[] = {
        [RETIME_POLLS] =
            "\nThat much at most, and maybe nothing: the sleeps that "
            "are changed mostly follow each other, with little run "
            "between them. A thread that so tries until something "
            "is so would try more often, and what it waits for would "
            "come no sooner. That cannot be judged from the "
            "recording.",
        [RETIME_LOOKS] =
            "\nThat may not hold: a thread sleeps or spins until "
            "something is so. With this change that may be sooner, and the "
            "thread would do so less often or less long, which cannot be "
            "judged from the "
            "recording.",
        [RETIME_ORDER] =
            "\nThat may not hold: threads that wait for the same lock or "
            "condition would come in another order, and with who waits "
            "longest first the run takes another time, or does not end. Who "
            "would then do which part of the work cannot be judged from the "
            "recording.",
        [RETIME_BEYOND] =
            "\nThat may not hold: it is more than the change takes away from "
            "all "
            "threads together. The rest are waits that would not be any more, "
            "and others, which did not happen and are not recorded, may come "
            "in their place.",
        [RETIME_MEETS] =
            "\nThat may not hold: threads meet at locks of the kernel's, and "
            "with who comes first found anew there, too, "
            "another gain is "
            "predicted.",
        [RETIME_READERS] =
            "\nThat may not hold: several threads may have the lock to read, "
            "and how long each of them had it is not recorded. A recording "
            "with simrun --record-locks says it.",
        [RETIME_HELD] =
            "\nThat may not hold: how long a thread has the lock is known only "
            "while others wait for it. A recording with simrun --record-locks "
            "says it.",
        [RETIME_WHERE] =
            "\nThat may not hold: where in a thread's running the cycles that "
            "are changed are, such as in front of a lock or behind it, is not "
            "known. A recording with simrun -e cycles:1000 says it.",
        [RETIME_PLAYS] =
            "\nThat may not hold: there are several plays of the recording, "
            "in which threads come to locks a little sooner or later, and "
            "these come to different times. So may runs.",
        [RETIME_CONVOY] =
            "\nThat may not hold: threads hand something from one to the "
            "next, which takes longer than what each does with it (see "
            "simprof locks). How often they would then meet decides, and "
            "cannot be judged from the recording.",
    };

    if (doubt != RETIME_HOLDS && !o->csv)
        report_say(o, to, "%s", why[doubt]);
}

static void say_how(const struct scene *s, const struct options *o, FILE *to)
{
    report_say(o, to,
               "\nPredicted from the recording: nothing was run again. %s "
               "Waits that did not happen are not recorded, so a second "
               "cause may take over sooner than is said here; simrun "
               "--what-if tries it.",
               s->samples
                   ? "Where a function's cycles are is known by samples of "
                     "cycles, how many by the account."
                   : "How many cycles a function has is known by the account, "
                     "where in its interval is not: simrun -e cycles:1000 "
                     "records it.");
    if (!s->holds)
        report_say(o, to,
                   "What threads spin for, and who has a lock that none waits "
                   "for, is not recorded: simrun --record-locks does.");
}

/* Where threads that spin lose their CPU again and again, a play is not the
 * recorded run. */
static void note_play(struct recording *r, const struct retime *g)
{
    uint64_t played = retime_played(g);

    if (r->verbose && played != retime_recorded(g))
        problem_add(&r->problems, PROBLEM_NOTE,
                    "with nothing changed it plays as %" PRIu64
                    " cycles, of %" PRIu64,
                    played, retime_recorded(g));
}

static void predict(struct recording *r, const struct options *o,
                    const struct scene *s, const struct retime_change *change,
                    FILE *to)
{
    struct retime *g = retime_open(s, UINT64_MAX);
    enum retime_doubt doubt;
    struct retime_prediction p;
    char why[1024];

    if (!retime_predict(g, change, &p, why, sizeof why)) {
        if (retime_has_cpus(g, change))
            report_fail(o, "--what-if: %s", why);
        else
            report_refuse(o, "--what-if: %s", why);
    } else {
        note_play(r, g);
        doubt = retime_doubt(g, change, &p);
        print_prediction(r, o, g, &p, doubt, to);
        say_doubt(doubt, o, to);
        if (!o->csv)
            say_how(s, o, to);
    }
    retime_close(g);
}

void report_predict(struct recording *r, const struct options *o, FILE *to)
{
    struct retime_change change = retime_change_none();
    struct scene scene;
    char why[512];

    for (unsigned n = 0; n < o->what_ifs; n++)
        if (!retime_change_add(&change, o->what_if[n], why, sizeof why)) {
            report_refuse(o, "%s", why);
            return;
        }
    scene_read(&scene, r);
    if (!scene.stays)
        report_no_states(r, o);
    else
        predict(r, o, &scene, &change, to);
    scene_free(&scene);
}
