/* rwlocks.c - which waits in a queue are for a read-write lock; see
 * scene.h. A C library waits for one at a word of it, as for a condition. What
 * tells is the function that waits; where the lock begins, another wait at the
 * same place of that function, or a variable of a read-write lock's size.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/causes/scene/build.h"
#include "tools/analysis/experiment/stack.h"
#include "tools/analysis/symbols/symbols.h"

/* glibc, struct __pthread_rwlock_arch_t, bytes: readers wait at the first word
 * if writers are preferred, else at the phase; writers there or at the next. */
#define PHASE 8u
#define WRITERS 12u
#define SIZE 32u
#define NOT_KNOWN UINT32_MAX
#define DEEP 24u /* frames: those of the kernel, and a few of the library */

enum { READS = 1, WRITES = 2 };

/* Where a function of the library calls what waits. */
struct site {
    unsigned role;
    uint32_t offset; /* in the lock, of the word that is waited for there */
};

struct rwlocks {
    struct scene *s;
    struct site *site;
    size_t sites, sites_room;
    struct hash by_place; /* function and address: sites */
    uint32_t *of_stack;   /* by number: a site, from 1; NOT_KNOWN: none */
    struct hash word;     /* roles by address */
};

static unsigned role_of(const char *name)
{
    const char *at = strstr(name, "pthread_rwlock_");

    if (!at)
        return 0;
    return strstr(at, "rdlock") ? READS : strstr(at, "wrlock") ? WRITES : 0;
}

/* The site that a stack is at, from 1; NOT_KNOWN: none. */
static uint32_t look(struct rwlocks *w, uint32_t stack)
{
    struct scene *s = w->s;
    struct loadmap *m = &s->r->map;
    const struct frames_place *f = frames_at(&s->frames, stack);
    uint32_t thread = m->thread, found = NOT_KNOWN;

    for (unsigned n = 0; f && n < DEEP && found == NOT_KNOWN; n++) {
        uint64_t cycle = frames_whose(f, m, f->cycle ? f->cycle : s->r->end);
        uint32_t pc = loadmap_home(m, stack_before(f->pc), cycle);
        uint32_t function = loadmap_find(m, pc, cycle).function;
        unsigned role = function == LOADMAP_UNKNOWN
                            ? 0
                            : role_of(loadmap_name(m, function));
        bool fresh;

        if (role) {
            uint32_t *at =
                hash_at(&w->by_place, (uint64_t)function << 32 | f->pc, &fresh);

            if (fresh) {
                w->site = grow(w->site, &w->sites_room, w->sites + 1,
                               sizeof *w->site);
                w->site[w->sites++] = (struct site){role, NOT_KNOWN};
                *at = (uint32_t)w->sites;
            }
            found = *at;
        }
        f = frames_at(&s->frames, f->caller);
    }
    loadmap_thread(m, thread);
    return found;
}

/* NULL: it is no wait for a read-write lock. */
static struct site *site_of(struct rwlocks *w, const struct scene_stay *t)
{
    uint32_t *is;

    if (t->state != STATE_QUEUE || t->kind != OBJECT_USER ||
        !frames_at(&w->s->frames, t->stack))
        return NULL;
    is = &w->of_stack[t->stack];
    if (!*is)
        *is = look(w, t->stack);
    return *is == NOT_KNOWN ? NULL : &w->site[*is - 1];
}

/* ---- where locks begin --------------------------------------------------- */

static unsigned roles_at(const struct rwlocks *w, uint32_t address)
{
    const uint32_t *roles = hash_find(&w->word, address);

    return roles ? *roles : 0;
}

/* What one wait says of its site. */
static uint32_t offset_by(const struct rwlocks *w, const struct scene_stay *t)
{
    struct loadmap *m = &w->s->r->map;
    uint32_t moved;
    size_t count;
    const struct variable *v;

    if (scene_wants_lock(t))
        return t->object - w->s->lock[t->lock].object;
    v = loadmap_variables(m, t->object, 4, t->from, &moved, &count);
    if (v && v->size == SIZE)
        return t->object - (uint32_t)(v->start + moved);
    if (roles_at(w, t->object) == (READS | WRITES))
        return PHASE;
    if (roles_at(w, t->object) == READS &&
        (roles_at(w, t->object + PHASE) || roles_at(w, t->object + WRITERS)))
        return 0;
    if (roles_at(w, t->object) == WRITES) {
        if (roles_at(w, t->object - (WRITERS - PHASE)))
            return WRITERS;
        if (roles_at(w, t->object + (WRITERS - PHASE)) == WRITES)
            return PHASE;
    }
    return NOT_KNOWN;
}

static void find_offsets(struct rwlocks *w)
{
    const struct scene *s = w->s;
    bool fresh;

    for (size_t n = 0; n < s->stays; n++) {
        const struct site *site = site_of(w, &s->stay[n]);

        if (site)
            *hash_at(&w->word, s->stay[n].object, &fresh) |= site->role;
    }
    for (size_t n = 0; n < s->stays; n++) {
        struct site *site = site_of(w, &s->stay[n]);

        if (site && site->offset == NOT_KNOWN)
            site->offset = offset_by(w, &s->stay[n]);
    }
    for (size_t n = 0; n < w->sites; n++)
        if (w->site[n].offset > WRITERS)
            w->site[n].offset = PHASE;
}

void scene_read_rwlocks(struct scene *s, struct hash *at)
{
    struct rwlocks w = {.s = s};

    w.of_stack = grow_zero(s->frames.count + 1, sizeof *w.of_stack);
    find_offsets(&w);
    for (size_t n = 0; n < s->stays; n++) {
        struct scene_stay *t = &s->stay[n];
        const struct site *site = site_of(&w, t);

        if (!site)
            continue;
        if (!scene_wants_lock(t)) {
            t->shared = site->role == READS;
            t->lock = scene_number_lock(
                s, at,
                &(struct scene_lock){.kind = t->kind,
                                     .object = t->object - site->offset,
                                     .thread = t->thread,
                                     .at = t->from});
        }
        s->lock[t->lock].readers = true;
    }
    free(w.site);
    free(w.of_stack);
    hash_free(&w.by_place);
    hash_free(&w.word);
}
