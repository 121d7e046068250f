/* snap.h - the state of a machine as a stream of bytes, saved and loaded.
 *
 * Every room has one function `bool X_state(struct snap *s, struct X *x)` for
 * both directions, so that what is saved and what is loaded cannot disagree:
 *
 *     bool uart_state(struct snap *s, struct uart *u)
 *     {
 *         snap_begin(s, "uart", 1);
 *         SNAP(s, u->ier);
 *         SNAP_ARRAY(s, u->fifo);
 *         SNAP_BELOW(s, u->head, UART_FIFO);
 *         SNAP_SKIP(s, u->send, "wired by machine_init");
 *         return snap_end(s);
 *     }
 *
 * A third direction, SNAP_COVER, neither saves nor loads: it names every byte
 * of memory that an X_state function answers for. tests/check/state_test.c
 * holds that against the debugging information, so that a field which is added
 * to a struct but not to its X_state function fails a check.
 *
 * The stream: a section is its name, a version, items and a sum over the items
 * that are its own; sections nest. An item is its width, a count and so many
 * numbers, lowest byte first. The stream holds no address and nothing of the
 * host. A load believes nothing: the first item that is not what is expected
 * sets `bad`, and `why` names its section; from then on nothing is stored.
 */
#ifndef LIB_BASE_SNAP_H
#define LIB_BASE_SNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/pack.h"

#define SNAP_DEPTH 8 /* of nested sections */
#define SNAP_WHY 256

enum snap_way { SNAP_SAVE, SNAP_LOAD, SNAP_COVER };

/* Numbers of one width, one behind the other in the host's memory. */
struct snap_item {
    const char *name; /* the field, as the X_state function has it */
    void *at;
    unsigned width; /* bytes of a number: 1, 2, 4 or 8 */
    bool truth;     /* they are of type bool */
    size_t count;
};

struct snap_section {
    const char *name;
    uint64_t sum; /* of its own items up to `from` */
    size_t from;
};

struct snap {
    enum snap_way way;
    bool bad;
    char why[SNAP_WHY];      /* one line; "": not bad */
    struct pack_bytes out;   /* SAVE: what is saved so far; owned */
    const unsigned char *in; /* LOAD: not owned */
    size_t size, at;         /* LOAD: of the stream; next byte */
    unsigned depth;
    struct snap_section section[SNAP_DEPTH];
    /* Told of every item in front of it, and under SNAP_COVER of what is
     * skipped and owned too. NULL: nothing is told. */
    const struct snap_visitor *visitor;
};

struct snap_visitor {
    void *arg;
    /* An item, or a part of memory that is no state for the reason `skipped`
     * (NULL: it is state). */
    void (*item)(void *arg, const struct snap *s, const struct snap_item *i,
                 const char *skipped);
    /* SNAP_COVER: `count` values of the type named `type`, of `size` bytes
     * each, lie at `at`, apart from the struct that points there. */
    void (*owned)(void *arg, const char *type, const void *at, size_t size,
                  size_t count);
};

/* Begin. The visitor outlives the snap. What is to be loaded stays the
 * caller's and must outlive the snap as well. */
void snap_save(struct snap *s);
void snap_load(struct snap *s, const void *bytes, size_t size);
void snap_cover(struct snap *s, const struct snap_visitor *v);
/* All is said. False: it failed, or a load has not reached the stream's end;
 * s->why has the line. */
bool snap_finish(struct snap *s);
/* Give the saved bytes back. */
void snap_free(struct snap *s);

/* A section begins; `name` outlives the snap. The version changes with what
 * the section holds: another one is refused. */
void snap_begin(struct snap *s, const char *name, uint32_t version);
/* It ends. False: s is bad. */
bool snap_end(struct snap *s);

/* Save or load the numbers of an item. */
void snap_item(struct snap *s, const struct snap_item *i);
/* Refuse: `why` is a clause, which the line puts behind the section's name. */
void snap_refuse(struct snap *s, const char *why, ...)
    __attribute__((format(printf, 2, 3)));
/* The item is `value`, which is not below `limit`. */
void snap_refuse_value(struct snap *s, const char *name, uint64_t value,
                       uint64_t limit);
/* This memory is no state. */
void snap_skip(struct snap *s, const char *name, void *at, size_t size,
               const char *why);
void snap_owned(struct snap *s, const char *type, const void *at, size_t size,
                size_t count);
/* How many elements of an array an X_state function goes through: those that
 * are used; all there is room for under SNAP_COVER. */
static inline size_t snap_used(const struct snap *s, size_t used, size_t room)
{
    return s->way == SNAP_COVER ? room : used;
}
static inline bool snap_loading(const struct snap *s)
{
    return s->way == SNAP_LOAD && !s->bad;
}

/* The widths of what may be an item. Anything else - a struct, a pointer, an
 * array of arrays - is no match and does not compile. */
#define SNAP_WIDTH(x)                                                          \
    _Generic((x), bool : 1, uint8_t : 1, uint16_t : 2, int : 4, unsigned : 4,  \
             unsigned long : 8, unsigned long long : 8, long : 8)
#define SNAP_TRUTH(x) _Generic((x), bool : true, default : false)

/* A number, truth value or enumeration. */
#define SNAP(s, x)                                                             \
    snap_item((s),                                                             \
              &(struct snap_item){#x, &(x), SNAP_WIDTH(x), SNAP_TRUTH(x), 1})
/* An array of them; not a pointer to one. */
#define SNAP_ARRAY(s, x)                                                       \
    snap_item((s),                                                             \
              &(struct snap_item){                                             \
                  #x, &(x)[0], SNAP_WIDTH((x)[0]), SNAP_TRUTH((x)[0]),         \
                  sizeof(x) / sizeof((x)[0]) +                                 \
                      0 * sizeof(char[1 - 2 * __builtin_types_compatible_p(    \
                                                  __typeof__(x),               \
                                                  __typeof__(&(x)[0]))])})
/* `count` of them behind a pointer. */
#define SNAP_MANY(s, x, n)                                                     \
    snap_item((s), &(struct snap_item){#x, (x), SNAP_WIDTH((x)[0]),            \
                                       SNAP_TRUTH((x)[0]), (n)})
/* A number that must be below `limit`: an index, a count, an enumeration. */
#define SNAP_BELOW(s, x, limit)                                                \
    do {                                                                       \
        __typeof__(x) snap_was = (x);                                          \
        SNAP(s, x);                                                            \
        if ((uint64_t)(x) >= (uint64_t)(limit)) {                              \
            snap_refuse_value((s), #x, (uint64_t)(x), (uint64_t)(limit));      \
            (x) = snap_was;                                                    \
        }                                                                      \
    } while (0)
/* A number that the machine's setup decides: a load compares it. */
#define SNAP_SAME(s, x)                                                        \
    do {                                                                       \
        __typeof__(x) snap_here = (x);                                         \
        SNAP(s, x);                                                            \
        if ((x) != snap_here)                                                  \
            snap_refuse((s), "%s is %llu there and %llu here", #x,             \
                        (unsigned long long)(x),                               \
                        (unsigned long long)snap_here);                        \
        (x) = snap_here;                                                       \
    } while (0)
/* A field that is no state, and the reason. */
#define SNAP_SKIP(s, x, why)                                                   \
    snap_skip((s), #x, (void *)(uintptr_t) & (x), sizeof(x), (why))
/* n values of type T at p, in memory that a field of the struct points to. */
#define SNAP_OWNS(s, T, p, n)                                                  \
    snap_owned((s), #T, (p), sizeof(T) + 0 * sizeof((p) == (T *)0), (n))

#endif
