/* turn.c - whose turn it is: the processor that is behind runs until it would
 * pass another, and at every beat the machine looks up.
 */
#include "sim/core/timing.h"
#include "sim/machine/linux.h"
#include "sim/machine/machine_private.h"

#define NUMBERS 8u /* of processors */
_Static_assert(MACHINE_CPUS <= NUMBERS, "a number has three bits");

/* In the order of (cycle, number); CYCLE_NEVER stays behind all. */
static inline uint64_t rank(const struct machine *m, unsigned i)
{
    return m->next[i] * NUMBERS | i;
}

/* The processor that is behind, of so many, and how far it may go. Hosts cannot
 * tell which it will be: no branch. */
static inline unsigned pick(const struct machine *m, unsigned cpus,
                            cycle_t *until)
{
    uint64_t least = rank(m, 0), second = UINT64_MAX;
    cycle_t rival;

#pragma GCC unroll 8
    for (unsigned i = 1; i < cpus; i++) {
        uint64_t is = rank(m, i);
        uint64_t later = is < least ? least : is;

        least = is < least ? is : least;
        second = later < second ? later : second;
    }
    rival = second / NUMBERS;
    if (rival == CYCLE_NEVER / NUMBERS) {
        *until = CYCLE_NEVER;
        return least % NUMBERS;
    }
    /* At equal cycles the lower number goes first. */
    *until = rival - (second % NUMBERS < least % NUMBERS) + m->quantum;
    return least % NUMBERS;
}

static bool all_asleep(const struct machine *m)
{
    for (unsigned i = 0; i < m->with.cpus; i++)
        if (m->next[i] != CYCLE_NEVER)
            return false;
    return true;
}

/* When something comes of itself next: of the disk, or a timer of the interrupt
 * controller. */
static cycle_t devices_due(const struct machine *m)
{
    cycle_t disk = disk_due(&m->disk), timer = pic_due(&m->pic);

    return timer < disk ? timer : disk;
}

static void devices_work(struct machine *m)
{
    if (pic_due(&m->pic) < disk_due(&m->disk))
        pic_work(&m->pic);
    else
        disk_work(&m->disk);
}

static bool is_quiet(const struct machine *m)
{
    return devices_due(m) == CYCLE_NEVER;
}

static bool wants_input(const struct machine *m)
{
    return !m->input_over && uart_wants(&m->uart);
}

static void deliver_input(struct machine *m, cycle_t at)
{
    const struct machine_host *h = &m->with.host;
    uint8_t byte;

    switch (h->receive
                ? h->receive(h->arg, at, all_asleep(m) && is_quiet(m), &byte)
                : INPUT_SILENT) {
    case INPUT_BYTE:
        OBSERVERS_TELL(&m->observers, input, at, byte);
        uart_receive(&m->uart, byte, at);
        break;
    case INPUT_END:
        OBSERVERS_TELL(&m->observers, input_over, at);
        uart_over(&m->uart);
        m->input_over = true;
        break;
    case INPUT_SILENT:
        m->input_over = true;
        break;
    case INPUT_STOP:
        m->end = MACHINE_STOPPED;
        break;
    case INPUT_NONE:
        break;
    }
}

/* Every processor has reached the beat at cycle m->beat. */
static void beat(struct machine *m)
{
    cycle_t at = m->beat;

    m->beat += MACHINE_BEAT;
    OBSERVERS_TELL(&m->observers, beat, at);
    if (wants_input(m))
        deliver_input(m, at);
    OBSERVERS_TELL(&m->observers, settled, at);
    if (m->panic.word)
        linux_beat(m, at);
    if (m->with.max_insns && machine_insns(m) >= m->with.max_insns)
        m->end = MACHINE_INSNS;
    if (at / MACHINE_BEAT % MACHINE_PULSE == 0 && machine_pulse(m))
        m->end = MACHINE_STOPPED;
}

