/* filter.c - texts to expressions, with what is wrong shown in the text. */
#include "tools/analysis/query/filter.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 60 /* characters of a long text */

/* Why, the text, and below it the place: of a long text what stands there. */
static void blame(const char *text, const struct expr_error *error, char *out,
                  size_t size)
{
    size_t n = strlen(text), from = 0, to = n;

    if (n > SHOWN) {
        from = error->at > SHOWN / 2 ? error->at - SHOWN / 2 : 0;
        to = from + SHOWN < n ? from + SHOWN : n;
    }
    snprintf(out, size, "%s\n  %s%.*s%s\n  %*s^", error->why, from ? ".." : "",
             (int)(to - from), text + from, to < n ? ".." : "",
             (int)(error->at - from + (from ? 2 : 0)), "");
}

struct expr *filter_open(const char *text, struct recording *r,
                         const struct samples_metrics *metrics, char *why,
                         size_t size)
{
    struct expr_about about = {r, metrics, NULL};
    struct expr_error error;
    struct expr *e = expr_new(text, &error);

    if (e && (!r || expr_names(e, &about, &error)))
        return e;
    expr_free(e);
    blame(text, &error, why, size);
    return NULL;
}
