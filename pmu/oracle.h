/* oracle.h - where every cycle of one CPU went, exactly.
 *
 * Cycles are accounted in twelfths, so that one to four instructions can
 * share one without rounding. The key is (context, pc, reason). The sum over
 * all keys is 12 x the cycles from power-on to the last settlement; a test
 * and every run hold it to that.
 */
#ifndef PMU_ORACLE_H
#define PMU_ORACLE_H

#include <stdint.h>

#include "pmu/event/signal.h"

#define ORACLE_UNIT 12u

enum reason {
#define REASON(name, text) REASON_##name,
#include "pmu/stalls.def"
#undef REASON
    REASON_COUNT
};

struct oracle; /* one per CPU */

struct oracle *oracle_new(void);
void oracle_free(struct oracle *o);

/* Add `twelfths` to (context, pc, reason). The hot call: constant time. */
void oracle_add(struct oracle *o, uint32_t context, uint32_t pc,
                enum reason reason, uint64_t twelfths);

/* The same to each of `length` instructions, one behind the other from pc
 * on. */
void oracle_add_run(struct oracle *o, uint32_t context, uint32_t pc,
                    uint32_t length, enum reason reason, uint64_t each);

/* From now on all that is added bears `reason`, but for `off`, `nap` and
 * `system`: the processor does not say why. REASON_COUNT: what it says. */
void oracle_as(struct oracle *o, enum reason reason);

/* Everything added since power-on. */
uint64_t oracle_total(const struct oracle *o);

/* Before the first cycle: from now on, whenever the account holds a further
 * `cycles` cycles and not a twelfth more, `full` is called with the cycle that
 * they end at: it may drain. What is added across an end is divided there.
 * Adds must come in the order of time then, as they do on a processor. */
void oracle_cut(struct oracle *o, uint64_t cycles,
                void (*full)(void *arg, uint64_t end), void *arg);

/* The end of the interval that is not full yet; UINT64_MAX: of no such. */
uint64_t oracle_edge(const struct oracle *o);

/* Let oracle_look see what is drained from here on, too; for a debugger. Costs
 * memory: a second account. */
void oracle_keep(struct oracle *o);

/* Visit the rows added since the last drain, in ascending (context, pc,
 * reason), then forget them (totals stay). For the experiment writer. */
void oracle_drain(struct oracle *o,
                  void (*row)(void *arg, uint32_t context, uint32_t pc,
                              enum reason reason, uint64_t twelfths),
                  void *arg);

/* Visit the rows of one pc added since the last drain, or since oracle_keep,
 * by context and reason. Changes nothing. */
void oracle_look(const struct oracle *o, uint32_t pc,
                 void (*row)(void *arg, uint32_t context, uint32_t pc,
                             enum reason reason, uint64_t twelfths),
                 void *arg);

const char *reason_name(enum reason r);
const char *reason_text(enum reason r);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool oracle_state(struct snap *s, struct oracle *o);

#endif
