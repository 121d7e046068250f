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
#define EXECUTIONS "executions"

#define EVENT 88 /* ... and of a counter's events */
#define EVENTS 2 /* counters that are shown */
#define WIDE 420 /* a side that has room for counters */
#define REASONS 24
#define STRIP 4   /* pixels of what cycles were spent on or lost to */
#define NAMED 300 /* bytes of reasons in a tip */

/* One side: which rows, their columns, and pixels of the first one; counters
 * beside exact cycles, and reasons, dearest first. */
struct side {
    json_t *rows;
    const char *number, *text;
    int wide;
    const char *event[EVENTS], *reason[REASONS];
    int events, reasons;
};

/* Counters but cycles, and columns that are reasons: behind them `hot`. */
static void find_columns(struct side *s, int most)
{
    bool reasons = false;
    const char *key;
    json_t *value;

    json_object_foreach(json_array_get(s->rows, 0), key, value)
    {
        if (!strcmp(key, "hot"))
            break;
        if (!strcmp(key, EXECUTIONS)) {
            if (s->events < most)
                s->event[s->events++] = key;
            continue;
        }
        if (!strncmp(key, "excl_", 5) && s->events < most &&
            strcmp(key, COST) != 0 && strcmp(key, "excl_cycles") != 0 &&
            !strstr(key, "_percent") && json_number_value(value) > 0)
            s->event[s->events++] = key;
        reasons |= strncmp(key, "excl_", 5) != 0 && strncmp(key, "incl_", 5);
        if (reasons && s->reasons < REASONS)
            s->reason[s->reasons++] = key;
    }
}

