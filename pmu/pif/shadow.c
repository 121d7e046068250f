/* shadow.c - frames, fills and write-backs. See shadow.h and docs/pif.md.
 */
#include "lib/base/big_endian.h"
#include "pmu/pif/shadow.h"

#include <stdlib.h>
#include <string.h>

#define BITS_BYTES 32u /* of memory that a byte of bits is for */

/* ---- big-endian words of the guest's memory ------------------------------ */

static bool inside(const struct shadow_source *o, uint32_t at, uint32_t size)
{
    return size <= o->ram_size && at <= o->ram_size - size;
}

static uint32_t get(const struct shadow_source *o, uint32_t at)
{
    return be_get32(o->ram + at);
}

static void put(const struct shadow_source *o, uint32_t at, uint32_t v)
{
    be_put32(o->ram + at, v);
}

/* ---- from an address to its shadow block --------------------------------- */

/* The entry of the translation table; 0: not registered, or not in memory. */
static uint32_t table_entry(const struct shadow_source *o, bool data,
                            uint32_t pa)
{
    for (unsigned n = 0; n < PIF_SEGMENTS; n++) {
        const struct shadow_segment *s = &o->segment[n];
        uint32_t at = s->table + (pa - s->base) / o->block * 4;

        if (pa - s->base >= s->size || !(data ? s->data : s->insn))
            continue;
        return inside(o, at, 4) ? get(o, at) : 0;
    }
    return 0;
}

/* Address and format of the block's shadow; NONE where there is none, or one
 * that is not in memory or not of this block. */
static unsigned locate(const struct shadow_source *o, bool data, uint32_t pa,
                       uint32_t *block)
{
    uint32_t entry = table_entry(o, data, pa);
    unsigned format = entry & SHADOW_FORMAT;

    *block = entry & ~(uint32_t)SHADOW_FORMAT;
    switch (format) {
    case SHADOW_WORDS:
        return inside(o, *block, o->block) ? format : SHADOW_NONE;
    case SHADOW_FULL:
        if (!inside(o, *block, SHADOW_FULL_BYTES(o->block)) ||
            get(o, *block + SHADOW_TAG) != shadow_line(o, pa))
            return SHADOW_NONE;
        return format;
    case SHADOW_BITS:
        return inside(o, *block, 4) ? format : SHADOW_NONE;
    }
    return SHADOW_NONE;
}

/* ---- life ---------------------------------------------------------------- */

bool shadow_init(struct shadow_side *s, struct shadow_source *source, bool data,
                 unsigned frames, struct shadow_pool *pool)
{
    memset(s, 0, sizeof *s);
    s->source = source;
    s->data = data;
    s->frames = frames;
    s->pool = pool;
    s->frame = calloc(frames + 1, sizeof *s->frame);
    return s->frame != NULL;
}

void shadow_free(struct shadow_side *s)
{
    free(s->frame);
    s->frame = NULL;
}

unsigned shadow_frames(const struct shadow_side *s)
{
    return s->pool->frames ? s->pool->frames : s->frames;
}

/* Of a word the indicator; limit, count in storage and difference, as wide as
 * counters are; and hits. Of a frame the context, address and format of its
 * block, and a tag when it does not stand beside a line. */
uint64_t shadow_bits(const struct shadow_side *s)
{
    const struct shadow_source *o = s->source;
    unsigned counter = (unsigned)__builtin_popcount(o->counter);
    unsigned word = __builtin_popcount(IND_ALL) + 3 * counter + 32;

    return (uint64_t)shadow_frames(s) *
           (o->block / 4 * word + 32 + 32 + (s->pool->frames ? 32 : 0));
}

/* ---- write-backs --------------------------------------------------------- */

