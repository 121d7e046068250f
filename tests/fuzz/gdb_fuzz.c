/* gdb_fuzz.c - a debugger that says anything at all: the machine it is
 * connected to runs to its end. A line of the input is a packet, framed here
 * with its checksum; a line that begins with '!' is sent as it stands.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/gdb/gdb.h"
#include "sim/core/timing.h"

#define SESSION 65536
#define ENTRY 0x1000

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long long packets;

static void tell(void)
{
    fprintf(stderr, "%llu packets\n", packets);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    atexit(tell);
    return 0;
}

/* Counts, stores and loads for ever. */
static const uint8_t program[] = {
    0x38, 0xA0, 0x40, 0x00, /* li    r5,0x4000 */
    0x38, 0x63, 0x00, 0x01, /* addi  r3,r3,1 */
    0x90, 0x65, 0x00, 0x00, /* stw   r3,0(r5) */
    0x80, 0x85, 0x00, 0x00, /* lwz   r4,0(r5) */
    0xFC, 0x21, 0x08, 0x2A, /* fadd  f1,f1,f1 */
    0x4B, 0xFF, 0xFF, 0xF0, /* b     .-16 */
};

/* The input as bytes on the wire. */
static size_t frame(const uint8_t *data, size_t size, uint8_t *out)
{
    size_t used = 0;

    for (size_t at = 0; at < size && used < SESSION - 8;) {
        const uint8_t *line = data + at, *end = memchr(line, '\n', size - at);
        size_t length = end ? (size_t)(end - line) : size - at;
        uint8_t sum = 0;

        at += length + 1;
        packets++;
        if (length > SESSION - 8 - used)
            length = SESSION - 8 - used;
        if (length && line[0] == '!') {
            memcpy(out + used, line + 1, length - 1);
            used += length - 1;
            continue;
        }
        out[used++] = '$';
        for (size_t k = 0; k < length; k++)
            sum = (uint8_t)(sum + (out[used++] = line[k]));
        used += (size_t)sprintf((char *)out + used, "#%02x", sum);
    }
    return used;
}

/* What the other end of the wire does. */
struct wire {
    int fd;
    size_t size;
    uint8_t bytes[SESSION];
};

static void *hear(void *arg)
{
    const struct wire *w = arg;
    char answer[4096];

    while (read(w->fd, answer, sizeof answer) > 0)
        ;
    return NULL;
}

static void *speak(void *arg)
{
    struct wire *w = arg;
    size_t done = 0;

    while (done < w->size) {
        ssize_t n = send(w->fd, w->bytes + done, w->size - done, MSG_NOSIGNAL);

        if (n <= 0)
            break;
        done += (size_t)n;
    }
    shutdown(w->fd, SHUT_WR);
    return NULL;
}

static void session(struct gdb *g, struct machine *m, struct wire *w)
{
    pthread_t speaker, listener;
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    w->fd = fds[1];
    gdb_adopt(g, m, fds[0]);
    if (pthread_create(&speaker, NULL, speak, w) != 0 ||
        pthread_create(&listener, NULL, hear, w) != 0)
        assert(!"threads");
    gdb_run(g);
    gdb_close(g);
    pthread_join(speaker, NULL);
    pthread_join(listener, NULL);
    close(fds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct machine machine;
    static struct gdb gdb;
    static struct wire wire;
    struct image image = {
        .name = "fuzz",
        .entry = ENTRY,
        .count = 1,
        .segment = {{ENTRY, ENTRY, sizeof program, sizeof program, 0, "r-x"}},
        .bytes = (unsigned char *)program,
        .size = sizeof program,
    };
    struct machine_setup setup = {
        .cpus = 3,
        .ram = RAM_MIN,
        .args = "",
        .max_cycles = 200000,
        .image = &image,
    };
    char why[512];

    if (!size)
        return 0;
    params_default(&setup.params);
    setup.timing = data[0] & 1 ? &timing_fast : &timing_detailed;
    if (!machine_init(&machine, &setup, why, sizeof why))
        return 0;
    wire.size = frame(data + 1, size - 1, wire.bytes);
    session(&gdb, &machine, &wire);
    assert(machine.end != MACHINE_RUNNING);
    machine_free(&machine);
    return 0;
}
