/* disk.c - a driver of the virtio block device (VIRTIO 1.1, 3.1 and 4.2), as
 * small as one can be: it goes by interrupts, on the CPU that the boot line
 * names, and prints what came of each request. */
#include "tests/sim/bare.h"

#define SIZE 8 /* descriptors */
#define SECTORS 4

struct descriptor {
    u32 low, high, size;
    unsigned short flags, next;
};
static struct descriptor desc[SIZE] __attribute__((aligned(16)));
static volatile unsigned short avail[2 + SIZE + 1];
static volatile struct {
    unsigned short flags, index;
    struct {
        u32 id, size;
    } ring[SIZE];
} used __attribute__((aligned(4)));
static struct {
    u32 type, reserved, sector, high;
} header;
static u8 data[SECTORS * 512] __attribute__((aligned(32)));
static volatile u8 status;
static volatile u32 interrupts, spurious;
static u32 seen;

static u32 swap(u32 v)
{
    return __builtin_bswap32(v);
}

static unsigned short swap16(unsigned v)
{
    return __builtin_bswap16((unsigned short)v);
}

static u32 get(u32 offset)
{
    return swap(in32(BOARD_DISK + offset));
}

static void set(u32 offset, u32 value)
{
    out32(BOARD_DISK + offset, swap(value));
}

static void handler(void)
{
    u32 vector = in32(BOARD_PIC + PIC_CPU + PIC_IACK);

    if (vector == 0x41 && get(VIRTIO_INTERRUPTS)) {
        set(VIRTIO_INTERRUPT_ACK, get(VIRTIO_INTERRUPTS));
        interrupts++;
    } else {
        spurious++;
    }
    out32(BOARD_PIC + PIC_CPU + PIC_EOI, 0);
}

static void describe(u32 n, const volatile void *at, u32 size, u32 flags)
{
    desc[n] = (struct descriptor){swap((u32)at), 0, swap(size), swap16(flags),
                                  swap16(n + 1)};
}

/* Give the chain from descriptor 0 on to the device, and nap until it is done.
 */
static void ask(void)
{
    u32 before = interrupts;

    status = 0xFF;
    avail[2 + swap16(avail[1]) % SIZE] = 0;
    __asm__ volatile("eieio" : : : "memory");
    avail[1] = swap16(swap16(avail[1]) + 1u);
    __asm__ volatile("sync" : : : "memory");
    set(VIRTIO_QUEUE_NOTIFY, 0);
    while (interrupts == before) {
        mtmsr(mfmsr() & ~MSR_EE);
        if (interrupts == before)
            mtmsr(mfmsr() | MSR_EE | MSR_POW);
        mtmsr(mfmsr() | MSR_EE);
    }
}

static void say(const char *what, u32 value)
{
    print(what);
    print_hex(value);
    put('\n');
}

static void request(u32 type, u32 sector, u32 bytes)
{
    header.type = swap(type);
    header.sector = swap(sector);
    describe(0, &header, 16, 1);
    describe(1, data, bytes, type == 1 ? 1 : 3);
    describe(bytes ? 2 : 1, &status, 1, 2);
    ask();
    print("type ");
    put((char)('0' + type));
    say(" status ", status);
    seen++;
    say("used ", swap16(used.index) == seen
                     ? swap(used.ring[(seen - 1) % SIZE].size)
                     : 0xBAD);
}

static u32 sum(void)
{
    u32 s = 0;

    for (u32 n = 0; n < sizeof data; n++)
        s = (s << 5 | s >> 27) + data[n];
    return s;
}

static void start(void)
{
    set(VIRTIO_STATUS, 0);
    set(VIRTIO_STATUS, 3);
    set(VIRTIO_FEATURES_SEL, 0);
    say("features ", get(VIRTIO_FEATURES));
    set(VIRTIO_FEATURES_SEL, 1);
    say("features ", get(VIRTIO_FEATURES));
    set(VIRTIO_DRIVER_SEL, 1);
    set(VIRTIO_DRIVER_FEATURES, 1);
    set(VIRTIO_STATUS, 11);
    say("status ", get(VIRTIO_STATUS));
    set(VIRTIO_QUEUE_SEL, 0);
    set(VIRTIO_QUEUE_NUM, SIZE);
    set(VIRTIO_QUEUE_DESC, (u32)desc);
    set(VIRTIO_QUEUE_DRIVER, (u32)avail);
    set(VIRTIO_QUEUE_DEVICE, (u32)&used);
    set(VIRTIO_QUEUE_READY, 1);
    set(VIRTIO_STATUS, 15);
}

