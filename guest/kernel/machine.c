/* machine.c - what the board says about itself, and one block per CPU.
 * SPRG0 of each CPU holds the address of its block.
 */
#include "guest/kernel/defs.h"

static struct cpu cpus[MAX_CPUS];
static unsigned cpu_count;
static uint32_t tick_cycles, hz;

void machine_init(void)
{
    cpu_count = io_read(BOARD_INFO + INFO_CPUS);
    tick_cycles = io_read(BOARD_INFO + INFO_TB_CYCLES);
    hz = io_read(BOARD_INFO + INFO_CLOCK);
    if (cpu_count < 1 || cpu_count > MAX_CPUS || !tick_cycles || !hz)
        panic("a board with %u CPUs, %u cycles a tick, %u Hz", cpu_count,
              tick_cycles, hz);
}

unsigned machine_cpus(void)
{
    return cpu_count;
}

struct cpu *cpu_at(unsigned n)
{
    return &cpus[n];
}

/* The caller must not be able to migrate, or must not mind. */
struct cpu *this_cpu(void)
{
    return (struct cpu *)mfspr(SPR_SPRG0);
}

uint32_t tb_cycles(void)
{
    return tick_cycles;
}

uint32_t clock_hz(void)
{
    return hz;
}

/* To the nearest tick, at least one. */
uint64_t cycles_to_ticks(uint64_t cycles)
{
    uint64_t ticks = divide(cycles + tick_cycles / 2, tick_cycles);

    return ticks ? ticks : 1;
}

uint32_t ticks_to_us(uint64_t ticks)
{
    uint32_t mhz = (uint32_t)divide(hz, 1000000);

    return (uint32_t)divide(ticks * tick_cycles, mhz ? mhz : 1);
}

/* The CPU that runs this is number n from now on. */
void cpu_init(unsigned n)
{
    cpus[n].number = n;
    mtspr(SPR_SPRG0, (uint32_t)&cpus[n]);
}

/* Release the parked CPUs and wait until all of them idle. */
void cpus_start(void)
{
    for (unsigned n = 1; n < cpu_count; n++)
        io_write(BOARD_RELEASE + 4 * n, (uint32_t)_start);
    FOR_CPUS(c)
    {
        while (!c->online)
            continue;
    }
}
