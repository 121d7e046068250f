/* diff.c - the report `diff`: where two runs part. Records of a kind are
 * compared in the order in which they were written; of all kinds the first
 * record that differs is shown in words.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "tools/analysis/experiment/record.h"
#include "tools/simprof/report/report.h"

#define LINES 12  /* of the log that are shown, at most */
#define WORDS 512 /* bytes of a record in words */

/* The kinds of records, and the words that all records of a kind have. */
static const struct kind {
    const char *name, *file;
    unsigned number;
} kinds[] = {
#define KIND(name, NAME, number, file, by, least, words, later, part, what,    \
             about)                                                            \
    {#name, file, number},
#include "include/record.def"
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* Fields that all records of a kind have. */
#define FIELD(form, name, word, type, unit, meaning)                           \
    static uint64_t get_##form##_##name(const struct record *r)                \
    {                                                                          \
        return record_get_##form##_##name(r);                                  \
    }
#include "include/record.def"

static const struct field {
    const char *form, *name, *unit;
    uint64_t (*get)(const struct record *r);
} fields[] = {
#define FIELD(form, name, word, type, unit, meaning)                           \
    {#form, #name, #unit, get_##form##_##name},
#include "include/record.def"
};
#define FIELDS (sizeof fields / sizeof fields[0])

/* One kind in both runs: [0] is the base. */
struct pair {
    uint64_t records[2], same;
    uint64_t cycle[2]; /* of the first that differs; UINT64_MAX: none is left */
    unsigned cpu;
    bool differs;
    char words[2][WORDS];
};

struct diff {
    struct recording base, *r;
    struct pair pair[KINDS];
    const struct pair *first;
};

/* ---- records ------------------------------------------------------------- */

/* A record with its fields by name, addresses with their function. */
static void in_words(struct recording *r, const struct kind *k,
                     const struct record *record, char out[WORDS])
{
    char cycle[TEXT_NUMBER];
    size_t used;

    used = (size_t)snprintf(out, WORDS, "cycle %s, CPU %u, thread %" PRIu32 ":",
                            text_count(cycle, record->cycle), record->cpu,
                            record->thread);
    for (size_t i = 0; i < FIELDS && used < WORDS; i++) {
        const struct field *f = &fields[i];
        uint32_t function;

        if (strcmp(f->form, k->name))
            continue;
        if (strcmp(f->unit, "address")) {
            used += (size_t)snprintf(out + used, WORDS - used, " %s=%" PRIu64,
                                     f->name, f->get(record));
            continue;
        }
        function =
            loadmap_find(&r->map, (uint32_t)f->get(record), record->cycle)
                .function;
        used += (size_t)snprintf(
            out + used, WORDS - used, " %s=%08" PRIx64 " (%.64s)", f->name,
            f->get(record), loadmap_name(&r->map, function));
    }
}

static void note(struct recording *r, const struct kind *k, struct pair *p,
                 int side, bool is, const struct record *record)
{
    p->cycle[side] = is ? record->cycle : UINT64_MAX;
    if (is) {
        p->cpu = record->cpu;
        in_words(r, k, record, p->words[side]);
    } else {
        snprintf(p->words[side], WORDS, "no such record: there are no more");
    }
}

/* What both have of one kind. */
static void read_kind(struct diff *d, const struct kind *k, struct pair *p)
{
    struct recording *run[2] = {&d->base, d->r};
    struct recfile f[2];
    struct record record[2];
    bool open[2], is[2];

    for (int i = 0; i < 2; i++)
        open[i] = recording_records(run[i], k->number, &f[i]);
    do {
        for (int i = 0; i < 2; i++) {
            is[i] = open[i] && recfile_next(&f[i], &record[i]);
            p->records[i] += is[i];
        }
        if (p->differs || (!is[0] && !is[1]))
            continue;
        if (is[0] && is[1] && record_same(&record[0], &record[1])) {
            p->same++;
            continue;
        }
        p->differs = true;
        for (int i = 0; i < 2; i++)
            note(run[i], k, p, i, is[i], &record[i]);
    } while (is[0] || is[1]);
    for (int i = 0; i < 2; i++)
        if (open[i])
            recording_done(run[i], &f[i]);
}

static uint64_t parting(const struct pair *p)
{
    return p->cycle[0] < p->cycle[1] ? p->cycle[0] : p->cycle[1];
}

static void read_all(struct diff *d)
{
    for (size_t i = 0; i < KINDS; i++) {
        struct pair *p = &d->pair[i];

        read_kind(d, &kinds[i], p);
        if (p->differs && (!d->first || parting(p) < parting(d->first)))
            d->first = p;
    }
}

/* ---- the log ------------------------------------------------------------- */

/* Lines of what was asked for, not of what came of it. */
static bool is_told(const char *key)
{
    static const char *const others[] = {"at",    "end",  "records",
                                         "index", "host", "insns",
                                         "count", "file", "date"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(key, others[i]))
            return false;
    return true;
}

static bool has_line(const struct text_lines *l, const struct line *line)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->line[i].key, line->key) &&
            !strcmp(l->line[i].value, line->value))
            return true;
    return false;
}

