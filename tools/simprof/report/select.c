/* select.c - options that leave records out. */
#include "tools/simprof/report/select.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "lib/base/text.h"
#include "tools/analysis/experiment/lives.h"
#include "tools/analysis/query/fields.h"
#include "tools/analysis/query/filter.h"
#include "tools/simprof/session/options.h"

#define TIME_BEGIN "begin:"
#define TIME_END "end:"

/* A program that is not there: what may have been meant. */
static void refuse_program(const struct recording *r, const struct options *o,
                           const char *option, const char *name)
{
    char near[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    did_you_mean_begin(&n, name);
    for (size_t i = 0; i < r->threads.count; i++)
        did_you_mean_offer(&n, r->threads.list[i].name);
    report_refuse(o, "--%s: no thread is called %.200s%s", option, name,
                  n.count ? did_you_mean_text(&n, near)
                          : "; simprof threads lists them");
}

static bool starts(const char *text, const char *with)
{
    return text && !strncmp(text, with, strlen(with));
}

/* When a program begins or ends, `begin:NAME` or `end:NAME`. False: it is not
 * that; or there is no such program, which is said. */
static bool program_cycles(struct recording *r, const struct options *o,
                           enum option_bit bit, const char *text, uint64_t *n)
{
    bool begins = starts(text, TIME_BEGIN), ends = starts(text, TIME_END);
    const char *name = text + strcspn(text, ":") + 1;
    struct life life;

    if ((!begins && !ends) || !*name)
        return false;
    if (lives_find(r, name, &life)) {
        *n = begins ? life.from : life.to;
        return true;
    }
    refuse_program(r, o, options_spelling((int)bit), name);
    return false;
}

/* Is cycle n of --from not behind `last`, of a run that has any? If not it is
 * said. */
static bool in_run(const struct recording *r, const struct options *o,
                   uint64_t n, uint64_t last)
{
    char cycle[TEXT_NUMBER], time[TEXT_NUMBER];

    if (n <= last || !r->end || !o->text[OPTION_BIT_FROM])
        return true;
    text_count(cycle, r->end);
    if (r->clock_hz)
        report_refuse(o, "--from=%.200s: the run ends at %s (cycle %s)",
                      o->text[OPTION_BIT_FROM],
                      text_time(time, r->end, r->clock_hz), cycle);
    else
        report_refuse(o, "--from=%.200s: the run ends at cycle %s",
                      o->text[OPTION_BIT_FROM], cycle);
    return false;
}

bool option_cycles(struct recording *r, const struct options *o,
                   enum option_bit bit, uint64_t none, uint64_t *n)
{
    const char *text = o->text[bit];

    *n = none;
    if (!text ||
        (text_cycles(text, r->clock_hz, n) &&
         (text[0] != '-' || bit != OPTION_BIT_STEP)) ||
        (bit != OPTION_BIT_STEP && program_cycles(r, o, bit, text, n)))
        return bit != OPTION_BIT_FROM || in_run(r, o, *n, r->end);
    report_refuse(o, "--%s=%s: must be a time: cycles, or with a unit%s%s",
                  options_spelling((int)bit), text,
                  r->clock_hz
                      ? ", such as 1.5ms (s, ms, us, ns)"
                      : ", which needs a clock that this experiment names not",
                  bit == OPTION_BIT_STEP ? ""
                                         : ", or " TIME_BEGIN
                                           "PROGRAM, " TIME_END "PROGRAM");
    return false;
}

bool option_interval(struct recording *r, const struct options *o,
                     uint64_t *from, uint64_t *to)
{
    const char *text = o->text[OPTION_BIT_FROM];

    if (!option_cycles(r, o, OPTION_BIT_FROM, 0, from) ||
        !option_cycles(r, o, OPTION_BIT_TO, r->end, to))
        return false;
    *to = *to < r->end ? *to : r->end;
    if (text && text[0] == '-')
        report_refuse(o, "--from=%s: the run begins at 0", text);
    else if (!in_run(r, o, *from, r->end - 1))
        return false;
    else if (*from >= *to && r->end)
        report_refuse(o, "--from must be below --to");
    else
        return true;
    return false;
}

/* A thread by its number, or by a name that one has. */
static bool open_thread(struct selection *s, const struct options *o)
{
    const char *text = o->text[OPTION_BIT_THREAD];
    struct filter_about about = {s->r, &s->metrics, NULL};
    char why[FIELD_WHY];
    uint64_t n;

    if (!text)
        return true;
    if (!text_number(text, &n) || n > UINT32_MAX) {
        report_refuse(o,
                      "--thread=%s: must be a thread's number; simprof "
                      "threads lists them",
                      text);
        return false;
    }
    s->one_thread = true;
    s->thread = (uint32_t)n;
    if (field_counts(&about, field_find("thread", 6), (int64_t)n, why))
        return true;
    report_refuse(o, "--thread=%s: %s", text, why);
    return false;
}

static bool open_filter(struct selection *s, const struct options *o)
{
    const char *text = o->text[OPTION_BIT_FILTERS];
    char why[FILTER_WHY];

    if (!text)
        return true;
    s->filter = filter_open(text, s->r, &s->metrics, why, sizeof why);
    if (!s->filter)
        report_refuse(o, "--filters: %s", why);
    return s->filter != NULL;
}

bool selection_open(struct selection *s, struct recording *r,
                    const struct options *o)
{
    *s = (struct selection){.r = r, .cpu = o->cpu};
    samples_metrics_open(&s->metrics, r);
    if (!option_cycles(r, o, OPTION_BIT_FROM, 0, &s->from) ||
        !option_cycles(r, o, OPTION_BIT_TO, UINT64_MAX, &s->to) ||
        !in_run(r, o, s->from, r->end - 1) || !open_thread(s, o) ||
        !open_filter(s, o)) {
        selection_close(s);
        return false;
    }
    if (s->from >= s->to) {
        report_refuse(o, "--from must be below --to");
        selection_close(s);
        return false;
    }
    recording_within(r, s->from, s->to);
    s->program = starts(o->text[OPTION_BIT_FROM], TIME_BEGIN) &&
                 starts(o->text[OPTION_BIT_TO], TIME_END) && s->cpu < 0 &&
                 !s->filter && !s->one_thread;
    s->all = !s->from && s->to == UINT64_MAX && s->cpu < 0 && !s->filter &&
             !s->one_thread;
    return true;
}

void selection_close(struct selection *s)
{
    samples_metrics_free(&s->metrics);
    expr_free(s->filter);
    *s = (struct selection){0};
}

static bool in_time(const struct selection *s, const struct record *record)
{
    if (record->kind == REC_ORACLE)
        return record->cycle > s->from && record->cycle <= s->to;
    return record->cycle >= s->from && record->cycle < s->to;
}

bool selection_wants(void *arg, const struct record *record)
{
    const struct selection *s = arg;
    struct filter_about about = {s->r, &s->metrics, record};

    return (s->cpu < 0 || record->cpu == (unsigned long)s->cpu) &&
           (!s->one_thread ||
            (record->thread == s->thread && !samples_naps(s->r, record))) &&
           in_time(s, record) && (!s->filter || expr_holds(s->filter, &about));
}

bool selection_timeless(const struct selection *s)
{
    return !s->filter;
}

static void say_thread(const struct selection *s, const struct options *o,
                       FILE *to)
{
    const struct thread *t = threads_find(&s->r->threads, s->thread, s->to);

    if (t)
        report_say(o, to, "only thread %" PRIu32 ", %.200s", s->thread,
                   t->name);
    else
        report_say(o, to, "only thread %" PRIu32, s->thread);
}

/* What of the account's intervals a part of the run takes. */
static void say_intervals(const struct selection *s, const struct options *o,
                          FILE *to)
{
    const struct recording *r = s->r;
    bool ends = s->to < r->end;

    if (!s->from && s->to == UINT64_MAX)
        return;
    if (!r->interval)
        report_say(o, to, "of exact cycles: the intervals that end there");
    else if (s->from % r->interval || (ends && s->to % r->interval))
        report_say(o, to, "of exact cycles: " SELECT_SHARE);
}

void selection_say(const struct selection *s, const struct options *o, FILE *to)
{
    char from[TEXT_NUMBER], until[TEXT_NUMBER];

    if (s->cpu >= 0)
        report_say(o, to, "only CPU %ld", s->cpu);
    if (s->one_thread)
        say_thread(s, o, to);
    if (s->from || s->to != UINT64_MAX)
        report_say(o, to, "only from cycle %s on, before %s",
                   text_count(from, s->from),
                   s->to == UINT64_MAX ? "the end" : text_count(until, s->to));
    if (!s->no_exact)
        say_intervals(s, o, to);
    if (s->filter)
        report_say(o, to, "only what holds: %s", o->text[OPTION_BIT_FILTERS]);
    if (!s->all)
        putc('\n', to);
}