void shadow_settle_word(struct shadow_side *s, struct shadow_frame *f,
                        unsigned w)
{
    const struct shadow_source *o = s->source;

    if (!f->delta[w] && !f->hits[w])
        return;
    if (o->marks) {
        struct host_mark *k = host_marks_at(o->marks, f->mark) + w;

        k->count += f->delta[w];
        if (~o->counter)
            k->count &= o->counter;
        k->hits += f->hits[w];
        f->base[w] = (uint32_t)k->count;
    } else {
        uint32_t at = f->block + SHADOW_ENTRY + 16 * w;

        f->base[w] = (get(o, at + 4) + f->delta[w]) & o->counter;
        put(o, at + 4, f->base[w]);
        put(o, at + 12, get(o, at + 12) + f->hits[w]);
    }
    f->delta[w] = f->hits[w] = 0;
    s->stats.writeback_bytes += 8;
}

static void settle(struct shadow_side *s, struct shadow_frame *f)
{
    uint64_t bytes = s->stats.writeback_bytes;

    if (f->format != SHADOW_FULL)
        return;
    for (unsigned w = 0; w < s->source->block / 4; w++)
        shadow_settle_word(s, f, w);
    s->stats.writebacks += s->stats.writeback_bytes != bytes;
}

/* ---- the pool ------------------------------------------------------------ */

static void leave(struct shadow_pool *p, struct shadow_frame *f)
{
    if (!f->older && !f->newer && p->oldest != f)
        return;
    *(f->older ? &f->older->newer : &p->oldest) = f->newer;
    *(f->newer ? &f->newer->older : &p->newest) = f->older;
    f->older = f->newer = NULL;
    p->used--;
}

static void join(struct shadow_pool *p, struct shadow_frame *f)
{
    f->older = p->newest;
    *(f->older ? &f->older->newer : &p->oldest) = f;
    p->newest = f;
    p->used++;
}

static void empty(struct shadow_side *s, struct shadow_frame *f)
{
    if (!f->line)
        return;
    settle(s, f);
    leave(s->pool, f);
    memset(f, 0, sizeof *f);
    s->changes++;
}

/* Whose frame is it? */
static struct shadow_side *side_of(const struct shadow_pool *p,
                                   const struct shadow_frame *f)
{
    struct shadow_side *data = &p->side[1];

    return f >= data->frame && f <= data->frame + data->frames ? data
                                                               : &p->side[0];
}

/* f was used: something else may have to go. */
static void use(struct shadow_pool *p, struct shadow_frame *f)
{
    if (!p->frames || f->format == SHADOW_NONE)
        return;
    leave(p, f);
    if (p->used == p->frames) {
        struct shadow_side *s = side_of(p, p->oldest);

        s->stats.evictions++;
        empty(s, p->oldest);
    }
    join(p, f);
}

/* ---- fills --------------------------------------------------------------- */

static uint32_t fill_words(const struct shadow_source *o,
                           struct shadow_frame *f)
{
    for (unsigned w = 0; w < o->block / 4; w++)
        f->indicator[w] = get(o, f->block + 4 * w);
    return o->block;
}

static uint32_t fill_full(const struct shadow_source *o, struct shadow_frame *f)
{
    uint32_t all = get(o, f->block + SHADOW_ALL);

    f->context = get(o, f->block + SHADOW_CONTEXT);
    for (unsigned w = 0; w < o->block / 4; w++) {
        uint32_t at = f->block + SHADOW_ENTRY + 16 * w;

        f->indicator[w] =
            all | get(o, f->block + SHADOW_GROUP + w / 4 * 4) | get(o, at);
        f->base[w] = get(o, at + 4);
        f->limit[w] = get(o, at + 8);
    }
    return SHADOW_FULL_BYTES(o->block);
}

static uint32_t fill_bits(const struct shadow_source *o, struct shadow_frame *f)
{
    uint32_t line = f->line & ~1u;
    const uint8_t *bits = o->ram + f->block + line / BITS_BYTES % 4;

    for (unsigned w = 0; w < o->block / 4; w++)
        f->indicator[w] = bits[w / 8] >> (7 - w % 8) & 1 ? IND_PMU : 0;
    return o->block / BITS_BYTES;
}

