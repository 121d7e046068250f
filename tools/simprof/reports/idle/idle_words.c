/* idle_words.c - the idle report's first sentences: what was found, or why
 * nothing was. What it advises must be true of the run: where the records do
 * not tell the cause there is no advice.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "tools/simprof/reports/idle/idle.h"

#define TOP 3 /* stacks that the first sentence speaks of */

/* "The CPUs were", or of one "CPU 2 was". */
static const char *subject(const struct idle_view *v, char out[32])
{
    unsigned shown = 0, which = 0;

    for (unsigned cpu = v->first; cpu < v->last; cpu++)
        if (idle_view_shows(v, cpu)) {
            shown++;
            which = cpu;
        }
    if (shown != 1 || v->r->cpus == 1)
        return "The CPUs were";
    snprintf(out, 32, "CPU %u was", which);
    return out;
}

/* ---- nothing was sampled ------------------------------------------------- */

/* Is there a profiler in the program? It has threads for it, or counts. */
static bool has_sampler(const struct idle_view *v)
{
    for (size_t i = 0; i < v->r->threads.count; i++)
        if (v->r->threads.list[i].is == THREAD_IS_SAMPLER)
            return true;
    for (unsigned cpu = 0; cpu < v->d.cpus; cpu++)
        if (v->d.cpu[cpu].stat[STAT_INTERRUPTS])
            return true;
    return false;
}

/* Does the boot line have sample interrupts come by an event that does not
 * happen while a CPU naps? docs/guest.md says which do. */
static bool naps_unseen(const struct idle_view *v, char event[])
{
    static const char *const seen[] = {"cycles", "tb_transition", "snoop_"};
    char idle[RECORDING_ARGUMENT];

    if (!recording_argument(v->r, "trigger", event) ||
        strncmp(event, "event:", 6) ||
        (recording_argument(v->r, "idle", idle) && !strcmp(idle, "spin")))
        return false;
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        if (!strncmp(event + 6, seen[i], strlen(seen[i])))
            return false;
    return true;
}

/* A profiler there was, and none of its interrupts met an idle CPU. */
static void print_busy(const struct idle_view *v, FILE *to)
{
    char event[RECORDING_ARGUMENT], number[TEXT_NUMBER];
    uint64_t interrupts = 0;
    bool known = v->r->ended && !v->r->windowed;

    for (unsigned cpu = v->first; cpu < v->last; cpu++) {
        known &= v->d.cpu[cpu].has_stat[STAT_INTERRUPTS];
        if (idle_view_shows(v, cpu))
            interrupts += v->d.cpu[cpu].stat[STAT_INTERRUPTS];
    }
    if (!known)
        report_say(v->o, to,
                   "No sample interrupt is on record that found a CPU idle.");
    else if (!interrupts && text_lines_get(&v->r->log, "sampled-idle"))
        report_say(v->o, to,
                   "No sample interrupt came: --sample-idle with fewer cycles "
                   "has them come.");
    else if (!interrupts && recording_argument(v->r, "trigger", event) &&
             !strncmp(event, "time:", 5))
        report_say(v->o, to,
                   "No sample interrupt came: trigger=%s on the boot line is "
                   "too long, fewer cycles have them come.",
                   event);
    else
        report_say(v->o, to,
                   "%s sample interrupts came, none of them while its CPU was "
                   "idle.",
                   text_count(number, interrupts));
    if (naps_unseen(v, event))
        report_say(v->o, to,
                   "With trigger=%s on the boot line they come by an event "
                   "that napping CPUs do not count: trigger=time:CYCLES or "
                   "idle=spin meets them.",
                   event);
}

/* Idle, and no interrupt that says why. */
static void print_unseen(const struct idle_view *v, FILE *to)
{
    char sampler[RECORDING_ARGUMENT];

    if (has_sampler(v))
        print_busy(v, to);
    else if (text_lines_get(&v->r->log, "argument"))
        report_say(v->o, to,
                   "Under --user there is no profiler inside that samples "
                   "idle CPUs: simrun --sample-idle=20000 does it from "
                   "outside.");
    else if (text_lines_get(&v->r->log, "kernel"))
        report_say(v->o, to,
                   "simrun --sample-idle=20000 samples a Linux kernel's idle "
                   "CPUs from outside.");
    else if (recording_argument(v->r, "sampler", sampler) &&
             !strcmp(sampler, "off"))
        report_say(v->o, to,
                   "sampler=off on the boot line: no samples were taken.");
    else
        report_say(v->o, to,
                   "The program has no profiler that samples idle CPUs.");
}

/* No stacks: why not. */
static void print_empty(const struct idle_view *v, const struct idle_sums *s,
                        FILE *to)
{
    uint64_t idle = s->unknown ? s->nap : s->idle;
    char percent[TEXT_NUMBER], periods[TEXT_NUMBER], who[32];

    text_percent(percent, idle, s->cycles);
    if (v->selection.filter && v->only_samples) {
        report_say(v->o, to, "No idle transition is left by the filter.");
        return;
    }
    report_say(v->o, to, "No idle transitions: the report is empty.");
    if (s->unknown && s->no_nap)
        report_say(v->o, to,
                   "No context switches were recorded, and no interval of the "
                   "oracle ends here: nothing is known of idleness.");
    else if (s->unknown)
        report_say(v->o, to,
                   "The run recorded no context switches, so nothing is known "
                   "of idle threads; the processors slept %s%% of the time.",
                   percent);
    else if (!idle && v->o->cpu < 0)
        report_say(v->o, to,
                   "No CPU was ever idle, so there is nothing to explain.");
    else if (!idle)
        report_say(v->o, to, "%s never idle, so there is nothing to explain.",
                   subject(v, who));
    else
        report_say(v->o, to, "%s idle %s%% of the time, in %s periods.",
                   subject(v, who), percent, text_count(periods, s->periods));
    if (idle && !(s->unknown && s->no_nap))
        print_unseen(v, to);
}

