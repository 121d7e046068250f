/* table.c - rows of a report as a table that can be ordered and gone through.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/samples.h"
#include "tools/simview/panels.h"

#define COLUMNS 24
#define GAP 14             /* pixels between columns */
#define EXACTER "twelfths" /* of cycles: for programs, beside `cycles` */
#define CELL 256           /* bytes of one */

struct column {
    const char *key;
    bool text;
    int width;
    double period[2]; /* of a change that samples found: of each run */
};

struct columns {
    struct column column[COLUMNS];
    int count;
};

/* What the first columns of numbers are: those behind may have no room. */
static bool is_first(const char *key)
{
    return !strcmp(key, "path_percent");
}

/* Has some row a value? */
static bool has_any(const json_t *rows, const char *key)
{
    const json_t *row;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        if (!json_is_null(json_object_get(row, key)))
            return true;
    }
    return false;
}

static bool has_text(const json_t *rows, const char *key)
{
    const json_t *row;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        if (json_is_string(json_object_get(row, key)))
            return true;
    }
    return false;
}

/* Events a sample of a counter; 0: there is no such counter. */
static double period_of(const struct recording *r, const char *counter)
{
    struct samples_metrics m;
    double period = 0;
    int at;

    samples_metrics_open(&m, r);
    at = samples_metrics_find(&m, counter);
    if (at > SAMPLES_EXACT)
        period = (double)m.list[at].period;
    samples_metrics_free(&m);
    return period;
}

/* Of a column of changes that samples found: what they rest on. */
static void find_periods(struct ui *u, struct column *c)
{
    const char *end = strstr(c->key, "_change");
    char name[CELL];

    if (u->panel != PANEL_COMPARE || !end || strncmp(c->key, "excl_", 5) ||
        !ui_need_before(u))
        return;
    snprintf(name, sizeof name, "%.*s", (int)(end - c->key) - 5, c->key + 5);
    c->period[0] = period_of(u->other, name);
    c->period[1] = period_of(u->r, name);
}

/* Of such a change: what may be chance with 95 %, 1.96 times the root of the
 * samples of both runs. 0: the column is of something else. */
static double chance(const json_t *row, const struct column *c)
{
    const char *end = strstr(c->key, "_change");
    char key[CELL + 16];
    double sum = 0;

    for (int i = 0; i < 2 && c->period[i] > 0; i++) {
        snprintf(key, sizeof key, "%.*s%s", (int)(end - c->key), c->key,
                 i ? "_after" : "_before");
        sum += json_number_value(json_object_get(row, key)) * c->period[i];
    }
    return 1.96 * sqrt(sum);
}

static void cell(const json_t *row, const struct column *c, char out[CELL])
{
    const json_t *v = json_object_get(row, c->key);
    char number[UI_NUMBER];
    double off;

    if (json_is_integer(v))
        snprintf(out, CELL, "%s", ui_count(json_integer_value(v), number));
    else if (json_is_real(v))
        snprintf(out, CELL, "%.1f", json_real_value(v));
    else
        snprintf(out, CELL, "%s",
                 json_is_string(v) ? json_string_value(v) : "");
    off = c->period[1] > 0 ? chance(row, c) : 0;
    if (off > 0)
        snprintf(out + strlen(out), CELL - strlen(out), " \u00b1%s",
                 ui_count((int64_t)(off + .5), number));
}

/* The name of a column: blanks for what a program wants there. */
static void title(const struct column *c, char out[CELL])
{
    snprintf(out, CELL, "%s", c->key);
    for (char *t = out; *t; t++)
        *t = *t == '_' ? ' ' : *t;
}

static void add_some(struct ui *u, struct columns *all, json_t *rows, bool text,
                     bool first)
{
    const char *key;
    char shown[CELL];
    json_t *value, *row;
    size_t k;

    json_object_foreach(json_array_get(rows, 0), key, value)
    {
        struct column *c = &all->column[all->count];

        if (all->count == COLUMNS || has_text(rows, key) != text ||
            is_first(key) != first || !strcmp(key, EXACTER) ||
            !has_any(rows, key))
            continue;
        *c = (struct column){.key = key, .text = text};
        find_periods(u, c);
        title(c, shown);
        c->width = canvas_width(u->c, CANVAS_MONO, shown);
        json_array_foreach(rows, k, row)
        {
            int wide;

            cell(row, c, shown);
            wide = canvas_width(u->c, CANVAS_MONO, shown);
            c->width = wide > c->width ? wide : c->width;
        }
        if (text && c->width > 360)
            c->width = 360;
        all->count++;
    }
}

