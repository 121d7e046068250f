/* gap.c - see gap.h. */
#include "tools/simprof/scene/gap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/advise/tried.h"
#include "tools/simprof/scene/saves.h"
#include "tools/simprof/scene/words.h"
#include "tools/simprof/session/rows.h"

#define WORD 64

/* What simprof advise tried of the root; false: nothing. */
static bool put_tried(const struct scene *s, json_t *to, const char *spec)
{
    struct tried_list list;
    const struct tried *t;
    struct scene_words w;

    tried_read(&list, s->r);
    t = *spec ? tried_find(&list, spec) : NULL;
    if (t && scene_words_open(&w)) {
        fprintf(w.to, "Done again %u times with ", t->pairs);
        tried_say_change(t, w.to);
        fputs(": ", w.to);
        tried_say(t, w.to);
        putc('.', w.to);
        json_object_set_new(to, "saves", scene_words_close(&w));
        scene_put(to, "badge", "tried");
        scene_put(to, "try", "simrun --mode=fast --what-if '%s' ...", t->spec);
    }
    tried_free(&list);
    return t;
}

static void put_saves(struct scene *s, json_t *to, const json_t *root)
{
    const char *function = scene_text(root, "function");
    char spec[SAVES_SPEC];
    const char *how;
    double gain;

    saves_halving(s->r, scene_text(root, "state"), function, spec);
    if (*spec && saves_has_name(spec))
        scene_put(to, "try", "simrun %s--what-if '%s' ...",
                  strncmp(spec, "func:", 5) ? "" : "--mode=fast ", spec);
    if (put_tried(s, to, spec) || !saves_predicted(s, spec, &gain, &how))
        return;
    scene_put(to, "badge", "predicted, not tried");
    scene_put(to, "saves", "Halving %s saves %s%s%.1f %% of the run.",
              strncmp(spec, "func:", 5) ? "the disk's latency" : function, how,
              *how ? " " : "", gain);
}

/* The object of a root, with empty words where there is nothing to say. */
static json_t *new_object(void)
{
    static const char *const keys[] = {"saves", "badge", "try"};
    json_t *is = json_object();

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        scene_put(is, keys[i], "%s", "");
    return is;
}

json_t *scene_gap(struct scene *s, long cpu, uint64_t cycle)
{
    char at[WORD], of[WORD];
    const char *word[] = {"gap", of, at};
    struct refusal why = {.text = ""};
    json_t *to = new_object(), *rows;

    snprintf(of, sizeof of, "--cpu=%ld", cpu);
    snprintf(at, sizeof at, "--from=%" PRIu64, cycle);
    rows = rows_read(s->r, s->o->experiment, 3, word, &why);
    scene_put(to, "words", "%s", scene_text(json_array_get(rows, 0), "why"));
    json_object_set_new(to, "cpu", json_integer(cpu));
    json_object_set_new(to, "cycle", json_integer((json_int_t)cycle));
    scene_put(to, "command", "simprof gap %s %s %s", of, at, s->o->experiment);
    json_object_set_new(to, "rows", rows);
    if (json_array_size(rows) > 1)
        put_saves(s, to, json_array_get(rows, json_array_size(rows) - 1));
    return to;
}

static bool same_root(const json_t *a, const json_t *b)
{
    return !strcmp(scene_text(a, "state"), scene_text(b, "state")) &&
           !strcmp(scene_text(a, "function"), scene_text(b, "function"));
}

json_t *scene_gap_saves(struct scene *s, const json_t *rows)
{
    json_t *all = json_array(), *row, *one;
    size_t k, n;

    json_array_foreach(rows, k, row)
    {
        bool met = strcmp(scene_text(row, "role"), "root") != 0;

        json_array_foreach(all, n, one) met |= same_root(row, one);
        if (met || json_array_size(all) == GAP_ROOTS)
            continue;
        one = new_object();
        scene_put(one, "state", "%s", scene_text(row, "state"));
        scene_put(one, "function", "%s", scene_text(row, "function"));
        put_saves(s, one, row);
        json_array_append_new(all, one);
    }
    return all;
}
