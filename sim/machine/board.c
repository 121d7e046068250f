/* board.c - the board: every device at its addresses, and the wires between
 * them, the processors and the world outside.
 */
#include <stdio.h>

#include "include/board.h"
#include "sim/core/snoop.h"
#include "sim/machine/machine_private.h"

_Static_assert(RAM_MAX == BOARD_IO, "memory ends where the devices begin");

uint32_t machine_tb_cycles(const struct params *p)
{
    return p->bus_ratio * p->tb_bus;
}

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

/* ---- devices ------------------------------------------------------------- */

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

/* ---- masters of the bus ------------------------------------------------------------ */

static void disk_irq(void *arg, bool level, uint64_t at)
{
    struct machine *m = arg;

    pic_line(&m->pic, BOARD_IRQ_DISK, level, at);
}

static void entropy_irq(void *arg, bool level, uint64_t at)
{
    struct machine *m = arg;

    pic_line(&m->pic, BOARD_IRQ_ENTROPY, level, at);
}

static void disk_done(void *arg, const struct disk_done *d)
{
    struct machine *m = arg;

    OBSERVERS_TELL(&m->observers, disk, d);
}

/* A device reads or has written memory: as with a store by a processor,
 * reservations are lost and decoded records forgotten; caches are snooped. */
static void bus_touch(void *arg, uint32_t pa, uint32_t size, bool write,
                      uint64_t at)
{
    struct machine *m = arg;
    struct reservations *r = &m->reservations;
    uint32_t line = m->with.params.line_bytes;

    if (!size)
        return;
    snoop_master(m->core, m->with.cpus, write ? BUS_KILL : BUS_CLEAN, pa, size,
                 at);
    if (!write)
        return;
    for (unsigned n = 0; n < m->with.cpus; n++)
        if (r->mask >> n & 1 && r->line[n] + line > pa &&
            r->line[n] < pa + size)
            r->mask &= ~(1u << n);
    for (uint32_t page = pa / DECODE_PAGE;
         page <= (pa + size - 1) / DECODE_PAGE; page++)
        if (decode_cache_code(&m->decoded, page * DECODE_PAGE)) {
            decode_cache_forget(&m->decoded, pa, size);
            return;
        }
}

static struct dma_memory bus_master(struct machine *m)
{
    return (struct dma_memory){m->ram.bytes, m->ram.size, m, bus_touch};
}

static bool open_disk(struct machine *m, char *why, size_t size)
{
    const struct machine_disk *k = &m->with.disk;
    const struct params *p = &m->with.params;

    m->disk.read_only = k->read_only;
    m->disk.latency = (struct disk_latency){p->disk_fixed,
                                            p->disk_sector,
                                            p->disk_spread,
                                            p->seed,
                                            m->with.what_if.disk.set,
                                            m->with.what_if.disk.millionths};
    m->disk.virtio.memory = bus_master(m);
    m->disk.virtio.arg = m;
    m->disk.virtio.irq = disk_irq;
    m->disk.to = (struct disk_wires){m, context_get, disk_done};
    disk_init(&m->disk);
    if (medium_init(&m->disk.medium, k->size, k->source))
        return true;
    snprintf(why, size, "--disk: " RAM_NO_ROOM);
    return false;
}

static void open_entropy(struct machine *m)
{
    m->entropy.seed = (uint64_t)m->with.params.seed << 32;
    m->entropy.virtio.memory = bus_master(m);
    m->entropy.virtio.arg = m;
    m->entropy.virtio.irq = entropy_irq;
    entropy_init(&m->entropy);
}

bool board_init(struct machine *m, char *why, size_t size)
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
        .initrd = machine_initrd(s),
        .initrd_bytes = (uint32_t)s->initrd_size,
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
    pic_init(&m->pic, s->cpus, facts.tb_cycles, m, pic_pin);
    m->power = (struct power){m, power_off};
    m->rtas = (struct rtas){.memory = bus_master(m),
                            .clock = clock,
                            .epoch = s->params.user_epoch,
                            .arg = m,
                            .off = power_off};
    release_init(&m->release, s->cpus, s->image->entry, m, release_start);
    trace_init(&m->trace, &port);
    m->metadata = s->metadata;
    if (!open_disk(m, why, size))
        return false;
    open_entropy(m);
    attach_devices(m);
    return true;
}
