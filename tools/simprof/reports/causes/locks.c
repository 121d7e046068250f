/* locks.c - the report `locks`: which locks threads waited for, what the holder
 * did meanwhile, where both stood; convoys and inversions by name. What is so
 * is computed in tools/analysis/causes.
 */
#include "tools/analysis/causes/locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/guest.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/reports/causes/causes_roots.h"
#include "tools/simprof/reports/causes/causes_words.h"
#include "tools/simprof/reports/causes/lock_names.h"
#include "tools/simprof/reports/causes/locks_order.h"
#include "tools/simprof/reports/causes/locks_spun.h"

struct view {
    struct causes c; /* of it places, scene and recording, for words */
    struct locks l;
    struct locks_spun spun;
    struct lock_names names;
    uint64_t least;
    uint32_t thread; /* whose waits they are; SCENE_NONE: all */
    bool programs;   /* some locks are a program's */
    bool recorded;   /* every acquisition is */
};

/* The variable's name, the address, or both. */
static const char *lock_plain(struct view *v, uint32_t lock,
                              char text[WORDS_TEXT])
{
    snprintf(text, WORDS_TEXT, "%s", v->names.name[lock]);
    return text;
}

/* Where programs have locks, too, the kernel's are told apart. */
static const char *lock_name(struct view *v, uint32_t lock,
                             char text[WORDS_TEXT])
{
    size_t used;

    lock_plain(v, lock, text);
    used = strlen(text);
    if (v->programs && v->c.scene->lock[lock].kind == OBJECT_KERNEL)
        snprintf(text + used, WORDS_TEXT - used, GUEST_KERNELS);
    return text;
}

/* Where a thread asked for a lock first: a place, or nowhere. */
static uint32_t asked_first(struct view *v, uint32_t lock)
{
    const struct scene *s = v->c.scene;
    const struct scene_hold *hold = NULL;
    const struct scene_stay *stay = NULL;

    for (size_t n = 0; n < s->holds; n++)
        if (s->hold[n].lock == lock && s->hold[n].caller &&
            (!hold || s->hold[n].asked < hold->asked))
            hold = &s->hold[n];
    for (size_t n = 0; !hold && n < s->stays; n++)
        if (s->stay[n].lock == lock && s->stay[n].stack &&
            (!stay || s->stay[n].from < stay->from))
            stay = &s->stay[n];
    return hold   ? locks_taken_at(s, v->c.places, hold)
           : stay ? places_waits(v->c.places, stay->stack, stay->from)
                  : PLACES_NOWHERE;
}

/* One that no variable names, such as in memory from malloc, is known by where
 * it was taken first. */
static void say_first(struct view *v, uint32_t lock, const struct options *o,
                      FILE *to)
{
    char name[WORDS_TEXT], line[CAUSES_PLACE], functions[CAUSES_PLACE];
    uint32_t place;

    if (strncmp(lock_plain(v, lock, name), "0x", 2) != 0)
        return;
    place = asked_first(v, lock);
    if (place == PLACES_NOWHERE)
        return;
    causes_line(&v->c, place, line);
    causes_functions(&v->c, place, functions);
    report_say(o, to, "%s: first taken in %s%s%s%s.", name, functions,
               line[0] ? " (" : "", line, line[0] ? ")" : "");
}

/* ---- by lock ------------------------------------------------------------- */

static void lock_columns(struct table *t)
{
    table_column(t, "waits", "waits", TABLE_NUMBER);
    table_column(t, "cycles\nwaited", "waited", TABLE_NUMBER);
    table_column(t, "longest\nwait", "longest_wait", TABLE_NUMBER);
    table_column(t, "held\nmeanwhile", "held", TABLE_NUMBER);
    table_column(t, "longest\nmeanwhile", "longest_held", TABLE_NUMBER);
    table_column(t, "", "holds", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "threads", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "holder_ran", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "holder_waited", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "holder_no_cpu", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "hand_over", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "path", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "of path", "path_percent", TABLE_NUMBER);
    table_column(t, "", "taken", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "contended", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "all_held", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "all_longest", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "process", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "read_waits", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "read_waited", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "read_longest_wait", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "read_taken", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "read_contended", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "read_held", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "read_longest", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "spun_for", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "", "all_spun", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "lock", "lock", 0);
}

