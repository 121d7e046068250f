/* strips.c - see strips.h. Never more rectangles than pixels: what would lie on
 * a pixel that is drawn already is left out.
 */
#include "tools/simview/strips.h"
#include "tools/simview/beside.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/scene/words.h"

#define LANE 18
#define LANE_GAP 26 /* where few are shown */
#define GRAPH 34
#define TICKS 18
#define LOCKS 4 /* that are shown, those most waited for */
#define CROWD                                                                  \
    4 /* pixels: ticks that are closer are pale, the more the darker */
#define APART 10 /* pixels for an arrow, on the average */
#define KEYED 6  /* reasons that are named */
#define SWATCH 11
#define RANKS 24 /* reasons */
#define HELD 0xE69F00
#define CURVE 0x0072B2
#define COMPLETED "insn_completed"

/* ---- which --------------------------------------------------------------- */

static bool happened(const struct ui *u, const char *what)
{
    for (size_t i = 0; i < u->events.count; i++)
        if (!strcmp(u->events.list[i].what, what))
            return true;
    return false;
}

/* Were there more than the scene has? */
static bool is_cut(const struct ui *u, const char *what)
{
    for (size_t i = u->events.count; i-- > 0;) {
        const struct event *e = &u->events.list[i];

        if (strcmp(e->about, "<more>") != 0)
            return false;
        if (!strcmp(e->what, what))
            return true;
    }
    return false;
}

struct held {
    const char *name;
    uint64_t cycles;
};

static int by_cycles(const void *a, const void *b)
{
    const struct held *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Locks by how long they were held while others waited; the caller frees. */
static struct held *locks_of(const struct ui *u, size_t *count)
{
    struct held *list = grow_zero(u->events.count + 1, sizeof *list);

    *count = 0;
    for (size_t i = 0; i < u->events.count; i++) {
        const struct event *e = &u->events.list[i];
        size_t k = 0;

        if (strcmp(e->what, "hold") != 0 || e->to < e->from)
            continue;
        while (k < *count && strcmp(list[k].name, e->about) != 0)
            k++;
        if (k == *count)
            list[(*count)++].name = e->about;
        list[k].cycles += e->to - e->from;
    }
    if (*count)
        qsort(list, *count, sizeof *list, by_cycles);
    return list;
}

static size_t add(struct strip out[STRIPS], size_t count, struct strip s)
{
    if (count < STRIPS)
        out[count++] = s;
    return count;
}

/* Of an idle gap only the threads of its chain are shown. */
static bool in_chain(const struct ui *u, const struct lane *lane)
{
    const json_t *row;
    size_t k;

    if (u->gap_at.cpu < 0 || lane->cpu)
        return true;
    json_array_foreach(json_object_get(u->gap_at.is, "rows"), k, row)
    {
        if (json_is_number(json_object_get(row, "thread")) &&
            scene_number(row, "thread") == lane->number)
            return true;
    }
    return false;
}

static int lane_high(const struct ui *u)
{
    return u->gap_at.cpu < 0 ? LANE : LANE_GAP;
}

static size_t add_lanes(struct ui *u, struct strip out[STRIPS], size_t count,
                        bool cpus)
{
    for (size_t i = 0; i < u->lanes.count; i++) {
        if (u->lanes.lane[i].cpu != cpus || !in_chain(u, &u->lanes.lane[i]))
            continue;
        count = add(out, count,
                    (struct strip){.is = STRIP_LANE,
                                   .high = lane_high(u),
                                   .lane = &u->lanes.lane[i],
                                   .name = u->lanes.lane[i].name});
        if (u->gap_at.cpu < 0)
            count = beside_add(u, &u->lanes.lane[i], LANE, out, count);
    }
    return u->gap_at.cpu < 0 ? beside_add_alone(u, cpus, LANE, out, count)
                             : count;
}

static size_t add_graphs(struct ui *u, struct strip out[STRIPS], size_t count)
{
    json_t *reasons = scene_rows(&u->scene, SCENE_REASONS), *value;
    json_t *total = json_array_get(scene_rows(&u->scene, SCENE_COUNTS), 0);
    const char *column;

    if (json_array_size(reasons))
        count = add(out, count,
                    (struct strip){.is = STRIP_REASONS,
                                   .high = GRAPH,
                                   .name = "cycles by reason"});
    if (json_number_value(json_object_get(total, "excl_" COMPLETED)) > 0)
        count = add(out, count,
                    (struct strip){.is = STRIP_IPC,
                                   .high = GRAPH,
                                   .name = "IPC of busy CPUs",
                                   .column = "excl_" COMPLETED});
    json_object_foreach(total, column, value)
    {
        /* Cycles are above, every one of them. */
        if (!strncmp(column, "excl_", 5) && json_number_value(value) > 0 &&
            strcmp(column, "excl_cycles") != 0)
            count = add(out, count,
                        (struct strip){.is = STRIP_COUNT,
                                       .high = GRAPH,
                                       .name = column + 5,
                                       .column = column});
    }
    return count;
}

size_t strips_list(struct ui *u, struct strip out[STRIPS])
{
    static const char *const ticks[] = {"interrupt", "sample", "mark"};
    size_t locks, count = add_lanes(u, out, 0, true);
    struct held *held = locks_of(u, &locks);

    if (u->gap_at.cpu < 0)
        count = add_graphs(u, out, count);
    for (size_t i = 0; i < locks && i < LOCKS; i++)
        count = add(out, count,
                    (struct strip){.is = STRIP_LOCK,
                                   .high = lane_high(u),
                                   .name = held[i].name});
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0] && u->gap_at.cpu < 0;
         i++)
        if (happened(u, ticks[i]))
            count =
                add(out, count,
                    (struct strip){
                        .is = STRIP_TICKS, .high = TICKS, .name = ticks[i]});
    free(held);
    return add_lanes(u, out, count, false);
}

