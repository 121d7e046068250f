/* board.h - the board's addresses, registers and interrupt sources as numbers
 * for simulator and guest alike, in C and in assembly. Rows: board.def; tables
 * for people: docs/board.md. RAM starts at 0.
 *
 *   BOARD_DEVICE, BOARD_DEVICE_SIZE   base and bytes of a device
 *   BOARD_IRQ_DEVICE                  its source, or BOARD_NO_IRQ
 *   DEVICE_REGISTER                   offset of a register from the base
 */
#ifndef INCLUDE_BOARD_H
#define INCLUDE_BOARD_H

#ifdef __ASSEMBLER__
#define NUMBER(NAME, value, what) .equ NAME, value
#define REGISTER(DEVICE, NAME, offset, access, what)                           \
    .equ DEVICE##_##NAME, offset
#define IN_CORE(NAME, base, bytes, what)                                       \
    .equ BOARD_##NAME, base;                                                   \
    .equ BOARD_##NAME##_SIZE, bytes
#define DEVICE(NAME, room, base, bytes, access, interrupt, compatible, what)   \
    .equ BOARD_##NAME, base;                                                   \
    .equ BOARD_##NAME##_SIZE, bytes
#include "board.def"
#else
enum {
#define NUMBER(NAME, value, what) NAME = value,
#define REGISTER(DEVICE, NAME, offset, access, what) DEVICE##_##NAME = offset,
#define IN_CORE(NAME, base, bytes, what)                                       \
    BOARD_##NAME = base, BOARD_##NAME##_SIZE = bytes,
#define BOARD_NO_IRQ 255
#define NO_IRQ BOARD_NO_IRQ
#define DEVICE(NAME, room, base, bytes, access, interrupt, compatible, what)   \
    BOARD_##NAME = base, BOARD_##NAME##_SIZE = bytes,                          \
    BOARD_IRQ_##NAME = interrupt,
#include "board.def"
};
#undef NO_IRQ
#endif
#undef NUMBER
#undef REGISTER
#undef IN_CORE
#undef DEVICE

#endif
