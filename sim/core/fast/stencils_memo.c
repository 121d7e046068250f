/* stencils_memo.c - the stencils of the timing memo's traces: those of fast
 * mode, and what a step asks, and whether it is told what it was. The routines
 * do that work and are copied once; a stencil calls them with what is special
 * about its step. A routine that answers no has changed nothing.
 */
#define MEMO 1
#include "sim/core/fast/stencils.c"

#if STENCILS_HOST

/* ---- accesses, as replay.h has them -------------------------------------- */

/* A trace is of all processors. */
static inline bool may_store(const struct cpu *c, pa_t pa)
{
    const struct port *p = port_of(c);

    return !(p->reservations->mask & ~(1u << p->cpu)) &&
           !p->code_page[pa >> 12];
}

/* Where an access of a trace goes, and what is noted of its page, if it has one
 * (sim/mem/tlb.h). */
struct goes {
    pa_t pa;
    uint8_t *note;
};

/* `size` bytes at ea are in plain memory, there. */
static inline bool is_plain(struct cpu *c, ea_t ea, unsigned size, bool store,
                            struct goes *g)
{
    struct tlb *t = &core_of(c)->tlb;
    enum tlb_kind kind = store ? TLB_STORE : TLB_LOAD;
    unsigned user = c->msr / MSR_PR & 1, n = ea >> 12 & (TLB_ENTRIES - 1);
    const struct tlb_entry *e = &t->entry[user][kind][n];

    g->pa = ea;
    g->note = &t->wimg[user][kind][n];
    if (UNLIKELY((ea & 7) + size > 8))
        return false;
    if (c->msr & MSR_DR) {
        if (UNLIKELY(e->tag != ((ea & ~0xFFFu) | 1)) ||
            *g->note & (WIMG_W | WIMG_I))
            return false;
        g->pa = e->page | (ea & 0xFFF);
    }
    return LIKELY(g->pa < port_of(c)->ram_size) &&
           (!store || may_store(c, g->pa));
}

/* The TLB holds the page of ea, which is plain: the use is noted. */
static inline bool tlb_holds(struct cpu *c, ea_t ea, uint8_t *note)
{
    struct tlb_tags *t = &pipe_of(core_of(c))->tags.dtlb;
    uint32_t vsid;

    if (!(c->msr & MSR_DR))
        return true;
    if (LIKELY(*note >= TLB_HELD)) {
        t->older[tlb_set(ea)] = tlb_noted_older(*note);
        return true;
    }
    vsid = c->sr[ea >> 28] & 0xFFFFFF;
    if (!tlb_tags_look(t, vsid, ea))
        return false;
    *note |= tlb_note(t, vsid, ea);
    return true;
}

/* A load that asks at `at` may read the cache. */
static inline cycle_t clear_of(const struct pipe *p, ea_t ea, unsigned size,
                               cycle_t at)
{
    struct access a = {.ea = ea, .size = (uint8_t)size};

    return LIKELY(p->committed < at) ? at : lsu_clear(p, &a, at);
}

/* The line of the data cache that pa is in; NULL: it is not there. */
static inline struct line *line_there(struct core *c, pa_t pa)
{
    struct pipe *p = pipe_of(c);
    struct line *l = cache_recent(&p->tags.dcache, pa);

    return LIKELY(l) ? l : p->memo->calls.line(&p->tags.dcache, pa);
}

/* When the word of pa in l can be used that is asked for at `at`. */
static inline cycle_t usable_at(const struct pipe *p, const struct line *l,
                                pa_t pa, cycle_t at)
{
    const struct cache *dcache = &p->tags.dcache;

    return cycle_max(at, cache_usable(dcache, cache_frame(dcache, l),
                                      cache_word(dcache, pa)));
}

static inline void told_used(struct core *c, ea_t ea, uint32_t cycles)
{
    c->last_ea = ea;
    c->access_cycles[0] = cycles;
}

