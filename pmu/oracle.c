/* oracle.c - the account of one CPU's cycles: (context, pc, reason) -> u64.
 *
 * Knows sums, not time: who charges what is sim/core's business. Cells lie in
 * blocks of one code line (8 words) for one context, a row of 8 cells (one
 * host cache line) a reason. Blocks are found by an open hash with the last
 * one remembered, since neighbours follow each other; they are cut from slabs
 * and used again after every drain. The host running out of memory ends the
 * process: an account with a hole would be worse than none.
 */
#include "pmu/oracle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/snap.h"

#define WORDS 8u
#define LINE_SHIFT 5
#define SLAB 64u
#define FIRST_SLOTS 1024u /* a power of two */

struct block {
    uint32_t reasons; /* a bit for each row that is not all zero */
    uint64_t cell[REASON_COUNT][WORDS];
};
_Static_assert(REASON_COUNT <= 32, "a bit a reason");

struct slot {
    uint64_t key;        /* context << 32 | pc >> LINE_SHIFT */
    struct block *block; /* NULL: free */
};

struct oracle {
    uint64_t last_key;
    struct block *last;
    uint64_t total;
    enum reason as; /* what is added bears this; REASON_COUNT: its own */
    struct slot *slot;
    struct slot *spare; /* as many; NULL: not drained since there are */
    uint32_t mask;      /* slots - 1 */
    uint32_t used;      /* slots, and blocks taken from the slabs */
    struct block **slab;
    uint32_t slabs;
    struct oracle *past;  /* what was drained; NULL: forgotten */
    uint64_t limit, step; /* the total at which an interval ends; so long */
    void (*full)(void *arg, uint64_t end);
    void *arg;
};

static void *need(void *p)
{
    if (!p)
        abort();
    return p;
}

struct oracle *oracle_new(void)
{
    struct oracle *o = calloc(1, sizeof *o);

    if (!o)
        return NULL;
    o->slot = calloc(FIRST_SLOTS, sizeof *o->slot);
    if (!o->slot) {
        free(o);
        return NULL;
    }
    o->mask = FIRST_SLOTS - 1;
    o->limit = UINT64_MAX;
    o->as = REASON_COUNT;
    return o;
}

void oracle_free(struct oracle *o)
{
    uint32_t i;

    if (!o)
        return;
    oracle_free(o->past);
    for (i = 0; i < o->slabs; i++)
        free(o->slab[i]);
    free(o->slab);
    free(o->slot);
    free(o->spare);
    free(o);
}

void oracle_keep(struct oracle *o)
{
    if (!o->past)
        o->past = need(oracle_new());
}

/* Where key is, or where it would go. */
static struct slot *slot_find(struct slot *slot, uint32_t mask, uint64_t key)
{
    uint32_t i = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & mask;

    while (slot[i].block && slot[i].key != key)
        i = (i + 1) & mask;
    return &slot[i];
}

static void slots_double(struct oracle *o)
{
    uint32_t mask = o->mask * 2 + 1, i;
    struct slot *bigger = need(calloc((size_t)mask + 1, sizeof *bigger));

    for (i = 0; i <= o->mask; i++)
        if (o->slot[i].block)
            *slot_find(bigger, mask, o->slot[i].key) = o->slot[i];
    free(o->slot);
    free(o->spare);
    o->slot = bigger;
    o->spare = NULL;
    o->mask = mask;
}

/* A block of zeros. */
static struct block *block_take(struct oracle *o)
{
    uint32_t n = o->used++;

    if (n == o->slabs * SLAB) {
        o->slab = need(realloc(o->slab, (o->slabs + 1) * sizeof *o->slab));
        o->slab[o->slabs++] = need(calloc(SLAB, sizeof(struct block)));
    }
    return &o->slab[n / SLAB][n % SLAB];
}

static struct block *block_find(struct oracle *o, uint64_t key)
{
    struct slot *s = slot_find(o->slot, o->mask, key);

    if (!s->block) {
        if (o->used > o->mask / 2) {
            slots_double(o);
            s = slot_find(o->slot, o->mask, key);
        }
        s->key = key;
        s->block = block_take(o);
    }
    o->last_key = key;
    o->last = s->block;
    return s->block;
}

