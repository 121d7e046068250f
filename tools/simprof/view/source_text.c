/* source_text.c - see source_text.h. */
#include "tools/simprof/view/source_text.h"

#include <string.h>

#include "lib/base/text.h"

static FILE *try_open(const char *dir, const char *name)
{
    char path[4096];

    if (snprintf(path, sizeof path, "%s%s%s", dir, dir[0] ? "/" : "", name) >=
        (int)sizeof path)
        return NULL;
    return fopen(path, "r");
}

FILE *source_text_open(const struct options *o, const char *name)
{
    const char *dir = o->text[OPTION_BIT_SOURCES];
    const char *base = strrchr(name, '/');
    FILE *f = name[0] == '/' ? NULL : try_open(dir ? dir : ".", name);

    if (!f)
        f = try_open(dir ? dir : ".", base ? base + 1 : name);
    return f || name[0] != '/' ? f : try_open("", name);
}

void source_text_next(FILE *f, char out[SOURCE_LINE])
{
    size_t n = 0;
    int c = EOF;

    while (f && (c = getc(f)) != EOF && c != '\n')
        do
            if (n < SOURCE_LINE - 1)
                out[n++] = (char)(c == '\t' ? ' ' : c);
        while (c == '\t' && n % 8 && n < SOURCE_LINE - 1);
    out[n] = '\0';
    text_printable(out);
}