/* ---- something was ------------------------------------------------------- */

/* "31 stale, 26 suppressed, 3 none" */
static const char *unsampled(const struct idle_sums *s, char out[128])
{
    const struct {
        uint64_t n;
        const char *name;
    } why[] = {
        {s->unsampled[UNSAMPLED_ENDED] + s->unsampled[UNSAMPLED_RUNNABLE] +
             s->unsampled[UNSAMPLED_MOVED],
         "stale"},
        {s->unsampled[UNSAMPLED_NONE], "none"},
        {s->unsampled[UNSAMPLED_OUTSTANDING], "suppressed"},
        {s->unsampled[UNSAMPLED_AGAIN], "in sampled periods"},
    };
    int n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof why / sizeof why[0]; i++) {
        char number[TEXT_NUMBER];

        if (why[i].n)
            n += snprintf(out + n, 128 - (size_t)n, "%s%s %s", n ? ", " : "",
                          text_count(number, why[i].n), why[i].name);
    }
    return out;
}

/* "75.1% (95%: 72.0-78.2%) met the most frequent to-idle stack, " */
static const char *tops(const struct idle_view *v, const struct idle_sums *s,
                        char out[256])
{
    char percent[TEXT_NUMBER], between[64] = "";
    struct accuracy_interval interval;
    uint64_t some = 0;
    size_t count;
    uint32_t *node = idle_view_stacks(v, IDLE_TO, &count);
    int n;

    out[0] = '\0';
    if (count && v->intervals) {
        idle_view_intervals(v, true, node, 1, &interval);
        snprintf(between, sizeof between, " (95%%: %.1f-%.1f%%)",
                 100 * interval.low, 100 * interval.high);
    }
    for (size_t i = 0; i < TOP && i < count; i++)
        some += idle_view_base(v, node[i], IDLE_TO);
    if (count) {
        text_percent(percent, idle_view_base(v, node[0], IDLE_TO),
                     s->interrupts);
        n = snprintf(out, 256, "%s%%%s met the %sto-idle stack, ", percent,
                     between, count > 1 ? "most frequent " : "only ");
        if (count > TOP)
            snprintf(out + n, 256 - (size_t)n,
                     "%s%% one of the %d most frequent, ",
                     text_percent(percent, some, s->interrupts), TOP);
    }
    free(node);
    return out;
}

/* Of what a stack explains, and what none does, the measured lengths. */
static void print_measured(const struct idle_view *v, const struct idle_sums *s,
                           FILE *to)
{
    uint64_t rest = s->periods - s->with_to, hz = v->r->clock_hz;
    char percent[TEXT_NUMBER], count[TEXT_NUMBER];
    char mean[TEXT_NUMBER], other[TEXT_NUMBER];

    if (v->only_samples) {
        report_say(v->o, to,
                   "What the filter asks for idle time has not (only cpu): it "
                   "is left out.");
        return;
    }
    if (!s->with_to || !hz || s->unknown)
        return;
    text_percent(percent, s->explained, s->idle);
    text_time(other, s->explained / s->with_to, hz);
    text_time(mean, rest ? (s->idle - s->explained) / rest : 0, hz);
    report_say(
        v->o, to,
        rest ? "Idle periods with a to-idle sample make up %s%% of the "
               "idle time, %s each on average; the %s without are %s each."
             : "Idle periods with a to-idle sample make up %s%% of the "
               "idle time, %s each on average.",
        percent, other, text_count(count, rest), mean);
}

static void print_interrupts(const struct idle_view *v,
                             const struct idle_sums *s, FILE *to)
{
    char top[256], why[128], all[TEXT_NUMBER], none[TEXT_NUMBER];

    if (!s->interrupts) {
        report_say(v->o, to, "No to-idle samples say why.");
        return;
    }
    text_percent(none, s->interrupts - s->to, s->interrupts);
    if (s->interrupts > s->to)
        report_say(v->o, to,
                   "Of %s sample interrupts that found a CPU idle, %s%s%% gave "
                   "no stack: %s.",
                   text_count(all, s->interrupts), tops(v, s, top), none,
                   unsampled(s, why));
    else
        report_say(v->o, to,
                   "Of %s sample interrupts that found a CPU idle, %severy one "
                   "gave a stack.",
                   text_count(all, s->interrupts), tops(v, s, top));
}

void idle_print_words(const struct idle_view *v, FILE *to)
{
    struct idle_sums s = idle_view_sums(v);
    char idle[TEXT_NUMBER], who[32];

    if (!s.interrupts && !s.ends) {
        print_empty(v, &s, to);
        return;
    }
    text_percent(idle, s.idle, s.cycles);
    if (v->only_samples)
        ;
    else if (s.unknown || !s.idle)
        report_say(v->o, to,
                   "How long the CPUs were idle is unknown: no context switch "
                   "names an idle thread.");
    else
        report_say(v->o, to, "%s idle %s%% of the time.", subject(v, who),
                   idle);
    print_interrupts(v, &s, to);
    print_measured(v, &s, to);
    if (s.to && idle_restarts(v->r))
        report_say(v->o, to, "%s", idle_restarts_text);
}
