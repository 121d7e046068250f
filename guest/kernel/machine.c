/* machine.c - what the board says about itself, and one block per CPU.
 * SPRG0 of each CPU holds the address of its block.
 */
#include "guest/kernel/defs.h"

struct cpu cpus[MAX_CPUS];
struct machine machine;

void machine_init(void)
{
    machine.cpus = io_read(BOARD_INFO + INFO_CPUS);
    machine.tick_cycles = io_read(BOARD_INFO + INFO_TB_CYCLES);
    machine.mhz = (uint32_t)divide(io_read(BOARD_INFO + INFO_CLOCK), 1000000);
    if (machine.cpus < 1 || machine.cpus > MAX_CPUS || !machine.tick_cycles ||
        !machine.mhz)
        panic("a board with %u CPUs, %u cycles a tick, %u MHz", machine.cpus,
              machine.tick_cycles, machine.mhz);
}

uint64_t cycles_to_ticks(uint64_t cycles)
{
    uint64_t ticks =
        divide(cycles + machine.tick_cycles / 2, machine.tick_cycles);

    return ticks ? ticks : 1;
}

void trace_context(const struct thread *t)
{
    io_write(BOARD_TRACE + this_cpu()->number * BOARD_TRACE_STRIDE +
                 TRACE_CONTEXT,
             t->tid);
}

void stat_add(uint32_t stat, uint32_t n)
{
    uint32_t msr = irq_save();

    this_cpu()->stat[stat] += n;
    irq_restore(msr);
}

void cpu_init(unsigned n)
{
    cpus[n].number = n;
    cpus[n].armed = UINT64_MAX;
    mtspr(SPR_SPRG0, (uint32_t)&cpus[n]);
}

void cpus_start(void)
{
    for (unsigned n = 1; n < machine.cpus; n++)
        io_write(BOARD_RELEASE + 4 * n, (uint32_t)_start);
    FOR_CPUS (c) {
        while (!c->online)
            continue;
    }
}

void cpus_call(void (*f)(struct cpu *c))
{
    uint32_t msr = irq_save();

    FOR_CPUS (c) {
        if (c == this_cpu())
            continue;
        if (c->call)
            panic("two CPUs call the others");
        c->call = f;
        pic_ipi(c->number);
    }
    f(this_cpu());
    irq_restore(msr);
    FOR_CPUS (c) {
        while (c->call)
            continue;
    }
}

void cpu_answer(struct cpu *c)
{
    if (!c->call)
        return;
    c->call(c);
    c->call = NULL;
}
