/* sweep_line.c - which line of the file it is about: what simrun said of a run,
 * or that runs would write to the same place.
 */
#include "sim/sweep/sweep.h"

#include <ctype.h>
#include <string.h>

/* ---- what simrun said ---------------------------------------------------- */

/* Where in the text, and how much of it, speaks of a line of the file. */
struct spoken {
    const char *text;
    size_t at, length; /* at SIZE_MAX: nothing does */
    unsigned line;
};

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The first bytes of `word` stand in the text as a word. What stands further in
 * front counts, or is longer. */
static void seek(struct spoken *s, const char *word, size_t length,
                 unsigned line)
{
    bool letter = false;

    for (size_t n = 0; n < length; n++)
        letter |= isalpha((unsigned char)word[n]) != 0;
    if (!letter || length < 2) /* numbers are everywhere */
        return;
    for (size_t at = 0; s->text[at]; at++) {
        const char *here = s->text + at;

        if (strncmp(here, word, length) != 0 || in_name(here[length]) ||
            (at && in_name(here[-1]) && in_name(*word)))
            continue;
        if (at < s->at || (at == s->at && length > s->length))
            *s = (struct spoken){s->text, at, length, line};
        return;
    }
}

/* Of "--set=NAME=VALUE" it is NAME that is spoken of; of another option its
 * name; of other words what stands in front of the last =, as in a what-if, or
 * a file without its directories. */
static void seek_all(struct spoken *s, const struct sweep_words *w,
                     unsigned line)
{
    for (size_t n = 0; n < w->count; n++) {
        const char *word = w->word[n], *base = strrchr(word, '/'), *end;

        if (base)
            seek(s, base + 1, strlen(base + 1), line);
        if (strncmp(word, "--set=", 6) == 0)
            word += 6;
        end = *word == '-' ? strchr(word, '=') : strrchr(word, '=');
        seek(s, word, end ? (size_t)(end - word) : strlen(word), line);
    }
}

unsigned sweep_line(const struct sweep *s, size_t run, const char *said)
{
    struct spoken is = {.text = said, .at = SIZE_MAX};
    struct sweep_place at = sweep_place(s, run);

    for (size_t n = 0; n < s->axes; n++) {
        const struct sweep_value *v = &s->axis[n].value[at.at[n]];

        seek_all(&is, &v->option, v->line);
        seek_all(&is, &v->program, v->line);
    }
    seek_all(&is, &s->option, s->option_line);
    return is.line;
}

/* ---- the same place ------------------------------------------------------ */

/* Of words that so many runs have. */
static bool once(const struct sweep *s, const struct sweep_words *w,
                 unsigned line, size_t runs, char why[SWEEP_WHY])
{
    static const char trace[] = "--pmu-trace=";

    for (size_t n = 0; n < w->count && runs > 1; n++)
        if (strncmp(w->word[n], trace, sizeof trace - 1) == 0) {
            snprintf(why, SWEEP_WHY,
                     "%s:%u: %s: %zu runs would write there; leave it out, and "
                     "give it to one of the commands that simrun sweep --list "
                     "prints",
                     s->file, line, w->word[n], runs);
            return false;
        }
    return true;
}

bool sweep_apart(const struct sweep *s, char why[SWEEP_WHY])
{
    size_t runs = sweep_runs(s);

    if (!once(s, &s->option, s->option_line, runs, why))
        return false;
    for (size_t n = 0; n < s->axes; n++)
        for (size_t k = 0; k < s->axis[n].values; k++) {
            const struct sweep_value *v = &s->axis[n].value[k];

            if (!once(s, &v->program, v->line, runs / s->axis[n].values, why))
                return false;
        }
    return true;
}
