/* search.h - binary search in a list that is in order. */
#ifndef LIB_BASE_SEARCH_H
#define LIB_BASE_SEARCH_H

#include <stddef.h>

/* The first index from `from` on, before `end`, for which `holds` is true, an
 * expression of the index `i`; `end`: there is none. It is false up to some
 * index and true from there on: `list[i].start > address` in a list by start.
 * The result less 1, if it is not `from`, is the last for which it is false.
 */
#define SEARCH_FIRST(from, end, i, holds)                                      \
    __extension__({                                                            \
        size_t search_low = (from), search_high = (end);                       \
                                                                               \
        while (search_low < search_high) {                                     \
            size_t i = search_low + (search_high - search_low) / 2;            \
                                                                               \
            if (holds)                                                         \
                search_high = i;                                               \
            else                                                               \
                search_low = i + 1;                                            \
        }                                                                      \
        search_low;                                                            \
    })

#endif
