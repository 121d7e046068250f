/* gdb.c - when the machine stops and goes on.
 * The observer compares; the loop talks to the debugger between two turns of
 * the machine, or within one that the observer has stopped.
 */
#include "sim/gdb/gdb.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gdb/stub.h"

cycle_t gdb_now(const struct gdb *g)
{
    const struct machine *m = g->machine;
    cycle_t last = machine_now(m), at = m->core[m->turn_cpu].clock;

    return at > last ? at : last;
}

/* ---- where the machine is ------------------------------------------------ */

/* The turn that is half done, or the one to come. */
static uint64_t next_turn(const struct gdb *g)
{
    return g->machine->turns + !g->machine->stopped_by_probe;
}

static unsigned step_of(const struct gdb *g)
{
    return g->machine->stopped_by_probe ? g->step : 0;
}

/* In front of an instruction: for the first time, or after a hold again. */
static void count_before(struct gdb *g)
{
    if (g->turn != g->machine->turns) {
        g->turn = g->machine->turns;
        g->step = 0;
    }
    g->step |= 1;
}

/* Is the next write of a recording due here? */
static bool poke_due(const struct gdb *g, uint64_t turn, unsigned step)
{
    const struct replay_poke *p = g->replay ? replay_poke(g->replay) : NULL;

    return p && p->turn == turn && p->step == step;
}

void gdb_note(struct gdb *g, unsigned cpu, const char *format, ...)
{
    char text[256], line[384];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(line, sizeof line, "debug %llu %u %llu %u %s\n",
             (unsigned long long)gdb_now(g), cpu,
             (unsigned long long)next_turn(g), step_of(g), text);
    OBSERVERS_TELL(&g->machine->observers, debugged, line);
}

/* ---- looking at instructions --------------------------------------------- */

static uint64_t filter_bit(ea_t pc)
{
    return UINT64_C(1) << (pc >> 2 & 63);
}

static bool break_at(const struct gdb *g, ea_t pc, uint8_t *kind)
{
    if (!(g->derived & filter_bit(pc)))
        return false;
    for (unsigned k = 0; k < g->nbreaks; k++)
        if (g->breaks[k].pc == pc) {
            *kind = g->breaks[k].kind;
            return true;
        }
    return false;
}

/* A PowerPC meets a watchpoint in front of the access, and gdb knows: it makes
 * the step itself and then compares. */
static bool watched(const struct gdb *g, const struct cpu *c,
                    const struct insn *i, struct gdb_stop *stop)
{
    struct gdb_watch a;

    if (!g->nwatches || !point_access(c, i, &a))
        return false;
    for (unsigned k = 0; k < g->nwatches; k++) {
        const struct gdb_watch *w = &g->watches[k];

        if ((w->kind != GDB_ACCESS && w->kind != a.kind) ||
            (a.from - w->from >= w->size && w->from - a.from >= a.size))
            continue;
        stop->why = STOP_WATCH;
        stop->kind = w->kind;
        stop->ea = a.from - w->from < w->size ? a.from : w->from;
        return true;
    }
    return false;
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct gdb *g = arg;
    struct gdb_stop stop = {STOP_NONE, c->number, 0, 0, c->cpu.pc};
    int reported = STOP_NONE;

    (void)at;
    count_before(g);
    if (g->replay)
        return poke_due(g, g->turn, g->step);
    if (g->stop.why != STOP_NONE)
        return true;
    if (g->reported != STOP_NONE && g->reported_cpu == c->number) {
        reported = g->reported_pc == c->cpu.pc ? g->reported : STOP_NONE;
        g->reported = STOP_NONE;
    }
    if (reported == STOP_WATCH)
        return false;
    if (reported != STOP_BREAK && break_at(g, c->cpu.pc, &stop.kind))
        stop.why = STOP_BREAK;
    else if (!watched(g, &c->cpu, i, &stop))
        return false;
    g->stop = stop;
    return true;
}

