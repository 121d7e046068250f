/* thread_filter.c - which threads are of interest: all of the application's, or
 * those named on the boot line by process (7), by thread (t12) or by name
 * (worker, worker.3).
 */
#include "guest/prof/idle/idle.h"

#define FILTERS 16

enum filter_by { FILTER_PID, FILTER_TID, FILTER_NAME };

static struct {
    enum filter_by by;
    uint32_t number;
    char name[NAME_SIZE];
} filter[FILTERS];
static unsigned filters; /* 0: all threads are of interest */

static bool wanted[MAX_THREADS]; /* by slot of the thread */

/* "worker" means every worker.N; "worker.3" only that one. */
static bool name_fits(const char *name, const char *wish)
{
    while (*wish && *name == *wish)
        name++, wish++;
    return !*wish && (!*name || *name == '.');
}

static bool filter_fits(uint32_t tid, uint32_t pid, const char *name)
{
    for (unsigned i = 0; i < filters; i++) {
        bool yes = false;

        if (filter[i].by == FILTER_PID)
            yes = filter[i].number == pid;
        else if (filter[i].by == FILTER_TID)
            yes = filter[i].number == tid;
        else
            yes = name_fits(name, filter[i].name);
        if (yes)
            return true;
    }
    return filters == 0;
}

bool thread_filter_wants(const struct thread *t)
{
    return wanted[(t->tid - 1) % MAX_THREADS];
}

static void thread_filter_made(struct thread *t)
{
    wanted[(t->tid - 1) % MAX_THREADS] =
        t->kind == THREAD_IS_APP && filter_fits(t->tid, t->pid, t->name);
}
HOOK(thread, 110, thread_filter_made);

static bool take_one(const char *text)
{
    unsigned i = filters;

    if (i == FILTERS || !*text)
        return false;
    filter[i].by = FILTER_NAME;
    text_copy(filter[i].name, text, NAME_SIZE);
    if (text_number(text, &filter[i].number))
        filter[i].by = FILTER_PID;
    else if (*text == 't' && text_number(text + 1, &filter[i].number))
        filter[i].by = FILTER_TID;
    filters++;
    return true;
}

/* all, or a list with commas. */
static bool take_monitor(char *value)
{
    filters = 0;
    if (text_equal(value, "all"))
        return true;
    while (value) {
        char *rest = text_split(value, ',');

        if (!take_one(value))
            return false;
        value = rest;
    }
    return true;
}
BOOT_WORD(140, take_monitor, "monitor", "all|PID,tTID,NAME,...");

static void refuse_name(const struct work *w, const char *name)
{
    kprintf("boot line: no thread of %s is called '%s'; known:", w->name, name);
    for (unsigned i = 0; w->roles[i]; i++)
        kprintf(" %s", w->roles[i]);
    kprintf("\n");
    power_off(EXIT_BAD_WORD);
}

/* A name that no thread of the workload can have is a mistake. */
static void check_names(const struct options *o)
{
    for (unsigned i = 0; i < filters && !o->program; i++) {
        const char *const *role = o->work->roles;

        if (filter[i].by != FILTER_NAME)
            continue;
        while (*role && !name_fits(filter[i].name, *role))
            role++;
        if (!*role)
            refuse_name(o->work, filter[i].name);
    }
}
HOOK(settle, 110, check_names);
