/* lock_record.c - see lock_record.h. A function has returned when the same
 * thread is where it was called from, with the stack of then, as with a probe
 * (sim/observe/probe.c).
 */
#include "sim/observe/locks/lock_record.h"

#include <stdio.h>
#include <stdlib.h>

#include "include/record_put.h"
#include "lib/base/grow.h"
#include "sim/symbols/names.h"

#define AGAIN 256 /* cycles between two tries of one series */

enum { ALWAYS, ZERO, NOT_ZERO };
enum { ALONE, SHARED, SPINS, COUNTED, SIGNALS, JOINS };

static const struct {
    const char *name;
    unsigned gpr;
    bool gives, takes;
    int when, had;
} rows[] = {
#define LOCKER(name, gpr, gives, takes, when, had, inner)                      \
    {name, gpr, gives, takes, when, had},
#include "sim/machine/lockers.def"
};

#define ROWS (sizeof rows / sizeof *rows)

static unsigned point_of(ea_t pc)
{
    return (pc >> 2 ^ pc >> 16) & (LOCK_RECORD_POINTS - 1);
}

static void add_point(struct lock_record *l, ea_t pc)
{
    l->point[point_of(pc) / 64] |= UINT64_C(1) << point_of(pc) % 64;
}

/* ---- records ------------------------------------------------------------- */

static void record(struct lock_record *l, const struct core *c,
                   const struct lock_call *k, unsigned event, cycle_t at)
{
    struct experiment_stamp s = {REC_LOCK, c->number, k->context, at};
    bool kernel = !k->user && !c->with.supervisor.enter;
    cycle_t since = at - k->since;
    uint32_t w[LOCK_WORDS];

    record_put_lock_event(w, event);
    record_put_lock_kind(w, kernel ? OBJECT_KERNEL : OBJECT_USER);
    record_put_lock_object(w, k->object);
    record_put_lock_since(w, since > UINT32_MAX ? UINT32_MAX : (uint32_t)since);
    record_put_lock_caller(w, k->back);
    experiment_record(l->experiment, &s, w, LOCK_WORDS);
}

/* The try that has not taken a lock may be one of a series. */
static void note_try(struct lock_record *l, const struct lock_call *k,
                     cycle_t at)
{
    struct lock_tried t = {k->context, k->object, k->user, k->since, at};

    l->tried = grow(l->tried, &l->tries_room, l->tries + 1, sizeof *l->tried);
    l->tried[l->tries++] = t;
}

/* Since when has a thread tried to take the lock for which it calls a function?
 * Series that are over are forgotten. */
static cycle_t tried_since(struct lock_record *l, const struct lock_call *k)
{
    cycle_t since = k->since;
    size_t kept = 0;

    for (size_t n = 0; n < l->tries; n++) {
        const struct lock_tried *t = &l->tried[n];

        if (t->context == k->context && t->user == k->user) {
            if (t->object == k->object && t->last + AGAIN >= k->since)
                since = t->since;
        } else {
            l->tried[kept++] = *t;
        }
    }
    l->tries = kept;
    return since;
}

static void returned(struct lock_record *l, const struct core *c,
                     const struct lock_call *k, cycle_t at)
{
    static const unsigned taken[] = {[ALONE] = LOCK_TAKEN,
                                     [SHARED] = LOCK_SHARED,
                                     [SPINS] = LOCK_SPIN_TAKEN,
                                     [COUNTED] = LOCK_DOWN};
    bool zero = !c->cpu.gpr[3];
    int when = rows[k->row].when, had = rows[k->row].had;

    if (had == SIGNALS)
        record(l, c, k, LOCK_SIGNALLED, at);
    else if (had == JOINS && zero)
        record(l, c, k, LOCK_JOINED, at);
    else if (had == JOINS)
        return;
    else if (!rows[k->row].takes)
        record(l, c, k, had == COUNTED ? LOCK_UP : LOCK_GIVEN, at);
    else if (when == ALWAYS || zero == (when == ZERO))
        record(l, c, k, taken[had], at);
    else
        note_try(l, k, at);
}

/* ---- calls --------------------------------------------------------------- */

static void leave(struct lock_record *l, const struct core *c, bool user,
                  cycle_t at)
{
    size_t kept = 0;

    for (size_t n = 0; n < l->calls; n++) {
        struct lock_call k = l->call[n];

        if (k.context == c->context && k.user == user && k.back == c->cpu.pc &&
            k.stack == c->cpu.gpr[1])
            returned(l, c, &k, at);
        else
            l->call[kept++] = k;
    }
    l->calls = kept;
}

/* Before a call: those that a longjmp passed are forgotten; NULL: none of the
 * others is for the same lock, of which this one is then a part. */
