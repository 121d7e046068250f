/* branches.h - the branch record: the eight latest branches that were taken,
 * newest first. docs/pif.md, section 13.
 */
#ifndef PMU_PIF_BRANCHES_H
#define PMU_PIF_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#define BRANCHES 8 /* a power of two */

enum branch_kind { BRANCH_JUMP, BRANCH_CALL, BRANCH_RETURN, BRANCH_EXCEPTION };

struct branches {
    bool on;          /* it records, in some state of MSR */
    bool there;       /* HID0[PIFE] */
    uint32_t control; /* BRC */
    uint32_t select;  /* BRS */
    unsigned newest;
    struct {
        uint32_t from, to; /* as BRF and BRT have them */
    } entry[BRANCHES];
};

/* HID0[PIFE] changed. */
void branches_enable(struct branches *b, bool on);

/* Taken in the state that `user` says. Only while b->on. */
void branches_taken(struct branches *b, enum branch_kind kind, bool user,
                    uint32_t from, uint32_t to, bool mispredicted);
/* An exception was entered that came `from` there, in the state of then. */
void branches_entered(struct branches *b, bool user, uint32_t from,
                      uint32_t to);

/* Registers BRC to BRT. */
uint32_t branches_read(const struct branches *b, unsigned spr);
void branches_write(struct branches *b, unsigned spr, uint32_t value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool branches_state(struct snap *s, struct branches *b);

#endif
