/* exact_cycles.c - adds up oracle.rec and rounds it without losing a cycle. */
#include "tools/analysis/profile/exact_cycles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "include/record.h"
#include "lib/base/grow.h"
#include "tools/analysis/experiment/record.h"
#include "tools/analysis/experiment/recrows.h"

#define TWELFTHS 12

static uint32_t add(struct exact_cycles *a, const struct exact_cycles_cell *new)
{
    uint64_t key = (uint64_t) new->cpu << 40 | (uint64_t) new->reason << 32 |
                   new->function;
    bool fresh;
    uint32_t *at = hash_at(&a->at, key, &fresh);

    if (fresh) {
        *at = (uint32_t)a->count;
        a->cell = grow(a->cell, &a->room, a->count + 1, sizeof *a->cell);
        a->cell[a->count] = *new;
        a->cell[a->count++].twelfths = 0;
    }
    a->cell[*at].twelfths += new->twelfths;
    a->cpu[new->cpu].twelfths += new->twelfths;
    return *at;
}

/* The number that stands for (number, word), from 1 on: chains of these make
 * keys longer than a hash's. The three kinds of links never meet. */
static uint32_t link_of(struct exact_cycles *a, uint32_t number, uint32_t word,
                        unsigned kind)
{
    bool fresh;
    uint32_t *at =
        hash_at(&a->spot_at[kind], (uint64_t)number << 32 | word, &fresh);

    if (fresh)
        *at = (uint32_t)a->spot_at[kind].used;
    return *at;
}

static struct exact_cycles_spot *new_spot(struct exact_cycles *a)
{
    a->spot = grow(a->spot, &a->spots_room, a->spots + 1, sizeof *a->spot);
    return &a->spot[a->spots++];
}

/* The instruction is the last link: there are few of the others, so that all
 * but one look-up is in a small table. */
static void add_spot(struct exact_cycles *a, uint32_t cell,
                     const struct exact_cycles_spot *new)
{
    uint32_t number = link_of(a, cell, new->thread, 0);
    size_t at;

    number = link_of(a, number, (uint32_t) new->slot, 1);
    at = link_of(a, number, new->pc, 2) - 1;
    if (at == a->spots) {
        *new_spot(a) = *new;
        a->spot[at].twelfths = 0;
    }
    a->spot[at].twelfths += new->twelfths;
}

/* Which row of the table a cycle of this reason at this pc belongs to. */
static uint32_t function_of(struct recording *r, unsigned reason, uint32_t pc,
                            uint64_t cycle)
{
    if (r->reason_is[reason] == REASON_OFF)
        return EXACT_CYCLES_PARKED;
    if (r->reason_is[reason] == REASON_NAP)
        return EXACT_CYCLES_NAPPING;
    return loadmap_find(&r->map, pc, cycle).function;
}

static int by_cell(const void *a, const void *b)
{
    const struct exact_cycles_cell *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->reason < y->reason ? -1 : x->reason > y->reason;
}

