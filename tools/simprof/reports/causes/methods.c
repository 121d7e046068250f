/* methods.c - what other ways of explaining waits say of the same recording:
 * `causes --methods`. They are worked out in tools/analysis/methods; here are
 * tables, and the file of gains.
 */
#include "tools/simprof/reports/causes/methods.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/elf/demangle.h"
#include "tools/analysis/methods/methods.h"
#include "tools/simprof/report/select.h"

#define LINE 4096
#define FIELDS 32
#define MISSING_MOST 5 /* names of functions that a note lists */

static const struct {
    const char *key, *text;
} methods[] = {
#define METHOD(name, key, text) {key, text},
#include "tools/analysis/methods/methods.def"
#undef METHOD
};

/* ---- gains --------------------------------------------------------------- */

/* Cut a line of CSV into fields, in place. One in quotation marks may have
 * commas; two of these marks in it are one. */
static unsigned split(char *line, char *field[FIELDS])
{
    unsigned n = 0;

    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && n < FIELDS; n++) {
        bool quoted = *at == '"';
        char *to = at += quoted;

        field[n] = to;
        for (; *at && (quoted || *at != ','); at++) {
            if (quoted && *at == '"' && *++at != '"') {
                quoted = false;
                at--;
            } else {
                *to++ = *at;
            }
        }
        at = *at ? at + 1 : NULL;
        *to = '\0';
    }
    return n;
}

static bool signed_number(const char *text, int64_t *n)
{
    bool below = *text == '-';
    uint64_t value;

    if (!text_number(text + below, &value) || value > INT64_MAX)
        return false;
    *n = below ? -(int64_t)value : (int64_t)value;
    return true;
}

/* The name in func:NAME=x0.5 or func:NAME+=x0.5, which is cut off behind it.
 * NULL: it is another change. */
static const char *name_in(char *spec)
{
    size_t length = strcspn(spec, "=");

    if (strncmp(spec, "func:", 5) != 0 || !spec[length])
        return NULL;
    spec[length - (spec[length - 1] == '+')] = '\0';
    return spec + 5;
}

static struct methods_function *function_named(struct methods *m,
                                               const char *name)
{
    for (size_t n = 0; n < m->functions; n++)
        if (loadmap_called(&m->r->map, m->function[n].function, name))
            return &m->function[n];
    return NULL;
}

static int column(char *const field[FIELDS], unsigned count, const char *name)
{
    for (unsigned n = 0; n < count; n++)
        if (!strcmp(field[n], name))
            return (int)n;
    return -1;
}

/* A file of gains. */
struct gains {
    FILE *in;
    const char *name;
    int what, gain; /* columns */
    int kind;       /* ... of advise --csv or a sweep's table, or -1 */
    int of;         /* ... of a sweep's: what the gain is percent of, or -1 */
    const char *wanted; /* what a row's kind must be */
    unsigned missing;
    char list[256]; /* functions that the recording has not */
};

/* False: the columns are not there, which was said. */
static bool read_columns(struct gains *g, const struct options *o)
{
    char line[LINE], *field[FIELDS];
    unsigned count = fgets(line, sizeof line, g->in) ? split(line, field) : 0;

    g->kind = g->of = -1;
    g->what = column(field, count, "what_if");
    g->gain = column(field, count, "gain");
    if (g->what < 0 && g->gain < 0) {
        g->kind = column(field, count, "kind");
        g->wanted = "single";
        g->what = column(field, count, "change");
        g->gain = column(field, count, "measured_cycles");
    }
    if (g->what < 0 && g->gain < 0) {
        g->wanted = "mean";
        g->what = column(field, count, "what-if");
        g->gain = column(field, count, "gain_percent");
        g->of = column(field, count, "base_mean");
    }
    if (g->what >= 0 && g->gain >= 0)
        return true;
    report_refuse(o,
                  "--gains: %s: its first line must name the columns what_if "
                  "and gain, those of advise --csv, or those of a sweep with "
                  "a what-if and a base",
                  g->name);
    return false;
}

static void note_missing(struct gains *g, const char *function)
{
    size_t n = strlen(g->list);
    char name[61];

    if (g->missing++ < MISSING_MOST)
        snprintf(g->list + n, sizeof g->list - n, "%s%s", n ? ", " : "",
                 demangled_fit(function, name, sizeof name));
}

