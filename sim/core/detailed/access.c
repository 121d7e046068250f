/* access.c - see access.h. Which line, in what state, from whom; never when.
 *
 * isa/ has translated already; here the chip's own TLBs are asked whether it
 * could have done so without the table (604 UM p.37, chapter 5).
 */
#include "sim/core/detailed/access.h"

#include "sim/core/detailed/pipe.h"
#include "sim/core/mark_feed.h"

#include "isa/mmu.h"

/* ---- one line ------------------------------------------------------------ */
/* Fields that an answer does not use keep what they held. */

/* The others hear of a request for the line of pa. */
static void ask(struct core *c, enum bus_op op, pa_t pa, struct line_outcome *o)
{
    o->asked = true;
    o->op = (uint8_t)op;
    o->by = snoop_ask(c, op, pa);
}

/* Look for the line of pa; NULL: it is not there. */
static struct line *look(struct cache *cache, pa_t pa, struct line_outcome *o)
{
    struct line *l = cache_find(cache, pa);

    o->answer = LINE_HIT;
    o->found = MESI_I;
    o->asked = false;
    o->word = (uint8_t)cache_word(cache, pa);
    if (!l)
        return NULL;
    o->found = l->state;
    o->frame = (uint16_t)cache_frame(cache, l);
    cache_touch(cache, l);
    return l;
}

/* What is in l makes room. No shadow comes with the next line yet. */
static inline void vacate(const struct cache *cache, struct line *l,
                          struct line_outcome *o)
{
    o->castout = l->state == MESI_M;
    o->shadow = 0;
    o->frame = (uint16_t)cache_frame(cache, l);
}

/* Room for the line of pa, which is not there. */
static inline struct line *room(struct cache *cache, pa_t pa,
                                struct line_outcome *o)
{
    struct line *l = cache_victim(cache, pa);

    vacate(cache, l, o);
    return l;
}

/* The line of pa, which is not there, comes for reading or for ownership; l is
 * its way. */
static inline void fill_way(struct core *c, enum bus_op op, pa_t pa,
                            struct line *l, struct line_outcome *o)
{
    struct cache *dcache = &pipe_of(c)->tags.dcache;
    enum mesi state = MESI_M;

    vacate(dcache, l, o);
    o->answer = LINE_MISS;
    ask(c, op, pa, o);
    if (op == BUS_READ)
        state = o->by.shared ? MESI_S : MESI_E;
    cache_place(dcache, l, pa, state);
}

static inline void fill(struct core *c, enum bus_op op, pa_t pa,
                        struct line_outcome *o)
{
    fill_way(c, op, pa, cache_victim(&pipe_of(c)->tags.dcache, pa), o);
}

/* A fill for ea brings the line's shadow along. */
static void shadow(struct core *c, bool data, pa_t pa, ea_t ea,
                   struct line_outcome *o)
{
    if (!c->pif.active)
        return;
    mark_feed_filled(c, data, o->frame, pa, ea);
    o->shadow = mark_feed_traffic(c);
}

/* Line l becomes ours alone. */
static void own(struct core *c, struct line *l, pa_t pa, struct line_outcome *o)
{
    if (l->state == MESI_S)
        ask(c, BUS_KILL, pa, o);
    l->state = MESI_M;
}

/* ---- translation --------------------------------------------------------- */

static bool data_cached(const struct core *c)
{
    return pipe_of(c)->hid0 & HID0_DCE;
}

static void table_fill(struct core *c, enum bus_op op, pa_t pa,
                       struct line_outcome *o)
{
    fill(c, op, pa, o);
    if (!c->pif.active)
        return;
    mark_feed_searched(c, o->frame, pa);
    o->shadow = mark_feed_traffic(c);
}

static void table_read(struct core *c, pa_t pa, struct line_outcome *o)
{
    if (!data_cached(c))
        o->answer = LINE_SINGLE;
    else if (!look(&pipe_of(c)->tags.dcache, pa, o))
        table_fill(c, BUS_READ, pa, o);
}

