/* words.c - see words.h. */
#include "tools/analysis/states/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/analysis/symbols/variables.h"

const char *words_thread(const struct recording *r, uint32_t id, uint64_t cycle,
                         char number[WORDS_NUMBER])
{
    const struct thread *t = threads_find(&r->threads, id, cycle);

    snprintf(number, WORDS_NUMBER, "%" PRIu32, id);
    return t ? t->name : number;
}

#define NAME 400 /* bytes of a variable; one that is longer has its address */

/* False: the address is not where a variable begins, but it may be in one. */
static bool put_symbol(struct recording *r, uint32_t address, uint64_t cycle,
                       char text[WORDS_TEXT])
{
    uint32_t moved;
    size_t count;
    const struct variable *v =
        loadmap_variables(&r->map, address, 4, cycle, &moved, &count);

    if (!v || strlen(v->name) > NAME)
        snprintf(text, WORDS_TEXT, "0x%08" PRIx32, address);
    else if (v->start + moved == address)
        snprintf(text, WORDS_TEXT, "%s", v->name);
    else
        snprintf(text, WORDS_TEXT, "%s+0x%" PRIx64, v->name,
                 address - (v->start + moved));
    return v && v->start + moved == address;
}

const char *words_symbol(struct recording *r, uint32_t address, uint64_t cycle,
                         char text[WORDS_TEXT])
{
    put_symbol(r, address, cycle, text);
    return text;
}

/* Has a variable before that at an address, in its file, its name, the first
 * `length` bytes of text? */
static bool is_second(const struct recording *r, uint32_t address,
                      const char *text, size_t length)
{
    for (size_t i = 0; i < r->map.images; i++) {
        const struct symbols *s = &r->map.image[i].symbols;
        unsigned before = 0;
        bool own = false;

        for (size_t n = 0; n < s->variables && !own; n++) {
            const struct variable *v = &s->variable[n];

            if (strncmp(v->name, text, length) != 0 || v->name[length])
                continue;
            own = address >= v->start && address < v->start + v->size;
            before += !own;
        }
        if (own && before)
            return true;
    }
    return false;
}

const char *words_hold(struct recording *r, uint32_t address, uint64_t cycle,
                       char text[WORDS_TEXT])
{
    put_symbol(r, address, cycle, text);
    if (is_second(r, address, text, strcspn(text, "+")))
        snprintf(text, WORDS_TEXT, "0x%08" PRIx32, address);
    return text;
}

/* A lock that is a variable has its symbol's name; within one DWARF names it.
 */
static void address_text(struct recording *r, uint32_t address, uint64_t cycle,
                         char text[WORDS_TEXT])
{
    if (!put_symbol(r, address, cycle, text))
        variables_object(recording_variables(r), address, cycle, text,
                         WORDS_TEXT);
}

static const struct state_name {
    const char *key, *text;
} state_names[STATES_ALL] = {
    [STATE_USER] = {"user", "user"},
    [STATE_SYSTEM] = {"system", "system"},
    [STATE_SPINNING] = {"spinning", "spin"},
    [STATE_RUNNABLE] = {"runnable", "runnable"},
    [STATE_LOCK] = {"lock", "lock"},
    [STATE_QUEUE] = {"queue", "queue"},
    [STATE_BARRIER] = {"barrier", "barrier"},
    [STATE_IO] = {"io", "I/O"},
    [STATE_PAGE] = {"page", "page"},
    [STATE_TIMER] = {"timer", "timer"},
    [STATE_STOPPED] = {"stopped", "stopped"},
    [STATE_ENDED] = {"ended", "ended"},
};

const char *words_state(uint32_t state)
{
    return state && state < STATES_ALL ? state_names[state].key : "?";
}

const char *words_state_heading(uint32_t state)
{
    return state && state < STATES_ALL ? state_names[state].text : "?";
}

const char *words_wait(struct recording *r, const struct words_wait *w,
                       uint64_t cycle, char text[WORDS_TEXT])
{
    char number[WORDS_NUMBER];

    if (w->state != STATE_BARRIER || w->kind != OBJECT_USER || !w->owner)
        return words_object(r, w->kind, w->object, cycle, text);
    words_thread(r, w->owner, cycle, number);
    snprintf(text, WORDS_TEXT, "end of thread %s", number);
    return text;
}

const char *words_object(struct recording *r, uint32_t kind, uint32_t object,
                         uint64_t cycle, char text[WORDS_TEXT])
{
    char number[WORDS_NUMBER];

    switch (kind) {
    case OBJECT_KERNEL:
    case OBJECT_USER:
        address_text(r, object, cycle, text);
        break;
    case OBJECT_THREAD:
        snprintf(text, WORDS_TEXT, "thread %.200s",
                 words_thread(r, object, cycle, number));
        break;
    case OBJECT_PROCESS:
        snprintf(text, WORDS_TEXT, "children of %" PRIu32, object);
        break;
    case OBJECT_DEVICE:
        snprintf(text, WORDS_TEXT, "device 0x%08" PRIx32, object);
        break;
    case OBJECT_CPUS:
        snprintf(text, WORDS_TEXT, "CPUs 0x%" PRIx32, object);
        break;
    case OBJECT_DEADLINE:
        snprintf(text, WORDS_TEXT, "up to a deadline");
        break;
    case OBJECT_EXCEPTION:
        snprintf(text, WORDS_TEXT, "exception 0x%" PRIx32, object);
        break;
    default:
        snprintf(text, WORDS_TEXT, "%s", "");
    }
    return text;
}