/* ---- where --------------------------------------------------------------- */

static int place(const struct ui *u, struct box time, uint64_t cycle)
{
    const struct scene *s = &u->scene;

    if (cycle <= s->from)
        return time.x;
    if (cycle >= s->to)
        return time.x + time.w;
    return time.x + (int)((double)(cycle - s->from) /
                          (double)(s->to - s->from) * time.w);
}

static bool under_mouse(const struct ui *u, struct box b)
{
    return u->mouse_x >= b.x && u->mouse_x < b.x + b.w && u->mouse_y >= b.y &&
           u->mouse_y < b.y + b.h;
}

/* ---- graphs -------------------------------------------------------------- */

static bool is_work(const char *column)
{
    static const char *const others[] = {"from_cycle", "cycles", "nap", "off"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(column, others[i]))
            return false;
    return true;
}

struct rank {
    const char *column;
    int64_t cycles;
};

static int by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    bool complete = !strcmp(x->column, "complete");

    /* It has the first colour there, always. */
    if (complete != !strcmp(y->column, "complete"))
        return complete ? -1 : 1;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return strcmp(x->column, y->column);
}

/* Reasons, those with most cycles first, as the bar of the first screen. */
static size_t rank_reasons(const json_t *rows, struct rank out[RANKS])
{
    json_t *first = json_array_get(rows, 0), *value, *row;
    const char *column;
    size_t count = 0, k;

    json_object_foreach(first, column, value)
    {
        if (!is_work(column) || count == RANKS)
            continue;
        out[count] = (struct rank){column, 0};
        json_array_foreach(rows, k, row)
        {
            out[count].cycles += scene_number(row, column);
        }
        count++;
    }
    if (count)
        qsort(out, count, sizeof *out, by_rank);
    return count;
}

/* A row's pixels; false: none. */
static bool columns_of(const struct ui *u, struct box time, uint64_t from,
                       struct box *out)
{
    int left = place(u, time, from),
        right = place(u, time, from + u->scene.graph);

    *out = (struct box){left, time.y, right - left, time.h};
    return right > left;
}

