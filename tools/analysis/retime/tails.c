/* tails.c - see tails.h. A return address tells where the call is, and that
 * whom it called.
 */
#include "tools/analysis/retime/tails.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "tools/analysis/experiment/stack.h"

/* An archive that is open. */
struct code {
    struct recording *r;
    size_t image;
    int fd; /* -1: none is */
};

static bool read_word(struct code *c, uint32_t pc, uint64_t cycle,
                      uint32_t *word)
{
    unsigned char bytes[4];
    struct image_spot spot;

    if (!loadmap_spot(&c->r->map, pc, cycle, &spot))
        return false;
    if (c->fd < 0 || c->image != spot.image) {
        if (c->fd >= 0)
            close(c->fd);
        c->image = spot.image;
        c->fd = loadmap_open(&c->r->map, spot.image, c->r->dir);
    }
    if (c->fd < 0 || pread(c->fd, bytes, 4, (off_t)spot.offset) != 4)
        return false;
    *word = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
            (uint32_t)bytes[2] << 8 | bytes[3];
    return true;
}

#define BL 0x48000001u /* bl: opcode 18, AA 0, LK 1 */

/* The function that is called at pc; LOADMAP_UNKNOWN: it is no such call. */
static uint32_t called(struct code *c, uint32_t pc, uint64_t cycle)
{
    struct place to;
    uint32_t word;

    if (!read_word(c, pc, cycle, &word) || (word & 0xFC000003u) != BL)
        return LOADMAP_UNKNOWN;
    to = loadmap_find(&c->r->map,
                      pc + (uint32_t)((int32_t)(word << 6) >> 6 & ~3), cycle);
    return to.offset ? LOADMAP_UNKNOWN : to.function;
}

uint32_t *tails_find(const struct scene *s, const uint32_t *function)
{
    const struct frames *f = &s->frames;
    struct loadmap *m = &s->r->map;
    uint32_t thread = m->thread;
    uint32_t *calls = grow_zero(f->count + 1, sizeof *calls);
    uint32_t *entered = grow_zero(f->count + 1, sizeof *entered);
    struct code code = {s->r, 0, -1};

    for (size_t n = 1; n < f->count; n++) {
        uint64_t cycle = frames_whose(&f->place[n], m, f->place[n].cycle);
        uint32_t pc = loadmap_home(m, stack_before(f->place[n].pc), cycle);

        calls[n] = called(&code, pc, cycle);
        loadmap_thread(m, thread);
    }
    entered[0] = LOADMAP_UNKNOWN;
    for (size_t n = 1; n < f->count; n++) {
        uint32_t caller = f->place[n].caller;

        entered[n] = caller ? calls[caller] : LOADMAP_UNKNOWN;
        if (entered[n] == function[n])
            entered[n] = LOADMAP_UNKNOWN;
    }
    if (code.fd >= 0)
        close(code.fd);
    free(calls);
    return entered;
}
