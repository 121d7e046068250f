/* gap.c - the idle gap that is looked at, below the lanes: why, in a sentence;
 * what halving its root saves; and the stacks of who waits, who holds and who
 * wakes, each a column, down to the root.
 */
#include <string.h>

#include "tools/simprof/scene/words.h"
#include "tools/simview/panels.h"

#define SIDES 4  /* columns, at most */
#define FRAMES 5 /* functions of a stack, at most */
#define SPACE 10 /* between columns */

/* What a column is about, in two lines. */
static void heads(const struct ui *u, const json_t *row, char who[200],
                  char what[200])
{
    const char *role = scene_text(row, "role"), *name = scene_text(row, "name");
    const char *object = scene_text(row, "object");
    int64_t from = scene_number(row, "from_cycle");
    bool root = !strcmp(role, "root");
    char number[UI_NUMBER];

    snprintf(who, 200, "%s%.90s%s%.30s", root ? "root: " : "", name,
             root ? "" : " ", root ? "" : role);
    if (!strcmp(role, "wakes it"))
        snprintf(what, 200, "at %s", ui_time(u, (uint64_t)from, number));
    else
        snprintf(what, 200, "%s: %.60s%s%.80s",
                 ui_time(u, (uint64_t)(scene_number(row, "to_cycle") - from),
                         number),
                 scene_text(row, "state"), *object ? " " : "", object);
}

/* How many functions of a stack are in front of one; 0 where it is none of
 * them. */
static int depth_of(const char *stack, const char *function)
{
    size_t size = strlen(function);
    int depth = 0;

    for (; *stack; depth++) {
        size_t n = scene_first_name(stack);

        if (n == size && !strncmp(stack, function, n))
            return depth;
        stack = scene_next_name(stack);
    }
    return 0;
}

/* The rest of a stack, without its first functions. */
static const char *without(const char *stack, int functions)
{
    for (int i = 0; i < functions; i++)
        stack = scene_next_name(stack);
    return stack;
}

static void column(struct ui *u, const json_t *row, struct box b)
{
    int line = canvas_line(u->c, CANVAS_MONO);
    const char *stack = scene_text(row, "functions"), *own;
    bool root = !strcmp(scene_text(row, "role"), "root");
    char who[200], what[200], frame[200];
    int own_at;

    own = scene_text(row, "function");
    own_at = *own ? depth_of(stack, own) : 0;
    heads(u, row, who, what);
    canvas_fill(u->c, b, u->theme.well);
    if (root)
        canvas_fill(u->c, (struct box){b.x, b.y, 3, b.h}, u->theme.alarm);
    b = (struct box){b.x + 8, b.y + 3, b.w - 14, b.h};
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w,
                root ? u->theme.alarm : u->theme.ink, who);
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y + line, b.w, u->theme.faint, what);
    for (int i = 0; i < FRAMES && *stack; i++) {
        /* The last line is the program's own function; frames between are left
         * out. */
        int passed = i == FRAMES - 1 && own_at > i ? own_at - i : 0;
        size_t size;
        bool mine;

        stack = without(stack, passed);
        size = scene_first_name(stack);
        snprintf(frame, sizeof frame, "%s%.*s", passed ? "... " : "", (int)size,
                 stack);
        mine = *own && !strcmp(frame + (passed ? 4 : 0), own);
        canvas_text(u->c, CANVAS_MONO, b.x, b.y + (2 + i) * line + 2, b.w,
                    mine ? u->theme.accent : u->theme.ink, frame);
        if (mine)
            ui_area(u, (struct box){b.x, b.y + (2 + i) * line + 2, b.w, line},
                    DEED_SOURCE, 0, "%s", own);
        stack = scene_next_name(stack);
    }
    if (*scene_text(row, "line"))
        canvas_text(u->c, CANVAS_TEXT, b.x, b.y + (2 + FRAMES) * line + 2, b.w,
                    u->theme.faint, scene_text(row, "line"));
}

/* What it says above the columns; returns its height. */
static int words(struct ui *u, struct box b)
{
    const json_t *is = u->gap_at.is;
    const char *why = scene_text(is, "words"), *try = scene_text(is, "try");
    int line = canvas_line(u->c, CANVAS_TEXT), y = b.y, x = b.x;
    struct piece piece = {*why ? why
                               : "Why is not known: no states of threads were "
                                 "recorded (simrun --switch-stacks).",
                          u->theme.ink};

    y += canvas_paragraph(u->c, CANVAS_TEXT, b.x, y, b.w, &piece, 1) + 2;
    if (*scene_text(is, "badge"))
        x += canvas_badge(u->c, x, y, u->theme.faint, scene_text(is, "badge")) +
             8;
    if (*scene_text(is, "saves"))
        x += canvas_text(u->c, CANVAS_TEXT, x, y + 1, b.x + b.w - x,
                         u->theme.ink, scene_text(is, "saves")) +
             12;
    if (*try && x > b.x &&
        canvas_width(u->c, CANVAS_MONO, try) > b.x + b.w - x) {
        x = b.x;
        y += line + 4;
    }
    if (*try)
        canvas_text(u->c, CANVAS_MONO, x, y + 2, b.x + b.w - x, u->theme.faint,
                    try);
    if (*try || x > b.x)
        y += line + 6;
    return y - b.y;
}

/* Without drawing: as high as the longest may be. */
static int height(const struct ui *u, size_t sides)
{
    return 4 * canvas_line(u->c, CANVAS_TEXT) + 18 +
           (sides ? (FRAMES + 3) * canvas_line(u->c, CANVAS_MONO) + 8 : 0);
}

int panel_gap(struct ui *u, struct box b)
{
    const json_t *rows = json_object_get(u->gap_at.is, "rows");
    size_t count = json_array_size(rows);
    size_t sides = SDL_min(count ? count - 1 : 0, SIDES);
    int high, y, wide;

    if (u->gap_at.cpu < 0 || !count)
        return 0;
    high = SDL_min(height(u, sides), b.h * 3 / 4);
    y = b.y + b.h - high;
    canvas_fill(u->c, (struct box){b.x, y, b.w, 1}, u->theme.line);
    y += 5;
    y += words(u, (struct box){b.x, y, b.w, 0});
    wide = sides ? (b.w + SPACE) / (int)sides : 0;
    for (size_t i = 0; i < sides; i++) {
        /* The first ones, and the root. */
        size_t k = i + 1 == sides ? count - 1 : i + 1;

        column(
            u, json_array_get(rows, k),
            (struct box){b.x + (int)i * wide, y, wide - SPACE, b.y + b.h - y});
    }
    return high + 6;
}
