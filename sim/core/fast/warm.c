/* warm.c - fast, with caches, TLBs and predictors of branches kept as the
 * pipeline would keep them: a stretch in detail that follows finds them warm.
 *
 * The cycles, counters and account are those of the fast model. Beside it the
 * core has the pipeline of the detailed one, at rest: only its first half is
 * asked (access.h, outcomes without cycles), and its predictor (predict.h),
 * with what detailed would ask them, in the order of the program.
 *
 * APPROX: what detailed asks because of its cycles is left out: the groups that
 * a wrong path fetches, and the branches on it; and a group of instructions
 * ends with its line, its width or a taken branch, never for want of room.
 * Source: there are no cycles. Cost: lines that wrong paths bring or push out,
 * and targets in the BTAC that were learnt by another group.
 */
#include "sim/core/fast/interpret.h"
#include "sim/core/timing.h"
#include "sim/core/detailed/pipe.h"

#include "isa/mmu.h"
#include "isa/phys.h"

/* ---- what an instruction asks -------------------------------------------- */

/* The line of pc is asked for. */
static void fetched(struct core *c, ea_t pc, pa_t pa)
{
    bool inhibited = mmu_wimg(&c->cpu, pc, TLB_FETCH) & WIMG_I;
    struct access_outcome o;

    access_fetch(c, pc, pa, inhibited, &o);
}

/* The instruction at pc is fetched, with others or as the first of a group. */
static inline void grouped(struct core *c, struct group *g, ea_t pc, pa_t pa)
{
    const struct cache *icache = &pipe_of(c)->tags.icache;

    if (cache_line(icache, pa) != g->line) {
        fetched(c, pc, pa);
        g->line = cache_line(icache, pa);
    } else if (pc == g->next && g->size < c->with.params->fetch_width) {
        g->size++;
        g->next += 4;
        return;
    }
    g->pc = pc;
    g->next = pc + 4;
    g->size = 1;
}

/* A branch at pc: its guess is looked up, and is then the latest used. */
static inline void guessed(struct core *c, const struct group *g, ea_t pc)
{
    struct pipe *p = pipe_of(c);
    ea_t target;

    if (!(p->hid0 & HID0_BTCD))
        predict_target(&p->predict, g->pc, pc, &target);
}

/* i, at pc, has completed. */
static inline void completed(struct core *c, const struct insn *i, ea_t pc)
{
    struct group *g = &fast_of(c)->group;
    struct pipe *p = pipe_of(c);

    if (c->cpu.step.accesses)
        access_data(c, i, p->outcome);
    if (i->flags & INSN_BRANCH)
        predict_teach(&p->predict, g->pc, pc, i->flags & INSN_COND,
                      c->cpu.step.taken, c->cpu.nia);
    if (i->flags & INSN_CONTEXT) {
        p->tags.fetch_page = 1;
        g->line = 1;
    }
}

/* i, at pc, is about to be executed. */
static inline void asked(struct core *c, const struct insn *i, ea_t pc, pa_t pa)
{
    struct group *g = &fast_of(c)->group;

    grouped(c, g, pc, pa);
    if (i->flags & INSN_BRANCH)
        guessed(c, g, pc);
    pipe_of(c)->tags.marked = 0;
}

void warm_before(struct core *c, const struct insn *i, ea_t pc, pa_t pa)
{
    pipe_of(c)->tags.marked = 0;
    asked(c, i, pc, pa);
}

void warm_after(struct core *c, const struct insn *i, ea_t pc)
{
    completed(c, i, pc);
    fast_of(c)->group.line = 1; /* another processor may take it away */
}

/* ---- the engine ----------------------------------------------------------- */

void warm_begin(struct core *c, bool anew)
{
    pipe_of(c)->tags.marked = 0;
    if (anew) /* another processor may have taken it away */
        fast_of(c)->group.line = 1;
}

