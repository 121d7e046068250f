/* stack_test.c - stacks walked at every instruction of a program, against a
 * shadow call stack kept from its calls and returns. timeout: 120 s
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/board.h"
#include "sim/machine/machine.h"
#include "sim/unwind/walk.h"
#include "tests/lib/scratch.h"
#include "sim/core/timing.h"

#define DEPTH 200

static const char program[] =
    "#define NI __attribute__((noinline))\n"
    "static volatile unsigned sink;\n"
    "NI static unsigned leaf(unsigned x) { return x * 3 + 1; }\n"
    "NI static unsigned two(unsigned x) { return leaf(x) + leaf(x + 1); }\n"
    "NI unsigned fib(unsigned n)\n"
    "{ return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2); }\n"
    "NI unsigned wide(unsigned a, unsigned b, unsigned c, unsigned d)\n"
    "{ volatile unsigned v[40]; unsigned i, s = 0;\n"
    "  for (i = 0; i < 40; i++) v[i] = a * i + b;\n"
    "  for (i = 0; i < 40; i++) s += v[i] ^ two(c + d + i);\n"
    "  return s + a + b + c + d; }\n"
    "NI unsigned by_pointer(unsigned (*f)(unsigned), unsigned n)\n"
    "{ unsigned i, s = 0; for (i = 0; i < n; i++) s += f(i); return s; }\n"
    "int _start(void) { sink = fib(9) + wide(1, 2, 3, 4) +\n"
    "  by_pointer(leaf, 20) + by_pointer(two, 20); return 0; }\n";

struct shadow {
    struct names names;
    uint32_t back[DEPTH];
    unsigned depth;
    unsigned long looked, wrong, rewritten;
    uint32_t first;   /* pc of the first difference */
    bool link, leave; /* what the instruction under way does */
};

static bool same(const struct shadow *s, const uint32_t *pc, unsigned n)
{
    unsigned i;

    if (n != s->depth + 1)
        return false;
    for (i = 0; i < s->depth; i++)
        if (pc[1 + i] != s->back[s->depth - 1 - i])
            return false;
    return true;
}

static unsigned walk(const struct shadow *s, const struct core *c, bool anew,
                     uint32_t pc[DEPTH])
{
    bool truncated;

    if (anew)
        memset(s->names.stops, 0, KNOWN_STOPS * sizeof *s->names.stops);
    return stack_walk(c, &s->names, false, pc, DEPTH, &truncated);
}

static void fill(struct core *c, uint32_t from, uint32_t end, const void *bytes)
{
    memcpy(c->with.ram->bytes + from, bytes, end - from);
    decode_cache_forget(c->with.decoded, from, end - from);
}

/* Where the code of the function has become another's, and its frame is none,
 * the walk is that of one who has never been there; and back. */
static void rewrite(struct shadow *s, struct core *c, const uint32_t *pc,
                    unsigned n)
{
    uint32_t from[2], end[2], other[DEPTH], anew[DEPTH];
    uint8_t old[4096], nops[4096];
    unsigned others;

    if (!names_function(&s->names, c->cpu.pc, from, end) ||
        end[0] - from[0] > sizeof old)
        return;
    for (unsigned k = 0; k < sizeof nops; k++)
        nops[k] = k % 4 ? 0 : 0x60;
    memcpy(old, c->with.ram->bytes + from[0], end[0] - from[0]);
    fill(c, from[0], end[0], nops);
    others = walk(s, c, false, other);
    assert_int_equal(others, walk(s, c, true, anew));
    assert_memory_equal(other, anew, others * sizeof *anew);
    s->rewritten += others != n || memcmp(other, pc, n * sizeof *pc) != 0;
    walk(s, c, false, other);
    fill(c, from[0], end[0], old);
    assert_int_equal(walk(s, c, false, other), n);
    assert_memory_equal(other, pc, n * sizeof *pc);
    decode_cache_at(c->with.decoded, c->cpu.pc); /* it is about to run */
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct shadow *s = arg;
    uint32_t pc[DEPTH];
    unsigned n = walk(s, c, false, pc);

    (void)at;
    if (s->looked++ % 8 == 0)
        rewrite(s, c, pc, n);
    if (!same(s, pc, n)) {
        if (!s->wrong++)
            s->first = c->cpu.pc;
    }
    s->link = (i->flags & INSN_LINK) != 0;
    s->leave = (i->flags & INSN_INDIRECT) && !s->link;
    return false;
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct shadow *s = arg;

    (void)at;
    (void)done;
    if (s->link && c->cpu.pc != pc + 4)
        s->back[s->depth++] = pc + 4;
    else if (s->leave && s->depth && s->back[s->depth - 1] == c->cpu.pc)
        s->depth--;
    assert_true(s->depth < DEPTH);
    return false;
}

/* Share of instructions, in percent, at which the walk was right. */
static double right_at(const char *flags)
{
    static struct machine m;
    struct machine_setup setup = {
        .timing = &timing_fast, .cpus = 1, .ram = 1u << 29};
    struct shadow s = {0};
    struct observer o = {.arg = &s, .before = before, .after = after};
    struct image image;
    const char *dir = scratch_dir();
    char command[2048], path[600], why[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/p.c", dir);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(program, f);
    fclose(f);
    snprintf(command, sizeof command,
             "powerpc-linux-gnu-gcc -mcpu=604 -ffreestanding -nostdlib "
             "-static %s -o %s/p.elf %s/p.c -lgcc",
             flags, dir, dir);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/p.elf", dir);
    assert_true(image_open(&image, path, IMAGE_BARE, why, sizeof why));
    params_default(&setup.params);
    setup.args = "";
    setup.image = &image;
    assert_true(machine_init(&m, &setup, why, sizeof why));
    assert_true(names_open(&s.names, &image));
    machine_observe(&m, &o, true);
    machine_run(&m);
    assert_int_equal(m.end, MACHINE_RETURN);
    assert_true(s.rewritten > 0);
    print_message("%-28s %lu instructions, %lu walks differ", flags, s.looked,
                  s.wrong);
    if (s.wrong)
        print_message(", the first at 0x%x", s.first);
    print_message("\n");
    names_close(&s.names);
    machine_free(&m);
    image_close(&image);
    return 100.0 * (double)(s.looked - s.wrong) / (double)s.looked;
}

static void every_instruction_of_unoptimised_code(void **state)
{
    (void)state;
    assert_true(right_at("-O0") == 100.0);
}

static void every_instruction_of_optimised_code(void **state)
{
    (void)state;
    assert_true(right_at("-O1") == 100.0);
    assert_true(right_at("-O2 -fno-optimize-sibling-calls") == 100.0);
    /* libgcc keeps and restores registers out of line: inside it, and behind
     * the branch into it, the walk is in doubt (docs/fidelity.md) */
    assert_true(right_at("-Os -fno-optimize-sibling-calls") == 100.0);
    assert_true(right_at("-O2") == 100.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_of_unoptimised_code),
        cmocka_unit_test(every_instruction_of_optimised_code),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
