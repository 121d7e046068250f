/* naps.c - see naps.h. */
#include "tools/analysis/causes/naps.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/exact_cycles.h"

#define TWELFTHS 12

struct nap {
    unsigned cpu;
    uint64_t end, twelfths;
};

struct nap_list {
    struct nap *list;
    size_t count, room;
};

static int by_time(const void *a, const void *b)
{
    const struct nap *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static void read_rows(struct nap_list *l, struct recording *r)
{
    struct record k;
    struct recfile f;

    if (!recording_records(r, REC_ORACLE, &f))
        return;
    while (recfile_next(&f, &k)) {
        if (k.cycle > r->settled ||
            r->reason_is[record_get_oracle_reason(&k)] != REASON_NAP)
            continue;
        l->list = grow(l->list, &l->room, l->count + 1, sizeof *l->list);
        l->list[l->count++] =
            (struct nap){k.cpu, k.cycle, record_get_oracle_twelfths(&k)};
    }
    recording_done(r, &f);
    if (l->count)
        qsort(l->list, l->count, sizeof *l->list, by_time);
}

/* Where the interval that ends there begins. */
static uint64_t begin_of(const struct naps *n, const struct recording *r,
                         uint64_t end)
{
    uint64_t from =
        r->interval && end ? (end - 1) / r->interval * r->interval : n->from;

    return from > n->from ? from : n->from;
}

/* The rows of one CPU; the last slot takes what rounding leaves. */
static void add_slots(struct naps *n, const struct recording *r, unsigned cpu,
                      const struct nap *nap, size_t count)
{
    struct naps_cpu *c = &n->cpu[cpu];
    uint64_t sum = 0;

    c->first = n->slots;
    for (size_t i = 0; i < count; i++) {
        struct naps_slot *last = c->slots ? &n->slot[n->slots - 1] : NULL;
        uint64_t from = begin_of(n, r, nap[i].end);

        sum += nap[i].twelfths;
        if (!last || last->to < nap[i].end) {
            n->slot = grow(n->slot, &n->room, n->slots + 1, sizeof *n->slot);
            last = last ? &n->slot[n->slots - 1] : NULL;
            if (last && !r->interval)
                from = last->to;
            n->slot[n->slots++] =
                (struct naps_slot){.from = from, .to = nap[i].end};
            c->slots++;
        }
        n->slot[n->slots - 1].naps =
            sum / TWELFTHS < c->naps ? sum / TWELFTHS : c->naps;
    }
    if (c->slots)
        n->slot[n->slots - 1].naps = c->naps;
}

/* Is there no account of naps: none at all, or idle threads spin? Linux's do on
 * this chip, which its table says cannot nap. */
static bool idle_spins(const struct recording *r)
{
    char value[RECORDING_ARGUMENT];

    return !r->promised[REC_ORACLE] || text_lines_get(&r->log, "kernel") ||
           (recording_argument(r, "idle", value) && !strcmp(value, "spin"));
}

/* No CPU napped: one slot for each, whose naps are its stints. */
static void spin_slots(struct naps *n)
{
    n->spins = true;
    n->slots = 0;
    for (unsigned cpu = 0; cpu < n->cpus; cpu++) {
        n->slot = grow(n->slot, &n->room, n->slots + 1, sizeof *n->slot);
        n->cpu[cpu] = (struct naps_cpu){.first = n->slots, .slots = 1};
        n->slot[n->slots++] = (struct naps_slot){.from = n->from, .to = n->to};
    }
}

static uint64_t overlap(const struct naps_slot *a, uint64_t from, uint64_t to)
{
    from = from > a->from ? from : a->from;
    to = to < a->to ? to : a->to;
    return to > from ? to - from : 0;
}

/* Stints and slots of a CPU both go by time. */
static void lay_stints(struct naps *n)
{
    const struct scene *s = n->scene;
    unsigned cpu = UINT32_MAX;
    size_t at = 0, end = 0;

    for (size_t i = 0; i < s->stints; i++) {
        const struct scene_stint *t = &s->stint[i];

        if (t->cpu != cpu) {
            cpu = t->cpu;
            at = n->cpu[cpu].first;
            end = at + n->cpu[cpu].slots;
        }
        while (at < end && n->slot[at].to <= t->from)
            at++;
        for (size_t k = at; k < end && n->slot[k].from < t->to; k++)
            n->slot[k].idle += overlap(&n->slot[k], t->from, t->to);
    }
    if (!n->spins)
        return;
    for (size_t i = 0; i < n->slots; i++)
        n->slot[i].naps = n->slot[i].idle;
    for (cpu = 0; cpu < n->cpus; cpu++)
        n->cpu[cpu].naps = n->slot[n->cpu[cpu].first].naps;
}

void naps_read(struct naps *n, const struct scene *s, struct recording *r)
{
    struct exact_cycles a;
    struct nap_list l = {0};
    uint64_t all = 0, parked;
    size_t from = 0;

    *n = (struct naps){.scene = s, .to = r->end, .cpus = r->cpus};
    if (r->windowed && r->from)
        n->from = r->from;
    if (r->windowed && r->to < n->to)
        n->to = r->to;
    n->cpu = grow_zero(r->cpus, sizeof *n->cpu);
    exact_cycles_read(&a, r);
    n->exact = r->windowed || exact_cycles_exact(&a, r);
    read_rows(&l, r);
    for (unsigned cpu = 0; cpu < r->cpus; cpu++) {
        size_t to = from;

        n->cpu[cpu].naps = exact_cycles_cycles(&a, cpu, EXACT_CYCLES_NAPPING);
        parked = exact_cycles_cycles(&a, cpu, EXACT_CYCLES_PARKED);
        n->parked += parked;
        n->never += parked && parked >= recording_span(r);
        all += n->cpu[cpu].naps;
        while (to < l.count && l.list[to].cpu == cpu)
            to++;
        add_slots(n, r, cpu, l.list + from, to - from);
        from = to;
    }
    if (!all && idle_spins(r))
        spin_slots(n);
    lay_stints(n);
    exact_cycles_free(&a);
    free(l.list);
}

void naps_of_stints(struct naps *n, const struct scene *s, uint64_t from,
                    uint64_t to)
{
    *n = (struct naps){.scene = s, .from = from, .to = to, .cpus = s->r->cpus};
    n->cpu = grow_zero(n->cpus, sizeof *n->cpu);
    spin_slots(n);
    lay_stints(n);
}

void naps_free(struct naps *n)
{
    free(n->cpu);
    free(n->slot);
    *n = (struct naps){0};
}

uint64_t naps_take(struct naps *n, unsigned cpu, uint64_t from, uint64_t to)
{
    struct naps_cpu *c = &n->cpu[cpu];
    struct naps_slot *slot = &n->slot[c->first];
    uint64_t naps, before;

    while (c->at < c->slots && slot[c->at].to <= from)
        c->at++;
    if (c->at == c->slots || from < slot[c->at].from || !slot[c->at].idle)
        return 0;
    slot += c->at;
    naps = slot->naps - (c->at ? slot[-1].naps : 0);
    before = (uint64_t)((unsigned __int128)naps * slot->done / slot->idle);
    slot->done += to - from;
    naps = (uint64_t)((unsigned __int128)naps * slot->done / slot->idle);
    c->given += naps - before;
    return naps - before;
}

uint64_t naps_left_in(const struct naps *n, unsigned cpu, size_t slot)
{
    const struct naps_slot *s = &n->slot[n->cpu[cpu].first + slot];
    uint64_t naps = s->naps - (slot ? s[-1].naps : 0);

    return s->idle
               ? naps - (uint64_t)((unsigned __int128)naps * s->done / s->idle)
               : naps;
}

uint64_t naps_left(const struct naps *n, unsigned cpu)
{
    return n->cpu[cpu].naps - n->cpu[cpu].given;
}

uint64_t naps_sum(const struct naps *n)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < n->cpus; cpu++)
        sum += n->cpu[cpu].naps;
    return sum;
}
