/* perfinst_fuzz.c - any bytes at all, offered as a section .perfinst, or
 * (after an odd first byte) as a mark in words: refused with a line, or what
 * comes of it lies in the program, and written and read again it is the same.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/markspec/perfinst.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct perfinst_place places[] = {
    {0x1000, 0x10000, true, false},
    {0x40000, 0x800, false, true},
    {0xFFFFF000, 0x1000, true, true}};
static const struct perfinst_symbol symbols[] = {
    {"main", NULL, NULL, 0x1000, 0x300, true, false},
    {"leaf", NULL, NULL, 0x1300, 0x20, true, false},
    {"table", NULL, NULL, 0x40000, 0x101, false, false},
    {"end", NULL, NULL, 0xFFFFFFF0, 0x10, true, false}};

static unsigned roles(void *arg, uint32_t address, uint32_t *target)
{
    (void)arg;
    *target = address % 64 == 12 ? 0x1040 : address;
    return address >> 2;
}

static const struct perfinst_world world = {.file = "any",
                                            .place = places,
                                            .places = 3,
                                            .symbol = symbols,
                                            .symbols = 4,
                                            .roles = roles};

static void one_line(const char *why, size_t room)
{
    assert(memchr(why, 0, room));
    assert(why[0] && !strchr(why, '\n'));
}

static bool inside(const struct perfinst_word *w)
{
    for (unsigned k = 0; k < 3; k++)
        if (w->address - places[k].start < places[k].size &&
            (w->data || places[k].code))
            return true;
    return false;
}

/* A count area is in memory that may be written, and not in its own data. */
static bool sound(const struct perfinst_area *a)
{
    const struct perfinst_count *c = &a->count;
    uint64_t size = perfinst_area_bytes(c, a->length), end = c->area + size;
    bool writable = false;

    for (unsigned k = 0; k < 3; k++)
        writable |= places[k].writable && c->area >= places[k].start &&
                    end <= (uint64_t)places[k].start + places[k].size;
    return writable && a->length && c->granule && c->granule <= 4096 &&
           !(c->granule & (c->granule - 1)) &&
           (c->unit == 1 || c->unit == 2 || c->unit == 4) &&
           c->area % c->unit == 0 &&
           (end <= a->address || c->area >= (uint64_t)a->address + a->length);
}

static bool same(const struct perfinst_area *a, const struct perfinst_area *b)
{
    return a->address == b->address && a->length == b->length &&
           a->count.granule == b->count.granule &&
           a->count.area == b->count.area && a->count.unit == b->count.unit;
}

/* What was taken is written and read again. */
static void check(const struct perfinst *p)
{
    struct perfinst_marks m, n;
    struct perfinst q = {0};
    unsigned char *bytes;
    char why[512] = "";
    size_t size;

    if (!perfinst_marks(p, &world, &m, why, sizeof why)) {
        one_line(why, sizeof why);
        return;
    }
    for (size_t k = 0; k < m.words; k++) {
        assert(m.word[k].address % 4 == 0 && inside(&m.word[k]));
        assert(m.word[k].indicator);
    }
    for (unsigned k = 0; k < m.areas; k++)
        assert(sound(&m.area[k]));
    assert(perfinst_write(p, &world, &bytes, &size, why, sizeof why));
    assert(perfinst_read(&q, &world, bytes, size, why, sizeof why));
    assert(perfinst_marks(&q, &world, &n, why, sizeof why));
    assert(m.words == n.words && m.ranges == n.ranges && m.areas == n.areas);
    for (unsigned k = 0; k < m.areas; k++)
        assert(same(&m.area[k], &n.area[k]));
    for (size_t k = 0; k < m.words; k++)
        assert(m.word[k].address == n.word[k].address &&
               m.word[k].indicator == n.word[k].indicator &&
               m.word[k].limit == n.word[k].limit &&
               m.word[k].data == n.word[k].data);
    perfinst_marks_free(&m);
    perfinst_marks_free(&n);
    perfinst_free(&q);
    free(bytes);
}

static void try_text(struct perfinst *p, const uint8_t *data, size_t size)
{
    static const struct perfinst_action count = {PERFINST_COUNT, 0};
    struct perfinst_error e = {0};
    char *text = malloc(size + 1);

    assert(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (strncmp(text, "file:", 5) == 0) /* the host's files are not ours */
        text[0] = 'F';
    if (!perfinst_parse(p, &world, text, &count, &e)) {
        one_line(e.why, sizeof e.why);
        assert(e.at == PERFINST_NOWHERE || e.at <= strlen(text));
    } else {
        check(p);
    }
    if (!perfinst_parse_range(p, &world, text, size & 1, &e))
        one_line(e.why, sizeof e.why);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct perfinst p = {0};
    char why[512] = "";

    if (!size || size > 65536)
        return 0;
    if (data[0] & 1)
        try_text(&p, data + 1, size - 1);
    else if (perfinst_read(&p, &world, data + 1, size - 1, why, sizeof why))
        check(&p);
    else
        one_line(why, sizeof why);
    perfinst_free(&p);
    return 0;
}
