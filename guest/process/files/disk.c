/* disk.c - the disk: a virtio block device with memory-mapped registers
 * (docs/board.md; VIRTIO 1.1, sections 2.6, 4.2 and 5.2). Everything that the
 * device reads is little-endian.
 *
 * One who asks takes a slot, which has descriptors of the queue, and sleeps.
 * The device interrupts CPU 0 as other CPUs do: it looks at its flags, and so a
 * hook looks which requests are done. sched_lock guards all of it.
 */
#include "guest/process/disk.h"

#include "guest/kernel/hook.h"

#define QUEUE 128 /* descriptors */
#define SLOTS (QUEUE / 4)

enum { ACKNOWLEDGE = 1, DRIVER = 2, DRIVER_OK = 4, FEATURES_OK = 8 };
enum { DESCRIPTOR_NEXT = 1, DESCRIPTOR_IN = 2 };
#define BLOCK_DEVICE 2
#define READ_ONLY (1u << 5) /* features */
#define VERSION_1 1u        /* bit 32 */

static struct {
    uint32_t place, place_high, bytes;
    uint16_t flags, next;
} descriptor[QUEUE] __attribute__((aligned(16)));

static struct {
    uint16_t flags;
    volatile uint16_t count;
    uint16_t ring[QUEUE];
} asked;

static struct {
    uint16_t flags;
    volatile uint16_t count;
    struct {
        uint32_t head, bytes;
    } ring[QUEUE];
} served __attribute__((aligned(4)));

static struct slot {
    uint32_t header[4]; /* what, -, sector, its high word */
    volatile uint8_t status;
    bool taken, done;
    struct waitq waiter;
} slots[SLOTS];

static struct waitq want_slot;
static uint16_t asks, seen; /* requests */
static uint32_t bytes_all;
static bool read_only;

static uint32_t disk_get(uint32_t reg)
{
    return __builtin_bswap32(io_read(BOARD_DISK + reg));
}

static void disk_set(uint32_t reg, uint32_t value)
{
    io_write(BOARD_DISK + reg, __builtin_bswap32(value));
}

uint32_t disk_bytes(void)
{
    return bytes_all;
}

bool disk_read_only(void)
{
    return read_only;
}

bool disk_busy(void)
{
    return asks != seen;
}

/* At the end of every exception. */
static void look(struct cpu *c, const struct thread *unused)
{
    uint32_t flags = c->number ? 0 : disk_get(VIRTIO_INTERRUPTS), msr;

    (void)unused;
    if (!flags)
        return;
    disk_set(VIRTIO_INTERRUPT_ACK, flags);
    msr = sched_lock();
    for (; seen != __builtin_bswap16(served.count); seen++) {
        uint32_t head = __builtin_bswap32(served.ring[seen % QUEUE].head);
        struct slot *s = &slots[head / 4];

        s->done = true;
        thread_wake(&s->waiter);
    }
    sched_unlock(msr);
}

void disk_init(void)
{
    static struct hook hook = {.call = look};
    uint64_t bytes;

    if (disk_get(VIRTIO_DEVICE) != BLOCK_DEVICE)
        return;
    disk_set(VIRTIO_STATUS, 0);
    disk_set(VIRTIO_STATUS, ACKNOWLEDGE | DRIVER);
    read_only = disk_get(VIRTIO_FEATURES) & READ_ONLY;
    disk_set(VIRTIO_DRIVER_FEATURES, read_only ? READ_ONLY : 0);
    disk_set(VIRTIO_DRIVER_SEL, 1);
    disk_set(VIRTIO_DRIVER_FEATURES, VERSION_1);
    disk_set(VIRTIO_STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
    disk_set(VIRTIO_QUEUE_NUM, QUEUE);
    disk_set(VIRTIO_QUEUE_DESC, (uint32_t)descriptor);
    disk_set(VIRTIO_QUEUE_DRIVER, (uint32_t)&asked);
    disk_set(VIRTIO_QUEUE_DEVICE, (uint32_t)&served);
    disk_set(VIRTIO_QUEUE_READY, 1);
    disk_set(VIRTIO_STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
    bytes =
        (uint64_t)disk_get(VIRTIO_CONFIG + 4) << 32 | disk_get(VIRTIO_CONFIG);
    bytes_all = bytes < INT32_MAX / SECTOR ? (uint32_t)bytes * SECTOR
                                           : INT32_MAX & ~(SECTOR - 1);
    pic_source(BOARD_IRQ_DISK);
    hook_add(&trap_hooks, &hook);
}

static void describe(unsigned n, const volatile void *place, uint32_t bytes,
                     uint16_t flags, unsigned next)
{
    descriptor[n].place = __builtin_bswap32((uint32_t)place);
    descriptor[n].bytes = __builtin_bswap32(bytes);
    descriptor[n].flags = __builtin_bswap16(flags);
    descriptor[n].next = __builtin_bswap16((uint16_t)next);
}

/* Hand the slot's request to the device. */
static void ask(struct slot *s, enum disk_request what, uint32_t sector,
                uint32_t at, uint32_t bytes)
{
    unsigned n = (unsigned)(s - slots) * 4;

    s->header[0] = __builtin_bswap32(what);
    s->header[2] = __builtin_bswap32(sector);
    describe(n, s->header, sizeof s->header, DESCRIPTOR_NEXT,
             bytes ? n + 1 : n + 2);
    describe(n + 1, (const void *)at, bytes,
             DESCRIPTOR_NEXT | (what == DISK_READ ? DESCRIPTOR_IN : 0), n + 2);
    describe(n + 2, &s->status, 1, DESCRIPTOR_IN, 0);
    asked.ring[asks++ % QUEUE] = __builtin_bswap16((uint16_t)n);
    __asm__ volatile("sync" : : : "memory");
    asked.count = __builtin_bswap16(asks);
    __asm__ volatile("sync" : : : "memory");
    disk_set(VIRTIO_QUEUE_NOTIFY, 0);
}

static struct slot *slot_free(void)
{
    for (struct slot *s = slots; s < slots + SLOTS; s++) {
        if (!s->taken)
            return s;
    }
    return NULL;
}

bool disk_request(enum disk_request what, uint32_t sector, uint32_t at,
                  uint32_t bytes)
{
    uint32_t msr = sched_lock();
    struct slot *s;
    bool good;

    while (!(s = slot_free()))
        thread_block(&want_slot);
    s->taken = true;
    s->done = false;
    ask(s, what, sector, at, bytes);
    while (!s->done) {
        will_wait(STATE_IO, OBJECT_DEVICE, BOARD_DISK, 0);
        thread_block(&s->waiter);
    }
    good = !s->status;
    s->taken = false;
    thread_wake(&want_slot);
    sched_unlock(msr);
    return good;
}
