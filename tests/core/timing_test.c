/* timing_test.c - no timing model changes what a program does: random
 * supervisor and user code with exceptions, translation, caches, breakpoints
 * and code that overwrites itself leaves the same registers and the same
 * memory in fast mode, in warm mode, in every shape of the detailed pipeline,
 * and where two of them take turns at random; and warm mode leaves the branch
 * history and the data TLB of the detailed one.
 *
 * A program is 48 random instructions that fall towards a trap. Each exception
 * is written down with its registers and skipped; the 40th ends the program.
 * What observes time is not drawn. timing_test [PROGRAMS [SEED]].
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/table.h"
#include "lib/base/snap.h"
#include "include/board.h"
#include "sim/core/detailed/pipe.h"
#include "sim/core/fast/engine.h"
#include "tests/isa/machine.h"
#include "tests/lib/bench_board.h"

#define HANDLER 0x2000u
#define LOG 0x20000u /* where the log ends, what is left, then the log */
#define CODE (BENCH_CODE + 0xF70) /* crosses into the next page */
#define MAPPED 0x70000F70u        /* the same through pages */
#define DATA 0x100000u
#define TABLE 0x800000u
#define LENGTH 48
#define EXCEPTIONS 40
#define PATIENCE 5000 /* instructions; then the program is let be */
#define SHAPES 10
#define DETAILED 2 /* two of them */
#define WARM 3     /* two of them, the interpreter and blocks */

#define MFCR(d) (31u << 26 | (d) << 21 | 19u << 1)
#define MTCRF(s) (31u << 26 | (s) << 21 | 0xFFu << 12 | 144u << 1)
#define MFMSR(d) (31u << 26 | (d) << 21 | 83u << 1)
#define RFI 0x4C000064u
#define TRAP 0x7FE00008u

static const struct {
    const char *name;
    const struct timing *timing;
    const char *set[4];
    uint32_t hid0;
    const struct timing *other;  /* takes turns with it */
    const struct engine *engine; /* of fast; NULL: that of the model */
} shape[SHAPES] = {
    {"fast", &timing_fast, {NULL}, 0xC084, NULL, &engine_interpreter},
    {"blocks", &timing_fast, {NULL}, 0xC084, NULL, &engine_blocks_eager},
    {"detailed", &timing_detailed, {NULL}, 0xC084, NULL, NULL},
    {"warm", &timing_warm, {NULL}, 0xC084, NULL, &engine_interpreter},
    {"warm blocks", &timing_warm, {NULL}, 0xC084, NULL, &engine_blocks_eager},
    {"narrow",
     &timing_detailed,
     {"dispatch_width=1", "rob_entries=2", NULL},
     0xC084,
     NULL,
     NULL},
    {"small",
     &timing_detailed,
     {"dcache_kb=1", "icache_kb=1", "bht_entries=16", NULL},
     0xC084,
     NULL,
     NULL},
    {"slow", &timing_fast, {"fast_cpi=3", NULL}, 0xC084, NULL, NULL},
    {"changing", &timing_warm, {NULL}, 0xC084, &timing_detailed, NULL},
    {"changing, cold", &timing_fast, {NULL}, 0xC084, &timing_detailed, NULL},
};

struct world {
    struct bench_board board[SHAPES];
    uint64_t seed;
    uint32_t code[LENGTH];
    uint64_t began[SHAPES]; /* instructions completed before */
    unsigned finished, stopped, let_be, exceptions;
};

static uint32_t any(struct world *w, uint32_t n)
{
    return random_below(&w->seed, n);
}

/* ---- the handler --------------------------------------------------------- */

/* Words that are there already stay, with what was made of them. */
static void words(struct world *w, pa_t pa, const uint32_t *v, unsigned n)
{
    for (unsigned k = 0; k < SHAPES; k++)
        for (unsigned m = 0; m < n; m++) {
            uint32_t there;

            memcpy(&there, w->board[k].ram.bytes + pa + 4 * m, 4);
            if (there == __builtin_bswap32(v[m]))
                continue;
            board_words(&w->board[k], pa + 4 * m, &v[m], 1);
            decode_cache_forget(&w->board[k].decoded, pa + 4 * m, 4);
        }
}