static void hint_reasons(struct ui *u, const json_t *row, struct box b,
                         const struct rank *rank, size_t ranks, uint64_t from)
{
    int64_t all = scene_number(row, "cycles");
    char text[UI_TIP], number[UI_NUMBER];
    size_t used = (size_t)snprintf(
        text, sizeof text, "from cycle %s:", ui_count((int64_t)from, number));

    for (size_t i = 0; i < ranks && used + 40 < sizeof text; i++)
        if (scene_number(row, rank[i].column))
            used += (size_t)snprintf(
                text + used, sizeof text - used, " %s %s", rank[i].column,
                ui_count(scene_number(row, rank[i].column), number));
    if (used + 40 < sizeof text)
        snprintf(text + used, sizeof text - used, " of %s",
                 ui_count(all, number));
    ui_area(u, b, DEED_TIME, -1, "%s", text);
}

static void draw_reasons(struct ui *u, struct box time)
{
    json_t *rows = scene_rows(&u->scene, SCENE_REASONS), *row;
    struct rank rank[RANKS];
    size_t ranks = rank_reasons(rows, rank), k;

    canvas_fill(u->c, time, u->theme.well);
    json_array_foreach(rows, k, row)
    {
        uint64_t from = (uint64_t)scene_number(row, "from_cycle");
        int64_t all = scene_number(row, "cycles"), sum = 0;
        struct box b;

        if (!all || !columns_of(u, time, from, &b))
            continue;
        for (size_t i = 0; i < ranks; i++) {
            int low = (int)((double)sum / (double)all * time.h), high;

            sum += scene_number(row, rank[i].column);
            high = (int)((double)sum / (double)all * time.h);
            canvas_fill(
                u->c,
                (struct box){b.x, time.y + time.h - high, b.w, high - low},
                panel_working(i));
        }
        if (under_mouse(u, b))
            hint_reasons(u, row, b, rank, ranks, from);
    }
}

/* What a step has: of IPC a thousandth of an instruction a busy cycle. */
static double value_of(struct ui *u, const struct strip *s, const json_t *row,
                       const json_t *reasons, size_t *at)
{
    double n = json_number_value(json_object_get(row, s->column));
    const char *from = scene_text(row, "from_cycle");
    int64_t busy = 0;

    (void)u;
    if (s->is != STRIP_IPC)
        return n;
    for (; *at < json_array_size(reasons); ++*at) {
        const json_t *r = json_array_get(reasons, *at);

        if (scene_number(r, "from_cycle") != strtoll(from, NULL, 10))
            continue;
        busy = scene_number(r, "cycles") - scene_number(r, "nap") -
               scene_number(r, "off");
        break;
    }
    return busy > 0 ? n / (double)busy : 0;
}

static void number_text(const struct strip *s, double value,
                        char out[UI_NUMBER])
{
    if (s->is == STRIP_IPC)
        snprintf(out, UI_NUMBER, "%.2f", value);
    else
        ui_count((int64_t)value, out);
}

static void draw_count(struct ui *u, const struct strip *s, struct box name,
                       struct box time)
{
    json_t *rows = scene_rows(&u->scene, SCENE_COUNTS), *row;
    json_t *reasons = scene_rows(&u->scene, SCENE_REASONS);
    double most = 0,
           *value = grow_zero(json_array_size(rows) + 1, sizeof *value);
    char text[UI_NUMBER + 16], number[UI_NUMBER], cycle[UI_NUMBER];
    size_t k, at = 0;

    canvas_fill(u->c, time, u->theme.well);
    json_array_foreach(rows, k, row)
    {
        if (!k)
            continue; /* the total */
        value[k] = value_of(u, s, row, reasons, &at);
        most = value[k] > most ? value[k] : most;
    }
    for (k = 1; k < json_array_size(rows) && most > 0; k++) {
        uint64_t from = strtoull(
            scene_text(json_array_get(rows, k), "from_cycle"), NULL, 10);
        struct box b;
        int high = (int)(value[k] / most * (time.h - 2) + .5);

        if (!columns_of(u, time, from, &b))
            continue;
        canvas_fill(u->c, (struct box){b.x, time.y + time.h - high, b.w, high},
                    CURVE);
        number_text(s, value[k], number);
        if (under_mouse(u, b))
            ui_area(u, b, DEED_TIME, -1, "%s from cycle %s: %s", s->name,
                    ui_count((int64_t)from, cycle), number);
    }
    number_text(s, most, number);
    snprintf(text, sizeof text, "to %s", number);
    canvas_text(u->c, CANVAS_MONO, name.x,
                name.y + canvas_line(u->c, CANVAS_MONO), name.w, u->theme.faint,
                text);
    free(value);
}

