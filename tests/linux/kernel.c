/* kernel.c - as little of a Linux kernel as the boot protocol needs: it begins
 * like one (start.S), says on the console what it was given, and ends as its
 * command line says: end=off, end=reboot, end=panic, end=STATUS.
 */
#include "tests/sim/bare.h"

#define VIRTUAL 0xC0000000u
#define WORDS 12

enum { BEGIN_NODE = 1, END_NODE, PROP, NOP, END = 9 };

unsigned panic_cpu = ~0u; /* as Linux has it */
volatile unsigned arrived;
static u8 *tree;

static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static u32 word(u32 offset)
{
    return *(u32 *)(tree + offset);
}

/* The property `name` of the node `node`, at its first place in the tree. */
static const void *property(const char *node, const char *name)
{
    u32 at = word(8), strings = word(12);
    const char *now = "";

    for (;;) {
        u32 token = word(at);

        at += 4;
        if (token == BEGIN_NODE) {
            now = (const char *)tree + at;
            while (*(tree + at))
                at++;
            at = (at + 4) & ~3u;
        } else if (token == PROP) {
            u32 length = word(at), text = strings + word(at + 4);

            at += 8;
            if (same(now, node) && same((const char *)tree + text, name))
                return tree + at;
            at = (at + length + 3) & ~3u;
        } else if (token == END) {
            return 0;
        }
    }
}

static u32 number(const char *node, const char *name)
{
    const u32 *value = property(node, name);

    return value ? *value : ~0u;
}

static void text(const char *title, const char *value)
{
    print(title);
    print(value ? value : "none");
    put('\n');
}

static void decimal(const char *title, u32 value)
{
    char digits[12];
    unsigned at = sizeof digits - 1;

    digits[at] = 0;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    text(title, digits + at);
}

/* A call of the firmware's services, by the name in /rtas. */
static u32 rtas(const char *name, u32 *call, u32 nargs, u32 nrets)
{
    void (*entry)(u32) =
        (void (*)(u32))(number("rtas", "linux,rtas-entry") + VIRTUAL);

    call[0] = number("rtas", name);
    call[1] = nargs;
    call[2] = nrets;
    entry((u32)call - VIRTUAL);
    return call[3 + nargs];
}

static void end(const char *how)
{
    u32 call[WORDS];

    if (same(how, "off"))
        call[3] = call[4] = ~0u, rtas("power-off", call, 2, 1);
    else if (same(how, "reboot"))
        rtas("system-reboot", call, 0, 1);
    else if (same(how, "panic"))
        panic_cpu = 0;
    else
        out32(BOARD_POWER, (u32)(*how - '0'));
    for (;;)
        ;
}

void kernel_main(u32 given, u32 r4, u32 r5, u32 r6, u32 r7)
{
    const char *args;
    u32 call[WORDS], cpus = 1, initrd;

    tree = (u8 *)(given + VIRTUAL);
    text("tree: ", word(0) == 0xD00DFEED ? "yes" : "no");
    decimal("other registers: ", r4 | r5 | r6 | r7);
    args = property("chosen", "bootargs");
    text("bootargs: ", args);
    decimal("memory: ", ((u32 *)property("memory@0", "reg"))[1] >> 20);
    initrd = number("chosen", "linux,initrd-start");
    if (initrd != ~0u)
        text("initrd: ", (const char *)(initrd + VIRTUAL + 110));
    *(volatile u32 *)VIRTUAL = 1; /* the others come one by one */
    while (property(cpus == 1   ? "PowerPC,604e@1"
                    : cpus == 2 ? "PowerPC,604e@2"
                    : cpus == 3 ? "PowerPC,604e@3"
                                : "none",
                    "reg")) {
        *(volatile u32 *)VIRTUAL = cpus;
        while (arrived != cpus)
            ;
        cpus++;
    }
    decimal("processors: ", cpus);
    decimal("a call that there is not: ",
            -rtas("display-character", call, 1, 1));
    decimal("get-time-of-day: ", rtas("get-time-of-day", call, 0, 8));
    decimal("year: ", call[4]);
    decimal("month: ", call[5]);
    decimal("hour: ", call[7]);
    call[3] = 1999, call[4] = 12, call[5] = 31, call[6] = 23, call[7] = 59;
    call[8] = 58, call[9] = 0;
    decimal("set-time-of-day: ", rtas("set-time-of-day", call, 7, 1));
    rtas("get-time-of-day", call, 0, 8);
    decimal("year: ", call[4]);
    while (*args && !(args[0] == 'e' && args[3] == '='))
        args++;
    end(args + 4);
}