static void note_stop(struct machine *m, unsigned cpu)
{
    const struct core *c = &m->core[cpu];

    m->culprit = cpu;
    if (m->end != MACHINE_RUNNING)
        return;
    if (c->returned) {
        m->end = MACHINE_RETURN;
        m->status = c->cpu.gpr[3] & 0xFF;
    } else if (c->state == CORE_STOPPED) {
        m->end = MACHINE_CHECKSTOP;
    }
}

/* Processor i has run: remember if an observer stopped it half-way. */
static void turn_ends(struct machine *m, unsigned i)
{
    m->stopped_by_probe = m->core[i].stopped_by_probe;
    if (m->core[i].state == CORE_STOPPED || m->end != MACHINE_RUNNING)
        note_stop(m, i);
}

static void run_core(struct machine *m, unsigned i, cycle_t until)
{
    m->next[i] = core_run(&m->core[i], until);
    m->turn_cpu = i;
    m->turn_until = until;
    turn_ends(m, i);
}

void machine_turn(struct machine *m)
{
    cycle_t limit = m->with.max_cycles ? m->with.max_cycles : CYCLE_NEVER;
    cycle_t due = devices_due(m), until;
    unsigned i;

    if (m->modes.stretches && (m->modes.reached || !m->stopped_by_probe))
        modes_look(m);
    if (m->stopped_by_probe) {
        run_core(m, m->turn_cpu, m->turn_until);
        return;
    }
    m->turns++;
    i = pick(m, m->with.cpus, &until);
    if (m->next[i] == CYCLE_NEVER && !wants_input(m) && is_quiet(m)) {
        m->end = MACHINE_ASLEEP;
    } else if (m->next[i] >= due && due < m->beat && due < limit) {
        devices_work(m);
    } else if (m->next[i] >= limit && m->beat > limit) {
        m->end = MACHINE_CYCLES;
    } else if (m->next[i] >= m->beat) {
        beat(m);
    } else {
        if (until >= m->beat)
            until = m->beat - 1;
        if (until >= limit)
            until = limit - 1;
        if (until >= due)
            until = due - 1;
        if (m->modes.stretches)
            until = modes_until(m, i, until);
        run_core(m, i, until);
    }
}

/* Turns of processors in a row, of so many, up to where anything else is due: a
 * device is told something, a processor stops, or observers stop it, in a turn
 * that yields. */
static inline void turns(struct machine *m, unsigned cpus)
{
    bool (*goes_on)(struct core *, cycle_t) = m->core[0].with.timing->goes_on;
    cycle_t end = cycle_min(m->beat, disk_due(&m->disk)), until;
    unsigned i;

    if (m->with.max_cycles)
        end = cycle_min(end, m->with.max_cycles);
    for (i = pick(m, cpus, &until); m->next[i] < end;
         i = pick(m, cpus, &until)) {
        struct core *c = &m->core[i];

        until = cycle_min(until, end - 1);
        m->turns++;
        m->turn_cpu = i;
        m->turn_until = until;
        if (goes_on && goes_on(c, until)) {
            m->next[i] = c->clock;
            continue;
        }
        m->next[i] = core_run(c, until);
        if (c->yield || m->end != MACHINE_RUNNING) {
            turn_ends(m, i);
            return;
        }
    }
}

static void take_turns(struct machine *m)
{
    switch (m->with.cpus) {
    case 1:
        turns(m, 1);
        break;
    case 2:
        turns(m, 2);
        break;
    case 4:
        turns(m, 4);
        break;
    case 8:
        turns(m, 8);
        break;
    default:
        turns(m, m->with.cpus);
        break;
    }
}

void machine_run(struct machine *m)
{
    while (m->end == MACHINE_RUNNING) {
        if (!m->modes.stretches && !m->stopped_by_probe)
            take_turns(m);
        if (m->end == MACHINE_RUNNING)
            machine_turn(m);
    }
    machine_finish(m);
}
