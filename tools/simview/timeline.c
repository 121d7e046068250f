/* timeline.c - CPUs and threads in time: how busy a CPU was and with which
 * thread, and what for it was idle; which state a thread was in for most of a
 * step. Never more rectangles than pixels: a step is a pixel or more, and
 * neighbours that look the same are one.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simview/beside.h"
#include "tools/simview/panels.h"
#include "tools/simview/strips.h"

#define AXIS 20
#define APART 8 /* pixels at least between two times */
#define BUSY 0x0072B2
#define CHOSEN 0xD55E00
#define WHITE 0xFFFFFF
#define NO_THREAD 0xDDDDDD /* that a CPU waits for */

static const struct look {
    const char *state, *letter;
    colour ink;
} looks[] = {
    {"user", "U", 0x56B4E9},
    {"system", "s", 0x009E73},
    {"spinning", "*", 0xD55E00},
    {"runnable", "r", 0xF0E442},
    {"lock", "L", 0xE69F00},
    {"queue", "q", 0xCC79A7},
    {"barrier", "b", 0xCAB2D6},
    {"io", "d", 0xB8860B},
    {"page", "p", 0xB2DF8A},
    {"timer", "t", 0xBBBBBB},
    {"stopped", "x", 0x888888},
    /* Why a CPU was idle (classes.def), in the colours of the states. */
    {"idle:scheduler", "r", 0xF0E442},
    {"idle:not-allowed", "m", 0xA98FD1},
    {"idle:lock", "L", 0xE69F00},
    {"idle:queue", "q", 0xCC79A7},
    {"idle:barrier", "b", 0xCAB2D6},
    {"idle:io", "d", 0xB8860B},
    {"idle:page", "p", 0xB2DF8A},
    {"idle:timer", "t", 0xBBBBBB},
    {"idle:stopped", "x", 0x888888},
    {"idle:not-born", "n", NO_THREAD},
    {"idle:too-few", "f", NO_THREAD},
    {"idle:no-more", "e", NO_THREAD},
    {"idle:deadlock", "D", 0xFB9A99},
    {"idle:unknown", "?", NO_THREAD},
};
#define LOOKS (sizeof looks / sizeof looks[0])
_Static_assert(LOOKS <= 32, "a bit each in lane.seen");
#define IDLE "idle:"
#define IDLE_SIZE (sizeof IDLE - 1)
#define STRETCH 60 /* percent that lanes may be higher */
#define NEARLY 90  /* percent of a step that a thread had for its name */

int panel_look(const char *state)
{
    for (size_t i = 0; i < LOOKS; i++)
        if (!strcmp(looks[i].state, state))
            return (int)i;
    return strncmp(state, IDLE, IDLE_SIZE) ? panel_look("stopped")
                                           : (int)LOOKS - 1;
}

static bool is_idle(const struct look *look)
{
    return !strncmp(look->state, IDLE, IDLE_SIZE);
}

/* Lanes of a scene within a box. */
struct span {
    const struct scene *s;
    const struct lanes *l;
    struct box b;
    const struct ui *beside; /* where steps are is for it to say; or NULL */
};

static uint64_t length(const struct span *t, size_t n)
{
    uint64_t from = t->s->from + n * t->s->step;

    return t->s->to - from < t->s->step ? t->s->to - from : t->s->step;
}

/* The pixel where step n begins. */
static int pixel(const struct span *t, size_t n)
{
    double of = (double)(n * t->s->step) / (double)(t->s->to - t->s->from);

    if (t->beside)
        return beside_pixel(t->beside, t->b, n);
    return t->b.x + (int)((of < 1 ? of : 1) * t->b.w);
}

static colour ink_of(const struct ui *u, const struct look *look)
{
    return look->ink == NO_THREAD ? u->theme.line : look->ink;
}

static void draw_look(struct ui *u, const struct look *look, struct box b)
{
    if (is_idle(look))
        canvas_stripes(u->c, b, ink_of(u, look), u->theme.paper);
    else
        canvas_fill(u->c, b, look->ink);
}

/* The letter of a look in the middle of a box, if that is wide enough. */
static void letter(struct ui *u, const struct look *look, struct box b)
{
    struct box mid = {b.x + b.w / 2 - 6, b.y, 13, b.h};

    if (b.w <= 11 || b.h < 12)
        return;
    if (is_idle(look))
        canvas_fill(u->c, mid, ink_of(u, look));
    canvas_text(u->c, CANVAS_MONO, mid.x + 3,
                b.y + (b.h - canvas_line(u->c, CANVAS_MONO)) / 2, b.w,
                look->ink == NO_THREAD ? u->theme.ink : 0, look->letter);
}

