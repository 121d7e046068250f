/* session_test.c - what a debugger asks, simrun answers: packet by packet, on
 * a small program whose every address and value is known. timeout: 300 s
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
#include "tests/lib/scratch.h"

/* Linked at 0x10000. CPU 0 releases CPU 1; both count in their loops. */
static const char program[] = ".globl _start\n"
                              "_start: li 4,0x1234\n" /* 10000 */
                              "lis 5,2\n"             /* 10004 */
                              "stw 4,0(5)\n"          /* 10008: to 0x20000 */
                              "lwz 6,0(5)\n"          /* 1000c */
                              "addi 6,6,1\n"          /* 10010 */
                              "sth 6,2(5)\n"          /* 10014: to 0x20002 */
                              "lis 7,0xfe00\n"        /* 10018 */
                              "ori 7,7,0x3004\n"      /* 1001c */
                              "lis 8,other@h\n"       /* 10020 */
                              "ori 8,8,other@l\n"     /* 10024 */
                              "stw 8,0(7)\n"          /* 10028: release CPU 1 */
                              "li 9,100\n"            /* 1002c */
                              "mtctr 9\n"             /* 10030 */
                              "1: addi 10,10,1\n"     /* 10034 */
                              "bdnz 1b\n"             /* 10038 */
                              "li 3,7\n"              /* 1003c */
                              "blr\n" /* 10040: the end, status 7 */
                              "other: addi 11,11,1\n" /* 10044 */
                              "b other\n";            /* 10048 */

static char elf[600];

static int build(void **state)
{
    char command[2000], source[600];
    FILE *f;

    (void)state;
    snprintf(source, sizeof source, "%s/session.S", scratch_dir());
    snprintf(elf, sizeof elf, "%s/session.elf", scratch_dir());
    f = fopen(source, "w");
    fputs(program, f);
    fclose(f);
    snprintf(command, sizeof command,
             "powerpc-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x10000 "
             "-Wl,--build-id=none -o %s %s",
             elf, source);
    return system(command);
}

static void start(struct rsp *r, const char *mode)
{
    const char *args[] = {"--cpus=2", mode, elf, NULL};

    rsp_start(r, NULL, args);
}

static void begins(const char *text, const char *beginning)
{
    char cut[200];

    snprintf(cut, sizeof cut, "%.*s", (int)strlen(beginning), text);
    assert_string_equal(cut, beginning);
}

static unsigned long reg(struct rsp *r, unsigned n)
{
    return strtoul(rsp_ask(r, "p%x", n), NULL, 16);
}

#define PC 64
#define MSR 65
#define CTR 68

static void nothing_runs_before_a_debugger_says_so(void **state)
{
    struct rsp r;

    (void)state;
    start(&r, "--mode=detailed");
    begins(rsp_ask(&r, "?"), "T05thread:1;");
    assert_int_equal(reg(&r, PC), 0x10000);
    assert_string_equal(rsp_monitor(&r, "cpus"),
                        "cycle 0, detailed mode\n"
                        "CPU 0  running  pc 00010000  msr 00000000  context 0"
                        "  0 instructions\n"
                        "CPU 1  parked   pc fff00100  msr 00000040  context 0"
                        "  0 instructions\n");
    assert_string_equal(rsp_ask(&r, "c"), "W07");
    assert_int_equal(rsp_status(&r), 7);
}

static void a_step_is_one_instruction(void **state)
{
    static const char *const modes[] = {"--mode=detailed", "--mode=fast"};
    struct rsp r;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        start(&r, modes[k]);
        begins(rsp_ask(&r, "s"), "T05thread:1;40:00010004;");
        assert_int_equal(reg(&r, 4), 0x1234);
        begins(rsp_ask(&r, "vCont;s:1;c"), "T05thread:1;40:00010008;");
        assert_int_equal(reg(&r, 5), 0x20000);
        /* a range: up to the first address outside */
        begins(rsp_ask(&r, "vCont;r10008,10018:1"), "T05thread:1;40:00010018;");
        assert_string_equal(rsp_ask(&r, "m20000,4"), "00001235");
        begins(rsp_ask(&r, "S05"), "T05thread:1;40:0001001c;");
        begins(rsp_ask(&r, "s10000"), "T05thread:1;40:00010004;");
        assert_string_equal(rsp_ask(&r, "C05"), "W07");
        assert_int_equal(rsp_status(&r), 7);
    }
}

