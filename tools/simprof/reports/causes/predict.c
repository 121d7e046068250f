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

/* Cycles and hundredths of a percent of the recorded run, with a sign. */
static void put_gain(struct table *t, uint64_t cycles, uint64_t recorded)
{
    bool lost = cycles > recorded;
    uint64_t gain = lost ? cycles - recorded : recorded - cycles;
    char number[TEXT_NUMBER], text[TEXT_NUMBER + 1], csv[TEXT_NUMBER + 1];

    snprintf(text, sizeof text, "%s%s", lost ? "-" : "",
             text_count(number, gain));
    snprintf(csv, sizeof csv, "%s%" PRIu64, lost ? "-" : "", gain);
    table_number(t, text, csv);
    snprintf(text, sizeof text, "%s%s%%", lost ? "-" : "",
             text_percent(number, gain, recorded));
    snprintf(csv, sizeof csv, "%s%s", lost ? "-" : "",
             text_percent(number, gain, recorded));
    table_number(t, text, csv);
}

static void put_row(struct table *t, uint64_t cycles, uint64_t recorded,
                    enum retime_doubt doubt, const char *what)
{
    static const char *const word[] = {
        [RETIME_HOLDS] = "",        [RETIME_POLLS] = "polls",
        [RETIME_LOOKS] = "looks",   [RETIME_ORDER] = "order",
        [RETIME_CONVOY] = "convoy", [RETIME_BEYOND] = "beyond",
        [RETIME_MEETS] = "meets",   [RETIME_READERS] = "readers",
    };

    table_count(t, cycles);
    put_gain(t, cycles, recorded);
    table_text(t, what);
    table_count(t, doubt == RETIME_POLLS);
    table_text(t, word[doubt]);
}

static void print_prediction(struct recording *r, const struct options *o,
                             const struct retime *g, uint64_t cycles,
                             enum retime_doubt doubt, FILE *to)
{
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
    table_column(&t, "with", "what_if", 0);
    table_column(&t, "", "at_most", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "", "doubt", TABLE_CSV);
    if (o->what_ifs)
        put_row(&t, retime_recorded(g), retime_recorded(g), RETIME_HOLDS, "");
    put_row(&t, cycles, retime_recorded(g), doubt, what);
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

static void predict(struct recording *r, const struct options *o,
                    const struct scene *s, const struct retime_change *change,
                    FILE *to)
{
    struct retime *g = retime_open(s, UINT64_MAX);
    enum retime_doubt doubt;
    uint64_t cycles;
    char why[256];

    if (!retime_predict(g, change, &cycles, why, sizeof why)) {
        report_refuse(o, "--what-if: %s", why);
    } else {
        doubt = retime_doubt(g, change, cycles);
        print_prediction(r, o, g, cycles, doubt, to);
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
        causes_say_nothing(o, to);
    else
        predict(r, o, &scene, &change, to);
    scene_free(&scene);
}
