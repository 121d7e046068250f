/* simmark_fuzz.c - any bytes at all, offered to simmark as a program: refused
 * with a line, or marked, written, read again, and what is loaded is the same.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/simmark/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one_line(const char *why, size_t room)
{
    assert(memchr(why, 0, room));
    assert(why[0] && !strchr(why, '\n'));
}

static void ignore(void *to, uint32_t start, uint32_t size)
{
    (void)to;
    (void)start;
    (void)size;
}

/* Written to a file and read again. */
static void there_and_back(const struct program *p,
                           const struct perfinst *marks)
{
    char path[64], why[512] = "";
    struct program q;

    snprintf(path, sizeof path, "simmark-fuzz.%d", (int)getpid());
    if (!program_write(p, marks, path, why, sizeof why)) {
        one_line(why, sizeof why);
        return;
    }
    if (!program_open(&q, path, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        assert(!"what was written cannot be read");
    }
    assert(q.segments == p->segments);
    for (unsigned k = 0; k < p->segments; k++)
        assert(program_checksum(p, k) == program_checksum(&q, k));
    assert(!marks->count == !q.own.count);
    program_close(&q);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct perfinst_action count = {PERFINST_COUNT, 0};
    int fd = memfd_create("fuzz", 0);
    struct perfinst marks = {0};
    struct perfinst_error e;
    char path[64], why[512] = "";
    struct program p;

    assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (program_open(&p, path, why, sizeof why)) {
        perfinst_parse(&marks, &p.world, "func:*", &count, &e);
        program_symbol(&p, 0x10100, false);
        program_line(&p, "tiny.c", 10, NULL, ignore);
        there_and_back(&p, &marks);
        perfinst_free(&marks);
        program_close(&p);
    } else {
        one_line(why, sizeof why);
    }
    close(fd);
    return 0;
}
