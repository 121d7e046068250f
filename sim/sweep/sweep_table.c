/* sweep_table.c - the CSV of a sweep: a row a run, then a row for each set of
 * values, over its seeds: mean, 95 % interval, and what it gains on the base,
 * seed by seed. Nothing of the host is in it.
 */
#include "sim/sweep/sweep.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/paired.h"
#include "lib/base/table.h"

struct result {
    char *end;
    int exit;
    bool whole; /* the program came to its end */
    int64_t cycles, insns;
};

struct results {
    const struct sweep *s;
    struct result *run;
    struct table t;
};

/* ---- results ------------------------------------------------------------- */

static bool read_result(struct results *r, struct sweep_names *n, size_t run,
                        size_t *missing, char why[SWEEP_WHY])
{
    char *name = sweep_name(n, r->s, run, ".json");
    FILE *f = fopen(name, "re");
    json_t *j = f ? json_loadf(f, 0, NULL) : NULL, *status;
    struct result *to = &r->run[run];
    json_int_t cycles, insns;
    const char *end;
    bool good = j && !json_unpack(j, "{s:s, s:i, s:o, s:I, s:I}", "end", &end,
                                  "exit", &to->exit, "status", &status,
                                  "cycles", &cycles, "insns", &insns);

    if (good) {
        to->end = grow_text(end);
        to->whole = json_is_integer(status);
        to->cycles = cycles;
        to->insns = insns;
    } else if (f) {
        snprintf(why, SWEEP_WHY, "%s: damaged; remove it and run again", name);
    } else {
        ++*missing;
    }
    json_decref(j);
    if (f)
        fclose(f);
    free(name);
    return good || !f;
}

static bool read_all(struct results *r, struct sweep_names *n,
                     char why[SWEEP_WHY])
{
    size_t runs = sweep_runs(r->s), missing = 0;
    bool good = true;

    for (size_t run = 0; good && run < runs; run++)
        good = read_result(r, n, run, &missing, why);
    if (good && missing)
        snprintf(why, SWEEP_WHY,
                 "%s: %zu of %zu runs have no result in %s yet; without "
                 "--merge they are run, or with --part=N/M",
                 r->s->file, missing, runs, n->dir);
    return good && !missing;
}

/* ---- rows ---------------------------------------------------------------- */

static void head(struct results *r)
{
    static const char *const each[] = {"seed", "exit", "cycles", "insns",
                                       "end"};
    static const char *const means[] = {
        "runs",      "mean",         "mean_low", "mean_high",
        "base_mean", "gain_percent", "gain_low", "gain_high"};

    table_column(&r->t, "kind", "kind", 0);
    table_column(&r->t, "run", "run", TABLE_NUMBER);
    for (size_t n = 0; n < r->s->axes; n++)
        for (size_t k = 0; k < r->s->axis[n].column.count; k++)
            table_column(&r->t, "", r->s->axis[n].column.word[k], 0);
    for (size_t n = 0; n < sizeof each / sizeof each[0]; n++)
        table_column(&r->t, "", each[n], n == 4 ? 0 : TABLE_NUMBER);
    for (size_t n = 0; n < sizeof means / sizeof means[0]; n++)
        table_column(&r->t, "", means[n], TABLE_NUMBER);
}

static void put_values(struct results *r, const struct sweep_place *p)
{
    for (size_t n = 0; n < r->s->axes; n++) {
        const struct sweep_value *v = &r->s->axis[n].value[p->at[n]];

        for (size_t k = 0; k < v->cell.count; k++)
            table_text(&r->t, v->cell.word[k]);
    }
}

static void nothing(struct results *r, unsigned cells)
{
    while (cells--)
        table_text(&r->t, "");
}

static void put_run(struct results *r, size_t run)
{
    struct sweep_place p = sweep_place(r->s, run);
    const struct result *o = &r->run[run];
    char text[32];

    table_text(&r->t, "run");
    table_count(&r->t, run);
    put_values(r, &p);
    if (r->s->seeds)
        table_count(&r->t, r->s->seed[p.seed]);
    else
        table_text(&r->t, "");
    snprintf(text, sizeof text, "%d", o->exit);
    table_number(&r->t, text, text);
    table_count(&r->t, (uint64_t)o->cycles);
    table_count(&r->t, (uint64_t)o->insns);
    table_text(&r->t, o->end);
    nothing(r, 8);
}

