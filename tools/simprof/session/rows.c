/* rows.c - see rows.h. */
#include "tools/simprof/session/rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/report/reports.h"
#include "tools/simprof/session/options.h"

static void print(struct recording *r, const char *experiment, int count,
                  char **word, struct refusal *why, FILE *to)
{
    struct options o = {.cpu = -1, .limit = UINT32_MAX, .refusal = why};
    const struct report *report;
    int words, at;

    report = reports_find(count, word, &words);
    if (!report) {
        snprintf(why->text, sizeof why->text, "%s: no such report", word[0]);
        return;
    }
    o.experiment = experiment;
    if (options_read(&o, report->takes, count - words + 1, word + words - 1,
                     &at) != OPTIONS_READ)
        return;
    if (at + words - 1 < count)
        options_operand(&o, report->takes, word[at + words - 1]);
    options_settle(&o, to);
    reports_print(report, r, &o, to);
}

char *rows_text(struct recording *r, const char *experiment, int count,
                const char *const *word, struct refusal *why)
{
    char *own[ROWS_WORDS + 1], *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return grow_text("");
    for (int i = 0; i < count; i++)
        own[i] = grow_text(word[i]);
    own[count] = NULL;
    /* Reading options puts the words in another order. */
    print(r, experiment, count, own, why, to);
    fclose(to);
    for (int i = 0; i < count; i++)
        free(own[i]);
    return text ? text : grow_text("");
}

json_t *rows_read(struct recording *r, const char *experiment, int count,
                  const char *const *word, struct refusal *why)
{
    const char *with[ROWS_WORDS];
    json_t *rows;
    char *text;

    memcpy(with, word, (size_t)count * sizeof *with);
    with[count] = "--json";
    text = rows_text(r, experiment, count + 1, with, why);
    rows = json_loads(text, 0, NULL);
    free(text);
    return rows ? rows : json_array();
}
