/* input.c - keys and mouse change what is shown; see the keys in frame.c. */
#include "tools/simview/input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/simprof/scene/words.h"
#include "tools/simview/panels.h"

#define CLICK 4 /* pixels; a shorter drag is none */

/* ---- intervals ----------------------------------------------------------- */

/* Zoom by a factor, so that cycle `at` stays where it is. */
static void zoom(struct ui *u, double by, uint64_t at)
{
    double from = (double)u->scene.from, to = (double)u->scene.to;
    double centre = (double)at, end = (double)u->r->end;
    double left = centre - (centre - from) * by;
    double right = centre + (to - centre) * by;

    left = left < 0 ? 0 : left;
    right = right > end ? end : right;
    if (right - left < 2)
        return;
    ui_go(u, (struct interval){(uint64_t)left, (uint64_t)right});
}

static void zoom_middle(struct ui *u, double by)
{
    zoom(u, by, u->scene.from + (u->scene.to - u->scene.from) / 2);
}

static void pan(struct ui *u, bool right)
{
    uint64_t length = u->scene.to - u->scene.from, by = length / 4;
    uint64_t from = u->scene.from;

    if (right)
        from = u->r->end - u->scene.to < by ? u->r->end - length : from + by;
    else
        from = from < by ? 0 : from - by;
    ui_go(u, (struct interval){from, from + length});
}

static uint64_t cycle_at(const struct ui *u, int x)
{
    double of = u->time.w > 0 ? (double)(x - u->time.x) / u->time.w : 0;

    of = of < 0 ? 0 : of > 1 ? 1 : of;
    return u->scene.from +
           (uint64_t)(of * (double)(u->scene.to - u->scene.from));
}

/* ---- rows ---------------------------------------------------------------- */

static bool is_table(const struct ui *u)
{
    return u->panel == PANEL_FUNCTIONS || u->panel == PANEL_CAUSES ||
           u->panel == PANEL_LOCKS || u->panel == PANEL_COMPARE ||
           u->panel == PANEL_DIFF || u->panel == PANEL_TRUTH ||
           u->panel == PANEL_CALLED;
}

/* A table goes by its selected row, others by what is at their top. */
static void move(struct ui *u, long by)
{
    struct scrolled *p = &u->place[u->panel];
    long last = SDL_max(u->rows - 1, 0);

    if (!is_table(u)) {
        p->top = SDL_max(SDL_min(p->top + by, u->rows - u->fit), 0);
        return;
    }
    p->row = SDL_max(SDL_min(p->row + by, last), 0);
    if (p->row < p->top)
        p->top = p->row;
    if (p->row >= p->top + u->fit)
        p->top = p->row - u->fit + 1;
}

static void enter(struct ui *u)
{
    json_t *rows = panel_rows(u, u->panel);
    const char *name =
        rows ? row_function(panel_row(u, rows, u->place[u->panel].row)) : NULL;
    char own[UI_WORD];

    if (!name)
        return;
    /* Of a stack, its innermost. */
    snprintf(own, sizeof own, "%.*s", (int)scene_first_name(name), name);
    ui_function(u, own);
}

static void copy_row(struct ui *u)
{
    json_t *rows = panel_rows(u, u->panel);
    json_t *row = rows ? panel_row(u, rows, u->place[u->panel].row) : NULL;
    char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;

    if (text && !SDL_SetClipboardText(text))
        snprintf(u->status, sizeof u->status, "copied: %.480s", text);
    free(text);
}

static void copy_command(struct ui *u)
{
    char *text = ui_command(u);

    if (!SDL_SetClipboardText(text))
        snprintf(u->status, sizeof u->status, "copied: %.480s", text);
    free(text);
}

/* As the first file of the row that is not there yet. */
static void save(struct ui *u)
{
    char name[32], why[400];
    int n = 1;

    do
        snprintf(name, sizeof name, "simview-%d.png", n++);
    while (!access(name, F_OK) && n < 10000);
    ui_draw(u);
    if (canvas_png(u->c, name, why, sizeof why))
        snprintf(u->status, sizeof u->status, "saved as %s", name);
    else
        snprintf(u->status, sizeof u->status, "%s", why);
}

/* ---- keys ---------------------------------------------------------------- */

