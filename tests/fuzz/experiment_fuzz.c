/* experiment_fuzz.c - an experiment with one file replaced by any bytes at
 * all: it is refused with a line, or every report can be made of what is left.
 * The first byte of the input picks the file; FUZZ_EXPERIMENT names a sound
 * experiment, in a directory that may be written to.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/account.h"
#include "tools/lib/idle.h"
#include "tools/lib/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[] = {"log",        "map",      "idle.rec",
                                    "switch.rec", "stat.rec", "thread.rec",
                                    "oracle.rec", "irq.rec",  NULL};

static void put(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
}

static void every_report(const char *directory)
{
    struct recording r;
    struct idle idle;
    struct account account;
    char why[512] = "", name[256];

    if (!recording_open(&r, directory, why, sizeof(why))) {
        assert(why[0] && !strchr(why, '\n'));
        return;
    }
    assert(r.cpus >= 1);
    idle_read(&idle, &r, true);
    for (uint32_t node = 0; node < 16 && node < idle.tree.count; node++) {
        (void)stacktree_sum(&idle.tree, node, IDLE_TO);
        (void)idle_name(&idle, &r, node, name, sizeof(name));
    }
    idle_free(&idle);
    account_read(&account, &r);
    (void)account_exact(&account, &r);
    account_free(&account);
    recording_close(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *directory = getenv("FUZZ_EXPERIMENT");
    char path[4096], aside[4096 + 8];
    unsigned count = 0;

    assert(directory);
    if (size < 1)
        return 0;
    while (files[count])
        count++;
    snprintf(path, sizeof(path), "%s/%s", directory, files[data[0] % count]);
    snprintf(aside, sizeof(aside), "%s.sound", path);
    if (rename(path, aside) != 0)
        return 0; /* this experiment has none of the kind */
    put(path, data + 1, size - 1);
    every_report(directory);
    rename(aside, path);
    return 0;
}
