/* uart.c - an ns16550 console. Registers: PC16550D data sheet, table II.
 * Knows no host: bytes leave through a callback and come in by a call. Modem
 * lines are wired as a ready peer, whose carrier is gone when its input is
 * over; the divisor is kept but not obeyed.
 */
#include "lib/base/snap.h"
#include "sim/dev/uart.h"

enum { RBR_THR, IER, IIR_FCR, LCR, MCR, LSR, MSR, SCR };

#define IER_RX 0x01u
#define IER_TX 0x02u
#define IER_LINE 0x04u
#define IIR_NONE 0x01u
#define IIR_TX 0x02u
#define IIR_RX 0x04u
#define IIR_LINE 0x06u
#define IIR_TIMEOUT 0x0Cu
#define IIR_FIFO 0xC0u
#define FCR_ENABLE 0x01u
#define FCR_CLEAR_RX 0x02u
#define LCR_DLAB 0x80u
#define MCR_LOOP 0x10u
#define LSR_DR 0x01u
#define LSR_OE 0x02u
#define LSR_THRE 0x20u
#define LSR_TEMT 0x40u
#define MSR_READY 0x30u /* CTS DSR */
#define MSR_CARRIER 0x80u
#define MSR_CARRIER_CHANGED 0x08u

void uart_init(struct uart *u, void *arg, void (*send)(void *, uint8_t),
               void (*irq)(void *, bool, uint64_t))
{
    *u = (struct uart){.arg = arg, .send = send, .irq = irq, .dll = 1};
}

static unsigned trigger(const struct uart *u)
{
    static const uint8_t level[4] = {1, 4, 8, 14};

    return u->fcr & FCR_ENABLE ? level[u->fcr >> 6] : 1;
}

/* Which interrupt stands, in the order of the data sheet. Received bytes
 * below the trigger level report at once as a character timeout: the next
 * byte is not sent before this one is read. */
static uint8_t cause(const struct uart *u)
{
    if ((u->ier & IER_LINE) && u->lsr_errors)
        return IIR_LINE;
    if ((u->ier & IER_RX) && u->count)
        return u->count >= trigger(u) ? IIR_RX : IIR_TIMEOUT;
    if ((u->ier & IER_TX) && u->thre)
        return IIR_TX;
    return IIR_NONE;
}

static void settle_line(struct uart *u, uint64_t at)
{
    bool level = cause(u) != IIR_NONE;

    if (level == u->line)
        return;
    u->line = level;
    u->irq(u->arg, level, at);
}

static void fifo_push(struct uart *u, uint8_t byte)
{
    unsigned room = u->fcr & FCR_ENABLE ? UART_FIFO : 1;

    if (u->count >= room) {
        u->lsr_errors |= LSR_OE;
        return;
    }
    u->fifo[(u->head + u->count) % UART_FIFO] = byte;
    u->count++;
}

static uint8_t fifo_pop(struct uart *u)
{
    uint8_t byte = u->fifo[u->head];

    if (u->count) {
        u->head = (u->head + 1) % UART_FIFO;
        u->count--;
    }
    u->looks = 0;
    return byte;
}

static uint8_t read_iir(struct uart *u)
{
    uint8_t iir = cause(u);

    if (iir == IIR_TX)
        u->thre = false; /* reading the cause answers it */
    return iir | (u->fcr & FCR_ENABLE ? IIR_FIFO : 0);
}

static uint8_t read_lsr(struct uart *u)
{
    uint8_t lsr = LSR_THRE | LSR_TEMT | u->lsr_errors;

    u->lsr_errors = 0;
    if (u->looks < UART_LOOKS)
        u->looks++;
    return lsr | (u->count ? LSR_DR : 0);
}

/* In loop-back the modem outputs come back as the inputs. */
static uint8_t read_msr(struct uart *u)
{
    uint8_t changed = u->carrier_changed ? MSR_CARRIER_CHANGED : 0;

    u->carrier_changed = false; /* reading answers it */
    if (!(u->mcr & MCR_LOOP))
        return MSR_READY | changed | (u->over ? 0 : MSR_CARRIER);
    return (uint8_t)((u->mcr & 0x0C) << 4 | (u->mcr & 0x02) << 3 |
                     (u->mcr & 0x01) << 5);
}

