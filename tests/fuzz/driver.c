/* driver.c - a plain mutation fuzzer, for where libFuzzer cannot be had and
 * for the short run in `make check`.
 *
 *   driver SECONDS CASES SEED CORPUS-FILE... -- KEEP
 *
 * Ends after so many seconds or inputs, 0 for no limit. Takes a corpus file,
 * damages it in one to eight places and hands it to LLVMFuzzerTestOneInput.
 * Before each call the input is written to KEEP, so that after a crash the
 * culprit lies there. The inputs depend on SEED alone.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __attribute__((weak)) LLVMFuzzerInitialize(int *argc, char ***argv);

struct input {
    size_t size;
    uint8_t *bytes;
};

static uint32_t roll(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 20);
}

static struct input slurp(const char *path)
{
    struct input in = {0, malloc(INPUT_MAX)};
    FILE *f = fopen(path, "rb");

    if (!f || !in.bytes) {
        perror(path);
        exit(2);
    }
    in.size = fread(in.bytes, 1, INPUT_MAX, f);
    fclose(f);
    return in;
}

/* Values at which arithmetic on sizes and offsets goes wrong. */
static uint32_t edge(uint64_t *state)
{
    static const uint32_t edges[] = {
        0,       1,          4,          31,         32,         0xFFF,
        0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFF000};

    return edges[roll(state) % (sizeof(edges) / sizeof(edges[0]))];
}

static void damage(struct input *in, uint64_t *state)
{
    /* Headers are at the front: half of the damage goes there. */
    size_t reach = roll(state) % 2 && in->size > 256 ? 256 : in->size;
    size_t at = reach ? roll(state) % reach : 0;

    if (in->size < 8)
        return;
    switch (roll(state) % 6) {
    case 0:
        in->bytes[at] ^= (uint8_t)(1u << roll(state) % 8);
        break;
    case 1:
        in->bytes[at] = (uint8_t)roll(state);
        break;
    case 2:
        in->size = 1 + roll(state) % in->size;
        break;
    default: {
        uint32_t value = edge(state);
        uint8_t word[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16),
                           (uint8_t)(value >> 8), (uint8_t)value};
        at &= ~(size_t)3;
        if (at + 4 <= in->size)
            memcpy(in->bytes + at, word, 4);
    }
    }
}

static void keep(int fd, const struct input *in)
{
    if (pwrite(fd, in->bytes, in->size, 0) != (ssize_t)in->size ||
        ftruncate(fd, (off_t)in->size) != 0) {
        perror("driver: KEEP");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    if (argc < 7 || strcmp(argv[argc - 2], "--") != 0) {
        fprintf(stderr, "driver SECONDS CASES SEED CORPUS-FILE... -- KEEP\n");
        return 2;
    }
    time_t seconds = atol(argv[1]), begin = time(NULL);
    unsigned long cases = strtoul(argv[2], NULL, 0), runs = 0;
    uint64_t state = 88172645463325252u + strtoull(argv[3], NULL, 0);
    unsigned files = (unsigned)argc - 6;
    struct input *corpus = malloc(files * sizeof *corpus);
    struct input in = {0, malloc(INPUT_MAX)};
    int kept = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0666);

    if (!corpus || !in.bytes || kept < 0)
        return 2;
    for (unsigned n = 0; n < files; n++)
        corpus[n] = slurp(argv[4 + n]);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    while ((!cases || runs < cases) &&
           (!seconds || time(NULL) < begin + seconds)) {
        const struct input *seed = &corpus[roll(&state) % files];
        memcpy(in.bytes, seed->bytes, seed->size);
        in.size = seed->size;
        for (unsigned n = runs ? 1 + roll(&state) % 8 : 0; n > 0; n--)
            damage(&in, &state);
        keep(kept, &in);
        LLVMFuzzerTestOneInput(in.bytes, in.size);
        runs++;
    }
    for (unsigned n = 0; n < files; n++)
        free(corpus[n].bytes);
    free(corpus);
    free(in.bytes);
    remove(argv[argc - 1]);
    printf("%lu inputs\n", runs);
    return runs == 0;
}
