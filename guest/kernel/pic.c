/* pic.c - the interrupt controller: OpenPIC layout, one inter-processor
 * interrupt that means "look at your flags", and so does one of a device: a
 * hook at the end of exceptions looks at the device's.
 */
#include "guest/kernel/defs.h"

#define IPI 0
#define IPI_VECTOR 0x40
#define SPURIOUS 0xFF
#define IPI_PRIORITY 8

static uint32_t own(uint32_t reg)
{
    return BOARD_PIC + PIC_CPU + 0x1000 * this_cpu()->number + reg;
}

void pic_init(void)
{
    io_write(BOARD_PIC + PIC_SVR, SPURIOUS);
    io_write(BOARD_PIC + PIC_IPIVPR + 0x10 * IPI,
             IPI_PRIORITY << PIC_PRIORITY_SHIFT | IPI_VECTOR);
    pic_cpu_init();
}

void pic_cpu_init(void)
{
    io_write(own(PIC_CTPR), 0);
}

void pic_ipi(unsigned cpu)
{
    io_write(own(PIC_IPIDR + 0x10 * IPI), 1u << cpu);
}

/* The source stays up, and interrupts stay off, until the hook has looked. */
void pic_source(unsigned source)
{
    io_write(BOARD_PIC + PIC_IDR + 0x20 * source, 1);
    io_write(BOARD_PIC + PIC_IVPR + 0x20 * source,
             PIC_LEVEL | PIC_HIGH | IPI_PRIORITY << PIC_PRIORITY_SHIFT |
                 IPI_VECTOR);
}

bool pic_ack(void)
{
    uint32_t vector = io_read(own(PIC_IACK));

    if (vector == SPURIOUS)
        return false;
    io_write(own(PIC_EOI), 0);
    if (vector != IPI_VECTOR)
        panic("external interrupt %u", vector);
    return true;
}
