/* link.h - the connection to a debugger: a socket, and packets on it.
 * Knows framing, checksums and acknowledgements of gdb's remote protocol, not
 * what the packets say. Listens on the loopback address or a Unix socket
 * only. Whatever comes in, it never fails: what is no packet is dropped.
 */
#ifndef SIM_GDB_LINK_H
#define SIM_GDB_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINK_PACKET 8192 /* bytes of a packet's data, both ways */
#define LINK_PATH 108    /* what a Unix socket's name may have */

enum link_event {
    LINK_NONE,   /* nothing to do */
    LINK_OPENED, /* a debugger connected */
    LINK_PACKED, /* a packet lies in data[0..size), a zero behind it */
    LINK_BREAK,  /* the debugger wants the machine to stop */
    LINK_CLOSED, /* the debugger has gone */
    LINK_SIGNAL  /* `signals` has something: the host wants us to end */
};

struct link {
    int listener, fd; /* -1: none */
    int signals;      /* a file that ends waiting, or -1; not owned */
    char path[LINK_PATH];
    char name[LINK_PATH + 32]; /* what to give gdb's "target remote" */
    bool no_ack;
    /* the packet being read */
    enum { LINK_IDLE, LINK_DATA, LINK_ESCAPE, LINK_SUM1, LINK_SUM2 } state;
    bool too_long;
    uint8_t sum, sum_sent;
    size_t size;
    uint8_t data[LINK_PACKET + 1];
    /* bytes not looked at yet */
    size_t got, taken;
    uint8_t input[4096];
    /* the last packet sent, for the debugger to ask again */
    size_t sent;
    uint8_t last[2 * LINK_PACKET + 8];
};

/* Can it be one of link_open's? False: `why` has the line. */
bool link_check(const char *where, char *why, size_t size);

/* Listen at "PORT" (0: any) of 127.0.0.1, or at "unix:PATH", which must not
 * exist but as a socket without a listener. False: `why` has the line. */
bool link_open(struct link *l, const char *where, int signals, char *why,
               size_t size);
/* Use a connected socket instead; owned from here on. */
void link_adopt(struct link *l, int fd);
void link_close(struct link *l);
/* Let the debugger go; another one may come. */
void link_drop(struct link *l);

/* The next thing that happened; with `wait`, not before something did. */
enum link_event link_next(struct link *l, bool wait);

/* The descriptor to watch while waiting elsewhere; -1: none. */
int link_file(const struct link *l);

/* Send data as a packet, escaped as it must be; at most LINK_PACKET bytes. */
void link_send(struct link *l, const void *data, size_t size);

#endif
