/* stacks_test.c - G-N2, G-N3 and G-N5 as simprof prints them: tail calls,
 * <Total>, and the name of what was stripped. timeout: 60 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/mkelf.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"

/* Functions of 0x10 bytes each, A first; an address in one of them. */
#define AT(letter) (MKEXP_TEXT + 0x20 + 0x10u * ((letter) - 'A'))

static const char letters[] = "ABCDEF"; /* E: main, F: worker */

/* A program of those functions, its code at this offset of the file; what is
 * in front of A has no name. */
static void write_program(const char *exp, uint32_t offset)
{
    static const char *const name[] = {"A", "B", "C", "D", "main", "worker"};
    struct mkelf_symbol symbol[6];
    struct mkelf elf = {
        .addr = MKEXP_TEXT,
        .size = 0x800,
        .offset = offset,
        .build_id = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24",
        .symbol = symbol,
        .symbols = 6,
    };
    char path[700];
    FILE *map;

    for (unsigned i = 0; i < 6; i++)
        symbol[i] = (struct mkelf_symbol){name[i], AT(letters[i]), 0x10,
                                          STT_FUNC, false};
    snprintf(path, sizeof path, "%s/archives/%s", exp, MKEXP_ARCHIVE);
    mkelf_write(path, &elf);
    snprintf(path, sizeof path, "%s/map", exp);
    map = fopen(path, "w");
    assert_non_null(map);
    fprintf(map, "segment 0 0x%x 0x800 0x%x r-x %s\n", MKEXP_TEXT, offset,
            MKEXP_ARCHIVE);
    fclose(map);
}

/* An experiment with a sample of one event for each text: a stack, leaf first,
 * as letters; "-" is the code without a name. */
static const char *sampled(const char *const *stack, size_t n, uint32_t offset)
{
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    char elf[700];

    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 0 cycles 1");
    for (size_t i = 0; i < n; i++) {
        uint32_t pc[16] = {0};

        for (size_t k = 0; stack[i][k]; k++)
            pc[k] =
                stack[i][k] == '-' ? MKEXP_TEXT : AT(stack[i][k]) + (k ? 8 : 0);
        mkexp_profile(m, 0, 10 + i, 10, 0, 1, 0, pc);
    }
    for (unsigned cpu = 0; cpu < 2; cpu++)
        mkexp_oracle(m, cpu, MKEXP_END, 0, 0, MKEXP_END * 12);
    mkexp_close(m, 1);
    write_program(path, offset);
    return path;
}

#define MAKE(list) sampled(list, sizeof list / sizeof list[0], 0x1000)

/* G-N2: A calls B, B jumps to C, C jumps to D: leaves B, C and D all have A
 * above them. */
static void g_n2_tail_calls_are_flat(void **state)
{
    static const char *const stack[] = {"BA", "CA", "DA"};
    const char *path = MAKE(stack);
    const struct simprof *r =
        simprof_run("csingle A --csv --metrics=a+cycles", path);

    (void)state;
    assert_string_equal(r->out, "attr_cycles,of,role,function\n"
                                "3,A,caller,<Total>\n"
                                "0,A,function,A\n"
                                "1,A,callee,B\n"
                                "1,A,callee,C\n"
                                "1,A,callee,D\n");
    r = simprof_run("csingle C --csv --metrics=a+cycles", path);
    assert_string_equal(r->out, "attr_cycles,of,role,function\n"
                                "1,C,caller,A\n"
                                "1,C,function,C\n");
}

/* G-N3: 3 samples main > A > B, 1 main > A, 1 worker > B. */
static void g_n3_total_has_all_and_calls_what_nobody_calls(void **state)
{
    static const char *const stack[] = {"BAE", "BAE", "BAE", "AE", "BF"};
    const char *path = MAKE(stack);
    const struct simprof *r =
        simprof_run("functions --csv --metrics=e+cycles:i+cycles", path);

    (void)state;
    assert_string_equal(r->out, "excl_cycles,incl_cycles,function\n"
                                "5,5,<Total>\n"
                                "4,4,B\n"
                                "1,4,A\n"
                                "0,4,main\n"
                                "0,1,worker\n");
    r = simprof_run("callers-callees --csv --metrics=a+cycles", path);
    simprof_expect(r->out, "4,main,caller,<Total>");
    simprof_expect(r->out, "1,worker,caller,<Total>");
    assert_false(simprof_has(r->out, ",A,caller,<Total>"));
    assert_false(simprof_has(r->out, ",B,caller,<Total>"));
}

/* G-N5: a function whose name was stripped, 0x12345 bytes into the file. */
static void g_n5_what_was_stripped_is_named_by_its_offset(void **state)
{
    static const char *const stack[] = {"-E", "-E", "BE"};
    const char *path = sampled(stack, 3, 0x12345);
    const struct simprof *r =
        simprof_run("functions --csv --metrics=e+cycles:i+cycles", path);

    (void)state;
    assert_string_equal(r->out, "excl_cycles,incl_cycles,function\n"
                                "3,3,<Total>\n"
                                "2,2,<static>@0x12345\n"
                                "1,1,B\n"
                                "0,3,main\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g_n2_tail_calls_are_flat),
        cmocka_unit_test(g_n3_total_has_all_and_calls_what_nobody_calls),
        cmocka_unit_test(g_n5_what_was_stripped_is_named_by_its_offset),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
