/* machine_private.h - what the files of this room have from each other. */
#ifndef SIM_MACHINE_MACHINE_PRIVATE_H
#define SIM_MACHINE_MACHINE_PRIVATE_H

#include "sim/machine/machine.h"

/* board.c: make the devices of m, attach them where include/board.def says and
 * plug in their wires. Memory is there. False: `why` has the line. */
bool board_init(struct machine *m, char *why, size_t size);

/* definitions.c: look up the symbols that the definitions of m->with.define
 * name. False: `why` has a line or lines. */
bool definitions_resolve(struct machine *m, char *why, size_t size);

#endif