static json_t *read(struct ui *u, const char *report)
{
    char option[UI_WORD + 16], from[40], to[40];
    const char *word[6] = {report, option};
    const char *path = u->o->text[OPTION_BIT_SOURCES];
    char sources[4200];
    struct refusal why = {.text = ""};
    int count = 2;
    json_t *rows;

    snprintf(option, sizeof option, "--function=%s", u->function);
    snprintf(from, sizeof from, "--from=%llu",
             (unsigned long long)u->scene.from);
    snprintf(to, sizeof to, "--to=%llu", (unsigned long long)u->scene.to);
    if (!strcmp(report, "disasm")) {
        word[count++] = "--reasons";
    } else if (path) {
        snprintf(sources, sizeof sources, "--source-path=%.4096s", path);
        word[count++] = sources;
    }
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

/* What the cycles of a row were spent on or lost to, below its number; their
 * names. */
static void put_reasons(struct ui *u, const struct side *s, const json_t *row,
                        struct box b, char names[NAMED])
{
    int64_t all = cost(row), sum = 0;
    size_t used = 0;

    names[0] = '\0';
    for (int i = 0; i < s->reasons && all > 0; i++) {
        json_t *value = json_object_get(row, s->reason[i]);
        int64_t cycles = (int64_t)json_number_value(value);
        int left = (int)((double)sum / (double)all * b.w), right;
        char number[UI_NUMBER];

        sum += cycles;
        right = (int)((double)sum / (double)all * b.w);
        canvas_fill(u->c, (struct box){b.x + left, b.y, right - left, b.h},
                    panel_working((size_t)i));
        if (cycles && used + 60 < NAMED)
            used += (size_t)snprintf(names + used, NAMED - used, "%s%s %s",
                                     used ? ", " : "", s->reason[i],
                                     ui_count(cycles, number));
    }
}

/* A number that ends at x. */
static void put_number(struct ui *u, int x, int y, int64_t n)
{
    char number[UI_NUMBER];
    int wide;

    ui_count(n, number);
    wide = canvas_width(u->c, CANVAS_MONO, number);
    canvas_text(u->c, CANVAS_MONO, x - wide, y, wide, u->theme.ink, number);
}

static void put(struct ui *u, const struct side *side, const json_t *row,
                struct box b, int64_t dearest)
{
    const json_t *v = json_object_get(row, side->number);
    const char *text = json_string_value(json_object_get(row, side->text));
    char number[UI_NUMBER] = "", names[NAMED] = "";
    int64_t cycles = cost(row);
    int x = b.x + CYCLES, bar = 0;

    if (cycles && !json_is_null(json_object_get(row, "line")) && dearest)
        bar = SDL_max((int)((double)CYCLES * (double)cycles / (double)dearest),
                      1);
    if (side->reasons)
        put_reasons(u, side, row,
                    (struct box){b.x, b.y + b.h - STRIP, bar, STRIP - 1},
                    names);
    else
        canvas_fill(u->c, (struct box){b.x, b.y, bar, b.h - 1}, u->theme.mark);
    if (cycles)
        put_number(u, x - 2, b.y, cycles);
    for (int i = 0; i < side->events; i++) {
        int64_t n =
            (int64_t)json_number_value(json_object_get(row, side->event[i]));

        x += EVENT;
        if (n)
            put_number(u, x - 2, b.y, n);
    }
    if (json_is_integer(v))
        snprintf(number, sizeof number, "%lld",
                 (long long)json_integer_value(v));
    else
        snprintf(number, sizeof number, "%.30s",
                 json_is_string(v) ? json_string_value(v) : "");
    canvas_text(u->c, CANVAS_MONO, x + 6, b.y, side->wide, u->theme.faint,
                number);
    x += 12 + side->wide;
    canvas_text(u->c, CANVAS_MONO, x, b.y, b.x + b.w - x, u->theme.ink,
                text ? text : "");
    ui_area(u, b, DEED_NONE, 0, "%s%s%s", text ? text : "", *names ? ": " : "",
            names);
}

/* What the columns of numbers are. */
static void head(struct ui *u, const struct side *side, struct box b)
{
    int x = b.x + CYCLES, line = canvas_line(u->c, CANVAS_TEXT);
    char text[40] = "exact cycles";

    for (int i = -1; i < side->events; i++) {
        int room = i < 0 ? CYCLES : EVENT - 4, wide;

        if (i >= 0) {
            snprintf(text, sizeof text, "%.30s",
                     side->event[i] +
                         (strcmp(side->event[i], EXECUTIONS) != 0 ? 5 : 0));
            x += EVENT;
        }
        wide = SDL_min(canvas_width(u->c, CANVAS_TEXT, text), room);
        canvas_text(u->c, CANVAS_TEXT, x - 2 - wide, b.y, room, u->theme.faint,
                    text);
    }
    x += 12;
    for (int i = 0; i < side->reasons && i < 5; i++) {
        int wide = canvas_width(u->c, CANVAS_TEXT, side->reason[i]);

        if (x + 13 + wide > b.x + b.w)
            break;
        canvas_fill(u->c, (struct box){x, b.y + 4, 9, line - 9},
                    panel_working((size_t)i));
        canvas_text(u->c, CANVAS_TEXT, x + 13, b.y, wide + 1, u->theme.faint,
                    side->reason[i]);
        x += 13 + wide + 9;
    }
}

static void column(struct ui *u, struct side *side, struct box b, int events)
{
    int line = canvas_line(u->c, CANVAS_MONO);
    long top = u->place[PANEL_SOURCE].top;
    int64_t dearest = most(side->rows);
    json_t *row;
    size_t k;

    find_columns(side, events);
    head(u, side, b);
    b.y += canvas_line(u->c, CANVAS_TEXT) + 2;
    b.h -= canvas_line(u->c, CANVAS_TEXT) + 2;
    json_array_foreach(side->rows, k, row)
    {
        struct box one = {b.x, b.y + (int)((long)k - top) * line, b.w, line};

        if ((long)k >= top && one.y + line <= b.y + b.h)
            put(u, side, row, one, dearest);
    }
}

/* Pixels of a column of words. */
static int widest(const struct ui *u, const json_t *rows, const char *key)
{
    const json_t *row, *v;
    int wide = 0;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        v = json_object_get(row, key);
        if (json_is_string(v))
            wide = SDL_max(
                wide, canvas_width(u->c, CANVAS_MONO, json_string_value(v)));
    }
    return wide;
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
    struct side lines = {.number = "line", .text = "source", .wide = 34};
    struct side code = {.number = "address", .text = "instruction"};
    int line = canvas_line(u->c, CANVAS_TEXT) + 4, left = b.w * 3 / 5;
    char text[UI_TIP];

    settle(u);
    if (!*u->function) {
        canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint,
                    "No cycle of a function was recorded here.");
        return;
    }
    if (!u->source) {
        u->source = read(u, "source");
        u->code = read(u, "disasm");
    }
    code.wide = widest(u, u->code, "address");
    lines.rows = u->source;
    code.rows = u->code;
    u->rows =
        (long)SDL_max(json_array_size(u->source), json_array_size(u->code));
    u->fit = (b.h - 2 * line) / canvas_line(u->c, CANVAS_MONO);
    snprintf(text, sizeof text, "%s: its lines and its instructions",
             u->function);
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint, text);
    b.y += line;
    b.h -= line;
    column(u, &lines, (struct box){b.x, b.y, left - GAP, b.h},
           left > WIDE * 4 / 3 ? EVENTS : 1);
    column(u, &code, (struct box){b.x + left, b.y, b.w - left, b.h},
           b.w - left > WIDE ? EVENTS : 0);
}
