/* experiment_fuzz.c - an experiment with one file replaced by any bytes at
 * all: it is refused with a line, or everything that reports are made of can
 * be read from what is left, and adds up. The first byte of the input picks
 * the file, the rest is what is in it; whether it is read as a whole or an
 * interval of it hangs on the bytes, too. The experiment is small and lies in
 * memory, so that there can be many inputs.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/experiment_files.h"
#include "tests/lib/expfuzz.h"
#include "lib/base/pack.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILES (sizeof experiment_files / sizeof experiment_files[0])

/* libFuzzer has no other place for what is made once. */
static char directory[600], path[FILES][700];
static struct {
    size_t size;
    unsigned char bytes[1 << 16];
} sound[FILES];

static void put(const char *name, const uint8_t *data, size_t size)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
}

static void clean(void)
{
    char command[700];

    snprintf(command, sizeof command, "rm -r '%s'", directory);
    if (system(command))
        perror(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *base = getenv("TMPDIR");
    char experiment[650];

    (void)argc;
    (void)argv;
    if (!access("/dev/shm", W_OK | X_OK))
        base = "/dev/shm";
    snprintf(directory, sizeof directory, "%s/experiment_fuzz.XXXXXX",
             base ? base : "/tmp");
    assert(mkdtemp(directory));
    atexit(clean);
    snprintf(experiment, sizeof experiment, "%s/it.exp", directory);
    expfuzz_make(experiment);
    for (size_t i = 0; i < FILES; i++) {
        FILE *f;

        snprintf(path[i], sizeof path[i], "%s/%s", experiment,
                 experiment_files[i]);
        f = fopen(path[i], "rb");
        assert(f);
        sound[i].size = fread(sound[i].bytes, 1, sizeof sound[i].bytes, f);
        fclose(f);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char experiment[650];
    size_t i;

    if (size < 1)
        return 0;
    i = data[0] % FILES;
    snprintf(experiment, sizeof experiment, "%s/it.exp", directory);
    put(path[i], data + 1, size - 1);
    expfuzz_read(experiment, pack_sum(3, data, size < 64 ? size : 64) >> 7);
    put(path[i], sound[i].bytes, sound[i].size);
    return 0;
}