static inline struct asked told_load(struct cpu *c, ea_t ea, unsigned size,
                                     uint32_t issued, uint32_t waited,
                                     uint32_t collided)
{
    struct pipe *p = pipe_of(core_of(c));
    cycle_t at = core_of(c)->trace.begin + issued, clear;
    struct line *l;
    uint64_t v = 0;
    struct goes g;

    if (!is_plain(c, ea, size, false, &g))
        return (struct asked){false, 0};
    l = line_there(core_of(c), g.pa);
    clear = clear_of(p, ea, size, at);
    if (UNLIKELY(!l) || UNLIKELY(clear != at + collided) ||
        UNLIKELY(usable_at(p, l, g.pa, clear) != clear + waited) ||
        UNLIKELY(!tlb_holds(c, ea, g.note)))
        return (struct asked){false, 0};
    cache_touch(&p->tags.dcache, l);
    told_used(core_of(c), ea, waited + 1);
    memcpy((uint8_t *)&v + (8 - size), port_of(c)->ram + g.pa, size);
    return (struct asked){true, __builtin_bswap64(v)};
}

/* A store that asks for its line at `at` was issued when it was: at once, or as
 * soon as its queue had an entry. */
static inline bool queued(const struct pipe *p, cycle_t at, uint32_t waited)
{
    cycle_t issue = at - (waited & (STORE_QUEUED - 1u));
    cycle_t free = ring_oldest(&p->stores);

    return waited & STORE_QUEUED ? free == issue : LIKELY(free <= issue);
}

/* v is stored at ea, which is pa in l, asked for at `at` and usable then. */
static inline void stored_in(struct cpu *c, ea_t ea, unsigned size, pa_t pa,
                             struct line *l, cycle_t at, cycle_t usable,
                             uint32_t waited, uint64_t v)
{
    struct access a = {.ea = ea, .size = (uint8_t)size};
    struct pipe *p = pipe_of(core_of(c));
    struct cache *dcache = &p->tags.dcache;
    cycle_t commit = cycle_max(usable, p->committed + 1);

    told_used(core_of(c), ea, (uint32_t)(usable - at) + 1);
    l->state = MESI_M;
    dcache->arrival[cache_frame(dcache, l)].written = commit;
    lsu_pending(p, &a, commit);
    ring_push(&p->stores, commit);
    core_of(c)->pmu.ev.total[EV_store_queue_level] +=
        commit - at + (waited & (STORE_QUEUED - 1u));
    v = __builtin_bswap64(v << (64 - 8 * size));
    memcpy(port_of(c)->ram + pa, &v, size);
}

static inline bool told_store(struct cpu *c, ea_t ea, unsigned size,
                              uint32_t asked, uint32_t waited, uint32_t step,
                              uint64_t v)
{
    struct pipe *p = pipe_of(core_of(c));
    cycle_t at = core_of(c)->trace.begin + asked;
    struct line *l;
    struct goes g;

    if (!is_plain(c, ea, size, true, &g) || UNLIKELY(!queued(p, at, waited)))
        return false;
    l = line_there(core_of(c), g.pa);
    if (UNLIKELY(!l))
        return p->memo->calls.store(core_of(c), step, ea, g.pa, size, v);
    if (UNLIKELY(l->state == MESI_S) || UNLIKELY(!tlb_holds(c, ea, g.note)))
        return false;
    cache_touch(&p->tags.dcache, l);
    stored_in(c, ea, size, g.pa, l, at, usable_at(p, l, g.pa, at), waited, v);
    return true;
}

#define ACCESSES(size)                                                         \
    struct asked stencil_load##size(struct cpu *c, ea_t ea, uint32_t issued,   \
                                    uint32_t waited, uint32_t collided);       \
    INLINED struct asked stencil_load##size(struct cpu *c, ea_t ea,            \
                                            uint32_t issued, uint32_t waited,  \
                                            uint32_t collided)                 \
    {                                                                          \
        return told_load(c, ea, size, issued, waited, collided);               \
    }                                                                          \
    bool stencil_store##size(struct cpu *c, ea_t ea, uint32_t asked,           \
                             uint32_t waited, uint32_t step, uint64_t v);      \
    INLINED bool stencil_store##size(struct cpu *c, ea_t ea, uint32_t asked,   \
                                     uint32_t waited, uint32_t step,           \
                                     uint64_t v)                               \
    {                                                                          \
        return told_store(c, ea, size, asked, waited, step, v);                \
    }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)