/* Steps from n on that look the same, as a box of the lane; *end is behind
 * them. */
static struct box alike(const struct span *t, const struct lane *lane, size_t n,
                        size_t *end)
{
    int x = pixel(t, n);

    for (*end = n + 1; *end < t->l->steps && lane->look[*end] == lane->look[n];)
        ++*end;
    return (struct box){x, t->b.y + 1, SDL_max(pixel(t, *end) - x, 1),
                        t->b.h - 2};
}

static bool is_beyond(const struct span *t, size_t n)
{
    return pixel(t, n) >= t->b.x + t->b.w;
}

/* Threads are never busy in this sense. */
static bool is_all_idle(const struct lane *lane, size_t n, size_t end)
{
    while (n < end && !lane->busy[n])
        n++;
    return n == end;
}

/* The states of a thread; of a CPU why it was idle, striped over the whole
 * height, and what it ran stands in front. */
static void draw_looks(struct ui *u, const struct span *t,
                       const struct lane *lane)
{
    size_t end;

    for (size_t n = 0; n < t->l->steps && !is_beyond(t, n); n = end) {
        struct box b = alike(t, lane, n, &end);
        const struct look *look;

        if (lane->look[n] < 0)
            continue;
        look = &looks[lane->look[n]];
        draw_look(u, look, b);
        if (is_all_idle(lane, n, end))
            letter(u, look, b);
    }
}

/* Who had nearly all of a step, or NULL. */
static const char *runner(const struct span *t, const struct lane *lane,
                          size_t n)
{
    return 100 * lane->busy[n] >= NEARLY * (int64_t)length(t, n) ? lane->who[n]
                                                                 : NULL;
}

/* The name of a thread, or its number, if there is room. */
static void name_runner(struct ui *u, const char *who, struct box b)
{
    char text[64];

    snprintf(text, sizeof text,
             isdigit((unsigned char)*who) ? "thread %s" : "%s", who);
    if (canvas_width(u->c, CANVAS_MONO, text) > b.w)
        snprintf(text, sizeof text, "%s", who);
    if (canvas_width(u->c, CANVAS_MONO, text) <= b.w)
        canvas_text(u->c, CANVAS_MONO, b.x,
                    b.y + (b.h - canvas_line(u->c, CANVAS_MONO)) / 2, b.w,
                    WHITE, text);
}

/* Steps in a row that one thread had bear its name. */
static void name_runners(struct ui *u, const struct span *t,
                         const struct lane *lane)
{
    size_t end;

    for (size_t n = 0; n < t->l->steps && !is_beyond(t, n); n = end) {
        const char *who = runner(t, lane, n), *next;
        int x = pixel(t, n), wide;

        for (end = n + 1; who && end < t->l->steps; end++)
            if (!(next = runner(t, lane, end)) || strcmp(next, who) != 0)
                break;
        wide = SDL_min(pixel(t, end), t->b.x + t->b.w) - x;
        if (who && t->b.h >= 14)
            name_runner(u, who, (struct box){x + 3, t->b.y, wide - 4, t->b.h});
    }
}

static void draw_cpu(struct ui *u, const struct span *t,
                     const struct lane *lane)
{
    draw_looks(u, t, lane);
    for (size_t n = 0; n < t->l->steps && !is_beyond(t, n); n++) {
        int64_t busy = lane->busy[n], all = (int64_t)length(t, n);
        int x = pixel(t, n), h;

        if (!busy || !all)
            continue;
        h = (int)((double)(t->b.h - 2) * (double)busy / (double)all);
        canvas_fill(u->c,
                    (struct box){x, t->b.y + t->b.h - 1 - h,
                                 SDL_max(pixel(t, n + 1) - x, 1), h},
                    BUSY);
    }
    name_runners(u, t, lane);
}

void panel_lane(struct ui *u, const struct scene *s, const struct lanes *l,
                const struct lane *lane, struct box b)
{
    struct span t = {
        s, l, {b.x + PANEL_NAMES, b.y, b.w - PANEL_NAMES, b.h}, NULL};

    canvas_text(u->c, CANVAS_MONO, b.x,
                b.y + (b.h - canvas_line(u->c, CANVAS_MONO)) / 2,
                PANEL_NAMES - 6, u->theme.ink, lane->name);
    if (lane->cpu)
        draw_cpu(u, &t, lane);
    else
        draw_looks(u, &t, lane);
}

