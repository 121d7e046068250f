/* uart.h - an ns16550 console: byte registers, FIFO, interrupts.
 *
 * APPROX: a byte stored to THR is on the host at once, whatever the divisor
 * says, so the transmitter is always empty; PC16550D data sheet. Cost: prints
 * take no line time. Received bytes are handed in from outside, one at a
 * time, when the device wants one; the line never overruns.
 */
#ifndef SIM_DEV_UART_H
#define SIM_DEV_UART_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/iomap.h"

#define UART_FIFO 16
/* So many looks at LSR in a row, with nothing sent or received in between,
 * mean that the guest is waiting for a character. Who only waits for the
 * transmitter never looks so often: it is always empty. */
#define UART_LOOKS 16

struct uart {
    uint8_t ier, fcr, lcr, mcr, scr, dll, dlm;
    uint8_t lsr_errors; /* OE, cleared by reading LSR */
    uint8_t fifo[UART_FIFO];
    unsigned head, count; /* received bytes */
    bool thre;            /* transmitter-empty interrupt not yet seen */
    bool line;            /* the interrupt output */
    unsigned looks;       /* at LSR in a row */
    bool over;            /* no byte will come: the carrier is gone */
    bool carrier_changed; /* since MSR was read */
    /* Where sent bytes go, and who hears the interrupt line. */
    void *arg;
    void (*send)(void *arg, uint8_t byte);
    void (*irq)(void *arg, bool level, uint64_t at);
};

void uart_init(struct uart *u, void *arg, void (*send)(void *, uint8_t),
               void (*irq)(void *, bool, uint64_t));

bool uart_load(void *uart, const struct io_access *a, uint32_t *value);
bool uart_store(void *uart, const struct io_access *a, uint32_t value);

/* Is the guest waiting for a character: receive interrupts on, or it keeps
 * looking at LSR, and nothing received is unread? */
bool uart_wants(const struct uart *u);

/* A byte arrives at cycle `at`. */
void uart_receive(struct uart *u, uint8_t byte, uint64_t at);

/* No byte will ever come again: the modem status says so. */
void uart_over(struct uart *u);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool uart_state(struct snap *s, struct uart *u);

#endif
