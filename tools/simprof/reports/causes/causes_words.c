/* causes_words.c - see causes_words.h. */
#include "tools/simprof/reports/causes/causes_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/elf/demangle.h"
#include "tools/analysis/causes/deadlock.h"
#include "tools/analysis/causes/locks.h"
#include "tools/analysis/states/words.h"

#define PATH 25 /* of a path in a table, with its end */
#define NAME 41 /* of a function in a table, at least */
#define NAME_MOST 512
#define OBJECT 101 /* of the name of what is waited for */

/* Each name in fewer than `most` bytes, up to NAME_MOST; all in `size`. */
static const char *put_functions(const struct causes *c, uint32_t place,
                                 size_t most, char *out, size_t size)
{
    const struct place_of *p = &c->places->list[place];
    char name[NAME_MOST];
    size_t used = 0;

    out[0] = '\0';
    for (unsigned n = 0; n < PLACES_FUNCTIONS; n++) {
        if (p->function[n] == LOADMAP_UNKNOWN)
            break;
        snprintf(out + used, size - used, "%s%s", n ? " < " : "",
                 demangled_fit(loadmap_name(&c->r->map, p->function[n]), name,
                               most));
        used += strlen(out + used);
    }
    return out;
}

const char *causes_functions(const struct causes *c, uint32_t place,
                             char out[CAUSES_PLACE])
{
    return put_functions(c, place, CAUSES_NAME, out, CAUSES_PLACE);
}

const char *causes_line(const struct causes *c, uint32_t place,
                        char out[CAUSES_PLACE])
{
    return text_path(out, CAUSES_PLACE, places_line(c->places, place));
}

void causes_put_functions(struct table *t, const struct causes *c,
                          uint32_t place, const char *none)
{
    static const size_t most[] = {NAME_MOST, 160, 120, 100, 80, 60, NAME};
    char text[PLACES_FUNCTIONS * NAME_MOST];

    put_functions(c, place, most[0], text, sizeof text);
    table_both(t, text[0] ? text : none, places_functions(c->places, place));
    for (size_t n = 1; text[0] && n < sizeof most / sizeof *most; n++)
        table_shorter(t, put_functions(c, place, most[n], text, sizeof text));
}

void causes_put_line(struct table *t, const struct causes *c, uint32_t place)
{
    const char *whole = places_line(c->places, place);
    char text[PATH];

    table_both(t, text_path(text, sizeof text, whole), whole);
}

/* ---- sentences ----------------------------------------------------------- */

struct sentence {
    const struct causes *c;
    const struct causes_shape *s;
    char *out;
    size_t used;
    bool alone; /* a hop of its own: no other one follows */
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *t,
                                                      const char *format, ...)
{
    size_t room = CAUSES_SENTENCE - t->used;
    va_list args;

    va_start(args, format);
    vsnprintf(t->out + t->used, room, format, args);
    va_end(args);
    t->used += strlen(t->out + t->used);
    if (t->used + 1 == CAUSES_SENTENCE)
        memcpy(t->out + t->used - 2, "..", 2);
}

/* Has another thread of the run that name, too? */
static bool is_shared(const struct sentence *t, uint32_t thread,
                      const char *name)
{
    const struct scene *s = t->c->scene;
    char number[WORDS_NUMBER];

    for (uint32_t n = 0; n < s->threads; n++)
        if (n != thread &&
            !strcmp(words_thread(t->c->r, s->thread[n].id, t->s->at, number),
                    name))
            return true;
    return false;
}

/* Threads of a program that have its name are told apart by their number. */
static void say_thread(struct sentence *t, uint32_t thread)
{
    char number[WORDS_NUMBER];
    const char *name =
        words_thread(t->c->r, t->c->scene->thread[thread].id, t->s->at, number);

    say(t, "%s%.60s", name == number ? "thread " : "", name);
    if (name != number && is_shared(t, thread, name))
        say(t, " %s", number);
}

