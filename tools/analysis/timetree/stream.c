/* stream.c - packs samples and unpacks them, a block at a time. */
#include "tools/analysis/timetree/stream.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"

#define SAMPLE_MOST (3 * PACK_MOST)

/* ---- writing ------------------------------------------------------------- */

static bool all_even(const struct stream *s)
{
    for (uint32_t i = 0; i < s->waiting; i++)
        if (s->last[i].weight != s->unit)
            return false;
    return true;
}

void stream_end(struct stream *s)
{
    struct stream_block b = {.at = s->bytes.size};
    uint64_t time;

    if (!s->waiting)
        return;
    b.base = time = s->last[0].time;
    b.first = s->count - s->waiting;
    b.even = all_even(s);
    pack_room(&s->bytes, (size_t)s->waiting * SAMPLE_MOST);
    for (uint32_t i = 0; i < s->waiting; i++) {
        pack_put(&s->bytes, s->last[i].time - time);
        pack_put(&s->bytes, s->last[i].type);
        if (!b.even)
            pack_put(&s->bytes,
                     pack_signed((int64_t)(s->last[i].weight - s->unit)));
        time = s->last[i].time;
    }
    b.sum = (uint32_t)pack_sum(0, s->bytes.byte + b.at, s->bytes.size - b.at);
    s->block = grow(s->block, &s->block_room, s->blocks + 1, sizeof *s->block);
    s->block[s->blocks++] = b;
    s->waiting = 0;
}

void stream_add(struct stream *s, uint64_t time, uint32_t type, uint64_t weight)
{
    if (!s->unit)
        s->unit = 1;
    if (!s->last)
        s->last = grow_zero(STREAM_BLOCK, sizeof *s->last);
    if (s->waiting == STREAM_BLOCK)
        stream_end(s);
    s->last[s->waiting++] = (struct stream_sample){time, weight, type};
    s->count++;
}

void stream_free(struct stream *s)
{
    if (s->bytes.room)
        free(s->bytes.byte);
    if (s->block_room)
        free(s->block);
    free(s->last);
    *s = (struct stream){0};
}

/* ---- reading ------------------------------------------------------------- */

/* The block that a sample is in, or the last one that begins before time. */
static uint64_t block_of(const struct stream *s, uint64_t key, bool by_time)
{
    return SEARCH_FIRST(1, s->blocks, i,
                        by_time ? s->block[i].base >= key
                                : s->block[i].first > key) -
           1;
}

static bool unpack(const struct stream *s, struct stream_view *v,
                   uint64_t block)
{
    const struct stream_block *b = &s->block[block];
    bool last = block + 1 == s->blocks;
    uint64_t end = last ? s->bytes.size : b[1].at, time = b->base;
    struct pack_reader r = {s->bytes.byte + b->at, s->bytes.byte + end, false};

    v->block = STREAM_NONE;
    v->first = b->first;
    v->count = (uint32_t)((last ? s->count : b[1].first) - b->first);
    if ((uint32_t)pack_sum(0, r.at, end - b->at) != b->sum)
        return false;
    for (uint32_t i = 0; i < v->count; i++) {
        time += pack_get(&r);
        v->sample[i].time = time;
        v->sample[i].type = (uint32_t)pack_get(&r);
        v->sample[i].weight =
            s->unit + (b->even ? 0 : (uint64_t)pack_unsigned(pack_get(&r)));
    }
    if (r.bad)
        return false;
    v->block = block;
    return true;
}

bool stream_read(const struct stream *s, struct stream_view *v, uint64_t sample)
{
    uint64_t block = v->block;

    if (block != STREAM_NONE && sample >= v->first &&
        sample - v->first < v->count)
        return true;
    /* Most readers go on to the next one. */
    if (block != STREAM_NONE && block + 1 < s->blocks &&
        s->block[block + 1].first == sample)
        return unpack(s, v, block + 1);
    return sample < s->count && unpack(s, v, block_of(s, sample, false));
}

bool stream_find(const struct stream *s, struct stream_view *v, uint64_t time,
                 uint64_t *n)
{
    *n = 0;
    if (!s->count)
        return true;
    if (!stream_read(s, v, s->block[block_of(s, time, true)].first))
        return false;
    *n = v->first + SEARCH_FIRST(0, v->count, i, v->sample[i].time >= time);
    return true;
}

bool stream_sound(const struct stream *s)
{
    for (uint64_t i = 0; i < s->blocks; i++) {
        const struct stream_block *b = &s->block[i];
        bool last = i + 1 == s->blocks;
        uint64_t end = last ? s->count : b[1].first;
        uint64_t bytes = last ? s->bytes.size : b[1].at;

        if (b->first >= end || end - b->first > STREAM_BLOCK ||
            end > s->count || (!i && (b->first || b->at)) || b->at > bytes ||
            bytes > s->bytes.size || (i && b->base < b[-1].base))
            return false;
    }
    return (s->blocks != 0) == (s->count != 0);
}

/* ---- forgetting ---------------------------------------------------------- */

#define DROP_LEAST (1 << 20) /* less is not worth a system call */

void stream_drop(struct stream *s, uint64_t sample)
{
    uint64_t end = sample < s->count ? s->block[block_of(s, sample, false)].at
                                     : s->bytes.size;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)s->bytes.byte + s->dropped, to;

    if (end < s->dropped + DROP_LEAST)
        return;
    to = ((uintptr_t)s->bytes.byte + end) & ~(page - 1);
    from = (from + page - 1) & ~(page - 1);
    if (from < to && !madvise((void *)from, to - from, MADV_DONTNEED))
        s->dropped = to - (uintptr_t)s->bytes.byte;
}
