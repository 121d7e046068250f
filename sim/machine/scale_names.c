/* scale_names.c - where the functions are whose time is scaled, and those that
 * take locks (sim/core/scale.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/guest.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "sim/machine/machine.h"
#include "sim/symbols/member.h"

#define SLEEPS "thread_sleep"     /* guest/kernel/timer.c */
#define SLEEPS_UNTIL "event_wait" /* guest/process/wait/wait.c */

#define MASKS "thread_set_mask" /* guest/kernel/proc.c */

/* The name in "NAME (PROGRAM)", as reports have it of a program's function that
 * another file has, too, if that is this file; else all of it. */
static const char *without_program(const char *name, const char *file,
                                   char out[WHAT_IF_NAME])
{
    const char *bracket = strstr(name, " ("), *base = strrchr(file, '/');
    size_t length = bracket ? strlen(bracket + 2) : 0;

    base = base ? base + 1 : file;
    if (length < 2 || bracket[1 + length] != ')' ||
        strncmp(bracket + 2, base, length - 1) != 0 ||
        (length < THREAD_NAME && base[length - 1]))
        return name;
    snprintf(out, WHAT_IF_NAME, "%.*s", (int)(bracket - name), name);
    return out;
}

/* In the names of one file, which are functions' alone. */
static bool find(const struct names *names, const char *file,
                 const struct what_if_function *w, struct scale_function *f,
                 char *why, size_t size)
{
    char text[WHAT_IF_NAME];
    const char *source[2], *own = without_program(w->name + w->own, file, text);
    uint32_t at, other;
    bool several = false;

    if (!names_find(names, own, &at)) {
        own = names_of_cplusplus(names, own, &several);
        if (several)
            snprintf(why, size,
                     "--what-if func:%s: %s has several of that name: give "
                     "the parameters, too, as simprof functions has them",
                     w->name, file);
        if (!own || !names_find(names, own, &at))
            return false;
    }
    if (names_another(names, own, at, &other, source)) {
        snprintf(why, size,
                 "--what-if func:%s: %s has several, at 0x%08" PRIx32
                 " and 0x%08" PRIx32 "%s%s%s%s",
                 w->name, file, at, other, source[0] ? "; write 'func:" : "",
                 source[0] ? w->name : "", source[0] ? " (FILE)'" : "",
                 source[0] ? " with its source file" : "");
        return false;
    }
    if (!names_function(names, at, f->from, f->end) || f->from[0] != at) {
        snprintf(why, size, "--what-if func:%s: that is no function of %s",
                 w->name, file);
        return false;
    }
    f->program = w->program;
    f->callees = w->callees;
    f->k = w->k;
    return true;
}

/* In those of a program inside. */
static bool find_inside(const struct what_if_function *w,
                        struct scale_function *f, char *why, size_t size)
{
    char near_by[DID_YOU_MEAN_TEXT];
    struct names names = {0};
    bool good = names_open(&names, w->inside);

    if (!good)
        snprintf(why, size, "--what-if: the host has no memory for the names");
    names_keep_functions(&names);
    if (good)
        good = find(&names, w->inside->name, w, f, why, size);
    if (!good && !*why)
        snprintf(why, size, "--what-if func:%s: %s has no such function%s",
                 w->name, w->inside->name,
                 names_near(&names, w->name + w->own, near_by));
    names_close(&names);
    return good;
}

/* Is there anything of that name in a file? */
static bool is_there(const struct image *i, const char *name)
{
    struct names all = {0};
    uint32_t at;
    bool found = i && names_open(&all, i) && names_find(&all, name, &at);

    names_close(&all);
    return found;
}

static bool not_there(const struct machine *m, const struct names *names,
                      const struct image *program,
                      const struct what_if_function *w, char *why, size_t size)
{
    const struct image *has = is_there(m->with.image, w->name) ? m->with.image
                              : is_there(program, w->name)     ? program
                                                               : NULL;
    char near_by[DID_YOU_MEAN_TEXT];

    if (*why)
        return false;
    if (has)
        snprintf(why, size, "--what-if func:%s: that is no function of %s",
                 w->name, has->name);
    else
        snprintf(why, size, "--what-if func:%s: %s%s%s has no such function%s",
                 w->name, m->with.image->name, program ? " or " : "",
                 program ? program->name : "",
                 names_near(names, w->name, near_by));
    return false;
}

