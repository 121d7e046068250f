/* modes.c - see modes.h. */
#include "sim/machine/modes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"
#include "sim/core/timing.h"
#include "sim/machine/machine.h"

/* ---- what was asked for -------------------------------------------------- */

static bool place_parse(const char *text, bool to, const struct names *names,
                        struct place *p, char near_by[DID_YOU_MEAN_TEXT])
{
    uint64_t value;
    uint32_t address = 0;

    *near_by = '\0';
    *p = (struct place){PLACE_INSNS, 0, 0};
    if (to && !*text) {
        p->kind = PLACE_END;
        return true;
    }
    if (to && *text == '+') {
        p->kind = PLACE_MORE;
        return text_number(text + 1, &p->insns) && p->insns;
    }
    if (strncmp(text, "0x", 2) == 0) {
        p->kind = PLACE_ADDRESS;
        if (!text_number(text, &value) || value > UINT32_MAX || value % 4)
            return false;
        p->address = (ea_t)value;
        return true;
    }
    if (isdigit((unsigned char)*text))
        return text_number(text, &p->insns);
    p->kind = PLACE_ADDRESS;
    if (!*text || *text == '+' || *text == '-')
        return false;
    if (names && !names_find(names, text, &address)) {
        names_near(names, text, near_by);
        return false;
    }
    p->address = address;
    return true;
}

bool modes_parse(const char *text, const struct names *names, uint64_t fill,
                 struct stretch *s, char *why, size_t size)
{
    const char *colon = strrchr(text, ':');
    char from[256], near_by[DID_YOU_MEAN_TEXT];
    uint64_t length = UINT64_MAX;

    if (!colon || (size_t)(colon - text) >= sizeof from) {
        snprintf(why, size,
                 "--detail=%s: give FROM:TO, each a number of instructions, "
                 "0xADDRESS or a symbol; TO may be +N, or nothing",
                 text);
        return false;
    }
    snprintf(from, sizeof from, "%.*s", (int)(colon - text), text);
    if (!place_parse(from, false, names, &s->from, near_by) ||
        !place_parse(colon + 1, true, names, &s->to, near_by)) {
        snprintf(why, size,
                 "--detail=%s: give a number of instructions, 0xADDRESS or a "
                 "symbol of the program; TO may be +N, or nothing%s",
                 text, near_by);
        return false;
    }
    if (s->to.kind == PLACE_MORE)
        length = s->to.insns;
    else if (s->from.kind == PLACE_INSNS && s->to.kind == PLACE_INSNS)
        length = s->to.insns > s->from.insns ? s->to.insns - s->from.insns : 0;
    if (!length) {
        snprintf(why, size, "--detail=%s: TO must lie behind FROM", text);
        return false;
    }
    if (length <= fill) {
        snprintf(why, size,
                 "--detail=%s: no longer than the %llu instructions that fill "
                 "the window; give more, or --detail-fill=N fewer",
                 text, (unsigned long long)fill);
        return false;
    }
    return true;
}

/* ---- where it changes ---------------------------------------------------- */

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct modes *k = arg;

    (void)i;
    (void)at;
    /* Where it began is no end: NAME:NAME is from one time to the next. */
    k->reached =
        c->cpu.pc == k->address && machine_insns(k->machine) > k->begun;
    return k->reached;
}

/* The next change is at p, of a stretch that began where k->begun says, or
 * after `insns` instructions of the run. */
static void await(struct modes *k, const struct place *p, uint64_t insns)
{
    struct machine *m = k->machine;

    k->reached = false;
    k->awaited = p->kind == PLACE_ADDRESS;
    k->address = p->address;
    k->due = p->kind == PLACE_INSNS  ? p->insns
             : p->kind == PLACE_MORE ? k->begun + p->insns
                                     : UINT64_MAX;
    if (insns < k->due)
        k->due = insns;
    /* Without a pipeline it is waited for by blocks and all. */
    machine_observe(m, &k->observer, k->awaited && k->where != MODES_OUTSIDE);
    for (unsigned i = 0; i < m->with.cpus; i++) {
        m->core[i].stop = &k->observer;
        m->core[i].stop_pc =
            k->awaited && k->where == MODES_OUTSIDE ? k->address : 1;
    }
}

