/* sampled.c - the report `sampled`: what became of the instructions that
 * simrun --sample-insns, or the guest, followed, by function or instruction.
 */
#include "tools/analysis/profile/sampled.h"

#include <inttypes.h>

#include "tools/analysis/profile/samples.h"
#include "lib/base/text.h"
#include "tools/simprof/report/report.h"

/* A mean to a tenth; "." of nothing. */
static void put_mean(struct table *t, uint64_t sum, uint64_t n)
{
    char text[32], csv[32];

    if (!n) {
        table_both(t, ".", "");
        return;
    }
    snprintf(text, sizeof text, "%.1f", (double)sum / (double)n);
    snprintf(csv, sizeof csv, "%.3f", (double)sum / (double)n);
    table_both(t, text, csv);
}

/* A share in percent; "." of nothing, or none. */
static void put_share(struct table *t, uint64_t part, uint64_t whole)
{
    if (part)
        table_percent(t, part, whole);
    else
        table_both(t, ".", whole ? "0.0" : "");
}

static void columns(struct table *t, bool by_pc)
{
    table_column(t, "samples", "samples", TABLE_NUMBER);
    table_column(t, "", "completed", TABLE_CSV);
    table_column(t, "wrong\npath", "wrong_path_percent", TABLE_NUMBER);
    table_column(t, "to\ndisp", "cycles_to_dispatch", TABLE_NUMBER);
    table_column(t, "to\nissue", "cycles_to_issue", TABLE_NUMBER);
    table_column(t, "to\nfinish", "cycles_to_finish", TABLE_NUMBER);
    table_column(t, "to\nend", "cycles_to_completion", TABLE_NUMBER);
    table_column(t, "\noldest", "cycles_oldest", TABLE_NUMBER);
    table_column(t, "code\nmiss", "imiss_percent", TABLE_NUMBER);
    table_column(t, "data\nmiss", "dmiss_percent", TABLE_NUMBER);
    table_column(t, "data\ncycles", "data_cycles", TABLE_NUMBER);
    table_column(t, "\nTLB", "tlb_percent", TABLE_NUMBER);
    table_column(t, "mis-\npred", "mispredicted_percent", TABLE_NUMBER);
    table_column(t, by_pc ? "instruction" : "function", "place", 0);
    table_column(t, "", "pc", TABLE_CSV);
}

static void put_row(struct table *t, const struct sampled_row *k,
                    const char *name)
{
    char pc[16];

    snprintf(pc, sizeof pc, "0x%08" PRIx32, k->pc);
    table_count(t, k->samples);
    table_count(t, k->completed);
    put_share(t, k->wrong, k->samples);
    put_mean(t, k->dispatch, k->samples);
    put_mean(t, k->issue, k->issued);
    put_mean(t, k->finish, k->finished);
    put_mean(t, k->end, k->completed);
    put_mean(t, k->oldest, k->completed);
    put_share(t, k->imiss, k->samples);
    put_share(t, k->missed, k->accesses);
    put_mean(t, k->data, k->accesses);
    put_share(t, k->tlb, k->samples);
    put_share(t, k->mispredicted, k->branches);
    table_text(t, name);
    table_text(t, k->pc ? pc : "");
}

static void name_row(struct recording *r, const struct sampled_row *k,
                     char *out, size_t size)
{
    struct place at;

    if (!k->pc) {
        snprintf(out, size, "%s", samples_name(r, k->function));
        return;
    }
    at = loadmap_find(&r->map, k->pc, r->end);
    snprintf(out, size, "%s+0x%" PRIx32, samples_name(r, k->function),
             at.offset);
}

static void put_rows(struct recording *r, const struct options *o,
                     const struct sampled_rows *s, FILE *to)
{
    size_t shown = o->limit && s->rows > o->limit ? o->limit : s->rows;
    struct sampled_row rest = {0};
    struct table t = {0};

    columns(&t, o->pcs);
    if (!o->csv)
        put_row(&t, &s->total, "<Total>");
    for (size_t i = 0; i < s->rows; i++) {
        char name[512];

        if (i >= shown) {
            sampled_join(&rest, &s->row[i]);
            continue;
        }
        name_row(r, &s->row[i], name, sizeof name);
        put_row(&t, &s->row[i], name);
    }
    if (rest.samples)
        put_row(&t, &rest, "<all others>");
    report_table(&t, o, to);
}

void report_sampled(struct recording *r, const struct options *o, FILE *to)
{
    uint64_t period = sampled_period(r);
    struct sampled_rows s;
    char text[32];

    sampled_read(&s, r, o->pcs, o->cpu);
    if (!o->csv) {
        report_head(r, "what became of sampled instructions", to);
        report_interval(r, o, to);
    }
    if (o->csv || s.rows)
        put_rows(r, o, &s, to);
    if (o->csv)
        ;
    else if (!s.rows && (r->windowed || o->cpu >= 0))
        report_say(o, to, "No sampled instruction lies in what was chosen.");
    else if (!s.rows && period)
        report_say(o, to, "One in %s was to be sampled, none was.",
                   text_count(text, period));
    else if (!s.rows)
        report_say(o, to,
                   "No instruction was sampled: simrun --sample-insns PERIOD.");
    else if (!period)
        report_say(
            o, to,
            "As the guest's own driver read them. Cycles are means: from "
            "stage to stage, and from the completion before to its own "
            "(oldest). Data misses are shares of accesses, "
            "mispredictions of branches.");
    else
        report_say(o, to,
                   "One in %s that dispatched%s. Cycles are means: from stage "
                   "to stage, and from the completion before to its own "
                   "(oldest). Data misses are shares of accesses, "
                   "mispredictions of branches.",
                   text_count(text, period),
                   sampled_mode(r) == 'u'   ? " in user state"
                   : sampled_mode(r) == 'k' ? " in supervisor state"
                                            : "");
    sampled_free(&s);
}
