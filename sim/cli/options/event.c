/* event.c - reads what stands behind --event into the machine's setup.
 */
#define _GNU_SOURCE
#include "sim/cli/options/event.h"
#include "lib/base/text.h"
#include "sim/core/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line of a mistake: what was asked for, then what is wrong with it. */
static bool refuse(char *why, size_t size, const char *text, const char *what)
{
    snprintf(why, size, "-e %s: %s", text, what);
    return false;
}

/* NAME = EVENT [and CONDITION] */
static bool add_definition(struct machine_setup *s, const char *text, char *why,
                           size_t size)
{
    struct predicate *d = &s->define[s->ndefine];
    struct expr_error e;

    if (s->ndefine == PREDICATE_MAX) {
        snprintf(why, size, "-e '%s': %d definitions are all there can be",
                 text, PREDICATE_MAX);
        return false;
    }
    if (!predicate_parse(d, text, &e)) {
        machine_misdefined(text, &e, why, size);
        return false;
    }
    for (unsigned k = 0; k < s->ndefine; k++)
        if (!strcmp(s->define[k].name, d->name)) {
            snprintf(why, size, "-e '%s': %s is defined already", text,
                     d->name);
            return false;
        }
    s->ndefine++;
    return true;
}

/* A row of the table, or a definition; -1: neither. */
static int find_event(const struct machine_setup *s, const char *name)
{
    int id = event_by_name(name);

    for (unsigned k = 0; k < s->ndefine; k++)
        if (!strcmp(s->define[k].name, name))
            return (int)derived_defined(k);
    return id > EV_nothing && event_kind((enum event)id) != KIND_DEFINED ? id
                                                                         : -1;
}

/* The row whose kind decides how an event can be counted. */
static enum event base_of(const struct machine_setup *s, enum event id)
{
    for (unsigned k = 0; k < s->ndefine; k++)
        if (id == derived_defined(k))
            return s->define[k].base;
    return id;
}

/* A word behind the event's name: a period, or the states to count in. */
static bool add_word(struct host_counter_spec *e, const char *word,
                     const char *text, char *why, size_t size)
{
    bool number = *word >= '0' && *word <= '9';

    if (number ? e->period > 0 : e->user || e->kernel) {
        snprintf(why, size, "-e %s: '%s' is one too many: give %s once", text,
                 word, number ? "a period" : "u, k or uk");
        return false;
    }
    if (number) {
        if (text_number(word, &e->period) && e->period >= 1 &&
            e->period <= INT64_MAX / 2)
            return true;
        snprintf(why, size, "-e %s: give a period from 1 to %llu", text,
                 (unsigned long long)INT64_MAX / 2);
        return false;
    }
    if (*word && strspn(word, "uk") == strlen(word)) {
        e->user = strchr(word, 'u');
        e->kernel = strchr(word, 'k');
        return true;
    }
    snprintf(why, size, "-e %s: '%s' is neither a period nor u, k or uk", text,
             word);
    return false;
}

/* What others call an event of ours: perf's names of the common ones. */
static const char *known_as(const char *name)
{
    static const char *const names[][2] = {
        {"instructions", "insn_completed"}, {"branches", "branch_completed"},
        {"branch-misses", "br_mispredict"}, {"cache-misses", "dcache_miss"},
        {"cpu-cycles", "cycles"},
    };

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(names[k][0], name) == 0)
            return names[k][1];
    return name;
}

static bool no_event(const struct machine_setup *s, const char *name,
                     const char *text, char *why, size_t size)
{
    char near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    did_you_mean_begin(&n, known_as(name));
    event_offer(&n);
    for (unsigned k = 0; k < s->ndefine; k++)
        did_you_mean_offer(&n, s->define[k].name);
    did_you_mean_text(&n, near_by);
    snprintf(why, size, "-e %s: no such event%s%s", text, near_by,
             *near_by ? "" : "; --list-events lists them");
    return false;
}

/* `words` is a copy of `text` to be taken apart. */
static bool add_words(struct machine_setup *s, char *words, const char *text,
                      char *why, size_t size)
{
    struct host_counter_spec e = {0};
    char *name = strsep(&words, ":"), *word;
    int id = find_event(s, name);

    if (id < 0)
        return no_event(s, name, text, why, size);
    e.event = (enum event)id;
    while ((word = strsep(&words, ":")))
        if (!add_word(&e, word, text, why, size))
            return false;
    if (!e.user && !e.kernel)
        e.user = e.kernel = true;
    if (!host_counters_counts(base_of(s, e.event)))
        return refuse(why, size, text,
                      "this event is derived from the guest's own registers; "
                      "the host cannot count it");
    if (e.period && !host_counters_samples(base_of(s, e.event)))
        return refuse(why, size, text,
                      "this event is a sum of times: it can be counted, not "
                      "sampled; leave the period out");
    s->host_counters[s->nhost_counters++] = e;
    return true;
}

