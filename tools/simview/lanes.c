/* lanes.c - rows of the timeline and of the call tree, as they are drawn. */
#include "tools/simview/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simview/panels.h"

static const char *text_of(const json_t *row, const char *column)
{
    const char *text = json_string_value(json_object_get(row, column));

    return text ? text : "";
}

static int64_t number_of(const json_t *row, const char *column)
{
    return (int64_t)json_number_value(json_object_get(row, column));
}

/* ---- time ---------------------------------------------------------------- */

/* CPUs first, then by number. */
static int by_number(const void *a, const void *b)
{
    const struct lane *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static struct lane *lane_of(struct lanes *l, const json_t *row)
{
    bool cpu = !strcmp(text_of(row, "what"), "cpu");
    long number = (long)number_of(row, "number");
    struct lane *lane;

    for (size_t i = l->count; i-- > 0;)
        if (l->lane[i].cpu == cpu && l->lane[i].number == number)
            return &l->lane[i];
    l->lane = grow(l->lane, &l->room, l->count + 1, sizeof *l->lane);
    lane = &l->lane[l->count++];
    *lane = (struct lane){.cpu = cpu, .number = number};
    lane->step = grow_zero(l->steps, sizeof *lane->step);
    lane->who = grow_zero(l->steps + 1, sizeof *lane->who);
    if (cpu)
        snprintf(lane->name, sizeof lane->name, "CPU %ld", number);
    return lane;
}

/* A thread without a name has its number for one. */
static void name_thread(struct lane *lane, const char *name)
{
    char *rest;

    if (!*name)
        return;
    if (strtol(name, &rest, 10) == lane->number && !*rest)
        name = "thread";
    snprintf(lane->name, sizeof lane->name, "%.32s %ld", name, lane->number);
}

/* What had most of each step, once for all drawings; of a CPU, of what it was
 * idle for. */
static void settle(const struct lanes *l, struct lane *lane)
{
    lane->look = grow_zero(l->steps + 1, sizeof *lane->look);
    lane->busy = grow_zero(l->steps + 1, sizeof *lane->busy);
    for (size_t n = 0; n < l->steps; n++) {
        int64_t most = 0;
        const char *state;
        json_t *value;

        lane->look[n] = -1;
        json_object_foreach(lane->step[n], state, value)
        {
            int64_t cycles = json_integer_value(value);

            if (!strcmp(state, "busy")) {
                lane->busy[n] = cycles;
                continue;
            }
            lane->seen |= 1u << panel_look(state);
            if (cycles > most) {
                most = cycles;
                lane->look[n] = (signed char)panel_look(state);
            }
        }
    }
}

void lanes_read(struct lanes *l, struct scene *s)
{
    json_t *row;
    size_t k;

    *l = (struct lanes){.steps = (size_t)((s->to - s->from) / s->step + 1)};
    json_array_foreach(scene_rows(s, SCENE_TIMELINE), k, row)
    {
        uint64_t from = (uint64_t)number_of(row, "from_cycle");
        size_t n = (size_t)((from - s->from) / s->step);
        struct lane *lane = lane_of(l, row);

        if (!lane->cpu)
            name_thread(lane, text_of(row, "name"));
        if (n >= l->steps)
            continue;
        if (!lane->step[n])
            lane->step[n] = json_object();
        if (lane->cpu && *text_of(row, "name"))
            lane->who[n] = text_of(row, "name");
        json_object_set(lane->step[n], text_of(row, "state"),
                        json_object_get(row, "cycles"));
    }
    for (k = 0; k < l->count; k++)
        settle(l, &l->lane[k]);
    if (l->count)
        qsort(l->lane, l->count, sizeof *l->lane, by_number);
}

void lanes_free(struct lanes *l)
{
    for (size_t i = 0; i < l->count; i++) {
        for (size_t n = 0; n < l->steps; n++)
            json_decref(l->lane[i].step[n]);
        free(l->lane[i].step);
        free(l->lane[i].look);
        free(l->lane[i].busy);
        free(l->lane[i].who);
    }
    free(l->lane);
    *l = (struct lanes){0};
}

/* ---- events -------------------------------------------------------------- */

/* -1: the row has none. */
static long optional(const json_t *row, const char *column)
{
    return json_is_number(json_object_get(row, column))
               ? (long)number_of(row, column)
               : -1;
}

void events_read(struct events *e, const json_t *rows)
{
    const json_t *row;
    size_t k;

    *e = (struct events){.rows = e->rows};
    e->list = grow_zero(json_array_size(rows) + 1, sizeof *e->list);
    json_array_foreach(rows, k, row)
    {
        e->list[e->count++] = (struct event){
            .what = text_of(row, "what"),
            .name = text_of(row, "name"),
            .by_name = text_of(row, "by_name"),
            .about = text_of(row, "about"),
            .from = (uint64_t)number_of(row, "from_cycle"),
            .to = (uint64_t)number_of(row, "to_cycle"),
            .cpu = optional(row, "cpu"),
            .thread = optional(row, "thread"),
            .by = optional(row, "by"),
            .times = number_of(row, "times"),
        };
    }
}

void events_free(struct events *e)
{
    free(e->list);
    json_decref(e->rows);
    *e = (struct events){.count = 0};
}

/* ---- metrics ------------------------------------------------------------- */

static size_t add_metrics(struct metric out[METRICS], size_t count,
                          struct scene *s, enum scene_table table)
{
    json_t *row = json_array_get(scene_rows(s, table), 0), *value;
    const char *column;

    json_object_foreach(row, column, value)
    {
        size_t size = strlen(column);

        if (count == METRICS || strncmp(column, "incl_", 5) != 0 ||
            json_number_value(value) <= 0 || size >= sizeof out->column ||
            (size >= 8 && !strcmp(column + size - 8, "_percent")))
            continue;
        out[count].table = table;
        snprintf(out[count++].column, sizeof out->column, "%s", column);
    }
    return count;
}

size_t metrics_read(struct metric out[METRICS], struct scene *s)
{
    size_t count = add_metrics(out, 0, s, SCENE_CALLTREE);

    count = add_metrics(out, count, s, SCENE_BLOCKED);
    return add_metrics(out, count, s, SCENE_ROOTS);
}
