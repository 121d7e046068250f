/* stuck.c - a program all of whose threads wait for ever: there is no other
 * process, no timer and no host that could wake one. Says what each waits for.
 */
#include "sim/user/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LISTED 8 /* threads that are named */

static const char *name_of(uint32_t number)
{
    switch (number) {
#define CALL(number, name, handler)                                            \
    case number:                                                               \
        return #name;
#include "sim/user/calls/calls.def"
#undef CALL
    default:
        return "?";
    }
}

/* It could wake another: it runs, or will. */
static bool lives(const struct thread *t)
{
    return t->state == THREAD_READY || t->state == THREAD_RUNNING ||
           (t->state == THREAD_BLOCKED && t->wake_at != CYCLE_NEVER);
}

bool stuck_but(const struct user *u, const struct thread *t)
{
    for (unsigned i = 0; i < u->threads; i++)
        if (&u->thread[i] != t && lives(&u->thread[i]))
            return false;
    for (unsigned i = 0; i < USER_CLOCKS; i++)
        if (u->timer[i].at != CYCLE_NEVER)
            return false;
    return true;
}

/* " at lock+0x4 (0x100c1378)", or the address alone where nothing is known. */
static size_t word_at(const struct user *u, uint32_t address, char *text,
                      size_t size)
{
    char name[NAME_TEXT];

    names_text(&u->m->names, address, name);
    return (size_t)(name[0]
                        ? snprintf(text, size, " at %s (0x%08x)", name, address)
                        : snprintf(text, size, " at 0x%08x", address));
}

static void list(const struct user *u, char *text, size_t size)
{
    unsigned listed = 0, more = 0;
    size_t n = 0;

    for (unsigned i = 0; i < u->threads; i++) {
        const struct thread *t = &u->thread[i];

        if (t->state == THREAD_FREE)
            continue;
        if (listed++ >= LISTED) {
            more++;
            continue;
        }
        n += (size_t)snprintf(text + n, size - n, "%s%d in %s", n ? ", " : "",
                              t->tid, name_of(t->wait_call));
        if (t->waiting == WAIT_FUTEX || t->waiting == WAIT_LOCK)
            n += word_at(u, t->wait_for, text + n, size - n);
        else if (t->waiting == WAIT_IO && !t->polling)
            n += (size_t)snprintf(text + n, size - n, "(%d)", (int)t->wait_for);
    }
    if (more)
        snprintf(text + n, size - n, " and %u more", more);
}

void stuck_look(struct user *u, cycle_t at)
{
    char text[LISTED * (64 + NAME_TEXT) + 32] = "";

    if (u->over || !stuck_but(u, NULL))
        return;
    list(u, text, sizeof text);
    user_say(u,
             "%s: all of its threads wait for ever, and nothing can wake one: "
             "%s; cycle %" PRIu64,
             u->with.image->name, text, at);
    u->over = true;
    u->m->end = MACHINE_ASLEEP;
}
