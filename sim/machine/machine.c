/* machine.c - owns everything, plugs it together and decides whose turn it
 * is. Knows no pipeline, no host and no recorder: what goes out and in are
 * wires, and observers are told what happened.
 */
#include "sim/machine/machine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "include/board.h"
#include "sim/config/chip_file.h"
#include "sim/core/timing.h"

_Static_assert(RAM_MAX == BOARD_IO, "memory ends where the devices begin");

/* ---- wires --------------------------------------------------------------- */

static void uart_send(void *arg, uint8_t byte)
{
    struct machine *m = arg;

    if (m->with.host.send)
        m->with.host.send(m->with.host.arg, byte);
}

static void uart_irq(void *arg, bool level, uint64_t at)
{
    struct machine *m = arg;

    pic_line(&m->pic, BOARD_IRQ_UART, level, at);
}

static void pic_pin(void *arg, unsigned cpu, bool level, uint64_t at)
{
    struct machine *m = arg;

    core_irq(&m->core[cpu], level, at);
    m->next[cpu] = core_next(&m->core[cpu]);
}

static void power_off(void *arg, unsigned status, uint64_t at)
{
    struct machine *m = arg;

    (void)at;
    m->end = MACHINE_POWER;
    m->status = status;
}

static void release_start(void *arg, unsigned cpu, uint32_t entry, uint64_t at)
{
    struct machine *m = arg;

    core_start(&m->core[cpu], entry, 0, at);
    m->next[cpu] = core_next(&m->core[cpu]);
}

static uint32_t context_get(void *arg, unsigned cpu)
{
    struct machine *m = arg;

    return m->core[cpu].context;
}

static void context_set(void *arg, unsigned cpu, uint32_t context)
{
    struct machine *m = arg;

    m->core[cpu].context = context;
}

static void trace_record(void *arg, const struct trace_record *r)
{
    struct machine *m = arg;

    OBSERVERS_TELL(&m->observers, record, r);
}

static void core_woken(void *arg, unsigned cpu)
{
    struct machine *m = arg;

    m->next[cpu] = core_next(&m->core[cpu]);
}

/* ---- power-on ------------------------------------------------------------ */

static void attach(struct machine *m, pa_t base, uint32_t size, void *dev,
                   bool (*load)(void *, const struct io_access *, uint32_t *),
                   bool (*store)(void *, const struct io_access *, uint32_t))
{
    iomap_attach(&m->iomap, (struct io_region){base, size, dev, load, store});
}

