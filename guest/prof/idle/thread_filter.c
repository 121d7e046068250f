/* thread_filter.c - which threads are of interest: all of the application's, or
 * those named on the boot line by process (7), by thread (t12) or by name
 * (worker, worker.3).
 */
#include "guest/kernel/defs.h"

/* "worker" means every worker.N; "worker.3" only that one. */
static bool name_fits(const char *name, const char *wanted)
{
    while (*wanted && *name == *wanted)
        name++, wanted++;
    return !*wanted && (!*name || *name == '.');
}

bool monitor_wants(uint32_t tid, uint32_t pid, const char *name)
{
    const struct options *o = options();

    for (unsigned i = 0; i < o->monitors; i++) {
        bool yes = false;

        if (o->monitor[i].by == MONITOR_PID)
            yes = o->monitor[i].number == pid;
        else if (o->monitor[i].by == MONITOR_TID)
            yes = o->monitor[i].number == tid;
        else
            yes = name_fits(name, o->monitor[i].name);
        if (yes)
            return true;
    }
    return o->monitors == 0;
}

static bool parse_one(struct options *o, const char *text)
{
    unsigned i = o->monitors;

    if (i == MONITOR_MAX || !*text)
        return false;
    o->monitor[i].by = MONITOR_NAME;
    text_copy(o->monitor[i].name, text, NAME_SIZE);
    if (text_number(text, &o->monitor[i].number))
        o->monitor[i].by = MONITOR_PID;
    else if (*text == 't' && text_number(text + 1, &o->monitor[i].number))
        o->monitor[i].by = MONITOR_TID;
    o->monitors++;
    return true;
}

/* all, or a list with commas. */
bool monitor_parse(struct options *o, char *value)
{
    o->monitors = 0;
    if (text_equal(value, "all"))
        return true;
    while (value) {
        char *rest = text_split(value, ',');

        if (!parse_one(o, value))
            return false;
        value = rest;
    }
    return true;
}

/* A name that no thread of the workload can have is a mistake: returns it. */
const char *monitor_unknown(const struct options *o)
{
    for (unsigned i = 0; i < o->monitors; i++) {
        const char *const *role = o->work->roles;

        if (o->monitor[i].by != MONITOR_NAME)
            continue;
        while (*role && !name_fits(o->monitor[i].name, *role))
            role++;
        if (!*role)
            return o->monitor[i].name;
    }
    return NULL;
}
