/* program_line.c - arguments put into the boot line, so that the guest takes
 * them apart again.
 */
#include "sim/cli/program_line.h"

#include <string.h>

struct line {
    char *text;
    size_t used;
};

static void put(struct line *l, const char *text, size_t n)
{
    for (; n; n--, text++)
        if (l->used < INFO_ARGS_MAX)
            l->text[l->used++] = *text;
}

static void put_word(struct line *l, const char *word)
{
    if (*word && !strpbrk(word, " '\\")) {
        put(l, word, strlen(word));
        return;
    }
    put(l, "'", 1);
    for (; *word; word++) {
        if (*word == '\'')
            put(l, "'\\''", 4);
        else
            put(l, word, 1);
    }
    put(l, "'", 1);
}

bool program_line(char text[INFO_ARGS_MAX], const char *line,
                  const char *program, char *const *argument)
{
    const char *slash = strrchr(program, '/');
    struct line l = {text, 0};

    put(&l, line, strlen(line));
    put(&l, *line ? " run=/bin/" : "run=/bin/", *line ? 10 : 9);
    put_word(&l, slash ? slash + 1 : program);
    while (*argument) {
        put(&l, " ", 1);
        put_word(&l, *argument++);
    }
    put(&l, "", 1);
    return l.used < INFO_ARGS_MAX;
}