static void charge_as(struct machine *m, enum reason reason)
{
    for (unsigned i = 0; i < m->with.cpus; i++) {
        core_flush(&m->core[i]);
        oracle_as(m->core[i].oracle, reason);
    }
}

static void change(struct machine *m, enum reason reason)
{
    for (unsigned i = 0; i < m->with.cpus; i++) {
        core_change_mode(&m->core[i]);
        m->next[i] = core_next(&m->core[i]);
        oracle_as(m->core[i].oracle, reason);
    }
    m->quantum = m->core[0].with.timing->quantum(&m->with.params);
}

/* No processor that runs is in front of this cycle. */
static cycle_t now(const struct machine *m)
{
    cycle_t least = CYCLE_NEVER;

    for (unsigned i = 0; i < m->with.cpus; i++)
        if (m->next[i] < least)
            least = m->next[i];
    return least == CYCLE_NEVER ? machine_now(m) : least;
}

static void outside(struct modes *k)
{
    static const struct place never = {PLACE_END, 0, 0};

    k->where = MODES_OUTSIDE;
    await(k, k->next < k->stretches ? &k->stretch[k->next].from : &never,
          UINT64_MAX);
}

static void begin(struct machine *m)
{
    struct modes *k = &m->modes;

    change(m, REASON_filling);
    k->where = MODES_FILLING;
    k->begun = machine_insns(m);
    await(k, &k->stretch[k->next].to, k->begun + m->with.detail_fill);
}

static void fill(struct machine *m)
{
    struct modes *k = &m->modes;

    charge_as(m, REASON_COUNT);
    k->where = MODES_INSIDE;
    k->insns = machine_insns(m);
    k->since = now(m);
    await(k, &k->stretch[k->next].to, UINT64_MAX);
}

/* The stretch is over, at that cycle. */
static void measure(struct machine *m, cycle_t at)
{
    struct modes *k = &m->modes;
    struct measured part = {k->since, at > k->since ? at : k->since,
                            machine_insns(m) - k->insns};

    k->done++;
    k->measured += part.to - part.from;
    k->measured_insns += part.insns;
    OBSERVERS_TELL(&m->observers, measured, part.from, part.to, part.insns);
}

static void end(struct machine *m)
{
    struct modes *k = &m->modes;
    bool unfilled = machine_insns(m) == k->insns;

    change(m, REASON_untimed);
    if (unfilled)
        k->unfilled++;
    else
        measure(m, now(m));
    k->next++;
    outside(k);
}

void modes_look(struct machine *m)
{
    struct modes *k = &m->modes;
    bool over;

    if (k->reached) /* the processor need not finish its turn first */
        m->stopped_by_probe = m->core[m->turn_cpu].yield_pending = false;
    while (k->reached || machine_insns(m) >= k->due) {
        if (k->where == MODES_OUTSIDE)
            begin(m);
        else if (k->where == MODES_FILLING) {
            over = k->reached;
            fill(m);
            if (over)
                end(m);
        } else
            end(m);
    }
}

cycle_t modes_until(const struct machine *m, unsigned i, cycle_t until)
{
    const struct params *p = &m->with.params;
    uint64_t left = m->modes.due - machine_insns(m);
    cycle_t at = m->next[i], last;

    if (m->modes.due == UINT64_MAX)
        return until;
    last = m->core[i].with.timing->serial ? at + left * p->fast_cpi - 1
                                          : at + (left - 1) / p->dispatch_width;
    return last < until ? last : until;
}

void modes_end(struct machine *m, cycle_t at)
{
    if (m->modes.stretches && m->modes.where == MODES_INSIDE)
        measure(m, at);
}

/* ---- life ---------------------------------------------------------------- */

bool modes_open(struct machine *m, char *why, size_t size)
{
    struct modes *k = &m->modes;
    const struct machine_setup *s = &m->with;

    k->machine = m;
    k->due = UINT64_MAX;
    k->observer = (struct observer){.arg = k, .before = before};
    if (!s->ndetail)
        return true;
    if (!machine_read_names(m)) {
        snprintf(why, size, "the host has no memory for the names");
        return false;
    }
    for (unsigned n = 0; n < s->ndetail; n++)
        if (!modes_parse(s->detail[n], &m->names, s->detail_fill,
                         &k->stretch[n], why, size))
            return false;
    k->stretches = s->ndetail;
    charge_as(m, REASON_untimed);
    outside(k);
    return true;
}
