/* gap.c - the report `gap`: one idle gap of a CPU, the threads that stand
 * behind it one waiting for the other, each with its call stack, down to the
 * root. What is so is worked out as for `causes`, of the gap alone.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/base/text.h"
#include "tools/analysis/idle/timeline.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/reports/causes/causes_words.h"

#define STACK 2000 /* bytes of one as text */

static const char *const roots[] = {
#define ROOT(name, key, text) key,
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

/* The gap that a cycle lies in; without a cycle or a CPU the longest. False:
 * there is none, which is said. */
static bool find(struct gap *g, const struct options *o, FILE *to)
{
    bool any = o->text[OPTION_BIT_FROM] != NULL, found = false;
    struct timeline t;
    uint64_t at = 0;

    if (!option_cycles(g->r, o, OPTION_BIT_FROM, 0, &at))
        return false;
    recording_within(g->r, 0, UINT64_MAX);
    timeline_read(&t, g->r);
    for (size_t i = 0; i < t.count; i++) {
        const struct idle_period *p = &t.period[i];

        if (o->cpu >= 0 && p->cpu != (unsigned long)o->cpu)
            continue;
        if (any && (at < p->from || at >= p->to))
            continue;
        if (!found || p->to - p->from > g->period.to - g->period.from)
            g->period = *p;
        found = true;
    }
    timeline_free(&t);
    if (!found && !o->csv) {
        report_head(g->r, "an idle gap", to);
        report_say(o, to, "No CPU%s was idle then, by the switches of threads.",
                   o->cpu >= 0 ? " of that number" : "");
    }
    return found;
}

/* ---- rows ---------------------------------------------------------------- */

struct gap_line {
    const char *role;
    uint32_t thread; /* of the scene; SCENE_NONE */
    const char *state;
    char object[WORDS_TEXT];
    uint64_t from, to;
    uint32_t stack, place; /* place: of a root, its line */
};

static void put(struct gap *g, const struct gap_line *l)
{
    char number[WORDS_NUMBER], stack[STACK], all[STACK], line[CAUSES_PLACE];
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
    frames_text(&g->scene.frames, r, l->stack, l->from, " < ", 0, stack,
                sizeof stack);
    frames_text(&g->scene.frames, r, l->stack, l->from, "<", 0, all,
                sizeof all);
    if (!stack[0] && l->place != PLACES_NOWHERE) {
        causes_functions(&g->c, l->place, " < ", stack);
        causes_functions(&g->c, l->place, "<", all);
    }
    place = &g->places.list[l->place];
    table_text(&g->t, l->place == PLACES_NOWHERE ||
                              place->function[0] == LOADMAP_UNKNOWN
                          ? ""
                          : loadmap_name(&r->map, place->function[0]));
    table_text(&g->t, l->place == PLACES_NOWHERE
                          ? ""
                          : causes_line(&g->c, l->place, line));
    table_both(&g->t, stack, all);
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
    words_object(g->r, stay->kind, stay->object, stay->from, l.object);
    l.from = stay->from;
    l.to = stay->to;
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

/* Where a thread that runs is: its first note of that at a cycle or behind. */
static uint32_t runs_at(const struct scene *s, uint32_t thread, uint64_t cycle)
{
    const struct scene_thread *t = &s->thread[thread];

    for (size_t i = 0; i < t->spots; i++)
        if (s->spot[t->spot + i].cycle >= cycle)
            return s->spot[t->spot + i].stack;
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
        l.stack = runs_at(&g->scene, c->thread[0], g->s->at);
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
    table_column(t, "line", "line", 0);
    table_column(t, "called by", "functions", 0);
}

static void put_all(struct gap *g)
{
    struct gap_line l = {.role = "idle",
                         .thread = SCENE_NONE,
                         .state = "idle",
                         .from = g->period.from,
                         .to = g->period.to};

    columns(&g->t);
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

    report_head(g->r, "an idle gap", to);
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

void report_gap(struct recording *r, const struct options *o, FILE *to)
{
    struct causes_choice choice = {.thread = SCENE_NONE};
    struct gap g = {.r = r};
    struct naps naps;

    if (!find(&g, o, to))
        return;
    choice.cpu = (long)g.period.cpu;
    recording_within(r, g.period.from, g.period.to);
    scene_read(&g.scene, r);
    places_open(&g.places, r, &g.scene);
    naps_read(&naps, &g.scene, r);
    causes_find(&g.c, &g.scene, &naps, &g.places, &choice);
    g.s = g.scene.stays && g.c.shapes ? &g.c.shape[0] : NULL;
    if (!o->csv)
        say(&g, o, to);
    put_all(&g);
    report_table(&g.t, o, to);
    causes_free(&g.c);
    naps_free(&naps);
    places_close(&g.places);
    scene_free(&g.scene);
}
