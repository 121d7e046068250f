/* overview.c - the first screen: what limits the run, a bar of all its cycles,
 * the line to look at, one wait in words, and what comes next.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/simview/beside.h"
#include "tools/simview/panels.h"

#define BAR 26        /* pixels */
#define ROUND_NAME 24 /* pixels of a part that are seen beside its name */
#define SWATCH 14
#define LANE 22       /* of the wait, at least */
#define LANES_LEAST 5 /* of all in time */
#define LANE_MOST 40
#define NUMBER 62 /* pixels of a candidate's percentage */
#define SHARE 60  /* ... and of its bar that is all */
#define STEEP 3   /* pixels from a bar to what stands in it */
#define PARTS 16  /* of a wait that are drawn */

/* Told apart by people who see few colours, after Okabe and Ito: cool ones for
 * work, warm ones for idle time, which is striped besides. */
static const colour working[] = {0x56B4E9, 0x0072B2, 0x009E73, 0xCAB2D6,
                                 0xA6CEE3, 0xCC79A7, 0xB2DF8A, 0x999999};
static const colour idling[] = {0xD55E00, 0xE69F00, 0xF0E442,
                                0xFDBF6F, 0xCC79A7, 0x999999};
#define WORKING (sizeof working / sizeof working[0])
#define IDLING (sizeof idling / sizeof idling[0])
#define BLACK 0x000000
#define WHITE 0xFFFFFF

