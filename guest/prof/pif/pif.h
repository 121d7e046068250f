/* pif.h - the driver of the instrumentation facility (docs/pif.md), and what
 * runs on it: who offers what, by file. Hung up in the kernel by
 * guest/kernel/hook.h; samples by time come from guest/prof/idle/tprof.c.
 */
#ifndef GUEST_PROF_PIF_PIF_H
#define GUEST_PROF_PIF_PIF_H

#include "guest/kernel/hook.h"
#include "guest/prof/idle/idle.h"
#include "include/mark_bits.h"

#define SPR_HID0 1008
#define SPR_PIFM 656
#define SPR_PIFC 657
#define SPR_PIFX 659 /* why vector 0x1500 was entered */
#define SPR_PIFSEG 667
#define SPR_PIFSB 668
#define SPR_PIFSZ 669
#define SPR_PIFST 670
#define HID0_PIFE 0x00080000u

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

/* Words are 32 bits, at a multiple of 4; ranges go from `from` to before `end`.
 * What is "of all processors" is so after pif_sync, or while lookups are off. A
 * _run is one of the boot line's uses: it runs the workload as often as it
 * needs and prints what it found; false: a check of it, or a run of the
 * workload, failed. A _control sets this processor's registers as they are
 * wanted now, with interrupts off.
 */

/* ---- autopif.c: profiling that runs itself, by marks --------------------- */

const struct pif_options *pif_options(void);
/* One run of the workload: as it is, with samples by time, or with marks looked
 * up and then pif_sync. False: the run found a fault. */
bool autopif_go(const struct options *o);
bool autopif_sampled(const struct options *o);
bool autopif_counted(const struct options *o);
/* The function (function_index) with most of what `of` says, of those that are
 * not taken yet; it is taken then. 0: none has any. */
uint32_t autopif_most(uint32_t (*of)(uint32_t), bool *taken);
/* An address in the function that the boot line names; else, after a run, in
 * the one with most samples, or 0. *good: that run was. */
uint32_t autopif_chosen(const struct options *o, bool *good);

/* ---- branches.c: the branch record --------------------------------------- */

bool branches_run(const struct options *o);
void branches_control(void);

/* ---- climb.c: who calls what is hot -------------------------------------- */

/* Begin at the function that is at `at`. */
void climb_begin(uint32_t at);
/* Mark what is watched in this round (from 1); it interrupts at `limit`. */
void climb_mark(uint32_t round, uint32_t limit);
/* The round is over: take its counts, find what the next one watches. False:
 * nothing, the callers are known up to the root. */
bool climb_collect(uint32_t round);
/* Print the calls that were climbed over, and how often each was executed.
 * False: there were more than are kept. */
bool climb_graph(void);
/* What the interrupts at `at` took of its count, and how many they were. */
uint32_t climb_captured(uint32_t at, uint32_t *interrupts);
/* Interrupts of marks, of all processors. */
uint32_t climb_trapped(void);

/* ---- count_areas.c: accesses of data, counted in memory ------------------ */

struct count_area {
    uint32_t start, bytes; /* the data */
    uint32_t granule;      /* bytes of it that share a count unit */
    uint32_t at, size;     /* the first unit, bytes of one */
};
/* Copy a; *number is its place among them. False: all are in use. */
bool count_areas_add(const struct count_area *a, uint32_t *number);
bool count_areas_any(void);
/* Set this processor's registers, on or off. Lookups are off meanwhile. */
void count_areas_program(bool on);
/* How many units there are, and the value of one. */
uint32_t count_areas_units(const struct count_area *a);
uint32_t count_areas_read(const struct count_area *a, uint32_t unit);
/* Accesses that were not counted, of all processors. */
uint32_t count_areas_lost(uint32_t number);

/* ---- insn_sampling.c: sampled instructions ------------------------------- */

bool insn_sampling_run(const struct options *o);
void insn_sampling_control(struct cpu *c);

/* ---- perfinst.c: what the program itself wants marked -------------------- */

bool perfinst_run(const struct options *o);

/* ---- pif.c: the facility (docs/pif.md) ----------------------------------- */

