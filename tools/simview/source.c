/* source.c - a function's source beside its instructions, what each line and
 * instruction cost, in exact cycles, beside it.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/simprof/session/rows.h"
#include "tools/simview/panels.h"

#define GAP 12    /* between the sides */
#define CYCLES 84 /* pixels of a number of cycles */
#define COST "excl_exact"

/* One side: which rows, their columns, and pixels of the first one. */
struct side {
    json_t *rows;
    const char *number, *text;
    int wide;
};

static json_t *read(struct ui *u, const char *report)
{
    char option[UI_WORD + 16], from[40], to[40];
    const char *word[5] = {report, option};
    struct refusal why = {.text = ""};
    int count = 2;
    json_t *rows;

    snprintf(option, sizeof option, "--function=%s", u->function);
    snprintf(from, sizeof from, "--from=%llu",
             (unsigned long long)u->scene.from);
    snprintf(to, sizeof to, "--to=%llu", (unsigned long long)u->scene.to);
    if (scene_crowded(&u->scene))
        word[count++] = SCENE_EXACT;
    if (u->scene.from || u->scene.to < u->r->end) {
        word[count++] = from;
        word[count++] = to;
    }
    rows = rows_read(u->r, u->o->experiment, count, word, &why);
    if (why.text[0])
        snprintf(u->status, sizeof u->status, "%.500s", why.text);
    return rows;
}

static int64_t cost(const json_t *row)
{
    return (int64_t)json_number_value(json_object_get(row, COST));
}

/* Of rows with a line each, not of totals. */
static int64_t most(const json_t *rows)
{
    int64_t best = 0;
    const json_t *row;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        if (!json_is_null(json_object_get(row, "line")) && cost(row) > best)
            best = cost(row);
    }
    return best;
}

static void put(struct ui *u, const struct side *side, const json_t *row,
                struct box b, int64_t dearest)
{
    const json_t *v = json_object_get(row, side->number);
    const char *text = json_string_value(json_object_get(row, side->text));
    char number[UI_NUMBER] = "";
    int64_t cycles = cost(row);
    int wide;

    if (cycles && !json_is_null(json_object_get(row, "line")) && dearest)
        canvas_fill(u->c,
                    (struct box){b.x, b.y,
                                 (int)((double)CYCLES * (double)cycles /
                                       (double)dearest),
                                 b.h - 1},
                    u->theme.mark);
    if (cycles) {
        ui_count(cycles, number);
        wide = canvas_width(u->c, CANVAS_MONO, number);
        canvas_text(u->c, CANVAS_MONO, b.x + CYCLES - 2 - wide, b.y, wide,
                    u->theme.ink, number);
    }
    if (json_is_integer(v))
        snprintf(number, sizeof number, "%lld",
                 (long long)json_integer_value(v));
    else
        snprintf(number, sizeof number, "%.30s",
                 json_is_string(v) ? json_string_value(v) : "");
    canvas_text(u->c, CANVAS_MONO, b.x + CYCLES + 6, b.y, side->wide,
                u->theme.faint, number);
    canvas_text(u->c, CANVAS_MONO, b.x + CYCLES + 12 + side->wide, b.y,
                b.w - CYCLES - 12 - side->wide, u->theme.ink, text ? text : "");
    ui_area(u, b, DEED_NONE, 0, "%s", text ? text : "");
}

static void column(struct ui *u, const struct side *side, struct box b)
{
    int line = canvas_line(u->c, CANVAS_MONO);
    long top = u->place[PANEL_SOURCE].top;
    int64_t dearest = most(side->rows);
    json_t *row;
    size_t k;

    json_array_foreach(side->rows, k, row)
    {
        struct box one = {b.x, b.y + (int)((long)k - top) * line, b.w, line};

        if ((long)k >= top && one.y + line <= b.y + b.h)
            put(u, side, row, one, dearest);
    }
}

/* The function with most cycles, if none was asked for. */
static void settle(struct ui *u)
{
    json_t *row;
    size_t k;

    json_array_foreach(scene_rows(&u->scene, SCENE_FUNCTIONS), k, row)
    {
        const char *name = row_function(row);

        if (!*u->function && name)
            snprintf(u->function, sizeof u->function, "%s", name);
    }
}

void panel_source(struct ui *u, struct box b)
{
    int line = canvas_line(u->c, CANVAS_TEXT) + 4, left = b.w * 3 / 5;
    char text[UI_TIP];

    settle(u);
    if (!u->source) {
        u->source = read(u, "source");
        u->code = read(u, "disasm");
    }
    u->rows =
        (long)SDL_max(json_array_size(u->source), json_array_size(u->code));
    u->fit = (b.h - line) / canvas_line(u->c, CANVAS_MONO);
    snprintf(text, sizeof text,
             "%s: exact cycles of each line and of each instruction",
             u->function);
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint, text);
    b.y += line;
    b.h -= line;
    column(u, &(struct side){u->source, "line", "source", 34},
           (struct box){b.x, b.y, left - GAP, b.h});
    column(u, &(struct side){u->code, "address", "instruction", 62},
           (struct box){b.x + left, b.y, b.w - left, b.h});
}