/* Those that are called by others of them bring nothing new. */
enum { ALWAYS, ZERO, NOT_ZERO };
static const struct {
    const char *name;
    unsigned gpr;
    bool gives, takes, says, inner;
} lockers[] = {
#define LOCKER(name, gpr, gives, takes, when, had, inner)                      \
    {name, gpr, gives, takes, (when) == ZERO, inner},
#include "sim/machine/lockers.def"
};
_Static_assert(sizeof lockers / sizeof lockers[0] <= SCALE_LOCKERS,
               "struct scale has room for all");

static void find_lockers(struct scale *s, const struct names *names)
{
    for (unsigned n = 0; n < sizeof lockers / sizeof lockers[0]; n++) {
        uint32_t at;
        bool known = false;

        if (lockers[n].inner || !names_find(names, lockers[n].name, &at))
            continue;
        for (unsigned k = 0; k < s->lockers; k++)
            known |= s->locker[k].from == at;
        if (!known && s->lockers < SCALE_LOCKERS)
            s->locker[s->lockers++] =
                (struct scale_locker){at, lockers[n].gpr, lockers[n].gives,
                                      lockers[n].takes, lockers[n].says};
    }
}

static void add_lock(struct scale *s, ea_t address, unsigned asked,
                     struct what_if_factor k)
{
    s->lock[s->locks++] =
        (struct scale_lock){.address = address, .asked = asked, .k = k};
}

/* The address of a variable by its name, with "+offset" or without; of C++ as
 * reports have it, too; or of a member. */
static bool find_variable(const struct names *names, const struct image *i,
                          const char *name, uint32_t *at)
{
    size_t length = strcspn(name, "+");
    char *start = grow_text(name);
    uint64_t offset = 0;
    bool found;

    start[length] = '\0';
    found = (!name[length] || text_number(name + length + 1, &offset)) &&
            names_variable(names, start, at);
    if (found)
        *at += (uint32_t)offset;
    else
        found = names_find(names, name, at) || member_find(i, name, at);
    free(start);
    return found;
}

/* "name (0x10002a40)", as simprof locks has one of several of a name. */
static bool address_behind(const char *name, uint64_t *number)
{
    const char *at = strrchr(name, '(');
    size_t length = at ? strlen(at) : 0;
    char text[WHAT_IF_NAME];

    if (length < 3 || at == name || at[-1] != ' ' || at[length - 1] != ')')
        return false;
    snprintf(text, sizeof text, "%.*s", (int)length - 2, at + 1);
    return text_number(text, number);
}

/* "name", "name+offset", "name.member" or an address; in both files, of which
 * `program` is the second one, a name means both. False: there is none. */
static bool find_lock(struct machine *m, const struct names *own,
                      const struct names *more, const struct image *program,
                      unsigned n)
{
    const struct what_if_lock *w = &m->with.what_if.lock[n];
    struct scale *s = &m->scale;
    const char *kernel = strstr(w->name, GUEST_KERNELS);
    unsigned before = s->locks;
    char name[WHAT_IF_NAME];
    uint64_t number;
    uint32_t at;

    memcpy(name, w->name, sizeof name);
    if (kernel && !kernel[strlen(GUEST_KERNELS)]) {
        name[kernel - w->name] = '\0';
        more = NULL;
    }
    if ((text_number(name, &number) || address_behind(name, &number)) &&
        number <= UINT32_MAX)
        add_lock(s, (ea_t)number, n, w->k);
    else if (find_variable(own, m->with.image, name, &at))
        add_lock(s, at, n, w->k);
    if (more && find_variable(more, program, name, &at))
        add_lock(s, at, n, w->k);
    return s->locks > before;
}