static uint8_t read_register(struct uart *u, unsigned reg)
{
    bool dlab = u->lcr & LCR_DLAB;

    switch (reg) {
    case RBR_THR:
        return dlab ? u->dll : fifo_pop(u);
    case IER:
        return dlab ? u->dlm : u->ier;
    case IIR_FCR:
        return read_iir(u);
    case LCR:
        return u->lcr;
    case MCR:
        return u->mcr;
    case LSR:
        return read_lsr(u);
    case MSR:
        return read_msr(u);
    default:
        return u->scr;
    }
}

bool uart_load(void *uart, const struct io_access *a, uint32_t *value)
{
    struct uart *u = uart;

    if (a->size != 1)
        return false;
    *value = read_register(u, a->offset);
    settle_line(u, a->at);
    return true;
}

static void write_thr(struct uart *u, uint8_t byte)
{
    u->looks = 0;
    u->thre = true; /* it is empty again at once */
    if (u->mcr & MCR_LOOP)
        fifo_push(u, byte);
    else
        u->send(u->arg, byte);
}

static void write_ier(struct uart *u, uint8_t value)
{
    if ((value & IER_TX) && !(u->ier & IER_TX))
        u->thre = true; /* enabling it while empty interrupts */
    u->ier = value & 0x0F;
}

static void write_fcr(struct uart *u, uint8_t value)
{
    bool toggled = (value ^ u->fcr) & FCR_ENABLE;

    u->fcr = value & 0xC1;
    if (toggled || (value & FCR_CLEAR_RX))
        u->head = u->count = 0;
}

bool uart_store(void *uart, const struct io_access *a, uint32_t value)
{
    struct uart *u = uart;
    bool dlab = u->lcr & LCR_DLAB;
    uint8_t byte = (uint8_t)value;

    if (a->size != 1)
        return false;
    switch (a->offset) {
    case RBR_THR:
        dlab ? (void)(u->dll = byte) : write_thr(u, byte);
        break;
    case IER:
        dlab ? (void)(u->dlm = byte) : write_ier(u, byte);
        break;
    case IIR_FCR:
        write_fcr(u, byte);
        break;
    case LCR:
        u->lcr = byte;
        break;
    case MCR:
        u->mcr = byte & 0x1F;
        break;
    case SCR:
        u->scr = byte;
        break;
    default:
        break; /* LSR and MSR: factory test, ignored */
    }
    settle_line(u, a->at);
    return true;
}

bool uart_wants(const struct uart *u)
{
    return u->count == 0 && !(u->mcr & MCR_LOOP) &&
           ((u->ier & IER_RX) || u->looks >= UART_LOOKS);
}

void uart_receive(struct uart *u, uint8_t byte, uint64_t at)
{
    fifo_push(u, byte);
    u->looks = 0;
    settle_line(u, at);
}

void uart_over(struct uart *u)
{
    u->over = u->carrier_changed = true;
}

bool uart_state(struct snap *s, struct uart *u)
{
    snap_begin(s, "uart", 2);
    SNAP(s, u->ier);
    SNAP(s, u->fcr);
    SNAP(s, u->lcr);
    SNAP(s, u->mcr);
    SNAP(s, u->scr);
    SNAP(s, u->dll);
    SNAP(s, u->dlm);
    SNAP(s, u->lsr_errors);
    SNAP_ARRAY(s, u->fifo);
    SNAP_BELOW(s, u->head, UART_FIFO);
    SNAP_BELOW(s, u->count, UART_FIFO + 1);
    SNAP(s, u->thre);
    SNAP(s, u->line);
    SNAP(s, u->looks);
    SNAP(s, u->over);
    SNAP(s, u->carrier_changed);
    SNAP_SKIP(s, u->arg, "wired by uart_init");
    SNAP_SKIP(s, u->send, "wired by uart_init");
    SNAP_SKIP(s, u->irq, "wired by uart_init");
    return snap_end(s);
}