/* ---- what happened ------------------------------------------------------- */

static void say_cut(struct ui *u, struct box time, const char *what)
{
    char text[100];

    snprintf(text, sizeof text, "more than 4,000 %ss: zoom in", what);
    canvas_text(u->c, CANVAS_TEXT, time.x + 4,
                time.y + (time.h - canvas_line(u->c, CANVAS_TEXT)) / 2, time.w,
                u->theme.faint, text);
}

/* From one cycle to another, what is not drawn yet; false: no pixel. */
static bool stretch(const struct ui *u, const struct event *e, struct box time,
                    int *last, struct box *out)
{
    int left = place(u, time, e->from), right = place(u, time, e->to);

    right = SDL_max(right, left + 1);
    left = SDL_max(left, *last);
    *out = (struct box){left, time.y, right - left, time.h};
    if (right > left)
        *last = right;
    return right > left;
}

static void draw_lock(struct ui *u, const struct strip *s, struct box time)
{
    int last = time.x, under = time.x;
    char number[UI_NUMBER];
    struct box b;

    if (is_cut(u, "hold")) {
        say_cut(u, time, "hold");
        return;
    }
    for (size_t i = 0; i < u->events.count; i++) {
        const struct event *e = &u->events.list[i];
        bool hold = !strcmp(e->what, "hold");

        if ((!hold && strcmp(e->what, "convoy")) || strcmp(e->about, s->name) ||
            !stretch(u, e, time, hold ? &last : &under, &b))
            continue;
        if (!hold) {
            canvas_fill(u->c, (struct box){b.x, b.y + b.h - 2, b.w, 2},
                        u->theme.alarm);
            continue;
        }
        canvas_fill(u->c, (struct box){b.x, b.y, SDL_max(b.w - 1, 1), b.h - 3},
                    HELD);
        if (b.w > 30)
            canvas_text(u->c, CANVAS_MONO, b.x + 3,
                        b.y + (b.h - 3 - canvas_line(u->c, CANVAS_MONO)) / 2,
                        b.w - 6, 0, e->name);
        if (under_mouse(u, b))
            ui_area(u, b, DEED_TIME, -1, "%s has %s for %s cycles, %lld wait",
                    e->name, s->name,
                    ui_count((int64_t)(e->to - e->from), number),
                    (long long)e->times);
    }
}

static void draw_ticks(struct ui *u, const struct strip *s, struct box time)
{
    unsigned cpus = u->r->cpus ? u->r->cpus : 1;
    int each = SDL_max((time.h - 2) / (int)cpus, 1);
    int wide, *last = grow_zero(cpus, sizeof *last);
    char number[UI_NUMBER];
    size_t all = 0;

    if (is_cut(u, s->name)) {
        say_cut(u, time, s->name);
        free(last);
        return;
    }
    for (size_t i = 0; i < u->events.count; i++)
        all += !strcmp(u->events.list[i].what, s->name);
    wide = all > (size_t)time.w * cpus ? 1 : 3;
    for (size_t i = 0; i < u->events.count; i++) {
        const struct event *e = &u->events.list[i];
        int x = place(u, time, e->from), cpu = (int)e->cpu;
        struct box near = {x - 2, time.y, 5, time.h};

        if (strcmp(e->what, s->name) || cpu < 0 || (unsigned)cpu >= cpus)
            continue;
        if (under_mouse(u, near))
            ui_area(u, near, DEED_TIME, -1, "%s at cycle %s on CPU %d: %s %s",
                    s->name, ui_count((int64_t)e->from, number), cpu, e->about,
                    e->name);
        if (all * CROWD > (size_t)time.w * cpus) {
            near = (struct box){x, time.y + 1 + cpu * each, wide, each};
            canvas_shade(u->c, near, u->theme.ink);
            continue;
        }
        if (x == last[cpu])
            continue;
        last[cpu] = x;
        canvas_fill(u->c, (struct box){x, time.y + 1 + cpu * each, 1, each},
                    u->theme.ink);
    }
    free(last);
}