static void fill_guest(struct shadow_side *s, struct shadow_frame *f)
{
    const struct shadow_source *o = s->source;

    f->format = (uint8_t)locate(o, s->data, f->line & ~1u, &f->block);
    if (f->format == SHADOW_NONE)
        return;
    s->stats.fills++;
    s->stats.fill_bytes += 4; /* the table's entry */
    s->stats.fill_bytes += f->format == SHADOW_FULL   ? fill_full(o, f)
                           : f->format == SHADOW_BITS ? fill_bits(o, f)
                                                      : fill_words(o, f);
}

static void fill_host(struct shadow_side *s, struct shadow_frame *f,
                      uint32_t ea)
{
    const struct shadow_source *o = s->source;
    long block = host_marks_find(o->marks, &o->view, ea, s->data);
    const struct host_mark *k;

    if (block < 0)
        return;
    k = host_marks_at(o->marks, (uint32_t)block);
    f->mark = (uint32_t)block;
    f->format = SHADOW_FULL;
    for (unsigned w = 0; w < o->block / 4; w++) {
        f->indicator[w] = k[w].indicator;
        f->limit[w] = k[w].limit;
        f->base[w] = (uint32_t)k[w].count;
    }
    s->stats.fills++;
    s->stats.fill_bytes += 4 + SHADOW_FULL_BYTES(o->block);
}

void shadow_fill(struct shadow_side *s, unsigned index, uint32_t pa,
                 uint32_t ea)
{
    struct shadow_frame *f = &s->frame[index];

    if (shadow_holds(s, f, pa, ea))
        return;
    shadow_drop(s, index);
    s->changes++;
    f->line = shadow_line(s->source, pa) | 1;
    if (s->source->marks) {
        f->block = shadow_line(s->source, ea);
        fill_host(s, f, ea);
    } else {
        fill_guest(s, f);
    }
    use(s->pool, f);
}

struct shadow_frame *shadow_look(struct shadow_side *s, unsigned index,
                                 uint32_t pa, uint32_t ea, uint32_t context)
{
    struct shadow_frame *f = &s->frame[index];

    s->stats.lookups++;
    if (index == s->frames)
        empty(s, f); /* storage answers every time */
    if (shadow_holds(s, f, pa, ea)) {
        s->stats.hits++;
        use(s->pool, f);
    } else {
        uint64_t fills = s->stats.fills;

        shadow_fill(s, index, pa, ea);
        s->stats.late += s->stats.fills - fills;
    }
    if (f->format == SHADOW_NONE || (f->context && f->context != context))
        return NULL;
    return f;
}

/* ---- counts -------------------------------------------------------------- */

void shadow_count(struct shadow_side *s, struct shadow_frame *f, unsigned word,
                  uint64_t at)
{
    if (f->format != SHADOW_FULL)
        return;
    f->delta[word]++;
    if (s->source->marks)
        host_marks_at(s->source->marks, f->mark)[word].since++;
    if (s->counted_at == at)
        s->stats.conflicts++;
    s->counted_at = at;
}

void shadow_hit(struct shadow_side *s, struct shadow_frame *f, unsigned word,
                uint32_t n)
{
    (void)s;
    if (f->format == SHADOW_FULL)
        f->hits[word] += n;
}

uint32_t shadow_clear(struct shadow_side *s, struct shadow_frame *f,
                      unsigned word)
{
    uint32_t count;

    if (f->format != SHADOW_FULL)
        return 0;
    shadow_settle_word(s, f, word);
    if (s->source->marks) {
        struct host_mark *k = host_marks_at(s->source->marks, f->mark) + word;

        count = (uint32_t)k->count;
        k->before += k->count;
        k->count = k->since = 0;
    } else {
        uint32_t at = f->block + SHADOW_ENTRY + 16 * word + 4;

        count = get(s->source, at);
        put(s->source, at, 0);
    }
    f->base[word] = 0;
    return count;
}

void shadow_clear_soon(struct shadow_side *s, uint32_t mark, unsigned word)
{
    for (unsigned n = 0; s->frame && n <= s->frames; n++) {
        struct shadow_frame *f = &s->frame[n];

        if (f->format != SHADOW_FULL || f->mark != mark)
            continue;
        shadow_settle_word(s, f, word);
        f->base[word] = 0;
    }
}