static bool steps_on(const struct gdb *g, const struct core *c)
{
    unsigned n = c->number;

    return g->ranging >> n & 1 && c->cpu.pc >= g->range_from[n] &&
           c->cpu.pc < g->range_to[n];
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct gdb *g = arg;

    (void)pc;
    (void)at;
    (void)done;
    g->step++;
    if (g->replay)
        return poke_due(g, g->turn, g->step);
    if (g->stop.why == STOP_NONE && g->stepping >> c->number & 1 &&
        !steps_on(g, c))
        g->stop = (struct gdb_stop){.why = STOP_STEP, .cpu = c->number};
    return g->stop.why != STOP_NONE;
}

/* A breakpoint or watchpoint came or went, or stepping changed. */
static void gdb_arm(struct gdb *g)
{
    bool armed = g->nbreaks || g->nwatches || g->stepping;

    g->derived = 0;
    for (unsigned k = 0; k < g->nbreaks; k++)
        g->derived |= filter_bit(g->breaks[k].pc);
    machine_observe(g->machine, &g->observer, armed);
    if (!armed)
        g->reported = STOP_NONE;
}

/* ---- talking ------------------------------------------------------------- */

/* The debugger has gone: nothing of it stays. */
static void forget(struct gdb *g)
{
    g->nbreaks = g->nwatches = 0;
    g->stepping = g->ranging = 0;
    g->reported = STOP_NONE;
    g->stop.why = STOP_NONE;
    g->stopped = false;
    gdb_arm(g);
}

static void end(struct gdb *g)
{
    g->stopped = false;
    if (g->machine->end == MACHINE_RUNNING)
        g->machine->end = MACHINE_STOPPED;
}

/* The instruction in front of which it stopped is not done yet; the same
 * breakpoint or watchpoint must not stop it again at once. */
static void resume(struct gdb *g)
{
    const struct gdb_stop *s = &g->stop;

    g->reported =
        s->why == STOP_BREAK || s->why == STOP_WATCH ? (int)s->why : STOP_NONE;
    g->reported_cpu = s->cpu;
    g->reported_pc = s->pc;
    g->stop.why = STOP_NONE;
    g->stopped = false;
    gdb_arm(g);
}

/* One event of the link while the machine stands still. */
static void hear(struct gdb *g, enum link_event event)
{
    switch (event) {
    case LINK_PACKED:
        if (command_run(g))
            resume(g);
        if (g->killed)
            end(g);
        break;
    case LINK_CLOSED:
        forget(g);
        break;
    case LINK_SIGNAL:
        end(g);
        break;
    default:
        break; /* a break: it stands still already */
    }
}

/* Stand still until the debugger wants to go on or has gone. */
static void talk(struct gdb *g, bool report)
{
    struct machine *m = g->machine;

    g->stopped = true;
    g->stepping = g->ranging = 0;
    g->chosen = g->stop.cpu;
    g->resumed = MACHINE_CPUS;
    if (machine_pulse(m)) /* show what was printed */
        end(g);
    OBSERVERS_TELL(&m->observers, halted, gdb_now(g));
    if (report && g->stopped)
        command_report(g);
    while (g->stopped)
        hear(g, link_next(&g->link, true));
}

static void stop_here(struct gdb *g, int why, bool report)
{
    g->stop = (struct gdb_stop){.why = why, .cpu = g->machine->turn_cpu};
    talk(g, report);
}

/* One event of the link while the machine runs. */
static void overhear(struct gdb *g, enum link_event event)
{
    switch (event) {
    case LINK_OPENED:
        stop_here(g, STOP_START, false);
        break;
    case LINK_BREAK:
        stop_here(g, STOP_INTERRUPT, true);
        break;
    case LINK_CLOSED:
        forget(g);
        break;
    default:
        break; /* packets have to wait for a stop; signals are not for us */
    }
}

bool gdb_poll(struct gdb *g)
{
    enum link_event event;

    do {
        event = link_next(&g->link, false);
        overhear(g, event);
    } while (event == LINK_PACKED && g->machine->end == MACHINE_RUNNING);
    return g->machine->end == MACHINE_RUNNING;
}

