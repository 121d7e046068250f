/* poll_record.c - see poll_record.h. */
#include "sim/observe/poll_record.h"

#include <stdlib.h>
#include <string.h>

#include "include/record_put.h"
#include "lib/base/grow.h"

enum {
#define CALL(number, name, handler) CALL_##name = number,
#include "sim/user/calls/calls.def"
#undef CALL
};

/* By Linux's numbers, which the guest has as well. */
static bool is_sleep(uint32_t number)
{
    return number == CALL_nanosleep || number == CALL_clock_nanosleep ||
           number == CALL_clock_nanosleep_time64 || number == CALL_sched_yield;
}

static unsigned fold(pa_t pa)
{
    return (pa >> 2 ^ pa >> 14) & (POLL_FILTER - 1);
}

/* The poller of a context, a new one if it has none; a number from 1. */
static uint32_t number_of(struct poll_record *l, uint32_t context)
{
    bool fresh;
    uint32_t *of = hash_at(&l->of, context, &fresh);

    if (!fresh)
        return *of;
    l->poller = grow(l->poller, &l->room, l->pollers + 1, sizeof *l->poller);
    l->poller[l->pollers++] = (struct poller){.context = context};
    return *of = (uint32_t)l->pollers;
}

/* The thread that a CPU runs an instruction of. */
static struct poller *here(struct poll_record *l, const struct core *c)
{
    struct poll_on *on = &l->on[c->number];

    if (!on->poller || on->context != c->context)
        *on = (struct poll_on){c->context, number_of(l, c->context)};
    return &l->poller[on->poller - 1];
}

/* ---- the end of it ------------------------------------------------------- */

static uint32_t ago(cycle_t at, cycle_t then)
{
    return at - then > UINT32_MAX ? UINT32_MAX : (uint32_t)(at - then);
}

static void put(struct poll_record *l, const struct core *c,
                const struct poller *p, const struct poll_word *word,
                cycle_t at)
{
    struct experiment_stamp s = {REC_POLL, c->number, p->context, at};
    uint32_t w[POLL_WORDS];

    record_put_poll_writer(w, word->writer);
    record_put_poll_object(w, word->ea);
    record_put_poll_since(w, ago(at, p->first));
    record_put_poll_ended(w, ago(at, p->ended));
    record_put_poll_written(
        w, ago(at, word->written < p->ended ? word->written : p->ended));
    record_put_poll_sleeps(w, p->sleeps);
    record_put_poll_tried(w, word->taken);
    experiment_record(l->experiment, &s, w, POLL_WORDS);
}

/* Does a word tell more of what a thread waited for than another one: since it
 * did not take it, or since it was written later? */
static bool is_rather(const struct poll_word *w, const struct poll_word *than)
{
    return w->taken != than->taken ? than->taken : w->written > than->written;
}

/* The thread does something else. */
static void finish(struct poll_record *l, const struct core *c,
                   struct poller *p, cycle_t at)
{
    const struct poll_word *last = NULL;

    for (unsigned n = 0; n < p->before.words; n++) {
        const struct poll_word *w = &p->before.word[n];

        if (w->found && !w->own && (!last || is_rather(w, last)))
            last = w;
    }
    if (last)
        put(l, c, p, last, at);
    p->sleeps = 0;
    p->before = p->now; /* if it comes to sleep there again */
}

/* ---- sleeps -------------------------------------------------------------- */

static void ask(struct poll_record *l, const struct core *c, struct poller *p,
                cycle_t at)
{
    bool same = p->pc == c->cpu.pc && p->stack == c->cpu.gpr[1];

    if (p->sleeps && same) {
        p->sleeps++;
        p->before = p->now;
    } else {
        if (p->sleeps)
            finish(l, c, p, at);
        if (!same)
            p->before.words = 0;
        for (unsigned n = 0; n < p->before.words; n++)
            p->before.word[n] =
                (struct poll_word){.pa = p->before.word[n].pa,
                                   .ea = p->before.word[n].ea,
                                   .own = p->before.word[n].own};
        p->sleeps = 1;
        p->first = at;
        p->pc = c->cpu.pc;
        p->stack = c->cpu.gpr[1];
    }
    p->now.words = 0;
    p->asleep = true;
}

/* ---- loops --------------------------------------------------------------- */

static bool is_same(const struct poll_head *h, const struct cpu *c)
{
    return h->cr == c->cr && h->lr == c->lr && h->ctr == c->ctr &&
           h->xer == c->xer && !memcmp(h->gpr, c->gpr, sizeof h->gpr);
}

static void keep(struct poll_head *h, const struct cpu *c)
{
    *h = (struct poll_head){c->pc, {0}, c->cr, c->lr, c->ctr, c->xer};
    memcpy(h->gpr, c->gpr, sizeof h->gpr);
}

/* It came back to an instruction: with nothing but that done? */
static bool is_idle(struct poller *p, const struct cpu *c)
{
    for (unsigned n = 0; n < p->heads; n++)
        if (p->head[n].pc == c->pc) {
            if (is_same(&p->head[n], c))
                return true;
            keep(&p->head[n], c);
            return false;
        }
    keep(
        &p->head[p->heads < POLL_HEADS ? p->heads++ : p->oldest++ % POLL_HEADS],
        c);
    return false;
}

