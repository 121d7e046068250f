/* bench_board.c - see bench_board.h. */
#include "tests/lib/bench_board.h"

#include "sim/core/detailed/pipe.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void open_all(struct bench_board *b, unsigned cpus,
                     const struct timing *timing, const struct timing *other,
                     const struct engine *engine, const char *const *set)
{
    const char *why = NULL;
    char text[256];
    unsigned n;

    memset(b, 0, sizeof *b);
    params_default(&b->params);
    for (; set && *set; set++)
        if (!params_set(&b->params, *set, text, sizeof text)) {
            fprintf(stderr, "%s: %s\n", *set, text);
            assert(!"knob");
        }
    if (!ram_init(&b->ram, 16u << 20, &why) ||
        !decode_cache_init(&b->decoded, &b->ram, &why))
        assert(!"ram");
    bus_init(&b->bus, &b->params, cpus);
    b->cpus = cpus;
    for (n = 0; n < cpus; n++) {
        struct core_setup s = {
            .params = &b->params,
            .timing = timing,
            .other = other,
            .engine = engine,
            .ram = &b->ram,
            .decoded = &b->decoded,
            .iomap = &b->iomap,
            .bus = &b->bus,
            .reservations = &b->reservations,
            .observers = &b->observers,
            .cores = b->core,
            .ncores = cpus,
        };
        if (!core_init(&b->core[n], n, &s))
            assert(!"core");
    }
}

void board_open(struct bench_board *b, unsigned cpus,
                const struct timing *timing, const char *const *set)
{
    open_all(b, cpus, timing, NULL, NULL, set);
}

void board_open_pair(struct bench_board *b, unsigned cpus,
                     const struct timing *timing, const struct timing *other,
                     const char *const *set)
{
    open_all(b, cpus, timing, other, NULL, set);
}

void board_open_engine(struct bench_board *b, unsigned cpus,
                       const struct timing *timing, const struct engine *engine,
                       const char *const *set)
{
    open_all(b, cpus, timing, NULL, engine, set);
}

void board_close(struct bench_board *b)
{
    unsigned n;

    for (n = 0; n < b->cpus; n++)
        core_free(&b->core[n]);
    decode_cache_free(&b->decoded);
    ram_free(&b->ram);
}

void board_words(struct bench_board *b, pa_t pa, const uint32_t *w, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++, pa += 4) {
        b->ram.bytes[pa] = (uint8_t)(w[i] >> 24);
        b->ram.bytes[pa + 1] = (uint8_t)(w[i] >> 16);
        b->ram.bytes[pa + 2] = (uint8_t)(w[i] >> 8);
        b->ram.bytes[pa + 3] = (uint8_t)w[i];
    }
}

pa_t board_map(struct bench_board *b, ea_t ea, uint32_t low)
{
    uint32_t index = ea >> 12 & 0xFFFF;
    const uint32_t entry[2] = {0x80000000u | index >> 10, (ea & ~0xFFFu) | low};
    pa_t at = BENCH_TABLE | (index & 0x3FF) << 6;

    while (b->ram.bytes[at] & 0x80)
        at += 8;
    board_words(b, at, entry, 2);
    return at + 4;
}

cycle_t board_run(struct bench_board *b)
{
    cycle_t end = 0;
    unsigned n;

    for (;;) {
        cycle_t first = CYCLE_NEVER, second = CYCLE_NEVER;
        unsigned who = 0;

        for (n = 0; n < b->cpus; n++) {
            cycle_t next = core_next(&b->core[n]);

            if (next < first) {
                second = first;
                first = next;
                who = n;
            } else if (next < second) {
                second = next;
            }
        }
        if (first == CYCLE_NEVER)
            break;
        core_run(&b->core[who], second == CYCLE_NEVER ? second
                                : second - 1 > first  ? second - 1
                                                      : first);
    }
    for (n = 0; n < b->cpus; n++)
        if (core_finished(&b->core[n]) > end)
            end = core_finished(&b->core[n]);
    for (n = 0; n < b->cpus; n++)
        core_settle(&b->core[n], end);
    return end;
}

void board_warm(struct cache *c, pa_t pa, unsigned bytes, enum mesi state)
{
    for (pa_t at = pa; at < pa + bytes; at += c->bytes) {
        struct line *l = cache_victim(c, at);

        cache_place(c, l, at, state);
        cache_arrive(c, cache_frame(c, l), 0, 0, 0);
    }
}

void board_start_warm(struct bench_board *b, const uint32_t *w, unsigned n,
                      const char *const *set)
{
    board_open(b, 1, &timing_detailed, set);
    board_words(b, BENCH_CODE, w, n);
    board_warm(&pipe_of(&b->core[0])->tags.icache, BENCH_CODE, 4 * n, MESI_S);
    board_warm(&pipe_of(&b->core[0])->tags.dcache, BENCH_DATA, 4096, MESI_E);
    core_start(&b->core[0], BENCH_CODE, 0x100000, 0);
    b->core[0].cpu.gpr[5] = BENCH_DATA;
}

cycle_t board_done(const struct bench_board *b, unsigned k)
{
    struct pipe *p = pipe_of(&b->core[0]);

    history_spell(p);
    return p->history[k].at;
}
