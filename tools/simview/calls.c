/* calls.c - the call tree as a flame graph: callers above or below, from the
 * outermost function or from the leaves, recursion as it is or folded; of
 * cycles, any event, what threads waited for, or idle time by its roots. Of two
 * runs the colour says what grew and what shrank.
 */
#include <string.h>

#include "tools/simview/panels.h"

#define HIGH 19 /* of a box */
#define LEAST 1 /* pixels of a box that is drawn */
#define FOUND 0xCC79A7

static bool shown(const struct ui *u, const struct flame_node *n)
{
    return u->idle || strcmp(n->name, "<napping>") != 0;
}

/* What a node has, without idle CPUs if those are left out. */
static int64_t size_of(const struct ui *u, long at, bool before)
{
    const struct flame_node *n = &u->flame.node[at];
    int64_t sum = before ? n->before : n->all;

    if (at)
        return sum;
    for (long k = n->first; k != FLAME_NONE; k = u->flame.node[k].next)
        if (!shown(u, &u->flame.node[k]))
            sum -= before ? u->flame.node[k].before : u->flame.node[k].all;
    return sum;
}

static colour hue(const char *name)
{
    unsigned h = 0;

    while (*name)
        h = (h * 31 + (unsigned char)*name++) % 9973;
    /* From red to yellow, some lighter. */
    return (colour)(0xE8 + h / 25 % 3 * 8) << 16 |
           (colour)(0x90 + h % 5 * 22) << 8 | (0x58 + h / 5 % 5 * 10);
}

#define FULL 0.05 /* of all of a run: what is in full colour */

/* Of two runs: from blue, what shrank by FULL or more of the larger of them,
 * over grey to orange. Small changes, which chance makes, stay pale. */
static colour change(int64_t now, int64_t before, int64_t whole)
{
    static const int grey = 0xD8,
                     ends[2][3] = {{0x4F, 0xA8, 0xE8}, {0xE8, 0x7B, 0x28}};
    double by = whole > 0 ? (double)(now - before) / (FULL * whole) : 0;
    const int *end = ends[by > 0];
    colour ink = 0;

    by = SDL_min(by < 0 ? -by : by, 1);
    for (int i = 0; i < 3; i++)
        ink = ink << 8 | (colour)(grey + (int)(by * (end[i] - grey)));
    return ink;
}

static const char *metric_of(const struct ui *u)
{
    return u->metrics[u->metric].column + 5;
}

static void hint(struct ui *u, long at, struct box frame, int64_t whole)
{
    const struct flame_node *n = &u->flame.node[at];
    int64_t size = size_of(u, at, false), was = size_of(u, at, true);
    char number[UI_NUMBER], before[UI_NUMBER];
    double share = whole ? 100 * (double)size / (double)whole : 0;

    if (u->differs)
        ui_area(u, frame, DEED_NODE, at, "%s: %s %s, before %s (%+.1f %%)",
                n->name, ui_count(size, number), metric_of(u),
                ui_count(was, before),
                was ? 100 * (double)(size - was) / (double)was : 0.);
    else
        ui_area(u, frame, DEED_NODE, at, "%s: %s %s, %.1f %%", n->name,
                ui_count(size, number), metric_of(u), share);
}

static void put(struct ui *u, long at, struct box b, int64_t whole)
{
    const struct flame_node *n = &u->flame.node[at];
    const struct box frame = {b.x, b.y, b.w - (b.w > 3), HIGH - 1};
    bool wanted = ui_wants(u, n->name);

    canvas_fill(u->c, frame,
                wanted ? FOUND
                : u->differs
                    ? change(size_of(u, at, false), size_of(u, at, true),
                             SDL_max(size_of(u, 0, false), size_of(u, 0, true)))
                    : hue(n->name));
    if (at == u->node && at)
        canvas_frame(u->c, frame, u->theme.ink);
    if (b.w > 24)
        canvas_text(u->c, CANVAS_MONO, b.x + 3, b.y + 1, b.w - 6, 0, n->name);
    hint(u, at, frame, whole);
}

/* What a box is as wide as: of two runs the larger, so that what is gone is
 * seen, too. */
