/* machine.c - owns everything: makes it, frees it, subscribes observers, and
 * settles every account at the end. The devices and their wires are in board.c,
 * the order of the processors in turn.c.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "include/record.h"
#include "sim/core/timing.h"
#include "sim/machine/linux.h"
#include "sim/machine/machine_private.h"

/* ---- power-on ------------------------------------------------------------ */

static void core_woken(void *arg, unsigned cpu)
{
    struct machine *m = arg;

    m->next[cpu] = core_next(&m->core[cpu]);
}

static bool init_cores(struct machine *m)
{
    struct core_setup s = {
        .params = &m->with.params,
        .timing = m->with.timing,
        .other = m->with.ndetail ? &timing_detailed : NULL,
        .engine = m->with.engine,
        .memo = m->with.memo,
        .memo_mb = m->with.memo_mb,
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
        .scale = machine_scales(&m->with) ? &m->scale : NULL,
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

uint32_t machine_initrd(const struct machine_setup *s)
{
    if (s->image->is_kernel)
        return linux_initrd(s);
    return s->initrd ? (s->ram - (uint32_t)s->initrd_size) & ~(INITRD_PAGE - 1)
                     : 0;
}

/* The RAM disk goes to the end of memory, behind the image and its stack. */
static bool load_initrd(struct machine *m, char *why, size_t size)
{
    const struct machine_setup *s = &m->with;

    if (!s->initrd)
        return true;
    if (s->initrd_size + INITRD_PAGE > s->ram ||
        machine_initrd(s) < image_end(s->image)) {
        snprintf(why, size,
                 "--initrd: its %zu bytes do not fit into the %u MiB of "
                 "memory beside %s, give more with --mem",
                 s->initrd_size, s->ram >> 20, s->image->name);
        return false;
    }
    memcpy(m->ram.bytes + machine_initrd(s), s->initrd, s->initrd_size);
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
        !load_initrd(m, why, size) ||
        (s->image->is_kernel && !linux_load(m, why, size)) ||
        !board_init(m, why, size)) {
        m->with.cpus = 0; /* none to free */
        machine_free(m);
        return false;
    }
    if (!definitions_resolve(m, why, size)) {
        m->with.cpus = 0;
        machine_free(m);
        return false;
    }
    if (!init_cores(m)) {
        snprintf(why, size, "the host has no memory for the processors");
        machine_free(m);
        return false;
    }
    if (!modes_open(m, why, size)) {
        machine_free(m);
        return false;
    }
    if (s->supervisor.enter)
        return true;
    if (s->image->is_kernel) {
        linux_start(m);
        return true;
    }
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
    medium_free(&m->disk.medium);
    m->with.cpus = 0;
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
    modes_end(m, m->cycles);
    OBSERVERS_TELL(&m->observers, end, m->cycles);
}

/* ---- while it runs ------------------------------------------------------- */

bool machine_read_names(struct machine *m)
{
    if (!m->named)
        m->named = names_open(&m->names, m->with.image);
    if (m->with.image->is_kernel)
        m->names.real = m->with.image->start - m->with.image->entry;
    return m->named;
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

void machine_thread(struct machine *m, const struct thread_note *n)
{
    OBSERVERS_TELL(&m->observers, thread, &m->core[n->cpu], n);
}

uint32_t machine_thread_left(const struct thread_note *n)
{
    switch (n->state) {
    case STATE_USER:
    case STATE_RUNNABLE:
        return THREAD_STATE_READY;
    case STATE_TIMER:
        return THREAD_STATE_SLEEPING;
    case STATE_ENDED:
        return THREAD_STATE_DEAD;
    default:
        return THREAD_STATE_BLOCKED;
    }
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
