/* random_code.c - see random_code.h. */
#include "tests/lib/random_code.h"

#define DATA 0x40000u
#define BODY RANDOM_BODY
#define ROUNDS 60

#define RFI 0x4C000064u
#define SC 0x44000002u
#define EIEIO 0x7C0006ACu
#define TRAP 0x7FE00008u
#define FADD 0xFC22182Au /* f1, f2, f3 */
#define CRAND 0x4C221A02u
#define LMW(d, a, imm) (46u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define STMW(d, a, imm) (47u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define STH(s, a, imm) (44u << 26 | (s) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define LHZ(d, a, imm) (40u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define DCBF(a, b) (31u << 26 | (a) << 16 | (b) << 11 | 86 << 1)
#define DCBZ(a, b) (31u << 26 | (a) << 16 | (b) << 11 | 1014 << 1)
#define ICBI(a, b) (31u << 26 | (a) << 16 | (b) << 11 | 982 << 1)
#define LWZX(d, a, b) (31u << 26 | (d) << 21 | (a) << 16 | (b) << 11 | 23 << 1)
#define SRAWI(a, s, n)                                                         \
    (31u << 26 | (s) << 21 | (a) << 16 | (n) << 11 | 824 << 1)

struct dice {
    uint64_t seed;
};

static uint32_t dice(struct dice *d, uint32_t sides)
{
    d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(d->seed >> 33) % sides;
}

/* r5 data, r6 an offset that wanders, r7 and r17 noise, r8-r15 scratch. */
static uint32_t draw(struct dice *d, unsigned left)
{
    unsigned r = 8 + dice(d, 8), s = 8 + dice(d, 8), t = 8 + dice(d, 8);
    int at = (int)dice(d, 0x7000);
    unsigned hop = 4 * (2 + dice(d, 6));

    if (hop > 4 * left)
        hop = 4 * left;
    switch (dice(d, 34)) {
    case 0:
    case 1:
    case 2:
        return LWZ(r, 5, at & ~3);
    case 3:
        return LWZX(r, 5, 6); /* far away: a miss */
    case 4:
    case 5:
        return STW(r, 5, at & ~3);
    case 6:
        return LWZ(r, 5, at | 5); /* split */
    case 7:
        return STW(r, 5, at | 7);
    case 8:
        return STH(r, 5, at);
    case 9:
        return LHZ(r, 5, at);
    case 10:
        return LMW(28, 5, at & ~3);
    case 11:
        return STMW(28, 5, at & ~3);
    case 12:
        return MULLW(r, s, t);
    case 13:
        return DIVW(r, s, t);
    case 14:
        return dice(d, 3) ? LWARX(r, 0, 5) : STWCX_(r, 0, 5);
    case 15:
        return STWCX_(r, 0, 5);
    case 16:
        return dice(d, 2) ? SYNC : EIEIO;
    case 17:
        return dice(d, 2) ? DCBF(5, 6) : DCBZ(5, 6);
    case 18:
        return dice(d, 2) ? MTSPR(272, r) : MFSPR(r, 273);
    case 19:
        return CMPWI(dice(d, 2), 17, 0);
    case 20:
        return ANDI_(r, 17, 1u << dice(d, 16));
    case 21:
    case 22:
        return BNE(hop);
    case 23:
    case 24:
        return BEQ(hop);
    case 25:
        return dice(d, 4) ? B(hop) : CRAND;
    case 26:
        return dice(d, 2) ? NOP : dice(d, 2) ? SC : TRAP;
    case 27:
        return dice(d, 3) ? NOP : FADD; /* MSR[FP] is off */
    case 28:
        return dice(d, 4) ? SRAWI(r, s, 3) : ICBI(5, 6);
    case 29:
        return dice(d, 4) ? ADD(17, 17, r) : ISYNC;
    default:
        return dice(d, 2) ? ADD(r, s, t) : ADDI(r, s, (int)dice(d, 999));
    }
}

/* Every exception but sc skips its instruction. */
static void vectors(struct bench_board *b)
{
    static const uint32_t skip[] = {MFSPR(20, 26), ADDI(20, 20, 4),
                                    MTSPR(26, 20), RFI};
    static const uint32_t back[] = {RFI};
    pa_t at;

    for (at = 0x100; at < 0x1400; at += 0x100)
        board_words(b, at, skip, 4);
    board_words(b, 0xC00, back, 1);
}

void random_program(struct bench_board *b, uint64_t seed)
{
    static const uint32_t head[] = {
        ADDIS(5, 0, DATA >> 16), ADDI(5, 5, 0x100),
        ADDI(3, 0, ROUNDS),      MTCTR(3),
        ADDI(6, 0, 0),           ADDIS(16, 0, 0x19),
        ORI(16, 16, 0x660D),
    };
    static const uint32_t turn[] = {
        /* r6 goes over 256 KB in steps of 12 KB and some */
        ADDI(6, 6, 0x3004),
        MULLW(7, 7, 16),
        ADDI(7, 7, 0x3C6F),
        SRAWI(17, 7, 13),
    };
    struct dice d = {seed};
    uint32_t w[BODY];
    unsigned k;
    pa_t at = BENCH_CODE + sizeof head;

    vectors(b);
    board_words(b, BENCH_CODE, head, sizeof head / 4);
    for (k = 0; k < BODY; k++)
        w[k] = draw(&d, BODY - k);
    board_words(b, at, w, BODY);
    board_words(b, at + 4 * BODY, turn, sizeof turn / 4);
    w[0] = BDNZ((unsigned)-(4 * (BODY + 4)));
    w[1] = BLR;
    board_words(b, at + 4 * BODY + 16, w, 2);
}
