/* record.h - a record in memory, as the file has it (include/record.h). */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_RECORD_H
#define TOOLS_ANALYSIS_EXPERIMENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/record.h"

/* Valid until the next recfile call. */
struct record {
    unsigned kind, cpu;
    uint32_t thread;
    uint64_t cycle;
    unsigned words; /* of payload, the padding word included */
    const unsigned char *payload;
};

static inline uint32_t record_word(const struct record *r, unsigned i)
{
    const unsigned char *p = r->payload + 4 * (size_t)i;

    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

/* Words i (high) and i + 1 (low) as one number. */
static inline uint64_t record_wide(const struct record *r, unsigned i)
{
    return (uint64_t)record_word(r, i) << 32 | record_word(r, i + 1);
}

/* Has this sample the address of an access? Effective, or physical. */
static inline bool record_data(const struct record *r)
{
    return r->kind == REC_PROFILE && record_word(r, 5) & PROFILE_DATA;
}

static inline uint32_t record_effective(const struct record *r)
{
    return record_word(r, 4);
}

static inline uint32_t record_physical(const struct record *r)
{
    return record_word(r, PROFILE_WORDS + record_word(r, 6));
}

#endif
