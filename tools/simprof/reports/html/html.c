/* html.c - the report `html`: one page that stands for itself, with what other
 * reports print of the same run as its data, and of another run to compare with
 * its trees of calls. page.html and the scripts beside it show them; which, and
 * how much of each, is said here.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/profile/samples.h"
#include "tools/simprof/report/output.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/html/deflated.h"
#include "tools/simprof/reports/html/slices.h"
#include "tools/simprof/scene/align.h"
#include "tools/simprof/scene/gap.h"
#include "tools/simprof/scene/scene.h"
#include "tools/simprof/scene/words.h"
#include "tools/simprof/session/rows.h"

#define STEPS 600      /* of time, at most */
#define MOMENTS 1200   /* of a kind: three megabytes are a page */
#define WAIT_STEPS 200 /* of the wait that is drawn */

#define SHOWN 3    /* functions whose source and instructions are there */
#define COUNTERS 8 /* whose samples are held against what is known */
#define WORD 128

/* page.html has places where something goes; the scripts, in the order in which
 * they are read. */
#define PART(file) ".incbin \"tools/simprof/reports/html/" file "\"\n"
__asm__(".section .rodata\n"
        ".globl simprof_page, simprof_script\n"
        "simprof_page:\n" PART(
            "page.html") ".byte 0\n"
                         "simprof_script:\n" PART("base.js") PART("slices.js")
                             PART("interval.js") PART("first.js")
                                 PART("time.js") PART("gap.js") PART("flame.js")
                                     PART("hardware.js") PART("tables.js")
                                         PART("code.js")
                                             PART("page.js") ".byte 0\n"
                                                             ".previous\n");
extern const char simprof_page[], simprof_script[];

static json_t *text_or(const char *text, const char *otherwise)
{
    json_t *is = json_string(text ? text : otherwise);

    return is ? is : json_string(otherwise);
}

/* Rows that are objects, as columns and rows that are arrays. */
static json_t *packed(const json_t *objects)
{
    json_t *columns = json_array(), *rows = json_array(), *row;
    size_t k;

    json_array_foreach(objects, k, row)
    {
        json_t *values = json_array(), *value;
        const char *key;

        json_object_foreach(row, key, value)
        {
            if (!k)
                json_array_append_new(columns, json_string(key));
            json_array_append(values, value);
        }
        json_array_append_new(rows, values);
    }
    return json_pack("{s:o, s:o}", "columns", columns, "rows", rows);
}

/* The number of a text in `words`, where it is put if it is new. */
static json_t *number_of(json_t *words, json_t *numbers, const char *text)
{
    json_t *number = json_object_get(numbers, text);

    if (!number) {
        number = json_integer((json_int_t)json_array_size(words));
        json_object_set_new(numbers, text, number);
        json_array_append_new(words, json_string(text));
    }
    return number;
}

/* Texts that come again and again stand once, in `words`: the columns `texts`
 * have their numbers. */
static void name_texts(json_t *table)
{
    json_t *rows = json_object_get(table, "rows"), *row, *value;
    json_t *words = json_array(), *numbers = json_object();
    json_t *texts = json_array();
    size_t columns = json_array_size(json_object_get(table, "columns"));
    size_t n, k;

    for (k = 0; k < columns; k++) {
        bool text = false;

        json_array_foreach(rows, n, row)
        {
            value = json_array_get(row, k);
            if (!json_is_string(value))
                continue;
            text = true;
            json_array_set(row, k,
                           number_of(words, numbers, json_string_value(value)));
        }
        if (text)
            json_array_append_new(texts, json_integer((json_int_t)k));
    }
    json_decref(numbers);
    json_object_set_new(table, "words", words);
    json_object_set_new(table, "texts", texts);
}

static json_t *table_of(struct scene *s, enum scene_table table)
{
    json_t *is = packed(scene_rows(s, table));
    char *command = scene_command(s, table);

    json_object_set_new(is, "command", text_or(command, ""));
    free(command);
    return is;
}

