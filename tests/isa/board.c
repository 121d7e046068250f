/* board.c - supervisor instructions and translation, on random operands.
 * A bare-metal program for QEMU's 40p and for board_run.c: each test prints
 * one line of everything that can be seen afterwards, and the two outputs
 * must be the same. Built with ROUNDS, the tests of each kind.
 */
#include <stdint.h>

#include "tests/isa/board.h"

#define MSR_PR 0x4000u
#define MSR_ME 0x1000u
#define MSR_IP 0x40u
#define MSR_IR 0x20u
#define MSR_DR 0x10u
#define TRAP 0x7FE00008u

void board_enter(void);

static uint32_t word(uint32_t at)
{
    return *(volatile uint32_t *)at;
}

static void put(uint32_t at, uint32_t v)
{
    *(volatile uint32_t *)at = v;
}

/* ---- text ---------------------------------------------------------------- */

static void print_char(char c)
{
    *(volatile char *)UART = c;
}

static void print(const char *s)
{
    while (*s)
        print_char(*s++);
}

static void print_hex(uint32_t v)
{
    print_char(' ');
    for (int n = 28; n >= 0; n -= 4)
        print_char("0123456789abcdef"[v >> n & 15]);
}

/* ---- chance: the state is handed down, there is no writable data --------- */

struct chance {
    uint32_t state;
};

static uint32_t any(struct chance *k)
{
    uint32_t s = k->state;

    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    k->state = s;
    return s * 0x9E3779B1u;
}

static uint32_t below(struct chance *k, uint32_t n)
{
    return (any(k) >> 8) % n;
}

/* ---- special registers, by patching an instruction ----------------------- */

/* The instruction at CODE runs in supervisor mode with r5, r6 given; r5 is
 * returned. */
static uint32_t perform(uint32_t insn, uint32_t r5, uint32_t r6)
{
    put(CODE, insn);
    put(CODE + 4, TRAP);
    __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0; sync; isync" ::"r"(CODE)
                     : "memory");
    put(BEFORE_PC, CODE);
    put(BEFORE_MSR, MSR_IP);
    put(BEFORE_GPR + 20, r5);
    put(BEFORE_GPR + 24, r6);
    board_enter();
    return word(AFTER_GPR + 20);
}

static uint32_t spr_field(uint32_t n)
{
    return (n & 31) << 16 | (n >> 5) << 11;
}

static void spr_write(uint32_t n, uint32_t v)
{
    perform(0x7CA003A6u | spr_field(n), v, 0);
}

static uint32_t spr_read(uint32_t n)
{
    return perform(0x7CA002A6u | spr_field(n), 0, 0);
}

static void sr_write(uint32_t n, uint32_t v)
{
    perform(0x7CA001A4u | n << 16, v, 0);
}

static uint32_t sr_read(uint32_t n)
{
    return perform(0x7CA004A6u | n << 16, 0, 0);
}

/* Registers that hold what was written, here and in QEMU. */
static const uint16_t plain[] = {18, 19, 26, 27, 272, 273, 274, 275, 282, 25};

#define PLAIN 10

/* ---- one test ------------------------------------------------------------ */

static uint32_t sum_of(uint32_t at, uint32_t words)
{
    uint32_t sum = 0;

    for (uint32_t n = 0; n < words; n++)
        sum = (sum << 5 | sum >> 27) ^ (sum + word(at + 4 * n));
    return sum;
}

static void random_before(struct chance *k)
{
    for (uint32_t at = BEFORE_CR; at < BEFORE_GPR + 128; at += 4)
        put(at, any(k));
    put(BEFORE_XER, word(BEFORE_XER) & 0xE000007F);
}

/* Any mode that needs no translation and takes no interrupt or trace. */
static uint32_t mode_draw(struct chance *k)
{
    return (any(k) & 0x00003902u) | MSR_IP;
}

static void run(const char *name, uint32_t insn, uint32_t pc)
{
    put(CODE, insn);
    put(CODE + 4, TRAP);
    put(CODE + 8, TRAP);
    __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0; sync; isync" ::"r"(CODE)
                     : "memory");
    put(BEFORE_PC, pc);
    board_enter();
    print(name);
    print_hex(insn);
    /* QEMU drops MSR[IP] on entry; the 604e keeps it (604 UM 4.3). */
    put(AFTER_MSR, word(AFTER_MSR) & ~MSR_IP);
    for (uint32_t n = 0; n < 6; n++)
        print_hex(word(AFTER + 4 * n));
    print_hex(sum_of(AFTER + 24, AFTER_WORDS - 6));
}

static void finish(void)
{
    print("\n");
}

