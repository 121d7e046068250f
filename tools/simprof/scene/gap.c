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

/* "CPU 1 is idle because ..." of the report as text. */
static void put_words(json_t *to, const char *text)
{
    const char *at = strstr(text, " is idle because "), *end;

    while (at && at > text && at[-1] != '\n')
        at--;
    end = at ? strchr(at, '\n') : NULL;
    scene_put(to, "words", "%.*s", end ? (int)(end - at) : 0, at ? at : "");
}

/* What simprof advise tried of the root; false: nothing. */
static bool put_tried(const struct scene *s, json_t *to, const char *spec)
{
    struct tried_list list;
    const struct tried *t;
    struct scene_words w;

    tried_read(&list, s->r);
    t = *spec ? tried_find(&list, spec) : NULL;
    if (t && scene_words_open(&w)) {
        fprintf(w.to, "Done again %u times, ", t->pairs);
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
    bool at_most;
    double gain;

    saves_halving(scene_text(root, "state"), function, spec);
    if (*spec)
        scene_put(to, "try", "simrun %s--what-if '%s' ...",
                  strncmp(spec, "func:", 5) ? "" : "--mode=fast ", spec);
    if (put_tried(s, to, spec) || !saves_predicted(s, spec, &gain, &at_most))
        return;
    scene_put(to, "badge", "predicted, not tried");
    scene_put(to, "saves", "Halving %s saves %s%.1f %% of the run.",
              strncmp(spec, "func:", 5) ? "the disk's latency" : function,
              at_most ? "at most " : "", gain);
}

json_t *scene_gap(struct scene *s, long cpu, uint64_t cycle)
{
    static const char *const keys[] = {"words", "saves", "badge", "try"};
    char at[WORD], of[WORD];
    const char *word[] = {"gap", of, at, "--width=4000"};
    struct refusal why = {.text = ""};
    json_t *to = json_object(), *rows;
    char *text;

    snprintf(of, sizeof of, "--cpu=%ld", cpu);
    snprintf(at, sizeof at, "--from=%" PRIu64, cycle);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        scene_put(to, keys[i], "%s", "");
    rows = rows_read(s->r, s->o->experiment, 3, word, &why);
    text = rows_text(s->r, s->o->experiment, 4, word, &why);
    put_words(to, text);
    free(text);
    json_object_set_new(to, "cpu", json_integer(cpu));
    json_object_set_new(to, "cycle", json_integer((json_int_t)cycle));
    scene_put(to, "command", "simprof gap %s %s %s", of, at, s->o->experiment);
    json_object_set_new(to, "rows", rows);
    if (json_array_size(rows) > 1)
        put_saves(s, to, json_array_get(rows, json_array_size(rows) - 1));
    return to;
}
