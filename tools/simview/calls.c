/* calls.c - the call tree as a flame graph, callers above. */
#include <string.h>

#include "tools/simview/panels.h"

#define HIGH 19 /* of a box */
#define LEAST 1 /* pixels of a box that is drawn */

static bool shown(const struct ui *u, const struct node *n)
{
    return u->idle || strcmp(n->name, "<napping>") != 0;
}

/* What a node has, without idle CPUs if those are left out. */
static int64_t size_of(const struct ui *u, long at)
{
    const struct node *n = &u->calls.node[at];
    int64_t sum = n->value[u->metric];

    if (at)
        return sum;
    for (long k = n->first; k >= 0; k = u->calls.node[k].next)
        if (!shown(u, &u->calls.node[k]))
            sum -= u->calls.node[k].value[u->metric];
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

static void put(struct ui *u, long at, struct box b, int64_t whole)
{
    const struct node *n = &u->calls.node[at];
    const struct box frame = {b.x, b.y, b.w - (b.w > 3), HIGH - 1};
    bool wanted = ui_wants(u, n->name);
    char number[UI_NUMBER];
    int64_t size = size_of(u, at);

    canvas_fill(u->c, frame, wanted ? 0xCC79A7 : hue(n->name));
    if (at == u->node && at)
        canvas_frame(u->c, frame, u->theme.ink);
    if (b.w > 24)
        canvas_text(u->c, CANVAS_MONO, b.x + 3, b.y + 1, b.w - 6, 0, n->name);
    ui_area(u, frame, DEED_NODE, at, "%s: %s %s, %.1f %%", n->name,
            ui_count(size, number), u->calls.metric[u->metric] + 5,
            whole ? 100 * (double)size / (double)whole : 0);
}

/* The node and those below it, within a box as wide as it is. */
static void put_all(struct ui *u, long at, struct box b, int bottom,
                    int64_t whole)
{
    const struct node *n = &u->calls.node[at];
    int64_t all = size_of(u, at), before = 0;

    if (b.y + HIGH > bottom)
        return;
    put(u, at, b, whole);
    for (long k = n->first; k >= 0 && all > 0; k = u->calls.node[k].next) {
        struct box child = {0, b.y + HIGH, 0, HIGH};

        if (!shown(u, &u->calls.node[k]))
            continue;
        child.x = b.x + (int)((double)before / (double)all * b.w);
        before += size_of(u, k);
        child.w = b.x + (int)((double)before / (double)all * b.w) - child.x;
        if (child.w >= LEAST)
            put_all(u, k, child, bottom, whole);
    }
}

/* Cycles, or whatever, of what is looked for; within it only once. */
static int64_t found(const struct ui *u, long at)
{
    const struct node *n = &u->calls.node[at];
    int64_t sum = 0;

    if (ui_wants(u, n->name))
        return n->value[u->metric];
    for (long k = n->first; k >= 0; k = u->calls.node[k].next)
        if (shown(u, &u->calls.node[k]))
            sum += found(u, k);
    return sum;
}

void panel_calls(struct ui *u, struct box b)
{
    const struct calls *c = &u->calls;
    char text[UI_TIP], look[UI_TIP / 2] = "";
    int line = canvas_line(u->c, CANVAS_TEXT) + 4;
    int64_t whole;

    ui_need_calls(u);
    if (c->count < 2) {
        canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.ink,
                    "No samples: simrun -e EVENT:PERIOD takes them.");
        return;
    }
    if (u->node >= (long)c->count)
        u->node = 0;
    whole = size_of(u, 0);
    if (*u->word && whole)
        snprintf(look, sizeof look, "; \"%s\" has %.1f %%", u->word,
                 100 * (double)found(u, 0) / (double)whole);
    snprintf(text, sizeof text,
             "Width is %s (m: another)%s; i: idle CPUs %s; a click makes a box "
             "the widest, the root brings all back%s",
             c->metric[u->metric] + 5, "",
             u->idle ? "are shown" : "are left out", look);
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint, text);
    put_all(u, u->node, (struct box){b.x, b.y + line, b.w, HIGH}, b.y + b.h,
            whole);
    /* The way back. */
    if (u->node)
        ui_area(u, (struct box){b.x, b.y + line, b.w, HIGH}, DEED_NODE, 0,
                "back to the root");
}
