/* share.c - the one store of all processors of a machine: who has it, and what
 * each of them has to be through with before it is emptied.
 */
#include "sim/core/detailed/memo/memo_private.h"

#include <stdlib.h>
#include <string.h>

static struct memo_store *others_store(const struct core *c)
{
    for (unsigned k = 0; k < c->with.ncores; k++) {
        const struct core *of = &c->with.cores[k];

        if (of != c && of->pipe && memo_of(of) && memo_of(of)->store)
            return memo_of(of)->store;
    }
    return NULL;
}

bool share_join(struct core *c, size_t bytes)
{
    struct memo *m = memo_of(c);
    bool made = true;

    m->store = others_store(c);
    if (!m->store) {
        m->store = calloc(1, sizeof *m->store);
        if (!m->store)
            return false;
        made = store_init(m->store, bytes * c->with.ncores);
    }
    m->store->core[m->store->cores++] = c;
    return made;
}

void share_leave(struct core *c)
{
    struct memo_store *s = memo_of(c)->store;
    unsigned k = 0;

    if (!s)
        return;
    while (s->core[k] != c)
        k++;
    s->core[k] = s->core[--s->cores];
    if (!s->cores) {
        store_free(s);
        free(s);
    }
    memo_of(c)->store = NULL;
}

/* c goes on without anything of the store. */
static void part(struct core *c)
{
    struct memo *m = memo_of(c);

    memo_leave(c);
    memo_flush(c);
    history_spell(pipe_of(c));
    m->from = NULL;
    m->trace = NULL;
}

void share_empty(struct core *c)
{
    struct memo_store *s = memo_of(c)->store;

    for (unsigned k = 0; k < s->cores; k++)
        part(s->core[k]);
    store_empty(s);
    s->generation = c->with.decoded->forgotten;
}

void *share_take(struct core *c, size_t bytes, unsigned numbers,
                 uint32_t *number)
{
    struct memo_store *s = memo_of(c)->store;
    void *p;

    if (s->numbers + numbers > INT32_MAX)
        return NULL;
    p = store_take(s, bytes);
    if (!p)
        return NULL;
    *number = s->numbers;
    s->numbers += numbers;
    for (unsigned k = 0; k < s->cores; k++)
        if (!ledgers_fit(s->core[k]))
            return NULL; /* its numbers stay unused */
    return p;
}

static struct memo_setting setting_of(const struct core *c)
{
    return (struct memo_setting){pipe_of(c)->hid0,
                                 c->pmu.mmcr0 >> MMCR0_THRESHOLD_SHIFT & 63};
}

bool share_is_set(const struct core *c)
{
    const struct memo *m = memo_of(c);
    struct memo_setting is = setting_of(c);

    return m->setting < m->store->settings &&
           m->store->setting[m->setting].hid0 == is.hid0 &&
           m->store->setting[m->setting].threshold == is.threshold;
}

void share_set(struct core *c)
{
    struct memo *m = memo_of(c);
    struct memo_setting is = setting_of(c);

    m->setting = store_setting(m->store, is);
    if (m->setting < MEMO_SETTINGS)
        return;
    share_empty(c);
    m->setting = store_setting(m->store, is);
}