/* ---- ... the short way ----------------------------------------------------
 *
 * Of an access that waited for nothing. The TLB entry says that its page is
 * memory that the TLB of the chip holds; for a load nothing that was stored is
 * still to be written; and no word of any line is still to come. */

static inline bool is_calm(struct cpu *c, ea_t ea, unsigned size,
                           enum tlb_kind kind, cycle_t at, struct goes *g,
                           struct line **line)
{
    const struct core_trace *t = &core_of(c)->trace;
    struct pipe *p = pipe_of(core_of(c));
    unsigned n = (ea >> 12 & (TLB_ENTRIES - 1)) + kind * TLB_ENTRIES;
    ea_t offset = ea + 1 - t->entry[n].tag;
    uint8_t note = t->note[n];

    g->pa = t->entry[n].page + offset;
    if (UNLIKELY(ea & (size - 1)) || UNLIKELY(note < TLB_HELD) ||
        UNLIKELY(offset >= 0x1000) || UNLIKELY(p->tags.dcache.latest > at))
        return false;
    *line = cache_recent(&p->tags.dcache, g->pa);
    if (UNLIKELY(!*line))
        return false;
    if (kind == TLB_STORE &&
        (UNLIKELY((*line)->state == MESI_S) || !may_store(c, g->pa)))
        return false;
    if (kind == TLB_LOAD && UNLIKELY(p->committed >= at))
        return false;
    p->tags.dtlb.older[tlb_set(ea)] = tlb_noted_older(note);
    cache_touch(&p->tags.dcache, *line);
    return true;
}

#define CALM(size)                                                             \
    extern struct asked hole_load##size(struct cpu *c, ea_t ea,                \
                                        uint32_t issued, uint32_t waited,      \
                                        uint32_t collided);                    \
    struct asked stencil_calm_load##size(struct cpu *c, ea_t ea,               \
                                         uint32_t issued, uint32_t waited,     \
                                         uint32_t collided);                   \
    INLINED struct asked stencil_calm_load##size(                              \
        struct cpu *c, ea_t ea, uint32_t issued, uint32_t waited,              \
        uint32_t collided)                                                     \
    {                                                                          \
        uint64_t v = 0;                                                        \
        struct goes g;                                                         \
        struct line *l;                                                        \
                                                                               \
        if (!is_calm(c, ea, size, TLB_LOAD, core_of(c)->trace.begin + issued,  \
                     &g, &l))                                                  \
            return hole_load##size(c, ea, issued, waited, collided);           \
        told_used(core_of(c), ea, 1);                                          \
        memcpy((uint8_t *)&v + (8 - size), port_of(c)->ram + g.pa, size);      \
        return (struct asked){true, __builtin_bswap64(v)};                     \
    }                                                                          \
    extern bool hole_store##size(struct cpu *c, ea_t ea, uint32_t asked,       \
                                 uint32_t waited, uint32_t step, uint64_t v);  \
    bool stencil_calm_store##size(struct cpu *c, ea_t ea, uint32_t asked,      \
                                  uint32_t waited, uint32_t step, uint64_t v); \
    INLINED bool stencil_calm_store##size(struct cpu *c, ea_t ea,              \
                                          uint32_t asked, uint32_t waited,     \
                                          uint32_t step, uint64_t v)           \
    {                                                                          \
        cycle_t at = core_of(c)->trace.begin + asked;                          \
        struct goes g;                                                         \
        struct line *l;                                                        \
                                                                               \
        if (UNLIKELY(!queued(pipe_of(core_of(c)), at, waited)) ||              \
            !is_calm(c, ea, size, TLB_STORE, at, &g, &l))                      \
            return hole_store##size(c, ea, asked, waited, step, v);            \
        stored_in(c, ea, size, g.pa, l, at, at, waited, v);                    \
        return true;                                                           \
    }
CALM(1)
CALM(2)
CALM(4)
CALM(8)

/* ---- ... a load that misses ------------------------------------------------
 *
 * No line that is there is taken for it. In place of `issued` is the number of
 * the step. */