/* Nothing where acquisitions are not recorded. */
static void put_recorded(struct table *t, const struct view *v, uint64_t count)
{
    if (v->recorded)
        table_count(t, count);
    else
        table_text(t, "");
}

static void put_taken(struct table *t, const struct view *v,
                      const struct locks_sum *taken, uint64_t contended)
{
    put_recorded(t, v, taken->times);
    put_recorded(t, v, contended);
    put_recorded(t, v, taken->cycles);
    put_recorded(t, v, taken->longest);
}

static void put_waits(struct table *t, const struct locks_sum *waits)
{
    table_count(t, waits->times);
    table_count(t, waits->cycles);
    table_count(t, waits->longest);
}

static void put_lock(struct table *t, struct view *v, uint32_t lock)
{
    const struct locks_lock *l = &v->l.lock[lock];
    const struct locks_share *reads = &l->share[LOCKS_READERS];
    char name[WORDS_TEXT], plain[WORDS_TEXT];

    put_waits(t, &l->waits);
    table_count(t, l->holds.cycles);
    table_count(t, l->holds.longest);
    table_count(t, l->holds.times);
    table_count(t, l->threads);
    for (unsigned k = 0; k < LOCKS_DID; k++)
        table_count(t, l->did[k]);
    table_count(t, l->path);
    table_percent(t, l->path, v->l.path);
    put_taken(t, v, &l->taken, l->contended);
    table_count(t, scene_process_of(v->c.scene, lock));
    put_waits(t, &reads->waits);
    put_taken(t, v, &reads->taken, reads->contended);
    put_recorded(t, v, l->spun_for);
    put_recorded(t, v, l->spun);
    table_both(t, lock_name(v, lock, name), lock_plain(v, lock, plain));
}

static void print_locks(struct view *v, const struct options *o, size_t count,
                        FILE *to)
{
    size_t shown = o->limit && count > o->limit ? o->limit : count;
    struct table t = {0};

    lock_columns(&t);
    for (size_t n = 0; n < shown; n++)
        put_lock(&t, v, v->l.order[n]);
    report_table(&t, o, to);
    if (shown < count && !o->csv)
        report_say(o, to, "%zu more; --limit=0 shows all", count - shown);
    for (size_t n = 0; !o->csv && n < shown; n++)
        say_first(v, v->l.order[n], o, to);
}

/* Of read-write locks who writes and who reads. */
static void put_shares(struct table *t, struct view *v, uint32_t lock)
{
    static const char *const role[LOCKS_ROLES] = {
        [LOCKS_WRITERS] = "writers", [LOCKS_READERS] = "readers"};
    char name[WORDS_TEXT];

    for (unsigned k = 0; k < LOCKS_ROLES; k++) {
        const struct locks_share *s = &v->l.lock[lock].share[k];

        put_waits(t, &s->waits);
        if (v->recorded)
            put_taken(t, v, &s->taken, s->contended);
        table_text(t, role[k]);
        table_text(t, lock_name(v, lock, name));
    }
}

static void print_shares(struct view *v, const struct options *o, FILE *to)
{
    struct table t = {0};
    size_t shown = 0;

    table_column(&t, "waits", "waits", TABLE_NUMBER);
    table_column(&t, "cycles\nwaited", "waited", TABLE_NUMBER);
    table_column(&t, "longest\nwait", "longest_wait", TABLE_NUMBER);
    if (v->recorded) {
        table_column(&t, "taken", "taken", TABLE_NUMBER);
        table_column(&t, "waited\nfor", "contended", TABLE_NUMBER);
        table_column(&t, "cycles\nheld", "all_held", TABLE_NUMBER);
        table_column(&t, "longest\nheld", "all_longest", TABLE_NUMBER);
    }
    table_column(&t, "who", "who", 0);
    table_column(&t, "lock", "lock", 0);
    for (size_t n = 0; n < v->l.known; n++)
        if (v->c.scene->lock[v->l.order[n]].readers &&
            (!o->limit || shown++ < o->limit))
            put_shares(&t, v, v->l.order[n]);
    report_table(&t, o, to);
}

