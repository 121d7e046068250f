/* spun.c - see spun.h. */
#include "tools/analysis/causes/spun.h"

static uint64_t key_of(uint32_t process, uint32_t object)
{
    return (uint64_t)process << 32 | object;
}

void spun_open(struct spun *u, const struct scene *s)
{
    bool fresh;

    *u = (struct spun){.scene = s};
    for (uint32_t n = 0; n < s->locks; n++)
        if (s->lock[n].word)
            *hash_at(&u->words,
                     key_of(scene_process_of(s, n), s->lock[n].object),
                     &fresh) = n + 1;
}

void spun_close(struct spun *u)
{
    hash_free(&u->words);
}

uint32_t spun_lock(const struct spun *u, const struct scene_spin *spin)
{
    const struct scene *s = u->scene;
    const uint32_t *lock;

    if (spin->lock != SCENE_NONE)
        return spin->lock;
    lock =
        hash_find(&u->words, key_of(threads_process(&s->r->threads,
                                                    s->thread[spin->thread].id,
                                                    spin->from, 0),
                                    s->poll[spin->poll].object));
    return lock ? *lock - 1 : SCENE_NONE;
}

bool spun_before(const struct spun *u, const struct scene_hold *h)
{
    const struct scene *s = u->scene;
    const struct scene_spin *spin = scene_spin_from(s, h->thread, h->asked);

    for (; spin && spin < s->spin + s->spins && spin->thread == h->thread &&
           spin->from < h->taken;
         spin++)
        if (spun_lock(u, spin) == h->lock)
            return true;
    return false;
}

void spun_find(struct locks *l, const struct scene *s, uint32_t thread,
               uint64_t from, uint64_t to)
{
    struct spun u;

    spun_open(&u, s);
    for (size_t n = 0; n < s->spins; n++) {
        const struct scene_spin *spin = &s->spin[n];
        uint64_t begin = spin->from > from ? spin->from : from;
        uint64_t end = spin->to < to ? spin->to : to;
        uint32_t lock = spun_lock(&u, spin);

        if (lock != SCENE_NONE && begin < end &&
            (thread == SCENE_NONE || thread == spin->thread))
            l->lock[lock].spun += end - begin;
    }
    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];

        if ((thread == SCENE_NONE || thread == h->thread) && h->taken >= from &&
            h->taken < to)
            l->lock[h->lock].spun_for += spun_before(&u, h);
    }
    spun_close(&u);
}
