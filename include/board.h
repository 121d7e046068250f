/* board.h - the board: memory map and interrupt lines, for simulator and
 * guest alike (#defines only). RAM starts at 0. Addresses from BOARD_IO up
 * are devices, never cached.
 */
#ifndef INCLUDE_BOARD_H
#define INCLUDE_BOARD_H

#define BOARD_IO 0xFC000000

/* Interrupt controller, OpenPIC/MPIC register layout, big-endian words. */
#define BOARD_PIC 0xFC000000
#define BOARD_PIC_SIZE 0x40000

/* ns16550 console, byte registers at consecutive addresses. */
#define BOARD_UART 0xFE000000
#define BOARD_UART_SIZE 8

/* Power-off: a word stored here ends the run with that exit status (0-255). */
#define BOARD_POWER 0xFE001000
#define BOARD_POWER_SIZE 4
/* LR at entry points here: returning from the entry function powers off with
 * r3 as the exit status. */
#define BOARD_RETURN 0xFE001100

/* Trace port, one window a CPU: BOARD_TRACE + cpu * BOARD_TRACE_STRIDE.
 * Always there; without --pmu-trace what it is given is dropped. */
#define BOARD_TRACE 0xFE002000
#define BOARD_TRACE_STRIDE 0x40
#define BOARD_TRACE_SIZE 0x200
#define TRACE_RECORD 0x00  /* W: physical address of a record: append it now */
#define TRACE_CONTEXT 0x04 /* RW: whom the oracle charges from here on */
#define TRACE_ENABLED 0x08 /* R: 1 while an experiment is being written */

/* Release: storing an address in word n starts CPU n there (r3 = n, LR =
 * BOARD_RETURN, r1 = 0) if it is still parked. */
#define BOARD_RELEASE 0xFE003000
#define BOARD_RELEASE_SIZE 0x20

/* Facts about the machine, read only. */
#define BOARD_INFO 0xFE004000
#define BOARD_INFO_SIZE 0x1000
#define INFO_CPUS 0x00
#define INFO_RAM 0x04       /* bytes */
#define INFO_CLOCK 0x08     /* processor clock, Hz */
#define INFO_TIMEBASE 0x0C  /* time base and decrementer, Hz */
#define INFO_TB_CYCLES 0x10 /* processor cycles a time-base tick */
#define INFO_SEED 0x14
#define INFO_PERFINST 0x18 /* bytes at BOARD_PERFINST */
#define INFO_ARGS 0x100    /* --append text, zero terminated */
#define INFO_ARGS_MAX 0xF00

/* The program's metadata: its sections .perfinst, one behind the other
 * (docs/pif.md 11), read only. */
#define BOARD_PERFINST 0xFD000000
#define BOARD_PERFINST_SIZE 0x1000000

/* The performance monitor of the processor that asks, a word a register:
 * BOARD_MONITOR + 4 * its SPR number (docs/pif.md 8). There while HID0[PIFE]
 * is on. */
#define BOARD_MONITOR 0xFE005000
#define BOARD_MONITOR_SIZE 0x1000

/* Interrupt sources of the PIC. */
#define BOARD_IRQ_UART 0
#define BOARD_IRQS 16

/* OpenPIC registers, offsets from BOARD_PIC. */
#define PIC_FRR 0x1000
#define PIC_GCR 0x1020
#define PIC_VIR 0x1080
#define PIC_INIT 0x1090
#define PIC_IPIVPR 0x10A0 /* + 0x10 * n, n 0-3 */
#define PIC_SVR 0x10E0
#define PIC_TFRR 0x10F0
#define PIC_IVPR 0x10000 /* + 0x20 * source */
#define PIC_IDR 0x10010
#define PIC_CPU 0x20000 /* + 0x1000 * cpu; 0x0000: the reading CPU's own */
#define PIC_IPIDR 0x40  /* + 0x10 * n: bit mask of target CPUs */
#define PIC_CTPR 0x80
#define PIC_WHOAMI 0x90
#define PIC_IACK 0xA0
#define PIC_EOI 0xB0
#define PIC_IPIS 4
#define PIC_MASK 0x80000000     /* IVPR: masked */
#define PIC_ACTIVITY 0x40000000 /* IVPR: pending or in service, read only */
#define PIC_PRIORITY_SHIFT 16
#define PIC_VECTOR_MASK 0xFF

#endif
