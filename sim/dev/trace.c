/* trace.c - the trace port: checks a guest record and passes it on.
 * Where records go is its owner's business.
 */
#include <stddef.h>

#include "include/record.h"
#include "include/board.h"
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

static uint32_t word_at(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

/* Does the payload have the words that its kind promises? */
static bool shape_fits(const struct trace_record *r)
{
    switch (r->kind) {
    case REC_IDLE:
        return r->count >= IDLE_WORDS &&
               word_at(r->words + 16) == r->count - IDLE_WORDS;
    case REC_SWITCH:
        return r->count == SWITCH_WORDS;
    case REC_THREAD:
        return r->count >= 2;
    case REC_TRAP:
        return r->count >= TRAP_WORDS &&
               word_at(r->words + 20) == r->count - TRAP_WORDS;
    case REC_SAMPLED:
        return r->count >= SAMPLED_WORDS &&
               word_at(r->words + 40) == r->count - SAMPLED_WORDS &&
               word_at(r->words) & SAMPLED_GUEST;
    case REC_BRANCHES:
        return r->count >= BRANCHES_WORDS &&
               word_at(r->words + 4) == (r->count - BRANCHES_WORDS) / 2;
    case REC_UNSAMPLED:
        return r->count == UNSAMPLED_WORDS;
    default:
        return r->count == 3; /* REC_STAT */
    }
}

static enum trace_fault read_record(const struct trace *t, uint32_t pa,
                                    struct trace_record *r)
{
    uint32_t size = t->with.ram_size;
    const uint8_t *b;

    if (pa % 4 || pa >= size || size - pa < HEAD)
        return TRACE_WILD;
    b = t->with.ram + pa;
    r->kind = word_at(b) >> 16;
    r->count = word_at(b) & 0xFFFF;
    r->thread = word_at(b + 4);
    r->words = b + HEAD;
    if (r->kind == 0 || (r->kind > REC_GUEST_MAX && r->kind != REC_TRAP &&
                         r->kind != REC_SAMPLED && r->kind != REC_BRANCHES &&
                         r->kind != REC_UNSAMPLED))
        return TRACE_KIND;
    if (r->count > REC_MAX_WORDS || r->count > (size - pa - HEAD) / 4)
        return TRACE_LONG;
    return shape_fits(r) ? TRACE_OK : TRACE_SHAPE;
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