static inline uint64_t key_of(uint32_t context, uint32_t pc)
{
    return (uint64_t)context << 32 | pc >> LINE_SHIFT;
}

static inline uint64_t *cell_in(struct block *b, uint32_t pc,
                                enum reason reason)
{
    b->reasons |= 1u << reason;
    return &b->cell[reason][pc >> 2 & (WORDS - 1)];
}

static inline uint64_t *cell_of(struct oracle *o, uint32_t context, uint32_t pc,
                                enum reason reason)
{
    uint64_t key = key_of(context, pc);
    struct block *b = o->last;

    if (__builtin_expect(key != o->last_key || !b, 0))
        b = block_find(o, key);
    return cell_in(b, pc, reason);
}

/* The interval ended within what was added to *cell, or with it; maybe others,
 * too. */
static __attribute__((noinline, cold)) void
end_intervals(struct oracle *o, uint32_t context, uint32_t pc,
              enum reason reason, uint64_t *cell)
{
    while (o->total >= o->limit) {
        uint64_t behind = o->total - o->limit;

        *cell -= behind;
        o->total = o->limit;
        o->limit += o->step;
        o->full(o->arg, o->total / ORACLE_UNIT);
        if (!behind)
            return;
        cell = cell_of(o, context, pc, reason);
        *cell += behind;
        o->total += behind;
    }
}

void oracle_as(struct oracle *o, enum reason reason)
{
    o->as = reason;
}

static enum reason borne(const struct oracle *o, enum reason r)
{
    bool own = o->as == REASON_COUNT || r == REASON_off || r == REASON_nap ||
               r == REASON_system;

    return own ? r : o->as;
}

/* Out of the way of what is nearly always so: the block is the latest one, and
 * no interval ends. */
static __attribute__((noinline)) void
add_anywhere(struct oracle *o, uint32_t context, uint32_t pc,
             enum reason reason, uint64_t twelfths)
{
    uint64_t *cell = cell_of(o, context, pc, reason);

    *cell += twelfths;
    o->total += twelfths;
    if (__builtin_expect(o->total >= o->limit, 0))
        end_intervals(o, context, pc, reason, cell);
}

void oracle_add(struct oracle *o, uint32_t context, uint32_t pc,
                enum reason reason, uint64_t twelfths)
{
    reason = borne(o, reason);
    if (__builtin_expect(o->last_key != key_of(context, pc) || !o->last ||
                             o->total + twelfths >= o->limit,
                         0)) {
        add_anywhere(o, context, pc, reason, twelfths);
        return;
    }
    *cell_in(o->last, pc, reason) += twelfths;
    o->total += twelfths;
}

void oracle_add_run(struct oracle *o, uint32_t context, uint32_t pc,
                    uint32_t length, enum reason reason, uint64_t each)
{
    reason = borne(o, reason);
    if (o->total + length * each >= o->limit) {
        for (uint32_t i = 0; i < length; i++)
            oracle_add(o, context, pc + 4 * i, reason, each);
        return;
    }
    o->total += length * each;
    while (length) {
        uint64_t *cell = cell_of(o, context, pc, reason);
        uint32_t here = WORDS - (pc >> 2 & (WORDS - 1));

        if (here > length)
            here = length;
        for (uint32_t i = 0; i < here; i++)
            cell[i] += each;
        pc += 4 * here;
        length -= here;
    }
}

void oracle_cut(struct oracle *o, uint64_t cycles,
                void (*full)(void *arg, uint64_t end), void *arg)
{
    o->step = o->limit = ORACLE_UNIT * cycles;
    o->full = full;
    o->arg = arg;
}

uint64_t oracle_edge(const struct oracle *o)
{
    return o->limit == UINT64_MAX ? UINT64_MAX : o->limit / ORACLE_UNIT;
}

uint64_t oracle_total(const struct oracle *o)
{
    return o->total;
}

/* The first n slots of `from`, in order of their keys: by one byte after the
 * other in which any two differ, the lowest first. They are in `from` or in
 * `to`, which has as much room; the result says where. */
