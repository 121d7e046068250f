/* monitor.c - what "monitor" prints: what gdb has no command of its own for.
 * Reads a machine, changes nothing in it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/gdb/stub.h"
#include "lib/base/text.h"
#include "sim/core/timing.h"

/* Console text, as O packets. */
__attribute__((format(printf, 2, 3))) static void say(struct gdb *g,
                                                      const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reply_add(g, "O");
    reply_hex(g, text, strlen(text));
    reply_send(g);
}

/* One command: its words, and what it gets. */
struct monitor {
    const char *name, *args, *text;
    void (*run)(struct gdb *g, uint32_t value);
    bool wants; /* a number */
};

static void say_cpus(struct gdb *g, uint32_t value)
{
    static const char *const states[] = {[CORE_PARKED] = "parked",
                                         [CORE_RUNNING] = "running",
                                         [CORE_NAPPING] = "napping",
                                         [CORE_STOPPED] = "stopped"};

    (void)value;
    say(g, "cycle %" PRIu64 ", %s mode\n", gdb_now(g),
        g->machine->with.timing->name);
    for (unsigned n = 0; n < g->machine->with.cpus; n++) {
        const struct core *c = &g->machine->core[n];

        say(g,
            "CPU %u  %-8s pc %08" PRIx32 "  msr %08" PRIx32 "  context %" PRIu32
            "  %" PRIu64 " instructions\n",
            n, states[c->state], c->cpu.pc, c->cpu.msr, c->context, c->insns);
    }
}

static void say_pmc(struct gdb *g, uint32_t value)
{
    (void)value;
    for (unsigned n = 0; n < g->machine->with.cpus; n++) {
        const struct core *c = &g->machine->core[n];
        const struct pmu *p = &c->pmu;
        cycle_t now = gdb_now(g);

        say(g, "CPU %u  MMCR0 %08" PRIx32 "  MMCR1 %08" PRIx32 "%s\n", n,
            p->mmcr0, p->mmcr1,
            p->signal == CYCLE_NEVER ? "" : "  interrupt pending");
        for (unsigned k = 0; k < p->pmcs; k++) {
            int event = p->pmc[k].selected;
            const char *how = p->pmc[k].event == event        ? ""
                              : p->pmc[k].event == EV_nothing ? ", refused"
                                                              : ", filtered";

            say(g, "  PMC%u %10" PRIu32 "  %s%s\n", k + 1,
                pmu_count(p, k + 1, c->clock > now ? c->clock : now),
                event < 0 ? "no such event"
                          : machine_event(&g->machine->with, (enum event)event),
                how);
        }
    }
}

static const char *mesi_of(struct cache *cache, pa_t pa)
{
    static const char *const names[] = {
        [MESI_I] = "I", [MESI_S] = "S", [MESI_E] = "E", [MESI_M] = "M"};
    const struct line *l = cache_find(cache, pa);

    return names[l ? l->state : MESI_I];
}

static void say_cache(struct gdb *g, uint32_t value)
{
    const struct machine *m = g->machine;
    pa_t pa;

    if (!memory_translate(g, g->chosen, value, &pa)) {
        say(g, "0x%08" PRIx32 " is not mapped\n", value);
        return;
    }
    say(g, "line of physical 0x%08" PRIx32 "\n",
        pa & ~(m->with.params.line_bytes - 1));
    for (unsigned n = 0; n < m->with.cpus; n++)
        if (m->bus.dcache[n])
            say(g, "CPU %u  data %s  instructions %s\n", n,
                mesi_of(m->bus.dcache[n], pa), mesi_of(m->bus.icache[n], pa));
        else
            say(g, "CPU %u  has no caches in %s mode\n", n,
                m->with.timing->name);
}

static void say_where(struct gdb *g, uint32_t value)
{
    pa_t pa;

    if (memory_translate(g, g->chosen, value, &pa))
        say(g, "0x%08" PRIx32 " is physical 0x%08" PRIx32 "%s\n", value, pa,
            pa < g->machine->ram.size ? "" : ", not memory");
    else
        say(g, "0x%08" PRIx32 " is not mapped\n", value);
}

/* One row of the account. */
struct account {
    struct gdb *g;
    unsigned cpu;
    bool any;
};

static void say_row(void *arg, uint32_t context, uint32_t pc,
                    enum reason reason, uint64_t twelfths)
{
    struct account *a = arg;

    (void)pc;
    a->any = true;
    say(a->g, "CPU %u  context %-6" PRIu32 " %-12s %12.2f cycles\n", a->cpu,
        context, reason_name(reason), (double)twelfths / ORACLE_UNIT);
}

static void say_oracle(struct gdb *g, uint32_t value)
{
    struct machine *m = g->machine;
    struct account a = {.g = g};

    say(g, "cycles charged to 0x%08" PRIx32 " since power-on\n", value & ~3u);
    for (a.cpu = 0; a.cpu < m->with.cpus; a.cpu++) {
        core_flush(&m->core[a.cpu]);
        oracle_look(m->core[a.cpu].oracle, value & ~3u, say_row, &a);
    }
    if (!a.any)
        say(g, "none\n");
}

static void say_help(struct gdb *g, uint32_t value);

static const struct monitor monitors[] = {
    {"help", "", "this", say_help, false},
    {"cpus", "", "what every processor does", say_cpus, false},
    {"pmc", "", "the performance monitor of every processor", say_pmc, false},
    {"cache", " ADDRESS", "state of its line in every cache", say_cache, true},
    {"oracle", " ADDRESS", "where the cycles of its instruction went",
     say_oracle, true},
    {"where", " ADDRESS", "its physical address", say_where, true},
};

#define MONITORS (sizeof monitors / sizeof *monitors)

static void say_help(struct gdb *g, uint32_t value)
{
    (void)value;
    for (unsigned k = 0; k < MONITORS; k++)
        say(g, "monitor %s%-*s %s\n", monitors[k].name,
            15 - (int)strlen(monitors[k].name), monitors[k].args,
            monitors[k].text);
    say(g, "ADDRESS is a number, 0x in front of hexadecimal; it is one of the "
           "chosen thread.\n");
}

void monitor_run(struct gdb *g, char *line)
{
    char *rest = line, *name = strsep(&rest, " ");
    uint64_t value = 0;

    while (rest && *rest == ' ')
        rest++;
    for (unsigned k = 0; k < MONITORS; k++) {
        const struct monitor *m = &monitors[k];

        if (strcmp(m->name, name) != 0)
            continue;
        if (m->wants &&
            (!rest || !text_number(rest, &value) || value > UINT32_MAX))
            say(g, "monitor %s: give an address, such as 0x1000\n", m->name);
        else if (!m->wants && rest && *rest)
            say(g, "monitor %s: takes nothing behind it\n", m->name);
        else
            m->run(g, (uint32_t)value);
        return;
    }
    say(g, "monitor %.40s: not known\n", name);
    say_help(g, 0);
}