#define MISS(size)                                                             \
    struct asked stencil_miss_load##size(struct cpu *c, ea_t ea,               \
                                         uint32_t issued, uint32_t waited,     \
                                         uint32_t collided);                   \
    INLINED struct asked stencil_miss_load##size(                              \
        struct cpu *c, ea_t ea, uint32_t issued, uint32_t waited,              \
        uint32_t collided)                                                     \
    {                                                                          \
        struct goes g;                                                         \
                                                                               \
        if (!is_plain(c, ea, size, false, &g))                                 \
            return (struct asked){false, 0};                                   \
        return pipe_of(core_of(c))                                             \
            ->memo->calls.load(core_of(c), issued, ea, g.pa, size);            \
    }
MISS(1)
MISS(2)
MISS(4)
MISS(8)

/* ---- the instruction cache ----------------------------------------------- */

/* The line of pa is full in cycle `filled`: it is asked for, and so it is for
 * the groups ahead in it. */
bool stencil_lines(struct cpu *c, pa_t pa, ea_t pc, int32_t filled,
                   uint32_t ahead);
INLINED bool stencil_lines(struct cpu *c, pa_t pa, ea_t pc, int32_t filled,
                           uint32_t ahead)
{
    struct pipe *p = pipe_of(core_of(c));
    struct cache *icache = &p->tags.icache;
    struct line *l = cache_recent(icache, pa);
    cycle_t by = core_of(c)->trace.begin + (cycle_t)(int64_t)filled;
    ea_t page = pc & ~0xFFFu;
    unsigned frame;

    if (UNLIKELY(!l || p->page_ea != page || p->page_inhibited ||
                 p->page_pa != (pa & ~0xFFFu) ||
                 (c->msr & MSR_IR && page != p->tags.fetch_page)))
        return p->memo->calls.lines(core_of(c), pa, pc, filled, ahead);
    frame = cache_frame(icache, l);
    if (UNLIKELY(icache->latest > by) &&
        UNLIKELY(cache_full(icache, frame) > by))
        return false;
    p->memo->frame = frame;
    icache->stamp += 1 + ahead;
    l->used = icache->stamp;
    return true;
}

extern bool hole_lines(struct cpu *c, pa_t pa, ea_t pc, int32_t filled,
                       uint32_t ahead);
struct left stencil_told_line(STENCIL_ARGS);
struct left stencil_told_line(STENCIL_ARGS)
{
    if (UNLIKELY(!hole_lines(c, NUMBER(pa), PC, (int32_t)NUMBER(filled),
                             NUMBER(ahead))))
        GO(hole_exit);
    GO(hole_next);
}

/* ---- the turn ------------------------------------------------------------ */

/* It ends in front of what dispatches in that cycle. */
struct left stencil_told_turn(STENCIL_ARGS);
struct left stencil_told_turn(STENCIL_ARGS)
{
    if (UNLIKELY(core_of(c)->trace.stop <= NUMBER(dispatch)))
        GO(hole_exit);
    GO(hole_next);
}

/* ---- the predictor ------------------------------------------------------- */

/* What was believed of the branch at pc, which has run and gone to `target`, is
 * what was told, GUESS_... and at_fetch; it is taught. */
static inline bool believed(struct cpu *c, ea_t group, ea_t pc, uint32_t told,
                            ea_t at_fetch, ea_t target, bool conditional,
                            bool taken)
{
    struct pipe *pipe = pipe_of(core_of(c));
    struct predictor *p = &pipe->predict;
    bool own = predict_own(p, group, pc);
    bool guess = conditional ? predict_taken(p, pc) : true;

    if (LIKELY(((uint32_t)guess | (uint32_t)own << 1) == told) &&
        LIKELY(!own || predict_hinted(p, group)->target == at_fetch) &&
        LIKELY(predict_followed(p, predict_placed(p, group, pc), group, pc,
                                conditional, taken, target)))
        return true;
    told |= (conditional ? GUESS_IF : 0) | (taken ? GUESS_WENT : 0);
    return pipe->memo->calls.branch(core_of(c), group, pc, told, at_fetch,
                                    target);
}