/* Is one of those that are shown a read-write lock? */
static bool any_shared(const struct view *v)
{
    for (size_t n = 0; n < v->l.known; n++)
        if (v->c.scene->lock[v->l.order[n]].readers)
            return true;
    return false;
}

/* Every lock that was taken, whether a thread waited for it or not; those of
 * libraries that cost nothing only if all rows are wanted. */
static void print_taken(struct view *v, const struct options *o, FILE *to)
{
    char name[WORDS_TEXT];
    struct table t = {0};
    size_t count, shown = 0, left = 0, idle = 0;
    struct locks_row *row = locks_rows(&v->l, v->c.places, &count);

    table_column(&t, "taken", "taken", TABLE_NUMBER);
    table_column(&t, "waited\nfor", "contended", TABLE_NUMBER);
    table_column(&t, "spun\nfor", "spun_for", TABLE_NUMBER);
    table_column(&t, "cycles\nspun", "all_spun", TABLE_NUMBER);
    table_column(&t, "cycles\nheld", "all_held", TABLE_NUMBER);
    table_column(&t, "longest\nheld", "all_longest", TABLE_NUMBER);
    table_column(&t, "lock", "lock", 0);
    for (size_t n = 0; n < count; n++) {
        const struct locks_lock *l = &v->l.lock[row[n].lock];

        idle += o->limit && row[n].idle;
        if (o->limit && row[n].idle)
            continue;
        if (o->limit && shown == o->limit) {
            left++;
            continue;
        }
        shown++;
        table_count(&t, l->taken.times);
        table_count(&t, l->contended);
        table_count(&t, l->spun_for);
        table_count(&t, l->spun);
        table_count(&t, l->taken.cycles);
        table_count(&t, l->taken.longest);
        table_text(&t, lock_name(v, row[n].lock, name));
    }
    if (shown)
        report_table(&t, o, to);
    else
        table_free(&t);
    if (left)
        report_say(o, to, "%zu more; --limit=0 shows all", left);
    if (idle)
        report_say(o, to,
                   "%zu more of libraries, which no thread waited for; "
                   "--limit=0 shows all",
                   idle);
    free(row);
}

/* ---- by place ------------------------------------------------------------ */

static void print_places(struct view *v, const struct options *o, bool holds,
                         FILE *to)
{
    char name[WORDS_TEXT], plain[WORDS_TEXT];
    struct table t = {0};
    size_t shown = 0;

    table_column(&t, "", "role", TABLE_CSV);
    table_column(&t, holds ? "held\nmeanwhile" : "cycles\nwaited", "cycles",
                 TABLE_NUMBER);
    table_column(&t, "times", "times", TABLE_NUMBER);
    table_column(&t, "", "longest", TABLE_CSV);
    table_column(&t, "lock", "lock", 0);
    table_column(&t, "line", "line", TABLE_PATH);
    table_column(&t, "function < its caller", "functions", 0);
    for (size_t n = 0; n < v->l.places; n++) {
        const struct locks_place *p = &v->l.place[n];

        if ((!o->csv && p->holds != holds) || (o->limit && shown == o->limit))
            continue;
        shown++;
        table_text(&t, p->holds ? "holds" : "waits");
        table_count(&t, p->sum.cycles);
        table_count(&t, p->sum.times);
        table_count(&t, p->sum.longest);
        table_both(&t, lock_name(v, p->lock, name),
                   lock_plain(v, p->lock, plain));
        causes_put_line(&t, &v->c, p->place);
        causes_put_functions(&t, &v->c, p->place, "");
    }
    report_table(&t, o, to);
}