static void add_columns(struct ui *u, struct columns *all, json_t *rows)
{
    add_some(u, all, rows, true, false);
    add_some(u, all, rows, false, true);
    add_some(u, all, rows, false, false);
}

/* ---- order --------------------------------------------------------------- */

struct ordered {
    const json_t *row;
    const struct column *by;
    size_t at;
};

static int compare(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    const json_t *v, *w;
    double m, n;
    int order;

    if (!x->by)
        return (x->at > y->at) - (x->at < y->at);
    v = json_object_get(x->row, x->by->key);
    w = json_object_get(y->row, y->by->key);
    m = json_number_value(v);
    n = json_number_value(w);
    order = x->by->text ? strcmp(json_is_string(v) ? json_string_value(v) : "",
                                 json_is_string(w) ? json_string_value(w) : "")
                        : (m < n) - (m > n);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static struct ordered *order(const json_t *rows, const struct column *by)
{
    size_t count = json_array_size(rows);
    struct ordered *all = grow_zero(count + 1, sizeof *all);

    for (size_t k = 0; k < count; k++)
        all[k] = (struct ordered){json_array_get(rows, k), by, k};
    if (count)
        qsort(all, count, sizeof *all, compare);
    return all;
}

static const struct column *order_of(const struct ui *u,
                                     const struct columns *all)
{
    long n = u->place[u->panel].order;

    return n >= 0 && n < all->count ? &all->column[n] : NULL;
}

json_t *panel_row(struct ui *u, json_t *rows, long number)
{
    struct columns all = {.count = 0};
    struct ordered *list;
    json_t *row = NULL;

    add_columns(u, &all, rows);
    list = order(rows, order_of(u, &all));
    if (number >= 0 && number < (long)json_array_size(rows))
        row = (json_t *)list[number].row;
    free(list);
    return row;
}

const char *row_function(const json_t *row)
{
    static const char *const keys[] = {"function", "functions"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *name = json_string_value(json_object_get(row, keys[i]));

        if (name && *name && *name != '<')
            return name;
    }
    return NULL;
}

/* ---- drawing ------------------------------------------------------------- */

static void put(struct ui *u, const struct column *c, int x, int y, int most,
                colour ink, const char *text)
{
    int wide = canvas_width(u->c, CANVAS_MONO, text);

    if (!c->text && wide < c->width)
        x += c->width - wide;
    canvas_text(u->c, CANVAS_MONO, x, y, c->width < most ? c->width : most, ink,
                text);
}

#define MORE 28 /* pixels for how many there are besides */

/* Has a column room? Text may be cut, numbers may not. */
static bool fits(const struct column *c, int x, const struct box *b)
{
    return c->text ? x < b->x + b->w : x + c->width <= b->x + b->w - MORE;
}

static void head(struct ui *u, const struct columns *all, struct box b)
{
    int x = b.x, line = canvas_line(u->c, CANVAS_MONO);
    const struct column *by = order_of(u, all);
    char text[CELL];
    int i = 0;

    canvas_fill(u->c, (struct box){b.x, b.y, b.w, line + 2}, u->theme.well);
    for (; i < all->count && fits(&all->column[i], x, &b); i++) {
        const struct column *c = &all->column[i];

        title(c, text);
        put(u, c, x, b.y, b.x + b.w - x,
            c == by ? u->theme.accent : u->theme.ink, text);
        ui_area(u, (struct box){x, b.y, c->width, line + 2}, DEED_ORDER, i,
                "order by %s", text);
        x += c->width + GAP;
    }
    if (i == all->count)
        return;
    snprintf(text, sizeof text, "+%d", all->count - i);
    x = b.x + b.w - canvas_width(u->c, CANVAS_MONO, text);
    canvas_text(u->c, CANVAS_MONO, x, b.y, b.w, u->theme.faint, text);
    ui_area(u, (struct box){x, b.y, b.x + b.w - x, line + 2}, DEED_NONE, 0,
            "%d columns more have no room here", all->count - i);
}

static void draw_row(struct ui *u, const struct columns *all, const json_t *row,
                     long number, struct box b)
{
    char text[CELL], whole[CELL] = "";
    int x = b.x;
    bool wanted = false;

    if (number == u->place[u->panel].row)
        canvas_fill(u->c, b, u->theme.chosen);
    for (int i = 0; i < all->count; i++) {
        const struct column *c = &all->column[i];

        cell(row, c, text);
        if (c->text && canvas_width(u->c, CANVAS_MONO, text) > c->width)
            snprintf(whole, sizeof whole, "%s", text);
        wanted |= c->text && ui_wants(u, text);
    }
    if (wanted)
        canvas_fill(u->c, (struct box){b.x - 6, b.y, 4, b.h}, 0xCC79A7);
    for (int i = 0; i < all->count && fits(&all->column[i], x, &b); i++) {
        const struct column *c = &all->column[i];

        cell(row, c, text);
        put(u, c, x, b.y, b.x + b.w - x, u->theme.ink, text);
        x += c->width + GAP;
    }
    ui_area(u, b, DEED_ROW, number, "%s", whole);
}

void panel_table(struct ui *u, struct box b, json_t *rows)
{
    struct columns all = {.count = 0};
    struct scrolled *p = &u->place[u->panel];
    int line = canvas_line(u->c, CANVAS_MONO);
    struct ordered *list;

    u->rows = (long)json_array_size(rows);
    u->fit = (b.h - line - 4) / line;
    if (!u->rows) {
        canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.ink,
                    "Nothing of this was recorded here.");
        return;
    }
    add_columns(u, &all, rows);
    head(u, &all, b);
    list = order(rows, order_of(u, &all));
    p->top = SDL_max(SDL_min(p->top, u->rows - u->fit), 0);
    for (long i = p->top; i < u->rows && i < p->top + u->fit; i++)
        draw_row(u, &all, list[i].row, i,
                 (struct box){b.x, b.y + line + 4 + (int)(i - p->top) * line,
                              b.w, line});
    free(list);
}

