/* lives.c - see lives.h. */
#include "tools/analysis/experiment/lives.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/record.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"

static bool is_meant(const struct thread *t, const char *name)
{
    uint64_t pid;

    return threads_called(t->name, name) ||
           (text_number(name, &pid) && pid == t->pid);
}

/* When each thread of the list ends by the context switches: put into `ends`,
 * where UINT64_MAX is. */
static void read_ends(struct recording *r, uint64_t *ends)
{
    struct record record;
    struct recfile f;

    /* A program without a kernel switches nothing. */
    if (faccessat(r->dir, recfile_name(REC_SWITCH), F_OK, 0) ||
        !recording_records(r, REC_SWITCH, &f))
        return;
    while (recfile_next(&f, &record)) {
        const struct thread *t =
            record_get_switch_out_state(&record) == THREAD_STATE_DEAD
                ? threads_find(&r->threads,
                               record_get_switch_out_thread(&record),
                               record.cycle)
                : NULL;

        if (t && record.cycle < ends[t - r->threads.list])
            ends[t - r->threads.list] = record.cycle;
    }
    recording_done(r, &f);
}

bool lives_find(struct recording *r, const char *name, struct life *life)
{
    const struct threads *all = &r->threads;
    uint64_t *ends = grow_zero(all->count + 1, sizeof *ends);
    bool found = false;

    for (size_t i = 0; i < all->count; i++)
        ends[i] = i + 1 < all->count && all->list[i + 1].id == all->list[i].id
                      ? all->list[i + 1].from
                      : UINT64_MAX;
    read_ends(r, ends);
    for (size_t i = 0; i < all->count; i++) {
        const struct thread *t = &all->list[i];

        if (!is_meant(t, name))
            continue;
        if (!found || t->from < life->from)
            life->from = t->from;
        if (!found || ends[i] > life->to)
            life->to = ends[i];
        found = true;
    }
    free(ends);
    return found;
}