/* The line of the first screen with its neighbours. */
static json_t *source_of(const struct scene *s, const json_t *first)
{
    json_t *source =
        scene_source(s, json_string_value(json_object_get(first, "line")));

    return source ? source : json_null();
}

/* The wait that the first screen tells, with a fifth of it on either side: its
 * timeline. */
static json_t *wait_of(const struct scene *s, const json_t *first)
{
    const json_t *gap = json_object_get(first, "gap");
    uint64_t from = (uint64_t)json_integer_value(json_array_get(gap, 0));
    uint64_t to = (uint64_t)json_integer_value(json_array_get(gap, 1));
    uint64_t side = (to - from) / 5;
    struct scene wait;
    json_t *is;

    if (!gap || to <= from)
        return json_null();
    from = from > side ? from - side : 0;
    to = s->r->end - to > side ? to + side : s->r->end;
    scene_open(&wait, s->r, s->o, from, to, WAIT_STEPS);
    is = table_of(&wait, SCENE_TIMELINE);
    json_object_set_new(is, "from", json_integer((json_int_t)from));
    json_object_set_new(is, "to", json_integer((json_int_t)to));
    json_object_set_new(is, "step", json_integer((json_int_t)wait.step));
    scene_close(&wait);
    return is;
}

/* Rows of a report that is no table of the scene's, of its interval if the
 * report knows of any. */
static json_t *asked(struct scene *s, const char *const *words, int count,
                     bool interval)
{
    const char *word[ROWS_WORDS];
    char from[WORD], to[WORD];
    struct refusal why = {.text = ""};
    struct scene_words w;
    json_t *rows, *is;

    memcpy(word, words, (size_t)count * sizeof *word);
    snprintf(from, sizeof from, "--from=%" PRIu64, s->from);
    snprintf(to, sizeof to, "--to=%" PRIu64, s->to);
    if (interval && s->from)
        word[count++] = from;
    if (interval && s->to < s->r->end)
        word[count++] = to;
    rows = rows_read(s->r, s->o->experiment, count, word, &why);
    is = packed(rows);
    json_decref(rows);
    if (scene_words_open(&w)) {
        fputs("simprof", w.to);
        for (int i = 0; i < count; i++)
            fprintf(w.to, " %s", word[i]);
        fprintf(w.to, " %s", s->o->experiment);
        json_object_set_new(is, "command", scene_words_close(&w));
    }
    return is;
}

/* What the counters' samples are held against, and how far they are right: a
 * table for each counter that can be judged. */
static void put_truth(struct scene *s, json_t *tables)
{
    char event[WORD], key[WORD];
    const char *word[] = {"truth", event, "--limit=30"};
    struct samples_metrics m;

    if (scene_crowded(s))
        return;
    samples_metrics_open(&m, s->r);
    for (unsigned i = SAMPLES_EXACT + 1; i < m.count && i <= COUNTERS; i++) {
        json_t *is;

        if (!m.list[i].period)
            continue;
        snprintf(event, sizeof event, "--event=%.90s", m.list[i].name);
        snprintf(key, sizeof key, "truth:%.90s", m.list[i].name);
        is = asked(s, word, 3, true);
        if (json_array_size(json_object_get(is, "rows")))
            json_object_set(tables, key, is);
        json_decref(is);
    }
    samples_metrics_free(&m);
}

/* A function's lines, or its instructions with what they lost cycles to. */
static void put_code(struct scene *s, json_t *tables, const char *report,
                     const char *name)
{
    const char *path = s->o->text[OPTION_BIT_SOURCES];
    char function[WORD], sources[4200], key[WORD];
    const char *word[4] = {report, function};
    int count = 2;

    snprintf(key, sizeof key, "%s:%.100s", report, name);
    snprintf(function, sizeof function, "--function=%.100s", name);
    snprintf(sources, sizeof sources, "--source-path=%.4096s",
             path ? path : "");
    if (!strcmp(report, "disasm"))
        word[count++] = "--reasons";
    else if (path)
        word[count++] = sources;
    if (scene_crowded(s))
        word[count++] = SCENE_EXACT;
    json_object_set_new(tables, key, asked(s, word, count, true));
}