/* EVENT[:PERIOD][:u|:k|:uk] */
static bool add_event(struct machine_setup *s, const char *text, char *why,
                      size_t size)
{
    char *words;
    bool ok;

    if (s->nhost_counters == HOST_COUNTERS) {
        snprintf(why, size, "-e %s: %d counters are all there are", text,
                 HOST_COUNTERS);
        return false;
    }
    words = strdup(text);
    if (!words) {
        snprintf(why, size, "the host has no memory");
        return false;
    }
    ok = add_words(s, words, text, why, size);
    free(words);
    return ok;
}

/* The timing model does not count e. It names those that it does. */
static bool refuse_uncounted(const struct machine_setup *s, enum event e,
                             char *why, size_t size)
{
    const char *name = s->timing->name, *list[EV_COUNT];
    char text[256];
    unsigned n = 0;
    size_t used;

    for (int id = 0; id < EV_COUNT; id++)
        if (host_counters_counts((enum event)id) &&
            timing_counts(s->timing, (enum event)id))
            list[n++] = event_name((enum event)id);
    used = (size_t)snprintf(text, sizeof text,
                            "does not happen in --mode=%s, which counts", name);
    for (unsigned k = 0; k < n && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s",
                                 !k          ? ""
                                 : k + 1 < n ? ","
                                             : " and",
                                 list[k]);
    if (used < sizeof text)
        snprintf(text + used, sizeof text - used, "; leave --mode=%s out",
                 name);
    return refuse(why, size, machine_event(s, e), text);
}

bool event_options_check(const struct machine_setup *s, char *why, size_t size)
{
    if (s->ndetail) /* what is counted in detail has the stretches */
        return true;
    for (unsigned k = 0; k < s->nhost_counters; k++)
        if (!timing_counts(s->timing, base_of(s, s->host_counters[k].event)))
            return refuse_uncounted(s, s->host_counters[k].event, why, size);
    return true;
}

static void offer_words(struct predicate_needs *o,
                        const struct perfinst_marks *on)
{
    for (size_t k = 0; k < on->words; k++) {
        o->marked |= (on->word[k].indicator & IND_PMU) != 0;
        o->window |= (on->word[k].indicator & IND_START) != 0;
    }
}

/* What of these there is from outside, as predicate_needs has it. */
static struct predicate_needs offered(const struct perfinst_marks *on,
                                      const struct marked_files *inside)
{
    struct predicate_needs o = {0};
    unsigned next[2] = {0};

    for (unsigned k = 0; k < on->ranges; k++)
        next[on->range[k].data]++;
    o.ranges = (uint8_t)((1u << next[0]) - 1);
    o.data_ranges = (uint8_t)((1u << next[1]) - 1);
    offer_words(&o, on);
    for (unsigned k = 0; k < inside->count; k++)
        offer_words(&o, &inside->file[k].on);
    return o;
}

/* What a condition asks for that is not there; NULL: it all is. */
static const char *missing(const struct predicate_needs *needs,
                           const struct predicate_needs *there)
{
    if (needs->ranges & ~there->ranges)
        return "asks for an instruction range that nothing sets; give "
               "--range=A..B for each, range0 is the first";
    if (needs->data_ranges & ~there->data_ranges)
        return "asks for a data range that nothing sets; give "
               "--data-range=A..B for each, range0 is the first";
    if (needs->marked && !there->marked)
        return "asks for marked instructions, and no mark has the action pmu; "
               "give --mark=WHAT=pmu (=count only counts)";
    if (needs->window && !there->window)
        return "asks for the counting window, which no mark opens; give "
               "--mark=WHAT=start";
    return NULL;
}

bool event_options_can(const struct machine_setup *s,
                       const struct perfinst_marks *marks,
                       const struct marked_files *inside, char *why,
                       size_t size)
{
    struct predicate_needs there = offered(marks, inside);

    for (unsigned k = 0; k < s->nhost_counters; k++)
        for (unsigned d = 0; d < s->ndefine; d++) {
            struct predicate_needs needs = predicate_needs(&s->define[d]);
            const char *text = missing(&needs, &there);

            if (s->host_counters[k].event == derived_defined(d) && text &&
                !predicate_may(&s->define[d], &there))
                return refuse(why, size, s->define[d].name, text);
        }
    return true;
}

bool event_options_add(struct machine_setup *s, const char *text, char *why,
                       size_t size)
{
    return predicate_is(text) ? add_definition(s, text, why, size)
                              : add_event(s, text, why, size);
}