/* Lines of `of` that the other log has not, each behind a sign. */
static unsigned put_lines(const struct text_lines *of,
                          const struct text_lines *other, char sign,
                          unsigned shown, FILE *to)
{
    for (size_t i = 0; i < of->count; i++)
        if (is_told(of->line[i].key) && !has_line(other, &of->line[i])) {
            if (shown < LINES)
                fprintf(to, "%c %s %s\n", sign, of->line[i].key,
                        of->line[i].value);
            shown++;
        }
    return shown;
}

static void print_logs(const struct diff *d, FILE *to)
{
    char *text = NULL;
    size_t size = 0;
    FILE *lines = open_memstream(&text, &size);
    unsigned shown;

    if (!lines)
        return;
    shown = put_lines(&d->base.log, &d->r->log, '-', 0, lines);
    shown = put_lines(&d->r->log, &d->base.log, '+', shown, lines);
    fclose(lines);
    if (shown)
        fprintf(to,
                "\nWhat their logs say differently (-: before, +: after)\n%s",
                text);
    if (shown > LINES)
        fprintf(to, "... and %u lines more\n", shown - LINES);
    free(text);
}

/* ---- the table ----------------------------------------------------------- */

static void put_cycle(struct table *t, const struct pair *p, int side)
{
    if (!p->differs || p->cycle[side] == UINT64_MAX)
        table_both(t, p->differs ? "none" : ".", "");
    else
        table_count(t, p->cycle[side]);
}

static void print_table(const struct diff *d, const struct options *o, FILE *to)
{
    struct table t = {0};

    table_column(&t, "records\nbefore", "before", TABLE_NUMBER);
    table_column(&t, "\nafter", "after", TABLE_NUMBER);
    table_column(&t, "the same\nat first", "same", TABLE_NUMBER);
    table_column(&t, "then, cycle\nbefore", "cycle_before", TABLE_NUMBER);
    table_column(&t, "\nafter", "cycle_after", TABLE_NUMBER);
    table_column(&t, "\nkind", "kind", 0);
    for (size_t i = 0; i < KINDS; i++) {
        const struct pair *p = &d->pair[i];

        if (!p->records[0] && !p->records[1])
            continue;
        table_count(&t, p->records[0]);
        table_count(&t, p->records[1]);
        table_count(&t, p->same);
        put_cycle(&t, p, 0);
        put_cycle(&t, p, 1);
        table_text(&t, kinds[i].name);
    }
    report_table(&t, o, to);
}

static void print_words(const struct diff *d, const struct options *o, FILE *to)
{
    char number[TEXT_NUMBER];
    size_t i = d->first ? (size_t)(d->first - d->pair) : 0;

    if (!d->first) {
        fputs("\nThe runs are the same, record by record.\n", to);
        return;
    }
    fprintf(to, "\nThe first that differs is number %s of %s:\n",
            text_count(number, d->first->same + 1), kinds[i].file);
    report_say(o, to, "before: %s", d->first->words[0]);
    report_say(o, to, "after: %s", d->first->words[1]);
    if (parting(d->first))
        fprintf(to, "No record of an earlier cycle than %s differs.\n",
                text_count(number, parting(d->first)));
}

static void print(const struct diff *d, const struct options *o, FILE *to)
{
    char title[1024];

    if (o->csv) {
        print_table(d, o, to);
        return;
    }
    snprintf(title, sizeof title, "where it parts from %.512s", d->base.name);
    report_head(d->r, title, to);
    print_table(d, o, to);
    print_words(d, o, to);
    print_logs(d, to);
}

void report_diff(struct recording *r, const struct options *o, FILE *to)
{
    struct diff d = {.r = r};
    char why[512];

    if (!o->text[OPTION_BIT_BASE]) {
        report_refuse(o, "diff: with which experiment?");
        return;
    }
    if (!recording_open(&d.base, o->text[OPTION_BIT_BASE], why, sizeof why)) {
        report_refuse(o, "%s", why);
        return;
    }
    read_all(&d);
    print(&d, o, to);
    for (size_t i = 0; i < d.base.problems.count; i++)
        problem_add(&r->problems, d.base.problems.list[i].level, "%s: %s",
                    d.base.name, d.base.problems.list[i].text);
    recording_close(&d.base);
}
