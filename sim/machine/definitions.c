/* definitions.c - events that simrun --event defines: their names, what their
 * conditions say of the image's symbols, and the words for a mistake in one.
 */
#include <stdio.h>
#include <string.h>

#include "sim/machine/machine_private.h"

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

static bool symbol(const void *names, const char *name, uint32_t *from,
                   uint32_t *end)
{
    return names_extent(names, name, from, end);
}

bool definitions_resolve(struct machine *m, char *why, size_t size)
{
    char near_by[DID_YOU_MEAN_TEXT];
    struct expr_error e;

    if (m->with.ndefine && !machine_read_names(m)) {
        snprintf(why, size, "the host has no memory for the names");
        return false;
    }
    for (unsigned k = 0; k < m->with.ndefine; k++)
        if (!predicate_resolve(&m->with.define[k], symbol, &m->names, &e)) {
            size_t used = strlen(e.why);

            names_near(&m->names, e.name, near_by);
            snprintf(e.why + used, sizeof e.why - used, "%s", near_by);
            machine_misdefined(m->with.define[k].text, &e, why, size);
            return false;
        }
    return true;
}
