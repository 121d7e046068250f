/* spots.c - where threads that ran were: samples of cycles by their stacks, and
 * what records of wake-ups and of the ends of running say.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/causes/scene/build.h"
#include "tools/analysis/profile/samples.h"

static void add(struct scene *s, uint64_t cycle, uint32_t thread,
                uint32_t stack, bool sample)
{
    if (!stack || thread == SCENE_NONE)
        return;
    s->spot = grow(s->spot, &s->spots_room, s->spots + 1, sizeof *s->spot);
    s->spot[s->spots++] = (struct scene_spot){cycle, thread, stack, sample};
    s->samples |= sample;
}

/* No frame's number: callers of the outermost function in a space. */
#define ROOT_OF 0x80000000u

/* The number of a sample's stack, which gets frames behind those of records:
 * outermost first, each told by its caller and place. */
static uint32_t number_stack(struct scene *s, struct hash *at,
                             const struct record *k)
{
    const struct spaces *spaces = &s->r->map.spaces;
    uint32_t space = spaces_at(spaces, k->thread, k->cycle);
    struct record_tail pcs = record_frames(k);
    struct frames_place place = {.thread = space ? k->thread : 0,
                                 .cycle = k->cycle};
    uint32_t number = 0;

    for (uint32_t n = pcs.words; n--;) {
        uint32_t pc = record_tail_word(pcs, n);
        uint32_t *known;
        bool fresh;

        pc += n ? 0 : 4; /* the leaf's is where it stands */
        place.caller = number;
        place.pc = pc;
        known = hash_at(
            at, (uint64_t)(number ? number : ROOT_OF | space) << 32 | pc,
            &fresh);
        if (fresh)
            *known = frames_add(&s->frames, &place);
        number = *known;
    }
    return number;
}

/* A bound of the interval cuts stretches of running: where a thread was on one
 * side of it may be told by a sample on the other. */
static void reach_stretches(const struct scene *s, uint64_t *from, uint64_t *to)
{
    uint64_t first = *from, last = *to;

    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];

        if (!scene_runs(t))
            continue;
        if (t->since < *from && t->until >= *from && t->since < first)
            first = t->since;
        if (t->since < *to && t->until >= *to && t->until >= last)
            last = t->until + 1;
    }
    *from = first;
    *to = last;
}

static void read_samples(struct scene *s)
{
    uint64_t from = s->r->from, to = s->r->to, first = from, last = to;
    struct samples_metrics metrics;
    struct hash at = {0};
    struct record k;
    struct recfile f;

    if (s->r->windowed) {
        reach_stretches(s, &first, &last);
        recording_within(s->r, first, last);
    }
    samples_metrics_open(&metrics, s->r);
    if (recording_records(s->r, REC_PROFILE, &f)) {
        while (recfile_next(&f, &k))
            if (!samples_naps(s->r, &k) &&
                metrics.list[samples_metric_of(&metrics, &k)].cycles)
                add(s, k.cycle, scene_thread_of(s, k.thread),
                    number_stack(s, &at, &k), true);
        recording_done(s->r, &f);
    }
    recording_within(s->r, from, to);
    samples_metrics_free(&metrics);
    hash_free(&at);
}

static int by_thread(const void *a, const void *b)
{
    const struct scene_spot *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

void scene_read_spots(struct scene *s)
{
    if (s->stays)
        read_samples(s); /* where a thread was that has any */
    for (size_t n = 0; n < s->wakes; n++)
        if (s->wake[n].by == WAKE_BY_THREAD)
            add(s, s->wake[n].cycle, s->wake[n].waker, s->wake[n].stack, false);
    for (size_t n = 0; n < s->stays; n++)
        if (!scene_runs(&s->stay[n]))
            add(s, s->stay[n].from, s->stay[n].thread, s->stay[n].stack, false);
    if (s->spots)
        qsort(s->spot, s->spots, sizeof *s->spot, by_thread);
    for (size_t n = s->spots; n--;) {
        s->thread[s->spot[n].thread].spot = n;
        s->thread[s->spot[n].thread].spots++;
    }
}