/* " in f (file:line)", with the line if it is the last word. */
static void say_place(struct sentence *t, const char *word, uint32_t place,
                      bool line)
{
    char text[CAUSES_PLACE];
    uint32_t function = t->c->places->list[place].function[0];
    char name[CAUSES_NAME];

    if (place == PLACES_NOWHERE || function == LOADMAP_UNKNOWN)
        return;
    say(t, "%s%s %s", *word == ',' ? "" : " ", word,
        demangled_fit(loadmap_name(&t->c->r->map, function), name,
                      sizeof name));
    if (line && causes_line(t->c, place, text)[0])
        say(t, " (%s)", text);
}

static void say_object(struct sentence *t, uint32_t kind, uint32_t object)
{
    char text[WORDS_TEXT], name[OBJECT];

    words_object(t->c->r, kind, object, t->s->at, text);
    demangled_fit(text, name, sizeof name);
    if ((kind == OBJECT_KERNEL || kind == OBJECT_USER) &&
        strncmp(text, "0x", 2))
        say(t, " \"%s\"", name);
    else if (text[0] && kind != OBJECT_CPUS)
        say(t, " %s", name);
}

/* The same of a word of memory, which always has a name or address. */
static void say_word(struct sentence *t, uint32_t object)
{
    char text[WORDS_TEXT], name[OBJECT];

    words_object(t->c->r, OBJECT_USER, object, t->s->at, text);
    say(t, strncmp(text, "0x", 2) ? " \"%s\"" : " %s",
        demangled_fit(text, name, sizeof name));
}

/* The thread behind a hop: the next one's, or the root's. */
static uint32_t follower(const struct chain *c, unsigned hop)
{
    if (hop + 1 < c->hops)
        return c->hop[hop + 1].thread;
    return c->threads && c->thread[0] != c->hop[hop].thread ? c->thread[0]
                                                            : SCENE_NONE;
}

/* "X sleeps in f again and again until W is written". */
static const char *say_poll(struct sentence *t, const struct scene_poll *p,
                            uint32_t place)
{
    say(t, " sleeps");
    say_place(t, "in", place, false);
    say(t, " again and again until");
    say_word(t, p->object);
    say(t, " is written");
    return "writes that";
}

/* "X waits to read for the lock L in f"; of a lock that only one can have, "X
 * waits for the lock L in f". */
static const char *say_shared(struct sentence *t, const struct scene_stay *stay,
                              uint32_t place)
{
    const struct scene_lock *l = &t->c->scene->lock[stay->lock];

    say(t, " waits %sfor the lock",
        !l->readers    ? ""
        : stay->shared ? "to read "
                       : "to write ");
    say_object(t, l->kind, l->object);
    say_place(t, "in", place, false);
    return "lets it go";
}

/* "X waits for ... in f": what it waits for, and the verb of who is next, if
 * the chain goes on. */
static const char *say_wait(struct sentence *t, const struct scene_stay *stay,
                            bool goes_on)
{
    uint32_t place = places_waits(t->c->places, stay->stack, stay->from);
    /* Nothing follows. */
    bool last = t->s->chain.root == ROOT_DEADLOCK || t->alone;
    const char *named = stay->kind == OBJECT_NONE ? "" : ":";
    const char *verb = "wakes it";

    switch (stay->state) {
    case STATE_LOCK:
        say(t, " waits for the lock");
        verb = "has";
        break;
    case STATE_BARRIER:
        if (stay->kind == OBJECT_USER && stay->owner != SCENE_NONE) {
            say(t, " waits for the end of ");
            say_thread(t, stay->owner);
            say_place(t, "in", place, false);
            return verb;
        }
        say(t, " waits for others%s", named);
        verb = stay->kind == OBJECT_THREAD ? "goes on" : verb;
        break;
    case STATE_IO:
        say(t, " waits for a device%s", named);
        break;
    case STATE_PAGE:
        say(t, " waits for a page");
        break;
    case STATE_TIMER:
        if (goes_on && stay->poll != SCENE_NONE)
            return say_poll(t, &t->c->scene->poll[stay->poll], place);
        say(t, " sleeps");
        break;
    case STATE_STOPPED:
        say(t, " is stopped");
        break;
    default:
        if (scene_wants_lock(stay))
            return say_shared(t, stay, place);
        say(t, *named ? " waits for" : " waits for a pipe or an event");
        break;
    }
    say_object(t, stay->kind, stay->object);
    say_place(t, "in", place, last);
    return verb;
}