/* The entry whose second word is at pa is stored to. */
static void table_store(struct core *c, pa_t pa, struct line_outcome *o)
{
    struct line *l;

    o->answer = LINE_SINGLE;
    if (!data_cached(c))
        return;
    l = look(&pipe_of(c)->tags.dcache, pa, o);
    if (l)
        own(c, l, pa, o);
    else /* the access itself changed the table */
        table_fill(c, BUS_RWITM, pa, o);
}

/* R or C was set for the page of ea, and no outcome has that yet. */
static const struct access *mark_of(struct core *c, ea_t ea)
{
    const struct step *s = &c->cpu.step;
    struct tags *t = &pipe_of(c)->tags;
    const struct access *m = &s->mark[t->marked];

    if (t->marked == s->marks || (m->ea ^ ea) >= 0x1000)
        return NULL;
    t->marked++;
    return m;
}

/* ea is held from now on, and what was in its place is not. */
static void enter(struct core *c, struct tlb_tags *tlb, uint32_t vsid, ea_t ea)
{
    unsigned set = tlb_set(ea);
    unsigned out = tlb->tag[set][tlb->older[set]] & (TLB_ENTRIES - 1);

    for (unsigned user = 0; user < 2; user++)
        for (unsigned kind = 0; kind < 3; kind++)
            c->tlb.wimg[user][kind][out] &= WIMG_BITS;
    c->tlb.epoch[set] += 2;
    tlb_tags_enter(tlb, vsid, ea);
}

/* A store that finds C clear searches again, as a miss does, to set it. */
static void translate(struct core *c, struct tlb_tags *tlb, ea_t ea,
                      enum tlb_kind kind, struct search_outcome *o)
{
    const struct access *m = mark_of(c, ea);
    bool held = tlb_tags_look(tlb, c->cpu.sr[ea >> 28] & 0xFFFFFF, ea);
    struct walk w;
    unsigned k;

    o->searched = false;
    if (held && !m)
        return;
    mmu_walk(&c->cpu, ea, kind, &w);
    if (!w.lines)
        return; /* a block needs no table */
    o->searched = true;
    o->missed = !held;
    o->stored = m != NULL;
    o->lines = (uint8_t)w.lines;
    o->entries = (uint8_t)w.entries;
    for (k = 0; k < w.lines; k++)
        table_read(c, w.line[k], &o->line[k]);
    if (m)
        table_store(c, m->pa, &o->mark);
    if (!held)
        enter(c, tlb, w.vsid, ea);
}

static void translate_data(struct core *c, const struct access *a, bool store,
                           struct search_outcome *o)
{
    o->searched = false;
    if (c->cpu.msr & MSR_DR)
        translate(c, &pipe_of(c)->tags.dtlb, a->ea,
                  store ? TLB_STORE : TLB_LOAD, o);
}

/* ---- loads and stores ---------------------------------------------------- */

/* How the access is treated; with the cache off, and of a device, WIMG_I. */
static unsigned wimg(const struct core *c, const struct access *a,
                     enum tlb_kind kind)
{
    return a->io || !data_cached(c) ? WIMG_I : mmu_wimg(&c->cpu, a->ea, kind);
}

/* Out of the way of hits, as fetch_fill. */
static __attribute__((noinline)) void fill_for(struct core *c, enum bus_op op,
                                               const struct access *a,
                                               struct line_outcome *o)
{
    fill(c, op, a->pa, o);
    shadow(c, true, a->pa, a->ea, o);
}

static void load(struct core *c, const struct access *a, struct line_outcome *o)
{
    if (wimg(c, a, TLB_LOAD) & WIMG_I) {
        o->answer = LINE_SINGLE;
        return;
    }
    if (!look(&pipe_of(c)->tags.dcache, a->pa, o))
        fill_for(c, BUS_READ, a, o);
}

