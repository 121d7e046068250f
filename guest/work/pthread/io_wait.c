/* io_wait.c - cause: every thread waits for the disk.
 *
 * The threads read their own program's file, a block at a time, and add up its
 * bytes, which takes much less than a disk that turns. CPUs idle behind
 * read_block. Where files are in memory nothing is waited for.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "guest/work/pthread/common/load.h"

#define BLOCK 4096 /* bytes */
#define BLOCKS 16  /* of the file's first, read in turns */

static struct load size = {.rounds = 20, .threads = 4};
static int file;
static uint32_t total[LOAD_THREADS];

static void read_block(unsigned number, unsigned char *block)
{
    if (pread(file, block, BLOCK, (off_t)number * BLOCK) != BLOCK) {
        fprintf(stderr, "block %u cannot be read\n", number);
        exit(1);
    }
}

static void *reader(void *index)
{
    unsigned me = *(unsigned *)index;
    unsigned char block[BLOCK];

    for (unsigned i = 0; i < size.rounds; i++) {
        read_block((i * size.threads + me) % BLOCKS, block);
        for (unsigned k = 0; k < BLOCK; k++)
            total[me] += block[k];
    }
    return NULL;
}

int main(int count, char **word)
{
    uint32_t sum = 0;

    load_arguments(&size, count, word);
    file = open("/proc/self/exe", O_RDONLY);
    if (file < 0)
        file = open(word[0], O_RDONLY);
    if (file < 0) {
        perror(word[0]);
        return 1;
    }
    load_run(size.threads, reader);
    for (unsigned i = 0; i < size.threads; i++)
        sum += total[i];
    printf("io_wait: %u blocks, sum %u\n", size.rounds * size.threads,
           (unsigned)sum);
    return 0;
}
