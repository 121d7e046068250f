/* trace_pif.c - records of marks that interrupted, of sampled instructions, and
 * of the branch record.
 */
#include "guest/prof/pif/pif.h"

/* An interrupting mark was met: where, how far it had counted, and the stack,
 * the next instruction first. */
void trace_trap(const struct cpu *c, uint32_t tid, uint32_t cause, uint32_t at,
                uint32_t data, uint32_t count, const uint32_t *pcs,
                unsigned depth)
{
    uint32_t r[TRACE_HEAD + TRAP_WORDS + STACK_DEPTH], *w = r + TRACE_HEAD;

    record_put_trap_cause(w, cause | TRAP_GUEST);
    record_put_trap_pc(w, at);
    record_put_trap_address(w, data);
    record_put_trap_count(w, count);
    record_put_trap_depth(w, depth);
    memcpy(record_tail_trap_stack(w), pcs, depth * 4);
    trace_put(c, r, REC_TRAP, tid, record_size_trap_stack(depth));
}

/* An instruction that was followed; w has SAMPLED_WORDS, with the depth. */
void trace_sampled(const struct cpu *c, const uint32_t *w, const uint32_t *pcs)
{
    uint32_t r[TRACE_HEAD + SAMPLED_WORDS + STACK_DEPTH];
    uint32_t depth = record_count_sampled_stack(w);

    memcpy(r + TRACE_HEAD, w, SAMPLED_WORDS * 4);
    memcpy(record_tail_sampled_stack(r + TRACE_HEAD), pcs, depth * 4);
    trace_put(c, r, REC_SAMPLED, current->tid,
              record_size_sampled_stack(depth));
}

/* The latest n branches when the thread was at pc; each from and to. */
void trace_branches(const struct cpu *c, uint32_t pc, uint32_t n,
                    const uint32_t *pairs)
{
    uint32_t r[TRACE_HEAD + BRANCHES_WORDS + 16], *w = r + TRACE_HEAD;

    record_put_branches_pc(w, pc);
    record_put_branches_count(w, n);
    memcpy(record_tail_branches_pair(w), pairs, 2 * n * 4);
    trace_put(c, r, REC_BRANCHES, current->tid, record_size_branches_pair(n));
}
