/* overview.c - the first screen: what limits the run, a bar of all its cycles,
 * the line to look at, one wait in words, and what comes next.
 */
#include <string.h>

#include "tools/simview/panels.h"

#define BAR 26 /* pixels */
#define SWATCH 14
#define LANE 18

/* Told apart by people who see few colours: of Okabe and Ito. */
static const colour colours[] = {
    0x56B4E9, 0xE69F00, 0x009E73, 0xF0E442, 0xCC79A7, 0xD55E00,
    0x0072B2, 0x999999, 0xB2DF8A, 0xCAB2D6, 0xFDBF6F, 0xA6CEE3,
};
#define COLOURS (sizeof colours / sizeof colours[0])
#define BLACK 0x000000
#define WHITE 0xFFFFFF

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static int answer(struct ui *u, struct box b)
{
    const struct theme *t = &u->theme;
    struct piece pieces[] = {
        {text_of(u->first, "before"), t->ink},
        {text_of(u->first, "name"), t->accent},
        {text_of(u->first, "after"), t->ink},
    };
    const char *badge = text_of(u->first, "badge");
    int y = b.y, wide;

    y += canvas_paragraph(u->c, CANVAS_LARGE, b.x, y, b.w, pieces, 3) + 2;
    if (*badge) {
        wide = canvas_width(u->c, CANVAS_TEXT, badge);
        canvas_frame(
            u->c,
            (struct box){b.x, y, wide + 12, canvas_line(u->c, CANVAS_TEXT) + 2},
            t->line);
        canvas_text(u->c, CANVAS_TEXT, b.x + 6, y + 1, b.w, t->faint, badge);
        y += canvas_line(u->c, CANVAS_TEXT) + 8;
    }
    return y - b.y;
}

/* A part of the bar, striped if it was idle. */
static void part(struct ui *u, struct box b, const json_t *row, size_t k)
{
    bool idle = json_integer_value(json_array_get(row, 2)) != 0;

    if (idle)
        canvas_stripes(u->c, b, colours[k % COLOURS], WHITE);
    else
        canvas_fill(u->c, b, colours[k % COLOURS]);
}

static double share_of(const struct ui *u, const json_t *row)
{
    double total =
        (double)json_integer_value(json_object_get(u->first, "total"));

    return total > 0
               ? 100 * (double)json_integer_value(json_array_get(row, 1)) /
                     total
               : 0;
}

static int bar(struct ui *u, struct box b)
{
    json_t *rows = json_object_get(u->first, "bar"), *row;
    double at = 0;
    char number[UI_NUMBER];
    size_t k;

    json_array_foreach(rows, k, row)
    {
        const char *name = json_string_value(json_array_get(row, 0));
        int x = b.x + (int)(at * b.w / 100), wide;
        struct box one;

        at += share_of(u, row);
        wide = b.x + (int)(at * b.w / 100) - x;
        one = (struct box){x, b.y, wide, BAR};
        part(u, one, row, k);
        if (wide > 50) {
            int named = canvas_width(u->c, CANVAS_TEXT, name) + 6;
            int most = named < wide - 6 ? named : wide - 6;

            canvas_fill(u->c, (struct box){x + 3, b.y + 4, most, BAR - 8},
                        WHITE);
            canvas_text(u->c, CANVAS_TEXT, x + 6, b.y + 5, most - 6, BLACK,
                        name);
        }
        ui_area(u, one, DEED_NONE, 0, "%s: %s cycles, %.1f %%", name,
                ui_count(json_integer_value(json_array_get(row, 1)), number),
                share_of(u, row));
    }
    canvas_frame(u->c, (struct box){b.x, b.y, b.w, BAR}, u->theme.line);
    return BAR + 6;
}

/* What the parts are, but the smallest. */
static int key(struct ui *u, struct box b)
{
    json_t *rows = json_object_get(u->first, "bar"), *row;
    int x = b.x, y = b.y, line = canvas_line(u->c, CANVAS_TEXT);
    char text[256];
    size_t k;

    json_array_foreach(rows, k, row)
    {
        double share = share_of(u, row);
        int wide;

        if (share < .5)
            continue;
        snprintf(text, sizeof text, "%s %.1f %%",
                 json_string_value(json_array_get(row, 0)), share);
        wide = canvas_width(u->c, CANVAS_TEXT, text);
        if (x > b.x && x + SWATCH + 4 + wide > b.x + b.w) {
            x = b.x;
            y += line;
        }
        part(u, (struct box){x, y + 2, SWATCH, line - 5}, row, k);
        canvas_text(u->c, CANVAS_TEXT, x + SWATCH + 4, y, b.w, u->theme.ink,
                    text);
        x += SWATCH + wide + 18;
    }
    return y - b.y + line + 6;
}