int gdb_file(const struct gdb *g)
{
    return link_file(&g->link);
}

/* ---- running ------------------------------------------------------------- */

/* Ends that deserve a look at the machine as it was. */
static bool ended_badly(const struct gdb *g)
{
    const struct machine *m = g->machine;

    return m->end == MACHINE_CHECKSTOP || m->end == MACHINE_ASLEEP ||
           (m->end == MACHINE_EXIT && m->signal);
}

static void last_words(struct gdb *g)
{
    if (g->link.fd < 0)
        return;
    if (ended_badly(g)) {
        g->stop =
            (struct gdb_stop){.why = STOP_END, .cpu = g->machine->culprit};
        talk(g, true);
    }
    if (g->link.fd >= 0 && !g->killed) {
        g->stop.why = STOP_NONE;
        command_report(g);
    }
}

void gdb_run(struct gdb *g)
{
    struct machine *m = g->machine;

    while (m->end == MACHINE_RUNNING && g->link.fd < 0)
        if (link_next(&g->link, true) == LINK_SIGNAL)
            end(g);
    if (m->end == MACHINE_RUNNING)
        stop_here(g, STOP_START, false);
    while (m->end == MACHINE_RUNNING) {
        machine_turn(m);
        if (g->stop.why != STOP_NONE && m->end == MACHINE_RUNNING) {
            talk(g, true);
        } else if (m->beat != g->looked) {
            g->looked = m->beat;
            gdb_poll(g);
        }
    }
    last_words(g);
    machine_finish(m);
}

/* ---- a recorded run ------------------------------------------------------ */

/* Write what a debugger wrote. */
static void poke(struct gdb *g)
{
    const struct replay_poke *p = &g->replay->pokes[g->replay->poked++];
    unsigned n = 0;

    if (p->cpu >= g->machine->with.cpus)
        return; /* that is not recorded */
    if (!p->name[0]) {
        memory_write(g, p->cpu, p->ea, p->bytes, p->size);
        return;
    }
    while (n < regs_count() && strcmp(regs_name(n), p->name) != 0)
        n++;
    if (n < regs_count())
        regs_write(g, p->cpu, n, p->value);
}

/* The observer is there in the turns in which something is to be written. */
static void rerun(struct gdb *g)
{
    struct machine *m = g->machine;
    bool armed = false;

    while (m->end == MACHINE_RUNNING) {
        const struct replay_poke *p;
        bool arm;

        while (poke_due(g, next_turn(g), step_of(g)))
            poke(g);
        p = replay_poke(g->replay);
        arm = p && p->turn == next_turn(g);
        if (arm != armed)
            machine_observe(m, &g->observer, arm);
        armed = arm;
        machine_turn(m);
    }
    machine_observe(m, &g->observer, false);
    machine_finish(m);
}

static void init(struct gdb *g, struct machine *m)
{
    memset(g, 0, sizeof *g);
    g->machine = m;
    g->resumed = MACHINE_CPUS;
    g->observer = (struct observer){.arg = g, .before = before, .after = after};
}

/* A question about the account means the whole run, also the part that has
 * gone to the disk. */
static void keep_accounts(struct machine *m)
{
    for (unsigned n = 0; n < m->with.cpus; n++)
        oracle_keep(m->core[n].oracle);
}

bool gdb_open(struct gdb *g, const char *where, struct machine *m, int signals,
              char *why, size_t size)
{
    init(g, m);
    keep_accounts(m);
    return link_open(&g->link, where, signals, why, size);
}

void gdb_adopt(struct gdb *g, struct machine *m, int fd)
{
    init(g, m);
    keep_accounts(m);
    link_adopt(&g->link, fd);
}

void gdb_rerun(struct gdb *g, struct machine *m, struct replay *r)
{
    init(g, m);
    link_adopt(&g->link, -1);
    g->replay = r;
    rerun(g);
}

void gdb_close(struct gdb *g)
{
    if (!g->machine)
        return;
    machine_observe(g->machine, &g->observer, false);
    link_close(&g->link);
    g->machine = NULL;
}
