/* probe.c - entries and exits by address, sections by their marks. See
 * probe.h.
 *
 * A function is entered when the next instruction is its first, after a branch
 * or because a signal calls it; it is left when a return leads to where LR
 * pointed then, with the stack pointer of then, in the same context. A longjmp
 * over it leaves it open, and when the place that called it makes a call again
 * it is forgotten. A mark began when the instruction before it had completed.
 */
#include "sim/observe/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"
#include "include/record_put.h"

enum {
#define CALL(number, name, handler) CALL_##name = number,
#include "sim/user/calls/calls.def"
#undef CALL
};

static cycle_t later(cycle_t a, cycle_t b)
{
    return a > b ? a : b;
}

static unsigned hash(uint32_t pc)
{
    return (pc >> 2) * 0x9E3779B1u >> 22;
}

static void filter_add(uint64_t derived[16], uint32_t pc)
{
    derived[hash(pc) / 64] |= (uint64_t)1 << hash(pc) % 64;
}

static bool filter_has(const uint64_t derived[16], uint32_t pc)
{
    return derived[hash(pc) / 64] >> hash(pc) % 64 & 1;
}

/* ---- who ran how long ---------------------------------------------------- */

/* NULL: there is no room for one more. */
static struct probe_context *context_of(struct probes *p, uint32_t context)
{
    unsigned i = context * 0x9E3779B1u % PROBE_CONTEXTS;

    while (p->context[i].known && p->context[i].context != context)
        i = (i + 1) % PROBE_CONTEXTS;
    if (!p->context[i].known) {
        if (p->contexts == PROBE_CONTEXTS - 1)
            return NULL;
        p->contexts++;
        p->context[i] =
            (struct probe_context){.known = true, .context = context};
    }
    return &p->context[i];
}

/* How long the context that runs on c had run by `at`, all processors. */
static cycle_t ran_by(struct probes *p, const struct core *c, cycle_t at)
{
    const struct probe_cpu *s = &p->cpu[c->number];
    const struct probe_context *k = context_of(p, s->runs);

    return k ? k->ran + (at > s->since ? at - s->since : 0) : PROBE_UNKNOWN;
}

/* From `at` on another thread runs, or none. */
static void stint_ends(struct probes *p, struct probe_cpu *s, cycle_t at)
{
    bool ran = s->known && !s->resting;
    struct probe_context *k = ran ? context_of(p, s->runs) : NULL;

    if (k && at > s->since)
        k->ran += at - s->since;
    if (k)
        k->left = at;
    s->since = at;
}

static void switch_record(struct probes *p, const struct core *c, uint32_t from,
                          uint32_t to, cycle_t at)
{
    struct experiment_stamp s = {REC_SWITCH, c->number, to, at};
    const struct probe_context *k =
        from == PROBE_NOBODY ? NULL : context_of(p, from);
    uint32_t w[SWITCH_LEAST];

    record_put_switch_pid(w, 0);
    record_put_switch_out_pid(w, 0);
    record_put_switch_out_thread(w, from);
    record_put_switch_out_state(w, k && k->became ? k->became
                                                  : THREAD_STATE_READY);
    record_put_switch_left(w, c->cpu.pc);
    experiment_record(p->experiment, &s, w, SWITCH_LEAST);
}

/* A guest's kernel says who runs, and writes records of it: the context is
 * the new one from the instruction on that named it. */
static void follow_kernel(struct probes *p, const struct core *c, cycle_t at)
{
    struct probe_cpu *s = &p->cpu[c->number];

    if (s->known && c->context != s->runs)
        stint_ends(p, s, s->done);
    else if (!s->known)
        s->since = at;
    s->runs = c->context;
}

/* Under --user the supervisor exchanges threads: the switch is when it was
 * entered, even if what it costs is charged to the old one. */
/* Processors are exact to a quantum: one may be given a thread at a cycle at
 * which the other has not come to giving it up. No thread runs twice. */
