/* poll_record.c - see poll_record.h. */
#include "sim/observe/locks/poll_record.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "sim/observe/locks/poll_put.h"

enum {
#define CALL(number, name, handler) CALL_##name = number,
#include "sim/user/calls/calls.def"
#undef CALL
};

#define FUTEX_WAIT 0
#define FUTEX_WAIT_BITSET 9

/* By Linux's numbers, which the guest has as well. */
static bool is_sleep(uint32_t number)
{
    return number == CALL_nanosleep || number == CALL_clock_nanosleep ||
           number == CALL_clock_nanosleep_time64 || number == CALL_sched_yield;
}

/* Does a system call wait until another thread wakes those of a word? */
static bool is_wait(const struct cpu *c)
{
    uint32_t operation = c->gpr[4] & 127;

    return (c->gpr[0] == CALL_futex || c->gpr[0] == CALL_futex_time64) &&
           (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET);
}

static unsigned fold(pa_t pa)
{
    return (pa >> 2 ^ pa >> 14) & (POLL_FILTER - 1);
}

/* Has a thread looked at it, or is it a lock? Or at one that is folded so. */
static bool is_seen(const struct poll_record *l, pa_t pa)
{
    return l->seen[fold(pa) / 64] >> fold(pa) % 64 & 1;
}