static int64_t width_of(const struct ui *u, long at)
{
    const struct flame_node *n = &u->flame.node[at];
    int64_t size = size_of(u, at, false), below = 0;

    if (!u->differs)
        return size;
    for (long k = n->first; k != FLAME_NONE; k = u->flame.node[k].next)
        if (shown(u, &u->flame.node[k]))
            below += width_of(u, k);
    return SDL_max(SDL_max(size, size_of(u, at, true)), below);
}

/* The node and those below it, within a box as wide as it is. */
static void put_all(struct ui *u, long at, struct box b, struct box of,
                    int64_t whole)
{
    const struct flame_node *n = &u->flame.node[at];
    int64_t all = width_of(u, at), before = 0;

    if (b.y + HIGH > of.y + of.h || b.y < of.y)
        return;
    put(u, at, b, whole);
    for (long k = n->first; k != FLAME_NONE && all > 0;
         k = u->flame.node[k].next) {
        struct box child = {0, b.y + (u->below ? -HIGH : HIGH), 0, HIGH};

        if (!shown(u, &u->flame.node[k]))
            continue;
        child.x = b.x + (int)((double)before / (double)all * b.w);
        before += width_of(u, k);
        child.w = b.x + (int)((double)before / (double)all * b.w) - child.x;
        if (child.w >= LEAST)
            put_all(u, k, child, of, whole);
    }
}

/* Cycles, or what is chosen, of what is looked for; within it only once. */
static int64_t found(const struct ui *u, long at)
{
    const struct flame_node *n = &u->flame.node[at];
    int64_t sum = 0;

    if (ui_wants(u, n->name))
        return n->all;
    for (long k = n->first; k != FLAME_NONE; k = u->flame.node[k].next)
        if (shown(u, &u->flame.node[k]))
            sum += found(u, k);
    return sum;
}

/* Which keys draw it otherwise, as many as there is room for: h lists all. */
static void say_keys(struct ui *u, struct box b)
{
    const char *const keys[] = {u->base ? "x: two runs" : "",
                                "m: another",
                                u->ways & FLAME_LEAVES ? "v: from the root"
                                                       : "v: from the leaves",
                                "r: recursion",
                                u->below ? "u: root above" : "u: root below",
                                "i: idle CPUs"};
    char text[UI_TIP] = "";
    size_t used = 0;

    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        size_t was = used;

        if (!*keys[k])
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 used ? "; " : "", keys[k]);
        if (canvas_width(u->c, CANVAS_TEXT, text) > b.w) {
            text[was] = '\0';
            break;
        }
    }
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint, text);
}

/* What is drawn, and which keys draw it otherwise. */
static void say(struct ui *u, struct box b, int64_t whole)
{
    char text[UI_TIP], look[UI_TIP / 2] = "", number[UI_NUMBER];

    if (*u->word && whole)
        snprintf(look, sizeof look, "; \"%s\" has %.1f %%", u->word,
                 100 * (double)found(u, 0) / (double)whole);
    snprintf(text, sizeof text, "%s %s%s%s%s%s", ui_count(whole, number),
             metric_of(u), u->ways & FLAME_LEAVES ? ", from the leaves" : "",
             u->ways & FLAME_FOLD ? ", recursion folded" : "",
             u->differs ? ", orange grew, blue shrank, full: by 5 % of all"
                        : "",
             look);
    b.x += canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.ink, text);
    say_keys(u, (struct box){b.x + 14, b.y, MARGIN + b.w - b.x - 14, b.h});
}

void panel_calls(struct ui *u, struct box b)
{
    int line = canvas_line(u->c, CANVAS_TEXT) + 4;
    struct box of, root;
    int64_t whole;

    ui_need_calls(u);
    if (u->flame.count < 2) {
        canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.ink,
                    "No samples and no waits here: simrun -e EVENT:PERIOD "
                    "takes samples, --switch-stacks records waits.");
        return;
    }
    if (u->node >= (long)u->flame.count)
        u->node = 0;
    whole = size_of(u, 0, false);
    say(u, b, whole);
    of = (struct box){b.x, b.y + line, b.w, b.h - line};
    root = (struct box){b.x, u->below ? of.y + of.h - HIGH : of.y, b.w, HIGH};
    put_all(u, u->node, root, of, whole);
    /* The way back. */
    if (u->node)
        ui_area(u, root, DEED_NODE, 0, "back to the root");
}