int strip_key(struct ui *u, struct box b, int used)
{
    struct rank rank[RANKS];
    size_t ranks = rank_reasons(scene_rows(&u->scene, SCENE_REASONS), rank);
    int line = canvas_line(u->c, CANVAS_TEXT), x = used ? used + 16 : 0, y = 0;

    for (size_t i = 0; i < ranks && i < KEYED && rank[i].cycles; i++) {
        int text = SWATCH + 4;
        int wide = canvas_width(u->c, CANVAS_TEXT, rank[i].column);

        if (x && x + text + wide > b.w) {
            x = 0;
            y += line;
        }
        canvas_fill(u->c, (struct box){b.x + x, b.y + y + 3, SWATCH, line - 7},
                    panel_working(i));
        canvas_text(u->c, CANVAS_TEXT, b.x + x + text, b.y + y, wide + 1,
                    u->theme.faint, rank[i].column);
        x += text + wide + 10;
    }
    return y;
}

void strip_draw(struct ui *u, const struct strip *s, struct box name,
                struct box time)
{
    int line = canvas_line(u->c, CANVAS_MONO);

    canvas_text(u->c, CANVAS_MONO, name.x,
                s->high >= GRAPH ? name.y : name.y + (name.h - line) / 2,
                name.w, u->theme.ink, s->name);
    if (s->is == STRIP_REASONS)
        draw_reasons(u, time);
    else if (s->is == STRIP_COUNT || s->is == STRIP_IPC)
        draw_count(u, s, name, time);
    else if (s->is == STRIP_LOCK)
        draw_lock(u, s, time);
    else if (s->is == STRIP_TICKS)
        draw_ticks(u, s, time);
}

void strip_sections(struct ui *u, const struct lane *lane, struct box time)
{
    int last = time.x;
    char number[UI_NUMBER];
    struct box b;

    if (lane->cpu || is_cut(u, "section"))
        return;
    for (size_t i = 0; i < u->events.count; i++) {
        const struct event *e = &u->events.list[i];

        if (strcmp(e->what, "section") || e->thread != lane->number ||
            !stretch(u, e, time, &last, &b))
            continue;
        b = (struct box){b.x, b.y + b.h - 3, SDL_max(b.w - 1, 1), 2};
        canvas_fill(u->c, b, u->theme.ink);
        if (under_mouse(u, b))
            ui_area(u, b, DEED_TIME, -1, "%s for %s cycles from cycle %llu",
                    e->about, ui_count((int64_t)(e->to - e->from), number),
                    (unsigned long long)e->from);
    }
}

/* ---- wake-ups ------------------------------------------------------------ */

/* The middle of a thread's lane; -1: it is not drawn. */
static int middle(const struct strip *list, const int *y, size_t count,
                  long thread)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].is == STRIP_LANE && !list[i].lane->cpu &&
            list[i].lane->number == thread)
            return y[i];
    return -1;
}

size_t strip_arrows(struct ui *u, const struct strip *list, const int *y,
                    size_t count, struct box time)
{
    size_t arrows = 0;
    bool cut = is_cut(u, "wake-up");

    for (size_t i = 0; i < u->events.count; i++)
        arrows += !strcmp(u->events.list[i].what, "wake-up");
    if (cut || (int)arrows * APART > time.w)
        return arrows;
    for (size_t i = 0; i < u->events.count; i++) {
        const struct event *e = &u->events.list[i];
        int from, to;

        if (strcmp(e->what, "wake-up") != 0 || e->by < 0)
            continue;
        from = middle(list, y, count, e->by);
        to = middle(list, y, count, e->thread);
        if (from >= 0 && to >= 0)
            canvas_slant(u->c, place(u, time, e->from), from,
                         place(u, time, e->to), to, u->theme.ink);
    }
    return arrows;
}
