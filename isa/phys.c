/* phys.c - see phys.h. */
#include "isa/phys.h"

void phys_break_reservations(struct cpu *c, pa_t pa)
{
    struct reservations *r = c->port->reservations;

    for (unsigned n = 0; n < PORT_CPUS; n++)
        if (n != c->port->cpu && (r->mask >> n & 1) &&
            r->line[n] == (pa & ~(c->port->line_bytes - 1)))
            r->mask &= ~(1u << n);
}
