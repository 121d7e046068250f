/* locks_spun.c - see locks_spun.h. */
#include "tools/simprof/reports/causes/locks_spun.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/base/search.h"
#include "tools/analysis/causes/spun.h"
#include "tools/analysis/symbols/variables.h"
#include "tools/simprof/reports/causes/causes_words.h"

#define LITTLE 1000 /* one part in so many of the interval */

/* A word of a process, or a lock, and how long threads spun for it. */
struct locks_word {
    uint64_t key; /* process (0: the kernel), address */
    uint32_t kind;
    uint64_t cycles, longest, times;
    uint64_t at;     /* when it was spun for first */
    uint32_t place;  /* where that was; PLACES_NOWHERE: no record says */
    uint64_t locked; /* of the cycles: the thread then wrote it itself, or was
                      * in a function that takes it */
};

struct find {
    struct locks_spun *w;
    struct hash at; /* words, by key */
    struct spun locks;
};

/* Where a thread was during a spin: at its first sample, or else where it left
 * its CPU. */
static uint32_t place_of(const struct causes *c, const struct scene_spin *spin)
{
    const struct scene *s = c->scene;
    const struct scene_thread *t = &s->thread[spin->thread];
    size_t end = t->spot + t->spots;
    size_t n = SEARCH_FIRST(t->spot, end, i, s->spot[i].cycle > spin->from);
    const struct scene_spot *at = NULL;

    for (; n < end && s->spot[n].cycle <= spin->to; n++)
        if (s->spot[n].stack && (s->spot[n].sample || !at)) {
            at = &s->spot[n];
            if (at->sample)
                break;
        }
    return at ? places_waits(c->places, at->stack, at->cycle) : PLACES_NOWHERE;
}

/* Where the thread took the lock that it had spun for, by lock.rec. */
static uint32_t place_taken(const struct find *f, const struct scene_spin *spin)
{
    const struct causes *c = f->w->c;
    const struct scene *s = c->scene;
    uint32_t lock = spun_lock(&f->locks, spin);
    size_t n = SEARCH_FIRST(0, s->holds, i,
                            s->hold[i].thread > spin->thread ||
                                (s->hold[i].thread == spin->thread &&
                                 s->hold[i].taken >= spin->to));

    for (; lock != SCENE_NONE && n < s->holds &&
           s->hold[n].thread == spin->thread && s->hold[n].asked <= spin->from;
         n++)
        if (s->hold[n].lock == lock && s->hold[n].caller)
            return locks_taken_at(s, c->places, &s->hold[n]);
    return PLACES_NOWHERE;
}

static uint64_t key_of(const struct causes *c, const struct scene_spin *spin)
{
    uint32_t process = 0;

    if (scene_spin_kind(c->scene, spin) != OBJECT_KERNEL)
        process = threads_process(
            &c->r->threads, c->scene->thread[spin->thread].id, spin->from, 0);
    return (uint64_t)process << 32 | scene_spin_object(c->scene, spin);
}

static struct locks_word *word_of(struct find *f, const struct scene_spin *spin)
{
    struct locks_spun *w = f->w;
    uint64_t key = key_of(w->c, spin);
    bool fresh;
    uint32_t *n = hash_at(&f->at, key, &fresh);

    if (fresh) {
        *n = (uint32_t)w->words;
        w->word = grow(w->word, &w->room, w->words + 1, sizeof *w->word);
        w->word[w->words++] =
            (struct locks_word){.key = key,
                                .kind = scene_spin_kind(w->c->scene, spin),
                                .at = spin->from};
    }
    return &w->word[*n];
}

static void add(struct find *f, const struct scene_spin *spin)
{
    const struct causes *c = f->w->c;
    const struct recording *r = c->r;
    uint64_t from = r->windowed && r->from > spin->from ? r->from : spin->from,
             to = r->windowed && r->to < spin->to ? r->to : spin->to;
    struct locks_word *word;

    if (from >= to)
        return;
    word = word_of(f, spin);
    word->times++;
    word->cycles += to - from;
    word->longest = to - from > word->longest ? to - from : word->longest;
    if (spin->poll == SCENE_NONE || c->scene->poll[spin->poll].tried)
        word->locked += to - from;
    if (word->place == PLACES_NOWHERE)
        word->place = place_of(c, spin);
    f->w->all += to - from;
}

