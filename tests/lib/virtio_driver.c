/* virtio_driver.c - VIRTIO 1.1, 2.6 and 3.1, as a driver does it. */
#include "tests/lib/virtio_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "include/board.h"

uint32_t driver_get(struct virtio_driver *d, uint32_t offset)
{
    struct io_access a = {offset, 4, 1, d->now};
    uint32_t value;

    assert_true(d->load(d->device, &a, &value));
    return __builtin_bswap32(value);
}

void driver_set(struct virtio_driver *d, uint32_t offset, uint32_t value)
{
    struct io_access a = {offset, 4, 1, d->now};

    assert_true(d->store(d->device, &a, __builtin_bswap32(value)));
}

void driver_put(struct virtio_driver *d, uint32_t pa, unsigned n,
                uint64_t value)
{
    for (unsigned k = 0; k < n; k++)
        d->memory[pa + k] = (uint8_t)(value >> 8 * k);
}

uint64_t driver_read(const struct virtio_driver *d, uint32_t pa, unsigned n)
{
    uint64_t value = 0;

    while (n-- > 0)
        value = value << 8 | d->memory[pa + n];
    return value;
}

void driver_describe(struct virtio_driver *d, unsigned n, uint64_t pa,
                     uint32_t size, unsigned flags, unsigned next)
{
    driver_put(d, DRIVER_DESC + 16 * n, 8, pa);
    driver_put(d, DRIVER_DESC + 16 * n + 8, 4, size);
    driver_put(d, DRIVER_DESC + 16 * n + 12, 2, flags);
    driver_put(d, DRIVER_DESC + 16 * n + 14, 2, next);
}

void driver_queue(struct virtio_driver *d, uint32_t num)
{
    driver_set(d, VIRTIO_STATUS, 0);
    driver_set(d, VIRTIO_STATUS, 3);
    driver_set(d, VIRTIO_DRIVER_SEL, 1);
    driver_set(d, VIRTIO_DRIVER_FEATURES, 1);
    driver_set(d, VIRTIO_STATUS, 11);
    assert_int_equal(driver_get(d, VIRTIO_STATUS), 11);
    driver_set(d, VIRTIO_QUEUE_NUM, num);
    driver_set(d, VIRTIO_QUEUE_DESC, DRIVER_DESC);
    driver_set(d, VIRTIO_QUEUE_DRIVER, DRIVER_AVAIL);
    driver_set(d, VIRTIO_QUEUE_DEVICE, DRIVER_USED);
    driver_set(d, VIRTIO_QUEUE_READY, 1);
    driver_set(d, VIRTIO_STATUS, 15);
}

void driver_offer(struct virtio_driver *d, unsigned head)
{
    unsigned index = (unsigned)driver_read(d, DRIVER_AVAIL + 2, 2);

    driver_put(d, DRIVER_AVAIL + 4 + 2 * (index % 16), 2, head);
    driver_put(d, DRIVER_AVAIL + 2, 2, index + 1);
}
