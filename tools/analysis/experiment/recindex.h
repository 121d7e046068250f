/* recindex.h - the time index of a record file: which part of the file holds
 * records of which time, so that a report on an interval reads those parts.
 *
 * Records of several CPUs are not in order of time, so a block has the least
 * and the most of its records' cycles. The index is no part of the recording:
 * it is made in passing when a large file is read whole for the first time,
 * kept beside it where the directory may be written to, and made again when it
 * does not fit the file any more.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_RECINDEX_H
#define TOOLS_ANALYSIS_EXPERIMENT_RECINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECINDEX_BLOCK (64 * 1024)    /* bytes of records, about */
#define RECINDEX_WORTH (1024 * 1024u) /* a smaller file is soon read */

struct recindex_block {
    uint64_t offset; /* of its first record in the file */
    uint64_t first;  /* the cycle of that */
    uint64_t least, most;
    uint64_t records;
};

/* What an index is of: all of it must be as it was when the index was made. */
struct recindex_of {
    int dir, fd;
    const char *name; /* of the record file */
    uint64_t kind, size, cpus, until;
};

struct recindex {
    struct recindex_block *block;
    size_t count, room;
    uint64_t records;
};

/* The next record of the file, front to back. */
void recindex_add(struct recindex *x, uint64_t offset, uint64_t cycle);
void recindex_free(struct recindex *x);

/* Keep it beside the file, whole or not at all. */
bool recindex_write(const struct recindex *x, const struct recindex_of *of);

/* False: there is none, it is damaged, or it is not of this file as it is;
 * nothing is held. Blocks that overlap cycles from to `to`, and some others,
 * are looked at in the file to see that they begin as the index says. */
bool recindex_read(struct recindex *x, const struct recindex_of *of,
                   uint64_t from, uint64_t to);

static inline bool recindex_overlaps(const struct recindex_block *b,
                                     uint64_t from, uint64_t to)
{
    return b->least <= to && b->most >= from;
}

#endif