#define BELIEVED(name, conditional, taken)                                     \
    bool stencil_was_##name(struct cpu *c, ea_t group, ea_t pc, uint32_t told, \
                            ea_t at_fetch, ea_t target);                       \
    INLINED bool stencil_was_##name(struct cpu *c, ea_t group, ea_t pc,        \
                                    uint32_t told, ea_t at_fetch, ea_t target) \
    {                                                                          \
        return believed(c, group, pc, told, at_fetch, target, conditional,     \
                        taken);                                                \
    }                                                                          \
    extern bool hole_was_##name(struct cpu *c, ea_t group, ea_t pc,            \
                                uint32_t told, ea_t at_fetch, ea_t target);    \
    struct left stencil_told_##name(STENCIL_ARGS);                             \
    struct left stencil_told_##name(STENCIL_ARGS)                              \
    {                                                                          \
        if (UNLIKELY(!hole_was_##name(c, NUMBER(group), PC, NUMBER(guess),     \
                                      NUMBER(at_fetch), NUMBER(target))))      \
            GO(hole_exit);                                                     \
        GO(hole_next);                                                         \
    }
BELIEVED(taken, false, true)
BELIEVED(taken_if, true, true)
BELIEVED(passed, true, false)

/* The same, short: the branch has an entry, is taken, and goes where that says;
 * both were believed. False: it is not so. */
static inline bool loops(struct cpu *c, bool conditional)
{
    struct predictor *p = &pipe_of(core_of(c))->predict;
    struct predict_place at = placed(p);
    struct btac_entry *e = &p->btac[*at.hint];

    if (UNLIKELY(e->fetch != NUMBER(group)) || UNLIKELY(e->pc != PC) ||
        UNLIKELY(e->target != NUMBER(target)) || UNLIKELY(!e->used) ||
        (conditional && UNLIKELY(*at.state < 2)))
        return false;
    if (conditional)
        *at.state = 3;
    e->used = p->stamp += 2; /* asked, and taught */
    return true;
}

/* ... it has no entry, nor could have another place, is not taken, and was
 * believed not to be. */
static inline bool passes(struct cpu *c)
{
    struct predictor *p = &pipe_of(core_of(c))->predict;
    struct predict_place at = placed(p);

    if (UNLIKELY(*at.derived) || UNLIKELY(*at.state >= 2))
        return false;
    *at.state = 0;
    return true;
}

#define SHORTLY(name, was, is)                                                 \
    struct left stencil_told_##name(STENCIL_ARGS);                             \
    INLINED struct left stencil_told_##name(STENCIL_ARGS)                      \
    {                                                                          \
        if (UNLIKELY(!(is)) &&                                                 \
            UNLIKELY(!hole_was_##was(c, NUMBER(group), PC, NUMBER(guess),      \
                                     NUMBER(at_fetch), NUMBER(target))))       \
            GO(hole_exit);                                                     \
        GO(hole_next);                                                         \
    }
SHORTLY(loops, taken, loops(c, false))
SHORTLY(loops_if, taken_if, loops(c, true))
SHORTLY(passes, passed, passes(c))

/* ... it was mispredicted, and its wrong path goes as it did. */
bool stencil_walks(struct cpu *c, uint32_t step);
INLINED bool stencil_walks(struct cpu *c, uint32_t step)
{
    return pipe_of(core_of(c))->memo->calls.walks(core_of(c), step);
}

extern bool hole_walks(struct cpu *c, uint32_t step);
struct left stencil_told_walks(STENCIL_ARGS);
struct left stencil_told_walks(STENCIL_ARGS)
{
    if (UNLIKELY(!hole_walks(c, NUMBER(step))))
        GO(hole_exit);
    GO(hole_next);
}

/* A jump goes where it did. */
struct left stencil_told_arrives(STENCIL_ARGS);
struct left stencil_told_arrives(STENCIL_ARGS)
{
    if (UNLIKELY(c->nia != NUMBER(target)))
        GO(hole_exit);
    GO(hole_next);
}

/* The second operand of a multiplication is short, or is not. */
#define SHORT(name, is)                                                        \
    struct left stencil_told_##name(STENCIL_ARGS);                             \
    struct left stencil_told_##name(STENCIL_ARGS)                              \
    {                                                                          \
        int32_t b = (int32_t)GPR(b);                                           \
                                                                               \
        if (UNLIKELY((b == (int16_t)b) != is))                                 \
            GO(hole_exit);                                                     \
        GO(hole_next);                                                         \
    }
SHORT(early, true)
SHORT(late, false)
#endif
