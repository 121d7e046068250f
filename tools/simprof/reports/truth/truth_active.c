/* truth_active.c - active time against how long the machine says that threads
 * ran, for everything that was probed. */
#include <inttypes.h>
#include <string.h>

#include "lib/base/text.h"
#include "tools/simprof/reports/active/active_view.h"
#include "tools/simprof/reports/truth/truth.h"

static void put_row(struct table *t, const struct active_view *v,
                    uint32_t portion)
{
    struct active_verdict j = {0};
    char text[TEXT_NUMBER + 1], number[TEXT_NUMBER], csv[32];
    uint64_t apart;

    for (size_t i = 0; i < v->threads; i++)
        active_judge(&j, &v->thread[i], portion);
    apart = j.ours < j.ran ? j.ran - j.ours : j.ours - j.ran;
    table_count(t, j.calls);
    table_count(t, j.ours);
    table_count(t, j.ran);
    snprintf(text, sizeof text, "%s%s",
             !apart           ? ""
             : j.ours < j.ran ? "-"
                              : "+",
             text_count(number, apart));
    snprintf(csv, sizeof csv, "%s%" PRIu64, j.ours < j.ran ? "-" : "", apart);
    table_both(t, text, csv);
    table_count(t, j.exact);
    table_count(t, j.worst);
    table_text(t, v->in->portion[portion].section ? "section" : "function");
    table_text(t, active_name(v, portion));
}

void truth_put_active(struct recording *r, const struct options *o, FILE *to)
{
    struct active_input in;
    struct active_view v = {.in = &in, .o = o, .r = r, .to = to};
    struct table t = {0};
    char why[256];

    active_input_records(&in, r, NULL);
    if (in.t.timers && active_work_out(&v, why, sizeof why)) {
        table_column(&t, "calls", "calls", TABLE_NUMBER);
        table_column(&t, "active +\noverhead", "ours", TABLE_NUMBER);
        table_column(&t, "really\nran", "ran", TABLE_NUMBER);
        table_column(&t, "residual", "residual", TABLE_NUMBER);
        table_column(&t, "calls\nexact", "exact", TABLE_NUMBER);
        table_column(&t, "worst\na call", "worst", TABLE_NUMBER);
        table_column(&t, "", "kind", 0);
        table_column(&t, "portion", "portion", 0);
        for (uint32_t i = 0; i < in.portions; i++)
            put_row(&t, &v, i);
        report_say(o, to,
                   "\nActive time: cycles of outermost calls, beside "
                   "what the machine's context registers say");
        report_table(&t, o, to);
    }
    active_view_free(&v);
    active_input_free(&in);
}
