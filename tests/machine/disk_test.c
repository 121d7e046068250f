/* disk_test.c - the virtio block device against VIRTIO 1.1: its registers, the
 * shapes that a chain may have and may not, its time, and whatever else a
 * driver may write; and that it is saved in the middle of a request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "include/board.h"
#include "lib/base/snap.h"
#include "sim/dev/disk.h"
#include "tests/lib/virtio_driver.h"

#define SECTORS 100u
#define HEADER 0x4000u
#define STATUS 0x4100u
#define DATA 0x5000u

static struct disk disk;
static struct virtio_driver driver = {
    .device = &disk, .load = disk_load, .store = disk_store};
static struct disk_done last;
static bool level;
static unsigned done, touched;

static void on_irq(void *arg, bool to, uint64_t at)
{
    (void)arg;
    (void)at;
    assert_int_not_equal(level, to);
    level = to;
}

static uint32_t on_context(void *arg, unsigned cpu)
{
    (void)arg;
    return 70 + cpu;
}

static void on_done(void *arg, const struct disk_done *d)
{
    (void)arg;
    last = *d;
    done++;
}

static void on_touch(void *arg, uint32_t pa, uint32_t size, bool write,
                     uint64_t at)
{
    (void)arg;
    (void)at;
    assert_true(pa <= DRIVER_MEMORY && size <= DRIVER_MEMORY - pa);
    touched += write;
}

/* Each sector is full of its number; the last page cannot be had. */
static bool on_read(void *arg, uint64_t at, void *to, size_t size)
{
    (void)arg;
    for (size_t n = 0; n < size; n++)
        ((uint8_t *)to)[n] = (uint8_t)((at + n) / MEDIUM_SECTOR);
    return at < 96 * MEDIUM_SECTOR;
}

static void power_on(struct disk *d)
{
    *d = (struct disk){
        .latency = {.fixed = 1000, .sector = 10, .seed = 1},
        .virtio = {.memory = {driver.memory, DRIVER_MEMORY, NULL, on_touch},
                   .irq = on_irq},
        .to = {NULL, on_context, on_done},
    };
    disk_init(d);
    assert_true(medium_init(&d->medium, SECTORS * MEDIUM_SECTOR,
                            (struct medium_source){NULL, on_read}));
}

static int start(void **state)
{
    (void)state;
    memset(driver.memory, 0, sizeof driver.memory);
    level = false;
    done = 0;
    driver.now = 5000;
    power_on(&disk);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    medium_free(&disk.medium);
    return 0;
}

static uint32_t get(uint32_t offset)
{
    return driver_get(&driver, offset);
}

static void set(uint32_t offset, uint32_t value)
{
    driver_set(&driver, offset, value);
}

static void little(uint32_t pa, unsigned n, uint64_t value)
{
    driver_put(&driver, pa, n, value);
}

static void describe(unsigned n, uint64_t pa, uint32_t size, unsigned flags,
                     unsigned next)
{
    driver_describe(&driver, n, pa, size, flags, next);
}

static void queue(uint32_t num)
{
    driver_queue(&driver, num);
}

static void offer(unsigned head)
{
    driver_offer(&driver, head);
}

static void request(uint32_t type, uint64_t sector)
{
    little(HEADER, 4, type);
    little(HEADER + 8, 8, sector);
    driver.memory[STATUS] = 0xFF;
}

static void work(void)
{
    while (disk_due(&disk) != DISK_IDLE) {
        assert_true(disk_due(&disk) >= driver.now);
        driver.now = disk_due(&disk);
        disk_work(&disk);
    }
}

static bool is_damaged(void)
{
    return get(VIRTIO_STATUS) & 0x40;
}

/* ---- registers ----------------------------------------------------------- */

