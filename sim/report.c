/* report.c - words and tables for people. Reads a machine, changes nothing. */
#include "sim/report.h"

#include <inttypes.h>

#include "sim/cause.h"

const char *report_end_name(enum machine_end end)
{
    switch (end) {
    case MACHINE_POWER:
        return "power-off";
    case MACHINE_EXIT:
        return "the program ended";
    case MACHINE_RETURN:
        return "returned from its entry function";
    case MACHINE_CHECKSTOP:
        return "checkstop";
    case MACHINE_ASLEEP:
        return "asleep for ever";
    case MACHINE_CYCLES:
        return "reached --max-cycles";
    case MACHINE_INSNS:
        return "reached --max-insns";
    case MACHINE_STOPPED:
        return "stopped from outside";
    default:
        return "running";
    }
}

static double seconds_of(const struct machine *m, cycle_t cycles)
{
    return (double)cycles / (m->with.params.clock_mhz * 1e6);
}

void report_summary(FILE *f, const struct machine *m, double seconds)
{
    uint64_t insns = machine_insns(m);

    fprintf(f, "simrun: %s", report_end_name(m->end));
    if (m->end == MACHINE_POWER || m->end == MACHINE_RETURN ||
        m->end == MACHINE_EXIT)
        fprintf(f, ", status %u", m->status);
    fprintf(f, "; %s mode\n", m->with.mode == CORE_FAST ? "fast" : "detailed");
    fprintf(f, "  simulated    %.6f s, %" PRIu64 " cycles at %u MHz\n",
            seconds_of(m, m->cycles), m->cycles, m->with.params.clock_mhz);
    fprintf(f, "  instructions %" PRIu64 "\n", insns);
    for (unsigned i = 0; i < m->with.cpus; i++) {
        const struct core *c = &m->core[i];

        fprintf(
            f, "  CPU %u        %" PRIu64 " instructions, %.3f a cycle, %s\n",
            i, c->insns, m->cycles ? (double)c->insns / (double)m->cycles : 0.0,
            core_state_name(c));
    }
    fprintf(f, "  host         %.2f s, %.1f million instructions a second\n",
            seconds, seconds > 0 ? (double)insns / seconds / 1e6 : 0.0);
}

void report_progress(FILE *f, const struct machine *m, double seconds)
{
    uint64_t insns = machine_insns(m);

    fprintf(f, "simulated %.3f s, %.0f million instructions, %.1f MIPS",
            seconds_of(m, machine_now(m)), (double)insns / 1e6,
            seconds > 0 ? (double)insns / seconds / 1e6 : 0.0);
}

void report_registers(FILE *f, const struct core *c)
{
    const struct cpu *r = &c->cpu;

    fprintf(f, "CPU %u: %s, %" PRIu64 " instructions\n", c->number,
            core_state_name(c), c->insns);
    fprintf(f, "  pc   %08x  msr  %08x  cr   %08x  xer  %08x\n", r->pc, r->msr,
            r->cr, r->xer);
    fprintf(f, "  lr   %08x  ctr  %08x  srr0 %08x  srr1 %08x\n", r->lr, r->ctr,
            r->srr0, r->srr1);
    fprintf(f, "  dar  %08x  dsisr %08x  hid0 %08x  context %u\n", r->dar,
            r->dsisr, r->hid0, c->context);
    for (unsigned i = 0; i < 32; i++)
        fprintf(f, "  r%-2u  %08x%s", i, r->gpr[i], i % 4 == 3 ? "\n" : "");
}

void report_end(FILE *f, const struct machine *m)
{
    switch (m->end) {
    case MACHINE_CHECKSTOP:
        cause_checkstop(f, m);
        break;
    case MACHINE_ASLEEP:
        fprintf(f, "simrun: every CPU sleeps and nothing can wake one "
                   "(no timer, no input): the guest never ends\n");
        break;
    case MACHINE_CYCLES:
        fprintf(f, "simrun: stopped at --max-cycles %" PRIu64 "\n",
                m->with.max_cycles);
        cause_stuck(f, m);
        break;
    case MACHINE_INSNS:
        fprintf(f, "simrun: stopped behind --max-insns %" PRIu64 "\n",
                m->with.max_insns);
        cause_stuck(f, m);
        break;
    case MACHINE_STOPPED:
        cause_stuck(f, m);
        break;
    default:
        break;
    }
}