static cycle_t free_by(struct probes *p, unsigned cpu, uint32_t context)
{
    struct probe_context *k = context_of(p, context);
    cycle_t left = k ? k->left : 0;

    for (unsigned i = 0; i < MACHINE_CPUS; i++) {
        const struct probe_cpu *s = &p->cpu[i];

        if (i != cpu && s->known && !s->resting && s->runs == context &&
            s->entered > left)
            left = s->entered;
    }
    return left;
}

static void exchange(struct probes *p, const struct core *c, uint32_t to,
                     cycle_t at)
{
    struct probe_cpu *s = &p->cpu[c->number];
    bool ran = s->known && !s->resting;
    uint32_t from = ran ? s->runs : PROBE_NOBODY;
    cycle_t begins;

    at = later(at, s->since);
    stint_ends(p, s, at);
    begins = to == PROBE_NOBODY ? at : later(at, free_by(p, c->number, to));
    if (ran && begins > at) {
        switch_record(p, c, from, PROBE_NOBODY, at);
        from = PROBE_NOBODY;
    }
    switch_record(p, c, from, to, begins);
    s->since = begins;
    s->known = true;
    s->resting = to == PROBE_NOBODY;
    s->runs = c->context;
}

/* It is about to be entered. Since the last time there may have been no
 * instruction: the processor napped, or a new thread got no further. */
static void entered(void *arg, struct core *c, enum exc e, ea_t pc, cycle_t at)
{
    struct probes *p = arg;
    struct probe_cpu *s = &p->cpu[c->number];
    struct probe_context *k;

    (void)pc;
    if (s->known && !s->resting && c->nap_since > s->entered)
        exchange(p, c, PROBE_NOBODY, s->entered);
    else if (s->known && !s->resting && c->context != s->runs)
        exchange(p, c, c->context, s->entered);
    s->entered = at;
    s->put = true;
    k = s->resting ? NULL : context_of(p, c->context);
    if (k) {
        k->pc = c->cpu.pc;
        k->stack = c->cpu.gpr[1];
        k->returning = e == EXC_SC && (c->cpu.gpr[0] == CALL_sigreturn ||
                                       c->cpu.gpr[0] == CALL_rt_sigreturn);
    }
}

/* Behind an instruction of the old one. */
static void follow_user(struct probes *p, const struct core *c)
{
    const struct probe_cpu *s = &p->cpu[c->number];

    if (c->cpu.msr & MSR_POW)
        exchange(p, c, PROBE_NOBODY, s->entered);
    else if (s->runs != c->context)
        exchange(p, c, c->context, s->entered);
}

/* ---- records ------------------------------------------------------------- */

static void record(struct probes *p, struct core *c, unsigned kind,
                   uint32_t what, cycle_t at)
{
    uint32_t charge = p->machine->with.params.probe_cycles;
    bool mark = kind == PROBE_BEGIN || kind == PROBE_END;
    struct experiment_stamp s = {REC_PROBE, c->number, c->context, at};
    uint32_t w[PROBE_WORDS];

    record_put_probe_event(w, kind);
    record_put_probe_portion(w, what);
    record_put_probe_overhead(w, charge + (mark ? p->mark_charged : 0));
    record_put_probe_sp(w, c->cpu.gpr[1]);
    record_put_probe_ran(w, ran_by(p, c, at));
    experiment_record(p->experiment, &s, w, PROBE_WORDS);
    if (charge && c->state == CORE_RUNNING)
        core_spend(c, charge);
}

/* ---- functions ----------------------------------------------------------- */

/* The youngest call that returns to LR with this stack, or NULL. */
static struct probe_call *returning(struct probes *p, const struct core *c)
{
    unsigned k;

    for (k = p->active; k-- > 0;) {
        struct probe_call *q = &p->call[k];

        if (q->back == c->cpu.lr && q->stack == c->cpu.gpr[1] &&
            q->context == c->context)
            return q;
    }
    return NULL;
}

static void forget(struct probes *p, struct probe_call *q)
{
    memmove(q, q + 1, (size_t)(&p->call[p->active] - (q + 1)) * sizeof *q);
    p->active--;
}

