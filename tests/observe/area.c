/* area.c - accesses of every kind and width to places that a generator
 * chooses, on every processor or thread, into data with count areas of
 * several granularities; then each area as the program itself reads it. For
 * area_test.sh: a program under --user, or (BARE) one without a system.
 */
#include "include/perfinst.h"

#define BYTES 400
#define ROUNDS 60

__attribute__((aligned(64), used)) volatile unsigned char watched[BYTES];
PERFINST_AREA(watched, 1, 2, by_byte);
PERFINST_AREA(watched, 4, 4, by_word);
PERFINST_AREA(watched, 32, 1, by_block);
PERFINST_AREA(watched, 512, 1, whole); /* soon full */
PERFINST_AREA_PART(watched, 5, 301, 8, 4, part);
PERFINST_AREA_PART(watched, 0, 400, 16, 2, apart); /* on a page of its own */
__attribute__((aligned(4096), used)) unsigned short apart[2048];
__attribute__((aligned(32), used)) unsigned int part[40];

#define SIMPLE(insn)                                                           \
    __asm__ volatile(insn " 9,0(%0)" ::"b"(at) : "r9", "memory")
#define INDEXED(insn)                                                          \
    __asm__ volatile(insn " 9,0,%0" ::"b"(at) : "r9", "cr0", "memory")
#define STRING(insn, n)                                                        \
    __asm__ volatile(insn " 5,%0," n ::"b"(at)                                 \
                     : "r5", "r6", "r7", "r8", "memory")
#define LINE(insn) __asm__ volatile(insn " 0,%0" ::"r"(at) : "memory")
#define WORDS(insn)                                                            \
    __asm__ volatile(insn " 26,0(%0)" ::"b"((unsigned long)at & ~3ul)          \
                     : "r26", "r27", "r28", "r29", "r30", "r31", "memory")
#define DOUBLE(insn)                                                           \
    __asm__ volatile(insn " 1,0(%0)" ::"b"((unsigned long)at & ~3ul)           \
                     : "memor"                                                 \
                       "y")

static void one(unsigned kind, volatile unsigned char *at)
{
    switch (kind) {
    case 0:
        SIMPLE("lbz");
        break;
    case 1:
        SIMPLE("stb");
        break;
    case 2:
        SIMPLE("lhz");
        break;
    case 3:
        SIMPLE("sth");
        break;
    case 4:
        SIMPLE("lwz");
        break;
    case 5:
        SIMPLE("stw");
        break;
    case 6:
        DOUBLE("lfd");
        break;
    case 7:
        DOUBLE("stfd");
        break;
    case 8:
        INDEXED("lwbrx");
        break;
    case 9:
        STRING("lswi", "13");
        break;
    case 10:
        STRING("stswi", "14");
        break;
    case 11:
        WORDS("lmw");
        break;
    case 12:
        WORDS("stmw");
        break;
    case 13:
        LINE("dcbz");
        break;
    case 14:
        LINE("dcbt");
        break;
    case 15:
        at -= (unsigned long)at & 3;
        INDEXED("lwarx");
        INDEXED("stwcx.");
        INDEXED("stwcx."); /* stores nothing */
        break;
    }
}

/* Some accesses begin in front of the data, or end behind it. */
void storm(unsigned seed)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned kind;

        seed = seed * 1103515245 + 12345;
        kind = seed >> 8 & 15;
        one(kind, watched + (seed >> 16) % (BYTES - 24));
    }
}

static char text[20000];
static char *end = text;

static void say_text(const char *s)
{
    while (*s)
        *end++ = *s++;
}

static void say_number(unsigned v)
{
    char digits[12], *at = digits + sizeof digits;

    *--at = 0;
    do
        *--at = (char)('0' + v % 10);
    while (v /= 10);
    say_text(at);
}

static void say(const char *name, unsigned index, unsigned value)
{
    if (!value)
        return;
    say_text(name);
    say_text(" ");
    say_number(index);
    say_text(" ");
    say_number(value);
    say_text("\n");
}

static void show(void)
{
    for (unsigned k = 0; k < PERFINST_UNITS(watched, 1); k++)
        say("by_byte", k, by_byte[k]);
    for (unsigned k = 0; k < PERFINST_UNITS(watched, 4); k++)
        say("by_word", k, by_word[k]);
    for (unsigned k = 0; k < PERFINST_UNITS(watched, 32); k++)
        say("by_block", k, by_block[k]);
    say("whole", 0, whole[0]);
    for (unsigned k = 0; k < 25; k++)
        say("apart", k, apart[k]);
    for (unsigned k = 0; k < 38; k++)
        say("part", k, part[k]);
}

#ifdef BARE

#include "include/board.h"
#include "tests/pif/common.h"

extern unsigned _start[];
static volatile unsigned done[8];

void handle(struct frame *f)
{
    (void)f;
    failures++;
}

int main(unsigned cpu)
{
    unsigned cpus = *(volatile unsigned *)(BOARD_INFO + INFO_CPUS);

    mtmsr(mfmsr() | 0x2000); /* FP */
    for (unsigned n = 1; !cpu && n < cpus; n++)
        *(volatile unsigned *)(BOARD_RELEASE + 4 * n) = (unsigned)_start;
    storm(cpu + 1);
    done[cpu] = 1;
    while (cpu)
        mtmsr(mfmsr() | 0x40000); /* POW */
    for (unsigned n = 0; n < cpus; n++)
        while (!done[n])
            ;
    show();
    print(text);
    return (int)failures;
}

#else

#include <pthread.h>
#include <unistd.h>

static void *work(void *seed)
{
    storm(*(unsigned *)seed);
    return seed;
}

int main(int argc, char **argv)
{
    static unsigned seed[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    pthread_t t[8];

    for (int n = 0; n < 8; n++)
        pthread_create(&t[n], NULL, work, &seed[n]);
    for (int n = 0; n < 8; n++)
        pthread_join(t[n], NULL);
    if (argc > 1) { /* nobody hears of them, or even reads them */
        for (unsigned k = 0; argv[1][0] == 'q' && k < 25; k++)
            (void)*(volatile unsigned short *)&apart[k];
        return 0;
    }
    show();
    return write(1, text, (size_t)(end - text)) < 0;
}

#endif
