/* pif.h - the driver of the instrumentation facility (docs/pif.md), and what
 * runs on it: who offers what, by file. Hung up in the kernel by
 * guest/kernel/hook.h; samples by time come from guest/prof/idle/tprof.c.
 */
#ifndef GUEST_PROF_PIF_PIF_H
#define GUEST_PROF_PIF_PIF_H

#include "guest/kernel/hook.h"
#include "guest/prof/idle/idle.h"
#include "include/mark_bits.h"

#define SPR_PIFX 659 /* why vector 0x1500 was entered */

/* How marks profile the workload, in the order of their names (autopif.c). */
enum pif_use {
    PIF_OFF,
    PIF_AUTO,
    PIF_CLIMB,
    PIF_SCAN,
    PIF_MARK,
    PIF_SWEEP,
    PIF_OWN,
    PIF_INSNS,
    PIF_BRANCHES,
    PIF_TRAP,
    PIF_THREADS
};

/* What a scan marks at a time: so many of these, or a folder of guest/, or all
 * of the text. */
enum scan_group { SCAN_PAGES, SCAN_FUNCTIONS, SCAN_MODULES, SCAN_ALL };

/* What the boot line says of marks. */
struct pif_options {
    enum pif_use use;
    enum scan_group scan;
    uint32_t number; /* where, or how many; 0: not said */
    uint32_t limit;
};

/* Translation tables (docs/pif.md 3): of instructions, of data. */
struct shadow_tables {
    uint32_t *of[2];
};

/* autopif.c: profiling that runs itself, by marks. A use is false when a check
 * failed; so is a run of the workload. */
const struct pif_options *pif_options(void);
bool autopif_go(const struct options *o);
bool autopif_sampled(const struct options *o);
bool autopif_counted(const struct options *o);
uint32_t autopif_most(uint32_t (*of)(uint32_t), bool *taken);
uint32_t autopif_chosen(const struct options *o, bool *good);

/* branches.c: the branch record */
bool branches_run(const struct options *o);
void branches_control(void);

/* climb.c: who calls what is hot */
void climb_begin(uint32_t at);
void climb_mark(uint32_t round, uint32_t limit);
bool climb_collect(uint32_t round);
bool climb_graph(void);
uint32_t climb_captured(uint32_t at, uint32_t *interrupts);
uint32_t climb_trapped(void);

/* count_areas.c: accesses of data, counted in memory */
struct count_area {
    uint32_t start, bytes; /* the data */
    uint32_t granule;      /* bytes of it that share a count unit */
    uint32_t at, size;     /* the first unit, bytes of one */
};
bool count_areas_add(const struct count_area *a, uint32_t *number);
bool count_areas_any(void);
void count_areas_program(bool on);
uint32_t count_areas_units(const struct count_area *a);
uint32_t count_areas_read(const struct count_area *a, uint32_t unit);
uint32_t count_areas_lost(uint32_t number);

/* insn_sampling.c: sampled instructions */
bool insn_sampling_run(const struct options *o);
void insn_sampling_control(struct cpu *c);

/* perfinst.c: what the program itself wants marked */
bool perfinst_run(const struct options *o);

/* pif.c: the facility (docs/pif.md) */
bool pif_init(void);
void pif_say(void);
void pif_watch(bool on);
void pif_sync(void);
bool pif_is_text(uint32_t at);
bool pif_covers(uint32_t at);
bool pif_has(uint32_t at, bool data);
void pif_join(uint32_t at, bool data, uint32_t indicator, uint32_t limit);
uint32_t pif_read(uint32_t at, bool data);
void pif_mark(uint32_t at, uint32_t indicator, uint32_t limit);
void pif_mark_all(uint32_t from, uint32_t end, uint32_t indicator);
void pif_unmark(uint32_t from, uint32_t end);
uint32_t pif_count(uint32_t at);
uint32_t pif_take(uint32_t at);
void pif_counts(uint32_t from, uint32_t end, uint32_t *to);
uint32_t pif_hits(uint32_t at, bool data);
void pif_threshold(uint32_t cycles);
uint32_t pif_lost(void);
uint32_t pif_lost_all(void);
void pif_follow(bool on);

void pif_separate(uint32_t from, uint32_t end);
const struct shadow_tables *pif_own_tables(const struct thread *t);
uint32_t pif_own_count(const struct thread *t, unsigned n, uint32_t *weighed);

/* range.c: executions and entries of ranges */
bool range_add(uint32_t low, uint32_t high, bool data, unsigned *number);
bool range_any(bool data);
void range_program(bool on);
uint32_t range_executed(unsigned number);
uint32_t range_entries(unsigned number);

/* scan.c: all of the text, part after part */
bool scan_parse(struct pif_options *o, char *group);
bool scan_run(const struct options *o);

/* sweep.c: how long accesses take */
bool sweep_run(const struct options *o);

/* trace_pif.c: records for the experiment */
void trace_trap(const struct cpu *c, uint32_t cause, uint32_t at, uint32_t data,
                uint32_t count, const uint32_t *pcs, unsigned depth);
void trace_sampled(const struct cpu *c, const uint32_t *w, const uint32_t *pcs);
void trace_branches(const struct cpu *c, uint32_t pc, uint32_t n,
                    const uint32_t *pairs);

#endif
