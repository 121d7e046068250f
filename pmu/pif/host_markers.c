/* host_markers.c - see host_markers.h. */
#include "pmu/pif/host_markers.h"

#include <stdlib.h>

#include "lib/base/snap.h"

static void find_extent(struct host_markers *m)
{
    m->low = UINT32_MAX;
    m->high = 0;
    for (uint32_t k = 0; k < m->of->entries; k++) {
        uint32_t home = m->of->entry[k].home;

        m->low = home < m->low ? home : m->low;
        m->high = home + 4 > m->high ? home + 4 : m->high;
    }
    if (m->low > m->high)
        m->low = m->high = 0;
}

bool host_markers_init(struct host_markers *m, const struct markers *of)
{
    *m = (struct host_markers){.of = of};
    find_extent(m);
    m->entry = calloc(of->entries + 1, sizeof *m->entry);
    m->kind = calloc(of->size / 4 + 1, sizeof *m->kind);
    m->moved = calloc((m->high - m->low) / 32 + 1, 1);
    if (!m->entry || !m->kind || !m->moved) {
        host_markers_free(m);
        return false;
    }
    for (uint32_t k = 0; k < of->entries; k++) {
        const struct marker *e = &of->entry[k];
        uint32_t word = (e->address - of->island) / 4;

        m->entry[k].indicator = e->indicator;
        m->entry[k].limit = e->limit;
        m->kind[word] = HOSTMARKERS_ENTRY + k;
        if (word)
            m->kind[word - 1] = HOSTMARKERS_GATE;
        m->moved[(e->home - m->low) / 32] |=
            (uint8_t)(1u << ((e->home - m->low) / 4 % 8));
    }
    return true;
}

void host_markers_free(struct host_markers *m)
{
    free(m->entry);
    free(m->kind);
    free(m->moved);
    *m = (struct host_markers){0};
}

void host_markers_arm(struct host_markers *m, unsigned n, unsigned k)
{
    for (; n && k < m->of->entries; n--, k++)
        m->entry[k].armed++;
}

static void marker_state(struct snap *s, struct host_marker *k)
{
    SNAP(s, k->indicator);
    SNAP(s, k->limit);
    SNAP(s, k->armed);
    SNAP(s, k->count);
    SNAP(s, k->hits);
    SNAP(s, k->before);
}

bool host_markers_state(struct snap *s, struct host_markers *m)
{
    struct host_marker spare = {0};
    uint32_t entries = m->of ? m->of->entries : 0;

    snap_begin(s, "host markers", 1);
    SNAP_OWNS(s, struct host_marker, &spare, 1);
    if (s->way == SNAP_COVER)
        marker_state(s, &spare);
    SNAP_SKIP(s, m->of, "of the program");
    SNAP_SKIP(s, m->entry, "where the host has the entries");
    SNAP_SKIP(s, m->kind, "of the program");
    SNAP_SKIP(s, m->moved, "of the program");
    SNAP_SAME(s, m->low);
    SNAP_SAME(s, m->high);
    SNAP_SAME(s, entries);
    for (uint32_t n = 0; !s->bad && n < entries; n++)
        marker_state(s, &m->entry[n]);
    return snap_end(s);
}
