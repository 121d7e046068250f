/* retime.c - see retime.h: reads what the graph is made of, and asks. */
#include "tools/analysis/causes/tails.h"
#include "tools/analysis/retime/retime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/guest.h"
#include "lib/base/did_you_mean.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/experiment/stack.h"
#include "tools/analysis/retime/graph.h"
#include "tools/analysis/retime/play/pools.h"
#include "tools/analysis/retime/play/barriers.h"
#include "tools/analysis/retime/play/rounds.h"
#include "tools/analysis/states/words.h"

#define NAME_MOST 256 /* of text that lists names */

/* ---- the account --------------------------------------------------------- */

/* What --user charges for a system call (reason `system`) is no function's to
 * scale. */
static bool counts(const struct recording *r, const struct record *k)
{
    return k->cycle <= r->settled &&
           r->reason_is[record_get_oracle_reason(k)] == REASON_OTHER;
}

static int by_thread(const void *a, const void *b)
{
    const struct graph_cost *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

/* Rows of the same function, thread and interval become one. */
static void put_together(struct retime *g)
{
    size_t kept = 0;

    if (g->costs)
        qsort(g->cost, g->costs, sizeof *g->cost, by_thread);
    for (size_t n = 0; n < g->costs; n++) {
        struct graph_cost *last = kept ? &g->cost[kept - 1] : NULL;

        if (last && !by_thread(last, &g->cost[n]))
            last->twelfths += g->cost[n].twelfths;
        else
            g->cost[kept++] = g->cost[n];
    }
    g->costs = kept;
}

/* Rows of a function mostly follow each other. */
static void add_cost(struct retime *g, struct graph_cost c)
{
    struct graph_cost *last = g->costs ? &g->cost[g->costs - 1] : NULL;

    if (last && !by_thread(last, &c)) {
        last->twelfths += c.twelfths;
        return;
    }
    g->cost = grow(g->cost, &g->costs_room, g->costs + 1, sizeof *g->cost);
    g->cost[g->costs++] = c;
}

#define APART 65536 /* rows, at least, until they are put together again */

static void read_costs(struct retime *g)
{
    struct recording *r = g->scene->r;
    size_t enough = APART;
    struct record k;
    struct recfile f;

    if (!recording_records(r, REC_ORACLE, &f))
        return;
    while (recfile_next(&f, &k)) {
        uint32_t thread = scene_thread_of(g->scene, k.thread);

        if (thread == SCENE_NONE || !counts(r, &k))
            continue;
        /* Memory is for rows that differ, not for all that are read. */
        if (g->costs >= enough) {
            put_together(g);
            enough = 2 * g->costs > APART ? 2 * g->costs : APART;
        }
        add_cost(
            g, (struct graph_cost){
                   .thread = thread,
                   .function =
                       loadmap_find(&r->map, record_get_oracle_pc(&k), k.cycle)
                           .function,
                   .slot =
                       r->interval && k.cycle ? (k.cycle - 1) / r->interval : 0,
                   .twelfths = record_get_oracle_twelfths(&k)});
    }
    recording_done(r, &f);
    put_together(g);
}

/* ---- frames -------------------------------------------------------------- */

/* Under --user a wait that does not come about is no system call, either. */
static uint64_t cost(const struct recording *r, const char *knob)
{
    size_t length = strlen(knob);
    uint64_t cycles = 0;

    for (size_t n = 0; text_lines_get(&r->log, "self") && n < r->log.count; n++)
        if (!strcmp(r->log.line[n].key, "knob") &&
            !strncmp(r->log.line[n].value, knob, length) &&
            !text_number(r->log.line[n].value + length, &cycles))
            cycles = 0;
    return cycles;
}

/* ---- all of it ----------------------------------------------------------- */

struct retime *retime_open(const struct scene *s, uint64_t until)
{
    struct retime *g = grow_zero(1, sizeof *g);

    g->scene = s;
    owners_read(&g->owners, s);
    g->function = tails_functions(s);
    g->entered = tails_find(s, g->function);
    read_costs(g);
    g->call = cost(s->r, "syscall_cycles ");
    g->trap = cost(s->r, "trap_cycles ");
    g->slice = g->call ? cost(s->r, "slice_us ") * cost(s->r, "clock_mhz ")
                       : GUEST_SLICE_CYCLES;
    graph_build(g, until);
    if (g->last != GRAPH_NONE)
        graph_play_unchanged(g);
    g->convoy = graph_convoys(g);
    return g;
}

void retime_close(struct retime *g)
{
    owners_free(&g->owners);
    free(g->op);
    free(g->thread);
    free(g->order);
    hash_free(&g->preempts);
    hash_free(&g->keeps);
    hash_free(&g->before);
    hash_free(&g->favoured);
    hash_free(&g->passed);
    pools_forget(g);
    rounds_forget(g);
    barriers_forget(g);
    free(g->take);
    free(g->tries);
    free(g->end);
    free(g->again);
    free(g->shared);
    free(g->handed);
    free(g->word_lock);
    free(g->spins);
    free(g->yields);
    free(g->calls);
    free(g->spun);
    free(g->called);
    free(g->spinning);
    free(g->caught);
    free(g->cost);
    free(g->function);
    free(g->entered);
    free(g);
}

uint64_t retime_recorded(const struct retime *g)
{
    return g->scene->r->end;
}

/* Add " or 'name'", once, and if there is room. */
static void add_name(char *list, size_t size, const char *name)
{
    char more[NAME_MOST];
    size_t at = strlen(list);
    int length = snprintf(more, sizeof more, " or '%s'", name);

    if (length < (int)sizeof more && !strstr(list, more + strlen(" or ")) &&
        at + (size_t)length < size)
        strcpy(list + at, more + (at ? 0 : strlen(" or ")));
}

/* There is no function `name`: but "name (file)", of each of several files? */
static void no_function(const struct retime *g, const char *name, char *why,
                        size_t size)
{
    const struct scene *s = g->scene;
    size_t length = strlen(name);
    char list[NAME_MOST] = "", near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean meant;

    did_you_mean_begin(&meant, name);
    for (size_t n = 1; n < s->frames.count; n++) {
        const char *is = loadmap_name(&s->r->map, g->function[n]);

        did_you_mean_offer(&meant, is);
        if (!strncmp(is, name, length) && !strncmp(is + length, " (", 2))
            add_name(list, sizeof list, is);
    }
    if (*list)
        snprintf(why, size,
                 "%s: that is the name of functions of several files; give %s",
                 name, list);
    else
        snprintf(why, size,
                 "%s: no function of that name is in the recording%s", name,
                 did_you_mean_text(&meant, near_by));
}

/* There is no lock `name`: but one that is nearly called so? */
static void no_lock(const struct retime *g, const char *name, char *why,
                    size_t size)
{
    const struct scene *s = g->scene;
    char(*text)[WORDS_TEXT] = grow_zero(s->locks + 1, sizeof *text);
    char near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean meant;

    did_you_mean_begin(&meant, name);
    for (uint32_t n = 0; n < s->locks; n++) {
        const struct scene_lock *l = &s->lock[n];

        words_object(s->r, l->kind, l->object, l->at, text[n]);
        if (!l->word)
            did_you_mean_offer(&meant, text[n]);
        else if (!strcmp(text[n], name)) {
            snprintf(why, size,
                     "%s: the program has made this lock of a word; name what "
                     "it does there (func:)",
                     name);
            free(text);
            return;
        }
    }
    snprintf(why, size, "%s: no %s of that name is in the recording%s", name,
             g->take ? "lock" : "contended lock",
             did_you_mean_text(&meant, near_by));
    free(text);
}

#define MOST_CPUS 8 /* of simrun */

bool retime_has_cpus(const struct retime *g, const struct retime_change *change)
{
    int cpus = (int)g->scene->r->cpus + change->cpus;

    return cpus >= 1 && cpus <= MOST_CPUS;
}

/* Has the recording all threads that a change is about? */
static bool has_threads(const struct retime *g,
                        const struct retime_change *change, char *why,
                        size_t size)
{
    for (unsigned n = 0; n < change->masks; n++) {
        const struct retime_mask *m = &change->mask[n];
        bool has = !m->thread && !m->name[0];

        for (uint32_t t = 0; t < g->scene->threads; t++)
            has |= graph_mask_is_of(g, m, t);
        if (has)
            continue;
        if (m->name[0])
            snprintf(why, size,
                     "affinity:%s: no thread of that name is in the "
                     "recording; simprof states has them",
                     m->name);
        else
            snprintf(why, size,
                     "affinity:%u: no thread of that number is in the "
                     "recording; simprof states has them",
                     (unsigned)m->thread);
        return false;
    }
    return true;
}

bool retime_predict(const struct retime *g, const struct retime_change *change,
                    struct retime_prediction *p, char *why, size_t size)
{
    struct spend *s;
    long unknown;
    bool done;

    if (g->last == GRAPH_NONE) {
        snprintf(why, size, "no states of threads are recorded");
        return false;
    }
    if (!retime_has_cpus(g, change)) {
        snprintf(why, size, "there would be %d CPUs",
                 (int)g->scene->r->cpus + change->cpus);
        return false;
    }
    if (!has_threads(g, change, why, size))
        return false;
    s = spend_open(g, change);
    unknown = spend_unknown(s);
    done = unknown < 0 &&
           graph_replay(g, change, s, GRAPH_RECORDED, GRAPH_PROGRAMS_LOCKS, p);
    if (unknown >= 0 && !change->scaled[unknown].lock)
        no_function(g, change->scaled[unknown].name, why, size);
    else if (unknown >= 0)
        no_lock(g, change->scaled[unknown].name, why, size);
    else if (!done)
        snprintf(why, size, "its end would not be reached");
    spend_close(s);
    return done;
}
