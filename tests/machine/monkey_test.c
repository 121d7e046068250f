/* monkey_test.c - a monkey at the bus: any address, size and value to every
 * device of a whole machine. Nothing breaks, no answer is wider than what was
 * asked for, and every core hears what its pin says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "include/board.h"
#include "sim/observe/recorder.h"
#include "tests/lib/scratch.h"
#include "sim/core/timing.h"

#define ROUNDS 300000

static uint64_t seed;
static unsigned sent;

static uint32_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static void on_send(void *arg, uint8_t byte)
{
    (void)arg;
    (void)byte;
    sent++;
}

static enum machine_input on_receive(void *arg, cycle_t at, bool asleep,
                                     uint8_t *byte)
{
    (void)arg;
    (void)at;
    (void)asleep;
    *byte = 'x';
    return INPUT_BYTE;
}

static bool on_pulse(void *arg, const struct machine *m)
{
    (void)arg;
    (void)m;
    return false;
}

/* Near a register most of the time. */
static pa_t draw_address(void)
{
    static const pa_t near[] = {
        BOARD_PIC,
        BOARD_PIC + PIC_FRR,
        BOARD_PIC + PIC_IPIVPR,
        BOARD_PIC + PIC_IVPR,
        BOARD_PIC + PIC_CPU,
        BOARD_PIC + PIC_CPU + 0x1000,
        BOARD_PIC + PIC_CPU + 0x7000,
        BOARD_UART,
        BOARD_POWER,
        BOARD_TRACE,
        BOARD_TRACE + 3 * BOARD_TRACE_STRIDE,
        BOARD_RELEASE,
        BOARD_INFO,
        BOARD_INFO + INFO_ARGS,
    };
    pa_t base = near[draw() % (sizeof near / sizeof near[0])];

    if (draw() % 50 == 0)
        return BOARD_IO + draw() % (0u - BOARD_IO);
    return base + draw() % (draw() % 2 ? 16 : 256);
}

static uint32_t draw_value(void)
{
    switch (draw() % 4) {
    case 0:
        return draw();
    case 1:
        return 1u << draw() % 32;
    case 2:
        return draw() % RAM_MIN & ~3u; /* where a record may be */
    default:
        return (draw() % 16) << PIC_PRIORITY_SHIFT | draw() % 256;
    }
}

/* Records of all kinds, sound and not, all over memory. */
static void sow_records(struct machine *m)
{
    for (pa_t pa = 0; pa < RAM_MIN; pa += 4)
        if (draw() % 8 == 0)
            m->ram.bytes[pa + 1] = (uint8_t)(draw() % 7);
        else
            m->ram.bytes[pa + 3] = (uint8_t)(draw() % 32);
}

static void power_on(struct machine *m, struct image *image, struct recorder *r,
                     struct experiment *e)
{
    struct recorder_setup what = {.experiment = e};
    struct machine_setup s = {.timing = &timing_fast,
                              .cpus = 4,
                              .ram = RAM_MIN,
                              .args = "work=mischief",
                              .image = image,
                              .trace_port = true,
                              .host = {NULL, on_send, on_receive, on_pulse}};
    char why[256];

    params_default(&s.params);
    *image = (struct image){.name = "monkey", .entry = 0x1000};
    assert_true(machine_init(m, &s, why, sizeof why));
    assert_true(recorder_open(r, &what, m, why, sizeof why));
    sow_records(m);
}

static void no_access_breaks_a_device(void **state)
{
    struct machine *m = calloc(1, sizeof *m);
    struct experiment *e = calloc(1, sizeof *e);
    struct recorder *r = calloc(1, sizeof *r);
    unsigned answered = 0;
    struct image image;

    (void)state;
    assert_non_null(m);
    assert_non_null(e);
    assert_non_null(r);
    assert_true(experiment_open(e, scratch_path(), NULL));
    seed = 0x2545F4914F6CDD1Du;
    power_on(m, &image, r, e);
    for (unsigned n = 0; n < ROUNDS; n++) {
        struct io_access a = {
            .size = 1u << draw() % 3, .cpu = draw() % 4, .at = n};
        pa_t pa = draw_address();
        uint32_t value = 0;

        if (draw() % 2) {
            answered += iomap_store(&m->iomap, pa, &a, draw_value());
        } else if (iomap_load(&m->iomap, pa, &a, &value)) {
            answered++;
            if (a.size < 4)
                assert_int_equal(value >> (8 * a.size), 0);
        }
        if (draw() % 100 == 0 && uart_wants(&m->uart))
            uart_receive(&m->uart, 'x', n);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(m->core[i].irq, m->pic.cpu[i].pin);
    }
    assert_true(answered > ROUNDS / 20 && answered < ROUNDS / 2);
    assert_int_equal(m->end, MACHINE_POWER);
    assert_true(sent > 10);
    assert_true(m->trace.ignored > 100);
    experiment_close(e);
    assert_string_equal(e->error, "");
    machine_free(m);
    recorder_close(r);
    free(r);
    free(m);
    free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_access_breaks_a_device),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
