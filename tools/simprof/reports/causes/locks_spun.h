/* locks_spun.h - what threads spun for on a CPU, in the report `locks`: words,
 * and locks by functions that take them.
 */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_LOCKS_SPUN_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_LOCKS_SPUN_H

#include "tools/analysis/causes/causes.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/report/report.h"

struct locks_word;

/* Cycles that threads spun, of the interval that the recording is set to. */
struct locks_spun {
    const struct causes *c;
    struct locks_word *word; /* the most spun for first */
    size_t words, room;
    uint64_t all;
    uint64_t locked; /* for locks */
    uint64_t others; /* for words that are none, as far as it is known */
    const struct locks_word *most; /* of the former; NULL: none */
};

/* Of c are used recording, scene and places, which stay. Of one thread (scene)
 * or, SCENE_NONE, of all. */
void locks_spun_find(struct locks_spun *w, const struct causes *c,
                     uint32_t thread);
void locks_spun_free(struct locks_spun *w);

/* The name of w->most, which is not NULL. Returns out. */
const char *locks_spun_most(const struct locks_spun *w, char out[WORDS_TEXT]);

/* The table of words: none where they have less than a thousandth of the
 * interval; in CSV all. */
void locks_spun_print(const struct locks_spun *w, const struct options *o,
                      FILE *to);

#endif
