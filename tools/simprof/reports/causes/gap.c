/* gap.c - the report `gap`: an idle gap of a CPU, the threads that stand
 * behind it one waiting for the other, each with its call stack, down to the
 * root; or the longest gaps of an interval. What is so is worked out as for
 * `causes`, of each gap alone.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/idle/timeline.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/causes/causes_words.h"

static const char *const roots[] = {
#define ROOT(name, key, text, does, noun, apart) key,
#include "tools/analysis/causes/roots.def"
#undef ROOT
};

struct gap {
    struct recording *r;
    struct scene scene;
    struct places places;
    struct causes c;
    const struct causes_shape *s; /* that most of it is such as; NULL */
    struct idle_period period;
    struct table t;
};

/* Which gaps are asked for: the one that a cycle lies in, or those that
 * overlap an interval. */
struct asked {
    long cpu; /* -1: any */
    bool at;  /* the gap at `from` */
    uint64_t from, to;
    size_t most; /* the longest; 0: all */
};

struct periods {
    struct idle_period *list;
    size_t count, room;
};

static bool read_asked(struct recording *r, const struct options *o,
                       struct asked *a)
{
    bool many = (o->text[OPTION_BIT_LIMIT] && !(o->standing & OPTION_LIMIT)) ||
                o->text[OPTION_BIT_TO];

    *a = (struct asked){.cpu = o->cpu,
                        .at = o->text[OPTION_BIT_FROM] && !many,
                        .most = many ? o->limit : 1};
    return option_cycles(r, o, OPTION_BIT_FROM, 0, &a->from) &&
           option_cycles(r, o, OPTION_BIT_TO, UINT64_MAX, &a->to);
}

