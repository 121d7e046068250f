/* offcpu.c - see offcpu.h. */
#include "tools/analysis/profile/offcpu.h"

#include <string.h>

#include "include/record_put.h"
#include "lib/base/bytes.h"
#include "tools/analysis/states/words.h"

#define LONGEST (1ull << 44) /* cycles: a day; what is longer is damage */
#define NOWHERE 0xFFFFFFFCu  /* no program is there */
#define DEEPEST (REC_MAX_WORDS - PROFILE_WORDS)

static bool has(struct recording *r, unsigned kind)
{
    struct record record;
    struct recfile f;
    bool any;

    if (!recording_records(r, kind, &f))
        return false;
    any = recfile_next(&f, &record);
    recfile_close(&f);
    return any;
}

bool offcpu_blocked(struct recording *r)
{
    return has(r, REC_STATE);
}

bool offcpu_idle(struct recording *r)
{
    return has(r, REC_IDLE);
}

const char *offcpu_name(unsigned number)
{
    if (!number)
        return OFFCPU_BLOCKED;
    return number >= STATE_RUNNABLE && number < STATE_ENDED
               ? words_state(number)
               : NULL;
}

unsigned offcpu_bit(const char *name)
{
    for (unsigned n = 0; n < STATES_ALL; n++)
        if (offcpu_name(n) && !strcmp(name, offcpu_name(n)))
            return 1u << n;
    return 0;
}

void offcpu_open(struct offcpu *o, struct recording *r, unsigned wanted)
{
    *o = (struct offcpu){.r = r, .wanted = wanted};
    if (wanted) {
        frames_read(&o->frames, r);
        spans_open(&o->spans, r);
        o->open = true;
    } else {
        o->open = recording_records(r, REC_IDLE, &o->idle);
    }
}

/* As a file has it: little-endian words. */
static void store(struct offcpu *o, unsigned words)
{
    o->bytes.count = 0;
    for (unsigned i = 0; i < words; i++)
        bytes_u32(&o->bytes, o->word[i]);
    record_give(&o->next, REC_PROFILE, words, o->bytes.data);
}

static void fill(uint32_t *w, uint32_t counter, uint32_t events, uint32_t pc,
                 uint32_t depth, bool truncated)
{
    record_put_profile_counter(w, counter);
    record_put_profile_events(w, events);
    record_put_profile_pc(w, pc);
    record_put_profile_interrupted(w, pc);
    record_put_profile_address(w, 0);
    record_put_profile_flags(w, truncated ? PROFILE_TRUNCATED : 0);
    record_put_profile_depth(w, depth);
}

/* ---- waits --------------------------------------------------------------- */

/* The part of a wait that is in the interval; false: none. */
static bool begin_wait(struct offcpu *o, const struct spans_event *s)
{
    uint64_t from =
        o->r->windowed && o->r->from > s->from ? o->r->from : s->from;
    uint64_t to = o->r->windowed && o->r->to < s->to ? o->r->to : s->to;
    uint32_t *pcs = record_tail_profile_stack(o->word);
    const struct frames_place *p = frames_at(&o->frames, s->stack);
    uint32_t depth = 0;

    if (from >= to || to - from > LONGEST)
        return false;
    for (; p && depth < DEEPEST; p = frames_at(&o->frames, p->caller))
        pcs[depth++] = p->pc;
    loadmap_thread(&o->r->map, s->thread);
    if (depth)
        pcs[0] -= 4; /* the leaf stands where it is, not behind a call */
    fill(o->word, OFFCPU_NUMBER, 0, depth ? pcs[0] : NOWHERE, depth, !depth);
    o->next = (struct record){.cpu = s->cpu, .thread = s->thread};
    o->from = from;
    o->to = to;
    o->state = s->state;
    return true;
}

/* The next part of a wait, which has `bits`. */
static void cut_wait(struct offcpu *o)
{
    uint64_t to = o->to, edge;

    if (o->slices) {
        edge = o->slices->edge[slices_at(o->slices, o->from) + 1];
        to = edge > o->from && edge < to ? edge : to;
    }
    o->cycles = to - o->from;
    o->next.cycle = to - 1;
    o->from = to;
    o->bits = o->of;
}

/* Which of the wanted numbers a state is of. */
static unsigned bits_of(const struct offcpu *o, uint32_t state)
{
    unsigned bits = 1u << state;

    if (state >= STATE_LOCK)
        bits |= OFFCPU_ALL_BLOCKED;
    return bits & o->wanted;
}

/* False: there are no more spans. */
static bool next_span(struct offcpu *o)
{
    struct spans_event s;

    while (spans_next(&o->spans, &s)) {
        if (s.is != SPANS_STATE || s.state < STATE_RUNNABLE ||
            s.state >= STATE_ENDED || !bits_of(o, s.state) ||
            !begin_wait(o, &s))
            continue;
        o->of = bits_of(o, s.state);
        return true;
    }
    spans_close(&o->spans);
    frames_free(&o->frames);
    return false;
}

/* A record counts no more than a word: a long wait is several. */
static bool next_wait(struct offcpu *o, struct record *record)
{
    uint32_t events;

    if (!o->left) {
        if (!o->bits) {
            if (o->from == o->to && !next_span(o))
                return false;
            cut_wait(o);
        }
        o->now = (unsigned)__builtin_ctz(o->bits);
        o->bits &= o->bits - 1;
        o->left = o->cycles;
    }
    events = o->left < UINT32_MAX ? (uint32_t)o->left : UINT32_MAX;
    o->left -= events;
    record_put_profile_counter(o->word, OFFCPU_NUMBER + o->now);
    record_put_profile_events(o->word, events);
    store(o, record_size_profile_stack(record_count_profile_stack(o->word)));
    *record = o->next;
    return true;
}

/* ---- idle transitions ---------------------------------------------------- */

static bool next_idle(struct offcpu *o, struct record *record)
{
    uint32_t *pcs = record_tail_profile_stack(o->word), depth;
    struct record_tail stack;
    struct record idle;

    if (!recfile_next(&o->idle, &idle)) {
        recording_done(o->r, &o->idle);
        return false;
    }
    stack = record_get_idle_stack(&idle);
    depth = stack.words < DEEPEST ? stack.words : DEEPEST;
    for (uint32_t i = 0; i < depth; i++)
        pcs[i] = record_tail_word(stack, i);
    fill(o->word,
         record_get_idle_transition(&idle) == IDLE_KIND_TO
             ? OFFCPU_TO_IDLE_NUMBER
             : OFFCPU_FROM_IDLE_NUMBER,
         1, depth ? pcs[0] : NOWHERE, depth, !depth);
    o->next = (struct record){
        .cpu = idle.cpu, .thread = idle.thread, .cycle = idle.cycle};
    store(o, record_size_profile_stack(depth));
    *record = o->next;
    return true;
}

bool offcpu_next(struct offcpu *o, struct record *record)
{
    if (!o->open)
        return false;
    o->open = o->wanted ? next_wait(o, record) : next_idle(o, record);
    if (!o->open)
        bytes_free(&o->bytes);
    return o->open;
}
