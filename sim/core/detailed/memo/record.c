/* record.c - what the stages made of an instruction becomes a node and an edge,
 * or is compared with the edge that there is.
 */
#include "sim/core/detailed/memo/memo_private.h"

#include <string.h>

#include "isa/mmu.h"
#include "isa/table.h"

/* ---- what is watched ----------------------------------------------------- */

void memo_charged(struct memo *m, uint32_t context, uint32_t pc,
                  enum reason reason, uint64_t twelfths)
{
    if (!m->from)
        return;
    if (context != m->context || m->charges == MEMO_CHARGES ||
        twelfths >= 1u << 27) {
        m->spoiled = true;
        return;
    }
    m->charge[m->charges++] =
        (struct memo_charge){pc, reason, (uint32_t)twelfths};
}

void memo_timed(struct memo *m, bool completed)
{
    m->timed = completed;
    m->spoiled |= !completed;
}

/* Did the group of s find its line, all of it? */
static bool line_there(const struct core *c, const struct slot *s)
{
    unsigned frame;

    return s->fetched && !s->itlb && access_fetched(c, s->pa, &frame);
}

void memo_walked(struct core *c, const struct slot *s, bool dispatched)
{
    struct memo *m = memo_of(c);
    struct memo_walk w = {.pc = s->pc, .group = s->group};

    if (!m->from || m->spoiled)
        return;
    m->dispatched += dispatched;
    if (m->walked + 2 > MEMO_WALK || s->fetch - m->base + BIAS > 0xFFFF ||
        (s->grouped && !line_there(c, s))) {
        m->spoiled = true;
        return;
    }
    if ((s->pc & ~0xFFFu) != m->walk_page) {
        m->walk_page = s->pc & ~0xFFFu;
        m->walk[m->walked++] =
            (struct memo_walk){.pc = m->walk_page,
                               .flags = WALK_PAGE,
                               .page = s->i - (s->pc % DECODE_PAGE) / 4};
    }
    w.fetch = (uint16_t)(s->fetch - m->base + BIAS);
    w.flags = s->grouped ? WALK_GROUPED : 0;
    if (dispatched &&
        (s->i->flags & (INSN_LOAD | INSN_STORE) || s->chip->order & EARLY))
        w.flags |= WALK_REGISTERS | (s->early ? WALK_EARLY : 0) |
                   (s->io ? WALK_IO : 0);
    if (dispatched && s->i->flags & INSN_BRANCH) {
        w.flags |= WALK_BRANCH | (s->guess.taken ? WALK_TAKEN : 0) |
                   (s->guess.btac ? WALK_BTAC : 0);
        w.target = s->guess.at_fetch;
    }
    if (w.flags)
        m->walk[m->walked++] = w;
}

void memo_walk_ends(struct core *c, bool late)
{
    memo_of(c)->spoiled |= !late;
}

void memo_cancel(struct core *c)
{
    if (memo_of(c))
        memo_of(c)->from = NULL;
}

/* What is added to events from here on is seen (count_events). */
static void clear_events(struct core *c)
{
    struct ev *ev = &c->pmu.ev;

    for (unsigned n = 0; n < EV_WORDS; n++) {
        for (uint32_t left = ev->touched[n]; left; left &= left - 1) {
            unsigned k = n * EV_BITS + (unsigned)__builtin_ctz(left);

            memo_of(c)->before[k] = ev->total[k];
        }
        ev->touched[n] = 0;
    }
}

void record_watch(struct core *c, struct memo_node *n)
{
    struct memo *m = memo_of(c);

    m->from = n;
    m->timed = m->spoiled = false;
    m->charges = m->walked = m->dispatched = 0;
    m->walk_page = n->pc & ~0xFFFu;
    memo_charge_to(c);
    clear_events(c);
}

/* ---- nodes --------------------------------------------------------------- */

/* Of the supervisor's: a register is moved that only instructions read. */
static bool is_register(const struct insn *i)
{
    return i->class == CLASS_MFSPR || i->class == CLASS_MTSPR ||
           i->class == CLASS_MFMSR;
}

