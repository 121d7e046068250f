/* stream.h - samples in order of time, in three to six bytes each.
 *
 * A sample is a time, a type (of call stack) and a weight (the events it
 * stands for). Samples stand in blocks of up to STREAM_BLOCK; in a block each
 * has the time since the one before it, its type, and, unless all weights of
 * the block are the usual one, its weight less that. A block has a sum of its
 * bytes and is checked whenever it is read.
 */
#ifndef TOOLS_ANALYSIS_TIMETREE_STREAM_H
#define TOOLS_ANALYSIS_TIMETREE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/pack.h"

#define STREAM_BLOCK 1024

struct stream_sample {
    uint64_t time, weight;
    uint32_t type;
};

struct stream_block {
    uint64_t base;  /* time of its first sample */
    uint64_t first; /* number of its first sample */
    uint64_t at;    /* its first byte */
    uint32_t sum;
    uint32_t even; /* every weight is the usual one */
};

/* What it points to may be a file's pages. */
struct stream {
    uint32_t unit; /* the usual weight; set before the first sample is added */
    uint32_t waiting; /* samples of the last block, not yet in bytes */
    uint64_t count, blocks;
    uint64_t dropped; /* bytes given back */
    struct stream_block *block;
    struct pack_bytes bytes;
    size_t block_room;          /* 0: not ours to free */
    struct stream_sample *last; /* those that wait */
};

/* Times must not go back. */
void stream_add(struct stream *s, uint64_t time, uint32_t type,
                uint64_t weight);
/* No more samples: from here on it can be read. */
void stream_end(struct stream *s);
void stream_free(struct stream *s);

/* Samples before this one are not needed any more: their memory is given back.
 * They cannot be read again. */
void stream_drop(struct stream *s, uint64_t sample);

/* One block of a stream, read. */
struct stream_view {
    uint64_t block; /* its number, or STREAM_NONE */
    uint64_t first;
    uint32_t count;
    struct stream_sample sample[STREAM_BLOCK];
};

#define STREAM_NONE UINT64_MAX

/* Read the block that a sample is in, unless it is that already. False: it is
 * damaged. */
bool stream_read(const struct stream *s, struct stream_view *v,
                 uint64_t sample);

/* *n: the number of the first sample at `time` or later. False: the block to
 * look in is damaged. */
bool stream_find(const struct stream *s, struct stream_view *v, uint64_t time,
                 uint64_t *n);

/* Are the blocks such as can be read, by their numbers alone? */
bool stream_sound(const struct stream *s);

#endif