static void a_breakpoint_stops_in_front_and_leaves_memory_alone(void **state)
{
    static const char *const modes[] = {"--mode=detailed", "--mode=fast"};
    struct rsp r;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        start(&r, modes[k]);
        assert_string_equal(rsp_ask(&r, "m10034,4"), "394a0001");
        assert_string_equal(rsp_ask(&r, "Z0,10034,4"), "OK");
        assert_string_equal(rsp_ask(&r, "m10034,4"), "394a0001");
        for (unsigned n = 0; n < 3; n++) { /* going on leaves it once */
            begins(rsp_ask(&r, "c"), "T05thread:1;swbreak:;40:00010034;");
            assert_int_equal(reg(&r, 10), n);
        }
        assert_string_equal(rsp_ask(&r, "Z1,10038,4"), "OK");
        begins(rsp_ask(&r, "c"), "T05thread:1;hwbreak:;40:00010038;");
        assert_string_equal(rsp_ask(&r, "z0,10034,4"), "OK");
        begins(rsp_ask(&r, "c"), "T05thread:1;hwbreak:;40:00010038;");
        assert_int_equal(reg(&r, 10), 4);
        assert_string_equal(rsp_ask(&r, "z1,10038,4"), "OK");
        assert_string_equal(rsp_ask(&r, "vCont;c"), "W07");
        assert_int_equal(rsp_status(&r), 7);
    }
}

/* The machine stops in front of the access; one step makes it. */
static void watchpoints_tell_loads_from_stores(void **state)
{
    static const char *const modes[] = {"--mode=detailed", "--mode=fast"};
    struct rsp r;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        start(&r, modes[k]);
        assert_string_equal(rsp_ask(&r, "Z3,20000,4"), "OK");
        begins(rsp_ask(&r, "c"), "T05thread:1;rwatch:20000;40:0001000c;");
        assert_string_equal(rsp_ask(&r, "z3,20000,4"), "OK");
        assert_string_equal(rsp_ask(&r, "Z2,20003,1"), "OK");
        begins(rsp_ask(&r, "c"), "T05thread:1;watch:20003;40:00010014;");
        assert_string_equal(rsp_ask(&r, "m20000,4"), "00001234");
        begins(rsp_ask(&r, "s"), "T05thread:1;40:00010018;");
        assert_string_equal(rsp_ask(&r, "m20000,4"), "00001235");
        assert_string_equal(rsp_ask(&r, "z2,20003,1"), "OK");
        assert_string_equal(rsp_ask(&r, "Z4,fe003000,8"), "OK"); /* a device */
        begins(rsp_ask(&r, "c"), "T05thread:1;awatch:fe003004;40:00010028;");
        assert_string_equal(rsp_ask(&r, "c"), "W07");
        assert_int_equal(rsp_status(&r), 7);
    }
}

static void processors_are_threads(void **state)
{
    struct rsp r;

    (void)state;
    start(&r, "--mode=detailed");
    assert_string_equal(rsp_ask(&r, "qfThreadInfo"), "m1,2");
    assert_string_equal(rsp_ask(&r, "qsThreadInfo"), "l");
    assert_string_equal(rsp_ask(&r, "qC"), "QC1");
    assert_string_equal(rsp_ask(&r, "T2"), "OK");
    assert_string_equal(rsp_ask(&r, "T3"), "E01");
    /* "CPU 1, parked, context 0" */
    assert_string_equal(rsp_ask(&r, "qThreadExtraInfo,2"),
                        "43505520312c207061726b65642c20636f6e746578742030");
    assert_string_equal(rsp_ask(&r, "Z0,10044,4"), "OK");
    begins(rsp_ask(&r, "c"), "T05thread:2;swbreak:;40:00010044;");
    assert_string_equal(rsp_ask(&r, "Hg1"), "OK");
    assert_int_equal(reg(&r, 11), 0);
    assert_string_equal(rsp_ask(&r, "Hg2"), "OK");
    assert_int_equal(reg(&r, PC), 0x10044);
    assert_string_equal(rsp_ask(&r, "z0,10044,4"), "OK");
    begins(rsp_ask(&r, "vCont;s:2;c"), "T05thread:2;40:00010048;");
    assert_int_equal(reg(&r, 11), 1);
    assert_string_equal(rsp_ask(&r, "Hc2"), "OK");
    begins(rsp_ask(&r, "s"), "T05thread:2;40:00010044;");
    assert_string_equal(rsp_ask(&r, "c"), "W07");
    rsp_status(&r);
}