enum exc warm_run(struct core *c, struct insn *page, pa_t page_pa, uint64_t n)
{
    warm_begin(c, true);
    return interpret(c, page, page_pa, n, false,
                     (struct beside){.before = asked, .after = completed});
}

enum exc warm_stretch(struct core *c, struct insn *page, pa_t page_pa,
                      uint64_t n)
{
    return interpret(c, page, page_pa, n, true,
                     (struct beside){.before = asked, .after = completed});
}

/* ---- what blocks ask ------------------------------------------------------ */

void warm_fetched(struct core *c, ea_t pc, pa_t pa)
{
    struct cache *icache = &pipe_of(c)->tags.icache;
    struct line *l;

    fetched(c, pc, pa);
    c->cpu.step.marks = pipe_of(c)->tags.marked = 0;
    l = cache_find(icache, pa);
    if (l)
        cache_keep(icache, pa, l);
}

/* The page of ea, which is plain, has been looked up: may it be noted that it
 * is held? A page of a block (BAT) is not. */
static void noted(struct core *c, ea_t ea, bool store)
{
    struct tlb_tags *t = &pipe_of(c)->tags.dtlb;
    uint32_t vsid = c->cpu.sr[ea >> 28] & 0xFFFFFF;

    if (c->cpu.msr & MSR_DR && tlb_tags_look(t, vsid, ea))
        c->tlb.wimg[c->cpu.msr / MSR_PR & 1][store ? TLB_STORE : TLB_LOAD]
                   [ea >> 12 & (TLB_ENTRIES - 1)] |= tlb_note(t, vsid, ea);
}

/* i, which has completed, accessed memory once, at ea. */
static void accessed(struct core *c, const struct insn *i, ea_t ea, pa_t pa,
                     unsigned size, bool store)
{
    struct step *s = &c->cpu.step;

    s->marks = pipe_of(c)->tags.marked = 0;
    if (!c->pif.active &&
        mmu_plain(&c->cpu, ea, store ? TLB_STORE : TLB_LOAD)) {
        access_plain(c, ea, pa, store);
        noted(c, ea, store);
        return;
    }
    s->accesses = 1;
    s->access[0] = (struct access){ea, pa, (uint8_t)size,
                                   store ? ACCESS_STORE : ACCESS_LOAD, false};
    access_data(c, i, pipe_of(c)->outcome);
}

/* An access of `size` bytes at ea, in one double word: its page and its line
 * are asked for, and the next one to that line need not. Returns where the
 * bytes are; NULL, and nothing was done: that is not plain memory, or its
 * address is not remembered. */
static inline __attribute__((always_inline)) uint8_t *
asked_for(struct core *c, const struct insn *i, ea_t ea, unsigned size,
          bool store)
{
    unsigned user = c->cpu.msr / MSR_PR & 1, n = ea >> 12 & (TLB_ENTRIES - 1);
    const struct tlb_entry *e = &c->tlb.entry[user][store][n];
    const uint8_t *note = &c->tlb.wimg[user][store][n];
    struct tags *t = &pipe_of(c)->tags;
    const struct port *p = &c->port;
    bool translated = c->cpu.msr & MSR_DR;
    struct line *l;
    pa_t pa = translated ? e->page | (ea & 0xFFF) : ea;

    if (UNLIKELY((ea & 7) + size > 8) ||
        UNLIKELY(translated && e->tag != ((ea & ~0xFFFu) | 1)) ||
        UNLIKELY(pa >= p->ram_size) ||
        (store && (UNLIKELY(p->reservations->mask & ~(1u << p->cpu)) ||
                   UNLIKELY(p->code_page[pa >> 12]))))
        return NULL;
    if (!translated) {
        access_line(c, pa, store);
        return p->ram + pa;
    }
    if (LIKELY(*note >= TLB_HELD)) {
        t->dtlb.older[tlb_set(ea)] = tlb_noted_older(*note);
        l = access_line(c, pa, store);
    } else {
        accessed(c, i, ea, pa, size, store);
        l = cache_recent(&t->dcache, pa);
        if (*note < TLB_HELD || !l)
            return p->ram + pa;
    }
    if (LIKELY(t->dcache.bytes >= CORE_NEAR_BYTES))
        c->near[user][store][ea / CORE_NEAR_BYTES & (CORE_NEAR - 1)] =
            (struct core_near){
                .ea = ea & ~(CORE_NEAR_BYTES - 1),
                .pa = l->tag,
                .held = c->tlb.epoch[tlb_set(ea)] | tlb_noted_older(*note),
                .line = l,
                .host = p->ram + pa - ea,
            };
    return p->ram + pa;
}