/* Every device at its addresses, as the rows of the board say. */
static void attach_devices(struct machine *m)
{
#define NUMBER(NAME, value, what)
#define REGISTER(DEVICE, NAME, offset, access, what)
#define IN_CORE(NAME, base, bytes, what)
#define STORE_RW(room) room##_store
#define STORE_RO(room) NULL
#define DEVICE(NAME, room, base, bytes, access, interrupt, compatible, what)   \
    attach(m, base, bytes, &m->room, room##_load, STORE_##access(room));
#include "include/board.def"
#undef NUMBER
#undef REGISTER
#undef IN_CORE
#undef STORE_RW
#undef STORE_RO
#undef DEVICE
}

static bool init_board(struct machine *m, char *why, size_t size)
{
    const struct machine_setup *s = &m->with;
    uint32_t clock = s->params.clock_mhz * 1000000;
    struct info_facts facts = {
        .cpus = s->cpus,
        .ram = s->ram,
        .clock = clock,
        .timebase = clock / machine_tb_cycles(&s->params),
        .tb_cycles = machine_tb_cycles(&s->params),
        .seed = s->params.seed,
        .args = s->args,
        .perfinst = s->metadata.size,
    };
    struct trace_setup port = {
        .cpus = s->cpus,
        .ram = m->ram.bytes,
        .ram_size = m->ram.size,
        .arg = m,
        .record = s->trace_port ? trace_record : NULL,
        .context = context_get,
        .set_context = context_set,
    };

    if (!info_init(&m->info, &facts)) {
        snprintf(why, size, "--append: longer than %d bytes",
                 INFO_ARGS_MAX - 1);
        return false;
    }
    uart_init(&m->uart, m, uart_send, uart_irq);
    pic_init(&m->pic, s->cpus, m, pic_pin);
    m->power = (struct power){m, power_off};
    release_init(&m->release, s->cpus, s->image->entry, m, release_start);
    trace_init(&m->trace, &port);
    m->metadata = s->metadata;
    attach_devices(m);
    return true;
}

static bool init_cores(struct machine *m)
{
    struct core_setup s = {
        .params = &m->with.params,
        .timing = m->with.timing,
        .engine = m->with.engine,
        .ram = &m->ram,
        .decoded = &m->decoded,
        .iomap = &m->iomap,
        .bus = &m->bus,
        .reservations = &m->reservations,
        .wake = {m, core_woken},
        .observers = &m->observers,
        .chip = m->with.chip,
        .host_counters = m->with.host_counters,
        .nhost_counters = m->with.nhost_counters,
        .define = m->with.define,
        .ndefine = m->with.ndefine,
        .supervisor = m->with.supervisor,
        .wide = &m->widened,
        .cores = m->core,
        .ncores = m->with.cpus,
    };

    m->quantum = m->with.timing->quantum(&m->with.params);
    bus_init(&m->bus, &m->with.params, m->with.cpus);
    for (unsigned i = 0; i < m->with.cpus; i++) {
        if (!core_init(&m->core[i], i, &s))
            return false;
        m->next[i] = core_next(&m->core[i]);
    }
    return true;
}

static bool symbol(const void *names, const char *name, uint32_t *from,
                   uint32_t *end)
{
    return names_extent(names, name, from, end);
}

bool machine_read_names(struct machine *m)
{
    if (!m->named)
        m->named = names_open(&m->names, m->with.image);
    return m->named;
}

/* What definitions of events say of the image's names. */
static bool resolve_definitions(struct machine *m, char *why, size_t size)
{
    char near_by[DID_YOU_MEAN_TEXT];
    struct expr_error e;

    if (m->with.ndefine && !machine_read_names(m)) {
        snprintf(why, size, "the host has no memory for the names");
        return false;
    }
    for (unsigned k = 0; k < m->with.ndefine; k++)
        if (!predicate_resolve(&m->with.define[k], symbol, &m->names, &e)) {
            size_t used = strlen(e.why);

            names_near(&m->names, e.name, near_by);
            snprintf(e.why + used, sizeof e.why - used, "%s", near_by);
            machine_misdefined(m->with.define[k].text, &e, why, size);
            return false;
        }
    return true;
}

bool machine_init(struct machine *m, const struct machine_setup *s, char *why,
                  size_t size)
{
    const char *reason;

    assert(s->cpus >= 1 && s->cpus <= MACHINE_CPUS);
    memset(m, 0, sizeof *m);
    m->with = *s;
    m->beat = MACHINE_BEAT;
    if (!ram_init(&m->ram, s->ram, &reason) ||
        !decode_cache_init(&m->decoded, &m->ram, &reason)) {
        snprintf(why, size, "--mem: %s", reason);
        ram_free(&m->ram);
        return false;
    }
    if ((!s->supervisor.enter && !image_load(s->image, &m->ram, why, size)) ||
        !init_board(m, why, size)) {
        m->with.cpus = 0; /* none to free */
        machine_free(m);
        return false;
    }
    if (!resolve_definitions(m, why, size)) {
        m->with.cpus = 0;
        machine_free(m);
        return false;
    }
    if (!init_cores(m)) {
        snprintf(why, size, "the host has no memory for the processors");
        machine_free(m);
        return false;
    }
    if (s->supervisor.enter)
        return true;
    /* Memory is zero at its top, so the first frame has no back chain. */
    core_start(&m->core[0], s->image->entry, m->ram.size - 16, 0);
    m->next[0] = core_next(&m->core[0]);
    return true;
}

void machine_free(struct machine *m)
{
    for (unsigned i = 0; i < m->with.cpus; i++)
        core_free(&m->core[i]);
    decode_cache_free(&m->decoded);
    ram_free(&m->ram);
    widened_free(&m->widened);
    names_close(&m->names);
    m->with.cpus = 0;
}

/* ---- whose turn it is ---------------------------------------------------- */

/* The processor that is behind, and how far it may go. */
static unsigned pick(const struct machine *m, cycle_t *until)
{
    cycle_t least = m->next[0], second = CYCLE_NEVER;
    unsigned first = 0, rival = 0;

    /* The two smallest of (cycle, number), in one pass. */
    for (unsigned i = 1; i < m->with.cpus; i++) {
        cycle_t next = m->next[i];

        if (next < least) {
            second = least;
            rival = first;
            least = next;
            first = i;
        } else if (next < second) {
            second = next;
            rival = i;
        }
    }
    /* At equal cycles the lower number goes first. */
    if (second != CYCLE_NEVER && rival < first)
        second--;
    *until =
        second > CYCLE_NEVER - m->quantum ? CYCLE_NEVER : second + m->quantum;
    return first;
}

static bool all_asleep(const struct machine *m)
{
    for (unsigned i = 0; i < m->with.cpus; i++)
        if (m->next[i] != CYCLE_NEVER)
            return false;
    return true;
}

static bool wants_input(const struct machine *m)
{
    return !m->input_over && uart_wants(&m->uart);
}

static void deliver_input(struct machine *m, cycle_t at)
{
    const struct machine_host *h = &m->with.host;
    uint8_t byte;

    switch (h->receive ? h->receive(h->arg, at, all_asleep(m), &byte)
                       : INPUT_END) {
    case INPUT_BYTE:
        OBSERVERS_TELL(&m->observers, input, at, byte);
        uart_receive(&m->uart, byte, at);
        break;
    case INPUT_END:
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

/* Run processor i, and remember if an observer stopped it half-way. */
static void run_core(struct machine *m, unsigned i, cycle_t until)
{
    core_run(&m->core[i], until);
    m->next[i] = core_next(&m->core[i]);
    m->stopped_by_probe = m->core[i].stopped_by_probe;
    m->turn_cpu = i;
    m->turn_until = until;
    if (m->core[i].state == CORE_STOPPED || m->end != MACHINE_RUNNING)
        note_stop(m, i);
}

void machine_turn(struct machine *m)
{
    cycle_t limit = m->with.max_cycles ? m->with.max_cycles : CYCLE_NEVER;
    cycle_t until;
    unsigned i;

    if (m->stopped_by_probe) {
        run_core(m, m->turn_cpu, m->turn_until);
        return;
    }
    m->turns++;
    i = pick(m, &until);
    if (m->next[i] == CYCLE_NEVER && !wants_input(m)) {
        m->end = MACHINE_ASLEEP;
    } else if (m->next[i] >= limit && m->beat > limit) {
        m->end = MACHINE_CYCLES;
    } else if (m->next[i] >= m->beat) {
        beat(m);
    } else {
        if (until >= m->beat)
            until = m->beat - 1;
        if (until >= limit)
            until = limit - 1;
        run_core(m, i, until);
    }
}

/* ---- the end ------------------------------------------------------------- */

static cycle_t last_cycle(const struct machine *m)
{
    cycle_t end = m->end == MACHINE_CYCLES ? m->with.max_cycles : 0;

    if (m->end == MACHINE_STOPPED || m->end == MACHINE_INSNS)
        end = m->beat - MACHINE_BEAT;
    for (unsigned i = 0; i < m->with.cpus; i++) {
        cycle_t done = core_finished(&m->core[i]);

        end = done > end ? done : end;
    }
    return end;
}

/* Every account up to the same cycle; every count of a mark to its storage. */
static void settle(struct machine *m)
{
    m->cycles = last_cycle(m);
    m->exact = true;
    for (unsigned i = 0; i < m->with.cpus; i++) {
        core_settle(&m->core[i], m->cycles);
        if (oracle_total(m->core[i].oracle) != ORACLE_UNIT * m->cycles)
            m->exact = false;
    }
    for (unsigned i = 0; i < m->with.cpus; i++) {
        pif_flush(&m->core[i].pif);
        pif_gather(&m->core[i].pif, false);
        pif_gather(&m->core[i].pif, true);
    }
}

void machine_finish(struct machine *m)
{
    settle(m);
    OBSERVERS_TELL(&m->observers, end, m->cycles);
}

void machine_run(struct machine *m)
{
    while (m->end == MACHINE_RUNNING)
        machine_turn(m);
    machine_finish(m);
}

void machine_observe(struct machine *m, struct observer *o, bool on)
{
    if (on)
        observers_add(&m->observers, o);
    else
        observers_drop(&m->observers, o);
}

void machine_rest(struct machine *m, unsigned cpu)
{
    OBSERVERS_TELL(&m->observers, rest, &m->core[cpu]);
}

bool machine_pulse(const struct machine *m)
{
    return m->with.host.pulse && m->with.host.pulse(m->with.host.arg, m);
}

uint64_t machine_insns(const struct machine *m)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < m->with.cpus; i++)
        sum += m->core[i].insns;
    return sum;
}

cycle_t machine_now(const struct machine *m)
{
    return m->beat - MACHINE_BEAT;
}
