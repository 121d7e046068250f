/* config.h - the knobs as values. Rows and defaults: params.def. */
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct params {
#define PARAM(name, value, min, max, unit, text) uint32_t name;
#include "sim/params.def"
#undef PARAM
};

/* Every knob at its default. */
void params_default(struct params *p);

/* "name=value". False: *why (size bytes) says what is wrong and what is
 * known; p is unchanged. */
bool params_set(struct params *p, const char *text, char *why, size_t size);

#endif
