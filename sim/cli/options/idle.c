/* idle.c - reads what stands behind --sample-idle into what is
 * recorded.
 */
#define _GNU_SOURCE
#include "sim/cli/options/idle.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"

#define LONGEST 0x7FFFFFFFu /* cycles */

/* A word behind the period. False: there is none like it, or it does not go
 * with those before it. */
static bool take(struct idle_setup *i, const char *word)
{
    if (!strcmp(word, "once"))
        i->once = true;
    else if (!strcmp(word, "all"))
        i->daemons = true;
    else if (!strcmp(word, "to") && i->to)
        i->from = false;
    else if (!strcmp(word, "from") && i->from)
        i->to = false;
    else
        return false;
    return true;
}

bool idle_options_parse(struct options *o, const char *text, char *why,
                        size_t size)
{
    struct idle_setup i = {.to = true, .from = true};
    char words[64], *word, *next = words;
    uint64_t period;

    if (snprintf(words, sizeof words, "%s", text) >= (int)sizeof words ||
        !text_number(strsep(&next, ":"), &period) || period < 1 ||
        period > LONGEST) {
        snprintf(why, size,
                 "--sample-idle=%s: give cycles, 1 to %u, for example 20000",
                 text, LONGEST);
        return false;
    }
    i.period = (uint32_t)period;
    while ((word = strsep(&next, ":")))
        if (!take(&i, word)) {
            snprintf(why, size,
                     "--sample-idle=%s: behind the cycles :to or :from, :once, "
                     ":all, not ':%s'",
                     text, word);
            return false;
        }
    o->record.idle = i;
    o->record.switch_stacks = o->trace = true;
    return true;
}
