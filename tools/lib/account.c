/* account.c - adds up oracle.rec and rounds it without losing a cycle. */
#include "tools/lib/account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/grow.h"

#define TWELFTHS 12

static void add(struct account *a, const struct account_cell *new)
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
}

/* Which row of the table a cycle of this reason at this pc belongs to. */
static uint32_t function_of(struct recording *r, const char *reason,
                            uint32_t pc, uint64_t cycle)
{
    if (!strcmp(reason, "off"))
        return ACCOUNT_PARKED;
    if (!strcmp(reason, "nap"))
        return ACCOUNT_NAPPING;
    return loadmap_find(&r->map, pc, cycle).function;
}

static int by_cell(const void *a, const void *b)
{
    const struct account_cell *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->reason < y->reason ? -1 : x->reason > y->reason;
}

/* Largest remainder first, then the order of cells. */
static int by_remainder(const void *a, const void *b)
{
    const struct account_cell *x = *(struct account_cell *const *)a;
    const struct account_cell *y = *(struct account_cell *const *)b;
    uint64_t p = x->twelfths % TWELFTHS, q = y->twelfths % TWELFTHS;

    if (p != q)
        return p > q ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Cells [from, to) are one CPU's. Round all down, then give the cycles that
 * are missing from the sum to the largest remainders. */
static void round_cpu(struct account *a, size_t from, size_t to)
{
    struct account_cell **list = grow_zero(to - from, sizeof *list);
    struct account_cpu *cpu = &a->cpu[a->cell[from].cpu];
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

static void finish(struct account *a)
{
    if (a->count)
        qsort(a->cell, a->count, sizeof *a->cell, by_cell);
    hash_free(&a->at); /* cells moved */
    for (size_t from = 0, to; from < a->count; from = to) {
        for (to = from; to < a->count; to++)
            if (a->cell[to].cpu != a->cell[from].cpu)
                break;
        round_cpu(a, from, to);
    }
}

void account_read(struct account *a, struct recording *r)
{
    struct record record;
    struct recfile f;

    *a = (struct account){.cpus = r->cpus};
    a->cpu = grow_zero(r->cpus, sizeof *a->cpu);
    if (!recording_records(r, REC_ORACLE, &f))
        return;
    while (recfile_next(&f, &record)) {
        unsigned reason = record_word(&record, 1) >> 24;
        uint32_t pc = record_word(&record, 0);
        struct account_cell new = {
            .cpu = (uint8_t)record.cpu,
            .reason = (uint8_t)reason,
            .twelfths = record_wide(&record, 2),
        };

        /* Of an interval that is still being written only some rows are
         * there. */
        if (record.cycle > r->settled)
            continue;
        new.function = function_of(r, r->reason[reason], pc, record.cycle);
        add(a, &new);
        if (record.cycle > a->cpu[record.cpu].last)
            a->cpu[record.cpu].last = record.cycle;
    }
    recording_done(r, &f);
    finish(a);
}

void account_free(struct account *a)
{
    free(a->cpu);
    free(a->cell);
    hash_free(&a->at);
    *a = (struct account){0};
}

bool account_exact(const struct account *a, const struct recording *r)
{
    for (unsigned i = 0; i < a->cpus; i++)
        if (a->cpu[i].twelfths / TWELFTHS != r->settled ||
            a->cpu[i].twelfths % TWELFTHS)
            return false;
    return true;
}

uint64_t account_cycles(const struct account *a, unsigned cpu,
                        uint32_t function)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < a->count; i++)
        if (a->cell[i].cpu == cpu && a->cell[i].function == function)
            sum += a->cell[i].cycles;
    return sum;
}

const char *account_name(const struct recording *r, uint32_t function)
{
    if (function == ACCOUNT_PARKED)
        return "<parked>";
    if (function == ACCOUNT_NAPPING)
        return "<napping>";
    return loadmap_name(&r->map, function);
}

void account_check(const struct account *a, struct recording *r)
{
    uint64_t sum = 0;

    if (!r->ended || account_exact(a, r))
        return;
    for (unsigned i = 0; i < a->cpus; i++)
        sum += a->cpu[i].cycles;
    problem_add(&r->problems, PROBLEM_DAMAGE,
                "oracle.rec: accounts for %" PRIu64 " cycles of %" PRIu64
                "; run simrun again",
                sum, r->end * a->cpus);
}
