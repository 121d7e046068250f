/* pipe.c - recorded instructions in the pipeline: stages over cycles, waits in
 * the colour of their reason, instruction and source line beside them. Rows are
 * those of `simprof pipe`.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/simview/panels.h"

#define HIGH 17   /* of an instruction */
#define WORDS 330 /* pixels left of the chart */
#define PLACE 180 /* ... where the source line begins */
#define AXIS 20
#define BLACK 0x000000

/* Stages, cool and pale; reasons, warm or strong (after Okabe and Ito). */
enum { FETCHED, DISPATCHED, EXECUTING, FINISHED, STAGES };

static const struct look {
    const char *name, *letter;
    colour ink;
} stages[STAGES] = {
    {"fetched", "f", 0xDDDDDD},
    {"dispatched", "d", 0xA6CEE3},
    {"executing", "e", 0x56B4E9},
    {"finished", "c", 0xB2DF8A},
};

static const struct look reasons[] = {
    {"imiss", "I", 0xCC79A7},      {"fetch", "B", 0xCAB2D6},
    {"mispredict", "X", 0xE31A1C}, {"flush", "R", 0xFB9A99},
    {"exception", "Y", 0x888888},  {"serial", "S", 0xF0E442},
    {"io", "O", 0x0072B2},         {"tlb", "T", 0xFDBF6F},
    {"snoop", "N", 0xB15928},      {"dmiss", "M", 0xD55E00},
    {"store", "W", 0xE69F00},      {"unit", "U", 0x009E73},
};
#define REASONS (sizeof reasons / sizeof reasons[0])

/* The part of the chart that is shown. */
struct chart {
    struct box b;
    int64_t from, to;
    bool met[REASONS];
};

static int64_t number(const json_t *row, const char *key)
{
    return json_integer_value(json_object_get(row, key));
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));

    return text ? text : "";
}

static int pixel(const struct chart *c, int64_t cycle)
{
    double of = (double)(cycle - c->from) / (double)(c->to - c->from);

    return c->b.x + (int)(of * c->b.w);
}

/* Of a row at height y, from one cycle to before another. */
static void span(struct ui *u, const struct chart *c, int y, int64_t from,
                 int64_t to, const struct look *look)
{
    struct box b = {pixel(c, from), y + 1, 0, HIGH - 2};

    if (to <= from)
        return;
    b.w = SDL_max(pixel(c, to) - b.x, 1);
    canvas_fill(u->c, b, look->ink);
    if (b.w > 12)
        canvas_text(u->c, CANVAS_MONO, b.x + b.w / 2 - 4, y, b.w, BLACK,
                    look->letter);
}

static size_t reason_of(const char *name, size_t length)
{
    for (size_t k = 0; k < REASONS; k++)
        if (strlen(reasons[k].name) == length &&
            !strncmp(reasons[k].name, name, length))
            return k;
    return REASONS;
}

/* "dmiss 120-145; store 150-160": over the stages, those that have a colour of
 * their own. */
static void waits(struct ui *u, struct chart *c, int y, const char *text)
{
    while (*text) {
        size_t word = strcspn(text, " "), k = reason_of(text, word);
        char *end;
        int64_t from = strtoll(text + word, &end, 10), to = from;

        if (*end == '-')
            to = strtoll(end + 1, &end, 10);
        if (k < REASONS && to > from) {
            span(u, c, y, from, to, &reasons[k]);
            c->met[k] = true;
        }
        text = end + strspn(end, "; ");
        if (!*end)
            break;
    }
}

/* Left of the chart: the instruction, and its line where that changes. */
static void words(struct ui *u, const json_t *row, const json_t *before, int x,
                  int y)
{
    const char *file = text_of(row, "file"), *slash = strrchr(file, '/');
    char text[400];

    snprintf(text, sizeof text, "%" PRId64 " %s", number(row, "cpu"),
             text_of(row, "instruction"));
    canvas_text(u->c, CANVAS_MONO, x, y, PLACE - 8, u->theme.ink, text);
    if (before && number(before, "line") == number(row, "line") &&
        !strcmp(text_of(before, "file"), file))
        return;
    if (*file)
        snprintf(text, sizeof text, "%s:%" PRId64, slash ? slash + 1 : file,
                 number(row, "line"));
    else
        snprintf(text, sizeof text, "%s", text_of(row, "place"));
    canvas_text(u->c, CANVAS_MONO, x + PLACE, y, WORDS - PLACE - 8,
                u->theme.faint, text);
}

