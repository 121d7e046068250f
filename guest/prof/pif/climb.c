/* climb.c - the monitor of hot instructions (docs/pif.md 10, causes 3 and 4).
 *
 * A *site* is an instruction with a limit: the first of a routine, or a call.
 * Executed more often, it interrupts; the monitor walks the stack, notes which
 * call the routine was entered by and how far the count had come, clears the
 * count, writes it all to the experiment and returns. The caller becomes a
 * site of the next round (autopif.c), up to the root.
 */
#include "guest/prof/pif/pif.h"

#define SPR_PIFIA 660
#define SPR_PIFDA 661

#define SITES 64
#define EDGES 256
#define INSN 4
#define BLR 0x4E800020u

/* Interrupts of one site that came by one call. */
struct edge {
    uint32_t site, caller; /* addresses; caller 0: none, it is the root */
    uint32_t interrupts, captured;
};

struct site {
    uint32_t at, round;
    uint32_t left; /* of the count, at the end of its round */
};

static struct site sites[SITES];
static struct edge edges[EDGES];
static volatile unsigned site_count, edge_count;
static volatile uint32_t dropped;  /* no room */
static uint32_t trapped[MAX_CPUS]; /* instructions that interrupted */
static struct spinlock lock;

static void note(uint32_t at, uint32_t caller, uint32_t count)
{
    uint32_t msr = spin_lock(&lock);
    unsigned n = 0;

    while (n < edge_count && (edges[n].site != at || edges[n].caller != caller))
        n++;
    if (n == EDGES) {
        dropped++;
    } else {
        if (n == edge_count)
            edges[edge_count++] = (struct edge){at, caller, 0, 0};
        edges[n].interrupts++;
        edges[n].captured += count;
    }
    spin_unlock(&lock, msr);
}

/* The call that entered the routine in which `at` is. A return has left it
 * already. An interrupt that had to wait may find that routine gone: then it
 * is not known, and the root's 0. */
static uint32_t caller_of(uint32_t at, const uint32_t *pcs, unsigned depth)
{
    uint32_t routine = function_index(at);

    if (*(const uint32_t *)at == BLR)
        return pcs[0] - INSN;
    for (unsigned n = 0; n + 1 < depth; n++) {
        if (function_index(pcs[n] - (n ? INSN : 0)) == routine)
            return pcs[n + 1] - INSN;
    }
    return 0;
}

static void met(struct cpu *c, uint32_t cause, const struct trap_frame *f)
{
    uint32_t at = mfspr(SPR_PIFIA), data = mfspr(SPR_PIFDA), count = 0;
    uint32_t pcs[STACK_DEPTH];
    unsigned depth = stack_walk_trap(f, pcs, STACK_DEPTH);

    trapped[c->number] += cause == PIFX_INSN;
    if (cause == PIFX_INSN_LIMIT)
        count = pif_take(at);
    else if (cause == PIFX_DATA_LIMIT)
        count = pif_take(data & ~3u);
    trace_trap(c, current->tid, cause, at, data, count, pcs, depth);
    if (cause == PIFX_INSN_LIMIT)
        note(at, caller_of(at, pcs, depth), count);
}

/* Vector 0x1500. Interrupts are off, and all of its own marks are deaf until
 * it returns. */
static void climb_interrupt(struct cpu *c, const struct trap_frame *f)
{
    uint32_t cause = mfspr(SPR_PIFX);

    if (cause != PIFX_SAMPLED && !options()->program)
        met(c, cause, f);
}
HOOK(marker, 120, climb_interrupt);

/* Marked instructions that interrupted, on all processors. */
uint32_t climb_trapped(void)
{
    uint32_t sum = 0;

    FOR_CPUS (c)
        sum += trapped[c->number];
    return sum;
}

static bool add_site(uint32_t at, uint32_t round)
{
    for (unsigned n = 0; n < site_count; n++) {
        if (sites[n].at == at)
            return false;
    }
    if (site_count == SITES) {
        dropped++;
        return false;
    }
    sites[site_count++] = (struct site){.at = at, .round = round};
    return true;
}

void climb_begin(uint32_t at)
{
    add_site(at, 1);
}

/* Mark what is to be watched in this round. */
void climb_mark(uint32_t round, uint32_t limit)
{
    for (unsigned n = 0; n < site_count; n++) {
        if (sites[n].round == round)
            pif_mark(sites[n].at, IND_COUNT | IND_LIMIT, limit);
    }
    pif_sync();
}

static void print_edges(const struct site *s)
{
    for (unsigned n = 0; n < edge_count; n++) {
        const struct edge *e = &edges[n];

        if (e->site != s->at)
            continue;
        if (e->caller)
            kprintf("pif:   called from %x in %x: interrupts %u counted %u\n",
                    e->caller, function_start(function_index(e->caller)),
                    e->interrupts, e->captured);
        else
            kprintf("pif:   nobody calls it: interrupts %u counted %u\n",
                    e->interrupts, e->captured);
    }
}

/* What its interrupts took, and how many they were. */
uint32_t climb_captured(uint32_t at, uint32_t *interrupts)
{
    uint32_t sum = 0;

    *interrupts = 0;
    for (unsigned n = 0; n < edge_count; n++) {
        if (edges[n].site == at) {
            sum += edges[n].captured;
            *interrupts += edges[n].interrupts;
        }
    }
    return sum;
}

/* The round is over: what was counted, and what is watched in the next. False:
 * nothing is, all that was hot is known up to the root. */
bool climb_collect(uint32_t round)
{
    unsigned now = site_count;
    bool more = false;

    for (unsigned n = 0; n < now; n++) {
        struct site *s = &sites[n];
        uint32_t interrupts, sum;

        if (s->round != round)
            continue;
        s->left = pif_count(s->at);
        pif_unmark(s->at, s->at + INSN);
        sum = climb_captured(s->at, &interrupts);
        kprintf("pif: round %u: %x in %x: executed %u interrupts %u left %u\n",
                round, s->at, function_start(function_index(s->at)),
                sum + s->left, interrupts, s->left);
        print_edges(s);
    }
    for (unsigned n = 0; n < edge_count; n++)
        more |= edges[n].caller && add_site(edges[n].caller, round + 1);
    return more;
}

/* Calls that were climbed over, and how often each was executed. */
bool climb_graph(void)
{
    uint32_t interrupts;

    for (unsigned n = 0; n < edge_count; n++) {
        const struct edge *e = &edges[n];

        for (unsigned k = 0; e->caller && k < site_count; k++) {
            if (sites[k].at == e->caller)
                kprintf("pif: graph: %x calls %x at %x: %u\n",
                        function_start(function_index(e->caller)),
                        function_start(function_index(e->site)), e->caller,
                        climb_captured(e->caller, &interrupts) + sites[k].left);
        }
    }
    return !dropped;
}
