/* shadow_state.c - shadow storage and frames as saved state: lib/base/snap.h.
 * What a frame names outside itself - a block of the guest's memory, a mark of
 * the host's - is looked at before it is believed.
 */
#include "pmu/pif/shadow.h"

#include <stdlib.h>

#include "lib/base/snap.h"

bool shadow_source_state(struct snap *s, struct shadow_source *o)
{
    snap_begin(s, "source", 1);
    SNAP_SKIP(s, o->ram, "plugged in by pif_init");
    SNAP_SAME(s, o->ram_size);
    for (unsigned n = 0; n < PIF_SEGMENTS; n++) {
        struct shadow_segment *k = &o->segment[n];

        SNAP(s, k->base);
        SNAP(s, k->size);
        SNAP(s, k->table);
        SNAP(s, k->insn);
        SNAP(s, k->data);
    }
    SNAP_SKIP(s, o->marks, "plugged in by pif_host");
    SNAP_SKIP(s, o->view, "of programs inside, refused by host_unit_state");
    SNAP_SAME(s, o->block);
    SNAP_SAME(s, o->counter);
    return snap_end(s);
}

/* ---- one side ------------------------------------------------------------
 */

/* Counts of the frame can be written where it says. */
static void check_frame(struct snap *s, const struct shadow_source *o,
                        const struct shadow_frame *f)
{
    uint32_t size = SHADOW_FULL_BYTES(o->block);
    size_t marks = o->marks ? o->marks->count / (o->block / 4) : 0;

    if (f->format != SHADOW_FULL || s->way == SNAP_COVER)
        return;
    if (o->marks && f->mark >= marks)
        snap_refuse_value(s, "mark", f->mark, marks);
    if (!o->marks && (size > o->ram_size || f->block > o->ram_size - size))
        snap_refuse_value(s, "block", f->block, o->ram_size);
}

static void frame_state(struct snap *s, struct shadow_frame *f)
{
    SNAP(s, f->line);
    SNAP(s, f->context);
    SNAP_BELOW(s, f->format, SHADOW_FORMAT + 1);
    SNAP(s, f->block);
    SNAP(s, f->mark);
    SNAP_ARRAY(s, f->indicator);
    SNAP_ARRAY(s, f->limit);
    SNAP_ARRAY(s, f->base);
    SNAP_ARRAY(s, f->delta);
    SNAP_ARRAY(s, f->hits);
    SNAP_SKIP(s, f->older, "saved as the pool's order");
    SNAP_SKIP(s, f->newer, "saved as the pool's order");
}

/* Those that hold a block, each behind its number; then the number of none. */
static void frames_state(struct snap *s, struct shadow_side *k)
{
    for (unsigned n = 0;; n++) {
        while (s->way == SNAP_SAVE && n <= k->frames && !k->frame[n].line)
            n++;
        SNAP_BELOW(s, n, k->frames + 2);
        if (s->bad || n == k->frames + 1)
            return;
        frame_state(s, &k->frame[n]);
        check_frame(s, k->source, &k->frame[n]);
    }
}

static void stats_state(struct snap *s, struct shadow_stats *t)
{
    SNAP(s, t->lookups);
    SNAP(s, t->hits);
    SNAP(s, t->fills);
    SNAP(s, t->late);
    SNAP(s, t->fill_bytes);
    SNAP(s, t->writebacks);
    SNAP(s, t->writeback_bytes);
    SNAP(s, t->conflicts);
    SNAP(s, t->evictions);
}

bool shadow_state(struct snap *s, struct shadow_side *k)
{
    struct shadow_frame spare = {0};
    bool made = k->frame;

    snap_begin(s, "frames", 1);
    SNAP_OWNS(s, struct shadow_frame, &spare, 1);
    if (s->way == SNAP_COVER)
        frame_state(s, &spare);
    SNAP_SKIP(s, k->source, "plugged in when the frames are made");
    SNAP_SKIP(s, k->data, "which side it is");
    SNAP_SAME(s, k->frames);
    SNAP_SKIP(s, k->frame, "where the host has the frames");
    SNAP_SKIP(s, k->pool, "plugged in when the frames are made");
    SNAP(s, made);
    if (k->frame && !made)
        snap_refuse(s, "this machine looks up marks, the saved one did not");
    if (made && !k->frame && !s->bad)
        snap_refuse(s, "this machine has no frames for marks");
    if (made && !s->bad && s->way != SNAP_COVER)
        frames_state(s, k);
    stats_state(s, &k->stats);
    SNAP(s, k->counted_at);
    SNAP_SKIP(s, k->changes, "loading is one more");
    k->changes += snap_loading(s);
    return snap_end(s);
}

/* ---- the pool ------------------------------------------------------------
 */

/* Both sides' frames have one number each. */
static struct shadow_frame *frame_at(const struct shadow_pool *p, uint32_t n)
{
    unsigned first = p->side[0].frames + 1;

    return n < first ? &p->side[0].frame[n] : &p->side[1].frame[n - first];
}

static uint32_t number_of(const struct shadow_pool *p,
                          const struct shadow_frame *f)
{
    unsigned first = p->side[0].frames + 1;
    const struct shadow_side *data = &p->side[1];

    if (f >= data->frame && f <= data->frame + data->frames)
        return first + (uint32_t)(f - data->frame);
    return (uint32_t)(f - p->side[0].frame);
}

static void append(struct snap *s, struct shadow_pool *p, uint32_t n)
{
    struct shadow_frame *f = frame_at(p, n);

    if (f->older || f->newer || p->oldest == f) {
        snap_refuse(s, "frame %lu is in it twice: damaged", (unsigned long)n);
        return;
    }
    f->older = p->newest;
    *(f->older ? &f->older->newer : &p->oldest) = f;
    p->newest = f;
    p->used++;
}

bool shadow_pool_state(struct snap *s, struct shadow_pool *p)
{
    struct shadow_frame *f = p->oldest;
    uint32_t frames = p->side[0].frames + 1 + p->side[1].frames + 1;
    uint32_t used = p->used, n = 0;

    snap_begin(s, "pool", 1);
    SNAP_SAME(s, p->frames);
    SNAP_SKIP(s, p->used, "counted again");
    SNAP_SKIP(s, p->oldest, "saved as an order");
    SNAP_SKIP(s, p->newest, "saved as an order");
    SNAP_SKIP(s, p->side, "both sides of its unit");
    SNAP_BELOW(s, used, p->side[0].frame ? frames + 1 : 1);
    if (snap_loading(s)) {
        p->used = 0;
        p->oldest = p->newest = NULL;
    }
    for (uint32_t k = 0; !s->bad && k < used; k++) {
        if (s->way == SNAP_SAVE) {
            n = number_of(p, f);
            f = f->newer;
        }
        SNAP_BELOW(s, n, frames);
        if (snap_loading(s))
            append(s, p, n);
    }
    return snap_end(s);
}