/* ---- supervisor instructions, in either mode ----------------------------- */

static uint32_t insn_draw(struct chance *k)
{
    static const uint32_t rows[] = {
        0x7C000124, /* mtmsr: see below */
        0x7C0000A6, /* mfmsr */
        0x7C0001A4, /* mtsr */
        0x7C0001E4, /* mtsrin */
        0x7C0004A6, /* mfsr */
        0x7C000526, /* mfsrin */
        0x7C000264, /* tlbie */
        0x7C00046C, /* tlbsync */
        0x7C0002A6, /* mfspr */
        0x7C0003A6, /* mtspr */
        0x4C000064, /* rfi */
        0x44000002, /* sc */
        0x0FE00000, /* twi always */
        0x00000000, /* illegal */
        0x7C0002E4, /* tlbia: illegal */
        0xFC00002A, /* fadd f0,f0,f0 */
    };
    uint32_t n = below(k, 16), w = rows[n], d = 4 + below(k, 28);

    if (n == 8 || n == 9) {
        uint32_t spr = below(k, 8) ? plain[below(k, PLAIN)] : 976 + below(k, 8);
        return w | d << 21 | spr_field(spr);
    }
    if (n == 0 || n == 1)
        return w | d << 21;
    if (n == 2 || n == 4)
        return w | d << 21 | below(k, 16) << 16;
    if (n == 3 || n == 5)
        return w | d << 21 | below(k, 32) << 11;
    return n == 6 ? w | below(k, 32) << 11 : w;
}

/* rfi would run for ever; QEMU lets unknown special registers pass. */
static int runs_on(uint32_t insn)
{
    uint32_t spr = (insn >> 16 & 31) | (insn >> 6 & 0x3E0);

    return insn == 0x4C000064 ||
           ((insn & 0xFC0006FE) == 0x7C0002A6 && spr >= 976);
}

static void supervisor_test(struct chance *k)
{
    uint32_t insn = insn_draw(k), mode = mode_draw(k);

    random_before(k);
    if (below(k, 3) == 0 || runs_on(insn))
        mode |= MSR_PR;
    for (uint32_t n = 0; n < PLAIN; n++)
        spr_write(plain[n], any(k));
    for (uint32_t n = 0; n < 16; n++)
        sr_write(n, any(k) & 0x7FFFFFFF);
    random_before(k);
    if ((insn & 0xFC0007FE) == 0x7C000124) /* QEMU: no mtmsr changes ME */
        put(BEFORE_GPR + 4 * (insn >> 21 & 31),
            (mode_draw(k) & ~MSR_ME) | (mode & MSR_ME));
    put(BEFORE_MSR, mode);
    run("sup", insn, CODE);
    for (uint32_t n = 4; n < PLAIN; n++)
        print_hex(spr_read(plain[n]));
    for (uint32_t n = 0; n < 16; n += 5)
        print_hex(sr_read(n));
    finish();
}

/* board_enter's own rfi, with a random SRR1. */
static void return_test(struct chance *k)
{
    random_before(k);
    put(BEFORE_MSR, (any(k) & 0x00003902u) | MSR_IP | below(k, 2) * MSR_PR);
    run("rfi", 0x60000000, CODE);
    finish();
}

/* ---- translation --------------------------------------------------------- */

struct where {
    uint32_t ea[8]; /* pages that somebody mapped */
};

/* The entry's low word but for its address. QEMU fetches from guarded pages
 * and from those without access (key 1, PP 0); the 604e takes ISI. */
static uint32_t marks_draw(struct chance *k, uint32_t is_code)
{
    uint32_t marks = any(k) & 0x180;

    if (is_code)
        return marks | (1 + below(k, 3));
    return marks | (below(k, 4) == 0) * 8 | below(k, 4);
}

static void page_map(struct chance *k, uint32_t ea, uint32_t vsid, uint32_t low)
{
    uint32_t index = ea >> 12 & 0xFFFF, hash = (vsid & 0x7FFFF) ^ index;
    uint32_t second = below(k, 3) == 0, slot = below(k, 8);
    uint32_t at;

    if (second)
        hash = ~hash;
    at = TABLE + (hash & 0x3FF) * 64 + slot * 8;
    put(at, 0x80000000u | vsid << 7 | second << 6 | index >> 10);
    put(at + 4, low);
}

