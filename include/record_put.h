/* record_put.h - writers fill a record's payload by the names of its fields.
 *
 * Made of the rows of include/record.def. `w` is the payload, in words of the
 * writer's own byte order; the caller owns it, and it has room for NAME_WORDS
 * and the tail. For FIELD(idle, pid, ...), and for LATER likewise:
 *   record_put_idle_pid(w, value)     stores the field; of a u8 the rest of its
 *                                     word becomes 0
 *   record_of_idle_pid(w)             what was stored there; not of a u64
 * for TAIL(idle, stack, ...):
 *   record_tail_idle_stack(w)         the first word of the tail, to be filled
 *   record_size_idle_stack(n)         words of a record whose tail has n times
 *                                     the words of each
 *   record_count_idle_stack(w)        n as it was stored
 * for REST(thread, name, ...) the first two of these, n in words; for
 * BEHIND(profile, physical, ...):
 *   record_put_profile_physical(w, value)     once the count of the tail is
 *                                     stored; the record has one word more
 */
#ifndef INCLUDE_RECORD_PUT_H
#define INCLUDE_RECORD_PUT_H

#include <stdint.h>

#include "include/record.h"

static inline void record_store_u8(uint32_t *word, uint32_t value)
{
    *word = value << 24;
}

static inline void record_store_u32(uint32_t *word, uint32_t value)
{
    *word = value;
}

static inline void record_store_u64(uint32_t *word, uint64_t value)
{
    word[0] = (uint32_t)(value >> 32);
    word[1] = (uint32_t)value;
}

/* clang-format off */
#define RECORD_PUT(form, name, word, value_type, type)                         \
    static inline void record_put_##form##_##name(uint32_t *w,                 \
                                                  value_type value)            \
    {                                                                          \
        record_store_##type(w + (word), value);                                \
    }                                                                          \
    RECORD_OF_##type(form, name, word)
#define RECORD_OF_u64(form, name, word)
#define RECORD_OF_u32(form, name, word)                                        \
    static inline uint32_t record_of_##form##_##name(const uint32_t *w)        \
    {                                                                          \
        return w[word];                                                        \
    }
#define RECORD_OF_u8(form, name, word)                                         \
    static inline uint32_t record_of_##form##_##name(const uint32_t *w)        \
    {                                                                          \
        return w[word] >> 24;                                                  \
    }
#define FIELD(form, name, word, type, unit, meaning)                           \
    RECORD_PUT(form, name, word, RECORD_VALUE_##type, type)
#define LATER(form, name, word, type, missing, unit, meaning)                  \
    RECORD_PUT(form, name, word, RECORD_VALUE_##type, type)
#define REST(form, name, unit, meaning)                                        \
    RECORD_TAIL(form, name, 1)
#define RECORD_TAIL(form, name, each)                                          \
    static inline uint32_t *record_tail_##form##_##name(uint32_t *w)           \
    {                                                                          \
        return w + RECORD_WORDS_##form;                                        \
    }                                                                          \
    static inline unsigned record_size_##form##_##name(unsigned n)             \
    {                                                                          \
        return RECORD_WORDS_##form + (each) * n;                               \
    }
#define TAIL(form, name, each, count, unit, meaning)                           \
    RECORD_TAIL(form, name, each)                                              \
    static inline uint32_t record_count_##form##_##name(const uint32_t *w)     \
    {                                                                          \
        return w[RECORD_COUNT_##form##_##name];                                \
    }
#define BEHIND(form, name, tail, flags, flag, unit, meaning)                   \
    static inline void record_put_##form##_##name(uint32_t *w, uint32_t value) \
    {                                                                          \
        w[record_size_##form##_##tail(record_count_##form##_##tail(w))] =      \
            value;                                                             \
    }
#include "include/record.def"
#undef RECORD_PUT
#undef RECORD_OF_u64
#undef RECORD_OF_u32
#undef RECORD_OF_u8
#undef RECORD_TAIL
/* clang-format on */

#endif
