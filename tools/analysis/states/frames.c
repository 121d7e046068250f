/* frames.c - see frames.h. */
#include "tools/analysis/states/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/experiment/stack.h"

#define ADDRESS 16 /* bytes */

uint32_t frames_add(struct frames *f, const struct frames_place *place)
{
    size_t number = f->count ? f->count : 1;

    f->place = grow(f->place, &f->room, number + 1, sizeof *f->place);
    if (!f->count)
        f->place[0] = (struct frames_place){.pc = 0};
    f->count = number + 1;
    f->place[number] = *place;
    return (uint32_t)number;
}

uint64_t frames_whose(const struct frames_place *p, struct loadmap *m,
                      uint64_t cycle)
{
    if (!p->thread)
        return cycle;
    loadmap_thread(m, p->thread);
    return p->cycle;
}

/* A number higher than that of a place behind all before it is damage; so is a
 * caller that is not one of those. */
static void take(struct frames *f, const struct record *k)
{
    struct frames_place place = {record_get_frame_caller(k),
                                 record_get_frame_pc(k), k->thread, k->cycle};

    if (place.caller >= record_get_frame_number(k))
        place.caller = 0;
    if (record_get_frame_number(k) == (f->count ? f->count : 1))
        frames_add(f, &place);
}

void frames_read(struct frames *f, struct recording *r)
{
    struct record k;
    struct recfile file;

    *f = (struct frames){.count = 0};
    if (!recording_records(r, REC_FRAME, &file))
        return;
    while (recfile_next(&file, &k))
        take(f, &k);
    recording_done(r, &file);
}

void frames_free(struct frames *f)
{
    free(f->place);
    *f = (struct frames){.count = 0};
}

const struct frames_place *frames_at(const struct frames *f, uint32_t number)
{
    return number && number < f->count ? &f->place[number] : NULL;
}

char *frames_text(const struct frames *f, struct recording *r, uint32_t number,
                  uint64_t cycle, unsigned most)
{
    const struct frames_place *p;
    size_t used = 0, room = 0;
    char *out = grow(NULL, &room, 1, 1);

    for (unsigned n = 0; !most || n < most; n++) {
        uint32_t thread = r->map.thread;
        char pc[ADDRESS];
        const char *name = pc, *before = n ? " < " : "";
        struct place at;

        p = frames_at(f, number);
        if (!p)
            break;
        at = loadmap_find(&r->map, stack_before(p->pc),
                          frames_whose(p, &r->map, cycle));
        loadmap_thread(&r->map, thread);
        snprintf(pc, sizeof pc, "0x%08" PRIx32, p->pc);
        if (at.function != LOADMAP_UNKNOWN)
            name = loadmap_name(&r->map, at.function);
        out = grow(out, &room, used + strlen(before) + strlen(name) + 1, 1);
        used += (size_t)sprintf(out + used, "%s%s", before, name);
        number = p->caller;
    }
    return out;
}