/* Once, before anything is marked. False: this processor has no facility. */
bool pif_init(void);
/* Print how shadow storage is laid out here. */
void pif_say(void);
/* Look up marks on all processors, or no longer. */
void pif_watch(bool on);
/* From here on what was marked holds on all processors, and counts are those of
 * all. */
void pif_sync(void);
/* Is the address in the text; can its word be marked, as what it is, or as an
 * instruction or data? */
bool pif_is_text(uint32_t at);
bool pif_covers(uint32_t at);
bool pif_has(uint32_t at, bool data);
/* Mark a word in addition to what it has, which keeps its counts. */
void pif_join(uint32_t at, bool data, uint32_t indicator, uint32_t limit);
/* Executions or accesses counted; as pif_count with text or data told apart. */
uint32_t pif_read(uint32_t at, bool data);
/* Mark a word anew (IND_...; limit 0: none): its count begins at 0. It holds
 * everywhere after pif_sync. */
void pif_mark(uint32_t at, uint32_t indicator, uint32_t limit);
/* Mark every word of a range; drop the marks, the counts stay readable. Both
 * sync. */
void pif_mark_all(uint32_t from, uint32_t end, uint32_t indicator);
void pif_unmark(uint32_t from, uint32_t end);
/* A word's count; the same, which is 0 from then on; those of all words of a
 * range of text to to[]; how often its threshold was exceeded. */
uint32_t pif_count(uint32_t at);
uint32_t pif_take(uint32_t at);
/* The same of a word in memory that is told apart, whosoever's it is. */
uint32_t pif_clear(uint32_t at, bool data);
void pif_counts(uint32_t from, uint32_t end, uint32_t *to);
uint32_t pif_hits(uint32_t at, bool data);
/* From the next pif_watch on IND_TH0 means: the instruction's data access took
 * more than so many cycles. */
void pif_threshold(uint32_t cycles);
/* Interrupts that this processor could not take; that all could not, as each
 * had it when it was last told to change. */
uint32_t pif_lost(void);
uint32_t pif_lost_all(void);
/* Follow instructions, or record branches, without marks; or no longer. */
void pif_follow(bool on);

/* From now on each thread counts for itself, in tables of its own: executions
 * of the text, accesses of the data of the range. Threads that are there share
 * one pair. */
void pif_separate(uint32_t from, uint32_t end);
/* Where t's tables are; NULL: of the threads that share one pair. */
const struct shadow_tables *pif_own_tables(const struct thread *t);
/* All that t's table n (0 text, 1 data) has counted, and *weighed, the sum of
 * each count times the number of its word. */
uint32_t pif_own_count(const struct thread *t, unsigned n, uint32_t *weighed);

/* ---- range.c: executions and entries of ranges --------------------------- */

/* Count low to before high; *number is its place. False: all are in use. */
bool range_add(uint32_t low, uint32_t high, bool data, unsigned *number);
/* Is there one of instructions, or of data? */
bool range_any(bool data);
/* Set this processor's registers, or add up what they have. Lookups are off. */
void range_program(bool on);
/* Of all processors. */
uint32_t range_executed(unsigned number);
uint32_t range_entries(unsigned number);

/* ---- scan.c: all of the text, part after part ---------------------------- */

/* The boot line's PAGES, func, func:COUNT, module or all; NULL: a page. False:
 * it is none of them. */
bool scan_parse(struct pif_options *o, char *group);
bool scan_run(const struct options *o);

/* ---- sweep.c: how long accesses take ------------------------------------- */

bool sweep_run(const struct options *o);

/* ---- trace_pif.c: records for the experiment (docs/experiment.md) -------- */

/* TRAP: a mark at `at` interrupted c, of thread tid, with its cause (PIFX), the
 * data address or 0, how far it had counted, and the stack, the next
 * instruction first. */
void trace_trap(const struct cpu *c, uint32_t tid, uint32_t cause, uint32_t at,
                uint32_t data, uint32_t count, const uint32_t *pcs,
                unsigned depth);
/* SAMPLED: w has the SAMPLED_WORDS of the record, the depth of pcs among them.
 */
void trace_sampled(const struct cpu *c, const uint32_t *w, const uint32_t *pcs);
/* BRANCHES: the latest n branches of the thread at pc, each from and to. */
void trace_branches(const struct cpu *c, uint32_t pc, uint32_t n,
                    const uint32_t *pairs);

#endif