static void registers_are_those_of_a_block_device(void **state)
{
    struct io_access half = {0, 2, 0, 0}, byte = {VIRTIO_CONFIG, 1, 0, 0};
    uint32_t value;

    (void)state;
    assert_int_equal(get(VIRTIO_MAGIC), 0x74726976);
    assert_int_equal(get(VIRTIO_VERSION), 2);
    assert_int_equal(get(VIRTIO_DEVICE), 2);
    assert_int_equal(get(VIRTIO_QUEUE_NUM_MAX), 128);
    assert_int_equal(get(VIRTIO_CONFIG), SECTORS);
    assert_int_equal(get(VIRTIO_CONFIG + 4), 0);
    assert_int_equal(get(VIRTIO_CONFIG + 12), 126);
    assert_int_equal(get(VIRTIO_CONFIG + 20), 512);
    assert_int_equal(get(VIRTIO_GENERATION), 0);
    assert_false(disk_load(&disk, &half, &value));
    assert_true(disk_load(&disk, &byte, &value));
    assert_int_equal(value, SECTORS);
    set(VIRTIO_QUEUE_SEL, 1);
    assert_int_equal(get(VIRTIO_QUEUE_NUM_MAX), 0);
}

static void features_that_were_not_offered_are_refused(void **state)
{
    (void)state;
    set(VIRTIO_STATUS, 3);
    set(VIRTIO_STATUS, 11); /* without VERSION_1 */
    assert_int_equal(get(VIRTIO_STATUS), 3);
    set(VIRTIO_DRIVER_SEL, 1);
    set(VIRTIO_DRIVER_FEATURES, 3);
    set(VIRTIO_STATUS, 11);
    assert_int_equal(get(VIRTIO_STATUS), 3);
    set(VIRTIO_DRIVER_FEATURES, 1);
    set(VIRTIO_DRIVER_SEL, 0);
    set(VIRTIO_DRIVER_FEATURES, 1u << 29);
    set(VIRTIO_STATUS, 11);
    assert_int_equal(get(VIRTIO_STATUS), 3);
    set(VIRTIO_DRIVER_FEATURES, 1u << 28);
    set(VIRTIO_STATUS, 11);
    assert_int_equal(get(VIRTIO_STATUS), 11);
}

static void an_empty_device_says_so(void **state)
{
    (void)state;
    medium_free(&disk.medium);
    assert_int_equal(get(VIRTIO_DEVICE), 0);
    set(VIRTIO_STATUS, 15);
    assert_int_equal(get(VIRTIO_STATUS), 0);
}

/* ---- requests ------------------------------------------------------------ */

static void a_read_takes_its_time_and_moves_all_at_its_end(void **state)
{
    (void)state;
    queue(16);
    request(DISK_IN, 3);
    describe(0, HEADER, 16, 1, 2);
    describe(2, DATA, 1024, 3, 5);
    describe(5, STATUS, 1, 2, 0);
    offer(0);
    set(VIRTIO_QUEUE_NOTIFY, 0);
    assert_int_equal(disk_due(&disk), 5000 + 1000 + 2 * 10);
    assert_int_equal(driver.memory[DATA], 0);
    assert_false(level);
    work();
    assert_int_equal(driver.memory[DATA], 3);
    assert_int_equal(driver.memory[DATA + 1023], 4);
    assert_int_equal(driver.memory[DATA + 1024], 0);
    assert_int_equal(driver.memory[STATUS], DISK_OK);
    assert_int_equal(driver.memory[DRIVER_USED + 2], 1);
    assert_int_equal(driver.memory[DRIVER_USED + 4], 0);
    assert_int_equal(driver.memory[DRIVER_USED + 8] |
                         driver.memory[DRIVER_USED + 9] << 8,
                     1025);
    assert_true(level);
    assert_int_equal(get(VIRTIO_INTERRUPTS), 1);
    set(VIRTIO_INTERRUPT_ACK, 1);
    assert_false(level);
    assert_int_equal(last.request.context, 71);
    assert_int_equal(last.request.asked, 5000);
    assert_int_equal(last.bytes, 1024);
    assert_int_equal(last.sector, 3);
    assert_int_equal(last.end, 6020);
}