static bool find_locks(struct machine *m, const struct names *own,
                       const struct names *more, const struct image *program,
                       char *why, size_t size)
{
    const struct what_if *w = &m->with.what_if;
    char near_by[DID_YOU_MEAN_TEXT];
    struct scale *s = &m->scale;

    for (unsigned n = 0; n < w->locks; n++)
        if (!find_lock(m, own, more, program, n)) {
            snprintf(why, size,
                     "--what-if hold:%s: there is no such variable%s",
                     w->lock[n].name,
                     names_near(more ? more : own, w->lock[n].name, near_by));
            return false;
        }
    if (!w->locks)
        return true;
    find_lockers(s, own);
    if (more)
        find_lockers(s, more);
    if (!s->lockers)
        snprintf(why, size,
                 "--what-if hold: %s has no function that takes a lock, such "
                 "as pthread_mutex_lock; is it in a shared library?",
                 m->with.image->name);
    return s->lockers > 0;
}

bool machine_scales(const struct machine_setup *s)
{
    const struct what_if *w = &s->what_if;

    return w->functions || w->locks || (w->threads && !s->supervisor.enter);
}

/* The name of functions of both files does not say which. */
static bool in_both(const struct machine *m, const struct names *own,
                    const struct names *more, const struct image *program,
                    const struct what_if_function *w, char *why, size_t size)
{
    const char *kernel = m->with.image->name;
    uint32_t at;

    if (!program || !names_find(own, w->name, &at) ||
        !names_find(more, w->name, &at))
        return false;
    snprintf(why, size,
             "--what-if func:%s: %s and %s have it; give 'func:%s (%s)' or "
             "'func:%s (%s)'",
             w->name, kernel, program->name, w->name, kernel, w->name,
             program->name);
    return true;
}

/* Where the functions of --what-if are: of the image, else of the program. What
 * is no function goes from the names, of which `more` are the program's. */
static bool find_functions(struct machine *m, struct names *own,
                           struct names *more, const struct image *program,
                           char *why, size_t size)
{
    const struct what_if *w = &m->with.what_if;
    bool good = true;

    names_keep_functions(own);
    names_keep_functions(more);
    for (unsigned n = 0; good && n < w->functions; n++) {
        const struct what_if_function *is = &w->function[n];
        struct scale_function *f = &m->scale.function[n];

        m->scale.functions = n + 1;
        if (is->inside)
            good = find_inside(is, f, why, size);
        else
            good = !in_both(m, own, more, program, is, why, size) &&
                   (find(own, m->with.image->name, is, f, why, size) ||
                    (!*why && program &&
                     find(more, program->name, is, f, why, size)) ||
                    not_there(m, program ? more : own, program, is, why, size));
    }
    return good;
}

bool machine_scale(struct machine *m, const struct image *program, char *why,
                   size_t size)
{
    const struct what_if *w = &m->with.what_if;
    struct names own = {0}, more = {0};
    bool good;

    m->scale.sleeps = m->scale.sleeps_until = m->scale.masks = 1;
    if (!machine_scales(&m->with))
        return true;
    *why = '\0';
    good = names_open(&own, m->with.image) &&
           (!program || names_open(&more, program));
    if (!good)
        snprintf(why, size, "--what-if: the host has no memory for the names");
    good =
        good && find_locks(m, &own, program ? &more : NULL, program, why, size);
    if (good && !m->with.supervisor.enter) {
        names_find(&own, SLEEPS, &m->scale.sleeps);
        names_find(&own, SLEEPS_UNTIL, &m->scale.sleeps_until);
        good = !w->threads || names_find(&own, MASKS, &m->scale.masks);
        if (!good)
            snprintf(why, size,
                     "--what-if affinity: %s is not the guest that came along, "
                     "it has no %s",
                     m->with.image->name, MASKS);
    }
    good = good && find_functions(m, &own, &more, program, why, size);
    if (good)
        scale_begin(&m->scale);
    if (program)
        names_close(&more);
    names_close(&own);
    return good;
}
