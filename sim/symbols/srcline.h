/* srcline.h - the source line of an instruction, from the image's DWARF. For
 * sentences only: each question reads the line tables anew.
 */
#ifndef SIM_SYMBOLS_SRCLINE_H
#define SIM_SYMBOLS_SRCLINE_H

#include "sim/machine/loader.h"

#define SRCLINE_TEXT 96

/* "main.c:12", or "" where the file does not say. */
void srcline_text(const struct image *i, uint32_t address,
                  char text[SRCLINE_TEXT]);

#endif
