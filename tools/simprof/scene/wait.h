/* wait.h - one wait that `causes` tells, as what can be drawn. */
#ifndef TOOLS_SIMPROF_SCENE_WAIT_H
#define TOOLS_SIMPROF_SCENE_WAIT_H

#include <jansson.h>

/* Of the report `causes` as text its first chain, put into an object:
 *   chain   one wait in words, or ""
 *   gap     [from, to], when that was; none without a chain
 *   parts   [{name, words}]: the idle CPU, then the threads behind it, each
 *           waiting for the next; `name` is what the sentence calls it, "CPU
 * 2", "thread 7" or a thread's name, and `words` what it does there */
void scene_put_wait(json_t *to, const char *causes);

#endif
