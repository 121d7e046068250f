/* setup.c - what follows from the setup of a machine alone: cycles of a tick,
 * and the words for events that --event defines.
 */
#include <stdio.h>

#include "sim/machine/machine.h"

uint32_t machine_tb_cycles(const struct params *p)
{
    return p->bus_ratio * p->tb_bus;
}

const char *machine_event(const struct machine_setup *s, enum event id)
{
    for (unsigned k = 0; k < s->ndefine; k++)
        if (id == derived_defined(k))
            return s->define[k].name;
    return event_name(id);
}

void machine_misdefined(const char *text, const struct expr_error *e, char *why,
                        size_t size)
{
    int used = snprintf(why, size, "--event: ");

    expr_show(text, e, why + used, size - (size_t)used);
}