/* The header in three pieces, an indirect table, the status at the end of the
 * data. */
static void a_chain_may_be_cut_anywhere(void **state)
{
    static const struct {
        uint32_t pa, size, flags;
    } piece[] = {{HEADER, 3, 1},    {HEADER + 3, 12, 1}, {HEADER + 15, 1, 1},
                 {DATA, 0, 3},      {DATA, 500, 3},      {DATA + 500, 13, 3},
                 {DATA + 513, 0, 2}};

    (void)state;
    queue(16);
    request(DISK_IN, 9);
    for (unsigned n = 0; n < 7; n++) {
        uint32_t pa = 0x6000 + 16 * n;

        little(pa, 8, piece[n].pa);
        little(pa + 8, 4, piece[n].size);
        little(pa + 12, 2, piece[n].flags);
        little(pa + 14, 2, n + 1);
    }
    describe(7, 0x6000, 7 * 16, 4, 0);
    offer(7);
    little(DRIVER_AVAIL, 2, 1); /* no interrupt wanted */
    set(VIRTIO_QUEUE_NOTIFY, 0);
    work();
    assert_false(is_damaged());
    assert_int_equal(driver.memory[DATA], 9);
    assert_int_equal(driver.memory[DATA + 511], 9);
    assert_int_equal(driver.memory[DATA + 512], DISK_OK);
    assert_int_equal(get(VIRTIO_INTERRUPTS), 0);
}

static uint8_t outcome(uint32_t type, uint64_t sector, uint32_t size,
                       unsigned flags)
{
    request(type, sector);
    describe(0, HEADER, 16, 1, 1);
    describe(1, DATA, size, flags, 2);
    describe(2, STATUS, 1, 2, 0);
    offer(0);
    set(VIRTIO_QUEUE_NOTIFY, 0);
    work();
    assert_false(is_damaged());
    return driver.memory[STATUS];
}

static void what_cannot_be_done_is_an_error_of_the_request(void **state)
{
    (void)state;
    queue(16);
    assert_int_equal(outcome(DISK_IN, SECTORS - 6, 512, 3), DISK_OK);
    assert_int_equal(outcome(DISK_IN, SECTORS - 1, 512, 3), DISK_ERROR);
    assert_int_equal(outcome(DISK_IN, SECTORS, 512, 3), DISK_ERROR);
    assert_int_equal(outcome(DISK_IN, 95, 1024, 3), DISK_ERROR);
    assert_int_equal(outcome(DISK_IN, UINT64_MAX, 512, 3), DISK_ERROR);
    assert_int_equal(outcome(DISK_IN, 1ull << 55, 512, 3), DISK_ERROR);
    assert_int_equal(outcome(DISK_IN, 0, 511, 3), DISK_ERROR);
    assert_int_equal(outcome(DISK_GET_ID, 0, 19, 3), DISK_ERROR);
    assert_int_equal(outcome(99, 0, 512, 3), DISK_UNSUPPORTED);
    assert_int_equal(outcome(DISK_OUT, 7, 512, 1), DISK_OK);
    assert_int_equal(medium_written(&disk.medium, 0), 0);
    assert_int_equal(medium_written(&disk.medium, 1), MEDIUM_NONE);
    disk.read_only = true;
    assert_int_equal(outcome(DISK_OUT, 7, 512, 1), DISK_ERROR);
}

static void requests_are_served_in_their_order(void **state)
{
    (void)state;
    queue(16);
    disk.latency.spread = 100000;
    for (unsigned n = 0; n < 5; n++) {
        request(DISK_FLUSH, 0);
        describe(2 * n, HEADER, 16, 1, 2 * n + 1);
        describe(2 * n + 1, STATUS, 1, 2, 0);
        offer(2 * n);
    }
    set(VIRTIO_QUEUE_NOTIFY, 0);
    for (unsigned n = 0; n < 5; n++) {
        uint64_t due = disk_due(&disk), from = n ? last.end : 5000;

        assert_in_range(due, from + 1000, from + 101000);
        disk_work(&disk);
        assert_int_equal(last.request.head, 2 * n);
        assert_int_equal(last.begin, from);
        driver.now = due;
    }
    assert_int_equal(disk_due(&disk), DISK_IDLE);
}