/* A touch that goes past the cache does nothing. */
static void touch(struct core *c, const struct access *a,
                  struct line_outcome *o)
{
    load(c, a, o);
    if (o->answer == LINE_SINGLE)
        o->answer = LINE_NONE;
}

static void zero(struct core *c, const struct access *a, struct line_outcome *o)
{
    struct cache *dcache = &pipe_of(c)->tags.dcache;
    struct line *l = room(dcache, a->pa, o);

    o->answer = LINE_ZEROED;
    ask(c, BUS_KILL, a->pa, o);
    cache_place(dcache, l, a->pa, MESI_M);
    shadow(c, true, a->pa, a->ea, o);
}

static void store(struct core *c, const struct access *a,
                  struct line_outcome *o)
{
    unsigned treated = wimg(c, a, TLB_STORE);
    struct line *l;

    if (treated & WIMG_I) {
        o->answer = LINE_SINGLE;
        return;
    }
    l = look(&pipe_of(c)->tags.dcache, a->pa, o);
    if (treated & WIMG_W) {
        o->answer = LINE_THROUGH; /* our own copy keeps its state */
        ask(c, BUS_FLUSH, a->pa, o);
        return;
    }
    if (l) {
        own(c, l, a->pa, o);
        return;
    }
    if (a->kind == ACCESS_DCBZ)
        zero(c, a, o);
    else
        fill_for(c, BUS_RWITM, a, o);
}

void access_absent(struct core *c, const struct access *a, bool store,
                   struct line *way, struct access_outcome *o)
{
    o->search.searched = false;
    o->line.found = MESI_I;
    o->line.word = (uint8_t)cache_word(&pipe_of(c)->tags.dcache, a->pa);
    fill_way(c, store ? BUS_RWITM : BUS_READ, a->pa, way, &o->line);
    shadow(c, true, a->pa, a->ea, &o->line);
}

/* As translate, of a page that is not held and whose entry has R and C. */
static __attribute__((noinline)) void search_for(struct core *c, ea_t ea,
                                                 bool store)
{
    struct line_outcome o;
    struct walk w;

    mmu_walk(&c->cpu, ea, store ? TLB_STORE : TLB_LOAD, &w);
    for (unsigned k = 0; k < w.lines; k++)
        table_read(c, w.line[k], &o);
    if (w.lines)
        enter(c, &pipe_of(c)->tags.dtlb, w.vsid, ea);
}

/* Most of those that come here miss: no call for that. */
__attribute__((flatten)) struct line *access_line(struct core *c, pa_t pa,
                                                  bool store)
{
    struct cache *dcache = &pipe_of(c)->tags.dcache;
    struct line *l = cache_find(dcache, pa);
    struct line_outcome o;

    if (!l) {
        l = cache_victim(dcache, pa);
        fill_way(c, store ? BUS_RWITM : BUS_READ, pa, l, &o);
        return l;
    }
    cache_touch(dcache, l);
    cache_keep(dcache, pa, l);
    if (store)
        own(c, l, pa, &o);
    return l;
}

void access_plain(struct core *c, ea_t ea, pa_t pa, bool store)
{
    struct tags *t = &pipe_of(c)->tags;

    if (c->cpu.msr & MSR_DR &&
        !tlb_tags_look(&t->dtlb, c->cpu.sr[ea >> 28] & 0xFFFFFF, ea))
        search_for(c, ea, store);
    access_line(c, pa, store);
}

/* ---- cache operations ---------------------------------------------------- */

/* dcbst, dcbf, dcbi: a modified copy anywhere goes to memory (not for dcbi);
 * all but dcbst leave no copy. */
static void line_out(struct core *c, const struct access *a,
                     struct line_outcome *o)
{
    struct cache *dcache = &pipe_of(c)->tags.dcache;
    struct line *l = cache_find(dcache, a->pa);
    bool keep = a->kind == ACCESS_DCBST;