static void note_gain(struct methods *m, struct gains *g, char *spec,
                      int64_t cycles)
{
    const char *name = name_in(spec);
    struct methods_function *f = name ? function_named(m, name) : NULL;

    if (name && !f)
        note_missing(g, name);
    if (!f || f->has_gain)
        return;
    f->has_gain = true;
    f->gain = cycles;
}

/* Is a row of one change that was tried? */
static bool was_tried(const struct gains *g, char *const field[FIELDS],
                      unsigned count)
{
    return g->kind < 0 ||
           ((int)count > g->kind && (int)count > g->gain &&
            !strcmp(field[g->kind], g->wanted) && field[g->gain][0]);
}

/* False: it is no number. */
static bool gain_of(const struct gains *g, char *const field[FIELDS],
                    unsigned count, int64_t *cycles)
{
    char *end;
    double percent;

    if ((int)count <= g->what || (int)count <= g->gain || (int)count <= g->of)
        return false;
    if (g->of < 0)
        return signed_number(field[g->gain], cycles);
    percent = strtod(field[g->gain], &end);
    if (*end || !signed_number(field[g->of], cycles) ||
        !(percent > -1e6 && percent <= 100))
        return false;
    *cycles = (int64_t)((double)*cycles * percent / 100);
    return true;
}

/* False: it makes no sense, which was said. */
static bool read_lines(struct methods *m, struct gains *g,
                       const struct options *o)
{
    char line[LINE], *field[FIELDS];

    if (!read_columns(g, o))
        return false;
    for (int number = 2; fgets(line, sizeof line, g->in); number++) {
        unsigned count = split(line, field);
        int64_t cycles;

        if (!was_tried(g, field, count))
            continue;
        if (!gain_of(g, field, count, &cycles)) {
            report_refuse(o, "--gains: %s:%d: give a gain in cycles", g->name,
                          number);
            return false;
        }
        note_gain(m, g, field[g->what], cycles);
    }
    if (g->missing)
        problem_add(&m->r->problems, PROBLEM_NOTE,
                    "--gains: %s: no method has anything of %s%s in this "
                    "recording: gains that are left out",
                    g->name, g->list, g->missing > MISSING_MOST ? ", ..." : "");
    return true;
}

static bool read_gains(struct methods *m, const struct options *o)
{
    struct gains g = {.name = o->text[OPTION_BIT_GAINS]};
    bool good;

    g.in = fopen(g.name, "r");
    if (!g.in) {
        report_refuse(o, "--gains: %s: %s", g.name, strerror(errno));
        return false;
    }
    good = read_lines(m, &g, o);
    fclose(g.in);
    return good;
}

/* ---- tables -------------------------------------------------------------- */

static void put_method(struct table *t, const struct methods *m, int which)
{
    uint32_t first = methods_first(m, (enum method)which);
    unsigned place = methods_place_of_best(m, (enum method)which);
    char text[TEXT_NUMBER] = ".";
    double r;

    if (methods_correlation(m, (enum method)which, &r))
        snprintf(text, sizeof text, "%.2f", r == 0 ? 0 : r);
    table_number(t, text, text[0] == '.' && !text[1] ? "" : text);
    table_dotted(t, place);
    table_text(t, first == SCENE_NONE
                      ? ""
                      : loadmap_name(&m->r->map, m->function[first].function));
    table_both(t, methods[which].text, methods[which].key);
}

static void print_ranks(const struct methods *m, const struct options *o,
                        FILE *to)
{
    struct table t = {0};

    table_column(&t, "rank\ncorrelation", "correlation", TABLE_NUMBER);
    table_column(&t, "place of\nthe best", "place", TABLE_NUMBER);
    table_column(&t, "\nblames most", "first", 0);
    table_column(&t, "\nmethod", "method", 0);
    for (int which = 0; which < METHODS; which++)
        put_method(&t, m, which);
    report_table(&t, o, to);
}

