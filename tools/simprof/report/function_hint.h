/* function_hint.h - which function a person may have meant. */
#ifndef TOOLS_SIMPROF_REPORT_FUNCTION_HINT_H
#define TOOLS_SIMPROF_REPORT_FUNCTION_HINT_H

#include "tools/simprof/report/report.h"

/* Refuse: there is no function of this name, for what it is wanted. Those
 * with names near it are told. */
void function_refuse(const struct recording *r, const struct options *o,
                     const char *wanted);

/* The function of the load map with this name, or this alias;
 * LOADMAP_UNKNOWN: none. */
uint32_t function_hint(const struct recording *r, const char *name);

#endif