static struct slot *sort_by_key(struct slot *from, struct slot *to, uint32_t n)
{
    uint64_t differ = 0;
    uint32_t i;

    for (i = 0; i < n; i++)
        differ |= from[i].key ^ from[0].key;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint32_t at[257] = {0};
        struct slot *sorted = to;

        if (!(differ >> shift & 0xFF))
            continue;
        for (i = 0; i < n; i++)
            at[(from[i].key >> shift & 0xFF) + 1]++;
        for (i = 1; i < 256; i++)
            at[i] += at[i - 1];
        for (i = 0; i < n; i++)
            to[at[from[i].key >> shift & 0xFF]++] = from[i];
        to = from;
        from = sorted;
    }
    return from;
}

/* Take the used slots out of the table: here they are in order of their keys.
 * At most half of the slots are used, so there is room for them twice. */
static const struct slot *slots_take(struct oracle *o)
{
    size_t slots = (size_t)o->mask + 1;
    uint32_t n = 0;

    if (!o->spare)
        o->spare = need(malloc(slots * sizeof *o->spare));
    for (size_t i = 0; i < slots; i++)
        if (o->slot[i].block) {
            o->spare[n++] = o->slot[i];
            o->slot[i].block = NULL;
        }
    return sort_by_key(o->spare, o->spare + n, n);
}

/* Show the rows of a block. */
static void block_rows(const struct slot *s,
                       void (*row)(void *arg, uint32_t context, uint32_t pc,
                                   enum reason reason, uint64_t twelfths),
                       void *arg)
{
    uint32_t context = (uint32_t)(s->key >> 32);
    uint32_t pc = (uint32_t)s->key << LINE_SHIFT;
    const struct block *b = s->block;
    const uint32_t reasons = b->reasons;

    for (uint32_t word = 0; word < WORDS; word++, pc += 4)
        for (uint32_t left = reasons; left; left &= left - 1) {
            int reason = __builtin_ctz(left);
            uint64_t twelfths = b->cell[reason][word];

            if (twelfths)
                row(arg, context, pc, (enum reason)reason, twelfths);
        }
}

static void block_zero(struct block *b)
{
    for (uint32_t left = b->reasons; left; left &= left - 1)
        memset(b->cell[__builtin_ctz(left)], 0, sizeof b->cell[0]);
    b->reasons = 0;
}

static void keep(void *past, uint32_t context, uint32_t pc, enum reason reason,
                 uint64_t twelfths)
{
    oracle_add(past, context, pc, reason, twelfths);
}

void oracle_drain(struct oracle *o,
                  void (*row)(void *arg, uint32_t context, uint32_t pc,
                              enum reason reason, uint64_t twelfths),
                  void *arg)
{
    const struct slot *sorted = slots_take(o);

    for (uint32_t i = 0; i < o->used; i++) {
        block_rows(&sorted[i], row, arg);
        if (o->past)
            block_rows(&sorted[i], keep, o->past);
        block_zero(sorted[i].block);
    }
    o->used = 0;
    o->last = NULL;
}

/* The used slot of the line of pc with the lowest key from `key` up, or NULL.
 * No account (NULL) has none. */
static const struct slot *slot_next(const struct oracle *o, uint64_t key)
{
    const struct slot *found = NULL;

    for (uint32_t i = 0; o && i <= o->mask; i++) {
        const struct slot *s = &o->slot[i];

        if (s->block && (uint32_t)s->key == (uint32_t)key && s->key >= key &&
            (!found || s->key < found->key))
            found = s;
    }
    return found;
}

