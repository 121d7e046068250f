/* path.c - the report `path`: the critical path, by what it consists of and by
 * thread. It is found in tools/analysis/causes/path.c.
 */
#include "lib/base/text.h"
#include "tools/analysis/causes/path.h"
#include "tools/simprof/report/select.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/reports/causes/causes_roots.h"

/* Of the path: if others ran for less meanwhile, it is not told. */
#define PART 100

static void print_threads(const struct path *p, const struct options *o,
                          FILE *to)
{
    size_t shown = o->limit && p->threads > o->limit ? o->limit : p->threads;
    struct table t = {0};

    table_column(&t, "cycles", "cycles", TABLE_NUMBER);
    table_column(&t, "of path", "path_percent", TABLE_NUMBER);
    table_column(&t, "number", "thread", TABLE_NUMBER);
    table_column(&t, "thread", "name", 0);
    for (size_t n = 0; n < shown; n++) {
        uint32_t id = p->c.scene->thread[p->thread[n].thread].id;
        char number[WORDS_NUMBER];

        table_count(&t, p->thread[n].cycles);
        table_percent(&t, p->thread[n].cycles, p->c.total);
        table_count(&t, id);
        table_text(&t, words_thread(p->c.r, id, p->to, number));
    }
    report_table(&t, o, to);
    if (shown < p->threads)
        report_say(o, to, "%zu more; --limit=0 shows all", p->threads - shown);
}

static void print_taken(const struct path *p, const struct options *o, FILE *to)
{
    causes_print_roots(&p->taken, o, "of that", "taken_percent", to);
}

static void print_path(const struct path *p, const struct options *o, FILE *to)
{
    char total[TEXT_NUMBER], from[TEXT_NUMBER], until[TEXT_NUMBER],
        changes[TEXT_NUMBER], number[WORDS_NUMBER];

    if (p->last == SCENE_NONE) {
        report_say(o, to, "No thread runs or ended in this time.");
        return;
    }
    report_say(
        o, to,
        "%s cycles, from cycle %s to %s: backwards from %s, with %s "
        "changes from a thread to the one that it waited for.",
        text_count(total, p->c.total), text_count(from, p->from),
        text_count(until, p->to),
        words_thread(p->c.r, p->c.scene->thread[p->last].id, p->to, number),
        text_count(changes, p->changes));
    putc('\n', to);
    if (o->part != PART_TAKEN)
        causes_print_roots(&p->c, o, "of path", "path_percent", to);
    if (o->part == PART_PATH)
        return;
    if (o->part == PART_TAKEN || p->taken.total > p->c.total / PART) {
        report_say(o, to,
                   "%sWhile a thread on the path was runnable, others ran on "
                   "the CPU that it came to:",
                   o->part == PART_TAKEN ? "" : "\n");
        print_taken(p, o, to);
    }
    if (o->part != PART_ALL)
        return;
    putc('\n', to);
    print_threads(p, o, to);
    causes_say_where(&p->c, o, to);
}

static void find_path(struct recording *r, const struct options *o,
                      const struct selection *s, const struct scene *scene,
                      FILE *to)
{
    uint32_t thread =
        s->one_thread ? scene_thread_of(scene, s->thread) : SCENE_NONE;
    struct places places;
    struct path p;

    places_open(&places, r, scene);
    path_find(&p, scene, &places, thread);
    if (o->csv && o->part == PART_TAKEN) {
        print_taken(&p, o, to);
    } else if (o->csv) {
        causes_print_roots(&p.c, o, "of path", "path_percent", to);
    } else {
        report_head(r, "the critical path: what its end waited for", to);
        print_path(&p, o, to);
    }
    path_free(&p);
    places_close(&places);
}

void report_path(struct recording *r, const struct options *o, FILE *to)
{
    struct selection s;
    struct scene scene;

    if (!report_part(o, PART_PATH, PART_TAKEN) || !selection_open(&s, r, o))
        return;
    scene_read(&scene, r);
    if (!scene.stays)
        report_no_states(r, o);
    else if (s.one_thread && scene_thread_of(&scene, s.thread) == SCENE_NONE)
        report_refuse(o, "--thread: no state of that thread is recorded");
    else
        find_path(r, o, &s, &scene, to);
    scene_free(&scene);
    selection_close(&s);
}