/* Why CPUs wait for no thread, each with its letter. */
static void no_thread(unsigned seen, char out[UI_TIP])
{
    int used = snprintf(out, UI_TIP, "idle, no thread");
    const char *before = ": ";

    for (size_t i = 0; i < LOOKS; i++) {
        if (!(seen & 1u << i) || looks[i].ink != NO_THREAD)
            continue;
        used += snprintf(out + used, UI_TIP - (size_t)used, "%s%s %s", before,
                         looks[i].letter, looks[i].state + IDLE_SIZE);
        before = ", ";
    }
}

/* One of the states that are there, in the key, in the next line where this one
 * is full: b->x and b->y go on to where the next may stand. */
static void key_of(struct ui *u, const struct look *look, unsigned seen,
                   int left, struct box *b)
{
    char text[UI_TIP];
    int line = canvas_line(u->c, CANVAS_TEXT), wide;

    no_thread(seen, text);
    if (look->ink != NO_THREAD)
        snprintf(text, sizeof text, "%s%s", is_idle(look) ? "idle: " : "",
                 look->state + (is_idle(look) ? IDLE_SIZE : 0));
    wide = 19 + canvas_width(u->c, CANVAS_TEXT, text);
    if (b->x > left && b->x + wide > left + b->w) {
        b->x = left;
        b->y += line;
    }
    draw_look(u, look, (struct box){b->x, b->y + 1, 15, line - 3});
    if (!is_idle(look))
        canvas_text(u->c, CANVAS_MONO, b->x + 4, b->y, 15, 0, look->letter);
    canvas_text(u->c, CANVAS_TEXT, b->x + 19, b->y, left + b->w - b->x - 19,
                u->theme.faint, text);
    b->x += wide + 10;
}

/* What stands for this look in the key: of idle CPUs the state of threads in
 * the same colour, one for all that wait for no thread. */
static size_t key_for(size_t look, unsigned seen)
{
    for (size_t i = 0; is_idle(&looks[look]) && i < look; i++)
        if (seen & 1u << i && looks[i].ink == looks[look].ink)
            return i;
    return look;
}

int panel_key(struct ui *u, struct box b, const struct lanes *l, int *down)
{
    unsigned seen = 0;
    struct box at = b;

    for (size_t i = 0; i < l->count; i++)
        seen |= l->lane[i].seen;
    for (size_t i = 0; i < LOOKS; i++)
        if (seen & 1u << i && key_for(i, seen) == i)
            key_of(u, &looks[i], seen, b.x, &at);
    *down = at.y - b.y;
    return at.x - b.x;
}

/* Times between the first and the last stand where they are clear of both. */
static void axis(struct ui *u, int y)
{
    int free = u->time.x, end = u->time.x + u->time.w;
    char text[UI_NUMBER];

    ui_time(u, u->scene.to, text);
    end -= canvas_width(u->c, CANVAS_MONO, text) + APART;
    for (int k = 0; k <= 4; k++) {
        uint64_t at = u->scene.from +
                      (uint64_t)((double)(u->scene.to - u->scene.from) * k / 4);
        int x = u->time.x + u->time.w * k / 4, wide;

        ui_time(u, at, text);
        wide = canvas_width(u->c, CANVAS_MONO, text);
        canvas_fill(u->c, (struct box){x - (k == 4), y, 1, 5}, u->theme.faint);
        x -= k == 4 ? wide : k ? wide / 2 : 0;
        if (k && k < 4 && (x < free || x + wide > end))
            continue;
        free = x + wide + APART;
        canvas_text(u->c, CANVAS_MONO, x, y + 5, wide, u->theme.faint, text);
    }
}

/* The step of a lane where the mouse is; false: it is not in that box. */
static bool pointed(const struct ui *u, const struct span *t, size_t *n)
{
    const struct box *b = &t->b;

    if (u->mouse_x < b->x || u->mouse_x >= b->x + b->w || u->mouse_y < b->y ||
        u->mouse_y >= b->y + b->h)
        return false;
    if (t->beside)
        return beside_step(u, *b, u->mouse_x, n);
    *n = (size_t)((double)(u->mouse_x - b->x) / b->w *
                  (double)(t->s->to - t->s->from) / (double)t->s->step);
    return *n < t->l->steps;
}

