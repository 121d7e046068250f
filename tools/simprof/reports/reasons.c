/* reasons.c - the report `reasons`: what exact cycles were spent on or lost to,
 * in time: a row for each step, a column for each reason. Of an interval of the
 * account (knob account_us) that a step cuts, its share by length, as in all
 * reports (select.h); so the rows add up to what `functions` has.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"

#define STEPS_MAX 100000
#define STEPS_TEXT 20
#define TWELFTHS 12

struct reasons {
    struct recording *r;
    struct selection s;
    uint64_t first, step; /* the first row begins at a multiple of step */
    size_t steps;
    uint64_t *twelfths; /* [step * RECORDING_REASONS + reason] */
    uint64_t total[RECORDING_REASONS];
};

static bool settle(struct reasons *x, const struct options *o)
{
    struct recording *r = x->r;
    uint64_t to = x->s.to < r->end ? x->s.to : r->end;
    uint64_t length = to > x->s.from ? to - x->s.from : 0;
    uint64_t usual = length / STEPS_TEXT + 1;

    if (!option_cycles(r, o, OPTION_BIT_STEP, usual, &x->step))
        return false;
    if (!x->step || length / x->step >= STEPS_MAX) {
        report_refuse(o, "--step=%s: makes more than %d steps",
                      o->text[OPTION_BIT_STEP], STEPS_MAX);
        return false;
    }
    x->first = x->s.from / x->step;
    x->steps = length ? (size_t)((to - 1) / x->step - x->first + 1) : 0;
    return true;
}

static void read_rows(struct reasons *x)
{
    struct record k;
    struct recfile f;

    x->twelfths =
        grow_zero(x->steps * RECORDING_REASONS + 1, sizeof *x->twelfths);
    if (!recording_records(x->r, REC_ORACLE, &f))
        return;
    f.rows.step = x->step;
    while (recfile_next(&f, &k)) {
        unsigned reason = record_get_oracle_reason(&k);
        uint64_t n = k.cycle ? (k.cycle - 1) / x->step : 0;

        if (k.cycle > x->r->settled || reason >= RECORDING_REASONS ||
            !selection_wants(&x->s, &k) || n < x->first ||
            n - x->first >= x->steps)
            continue;
        x->twelfths[(n - x->first) * RECORDING_REASONS + reason] +=
            record_get_oracle_twelfths(&k);
        x->total[reason] += record_get_oracle_twelfths(&k);
    }
    recording_done(x->r, &f);
}

/* Whole cycles that add up to those of the row. */
static void put(struct table *t, const struct reasons *x, const char *name,
                const uint64_t *twelfths)
{
    uint64_t all = 0, sum = 0;

    for (unsigned k = 0; k < x->r->reasons; k++)
        all += twelfths[k];
    table_number(t, name, name);
    table_count(t, all / TWELFTHS);
    for (unsigned k = 0; k < x->r->reasons; k++) {
        uint64_t before = sum;

        sum += twelfths[k];
        if (x->total[k])
            table_dotted(t, sum / TWELFTHS - before / TWELFTHS);
    }
}

static void print(const struct reasons *x, const struct options *o, FILE *to)
{
    struct table t = {0};
    char name[TEXT_NUMBER];

    table_column(&t, "from cycle", "from_cycle", TABLE_NUMBER);
    table_column(&t, "cycles", "cycles", TABLE_NUMBER);
    for (unsigned k = 0; k < x->r->reasons; k++)
        if (x->total[k])
            table_column(&t, x->r->reason[k], x->r->reason[k], TABLE_NUMBER);
    for (size_t n = 0; n < x->steps; n++) {
        snprintf(name, sizeof name, "%" PRIu64, (x->first + n) * x->step);
        put(&t, x, name, x->twelfths + n * RECORDING_REASONS);
    }
    report_table(&t, o, to);
}

void report_reasons(struct recording *r, const struct options *o, FILE *to)
{
    struct reasons x = {.r = r};

    if (!selection_open(&x.s, r, o))
        return;
    if (settle(&x, o)) {
        read_rows(&x);
        if (!o->csv) {
            report_head(r, "what cycles were spent on or lost to, in time", to);
            selection_say(&x.s, o, to);
        }
        print(&x, o, to);
    }
    free(x.twelfths);
    selection_close(&x.s);
}