static void word(struct world *w, pa_t pa, uint32_t v)
{
    words(w, pa, &v, 1);
}

/* Vectors save r31 and name themselves; the rest writes six words down, counts
 * and goes on behind the instruction. */
static void lay_handler(struct world *w)
{
    static const uint32_t common[] = {
        MTSPR(273, 30), MTSPR(274, 29), MFCR(29), MTSPR(275, 29),
        ADDIS(30, 0, LOG >> 16), LWZ(29, 30, 0), STW(31, 29, 0), MFSPR(31, 26),
        STW(31, 29, 4), MFSPR(31, 27), STW(31, 29, 8), MFSPR(31, 19),
        STW(31, 29, 12), MFSPR(31, 18), STW(31, 29, 16), MFMSR(31),
        STW(31, 29, 20), ADDI(29, 29, 24), STW(29, 30, 0), LWZ(29, 30, 4),
        ADDI(29, 29, -1), STW(29, 30, 4), CMPWI(0, 29, 0), BEQ(40),
        MFSPR(31, 26), ADDI(31, 31, 4), MTSPR(26, 31), MFSPR(29, 275),
        MTCRF(29), MFSPR(29, 274), MFSPR(30, 273), MFSPR(31, 272), RFI,
        /* the end */
        ADDIS(31, 0, BOARD_RETURN >> 16), ORI(31, 31, BOARD_RETURN & 0xFFFF),
        MTSPR(8, 31), BLR};

    words(w, HANDLER, common, sizeof common / 4);
    for (uint32_t v = 0x100; v < HANDLER; v += 0x100) {
        const uint32_t entry[] = {MTSPR(272, 31), ADDI(31, 0, v),
                                  B(HANDLER - v - 8)};
        words(w, v, entry, 3);
    }
}

/* ---- programs ------------------------------------------------------------ */

static uint32_t spr_draw(struct world *w)
{
    static const uint16_t often[] = {1,   8,   9,   1,    8,    9,    18,
                                     19,  26,  27,  272,  275,  282,  287,
                                     25,  528, 529, 536,  537,  538,  543,
                                     531, 530, 539, 1008, 1010, 1013, 1023};
    return often[any(w, sizeof often / sizeof often[0])];
}

static bool observes_time(const struct insn *i)
{
    return i->op == OP_MFTB || i->class == CLASS_ILLEGAL;
}

static bool is_flow(const struct insn *i)
{
    return i->op == OP_B || i->op == OP_BC;
}

/* Rare: what ends most programs early. */
static bool is_rare(const struct insn *i)
{
    return i->op == OP_RFI || i->op == OP_MTMSR || i->op == OP_SC ||
           i->op == OP_TW || i->op == OP_TWI || i->op == OP_BCLR ||
           i->op == OP_BCCTR || i->op == OP_ECIWX || i->op == OP_ECOWX;
}

static uint32_t word_draw(struct world *w, unsigned left)
{
    for (;;) {
        enum op op = 1 + any(w, OP_COUNT - 1);
        const struct pattern *p = table_pattern(op);
        uint32_t v = p->match | ((uint32_t)random_bits(&w->seed) & ~p->mask);
        struct insn i;

        if (op == OP_MTSPR || op == OP_MFSPR) {
            uint32_t n = spr_draw(w);
            v = (v & ~0x1FF800u) | (n & 31) << 16 | n >> 5 << 11;
        }
        isa_decode(&i, v);
        if (observes_time(&i) || (is_rare(&i) && any(w, 6)))
            continue;
        if (is_flow(&i) && !(v & 2)) {
            uint32_t ahead = 4 * (1 + any(w, left));
            v = op == OP_B ? (v & ~0x3FFFFFCu) | ahead : (v & ~0xFFFCu) | ahead;
        }
        if (v >> 26 >= 32 && v >> 26 < 56 && any(w, 2)) /* small offsets */
            v &= ~0xFE00u;
        return v;
    }
}

static ea_t pointer_draw(struct world *w)
{
    static const ea_t base[] = {DATA,       DATA + 0x1000, 0x40000000,
                                0x40001000, 0x50000000,    CODE,
                                0x60000000, 0x70000000};
    uint32_t spread = any(w, 3) ? 0x200 : 0x2000;

    return base[any(w, 8)] + (any(w, spread) & (any(w, 4) ? ~7u : ~0u));
}

