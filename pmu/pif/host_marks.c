/* host_marks.c - see host_marks.h. A hash of blocks, never smaller than twice
 * their number; marks are kept in the order of their making, so that nothing
 * depends on the hash.
 */
#include "pmu/pif/host_marks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/snap.h"

#define FIRST_SLOTS 64

void host_marks_init(struct host_marks *m, uint32_t bytes)
{
    memset(m, 0, sizeof *m);
    m->bytes = bytes;
}

void host_marks_free(struct host_marks *m)
{
    free(m->mark);
    free(m->slot);
    host_marks_init(m, m->bytes);
}

/* Marks of a block. */
static uint32_t words(const struct host_marks *m)
{
    return m->bytes / 4;
}

static uint64_t key(const struct host_marks *m, uint16_t program, uint32_t ea,
                    bool data)
{
    return (uint64_t)program << 32 | (ea & ~(m->bytes - 1)) | data;
}

/* Where the block is, or the free slot where it would be. */
static size_t probe(const struct host_marks *m, uint16_t program, uint32_t ea,
                    bool data)
{
    uint64_t want = key(m, program, ea, data);
    uint32_t mixed = (uint32_t)(want ^ want >> 32) * 0x9E3779B1u;
    size_t at = (mixed >> 7) & (m->slots - 1);

    for (; m->slot[at]; at = (at + 1) & (m->slots - 1)) {
        const struct host_mark *k = host_marks_at(m, m->slot[at] - 1);

        if (key(m, k->program, k->ea, k->data) == want)
            break;
    }
    return at;
}

struct host_mark *host_marks_at(const struct host_marks *m, uint32_t block)
{
    return &m->mark[block * words(m)];
}

static long find(const struct host_marks *m, uint16_t program, uint32_t ea,
                 bool data)
{
    return m->slots ? (long)m->slot[probe(m, program, ea, data)] - 1 : -1;
}

long host_marks_find(const struct host_marks *m, const struct host_view *v,
                     uint32_t ea, bool data)
{
    for (size_t k = 0; k < v->count; k++) {
        const struct host_stretch *s = &v->stretch[k];

        if (ea - s->start < s->size)
            return find(m, s->program, ea - s->up, data);
    }
    return find(m, 0, ea, data);
}

struct host_mark *host_marks_word(const struct host_marks *m, uint16_t program,
                                  uint32_t ea, bool data)
{
    long block = find(m, program, ea, data);

    if (block < 0)
        return NULL;
    return host_marks_at(m, (uint32_t)block) + (ea & (m->bytes - 1)) / 4;
}

/* Room for one more block. */
static bool grow(struct host_marks *m)
{
    size_t blocks = m->count / words(m), room = m->room ? m->room * 2 : 512;

    if (m->count + words(m) > m->room) {
        struct host_mark *more = realloc(m->mark, room * sizeof *more);

        if (!more)
            return false;
        m->mark = more;
        m->room = room;
    }
    if (2 * (blocks + 1) > m->slots) {
        size_t slots = m->slots ? m->slots * 2 : FIRST_SLOTS;
        uint32_t *slot = calloc(slots, sizeof *slot);

        if (!slot)
            return false;
        free(m->slot);
        m->slot = slot;
        m->slots = slots;
        for (uint32_t b = 0; b < blocks; b++) {
            const struct host_mark *k = host_marks_at(m, b);
            slot[probe(m, k->program, k->ea, k->data)] = b + 1;
        }
    }
    return true;
}

static bool new_block(struct host_marks *m, uint16_t program, uint32_t ea,
                      bool data)
{
    uint32_t block = (uint32_t)(m->count / words(m));

    if (!grow(m))
        return false;
    m->slot[probe(m, program, ea, data)] = block + 1;
    m->count += words(m);
    for (unsigned w = 0; w < words(m); w++)
        *(host_marks_at(m, block) + w) =
            (struct host_mark){.program = program,
                               .ea = (ea & ~(m->bytes - 1)) + 4 * w,
                               .data = data};
    return true;
}

bool host_marks_add(struct host_marks *m, uint16_t program, uint32_t ea,
                    bool data, uint32_t indicator, uint32_t limit)
{
    struct host_mark *k = host_marks_word(m, program, ea, data);

    /* new_block finds its slot once there is a table */
    if (!k && !new_block(m, program, ea, data))
        return false;
    k = host_marks_word(m, program, ea, data);
    k->indicator |= indicator;
    if (limit)
        k->limit = limit;
    return true;
}

/* ---- save and load -------------------------------------------------------
 */

static void mark_state(struct snap *s, struct host_mark *k)
{
    SNAP_SAME(s, k->ea);
    SNAP_SAME(s, k->data);
    SNAP_SAME(s, k->program);
    SNAP(s, k->indicator);
    SNAP(s, k->limit);
    SNAP(s, k->count);
    SNAP(s, k->hits);
    SNAP(s, k->before);
    SNAP(s, k->since);
}

bool host_marks_state(struct snap *s, struct host_marks *m)
{
    struct host_mark spare = {0};

    snap_begin(s, "host marks", 1);
    SNAP_OWNS(s, struct host_mark, &spare, 1);
    if (s->way == SNAP_COVER)
        mark_state(s, &spare);
    SNAP_SKIP(s, m->mark, "where the host has the marks");
    SNAP_SAME(s, m->count);
    SNAP_SKIP(s, m->room, "of the list");
    SNAP_SKIP(s, m->slot, "of the hash");
    SNAP_SKIP(s, m->slots, "of the hash");
    SNAP_SAME(s, m->bytes);
    for (size_t n = 0; !s->bad && n < m->count; n++)
        mark_state(s, &m->mark[n]);
    return snap_end(s);
}