/* Of the functions that have most cycles; a name with a blank would be several
 * words of the command. */
static void put_sources(struct scene *s, json_t *tables)
{
    json_t *row;
    int shown = 0;
    size_t k;

    json_array_foreach(scene_rows(s, SCENE_FUNCTIONS), k, row)
    {
        const char *name = scene_text(row, "function");

        if (shown == SHOWN || name[0] == '<' || !name[0] ||
            strpbrk(name, " '\"\\$`") || strlen(name) >= 100)
            continue;
        put_code(s, tables, "source", name);
        put_code(s, tables, "disasm", name);
        shown++;
    }
}

/* Events a sample, by counter. */
static json_t *periods_of(const struct recording *r)
{
    json_t *is = json_object();
    struct samples_metrics m;

    samples_metrics_open(&m, r);
    for (unsigned i = SAMPLES_EXACT + 1; i < m.count; i++)
        if (m.list[i].period)
            json_object_set_new(is, m.list[i].name,
                                json_integer((json_int_t)m.list[i].period));
    samples_metrics_free(&m);
    return is;
}

static json_t *tables_of(struct scene *s)
{
    json_t *tables = json_object();

    /* The page makes the tree of roots of `causes` itself. */
    for (enum scene_table k = 0; k < SCENE_TABLES; k++)
        if (k != SCENE_ROOTS && k != SCENE_CALLING_LINES && k != SCENE_TRUTH &&
            (k != SCENE_CALLED || scene_counts_calls(s->r)))
            json_object_set_new(tables, scene_name(k), table_of(s, k));
    name_texts(json_object_get(tables, scene_name(SCENE_GAPS)));
    put_truth(s, tables);
    put_sources(s, tables);
    return tables;
}

static json_t *data_of(struct scene *s)
{
    const char *image = text_lines_get(&s->r->log, "image");
    char *arguments = report_arguments(s->r);
    json_t *first = scene_first(s);
    json_t *data =
        json_pack("{s:o, s:o, s:o, s:i, s:I, s:I, s:I, s:I, s:I}", "experiment",
                  text_or(s->o->experiment, "?"), "image", text_or(image, "?"),
                  "arguments", text_or(arguments, ""), "cpus", (int)s->r->cpus,
                  "hz", (json_int_t)s->r->clock_hz, "from", (json_int_t)s->from,
                  "to", (json_int_t)s->to, "step", (json_int_t)s->step, "graph",
                  (json_int_t)s->graph);

    json_object_set_new(data, "periods", periods_of(s->r));
    json_object_set_new(data, "whole",
                        json_boolean(!s->from && s->to == s->r->end));
    json_object_set_new(data, "tables", tables_of(s));
    json_object_set_new(data, "saves",
                        scene_gap_saves(s, scene_rows(s, SCENE_GAPS)));
    json_object_set_new(
        data, "slices",
        html_slices(s->r, s->o, s->from, s->to, scene_crowded(s)));
    json_object_set_new(data, "source", source_of(s, first));
    json_object_set_new(data, "wait", wait_of(s, first));
    json_object_set_new(data, "first", first);
    json_object_set_new(data, "chains", text_or(scene_chains(s), ""));
    free(arguments);
    return data;
}

/* ---- the run to compare with --------------------------------------------- */

/* The trees of calls of the base, in the same interval or, of a whole run, all
 * of it. */
static json_t *base_of(struct scene *s, struct recording *base,
                       const struct options *o)
{
    static const enum scene_table trees[] = {SCENE_CALLTREE, SCENE_BLOCKED,
                                             SCENE_CAUSES};
    json_t *tables = json_object();
    struct scene b;

    scene_open(&b, base, o, s->from, s->to < s->r->end ? s->to : base->end,
               STEPS);
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++)
        json_object_set_new(tables, scene_name(trees[i]),
                            table_of(&b, trees[i]));
    scene_close(&b);
    return json_pack("{s:o, s:I, s:o, s:o}", "experiment",
                     text_or(o->experiment, "?"), "to", (json_int_t)base->end,
                     "periods", periods_of(base), "tables", tables);
}