/* ---- how far samples can be trusted ---------------------------------------- */

#define SHARE 62  /* pixels of a share */
#define RANGE 128 /* ... of an interval */
#define OFF 34    /* ... of the word */
#define FOUND 3   /* half of the mark of what was found */
#define HEAD 7    /* of the arrow where a share is beyond the scale */

static double share_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

/* Where the bar is cut at its right end: an arrow head out of the scale. */
static void beyond(struct ui *u, struct box b, colour ink)
{
    int middle = b.y + b.h / 2;

    for (int x = 0; x < HEAD; x++)
        canvas_fill(u->c,
                    (struct box){b.x + b.w - HEAD + x, middle - (HEAD - x) / 2,
                                 1, HEAD - x},
                    ink);
}

/* What is, as a line; what samples found, as a mark on its interval. What is
 * larger than `most` is not drawn; its value stands in front. */
static void spread(struct ui *u, const json_t *row, struct box b, double most,
                   bool off)
{
    double found = share_of(row, "found"), exact = share_of(row, "exact");
    double each = b.w / most;
    int low = SDL_min((int)(share_of(row, "low") * each), b.w);
    int high = SDL_min((int)(share_of(row, "high") * each), b.w);
    int middle = b.y + b.h / 2;
    colour ink = off ? u->theme.alarm : u->theme.ink;

    canvas_fill(u->c, (struct box){b.x, b.y + 1, b.w, b.h - 2}, u->theme.well);
    if (low < b.w)
        canvas_fill(
            u->c,
            (struct box){b.x + low, middle - 2, SDL_max(high - low, 1), 5},
            panel_working(0));
    if (found <= most)
        canvas_fill(u->c,
                    (struct box){b.x + (int)(found * each) - FOUND, middle - 3,
                                 2 * FOUND, 7},
                    panel_working(1));
    if (exact <= most)
        canvas_fill(
            u->c,
            (struct box){b.x + (int)(exact * each) - 1, b.y + 1, 2, b.h - 2},
            ink);
    if (SDL_max(SDL_max(found, exact), share_of(row, "high")) > most)
        beyond(u, b, ink);
}

