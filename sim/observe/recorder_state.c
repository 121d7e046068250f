/* recorder_state.c - recorders as saved state: lib/base/snap.h. The experiment
 * is the host's: one that goes on elsewhere begins behind the point.
 */
#include "lib/base/snap.h"
#include "sim/observe/recorder.h"

/* The host's marks, whatever carries them. */
static uint64_t marks_sum(const struct recorder *r)
{
    const struct perfinst_marks *on = r->with.marks;
    uint64_t sum = 0;

    for (size_t k = 0; on && k < on->words; k++) {
        const struct perfinst_word *w = &on->word[k];
        uint32_t of[] = {w->address, w->indicator, w->limit, w->data};

        sum = pack_sum(sum, of, sizeof of);
    }
    for (unsigned k = 0; on && k < on->ranges; k++) {
        const struct perfinst_range *g = &on->range[k];
        uint32_t of[] = {g->low, g->high, g->data};

        sum = pack_sum(sum, of, sizeof of);
    }
    return sum;
}

static bool rest_state(struct snap *s, struct recorder_rest *r)
{
    snap_begin(s, "rest", 1);
    SNAP(s, r->context);
    SNAP_ARRAY(s, r->pc);
    SNAP_BELOW(s, r->n, WALK_MOST + 1);
    SNAP(s, r->truncated);
    return snap_end(s);
}

static void setup_state(struct snap *s, const struct recorder *r)
{
    const struct recorder_setup *k = &r->with;
    uint64_t marks = marks_sum(r), here = marks;
    uint32_t period = k->sample_insns, states = k->sample_states;
    bool stacks = k->switch_stacks;
    uint32_t idle = k->idle.period;
    bool kinds[] = {k->idle.to, k->idle.from, k->idle.once, k->idle.daemons};

    if (k->autoprofile && k->autoprofile->kind != AUTOPROFILE_OFF &&
        s->way != SNAP_COVER)
        snap_refuse(s, "--autoprofile runs a program several times and cannot "
                       "be saved in between");
    SNAP(s, marks);
    if (marks != here)
        snap_refuse(s, "there were other marks or ranges of the host");
    SNAP_SAME(s, period);
    SNAP_SAME(s, states);
    SNAP_SAME(s, stacks);
    SNAP_SAME(s, idle);
    for (unsigned n = 0; n < sizeof kinds / sizeof *kinds; n++)
        SNAP_SAME(s, kinds[n]);
}

bool recorder_state(struct snap *s, struct recorder *r)
{
    snap_begin(s, "recorder", 3);
    SNAP_OWNS(s, struct recorder, r, 1);
    SNAP_SKIP(s, r->with, "compared");
    SNAP_SKIP(s, r->machine, "plugged in by recorder_open");
    SNAP_SKIP(s, r->observer, "made by recorder_open");
    SNAP_SKIP(s, r->pif_counts, "reads what others keep");
    SNAP_SKIP(s, r->programs, "names alone, of those that begin later");
    SNAP_SKIP(s, r->missing, "for a person");
    SNAP_SKIP(s, r->monitored, "another experiment says it anew");
    SNAP_SKIP(s, r->stack_numbers, "another experiment begins without any");
    setup_state(s, r);
    account_state(s, &r->account);
    host_unit_state(s, &r->host_unit);
    SNAP_SKIP(s, r->running, "of a supervisor, whose state is not saved");
    idle_samples_state(s, &r->idle);
    SNAP_SKIP(s, r->lock_record, "another experiment begins in between");
    SNAP_SKIP(s, r->poll_record, "another experiment begins in between");
    SNAP_SKIP(s, r->flag_record, "another experiment begins in between");
    tasks_state(s, &r->tasks);
    for (unsigned n = 0; n < MACHINE_CPUS; n++)
        rest_state(s, &r->rest[n]);
    return snap_end(s);
}