static void put_function(struct table *t, const struct methods *m,
                         const struct methods_function *f)
{
    char text[TEXT_NUMBER + 1], number[TEXT_NUMBER], csv[TEXT_NUMBER + 1];
    uint64_t size = f->gain < 0 ? -(uint64_t)f->gain : (uint64_t)f->gain;

    snprintf(text, sizeof text, "%s%s", f->gain < 0 ? "-" : "",
             text_count(number, size));
    snprintf(csv, sizeof csv, "%" PRId64, f->gain);
    table_number(t, f->has_gain ? text : "", f->has_gain ? csv : "");
    for (int which = 0; which < METHODS; which++)
        table_dotted(t, f->score[which]);
    table_text(t, loadmap_name(&m->r->map, f->function));
}

static int by_gain(const void *a, const void *b)
{
    const struct methods_function *x = a, *y = b;

    if (x->has_gain != y->has_gain)
        return x->has_gain ? -1 : 1;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    return x->function < y->function ? -1 : x->function > y->function;
}

/* All scores, as CSV. */
static void print_scores(struct methods *m, const struct options *o, FILE *to)
{
    struct table t = {0};

    table_column(&t, "gain", "gain", TABLE_NUMBER);
    for (int which = 0; which < METHODS; which++)
        table_column(&t, methods[which].key, methods[which].key, TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    for (size_t n = 0; n < m->functions; n++)
        put_function(&t, m, &m->function[n]);
    report_table(&t, o, to);
}

/* Why there is no correlation of any method. */
static void say_no_ranks(const struct methods *m, const struct options *o,
                         FILE *to)
{
    size_t have = 0;
    double r;

    for (int which = 0; which < METHODS; which++)
        if (methods_correlation(m, (enum method)which, &r))
            return;
    for (size_t n = 0; n < m->functions; n++)
        have += m->function[n].has_gain;
    if (have < METHODS_LEAST)
        report_say(o, to,
                   "\nNo rank correlations: at least %d functions must have a "
                   "gain, and %zu here %s.",
                   METHODS_LEAST, have, have == 1 ? "has" : "have");
    else
        report_say(o, to,
                   "\nNo rank correlations: the gains of all %zu functions "
                   "are the same, or all that a method says of them is.",
                   have);
}

static void print_text(struct methods *m, const struct options *o, FILE *to)
{
    struct table t = {0};
    size_t shown =
        o->limit && m->functions > o->limit ? o->limit : m->functions;

    report_head(m->r, "what each method blames for waiting", to);
    print_ranks(m, o, to);
    say_no_ranks(m, o, to);
    report_say(o, to,
               "\nAgainst %s gains of functions made twice as fast, "
               "func:NAME+=x0.5:",
               o->text[OPTION_BIT_GAINS] ? "the file's" : "predicted");
    table_column(&t, "gain", "gain", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    for (size_t n = 0; n < shown; n++) {
        const struct methods_function *f = &m->function[n];
        char text[TEXT_NUMBER + 1], number[TEXT_NUMBER];
        uint64_t size = f->gain < 0 ? -(uint64_t)f->gain : (uint64_t)f->gain;

        if (!f->has_gain)
            continue;
        snprintf(text, sizeof text, "%s%s", f->gain < 0 ? "-" : "",
                 text_count(number, size));
        table_number(&t, text, text);
        table_text(&t, loadmap_name(&m->r->map, f->function));
    }
    report_table(&t, o, to);
    if (!m->scene->samples)
        report_say(o, to,
                   "\nMethods that look where threads run have nothing to go "
                   "by: simrun -e cycles:1000 records it.");
}

void causes_methods(const struct causes *c, const struct options *o, FILE *to)
{
    struct retime *g = retime_open(c->scene, UINT64_MAX);
    struct methods m;
    struct path path;
    bool good = true;

    path_find(&path, c->scene, c->places, SCENE_NONE);
    methods_find(&m, c->scene, c->places, c, &path, g);
    if (o->text[OPTION_BIT_GAINS])
        good = read_gains(&m, o);
    else
        methods_predict(&m, g);
    if (m.functions)
        qsort(m.function, m.functions, sizeof *m.function, by_gain);
    if (good && o->csv)
        print_scores(&m, o, to);
    else if (good)
        print_text(&m, o, to);
    methods_free(&m);
    path_free(&path);
    retime_close(g);
}
