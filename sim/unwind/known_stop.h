/* known_stop.h - what the code has said about a stop (frame_flow.h), kept:
 * stops at the same instruction are many, and following the code takes long.
 *
 * It holds while every page of code that was read is in the same memory and no
 * decoded record has been forgotten, and for a stack that answers what was
 * asked of it as that one did. So it changes no result.
 */
#ifndef SIM_UNWIND_KNOWN_STOP_H
#define SIM_UNWIND_KNOWN_STOP_H

#include "sim/unwind/frame_flow.h"

/* Is something known of a stop at pc with the stack at sp? Then *found and *u
 * are what frame_flow_at returned and set. */
bool known_stop_find(const struct core *c, const struct names *names, ea_t pc,
                     ea_t sp, bool *found, struct frame_flow *u);

/* The code of a stop is about to be followed: *k is filled in by the next two,
 * as code is read, and as it is asked whether the back chain at sp is `offset`
 * bytes off, which it answers. */
void known_stop_begin(const struct core *c, struct known_stop *k, ea_t pc);
void known_stop_reads(const struct core *c, struct known_stop *k, ea_t ea);
bool known_stop_asks(const struct core *c, struct known_stop *k, ea_t sp,
                     int32_t offset);
/* It came to this. */
void known_stop_keep(const struct names *names, const struct known_stop *k,
                     bool found, const struct frame_flow *u);

#endif