/* What is being typed. */
static char *typed(struct ui *u)
{
    return u->aiming ? u->aim : u->word;
}

static void type_key(struct ui *u, SDL_Keycode key)
{
    char *word = typed(u);
    size_t size = strlen(word);

    if (key == SDLK_BACKSPACE && size) {
        word[size - 1] = '\0';
    } else if (key == SDLK_ESCAPE || key == SDLK_RETURN) {
        if (key == SDLK_ESCAPE)
            word[0] = '\0';
        if (u->aiming && word[0])
            follow_ask(u->follow, "to", word);
        u->typing = u->aiming = false;
        SDL_StopTextInput();
    }
}

/* Keys of a run that goes on. */
static bool drives(struct ui *u, SDL_Keycode key)
{
    if (!u->follow)
        return false;
    switch (key) {
    case SDLK_SPACE:
        follow_ask(u->follow, u->follow->stopped ? "run" : "pause", "");
        return true;
    case SDLK_PERIOD:
        follow_ask(u->follow, "step", "");
        return true;
    case SDLK_g:
        u->aim[0] = '\0';
        u->typing = u->aiming = u->begins = true;
        SDL_StartTextInput();
        return true;
    default:
        return false;
    }
}

static bool moves(struct ui *u, SDL_Keycode key)
{
    long page = SDL_max(u->fit - 1, 1);

    switch (key) {
    case SDLK_UP:
        move(u, -1);
        return true;
    case SDLK_DOWN:
        move(u, 1);
        return true;
    case SDLK_PAGEUP:
        move(u, -page);
        return true;
    case SDLK_PAGEDOWN:
        move(u, page);
        return true;
    case SDLK_HOME:
        move(u, -u->rows);
        return true;
    case SDLK_END:
        move(u, u->rows);
        return true;
    default:
        return false;
    }
}

/* Keys that choose an interval. */
static bool spans(struct ui *u, SDL_Keycode key, bool shift)
{
    switch (key) {
    case SDLK_LEFT:
    case SDLK_RIGHT:
        pan(u, key == SDLK_RIGHT);
        return true;
    case SDLK_PLUS:
    case SDLK_EQUALS:
    case SDLK_KP_PLUS:
        zoom_middle(u, .5);
        return true;
    case SDLK_MINUS:
    case SDLK_KP_MINUS:
        zoom_middle(u, 2);
        return true;
    case SDLK_BACKSPACE:
        ui_back(u, shift);
        return true;
    case SDLK_ESCAPE:
        if (u->helps)
            u->helps = false;
        else if (u->panel == PANEL_TIME && u->gap_at.cpu >= 0)
            ui_gap(u, -1, 0);
        else
            ui_go(u, (struct interval){0, u->r->end});
        return true;
    default:
        return false;
    }
}

static void find(struct ui *u)
{
    u->typing = u->begins = true;
    u->word[0] = '\0';
    SDL_StartTextInput();
}

static bool others(struct ui *u, SDL_Keycode key, bool control)
{
    switch (key) {
    case SDLK_TAB:
        do
            u->panel = (u->panel + 1) % PANELS;
        while (!ui_tells(u, u->panel));
        return true;
    case SDLK_RETURN:
        enter(u);
        return true;
    case SDLK_SLASH:
        find(u);
        return true;
    case SDLK_i:
        u->idle = !u->idle;
        return true;
    case SDLK_c:
        if (control)
            copy_row(u);
        else
            copy_command(u);
        return true;
    case SDLK_s:
        save(u);
        return true;
    case SDLK_d:
        ui_dark(u, !u->dark);
        return true;
    case SDLK_h:
    case SDLK_F1:
        u->helps = !u->helps;
        return true;
    case SDLK_q:
        u->quit = true;
        return true;
    default:
        return false;
    }
}