/* "X spins for the lock L, which Y has", or "... until W is written; Y writes
 * that". */
static void say_spin(struct sentence *t, const struct scene_spin *spin)
{
    const struct scene *s = t->c->scene;

    if (spin->poll != SCENE_NONE && !s->poll[spin->poll].word) {
        say(t, " looks again and again until");
        say_word(t, scene_spin_object(s, spin));
        say(t, " is written; ");
        say_thread(t, spin->owner);
        say(t, " writes that");
        return;
    }
    say(t, " spins for the lock");
    say_object(t, scene_spin_kind(s, spin), scene_spin_object(s, spin));
    say(t, ", which ");
    say_thread(t, spin->owner);
    say(t, " has");
}

static void say_hop(struct sentence *t, unsigned n)
{
    const struct chain *c = &t->s->chain;
    const struct scene_stay *stay = c->hop[n].stay == SCENE_NONE
                                        ? NULL
                                        : &t->c->scene->stay[c->hop[n].stay];
    uint32_t next = follower(c, n);
    const char *verb = "makes it";

    say_thread(t, c->hop[n].thread);
    if (c->hop[n].spin) {
        say_spin(t, c->hop[n].spin);
        return;
    }
    if (!stay)
        say(t, " is not born yet");
    else if (stay->state == STATE_RUNNABLE)
        say(t, " is runnable and has no CPU");
    else
        verb = say_wait(t, stay, next != SCENE_NONE);
    if (next == SCENE_NONE && c->root == ROOT_DEADLOCK)
        say(t, ", which it has itself");
    if (next == SCENE_NONE)
        return;
    if (stay && stay->state == STATE_RUNNABLE) {
        say(t, ", since its CPUs are taken");
    } else if (!strcmp(verb, "goes on")) {
        return;
    } else if (!strcmp(verb, "has")) {
        say(t, ", which ");
        say_thread(t, next);
        say(t, " has");
    } else {
        say(t, "; ");
        say_thread(t, next);
        say(t, " %s", verb);
    }
}

/* The last clause, of the root. */
static void say_root(struct sentence *t)
{
    const struct chain *c = &t->s->chain;
    uint32_t place = t->s->place;

    if (c->threads)
        say_thread(t, c->thread[0]);
    switch (c->root) {
    case ROOT_RUNS:
        say(t, " runs");
        say_place(t, t->s->on_its_way ? "on its way to" : "in", place, true);
        break;
    case ROOT_SLEEPS:
        say(t, " sleeps");
        say_place(t, "in", place, true);
        break;
    case ROOT_DEVICE:
        say(t, " waits for a device");
        say_place(t, "in", place, true);
        break;
    case ROOT_MASK:
        say(t, " may not run there");
        say_place(t, "since", place, true);
        break;
    case ROOT_WAKEUP:
        say(t, " was woken, and is not on its CPU yet");
        break;
    case ROOT_INTERRUPT:
        say(t, " waits for an interrupt");
        say_place(t, "in", place, true);
        break;
    case ROOT_HANDOVER:
        say(t, " wakes others or is woken");
        say_place(t, "in", place, true);
        break;
    case ROOT_START:
        say(t, "%s", place == PLACES_NOWHERE ? " begins" : " makes a thread");
        say_place(t, "in", place, true);
        break;
    case ROOT_END:
        say(t, " ends");
        break;
    case ROOT_NEVER:
        say(t, " is not woken any more");
        say_place(t, "in", place, true);
        break;
    default:
        say(t, "%s",
            c->threads ? " does what is not recorded" : "nothing is recorded");
        break;
    }
}

/* Does the root say all that the last hop would? */
static bool root_says(const struct chain *c)
{
    return c->threads && c->root != ROOT_RUNS &&
           c->thread[0] == c->hop[c->hops - 1].thread;
}