/* The poller of a context, a new one if it has none; a number from 1. */
static uint32_t number_of(struct poll_record *l, uint32_t context)
{
    bool fresh;
    uint32_t *of = hash_at(&l->of, context, &fresh);

    if (!fresh)
        return *of;
    l->poller = grow(l->poller, &l->room, l->pollers + 1, sizeof *l->poller);
    l->poller[l->pollers++] =
        (struct poller){.context = context, .has = POLL_NONE};
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

static void put(struct poll_record *l, const struct poller *p,
                const struct poll_word *word, cycle_t at)
{
    struct poll_wait wait = {.writer = word->seen_by,
                             .object = word->ea,
                             .since = p->first,
                             .ended = p->ended,
                             .written = word->seen,
                             .called = p->called,
                             .sleeps = p->sleeps,
                             .first = p->firsts,
                             .yielded = p->yields,
                             .tried = word->taken};

    if (p->loops && word->loaded > p->ended)
        wait.ended = word->loaded;
    if (p->firsts && p->first_at == word->seen)
        wait.first--;
    poll_put(l->experiment, p->cpu, p->context, at, &wait);
}

/* Does a word tell more of what a thread waited for than another one: since it
 * did not take it, or since it was written later? */
static bool is_rather(const struct poll_word *w, const struct poll_word *than)
{
    return w->taken != than->taken ? than->taken : w->seen > than->seen;
}

/* What a thread waited for: the word that another one wrote last. */
static const struct poll_word *last_of(const struct poller *p)
{
    const struct poll_word *last = NULL;

    for (unsigned n = 0; n < p->before.words; n++) {
        const struct poll_word *w = &p->before.word[n];

        if (w->seen && !w->own && (!last || is_rather(w, last)))
            last = w;
    }
    return last;
}

/* The thread does something else. */
static void finish(struct poll_record *l, const struct core *c,
                   struct poller *p, cycle_t at)
{
    const struct poll_word *last = last_of(p);

    p->cpu = c->number;
    if (last)
        put(l, p, last, at);
    p->sleeps = 0;
    p->yields = 0;
    p->called = 0;
    p->before = p->now; /* if it comes to sleep there again */
}

/* ---- sleeps -------------------------------------------------------------- */

/* Are the words of the last look those of the one before? */
static bool is_same_look(const struct poller *p)
{
    if (!p->now.words || p->now.words != p->before.words)
        return false;
    for (unsigned n = 0; n < p->now.words; n++) {
        unsigned k = 0;

        while (k < p->before.words && p->before.word[k].pa != p->now.word[n].pa)
            k++;
        if (k == p->before.words)
            return false;
    }
    return true;
}

static bool is_there(const struct poller *p, const struct cpu *c)
{
    return p->pc == c->pc && p->stack == c->gpr[1];
}

/* What the thread has seen ended its wait, if it does something else before it
 * looks once more: it may come back to try to take a lock. */
static void keep_seen(struct poller *p)
{
    for (unsigned n = 0; n < p->now.words; n++)
        for (unsigned k = 0; k < p->before.words; k++) {
            struct poll_word *w = &p->now.word[n];
            const struct poll_word *was = &p->before.word[k];

            if (was->pa != w->pa || !was->seen || was->kept)
                continue;
            w->seen = was->seen;
            w->seen_by = was->seen_by;
            w->loaded = was->loaded;
            w->kept = true;
        }
}

/* One more look; goes_on: of the same wait, else the first of another one. */
static void ask(struct poll_record *l, const struct core *c, struct poller *p,
                cycle_t at, bool goes_on)
{
    bool there = is_there(p, &c->cpu);

    if (p->sleeps && goes_on) {
        p->sleeps++;
        if (p->loops)
            keep_seen(p);
        if (p->now.words || !p->loops)
            p->before = p->now;
    } else {
        if (p->sleeps)
            finish(l, c, p, at);
        if (!there)
            p->before.words = 0;
        for (unsigned n = 0; n < p->before.words; n++)
            p->before.word[n] =
                (struct poll_word){.pa = p->before.word[n].pa,
                                   .ea = p->before.word[n].ea,
                                   .own = p->before.word[n].own};
        p->sleeps = 1;
        p->slept = false;
        p->yields = 0;
        p->first = at;
        p->firsts = 0;
    }
    p->cpu = c->number;
    p->pc = c->cpu.pc;
    p->stack = c->cpu.gpr[1];
    p->now.words = 0;
    p->asleep = true;
}

/* A system call that sleeps or yields. Behind a loop that waits for the same
 * words it is one more look of that wait. */
static void ask_sleep(struct poll_record *l, const struct core *c,
                      struct poller *p, cycle_t at)
{
    bool vain = p->loops && (!p->now.words || is_same_look(p));

    ask(l, c, p, at, vain || is_there(p, &c->cpu));
    p->yields += c->cpu.gpr[0] == CALL_sched_yield;
    p->slept |= c->cpu.gpr[0] != CALL_sched_yield;
    p->loops = false;
}

/* A system call that waits until another thread wakes those of a word: of that
 * at which the thread has looked, or of another one while those are as they
 * were. */
static bool is_vain(const struct poller *p, const struct cpu *c)
{
    if (!is_wait(c))
        return false;
    for (unsigned n = 0; n < p->before.words; n++)
        if (p->before.word[n].ea == c->gpr[3])
            return true;
    return !last_of(p);
}

/* It may call without having looked since its last sleep. */
static void ask_wait(struct poller *p, cycle_t at)
{
    if (is_same_look(p))
        p->before = p->now;
    p->now.words = 0;
    p->sleeps++;
    p->asleep = true;
    p->loops = false;
    if (!p->called)
        p->called = at;
}

/* ---- loops --------------------------------------------------------------- */

/* Has the thread been at this instruction since its last store or system call,
 * with the same stack pointer and link register, and loaded since? Other
 * registers may differ: no other thread sees them. */
static bool is_idle(struct poller *p, const struct cpu *c)
{
    struct poll_head here = {c->pc, c->gpr[1], c->lr, p->loads}, *h;

    for (unsigned n = 0; n < p->heads; n++) {
        struct poll_head was = p->head[n];

        if (was.pc != c->pc)
            continue;
        p->head[n] = here;
        return was.stack == here.stack && was.lr == here.lr &&
               was.loads != here.loads;
    }
    h = &p->head[p->heads < POLL_HEADS ? p->heads++ : p->oldest++ % POLL_HEADS];
    *h = here;
    return false;
}

/* The thread branched back. A loop with another one in it, such as a pause, has
 * several targets: it is the same wait while the words loaded are the same.
 * With other words a wait by loops is over. A wait by sleeps goes on: its loops
 * between two sleeps are part of the look. */
static void come_back(struct poll_record *l, const struct core *c,
                      struct poller *p, cycle_t at)
{
    bool there = is_there(p, &c->cpu), same = is_same_look(p);

    if (!is_idle(p, &c->cpu) || (p->sleeps && !p->now.words) ||
        (p->sleeps && !p->loops && !same && !there))
        return;
    if (p->sleeps > 1 && !same) { /* or it goes through memory */
        if (!there || last_of(p)) /* ... which others have not written */
            finish(l, c, p, at);
        p->sleeps = 0;
        p->before.words = 0;
    }
    ask(l, c, p, at, true);
    p->loops = true;
    p->asleep = false;
    p->ended = at;
    p->insns = 0;
}

/* ---- instructions -------------------------------------------------------- */

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct poll_record *l = arg;
    struct poller *p = here(l, c);

    p->reserves = i->op == OP_LWARX ? &c->cpu.gpr[i->d] : NULL;
    p->conditional = i->op == OP_STWCX;
    p->unchanged = p->conditional && c->cpu.gpr[i->d] == p->reserved;
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
        ask_sleep(l, c, p, at);
    else if (p->sleeps > 1 && is_vain(p, &c->cpu))
        ask_wait(p, at);
    else if (p->sleeps)
        finish(l, c, p, at);
    return false;
}

