/* wildpmu.c - writes and reads the monitor's and the facility's registers,
 * executes the facility's instructions and turns it on and off, at random: SEED
 * chooses. Every exception goes on behind its instruction. */
#include "tests/sim/bare.h"

#define HID0_PIFE 0x00080000u
#define HID0 1008
#define BLR 0x4E800020u
#define STEPS 3000
#define WORDS 16384

static const unsigned short registers[] = {
#define SPR(number, name, level, access, owner, field) number,
#include "isa/spr.def"
#undef SPR
};

static volatile u32 data[WORDS];
static u32 code[8] __attribute__((aligned(32)));
static u32 random = SEED * 2654435761u + 1;

static u32 dice(u32 n)
{
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random % n;
}

static void made(void *at)
{
    __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0; sync; isync"
                     :
                     : "r"(at)
                     : "memory");
}

/* Executes one instruction, which has r3. */
static u32 execute(u32 word, u32 r3)
{
    code[0] = word;
    code[1] = BLR;
    made(code);
    return ((u32(*)(u32))code)(r3);
}

static u32 spr_field(u32 spr)
{
    return (spr & 31) << 16 | spr >> 5 << 11;
}

static u32 mfspr(u32 spr)
{
    return execute(0x7C6002A6 | spr_field(spr), 0);
}

static void mtspr(u32 spr, u32 value)
{
    execute(0x7C6003A6 | spr_field(spr), value);
}

static u32 value(void)
{
    switch (dice(9)) {
    case 0:
        return 0;
    case 1:
        return ~0u;
    case 2: /* a counter about to overflow */
        return 0x80000000u - dice(40);
    case 3:
        return (u32)&data[dice(WORDS)];
    case 4:
        return 1u << dice(32);
    case 5:
        return dice(64);
    case 6: /* PIFEn */
        return dice(10) << 8 | dice(40);
    case 7: /* MMCR0 that interrupts */
        return dice(~0u) | 0x0400C000u;
    default:
        return dice(~0u);
    }
}

/* Those of the monitor more often than others; none that a C program needs. */
static void touch_register(void)
{
    u32 spr = dice(3) ? registers[dice(sizeof registers / sizeof *registers)]
                      : 952 + dice(8);

    if (spr < 640 || (spr > 800 && spr < 952) || spr > 959)
        spr = 952 + dice(8);
    if (dice(4))
        mtspr(spr, value());
    else
        mfspr(spr);
}

static void touch_window(void)
{
    u32 at = BOARD_MONITOR + 4 * (952 + dice(8));

    if (!(mfspr(HID0) & HID0_PIFE))
        return;
    if (dice(2))
        out32(at, value());
    else
        in32(at);
}

static void step(void)
{
    static const u32 pif[] = {1, 3, 5, 7, 9, 11, 13, 0};
    u32 what = dice(16);

    if (what < 10)
        touch_register();
    else if (what == 10)
        touch_window();
    else if (what == 11)
        mtspr(HID0,
              dice(4) ? mfspr(HID0) | HID0_PIFE : mfspr(HID0) & ~HID0_PIFE);
    else if (what == 12) /* EE, RI, PM */
        mtmsr(mfmsr() ^ 1u << (dice(2) ? 15 : 1 + dice(2)));
    else if (what == 13) /* r3, (0|r0)+r3 */
        execute(0x14601800 | pif[dice(8)], (u32)&data[dice(WORDS)]);
    else if (what == 14)
        execute(0x14000000 | dice(1u << 26), (u32)data);
    else
        for (u32 k = 0; k < 200; k++)
            data[dice(WORDS)] += data[k];
}

/* Whose exception an instruction raises: it is stepped over. */
static int is_of_insn(u32 vector)
{
    return vector == 0x200 || vector == 0x300 || vector == 0x600 ||
           vector == 0x700 || vector == 0x800;
}

static void set_vectors(void)
{
    for (u32 vector = 0x100; vector <= 0x1500; vector += 0x100) {
        u32 *v = (u32 *)vector, n = 0;

        if (is_of_insn(vector)) {
            v[n++] = 0x7C5143A6; /* mtsprg1 r2 */
            v[n++] = 0x7C5A02A6; /* mfsrr0 r2 */
            v[n++] = 0x38420004; /* addi r2,r2,4 */
            v[n++] = 0x7C5A03A6; /* mtsrr0 r2 */
            v[n++] = 0x7C5142A6; /* mfsprg1 r2 */
        }
        v[n++] = 0x4C000064; /* rfi */
        made(v);
    }
}

int _start(void)
{
    set_vectors();
    for (u32 n = 0; n < STEPS; n++)
        step();
    return 0;
}