/* A jump to where a function would return is no return. */
static void leave(struct probes *p, struct core *c, cycle_t at)
{
    struct probe_call *q;

    while (c->cpu.pc == c->cpu.lr && (q = returning(p, c))) {
        uint32_t function = q->function;

        forget(p, q);
        record(p, c, PROBE_LEAVE, function, at);
    }
}

/* A call was made: one that would return to the same place, and has not, was
 * left by a longjmp. */
static void called(struct probes *p, const struct core *c)
{
    struct probe_call *q;

    while ((q = returning(p, c)))
        forget(p, q);
}

/* An interrupt between the call and the first instruction comes back here,
 * and so does a loop that begins with it: that is no second call. */
static struct probe_call *resumed(struct probes *p, const struct core *c)
{
    unsigned k;

    for (k = p->active; k-- > 0;) {
        struct probe_call *q = &p->call[k];

        if (q->function == c->cpu.pc && q->back == c->cpu.lr &&
            q->stack == c->cpu.gpr[1] && q->context == c->context)
            return q;
    }
    return NULL;
}

static void enter(struct probes *p, struct core *c, cycle_t at)
{
    unsigned k;

    for (k = 0; k < p->count && p->function[k] != c->cpu.pc; k++)
        ;
    if (k == p->count || resumed(p, c))
        return;
    if (p->active == PROBE_ACTIVE) {
        p->lost++;
        return;
    }
    p->call[p->active++] =
        (struct probe_call){c->context, c->cpu.lr, c->cpu.gpr[1], c->cpu.pc};
    filter_add(p->derived, c->cpu.lr);
    record(p, c, PROBE_ENTER, c->cpu.pc, at);
}

/* In front of the first instruction since the supervisor was entered. Where
 * that is not where it was entered from a signal's handler begins; one that had
 * begun with this very stack was left by a longjmp. */
static void put_there(struct probes *p, struct core *c, cycle_t at)
{
    const struct probe_context *k = context_of(p, c->context);
    struct probe_call *q;

    if (!k || k->returning || (k->pc == c->cpu.pc && k->stack == c->cpu.gpr[1]))
        return;
    q = resumed(p, c);
    if (q)
        forget(p, q);
    enter(p, c, at);
}

/* Its switch is recorded later. By then it may have been woken, which changes
 * nothing of how it left: only notes of who leaves count. */
static void thread(void *arg, struct core *c, const struct thread_note *n)
{
    struct probe_context *k;

    (void)c;
    if (n->name || n->wake || n->state == STATE_USER ||
        (n->state == STATE_RUNNABLE && !n->registers))
        return;
    k = context_of(arg, n->thread);
    if (k)
        k->became = machine_thread_left(n);
}

/* ---- every instruction --------------------------------------------------- */

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct probes *p = arg;
    struct probe_cpu *s = &p->cpu[c->number];

    (void)i;
    if (!s->known || s->resting)
        exchange(p, c, c->context, at);
    else if (s->runs != c->context)
        exchange(p, c, c->context, s->entered);
    if (s->put && filter_has(p->derived, c->cpu.pc))
        put_there(p, c, at);
    s->put = false;
    return false;
}

static void mark(struct probes *p, struct core *c, ea_t pc, cycle_t at)
{
    const struct mark *m = section_notes_find(&p->marks, pc);

    if (m)
        record(p, c, m->begins ? PROBE_BEGIN : PROBE_END, m->section, at);
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct probes *p = arg;
    struct probe_cpu *s = &p->cpu[c->number];
    bool user = c->with.supervisor.enter;
    cycle_t began = s->done ? s->done : at;
    bool put = s->put; /* by this very instruction: a system call */

    if (!user)
        follow_kernel(p, c, at);
    s->known = true;
    s->done = done;
    s->put = false;
    if (user)
        follow_user(p, c);
    if (c->cpu.pc == pc + 4) {
        if (filter_has(p->mark_filter, pc))
            mark(p, c, pc, began);
        return false;
    }
    if (c->cpu.lr == pc + 4 && filter_has(p->derived, c->cpu.lr))
        called(p, c);
    if (!filter_has(p->derived, c->cpu.pc))
        return false;
    leave(p, c, done);
    if (put)
        put_there(p, c, done);
    else
        enter(p, c, done);
    return false;
}

