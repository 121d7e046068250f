/* completion.c - names that begin like the last word of a line. */
#include "tools/simprof/session/completion.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/samples.h"
#include "tools/simprof/session/options.h"
#include "tools/simprof/report/reports.h"

/* What is being completed. */
struct typed {
    struct completion *c;
    const struct session *s;
    const char *text; /* what is typed of it */
    size_t n;
};

static void offer(const struct typed *t, const char *name)
{
    struct completion *c = t->c;

    if (strncmp(name, t->text, t->n) || strpbrk(name, " \t\n"))
        return;
    c->name = grow(c->name, &c->room, c->names + 1, sizeof *c->name);
    c->name[c->names++] = grow_text(name);
}

/* The first `skip` bytes of it are left as they are. */
static void narrow(struct typed *t, size_t skip)
{
    t->c->from += skip;
    t->text += skip;
    t->n -= skip;
}

/* ---- kinds of names ------------------------------------------------------ */

static void offer_reports(const struct typed *t)
{
    const struct report *report;
    char room[REPORTS_NAME];

    for (size_t i = 0; (report = reports_at(i)); i++)
        offer(t, reports_spelled(report, room));
}

static void offer_commands(const struct typed *t)
{
    const struct command *c;

    offer_reports(t);
    for (size_t i = 0; (c = commands_at(i)); i++)
        offer(t, c->name);
}

static void offer_functions(const struct typed *t)
{
    for (uint32_t f = 1; f < t->s->r->map.functions; f++)
        offer(t, loadmap_name(&t->s->r->map, f));
}

/* Whole ones, where nothing is typed yet. */
static void offer_flavors(const struct typed *t,
                          const struct samples_metrics *m)
{
    for (unsigned i = 0; i + 1 < m->count; i++) {
        char name[128];

        snprintf(name, sizeof name, "e.%.100s", m->list[i].name);
        offer(t, name);
        name[0] = 'i';
        if (i != SAMPLES_EXACT)
            offer(t, name);
    }
}

/* "ei.%cycles:e+dcac": the name behind the letters of the last one. */
static void offer_metrics(struct typed *t, bool sort)
{
    struct samples_metrics m;
    size_t last = 0, letters;

    for (size_t i = 0; i < t->n; i++)
        if (t->text[i] == ':')
            last = i + 1;
    if (sort && t->n && t->text[0] == '-')
        last = 1;
    narrow(t, last);
    if (sort || last)
        offer(t, "name");
    letters = strspn(t->text, "eia");
    letters += strspn(t->text + letters, ".+%!");
    samples_metrics_open(&m, t->s->r);
    if (!t->n) {
        offer_flavors(t, &m);
    } else if (letters && strchr(".+%!", t->text[letters - 1])) {
        narrow(t, letters);
        for (unsigned i = 0; i + 1 < m.count; i++)
            offer(t, m.list[i].name);
    }
    samples_metrics_free(&m);
    t->c->behind = 0; /* another may follow */
}

static void offer_events(const struct typed *t)
{
    struct samples_metrics m;

    samples_metrics_open(&m, t->s->r);
    for (unsigned i = 1; i + 1 < m.count; i++)
        offer(t, m.list[i].name);
    samples_metrics_free(&m);
    offer(t, "to-idle");
    offer(t, "from-idle");
    offer(t, "idle");
}

static void offer_defined(const struct typed *t, bool memory)
{
    for (size_t i = 0; i < t->s->defined.count; i++)
        if (t->s->defined.list[i].memory == memory)
            offer(t, t->s->defined.list[i].name);
}

/* What may stand behind an option. */
static void offer_values(struct typed *t, int bit)
{
    const char *const *word = options_words(bit);

    for (; word && *word; word++)
        offer(t, *word);
    if (bit == OPTION_BIT_METRICS || bit == OPTION_BIT_SORT)
        offer_metrics(t, bit == OPTION_BIT_SORT);
    else if (bit == OPTION_BIT_FUNCTION)
        offer_functions(t);
    else if (bit == OPTION_BIT_EVENT)
        offer_events(t);
}

/* ---- where it stands ----------------------------------------------------- */

