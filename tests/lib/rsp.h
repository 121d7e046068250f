/* rsp.h - a plain client of gdb's remote protocol, for tests that want to
 * know what was said and not what gdb makes of it.
 */
#ifndef TESTS_LIB_RSP_H
#define TESTS_LIB_RSP_H

#include <stdbool.h>
#include <sys/types.h>

#define RSP_TEXT 16384

struct rsp {
    pid_t pid; /* of simrun */
    int fd;
    bool ack;
    char path[100];
    char text[RSP_TEXT];  /* the last packet received */
    char shown[RSP_TEXT]; /* what O packets brought since the last question */
};

/* Run $BUILD/simrun with these arguments (NULL behind the last) under
 * --gdb=unix:..., and connect. Console and messages go to `console`, or to
 * /dev/null. Fails the test when that cannot be. */
void rsp_start(struct rsp *r, const char *console, const char *const *args);

/* Send a packet, with arguments as printf; no answer is awaited. */
void rsp_send(struct rsp *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The next packet that is not an O packet; "" when the other side closed. */
const char *rsp_receive(struct rsp *r);
/* Both. */
const char *rsp_ask(struct rsp *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "monitor LINE": what it printed. */
const char *rsp_monitor(struct rsp *r, const char *line);
/* Raw bytes. */
void rsp_raw(struct rsp *r, const void *bytes, size_t size);

/* Disconnect without a word. */
void rsp_hang_up(struct rsp *r);
/* Connect again. */
void rsp_connect(struct rsp *r);
/* Wait for simrun to end: its exit status, or 1000 + the signal that killed
 * it. Fails the test after two minutes. */
int rsp_status(struct rsp *r);

#endif