void oracle_look(const struct oracle *o, uint32_t pc,
                 void (*row)(void *arg, uint32_t context, uint32_t pc,
                             enum reason reason, uint64_t twelfths),
                 void *arg)
{
    uint32_t word = pc >> 2 & (WORDS - 1);
    uint64_t key = pc >> LINE_SHIFT;
    const struct slot *now, *past;

    while (now = slot_next(o, key), past = slot_next(o->past, key),
           now || past) {
        key = !past || (now && now->key < past->key) ? now->key : past->key;
        for (int reason = 0; reason < REASON_COUNT; reason++) {
            uint64_t twelfths = 0;

            if (now && now->key == key)
                twelfths += now->block->cell[reason][word];
            if (past && past->key == key)
                twelfths += past->block->cell[reason][word];
            if (twelfths)
                row(arg, (uint32_t)(key >> 32), pc, (enum reason)reason,
                    twelfths);
        }
        key += UINT64_C(1) << 32;
        if (key >> 32 == 0)
            break; /* it was the last context there can be */
    }
}

/* ---- save and load --------------------------------------------------------
 */

/* Nothing is added up; the blocks stay. */
static void clear(struct oracle *o)
{
    for (uint32_t n = 0; n < o->slabs; n++)
        memset(o->slab[n], 0, SLAB * sizeof *o->slab[n]);
    memset(o->slot, 0, ((size_t)o->mask + 1) * sizeof *o->slot);
    o->used = 0;
    o->last = NULL;
}

static void block_state(struct snap *s, struct block *b)
{
    SNAP_BELOW(s, b->reasons, 1u << REASON_COUNT);
    for (unsigned r = 0; r < REASON_COUNT; r++)
        if (b->reasons >> r & 1 || s->way == SNAP_COVER)
            SNAP_ARRAY(s, b->cell[r]);
}

static void blocks_save(struct snap *s, struct oracle *o)
{
    size_t slots = (size_t)o->mask + 1;
    struct slot *list = need(malloc(slots * sizeof *list)), *sorted;
    uint32_t n = 0;

    for (size_t i = 0; i < slots; i++)
        if (o->slot[i].block)
            list[n++] = o->slot[i];
    sorted = sort_by_key(list, list + n, n);
    for (uint32_t i = 0; i < n; i++) {
        SNAP(s, sorted[i].key);
        block_state(s, sorted[i].block);
    }
    free(list);
}

static void blocks_state(struct snap *s, struct oracle *o)
{
    uint32_t used = o->used;
    uint64_t key = 0;

    SNAP(s, used);
    if (s->way != SNAP_LOAD) {
        blocks_save(s, o);
        return;
    }
    clear(o);
    for (uint32_t n = 0; !s->bad && n < used; n++) {
        SNAP(s, key);
        if (!s->bad)
            block_state(s, block_find(o, key));
    }
}

static void shape_state(struct snap *s, struct oracle *o)
{
    struct block spare = {0};

    SNAP_OWNS(s, struct oracle, o, 1);
    SNAP_OWNS(s, struct block, &spare, 1);
    if (s->way == SNAP_COVER)
        block_state(s, &spare);
    SNAP_SKIP(s, o->last_key, "the block found last: found again");
    SNAP_SKIP(s, o->last, "the block found last: found again");
    SNAP_SKIP(s, o->slot, "found again");
    SNAP_SKIP(s, o->spare, "room to drain in");
    SNAP_SKIP(s, o->mask, "of the hash");
    SNAP_SKIP(s, o->used, "of the hash");
    SNAP_SKIP(s, o->slab, "where the host has the blocks");
    SNAP_SKIP(s, o->slabs, "where the host has the blocks");
    SNAP_SKIP(s, o->past, "saved behind it");
    SNAP_SKIP(s, o->full, "plugged in by oracle_cut");
    SNAP_SKIP(s, o->arg, "plugged in by oracle_cut");
}

bool oracle_state(struct snap *s, struct oracle *o)
{
    bool past = o->past;

    snap_begin(s, "account", 2);
    shape_state(s, o);
    SNAP(s, o->total);
    SNAP_BELOW(s, o->as, REASON_COUNT + 1);
    SNAP_SAME(s, o->step);
    SNAP(s, o->limit);
    if (o->limit <= o->total)
        snap_refuse(s, "its interval ends before it: damaged");
    blocks_state(s, o);
    SNAP(s, past);
    if (past && !s->bad) {
        oracle_keep(o);
        blocks_state(s, o->past);
        SNAP(s, o->past->total);
    }
    return snap_end(s);
}
