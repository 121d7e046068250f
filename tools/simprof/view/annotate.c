/* annotate.c - choosing a function and marking what is hot in it. */
#include "tools/simprof/view/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/report/function_hint.h"

static uint64_t by_function(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

bool annotate_function(const struct recording *r, const struct options *o,
                       const struct samples *s, const struct view *v,
                       uint32_t *function)
{
    const char *wanted = o->text[OPTION_BIT_FUNCTION];
    uint32_t start, size, named = LOADMAP_UNKNOWN;
    struct totals t;
    uint64_t most = 0;
    bool found = false;

    if (wanted)
        named = function_hint(r, wanted);
    totals_read(&t, s, by_function, NULL);
    for (size_t i = 0; i < t.rows; i++) {
        struct view_row row = {
            .value = {t.row[i].exclusive, t.row[i].inclusive}};
        uint32_t f = (uint32_t)t.row[i].key;
        bool this = !wanted || f == named;

        if (!this || !loadmap_extent(&r->map, f, &start, &size) ||
            (found && annotate_value(v, &row) <= most))
            continue;
        most = annotate_value(v, &row);
        *function = f;
        found = true;
    }
    totals_free(&t);
    if (!found && wanted) { /* it may be there and have cost nothing */
        *function = named;
        found = loadmap_extent(&r->map, named, &start, &size);
    }
    if (!found && wanted)
        function_refuse(r, o, wanted);
    else if (!found)
        report_refuse(o, "no function of the profile has code");
    return found;
}

struct annotate_sum annotate_sum(unsigned metrics)
{
    return (struct annotate_sum){grow_zero(metrics, sizeof(uint64_t)),
                                 grow_zero(metrics, sizeof(uint64_t))};
}

void annotate_add(struct annotate_sum *s, const struct totals_row *row,
                  unsigned metrics)
{
    for (unsigned m = 0; m < metrics; m++) {
        s->exclusive[m] += row->exclusive[m];
        s->inclusive[m] += row->inclusive[m];
    }
}

void annotate_free(struct annotate_sum *s)
{
    free(s->exclusive);
    free(s->inclusive);
}

struct view_row annotate_row(const struct annotate_sum *s, const char *name)
{
    return (struct view_row){.name = name,
                             .value = {s->exclusive, s->inclusive}};
}

uint64_t annotate_value(const struct view *v, const struct view_row *row)
{
    const uint64_t *value = row->value[v->sort.flavor];

    return value ? value[v->sort.metric] : 0;
}

const char *annotate_mark(const struct view *v, const struct view_row *row,
                          uint64_t most)
{
    uint64_t n = annotate_value(v, row);

    return n && n >= most - most / 4 ? "##" : "";
}

void annotate_executions_column(struct table *t)
{
    table_column(t, "executions", "executions", TABLE_NUMBER);
}

void annotate_executions(struct table *t, const uint64_t *count)
{
    if (count)
        table_count(t, *count);
    else
        table_text(t, "");
}

void annotate_executions_say(FILE *to)
{
    fputs("executions: of the whole run and all threads, counted by marks.\n",
          to);
}
