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
#include "tools/analysis/methods/methods.h"
#include "tools/simprof/report/select.h"

#define LINE 1024
#define FIELDS 32

static const struct {
    const char *key, *text;
} methods[] = {
#define METHOD(name, key, text) {key, text},
#include "tools/analysis/methods/methods.def"
#undef METHOD
};

/* ---- gains --------------------------------------------------------------- */

static unsigned split(char *line, char *field[FIELDS])
{
    unsigned n = 0;

    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && n < FIELDS; n++) {
        size_t length = strlen(at);

        field[n] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
        length = strlen(field[n]);
        if (length > 1 && field[n][0] == '"' && field[n][length - 1] == '"') {
            field[n][length - 1] = '\0';
            field[n]++;
        }
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

/* func:NAME=x0.5 or func:NAME+=x0.5: the function of that name. */
static struct methods_function *function_named(struct methods *m, char *spec)
{
    size_t length = strcspn(spec, "=");

    if (strncmp(spec, "func:", 5) != 0 || !spec[length])
        return NULL;
    spec[length - (spec[length - 1] == '+')] = '\0';
    for (size_t n = 0; n < m->functions; n++)
        if (loadmap_called(&m->r->map, m->function[n].function, spec + 5))
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

/* False: it makes no sense, which was said. */
static bool read_lines(struct methods *m, const struct options *o, FILE *in,
                       const char *name)
{
    char line[LINE], *field[FIELDS];
    unsigned count = fgets(line, sizeof line, in) ? split(line, field) : 0;
    int what = column(field, count, "what_if");
    int gain = column(field, count, "gain"), number = 1;

    if (what < 0 || gain < 0) {
        report_refuse(o,
                      "--gains: %s: its first line must name the columns "
                      "what_if and gain",
                      name);
        return false;
    }
    while (fgets(line, sizeof line, in)) {
        struct methods_function *f;
        int64_t cycles;

        number++;
        count = split(line, field);
        if ((int)count <= what || (int)count <= gain ||
            !signed_number(field[gain], &cycles)) {
            report_refuse(o, "--gains: %s:%d: give a gain in cycles", name,
                          number);
            return false;
        }
        f = function_named(m, field[what]);
        if (f && !f->has_gain) {
            f->has_gain = true;
            f->gain = cycles;
        }
    }
    return true;
}

static bool read_gains(struct methods *m, const struct options *o)
{
    const char *name = o->text[OPTION_BIT_GAINS];
    FILE *in = fopen(name, "r");
    bool good;

    if (!in) {
        report_refuse(o, "--gains: %s: %s", name, strerror(errno));
        return false;
    }
    good = read_lines(m, o, in, name);
    fclose(in);
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

static void print_text(struct methods *m, const struct options *o, FILE *to)
{
    struct table t = {0};
    size_t shown =
        o->limit && m->functions > o->limit ? o->limit : m->functions;

    report_head(m->r, "what each method blames for waiting", to);
    print_ranks(m, o, to);
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