void shadow_drop(struct shadow_side *s, unsigned index)
{
    s->stats.evictions += s->frame[index].format != SHADOW_NONE;
    empty(s, &s->frame[index]);
}

void shadow_gather(struct shadow_side *s)
{
    if (!s->frame)
        return;
    for (unsigned n = 0; n <= s->frames; n++)
        empty(s, &s->frame[n]);
}

void shadow_drop_stretch(struct shadow_side *s, uint32_t base, uint32_t size)
{
    for (unsigned n = 0; s->frame && size && n <= s->frames; n++)
        if (s->frame[n].line && (s->frame[n].line & ~1u) - base < size)
            empty(s, &s->frame[n]);
}

void shadow_drop_seen(struct shadow_side *s, uint32_t start, uint32_t size)
{
    for (unsigned n = 0; s->frame && n <= s->frames; n++)
        if (s->frame[n].line && s->frame[n].block - start < size)
            empty(s, &s->frame[n]);
}

void shadow_drop_block(struct shadow_side *s, uint32_t pa)
{
    if (!s->frame) /* its unit was never on: it has no source either */
        return;
    for (unsigned n = 0; n <= s->frames; n++)
        if (s->frame[n].line == (shadow_line(s->source, pa) | 1))
            shadow_drop(s, n);
}

uint32_t shadow_own(const struct shadow_side *s, uint32_t pa)
{
    uint32_t own = 0;

    if (!s->frame)
        return 0;
    for (unsigned n = 0; n <= s->frames; n++)
        if (s->frame[n].line == (shadow_line(s->source, pa) | 1))
            own += s->frame[n].delta[shadow_word(s->source, pa)];
    return own;
}

bool shadow_stored(const struct shadow_source *o, bool data, uint32_t pa,
                   uint32_t *count)
{
    uint32_t block;

    if (locate(o, data, pa, &block) != SHADOW_FULL)
        return false;
    *count = get(o, block + SHADOW_ENTRY + 16 * shadow_word(o, pa) + 4);
    return true;
}

bool shadow_store(struct shadow_source *o, bool data, uint32_t pa,
                  uint32_t count)
{
    uint32_t block;

    if (locate(o, data, pa, &block) != SHADOW_FULL)
        return false;
    put(o, block + SHADOW_ENTRY + 16 * shadow_word(o, pa) + 4, count);
    return true;
}

uint32_t shadow_since(const struct shadow_side *s, const struct shadow_frame *f,
                      unsigned word)
{
    return host_marks_at(s->source->marks, f->mark)[word].since;
}

/* ---- stretches without marks --------------------------------------------- */

static bool block_bare(const struct shadow_side *s, uint32_t pa, uint32_t ea)
{
    const struct shadow_source *o = s->source;
    struct shadow_frame f = {.line = pa | 1};
    uint32_t any = 0;

    if (o->marks) {
        long block = host_marks_find(o->marks, &o->view, ea, s->data);

        for (unsigned w = 0; block >= 0 && w < o->block / 4; w++)
            any |= host_marks_at(o->marks, (uint32_t)block)[w].indicator;
        return !any;
    }
    f.format = (uint8_t)locate(o, s->data, pa, &f.block);
    if (f.format == SHADOW_FULL)
        fill_full(o, &f);
    else if (f.format == SHADOW_BITS)
        fill_bits(o, &f);
    else if (f.format == SHADOW_WORDS)
        fill_words(o, &f);
    for (unsigned w = 0; w < o->block / 4; w++)
        any |= f.indicator[w];
    return !any;
}

bool shadow_bare(const struct shadow_side *s, uint32_t pa, uint32_t ea,
                 uint32_t size)
{
    for (unsigned n = 0; s->frame && n <= s->frames; n++) {
        const struct shadow_frame *f = &s->frame[n];

        for (unsigned w = 0; f->line - pa < size && w < BLOCK_WORDS; w++)
            if (f->indicator[w] || f->delta[w] || f->hits[w])
                return false;
    }
    for (uint32_t at = 0; at < size; at += s->source->block)
        if (!block_bare(s, pa + at, ea + at))
            return false;
    return true;
}
