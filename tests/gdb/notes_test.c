/* notes_test.c - what a debugger writes is noted in the experiment's log with
 * the moment it was written; what it only reads is not. And a recorded run is
 * done again, writes included, without a debugger. timeout: 300 s
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

#include "sim/symbols/names.h"
#include "tests/lib/rsp.h"
#include "tests/lib/scratch.h"

static const char *dir;
static char elf[600];
static uint32_t breakpoint; /* of the guest: mutex_lock */

/* The number of the decrementer: behind 87 others, DSISR and DAR. */
#define DEC 89

static bool find_breakpoint(void)
{
    char guest[4096], why[300];
    struct image image;
    struct names names;
    bool found;

    snprintf(guest, sizeof guest, "%s/guest.elf", getenv("BUILD"));
    if (!image_open(&image, guest, IMAGE_BARE, why, sizeof why) ||
        !names_open(&names, &image))
        return false;
    found = names_find(&names, "mutex_lock", &breakpoint);
    names_close(&names);
    image_close(&image);
    return found;
}

static int build(void **state)
{
    char command[1500];

    (void)state;
    dir = scratch_dir();
    snprintf(elf, sizeof elf, "%s/notes.elf", dir);
    snprintf(command, sizeof command,
             "printf '.globl _start\\n_start: li 3,0\\nli 4,1\\nblr\\n' | "
             "powerpc-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x10000 "
             "-x assembler -o %s -",
             elf);
    return system(command) || !find_breakpoint();
}

/* The debug lines of an experiment's log, as one text. */
static void read_notes(const char *experiment, char *text, size_t size)
{
    char path[700], line[400];
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
    char experiment[600], option[640], notes[2000], expected[400], cycle[40];
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
                 "debug %s 0 1 2 reg r5 abcd\n"
                 "debug %s 1 1 2 mem 0x30000 010203\n",
                 cycle, cycle);
        assert_string_equal(notes, expected);
        assert_true(k == 1 ? atoi(cycle) > 10 : atoi(cycle) == 1);
    }
}

/* Writes everywhere: at breakpoints, behind steps, wherever a break-in found
 * the machine. */
static void disturb(struct rsp *r)
{
    assert_string_equal(rsp_ask(r, "P%x=0000%02x00", DEC, rand() % 256), "OK");
    assert_string_equal(rsp_ask(r, "M7f0000,4:%08x", rand()), "OK");
}

static void write_here_and_there(struct rsp *r)
{
    for (unsigned n = 0; n < 30; n++) {
        rsp_ask(r, "s");
        disturb(r);
    }
    for (unsigned n = 0; n < 8; n++) {
        rsp_send(r, "c");
        usleep(3000);
        rsp_raw(r, "\3", 1);
        if (rsp_receive(r)[0] != 'T')
            return;
        rsp_ask(r, "Hg%x", n % 4 + 1);
        disturb(r);
    }
    assert_string_equal(rsp_ask(r, "Z0,%x,4", breakpoint), "OK");
    for (unsigned n = 0; n < 20; n++) {
        rsp_ask(r, "c");
        disturb(r);
        rsp_ask(r, "s");
        disturb(r);
    }
}

static void a_recorded_run_is_done_again(void **state)
{
    static const char *const modes[] = {"--mode=fast", "--set=quantum=0",
                                        "--set=quantum=100"};
    char first[640], guest[4096], command[9000];
    struct rsp r;

    (void)state;
    snprintf(guest, sizeof guest, "%s/guest.elf", getenv("BUILD"));
    snprintf(first, sizeof first, "--pmu-trace=%s/first.exp", dir);
    for (unsigned k = 0; k < 3; k++) {
        const char *args[] = {modes[k], first, "--append", "work=prodcons n=50",
                              guest,    NULL};

        rsp_start(&r, NULL, args);
        write_here_and_there(&r);
        assert_string_equal(rsp_ask(&r, "D"), "OK");
        rsp_hang_up(&r);
        assert_int_equal(rsp_status(&r), 0);
        snprintf(
            command, sizeof command,
            "cd %s && grep -c '^debug' first.exp/log >count && "
            "[ $(cat count) -gt 100 ] && "
            "%s/simrun %s --append 'work=prodcons n=50' --replay first.exp "
            "--pmu-trace=second.exp %s >/dev/null 2>&1 </dev/null && "
            "diff -r first.exp second.exp && rm -r *.exp",
            dir, getenv("BUILD"), modes[k], guest);
        assert_int_equal(system(command), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_noted_with_their_cycle),
        cmocka_unit_test(a_recorded_run_is_done_again),
    };

    return cmocka_run_group_tests(tests, build, NULL);
}