static void put_signed(struct results *r, int64_t n)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, n);
    table_number(&r->t, text, text);
}

/* n of `of` in percent, three digits. */
static void put_percent(struct results *r, int64_t n, int64_t of)
{
    char text[48];
    __int128 part = (__int128)(n < 0 ? -n : n) * 100000, half = of / 2;
    uint64_t share = of > 0 ? (uint64_t)((part + half) / of) : 0;

    snprintf(text, sizeof text, "%s%" PRIu64 ".%03" PRIu64,
             n < 0 && share ? "-" : "", share / 1000, share % 1000);
    table_number(&r->t, text, text);
}

/* What it is compared with; false: nothing, or it is that itself. */
static bool base_of(const struct sweep *s, const struct sweep_place *p,
                    struct sweep_place *base)
{
    bool another = false;

    *base = *p;
    for (size_t n = 0; n < s->axes; n++)
        if (s->axis[n].base != SIZE_MAX) {
            another |= s->axis[n].base != p->at[n];
            base->at[n] = s->axis[n].base;
        }
    return another;
}

static void put_gain(struct results *r, const int64_t *gain, const int64_t *was,
                     size_t count)
{
    struct paired g = paired_mean(gain, count), b = paired_mean(was, count);

    put_signed(r, b.mean);
    put_percent(r, g.mean, b.mean);
    if (!g.spread) {
        nothing(r, 2);
        return;
    }
    put_percent(r, g.mean - (int64_t)g.half, b.mean);
    put_percent(r, g.mean + (int64_t)g.half, b.mean);
}

/* Over the seeds at `first` and behind it. Runs that did not end by themselves,
 * or with another status than the base's, did another work. */
static void put_mean(struct results *r, size_t first)
{
    size_t seeds = r->s->seeds ? r->s->seeds : 1, count = 0;
    struct sweep_place p = sweep_place(r->s, first), base;
    bool compares = base_of(r->s, &p, &base);
    int64_t *list = grow_zero(3 * seeds, sizeof *list), *gain = list + seeds,
            *was = gain + seeds;
    struct paired m;

    for (base.seed = 0; base.seed < seeds; base.seed++) {
        const struct result *a = &r->run[first + base.seed],
                            *b = &r->run[sweep_run_at(r->s, &base)];

        if (!a->whole || (compares && (!b->whole || a->exit != b->exit)))
            continue;
        list[count] = a->cycles;
        was[count] = b->cycles;
        gain[count++] = b->cycles - a->cycles;
    }
    m = paired_mean(list, count);
    table_text(&r->t, "mean");
    table_text(&r->t, "");
    put_values(r, &p);
    nothing(r, 5);
    table_count(&r->t, count);
    if (count)
        put_signed(r, m.mean);
    else
        nothing(r, 1);
    if (m.spread) {
        put_signed(r, m.mean - (int64_t)m.half);
        put_signed(r, m.mean + (int64_t)m.half);
    } else {
        nothing(r, 2);
    }
    if (compares && count)
        put_gain(r, gain, was, count);
    else
        nothing(r, 4);
    free(list);
}

bool sweep_table(const struct sweep *s, struct sweep_names *n, FILE *to,
                 char why[SWEEP_WHY])
{
    size_t runs = sweep_runs(s), seeds = s->seeds ? s->seeds : 1;
    struct results r = {.s = s, .run = grow_zero(runs, sizeof(struct result))};
    bool good = read_all(&r, n, why);

    if (good) {
        head(&r);
        for (size_t run = 0; run < runs; run++)
            put_run(&r, run);
        for (size_t run = 0; run < runs; run += seeds)
            put_mean(&r, run);
        table_print_csv(&r.t, to);
        table_free(&r.t);
    }
    for (size_t run = 0; run < runs; run++)
        free(r.run[run].end);
    free(r.run);
    return good;
}