static void right(struct ui *u, int end, int y, colour ink, const char *text)
{
    int wide = canvas_width(u->c, CANVAS_MONO, text);

    canvas_text(u->c, CANVAS_MONO, end - wide, y, wide, ink, text);
}

static void truth_row(struct ui *u, const json_t *row, long number,
                      struct box b, double most)
{
    const char *inside = json_string_value(json_object_get(row, "inside"));
    const char *name = json_string_value(json_object_get(row, "function"));
    bool off = inside && !strcmp(inside, "0");
    int x = b.x + SHARE, end = b.x + b.w;
    char text[CELL];

    if (number == u->place[u->panel].row)
        canvas_fill(u->c, b, u->theme.chosen);
    snprintf(text, sizeof text, "%.1f %%", 100 * share_of(row, "exact"));
    right(u, x, b.y, u->theme.ink, text);
    snprintf(text, sizeof text, "%.1f %%", 100 * share_of(row, "found"));
    right(u, x += SHARE, b.y, u->theme.ink, text);
    snprintf(text, sizeof text, "%.1f to %.1f %%", 100 * share_of(row, "low"),
             100 * share_of(row, "high"));
    right(u, x += RANGE, b.y, u->theme.ink, text);
    x += GAP;
    spread(u, row, (struct box){x, b.y, (end - x) / 3, b.h}, most, off);
    x += (end - x) / 3 + GAP;
    if (off)
        canvas_text(u->c, CANVAS_MONO, x, b.y, OFF, u->theme.alarm, "off");
    x += OFF;
    canvas_text(u->c, CANVAS_MONO, x, b.y, end - x, u->theme.ink,
                name ? name : "");
    ui_area(u, b, DEED_ROW, number, "%s", name ? name : "");
}

/* The largest share of a function; others are cut. */
static double largest(const json_t *rows)
{
    const json_t *row;
    double most = 0;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        const char *name = json_string_value(json_object_get(row, "function"));

        if (!name || *name == '<')
            continue;
        most = SDL_max(most, share_of(row, "exact"));
        most = SDL_max(most, share_of(row, "high"));
    }
    return most > 0 ? most : 1;
}

void panel_truth(struct ui *u, struct box b, json_t *rows)
{
    struct scrolled *p = &u->place[u->panel];
    char name[SCENE_COUNTER] = "a counter", other[SCENE_COUNTER];
    int line = canvas_line(u->c, CANVAS_MONO), y = b.y;
    struct piece piece = {NULL, u->theme.faint};
    char text[2 * CELL];

    scene_counter(&u->scene, u->judged, name);
    snprintf(text, sizeof text,
             "Shares of functions as they are (the line) and as samples of %s "
             "found them (the mark), with their 95 %% interval (the bar), up "
             "to %.1f %%; an arrow head: more than that%s",
             name, 100 * largest(rows),
             scene_counter(&u->scene, 1, other) ? "; m: another counter" : "");
    piece.text = text;
    y += canvas_paragraph(u->c, CANVAS_TEXT, b.x, y, b.w, &piece, 1) + 4;
    u->rows = (long)json_array_size(rows);
    u->fit = (b.y + b.h - y) / line - 1;
    if (!u->rows) {
        canvas_text(u->c, CANVAS_TEXT, b.x, y, b.w, u->theme.ink,
                    "No samples are held against what is known here.");
        return;
    }
    right(u, b.x + SHARE, y, u->theme.faint, "exact");
    right(u, b.x + 2 * SHARE, y, u->theme.faint, "found");
    right(u, b.x + 2 * SHARE + RANGE, y, u->theme.faint, "95 %");
    p->top = SDL_max(SDL_min(p->top, u->rows - u->fit), 0);
    for (long i = p->top; i < u->rows && i < p->top + u->fit; i++)
        truth_row(
            u, json_array_get(rows, (size_t)i), i,
            (struct box){b.x, y + (int)(i - p->top + 1) * line, b.w, line},
            largest(rows));
}