static void registers_and_memory_can_be_written(void **state)
{
    struct rsp r;

    (void)state;
    start(&r, "--mode=detailed");
    assert_string_equal(rsp_ask(&r, "Z0,10038,4"), "OK");
    begins(rsp_ask(&r, "c"), "T05");
    assert_string_equal(rsp_ask(&r, "P%x=00000001", CTR), "OK");
    assert_int_equal(reg(&r, CTR), 1);
    assert_string_equal(rsp_ask(&r, "P20=400c000000000000"), "OK");
    assert_string_equal(rsp_ask(&r, "p20"), "400c000000000000");
    assert_string_equal(rsp_ask(&r, "z0,10038,4"), "OK");
    /* li r3,7 becomes li r3,9, in a line that was fetched long ago */
    assert_string_equal(rsp_ask(&r, "M1003c,4:38600009"), "OK");
    assert_string_equal(rsp_ask(&r, "c"), "W09");
    assert_int_equal(rsp_status(&r), 9);
}

static void a_new_pc_is_where_it_goes_on(void **state)
{
    static const char *const modes[] = {"--mode=detailed", "--mode=fast"};
    struct rsp r;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        start(&r, modes[k]);
        begins(rsp_ask(&r, "s"), "T05");
        assert_string_equal(rsp_ask(&r, "P%x=00010040", PC), "OK");
        assert_string_equal(rsp_ask(&r, "P3=00000021"), "OK");
        assert_string_equal(rsp_ask(&r, "c"), "W21");
        assert_int_equal(rsp_status(&r), 0x21);
    }
}

static void devices_and_nowhere_are_refused(void **state)
{
    struct rsp r;

    (void)state;
    start(&r, "--mode=detailed");
    assert_string_equal(rsp_ask(&r, "mfe000000,1"), "E14");
    assert_string_equal(rsp_ask(&r, "Mfe001000,4:00000000"), "E14");
    assert_string_equal(rsp_ask(&r, "m1fffffff,2"), "E14"); /* 512 MiB end */
    assert_string_equal(rsp_ask(&r, "mfffffffc,8"), "E14");
    assert_string_equal(rsp_ask(&r, "m20000,0"), "");
    assert_string_equal(rsp_ask(&r, "pfff"), "E14");
    assert_string_equal(rsp_ask(&r, "P3="), "E01");
    assert_string_equal(rsp_ask(&r, "Hg9"), "E01");
    assert_string_equal(rsp_ask(&r, "mzz,4"), "E01");
    assert_string_equal(rsp_ask(&r, "vNonsense"), "");
    assert_string_equal(rsp_ask(&r, "qCRC:0,1"), "");
    assert_string_equal(rsp_ask(&r, "c"), "W07");
    rsp_status(&r);
}

static void break_in_and_kill(void **state)
{
    static const char *const modes[] = {"--mode=detailed", "--mode=fast"};
    struct rsp r;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        start(&r, modes[k]);
        assert_string_equal(rsp_ask(&r, "P%x=00010044", PC),
                            "OK"); /* for ever */
        rsp_send(&r, "c");
        usleep(50000);
        rsp_raw(&r, "\3", 1);
        begins(rsp_receive(&r), "T02thread:1;");
        rsp_send(&r, "k");
        assert_int_equal(rsp_status(&r), 137);
    }
}

static void detached_it_runs_on_and_another_may_come(void **state)
{
    struct rsp r;

    (void)state;
    start(&r, "--mode=fast");
    assert_string_equal(rsp_ask(&r, "P%x=00010044", PC), "OK"); /* for ever */
    assert_string_equal(rsp_ask(&r, "Z0,10048,4"), "OK");
    assert_string_equal(rsp_ask(&r, "D"), "OK");
    rsp_hang_up(&r);
    usleep(50000);
    rsp_connect(&r);
    begins(rsp_ask(&r, "?"), "T05");
    assert_true(reg(&r, 11) > 100); /* the breakpoint went with its owner */
    assert_string_equal(rsp_ask(&r, "QStartNoAckMode"), "OK");
    r.ack = false;
    assert_string_equal(rsp_ask(&r, "P%x=00010040", PC), "OK");
    rsp_hang_up(&r); /* without a word: it runs to its end */
    assert_int_equal(rsp_status(&r), 0);
}

