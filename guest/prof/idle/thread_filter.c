/* thread_filter.c - which threads are of interest: all of the application's, or
 * those named on the boot line by process (7), by thread (t12) or by name
 * (worker, worker.3); and, in the same words, those whose stacks are not to be
 * taken beforehand.
 */
#include "guest/prof/idle/idle.h"

#define FILTERS 16

enum filter_by { FILTER_PID, FILTER_TID, FILTER_NAME };

struct filter {
    enum filter_by by;
    uint32_t number;
    char name[NAME_SIZE];
};

struct filters {
    struct filter list[FILTERS];
    unsigned count;
};

static struct filters monitored; /* none: all threads are of interest */
static struct filters excluded;

/* By slot of the thread. */
static struct {
    bool wanted, excluded;
} known[MAX_THREADS];

/* "worker" means every worker.N; "worker.3" only that one. */
static bool name_fits(const char *name, const char *wish)
{
    while (*wish && *name == *wish)
        name++, wish++;
    return !*wish && (!*name || *name == '.');
}

static bool filter_fits(const struct filter *f, const struct thread *t)
{
    switch (f->by) {
    case FILTER_PID:
        return f->number == t->pid;
    case FILTER_TID:
        return f->number == t->tid;
    default:
        return name_fits(t->name, f->name);
    }
}

static bool any_fits(const struct filters *f, const struct thread *t)
{
    for (unsigned i = 0; i < f->count; i++) {
        if (filter_fits(&f->list[i], t))
            return true;
    }
    return false;
}

bool thread_filter_wants(const struct thread *t)
{
    return known[(t->tid - 1) % MAX_THREADS].wanted;
}

bool thread_filter_excludes(const struct thread *t)
{
    return known[(t->tid - 1) % MAX_THREADS].excluded;
}

bool thread_filter_exclusions(void)
{
    return excluded.count;
}

void thread_filter_made(struct thread *t)
{
    unsigned slot = (t->tid - 1) % MAX_THREADS;

    known[slot].wanted = t->kind == THREAD_IS_APP &&
                         (!monitored.count || any_fits(&monitored, t));
    known[slot].excluded = any_fits(&excluded, t);
}
HOOK(thread, 110, thread_filter_made);

static bool take_one(struct filters *to, const char *text)
{
    struct filter *f = &to->list[to->count];

    if (to->count == FILTERS || !*text)
        return false;
    f->by = FILTER_NAME;
    text_copy(f->name, text, NAME_SIZE);
    if (text_number(text, &f->number))
        f->by = FILTER_PID;
    else if (*text == 't' && text_number(text + 1, &f->number))
        f->by = FILTER_TID;
    to->count++;
    return true;
}

/* The word for no list, or a list with commas. */
static bool take_list(struct filters *to, char *value, const char *none)
{
    to->count = 0;
    if (text_equal(value, none))
        return true;
    while (value) {
        char *rest = text_split(value, ',');

        if (!take_one(to, value))
            return false;
        value = rest;
    }
    return true;
}

static bool take_monitor(char *value)
{
    return take_list(&monitored, value, "all");
}
BOOT_WORD(140, take_monitor, "monitor", "all|PID,tTID,NAME,...");

static bool take_exclude(char *value)
{
    return take_list(&excluded, value, "none");
}
BOOT_WORD(212, take_exclude, "exclude", "none|PID,tTID,NAME,...");

static void refuse_name(const struct work *w, const char *name)
{
    kprintf("boot line: no thread of %s is called '%s'; known:", w->name, name);
    for (unsigned i = 0; w->roles[i]; i++)
        kprintf(" %s", w->roles[i]);
    kprintf("\n");
    power_off(EXIT_BAD_WORD);
}

/* A name that no thread of the workload can have is a mistake. */
static void check_names(const struct work *w, const struct filters *f)
{
    for (unsigned i = 0; i < f->count; i++) {
        const char *const *role = w->roles;

        if (f->list[i].by != FILTER_NAME)
            continue;
        while (*role && !name_fits(f->list[i].name, *role))
            role++;
        if (!*role)
            refuse_name(w, f->list[i].name);
    }
}

static void check_lists(const struct options *o)
{
    if (o->program)
        return;
    check_names(o->work, &monitored);
    check_names(o->work, &excluded);
}
HOOK(settle, 110, check_lists);
