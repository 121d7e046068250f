/* markareas.c - see marks.h. A line `area` of the log describes one, mark.rec
 * has its units.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/simprof/reports/marks/marks.h"

struct area_line {
    char unit[8];
    uint32_t number, start, bytes, granule, at, size;
    uint64_t added, lost;
};

static bool read_area(const struct line *l, struct area_line *a)
{
    return !strcmp(l->key, "area") &&
           sscanf(l->value,
                  "%7s %" SCNu32 " 0x%" SCNx32 " %" SCNu32 " %" SCNu32
                  " 0x%" SCNx32 " %" SCNu32 " %" SCNu64 " %" SCNu64,
                  a->unit, &a->number, &a->start, &a->bytes, &a->granule,
                  &a->at, &a->size, &a->added, &a->lost) == 9 &&
           a->granule;
}

static bool is_of(const struct mark_count *k, const struct area_line *a)
{
    return k->kind & MARK_AREA && k->limit == a->number &&
           !strcmp(marks_unit(k), a->unit);
}

bool markareas_any(const struct recording *r)
{
    struct area_line a;

    for (size_t i = 0; i < r->log.count; i++)
        if (read_area(&r->log.line[i], &a))
            return true;
    return false;
}

/* ---- the areas ----------------------------------------------------------- */

static void area_row(struct recording *r, const struct mark_counts *m,
                     const struct area_line *a, struct table *t)
{
    struct mark_count data = {.kind = MARK_DATA, .address = a->start};
    uint64_t sum = 0, used = 0, full = 0;
    char name[MARKS_NAME], text[MARKS_NAME + 32];

    for (size_t i = 0; i < m->marks; i++)
        if (is_of(&m->mark[i], a)) {
            sum += m->mark[i].count;
            full += m->mark[i].exceeded;
            used++;
        }
    table_count(t, sum);
    table_count(t, used);
    table_count(t, ((uint64_t)a->bytes + a->granule - 1) / a->granule);
    table_dotted(t, full);
    table_dotted(t, a->lost);
    table_text(t, a->unit);
    snprintf(text, sizeof text, "%" PRIu32, a->number);
    table_text(t, text);
    snprintf(text, sizeof text, "%" PRIu32 ":%" PRIu32, a->granule, a->size);
    table_text(t, text);
    snprintf(text, sizeof text, "0x%08" PRIx32, a->at);
    table_text(t, text);
    marks_place(r, &data, name);
    snprintf(text, sizeof text, "%s, %" PRIu32 " bytes", name, a->bytes);
    table_text(t, text);
}

static void areas(struct recording *r, const struct options *o,
                  const struct mark_counts *m, FILE *to, bool *begun)
{
    struct table t = {0};
    struct area_line a;

    table_column(&t, "counted", "count", TABLE_NUMBER);
    table_column(&t, "units\nnot zero", "units_used", TABLE_NUMBER);
    table_column(&t, "of", "units", TABLE_NUMBER);
    table_column(&t, "full", "full", TABLE_NUMBER);
    table_column(&t, "lost", "lost", TABLE_NUMBER);
    table_column(&t, "by", "unit", 0);
    table_column(&t, "area", "area", 0);
    table_column(&t, "granule:\nunit", "granularity", 0);
    table_column(&t, "is at", "at", 0);
    table_column(&t, "data", "place", 0);
    for (size_t i = 0; i < r->log.count; i++)
        if (read_area(&r->log.line[i], &a))
            area_row(r, m, &a, &t);
    marks_table(o, to, begun, "Count areas (docs/pif.md, 15):", &t);
}

/* ---- their units --------------------------------------------------------- */

static void mark_text(const struct mark_count *k, char out[64])
{
    snprintf(out, 64, "area %" PRIu32 " at 0x%08" PRIx32 "%s", k->limit,
             k->indicator, k->exceeded ? ", full" : "");
}

static void unit_row(struct recording *r, const struct mark_count *k,
                     struct table *t)
{
    char name[MARKS_NAME], address[16], what[64];

    marks_place(r, k, name);
    mark_text(k, what);
    snprintf(address, sizeof address, "0x%08" PRIx32, k->address);
    table_count(t, k->count);
    table_text(t, marks_unit(k));
    table_text(t, what);
    table_text(t, address);
    table_text(t, name);
}

void markareas_tables(struct recording *r, const struct options *o,
                      const struct mark_counts *m, FILE *to, bool *begun)
{
    struct table t = {0};
    size_t rows = 0;

    areas(r, o, m, to, begun);
    if (o->csv) /* the units are among the marks */
        return;
    table_column(&t, "counted", "count", TABLE_NUMBER);
    table_column(&t, "by", "unit", 0);
    table_column(&t, "unit", "mark", 0);
    table_column(&t, "data", "address", 0);
    table_column(&t, "begins in", "place", 0);
    for (size_t i = 0; i < m->marks; i++)
        if (m->mark[i].kind & MARK_AREA && (!o->limit || rows++ < o->limit))
            unit_row(r, &m->mark[i], &t);
    marks_table(o, to, begun, "Count units that are not zero:", &t);
    if (o->limit && rows > o->limit)
        marks_more(o, to, rows - o->limit);
}

/* Behind the last byte of the granule that begins there. The area before is
 * most often the one again. */
static uint32_t end_of(const struct recording *r, const struct mark_count *k,
                       struct area_line *a)
{
    for (size_t i = 0; !is_of(k, a) && i < r->log.count; i++)
        if (!read_area(&r->log.line[i], a))
            a->number = UINT32_MAX;
    if (!is_of(k, a) || k->address - a->start >= a->bytes)
        return k->address;
    return a->start + a->bytes - k->address < a->granule
               ? a->start + a->bytes
               : k->address + a->granule;
}

void markareas_rows(struct recording *r, const struct options *o,
                    const struct mark_counts *m, struct table *t)
{
    struct area_line last = {.number = UINT32_MAX};
    size_t rows = 0;

    for (size_t i = 0; i < m->marks; i++) {
        const struct mark_count *k = &m->mark[i];
        char name[MARKS_NAME], what[64], address[16], end[16];

        if (!(k->kind & MARK_AREA) || (o->limit && rows++ >= o->limit))
            continue;
        marks_place(r, k, name);
        mark_text(k, what);
        snprintf(address, sizeof address, "0x%08" PRIx32, k->address);
        snprintf(end, sizeof end, "0x%08" PRIx32, end_of(r, k, &last));
        table_text(t, "area");
        table_text(t, marks_unit(k));
        table_count(t, k->count);
        table_count(t, 0);
        table_text(t, address);
        table_text(t, what);
        table_text(t, name);
        table_count(t, 0);
        table_text(t, end);
    }
}
