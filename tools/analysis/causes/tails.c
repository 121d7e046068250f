/* tails.c - see tails.h. A return address tells where the call is, and that
 * whom it called. Of a call through a pointer it does not: there it is a
 * function that was seen in that very place and has a jump to the one that
 * stands there, if that is nowhere a pointer to a function.
 */
#include "tools/analysis/causes/tails.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/base/big_endian.h"
#include "lib/base/grow.h"
#include "tools/analysis/experiment/stack.h"

/* An archive that is open. */
struct code {
    struct recording *r;
    size_t image;
    int fd; /* -1: none is */
};

static bool open_image(struct code *c, size_t image)
{
    if (c->fd < 0 || c->image != image) {
        if (c->fd >= 0)
            close(c->fd);
        c->image = image;
        c->fd = loadmap_open(&c->r->map, image, c->r->dir);
    }
    return c->fd >= 0;
}

static bool read_word(struct code *c, uint32_t pc, uint64_t cycle,
                      uint32_t *word)
{
    unsigned char bytes[4];
    struct image_spot spot;

    if (!loadmap_spot(&c->r->map, pc, cycle, &spot) ||
        !open_image(c, spot.image) ||
        pread(c->fd, bytes, 4, (off_t)spot.offset) != 4)
        return false;
    *word = be_get32(bytes);
    return true;
}

#define B 0x48000000u  /* b: opcode 18, AA 0, LK 0 */
#define BL 0x48000001u /* bl: ... LK 1 */
#define BCTRL 0x4E800421u
#define BLRL 0x4E800021u
#define THROUGH UINT32_MAX /* a function is called through a pointer */

/* Where a b or bl at pc leads to. */
static uint32_t target(uint32_t pc, uint32_t word)
{
    return pc + (uint32_t)((int32_t)(word << 6) >> 6 & ~3);
}

/* The function that is called at pc; LOADMAP_UNKNOWN: it is no such call. */
static uint32_t called(struct code *c, uint32_t pc, uint64_t cycle)
{
    struct place to;
    uint32_t word;

    if (!read_word(c, pc, cycle, &word))
        return LOADMAP_UNKNOWN;
    /* Of blrl and bctrl: whether the branch is a hint, in BH, does not count.
     */
    if ((word & ~0x1800u) == BCTRL || (word & ~0x1800u) == BLRL)
        return THROUGH;
    if ((word & 0xFC000003u) != BL)
        return LOADMAP_UNKNOWN;
    to = loadmap_find(&c->r->map, target(pc, word), cycle);
    return to.offset ? LOADMAP_UNKNOWN : to.function;
}

/* ---- through a pointer --------------------------------------------------- */

/* The bytes of an image from an address as linked on, which the caller frees;
 * NULL: it has none there. */
static unsigned char *bytes_at(struct code *c, size_t image, uint64_t addr,
                               uint64_t size)
{
    const struct symbols *y = &c->r->map.image[image].symbols;
    unsigned char *bytes;

    for (size_t n = 0; n < y->loads; n++) {
        const struct loaded *l = &y->loaded[n];

        if (addr < l->addr || addr + size > l->addr + l->size ||
            !open_image(c, image))
            continue;
        bytes = grow_zero(size + 1, 1);
        if (pread(c->fd, bytes, size, (off_t)(l->offset + (addr - l->addr))) ==
            (ssize_t)size)
            return bytes;
        free(bytes);
    }
    return NULL;
}

/* Is there a jump in a function to the beginning of another one? */
static bool jumps(struct code *c, size_t image, const struct function *from,
                  const struct function *to)
{
    uint64_t size = (from->end - from->start) & ~UINT64_C(3);
    unsigned char *bytes = bytes_at(c, image, from->start, size);
    bool found = false;

    for (uint64_t n = 0; bytes && n < size && !found; n += 4) {
        uint32_t word = be_get32(bytes + n);

        found = (word & 0xFC000003u) == B &&
                target((uint32_t)(from->start + n), word) == to->start;
    }
    free(bytes);
    return found;
}

/* Is a function's address anywhere in an image, as in a table of functions? */
static bool is_pointed_at(struct code *c, size_t image,
                          const struct function *f)
{
    const struct symbols *y = &c->r->map.image[image].symbols;
    bool found = false;

    for (size_t n = 0; n < y->loads && !found; n++) {
        unsigned char *bytes =
            bytes_at(c, image, y->loaded[n].addr, y->loaded[n].size);

        for (uint64_t k = 0; bytes && k + 4 <= y->loaded[n].size && !found;
             k += 4)
            found = be_get32(bytes + k) == f->start;
        free(bytes);
    }
    return found;
}

