/* bench_board.h - one or more cores on bare memory, for tests of sim/core.
 * No devices but BOARD_RETURN: a program ends by branching there (blr at the
 * top level), which stops its core. */
#ifndef TESTS_LIB_BENCH_BOARD_H
#define TESTS_LIB_BENCH_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/timing.h"
#include "sim/mem/bus.h"

#define BENCH_CPUS 4
#define BENCH_CODE 0x10000u
#define BENCH_DATA 0x20000u
#define BENCH_TABLE 0x800000u /* of pages, 64 KB; value of SDR1 */

struct bench_board {
    struct params params;
    struct ram ram;
    struct decode_cache decoded;
    struct iomap iomap;
    struct bus bus;
    struct reservations reservations;
    struct observers observers; /* of all cores; none at first */
    unsigned cpus;
    struct core core[BENCH_CPUS];
};

/* `set` is a list of "name=value", NULL-terminated, or NULL. */
void board_open(struct bench_board *b, unsigned cpus,
                const struct timing *timing, const char *const *set);
/* ... whose cores can change to another model; NULL: they cannot. */
void board_open_pair(struct bench_board *b, unsigned cpus,
                     const struct timing *timing, const struct timing *other,
                     const char *const *set);
/* ... whose cores have that engine of the fast or the warm model. */
void board_open_engine(struct bench_board *b, unsigned cpus,
                       const struct timing *timing, const struct engine *engine,
                       const char *const *set);
void board_close(struct bench_board *b);
/* Put n words at pa, big-endian. */
void board_words(struct bench_board *b, pa_t pa, const uint32_t *w, unsigned n);
/* The page of ea is mapped to itself in the table at BENCH_TABLE, VSID 0: the
 * first free entry of the primary group, with `low` as the low bits of its
 * second word. Returns where that is. */
pa_t board_map(struct bench_board *b, ea_t ea, uint32_t low);
/* Start core `cpu` at `entry` and run every started core, in dispatch order,
 * until all have stopped. Settles the oracles. Returns the end cycle. */
cycle_t board_run(struct bench_board *b);

/* Lines of `bytes` from pa on are in cache c, in that state. */
void board_warm(struct cache *c, pa_t pa, unsigned bytes, enum mesi state);
/* Open a board of one detailed core with n words at BENCH_CODE, warm, and 4096
 * bytes of BENCH_DATA in its data cache, state E. It is started: r5 is
 * BENCH_DATA, other registers are free to be set, then board_run. */
void board_start_warm(struct bench_board *b, const uint32_t *w, unsigned n,
                      const char *const *set);
/* The cycle at which the k-th instruction of core 0 completed; of the first
 * few. */
cycle_t board_done(const struct bench_board *b, unsigned k);

/* Encodings, as the manual draws them. */
#define ADDI(d, a, imm) (14u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define ADDIS(d, a, imm) (15u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define ADD(d, a, b) (31u << 26 | (d) << 21 | (a) << 16 | (b) << 11 | 266 << 1)
#define MULLW(d, a, b)                                                         \
    (31u << 26 | (d) << 21 | (a) << 16 | (b) << 11 | 235 << 1)
#define DIVW(d, a, b) (31u << 26 | (d) << 21 | (a) << 16 | (b) << 11 | 491 << 1)
#define ADDE(d, a, b) (31u << 26 | (d) << 21 | (a) << 16 | (b) << 11 | 138 << 1)
#define STWX(s, a, b) (31u << 26 | (s) << 21 | (a) << 16 | (b) << 11 | 151 << 1)
#define STFS(s, a, imm) (52u << 26 | (s) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define LMW(d, a, imm) (46u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define DCBT(a, b) (31u << 26 | (a) << 16 | (b) << 11 | 278 << 1)
#define LWZ(d, a, imm) (32u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define STW(s, a, imm) (36u << 26 | (s) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define CMPWI(crf, a, imm)                                                     \
    (11u << 26 | (crf) << 23 | (a) << 16 | ((imm)&0xFFFF))
#define ORI(a, s, imm) (24u << 26 | (s) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define ANDI_(a, s, imm) (28u << 26 | (s) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define B(disp) (18u << 26 | ((disp)&0x3FFFFFC))
#define BC(bo, bi, disp) (16u << 26 | (bo) << 21 | (bi) << 16 | ((disp)&0xFFFC))
#define BDNZ(disp) BC(16u, 0, disp)
#define BNE(disp) BC(4u, 2, disp)
#define BEQ(disp) BC(12u, 2, disp)
#define BLR 0x4E800020u
#define MTCTR(s) (31u << 26 | (s) << 21 | 9u << 16 | 467 << 1)
#define MTSPR(n, s)                                                            \
    (31u << 26 | (s) << 21 | ((n)&31u) << 16 | ((n) >> 5) << 11 | 467 << 1)
#define MFSPR(d, n)                                                            \
    (31u << 26 | (d) << 21 | ((n)&31u) << 16 | ((n) >> 5) << 11 | 339 << 1)
#define MFTB(d) (31u << 26 | (d) << 21 | 12u << 16 | 8u << 11 | 371 << 1)
#define LWARX(d, a, b) (31u << 26 | (d) << 21 | (a) << 16 | (b) << 11 | 20 << 1)
#define STWCX_(s, a, b)                                                        \
    (31u << 26 | (s) << 21 | (a) << 16 | (b) << 11 | 150 << 1 | 1)
#define ISYNC 0x4C00012Cu
#define SYNC 0x7C0004ACu
#define NOP 0x60000000u

#endif
