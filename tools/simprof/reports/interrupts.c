/* interrupts.c - the report `interrupts`: where interrupts met the CPUs.
 * Every interrupt taken is a sample of what ran; with a sampling trigger
 * (decrementer, performance monitor) that is an ordinary profile, to be held
 * against the oracle's in `functions`. And the report `tprof`: the same of the
 * trace hooks that the guest's own profiler by time wrote.
 */
#include "tools/analysis/profile/interrupts.h"

#include <inttypes.h>

#include "lib/base/text.h"
#include "tools/simprof/report/select.h"

static void put_row(struct table *t, const struct interrupts *s,
                    const struct interrupt_row *row)
{
    table_count(t, row->count);
    table_percent(t, row->count, s->total.count);
    for (size_t i = 0; i < s->vectors; i++)
        table_dotted(t, row->by[i]);
    if (!s->hooks)
        table_count(t, row->count ? row->wait / row->count : 0);
    table_text(t, row->name);
}

/* Rows from `first` on as one. */
static void put_rest(struct table *t, const struct interrupts *s, size_t first)
{
    uint64_t by[64] = {0};
    struct interrupt_row rest = {.name = (char[]){"<all others>"}, .by = by};

    for (size_t i = first; i < s->rows; i++) {
        rest.count += s->row[i].count;
        rest.wait += s->row[i].wait;
        for (size_t k = 0; k < s->vectors; k++)
            by[k] += s->row[i].by[k];
    }
    put_row(t, s, &rest);
}

static const char *column_name(const struct interrupts *s, uint32_t vector,
                               char out[16])
{
    if (!s->hooks)
        return interrupts_name(vector, out);
    snprintf(out, 16, "%s", vector == TICK_USER ? "user" : "system");
    return out;
}

static void put_columns(struct table *t, const struct interrupts *s,
                        enum interrupts_by by)
{
    static const char *const what[] = {"function", "instruction", "thread",
                                       "process"};
    char name[16];

    table_column(t, "count", "count", TABLE_NUMBER);
    table_column(t, "share", "percent", TABLE_NUMBER);
    for (size_t i = 0; i < s->vectors; i++)
        table_column(t, column_name(s, s->vector[i], name), name, TABLE_NUMBER);
    if (!s->hooks)
        table_column(t, "mean\nwait", "mean_wait_cycles", TABLE_NUMBER);
    table_column(t, what[by], what[by], 0);
}

static void put_rows(struct table *t, const struct interrupts *s,
                     const struct options *o)
{
    size_t shown = o->limit && s->rows > o->limit ? o->limit : s->rows;

    put_columns(t, s, o->by);
    if (s->rows)
        put_row(t, s, &s->total);
    for (size_t i = 0; i < shown; i++)
        put_row(t, s, &s->row[i]);
    if (shown < s->rows)
        put_rest(t, s, shown);
}

/* Why there is nothing. */
static const char *nothing(const struct interrupts *s,
                           const struct selection *selection)
{
    if (s->hooks)
        return selection->all ? "The guest wrote no trace hook: tprof=on on "
                                "its boot line has it write them."
                              : "The guest wrote no such trace hook.";
    return selection->all ? "No interrupt was taken."
                          : "No such interrupt was taken.";
}

static void report(struct recording *r, const struct options *o, unsigned kind,
                   const char *title, FILE *to)
{
    struct selection selection;
    struct interrupts s;
    struct table t = {0};

    if (!selection_open(&selection, r, o))
        return;
    selection.no_exact = true;
    interrupts_choose(&s, r, kind, o->by, selection_wants, &selection);
    if (!o->csv) {
        report_head(r, title, to);
        selection_say(&selection, o, to);
    }
    put_rows(&t, &s, o);
    if (!s.rows && !o->csv)
        report_say(o, to, "%s", nothing(&s, &selection));
    if (s.rows || o->csv)
        report_table(&t, o, to);
    if (s.rows && !o->csv && !s.hooks)
        report_say(o, to,
                   "\nmean wait: cycles from the signal to the interrupt");
    table_free(&t);
    interrupts_free(&s);
    selection_close(&selection);
}

void report_interrupts(struct recording *r, const struct options *o, FILE *to)
{
    report(r, o, REC_IRQ, "where interrupts met the CPUs", to);
}

void report_tprof(struct recording *r, const struct options *o, FILE *to)
{
    report(r, o, REC_TICK, "where the guest's profiler by time met its threads",
           to);
}