/* Frames by their caller. */
struct siblings {
    const uint32_t *function; /* by frame */
    uint32_t *first, *next;   /* 0: none */
    struct hash known;        /* answers, by caller and function */
};

/* Of those that stand where a frame does the only one that jumps to it. */
static uint32_t jumped_from(struct code *c, const struct siblings *s,
                            uint32_t caller, uint32_t to)
{
    struct loadmap *m = &c->r->map;
    long image = loadmap_image(m, to);
    uint32_t found = LOADMAP_UNKNOWN;

    for (uint32_t n = s->first[caller]; n; n = s->next[n]) {
        uint32_t from = s->function[n];

        if (from == to || from == found || image < 0 ||
            loadmap_image(m, from) != image ||
            !jumps(c, (size_t)image, loadmap_function(m, from),
                   loadmap_function(m, to)))
            continue;
        if (found != LOADMAP_UNKNOWN)
            return LOADMAP_UNKNOWN;
        found = from;
    }
    return found != LOADMAP_UNKNOWN &&
                   is_pointed_at(c, (size_t)image, loadmap_function(m, to))
               ? LOADMAP_UNKNOWN
               : found;
}

static uint32_t entered_through(struct code *c, struct siblings *s,
                                uint32_t caller, uint32_t function)
{
    bool fresh;
    uint32_t *known =
        hash_at(&s->known, (uint64_t)caller << 32 | function, &fresh);

    if (fresh)
        *known = jumped_from(c, s, caller, function);
    return *known;
}

static void find_siblings(struct siblings *s, const struct frames *f)
{
    s->first = grow_zero(f->count + 1, sizeof *s->first);
    s->next = grow_zero(f->count + 1, sizeof *s->next);
    for (uint32_t n = 1; n < f->count; n++) {
        uint32_t caller = f->place[n].caller;

        s->next[n] = s->first[caller];
        s->first[caller] = n;
    }
}

/* ---- all of them --------------------------------------------------------- */

/* By frame: whom it calls. */
static uint32_t *find_calls(struct code *c, const struct frames *f)
{
    struct loadmap *m = &c->r->map;
    uint32_t *calls = grow_zero(f->count + 1, sizeof *calls);
    uint32_t thread = m->thread;

    for (size_t n = 1; n < f->count; n++) {
        uint64_t cycle = frames_whose(&f->place[n], m, f->place[n].cycle);
        uint32_t pc = loadmap_home(m, stack_before(f->place[n].pc), cycle);

        calls[n] = called(c, pc, cycle);
        loadmap_thread(m, thread);
    }
    return calls;
}

uint32_t *tails_functions(const struct scene *s)
{
    const struct frames *f = &s->frames;
    struct loadmap *m = &s->r->map;
    uint32_t thread = m->thread,
             *function = grow_zero(f->count + 1, sizeof *function);

    function[0] = LOADMAP_UNKNOWN;
    for (size_t n = 1; n < f->count; n++) {
        uint64_t cycle = frames_whose(&f->place[n], m, f->place[n].cycle);
        uint32_t pc = loadmap_home(m, stack_before(f->place[n].pc), cycle);

        function[n] = loadmap_find(m, pc, cycle).function;
        loadmap_thread(m, thread);
    }
    return function;
}

uint32_t *tails_find(const struct scene *s, const uint32_t *function)
{
    const struct frames *f = &s->frames;
    uint32_t *entered = grow_zero(f->count + 1, sizeof *entered), *calls;
    struct code code = {s->r, 0, -1};
    struct siblings siblings = {.function = function};

    calls = find_calls(&code, f);
    find_siblings(&siblings, f);
    entered[0] = LOADMAP_UNKNOWN;
    for (size_t n = 1; n < f->count; n++) {
        uint32_t caller = f->place[n].caller;

        entered[n] = caller ? calls[caller] : LOADMAP_UNKNOWN;
        if (entered[n] == THROUGH)
            entered[n] = entered_through(&code, &siblings, caller, function[n]);
        if (entered[n] == function[n])
            entered[n] = LOADMAP_UNKNOWN;
    }
    if (code.fd >= 0)
        close(code.fd);
    hash_free(&siblings.known);
    free(siblings.first);
    free(siblings.next);
    free(calls);
    return entered;
}
