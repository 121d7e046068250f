/* near.h - names that may have been meant by one that does not exist: those
 * that hold it or that it holds, then those a few letters away. Best first, at
 * most NEAR_SHOWN; the order in which they were offered does not matter.
 */
#ifndef PMU_NEAR_H
#define PMU_NEAR_H

#include <stddef.h>

#define NEAR_SHOWN 5
#define NEAR_TEXT 512 /* room for a text of near_text */

struct near {
    const char *wanted;
    struct near_name {
        const char *name;
        unsigned rank; /* the lower the nearer */
    } best[NEAR_SHOWN];
    size_t count;
};

/* Both texts must live until near_text was called. */
void near_begin(struct near *n, const char *wanted);
void near_offer(struct near *n, const char *name);

/* "; did you mean a, b or c?", to stand behind a sentence that names what was
 * wanted; "" if nothing is near. */
const char *near_text(const struct near *n, char out[NEAR_TEXT]);

#endif
