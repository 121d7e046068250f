/* branches.c - see branches.h. */
#include "pmu/pif/branches.h"

#include "lib/base/snap.h"

#include <string.h>

#include "include/mark_bits.h"
#include "pmu/pmu.h"

static void refresh(struct branches *b)
{
    b->on = b->there && b->control & BRC_ON && !(b->control & BRC_FR);
}

void branches_enable(struct branches *b, bool on)
{
    b->there = on;
    refresh(b);
}

static bool wanted(const struct branches *b, enum branch_kind kind, bool user)
{
    if (!(b->control & (user ? BRC_US : BRC_SU)))
        return false;
    switch (kind) {
    case BRANCH_JUMP:
        return !(b->control & BRC_NJ);
    case BRANCH_CALL:
        return !(b->control & BRC_NC);
    case BRANCH_RETURN:
        return !(b->control & BRC_NR);
    default:
        return b->control & BRC_EX;
    }
}

void branches_taken(struct branches *b, enum branch_kind kind, bool user,
                    uint32_t from, uint32_t to, bool mispredicted)
{
    if (!wanted(b, kind, user))
        return;
    b->newest = (b->newest + 1) % BRANCHES;
    b->entry[b->newest].from =
        from | (kind == BRANCH_EXCEPTION ? BRF_EXCEPTION : 0);
    b->entry[b->newest].to = to | (mispredicted ? BRT_MISPREDICTED : 0);
}

void branches_entered(struct branches *b, bool user, uint32_t from, uint32_t to)
{
    branches_taken(b, BRANCH_EXCEPTION, user, from, to, false);
    if (b->control & BRC_FZ)
        b->control |= BRC_FR;
    refresh(b);
}

static unsigned selected(const struct branches *b)
{
    return (b->newest - b->select) % BRANCHES;
}

uint32_t branches_read(const struct branches *b, unsigned spr)
{
    switch (spr) {
    case PMU_BRC:
        return b->control;
    case PMU_BRS:
        return b->select;
    case PMU_BRF:
        return b->entry[selected(b)].from;
    }
    return b->entry[selected(b)].to;
}

void branches_write(struct branches *b, unsigned spr, uint32_t value)
{
    if (spr == PMU_BRC) {
        if (value & BRC_CLEAR)
            memset(b->entry, 0, sizeof b->entry);
        b->control = value & BRC_BITS;
        refresh(b);
    } else if (spr == PMU_BRS) {
        b->select = value & (BRANCHES - 1);
    } else if (spr == PMU_BRF) {
        b->entry[selected(b)].from = value & ~2u;
    } else {
        b->entry[selected(b)].to = value & ~2u;
    }
}

bool branches_state(struct snap *s, struct branches *b)
{
    snap_begin(s, "branches", 1);
    SNAP(s, b->on);
    SNAP(s, b->there);
    SNAP(s, b->control);
    SNAP(s, b->select);
    SNAP_BELOW(s, b->newest, BRANCHES);
    for (unsigned n = 0; n < BRANCHES; n++) {
        SNAP(s, b->entry[n].from);
        SNAP(s, b->entry[n].to);
    }
    return snap_end(s);
}
