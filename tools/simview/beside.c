/* beside.c - see beside.h. */
#include "tools/simview/beside.h"

#include <stdlib.h>
#include <string.h>

#include "tools/simview/lanes.h"
#include "tools/simview/panels.h"

#define DASH 3
#define LABEL "first difference"

bool beside_need(struct ui *u)
{
    uint64_t from, to;

    if (!ui_need_before(u))
        return false;
    if (!u->aligned) {
        align_read(&u->align, u->other, u->base, u->r, u->o->experiment);
        u->aligned = true;
    }
    if (u->old_lanes.steps)
        return true;
    from = align_before(&u->align, u->scene.from);
    to = align_before(&u->align, u->scene.to);
    if (to > u->other->end || u->scene.to >= u->r->end)
        to = u->other->end;
    if (from >= to)
        return false; /* it was over by then */
    scene_open(&u->old, u->other, &u->base_options, from, to, UI_TIME_STEPS);
    lanes_read(&u->old_lanes, &u->old);
    return true;
}

void beside_forget(struct ui *u)
{
    lanes_free(&u->old_lanes);
    if (u->old.r)
        scene_close(&u->old);
}

static const struct lane *find(const struct lanes *l, const struct lane *lane)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->lane[i].cpu == lane->cpu && !strcmp(l->lane[i].name, lane->name))
            return &l->lane[i];
    return NULL;
}

static size_t add(const struct lane *lane, int high, struct strip out[STRIPS],
                  size_t count)
{
    if (count < STRIPS)
        out[count++] = (struct strip){
            .is = STRIP_OLD, .high = high, .lane = lane, .name = lane->name};
    return count;
}

size_t beside_add(const struct ui *u, const struct lane *lane, int high,
                  struct strip out[STRIPS], size_t count)
{
    const struct lane *old = find(&u->old_lanes, lane);

    return old ? add(old, high, out, count) : count;
}

bool beside_is_alone(const struct ui *u, const struct lane *lane)
{
    return !find(&u->lanes, lane);
}

size_t beside_add_alone(const struct ui *u, bool cpus, int high,
                        struct strip out[STRIPS], size_t count)
{
    for (size_t i = 0; i < u->old_lanes.count; i++)
        if (u->old_lanes.lane[i].cpu == cpus &&
            beside_is_alone(u, &u->old_lanes.lane[i]))
            count = add(&u->old_lanes.lane[i], high, out, count);
    return count;
}

static int pixel_of(const struct ui *u, struct box time, uint64_t cycle)
{
    double of = ((double)cycle - (double)u->scene.from) /
                (double)(u->scene.to - u->scene.from);

    return time.x + (int)((of < 0 ? 0 : of < 1 ? of : 1) * time.w);
}

int beside_pixel(const struct ui *u, struct box time, size_t n)
{
    uint64_t cycle = u->old.from + n * u->old.step;

    return pixel_of(
        u, time, align_after(&u->align, cycle < u->old.to ? cycle : u->old.to));
}

bool beside_step(const struct ui *u, struct box time, int x, size_t *n)
{
    for (*n = 0; *n < u->old_lanes.steps; ++*n)
        if (x >= beside_pixel(u, time, *n) && x < beside_pixel(u, time, *n + 1))
            return true;
    return false;
}

/* The cycle of the run at which the first difference is. */
static uint64_t parting(const struct align *a)
{
    return a->differ[1] <= a->differ[0] ? a->differ[1]
                                        : align_after(a, a->differ[0]);
}

int beside_say(struct ui *u, struct box b)
{
    uint64_t end = align_after(&u->align, u->other->end);
    char text[ALIGN_SENTENCE + 80], time[UI_NUMBER];
    size_t used;

    align_say(&u->align, text);
    used = strlen(text);
    if (u->scene.to >= u->r->end && end > u->r->end)
        snprintf(text + used, sizeof text - used, " Before ends at %s.",
                 ui_time(u, end, time));
    canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint, text);
    ui_area(u, (struct box){b.x, b.y, b.w, canvas_line(u->c, CANVAS_TEXT)},
            DEED_NONE, 0, "%s", text);
    return canvas_line(u->c, CANVAS_TEXT) + PANEL_KEY;
}

/* Would words from x on lie on a number of the axis, of which there are five?
 */
static bool on_axis(const struct ui *u, struct box time, int x, int wide)
{
    int number = canvas_width(u->c, CANVAS_MONO, "00.000 ms") + 6;

    for (int k = 0; k <= 4; k++) {
        int at = time.x + time.w * k / 4;
        int left = k == 4 ? at - number : k ? at - number / 2 : at;

        if (x < left + number && x + wide > left)
            return true;
    }
    return false;
}

void beside_mark(struct ui *u, struct box time)
{
    uint64_t at = parting(&u->align);
    int x, wide = canvas_width(u->c, CANVAS_MONO, LABEL);

    if (!u->align.parts || at < u->scene.from || at >= u->scene.to)
        return;
    x = pixel_of(u, time, at);
    for (int y = time.y; y + DASH <= time.y + time.h; y += 2 * DASH)
        canvas_fill(u->c, (struct box){x, y, 1, DASH}, u->theme.alarm);
    x -= wide / 2;
    if (!on_axis(u, time, x, wide))
        canvas_text(u->c, CANVAS_MONO, x, time.y + time.h + 5, wide,
                    u->theme.alarm, LABEL);
}

/* ---- in words -------------------------------------------------------------- */

/* Of functions the one that changed most; NULL: none did. */
static const json_t *most_changed(const json_t *rows)
{
    const json_t *row;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        const char *name = json_string_value(json_object_get(row, "function"));

        if (name && *name != '<')
            return json_integer_value(json_object_get(row, "excl_exact_change"))
                       ? row
                       : NULL;
    }
    return NULL;
}

bool beside_words(struct ui *u, char out[BESIDE_WORDS])
{
    char was[UI_NUMBER], by[UI_NUMBER];
    const char *slash = u->base ? strrchr(u->base, '/') : NULL;
    const json_t *most;
    double more;
    int64_t change;
    int used;

    if (u->scene.from || u->scene.to < u->r->end || !ui_need_before(u) ||
        !u->other->end)
        return false;
    more = 100 * ((double)u->r->end / (double)u->other->end - 1);
    used = snprintf(out, BESIDE_WORDS,
                    "Beside %.300s: %s cycles, before %s (%+.1f %%)",
                    slash && slash[1] ? slash + 1 : u->base,
                    ui_count((int64_t)u->r->end, by),
                    ui_count((int64_t)u->other->end, was), more);
    most = most_changed(ui_two_runs(u, PANEL_COMPARE));
    change = json_integer_value(json_object_get(most, "excl_exact_change"));
    if (most)
        used += snprintf(out + used, BESIDE_WORDS - (size_t)used,
                         "; %.200s changed most, by %c%s",
                         json_string_value(json_object_get(most, "function")),
                         change < 0 ? '-' : '+', ui_count(llabs(change), by));
    snprintf(out + used, BESIDE_WORDS - (size_t)used, ".");
    return true;
}
