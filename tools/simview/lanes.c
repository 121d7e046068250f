/* lanes.c - rows of the timeline and of the call tree, as they are drawn. */
#include "tools/simview/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

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
        json_object_set(lane->step[n], text_of(row, "state"),
                        json_object_get(row, "cycles"));
    }
    if (l->count)
        qsort(l->lane, l->count, sizeof *l->lane, by_number);
}

void lanes_free(struct lanes *l)
{
    for (size_t i = 0; i < l->count; i++) {
        for (size_t n = 0; n < l->steps; n++)
            json_decref(l->lane[i].step[n]);
        free(l->lane[i].step);
    }
    free(l->lane);
    *l = (struct lanes){0};
}

/* ---- calls --------------------------------------------------------------- */

/* The columns of what a node and those below it took. */
static void find_metrics(struct calls *c, const json_t *row)
{
    const char *column;
    json_t *value;

    json_object_foreach((json_t *)row, column, value)
    {
        size_t size = strlen(column);

        if (c->metrics < sizeof c->metric / sizeof c->metric[0] &&
            !strncmp(column, "incl_", 5) && json_number_value(value) > 0 &&
            (size < 8 || strcmp(column + size - 8, "_percent")))
            c->metric[c->metrics++] = column;
    }
}

void calls_read(struct calls *c, struct scene *s)
{
    json_t *rows = scene_rows(s, SCENE_CALLTREE), *row;
    size_t k;

    *c = (struct calls){0};
    find_metrics(c, json_array_get(rows, 0));
    if (!c->metrics)
        return;
    c->count = json_array_size(rows);
    c->node = grow_zero(c->count, sizeof *c->node);
    c->values = grow_zero(c->count * c->metrics, sizeof *c->values);
    json_array_foreach(rows, k, row)
    {
        struct node *n = &c->node[k];

        n->name = text_of(row, "function");
        n->parent = json_is_null(json_object_get(row, "parent"))
                        ? -1
                        : (long)number_of(row, "parent");
        n->depth = (int)number_of(row, "depth");
        n->first = n->next = -1;
        n->value = c->values + k * c->metrics;
        for (size_t m = 0; m < c->metrics; m++)
            n->value[m] = number_of(row, c->metric[m]);
    }
    /* From the last, so that children stand in the report's order. */
    for (k = c->count; k-- > 1;) {
        struct node *n = &c->node[k];

        if (n->parent < 0 || n->parent >= (long)k)
            continue;
        n->next = c->node[n->parent].first;
        c->node[n->parent].first = (long)k;
    }
}

void calls_free(struct calls *c)
{
    free(c->node);
    free(c->values);
    *c = (struct calls){0};
}
