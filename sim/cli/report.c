/* report.c - words and tables for people. Reads a machine, changes nothing. */
#include "sim/cli/report.h"

#include <inttypes.h>

#include "sim/cli/cause.h"
#include "sim/core/timing.h"

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

double report_seconds(const struct machine *m, cycle_t cycles)
{
    return (double)cycles / (m->with.params.clock_mhz * 1e6);
}

/* "dcache_miss:1000:u", as it was asked for. */
static void counter_name(const struct machine *m, unsigned k, char text[80])
{
    const struct host_counter_spec *s = &m->with.host_counters[k];
    int n = snprintf(text, 80, "%s", machine_event(&m->with, s->event));

    if (s->period)
        n += snprintf(text + n, 80 - (size_t)n, ":%" PRIu64, s->period);
    if (!s->user || !s->kernel)
        snprintf(text + n, 80 - (size_t)n, ":%s", s->user ? "u" : "k");
}

uint64_t report_count(const struct machine *m, unsigned k, unsigned cpu)
{
    return host_counters_value(&m->core[cpu].host_counters, k, m->cycles);
}

/* What each -e counted, of all processors and of each. */
static void report_counts(FILE *f, const struct machine *m)
{
    char name[80];

    for (unsigned k = 0; k < m->with.nhost_counters; k++) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < m->with.cpus; i++)
            sum += report_count(m, k, i);
        counter_name(m, k, name);
        fprintf(f, "  %-12s %" PRIu64, name, sum);
        for (unsigned i = 0; m->with.cpus > 1 && i < m->with.cpus; i++)
            fprintf(f, "%s %" PRIu64, i ? "," : "; by CPU",
                    report_count(m, k, i));
        fprintf(f, "\n");
    }
}

/* Did a processor select what this machine does not count, or not in this
 * mode? */
static void report_uncounted(FILE *f, const struct machine *m)
{
    const struct timing *t = m->with.timing;

    for (unsigned n = 0; n < PMU_SELECTS; n++) {
        uint32_t absent = 0;

        for (unsigned i = 0; i < m->with.cpus; i++)
            absent |= m->core[i].pmu.absent[n];
        for (unsigned s = 0; s < 32; s++)
            if (absent >> s & 1)
                fprintf(f,
                        "  not counted  selector %u of PMC%u, which the guest "
                        "selected: it read 0 (docs/events.md)\n",
                        s, n + 1);
    }
    for (int id = 0; id < EV_COUNT; id++) {
        bool asked = false;

        for (unsigned i = 0; i < m->with.cpus; i++)
            asked |= m->core[i].pmu.asked[id];
        if (asked && !timing_counts(t, (enum event)id))
            fprintf(f,
                    m->with.ndetail
                        ? "  not counted  %s, which the guest selected, "
                          "outside the stretches in detail, in %s mode\n"
                        : "  not counted  %s, which the guest selected: it "
                          "does not happen in %s mode\n",
                    event_name((enum event)id), t->name);
    }
}

/* The stretches in detail, and which counters know only those. */
static void report_detail(FILE *f, const struct machine *m)
{
    const struct modes *k = &m->modes;

    if (!k->stretches)
        return;
    fprintf(f,
            "  in detail    %u of %u stretches: %" PRIu64
            " instructions, cycles %" PRIu64 "\n",
            k->done, k->stretches, k->measured_insns, k->measured);
    if (k->unfilled)
        fprintf(
            f,
            "               %u more came to TO before --detail-fill=%" PRIu64
            " instructions had filled the window\n",
            k->unfilled, m->with.detail_fill);
    for (unsigned n = 0; n < m->with.nhost_counters; n++) {
        enum event e = m->with.host_counters[n].event;

        if (!timing_counts(m->with.timing, e))
            fprintf(f, "               %s was counted there alone\n",
                    machine_event(&m->with, e));
    }
}

void report_summary(FILE *f, const struct report_run *r)
{
    const struct machine *m = r->machine;
    uint64_t insns = machine_insns(m);

    fprintf(f, "simrun: %s", report_end_name(m->end));
    if (m->end == MACHINE_POWER || m->end == MACHINE_RETURN ||
        m->end == MACHINE_EXIT)
        fprintf(f, ", status %u", m->status);
    fprintf(f, "; %s mode\n", m->with.timing->name);
    fprintf(f, "  simulated    %.6f s, %" PRIu64 " cycles at %u MHz\n",
            report_seconds(m, m->cycles), m->cycles, m->with.params.clock_mhz);
    fprintf(f, "  instructions %" PRIu64 "\n", insns);
    for (unsigned i = 0; i < m->with.cpus; i++) {
        const struct core *c = &m->core[i];

        fprintf(
            f, "  CPU %u        %" PRIu64 " instructions, %.3f a cycle, %s\n",
            i, c->insns, m->cycles ? (double)c->insns / (double)m->cycles : 0.0,
            core_state_name(c));
    }
    report_detail(f, m);
    report_counts(f, m);
    report_uncounted(f, m);
    if (r->experiment)
        fprintf(f, "  experiment   %s\n", r->experiment);
    fprintf(f, "  host         %.2f s, %.1f million instructions a second\n",
            r->seconds,
            r->seconds > 0 ? (double)insns / r->seconds / 1e6 : 0.0);
}

/* How much of the run is done, 0 to 1; 0: its end is not known. */
static double done(const struct machine *m, uint64_t end)
{
    uint64_t limit = m->with.max_cycles;
    double part = 0;

    if (end && (!limit || end < limit))
        limit = end;
    if (limit)
        part = (double)machine_now(m) / (double)limit;
    if (m->with.max_insns) {
        double of = (double)machine_insns(m) / (double)m->with.max_insns;

        part = of > part ? of : part;
    }
    return part < 1 ? part : 1;
}

void report_progress(FILE *f, const struct machine *m, double seconds,
                     uint64_t end)
{
    uint64_t insns = machine_insns(m);
    double part = done(m, end);

    fprintf(f, "simulated %.3f s, %.0f million instructions, %.1f MIPS",
            report_seconds(m, machine_now(m)), (double)insns / 1e6,
            seconds > 0 ? (double)insns / seconds / 1e6 : 0.0);
    if (part > 0)
        fprintf(f, ", %.0f %%, %.0f s left", 100 * part,
                seconds * (1 - part) / part);
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
        if (m->with.supervisor.arg) /* that has said it better */
            break;
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