/* Of a word at which no thread was seen the place is that where it took it. */
static void find_places(struct find *f, uint32_t thread)
{
    const struct scene *s = f->w->c->scene;

    for (size_t n = 0; n < s->spins; n++) {
        const struct scene_spin *spin = &s->spin[n];
        const uint32_t *at = hash_find(&f->at, key_of(f->w->c, spin));

        if (at && f->w->word[*at].place == PLACES_NOWHERE &&
            (thread == SCENE_NONE || spin->thread == thread))
            f->w->word[*at].place = place_taken(f, spin);
    }
}

static int most_first(const void *a, const void *b)
{
    const struct locks_word *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* What a thread then has that wrote the word itself. */
enum is { WORD, LOCK, SEMAPHORE };

static enum is what_it_is(const struct causes *c, const struct locks_word *w)
{
    static const char type[] = "counting_semaphore"; /* std::binary_, too */

    if (w->locked <= w->cycles / 2)
        return WORD;
    return variables_is_in(recording_variables(c->r), (uint32_t)w->key, w->at,
                           type)
               ? SEMAPHORE
               : LOCK;
}

/* What of the sums is for locks, and for which most. */
static void add_up(struct find *f)
{
    struct locks_spun *w = f->w;

    for (size_t n = 0; n < w->words; n++) {
        const struct locks_word *word = &w->word[n];

        if (what_it_is(w->c, word) != LOCK) {
            w->others += word->cycles;
            continue;
        }
        w->locked += word->cycles;
        if (!w->most)
            w->most = word;
    }
}

void locks_spun_find(struct locks_spun *w, const struct causes *c,
                     uint32_t thread)
{
    const struct scene *s = c->scene;
    struct find f = {.w = w};

    *w = (struct locks_spun){.c = c};
    spun_open(&f.locks, s);
    for (size_t n = 0; n < s->spins; n++)
        if (thread == SCENE_NONE || s->spin[n].thread == thread)
            add(&f, &s->spin[n]);
    find_places(&f, thread);
    if (w->words)
        qsort(w->word, w->words, sizeof *w->word, most_first);
    add_up(&f);
    spun_close(&f.locks);
    hash_free(&f.at);
}

void locks_spun_free(struct locks_spun *w)
{
    free(w->word);
    *w = (struct locks_spun){.c = NULL};
}

static const char *name_of(const struct causes *c, const struct locks_word *w,
                           char out[WORDS_TEXT])
{
    return words_object(c->r, w->kind, (uint32_t)w->key, w->at, out);
}

const char *locks_spun_most(const struct locks_spun *w, char out[WORDS_TEXT])
{
    return name_of(w->c, w->most, out);
}

/* ---- the table ----------------------------------------------------------- */

static void put(struct table *t, const struct causes *c,
                const struct locks_word *w)
{
    static const char *const is[] = {
        [WORD] = "word", [LOCK] = "lock", [SEMAPHORE] = "semaphore"};
    char name[WORDS_TEXT];

    table_count(t, w->cycles);
    table_count(t, w->times);
    table_count(t, w->longest);
    table_text(t, is[what_it_is(c, w)]);
    table_text(t, name_of(c, w, name));
    causes_put_line(t, c, w->place);
    causes_put_functions(t, c, w->place, "");
}

void locks_spun_print(const struct locks_spun *w, const struct options *o,
                      FILE *to)
{
    size_t most = o->limit && o->limit < w->words ? o->limit : w->words;
    struct table t = {0};

    if (!o->csv && w->all <= recording_span(w->c->r) / LITTLE)
        return;
    if (!o->csv)
        fputs("\nWords that threads looked at again and again, until another "
              "thread wrote them\n",
              to);
    table_column(&t, "cycles\nspun", "spun", TABLE_NUMBER);
    table_column(&t, "times", "times", TABLE_NUMBER);
    table_column(&t, "longest", "longest", TABLE_NUMBER);
    table_column(&t, "is", "is", 0);
    table_column(&t, "word", "word", 0);
    table_column(&t, "line", "line", TABLE_PATH);
    table_column(&t, "function < its caller", "functions", 0);
    for (size_t n = 0; n < most; n++)
        put(&t, w->c, &w->word[n]);
    report_table(&t, o, to);
    if (most < w->words && !o->csv)
        report_say(o, to, "%zu words more; --limit=0 shows all.",
                   w->words - most);
}
