/* source.c - the report `source`: the source of a function, what its lines
 * cost beside them. A line has what all functions of the program spent on it:
 * clones and inlined copies are added up. What was inlined from another file
 * stands at its call. "##" marks what has three quarters
 * of the most, or more.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/report/same_code.h"
#include "tools/simprof/view/annotate.h"
#include "tools/simprof/view/source_text.h"

#define AROUND 3 /* lines shown before the function's first */

struct page {
    struct group g;
    struct lines_of lines;
    struct table table;
    uint32_t function, file, first, last; /* lines shown */
    uint64_t most;
    struct hash row;      /* line of the file to row of the tally */
    struct hash executed; /* ... to an index of `executions` */
    uint64_t *executions; /* of its instructions together */
    size_t executed_lines, room;
    FILE *text; /* NULL: the source is not to be had */
};

/* Lines by file and line; without one, by function. */
static uint64_t key(void *arg, const struct samples_frame *frame)
{
    uint32_t number = lines_number(arg, lines_at_home(arg, frame));

    return number ? number : (uint64_t)frame->function << 32;
}

static void no_name(void *arg, const struct samples_frame *frame,
                    char out[GROUP_NAME])
{
    (void)arg;
    (void)frame;
    out[0] = '\0';
}

/* ---- which lines --------------------------------------------------------- */

/* The function's file is the one it was written in, else that of its first
 * instruction with a line; its lines are those that its instructions have in
 * that file. */
static bool find_lines(struct page *p)
{
    struct source_line written;
    uint32_t start, size;

    if (!loadmap_extent(&p->g.r->map, p->function, &start, &size))
        return false;
    written = lines_written(&p->lines, start);
    p->file = written.file;
    p->first = p->last = written.line;
    for (uint32_t at = 0; at < size; at += 4) {
        struct source_line l =
            sources_find(p->lines.sources, start + at, UINT64_MAX);

        if (!l.file || (p->file && l.file != p->file))
            continue;
        p->file = l.file;
        if (!p->first || l.line < p->first)
            p->first = l.line;
        if (l.line > p->last)
            p->last = l.line;
    }
    p->first = p->first > AROUND ? p->first - AROUND : !!p->first;
    return p->file != SOURCES_NONE;
}

static struct source_line line_of(struct page *p, size_t row)
{
    uint32_t frame = p->g.tally.row[row].frame;

    return lines_at_home(&p->lines, &p->g.samples.frame[frame]);
}

static bool is_shown(const struct page *p, struct source_line l)
{
    return l.file == p->file && l.line >= p->first && l.line <= p->last;
}

static void find_rows(struct page *p)
{
    for (size_t i = 0; i < p->g.tally.rows; i++) {
        struct source_line l = line_of(p, i);
        struct view_row row = group_row(&p->g, i);
        bool fresh;

        if (!is_shown(p, l))
            continue;
        *hash_at(&p->row, l.line, &fresh) = (uint32_t)i;
        if (annotate_value(&p->g.view, &row) > p->most)
            p->most = annotate_value(&p->g.view, &row);
    }
}

/* Of the lines that are shown. */
static void find_executions(struct page *p)
{
    struct executions e;

    executions_read(&e, p->g.r);
    for (size_t n = 0; n < e.count; n++) {
        struct samples_frame frame = {.function = e.list[n].at.function,
                                      .cycle = UINT64_MAX};
        uint32_t size, *at;
        struct source_line line;
        bool fresh;

        if (!loadmap_extent(&p->g.r->map, frame.function, &frame.pc, &size))
            continue;
        frame.pc += e.list[n].at.offset;
        line = lines_at_home(&p->lines, &frame);
        if (!is_shown(p, line))
            continue;
        at = hash_at(&p->executed, line.line, &fresh);
        if (fresh) {
            *at = (uint32_t)p->executed_lines;
            p->executions = grow(p->executions, &p->room, p->executed_lines + 1,
                                 sizeof *p->executions);
            p->executions[p->executed_lines++] = 0;
        }
        p->executions[*at] += e.list[n].count;
    }
    executions_free(&e);
}

static const uint64_t *executions_at(const struct page *p, uint32_t line)
{
    const uint32_t *at = hash_find(&p->executed, line);

    return at ? &p->executions[*at] : NULL;
}

/* ---- the table ----------------------------------------------------------- */

