/* calls_fuzz.c - any system calls with any arguments: a program under --user
 * makes up to 64 of them, as the input says, and comes to some end. Fourteen
 * bytes are one call: its number, and for each argument a kind and a value,
 * so that pointers into memory that is there, at the end of it, and names of
 * files are as likely as nonsense. Where the run is started are the files that
 * it may reach; ../outside is what the names try to get at.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sim/machine/machine.h"
#include "sim/user/user.h"
#include "sim/core/timing.h"

#define CALLS 64
#define ENTRY 14 /* bytes of input a call */
#define BASE 0x10000u
#define TABLE 0x100u  /* in the file: 7 words a call */
#define NAMES 0x1000u /* in the file: NAME_SIZE bytes each */
#define NAME_SIZE 32u
#define SIZE 0x2000u
#define HEADERS 84u
#define LIMIT 3000000

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t made;

static void tell(void)
{
    fprintf(stderr, "%llu system calls\n", (unsigned long long)made);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct rlimit most = {1u << 20, 1u << 20};

    (void)argc, (void)argv;
    setrlimit(RLIMIT_FSIZE, &most); /* no disk is filled */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    atexit(tell);
    return 0;
}

static void put16(uint8_t *b, uint32_t v)
{
    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

static void put32(uint8_t *b, uint32_t v)
{
    put16(b, v >> 16);
    put16(b + 2, v);
}

static const char *const names[] = {
    "a",
    "b",
    "d",
    "d/c",
    ".",
    "",
    "..",
    "../outside/file",
    "link",
    "link/file",
    "d/../../outside/file",
    "/",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/dev/full",
    "/proc/self/exe",
    "/proc/self/cwd/../outside/file",
    "/proc/self/root/etc/passwd",
    "/etc/passwd",
    "a/",
    "d/.",
    "x",
    "/tmp",
    "/dev/fd/1",
    "/proc/self/fd/0",
    "d/../link/../a",
    "chain",
    "fifo",
};

#define NAMES_COUNT (sizeof names / sizeof *names)

/* What an argument is: its kind and a value for it. */
static uint32_t argument(uint8_t kind, uint8_t v)
{
    static const uint32_t odd[] = {
        0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0xFFFFF000, 0xFFFFFF9C, 0xC0000000,
        0xBFFFFFFF, 0xBFFFE000, 0x10000000, 0x00100000, 0x00010000, 0x00001000,
        0x00000FFF, 0x000001FF, 0x0FFFFFFF, 0x0003FFFF};

    switch (kind % 8) {
    case 0: /* descriptors, and other small numbers */
        return v & 0x80 ? v & 7 : v;
    case 1:
        return odd[v % 16] + (v >> 4) - 8;
    case 2:
        return 1u << v % 32;
    case 3: /* readable and writable */
        return BASE + NAMES + 0x800 + v * 4;
    case 4: /* across its end */
        return BASE + SIZE - v % 64;
    case 5:
        return BASE + NAMES + NAME_SIZE * (v % NAMES_COUNT);
    case 6: /* what the call before it gave */
        return 0xABCD0000u | v;
    default:
        return (uint32_t)(int8_t)v * 0x01010101u;
    }
}

/* Take the calls of the table one by one. r31 walks; an argument 0xABCDxxxx
 * is replaced by r30, the result of the last call. */
static const uint32_t code[] = {
    0x3FE00001, /* lis r31,1 */
    0x63FF0100, /* ori r31,r31,0x100 (TABLE) */
    0x801F0000, /* next: lwz r0,0(r31) */
    0x807F0004, /* lwz r3,4(r31) */
    0x809F0008, 0x80BF000C, 0x80DF0010,
    0x80FF0014, 0x811F0018, 0x3FA0ABCD, /* lis r29,0xABCD */
    0x507D043E,                         /* rlwimi r29,r3,0,16,31 */
    0x7C1D1800,                         /* cmpw r29,r3 */
    0x40820008,                         /* bne .+8 */
    0x7FC3F378,                         /* mr r3,r30 */
    0x3BFF001C,                         /* addi r31,r31,28 */
    0x44000002,                         /* sc */
    0x7C7E1B78,                         /* mr r30,r3 */
    0x4BFFFFC4,                         /* b next */
};

static unsigned make(uint8_t file[SIZE], const uint8_t *data, size_t size)
{
    static const uint8_t ident[] = {0x7F, 'E', 'L', 'F', 1, 2, 1};
    unsigned calls = 0;

    memset(file, 0, SIZE);
    memcpy(file, ident, sizeof ident);
    put16(file + 16, 2);
    put16(file + 18, 20);
    put32(file + 20, 1);
    put32(file + 24, BASE + HEADERS);
    put32(file + 28, 52);
    put16(file + 40, 52);
    put16(file + 42, 32);
    put16(file + 44, 1);
    put32(file + 52, 1);
    put32(file + 60, BASE);
    put32(file + 64, BASE);
    put32(file + 68, SIZE);
    put32(file + 72, SIZE);
    put32(file + 76, 7);
    for (unsigned n = 0; n < sizeof code / 4; n++)
        put32(file + HEADERS + 4 * n, code[n]);
    for (; calls < CALLS && size >= ENTRY; calls++, size -= ENTRY) {
        uint8_t *row = file + TABLE + 28 * calls;

        put32(row, (uint32_t)data[0] << 8 | data[1]);
        for (unsigned n = 0; n < 6; n++)
            put32(row + 4 + 4 * n, argument(data[2 + 2 * n], data[3 + 2 * n]));
        data += ENTRY;
    }
    put32(file + TABLE + 28 * calls, 1); /* exit */
    for (unsigned n = 0; n < NAMES_COUNT; n++)
        strcpy((char *)file + NAMES + NAME_SIZE * n, names[n]);
    for (unsigned n = 0x800; n < 0x1000; n++) /* plausible structures */
        file[NAMES + n] = (uint8_t)(n % 4 == 3 ? n / 64 : 0);
    return calls;
}

static void say(void *arg, const char *line)
{
    (void)arg;
    assert(*line && !strchr(line, '\n'));
}

static bool never(void *arg, int fd, short events)
{
    (void)arg, (void)fd, (void)events;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct machine machine;
    uint8_t file[SIZE];
    char *argv[] = {"fuzz", NULL}, *envp[] = {NULL}, why[512] = "";
    struct image image;
    struct user_setup with = {.image = &image,
                              .path = "a",
                              .argv = argv,
                              .envp = envp,
                              .host = {.say = say, .wait = never}};
    struct machine_setup s = {
        .timing = size & 1 ? &timing_detailed : &timing_fast,
        .cpus = 2,
        .ram = 8u << 20,
        .args = "",
        .image = &image,
        .max_cycles = LIMIT,
    };
    struct user *u;

    params_default(&s.params);
    made += make(file, data, size);
    if (!image_read(&image, "fuzz", file, SIZE, IMAGE_PROGRAM, why,
                    sizeof why) ||
        !user_open(&u, &with, why, sizeof why))
        assert(!"a program");
    s.supervisor = user_supervisor(u);
    if (!machine_init(&machine, &s, why, sizeof why) ||
        !user_start(u, &machine, why, sizeof why))
        assert(!"a machine");
    machine_run(&machine);
    assert(machine.end != MACHINE_RUNNING && machine.exact);
    user_end(u);
    machine_free(&machine);
    user_close(u);
    image_close(&image);
    return 0;
}
