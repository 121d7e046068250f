/* record.h - a record in memory, as the file has it, and its fields by name.
 *
 * Made of the rows of include/record.def. `r` is a record of the kind in the
 * function's name (of another kind the value means nothing) that recfile_next
 * gave: what the row promises is there. For FIELD(idle, pid, ...):
 *   record_get_idle_pid(r)            the field, zero extended
 * for LATER(probe, ran, ...) the same; its `missing` where the record is too
 * short. For TAIL(idle, stack, ...):
 *   record_get_idle_stack(r)         its words: struct record_tail
 * for BEHIND(profile, physical, ...):
 *   record_has_profile_physical(r)    is it there?
 *   record_get_profile_physical(r)    only if it is
 * Units and meanings are those of the rows (docs/experiment.md).
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_RECORD_H
#define TOOLS_ANALYSIS_EXPERIMENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "include/record.h"

/* Valid until the next recfile call. */
struct record {
    unsigned kind, cpu;
    uint32_t thread;
    uint64_t cycle;
    unsigned words; /* of payload, the padding word included */
    const unsigned char *payload;
};

/* Give a record a kind and a payload that is no file's: little-endian words,
 * which stay as long as it. */
static inline void record_give(struct record *r, unsigned kind, unsigned words,
                               const unsigned char *payload)
{
    r->kind = kind;
    r->words = words;
    r->payload = payload;
}

/* Words behind those with a name, as the file has them; valid as long as the
 * record. */
struct record_tail {
    const unsigned char *bytes;
    uint32_t words;
};

static inline uint32_t record_load_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t record_load_u64(const unsigned char *p)
{
    return (uint64_t)record_load_u32(p) << 32 | record_load_u32(p + 4);
}

static inline uint32_t record_load_u8(const unsigned char *p)
{
    return record_load_u32(p) >> 24;
}

/* The i-th word of a tail, from 0; i is less than t.words. */
static inline uint32_t record_tail_word(struct record_tail t, uint32_t i)
{
    return record_load_u32(t.bytes + 4 * (size_t)i);
}

#define FIELD(form, name, word, type, unit, meaning)                           \
    static inline RECORD_VALUE_##type record_get_##form##_##name(              \
        const struct record *r)                                                \
    {                                                                          \
        return record_load_##type(r->payload + 4 * (size_t)(word));            \
    }
#define LATER(form, name, word, type, missing, unit, meaning)                  \
    static inline RECORD_VALUE_##type record_get_##form##_##name(              \
        const struct record *r)                                                \
    {                                                                          \
        return (word) + RECORD_CELLS_##type <= r->words                        \
                   ? record_load_##type(r->payload + 4 * (size_t)(word))       \
                   : (missing);                                                \
    }
#define TAIL(form, name, each, count, unit, meaning)                           \
    static inline struct record_tail record_get_##form##_##name(               \
        const struct record *r)                                                \
    {                                                                          \
        return (struct record_tail){r->payload +                               \
                                        4 * (size_t)RECORD_WORDS_##form,       \
                                    (each)*record_get_##form##_##count(r)};    \
    }
#define REST(form, name, unit, meaning)                                        \
    static inline struct record_tail record_get_##form##_##name(               \
        const struct record *r)                                                \
    {                                                                          \
        return (struct record_tail){r->payload +                               \
                                        4 * (size_t)RECORD_WORDS_##form,       \
                                    r->words - RECORD_WORDS_##form};           \
    }
#define BEHIND(form, name, tail, flags, flag, unit, meaning)                   \
    static inline bool record_has_##form##_##name(const struct record *r)      \
    {                                                                          \
        return record_get_##form##_##flags(r) & (flag);                        \
    }                                                                          \
    static inline uint32_t record_get_##form##_##name(const struct record *r)  \
    {                                                                          \
        struct record_tail t = record_get_##form##_##tail(r);                  \
                                                                               \
        return record_tail_word(t, t.words);                                   \
    }
#include "include/record.def"

/* Are they the same, in every word? */
static inline bool record_same(const struct record *a, const struct record *b)
{
    return a->kind == b->kind && a->cpu == b->cpu && a->thread == b->thread &&
           a->cycle == b->cycle && a->words == b->words &&
           !memcmp(a->payload, b->payload, 4 * (size_t)a->words);
}

/* The program counters of an idle-transition sample or of one of a counter,
 * leaf first: its stack; where none was walked, where the counter's sample was.
 */
static inline struct record_tail record_frames(const struct record *r)
{
    struct record_tail t = r->kind == REC_IDLE ? record_get_idle_stack(r)
                                               : record_get_profile_stack(r);

    if (r->kind == REC_PROFILE && !t.words)
        t = (struct record_tail){
            r->payload + 4 * (size_t)RECORD_AT_profile_interrupted, 1};
    return t;
}

#endif