static void loaded(struct poll_record *l, struct poller *p,
                   const struct access *a, cycle_t cycle)
{
    pa_t pa = a->pa & ~(pa_t)3;

    unsigned at = 0;

    while (at < p->now.words && p->now.word[at].pa != pa)
        at++;
    if (at < p->now.words)
        p->now.word[at].own = false;
    /* Clocks of two CPUs differ by up to a turn, so cycles would not tell. What
     * it has loaded since, it may load anew, as where stwcx. failed. */
    for (unsigned n = 0; n < p->before.words; n++) {
        struct poll_word *w = &p->before.word[n];

        if (w->pa == pa && w->written &&
            (at == p->now.words || p->now.word[at].written)) {
            if (w->seen != w->written)
                w->loaded = cycle;
            w->seen_by = w->writer;
            w->seen = w->written;
            w->kept = false;
        }
    }
    if (at < p->now.words || p->now.words == POLL_WORDS_SEEN)
        return;
    p->now.word[p->now.words++] = (struct poll_word){.pa = pa, .ea = a->ea};
    l->seen[fold(pa) / 64] |= UINT64_C(1) << fold(pa) % 64;
}

/* True: it is a word of that look. */
static bool write(struct poll_look *look, pa_t pa, uint32_t writer, cycle_t at)
{
    for (unsigned n = 0; n < look->words; n++)
        if (look->word[n].pa == pa) {
            look->word[n].writer = writer;
            look->word[n].written = at;
            return true;
        }
    return false;
}

/* It loads a word at which it looked last time, before it sleeps. */
static void looked(struct poll_record *l, struct poller *p, pa_t pa)
{
    if (!is_seen(l, pa))
        return;
    for (unsigned n = 0; n < p->before.words; n++)
        if (p->before.word[n].pa == pa)
            p->before.word[n].own = false;
}

static void take(struct poller *p, pa_t pa)
{
    for (unsigned n = 0; n < p->before.words; n++)
        if (p->before.word[n].pa == pa) {
            p->before.word[n].taken = p->before.word[n].seen;
            p->before.word[n].own |= !p->sleeps;
            p->has = p->sleeps ? pa : p->has;
        }
    for (unsigned n = 0; n < p->now.words; n++)
        if (p->now.word[n].pa == pa)
            p->now.word[n].own = true;
}

/* Does a thread that stores to a word take the lock that it is, without having
 * looked at it before? The next store to what it has gives that back. */
static bool is_first(struct poller *p, pa_t pa)
{
    bool first = p->conditional && !p->sleeps && p->has != pa;

    if (first)
        p->has = pa;
    else if (!p->sleeps && p->has == pa)
        p->has = POLL_NONE;
    return first;
}

/* Does the thread try in a loop to store to a word, which it does now? One that
 * sleeps meanwhile looks again by time. */
static bool tries(const struct poller *p, pa_t pa)
{
    if (!p->sleeps || p->slept)
        return false;
    for (unsigned n = 0; n < p->before.words; n++)
        if (p->before.word[n].pa == pa)
            return true;
    return false;
}

