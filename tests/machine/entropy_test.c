/* entropy_test.c - the virtio entropy device: its bytes follow from the seed
 * and go on where they were, also in a machine that was saved; what a driver
 * may write beside that does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "include/board.h"
#include "lib/base/mix.h"
#include "lib/base/snap.h"
#include "sim/dev/entropy.h"
#include "tests/lib/virtio_driver.h"

#define DATA 0x5000u
#define SEED 77u

static struct entropy entropy;
static struct virtio_driver driver = {
    .device = &entropy, .load = entropy_load, .store = entropy_store};
static bool level;
static unsigned written;

static void on_irq(void *arg, bool to, uint64_t at)
{
    (void)arg;
    (void)at;
    assert_int_not_equal(level, to);
    level = to;
}

static void on_touch(void *arg, uint32_t pa, uint32_t size, bool write,
                     uint64_t at)
{
    (void)arg;
    (void)at;
    assert_true(pa <= DRIVER_MEMORY && size <= DRIVER_MEMORY - pa);
    if (write)
        written += size;
}

static int start(void **state)
{
    (void)state;
    memset(driver.memory, 0, sizeof driver.memory);
    level = false;
    entropy = (struct entropy){
        .seed = SEED,
        .virtio = {.memory = {driver.memory, DRIVER_MEMORY, NULL, on_touch},
                   .irq = on_irq}};
    entropy_init(&entropy);
    return 0;
}

static void word_is(uint32_t pa, uint64_t number)
{
    assert_true(driver_read(&driver, pa, 8) == mix64(SEED + number * MIX_STEP));
}

static void ask(uint32_t pa, uint32_t size)
{
    driver_describe(&driver, 0, pa, size, 2, 0);
    driver_offer(&driver, 0);
    driver_set(&driver, VIRTIO_QUEUE_NOTIFY, 0);
}

static void it_is_an_entropy_device(void **state)
{
    struct io_access byte = {VIRTIO_CONFIG, 1, 0, 0};
    uint32_t value = 1;

    (void)state;
    assert_int_equal(driver_get(&driver, VIRTIO_MAGIC), 0x74726976);
    assert_int_equal(driver_get(&driver, VIRTIO_DEVICE), 4);
    assert_int_equal(driver_get(&driver, VIRTIO_FEATURES), 1u << 28);
    assert_true(entropy_load(&entropy, &byte, &value));
    assert_int_equal(value, 0); /* without a configuration */
}

static void bytes_follow_from_the_seed(void **state)
{
    (void)state;
    driver_queue(&driver, 16);
    written = 0;
    ask(DATA, 20);
    word_is(DATA, 1);
    word_is(DATA + 8, 2);
    assert_int_equal(driver_read(&driver, DATA + 16, 8) >> 32, 0);
    assert_int_equal(driver_read(&driver, DRIVER_USED + 2, 2), 1);
    assert_int_equal(driver_read(&driver, DRIVER_USED + 8, 4), 20);
    assert_true(written >= 20);
    assert_true(level);
    driver_set(&driver, VIRTIO_INTERRUPT_ACK, 1);
    assert_false(level);
    ask(DATA, 8); /* of the third word all but four bytes are lost */
    word_is(DATA, 4);
}

static void a_request_gets_no_more_than_a_page(void **state)
{
    (void)state;
    driver_queue(&driver, 16);
    driver_describe(&driver, 0, DATA, 4000, 3, 1);
    driver_describe(&driver, 1, DATA + 0x1000, 4000, 2, 0);
    driver_offer(&driver, 0);
    driver_set(&driver, VIRTIO_QUEUE_NOTIFY, 0);
    assert_int_equal(driver_read(&driver, DRIVER_USED + 8, 4), 4096);
    word_is(DATA + 0x1000, 501);
    assert_int_equal(driver_read(&driver, DATA + 0x1000 + 96, 8), 0);
}

static void it_goes_on_where_it_was_saved(void **state)
{
    struct snap s, l;

    driver_queue(&driver, 16);
    ask(DATA, 8);
    snap_save(&s);
    assert_true(entropy_state(&s, &entropy) && snap_finish(&s));
    start(state);
    snap_load(&l, s.out.byte, s.out.size);
    assert_true(entropy_state(&l, &entropy) && snap_finish(&l));
    level = entropy.virtio.line;
    driver_offer(&driver, 0); /* the one before: the memory is a new one */
    ask(DATA + 8, 8);
    word_is(DATA + 8, 2);
    snap_free(&s);
}

static void damage_asks_for_a_reset(void **state)
{
    (void)state;
    driver_queue(&driver, 16);
    ask(DRIVER_MEMORY - 4, 8);
    assert_true(driver_get(&driver, VIRTIO_STATUS) & 0x40);
    driver_queue(&driver, 16);
    memset(driver.memory + DRIVER_AVAIL, 0, 100);
    ask(DATA, 8);
    assert_false(driver_get(&driver, VIRTIO_STATUS) & 0x40);
    /* More than the queue has: the ring says so, or it would go on for long. */
    driver_put(&driver, DRIVER_AVAIL + 2, 2, 0x8000);
    driver_set(&driver, VIRTIO_QUEUE_NOTIFY, 0);
    assert_true(driver_get(&driver, VIRTIO_STATUS) & 0x40);
}

/* Whatever the registers and the queue's memory hold. */
static void anything_may_be_written(void **state)
{
    unsigned seed = 5, broken = 0, good = 0;

    (void)state;
    for (unsigned n = 0; n < 20000; n++) {
        if (driver_get(&driver, VIRTIO_STATUS) & 0x40 || n % 64 == 0)
            driver_queue(&driver, 16);
        memset(driver.memory + DRIVER_AVAIL, 0, 100);
        entropy.virtio.queue.taken = 0;
        for (unsigned k = 0; k < 4; k++)
            driver_describe(&driver, k, (unsigned)rand_r(&seed) % 66000,
                            1u << rand_r(&seed) % 13,
                            (unsigned)rand_r(&seed) % 8,
                            (unsigned)rand_r(&seed) % 20);
        driver_offer(&driver, (unsigned)rand_r(&seed) % 20);
        if (n % 16 == 5)
            driver_set(&driver, (unsigned)rand_r(&seed) % 64 * 4,
                       (unsigned)rand_r(&seed) >> rand_r(&seed) % 31);
        driver_set(&driver, VIRTIO_QUEUE_NOTIFY, 0);
        broken += (driver_get(&driver, VIRTIO_STATUS) & 0x40) != 0;
        good += driver_read(&driver, DRIVER_USED + 2, 2) != 0;
    }
    assert_true(broken > 1000 && good > 1000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        TEST(it_is_an_entropy_device),
        TEST(bytes_follow_from_the_seed),
        TEST(a_request_gets_no_more_than_a_page),
        TEST(it_goes_on_where_it_was_saved),
        TEST(damage_asks_for_a_reset),
        TEST(anything_may_be_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