static void the_description_names_every_register(void **state)
{
    char all[65536] = "";
    struct rsp r;
    size_t from = 0;
    unsigned count = 0;

    (void)state;
    start(&r, "--mode=detailed");
    assert_non_null(
        strstr(rsp_ask(&r, "qSupported:swbreak+"), "qXfer:features:read+"));
    do {
        rsp_ask(&r, "qXfer:features:read:target.xml:%zx,7ff", from);
        assert_true(r.text[0] == 'm' || r.text[0] == 'l');
        snprintf(all + from, sizeof all - from, "%s", r.text + 1);
        from += strlen(r.text + 1);
    } while (r.text[0] == 'm');
    for (const char *at = all; (at = strstr(at, "<reg ")); at++)
        count++;
    /* spr.def: 48 rows less XER, LR, CTR, and two that cannot be read; and 69
     * of docs/pif.md */
    assert_int_equal(count, 32 + 32 + 7 + 16 + 48 - 5 + 69);
    assert_non_null(strstr(all, "org.gnu.gdb.power.core"));
    assert_non_null(strstr(all, "name=\"ibat3l\""));
    assert_non_null(strstr(all, "name=\"pmc4\""));
    assert_int_equal(strlen(rsp_ask(&r, "g")), 8 * (count + 32));
    assert_string_equal(rsp_ask(&r, "D"), "OK");
    rsp_status(&r);
}

static void monitor_prints_what_gdb_cannot(void **state)
{
    struct rsp r;

    (void)state;
    start(&r, "--mode=detailed");
    assert_string_equal(rsp_ask(&r, "Z0,10018,4"), "OK");
    begins(rsp_ask(&r, "c"), "T05");
    assert_non_null(strstr(rsp_monitor(&r, "help"), "monitor oracle"));
    assert_string_equal(rsp_monitor(&r, "cache 0x20004"),
                        "line of physical 0x00020000\n"
                        "CPU 0  data M  instructions I\n"
                        "CPU 1  data I  instructions I\n");
    assert_non_null(strstr(rsp_monitor(&r, "cache 0x10000"), "instructions S"));
    assert_string_equal(rsp_monitor(&r, "where 0xfe000000"),
                        "0xfe000000 is physical 0xfe000000, not memory\n");
    begins(rsp_monitor(&r, "oracle 0x10000"),
           "cycles charged to 0x00010000 since power-on\nCPU 0  context 0");
    assert_non_null(strstr(r.shown, "imiss"));
    assert_non_null(strstr(rsp_monitor(&r, "pmc"), "PMC4          0  nothing"));
    begins(rsp_monitor(&r, "cache here"), "monitor cache: give an address");
    begins(rsp_monitor(&r, "nonsense"), "monitor nonsense: not known");
    assert_string_equal(rsp_ask(&r, "k"), "");
    assert_int_equal(rsp_status(&r), 137);
}

/* Garbage, wrong checksums and packets that are too long are survived. */
static void noise_is_survived(void **state)
{
    static char noise[40000];
    struct rsp r;

    (void)state;
    start(&r, "--mode=detailed");
    rsp_raw(&r, "hello$g#00", 10); /* '-': a wrong checksum */
    memset(noise, 'm', sizeof noise);
    noise[0] = '$';
    memcpy(noise + sizeof noise - 3, "#00", 3);
    rsp_raw(&r, noise, sizeof noise);
    begins(rsp_ask(&r, "?"), "T05");
    rsp_raw(&r, "-", 1); /* say that again */
    begins(rsp_receive(&r), "T05");
    assert_string_equal(rsp_ask(&r, "c"), "W07");
    rsp_status(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_runs_before_a_debugger_says_so),
        cmocka_unit_test(a_step_is_one_instruction),
        cmocka_unit_test(a_breakpoint_stops_in_front_and_leaves_memory_alone),
        cmocka_unit_test(watchpoints_tell_loads_from_stores),
        cmocka_unit_test(processors_are_threads),
        cmocka_unit_test(registers_and_memory_can_be_written),
        cmocka_unit_test(a_new_pc_is_where_it_goes_on),
        cmocka_unit_test(devices_and_nowhere_are_refused),
        cmocka_unit_test(break_in_and_kill),
        cmocka_unit_test(detached_it_runs_on_and_another_may_come),
        cmocka_unit_test(the_description_names_every_register),
        cmocka_unit_test(monitor_prints_what_gdb_cannot),
        cmocka_unit_test(noise_is_survived),
    };

    return cmocka_run_group_tests(tests, build, NULL);
}
