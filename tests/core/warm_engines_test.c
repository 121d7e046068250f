/* warm_engines_test.c - what runs the instructions of warm mode changes nothing
 * that it keeps: the state of every processor, byte for byte - tags, states and
 * order of use of both caches, TLBs, branch history and targets, counters,
 * registers - and memory are the same with blocks of host code as with the
 * interpreter, at many points of a run. The guest takes turns and
 * interrupts; small caches and narrow fetches make the rare cases common.
 * Random programs, translation and code that overwrites itself are in
 * timing_test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/lib/scratch.h"
#include "tests/lib/statebox.h"

#define PLACES 12
static struct statebox *open_with(const char *engine, const char *line)
{
    char text[1000];

    snprintf(text, sizeof text, "--mode=warm --engine=%s %s", engine, line);
    return statebox_open(text, "", scratch_path());
}

static struct snap saved(struct core *c)
{
    struct snap s;

    snap_save(&s);
    if (!core_state(&s, c) || !snap_finish(&s))
        fail_msg("%s", s.why);
    return s;
}

static void same_core(struct statebox *a, struct statebox *b, unsigned n,
                      const char *line)
{
    struct core *x = &a->machine.core[n], *y = &b->machine.core[n];
    struct snap s = saved(x), t = saved(y);
    size_t at = 0;

    while (at < s.out.size && s.out.byte[at] == t.out.byte[at])
        at++;
    if (s.out.size != t.out.size || at < s.out.size)
        fail_msg("%s: processor %u differs at byte %zu, pc %08x and %08x, "
                 "%llu and %llu instructions",
                 line, n, at, x->cpu.pc, y->cpu.pc,
                 (unsigned long long)x->insns, (unsigned long long)y->insns);
    snap_free(&s);
    snap_free(&t);
}

/* Run `line` with both engines and compare wherever `turns` more turns were
 * begun. */
static void compare(const char *line, uint64_t turns)
{
    struct statebox *a = open_with("interpreter", line);
    struct statebox *b = open_with("blocks", line);
    unsigned compared = 0;

    for (uint64_t k = 1; k <= PLACES; k++) {
        statebox_run(a, k * turns);
        statebox_run(b, k * turns);
        assert_int_equal(a->machine.end, b->machine.end);
        if (a->machine.end != MACHINE_RUNNING)
            break;
        for (unsigned n = 0; n < a->machine.with.cpus; n++)
            same_core(a, b, n, line);
        assert_memory_equal(a->machine.ram.bytes, b->machine.ram.bytes,
                            a->machine.ram.size);
        compared++;
    }
    assert_true(compared > 0);
    statebox_close(a);
    statebox_close(b);
}

/* ---- the guest ------------------------------------------------------------ */

static void guest(const char *options, uint64_t turns)
{
    char line[700];

    snprintf(line, sizeof line, "--mem=8M %s %s/guest.elf", options,
             getenv("BUILD"));
    compare(line, turns);
}

#define TXN " --append=work=txn~n=12"

static void a_guest_on_one_processor(void **state)
{
    (void)state;
    guest("--cpus=1" TXN, 1500);
}

static void a_guest_on_several(void **state)
{
    (void)state;
    guest("--cpus=2" TXN, 2500);
    guest("--cpus=4 --set=dcache_kb=1 --set=icache_kb=1" TXN, 2500);
    guest("--cpus=3 --set=fetch_width=3 --set=btac_entries=4 "
          "--set=bht_entries=16 --set=fast_quantum=7" TXN,
          9000);
}

static void a_guest_that_is_sampled(void **state)
{
    (void)state;
    guest("--cpus=2 -e insn_completed:997" TXN, 2500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guest_on_one_processor),
        cmocka_unit_test(a_guest_on_several),
        cmocka_unit_test(a_guest_that_is_sampled),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
