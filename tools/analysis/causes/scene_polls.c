/* scene_polls.c - sleeps that were asked for again and again, until another
 * thread had written a word; see scene.h.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/causes/scene_build.h"

#define TURN 64 /* cycles by which clocks of two CPUs may differ */

static uint64_t before(const struct record *k, uint32_t cycles)
{
    return cycles < k->cycle ? k->cycle - cycles : 0;
}

static int by_thread(const void *a, const void *b)
{
    const struct scene_poll *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->since < y->since ? -1 : x->since > y->since;
}

/* The sleeps of a thread from when it asked for the first one on. */
static void match(struct scene *s, uint32_t poll)
{
    struct scene_poll *p = &s->poll[poll];
    const struct scene_thread *who = &s->thread[p->thread];
    size_t end = who->first + who->stays;
    size_t n =
        SEARCH_FIRST(who->first, end, i, s->stay[i].from + TURN >= p->since);

    p->stay = SCENE_NONE;
    for (; n < end && s->stay[n].to <= p->ended + TURN; n++) {
        if (s->stay[n].state != STATE_TIMER)
            continue;
        s->stay[n].poll = poll;
        if (p->stay == SCENE_NONE)
            p->stay = (uint32_t)n;
        p->stays = (uint32_t)n + 1 - p->stay;
    }
}

void scene_read_polls(struct scene *s)
{
    struct record k;
    struct recfile file;

    if (!recording_records(s->r, REC_POLL, &file))
        return;
    while (recfile_next(&file, &k)) {
        struct scene_poll p = {
            .since = before(&k, record_get_poll_since(&k)),
            .ended = before(&k, record_get_poll_ended(&k)),
            .written = before(&k, record_get_poll_written(&k)),
            .thread = scene_thread_of(s, k.thread),
            .writer = scene_thread_of(s, record_get_poll_writer(&k)),
            .object = record_get_poll_object(&k)};

        if (p.thread == SCENE_NONE || p.writer == SCENE_NONE ||
            p.writer == p.thread || p.since > p.written || p.written > p.ended)
            continue;
        s->poll = grow(s->poll, &s->polls_room, s->polls + 1, sizeof *s->poll);
        s->poll[s->polls++] = p;
    }
    recording_done(s->r, &file);
    if (s->polls)
        qsort(s->poll, s->polls, sizeof *s->poll, by_thread);
    for (uint32_t n = 0; n < s->polls; n++)
        match(s, n);
}