static void interrupts_on(void)
{
    set_vector(0x500, handler);
    out32(BOARD_PIC + PIC_IDR + 0x20 * BOARD_IRQ_DISK, 1);
    out32(BOARD_PIC + PIC_IVPR + 0x20 * BOARD_IRQ_DISK,
          PIC_LEVEL | PIC_HIGH | 5u << PIC_PRIORITY_SHIFT | 0x41);
    out32(BOARD_PIC + PIC_CPU + PIC_CTPR, 0);
    mtmsr(mfmsr() | MSR_EE | MSR_ME);
}

/* A chain that leads back to itself: the device asks to be reset. */
static void loop(void)
{
    describe(0, &header, 16, 1);
    desc[0].next = 0;
    ask();
    say("damaged ", get(VIRTIO_STATUS));
}

static void stored_code(void)
{
    __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0; sync; isync"
                     :
                     : "r"(data)
                     : "memory");
}

/* Does a reservation on the data hold while the device reads sector 0 there?
 * Interrupts are off: nothing else can lose it. */
static u32 reserve(u32 other)
{
    u32 held, word;
    volatile u8 *at = data + other;

    header.type = header.sector = 0;
    describe(0, &header, 16, 1);
    describe(1, data, 512, 3);
    describe(2, &status, 1, 2);
    mtmsr(mfmsr() & ~MSR_EE);
    avail[1] = swap16(swap16(avail[1]) + 1u);
    __asm__ volatile("sync; lwarx %0,0,%1" : "=r"(word) : "r"(at) : "memory");
    set(VIRTIO_QUEUE_NOTIFY, 0);
    while (swap16(used.index) == seen)
        ;
    seen++;
    __asm__ volatile("stwcx. %1,0,%2; mfcr %0"
                     : "=r"(held)
                     : "r"(word), "r"(at)
                     : "cr0", "memory");
    mtmsr(mfmsr() | MSR_EE);
    return held >> 29 & 1;
}

/* What a bus master does besides: code that comes from the disk is what runs,
 * and a reservation is lost by a transfer to its line and by no other. */
static int coherent(void)
{
    u32 (*code)(void) = (u32(*)(void))data;

    for (u32 n = 1; n <= 2; n++) {
        ((u32 *)data)[0] = 0x38600000 | n; /* li r3,n */
        ((u32 *)data)[1] = 0x4e800020;     /* blr */
        stored_code();
        say("code ", code());
        request(n == 1, 7, 512);
        stored_code();
    }
    say("code ", code());
    say("other line ", reserve(1024));
    say("same line ", reserve(64));
    return 0;
}

int _start(void)
{
    char what = *(volatile char *)(BOARD_INFO + INFO_ARGS);
    u32 from, took;

    say("device ", get(VIRTIO_DEVICE));
    if (!get(VIRTIO_DEVICE))
        return 3;
    say("sectors ", swap(in32(BOARD_DISK + VIRTIO_CONFIG)));
    interrupts_on();
    start();
    if (what == 'c')
        return coherent();
    from = timebase();
    request(0, 1, sizeof data);
    took = timebase() - from;
    say("sum ", sum());
    for (u32 n = 0; n < sizeof data; n++)
        data[n] = (u8)(n * 7);
    request(1, 2, sizeof data);
    request(4, 0, 0);
    for (u32 n = 0; n < sizeof data; n++)
        data[n] = 0;
    request(0, 2, sizeof data);
    say("sum ", sum());
    request(8, 0, 20);
    print((char *)data);
    put('\n');
    request(0, 0x7FFFFFFF, 512);
    request(0, 0, 100);
    request(5, 0, 512);
    if (what == 't')
        say("ticks ", took);
    loop();
    start();
    for (seen = 0; avail[1];)
        avail[1] = 0;
    used.index = 0;
    request(0, 0, 512);
    say("spurious ", spurious);
    return 0;
}
