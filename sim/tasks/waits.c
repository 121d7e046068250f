/* waits.c - see waits.h. */
#include "sim/tasks/waits.h"

#include <stdlib.h>
#include <string.h>

#include "include/record.h"
#include "lib/base/grow.h"

enum { SAYS, ELSE, LAST, RANKS };

#define NOTHING WAITS_NOTHING
#define FUTEX WAITS_FUTEX
#define FIRST WAITS_FIRST
#define MUTEX WAITS_MUTEX
#define RWSEM WAITS_RWSEM
#define CHILDREN WAITS_CHILDREN
static const struct waits_row row_of[] = {
#define WAIT(function, rank, state, object)                                    \
    {#function, rank, STATE_##state, object},
#include "sim/tasks/linux-waits.def"
};
#undef NOTHING
#undef FUTEX
#undef FIRST
#undef MUTEX
#undef RWSEM
#undef CHILDREN

static const struct {
    const char *function;
    uint32_t by;
} by_of[] = {
#define BY(function, by) {#function, WAKE_BY_##by},
#include "sim/tasks/linux-waits.def"
};

static const char *const skip_of[] = {
#define SKIP(function) #function,
#include "sim/tasks/linux-waits.def"
};

#define SKIPS (sizeof skip_of / sizeof *skip_of)
#define ROWS (sizeof row_of / sizeof *row_of)
#define BYS (sizeof by_of / sizeof *by_of)

const struct waits_row *waits_row(unsigned row)
{
    return &row_of[row];
}

/* ---- which functions there are ------------------------------------------- */

void waits_seek(struct waits_parts *p, const struct names *names,
                const char *function, unsigned row)
{
    const struct elf_symtab *t = &names->table;
    size_t length = strlen(function);

    for (size_t k = 0; k < t->count; k++) {
        const struct elf_symbol *s = &t->all[k];

        if (s->kind != ELF_SYMBOL_FUNCTION || !s->size ||
            strncmp(s->name, function, length) != 0 ||
            (s->name[length] && s->name[length] != '.'))
            continue;
        p->part = grow(p->part, &p->room, p->count + 1, sizeof *p->part);
        p->part[p->count++] =
            (struct waits_part){s->address, s->address + s->size, row};
    }
}

static int by_address(const void *a, const void *b)
{
    const struct waits_part *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

static void order(struct waits_parts *p)
{
    if (p->count)
        qsort(p->part, p->count, sizeof *p->part, by_address);
}

void waits_open(struct waits *w, const struct names *names)
{
    *w = (struct waits){.wait = {.count = 0}};
    for (unsigned k = 0; k < ROWS; k++)
        waits_seek(&w->wait, names, row_of[k].function, k);
    for (unsigned k = 0; k < BYS; k++)
        waits_seek(&w->by, names, by_of[k].function, k);
    for (unsigned k = 0; k < SKIPS; k++)
        waits_seek(&w->skip, names, skip_of[k], k);
    order(&w->skip);
    order(&w->wait);
    order(&w->by);
}

void waits_close(struct waits *w)
{
    free(w->wait.part);
    free(w->by.part);
    free(w->skip.part);
    *w = (struct waits){.wait = {.count = 0}};
}

/* ---- what a stack means -------------------------------------------------- */

/* The part that an address is in; NULL: none. */
static const struct waits_part *part_at(const struct waits_parts *p, uint32_t a)
{
    size_t low = 0, high = p->count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (p->part[mid].from <= a)
            low = mid + 1;
        else
            high = mid;
    }
    return low && a < p->part[low - 1].end ? &p->part[low - 1] : NULL;
}

/* All but the innermost stand behind their call. */
static const struct waits_part *frame(const struct waits_parts *p,
                                      const uint32_t *pc, unsigned n)
{
    return part_at(p, n ? pc[n] - 4 : pc[n]);
}

unsigned waits_find(const struct waits *w, const uint32_t *pc, unsigned n)
{
    unsigned best = WAITS_NO_ROW;

    for (unsigned k = 0; k < n; k++) {
        const struct waits_part *p = frame(&w->wait, pc, k);

        if (p &&
            (best == WAITS_NO_ROW || row_of[p->row].rank < row_of[best].rank))
            best = p->row;
    }
    return best;
}

unsigned waits_skip(const struct waits *w, const uint32_t *pc, unsigned n)
{
    unsigned k = 0;

    while (k < n && frame(&w->skip, pc, k))
        k++;
    return k;
}

uint32_t waits_by(const struct waits *w, const uint32_t *pc, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        const struct waits_part *p = frame(&w->by, pc, k);

        if (p)
            return by_of[p->row].by;
    }
    return WAKE_BY_THREAD;
}