static void draw_row(struct ui *u, struct chart *c, const json_t *row,
                     const json_t *before, int y)
{
    int64_t fetch = number(row, "fetch"), dispatch = number(row, "dispatch");
    int64_t issue = number(row, "issue"), finish = number(row, "finish");
    int64_t complete = number(row, "complete");
    bool raises = !strcmp(text_of(row, "ends"), "exception");
    struct box end = {pixel(c, complete), y + 1, 0, HIGH - 2};

    words(u, row, before, c->b.x - WORDS, y);
    span(u, c, y, fetch, dispatch, &stages[FETCHED]);
    span(u, c, y, dispatch, issue, &stages[DISPATCHED]);
    span(u, c, y, issue, finish, &stages[EXECUTING]);
    span(u, c, y, finish, complete, &stages[FINISHED]);
    waits(u, c, y, text_of(row, "waits"));
    end.w = SDL_max(SDL_min(pixel(c, complete + 1) - end.x, 5), 2);
    canvas_fill(u->c, end, raises ? u->theme.alarm : u->theme.ink);
    ui_area(u, (struct box){c->b.x - WORDS, y, c->b.w + WORDS, HIGH}, DEED_NONE,
            0,
            "%s %s (%s), %s: fetched %" PRId64 ", dispatched %" PRId64
            ", issued %" PRId64 ", finished %" PRId64 ", %s %" PRId64 "%s%s",
            text_of(row, "pc"), text_of(row, "instruction"),
            text_of(row, "place"), text_of(row, "unit"), fetch, dispatch, issue,
            finish, raises ? "raised an exception" : "completed", complete,
            *text_of(row, "waits") ? "; " : "", text_of(row, "waits"));
}

static int key_of(struct ui *u, int x, int y, const struct look *look)
{
    int line = canvas_line(u->c, CANVAS_TEXT);

    canvas_fill(u->c, (struct box){x, y + 1, 15, line - 3}, look->ink);
    canvas_text(u->c, CANVAS_MONO, x + 4, y, 15, BLACK, look->letter);
    return 19 +
           canvas_text(u->c, CANVAS_TEXT, x + 19, y, 200, u->theme.faint,
                       look->name) +
           10;
}

static void axis(struct ui *u, const struct chart *c, int y)
{
    char text[UI_NUMBER];

    for (int k = 0; k <= 4; k++) {
        int64_t at = c->from + (c->to - c->from) * k / 4;
        int x = pixel(c, at), wide;

        ui_count(at, text);
        wide = canvas_width(u->c, CANVAS_MONO, text);
        canvas_fill(u->c, (struct box){x - (k == 4), y + AXIS - 5, 1, 5},
                    u->theme.faint);
        x -= k == 4 ? wide : k ? wide / 2 : 0;
        canvas_text(u->c, CANVAS_MONO, x, y, wide, u->theme.faint, text);
    }
}

/* From the first fetch to the last completion of what is shown. */
static void settle(struct chart *c, const json_t *rows, long top, long shown)
{
    c->from = INT64_MAX;
    c->to = 0;
    for (long k = top; k < top + shown; k++) {
        const json_t *row = json_array_get(rows, (size_t)k);

        c->from = SDL_min(c->from, number(row, "fetch"));
        c->to = SDL_max(c->to, number(row, "complete") + 1);
    }
}

void panel_pipe(struct ui *u, struct box b)
{
    json_t *rows = scene_rows(&u->scene, SCENE_PIPE);
    struct chart c = {.b = {b.x + WORDS, 0, b.w - WORDS, 0}};
    int line = canvas_line(u->c, CANVAS_TEXT), x = b.x, y = b.y;
    long top = u->place[PANEL_PIPE].top, shown;

    u->rows = (long)json_array_size(rows);
    u->fit = SDL_max((b.h - line - 6 - AXIS) / HIGH, 1);
    if (!u->rows || c.b.w < 50) {
        canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint,
                    u->rows ? "The window is too narrow."
                            : "No instruction was recorded here: simrun "
                              "--pipe FROM:COUNT.");
        return;
    }
    shown = SDL_min(u->rows - top, u->fit);
    settle(&c, rows, top, shown);
    y += line + 6;
    axis(u, &c, y);
    y += AXIS;
    for (long k = top; k < top + shown; k++, y += HIGH)
        draw_row(u, &c, json_array_get(rows, (size_t)k),
                 k > top ? json_array_get(rows, (size_t)(k - 1)) : NULL, y);
    for (int k = 0; k < STAGES; k++)
        x += key_of(u, x, b.y, &stages[k]);
    for (size_t k = 0; k < REASONS; k++)
        if (c.met[k])
            x += key_of(u, x, b.y, &reasons[k]);
}
