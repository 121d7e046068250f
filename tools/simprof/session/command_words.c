/* command_words.c - blanks, quotes and comments. */
#include "tools/simprof/session/command_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

#define BLANKS " \t\r\n\v\f"

static void add(struct command_words *w, char *word)
{
    w->word = grow(w->word, &w->room, (size_t)w->count + 2, sizeof *w->word);
    w->word[w->count++] = word;
    w->word[w->count] = NULL;
}

/* One word from *at on, without its quotes; *at moves behind it. The word
 * stands where its text stood: it is never longer. */
static const char *take(struct command_words *w, char **at)
{
    char *to = *at, quote = '\0', *from = *at;

    add(w, to);
    while (*from && (quote || !strchr(BLANKS, *from))) {
        if (quote ? *from == quote : *from == '"' || *from == '\'')
            quote = quote ? '\0' : *from;
        else
            *to++ = *from;
        from++;
    }
    if (quote)
        return quote == '"' ? "a \" opens here and never closes"
                            : "a ' opens here and never closes";
    *at = *from ? from + 1 : from;
    *to = '\0';
    return NULL;
}

const char *command_words_split(struct command_words *w, const char *line)
{
    size_t n;
    char *at;

    *w = (struct command_words){0};
    line += strspn(line, BLANKS);
    w->text = grow_text(line);
    for (n = strlen(w->text); n && strchr(BLANKS, w->text[n - 1]); n--)
        w->text[n - 1] = '\0';
    n = strcspn(w->text, BLANKS);
    w->rest = grow_text(w->text + n + strspn(w->text + n, BLANKS));
    if (w->text[0] == '#')
        return NULL;
    for (at = w->text; *at;) {
        const char *why = take(w, &at);

        if (why)
            return why;
        at += strspn(at, BLANKS);
    }
    return NULL;
}

void command_words_take(struct command_words *w, int count, char *const *word)
{
    size_t size = 1;

    *w = (struct command_words){0};
    for (int i = 0; i < count; i++) {
        add(w, word[i]);
        size += strlen(word[i]) + 1;
    }
    w->rest = grow_zero(size, 1);
    for (int i = 1; i < count; i++)
        sprintf(w->rest + strlen(w->rest), "%s%s", i > 1 ? " " : "", word[i]);
}

void command_words_free(struct command_words *w)
{
    free(w->word);
    free(w->rest);
    free(w->text);
    *w = (struct command_words){0};
}

char *command_words_unquoted(char *text)
{
    size_t n = strlen(text);

    if (n < 2 || !strchr("'\"", text[0]) || text[n - 1] != text[0] ||
        strchr(text + 1, text[0]) != text + n - 1)
        return text;
    text[n - 1] = '\0';
    return text + 1;
}

char *command_words_whole(const struct command_words *w)
{
    return command_words_unquoted(w->rest);
}
