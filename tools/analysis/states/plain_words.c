/* plain_words.c - see plain_words.h. */
#include "tools/analysis/states/plain_words.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"

enum { TAKEN = 1, QUEUED = 2, WANTED = 4, SHARED = 8 };

struct plain_words {
    struct hash word; /* what is done with it, by process and address */
    bool any;         /* one that is recorded as what it is not */
};

/* A lock that only one thread can have, which one waited for up to a time. */
static bool is_timed(uint32_t is)
{
    return (is & (TAKEN | QUEUED | SHARED)) == (TAKEN | QUEUED);
}

/* A word of a program is its process's. */
static uint64_t key_of(const struct recording *r, uint32_t thread,
                       uint64_t cycle, uint32_t object)
{
    return (uint64_t)threads_process(&r->threads, thread, cycle, 0) << 32 |
           object;
}

static void note(struct plain_words *w, struct recording *r,
                 const struct record *k, uint32_t object, uint32_t what)
{
    bool fresh;
    uint32_t *is =
        hash_at(&w->word, key_of(r, k->thread, k->cycle, object), &fresh);

    *is |= what;
    w->any |=
        is_timed(*is) || (*is & (TAKEN | QUEUED | WANTED)) == (QUEUED | WANTED);
}

static void read_taken(struct plain_words *w, struct recording *r)
{
    struct record k;
    struct recfile f;

    if (!recording_records(r, REC_LOCK, &f))
        return;
    while (recfile_next(&f, &k)) {
        uint32_t event = record_get_lock_event(&k);

        if (record_get_lock_kind(&k) == OBJECT_USER &&
            (event == LOCK_TAKEN || event == LOCK_SHARED ||
             event == LOCK_SPIN_TAKEN || event == LOCK_GIVEN))
            note(w, r, &k, record_get_lock_object(&k),
                 event == LOCK_SHARED ? TAKEN | SHARED : TAKEN);
    }
    recording_done(r, &f);
}

static void read_waits(struct plain_words *w, struct recording *r)
{
    struct record k;
    struct recfile f;

    if (!recording_records(r, REC_STATE, &f))
        return;
    while (recfile_next(&f, &k)) {
        uint32_t state = record_get_state_state(&k);

        if (record_get_state_kind(&k) == OBJECT_USER &&
            (state == STATE_QUEUE || state == STATE_LOCK))
            note(w, r, &k, record_get_state_object(&k),
                 state == STATE_QUEUE ? QUEUED : WANTED);
    }
    recording_done(r, &f);
}

struct plain_words *plain_words_read(struct recording *r)
{
    struct plain_words *w;

    if (!text_lines_get(&r->log, "record-locks"))
        return NULL;
    w = grow_zero(1, sizeof *w);
    read_taken(w, r);
    read_waits(w, r);
    if (w->any)
        return w;
    plain_words_free(w);
    return NULL;
}

void plain_words_free(struct plain_words *w)
{
    if (!w)
        return;
    hash_free(&w->word);
    free(w);
}

void plain_words_tell(const struct plain_words *w, const struct recording *r,
                      struct happening *h)
{
    const uint32_t *is;

    if ((h->state != STATE_LOCK && h->state != STATE_QUEUE) ||
        h->kind != OBJECT_USER)
        return;
    is = hash_find(&w->word, key_of(r, h->thread, h->cycle, h->object));
    if (is && h->state == STATE_QUEUE && is_timed(*is)) {
        h->state = STATE_LOCK;
    } else if (is && h->state == STATE_LOCK && *is == (QUEUED | WANTED)) {
        h->state = STATE_QUEUE;
        h->owner = 0;
    }
}