/* Where a thread asked its word last, as far as is recorded. */
static uint32_t asks_in(const struct causes *c, const struct scene_thread *who)
{
    const struct scene *s = c->scene;

    for (size_t n = who->spot + who->spots; n-- > who->spot;) {
        uint32_t place =
            places_waits(c->places, s->spot[n].stack, s->spot[n].cycle);

        if (s->spot[n].cycle <= who->asks)
            break;
        if (place != PLACES_NOWHERE)
            return place;
    }
    return PLACES_NOWHERE;
}

/* "X looks again and again until W is written in f", or "... for the lock L in
 * f, which Y has, taken in g". */
static void say_asks(struct sentence *t, uint32_t thread)
{
    const struct scene *s = t->c->scene;
    const struct scene_thread *who = &s->thread[thread];
    const struct scene_hold *h = deadlock_holds(s, thread);

    say_thread(t, thread);
    say(t, " looks again and again %s", h ? "for the lock" : "until");
    say_word(t, who->asked);
    say(t, "%s", h ? "" : " is written");
    say_place(t, "in", asks_in(t->c, who), true);
    if (!h)
        return;
    say(t, ", which ");
    if (h->thread == thread)
        say(t, "it has itself");
    else
        say_thread(t, h->thread);
    say(t, "%s", h->thread == thread ? "" : " has");
    say_place(t, ", taken in", locks_taken_at(s, t->c->places, h), true);
}

/* A hop where the records end. */
static void say_last(struct sentence *t, unsigned n)
{
    uint32_t thread = t->s->chain.hop[n].thread;

    if (t->c->scene->thread[thread].asks)
        say_asks(t, thread);
    else
        say_hop(t, n);
}

/* The hops of a circle, parted by `and`. */
static void say_circle(struct sentence *t, const char *and)
{
    for (unsigned n = 0; n < t->s->chain.hops; n++) {
        say(t, "%s", n ? and : "");
        if (t->s->at == t->c->r->end)
            say_last(t, n);
        else
            say_hop(t, n);
    }
}

bool causes_deadlock(const struct causes *c, char out[CAUSES_SENTENCE])
{
    struct causes_shape s = {0};
    struct sentence t = {c, &s, out, 0, false};

    out[0] = '\0';
    if (!deadlock_find(&s.chain, c->scene))
        return false;
    s.at = c->r->end;
    say_circle(&t, "; ");
    say(&t, ".");
    return true;
}

#define WAITING 4 /* threads that are told */

bool causes_waits_for_ever(const struct causes *c, char out[CAUSES_SENTENCE])
{
    struct causes_shape s = {0};
    struct sentence t = {c, &s, out, 0, true};
    struct chain all;
    uint32_t more;

    out[0] = '\0';
    if (!deadlock_waits(&all, c->scene, &more))
        return false;
    s.at = c->r->end;
    for (unsigned n = 0; n < all.hops && n < WAITING; n++) {
        s.chain =
            (struct chain){.root = ROOT_NEVER, .hop = {all.hop[n]}, .hops = 1};
        say(&t, "%s", n ? "; " : "");
        say_last(&t, 0);
    }
    more += all.hops > WAITING ? all.hops - WAITING : 0;
    if (more)
        say(&t, "; and so do %" PRIu32 " more", more);
    say(&t, ".");
    return true;
}

void causes_sentence(const struct causes *c, const struct causes_shape *s,
                     char out[CAUSES_SENTENCE])
{
    struct sentence t = {c, s, out, 0, false};
    unsigned hops = s->chain.hops;

    out[0] = '\0';
    if (causes_class_spins(s->class))
        say(&t, "CPU %u does no work: ", s->cpu);
    else
        say(&t, "CPU %u is idle because ", s->cpu);
    if (s->class == CAUSES_NO_MORE)
        say(&t, "no thread comes to it any more, and ");
    if (s->class == CAUSES_TOO_FEW)
        say(&t, "all threads run: ");
    if (s->chain.root == ROOT_DEADLOCK) {
        say_circle(&t, ", because ");
        say(&t, ": a deadlock.");
        return;
    }
    for (unsigned n = 0; n < hops; n++) {
        if (n + 1 == hops && root_says(&s->chain))
            break;
        say_hop(&t, n);
        say(&t, ", because ");
    }
    say_root(&t);
    say(&t, ".");
}