/* The line to look at with those about it. */
static int lines(struct ui *u, struct box b)
{
    json_t *about = scene_source(&u->scene, text_of(u->first, "line")), *text;
    int line = canvas_line(u->c, CANVAS_MONO), y = b.y;
    long first = (long)json_integer_value(json_object_get(about, "first"));
    const char *name = text_of(u->first, "line"), *colon = strrchr(name, ':');
    long here = colon ? strtol(colon + 1, NULL, 10) : 0;
    char numbered[600];
    size_t k;

    if (!about)
        return 0;
    canvas_text(u->c, CANVAS_TEXT, b.x, y, b.w, u->theme.faint, name);
    y += canvas_line(u->c, CANVAS_TEXT) + 2;
    json_array_foreach(json_object_get(about, "text"), k, text)
    {
        long number = first + (long)k;

        canvas_fill(u->c, (struct box){b.x, y, b.w, line},
                    number == here ? u->theme.mark : u->theme.well);
        snprintf(numbered, sizeof numbered, "%c %4ld  %s",
                 number == here ? '>' : ' ', number, json_string_value(text));
        canvas_text(u->c, CANVAS_MONO, b.x + 4, y, b.w - 8, u->theme.ink,
                    numbered);
        y += line;
    }
    json_decref(about);
    return y - b.y + 8;
}

static int sentence(struct ui *u, struct box b, const char *key_of)
{
    struct piece piece = {text_of(u->first, key_of), u->theme.ink};

    if (!*piece.text)
        return 0;
    return canvas_paragraph(u->c, CANVAS_TEXT, b.x, b.y, b.w, &piece, 1) + 8;
}

/* Is the lane's name a word of the chain? */
static bool is_named(const char *chain, const struct lane *lane)
{
    size_t size = strlen(lane->name);
    const char *at;

    if (!lane->cpu) /* without the number of a thread */
        while (size && lane->name[size - 1] != ' ')
            size--;
    size -= !lane->cpu && size;
    for (at = chain; size && *at; at++)
        if (!strncmp(at, lane->name, size) &&
            (at[size] == ' ' || at[size] == ',' || !at[size]))
            return true;
    return false;
}

/* The wait drawn: the CPUs and threads that the chain names. */
static int gap(struct ui *u, struct box b)
{
    const char *chain = text_of(u->first, "chain");
    const struct scene *s = &u->gap;
    double length = (double)(s->to - s->from);
    const json_t *of = json_object_get(u->first, "gap");
    int y = b.y, left = b.x + PANEL_NAMES, wide = b.w - PANEL_NAMES, x;

    for (size_t i = 0; i < u->gap_lanes.count; i++) {
        const struct lane *lane = &u->gap_lanes.lane[i];

        if (!is_named(chain, lane) || y + LANE > b.y + b.h)
            continue;
        panel_lane(u, s, &u->gap_lanes, lane, (struct box){b.x, y, b.w, LANE});
        y += LANE;
    }
    for (size_t i = 0; i < 2 && y > b.y; i++) {
        x = left + (int)((double)(json_integer_value(json_array_get(of, i)) -
                                  (json_int_t)s->from) /
                         length * wide);
        canvas_fill(u->c, (struct box){x, b.y - 3, 2, y - b.y + 6},
                    u->theme.ink);
    }
    return y > b.y ? y - b.y + 10 : 0;
}

void panel_overview(struct ui *u, struct box b)
{
    struct box at = b;

    ui_need_first(u);
    at.y += answer(u, at);
    at.y += bar(u, at);
    at.y += key(u, at);
    at.y += lines(u, at);
    at.y += sentence(u, at, "chain");
    at.h = b.y + b.h - at.y - 2 * canvas_line(u->c, CANVAS_TEXT);
    at.y += gap(u, at);
    sentence(u, at, "next");
}
