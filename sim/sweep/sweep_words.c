/* sweep_words.c - lists of words, and a text taken apart. */
#include "sim/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

void sweep_words_add(struct sweep_words *w, const char *text)
{
    w->word = grow(w->word, &w->room, w->count + 2, sizeof *w->word);
    w->word[w->count++] = grow_text(text);
    w->word[w->count] = NULL;
}

void sweep_words_free(struct sweep_words *w)
{
    for (size_t n = 0; n < w->count; n++)
        free(w->word[n]);
    free(w->word);
    *w = (struct sweep_words){0};
}

/* One word from *from on, into `word`. False: a quote has no end. */
static bool take(const char **from, char *word)
{
    const char *c = *from;

    while (*c && *c != ' ') {
        char quote = *c == '\'' || *c == '"' ? *c++ : 0;

        if (!quote) {
            if (*c == '\\' && c[1])
                c++;
            *word++ = *c++;
            continue;
        }
        while (*c && *c != quote) {
            if (quote == '"' && *c == '\\' && (c[1] == '"' || c[1] == '\\'))
                c++;
            *word++ = *c++;
        }
        if (!*c++)
            return false;
    }
    *word = '\0';
    *from = c;
    return true;
}

bool sweep_words_split(struct sweep_words *w, const char *text)
{
    char *word = grow_zero(strlen(text) + 1, 1);
    bool good = true;

    while (good) {
        text += strspn(text, " ");
        if (!*text)
            break;
        good = take(&text, word);
        if (good)
            sweep_words_add(w, word);
    }
    free(word);
    return good;
}