/* What a function does that takes locks or gives them back, lock_record.h has.
 */
static void lock(struct poll_record *l, const struct core *c,
                 const struct poller *own, struct word_store s)
{
    if (!(c->cpu.msr & MSR_PR) || lock_record_calls(l->functions, c->context))
        return;
    s.conditional = own->conditional;
    s.old = own->reserved;
    s.since = tries(own, s.pa) ? own->first : s.at;
    if (word_locks_store(&l->locks, l->experiment, c, &s))
        l->seen[fold(s.pa) / 64] |= UINT64_C(1) << fold(s.pa) % 64;
}

static void stored(struct poll_record *l, const struct core *c,
                   struct poller *own, const struct access *a, ea_t pc,
                   cycle_t at)
{
    for (pa_t pa = a->pa & ~(pa_t)3; pa < a->pa + a->size; pa += 4) {
        bool first;

        if (own->conditional || is_seen(l, pa))
            lock(
                l, c, own,
                (struct word_store){.pa = pa, .ea = a->ea, .pc = pc, .at = at});
        if (!is_seen(l, pa))
            continue;
        take(own, pa);
        first = is_first(own, pa);
        for (size_t n = 0; n < l->pollers; n++) {
            struct poller *p = &l->poller[n];

            if (p == own)
                continue;
            if (write(&p->before, pa, own->context, at) && p->sleeps && first) {
                p->firsts++;
                p->first_at = at;
            }
            write(&p->now, pa, own->context, at);
        }
    }
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct poll_record *l = arg;
    struct poller *p;

    (void)done;
    if (!c->cpu.step.accesses)
        return false;
    p = &l->poller[l->on[c->number].poller - 1];
    for (unsigned n = 0; n < c->cpu.step.accesses; n++) {
        const struct access *a = &c->cpu.step.access[n];

        if (a->io)
            continue;
        if (a->kind == ACCESS_STORE && p->unchanged)
            continue;
        if (a->kind == ACCESS_STORE) {
            stored(l, c, p, a, pc, at);
            p->heads = 0;
            continue;
        }
        if (a->kind != ACCESS_LOAD || !(c->cpu.msr & MSR_PR))
            continue; /* a kernel looks at words for threads */
        p->loads++;
        if (p->reserves)
            p->reserved = *p->reserves;
        if (!p->sleeps) {
            looked(l, p, a->pa & ~(pa_t)3);
        } else if (!p->asleep) {
            loaded(l, p, a, at);
        }
    }
    return false;
}

/* ---- the run's end ------------------------------------------------------- */

#define FRAME                                                                  \
    4096 /* bytes above the stack pointer, for words that no other             \
          * thread is to write */

/* The word that a thread asked last, of those that are not its own, and that no
 * other thread has written: it waits for that. */
static const struct poll_word *asked_last(const struct poller *p)
{
    const struct poll_word *last = NULL;

    if (p->sleeps < POLL_ENDLESS || last_of(p))
        return NULL;
    for (unsigned n = 0; n < p->before.words; n++)
        if (p->before.word[n].ea - p->stack >= FRAME)
            last = &p->before.word[n];
    return last;
}

static void end(void *arg, cycle_t at)
{
    struct poll_record *l = arg;

    for (size_t n = 0; n < l->pollers; n++) {
        const struct poller *p = &l->poller[n];
        const struct poll_word *asked = asked_last(p);
        struct poll_word word;

        if (!asked)
            continue;
        word = *asked;
        word.seen_by = p->context;
        word.seen = at;
        put(l, p, &word, at);
    }
}

/* ---- opening ------------------------------------------------------------- */

void poll_record_open(struct poll_record *l, struct machine *m,
                      struct experiment *e, const struct lock_record *functions)
{
    *l = (struct poll_record){.experiment = e, .functions = functions};
    l->observer = (struct observer){
        .arg = l, .before = before, .after = after, .end = end};
    machine_observe(m, &l->observer, true);
}

void poll_record_close(struct poll_record *l)
{
    free(l->poller);
    hash_free(&l->of);
    word_locks_free(&l->locks);
    *l = (struct poll_record){0};
}
