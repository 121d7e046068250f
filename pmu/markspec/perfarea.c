/* perfarea.c - count areas as metadata: what can be one. See perfinst.h and
 * docs/pif.md, section 15.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "pmu/pif/area.h"
#include "pmu/markspec/perfinst.h"

_Static_assert(PERFINST_AREAS_MAX == PIF_AREAS, "as many as descriptors");

struct doubt {
    char *why;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static bool
refuse(const struct doubt *d, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(d->why, d->room, format, args);
    va_end(args);
    return false;
}

uint64_t perfinst_area_bytes(const struct perfinst_count *c, uint32_t length)
{
    return ((uint64_t)length + c->granule - 1) / c->granule * c->unit;
}

/* Is all of it memory that the program may store to? */
static bool is_writable(const struct perfinst_world *w, uint32_t start,
                        uint64_t size)
{
    for (size_t k = 0; k < w->places; k++) {
        const struct perfinst_place *p = &w->place[k];

        if (p->writable && start >= p->start && start - p->start < p->size &&
            size <= p->size - (start - p->start))
            return true;
    }
    return false;
}

/* The variable that an address is in; NULL: none of known size. */
static const struct perfinst_symbol *variable_at(const struct perfinst_world *w,
                                                 uint32_t address)
{
    for (size_t k = 0; k < w->symbols; k++) {
        const struct perfinst_symbol *s = &w->symbol[k];

        if (!s->function && !s->label && address - s->address < s->size)
            return s;
    }
    return NULL;
}

static bool overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

bool perfinst_countable(const struct perfinst_world *w,
                        const struct perfinst_entry *e, char *why, size_t room)
{
    const struct doubt d = {why, room};
    const struct perfinst_count *c = &e->count;
    const struct perfinst_symbol *s;
    uint64_t size;

    if (!area_has(c->granule, 1))
        return refuse(&d,
                      "a granularity of %" PRIu32 " bytes; there are powers "
                      "of two from 1 to 4096",
                      c->granule);
    if (!area_has(1, c->unit))
        return refuse(&d, "count units of %" PRIu32 " bytes; there are 1, 2, 4",
                      c->unit);
    if (c->area % c->unit)
        return refuse(&d,
                      "the count area at 0x%" PRIx32 " is no multiple of its "
                      "units of %" PRIu32 " bytes, align it",
                      c->area, c->unit);
    if (e->length > PIFAB_BITS)
        return refuse(&d,
                      "%" PRIu32 " bytes of data, more than %d cannot be "
                      "counted in one area",
                      e->length, PIFAB_BITS);
    size = perfinst_area_bytes(c, e->length);
    if (!is_writable(w, c->area, size))
        return refuse(&d,
                      "the count area, 0x%" PRIx32 " to 0x%" PRIx64 ", is not "
                      "memory that the program may write, name a variable of "
                      "%" PRIu64 " bytes",
                      c->area, c->area + size - 1, size);
    s = variable_at(w, c->area);
    if (s && size > s->size - (c->area - s->address))
        return refuse(&d,
                      "the count area needs %" PRIu64
                      " bytes, %.100s has %" PRIu32
                      " from there on; take a larger one, or a larger "
                      "granularity",
                      size, s->name, s->size - (c->area - s->address));
    if (overlaps(e->address, e->length, c->area, size))
        return refuse(&d, "the count area overlaps the data whose accesses it "
                          "counts, take another one");
    return true;
}

bool perfinst_add_area(struct perfinst_marks *m, const struct perfinst_world *w,
                       const struct perfinst_entry *e, char *why, size_t room)
{
    const struct doubt d = {why, room};
    const struct perfinst_count *c = &e->count;

    for (unsigned k = 0; k < m->areas; k++) {
        const struct perfinst_area *a = &m->area[k];

        if (a->address == e->address && a->length == e->length &&
            a->count.granule == c->granule && a->count.area == c->area &&
            a->count.unit == c->unit)
            return true; /* asked for twice */
        if (overlaps(a->count.area, perfinst_area_bytes(&a->count, a->length),
                     c->area, perfinst_area_bytes(c, e->length)))
            return refuse(&d,
                          "%s: two count areas overlap, at 0x%" PRIx32
                          " and at 0x%" PRIx32 ", give each its own",
                          w->file, a->count.area, c->area);
    }
    if (m->areas == PERFINST_AREAS_MAX)
        return refuse(&d, "%s: more than %d count areas, take some away",
                      w->file, PERFINST_AREAS_MAX);
    m->area[m->areas++] =
        (struct perfinst_area){e->address, e->length, *c, e->text};
    return true;
}