/* What a lane was in where the mouse is. */
static void hint(struct ui *u, const struct lane *lane, const struct span *at)
{
    char text[UI_TIP] = "", number[UI_NUMBER];
    struct span t = *at;
    struct box b = t.b;
    json_t *value;
    const char *state;
    size_t n, used;

    if (!pointed(u, at, &n))
        return;
    used = (size_t)snprintf(
        text, sizeof text, "%s%s from cycle %s:", lane->name,
        t.beside ? " before" : "",
        ui_count((int64_t)(t.s->from + n * t.s->step), number));
    if (lane->cpu && lane->who[n] && used < sizeof text)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            isdigit((unsigned char)*lane->who[n]) ? " thread %s," : " %s,",
            lane->who[n]);
    json_object_foreach(lane->step[n], state, value)
    {
        if (used < sizeof text)
            used += (size_t)snprintf(
                text + used, sizeof text - used, " %s %.1f %%", state,
                100 * json_number_value(value) / (double)length(&t, n));
    }
    if (!t.beside && lane->cpu && lane->look[n] >= 0 && used < sizeof text)
        snprintf(text + used, sizeof text - used, "; a click says more");
    ui_area(u, b, DEED_TIME, lane->cpu && !t.beside ? lane->number : -1, "%s",
            text);
}

/* Of the run to compare with: half as strong, below the run's own. */
static void draw_old(struct ui *u, const struct lane *lane, struct box b,
                     struct box time)
{
    struct span t = {&u->old, &u->old_lanes, time, u};
    int gone = beside_pixel(u, time, u->old_lanes.steps);

    canvas_text(u->c, CANVAS_MONO, b.x + 12,
                b.y + (b.h - canvas_line(u->c, CANVAS_MONO)) / 2,
                PANEL_NAMES - 18, u->theme.faint,
                beside_is_alone(u, lane) ? lane->name : "before");
    ui_area(u, time, DEED_TIME, -1, "%s", "");
    if (lane->cpu)
        draw_cpu(u, &t, lane);
    else
        draw_looks(u, &t, lane);
    canvas_shade(u->c, (struct box){time.x, time.y, gone - time.x, time.h},
                 u->theme.paper);
    hint(u, lane, &t);
}

static void drawn_interval(struct ui *u)
{
    int from = SDL_min(u->drag_from, u->mouse_x);
    int to = SDL_max(u->drag_from, u->mouse_x);

    if (u->dragging)
        canvas_shade(u->c, (struct box){from, u->time.y, to - from, u->time.h},
                     CHOSEN);
}

/* Strips from the first one shown on, as many as fit: where each is, and the
 * box of all their time. */
struct shown {
    struct strip list[STRIPS];
    int y[STRIPS]; /* of the middle; -1: it is not drawn */
    size_t count;
    int bottom;
};

/* Where all fit with room to spare they are higher. */
static void stretch(struct shown *v, int room)
{
    int all = 0, high = 0;

    for (size_t i = 0; i < v->count; i++) {
        all += v->list[i].high;
        high += v->list[i].is != STRIP_TICKS ? v->list[i].high : 0;
    }
    if (all >= room || !high)
        return;
    for (size_t i = 0; i < v->count; i++)
        if (v->list[i].is != STRIP_TICKS)
            v->list[i].high += SDL_min(v->list[i].high * (room - all) / high,
                                       (v->list[i].high * STRETCH - 1) / 100);
}

static void place_strips(struct ui *u, struct shown *v, struct box b)
{
    struct scrolled *p = &u->place[PANEL_TIME];
    int all = 0, y = b.y;
    size_t last = v->count;

    stretch(v, b.h);
    /* No further than the last ones need. */
    while (last && all + v->list[last - 1].high <= b.h)
        all += v->list[--last].high;
    u->rows = (long)v->count;
    u->fit = (long)(v->count - last);
    p->top = SDL_max(SDL_min(p->top, (long)last), 0);
    for (size_t i = 0; i < v->count; i++) {
        bool fits = (long)i >= p->top && y + v->list[i].high <= b.y + b.h;

        v->y[i] = fits ? y + v->list[i].high / 2 : -1;
        y += fits ? v->list[i].high : (long)i < p->top ? 0 : b.h;
        v->bottom = fits ? y : v->bottom;
    }
}