struct asked warm_load(struct core *c, const struct insn *i, ea_t ea,
                       unsigned size)
{
    const uint8_t *at = asked_for(c, i, ea, size, false);

    if (!at)
        return (struct asked){false, 0};
    return (struct asked){true, size == 4   ? phys_read(at, 4)
                                : size == 1 ? phys_read(at, 1)
                                : size == 2 ? phys_read(at, 2)
                                            : phys_read(at, 8)};
}

bool warm_store(struct core *c, const struct insn *i, ea_t ea, unsigned size,
                uint64_t v)
{
    uint8_t *at = asked_for(c, i, ea, size, true);

    if (!at)
        return false;
    if (size == 4)
        phys_write(at, 4, v);
    else if (size == 1)
        phys_write(at, 1, v);
    else if (size == 2)
        phys_write(at, 2, v);
    else
        phys_write(at, 8, v);
    return true;
}

void warm_branched(struct core *c, ea_t fetch, ea_t pc, unsigned how,
                   ea_t target)
{
    struct predictor *p = &pipe_of(c)->predict;
    ea_t guess;

    predict_target(p, fetch, pc, &guess);
    predict_teach(p, fetch, pc, how & WARM_CONDITIONAL, how & WARM_TAKEN,
                  target);
}

bool warm_common(const struct core *c)
{
    return (pipe_of(c)->hid0 & (HID0_ICE | HID0_DCE | HID0_BTCD)) ==
           (HID0_ICE | HID0_DCE);
}

unsigned warm_phase(const struct core *c, ea_t pc, pa_t pa)
{
    const struct group *g = &fast_of(c)->group;

    return pc == g->next &&
                   cache_line(&pipe_of(c)->tags.icache, pa) == g->line &&
                   g->size < c->with.params->fetch_width
               ? g->size
               : 0;
}

/* ---- the model ------------------------------------------------------------ */

static bool init(struct core *c)
{
    for (unsigned n = 0; n < 4 * CORE_NEAR; n++)
        c->near[n / (2 * CORE_NEAR)][n / CORE_NEAR % 2][n % CORE_NEAR].ea = 1;
    return timing_detailed.init(c) && fast_begin(c, true);
}

static void end(struct core *c)
{
    fast_free(c);
    timing_detailed.free(c);
}

static void forget(struct core *c)
{
    timing_detailed.forget(c);
}

static void tlbie(struct core *c, ea_t ea)
{
    timing_detailed.tlbie(c, ea);
}

static void hid0(struct core *c, uint32_t now)
{
    timing_detailed.hid0(c, now);
}

static bool state(struct snap *s, struct core *c)
{
    return fast_state(s, c) && timing_detailed.state(s, c);
}

const struct timing timing_warm = {
    .name = "warm",
    .serial = true,
    .keeps_tags = true,
    .quantum = fast_quantum,
    .counts = fast_counts,
    .init = init,
    .free = end,
    .run = fast_run,
    .enter = fast_enter,
    .completed_by = fast_completed_by,
    .charge = fast_charge,
    .flush = fast_flush,
    .catch_up = fast_catch_up,
    .forget = forget,
    .tlbie = tlbie,
    .hid0 = hid0,
    .state = state,
};
