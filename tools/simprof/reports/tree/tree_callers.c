/* tree_callers.c - one function between its callers and its callees. Of a
 * function that is on a stack several times the call nearest the leaf names
 * both: so what callers attribute, and what it has itself and of its callees,
 * both make its inclusive samples (tools/analysis/profile/totals.h).
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/reports/tree/tree.h"

struct row {
    uint64_t count;
    const char *name;
};

/* Most first, then by name. */
static int by_count(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->name, y->name);
}

struct sides {
    struct row *caller, *callee; /* by name */
    uint64_t inclusive, exclusive;
};

static void add_up(struct sides *s, const struct timetree_file *f,
                   const struct timetree_answer *a, uint32_t name)
{
    for (uint32_t type = 0; type < f->tree.types; type++) {
        uint32_t below = 0, caller = 0;
        bool on = false;

        for (uint32_t c = f->call_of[type]; a->count[type] && c;
             c = f->call[c].parent) {
            if (f->call[c].name == name) {
                if (below)
                    s->callee[f->call[below].name].count += a->count[type];
                else
                    s->exclusive += a->count[type];
                on = true;
                caller = f->call[c].parent;
                break;
            }
            below = c;
        }
        if (!on)
            continue;
        s->caller[f->call[caller].name].count += a->count[type];
        s->inclusive += a->count[type];
    }
}

static void put_row(struct table *t, const struct row *row, uint64_t all,
                    const char *is)
{
    table_count(t, row->count);
    table_percent(t, row->count, all);
    table_text(t, is);
    table_text(t, row->name);
}

static void put_side(struct table *t, struct row *row, uint64_t names,
                     uint64_t all, const char *is)
{
    qsort(row, names, sizeof *row, by_count);
    for (uint64_t i = 0; i < names && row[i].count; i++)
        put_row(t, &row[i], all, is);
}

void tree_print_callers(const struct timetree_file *f,
                        const struct timetree_answer *a,
                        const struct options *o, FILE *to)
{
    const char *wanted = o->text[OPTION_BIT_FUNCTION];
    struct sides s = {.caller = grow_zero(f->names, sizeof *s.caller),
                      .callee = grow_zero(f->names, sizeof *s.callee)};
    uint32_t name = 0;
    struct table t = {0};

    for (uint32_t i = 0; i < f->names; i++) {
        s.caller[i].name = s.callee[i].name = f->text + f->name[i];
        if (!strcmp(s.caller[i].name, wanted))
            name = i;
    }
    if (name)
        add_up(&s, f, a, name);
    else
        report_refuse(o, "--function=%s: no stack of the tree has it", wanted);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "share", "percent", TABLE_NUMBER);
    table_column(&t, "", "is", 0);
    table_column(&t, "function", "function", 0);
    put_side(&t, s.caller, f->names, s.inclusive, "caller");
    put_row(&t, &(struct row){s.inclusive, wanted}, s.inclusive, "inclusive");
    put_row(&t, &(struct row){s.exclusive, wanted}, s.inclusive, "exclusive");
    put_side(&t, s.callee, f->names, s.inclusive, "callee");
    if (name)
        report_table(&t, o, to);
    table_free(&t);
    free(s.caller);
    free(s.callee);
}