/* Pages: a few at each window of addresses, to data and to the code. */
static void lay_table(struct world *w)
{
    for (unsigned n = 0; n < 2; n++) {
        pa_t at = TABLE | (7 ^ n) << 6;
        word(w, at, 0x80000000u | 7 << 7);
        word(w, at + 4, (BENCH_CODE + 0x1000 * n) | any(w, 4) << 7 | 2);
    }
    for (unsigned n = 0; n < 12; n++) {
        uint32_t vsid = 4 + any(w, 4); /* segments 4 to 7 */
        ea_t ea = vsid << 28 | any(w, 4) << 12;
        uint32_t hash = vsid ^ (ea >> 12 & 0xFFFF), second = any(w, 4) == 0;
        pa_t at = TABLE | ((second ? ~hash : hash) & 0x3FF) << 6;
        uint32_t to = any(w, 3) ? DATA + (any(w, 8) << 12) : BENCH_CODE;
        uint32_t low = any(w, 4) << 7 | (any(w, 6) == 0) * (any(w, 16) << 3) |
                       (any(w, 3) ? 2 : any(w, 4));

        at += 8 * (1 + any(w, 7));
        word(w, at, 0x80000000u | vsid << 7 | second << 6 | (ea >> 22 & 63));
        word(w, at + 4, to | low);
    }
}

static void registers_draw(struct world *w, struct cpu *c)
{
    uint32_t modes = MSR_DR | MSR_PR | MSR_FP | MSR_FE0 | MSR_FE1;

    for (unsigned n = 0; n < 32; n++) {
        c->gpr[n] = any(w, 3) ? pointer_draw(w) : random_word(&w->seed);
        c->fpr[n] = random_bits(&w->seed);
    }
    c->cr = (uint32_t)random_bits(&w->seed);
    c->xer = (uint32_t)random_bits(&w->seed) & 0xE000007F;
    c->ctr = any(w, 2) ? any(w, 4) : CODE + 4 * any(w, LENGTH);
    c->lr = CODE + 4 * any(w, LENGTH);
    c->fpscr = any(w, 3) ? any(w, 256) & ~0x80u : 0;
    c->msr = MSR_ME | ((uint32_t)random_bits(&w->seed) & modes);
    if (any(w, 8) == 0)
        c->msr |= any(w, 2) ? MSR_SE : MSR_BE;
    c->srr0 = CODE + 4 * any(w, LENGTH);
    c->srr1 = MSR_ME | ((uint32_t)random_bits(&w->seed) & modes);
    c->sdr1 = TABLE;
    for (unsigned n = 0; n < 16; n++)
        c->sr[n] = n | any(w, 4) << 29;
    if (any(w, 6) == 0)
        c->dabr = (pointer_draw(w) & ~7u) | any(w, 8);
    if (any(w, 6) == 0)
        c->iabr = (CODE + 4 * any(w, LENGTH)) | any(w, 4);
}

/* Memory was written behind the machine's back. */
static void forget_code(struct decode_cache *d)
{
    for (pa_t page = 0; page < d->ram->size; page += DECODE_PAGE)
        if (decode_cache_code(d, page))
            decode_cache_forget(d, page, DECODE_PAGE);
}

/* The same program and the same state for every shape. `again`: as before, and
 * what was made of it is kept. */
