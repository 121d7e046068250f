/* html.c - the report `html`: one page that stands for itself, with what other
 * reports print of the same run as its data. page.html shows them; which, and
 * how much of each, is said here.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/report/output.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/session/rows.h"
#include "tools/simprof/view/source_text.h"

#define STEPS 600   /* of time, unless threads are many: */
#define SPANS 24000 /* as many as there are threads, times steps */
#define STEPS_LEAST 60
#define NUMBER 24 /* bytes of a number as text */
#define SHOWN 3   /* lines of the program with their text */
#define AROUND 3  /* lines shown before and after one */

/* page.html, which is split at PLACE: the data goes there. */
__asm__(".section .rodata\n"
        ".globl simprof_page\n"
        "simprof_page:\n"
        ".incbin \"tools/simprof/reports/html/page.html\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char simprof_page[];

#define PLACE "<!--DATA-->\n"

/* Reports whose rows are data of the page: the words of their commands. */
static const char *const parts[][4] = {
    {"info"},
    {"functions", "--reasons", "--limit=200"},
    {"lines", "--limit=100"},
    {"calltree", "--limit=3000"},
    {"timeline"},
    {"causes"},
    {"locks"},
    {"statistics"},
};

struct page {
    struct recording *r;
    const struct options *o;
    uint64_t from, to, step;
};

/* What is typed for a part of the page. */
struct command {
    const char *word[ROWS_WORDS];
    int count;
    char *made[ROWS_WORDS];
    int mades;
};

static void add(struct command *c, const char *option, const char *value)
{
    size_t size = strlen(option) + strlen(value) + 1;
    char *word = grow_zero(size, 1);

    snprintf(word, size, "%s%s", option, value);
    c->word[c->count++] = c->made[c->mades++] = word;
}

/* The interval too, where the report has one. */
static struct command command_of(const struct page *p,
                                 const char *const words[4])
{
    const char *from = p->o->text[OPTION_BIT_FROM];
    const char *to = p->o->text[OPTION_BIT_TO];
    bool within = strcmp(words[0], "info") != 0;
    struct command c = {.count = 0};
    char step[NUMBER];

    while (words[c.count]) {
        c.word[c.count] = words[c.count];
        c.count++;
    }
    snprintf(step, sizeof step, "%" PRIu64, p->step);
    if (!strcmp(words[0], "timeline"))
        add(&c, "--step=", step);
    if (from && within)
        add(&c, "--from=", from);
    if (to && within)
        add(&c, "--to=", to);
    return c;
}

static json_t *typed(const struct page *p, const struct command *c)
{
    json_t *all;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return json_string("");
    fputs("simprof", to);
    for (int i = 0; i < c->count; i++)
        fprintf(to, " %s", c->word[i]);
    fprintf(to, " %s", p->o->experiment);
    fclose(to);
    all = json_string(text);
    free(text);
    return all ? all : json_string("");
}

static void forget(struct command *c)
{
    while (c->mades)
        free(c->made[--c->mades]);
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

static json_t *table_of(const struct page *p, const char *const words[4])
{
    struct refusal why = {.text = ""};
    struct command c = command_of(p, words);
    json_t *objects = rows_read(p->r, p->o->experiment, c.count, c.word, &why);
    json_t *table = packed(objects);

    json_object_set_new(table, "command", typed(p, &c));
    json_decref(objects);
    forget(&c);
    return table;
}

/* Chains of waiting in words. */
static json_t *causes_text(const struct page *p)
{
    static const char *const words[4] = {"causes", "--width=110"};
    struct refusal why = {.text = ""};
    struct command c = command_of(p, words);
    char *text = rows_text(p->r, p->o->experiment, c.count, c.word, &why);
    json_t *is =
        json_pack("{s:o, s:s*}", "command", typed(p, &c), "text", text);

    forget(&c);
    free(text);
    return is;
}

/* ---- lines of the program ------------------------------------------------ */

/* "FILE:LINE" and the lines about it; NULL without the file. */
static json_t *lines_about(const struct page *p, const char *where)
{
    const char *colon = strrchr(where, ':');
    unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;
    unsigned long first = line > AROUND ? line - AROUND : 1;
    char *name = colon ? strndup(where, (size_t)(colon - where)) : NULL;
    FILE *f = line && name ? source_text_open(p->o, name) : NULL;
    json_t *lines = json_array();
    char text[SOURCE_LINE];

    free(name);
    for (unsigned long k = 1; f && k <= line + AROUND && !feof(f); k++) {
        source_text_next(f, text);
        if (k >= first)
            json_array_append_new(lines, json_string(text));
    }
    if (!f) {
        json_decref(lines);
        return NULL;
    }
    fclose(f);
    return json_pack("{s:s, s:I, s:o}", "line", where, "first",
                     (json_int_t)first, "text", lines);
}

static bool is_there(const json_t *lines, const char *where)
{
    json_t *one;
    size_t k;

    json_array_foreach(lines, k, one)
    {
        if (!strcmp(json_string_value(json_object_get(one, "line")), where))
            return true;
    }
    return false;
}

/* Of the column of a table: a line with its neighbours each, SHOWN of them;
 * what stands behind a comma is not part of it. */
static void add_lines(const struct page *p, json_t *to, const json_t *table,
                      const char *column)
{
    json_t *row, *name;
    size_t k, at = SIZE_MAX, shown = 0;

    json_array_foreach(json_object_get(table, "columns"), k, name)
    {
        if (!strcmp(json_string_value(name), column))
            at = k;
    }
    json_array_foreach(json_object_get(table, "rows"), k, row)
    {
        const char *value = json_string_value(json_array_get(row, at));
        char *where =
            value ? strndup(value, strcspn(value, ",")) : grow_text("");
        json_t *about = is_there(to, where) ? NULL : lines_about(p, where);

        free(where);
        if (about)
            json_array_append_new(to, about);
        shown += about != NULL;
        if (shown == SHOWN)
            break;
    }
}

static json_t *source_of(const struct page *p, const json_t *tables)
{
    json_t *source = json_array();

    add_lines(p, source, json_object_get(tables, "causes"), "line");
    add_lines(p, source, json_object_get(tables, "lines"), "line, function");
    return source;
}

static json_t *text_or(const char *text, const char *otherwise)
{
    json_t *is = json_string(text ? text : otherwise);

    return is ? is : json_string(otherwise);
}

static json_t *data_of(struct page *p)
{
    const char *image = text_lines_get(&p->r->log, "image");
    char *arguments = report_arguments(p->r);
    json_t *tables = json_object(), *texts = json_object();
    json_t *data =
        json_pack("{s:o, s:o, s:o, s:i, s:I, s:I, s:I, s:I}", "experiment",
                  text_or(p->o->experiment, "?"), "image", text_or(image, "?"),
                  "arguments", text_or(arguments, ""), "cpus", (int)p->r->cpus,
                  "hz", (json_int_t)p->r->clock_hz, "from", (json_int_t)p->from,
                  "to", (json_int_t)p->to, "step", (json_int_t)p->step);

    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        json_object_set_new(tables, parts[k][0], table_of(p, parts[k]));
    json_object_set_new(texts, "causes", causes_text(p));
    json_object_set_new(data, "source", source_of(p, tables));
    json_object_set_new(data, "tables", tables);
    json_object_set_new(data, "texts", texts);
    free(arguments);
    return data;
}

static int put(const char *text, size_t size, void *to)
{
    return fwrite(text, 1, size, to) == size ? 0 : -1;
}

/* No name in the data ends the element that holds it: JSON writes / as \/. */
static void write_page(struct page *p, FILE *to)
{
    const char *place = strstr(simprof_page, PLACE);
    json_t *data = data_of(p);

    fwrite(simprof_page, 1, (size_t)(place - simprof_page), to);
    json_dump_callback(data, put, to, JSON_COMPACT | JSON_ESCAPE_SLASH);
    fputs(place + strlen(PLACE) - 1, to);
    json_decref(data);
}

/* The interval, and the length of a step of time. */
static bool settle(struct page *p)
{
    uint64_t threads = p->r->threads.count + p->r->cpus, steps, length;

    if (!option_cycles(p->r, p->o, OPTION_BIT_FROM, 0, &p->from) ||
        !option_cycles(p->r, p->o, OPTION_BIT_TO, p->r->end, &p->to))
        return false;
    p->to = p->to < p->r->end ? p->to : p->r->end;
    length = p->to > p->from ? p->to - p->from : 0;
    steps = SPANS / threads;
    steps = steps > STEPS ? STEPS : steps < STEPS_LEAST ? STEPS_LEAST : steps;
    p->step = length / steps + (length % steps != 0);
    p->step = p->step ? p->step : 1;
    return true;
}

void report_html(struct recording *r, const struct options *o, FILE *to)
{
    struct page p = {.r = r, .o = o};
    struct output out;

    if (!settle(&p) || !output_open(&out, r, o, to))
        return;
    write_page(&p, out.to);
    output_close(&out, true);
}
