/* html.c - the report `html`: one page that stands for itself, with what other
 * reports print of the same run as its data. page.html shows them; which, and
 * how much of each, is said here.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tools/simprof/report/output.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/scene/scene.h"

#define STEPS 600      /* of time, at most */
#define MOMENTS 1200   /* of a kind: three megabytes are a page */
#define WAIT_STEPS 200 /* of the wait that is drawn */

/* page.html, which is split at PLACE: the data goes there. */
__asm__(".section .rodata\n"
        ".globl simprof_page\n"
        "simprof_page:\n"
        ".incbin \"tools/simprof/reports/html/page.html\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char simprof_page[];

#define PLACE "<!--DATA-->\n"

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

static json_t *data_of(struct scene *s)
{
    const char *image = text_lines_get(&s->r->log, "image");
    char *arguments = report_arguments(s->r);
    json_t *tables = json_object(), *first = scene_first(s);
    json_t *data =
        json_pack("{s:o, s:o, s:o, s:i, s:I, s:I, s:I, s:I, s:I}", "experiment",
                  text_or(s->o->experiment, "?"), "image", text_or(image, "?"),
                  "arguments", text_or(arguments, ""), "cpus", (int)s->r->cpus,
                  "hz", (json_int_t)s->r->clock_hz, "from", (json_int_t)s->from,
                  "to", (json_int_t)s->to, "step", (json_int_t)s->step, "graph",
                  (json_int_t)s->graph);

    /* The page makes the tree of roots of `causes` itself. */
    for (enum scene_table k = 0; k < SCENE_TABLES; k++)
        if (k != SCENE_ROOTS)
            json_object_set_new(tables, scene_name(k), table_of(s, k));
    json_object_set_new(data, "source", source_of(s, first));
    json_object_set_new(data, "wait", wait_of(s, first));
    json_object_set_new(data, "first", first);
    json_object_set_new(data, "tables", tables);
    json_object_set_new(data, "chains", text_or(scene_chains(s), ""));
    free(arguments);
    return data;
}

static int put(const char *text, size_t size, void *to)
{
    return fwrite(text, 1, size, to) == size ? 0 : -1;
}

/* No name in the data ends the element that holds it: JSON writes / as \/. */
static void write_page(struct scene *s, FILE *to)
{
    const char *place = strstr(simprof_page, PLACE);
    json_t *data = data_of(s);

    fwrite(simprof_page, 1, (size_t)(place - simprof_page), to);
    json_dump_callback(data, put, to, JSON_COMPACT | JSON_ESCAPE_SLASH);
    fputs(place + strlen(PLACE) - 1, to);
    json_decref(data);
}

void report_html(struct recording *r, const struct options *o, FILE *to)
{
    struct output out;
    struct scene s;
    uint64_t from, end;

    if (!option_cycles(r, o, OPTION_BIT_FROM, 0, &from) ||
        !option_cycles(r, o, OPTION_BIT_TO, r->end, &end) ||
        !output_open(&out, r, o, to))
        return;
    scene_open(&s, r, o, from, end < r->end ? end : r->end, STEPS);
    s.moments = MOMENTS;
    write_page(&s, out.to);
    output_close(&out, true);
    scene_close(&s);
}
