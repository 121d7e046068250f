/* mutated_test.c - broken executables under --user: thousands of copies of a
 * small program with bytes changed in its headers and its code are refused or
 * run to some end; nothing else happens. A whole machine each, in one
 * process, so that a sanitizer sees what goes wrong.
 * timeout: 120 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/machine/machine.h"
#include "sim/user/user.h"
#include "sim/core/timing.h"

#define COPIES 4000
#define BASE 0x10000000u
#define SIZE 256u

static unsigned said;

static void say(void *arg, const char *line)
{
    (void)arg, (void)line;
    said++;
}

static bool wait_file(void *arg, int fd, short events)
{
    (void)arg, (void)fd, (void)events;
    return true;
}

static void put16(uint8_t *b, unsigned v)
{
    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

static void put32(uint8_t *b, uint32_t v)
{
    put16(b, v >> 16);
    put16(b + 2, v);
}

/* Two segments on one page; code that asks for its number, pushes something
 * on the stack, touches the second segment, and exits with 7. */
static void make(uint8_t b[SIZE])
{
    static const uint32_t code[] = {
        0x38000014, 0x44000002, /* li r0,20; sc (getpid) */
        0x9421FFF0, 0x3D201000, /* stwu r1,-16(r1); lis r9,0x1000 */
        0x906900F0,             /* stw r3,240(r9) */
        0x38600007, 0x38000001, /* li r3,7; li r0,1 */
        0x44000002,             /* sc (exit) */
    };
    static const uint8_t ident[] = {0x7F, 'E', 'L', 'F', 1, 2, 1};

    memset(b, 0, SIZE);
    memcpy(b, ident, sizeof ident);
    put16(b + 16, 2);  /* ET_EXEC */
    put16(b + 18, 20); /* EM_PPC */
    put32(b + 20, 1);
    put32(b + 24, BASE + 128);
    put32(b + 28, 52);
    put16(b + 40, 52);
    put16(b + 42, 32);
    put16(b + 44, 2);
    for (unsigned n = 0; n < 2; n++) {
        uint8_t *p = b + 52 + 32 * n;

        put32(p, 1);
        put32(p + 4, n ? 224 : 0);
        put32(p + 8, BASE + (n ? 224 : 0));
        put32(p + 12, BASE + (n ? 224 : 0));
        put32(p + 16, n ? 32 : 224);
        put32(p + 20, n ? 3000 : 224);
        put32(p + 24, n ? 6 : 5);
        put32(p + 28, 4096);
    }
    for (unsigned n = 0; n < sizeof code / 4; n++)
        put32(b + 128 + 4 * n, code[n]);
}

/* Run it. -1: refused; else its status, or 1000 for another end. */
static int run(const uint8_t *bytes, size_t size, const char *path)
{
    struct machine *m = calloc(1, sizeof *m);
    char *argv[] = {(char *)path, NULL}, *envp[] = {"A=b", NULL};
    struct machine_setup s = {
        .cpus = 1, .timing = &timing_fast, .ram = 16u << 20};
    struct image image;
    struct user *u = NULL;
    char why[2048];
    FILE *f = fopen(path, "wb");
    int status = -1;

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    params_default(&s.params);
    s.args = "";
    s.max_cycles = 20000;
    s.image = &image;
    if (image_open(&image, path, IMAGE_PROGRAM, why, sizeof why)) {
        struct user_setup setup = {
            .image = &image,
            .path = path,
            .argv = argv,
            .envp = envp,
            .host = {.say = say, .wait = wait_file},
        };

        assert_true(user_open(&u, &setup, why, sizeof why));
        s.supervisor = user_supervisor(u);
        assert_true(machine_init(m, &s, why, sizeof why));
        if (user_start(u, m, why, sizeof why)) {
            machine_run(m);
            assert_true(m->exact);
            status = m->end == MACHINE_EXIT ? (int)m->status : 1000;
        } else {
            assert_true(strlen(why) > 10);
        }
        machine_free(m);
        user_close(u);
        image_close(&image);
    } else {
        assert_true(strlen(why) > 10);
    }
    free(m);
    return status;
}

static void broken_programs_end_somehow(void **state)
{
    char path[512];
    uint8_t good[SIZE], bad[SIZE];
    unsigned refused = 0, ran = 0;

    (void)state;
    snprintf(path, sizeof path, "%s/mutated",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    make(good);
    assert_int_equal(run(good, SIZE, path), 7);
    srand(11);
    for (unsigned n = 0; n < COPIES; n++) {
        memcpy(bad, good, SIZE);
        for (int k = rand() % 4; k >= 0; k--) {
            uint8_t *b = bad + (rand() % 3 ? rand() % 116 : rand() % (int)SIZE);

            switch (rand() % 3) {
            case 0:
                *b = (uint8_t)rand();
                break;
            case 1:
                *b ^= (uint8_t)(1 << rand() % 8);
                break;
            default:
                *b = rand() % 2 ? 0xFF : 0x7F;
            }
        }
        if (run(bad, rand() % 8 ? SIZE : (size_t)(rand() % (int)SIZE), path) <
            0)
            refused++;
        else
            ran++;
    }
    unlink(path);
    /* both happen, or the mutations say nothing */
    assert_true(refused > COPIES / 10);
    assert_true(ran > COPIES / 10);
    assert_true(said > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_programs_end_somehow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