static void bats_draw(struct chance *k, uint32_t first, struct where *w)
{
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t length = (1u << below(k, 4)) - 1; /* 128 KB to 1 MB */
        uint32_t ea = below(k, 16) << 28 | (below(k, 8) << 20);
        uint32_t valid = below(k, 3) == 0 ? 0 : below(k, 4);
        spr_write(first + 2 * n, 0);
        spr_write(first + 2 * n + 1, DATA | below(k, 4));
        spr_write(first + 2 * n, ea | length << 2 | valid);
        w->ea[n] = ea;
    }
}

static void tables_draw(struct chance *k, struct where *data,
                        struct where *code)
{
    for (uint32_t n = 0; n < TABLE_SIZE; n += 8)
        put(TABLE + n, 0);
    spr_write(25, TABLE);
    bats_draw(k, 536, data);
    bats_draw(k, 528, code);
    for (uint32_t n = 0; n < 16; n++) /* no T: QEMU does direct store */
        sr_write(n, (any(k) & 0x60000000) |
                        (below(k, 5) == 0 ? 0x10000000u : 0) |
                        (any(k) & 0xFFFFFF));
    for (uint32_t n = 4; n < 8; n++) {
        data->ea[n] = any(k) & ~0xFFFu;
        code->ea[n] = any(k) & ~0xFFFu;
        page_map(k, data->ea[n], sr_read(data->ea[n] >> 28) & 0xFFFFFF,
                 (DATA + below(k, 256) * 4096) | marks_draw(k, 0));
        page_map(k, code->ea[n], sr_read(code->ea[n] >> 28) & 0xFFFFFF,
                 (CODE & ~0xFFFu) | marks_draw(k, 1));
    }
    perform(0x60000000, 0, 0);
    for (uint32_t n = 0; n < 64; n++)
        perform(0x7C002A64, n << 12, 0); /* tlbie r5 */
}

/* r3 = data, r4 = address: one access with MSR[DR]. No dcbt: QEMU
 * does not translate its address, the 604e may, and sets R (PEM 7.5.3). */
static void data_test(struct chance *k, const struct where *w)
{
    static const uint32_t rows[] = {
        0x80640000, /* lwz */ 0x90640000,   /* stw */
        0x88640000, /* lbz */ 0x98640000,   /* stb */
        0xA0640000, /* lhz */ 0xB0640000,   /* sth */
        0x84640000, /* lwzu */ 0x94640000,  /* stwu */
        0xA8640000, /* lha */ 0x7C602028,   /* lwarx */
        0x7C00206C, /* dcbst */ 0x7C0020AC, /* dcbf */
        0x7C0027AC,                         /* icbi */
        0x7C0027EC,                         /* dcbz */
    };
    uint32_t insn = rows[below(k, 14)], ea = w->ea[below(k, 8)];

    random_before(k);
    if (insn >> 26 != 31 && below(k, 4) == 0) /* into the next page */
        put(BEFORE_GPR + 16, ea + 0xFF9 + below(k, 7));
    else
        put(BEFORE_GPR + 16, ea + (below(k, 0x1000) & ~31u));
    put(BEFORE_MSR, MSR_IP | MSR_DR | (below(k, 2) ? MSR_PR : 0));
    run("data", insn, CODE);
    print_hex(sum_of(TABLE, TABLE_SIZE / 4 / 16));
    print_hex(sum_of(DATA, 1024));
    finish();
}

/* A fetch with MSR[IR] from somewhere that may be mapped to CODE's page. */
static void fetch_test(struct chance *k, const struct where *w)
{
    uint32_t ea = w->ea[4 + below(k, 4)];

    if (below(k, 4) == 0)
        ea = w->ea[below(k, 4)] + 0x20000; /* data there: zeros, illegal */
    random_before(k);
    put(BEFORE_MSR, MSR_IP | MSR_IR | (below(k, 2) ? MSR_PR : 0));
    run("code", 0x60000000, ea);
    print_hex(sum_of(TABLE, TABLE_SIZE / 4));
    finish();
}

int main(void)
{
    struct chance k = {0x604E0001};
    struct where data, code;

    for (uint32_t n = 0; n < 0x2000; n += 4)
        put(n, word(ROM + n));
    for (uint32_t n = 0; n < ROUNDS; n++) {
        supervisor_test(&k);
        return_test(&k);
    }
    for (uint32_t n = 0; n < DATA_SIZE; n += 4)
        put(DATA + n, any(&k) & 0x00FFFFFF); /* opcode 0: illegal */
    for (uint32_t n = 0; n < ROUNDS / 8; n++) {
        tables_draw(&k, &data, &code);
        for (uint32_t m = 0; m < 8; m++) {
            data_test(&k, &data);
            fetch_test(&k, &code);
        }
    }
    print("END\n");
    *(volatile char *)RESET = 1;
    for (;;)
        ;
}
