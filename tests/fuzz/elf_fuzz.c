/* elf_fuzz.c - any bytes at all as a program. They are refused with a line,
 * or what they load lies inside memory, has names that can be asked for, and
 * runs: as a whole system and under --user, for FUZZ_CYCLES cycles (1000) each.
 * Whatever the program does, the run has an end and the oracle's account is
 * exact. Files that it makes go to the working directory.
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
#include "sim/symbols/names.h"
#include "sim/user/user.h"
#include "sim/core/timing.h"

#define MEMORY (8u << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    uint64_t refused, systems, programs;
} count;

static void tell(void)
{
    fprintf(stderr, "%llu refused, %llu run as a system, %llu under --user\n",
            (unsigned long long)count.refused,
            (unsigned long long)count.systems,
            (unsigned long long)count.programs);
}

/* A program that writes for ever fills no disk. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct rlimit most = {16u << 20, 16u << 20};

    (void)argc, (void)argv;
    setrlimit(RLIMIT_FSIZE, &most);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    atexit(tell);
    return 0;
}

static void one_line(const char *why, size_t room)
{
    assert(memchr(why, 0, room));
    assert(why[0] && !strchr(why, '\n'));
}

/* ---- the world of a program under --user, which says nothing ------------- */

static void say(void *arg, const char *line)
{
    (void)arg;
    one_line(line, 1024);
}

static bool never(void *arg, int fd, short events)
{
    (void)arg, (void)fd, (void)events;
    return false;
}

/* The symbol table is believed no more than the rest. */
static void look_up(const struct image *image)
{
    char text[NAME_TEXT];
    struct names names;
    uint32_t address;

    if (!names_open(&names, image))
        return;
    for (uint32_t at = 0; at < MEMORY; at += 0xFFF4) {
        names_text(&names, at, text);
        assert(memchr(text, 0, sizeof text));
    }
    names_find(&names, "_start+4", &address);
    names_close(&names);
}

/* One half of the files, whichever. */
static bool odd(const struct image *image)
{
    uint32_t sum = 1;

    for (size_t n = 0; n < image->size && n < 4096; n++)
        sum = sum * 31 + image->bytes[n];
    return sum >> 16 & 1;
}

static struct machine_setup setup(const struct image *image, unsigned cpus)
{
    static cycle_t cycles;
    struct machine_setup s = {
        .timing = odd(image) ? &timing_detailed : &timing_fast,
        .cpus = cpus,
        .ram = MEMORY,
        .args = "",
        .image = image,
    };

    if (!cycles)
        cycles = strtoull(
            getenv("FUZZ_CYCLES") ? getenv("FUZZ_CYCLES") : "1000", NULL, 0);
    s.max_cycles = cycles;
    params_default(&s.params);
    return s;
}

static void run(struct machine *m)
{
    machine_run(m);
    assert(m->end != MACHINE_RUNNING && m->exact);
}

static void run_system(struct machine *m, const struct image *image)
{
    struct machine_setup s = setup(image, 1);
    char why[512] = "";

    if (!machine_init(m, &s, why, sizeof why)) {
        one_line(why, sizeof why);
        return;
    }
    for (unsigned i = 0; i < image->count; i++) {
        assert(image->segment[i].file <= image->segment[i].memory);
        assert(image->segment[i].pa <= MEMORY);
        assert(image->segment[i].memory <= MEMORY - image->segment[i].pa);
    }
    run(m);
    count.systems++;
    machine_free(m);
}

static void run_program(struct machine *m, const struct image *image)
{
    struct machine_setup s = setup(image, 2);
    char *argv[] = {"fuzz", "one", NULL}, *envp[] = {"A=b", NULL};
    struct user_setup with = {.image = image,
                              .path = "fuzz",
                              .argv = argv,
                              .envp = envp,
                              .host = {.say = say, .wait = never}};
    char why[512] = "";
    struct user *u;

    if (!user_open(&u, &with, why, sizeof why))
        assert(!"a process");
    s.supervisor = user_supervisor(u);
    if (!machine_init(m, &s, why, sizeof why))
        assert(!"a machine");
    if (user_start(u, m, why, sizeof why)) {
        run(m);
        count.programs++;
    } else {
        one_line(why, sizeof why);
    }
    machine_free(m);
    user_close(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct machine machine;
    char why[512] = "";
    struct image image;

    if (image_read(&image, "fuzz", data, size, IMAGE_BARE, why, sizeof why)) {
        assert(image.count <= IMAGE_SEGMENTS);
        look_up(&image);
        run_system(&machine, &image);
        image_close(&image);
    } else {
        one_line(why, sizeof why);
        count.refused++;
    }
    if (image_read(&image, "fuzz", data, size, IMAGE_PROGRAM, why,
                   sizeof why)) {
        look_up(&image);
        run_program(&machine, &image);
        image_close(&image);
    } else {
        one_line(why, sizeof why);
    }
    return 0;
}