colour panel_working(size_t n)
{
    return working[SDL_min(n, WORKING - 1)];
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* What changing it brings, and how that is known. */
static int promise(struct ui *u, struct box b)
{
    const char *text = text_of(u->first, "brings"),
               *known = text_of(u->first, "badge");
    struct piece piece = {text, u->theme.ink};
    int line = canvas_line(u->c, CANVAS_TEXT), wide = 0, y = b.y;

    if (!*text)
        return 0;
    if (*known)
        wide = canvas_badge(u->c, b.x, b.y, u->theme.faint, known) + 8;
    y += 1 + canvas_paragraph(u->c, CANVAS_TEXT, b.x + wide, b.y + 1,
                              b.w - wide, &piece, 1);
    if (*text_of(u->first, "try")) {
        canvas_text(u->c, CANVAS_MONO, b.x + wide, y, b.w - wide,
                    u->theme.faint, text_of(u->first, "try"));
        y += canvas_line(u->c, CANVAS_MONO);
    }
    return SDL_max(y - b.y, line + 2) + 8;
}

static int sentence(struct ui *u, struct box b, const char *key_of)
{
    struct piece piece = {text_of(u->first, key_of), u->theme.ink};

    if (!*piece.text)
        return 0;
    return canvas_paragraph(u->c, CANVAS_TEXT, b.x, b.y, b.w, &piece, 1) + 8;
}

/* Of two runs what came of the change between them. */
static int before(struct ui *u, struct box b)
{
    char text[BESIDE_WORDS];
    struct piece piece = {text, u->theme.ink};

    if (!beside_words(u, text))
        return 0;
    return canvas_paragraph(u->c, CANVAS_TEXT, b.x, b.y, b.w, &piece, 1) + 8;
}

static int answer(struct ui *u, struct box b)
{
    const struct theme *t = &u->theme;
    bool idle = json_object_get(u->first, "gap") != NULL;
    struct piece pieces[] = {
        {text_of(u->first, "before"), t->ink},
        {text_of(u->first, "name"), idle ? t->alarm : t->accent},
        {text_of(u->first, "after"), t->ink},
    };
    int high =
        canvas_paragraph(u->c, CANVAS_LARGE, b.x, b.y, b.w, pieces, 3) + 4;

    if (*pieces[1].text)
        ui_area(u, (struct box){b.x, b.y, b.w, high}, DEED_FUNCTION, 0,
                "to the source of %s", pieces[1].text);
    high += promise(u, (struct box){b.x, b.y + high, b.w, 0});
    high += sentence(u, (struct box){b.x, b.y + high, b.w, 0}, "why");
    return high + before(u, (struct box){b.x, b.y + high, b.w, 0});
}

static const char *part_name(const json_t *rows, size_t k)
{
    return json_string_value(json_array_get(json_array_get(rows, k), 0));
}

static bool part_idle(const json_t *rows, size_t k)
{
    return json_integer_value(json_array_get(json_array_get(rows, k), 2)) != 0;
}

/* The colour of part k. */
static colour colour_of(const json_t *rows, size_t k, bool idle)
{
    static const char complete[] = SCENE_COMPLETE; /* has always the first */
    size_t n = 0;

    if (!strcmp(part_name(rows, k), complete))
        return working[0];
    for (size_t i = 0; i < k; i++)
        n += part_idle(rows, i) == idle && strcmp(part_name(rows, i), complete);
    n += !idle;
    return idle ? idling[SDL_min(n, IDLING - 1)]
                : working[SDL_min(n, WORKING - 1)];
}

/* A part of the bar, striped if it was idle. */
static void part(struct ui *u, struct box b, const json_t *rows, size_t k)
{
    const json_t *row = json_array_get(rows, k);
    bool idle = json_integer_value(json_array_get(row, 2)) != 0;
    colour ink = colour_of(rows, k, idle);

    if (idle)
        canvas_stripes(u->c, b, ink, WHITE);
    else
        canvas_fill(u->c, b, ink);
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

/* The name of a part, if all of it has room: else the key has it alone. */
static void named(struct ui *u, struct box b, const char *name)
{
    int wide = canvas_width(u->c, CANVAS_TEXT, name) + 6;

    if (wide > b.w - ROUND_NAME)
        return;
    canvas_fill(u->c, (struct box){b.x + 3, b.y + 4, wide, BAR - 8}, WHITE);
    canvas_text(u->c, CANVAS_TEXT, b.x + 6, b.y + 5, wide, BLACK, name);
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
        part(u, one, rows, k);
        named(u, one, name);
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

        if (share < 1)
            continue;
        snprintf(text, sizeof text, "%s %.1f %%",
                 json_string_value(json_array_get(row, 0)), share);
        wide = canvas_width(u->c, CANVAS_TEXT, text);
        if (x > b.x && x + SWATCH + 4 + wide > b.x + b.w) {
            x = b.x;
            y += line;
        }
        part(u, (struct box){x, y + 2, SWATCH, line - 5}, rows, k);
        canvas_text(u->c, CANVAS_TEXT, x + SWATCH + 4, y, b.w, u->theme.ink,
                    text);
        x += SWATCH + wide + 18;
    }
    return y - b.y + line + 6;
}

/* The first and last of `count` source lines that have room, about line `here`
 * of them: three at least. */
static void around(size_t count, size_t here, int room, size_t at[2])
{
    size_t most = room > 0 ? (size_t)room : 0;

    most = SDL_min(SDL_max(most, 3), count);
    at[0] = here > most / 2 ? here - most / 2 : 0;
    at[0] = SDL_min(at[0], count - most);
    at[1] = at[0] + most;
}

/* The line to look at with those about it, in a box of that height if three
 * have room. */
static int lines(struct ui *u, struct box b)
{
    json_t *about = scene_source(&u->scene, text_of(u->first, "line")), *text;
    int line = canvas_line(u->c, CANVAS_MONO), y = b.y;
    long first = (long)json_integer_value(json_object_get(about, "first"));
    const char *name = text_of(u->first, "line"), *colon = strrchr(name, ':');
    long here = colon ? strtol(colon + 1, NULL, 10) : 0;
    char numbered[600];
    size_t k, shown[2];

    if (!*name)
        return 0;
    snprintf(numbered, sizeof numbered, "%.400s%s", name,
             about ? "" : ": the file is not found (--source-path=DIR)");
    canvas_text(u->c, CANVAS_TEXT, b.x, y, b.w, u->theme.faint, numbered);
    y += canvas_line(u->c, CANVAS_TEXT) + 2;
    around(json_array_size(json_object_get(about, "text")),
           here > first ? (size_t)(here - first) : 0,
           (b.y + b.h - y - 8) / line, shown);
    json_array_foreach(json_object_get(about, "text"), k, text)
    {
        long number = first + (long)k;

        if (k < shown[0] || k >= shown[1])
            continue;
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

/* ---- the wait ------------------------------------------------------------ */

/* Is the lane that of a part? Threads have their number behind their name. */
static bool is_named(const char *name, const struct lane *lane)
{
    const char *end = strrchr(lane->name, ' ');
    char *rest;
    long number;

    if (lane->cpu || !strcmp(name, lane->name))
        return !strcmp(name, lane->name);
    if (end && strlen(name) == (size_t)(end - lane->name) &&
        !strncmp(name, lane->name, strlen(name)))
        return true;
    if (strncmp(name, "thread ", 7))
        return false;
    number = strtol(name + 7, &rest, 10);
    return !*rest && number == lane->number;
}

static const struct lane *lane_named(const struct lanes *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++)
        if (is_named(name, &l->lane[i]))
            return &l->lane[i];
    return NULL;
}

/* Where a cycle is in the wait's lanes. */
static int place_of(const struct ui *u, struct box b, uint64_t cycle)
{
    const struct scene *s = &u->gap;

    return b.x + PANEL_NAMES +
           (int)((double)(cycle - s->from) / (double)(s->to - s->from) *
                 (b.w - PANEL_NAMES));
}

/* What a part does, in its lane, between the beginning and the end. */
static void words(struct ui *u, struct box lane, int from, int to,
                  const char *text)
{
    int wide = canvas_width(u->c, CANVAS_TEXT, text) + 8, line;

    wide = SDL_min(wide, to - from - 2 * STEEP - 14);
    line = canvas_line(u->c, CANVAS_TEXT);
    if (wide < 30)
        return;
    canvas_fill(u->c,
                (struct box){from + STEEP + 12, lane.y + (lane.h - line) / 2,
                             wide, line},
                u->theme.paper);
    canvas_text(u->c, CANVAS_TEXT, from + STEEP + 16,
                lane.y + (lane.h - line) / 2, wide - 8, u->theme.ink, text);
}

/* Each lane of the wait, its words, and arrows: downwards to what it waits
 * for, at the beginning; upwards to what goes on, at the end. */
static void parts_drawn(struct ui *u, struct box b, const uint64_t gap[2],
                        int high)
{
    const json_t *parts = json_object_get(u->first, "parts");
    int x[2] = {place_of(u, b, gap[0]), place_of(u, b, gap[1])};
    size_t count = SDL_min(json_array_size(parts), PARTS);
    int bottom = b.y + (int)count * high;

    for (size_t k = 0; k < count; k++) {
        const json_t *part = json_array_get(parts, k);
        const struct lane *lane =
            lane_named(&u->gap_lanes, text_of(part, "name"));
        struct box one = {b.x, b.y + (int)k * high, b.w, high};

        if (lane)
            panel_lane(u, &u->gap, &u->gap_lanes, lane, one);
        else
            canvas_text(u->c, CANVAS_MONO, b.x,
                        one.y + (high - canvas_line(u->c, CANVAS_MONO)) / 2,
                        PANEL_NAMES - 6, u->theme.ink, text_of(part, "name"));
        words(u, one, x[0], x[1], text_of(part, "words"));
    }
    for (int i = 0; i < 2; i++)
        canvas_fill(u->c, (struct box){x[i] - 1, b.y - 2, 2, bottom - b.y + 4},
                    u->theme.ink);
    for (size_t k = 0; k + 1 < count; k++) {
        int middle = b.y + (int)k * high + high / 2;

        canvas_arrow(u->c, x[0] + 8, middle, middle + high, u->theme.ink);
        canvas_arrow(u->c, x[1] - 8, middle + high, middle, u->theme.ink);
    }
}

/* Those that are drawn; how many. */
static size_t lanes_of(const struct ui *u, struct lane out[PARTS])
{
    json_t *part;
    size_t k, count = 0;

    json_array_foreach(json_object_get(u->first, "parts"), k, part)
    {
        const struct lane *lane =
            lane_named(&u->gap_lanes, text_of(part, "name"));

        if (lane && count < PARTS)
            out[count++] = *lane;
    }
    return count;
}

/* "52.4% of idle time is like this, as for ..." without the sentence, which is
 * drawn. */
static int heading(struct ui *u, struct box b)
{
    const char *chain = text_of(u->first, "chain"),
               *end = strstr(chain, " on: ");
    char text[300];

    snprintf(text, sizeof text, "%.*s",
             end ? (int)(end + 4 - chain) : (int)sizeof text, chain);
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.ink, text);
    return canvas_line(u->c, CANVAS_TEXT);
}

/* Below the lanes, `count` of them, the first a CPU's: what colours and arrows
 * are.
 */
static int gap_key(struct ui *u, struct box b, const struct lanes *drawn,
                   size_t count)
{
    static const char *const means[] = {"waits for", "lets go on"};
    int line = canvas_line(u->c, CANVAS_TEXT), down;
    int wide = panel_key(u, b, drawn, &down);
    int ends[] = {b.y + down + 2, b.y + down + line - 2};

    b.y += down;
    canvas_fill(u->c, (struct box){b.x + wide, b.y + 1, 15, line - 3},
                working[1]);
    wide += 19;
    wide += canvas_text(u->c, CANVAS_TEXT, b.x + wide, b.y, b.w - wide,
                        u->theme.faint, "busy CPU") +
            10;
    for (int k = 0; k < 2 && count > 1; k++) {
        canvas_arrow(u->c, b.x + wide + 4, ends[k], ends[!k], u->theme.ink);
        wide += 14;
        wide += canvas_text(u->c, CANVAS_TEXT, b.x + wide, b.y, b.w - wide,
                            u->theme.faint, means[k]) +
                10;
    }
    return wide ? down + line + PANEL_KEY : 0;
}

/* The wait drawn: the CPU and the threads of its chain; as a sentence, if no
 * lane is known. */
static int gap(struct ui *u, struct box b)
{
    const json_t *of = json_object_get(u->first, "gap");
    size_t count =
        SDL_min(json_array_size(json_object_get(u->first, "parts")), PARTS);
    struct lanes drawn = {.steps = u->gap_lanes.steps};
    struct lane lane[PARTS];
    uint64_t when[2];
    int high, y = b.y, key;

    if (!of || !count || u->gap.to <= u->gap.from)
        return sentence(u, b, "chain");
    for (size_t i = 0; i < 2; i++)
        when[i] = (uint64_t)json_integer_value(json_array_get(of, i));
    y += heading(u, b) + 2;
    key = canvas_line(u->c, CANVAS_TEXT) + 4 + 4 + 8; /* and what is between */
    high = (b.y + b.h - y - key) / (int)count;
    high = SDL_max(SDL_min(high, LANE_MOST), LANE);
    parts_drawn(u, (struct box){b.x, y, b.w, 0}, when, high);
    ui_area(u, (struct box){b.x, y, b.w, high * (int)count}, DEED_GAP, 0,
            "to these cycles in time");
    y += high * (int)count + 4;
    drawn.lane = lane;
    drawn.count = lanes_of(u, lane);
    y += gap_key(u, (struct box){b.x + PANEL_NAMES, y, b.w - PANEL_NAMES, 0},
                 &drawn, count);
    return y - b.y + 6;
}

/* How high that is at least. */
static int gap_least(struct ui *u)
{
    size_t parts = json_array_size(json_object_get(u->first, "parts"));
    int line = canvas_line(u->c, CANVAS_TEXT);

    return json_object_get(u->first, "gap")
               ? (int)SDL_min(parts, PARTS) * LANE + 2 * line + 18
               : 0;
}

/* ---- what comes next ----------------------------------------------------- */

/* A candidate: a bar of its share, then words. */
static int candidate(struct ui *u, struct box b, const json_t *row)
{
    double share = json_number_value(json_object_get(row, "percent"));
    const char *name = text_of(row, "name"), *line = text_of(row, "line");
    int high = canvas_line(u->c, CANVAS_TEXT) + 2, left = b.x + NUMBER,
        x = left + SHARE + 8;
    bool idle = json_object_get(u->first, "gap") != NULL;
    char text[600];

    canvas_fill(u->c, (struct box){left, b.y + 2, SHARE, high - 5},
                u->theme.well);
    canvas_fill(
        u->c,
        (struct box){left, b.y + 2, (int)(SHARE * share / 100 + .5), high - 5},
        idle ? idling[1] : working[0]);
    snprintf(text, sizeof text, "%.1f %%", share);
    canvas_text(u->c, CANVAS_TEXT,
                left - 6 - canvas_width(u->c, CANVAS_TEXT, text), b.y, NUMBER,
                u->theme.ink, text);
    x += canvas_text(u->c, CANVAS_TEXT, x, b.y, b.x + b.w - x, u->theme.accent,
                     name) +
         6;
    snprintf(text, sizeof text, "%s%.200s%s%s", *line ? "(" : "", line,
             *line ? ") " : "", text_of(row, "does"));
    if (*text)
        canvas_text(u->c, CANVAS_TEXT, x, b.y, b.x + b.w - x, u->theme.ink,
                    text);
    return high;
}

static int next(struct ui *u, struct box b)
{
    json_t *rows = json_object_get(u->first, "next"), *row;
    bool idle = json_object_get(u->first, "gap") != NULL;
    int y = b.y;
    size_t k;

    if (json_array_size(rows)) {
        canvas_text(u->c, CANVAS_TEXT, b.x, y, b.w, u->theme.faint,
                    idle ? "Next, of the idle time:" : "Next, of all cycles:");
        y += canvas_line(u->c, CANVAS_TEXT) + 2;
    }
    json_array_foreach(rows, k, row)
    {
        y += candidate(u, (struct box){b.x, y, b.w, 0}, row);
    }
    y += 4;
    return y - b.y + sentence(u, (struct box){b.x, y, b.w, 0}, "open");
}

/* How high that will be. */
static int next_high(struct ui *u)
{
    size_t rows = json_array_size(json_object_get(u->first, "next"));
    int line = canvas_line(u->c, CANVAS_TEXT);

    return (int)(rows + (rows > 0)) * (line + 2) + 4 +
           (*text_of(u->first, "open") ? 2 * line : 0);
}

/* ---- all of it in time ----------------------------------------------------- */

/* The wait that is drawn, in a frame. */
static void mark_wait(struct ui *u, struct box time)
{
    const json_t *gap = json_object_get(u->first, "gap");
    double all = (double)(u->scene.to - u->scene.from);
    double from = json_number_value(json_array_get(gap, 0));
    double to = json_number_value(json_array_get(gap, 1));
    int left, right;

    if (!gap || to > (double)u->scene.to || from < (double)u->scene.from)
        return;
    left = (int)((from - (double)u->scene.from) / all * time.w);
    right = (int)((to - (double)u->scene.from) / all * time.w);
    canvas_frame(u->c,
                 (struct box){time.x + left - 1, time.y - 2, right - left + 3,
                              time.h + 4},
                 u->theme.alarm);
}

static void ends(struct ui *u, struct box time)
{
    char text[UI_NUMBER];
    int wide;

    ui_time(u, u->scene.from, text);
    wide = canvas_width(u->c, CANVAS_MONO, text);
    canvas_text(u->c, CANVAS_MONO, time.x, time.y, wide, u->theme.faint, text);
    ui_time(u, u->scene.to, text);
    wide = canvas_width(u->c, CANVAS_MONO, text);
    canvas_text(u->c, CANVAS_MONO, time.x + time.w - wide, time.y, wide,
                u->theme.faint, text);
}

/* Is it one of the wait's? */
static bool in_wait(const struct ui *u, const struct lane *lane)
{
    const json_t *part;
    size_t k;

    json_array_foreach(json_object_get(u->first, "parts"), k, part)
    {
        if (lane_named(&u->lanes, text_of(part, "name")) == lane)
            return true;
    }
    return false;
}

/* CPUs, threads of the wait, others: as many as there is room for, the first of
 * them in the box. */
static void draw_lanes(struct ui *u, struct box b, int count)
{
    for (int pass = 0; pass < 3; pass++)
        for (size_t k = 0; k < u->lanes.count && count; k++) {
            const struct lane *lane = &u->lanes.lane[k];

            if ((lane->cpu ? 0 : in_wait(u, lane) ? 1 : 2) != pass)
                continue;
            panel_lane(u, &u->scene, &u->lanes, lane, b);
            b.y += b.h;
            count--;
        }
}

/* Where there is room: CPUs and threads, as many as fit, with the wait that is
 * drawn above in a frame. */
static void all_in_time(struct ui *u, struct box b)
{
    int line = canvas_line(u->c, CANVAS_TEXT), high, y, count, wide, down;
    bool wait = json_object_get(u->first, "gap") != NULL;
    struct box time;
    char more[40];

    if (b.h < LANES_LEAST * LANE + 2 * line)
        return;
    ui_need_lanes(u);
    if (!u->lanes.count)
        return;
    wide = canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint,
                       wait ? "All of it in time; framed: the wait above"
                            : "All of it in time");
    panel_key(u, (struct box){b.x + wide + 16, b.y, b.w - wide - 16, 0},
              &u->lanes, &down);
    y = b.y + down + line + 4;
    high = (b.y + b.h - y - line - 6) / (int)u->lanes.count;
    high = SDL_max(SDL_min(high, LANE_MOST / 2), LANE);
    count = SDL_min((b.y + b.h - y - line - 6) / high, (int)u->lanes.count);
    time = (struct box){b.x + PANEL_NAMES, y, b.w - PANEL_NAMES, high * count};
    draw_lanes(u, (struct box){b.x, y, b.w, high}, count);
    mark_wait(u, time);
    ui_area(u, time, DEED_PANEL, PANEL_TIME, "to time");
    ends(u, (struct box){time.x, time.y + time.h + 4, time.w, 0});
    snprintf(more, sizeof more, "%d more in time", (int)u->lanes.count - count);
    if (count < (int)u->lanes.count)
        canvas_text(u->c, CANVAS_MONO, b.x, time.y + time.h + 4,
                    PANEL_NAMES - 6, u->theme.faint, more);
}

void panel_overview(struct ui *u, struct box b)
{
    struct box at = b;

    ui_need_first(u);
    at.y += answer(u, at);
    at.y += bar(u, at);
    at.y += key(u, at);
    at.h = b.y + b.h - at.y - next_high(u) - gap_least(u);
    at.y += lines(u, at);
    at.h = b.y + b.h - at.y - next_high(u);
    at.y += gap(u, at);
    at.y += next(u, at) + 12;
    at.h = b.y + b.h - at.y;
    all_in_time(u, at);
}