/* The longest first, then as in time. */
static int by_length(const void *a, const void *b)
{
    const struct idle_period *x = a, *y = b;
    uint64_t m = x->to - x->from, n = y->to - y->from;

    if (m != n)
        return m < n ? 1 : -1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void find(struct periods *all, struct recording *r,
                 const struct asked *a)
{
    struct timeline t;

    *all = (struct periods){.count = 0};
    recording_within(r, 0, UINT64_MAX);
    timeline_read(&t, r);
    for (size_t i = 0; i < t.count; i++) {
        const struct idle_period *p = &t.period[i];

        if ((a->cpu >= 0 && p->cpu != (unsigned long)a->cpu) ||
            a->from >= p->to || (a->at ? a->from < p->from : a->to <= p->from))
            continue;
        all->list =
            grow(all->list, &all->room, all->count + 1, sizeof *all->list);
        all->list[all->count++] = *p;
    }
    timeline_free(&t);
    if (all->count)
        qsort(all->list, all->count, sizeof *all->list, by_length);
    if (a->most && all->count > a->most)
        all->count = a->most;
}

/* ---- rows ---------------------------------------------------------------- */

struct gap_line {
    const char *role;
    uint32_t thread; /* of the scene; SCENE_NONE */
    const char *state;
    char object[WORDS_TEXT];
    uint64_t from, to;
    uint32_t stack, place; /* place: of a root, its line */
    const char *why;       /* a sentence, or NULL */
};

static void put(struct gap *g, const struct gap_line *l)
{
    char number[WORDS_NUMBER], *stack;
    const struct place_of *place;
    struct recording *r = g->r;

    table_text(&g->t, l->role);
    if (l->thread == SCENE_NONE) {
        table_number(&g->t, "", "");
        table_text(&g->t, "");
    } else {
        uint32_t id = g->scene.thread[l->thread].id;

        snprintf(number, sizeof number, "%" PRIu32, id);
        table_number(&g->t, number, number);
        table_text(&g->t, words_thread(r, id, l->from, number));
    }
    table_text(&g->t, l->state);
    table_text(&g->t, l->object);
    table_count(&g->t, l->from);
    table_count(&g->t, l->to);
    place = &g->places.list[l->place];
    table_text(&g->t, l->place == PLACES_NOWHERE ||
                              place->function[0] == LOADMAP_UNKNOWN
                          ? ""
                          : loadmap_name(&r->map, place->function[0]));
    causes_put_line(&g->t, &g->c, l->place);
    stack = frames_text(&g->scene.frames, r, l->stack, l->from, 0);
    if (stack[0])
        table_text(&g->t, stack);
    else
        causes_put_functions(&g->t, &g->c, l->place, "");
    free(stack);
    table_text(&g->t, l->why ? l->why : "");
}

static void put_hop(struct gap *g, unsigned n)
{
    const struct chain_hop *hop = &g->s->chain.hop[n];
    const struct scene_stay *stay;
    const struct scene_wake *wake;
    struct gap_line l = {.role = "waits", .thread = hop->thread};

    if (hop->stay == SCENE_NONE) {
        l.state = "not born yet";
        l.from = g->period.from;
        l.to = g->period.to;
        put(g, &l);
        return;
    }
    stay = &g->scene.stay[hop->stay];
    l.state = words_state(stay->state);
    words_wait(g->r,
               &(struct words_wait){stay->state, stay->kind, stay->object,
                                    stay->owner == SCENE_NONE
                                        ? 0
                                        : g->scene.thread[stay->owner].id},
               stay->from, l.object);
    l.from = stay->from;
    l.to = stay->to;
    if (hop->spin) {
        l.role = "spins";
        l.from = hop->spin->from;
        l.to = hop->spin->to;
        words_object(g->r, scene_spin_kind(&g->scene, hop->spin),
                     scene_spin_object(&g->scene, hop->spin), l.from, l.object);
        put(g, &l);
        return;
    }
    l.stack = stay->stack;
    l.place = places_waits(&g->places, stay->stack, stay->from);
    put(g, &l);
    wake = stay->wake == SCENE_NONE ? NULL : &g->scene.wake[stay->wake];
    if (!wake || wake->by != WAKE_BY_THREAD || wake->waker == SCENE_NONE)
        return;
    l = (struct gap_line){.role = "wakes it",
                          .thread = wake->waker,
                          .state = "",
                          .from = wake->cycle,
                          .to = wake->cycle,
                          .stack = wake->stack};
    l.place = places_waits(&g->places, wake->stack, wake->cycle);
    put(g, &l);
}

/* Where a thread that runs is: its first note of that at a cycle or behind, in
 * the gap. */
static uint32_t runs_at(const struct scene *s, uint32_t thread, uint64_t cycle,
                        uint64_t end)
{
    const struct scene_thread *t = &s->thread[thread];

    for (size_t i = 0; i < t->spots; i++)
        if (s->spot[t->spot + i].cycle >= cycle)
            return s->spot[t->spot + i].cycle < end ? s->spot[t->spot + i].stack
                                                    : 0;
    return 0;
}

static void put_root(struct gap *g)
{
    const struct chain *c = &g->s->chain;
    struct gap_line l = {.role = "root",
                         .thread = c->threads ? c->thread[0] : SCENE_NONE,
                         .state = roots[c->root],
                         .from = g->s->at,
                         .to = g->s->at + g->s->longest,
                         .stack = c->stack,
                         .place = g->s->place};

    if (!l.stack && c->threads && c->root == ROOT_RUNS)
        l.stack = runs_at(&g->scene, c->thread[0], g->s->at, g->period.to);
    put(g, &l);
}

static void columns(struct table *t)
{
    table_column(t, "", "role", 0);
    table_column(t, "", "thread", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "thread", "name", 0);
    table_column(t, "state", "state", 0);
    table_column(t, "of what", "object", 0);
    table_column(t, "from cycle", "from_cycle", TABLE_NUMBER);
    table_column(t, "to cycle", "to_cycle", TABLE_NUMBER);
    table_column(t, "", "function", TABLE_CSV);
    table_column(t, "line", "line", TABLE_PATH);
    table_column(t, "called by", "functions", 0);
    table_column(t, "", "why", TABLE_CSV);
}

static void put_all(struct gap *g)
{
    struct gap_line l = {.role = "idle",
                         .thread = SCENE_NONE,
                         .state = "idle",
                         .from = g->period.from,
                         .to = g->period.to};
    char sentence[CAUSES_SENTENCE];

    if (g->s)
        l.why = (causes_sentence(&g->c, g->s, sentence), sentence);
    snprintf(l.object, sizeof l.object, "CPU %u", g->period.cpu);
    put(g, &l);
    for (unsigned n = 0; g->s && n < g->s->chain.hops; n++)
        put_hop(g, n);
    if (g->s)
        put_root(g);
}

/* ---- the report ---------------------------------------------------------- */

static void say(struct gap *g, const struct options *o, FILE *to)
{
    char sentence[CAUSES_SENTENCE], share[TEXT_NUMBER], long_[TEXT_NUMBER],
        cycle[TEXT_NUMBER];

    report_say(o, to, "CPU %u is idle for %s cycles from cycle %s on.",
               g->period.cpu, text_count(long_, g->period.to - g->period.from),
               text_count(cycle, g->period.from));
    if (!g->s) {
        report_say(o, to,
                   "Why is not known: no states of threads were recorded "
                   "(simrun --switch-stacks; of the guest --append "
                   "states=on).");
        return;
    }
    causes_sentence(&g->c, g->s, sentence);
    report_say(o, to, "%s", sentence);
    if (g->s->cycles < g->c.total)
        report_say(o, to, "So it was for %s%% of it.",
                   text_percent(share, g->s->cycles, g->c.total));
    putc('\n', to);
}

/* Of one gap: why, and its rows. */
static void judge(struct gap *g, const struct options *o, FILE *to)
{
    struct causes_choice choice = {
        .thread = SCENE_NONE, .cpu = (long)g->period.cpu, .shapes = true};
    struct naps naps;

    naps_of_stints(&naps, &g->scene, g->period.from, g->period.to);
    causes_find(&g->c, &g->scene, &naps, &g->places, &choice);
    g->s = g->scene.stays && g->c.shapes ? &g->c.shape[0] : NULL;
    if (!o->csv) {
        say(g, o, to);
        columns(&g->t);
    }
    put_all(g);
    if (!o->csv) {
        report_table(&g->t, o, to);
        g->t = (struct table){0};
    }
    causes_free(&g->c);
    naps_free(&naps);
}

static void judge_all(struct gap *g, const struct periods *all,
                      const struct options *o, FILE *to)
{
    uint64_t from = UINT64_MAX, end = 0;

    for (size_t i = 0; i < all->count; i++) {
        from = all->list[i].from < from ? all->list[i].from : from;
        end = all->list[i].to > end ? all->list[i].to : end;
    }
    recording_within(g->r, from, end);
    scene_read(&g->scene, g->r);
    places_open(&g->places, g->r, &g->scene);
    if (o->csv)
        columns(&g->t);
    for (size_t i = 0; i < all->count; i++) {
        g->period = all->list[i];
        if (i && !o->csv)
            putc('\n', to);
        judge(g, o, to);
    }
    if (o->csv)
        report_table(&g->t, o, to);
    places_close(&g->places);
    scene_free(&g->scene);
}

static void say_none(struct gap *g, const struct asked *a,
                     const struct options *o, FILE *to)
{
    if (o->csv) {
        columns(&g->t);
        report_table(&g->t, o, to);
        return;
    }
    report_say(o, to, "No CPU%s was idle then, by the switches of threads.",
               a->cpu >= 0 ? " of that number" : "");
}

void report_gap(struct recording *r, const struct options *o, FILE *to)
{
    struct gap g = {.r = r};
    struct periods all;
    struct asked a;

    if (!read_asked(r, o, &a))
        return;
    find(&all, r, &a);
    if (!o->csv)
        report_head(r, a.most == 1 ? "an idle gap" : "idle gaps", to);
    if (all.count)
        judge_all(&g, &all, o, to);
    else
        say_none(&g, &a, o, to);
    free(all.list);
}
