/* stack.c - see stack.h. */
#include "tools/analysis/experiment/stack.h"

#define INSN 4 /* bytes of an instruction */

struct stack stack_of_record(const struct loadmap *m, const struct record *r)
{
    return stack_of_words(m, record_frames(r), r->cycle);
}

struct stack stack_of_words(const struct loadmap *m, struct record_tail pcs,
                            uint64_t cycle)
{
    return (struct stack){.map = m, .pcs = pcs, .cycle = cycle};
}

/* An address too low for that is damage, and stays. */
uint32_t stack_before(uint32_t pc)
{
    return pc >= INSN ? pc - INSN : pc;
}

bool stack_next(struct stack *s, struct stack_frame *f)
{
    if (s->next == s->pcs.words)
        return false;
    f->is = s->next ? STACK_BEHIND : STACK_LEAF;
    f->pc = record_tail_word(s->pcs, s->next++);
    f->at = f->is == STACK_BEHIND ? stack_before(f->pc) : f->pc;
    f->home = loadmap_home(s->map, f->at, s->cycle);
    return true;
}