static uint8_t kind_of(const struct core *c, const struct insn *i)
{
    if (i->class == CLASS_ISYNC)
        return KIND_REFETCH;
    if (i->op == OP_MFTB)
        return KIND_TIME;
    if (i->op == OP_MTMSR)
        return KIND_MSR;
    if (i->flags & INSN_SUPERVISOR && !is_register(i))
        return KIND_STAGES;
    if (i->op == OP_MTSPR && isa_is_sprg3(i->spr) && c->port.sprg3_written)
        return KIND_STAGES; /* another context's turn may begin */
    if (i->flags & (INSN_OBSERVES | INSN_CONTEXT | INSN_MULTIPLE | INSN_PIF) ||
        c->with.chip->row[i->class].order & REFETCH)
        return KIND_STAGES;
    switch ((enum class)i->class) {
    case CLASS_MUL:
        return KIND_EARLY;
    case CLASS_SIMPLE:
    case CLASS_CARRY:
    case CLASS_MULI:
    case CLASS_DIV:
    case CLASS_MTCRF1:
    case CLASS_MTCRF:
    case CLASS_MFCR:
    case CLASS_MTLRCTR:
    case CLASS_MFLRCTR:
    case CLASS_CRLOGIC:
    case CLASS_FPADD:
    case CLASS_FDIVS:
    case CLASS_FDIV:
    case CLASS_FPCMP:
    case CLASS_FPSCR:
    case CLASS_MFSPR:
    case CLASS_MTSPR:
    case CLASS_MFMSR:
    case CLASS_EIEIO:
        return KIND_PLAIN;
    case CLASS_BRANCH:
        return KIND_BRANCH;
    case CLASS_LOAD:
    case CLASS_LOADFP:
    case CLASS_LWARX:
        return KIND_LOAD;
    case CLASS_STORE:
        return KIND_STORE;
    case CLASS_SYNC:
        return KIND_SYNC;
    default:
        return KIND_STAGES;
    }
}

bool record_page(struct core *c)
{
    struct pipe *p = pipe_of(c);
    ea_t pc = c->cpu.pc;
    pa_t pa = pc;

    if ((pc & ~0xFFFu) != p->page_ea &&
        ((c->cpu.msr & MSR_IR && !tlb_find(&c->cpu, TLB_FETCH, pc, &pa)) ||
         pa >= c->with.ram->size || !fetch_turn(c, pc)))
        return false;
    return !p->page_inhibited;
}

/* Room for it is made by forgetting everything else. */
static struct memo_node *add(struct core *c, uint64_t hash)
{
    struct memo *m = memo_of(c);
    struct memo_node *n = store_add(m->store, hash, m->key);

    if (n)
        return n;
    share_empty(c);
    share_set(c);
    m->key->setting = (uint16_t)m->setting;
    return store_add(m->store, key_hash(m->key), m->key);
}

static struct memo_node *node_of(struct core *c, struct insn *i, pa_t pa)
{
    struct memo *m = memo_of(c);
    struct memo_node *n;
    uint64_t hash;

    if (!key_of(c, pa, m->key))
        return NULL;
    m->key->setting = (uint16_t)m->setting;
    hash = key_hash(m->key);
    n = store_find(m->store, hash, m->key);
    if (n || !(n = add(c, hash)))
        return n;
    n->insn = i;
    n->page = i - (pa % DECODE_PAGE) / 4;
    n->sums = i->flags & INSN_SETS_SO;
    n->pc = c->cpu.pc;
    n->pa = pa;
    n->kind = kind_of(c, i);
    n->class = i->class;
    return n;
}

/* ---- edges --------------------------------------------------------------- */

/* What the instruction asked and was told, if the memo can ask it again. */
static bool answer_of(const struct core *c, const struct slot *s, uint8_t kind,
                      struct answer *a)
{
    const struct access_outcome *o = &pipe_of(c)->outcome[0];
    struct waited w;

