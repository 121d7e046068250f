/* flag_record.c - see flag_record.h. */
#include "sim/observe/locks/flag_record.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "sim/observe/locks/poll_put.h"

enum {
#define CALL(number, name, handler) CALL_##name = number,
#include "sim/user/calls/calls.def"
#undef CALL
};

#define NEAR 4096 /* bytes above the stack pointer: its frame, and callers' */
#define IGNORES_CR 16 /* of a branch's BO */

static unsigned fold(pa_t pa)
{
    return (pa >> 2 ^ pa >> 16) & (FLAG_FILTER - 1);
}

static struct flag_thread *here(struct flag_record *f, const struct core *c)
{
    struct flag_on *on = &f->on[c->number];
    uint32_t *of;
    bool fresh;

    if (on->thread && on->context == c->context)
        return &f->thread[on->thread - 1];
    of = hash_at(&f->of, c->context, &fresh);
    if (fresh) {
        f->thread = grow(f->thread, &f->threads_room, f->threads + 1,
                         sizeof *f->thread);
        f->thread[f->threads++] = (struct flag_thread){.load = NULL};
        *of = (uint32_t)f->threads;
    }
    *on = (struct flag_on){c->context, *of};
    return &f->thread[*of - 1];
}

/* The stores to a word that is asked, a new one if it was none. */
static struct flag_word *word_of(struct flag_record *f, pa_t pa)
{
    bool fresh;
    uint32_t *at = hash_at(&f->word_at, pa, &fresh);

    if (fresh) {
        f->word = grow(f->word, &f->words_room, f->words + 1, sizeof *f->word);
        f->word[f->words++] = (struct flag_word){0};
        f->seen[fold(pa) / 64] |= UINT64_C(1) << fold(pa) % 64;
        *at = (uint32_t)f->words;
    }
    return &f->word[*at - 1];
}

/* ---- a thread ends ------------------------------------------------------- */

static void put(struct flag_record *f, const struct core *c,
                const struct flag_load *l, cycle_t at)
{
    poll_put(f->experiment, c->number, c->context, at,
             &(struct poll_wait){.writer = l->writer,
                                 .object = l->ea,
                                 .since = l->since,
                                 .ended = l->ended,
                                 .written = l->written,
                                 .sleeps = l->asked,
                                 .worked = true});
}

static void finish(struct flag_record *f, const struct core *c,
                   const struct flag_thread *t, cycle_t at)
{
    const struct flag_load *longest = NULL;

    for (size_t n = 0; n < t->loads; n++) {
        const struct flag_load *l = &t->load[n];

        if (l->set &&
            (!longest || l->ended - l->since > longest->ended - longest->since))
            longest = l;
    }
    if (longest && longest->written > longest->since)
        put(f, c, longest, at);
}

/* ---- loads and branches -------------------------------------------------- */

static uint32_t number_of(struct flag_thread *t, ea_t pc)
{
    bool fresh;
    uint32_t *at = hash_at(&t->at, pc, &fresh);

    if (fresh) {
        t->load = grow(t->load, &t->room, t->loads + 1, sizeof *t->load);
        t->load[t->loads++] = (struct flag_load){0};
        *at = (uint32_t)t->loads;
    }
    return *at - 1;
}

static void ask(struct flag_thread *t, const struct core *c,
                const struct access *a, ea_t pc)
{
    ea_t stack = c->cpu.gpr[1];
    pa_t pa = a->pa & ~(pa_t)3;
    struct flag_load *l;
    uint32_t at;

    if (a->ea - stack < NEAR || t->pendings == FLAG_PENDING)
        return;
    at = number_of(t, pc);
    l = &t->load[at];
    if (l->pc != pc || l->stack != stack || l->pa != pa)
        *l = (struct flag_load){
            .pc = pc, .stack = stack, .pa = pa, .ea = a->ea & ~(ea_t)3};
    l->set = false;
    t->pending[t->pendings++] = at;
}

/* A branch behind a load went one way. */
static void branch(struct flag_record *f, const struct core *c,
                   struct flag_load *l, cycle_t at)
{
    const struct flag_word *w;
    bool same = l->asked && l->taken == c->cpu.step.taken, own;

    if (!l->asked) { /* most words are loaded once */
        l->asked = 1;
        l->since = l->ended = at;
        l->taken = c->cpu.step.taken;
        return;
    }
    w = word_of(f, l->pa);
    own = w->store != l->store && w->writer == c->context;
    if (same && !own) {
        l->asked++;
        l->ended = at;
    } else if (!own && l->asked >= FLAG_ASKED && w->store != l->store) {
        l->set = true;
        l->writer = w->writer;
        l->written = w->written;
        l->ended = at;
    } else {
        l->asked = 1;
        l->since = l->ended = at;
    }
    if (!l->set)
        l->taken = c->cpu.step.taken;
    l->store = w->store;
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct flag_record *f = arg;
    struct flag_thread *t = here(f, c);

    t->tests = i->op == OP_BC && !(i->d & IGNORES_CR) && (i->c || i->imm != 4);
    t->reserves = i->op == OP_LWARX;
    if (i->op != OP_SC || !(c->cpu.msr & MSR_PR))
        return false;
    t->pendings = 0;
    if (c->cpu.gpr[0] == CALL_exit)
        finish(f, c, t, at);
    return false;
}

static void stored(struct flag_record *f, const struct core *c,
                   const struct access *a, cycle_t at)
{
    for (pa_t pa = a->pa & ~(pa_t)3; pa < a->pa + a->size; pa += 4) {
        struct flag_word *w;

        if (!(f->seen[fold(pa) / 64] >> fold(pa) % 64 & 1) ||
            !hash_find(&f->word_at, pa))
            continue;
        w = word_of(f, pa);
        w->writer = c->context;
        w->written = at;
        w->store = ++f->stores;
    }
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct flag_record *f = arg;
    struct flag_thread *t = &f->thread[f->on[c->number].thread - 1];

    (void)done;
    for (unsigned n = 0; t->tests && n < t->pendings; n++)
        branch(f, c, &t->load[t->pending[n]], at);
    if (t->tests)
        t->pendings = 0;
    for (unsigned n = 0; n < c->cpu.step.accesses; n++) {
        const struct access *a = &c->cpu.step.access[n];

        if (!a->io && a->kind == ACCESS_STORE)
            stored(f, c, a, at);
        else if (!a->io && a->kind == ACCESS_LOAD && !t->reserves &&
                 (c->cpu.msr & MSR_PR) &&
                 !lock_record_calls(f->functions, c->context))
            ask(t, c, a, pc);
    }
    return false;
}

void flag_record_open(struct flag_record *f, struct machine *m,
                      struct experiment *e, const struct lock_record *functions)
{
    *f = (struct flag_record){.experiment = e, .functions = functions};
    f->observer = (struct observer){.arg = f, .before = before, .after = after};
    machine_observe(m, &f->observer, true);
}

void flag_record_close(struct flag_record *f)
{
    for (size_t n = 0; n < f->threads; n++) {
        free(f->thread[n].load);
        hash_free(&f->thread[n].at);
    }
    free(f->thread);
    free(f->word);
    hash_free(&f->of);
    hash_free(&f->word_at);
    *f = (struct flag_record){0};
}
