/* ui.c - the interval shown and what is read for it; see ui.h. */
#include "tools/simview/ui.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/grow.h"
#include "tools/simprof/scene/gap.h"
#include "tools/simprof/session/rows.h"
#include "tools/simview/beside.h"
#include "tools/simview/lanes.h"

#define COMPARED 200 /* functions of two runs */

/* Dark letters on paper, and the other way round. */
static const struct theme themes[2] = {
    {.paper = 0xFFFFFF,
     .well = 0xF1F1EE,
     .ink = 0x1A1A1A,
     .faint = 0x646464,
     .line = 0xC4C4C4,
     .accent = 0x0B5394,
     .alarm = 0xB04A00,
     .mark = 0xF7E98A,
     .chosen = 0xD5E6F5},
    {.paper = 0x16181B,
     .well = 0x22252A,
     .ink = 0xE8E8E8,
     .faint = 0xA4A4A4,
     .line = 0x4A4D52,
     .accent = 0x8AB8E6,
     .alarm = 0xFF9E4A,
     .mark = 0x6B5F12,
     .chosen = 0x2B4A66},
};

/* ---- intervals ----------------------------------------------------------- */

static void forget(struct ui *u)
{
    json_decref(u->first);
    json_decref(u->source);
    json_decref(u->code);
    json_decref(u->compared);
    u->first = u->source = u->code = u->compared = NULL;
    u->happened = false;
    u->metric_count = 0;
    ui_flame(u);
    lanes_free(&u->lanes);
    lanes_free(&u->gap_lanes);
    beside_forget(u);
    events_free(&u->events);
    scene_close(&u->gap);
    scene_close(&u->before);
    scene_close(&u->scene);
}

/* With a fifth of it on either side. */
static void read_gap(struct ui *u)
{
    const json_t *gap = json_object_get(u->first, "gap");
    uint64_t from = (uint64_t)json_integer_value(json_array_get(gap, 0));
    uint64_t to = (uint64_t)json_integer_value(json_array_get(gap, 1));
    uint64_t side = (to - from) / 5;

    if (!gap || to <= from)
        return;
    from = from > side ? from - side : 0;
    to = u->r->end - to > side ? to + side : u->r->end;
    scene_open(&u->gap, u->r, u->o, from, to, UI_TIME_STEPS);
    lanes_read(&u->gap_lanes, &u->gap);
}

/* Panels read what they draw when they are drawn. */
static void read_scene(struct ui *u, struct interval of)
{
    forget(u);
    scene_open(&u->scene, u->r, u->o, of.from, of.to, UI_TIME_STEPS);
    u->jump = -1;
    for (int i = 0; i < PANELS; i++)
        u->place[i].top = u->place[i].row = 0;
}

void ui_open(struct ui *u, struct canvas *c, struct recording *r,
             const struct options *o, const char *base, struct interval of)
{
    *u = (struct ui){
        .c = c, .r = r, .o = o, .base = base, .been = {of}, .beens = 1};
    u->area = grow_zero(UI_AREAS, sizeof *u->area);
    u->gap_at.cpu = -1;
    for (int i = 0; i < PANELS; i++)
        u->place[i].order = -1;
    ui_dark(u, false);
    read_scene(u, of);
}

void ui_close(struct ui *u)
{
    forget(u);
    ui_gap(u, -1, 0);
    events_free(&u->jumps);
    json_decref(u->parted);
    align_free(&u->align);
    if (u->other)
        recording_close(u->other);
    free(u->other);
    free(u->area);
    *u = (struct ui){0};
}

void ui_go(struct ui *u, struct interval to)
{
    struct interval now = u->been[u->at];

    if (to.to > u->r->end)
        to.to = u->r->end;
    if (to.from >= to.to || (to.from == now.from && to.to == now.to))
        return;
    if (u->at + 1 == UI_STEPS) {
        memmove(u->been, u->been + 1, (UI_STEPS - 1) * sizeof *u->been);
        u->at--;
    }
    u->been[++u->at] = to;
    u->beens = u->at + 1;
    read_scene(u, to);
}

void ui_back(struct ui *u, bool forward)
{
    if (forward ? u->at + 1 >= u->beens : !u->at)
        return;
    u->at += forward ? 1 : (size_t)-1;
    read_scene(u, u->been[u->at]);
}

void ui_function(struct ui *u, const char *name)
{
    snprintf(u->function, sizeof u->function, "%s", name);
    json_decref(u->source);
    json_decref(u->code);
    u->source = u->code = NULL;
    u->panel = PANEL_SOURCE;
    u->place[PANEL_SOURCE] = (struct scrolled){.order = -1};
}

void ui_dark(struct ui *u, bool dark)
{
    u->dark = dark;
    u->theme = themes[dark];
}

/* ---- what panels need ---------------------------------------------------- */

void ui_need_first(struct ui *u)
{
    if (u->first)
        return;
    u->first = scene_first(&u->scene);
    read_gap(u);
}

void ui_need_lanes(struct ui *u)
{
    if (!u->lanes.steps)
        lanes_read(&u->lanes, &u->scene);
}