    *a = (struct answer){0, 0};
    if (s->i->flags & INSN_SETS_SO && c->cpu.xer & XER_SO)
        return false; /* it may have been the first to set it */
    switch (kind) {
    case KIND_EARLY:
        a->a = s->early;
        return true;
    case KIND_LOAD:
    case KIND_STORE:
        w.queued = kind == KIND_STORE ? s->queued : 0;
        w.searched = o->search.searched ? s->searched : 0;
        w.stores = kind == KIND_LOAD ? s->collided : 0;
        w.filled = kind == KIND_LOAD ? s->filled : 0;
        w.counted = kind == KIND_LOAD ? s->counted : 0;
        *a = answer_access(kind == KIND_STORE, o, w);
        return !s->io && c->cpu.step.accesses == 1 && answer_knows(o) &&
               (kind == KIND_LOAD || !s->shifted);
    case KIND_BRANCH:
        *a = answer_branch(s, c->cpu.nia);
        return true;
    case KIND_SYNC:
        *a = answer_sync(s->filled, s->queued);
        return true;
    default:
        return true;
    }
}

/* How s was fetched. False: not as a rule. */
static bool note_fetch(struct core *c, struct memo_node *n,
                       const struct slot *s, cycle_t base)
{
    if (s->grouped && !line_there(c, s))
        return false;
    if (s->issue - base > 0xFFFF || s->complete - base > 0xFFFE ||
        s->finish > s->complete || s->oldest > 0xFFFF ||
        s->fetch - base + BIAS > 0xFFFF)
        return false;
    n->known = true;
    n->group = s->group;
    n->grouped = s->grouped;
    n->fetch = (uint16_t)(s->fetch - base + BIAS);
    n->dispatch = (uint16_t)(s->dispatch - base);
    n->unit = s->unit;
    n->stalls = (uint8_t)s->stalls;
    for (unsigned k = 0; k < s->stalls; k++) {
        n->stall[k].event = (uint16_t)s->stall[k].event;
        n->stall[k].cycles = (uint16_t)s->stall[k].cycles;
        n->stall[k].at = (uint16_t)(s->stall[k].at - base);
    }
    return true;
}

/* Counted at once: as the bus is asked, by a request of this processor or of
 * another one; and what becomes of a store that has completed. */
static bool is_live(unsigned event)
{
    switch (event) {
    case EV_snoop_received:
    case EV_snoop_hit:
    case EV_snoop_push:
    case EV_dcache_miss:
    case EV_castout_write:
    case EV_load_shared:
    case EV_load_exclusive:
    case EV_store_hit_shared:
    case EV_store_queue_level:
    case EV_store_miss_threshold:
    case EV_store_lat_threshold:
        return true;
    default:
        return false;
    }
}

/* Those that were added to, but live ones. Returns how many. */
static unsigned count_events(const struct core *c, struct memo_event *e)
{
    const uint64_t *now = c->pmu.ev.total, *then = memo_of(c)->before;
    unsigned many = 0;

    for (unsigned n = 0; n < EV_WORDS; n++)
        for (uint32_t left = c->pmu.ev.touched[n]; left; left &= left - 1) {
            unsigned k = n * EV_BITS + (unsigned)__builtin_ctz(left);

            if (now[k] != then[k] && !is_live(k))
                e[many++] =
                    (struct memo_event){k, (now[k] - then[k]) & 0xFFFFFF};
        }
    return many;
}

static uint32_t most_of(const struct memo_event *e, unsigned many)
{
    uint32_t most = 0;

    while (many--)
        if (e[many].n > most)
            most = e[many].n;
    return most;
}

static struct memo_edge *edge_of(const struct memo *m, const struct answer *a)
{
    struct memo_edge *e = m->from->edge;

    while (e &&
           (e->answer.a != a->a || e->answer.b != a->b ||
            e->nwalk != m->walked ||
            memcmp(edge_walk(e), m->walk, m->walked * sizeof *m->walk) != 0))
        e = e->other;
    return e;
}

/* Behind e there is room for its charges and its wrong path. */
static void fill(const struct memo *m, struct memo_edge *e,
                 const struct slot *s, cycle_t base)
{
    size_t charges = m->charges * sizeof *m->charge;

    e->complete = (uint16_t)(s->complete - base);
    e->issue = (uint16_t)(s->issue - base);
    e->finish = (uint16_t)(s->finish - base);
    e->oldest = (uint16_t)s->oldest;
    memcpy(e + 1, m->charge, charges);
    memcpy((uint8_t *)(e + 1) + charges, m->walk, m->walked * sizeof *m->walk);
}

