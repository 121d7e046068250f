/* mark_counts.c - see mark_counts.h. */
#include "tools/analysis/profile/mark_counts.h"

#include <stdlib.h>
#include <string.h>

#include "include/mark_bits.h"
#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "tools/analysis/experiment/stack.h"

static void read_marks(struct mark_counts *m, struct recording *r)
{
    struct recfile f;
    struct record k;

    if (!recording_records(r, REC_MARK, &f))
        return;
    while (recfile_next(&f, &k)) {
        m->mark = grow(m->mark, &m->room, m->marks + 1, sizeof *m->mark);
        m->mark[m->marks++] = (struct mark_count){
            .kind = record_get_mark_flags(&k),
            .address = record_get_mark_address(&k),
            .indicator = record_get_mark_indicator(&k),
            .limit = record_get_mark_limit(&k),
            .count = record_get_mark_count(&k),
            .exceeded = record_get_mark_exceedances(&k),
            .space = record_get_mark_space(&k),
        };
    }
    recording_done(r, &f);
}

static uint32_t function_at(struct recording *r, uint32_t pc, uint64_t cycle)
{
    return loadmap_find(&r->map, pc, cycle).function;
}

/* The function that called the one in which the marked instruction at pc stood.
 * The stack of the host begins with that instruction. The guest's begins with
 * the next: behind a call that is in the callee, behind a return in the caller
 * already. A recursive caller is one, too. */
static uint32_t caller(struct recording *r, const struct record *k, uint32_t pc)
{
    struct record_tail pcs = record_get_trap_stack(k);
    uint32_t next, in = function_at(r, pc, k->cycle);
    unsigned own = 0;

    if (!pcs.words)
        return LOADMAP_UNKNOWN;
    next = record_tail_word(pcs, 0);
    if (pcs.words > 1 && next != pc && record_tail_word(pcs, 1) == pc + 4)
        own = 1;
    else if (function_at(r, next, k->cycle) != in &&
             function_at(r, stack_before(next), k->cycle) != in)
        return function_at(r, stack_before(next), k->cycle);
    if (own + 1 >= pcs.words)
        return LOADMAP_UNKNOWN;
    return function_at(r, stack_before(record_tail_word(pcs, own + 1)),
                       k->cycle);
}

/* Traps by place: the last one made of a pc and its data, and for each trap
 * the one before it of the same two; both count from 1, 0 is none. */
struct places {
    struct hash last;
    uint32_t *before;
    size_t room;
};

static struct mark_count_trap *find(struct mark_counts *m, struct places *p,
                                    const struct mark_count_trap *want)
{
    bool fresh;
    uint32_t *last =
        hash_at(&p->last, (uint64_t)want->pc << 32 | want->data, &fresh);

    for (uint32_t k = *last; k; k = p->before[k - 1]) {
        struct mark_count_trap *t = &m->trap[k - 1];

        if (t->cause == want->cause && t->guest == want->guest &&
            t->caller == want->caller && t->space == want->space)
            return t;
    }
    m->trap = grow(m->trap, &m->traps_room, m->traps + 1, sizeof *m->trap);
    p->before = grow(p->before, &p->room, m->traps + 1, sizeof *p->before);
    m->trap[m->traps] = *want;
    p->before[m->traps] = *last;
    *last = (uint32_t)m->traps + 1;
    return &m->trap[m->traps++];
}

static void read_traps(struct mark_counts *m, struct recording *r)
{
    struct places places = {0};
    struct recfile f;
    struct record k;

    if (!recording_records(r, REC_TRAP, &f))
        return;
    while (recfile_next(&f, &k)) {
        struct mark_count_trap want = {
            .cause = record_get_trap_cause(&k) &
                     ~(uint32_t)(TRAP_TRUNCATED | TRAP_GUEST),
            .guest = record_get_trap_cause(&k) & TRAP_GUEST,
            .pc = record_get_trap_pc(&k),
            .data = record_get_trap_address(&k),
        };
        struct mark_count_trap *t;

        want.space = loadmap_space_at(&r->map, want.pc, k.cycle);
        want.caller = caller(r, &k, want.pc);
        t = find(m, &places, &want);
        t->traps++;
        t->captured += record_get_trap_count(&k);
        m->total++;
    }
    hash_free(&places.last);
    free(places.before);
    recording_done(r, &f);
}

/* The guest's own mark of this word; a segment may be for both kinds. */
static struct mark_count *guest_mark(struct mark_counts *m, uint32_t address,
                                     unsigned kind)
{
    struct mark_count *other = NULL;

    for (size_t i = 0; i < m->marks; i++) {
        struct mark_count *k = &m->mark[i];

        if (k->kind & (MARK_HOST | MARK_RANGE) || k->address != address)
            continue;
        if (k->kind == kind)
            return k;
        other = k;
    }
    return other;
}

/* A limit that was passed: the handler took what had been counted, and the
 * counter began at 0 again. The host's records have the whole count. */
static void add_captured(struct mark_counts *m)
{
    for (size_t i = 0; i < m->traps; i++) {
        const struct mark_count_trap *t = &m->trap[i];
        bool data = t->cause == PIFX_DATA_LIMIT;
        struct mark_count *k;

        if (!t->guest || (!data && t->cause != PIFX_INSN_LIMIT))
            continue;
        k = guest_mark(m, data ? t->data & ~3u : t->pc, data ? MARK_DATA : 0);
        if (k)
            k->count += t->captured;
    }
}

static int more_first(const void *a, const void *b)
{
    const struct mark_count_trap *x = a, *y = b;

    if (x->traps != y->traps)
        return x->traps < y->traps ? 1 : -1;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    if (x->guest != y->guest)
        return x->guest < y->guest ? -1 : 1;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    return x->caller < y->caller ? -1 : x->caller > y->caller;
}

void mark_counts_read(struct mark_counts *m, struct recording *r)
{
    memset(m, 0, sizeof *m);
    read_marks(m, r);
    read_traps(m, r);
    add_captured(m);
    if (m->traps)
        qsort(m->trap, m->traps, sizeof *m->trap, more_first);
}

struct place mark_count_place(struct recording *r, const struct mark_count *k)
{
    struct place at;

    loadmap_space(&r->map, k->space);
    at = loadmap_find(&r->map, k->address, r->end);
    loadmap_space(&r->map, 0);
    return at;
}

bool mark_count_executions(const struct mark_count *k)
{
    return k->kind == MARK_HOST && k->indicator & (IND_COUNT | IND_LIMIT);
}

bool mark_count_thresholds(const struct mark_count *k)
{
    return k->kind == MARK_HOST && k->indicator & IND_TH;
}

void mark_counts_free(struct mark_counts *m)
{
    free(m->mark);
    free(m->trap);
}