/* ---- what makes no sense ------------------------------------------------- */

static void expect_damaged(const char *why)
{
    offer(0);
    set(VIRTIO_QUEUE_NOTIFY, 0);
    work();
    if (!is_damaged())
        fail_msg("%s: not noticed", why);
    assert_int_equal(get(VIRTIO_INTERRUPTS) & 2, 2);
    assert_true(level);
    medium_free(&disk.medium);
    start(NULL);
    queue(16);
}

static void damaged_chains_ask_for_a_reset(void **state)
{
    (void)state;
    queue(16);
    describe(0, HEADER, 16, 1, 0);
    expect_damaged("a loop");
    describe(0, HEADER, 16, 1, 16);
    expect_damaged("a descriptor that is not there");
    describe(0, DRIVER_MEMORY - 15, 16, 0, 0);
    expect_damaged("across the end of memory");
    describe(0, UINT64_MAX - 7, 16, 0, 0);
    expect_damaged("around the end of addresses");
    describe(0, STATUS, 1, 3, 1);
    describe(1, HEADER, 16, 0, 0);
    expect_damaged("readable behind writable");
    describe(0, HEADER, 15, 1, 1);
    describe(1, STATUS, 1, 2, 0);
    expect_damaged("a short header");
    describe(0, HEADER, 16, 0, 0);
    expect_damaged("no status");
    describe(0, 0x6000, 24, 4, 0);
    expect_damaged("half a descriptor");
    describe(0, 0x6000, 16, 5, 1);
    expect_damaged("an indirect one that goes on");
    describe(0, DRIVER_DESC, 16, 4, 0);
    expect_damaged("indirect in indirect");
    little(DRIVER_AVAIL + 2, 2, 40);
    expect_damaged("more requests than descriptors");
    little(DRIVER_AVAIL + 4, 2, 16);
    little(DRIVER_AVAIL + 2, 2, 1);
    set(VIRTIO_QUEUE_NOTIFY, 0);
    assert_true(is_damaged());
    set(VIRTIO_STATUS, 0);
    assert_int_equal(get(VIRTIO_STATUS), 0);
    assert_false(level);
}

static void queues_outside_memory_are_not_taken(void **state)
{
    static const struct {
        uint32_t reg, value;
    } bad[] = {
        {VIRTIO_QUEUE_NUM, 0},         {VIRTIO_QUEUE_NUM, 12},
        {VIRTIO_QUEUE_NUM, 256},       {VIRTIO_QUEUE_DESC, 0x1008},
        {VIRTIO_QUEUE_DESC + 4, 1},    {VIRTIO_QUEUE_DRIVER, DRIVER_MEMORY - 8},
        {VIRTIO_QUEUE_DEVICE, 0x3002}, {VIRTIO_QUEUE_DEVICE, DRIVER_MEMORY}};

    (void)state;
    for (unsigned n = 0; n < sizeof bad / sizeof *bad; n++) {
        queue(16);
        assert_false(is_damaged());
        set(VIRTIO_QUEUE_READY, 0);
        set(bad[n].reg, bad[n].value);
        set(VIRTIO_QUEUE_READY, 1);
        assert_true(is_damaged());
        assert_int_equal(get(VIRTIO_QUEUE_READY), 0);
        set(VIRTIO_QUEUE_DESC + 4, 0);
    }
}

/* Anything in the registers, the rings and the chains. Whatever it is, nothing
 * outside memory is touched (on_touch, sanitizers) and it comes to an
 * end. */
