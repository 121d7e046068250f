/* show.c - a mistake, shown in the text that has it. */
#include <stdio.h>
#include <string.h>

#include "lib/expr/expr.h"

#define SHOWN 60 /* characters of a long text */

void expr_show(const char *text, const struct expr_error *error, char *out,
               size_t size)
{
    size_t n = strlen(text), from = 0, to = n;
    char shown[SHOWN + 1];

    if (n > SHOWN) {
        from = error->at > SHOWN / 2 ? error->at - SHOWN / 2 : 0;
        to = from + SHOWN < n ? from + SHOWN : n;
    }
    for (size_t i = from; i < to; i++)
        shown[i - from] = (unsigned char)text[i] < 0x20 ? ' ' : text[i];
    shown[to - from] = '\0';
    snprintf(out, size, "%s\n  %s%s%s\n  %*s^", error->why, from ? ".." : "",
             shown, to < n ? ".." : "",
             (int)(error->at - from + (from ? 2 : 0)), "");
}