static struct lock_call *part_of(struct lock_record *l,
                                 const struct lock_call *new)
{
    struct lock_call *found = NULL;
    size_t kept = 0;

    for (size_t n = 0; n < l->calls; n++) {
        struct lock_call *k = &l->call[n];
        bool own = k->context == new->context && k->user == new->user;

        if (own && k->stack < new->stack)
            continue;
        l->call[kept] = *k;
        if (own && k->object == new->object)
            found = &l->call[kept];
        kept++;
    }
    l->calls = kept;
    return found;
}

static void enter(struct lock_record *l, const struct core *c, unsigned row,
                  bool user, cycle_t at)
{
    struct lock_call k = {.context = c->context,
                          .back = c->cpu.lr & ~3u,
                          .stack = c->cpu.gpr[1],
                          .object = c->cpu.gpr[rows[row].gpr],
                          .user = user,
                          .row = row,
                          .from = c->cpu.pc,
                          .since = at};
    struct lock_call *of = part_of(l, &k);

    /* An interrupt in front of the first instruction comes back to it. */
    if (of && of->from == k.from && of->back == k.back && of->stack == k.stack)
        of->since = at;
    if (of)
        return;
    if (rows[row].takes)
        k.since = tried_since(l, &k);
    if (rows[row].gives && rows[row].takes)
        record(l, c, &k, LOCK_GIVEN, at);
    l->call = grow(l->call, &l->calls_room, l->calls + 1, sizeof *l->call);
    l->call[l->calls++] = k;
    add_point(l, k.back);
}

/* Is it the code that the processor runs? */
static bool applies(const struct lock_record *l, const struct core *c,
                    const struct lock_function *f, bool user)
{
    const uint32_t *process, *program;

    if (f->from != c->cpu.pc || (c->with.supervisor.enter && !user))
        return false;
    if (c->with.supervisor.enter)
        return true;
    if (user != (f->owner != 0))
        return false;
    process = user ? hash_find(&l->process, c->context) : NULL;
    program = process ? hash_find(&l->program, *process) : NULL;
    return !user || (program && *program == f->owner);
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct lock_record *l = arg;
    unsigned point = point_of(c->cpu.pc);
    bool user = c->cpu.msr & MSR_PR;

    (void)i;
    if (!(l->point[point / 64] >> point % 64 & 1))
        return false;
    leave(l, c, user, at);
    for (size_t n = 0; n < l->functions; n++)
        if (applies(l, c, &l->function[n], user)) {
            enter(l, c, l->function[n].row, user, at);
            break;
        }
    return false;
}

/* ---- whose --------------------------------------------------------------- */

void lock_record_image(struct lock_record *l, const struct image *i,
                       uint32_t owner)
{
    struct names names;

    if (!l->machine || !names_open(&names, i))
        return;
    for (unsigned row = 0; row < ROWS; row++) {
        struct lock_function f = {.row = row, .owner = owner};
        bool known = !names_find(&names, rows[row].name, &f.from);

        for (size_t n = 0; n < l->functions && !known; n++)
            known =
                l->function[n].from == f.from && l->function[n].owner == owner;
        if (known)
            continue;
        l->function = grow(l->function, &l->functions_room, l->functions + 1,
                           sizeof *l->function);
        l->function[l->functions++] = f;
        add_point(l, f.from);
    }
    names_close(&names);
}

void lock_record_thread(struct lock_record *l, uint32_t thread,
                        uint32_t process)
{
    bool fresh;

    if (l->machine)
        *hash_at(&l->process, thread, &fresh) = process;
}

void lock_record_program(struct lock_record *l, uint32_t process,
                         uint32_t program)
{
    bool fresh;

    if (l->machine)
        *hash_at(&l->program, process, &fresh) = program;
}

/* ---- opening ------------------------------------------------------------- */

bool lock_record_open(struct lock_record *l, struct machine *m,
                      struct experiment *e, char *why, size_t size)
{
    const struct image *i = m->with.image;

    *l = (struct lock_record){.machine = m, .experiment = e};
    if (i->is_kernel) {
        snprintf(why, size,
                 "--record-locks: simrun does not know the locks of %s; it is "
                 "about programs under --user and the guest that came along",
                 i->name);
        return false;
    }
    lock_record_image(l, i, 0);
    if (!l->functions && !*i->interp) {
        snprintf(why, size,
                 "--record-locks: %s has no function that takes a lock, such "
                 "as %s",
                 i->name,
                 m->with.supervisor.enter ? "pthread_mutex_lock"
                                          : "mutex_lock");
        return false;
    }
    l->observer = (struct observer){.arg = l, .before = before};
    machine_observe(m, &l->observer, true);
    return true;
}

void lock_record_close(struct lock_record *l)
{
    free(l->function);
    free(l->call);
    free(l->tried);
    hash_free(&l->process);
    hash_free(&l->program);
    *l = (struct lock_record){0};
}

bool lock_record_calls(const struct lock_record *l, uint32_t thread)
{
    for (size_t n = l->calls; n-- > 0;)
        if (l->call[n].context == thread)
            return true;
    return false;
}