static void nothing_that_is_written_breaks_it(void **state)
{
    unsigned seed = 1, finished = 0, broken = 0;

    (void)state;
    for (unsigned n = 0; n < 20000; n++) {
        queue(1u << rand_r(&seed) % 6);
        for (unsigned k = 0; k < 32; k++)
            describe(k,
                     (unsigned)rand_r(&seed) %
                         (DRIVER_MEMORY + DRIVER_MEMORY / 64),
                     1u << rand_r(&seed) % 12, (unsigned)rand_r(&seed) % 8,
                     (unsigned)rand_r(&seed) % 32);
        describe(0, HEADER, 16, 1, 1 + (unsigned)rand_r(&seed) % 31);
        request((unsigned)rand_r(&seed) % 10,
                (unsigned)rand_r(&seed) % (SECTORS + 2));
        memset(driver.memory + DRIVER_AVAIL, 0, 100);
        for (unsigned k = 0; k < 4; k++)
            offer((unsigned)rand_r(&seed) % 8 ? 0 : (unsigned)rand_r(&seed));
        for (unsigned k = 0; k < 8; k++) {
            unsigned at = (unsigned)rand_r(&seed);

            if (at % 4 == 0)
                driver.memory[at / 4 % DRIVER_MEMORY] = (uint8_t)rand_r(&seed);
            else if (at % 32 == 1)
                set((unsigned)rand_r(&seed) % 128 * 4,
                    (unsigned)rand_r(&seed) >> rand_r(&seed) % 31);
        }
        set(VIRTIO_QUEUE_NOTIFY, 0);
        work();
        broken += is_damaged();
    }
    finished = done;
    assert_true(finished > 1000 && broken > 1000);
}

/* ---- saved state --------------------------------------------------------- */

static void it_is_saved_in_the_middle_of_a_request(void **state)
{
    static struct disk other;
    static uint8_t before[DRIVER_MEMORY], after[DRIVER_MEMORY];
    struct snap s;

    (void)state;
    queue(16);
    memset(driver.memory + DATA, 0x5A, 512);
    assert_int_equal(outcome(DISK_OUT, 20, 512, 1), DISK_OK);
    request(DISK_IN, 20);
    describe(0, HEADER, 16, 1, 1);
    describe(1, DATA + 4096, 1024, 3, 2);
    describe(2, STATUS, 1, 2, 0);
    offer(0);
    set(VIRTIO_QUEUE_NOTIFY, 0);
    snap_save(&s);
    assert_true(disk_state(&s, &disk) && snap_finish(&s));
    memcpy(before, driver.memory, DRIVER_MEMORY);
    work();
    memcpy(after, driver.memory, DRIVER_MEMORY);
    assert_int_equal(driver.memory[DATA + 4096], 0x5A);
    assert_int_equal(driver.memory[DATA + 4096 + 512], 21);
    memcpy(driver.memory, before, DRIVER_MEMORY);
    power_on(&other);
    {
        struct snap l;

        snap_load(&l, s.out.byte, s.out.size);
        assert_true(disk_state(&l, &other) && snap_finish(&l));
        assert_int_equal(disk_due(&other), last.end);
        level = other.virtio.line;
        disk_work(&other);
    }
    assert_memory_equal(driver.memory, after, DRIVER_MEMORY);
    level = disk.virtio.line;
    medium_free(&other.medium);
    snap_free(&s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(registers_are_those_of_a_block_device),
        TEST(features_that_were_not_offered_are_refused),
        TEST(an_empty_device_says_so),
        TEST(a_read_takes_its_time_and_moves_all_at_its_end),
        TEST(a_chain_may_be_cut_anywhere),
        TEST(what_cannot_be_done_is_an_error_of_the_request),
        TEST(requests_are_served_in_their_order),
        TEST(damaged_chains_ask_for_a_reset),
        TEST(queues_outside_memory_are_not_taken),
        TEST(nothing_that_is_written_breaks_it),
        TEST(it_is_saved_in_the_middle_of_a_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