static void come_back(struct poll_record *l, const struct core *c,
                      struct poller *p, cycle_t at)
{
    bool there = p->pc == c->cpu.pc && p->stack == c->cpu.gpr[1];

    if (!is_idle(p, &c->cpu) || (p->sleeps && !there))
        return;
    ask(l, c, p, at);
    p->asleep = false;
    p->ended = at;
    p->insns = 0;
}

/* ---- instructions -------------------------------------------------------- */

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct poll_record *l = arg;
    struct poller *p = here(l, c);

    if (!(c->cpu.msr & MSR_PR))
        return false;
    if (p->asleep) {
        p->asleep = false;
        p->ended = at;
        p->insns = 0;
    }
    if (p->sleeps && ++p->insns > POLL_INSNS)
        finish(l, c, p, at);
    if (c->cpu.pc < p->at)
        come_back(l, c, p, at);
    p->at = c->cpu.pc;
    if (i->op != OP_SC)
        return false;
    p->heads = 0;
    if (is_sleep(c->cpu.gpr[0]))
        ask(l, c, p, at);
    else if (p->sleeps)
        finish(l, c, p, at);
    return false;
}

static void loaded(struct poll_record *l, struct poller *p,
                   const struct access *a)
{
    pa_t pa = a->pa & ~(pa_t)3;

    for (unsigned n = 0; n < p->now.words; n++)
        if (p->now.word[n].pa == pa) {
            p->now.word[n].own = false;
            return;
        }
    /* Clocks of two CPUs differ by up to a turn, so cycles would not tell. */
    for (unsigned n = 0; n < p->before.words; n++)
        if (p->before.word[n].pa == pa)
            p->before.word[n].found = p->before.word[n].written;
    if (p->now.words == POLL_WORDS_SEEN)
        return;
    p->now.word[p->now.words++] = (struct poll_word){.pa = pa, .ea = a->ea};
    l->seen[fold(pa) / 64] |= UINT64_C(1) << fold(pa) % 64;
}

static void write(struct poll_look *look, pa_t pa, uint32_t writer, cycle_t at)
{
    for (unsigned n = 0; n < look->words; n++)
        if (look->word[n].pa == pa) {
            look->word[n].writer = writer;
            look->word[n].written = at;
        }
}

/* It loads a word at which it looked last time, before it sleeps. */
static void looked(struct poll_record *l, struct poller *p, pa_t pa)
{
    if (!(l->seen[fold(pa) / 64] >> fold(pa) % 64 & 1))
        return;
    for (unsigned n = 0; n < p->before.words; n++)
        if (p->before.word[n].pa == pa)
            p->before.word[n].own = false;
}

static void take(struct poller *p, pa_t pa)
{
    for (unsigned n = 0; n < p->before.words; n++)
        if (p->before.word[n].pa == pa) {
            p->before.word[n].taken = p->before.word[n].found;
            p->before.word[n].own |= !p->sleeps;
        }
    for (unsigned n = 0; n < p->now.words; n++)
        if (p->now.word[n].pa == pa)
            p->now.word[n].own = true;
}

static void stored(struct poll_record *l, uint32_t context,
                   const struct access *a, cycle_t at)
{
    for (pa_t pa = a->pa & ~(pa_t)3; pa < a->pa + a->size; pa += 4) {
        if (!(l->seen[fold(pa) / 64] >> fold(pa) % 64 & 1))
            continue;
        for (size_t n = 0; n < l->pollers; n++) {
            struct poller *p = &l->poller[n];

            if (p->context == context) {
                take(p, pa);
                continue;
            }
            write(&p->before, pa, context, at);
            write(&p->now, pa, context, at);
        }
    }
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct poll_record *l = arg;
    struct poller *p;

    (void)pc, (void)done;
    if (!c->cpu.step.accesses)
        return false;
    p = &l->poller[l->on[c->number].poller - 1];
    for (unsigned n = 0; n < c->cpu.step.accesses; n++) {
        const struct access *a = &c->cpu.step.access[n];

        if (a->io)
            continue;
        if (a->kind == ACCESS_STORE) {
            stored(l, p->context, a, at);
            p->heads = 0;
        } else if (a->kind != ACCESS_LOAD || !(c->cpu.msr & MSR_PR)) {
            continue; /* a kernel looks at words for threads */
        } else if (!p->sleeps) {
            looked(l, p, a->pa & ~(pa_t)3);
        } else if (!p->asleep) {
            loaded(l, p, a);
        }
    }
    return false;
}

/* ---- opening ------------------------------------------------------------- */

void poll_record_open(struct poll_record *l, struct machine *m,
                      struct experiment *e)
{
    *l = (struct poll_record){.experiment = e};
    l->observer = (struct observer){.arg = l, .before = before, .after = after};
    machine_observe(m, &l->observer, true);
}

void poll_record_close(struct poll_record *l)
{
    free(l->poller);
    hash_free(&l->of);
    *l = (struct poll_record){0};
}
