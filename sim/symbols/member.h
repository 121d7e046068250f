/* member.h - where something within a variable is, by the image's DWARF. For
 * what a person names: each question reads the types anew.
 */
#ifndef SIM_SYMBOLS_MEMBER_H
#define SIM_SYMBOLS_MEMBER_H

#include "sim/machine/loader.h"

/* The address of "cache.guard" or "shelf[3].lock", where the image is. False:
 * the file does not say. */
bool member_find(const struct image *i, const char *text, uint32_t *at);

#endif
