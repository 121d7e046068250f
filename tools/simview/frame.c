/* frame.c - what stands about every panel: which run and interval, the tabs, a
 * line with the command that prints the same, the tip at the mouse, help.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/simview/panels.h"

#define BUILD_ID 41 /* letters, with the dot before it */

static const char *const names[PANELS] = {
    "overview", "time", "calls", "functions", "causes", "locks",  "source",
    "compare",  "diff", "pipe",  "lines",     "truth",  "counts",
};

static const char *const keys[] = {
    "1 to 9, Tab     a panel (8 and 9 of two runs)",
    "p, l, a         instructions in the pipeline, lines of memory, calls",
    "e               how far samples can be trusted (m: another counter)",
    "space, ., g     a run that is followed: on or pause, a step, to a place",
    "drag            an interval of time; everything is about it",
    "+ - wheel       zoom in the middle, or at the mouse",
    "left, right     move the interval",
    "Backspace       the interval before (Shift: after it again)",
    "Escape          the whole run",
    "up, down, PgUp, PgDn, Home, End   rows",
    "Enter           the source of the function in this row",
    "/               look for a word; Enter ends",
    "click           an idle CPU in time: why it was idle",
    "n, k, t         the next idle gap, convoy, slow call (Shift: before)",
    "m, v, r, u, i, x   in calls: metric, leaves, recursion, root",
    "                   below, idle CPUs, two runs",
    "c, Ctrl-C       copy the command that prints this, or the row",
    "s               save this picture: simview-1.png and so on",
    "d               dark or light",
    "Ctrl + - 0      larger, smaller, as the window suggests",
    "h, q            this help; end",
};

const char *panel_name(enum panel p)
{
    return names[p];
}

json_t *panel_rows(struct ui *u, enum panel p)
{
    switch (p) {
    case PANEL_FUNCTIONS:
        return scene_rows(&u->scene, SCENE_FUNCTIONS);
    case PANEL_CAUSES:
        return scene_rows(&u->scene, SCENE_CAUSES);
    case PANEL_LOCKS:
        return scene_rows(&u->scene, SCENE_LOCKS);
    case PANEL_TRUTH:
        scene_judge(&u->scene, u->judged);
        return ui_tells(u, p) ? scene_rows(&u->scene, SCENE_TRUTH) : NULL;
    case PANEL_CALLED:
        return scene_rows(&u->scene, SCENE_CALLED);
    case PANEL_COMPARE:
    case PANEL_DIFF:
        return ui_two_runs(u, p);
    default:
        return NULL;
    }
}

/* How much of an image's name is its own: not the build id behind it. */
static int image_name(const char *image)
{
    size_t size = strlen(image);

    return (int)(size > BUILD_ID && image[size - BUILD_ID] == '.'
                     ? size - BUILD_ID
                     : size);
}

static int title(struct ui *u, struct box b)
{
    const char *log = text_lines_get(&u->r->log, "image");
    const char *image = log ? log : "?";
    char text[1400], from[UI_NUMBER], to[UI_NUMBER], length[UI_NUMBER];
    int line = canvas_line(u->c, CANVAS_TEXT);

    snprintf(text, sizeof text,
             "%.300s%s%.300s: %.*s, %u CPU%s, cycles %s to %s (%s)%s",
             u->o->experiment, u->base ? " after " : "", u->base ? u->base : "",
             image_name(image), image, u->r->cpus, u->r->cpus == 1 ? "" : "s",
             ui_count((int64_t)u->scene.from, from),
             ui_count((int64_t)u->scene.to, to),
             ui_time(u, u->scene.to - u->scene.from, length),
             u->scene.from || u->scene.to < u->r->end ? ", an interval" : "");
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint, text);
    if (!u->follow)
        return line + 4;
    follow_words(u->follow, text, sizeof text);
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y + line, b.w, u->theme.accent, text);
    return 2 * line + 4;
}

