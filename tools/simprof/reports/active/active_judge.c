/* active_judge.c - the report `active` beside what others say.
 *
 * The machine keeps how long each context ran, by its own registers, and
 * every probe's record has the sum: so each call has a judge that shares no
 * context switch record with us. The oracle has the instructions of a
 * function, by interval, so it judges all its calls together.
 */
#include "tools/simprof/reports/active/active_view.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/text.h"

void active_put_doubts(const struct active_view *v)
{
    for (size_t i = 0; i < v->threads; i++) {
        const struct active_thread *a = &v->thread[i];

        if (a->open)
            report_say(v->o, v->to,
                       "Thread %" PRIu32 ": %" PRIu64 " calls had not ended "
                       "when the records did; they are not counted.",
                       a->thread, a->open);
        if (a->unbegun + a->crossed)
            report_say(v->o, v->to,
                       "Thread %" PRIu32 ": %" PRIu64 " ends without a begin "
                       "and %" PRIu64 " begins without an end were left out.",
                       a->thread, a->unbegun, a->crossed);
        if (a->misplaced + a->impossible)
            report_say(v->o, v->to,
                       "Thread %" PRIu32 ": records are missing or wrong: it "
                       "went out or came in twice in a row %" PRIu64 " times, "
                       "and passed %" PRIu64 " probes while swapped out.",
                       a->thread, a->misplaced, a->impossible);
    }
}

/* ---- the machine's own word ---------------------------------------------- */

void active_judge(struct active_verdict *judged, const struct active_thread *a,
                  uint32_t portion)
{
    for (size_t i = 0; i < a->calls; i++) {
        const struct active_call *c = &a->call[i];
        uint64_t ours = c->sums.active + c->sums.overhead, apart;

        if (c->portion != portion || c->within || c->left_out)
            continue;
        if (!c->judged) {
            judged->others++;
            continue;
        }
        apart = ours < c->ran ? c->ran - ours : ours - c->ran;
        judged->calls++;
        judged->ours += ours;
        judged->ran += c->ran;
        judged->exact += !apart;
        judged->worst = apart > judged->worst ? apart : judged->worst;
    }
}

static void put_verdict(const struct active_view *v)
{
    struct active_verdict j = {0};
    char s[5][TEXT_NUMBER];
    uint64_t apart;

    for (size_t i = 0; i < v->threads; i++)
        active_judge(&j, &v->thread[i], v->portion);
    if (!j.calls)
        return;
    apart = j.ours < j.ran ? j.ran - j.ours : j.ours - j.ran;
    report_say(v->o, v->to,
               "\nBy the machine's own context registers the threads ran %s "
               "cycles in %" PRIu64 " calls; active and overhead are %s: "
               "residual %s%s cycles (%s%%). %" PRIu64 " of the calls agree to "
               "the cycle; the most between the two in one is %s.",
               text_count(s[0], j.ran), j.calls, text_count(s[1], j.ours),
               j.ours < j.ran ? "-" : "+", text_count(s[2], apart),
               text_percent(s[3], apart, j.ran), j.exact,
               text_count(s[4], j.worst));
}

/* ---- the oracle ---------------------------------------------------------- */

/* Twelfths that the oracle charges to the function in the threads seen. */
static uint64_t oracle_twelfths(const struct active_view *v)
{
    const char *name = active_name(v, v->portion);
    struct record record;
    struct recfile f;
    uint64_t sum = 0;

    if (!recording_records(v->r, REC_ORACLE, &f))
        return 0;
    while (recfile_next(&f, &record)) {
        bool ours = false;
        struct place place;

        for (size_t i = 0; i < v->threads; i++)
            ours |= v->thread[i].thread == record.thread;
        if (!ours || !selection_wants(v->selection, &record))
            continue;
        place = loadmap_find(&v->r->map, record_get_oracle_pc(&record),
                             record.cycle);
        if (place.function != LOADMAP_UNKNOWN &&
            !strcmp(loadmap_name(&v->r->map, place.function), name))
            sum += record_get_oracle_twelfths(&record);
    }
    recording_done(v->r, &f);
    return sum;
}

/* The oracle charges a function with what its probes cost, too. */
static void put_account(const struct active_view *v,
                        const struct active_row *total)
{
    uint64_t truth = (oracle_twelfths(v) + 6) / 12;
    uint64_t ours = total->exclusive + total->own;
    bool less = ours < truth;
    uint64_t apart = less ? truth - ours : ours - truth;
    char s[5][TEXT_NUMBER];

    report_say(v->o, v->to,
               "\nThe oracle charges the instructions of %s in %s with %s "
               "cycles. Exclusive active time is %s, what probes cost in it "
               "%s: residual %s%s cycles (%s%%). A residual is what %s called "
               "without a probe, interrupts, and calls cut off.",
               active_name(v, v->portion),
               v->threads == 1 ? "this thread" : "these threads",
               text_count(s[0], truth), text_count(s[1], total->exclusive),
               text_count(s[2], total->own), less ? "-" : "+",
               text_count(s[3], apart), text_percent(s[4], apart, truth),
               active_name(v, v->portion));
}

void active_put_residual(const struct active_view *v,
                         const struct active_row *total)
{
    put_verdict(v);
    if (!v->in->portion[v->portion].section && v->selection->all)
        put_account(v, total);
}