/* Of b the page may lie elsewhere than that of a, if it was mapped anew
 * meanwhile. No key but for its own address knows, and an edge is followed only
 * to the page that is there (fetched). */
static bool same_window(const struct memo_node *a, const struct memo_node *b)
{
    const struct memo_key *k = a->key, *l = b->key;

    return a == b ||
           (a->pa != b->pa && k->n == l->n && k->setting == l->setting &&
            memcmp(k->v + sizeof a->pa, l->v + sizeof a->pa,
                   k->n - sizeof a->pa) == 0);
}

#define WRONG "the timing memo is wrong about the instruction before: "

static const char *differs(const struct memo_edge *was,
                           const struct memo_edge *is, size_t bytes)
{
    if (was->complete != is->complete || was->issue != is->issue ||
        was->finish != is->finish || was->oldest != is->oldest)
        return WRONG "its cycles";
    if (was->passes != is->passes)
        return WRONG "its wrong path";
    if (was->sum != is->sum || was->ncharges != is->ncharges ||
        memcmp(was + 1, is + 1, bytes) != 0)
        return WRONG "its events or what is charged to it";
    return same_window(was->to, is->to) ? NULL : WRONG "the window behind it";
}

/* --memo=check: what the stages say now, and what the memo says. */
static void compare(struct core *c, struct memo_edge *was,
                    const struct memo_edge *is, size_t bytes)
{
    const char *what = differs(was, is, bytes);

    if (what)
        core_stop(c, what);
    else
        was->to = is->to;
}

/* The instruction of m->from leads to `to`. */
static void record(struct core *c, struct memo_node *to)
{
    struct memo *m = memo_of(c);
    struct pipe *p = pipe_of(c);
    const struct slot *s = &p->next;
    struct memo_node *from = m->from;
    cycle_t base = m->base;
    struct memo_event events[EV_COUNT];
    struct {
        struct memo_edge e;
        uint8_t rest[MEMO_CHARGES * sizeof(struct memo_charge) +
                     MEMO_WALK * sizeof(struct memo_walk)];
    } made;
    struct memo_edge *e;
    struct answer a;
    unsigned many;
    size_t bytes;

    if (!note_fetch(c, from, s, base) || !answer_of(c, s, from->kind, &a))
        return;
    from->timed = true;
    from->position = s->position;
    from->issue = (uint16_t)(s->issue - base);
    if (from->kind == KIND_STORE)
        from->issue = (uint16_t)(from->issue - s->queued);
    if (from->kind == KIND_STORE && !s->queued &&
        !pipe_of(c)->outcome[0].search.searched)
        from->asked = (uint16_t)(s->complete + 1 - base);
    many = count_events(c, events);
    made.e = (struct memo_edge){
        .answer = a,
        .to = to,
        .sum = store_sum(m->store, events, many),
        .most = most_of(events, many),
        .ncharges = (uint16_t)m->charges,
        .passes = (uint16_t)(1 + m->dispatched),
        .nwalk = (uint16_t)m->walked,
        .walks = s->mispredicted,
    };
    fill(m, &made.e, s, base);
    bytes = m->charges * sizeof *m->charge + m->walked * sizeof *m->walk;
    e = edge_of(m, &a);
    if (e) {
        compare(c, e, &made.e, bytes);
        return;
    }
    if (!made.e.sum)
        made.e.sum = store_sum_add(m->store, events, many);
    e = share_take(c, sizeof *e + bytes, 1, &made.e.number);
    if (!e || !made.e.sum)
        return; /* the next node empties the store */
    memcpy(e, &made.e, sizeof *e + bytes);
    e->other = from->edge;
    from->edge = e;
}

struct memo_node *record_node(struct core *c)
{
    struct memo *m = memo_of(c);
    struct memo_node *n = NULL;
    struct slot s;
    enum exc exc;

    if (record_page(c) && fetch_record(c, &s, c->cpu.pc, &exc))
        n = node_of(c, s.i, s.pa);
    if (n && m->from && m->timed && !m->spoiled)
        record(c, n);
    m->from = NULL;
    m->base = pipe_of(c)->w.dispatched;
    return n;
}