/* An option of a report: its name, or behind = what it takes. */
static void offer_options(struct typed *t, uint64_t takes)
{
    const char *equal = memchr(t->text, '=', t->n);
    char name[64];

    narrow(t, 2);
    for (int bit = 0; bit < OPTION_COUNT; bit++) {
        size_t n = strlen(options_spelling(bit));

        if (!(takes & 1ull << bit))
            continue;
        if (!equal) {
            snprintf(name, sizeof name, "%s%s", options_spelling(bit),
                     options_argument(bit) ? "=" : "");
            offer(t, name);
        } else if ((size_t)(equal - t->text) == n &&
                   !strncmp(t->text, options_spelling(bit), n)) {
            narrow(t, n + 1);
            offer_values(t, bit);
            return;
        }
    }
}

static void offer_operands(struct typed *t, const struct report *report)
{
    if (report->takes & OPTION_FUNCTION)
        offer_functions(t);
    if (report->takes & OPTION_NAME)
        offer_defined(t, !strcmp(report->name, "memobj"));
}

/* Behind the words w: something of this report. */
static void offer_report(struct typed *t, const struct report *report)
{
    if (t->n >= 2 && !strncmp(t->text, "--", 2))
        offer_options(t, report->takes);
    else
        offer_operands(t, report);
}

/* The second word of reports of two: tree build. */
static void offer_second(const struct typed *t, char *first)
{
    const struct report *report;
    size_t n = strlen(first);

    for (size_t i = 0; (report = reports_at(i)); i++) {
        char *second = grow_text(report->name + strcspn(report->name, "_"));
        char *word[] = {first, second + (*second == '_')};
        int words;

        if (!strncmp(report->name, first, n) && report->name[n] == '_' &&
            reports_find(2, word, &words) && words == 2)
            offer(t, word[1]);
        free(second);
    }
}

static void offer_arguments(struct typed *t, const struct command_words *w)
{
    const struct command *c = commands_find(w->word[0]);
    const struct report *report;
    int words;

    if (c && c->report)
        w->word[0] = (char *)c->report;
    report = reports_find(w->count, w->word, &words);
    if (report && !(c && c->option >= 0 && t->text[0] != '-'))
        offer_report(t, report);
    else if (c && c->option >= 0)
        offer_values(t, c->option);
    else if (c && !strcmp(c->name, "help"))
        offer_reports(t);
    else if (c && !strcmp(c->name, "printmode"))
        for (int i = 0; i < PRINTMODES; i++)
            offer(t, printmodes[i]);
    else if (!c && w->count == 1)
        offer_second(t, w->word[0]);
}

/* ---- together ------------------------------------------------------------ */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void in_order(struct completion *c)
{
    size_t kept = 0;

    if (c->names)
        qsort(c->name, c->names, sizeof *c->name, by_text);
    for (size_t i = 0; i < c->names; i++) {
        if (kept && !strcmp(c->name[i], c->name[kept - 1]))
            free(c->name[i]);
        else
            c->name[kept++] = c->name[i];
    }
    c->names = kept;
}

void complete(struct completion *c, const struct session *s, const char *line,
              size_t n)
{
    char *before = grow_bytes(line, n), *word;
    struct typed t = {.c = c, .s = s};
    struct command_words w;

    *c = (struct completion){.from = n, .behind = ' '};
    while (c->from && !strchr(" \t", line[c->from - 1]))
        c->from--;
    t.text = word = grow_bytes(line + c->from, n - c->from);
    t.n = strlen(word);
    before[c->from] = '\0';
    if (command_words_split(&w, before))
        w.count = -1; /* a quote is open */
    if (w.count > 0)
        offer_arguments(&t, &w);
    else if (!w.count)
        offer_commands(&t);
    command_words_free(&w);
    in_order(c);
    if (c->names == 1 && strchr(c->name[0], '='))
        c->behind = 0;
    free(word);
    free(before);
}

size_t completion_common(const struct completion *c)
{
    size_t same = c->names ? strlen(c->name[0]) : 0;

    for (size_t i = 1; i < c->names; i++) {
        size_t n = 0;

        while (n < same && c->name[0][n] == c->name[i][n])
            n++;
        same = n;
    }
    return same;
}

void completion_free(struct completion *c)
{
    for (size_t i = 0; i < c->names; i++)
        free(c->name[i]);
    free(c->name);
    *c = (struct completion){0};
}