static void prepare(struct world *w, bool again)
{
    struct cpu c = {0};
    static const uint32_t nothing[2 + 6 * EXCEPTIONS];
    static const uint32_t end[] = {TRAP, B(-4)};

    for (unsigned n = 0; n < LENGTH; n++)
        w->code[n] = word_draw(w, LENGTH - n);
    lay_handler(w);
    lay_table(w);
    words(w, CODE, w->code, LENGTH);
    words(w, CODE + 4 * LENGTH, end, 2);
    words(w, LOG, nothing, 2 + 6 * EXCEPTIONS);
    word(w, LOG, LOG + 8);
    word(w, LOG + 4, EXCEPTIONS);
    registers_draw(w, &c);
    if (any(w, 2))
        c.msr |= MSR_IR;
    for (unsigned k = 0; k < SHAPES; k++) {
        struct core *to = &w->board[k].core[0];
        struct cpu *t = &to->cpu;
        cycle_t at;

        if (!again)
            forget_code(&w->board[k].decoded);
        at = to->clock > core_finished(to) ? to->clock : core_finished(to);
        to->state = CORE_PARKED;
        to->yield = to->returned = false;
        core_start(to, CODE, 0, at);
        c.hid0 = shape[k].hid0;
        c.hid1 = t->hid1, c.pvr = t->pvr, c.pir = t->pir, c.port = t->port;
        c.pc = c.nia = c.msr & MSR_IR ? MAPPED : CODE;
        *t = c;
        w->board[k].reservations.mask = 0;
        timebase_set_dec(&to->tb, 0x7FFFFFFF, to->clock);
        core_forget(to);
        core_set_msr(to, c.msr);
        w->began[k] = to->insns;
    }
}

/* ---- comparison ---------------------------------------------------------- */

static void run(struct world *w, struct core *c)
{
    uint64_t end = c->insns + PATIENCE;
    cycle_t late = c->clock + 200 * PATIENCE; /* nothing completes */

    while (c->state == CORE_RUNNING && c->insns < end && c->clock < late)
        if (c->with.other) {
            core_run(c, core_next(c) + any(w, 30));
            if (c->state == CORE_RUNNING && any(w, 2))
                core_change_mode(c);
        } else {
            core_run(c, core_next(c) + 100);
        }
}

static bool same_cpu(const struct cpu *a, const struct cpu *b)
{
    return !memcmp(a->gpr, b->gpr, sizeof a->gpr) && a->cr == b->cr &&
           a->xer == b->xer && a->lr == b->lr && a->ctr == b->ctr &&
           a->pc == b->pc && a->msr == b->msr &&
           !memcmp(a->fpr, b->fpr, sizeof a->fpr) && a->fpscr == b->fpscr &&
           a->srr0 == b->srr0 && a->srr1 == b->srr1 &&
           !memcmp(a->sprg, b->sprg, sizeof a->sprg) && a->dar == b->dar &&
           a->dsisr == b->dsisr && a->ear == b->ear && a->hid0 == b->hid0 &&
           a->iabr == b->iabr && a->dabr == b->dabr && a->sdr1 == b->sdr1 &&
           !memcmp(a->sr, b->sr, sizeof a->sr) &&
           !memcmp(a->ibat, b->ibat, sizeof a->ibat) &&
           !memcmp(a->dbat, b->dbat, sizeof a->dbat);
}

static void print_program(const struct world *w)
{
    for (unsigned n = 0; n < LENGTH; n++) {
        struct insn i;
        isa_decode(&i, w->code[n]);
        printf("%s%08x %-7s", n % 6 ? "  " : "\n", w->code[n],
               isa_op_name(i.op));
    }
    printf("\n");
}

static void print_log(const struct bench_board *b)
{
    for (unsigned n = 0; n < 6 * EXCEPTIONS; n++) {
        const uint8_t *p = b->ram.bytes + LOG + 8 + 4 * n;
        printf("%s%02x%02x%02x%02x", n % 6 ? " " : "\n", p[0], p[1], p[2],
               p[3]);
    }
    printf("\n");
}

static bool differs(const struct world *w, unsigned k, bool memory)
{
    const struct bench_board *a = &w->board[0], *b = &w->board[k];
    const struct core *x = &a->core[0], *y = &b->core[0];

    if (x->state == y->state && x->returned == y->returned &&
        x->insns - w->began[0] == y->insns - w->began[k] &&
        same_cpu(&x->cpu, &y->cpu) &&
        !memcmp(a->ram.bytes + LOG, b->ram.bytes + LOG, 8 + 24 * EXCEPTIONS) &&
        (!memory || !memcmp(a->ram.bytes, b->ram.bytes, a->ram.size)))
        return false;
    printf("%s and %s differ: state %d %d, pc %08x %08x, insns %u %u\n",
           shape[0].name, shape[k].name, x->state, y->state, x->cpu.pc,
           y->cpu.pc, (unsigned)(x->insns - w->began[0]),
           (unsigned)(y->insns - w->began[k]));
    for (uint32_t n = 0; n < a->ram.size; n++)
        if (a->ram.bytes[n] != b->ram.bytes[n]) {
            printf("memory first at %08x\n", n);
            break;
        }
    print_program(w);
    print_log(a);
    print_log(b);
    return true;
}

