/* locks_spun.c - see locks_spun.h. */
#include "tools/simprof/reports/causes/locks_spun.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/base/search.h"
#include "tools/analysis/states/words.h"
#include "tools/analysis/symbols/variables.h"
#include "tools/simprof/reports/causes/causes_words.h"

#define LITTLE 1000 /* one part in so many of the interval */

/* A word of a process, and how long threads spun for it. */
struct word {
    uint64_t key; /* process, address */
    uint64_t cycles, longest, times;
    uint64_t at;     /* when it was spun for first */
    uint32_t place;  /* where that was; PLACES_NOWHERE: no sample says */
    uint64_t locked; /* of the cycles: the thread then wrote it itself */
};

struct words {
    struct word *list;
    size_t count, room;
    struct hash at;
    uint64_t cycles;
};

/* Where a thread was at a spin's first sample. */
static uint32_t place_of(const struct causes *c, const struct scene_spin *spin)
{
    const struct scene *s = c->scene;
    const struct scene_thread *t = &s->thread[spin->thread];
    size_t end = t->spot + t->spots;
    size_t n = SEARCH_FIRST(t->spot, end, i, s->spot[i].cycle > spin->from);

    for (; n < end && s->spot[n].cycle <= spin->to; n++)
        if (s->spot[n].sample)
            return places_waits(c->places, s->spot[n].stack, s->spot[n].cycle);
    return PLACES_NOWHERE;
}

static struct word *word_of(struct words *w, const struct causes *c,
                            const struct scene_spin *spin)
{
    uint32_t process = threads_process(
        &c->r->threads, c->scene->thread[spin->thread].id, spin->from, 0);
    uint64_t key = (uint64_t)process << 32 | scene_spin_object(c->scene, spin);
    bool fresh;
    uint32_t *n = hash_at(&w->at, key, &fresh);

    if (fresh) {
        *n = (uint32_t)w->count;
        w->list = grow(w->list, &w->room, w->count + 1, sizeof *w->list);
        w->list[w->count++] = (struct word){.key = key, .at = spin->from};
    }
    return &w->list[*n];
}

static void add(struct words *w, const struct causes *c,
                const struct scene_spin *spin)
{
    const struct recording *r = c->r;
    uint64_t from = r->windowed && r->from > spin->from ? r->from : spin->from,
             to = r->windowed && r->to < spin->to ? r->to : spin->to;
    struct word *word;

    if (from >= to)
        return;
    word = word_of(w, c, spin);
    word->times++;
    word->cycles += to - from;
    word->longest = to - from > word->longest ? to - from : word->longest;
    word->locked += c->scene->poll[spin->poll].tried ? to - from : 0;
    if (word->place == PLACES_NOWHERE)
        word->place = place_of(c, spin);
    w->cycles += to - from;
}

static int most_first(const void *a, const void *b)
{
    const struct word *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* What a thread then has that wrote the word itself. */
static const char *what_it_is(const struct causes *c, const struct word *w)
{
    static const char type[] = "counting_semaphore"; /* std::binary_, too */

    if (w->locked <= w->cycles / 2)
        return "word";
    return variables_is_in(recording_variables(c->r), (uint32_t)w->key, w->at,
                           type)
               ? "semaphore"
               : "lock";
}

static void put(struct table *t, const struct causes *c, const struct word *w)
{
    char name[WORDS_TEXT];

    table_count(t, w->cycles);
    table_count(t, w->times);
    table_count(t, w->longest);
    table_text(t, what_it_is(c, w));
    table_text(t,
               words_object(c->r, OBJECT_USER, (uint32_t)w->key, w->at, name));
    causes_put_line(t, c, w->place);
    causes_put_functions(t, c, w->place, "");
}

static void print(const struct words *w, const struct causes *c,
                  const struct options *o, FILE *to)
{
    size_t most = o->limit && o->limit < w->count ? o->limit : w->count;
    struct table t = {0};

    table_column(&t, "cycles\nspun", "spun", TABLE_NUMBER);
    table_column(&t, "times", "times", TABLE_NUMBER);
    table_column(&t, "longest", "longest", TABLE_NUMBER);
    table_column(&t, "is", "is", 0);
    table_column(&t, "word", "word", 0);
    table_column(&t, "line", "line", TABLE_PATH);
    table_column(&t, "function < its caller", "functions", 0);
    for (size_t n = 0; n < most; n++) {
        put(&t, c, &w->list[n]);
    }
    report_table(&t, o, to);
    if (most < w->count && !o->csv)
        report_say(o, to, "%zu words more; --limit=0 shows all.",
                   w->count - most);
}

void locks_print_spun(const struct causes *c, uint32_t thread,
                      const struct options *o, FILE *to)
{
    const struct scene *s = c->scene;
    struct words w = {0};

    for (size_t n = 0; n < s->spins; n++)
        if (s->spin[n].poll != SCENE_NONE &&
            (thread == SCENE_NONE || s->spin[n].thread == thread))
            add(&w, c, &s->spin[n]);
    if (w.count)
        qsort(w.list, w.count, sizeof *w.list, most_first);
    if (o->csv) {
        print(&w, c, o, to);
    } else if (w.cycles > recording_span(c->r) / LITTLE) {
        fputs("\nWords that threads looked at again and again, until another "
              "thread wrote them\n",
              to);
        print(&w, c, o, to);
    }
    free(w.list);
    hash_free(&w.at);
}