/* ---- in words ------------------------------------------------------------ */

static void say_holders(struct view *v, uint32_t lock, const struct options *o,
                        FILE *to)
{
    static const char *const did[LOCKS_DID] = {
        "ran", "waited itself", "had no CPU",
        "was not there yet: the lock was handed over"};
    const struct locks_lock *l = &v->l.lock[lock];
    char name[WORDS_TEXT], text[500], share[TEXT_NUMBER];
    size_t used = 0;

    for (unsigned k = 0; k < LOCKS_DID; k++) {
        if (!l->did[k])
            continue;
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s %s%%", used ? ", " : "",
            did[k], text_percent(share, l->did[k], l->waits.cycles));
    }
    report_say(o, to, "%s: while threads waited %s %s.",
               lock_name(v, lock, name),
               v->c.scene->lock[lock].readers ? "who let the next one go"
                                              : "its holder",
               text);
}

static void say_inverted(struct view *v, uint32_t lock, const struct options *o,
                         FILE *to)
{
    const struct locks_lock *l = &v->l.lock[lock];
    char name[WORDS_TEXT], number[WORDS_NUMBER], share[TEXT_NUMBER],
        cycles[TEXT_NUMBER];
    const char *who = words_thread(
        v->c.r, v->c.scene->thread[l->displaced_by].id, v->c.r->end, number);

    report_say(o, to,
               "Inversion: for %s cycles, %s%% of those waited for %s, its "
               "holder was runnable and thread %s, which never wants the lock, "
               "had its CPU.",
               text_count(cycles, l->displaced),
               text_percent(share, l->displaced, l->waits.cycles),
               lock_name(v, lock, name), who);
}

static void say_convoy(struct view *v, const struct locks_convoy *c,
                       const struct options *o, FILE *to)
{
    char text[CAUSES_PLACE], waits[TEXT_NUMBER], passes[TEXT_NUMBER],
        row[TEXT_NUMBER], way[TEXT_NUMBER], held[TEXT_NUMBER];

    report_say(o, to,
               "Convoy: in %s %s of %s waits ended when a thread let the next "
               "one go that had waited there itself, up to %s in a row. Each "
               "time %s cycles were those of the system and of the way to a "
               "CPU, and %s those of what was then done.",
               causes_functions(&v->c, c->place, text),
               text_count(passes, c->passes), text_count(waits, c->waits),
               text_count(row, c->longest),
               text_count(way, c->handing / c->passes),
               text_count(held, c->held / c->passes));
}

static void say_all(struct view *v, const struct options *o, FILE *to)
{
    size_t shown = o->limit && v->l.shown > o->limit ? o->limit : v->l.shown;

    putc('\n', to);
    for (size_t n = 0; n < shown; n++)
        say_holders(v, v->l.order[n], o, to);
    for (size_t n = 0; n < shown; n++)
        if (locks_is_inverted(&v->l.lock[v->l.order[n]]))
            say_inverted(v, v->l.order[n], o, to);
    for (size_t n = 0; n < v->l.convoys; n++)
        if (locks_is_convoy(&v->l.convoy[n]))
            say_convoy(v, &v->l.convoy[n], o, to);
}