    o->answer = LINE_OUT;
    o->castout = false;
    o->found = MESI_I;
    ask(c, keep ? BUS_CLEAN : BUS_FLUSH, a->pa, o);
    if (!l)
        return;
    o->found = l->state;
    o->frame = (uint16_t)cache_frame(dcache, l);
    o->castout = l->state == MESI_M && a->kind != ACCESS_DCBI;
    if (o->castout)
        /* APPROX: dcbst leaves the line exclusive; no source. */
        l->state = MESI_E;
    if (!keep)
        line_drop(l);
    if (!keep && c->pif.active)
        mark_feed_lost(c, true, a->pa);
}

static void cache_operation(struct core *c, const struct access *a,
                            struct access_outcome *o)
{
    translate_data(c, a, a->kind == ACCESS_DCBZ, &o->search);
    if (a->kind == ACCESS_DCBZ) {
        store(c, a, &o->line);
    } else if (a->kind == ACCESS_ICBI) {
        o->line.answer = LINE_ICBI;
        snoop_invalidate(c, a->pa);
        ask(c, BUS_SYNC, a->pa, &o->line);
    } else {
        line_out(c, a, &o->line);
    }
}

/* ---- one instruction ----------------------------------------------------- */

/* Every address is translated before the first is stored to. */
static void stores(struct core *c, const struct insn *i,
                   struct access_outcome *o)
{
    const struct step *s = &c->cpu.step;
    bool fails = i->class == CLASS_STWCX && s->conditional_failed;
    unsigned k;

    for (k = 0; k < s->accesses; k++)
        translate_data(c, &s->access[k], true, &o[k].search);
    for (k = 0; k < s->accesses; k++) {
        o[k].line.answer = LINE_NONE;
        if (!fails)
            store(c, &s->access[k], &o[k].line);
    }
}

static void loads(struct core *c, struct access_outcome *o)
{
    const struct step *s = &c->cpu.step;
    unsigned k;

    for (k = 0; k < s->accesses; k++) {
        translate_data(c, &s->access[k], false, &o[k].search);
        load(c, &s->access[k], &o[k].line);
    }
}

void access_data(struct core *c, const struct insn *i, struct access_outcome *o)
{
    const struct access *a = c->cpu.step.access;

    if (i->class == CLASS_CACHEOP) {
        cache_operation(c, a, o);
    } else if (i->class == CLASS_TOUCH) {
        translate_data(c, a, false, &o->search);
        touch(c, a, &o->line);
    } else if (i->flags & INSN_LOAD) {
        loads(c, o);
    } else if (i->flags & INSN_STORE) {
        stores(c, i, o);
    }
}

/* ---- fetch --------------------------------------------------------------- */

/* Out of the way of hits, which nearly all are. */
static __attribute__((noinline)) void
fetch_fill(struct core *c, ea_t pc, pa_t pa, struct line_outcome *o)
{
    struct cache *icache = &pipe_of(c)->tags.icache;

    o->answer = LINE_MISS;
    ask(c, BUS_FETCH, pa, o);
    cache_place(icache, room(icache, pa, o), pa, MESI_S);
    shadow(c, false, pa, pc, o);
}

void access_fetch(struct core *c, ea_t pc, pa_t pa, bool inhibited,
                  struct access_outcome *o)
{
    struct tags *t = &pipe_of(c)->tags;

    o->search.searched = false;
    if (c->cpu.msr & MSR_IR && (pc & ~0xFFFu) != t->fetch_page) {
        t->fetch_page = pc & ~0xFFFu;
        translate(c, &t->itlb, pc, TLB_FETCH, &o->search);
    }
    if (!(pipe_of(c)->hid0 & HID0_ICE) || inhibited) {
        o->line.answer = LINE_SINGLE;
        return;
    }
    if (!look(&t->icache, pa, &o->line))
        fetch_fill(c, pc, pa, &o->line);
}

bool access_fetched(const struct core *c, pa_t pa, unsigned *frame)
{
    struct cache *icache = &pipe_of(c)->tags.icache;
    const struct line *l = cache_find(icache, pa);

    if (l)
        *frame = cache_frame(icache, l);
    return l;
}
