/* config.h - the knobs as values. Rows and defaults: params.def. */
#ifndef SIM_CONFIG_CONFIG_H
#define SIM_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct params {
#define PARAM(name, value, min, max, unit, text) uint32_t name;
#include "sim/config/params.def"
#undef PARAM
};

/* One row of params.def, for those who print them. */
struct param_row {
    const char *name, *unit, *text;
    uint32_t value, min, max; /* value: the default */
    size_t offset;            /* in struct params */
};

const struct param_row *param_rows(unsigned *count);
uint32_t param_get(const struct params *p, const struct param_row *row);

/* Every knob at its default. */
void params_default(struct params *p);

/* "name=value". False: *why (size bytes) says what is wrong and what is
 * known; p is unchanged. */
bool params_set(struct params *p, const char *text, char *why, size_t size);

/* Do the values go together? False: *why names the knobs that do not. */
bool params_check(const struct params *p, char *why, size_t size);

#endif
