/* indexobj.c - one pass over each file of records. */
#include "tools/analysis/profile/indexobj.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/offcpu.h"

#define TWELFTHS 12

static struct indexobj_row *row_of(struct indexobj *x, int64_t key)
{
    const uint32_t *found = hash_find(&x->at, (uint64_t)key);
    bool fresh;
    uint32_t *at;

    if (!found && x->rows >= INDEXOBJ_ROWS)
        key = INDEXOBJ_UNKNOWN;
    at = hash_at(&x->at, (uint64_t)key, &fresh);
    if (fresh) {
        *at = (uint32_t)x->rows;
        x->row = grow(x->row, &x->room, x->rows + 1, sizeof *x->row);
        x->row[x->rows++] = (struct indexobj_row){
            .key = key,
            .value = grow_zero(x->metric.count, sizeof(uint64_t)),
        };
    }
    return &x->row[*at];
}

static struct indexobj_row *choose(struct indexobj *x,
                                   const struct indexobj_choice *c,
                                   const struct record *record)
{
    struct indexobj_row *row;
    int64_t key;

    if (c->wants && !c->wants(c->arg, record))
        return NULL;
    if (!c->number(c->number_arg, record, &key))
        key = INDEXOBJ_UNKNOWN;
    row = row_of(x, key);
    row->cpus |= 1ull << (record->cpu & 63);
    if (record->cycle > row->cycle)
        row->cycle = record->cycle;
    return row;
}

static void take(struct indexobj *x, const struct indexobj_choice *c,
                 const struct record *record)
{
    struct indexobj_row *row = choose(x, c, record);
    unsigned m = samples_metric_of(&x->metric, record);

    if (!row)
        return;
    row->value[m] += record_get_profile_events(record);
    x->metric.list[m].total += record_get_profile_events(record);
    x->metric.list[m].samples++;
}

static void read_samples(struct indexobj *x, struct recording *r,
                         const struct indexobj_choice *c)
{
    struct record record;
    struct recfile f;
    struct offcpu o;

    if (recording_records(r, REC_PROFILE, &f)) {
        while (recfile_next(&f, &record))
            take(x, c, &record);
        recording_done(r, &f);
    }
    if (!c->waits)
        return;
    offcpu_open(&o, r, c->waits);
    while (offcpu_next(&o, &record))
        take(x, c, &record);
}

static void read_exact(struct indexobj *x, struct recording *r,
                       const struct indexobj_choice *c)
{
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_ORACLE, &f))
        return;
    f.rows.step = c->step;
    while (recfile_next(&f, &record)) {
        struct indexobj_row *row =
            record.cycle <= r->settled ? choose(x, c, &record) : NULL;

        if (!row)
            continue;
        row->twelfths += record_get_oracle_twelfths(&record);
        if (r->reason_is[record_get_oracle_reason(&record)] == REASON_OFF)
            row->parked += record_get_oracle_twelfths(&record);
    }
    recording_done(r, &f);
}

static int by_remainder(const void *a, const void *b)
{
    const struct indexobj_row *x = *(struct indexobj_row *const *)a;
    const struct indexobj_row *y = *(struct indexobj_row *const *)b;
    uint64_t p = x->twelfths % TWELFTHS, q = y->twelfths % TWELFTHS;

    if (p != q)
        return p > q ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Round down, then give what is missing to the largest remainders. */
static void round_exact(struct indexobj *x)
{
    struct indexobj_row **list = grow_zero(x->rows + 1, sizeof *list);
    uint64_t twelfths = 0, given = 0;

    for (size_t i = 0; i < x->rows; i++) {
        list[i] = &x->row[i];
        twelfths += x->row[i].twelfths;
        x->row[i].value[SAMPLES_EXACT] = x->row[i].twelfths / TWELFTHS;
        given += x->row[i].value[SAMPLES_EXACT];
    }
    qsort(list, x->rows, sizeof *list, by_remainder);
    x->metric.list[SAMPLES_EXACT].total = twelfths / TWELFTHS;
    for (size_t i = 0; given < twelfths / TWELFTHS && i < x->rows; i++, given++)
        list[i]->value[SAMPLES_EXACT]++;
    free(list);
}

static int by_key(const void *a, const void *b)
{
    const struct indexobj_row *x = a, *y = b;

    return x->key < y->key ? -1 : x->key > y->key;
}

void indexobj_read(struct indexobj *x, struct recording *r,
                   const struct indexobj_choice *choice)
{
    *x = (struct indexobj){0};
    samples_metrics_open(&x->metric, r);
    samples_metrics_waits(&x->metric, choice->waits);
    read_samples(x, r, choice);
    read_exact(x, r, choice);
    round_exact(x);
    samples_metrics_done(&x->metric, r);
    if (x->rows)
        qsort(x->row, x->rows, sizeof *x->row, by_key);
    hash_free(&x->at); /* rows moved */
    x->total = grow_zero(x->metric.count, sizeof *x->total);
    for (unsigned m = 0; m < x->metric.count; m++)
        x->total[m] = x->metric.list[m].total;
}

void indexobj_free(struct indexobj *x)
{
    for (size_t i = 0; i < x->rows; i++)
        free(x->row[i].value);
    samples_metrics_free(&x->metric);
    hash_free(&x->at);
    free(x->row);
    free(x->total);
    *x = (struct indexobj){0};
}