/* What no wrong path touches is the same warm as in detail. */
static void compare_warmth(const struct world *w)
{
    const struct pipe *a = pipe_of(&w->board[DETAILED].core[0]);
    const struct pipe *b = pipe_of(&w->board[WARM].core[0]);

    assert_memory_equal(a->predict.bht, b->predict.bht,
                        a->predict.bht_mask + 1);
    assert_memory_equal(a->tags.dtlb.tag, b->tags.dtlb.tag,
                        sizeof a->tags.dtlb.tag);
    assert_memory_equal(a->tags.dtlb.older, b->tags.dtlb.older,
                        sizeof a->tags.dtlb.older);
}

/* All that warm mode keeps is the same by blocks, byte for byte. */
static void compare_engines(struct world *w)
{
    struct snap s[2];
    size_t at = 0;

    for (unsigned k = 0; k < 2; k++) {
        struct core *c = &w->board[WARM + k].core[0];

        snap_save(&s[k]);
        if (!timing_warm.state(&s[k], c) || !snap_finish(&s[k]))
            fail_msg("%s", s[k].why);
    }
    assert_int_equal(s[0].out.size, s[1].out.size);
    while (at < s[0].out.size && s[0].out.byte[at] == s[1].out.byte[at])
        at++;
    if (at < s[0].out.size) {
        print_program(w);
        fail_msg("warm differs by blocks at byte %zu of the state", at);
    }
    snap_free(&s[0]);
    snap_free(&s[1]);
}

/* Both let be: they stopped at different places of an endless loop. */
static void once(struct world *w, bool memory, bool again)
{
    const struct bench_board *b = w->board;

    prepare(w, again);
    for (unsigned k = 0; k < SHAPES; k++)
        run(w, &w->board[k].core[0]);
    if (b[0].core[0].state == CORE_RUNNING) {
        for (unsigned k = 1; k < SHAPES; k++)
            assert_int_equal(b[k].core[0].state, CORE_RUNNING);
        for (unsigned k = 1; k < SHAPES; k++)
            memcpy(b[k].ram.bytes, b[0].ram.bytes, b[0].ram.size);
        w->let_be++;
        return;
    }
    w->finished += b[0].core[0].returned;
    w->stopped += !b[0].core[0].returned;
    w->exceptions += EXCEPTIONS - b[0].ram.bytes[LOG + 7];
    for (unsigned k = 1; k < SHAPES; k++)
        if (differs(w, k, memory))
            fail();
    compare_warmth(w);
    compare_engines(w);
}

/* Three times the same program: an engine that keeps code makes it of what has
 * run before. */
static void one(struct world *w, bool memory)
{
    uint64_t seed = w->seed;

    for (unsigned n = 0; n < 3; n++) {
        w->seed = seed;
        once(w, memory, n > 0);
    }
}

static unsigned programs = 1500, every = 50;
static uint64_t first = 1;

static void no_model_changes_what_a_program_does(void **state)
{
    struct world *w = calloc(1, sizeof *w);

    (void)state;
    assert_non_null(w);
    w->seed = first;
    for (unsigned k = 0; k < SHAPES; k++)
        if (shape[k].engine)
            board_open_engine(&w->board[k], 1, shape[k].timing, shape[k].engine,
                              shape[k].set);
        else
            board_open_pair(&w->board[k], 1, shape[k].timing, shape[k].other,
                            shape[k].set);
    for (unsigned n = 0; n < programs; n++)
        one(w, n % every == 0);
    printf("%u programs ended, %u were stopped, %u let be; %u exceptions\n",
           w->finished, w->stopped, w->let_be, w->exceptions);
    assert_true(w->finished > 3 * programs / 2);
    for (unsigned k = 0; k < SHAPES; k++)
        board_close(&w->board[k]);
    free(w);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_model_changes_what_a_program_does),
    };

    if (argc > 1)
        programs = (unsigned)strtoul(argv[1], NULL, 0);
    if (argc > 2)
        first = strtoull(argv[2], NULL, 0), every = 5;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