static int tabs(struct ui *u, struct box b)
{
    int x = b.x, line = canvas_line(u->c, CANVAS_TEXT);
    char text[64];

    for (unsigned i = 0; i < PANELS; i++) {
        struct box one;

        if (i != u->panel && !ui_tells(u, i))
            continue;

        snprintf(text, sizeof text, "%c %s", ui_key(i), names[i]);
        one = (struct box){x, b.y, canvas_width(u->c, CANVAS_TEXT, text) + 16,
                           line + 4};
        canvas_fill(u->c, one, i == u->panel ? u->theme.chosen : u->theme.well);
        canvas_text(u->c, CANVAS_TEXT, x + 8, b.y + 2, one.w, u->theme.ink,
                    text);
        ui_area(u, one, DEED_PANEL, (long)i, "%s", "");
        x += one.w + 3;
    }
    return line + 12;
}

/* What is typed, what just happened, or the command. */
static void status(struct ui *u, struct box b)
{
    char *command = ui_command(u), text[5000];

    if (u->aiming)
        snprintf(text, sizeof text, "run to: %s_", u->aim);
    else if (u->typing)
        snprintf(text, sizeof text, "look for: %s_", u->word);
    else if (u->status[0])
        snprintf(text, sizeof text, "%s", u->status);
    else
        snprintf(text, sizeof text, "%s", command);
    free(command);
    canvas_fill(u->c, b, u->theme.well);
    canvas_text(u->c, CANVAS_MONO, b.x + MARGIN, b.y + 3, b.w - 90 - MARGIN,
                u->theme.ink, text);
    canvas_text(u->c, CANVAS_TEXT, b.x + b.w - 70, b.y + 3, 70, u->theme.faint,
                "h: keys");
}

/* The whole of what was cut, or what a box is. */
static void tip(struct ui *u)
{
    const struct area *a = ui_at(u, u->mouse_x, u->mouse_y);
    int wide, line = canvas_line(u->c, CANVAS_TEXT), x, y;

    if (!a || !a->tip[0])
        return;
    wide = SDL_min(canvas_width(u->c, CANVAS_TEXT, a->tip) + 12, u->c->width);
    x = SDL_max(SDL_min(u->mouse_x + 12, u->c->width - wide), 0);
    y = u->mouse_y + 20 + line + 4 > u->c->height ? u->mouse_y - line - 8
                                                  : u->mouse_y + 18;
    canvas_fill(u->c, (struct box){x, y, wide, line + 4}, u->theme.ink);
    canvas_text(u->c, CANVAS_TEXT, x + 6, y + 2, wide - 12, u->theme.paper,
                a->tip);
}

static void help(struct ui *u)
{
    int line = canvas_line(u->c, CANVAS_MONO) + 2;
    int count = (int)(sizeof keys / sizeof keys[0]);
    struct box b = {u->c->width / 2 - 250, 80, 500, line * count + 24};

    canvas_fill(u->c, b, u->theme.paper);
    canvas_frame(u->c, b, u->theme.ink);
    for (int i = 0; i < count; i++)
        canvas_text(u->c, CANVAS_MONO, b.x + 12, b.y + 12 + i * line, b.w - 24,
                    u->theme.ink, keys[i]);
}

static void panel(struct ui *u, struct box b)
{
    canvas_clip(u->c, &(struct box){0, b.y, u->c->width, b.h});
    switch (u->panel) {
    case PANEL_OVERVIEW:
        panel_overview(u, b);
        break;
    case PANEL_TIME:
        panel_time(u, b);
        break;
    case PANEL_CALLS:
        panel_calls(u, b);
        break;
    case PANEL_SOURCE:
        panel_source(u, b);
        break;
    case PANEL_PIPE:
        panel_pipe(u, b);
        break;
    case PANEL_LINES:
        panel_memory(u, b);
        break;
    case PANEL_TRUTH:
        panel_truth(u, b, panel_rows(u, u->panel));
        break;
    default:
        panel_table(u, b, panel_rows(u, u->panel));
        break;
    }
    canvas_clip(u->c, NULL);
}

void ui_draw(struct ui *u)
{
    int bottom = canvas_line(u->c, CANVAS_MONO) + 6;
    struct box b = {MARGIN, 6, u->c->width - 2 * MARGIN, 0};

    u->areas = 0;
    u->rows = u->fit = 0;
    canvas_clear(u->c, u->theme.paper);
    b.y += title(u, b);
    b.y += tabs(u, b);
    b.h = u->c->height - bottom - b.y - 4;
    panel(u, b);
    status(u, (struct box){0, u->c->height - bottom, u->c->width, bottom});
    if (!u->dragging)
        tip(u);
    if (u->helps)
        help(u);
}
