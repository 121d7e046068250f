/* board_run.c - isa/ on the board of the supervisor tests: 64 MB of memory,
 * a ROM, a port that prints. `board_run IMAGE with|without` a TLB;
 * ends when RESET is stored.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "isa/mmu.h"
#include "tests/isa/board.h"

#define RAM_SIZE 0x4000000u
#define PATIENCE 2000000000ull /* instructions */

struct board {
    uint8_t *ram, *rom;
    uint8_t code_page[RAM_SIZE >> 12];
    uint32_t spr[1024];
    struct reservations reservations;
    struct tlb tlb;
    struct port port;
    struct cpu cpu;
    bool over;
};

static bool io_load(void *world, pa_t pa, unsigned size, uint32_t *value)
{
    struct board *b = world;

    if (pa < ROM)
        return false;
    for (*value = 0; size--; pa++)
        *value = *value << 8 | b->rom[pa - ROM];
    return true;
}

static bool io_store(void *world, pa_t pa, unsigned size, uint32_t value)
{
    struct board *b = world;

    (void)size;
    if (pa == UART)
        putchar((int)(value & 0xFF));
    else if (pa == RESET)
        b->over = true;
    return true;
}

static uint32_t spr_read(void *world, unsigned n)
{
    return ((struct board *)world)->spr[n];
}

static void spr_write(void *world, unsigned n, uint32_t value)
{
    ((struct board *)world)->spr[n] = value;
}

static void msr_changed(void *world, uint32_t old, uint32_t now)
{
    (void)world, (void)old, (void)now;
}

static void code_written(void *world, pa_t pa, unsigned size)
{
    (void)world, (void)pa, (void)size;
}

static enum exc step(struct board *b)
{
    struct cpu *c = &b->cpu;
    uint32_t word = 0;
    struct insn i;
    enum exc e;
    pa_t pa;

    c->nia = c->pc + 4;
    e = mmu_fetch(c, c->pc, &pa);
    if (e)
        return e;
    if (pa < RAM_SIZE)
        memcpy(&word, b->ram + pa, 4), word = __builtin_bswap32(word);
    else if (!io_load(b, pa, 4, &word))
        return EXC_MCHECK;
    isa_decode(&i, word);
    return isa_exec(c, &i);
}

static bool board_init(struct board *b, const char *image)
{
    FILE *f = fopen(image, "rb");

    b->ram = calloc(1, RAM_SIZE);
    b->rom = calloc(1, ROM_SIZE);
    if (!f || !b->ram || !b->rom || !fread(b->rom, 1, ROM_SIZE, f))
        return false;
    fclose(f);
    b->port = (struct port){.world = b,
                            .ram = b->ram,
                            .ram_size = RAM_SIZE,
                            .code_page = b->code_page,
                            .code_written = code_written,
                            .line_bytes = 32,
                            .reservations = &b->reservations,
                            .io_load = io_load,
                            .io_store = io_store,
                            .spr_read = spr_read,
                            .spr_write = spr_write,
                            .msr_changed = msr_changed};
    b->cpu.port = &b->port;
    isa_reset(&b->cpu, 0);
    b->cpu.hid0 = HID0_ICE | HID0_DCE;
    return true;
}

int main(int argc, char **argv)
{
    static struct board b;

    if (argc != 3 || !board_init(&b, argv[1]))
        return 2;
    b.port.tlb = strcmp(argv[2], "with") ? NULL : &b.tlb;
    for (uint64_t n = 0; n < PATIENCE && !b.over; n++) {
        enum exc e = step(&b);
        if (e)
            isa_enter(&b.cpu, e);
        b.cpu.pc = b.cpu.nia;
    }
    return !b.over;
}
