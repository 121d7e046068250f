/* pagetable_test.c - random page tables, segments and blocks under four
 * processors that load, store, fetch and reserve, while the tables change
 * under tlbie. After every access a walk written here from the manual's
 * pictures (PEM ch. 7), with nothing of isa/mmu.c in it, must agree: the
 * address, or the exception with its bits; and every word of the table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/insn.h"
#include "isa/mmu.h"
#include "tests/isa/machine.h"

#define CPUS 4
#define RAM (8u << 20)
#define TABLE 0x400000u /* up to 512 KB; the half below is data */
#define PAGES 96        /* effective pages that are played with */
#define STEPS 250000

struct world {
    uint8_t *ram, *golden; /* memory here, and what the golden walk makes */
    uint8_t code_page[RAM >> 12];
    struct reservations reservations;
    struct cpu cpu[CPUS];
    struct port port[CPUS];
    struct tlb tlb[CPUS];
    ea_t page[PAGES];
    uint64_t seed;
    unsigned done, faults, marks; /* so that nothing is proven by nothing */
};

static uint32_t any(struct world *w, uint32_t n)
{
    return random_below(&w->seed, n);
}

static uint32_t get(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static void put(uint8_t *at, uint32_t v)
{
    for (int n = 3; n >= 0; n--, v >>= 8)
        at[n] = (uint8_t)v;
}

/* Software writes to both memories. */
static void write_both(struct world *w, pa_t pa, uint32_t v)
{
    put(w->ram + pa, v);
    put(w->golden + pa, v);
}

/* ---- the golden walk ----------------------------------------------------- */

/* Bits from..to of v, as the manual numbers them. */
static uint32_t bits(uint32_t v, unsigned from, unsigned to)
{
    return v << from >> (from + 31 - to);
}

enum way { LOAD, STORE, FETCH };

struct want {
    uint32_t why; /* 0: pa; else the SRR1 or DSISR bits */
    pa_t pa;
};

/* Figure 7-10 and 7-11: does a block translate? */
static bool golden_block(const struct cpu *c, ea_t ea, enum way way,
                         struct want *out)
{
    for (unsigned n = 0; n < 4; n++) {
        uint32_t u = (way == FETCH ? c->ibat : c->dbat)[2 * n];
        uint32_t l = (way == FETCH ? c->ibat : c->dbat)[2 * n + 1];
        uint32_t length = bits(u, 19, 29); /* BL */
        bool valid = c->msr & MSR_PR ? bits(u, 31, 31) : bits(u, 30, 30);
        uint32_t pp = bits(l, 30, 31);

        if (!valid || bits(ea, 0, 3) != bits(u, 0, 3) ||
            (bits(ea, 4, 14) & ~length) != (bits(u, 4, 14) & ~length))
            continue;
        out->pa = bits(l, 0, 3) << 28 |
                  (bits(l, 4, 14) | (bits(ea, 4, 14) & length)) << 17 |
                  bits(ea, 15, 31);
        if (pp == 0 || (way == STORE && pp != 2))
            out->why = 0x08000000;
        return true;
    }
    return false;
}

/* Figure 7-23: the address of a group. */
static pa_t golden_group(uint32_t sdr1, uint32_t hash)
{
    uint32_t middle =
        bits(sdr1, 7, 15) | (bits(hash, 13, 21) & bits(sdr1, 23, 31));

    return bits(sdr1, 0, 6) << 25 | middle << 16 | bits(hash, 22, 31) << 6;
}

/* The entry of the page, searched as 7.6.3 says; 0: none. */
static pa_t golden_entry(const struct world *w, const struct cpu *c, ea_t ea)
{
    uint32_t vsid = bits(c->sr[ea >> 28], 8, 31);
    uint32_t hash = bits(vsid, 13, 31) ^ bits(ea, 4, 19);

    for (unsigned h = 0; h < 2; h++, hash = ~hash & 0x7FFFF) {
        pa_t group = golden_group(c->sdr1, hash);
        for (unsigned n = 0; n < 8; n++) {
            uint32_t first = get(w->golden + group + 8 * n);
            if (bits(first, 0, 0) && bits(first, 1, 24) == vsid &&
                bits(first, 25, 25) == h &&
                bits(first, 26, 31) == bits(ea, 4, 9))
                return group + 8 * n;
        }
    }
    return 0;
}

/* Table 7-13: PP and key. */
static bool golden_allows(uint32_t pp, bool key, enum way way)
{
    static const char *const rights[2][4] = {{"rw", "rw", "rw", "r"},
                                             {"", "r", "rw", "r"}};

    return strchr(rights[key][pp], way == STORE ? 'w' : 'r') != NULL;
}

static struct want golden(struct world *w, const struct cpu *c, ea_t ea,
                          enum way way)
{
    uint32_t sr = c->sr[ea >> 28], second;
    bool key = c->msr & MSR_PR ? bits(sr, 2, 2) : bits(sr, 1, 1);
    struct want out = {0, ea};
    pa_t entry;

    if (!(c->msr & (way == FETCH ? MSR_IR : MSR_DR)))
        return out;
    if (golden_block(c, ea, way, &out))
        return out;
    if (bits(sr, 0, 0))
        return (struct want){way == FETCH ? 0x10000000 : 0x80000000, 0};
    if (way == FETCH && bits(sr, 3, 3))
        return (struct want){0x10000000, 0};
    entry = golden_entry(w, c, ea);
    if (!entry)
        return (struct want){0x40000000, 0};
    second = get(w->golden + entry + 4);
    if (way == FETCH && bits(second, 28, 28))
        return (struct want){0x10000000, 0};
    if (!golden_allows(bits(second, 30, 31), key, way))
        return (struct want){0x08000000, 0};
    out.pa = bits(second, 0, 19) << 12 | bits(ea, 20, 31);
    second |= 0x100 | (way == STORE ? 0x80 : 0);
    put(w->golden + entry + 4, second);
    return out;
}

/* ---- the machine --------------------------------------------------------- */

static void code_written(void *world, pa_t pa, unsigned size)
{
    (void)world, (void)pa, (void)size;
}

static bool nobody(void *world, pa_t pa, unsigned size, uint32_t *value)
{
    (void)world, (void)pa, (void)size, (void)value;
    return false;
}

static bool nobody_stores(void *world, pa_t pa, unsigned size, uint32_t value)
{
    (void)world, (void)pa, (void)size, (void)value;
    return false;
}

static void msr_changed(void *world, uint32_t old, uint32_t now)
{
    (void)world, (void)old, (void)now;
}

static void invalidate(void *world, ea_t ea)
{
    struct world *w = world;

    for (unsigned n = 0; n < CPUS; n++)
        tlb_forget(&w->tlb[n], ea);
}

static void run(struct world *w, unsigned cpu, uint32_t word)
{
    uint32_t msr = w->cpu[cpu].msr;
    struct insn i;

    isa_decode(&i, word);
    w->cpu[cpu].msr = MSR_ME;
    assert_int_equal(isa_exec(&w->cpu[cpu], &i), EXC_NONE);
    w->cpu[cpu].msr = msr;
}

/* tlbie r4, by any processor, names a set everywhere. */
static void tell(struct world *w, ea_t ea)
{
    unsigned cpu = any(w, CPUS);

    w->cpu[cpu].gpr[4] = ea;
    run(w, cpu, 0x7C002264);
}

static void spr_write(struct world *w, unsigned cpu, uint32_t n, uint32_t v)
{
    w->cpu[cpu].gpr[4] = v;
    run(w, cpu, 0x7C8003A6 | (n & 31) << 16 | n >> 5 << 11);
}

static void sr_write(struct world *w, unsigned cpu, uint32_t n, uint32_t v)
{
    w->cpu[cpu].gpr[4] = v;
    run(w, cpu, 0x7C8001A4 | n << 16);
}

static void open_world(struct world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->ram = calloc(1, RAM);
    w->golden = calloc(1, RAM);
    assert_true(w->ram && w->golden);
    for (unsigned n = 0; n < CPUS; n++) {
        w->port[n] = (struct port){.world = w,
                                   .ram = w->ram,
                                   .ram_size = RAM,
                                   .code_page = w->code_page,
                                   .code_written = code_written,
                                   .line_bytes = 32,
                                   .reservations = &w->reservations,
                                   .cpu = n,
                                   .io_load = nobody,
                                   .io_store = nobody_stores,
                                   .msr_changed = msr_changed,
                                   .tlb = &w->tlb[n],
                                   .tlb_invalidate = invalidate};
        w->cpu[n].port = &w->port[n];
        w->cpu[n].msr = MSR_ME | MSR_IR | MSR_DR;
    }
    /* Few low bits, so that pages share sets and groups. */
    for (unsigned n = 0; n < PAGES; n++)
        w->page[n] = any(w, 16) << 28 | any(w, 4) << 22 | any(w, 6) << 12 |
                     any(w, 3) << 18;
}

static void close_world(struct world *w)
{
    free(w->ram);
    free(w->golden);
}

/* ---- what happens -------------------------------------------------------- */

/* Segments are shared by all processors now and then, their own otherwise. */
static uint32_t segment_draw(struct world *w)
{
    uint32_t sr = any(w, 12) * 0x11111u & 0xFFFFFF;

    return sr | any(w, 4) << 29 | (any(w, 8) == 0) << 28 |
           (uint32_t)(any(w, 16) == 0) << 31;
}

/* Enter, change or remove the page that a processor sees at ea, and tell. */
static void change_page(struct world *w)
{
    const struct cpu *c = &w->cpu[any(w, CPUS)];
    ea_t ea = w->page[any(w, PAGES)];
    uint32_t vsid = bits(c->sr[ea >> 28], 8, 31);
    uint32_t hash = bits(vsid, 13, 31) ^ bits(ea, 4, 19);
    uint32_t low =
        any(w, 1024) << 12 | (any(w, 4) & 3) << 7 | any(w, 16) << 3 | any(w, 4);
    pa_t at = golden_entry(w, c, ea);
    bool second = any(w, 3) == 0;

    if (at && any(w, 2)) {
        write_both(w, at, 0);
        tell(w, ea);
        return;
    }
    if (!at) {
        at = golden_group(c->sdr1, second ? ~hash & 0x7FFFF : hash) +
             8 * any(w, 8);
        write_both(w, at + 4, low);
        write_both(w, at, 1u << 31 | vsid << 7 | second << 6 | bits(ea, 4, 9));
    } else {
        write_both(w, at + 4, low);
    }
    /* Whoever stood in that entry is named as well. */
    for (unsigned n = 0; n < 64; n++)
        tell(w, n << 12);
}

static void change_block(struct world *w)
{
    unsigned cpu = any(w, CPUS), n = 528 + 2 * any(w, 8);
    uint32_t length = (1u << any(w, 4)) - 1;
    ea_t ea = w->page[any(w, PAGES)] & 0xF0000000u;

    spr_write(w, cpu, n + 1,
              (any(w, 32) & ~length) << 17 | any(w, 16) << 3 | any(w, 4));
    spr_write(w, cpu, n, any(w, 3) == 0 ? ea | length << 2 | any(w, 4) : 0);
}

static void change_table(struct world *w)
{
    uint32_t sdr1 = TABLE | ((1u << any(w, 4)) - 1);

    for (unsigned n = 0; n < CPUS; n++)
        spr_write(w, n, 25, sdr1);
}

static void change_mode(struct world *w)
{
    struct cpu *c = &w->cpu[any(w, CPUS)];
    uint32_t translation = any(w, 8) ? MSR_IR | MSR_DR : 0;

    c->msr = MSR_ME | translation | (any(w, 2) ? MSR_PR : 0);
}

/* An address of a known page, of its neighbour, or any. */
static ea_t address_draw(struct world *w, const struct cpu *c)
{
    ea_t ea = w->page[any(w, PAGES)] + (any(w, 0x1000) & ~3u);

    if (any(w, 16) == 0)
        ea += 0x1000;
    return c->msr & MSR_DR ? ea : ea & 0x3FFFFC;
}

static void fetch(struct world *w, struct cpu *c)
{
    ea_t ea = address_draw(w, c);
    struct want want = golden(w, c, ea, FETCH);
    pa_t pa = 1;
    enum exc e = mmu_fetch(c, ea, &pa);

    assert_int_equal(e, want.why ? EXC_ISI : EXC_NONE);
    if (e)
        assert_int_equal(c->cause, want.why);
    else
        assert_int_equal(pa, want.pa);
    w->faults += e != EXC_NONE;
    w->marks += c->step.marks;
}

/* A word loaded, stored or (misaligned) both halves stored. */
static void access(struct world *w, struct cpu *c, enum way way)
{
    static const uint32_t words[] = {0x80640000, 0x90640000};
    ea_t ea = address_draw(w, c);
    uint32_t value = (uint32_t)random_bits(&w->seed);
    struct want want;
    struct insn i;
    enum exc e;

    if ((ea & ~0xFFFu) % RAM >= TABLE && !(c->msr & MSR_DR))
        return;
    want = golden(w, c, ea, way);
    if (!want.why && want.pa >= TABLE)
        way = LOAD, want = golden(w, c, ea, LOAD); /* no stores to the table */
    c->gpr[4] = ea;
    c->gpr[3] = value;
    isa_decode(&i, words[way]);
    e = isa_exec(c, &i);
    w->faults += e != EXC_NONE;
    w->marks += c->step.marks;
    if (want.why) {
        assert_int_equal(e, EXC_DSI);
        assert_int_equal(c->cause, want.why | (way == STORE ? 0x02000000 : 0));
        assert_int_equal(c->dar, ea);
        return;
    }
    if (want.pa > RAM - 4) {
        assert_int_equal(e, EXC_MCHECK);
        return;
    }
    assert_int_equal(e, EXC_NONE);
    assert_int_equal(c->step.access[0].pa, want.pa);
    if (way == STORE)
        put(w->golden + want.pa, value);
    else
        assert_int_equal(c->gpr[3], get(w->golden + want.pa));
}

static void step(struct world *w)
{
    struct cpu *c = &w->cpu[any(w, CPUS)];
    unsigned what = any(w, 64);

    if (what < 2)
        change_page(w);
    else if (what == 2)
        sr_write(w, any(w, CPUS), any(w, 16), segment_draw(w));
    else if (what == 3)
        change_block(w);
    else if (what == 4)
        change_mode(w);
    else if (what < 20)
        fetch(w, c);
    else
        access(w, c, what < 40 ? STORE : LOAD);
    if (any(w, 20000) == 0)
        change_table(w);
}

static void stress(uint64_t seed, unsigned steps)
{
    struct world *w = malloc(sizeof *w);

    assert_non_null(w);
    open_world(w, seed);
    change_table(w);
    for (unsigned n = 0; n < CPUS * 16; n++)
        sr_write(w, n / 16, n % 16, (n % 16 * 0x11111u) & 0xFFFFFF);
    for (unsigned n = 0; n < 2 * PAGES; n++)
        change_page(w);
    for (unsigned n = 0; n < steps; n++) {
        step(w);
        if (n % 1000 == 0)
            assert_memory_equal(w->ram, w->golden, RAM);
    }
    assert_memory_equal(w->ram, w->golden, RAM);
    assert_in_range(w->faults, steps / 20, steps / 2 + steps / 3);
    assert_in_range(w->marks, steps / 500, steps);
    close_world(w);
    free(w);
}

static void four_cpus_and_the_golden_walk_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        stress(seed, STEPS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_cpus_and_the_golden_walk_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