static void draw_strip(struct ui *u, const struct strip *s, struct box b)
{
    struct box time = {u->time.x, b.y, u->time.w, b.h};

    if (s->is == STRIP_OLD) {
        draw_old(u, s->lane, b, time);
        return;
    }
    if (s->is != STRIP_LANE) {
        ui_area(u, time, DEED_TIME, -1, "%s", "");
        strip_draw(u, s, (struct box){b.x, b.y, PANEL_NAMES - 6, b.h},
                   (struct box){time.x, b.y + 1, time.w, b.h - 3});
        return;
    }
    panel_lane(u, &u->scene, &u->lanes, s->lane, b);
    ui_area(u, time, DEED_TIME, s->lane->cpu ? s->lane->number : -1, "%s", "");
    hint(u, s->lane, &(struct span){&u->scene, &u->lanes, time, NULL});
    strip_sections(u, s->lane, time);
}

/* The gap that is looked at, in the lane of its CPU. */
static void mark_gap(struct ui *u, const struct shown *v)
{
    const json_t *row =
        json_array_get(json_object_get(u->gap_at.is, "rows"), 0);
    double from = json_number_value(json_object_get(row, "from_cycle"));
    double to = json_number_value(json_object_get(row, "to_cycle"));
    double length = (double)(u->scene.to - u->scene.from);

    for (size_t i = 0; u->gap_at.cpu >= 0 && i < v->count; i++) {
        int left, right, high = v->list[i].high;

        if (v->list[i].is != STRIP_LANE || !v->list[i].lane->cpu ||
            v->list[i].lane->number != u->gap_at.cpu || v->y[i] < 0)
            continue;
        left = (int)((from - (double)u->scene.from) / length * u->time.w);
        right = (int)((to - (double)u->scene.from) / length * u->time.w);
        left = SDL_max(left, 0);
        right = SDL_min(SDL_max(right, left + 3), u->time.w);
        if (right > left)
            canvas_frame(u->c,
                         (struct box){u->time.x + left, v->y[i] - high / 2,
                                      right - left, high},
                         u->theme.alarm);
    }
}

/* Of states, then of reasons. */
static int keys(struct ui *u, struct box b)
{
    int down, wide = panel_key(u, b, &u->lanes, &down);

    b.y += down;
    if (u->gap_at.cpu < 0)
        down += strip_key(u, b, wide);
    return down + canvas_line(u->c, CANVAS_TEXT) + PANEL_KEY;
}

/* Below the names: lanes that do not fit, or how many wake-ups there were. */
static void say_below(struct ui *u, const struct shown *v, size_t arrows,
                      struct box b)
{
    char text[80], number[UI_NUMBER];
    size_t below = 0;

    for (size_t i = v->count; i-- > 0 && v->y[i] < 0;)
        below++;
    if (below)
        snprintf(text, sizeof text, "%zu more: Down", below);
    else if (arrows)
        snprintf(text, sizeof text, "%s wake-up%s",
                 ui_count((int64_t)arrows, number), arrows == 1 ? "" : "s");
    else
        return;
    canvas_text(u->c, CANVAS_MONO, b.x, v->bottom + 5, PANEL_NAMES - 6,
                u->theme.faint, text);
}

void panel_time(struct ui *u, struct box b)
{
    struct shown *v = grow_zero(1, sizeof *v);
    bool two = beside_need(u);
    size_t arrows;
    int top;

    ui_need_lanes(u);
    ui_need_events(u);
    b.h -= panel_gap(u, b);
    top = b.y + keys(u, b);
    if (two)
        top += beside_say(u, (struct box){b.x, top, b.w, 0});
    u->time = (struct box){b.x + PANEL_NAMES, top, b.w - PANEL_NAMES, 0};
    v->count = strips_list(u, v->list);
    v->bottom = top;
    place_strips(u, v, (struct box){b.x, top, b.w, b.y + b.h - AXIS - top});
    u->time.h = v->bottom - top;
    for (size_t i = 0; i < v->count; i++)
        if (v->y[i] >= 0)
            draw_strip(u, &v->list[i],
                       (struct box){b.x, v->y[i] - v->list[i].high / 2, b.w,
                                    v->list[i].high});
    arrows = strip_arrows(u, v->list, v->y, v->count, u->time);
    mark_gap(u, v);
    axis(u, v->bottom);
    if (two)
        beside_mark(u, u->time);
    say_below(u, v, arrows, b);
    drawn_interval(u);
    free(v);
}