static void say_sum(const struct view *v, const struct options *o, FILE *to)
{
    uint64_t waited = v->l.all.cycles + v->l.below;
    char all[TEXT_NUMBER], below[TEXT_NUMBER], times[TEXT_NUMBER],
        least[TEXT_NUMBER], waits[TEXT_NUMBER], both[TEXT_NUMBER],
        spun[TEXT_NUMBER], name[WORDS_TEXT];

    text_count(all, waited);
    text_count(times, v->l.all.times + v->l.short_);
    if (v->spun.locked)
        report_say(o, to,
                   "Threads waited %s cycles for locks: %s off their CPUs, %s "
                   "times, and %s spinning, most for %s.",
                   text_count(both, waited + v->spun.locked), all, times,
                   text_count(spun, v->spun.locked),
                   locks_spun_most(&v->spun, name));
    else
        report_say(o, to, "Threads waited %s cycles for locks, %s times.", all,
                   times);
    if (v->spun.others)
        report_say(o, to,
                   "They spun %s cycles for words that are no locks, as far as "
                   "is known.",
                   text_count(spun, v->spun.others));
    if (v->least)
        report_say(o, to,
                   "Left out are %s waits of fewer than %s cycles, %s "
                   "together.",
                   text_count(waits, v->l.short_), text_count(least, v->least),
                   text_count(below, v->l.below));
}

static void print_text(struct view *v, const struct options *o, FILE *to)
{
    say_sum(v, o, to);
    if (v->l.shown) {
        putc('\n', to);
        print_locks(v, o, v->l.shown, to);
        fputs("\nWhere threads waited\n", to);
        print_places(v, o, false, to);
        fputs("\nWhere holders let the next one go\n", to);
        print_places(v, o, true, to);
    }
    if (any_shared(v)) {
        fputs("\nRead-write locks: who writes, who reads\n", to);
        print_shares(v, o, to);
    }
    locks_spun_print(&v->spun, o, to);
    if (v->recorded) {
        fputs("\nLocks that were taken, free or not\n", to);
        print_taken(v, o, to);
    }
    say_all(v, o, to);
    if (!v->recorded)
        report_say(o, to,
                   "\nThis is what waits tell: a lock that was free when it "
                   "was taken is not among them, and held is from when a "
                   "thread waits. simrun --record-locks knows all.");
    if (!v->c.scene->stacks)
        report_say(o, to,
                   "Where threads waited is not known: simrun records it with "
                   "--switch-stacks.");
}

static void print(struct view *v, const struct selection *s,
                  const struct options *o, FILE *to)
{
    if (o->csv) {
        if (o->text[OPTION_BIT_SPUN])
            locks_spun_print(&v->spun, o, to);
        else if (o->text[OPTION_BIT_PLACES])
            print_places(v, o, false, to);
        else
            print_locks(v, o, v->l.known, to);
        return;
    }
    report_head(v->c.r, "locks that threads waited for", to);
    selection_say(s, o, to);
    print_text(v, o, to);
}

void report_locks(struct recording *r, const struct options *o, FILE *to)
{
    struct view v = {.c = {.r = r}, .thread = SCENE_NONE};
    struct selection s;
    struct scene scene;
    struct places places;

    if (o->text[OPTION_BIT_PLACES] && o->text[OPTION_BIT_SPUN]) {
        report_refuse(o, "--places and --spun are two tables: give one");
        return;
    }
    if (!option_cycles(r, o, OPTION_BIT_LEAST, 0, &v.least) ||
        !selection_open(&s, r, o))
        return;
    scene_read(&scene, r);
    if (s.one_thread)
        v.thread = scene_thread_of(&scene, s.thread);
    if (!scene.stays) {
        report_no_states(r, o);
    } else if (s.one_thread && v.thread == SCENE_NONE) {
        report_refuse(o, "--thread: no state of that thread is recorded");
    } else {
        places_open(&places, r, &scene);
        v.c.scene = &scene;
        v.recorded = text_lines_get(&r->log, "record-locks") != NULL;
        v.c.places = &places;
        lock_names_open(&v.names, &scene);
        locks_find(&v.l, &scene, &places, v.thread, v.least);
        locks_spun_find(&v.spun, &v.c, v.thread);
        for (size_t n = 0; n < v.l.known; n++)
            v.programs |= scene.lock[v.l.order[n]].kind == OBJECT_USER;
        print(&v, &s, o, to);
        locks_spun_free(&v.spun);
        locks_free(&v.l);
        lock_names_close(&v.names);
        places_close(&places);
    }
    scene_free(&scene);
    selection_close(&s);
}