/* Another flame graph. */
static bool flames(struct ui *u, SDL_Keycode key, bool shift)
{
    size_t count = u->metric_count;
    char name[SCENE_COUNTER];

    if (u->panel == PANEL_TRUTH && key == SDLK_m) {
        u->judged =
            scene_counter(&u->scene, u->judged + 1, name) ? u->judged + 1 : 0;
        u->place[PANEL_TRUTH] = (struct scrolled){.order = -1};
        return true;
    }
    switch (key) {
    case SDLK_m:
        if (count)
            u->metric = (u->metric + (shift ? count - 1 : 1)) % count;
        break;
    case SDLK_v:
        u->ways ^= FLAME_LEAVES;
        break;
    case SDLK_r:
        u->ways ^= FLAME_FOLD;
        break;
    case SDLK_u:
        u->below = !u->below;
        break;
    case SDLK_x:
        u->differs = u->base && !u->differs;
        break;
    default:
        return false;
    }
    ui_flame(u);
    return true;
}

/* ---- what to jump to ----------------------------------------------------- */

static bool is_slow(const struct ui *u, const struct event *e)
{
    const struct event *list = u->jumps.list;
    uint64_t sum = 0, times = 0;

    for (size_t i = 0; i < u->jumps.count; i++) {
        if (strcmp(list[i].what, e->what) || strcmp(list[i].about, e->about))
            continue;
        sum += list[i].to - list[i].from;
        times++;
    }
    return times && (e->to - e->from) * times >= 2 * sum;
}

/* Is it in sight, and wide enough to be seen? */
static bool in_sight(const struct ui *u, const struct event *e)
{
    uint64_t length = u->scene.to - u->scene.from;

    return e->from >= u->scene.from && e->to <= u->scene.to &&
           (double)(e->to - e->from) >= (double)length / 200;
}

/* The next of a kind behind the one that was jumped to last, or behind the
 * beginning of what is shown; or the one before it. */
static void jump(struct ui *u, const char *what, bool back)
{
    const struct event *list;
    uint64_t from = u->scene.from, side;
    long best = -1;

    ui_need_jumps(u);
    list = u->jumps.list;
    for (size_t n = 0; n < u->jumps.count; n++) {
        size_t i = back ? u->jumps.count - 1 - n : n;
        bool behind = u->jump >= 0
                          ? (back ? (long)i < u->jump : (long)i > u->jump)
                      : back ? list[i].from < from
                             : list[i].from >= from;

        if (!behind || strcmp(list[i].what, what) ||
            (!strcmp(what, "section") && !is_slow(u, &list[i])))
            continue;
        best = (long)i;
        break;
    }
    if (best < 0) {
        snprintf(u->status, sizeof u->status, "no %s %s%s",
                 back ? "earlier" : "later",
                 !strcmp(what, "idle") ? "idle gap"
                 : *what == 's'
                     ? "execution of what is probed twice as long as usual"
                     : what,
                 "");
        return;
    }
    u->panel = PANEL_TIME;
    side = (list[best].to - list[best].from) / 2 + 1;
    if (!in_sight(u, &list[best]))
        ui_go(u, (struct interval){
                     list[best].from > side ? list[best].from - side : 0,
                     list[best].to + side});
    u->jump = best;
    if (list[best].cpu >= 0 && !strcmp(what, "idle"))
        ui_gap(u, list[best].cpu, list[best].from);
}

static bool jumps(struct ui *u, SDL_Keycode key, bool shift)
{
    const char *what = key == SDLK_n   ? "idle"
                       : key == SDLK_k ? "convoy"
                       : key == SDLK_t ? "section"
                                       : NULL;

    if (!what)
        return false;
    jump(u, what, shift);
    return true;
}

/* With Ctrl: how large all is. */
static bool scales(struct ui *u, SDL_Keycode key)
{
    switch (key) {
    case SDLK_PLUS:
    case SDLK_EQUALS:
    case SDLK_KP_PLUS:
        canvas_scale(u->c, u->c->scale + .25);
        return true;
    case SDLK_MINUS:
    case SDLK_KP_MINUS:
        canvas_scale(u->c, u->c->scale - .25);
        return true;
    case SDLK_0:
    case SDLK_KP_0:
        canvas_scale(u->c, 0);
        return true;
    default:
        return false;
    }
}