/* The timeline of the base, of what stands beside the scene. */
static json_t *base_timeline(struct scene *s, struct recording *base,
                             const struct options *o, const struct align *a)
{
    uint64_t from = align_before(a, s->from), to = align_before(a, s->to);
    struct scene b;
    json_t *is;

    if (to > base->end || s->to == s->r->end)
        to = base->end;
    if (from >= to)
        return json_null();
    scene_open(&b, base, o, from, to, STEPS);
    is = table_of(&b, SCENE_TIMELINE);
    json_object_set_new(is, "from", json_integer((json_int_t)from));
    json_object_set_new(is, "to", json_integer((json_int_t)to));
    json_object_set_new(is, "step", json_integer((json_int_t)b.step));
    scene_close(&b);
    return is;
}

static void put_beside(struct scene *s, json_t *to, struct recording *base,
                       const struct options *o)
{
    struct align a;

    align_read(&a, base, o->experiment, s->r, s->o->experiment);
    json_object_set_new(to, "align", align_json(&a));
    json_object_set_new(to, "timeline", base_timeline(s, base, o, &a));
    align_free(&a);
}

/* False: there is no such run, which is said. */
static bool put_base(struct scene *s, json_t *data)
{
    json_t *tables = json_object_get(data, "tables");
    struct options o = *s->o;
    struct recording base;
    char why[512], option[5000];
    const char *compare[] = {"compare", option, "--limit=200"};
    const char *diff[] = {"diff", option};

    o.experiment = s->o->text[OPTION_BIT_BASE];
    if (!recording_open(&base, o.experiment, why, sizeof why)) {
        report_refuse(s->o, "%s", why);
        return false;
    }
    json_object_set_new(data, "base", base_of(s, &base, &o));
    put_beside(s, json_object_get(data, "base"), &base, &o);
    snprintf(option, sizeof option, "--base=%.4096s", o.experiment);
    json_object_set_new(tables, "compare", asked(s, compare, 3, true));
    json_object_set_new(tables, "diff", asked(s, diff, 2, false));
    recording_close(&base);
    return true;
}

/* ---- the page ------------------------------------------------------------ */

/* Words in the page itself, of which none is a tag. */
static void put_words(const char *text, FILE *to)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else
            putc(*text, to);
}

/* For browsers that run no scripts. */
static void put_plain(const json_t *data, FILE *to)
{
    static const char *const words[] = {"before", "name", "after"};
    const json_t *first = json_object_get(data, "first");

    fputs("<p>", to);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        put_words(scene_text(first, words[i]), to);
    fputs("</p>\n<p>", to);
    put_words(scene_text(first, "brings"), to);
    fputs("</p>\n<p>", to);
    put_words(scene_text(first, "why"), to);
    fputs("</p>\n<pre>", to);
    put_words(scene_text(data, "chains"), to);
    fputs("</pre>\n", to);
}

static void write_page(const json_t *data, FILE *to)
{
    const char *at = simprof_page, *place;

    while ((place = strstr(at, "<!--PLACE "))) {
        const char *what = place + strlen("<!--PLACE ");

        fwrite(at, 1, (size_t)(place - at), to);
        if (!strncmp(what, "PLAIN", 5))
            put_plain(data, to);
        else if (!strncmp(what, "DATA", 4))
            html_deflate(data, to);
        else
            fputs(simprof_script, to);
        at = strstr(what, "-->") + strlen("-->");
    }
    fputs(at, to);
}

void report_html(struct recording *r, const struct options *o, FILE *to)
{
    struct output out;
    struct scene s;
    json_t *data;
    bool whole;
    uint64_t from, end;

    if (!option_interval(r, o, &from, &end) || !output_open(&out, r, o, to))
        return;
    r->unsaid = true; /* the views take what part of the run they want */
    scene_open(&s, r, o, from, end, STEPS);
    s.moments = MOMENTS;
    data = data_of(&s);
    whole = !o->text[OPTION_BIT_BASE] || put_base(&s, data);
    if (whole)
        write_page(data, out.to);
    json_decref(data);
    output_close(&out, whole);
    scene_close(&s);
}