void ui_need_events(struct ui *u)
{
    if (u->happened)
        return;
    u->happened = true;
    events_read(&u->events, scene_rows(&u->scene, SCENE_MOMENTS));
}

void ui_need_jumps(struct ui *u)
{
    const char *word[] = {"moments", "--kinds=idle,convoy,section"};
    struct refusal why = {.text = ""};

    if (u->jumped)
        return;
    u->jumped = true;
    u->jumps.rows = rows_read(u->r, u->o->experiment, 2, word, &why);
    events_read(&u->jumps, u->jumps.rows);
}

bool ui_gap(struct ui *u, long cpu, uint64_t cycle)
{
    json_decref(u->gap_at.is);
    u->gap_at = (struct chosen){.cpu = -1};
    if (cpu < 0)
        return false;
    u->gap_at.is = scene_gap(&u->scene, cpu, cycle);
    if (!json_array_size(json_object_get(u->gap_at.is, "rows")))
        return ui_gap(u, -1, 0);
    u->gap_at.cpu = cpu;
    u->gap_at.cycle = cycle;
    return true;
}

/* ---- flame graphs -------------------------------------------------------- */

void ui_flame(struct ui *u)
{
    flame_free(&u->flame);
    u->called = false;
    u->node = 0;
}

bool ui_need_before(struct ui *u)
{
    char why[400];

    if (!u->base)
        return false;
    if (!u->other) {
        struct recording *r = grow_zero(1, sizeof *r);

        if (!recording_open(r, u->base, why, sizeof why)) {
            snprintf(u->status, sizeof u->status, "%s", why);
            free(r);
            return false;
        }
        u->other = r;
    }
    if (!u->before.r) {
        u->base_options = *u->o;
        u->base_options.experiment = u->base;
        scene_open(&u->before, u->other, &u->base_options, u->scene.from,
                   u->scene.to < u->r->end ? u->scene.to : u->other->end,
                   UI_TIME_STEPS);
    }
    return true;
}

/* The metric that was asked for by its name, once. */
static void find_metric(struct ui *u)
{
    for (size_t i = 0; i < u->metric_count && *u->metric_name; i++)
        if (!strcmp(u->metrics[i].column + 5, u->metric_name))
            u->metric = i;
    if (u->metric >= u->metric_count)
        u->metric = 0;
}

void ui_need_calls(struct ui *u)
{
    const struct metric *m;

    if (!u->metric_count) {
        u->metric_count = metrics_read(u->metrics, &u->scene);
        find_metric(u);
    }
    if (u->called || !u->metric_count)
        return;
    u->called = true;
    m = &u->metrics[u->metric];
    flame_read(&u->flame, scene_rows(&u->scene, m->table), m->column, u->ways);
    if (u->differs && ui_need_before(u))
        flame_add_before(&u->flame, scene_rows(&u->before, m->table), m->column,
                         u->ways);
}

/* ---- two runs ------------------------------------------------------------ */

/* The words behind a command's name: the other run, and the interval, of which
 * only `compare` knows. */
#define OPTIONS_OF_TWO 4

struct two {
    char option[OPTIONS_OF_TWO][4200];
    int count;
};

static struct two two_of(const struct ui *u, enum panel p)
{
    struct two t = {.count = 0};
    const struct scene *s = &u->scene;
    size_t size = sizeof t.option[0];

    snprintf(t.option[t.count++], size, "--base=%.4096s", u->base);
    if (p != PANEL_COMPARE)
        return t;
    snprintf(t.option[t.count++], size, "--limit=%d", COMPARED);
    if (s->from)
        snprintf(t.option[t.count++], size, "--from=%" PRIu64, s->from);
    if (s->to < u->r->end)
        snprintf(t.option[t.count++], size, "--to=%" PRIu64, s->to);
    return t;
}

static bool is_of_two(enum panel p)
{
    return p == PANEL_COMPARE || p == PANEL_DIFF;
}

bool ui_has(const struct ui *u, enum panel p)
{
    return u->base || !is_of_two(p);
}

bool ui_tells(const struct ui *u, enum panel p)
{
    char name[SCENE_COUNTER];
    const char *key = p == PANEL_PIPE    ? "pipe"
                      : p == PANEL_LINES ? "record-lines"
                                         : NULL;

    if (p == PANEL_CALLED)
        return scene_counts_calls(u->r);
    if (p == PANEL_TRUTH)
        return scene_counter(&u->scene, 0, name) && !scene_crowded(&u->scene);
    return ui_has(u, p) && (!key || text_lines_get(&u->r->log, key));
}

char ui_key(enum panel p)
{
    return p == PANEL_PIPE     ? 'p'
           : p == PANEL_LINES  ? 'l'
           : p == PANEL_TRUTH  ? 'e'
           : p == PANEL_CALLED ? 'a'
                               : (char)('1' + (int)p);
}