static bool press(struct ui *u, const SDL_Keysym *k)
{
    u->status[0] = '\0';
    if (u->typing) {
        u->begins = false;
        type_key(u, k->sym);
        return true;
    }
    if ((k->mod & KMOD_CTRL) && scales(u, k->sym))
        return true;
    for (enum panel p = 0; p < PANELS; p++)
        if (k->sym == ui_key(p) && ui_has(u, p)) {
            u->panel = p;
            return true;
        }
    return moves(u, k->sym) || spans(u, k->sym, k->mod & KMOD_SHIFT) ||
           flames(u, k->sym, k->mod & KMOD_SHIFT) ||
           jumps(u, k->sym, k->mod & KMOD_SHIFT) || drives(u, k->sym) ||
           others(u, k->sym, k->mod & KMOD_CTRL);
}

/* ---- mouse --------------------------------------------------------------- */

static bool click(struct ui *u, int x, int y, int clicks)
{
    const struct area *a = ui_at(u, x, y);
    struct scrolled *p = &u->place[u->panel];

    u->status[0] = '\0';
    switch (a ? a->deed : DEED_NONE) {
    case DEED_PANEL:
        u->panel = (enum panel)a->number;
        return true;
    case DEED_ROW:
        p->row = a->number;
        if (clicks > 1)
            enter(u);
        return true;
    case DEED_ORDER:
        p->order = p->order == a->number ? -1 : a->number;
        return true;
    case DEED_NODE:
        u->node = u->node == a->number ? 0 : a->number;
        return true;
    case DEED_FUNCTION:
        ui_function(u, json_string_value(json_object_get(u->first, "name")));
        return true;
    case DEED_SOURCE:
        ui_function(u, a->tip);
        return true;
    case DEED_GAP:
        u->panel = PANEL_TIME;
        ui_go(u, (struct interval){u->gap.from, u->gap.to});
        return true;
    case DEED_TIME:
        u->dragging = true;
        u->drag_from = x;
        return true;
    default:
        return false;
    }
}

/* The gap of the CPU whose lane is clicked; elsewhere none. */
static void click_gap(struct ui *u, int x, int y)
{
    const struct area *a = ui_at(u, x, y);
    long cpu = a && a->deed == DEED_TIME ? a->number : -1;

    if (!ui_gap(u, cpu, cycle_at(u, x)) && cpu >= 0)
        snprintf(u->status, sizeof u->status, "CPU %ld was busy there", cpu);
}

static bool drop(struct ui *u, int x, int y)
{
    int from = SDL_min(u->drag_from, x), to = SDL_max(u->drag_from, x);

    if (!u->dragging)
        return false;
    u->dragging = false;
    if (to - from >= CLICK)
        ui_go(u, (struct interval){cycle_at(u, from), cycle_at(u, to)});
    else
        click_gap(u, x, y);
    return true;
}

static bool wheel(struct ui *u, int by)
{
    if (u->panel != PANEL_TIME || (SDL_GetModState() & KMOD_SHIFT)) {
        if (is_table(u))
            u->place[u->panel].top -= 3 * by;
        else
            move(u, -3 * by);
        return true;
    }
    zoom(u, by > 0 ? .8 : 1.25, cycle_at(u, u->mouse_x));
    return true;
}

bool input_event(struct ui *u, const SDL_Event *e)
{
    size_t size = strlen(typed(u));

    switch (e->type) {
    case SDL_QUIT:
        u->quit = true;
        return false;
    case SDL_WINDOWEVENT:
        canvas_measure(u->c);
        return true;
    case SDL_KEYDOWN:
        return press(u, &e->key.keysym);
    case SDL_TEXTINPUT:
        if (u->typing && !u->begins)
            snprintf(typed(u) + size, UI_WORD - size, "%s", e->text.text);
        u->begins = false;
        return u->typing;
    case SDL_MOUSEMOTION:
        u->mouse_x = canvas_place(u->c, e->motion.x);
        u->mouse_y = canvas_place(u->c, e->motion.y);
        return true;
    case SDL_MOUSEBUTTONDOWN:
        u->mouse_x = canvas_place(u->c, e->button.x);
        u->mouse_y = canvas_place(u->c, e->button.y);
        return click(u, u->mouse_x, u->mouse_y, e->button.clicks);
    case SDL_MOUSEBUTTONUP:
        return drop(u, canvas_place(u->c, e->button.x),
                    canvas_place(u->c, e->button.y));
    case SDL_MOUSEWHEEL:
        return wheel(u, e->wheel.y);
    default:
        return false;
    }
}