/* ---- opening ------------------------------------------------------------- */

/* By name, or by address: several functions may have one name. */
static bool find_function(const struct names *names, const char *text,
                          uint32_t *address, const char *image, char *why,
                          size_t size)
{
    char near_by[DID_YOU_MEAN_TEXT];
    const char *source[2];
    uint64_t number;
    uint32_t other;

    if (text_number(text, &number) && number <= UINT32_MAX) {
        *address = (uint32_t)number;
        return true;
    }
    if (!names_find(names, text, address)) {
        snprintf(why, size, "--probe %s: %s has no such symbol%s", text, image,
                 names_near(names, text, near_by));
        return false;
    }
    if (!names_another(names, text, *address, &other, source))
        return true;
    snprintf(why, size,
             "--probe %s: %s has several, at 0x%08" PRIx32 " and 0x%08" PRIx32,
             text, image, *address, other);
    size -= strlen(why);
    why += strlen(why);
    if (source[0])
        snprintf(why, size, "; write '%s (%s)', '%s (%s)' or the address", text,
                 source[0], text, source[1]);
    else
        snprintf(why, size, "; write the address instead");
    return false;
}

static bool open_functions(struct probes *p, const struct probe_options *o,
                           char *why, size_t size)
{
    const struct image *image = p->machine->with.image;
    struct names names;
    bool good = true;
    unsigned k;

    if (!o->count)
        return true;
    if (!names_open(&names, image)) {
        snprintf(why, size, "--probe: the host has no memory for the names");
        return false;
    }
    for (k = 0; good && k < o->count; k++) {
        good = find_function(&names, o->function[k], &p->function[k],
                             image->name, why, size);
        if (good)
            filter_add(p->derived, p->function[k]);
    }
    names_close(&names);
    p->count = o->count;
    return good;
}

static bool open_sections(struct probes *p, const struct probe_options *o,
                          char *why, size_t size)
{
    const struct machine_setup *with = &p->machine->with;
    size_t k;

    if (!o->sections)
        return true;
    if (!section_notes_open(&p->marks, with->image, why, size))
        return false;
    if (!p->marks.count) {
        snprintf(why, size,
                 "--sections: %s marks none, include/section.h says how",
                 with->image->name);
        return false;
    }
    for (k = 0; k < p->marks.count; k++)
        filter_add(p->mark_filter, p->marks.list[k].address);
    if (!section_notes_cost(with, &p->mark_cost, why, size))
        return false;
    /* Half a cycle is none: the loop it was measured in has nothing else for
     * the units that the marks take, others have. */
    p->mark_charged = (uint32_t)((p->mark_cost + 499) / 1000);
    return true;
}

bool probes_open(struct probes *p, const struct probe_options *o,
                 struct machine *m, struct experiment *e, char *why,
                 size_t size)
{
    memset(p, 0, sizeof *p);
    if (!o->count && !o->sections)
        return true;
    p->machine = m;
    p->experiment = e;
    if (!open_functions(p, o, why, size) || !open_sections(p, o, why, size)) {
        probes_close(p);
        return false;
    }
    p->observer = (struct observer){.arg = p, .after = after};
    if (m->with.supervisor.enter) {
        p->observer.before = before;
        p->observer.entered = entered;
        p->observer.thread = thread;
    }
    machine_observe(m, &p->observer, true);
    return true;
}

void probes_close(struct probes *p)
{
    section_notes_close(&p->marks);
}

void probes_say(const struct probes *p, struct experiment *e)
{
    uint32_t n;

    if (!p->marks.count)
        return;
    for (n = 0; n < p->marks.sections; n++)
        experiment_say(e, "section %" PRIu32 " %s", n + 1, p->marks.name[n]);
    experiment_say(e, "mark_cost %" PRIu64, p->mark_cost);
}