json_t *ui_two_runs(struct ui *u, enum panel p)
{
    json_t **rows = p == PANEL_COMPARE ? &u->compared : &u->parted;
    const char *word[1 + OPTIONS_OF_TWO] = {p == PANEL_COMPARE ? "compare"
                                                               : "diff"};
    struct refusal why = {.text = ""};
    struct two t;

    if (*rows || !u->base)
        return *rows;
    t = two_of(u, p);
    for (int i = 0; i < t.count; i++)
        word[1 + i] = t.option[i];
    *rows = rows_read(u->r, u->o->experiment, 1 + t.count, word, &why);
    if (why.text[0])
        snprintf(u->status, sizeof u->status, "%.500s", why.text);
    return *rows;
}

static char *two_command(const struct ui *u)
{
    struct two t = two_of(u, u->panel);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return grow_text("");
    fprintf(to, "simprof %s", u->panel == PANEL_COMPARE ? "compare" : "diff");
    for (int i = 0; i < t.count; i++)
        fprintf(to, " %s", t.option[i]);
    fprintf(to, " %s", u->o->experiment);
    fclose(to);
    return text ? text : grow_text("");
}

/* ---- commands ------------------------------------------------------------ */

char *ui_command(const struct ui *u)
{
    static const enum scene_table tables[PANELS] = {
        [PANEL_OVERVIEW] = SCENE_CAUSES,   [PANEL_TIME] = SCENE_TIMELINE,
        [PANEL_CALLS] = SCENE_CALLTREE,    [PANEL_FUNCTIONS] = SCENE_FUNCTIONS,
        [PANEL_CAUSES] = SCENE_CAUSES,     [PANEL_LOCKS] = SCENE_LOCKS,
        [PANEL_SOURCE] = SCENE_FUNCTIONS,  [PANEL_PIPE] = SCENE_PIPE,
        [PANEL_LINES] = SCENE_CACHE_LINES, [PANEL_TRUTH] = SCENE_TRUTH,
        [PANEL_CALLED] = SCENE_CALLED,
    };
    const struct scene *s = &u->scene;
    char text[4096 + 4 * UI_WORD], from[64] = "", to[64] = "";

    if (is_of_two(u->panel))
        return two_command(u);
    if (u->panel == PANEL_OVERVIEW && !json_object_get(u->first, "gap"))
        return scene_command(s, SCENE_FUNCTIONS);
    if (u->panel == PANEL_TIME && u->gap_at.cpu >= 0)
        return grow_text(
            json_string_value(json_object_get(u->gap_at.is, "command")));
    if (u->panel == PANEL_CALLS && u->metric < u->metric_count)
        return scene_command(s, u->metrics[u->metric].table);
    if (u->panel != PANEL_SOURCE || !*u->function)
        return scene_command(s, tables[u->panel]);
    if (s->from)
        snprintf(from, sizeof from, " --from=%" PRIu64, s->from);
    if (s->to < u->r->end)
        snprintf(to, sizeof to, " --to=%" PRIu64, s->to);
    snprintf(text, sizeof text, "simprof source --function=%s%s%s %s",
             u->function, from, to, u->o->experiment);
    return grow_text(text);
}

/* ---- areas --------------------------------------------------------------- */

void ui_area(struct ui *u, struct box b, enum deed deed, long number,
             const char *format, ...)
{
    struct area *a;
    va_list list;

    if (u->areas == UI_AREAS)
        return;
    a = &u->area[u->areas++];
    a->box = b;
    a->deed = deed;
    a->number = number;
    va_start(list, format);
    vsnprintf(a->tip, sizeof a->tip, format, list);
    va_end(list);
}

/* The one that was drawn last lies on top. */
const struct area *ui_at(const struct ui *u, int x, int y)
{
    for (size_t i = u->areas; i-- > 0;) {
        const struct box *b = &u->area[i].box;

        if (x >= b->x && x < b->x + b->w && y >= b->y && y < b->y + b->h)
            return &u->area[i];
    }
    return NULL;
}

bool ui_wants(const struct ui *u, const char *name)
{
    size_t size = strlen(u->word);

    for (; size && *name; name++)
        if (!strncasecmp(name, u->word, size))
            return true;
    return false;
}

/* ---- numbers ------------------------------------------------------------- */

const char *ui_count(int64_t n, char out[UI_NUMBER])
{
    char plain[24];
    int digits = snprintf(plain, sizeof plain, "%" PRId64, n), at = 0;

    for (int i = 0; i < digits; i++) {
        out[at++] = plain[i];
        if (plain[i] != '-' && i + 1 < digits && (digits - i - 1) % 3 == 0)
            out[at++] = ',';
    }
    out[at] = '\0';
    return out;
}

const char *ui_time(const struct ui *u, uint64_t cycles, char out[UI_NUMBER])
{
    double s = u->r->clock_hz ? (double)cycles / (double)u->r->clock_hz : 0;

    if (!u->r->clock_hz)
        return ui_count((int64_t)cycles, out);
    if (s >= 1)
        snprintf(out, UI_NUMBER, "%.3f s", s);
    else if (s >= 1e-3)
        snprintf(out, UI_NUMBER, "%.3f ms", s * 1e3);
    else
        snprintf(out, UI_NUMBER, "%.2f us", s * 1e6);
    return out;
}