static void put(struct page *p, const struct view_row *row, uint32_t line,
                const char *text)
{
    struct view_row total = group_total(&p->g);
    char number[16] = "";

    if (line)
        snprintf(number, sizeof number, "%" PRIu32, line);
    view_cells(&p->table, &p->g.view, row, &total);
    if (p->executed_lines)
        annotate_executions(&p->table, line ? executions_at(p, line) : NULL);
    table_text(&p->table, line ? annotate_mark(&p->g.view, row, p->most) : "");
    table_text(&p->table, number);
    table_text(&p->table, text);
}

static void put_lines(struct page *p)
{
    char text[SOURCE_LINE];

    for (uint32_t line = 1; line <= p->last; line++) {
        const uint32_t *at = hash_find(&p->row, line);
        struct view_row row =
            at ? group_row(&p->g, *at) : (struct view_row){.name = ""};

        source_text_next(p->text, text);
        if (line >= p->first)
            put(p, &row, line, text);
    }
}

/* The function's instructions that have no line; and all that is not shown,
 * so that exclusive values add up to <Total>. */
static void put_others(struct page *p)
{
    unsigned metrics = p->g.tally.metrics;
    struct annotate_sum rest = annotate_sum(metrics);
    struct view_row row;

    for (size_t i = 0; i < p->g.tally.rows; i++) {
        char name[GROUP_NAME];

        if (p->g.tally.row[i].key == (uint64_t)p->function << 32) {
            lines_unnumbered(p->g.r, p->function, name);
            row = group_row(&p->g, i);
            put(p, &row, 0, name);
        } else if (!is_shown(p, line_of(p, i))) {
            annotate_add(&rest, &p->g.tally.row[i], metrics);
        }
    }
    row = annotate_row(&rest, "");
    row.value[FLAVOR_INCLUSIVE] = NULL;
    row.parked = p->g.parked;
    put(p, &row, 0, "<everywhere else>");
    annotate_free(&rest);
}

static void print(struct page *p, FILE *to)
{
    const char *file = sources_file(p->lines.sources, p->file);
    const struct options *o = p->g.o;
    struct view_row total = group_total(&p->g);
    char title[GROUP_NAME];

    p->text = source_text_open(o, file);
    find_rows(p);
    find_executions(p);
    view_columns(&p->table, &p->g.view);
    if (p->executed_lines)
        annotate_executions_column(&p->table);
    table_column(&p->table, "", "hot", 0);
    table_column(&p->table, "line", "line", TABLE_NUMBER);
    table_column(&p->table, "source", "source", 0);
    put(p, &total, 0, "<Total>");
    put_lines(p);
    put_others(p);
    snprintf(title, sizeof title, "%s, %.512s",
             samples_name(p->g.r, p->function), file);
    if (!o->csv) {
        report_head(p->g.r, title, to);
        same_code_say(p->g.r, p->lines.sources, &p->function, 1, o, to);
        selection_say(&p->g.selection, o, to);
    }
    report_table(&p->table, o, to);
    if (!o->csv && p->executed_lines)
        annotate_executions_say(to);
    if (!o->csv)
        group_foot(&p->g, to);
    if (p->text)
        fclose(p->text);
    else if (!p->g.r->unsaid)
        problem_add(&p->g.r->problems, PROBLEM_NOTE,
                    "%s: not found, lines are shown by number only; say where "
                    "it is with --source-path",
                    file);
}

void report_source(struct recording *r, const struct options *o, FILE *to)
{
    unsigned flavors =
        1 << FLAVOR_EXCLUSIVE | 1 << FLAVOR_INCLUSIVE | VIEW_BRIEF;
    struct page p = {0};
    struct grouping by = {key, no_name, &p.lines, false};

    lines_open(&p.lines, r, true);
    if (!group_open(&p.g, r, o, &by, flavors)) {
        lines_close(&p.lines);
        return;
    }
    if (!annotate_function(r, o, &p.g.samples, &p.g.view, &p.function))
        ; /* said */
    else if (find_lines(&p))
        print(&p, to);
    else
        report_refuse(o,
                      "%s: no line numbers are known of it; compile with "
                      "-g, or see simprof disasm",
                      samples_name(r, p.function));
    lines_close(&p.lines);
    hash_free(&p.row);
    hash_free(&p.executed);
    free(p.executions);
    table_free(&p.table);
    group_close(&p.g);
}
