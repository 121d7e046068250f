/* notes_test.c - what a debugger writes is noted in the experiment's log with
 * the cycle at which it was written; what it only reads is not. timeout: 120 s
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

#include "tests/lib/rsp.h"

static char dir[170], elf[220];

static int build(void **state)
{
    const char *tmp = getenv("TMPDIR");
    char command[800];

    (void)state;
    snprintf(dir, sizeof dir, "%.150s", tmp ? tmp : "/tmp");
    snprintf(elf, sizeof elf, "%s/notes.elf", dir);
    snprintf(command, sizeof command,
             "printf '.globl _start\\n_start: li 3,0\\nli 4,1\\nblr\\n' | "
             "powerpc-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x10000 "
             "-x assembler -o %s -",
             elf);
    return system(command);
}

/* The debug lines of an experiment's log, as one text. */
static void read_notes(const char *experiment, char *text, size_t size)
{
    char path[400], line[400];
    size_t used = 0;
    FILE *f;

    snprintf(path, sizeof path, "%s/log", experiment);
    f = fopen(path, "r");
    assert_non_null(f);
    text[0] = '\0';
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "debug ", 6) == 0)
            used += (size_t)snprintf(text + used, size - used, "%s", line);
    fclose(f);
}

static void writes_are_noted_with_their_cycle(void **state)
{
    static const char *const modes[] = {"--mode=fast", "--mode=detailed"};
    char experiment[200], option[230], notes[2000], expected[400], cycle[40];
    struct rsp r;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        snprintf(experiment, sizeof experiment, "%s/%u.exp", dir, k);
        snprintf(option, sizeof option, "--pmu-trace=%s", experiment);
        const char *args[] = {"--cpus=2", modes[k], option, elf, NULL};

        rsp_start(&r, NULL, args);
        rsp_ask(&r, "s");
        assert_string_equal(rsp_ask(&r, "m10000,4"), "38600000");
        assert_string_equal(rsp_ask(&r, "p5"), "00000000");
        /* the same value is no write */
        assert_string_equal(rsp_ask(&r, "P5=00000000"), "OK");
        rsp_monitor(&r, "cpus");
        assert_int_equal(sscanf(r.shown, "cycle %30[0-9],", cycle), 1);
        assert_string_equal(rsp_ask(&r, "P5=0000abcd"), "OK");
        assert_string_equal(rsp_ask(&r, "Hg2"), "OK");
        assert_string_equal(rsp_ask(&r, "M30000,3:010203"), "OK");
        assert_string_equal(rsp_ask(&r, "D"), "OK");
        rsp_hang_up(&r);
        assert_int_equal(rsp_status(&r), 0);
        read_notes(experiment, notes, sizeof notes);
        snprintf(expected, sizeof expected,
                 "debug %s 0 reg r5 abcd\ndebug %s 1 mem 0x30000 010203\n",
                 cycle, cycle);
        assert_string_equal(notes, expected);
        assert_true(k == 1 ? atoi(cycle) > 10 : atoi(cycle) == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_noted_with_their_cycle),
    };

    return cmocka_run_group_tests(tests, build, NULL);
}
