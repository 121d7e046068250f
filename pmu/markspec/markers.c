/* markers.c - see markers.h. */
#include "lib/base/big_endian.h"
#include "pmu/markspec/markers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x504D524Bu /* "PMRK" */
#define VERSION 1u
#define HEADER 20u
#define ENTRY 24u

static bool refuse(struct markers *m, const char *what, char *why, size_t room)
{
    markers_free(m);
    snprintf(why, room,
             MARKERS_SECTION ": %s; make it again with simmark opcodes", what);
    return false;
}

static int by_home(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Room for what the header promises. */
static bool make_room(struct markers *m)
{
    m->home = calloc(m->size / 4 + 1, sizeof *m->home);
    m->entry = calloc(m->entries + 1, sizeof *m->entry);
    m->order = calloc(m->entries + 1, sizeof *m->order);
    return m->home && m->entry && m->order;
}

static const char *wrong_header(const struct markers *m, const unsigned char *b,
                                size_t size)
{
    if (be_get32(b) != MAGIC || be_get32(b + 4) != VERSION << 16)
        return "is not of this version";
    if (m->island % 4 || m->size % 4 || m->size > UINT32_MAX - m->island ||
        m->entries > MARKERS_MAX)
        return "names an island that cannot be";
    if (size != HEADER + (uint64_t)m->size + (uint64_t)m->entries * ENTRY)
        return "has another length than it says";
    return NULL;
}

static const char *wrong_entry(const struct markers *m, const struct marker *e)
{
    if (e->address % 4 || !markers_has(m, e->address))
        return "has an entry outside of its island";
    if (e->home % 4 || e->home > UINT32_MAX - 8)
        return "has an entry that comes from nowhere";
    if (markers_has(m, e->home))
        return "has an entry that was moved twice";
    return NULL;
}

/* In order of their homes, each once. */
static bool sort(struct markers *m)
{
    for (uint32_t k = 0; k < m->entries; k++)
        m->order[k] = (uint64_t)m->entry[k].home << 32 | k;
    qsort(m->order, m->entries, sizeof *m->order, by_home);
    for (uint32_t k = 1; k < m->entries; k++)
        if (m->order[k] >> 32 == m->order[k - 1] >> 32)
            return false;
    return true;
}

bool markers_read(struct markers *m, const void *bytes, size_t size, char *why,
                  size_t room)
{
    const unsigned char *b = bytes;
    const char *wrong;

    *m = (struct markers){0};
    if (size < HEADER)
        return refuse(m, "ends too early", why, room);
    m->island = be_get32(b + 8);
    m->size = be_get32(b + 12);
    m->entries = be_get32(b + 16);
    wrong = wrong_header(m, b, size);
    if (wrong)
        return refuse(m, wrong, why, room);
    if (!make_room(m))
        return refuse(m, "the host has no memory for it", why, room);
    b += HEADER;
    for (uint32_t k = 0; k < m->size / 4; k++, b += 4)
        m->home[k] = be_get32(b);
    for (uint32_t k = 0; k < m->entries; k++, b += ENTRY) {
        m->entry[k] = (struct marker){be_get32(b),      be_get32(b + 4),
                                      be_get32(b + 8),  be_get32(b + 12),
                                      be_get32(b + 16), be_get32(b + 20)};
        wrong = wrong_entry(m, &m->entry[k]);
        if (wrong)
            return refuse(m, wrong, why, room);
    }
    return sort(m) || refuse(m, "has two entries for one place", why, room);
}

bool markers_check(const struct markers *m,
                   bool (*word)(void *arg, uint32_t address, uint32_t *w),
                   void *arg, char *why, size_t room)
{
    uint32_t home, gate, marker;

    for (uint32_t k = 0; k < m->entries; k++) {
        const struct marker *e = &m->entry[k];

        gate = e->home + (e->is & 0x03FFFFFC) -
               (e->is & 0x02000000 ? 0x04000000u : 0);
        if (!word(arg, e->home, &home) || home != e->is || e->is >> 26 != 18 ||
            gate != e->address - 4 || !word(arg, gate, &marker) ||
            marker != MARKERS_PMARK(1, k)) {
            snprintf(why, room,
                     MARKERS_SECTION ": the instruction at 0x%08" PRIx32
                                     " has no marker any more, or no branch "
                                     "to it; make it again with simmark "
                                     "opcodes",
                     e->home);
            return false;
        }
    }
    return true;
}

void markers_free(struct markers *m)
{
    free(m->home);
    free(m->entry);
    free(m->order);
    *m = (struct markers){0};
}

static unsigned char *put(unsigned char *b, uint32_t word)
{
    be_put32(b, word);
    return b + 4;
}

void markers_write(const struct markers *m, unsigned char **bytes, size_t *size)
{
    unsigned char *b;

    *size = HEADER + m->size + (size_t)m->entries * ENTRY;
    *bytes = b = malloc(*size);
    if (!b)
        abort();
    b = put(put(b, MAGIC), VERSION << 16);
    b = put(put(put(b, m->island), m->size), m->entries);
    for (uint32_t k = 0; k < m->size / 4; k++)
        b = put(b, m->home[k]);
    for (uint32_t k = 0; k < m->entries; k++) {
        const struct marker *e = &m->entry[k];

        b = put(put(put(b, e->address), e->home), e->was);
        b = put(put(put(b, e->is), e->indicator), e->limit);
    }
}

uint32_t markers_home(const struct markers *m, uint32_t address)
{
    return markers_has(m, address) ? m->home[(address - m->island) / 4]
                                   : address;
}

const struct marker *markers_at(const struct markers *m, uint32_t home)
{
    uint32_t low = 0, high = m->entries;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t at = m->order[middle];

        if (at >> 32 == home)
            return &m->entry[(uint32_t)at];
        if (at >> 32 < home)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
