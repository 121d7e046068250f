/* shadow_test.c - frames that instructions and data share: against a model that
 * remembers when each line was last looked up, which one gives way, and what
 * storage has of every count in the end. And where nothing is marked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/pif/shadow.h"

#define LINES 8u
#define BLOCK 32u
#define TABLE 0x8000u
#define BLOCKS 0x9000u

struct bench {
    uint8_t ram[0x10000];
    struct shadow_source source;
    struct shadow_pool pool;
    struct shadow_side side[2];
};

static void put(struct bench *b, uint32_t at, uint32_t v)
{
    for (unsigned n = 0; n < 4; n++)
        b->ram[at + n] = (uint8_t)(v >> (24 - 8 * n));
}

static uint32_t get(const struct bench *b, uint32_t at)
{
    const uint8_t *p = b->ram + at;

    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

static uint32_t entry(uint32_t line, uint32_t word)
{
    return BLOCKS + line * SHADOW_FULL_BYTES(BLOCK) + SHADOW_ENTRY + 16 * word;
}

/* Every word of the first lines is marked, for both sides alike. */
static void set_up(struct bench *b, unsigned frames)
{
    memset(b, 0, sizeof *b);
    b->source = (struct shadow_source){
        .ram = b->ram,
        .ram_size = sizeof b->ram,
        .segment = {{0, LINES * BLOCK, TABLE, true, true}},
        .block = BLOCK,
        .counter = UINT32_MAX,
    };
    for (uint32_t k = 0; k < LINES; k++) {
        uint32_t block = BLOCKS + k * SHADOW_FULL_BYTES(BLOCK);

        put(b, TABLE + 4 * k, block | SHADOW_FULL);
        put(b, block + SHADOW_TAG, k * BLOCK);
        for (uint32_t w = 0; w < BLOCK / 4; w++)
            put(b, entry(k, w), IND_COUNT);
    }
    b->pool = (struct shadow_pool){.frames = frames, .side = b->side};
    for (unsigned s = 0; s < 2; s++)
        assert_true(shadow_init(&b->side[s], &b->source, s, LINES, &b->pool));
}

/* What should happen. */
struct model {
    unsigned frames, held;
    uint64_t now, used[2][LINES + 1]; /* 0: not there; last: not cached */
    uint64_t hits[2], fills[2], evictions[2];
    uint32_t count[LINES][BLOCK / 4];
};

static void give_way(struct model *m)
{
    unsigned side = 0, line = 0;
    uint64_t first = UINT64_MAX;

    for (unsigned s = 0; s < 2; s++)
        for (unsigned k = 0; k <= LINES; k++)
            if (m->used[s][k] && m->used[s][k] < first) {
                first = m->used[s][k];
                side = s;
                line = k;
            }
    m->used[side][line] = 0;
    m->evictions[side]++;
    m->held--;
}

/* What is not cached is asked of storage every time. */
static void look(struct model *m, unsigned side, unsigned line)
{
    if (line == LINES && m->used[side][line]) {
        m->used[side][line] = 0;
        m->held--;
    }
    if (m->used[side][line]) {
        m->hits[side]++;
    } else {
        m->fills[side]++;
        if (m->frames && m->held == m->frames)
            give_way(m);
        m->held++;
    }
    m->used[side][line] = ++m->now;
}

static void same(const struct bench *b, const struct model *m)
{
    for (unsigned s = 0; s < 2; s++) {
        const struct shadow_stats *t = &b->side[s].stats;

        assert_int_equal(t->lookups, t->hits + t->fills);
        assert_int_equal(t->hits, m->hits[s]);
        assert_int_equal(t->fills, m->fills[s]);
        assert_int_equal(t->late, m->fills[s]);
        assert_int_equal(t->evictions, m->evictions[s]);
        assert_int_equal(t->fill_bytes,
                         t->fills * (4 + SHADOW_FULL_BYTES(BLOCK)));
    }
}

static void longest_unused_gives_way(void **state)
{
    static struct bench b;

    (void)state;
    for (unsigned frames = 0; frames <= 2 * LINES; frames++) {
        struct model m = {.frames = frames};
        uint64_t seed = frames + 1;

        set_up(&b, frames);
        for (unsigned n = 0; n < 3000; n++) {
            uint32_t r = (uint32_t)((seed = seed * 6364136223846793005u +
                                            1442695040888963407u) >>
                                    33);
            unsigned side = r & 1, line = r >> 1 & (LINES - 1),
                     word = r >> 4 & (BLOCK / 4 - 1),
                     frame = r >> 7 & 7 ? line : LINES;
            struct shadow_frame *f = shadow_look(&b.side[side], frame,
                                                 line * BLOCK, line * BLOCK, 0);

            look(&m, side, frame);
            assert_non_null(f);
            assert_int_equal(f->indicator[word], IND_COUNT);
            shadow_count(&b.side[side], f, word, n);
            m.count[line][word]++;
            same(&b, &m);
        }
        shadow_gather(&b.side[0]);
        shadow_gather(&b.side[1]);
        for (uint32_t k = 0; k < LINES; k++)
            for (uint32_t w = 0; w < BLOCK / 4; w++)
                assert_int_equal(get(&b, entry(k, w) + 4), m.count[k][w]);
        shadow_free(&b.side[0]);
        shadow_free(&b.side[1]);
    }
}

/* Storage has no mark of a line any more, but a frame has a count: of any
 * line, and of one that is not cached. */
static void frames_may_know_what_storage_does_not(void **state)
{
    static struct bench b;

    (void)state;
    for (unsigned frame = 0; frame <= LINES; frame++) {
        uint32_t line = frame % LINES, at = line * BLOCK;
        struct shadow_frame *f;

        set_up(&b, 0);
        f = shadow_look(&b.side[1], frame, at, at, 0);
        assert_non_null(f);
        shadow_count(&b.side[1], f, 5, 1);
        put(&b, TABLE + 4 * line, 0);
        assert_false(shadow_bare(&b.side[1], at, at, BLOCK));
        assert_true(shadow_bare(&b.side[0], at, at, BLOCK));
        shadow_gather(&b.side[1]);
        assert_int_equal(get(&b, entry(line, 5) + 4), 1);
        shadow_drop(&b.side[1], frame);
        assert_true(shadow_bare(&b.side[1], at, at, BLOCK));
        shadow_free(&b.side[0]);
        shadow_free(&b.side[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longest_unused_gives_way),
        cmocka_unit_test(frames_may_know_what_storage_does_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