/* Largest remainder first, then the order of cells. */
static int by_remainder(const void *a, const void *b)
{
    const struct exact_cycles_cell *x = *(struct exact_cycles_cell *const *)a;
    const struct exact_cycles_cell *y = *(struct exact_cycles_cell *const *)b;
    uint64_t p = x->twelfths % TWELFTHS, q = y->twelfths % TWELFTHS;

    if (p != q)
        return p > q ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Cells [from, to) are one CPU's. Round all down, then give the cycles that
 * are missing from the sum to the largest remainders. */
static void round_cpu(struct exact_cycles *a, size_t from, size_t to)
{
    struct exact_cycles_cell **list = grow_zero(to - from, sizeof *list);
    struct exact_cycles_cpu *cpu = &a->cpu[a->cell[from].cpu];
    uint64_t given = 0;

    cpu->cycles = cpu->twelfths / TWELFTHS;
    for (size_t i = from; i < to; i++) {
        list[i - from] = &a->cell[i];
        a->cell[i].cycles = a->cell[i].twelfths / TWELFTHS;
        given += a->cell[i].cycles;
    }
    qsort(list, to - from, sizeof *list, by_remainder);
    for (size_t i = 0; given < cpu->cycles && i < to - from; i++, given++)
        list[i]->cycles++;
    free(list);
}

static int by_spot(const void *a, const void *b)
{
    const struct exact_cycles_spot *x = a, *y = b;
    const struct {
        uint64_t x, y;
    } key[] = {{x->cpu, y->cpu},       {x->function, y->function},
               {x->reason, y->reason}, {x->pc, y->pc},
               {x->thread, y->thread}, {x->slot, y->slot}};

    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
        if (key[i].x != key[i].y)
            return key[i].x < key[i].y ? -1 : 1;
    return 0;
}

static int by_spot_remainder(const void *a, const void *b)
{
    const struct exact_cycles_spot *x = *(struct exact_cycles_spot *const *)a;
    const struct exact_cycles_spot *y = *(struct exact_cycles_spot *const *)b;
    uint64_t p = x->twelfths % TWELFTHS, q = y->twelfths % TWELFTHS;

    if (p != q)
        return p > q ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The parts of one cell share its cycles as the cells of a CPU share that's.
 * There are always enough parts with a remainder to take what is missing. */
static void round_spots(struct exact_cycles_spot *spot, size_t n,
                        uint64_t cycles)
{
    struct exact_cycles_spot **list = grow_zero(n, sizeof *list);
    uint64_t given = 0;

    for (size_t i = 0; i < n; i++) {
        list[i] = &spot[i];
        spot[i].cycles = spot[i].twelfths / TWELFTHS;
        given += spot[i].cycles;
    }
    qsort(list, n, sizeof *list, by_spot_remainder);
    for (size_t i = 0; given < cycles && i < n; i++, given++)
        list[i]->cycles++;
    free(list);
}

/* Cells and spots stand in the same order, each cell before its next. */
static void finish_spots(struct exact_cycles *a)
{
    size_t from = 0, to;

    if (a->spots)
        qsort(a->spot, a->spots, sizeof *a->spot, by_spot);
    for (size_t i = 0; i < a->count && a->spots; i++, from = to) {
        const struct exact_cycles_cell *c = &a->cell[i];

        for (to = from; to < a->spots; to++)
            if (a->spot[to].cpu != c->cpu ||
                a->spot[to].function != c->function ||
                a->spot[to].reason != c->reason)
                break;
        round_spots(a->spot + from, to - from, c->cycles);
    }
}

static void free_links(struct exact_cycles *a)
{
    hash_free(&a->at);
    for (int i = 0; i < EXACT_CYCLES_LINKS; i++)
        hash_free(&a->spot_at[i]);
}

static void finish(struct exact_cycles *a)
{
    if (a->count)
        qsort(a->cell, a->count, sizeof *a->cell, by_cell);
    free_links(a); /* cells moved */
    for (size_t from = 0, to; from < a->count; from = to) {
        for (to = from; to < a->count; to++)
            if (a->cell[to].cpu != a->cell[from].cpu)
                break;
        round_cpu(a, from, to);
    }
    finish_spots(a);
}

/* One row of the oracle. */
static void take(struct exact_cycles *a, struct recording *r,
                 const struct exact_cycles_choice *choice,
                 const struct record *record)
{
    unsigned reason = record_get_oracle_reason(record);
    uint32_t pc = record_get_oracle_pc(record), at;
    struct exact_cycles_cell new = {
        .cpu = (uint8_t)record->cpu,
        .reason = (uint8_t)reason,
        .twelfths = record_get_oracle_twelfths(record),
    };
    struct exact_cycles_spot spot = {
        .cpu = new.cpu,
        .reason = new.reason,
        .thread = record->thread,
        .pc = pc,
        .cycle = record->cycle,
        .twelfths = new.twelfths,
    };

    new.function = function_of(r, reason, pc, record->cycle);
    at = add(a, &new);
    if (choice->told)
        choice->told(choice->arg, record, new.function);
    spot.function = new.function;
    if (choice->step && record->cycle)
        spot.slot = (record->cycle - 1) / choice->step;
    if (choice->spots)
        add_spot(a, at, &spot);
}

/* In reports of other things. Where the log counts no instructions, or says
 * that there are no rows, samples are all there is. */
static void check_run(const struct exact_cycles *a, struct recording *r)
{
    if (!r->windowed && text_lines_get(&r->log, "insns") &&
        r->promised[REC_ORACLE] != 0)
        exact_cycles_check(a, r);
}

static void open(struct exact_cycles *a, const struct recording *r)
{
    *a = (struct exact_cycles){.cpus = r->cpus};
    a->cpu = grow_zero(r->cpus, sizeof *a->cpu);
}

/* Add up rows; they are not rounded yet. False: there is no file. */
static bool read_rows(struct exact_cycles *a, struct recording *r,
                      const struct exact_cycles_choice *choice)
{
    struct record record;
    struct recfile f;

    open(a, r);
    if (!recording_records(r, REC_ORACLE, &f))
        return false;
    f.rows.step = choice->step;
    while (recfile_next(&f, &record)) {
        if (record.cycle > r->settled)
            continue; /* of an interval that is still being written */
        a->cpu[record.cpu].rows += record_get_oracle_twelfths(&record);
        if (!choice->wants || choice->wants(choice->arg, &record))
            take(a, r, choice, &record);
    }
    recording_done(r, &f);
    return true;
}

/* ---- what is kept -------------------------------------------------------- */

/* The sums of an interval, not rounded, in the order in which they were met. */
struct kept {
    uint64_t from, to;
    struct exact_cycles sums;
};

static void free_kept(void *kept)
{
    struct kept *k = kept;

    exact_cycles_free(&k->sums);
    free(k);
}

/* Those of the recording's interval, which is read if it is another. NULL:
 * there is no account. */
static const struct kept *kept_of(struct recording *r)
{
    const struct exact_cycles_choice all = {.spots = true};
    struct kept *k = r->account.kept;

    if (k && k->from == r->from && k->to == r->to)
        return k;
    recording_keep(&r->account, NULL, NULL);
    k = grow_zero(1, sizeof *k);
    *k = (struct kept){.from = r->from, .to = r->to};
    if (!read_rows(&k->sums, r, &all)) {
        free_kept(k);
        return NULL;
    }
    free_links(&k->sums);
    recording_keep(&r->account, k, free_kept);
    return k;
}

static bool wants_spot(const struct exact_cycles_choice *choice,
                       const struct exact_cycles_spot *s)
{
    unsigned char row[RECROWS_BYTES];
    struct record record = {
        .cpu = s->cpu, .thread = s->thread, .cycle = s->cycle};

    if (!choice->wants)
        return true;
    recrows_write(row, s->pc, s->reason, s->twelfths);
    record_give(&record, REC_ORACLE, ORACLE_WORDS, row);
    return choice->wants(choice->arg, &record);
}

static void take_kept(struct exact_cycles *a, const struct recording *r,
                      const struct exact_cycles_choice *choice,
                      const struct kept *k)
{
    open(a, r);
    for (unsigned i = 0; i < r->cpus; i++)
        a->cpu[i].rows = k->sums.cpu[i].rows;
    for (size_t i = 0; i < k->sums.spots; i++) {
        const struct exact_cycles_spot *s = &k->sums.spot[i];

        if (!wants_spot(choice, s))
            continue;
        add(a, &(struct exact_cycles_cell){.cpu = s->cpu,
                                           .function = s->function,
                                           .reason = s->reason,
                                           .twelfths = s->twelfths});
        if (choice->spots)
            *new_spot(a) = *s;
    }
}

void exact_cycles_choose(struct exact_cycles *a, struct recording *r,
                         const struct exact_cycles_choice *choice)
{
    bool sums = r->rereads && !choice->step && !choice->told &&
                (!choice->wants || choice->timeless);
    const struct kept *k = sums ? kept_of(r) : NULL;

    if (k)
        take_kept(a, r, choice, k);
    else if (!read_rows(a, r, choice))
        return;
    finish(a);
    check_run(a, r);
}

void exact_cycles_read(struct exact_cycles *a, struct recording *r)
{
    exact_cycles_choose(a, r, &(struct exact_cycles_choice){0});
}

void exact_cycles_free(struct exact_cycles *a)
{
    free(a->cpu);
    free(a->cell);
    free(a->spot);
    *a = (struct exact_cycles){0};
}

bool exact_cycles_exact(const struct exact_cycles *a, const struct recording *r)
{
    for (unsigned i = 0; i < a->cpus; i++)
        if (a->cpu[i].twelfths / TWELFTHS != r->settled ||
            a->cpu[i].twelfths % TWELFTHS)
            return false;
    return true;
}

uint64_t exact_cycles_cycles(const struct exact_cycles *a, unsigned cpu,
                             uint32_t function)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < a->count; i++)
        if (a->cell[i].cpu == cpu && a->cell[i].function == function)
            sum += a->cell[i].cycles;
    return sum;
}

const char *exact_cycles_name(const struct recording *r, uint32_t function)
{
    if (function == EXACT_CYCLES_PARKED)
        return "<parked>";
    if (function == EXACT_CYCLES_NAPPING)
        return "<napping>";
    return loadmap_name(&r->map, function);
}

void exact_cycles_check(const struct exact_cycles *a, struct recording *r)
{
    uint64_t sum = 0;
    bool exact = true;

    for (unsigned i = 0; i < a->cpus; i++) {
        sum += a->cpu[i].rows / TWELFTHS;
        exact &= a->cpu[i].rows == r->settled * TWELFTHS;
    }
    if (r->ended && !exact)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "oracle.rec: accounts for %" PRIu64 " cycles of %" PRIu64
                    "; run simrun again",
                    sum, r->end * a->cpus);
}
