/* trace.c - the trace port: checks a guest record and passes it on.
 * Where records go is its owner's business.
 */
#include <stddef.h>

#include "include/record.h"
#include "include/board.h"
#include "lib/base/big_endian.h"
#include "lib/base/snap.h"
#include "sim/dev/trace.h"

#define HEAD 8u /* bytes before the payload: kind, words, thread */

void trace_init(struct trace *t, const struct trace_setup *s)
{
    *t = (struct trace){.with = *s};
}

const char *trace_fault_text(enum trace_fault f)
{
    switch (f) {
    case TRACE_WILD:
        return "its address is not a word in memory";
    case TRACE_KIND:
        return "the guest may not write that kind";
    case TRACE_LONG:
        return "it is too long";
    case TRACE_SHAPE:
        return "its words do not fit its kind";
    default:
        return "nothing";
    }
}

/* What the guest may write. */
enum { MACHINE, GUEST, BOTH };
static const struct {
    unsigned by, least, words;
    unsigned counted; /* words of each in the tail; 0: it has none */
    unsigned count;   /* the word that says how many */
    bool rest;        /* or any number */
} shapes[REC_KINDS] = {
#define KIND(name, NAME, number, file, by_, least_, words_, later, part, what, \
             about)                                                            \
    [number].by = by_, [number].least = least_, [number].words = words_,
#define TAIL(form, name, each, count_, unit, meaning)                          \
    [RECORD_KIND_##form].counted = each,                                       \
    [RECORD_KIND_##form].count = RECORD_AT_##form##_##count_,
#define REST(form, name, unit, meaning) [RECORD_KIND_##form].rest = true,
#include "include/record.def"
};

/* Does the payload have the words that its kind promises? Words that may be
 * missing are the simulator's to add. */
static bool shape_fits(const struct trace_record *r)
{
    unsigned least = shapes[r->kind].least, each = shapes[r->kind].counted;

    if (r->count < least || shapes[r->kind].rest)
        return r->count >= least;
    if (each && least == shapes[r->kind].words)
        return (r->count - least) % each == 0 &&
               be_get32(r->words + 4 * (size_t)shapes[r->kind].count) ==
                   (r->count - least) / each;
    return r->count == least;
}

/* Marked as the guest's, where records of both are in one file? */
static bool is_marked(const struct trace_record *r)
{
    const uint8_t *flags = r->words + 4 * (size_t)RECORD_AT_sampled_flags;

    return r->kind != REC_SAMPLED || be_get32(flags) & SAMPLED_GUEST;
}

static enum trace_fault read_record(const struct trace *t, uint32_t pa,
                                    struct trace_record *r)
{
    uint32_t size = t->with.ram_size;
    const uint8_t *b;

    if (pa % 4 || pa >= size || size - pa < HEAD)
        return TRACE_WILD;
    b = t->with.ram + pa;
    r->kind = be_get32(b) >> 16;
    r->count = be_get32(b) & 0xFFFF;
    r->thread = be_get32(b + 4);
    r->words = b + HEAD;
    if (r->kind >= REC_KINDS || shapes[r->kind].by == MACHINE)
        return TRACE_KIND;
    if (r->count > REC_MAX_WORDS || r->count > (size - pa - HEAD) / 4)
        return TRACE_LONG;
    if (!shape_fits(r) || !is_marked(r))
        return TRACE_SHAPE;
    if (r->kind == REC_STATE)
        r->left = be_get32(r->words + 4 * (size_t)RECORD_AT_state_pc);
    else if (r->kind == REC_WAKE)
        r->left = be_get32(r->words + 4 * (size_t)RECORD_AT_wake_pc);
    if (r->kind == REC_PROGRAM) {
        r->file = be_get32(r->words + 4 * (size_t)RECORD_AT_program_at);
        r->size = be_get32(r->words + 4 * (size_t)RECORD_AT_program_size);
    }
    return TRACE_OK;
}

static void take(struct trace *t, uint32_t pa, unsigned cpu, uint64_t at)
{
    struct trace_record r = {.cpu = cpu, .at = at};
    enum trace_fault fault;

    if (!t->with.record)
        return;
    fault = read_record(t, pa, &r);
    if (fault == TRACE_OK) {
        t->with.record(t->with.arg, &r);
        return;
    }
    if (t->ignored++ > 0)
        return;
    t->fault = fault;
    t->fault_cpu = cpu;
    t->fault_at = at;
    t->fault_pa = pa;
}

/* The window's CPU and the register in it; false: no such CPU. */
static bool window(const struct trace *t, const struct io_access *a,
                   unsigned *cpu, uint32_t *reg)
{
    *cpu = a->offset / BOARD_TRACE_STRIDE;
    *reg = a->offset % BOARD_TRACE_STRIDE;
    return a->size == 4 && *cpu < t->with.cpus;
}

bool trace_load(void *trace, const struct io_access *a, uint32_t *value)
{
    struct trace *t = trace;
    unsigned cpu;
    uint32_t reg;

    if (!window(t, a, &cpu, &reg))
        return false;
    if (reg == TRACE_CONTEXT)
        *value = t->with.context(t->with.arg, cpu);
    else if (reg == TRACE_ENABLED)
        *value = t->with.record != NULL;
    else
        return false;
    return true;
}

bool trace_store(void *trace, const struct io_access *a, uint32_t value)
{
    struct trace *t = trace;
    unsigned cpu;
    uint32_t reg;

    if (!window(t, a, &cpu, &reg))
        return false;
    if (reg == TRACE_RECORD)
        take(t, value, cpu, a->at);
    else if (reg == TRACE_CONTEXT)
        t->with.set_context(t->with.arg, cpu, value);
    else
        return false;
    return true;
}

bool trace_state(struct snap *s, struct trace *t)
{
    snap_begin(s, "trace", 1);
    SNAP_SKIP(s, t->with, "wired by trace_init");
    SNAP(s, t->ignored);
    SNAP_BELOW(s, t->fault, TRACE_SHAPE + 1);
    SNAP(s, t->fault_cpu);
    SNAP(s, t->fault_at);
    SNAP(s, t->fault_pa);
    return snap_end(s);
}
