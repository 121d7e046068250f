/* did_you_mean.h - names that may have been meant by one that does not exist:
 * those that hold it or that it holds, then those a few letters away. Best
 * first, at most DID_YOU_MEAN_SHOWN; the order in which they were offered does
 * not matter.
 */
#ifndef LIB_BASE_DID_YOU_MEAN_H
#define LIB_BASE_DID_YOU_MEAN_H

#include <stddef.h>

#define DID_YOU_MEAN_SHOWN 5
#define DID_YOU_MEAN_TEXT 512 /* room for a text of did_you_mean_text */

struct did_you_mean {
    const char *wanted;
    struct did_you_mean_name {
        const char *name;
        unsigned rank; /* the lower the nearer */
    } best[DID_YOU_MEAN_SHOWN];
    size_t count;
};

/* Both texts must live until did_you_mean_text was called. */
void did_you_mean_begin(struct did_you_mean *n, const char *wanted);
void did_you_mean_offer(struct did_you_mean *n, const char *name);

/* "; did you mean a, b or c?", to stand behind a sentence that names what was
 * wanted; "" if nothing is near. */
const char *did_you_mean_text(const struct did_you_mean *n,
                              char out[DID_YOU_MEAN_TEXT]);

#endif
