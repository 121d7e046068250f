/* saves.c - see saves.h. */
#include "tools/simprof/scene/saves.h"

#include <string.h>

#include "tools/simprof/scene/words.h"
#include "tools/simprof/session/rows.h"

const char *saves_halving(const struct recording *r, const char *what,
                          const char *function, char out[SAVES_SPEC])
{
    out[0] = '\0';
    if (!strcmp(what, "device"))
        snprintf(out, SAVES_SPEC, "device:disk latency=x0.5");
    else if (!strcmp(what, "sleeps"))
        snprintf(out, SAVES_SPEC, "func:%.400s+=x0.5", function);
    else if (!strcmp(what, "runs"))
        snprintf(out, SAVES_SPEC, "func:%.400s=x0.5", function);
    else if (!strcmp(what, "mask") && !text_lines_get(&r->log, "kernel"))
        snprintf(out, SAVES_SPEC, "affinity:all=all");
    return out;
}

bool saves_has_name(const char *spec)
{
    return !strstr(spec, " (");
}

bool saves_predicted(const struct scene *s, const char *spec, double *gain,
                     const char **how)
{
    const char *word[] = {"predict", "--what-if", spec};
    struct refusal why = {.text = ""};
    json_t *rows, *row, *is;
    bool good;

    if (!*spec)
        return false;
    rows = rows_read(s->r, s->o->experiment, 3, word, &why);
    row = json_array_get(rows, 1);
    is = json_object_get(row, "gain_percent");
    good = json_is_number(is) && !why.text[0];
    if (good)
        *gain = json_number_value(is);
    *how = "";
    if (good && scene_text(row, "doubt")[0])
        *how = scene_number(row, "at_most") ? "at most" : "maybe";
    json_decref(rows);
    return good;
}
