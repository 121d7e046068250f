/* brings.c - see brings.h. */
#include "tools/simprof/scene/brings.h"

#include <stdio.h>
#include <string.h>

#include "tools/simprof/scene/words.h"

double brings_percent(int64_t part, int64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0;
}

double brings_share(const struct first *f, const json_t *root)
{
    return f->spun ? brings_percent(scene_number(root, "cycles") +
                                        scene_number(root, "spun"),
                                    f->napping + f->spun)
                   : json_number_value(json_object_get(root, "idle_percent"));
}

const char *brings_name(const struct first *f, const json_t *row,
                        char out[ROOT_FUNCTION])
{
    return root_function(row, root_is_shared(row, f->shared), out);
}

/* ---- what changing it brings --------------------------------------------- */

/* Cycles of a table that are the root's, and of all of it. */
static int64_t in_table(const struct first *f, enum scene_table table,
                        int64_t *all)
{
    char name[ROOT_FUNCTION], other[ROOT_FUNCTION];
    int64_t sum = 0;
    json_t *row;
    size_t k;
    bool shared = root_is_shared(f->root, f->shared);

    *all = 0;
    brings_name(f, f->root, name);
    json_array_foreach(scene_rows(f->s, table), k, row)
    {
        *all += scene_number(row, "cycles");
        if (!strcmp(scene_text(row, "what"), scene_text(f->root, "what")) &&
            !strcmp(scene_text(row, "line"), scene_text(f->root, "line")) &&
            !strcmp(root_function(row, shared, other), name))
            sum += scene_number(row, "cycles");
    }
    return sum;
}

/* Cycles of the critical path that are the root's, and of all of it. */
static int64_t on_path(const struct first *f, int64_t *all)
{
    return in_table(f, SCENE_PATH, all);
}

/* ... of which it has the CPU that a thread on the path waits for. */
static int64_t takes_cpu(const struct first *f)
{
    int64_t all;

    return in_table(f, SCENE_TAKEN, &all);
}

/* What halves a root, as --what-if has it; "": nothing in the machine does
 * that. */
static const char *halving(const struct first *f, const json_t *root,
                           char out[SAVES_SPEC])
{
    const char *what = scene_text(root, "what");
    char name[ROOT_FUNCTION];

    brings_name(f, root, name);
    out[0] = '\0';
    if (root_is_shared(root, f->shared))
        snprintf(out, SAVES_SPEC, "func:%s+=x0.5", name);
    else if (*name || !strcmp(what, "device") || !strcmp(what, "mask"))
        saves_halving(f->s->r, what, name, out);
    return out;
}

/* What `predict` says of halving it, in percent of the run; false: it says
 * nothing, or this is an interval, of which it does not. */
static bool predicted(const struct first *f, const char *spec, double *gain,
                      const char **how)
{
    json_t *is = json_object_get(f->predicted, spec);
    double percent;
    const char *so;

    if (!f->whole || !*spec)
        return false;
    if (!is) {
        is = saves_predicted(f->s, spec, &percent, &so)
                 ? json_pack("[f, s]", percent, so)
                 : json_null();
        json_object_set_new(f->predicted, spec, is);
    }
    if (json_is_null(is))
        return false;
    *gain = json_number_value(json_array_get(is, 0));
    *how = json_string_value(json_array_get(is, 1));
    return true;
}

static double tried_gain(const struct tried *t)
{
    return t->brings ? brings_percent(t->mean, t->base) : 0;
}

/* What was tried of a root (simprof advise), with what its function calls or
 * without, if that is all of it: more is not predicted with what it calls.
 * NULL: nothing, or this is an interval. */
static const struct tried *tried_of(const struct first *f, const json_t *root)
{
    const struct tried *t = NULL;
    char spec[SAVES_SPEC];
    const char *how;
    double gain = 0;

    if (f->whole && *halving(f, root, spec))
        t = tried_find(&f->tried, spec);
    if (!t || !strstr(spec, "+=") || strstr(t->spec, "+="))
        return t;
    predicted(f, spec, &gain, &how);
    return gain > tried_gain(t) + BRINGS_LEAST ? NULL : t;
}

/* Is a change one of a function on the root's stack? */
static bool is_of_root(const struct first *f, const char *spec)
{
    char name[ROOT_FUNCTION];

    for (unsigned n = 0; f->idles && *root_function(f->root, n, name); n++)
        if (tried_is_of(spec, name))
            return true;
    return false;
}

/* The change of one other thing that was tried and brings more than `gain`, and
 * most; NULL: none does, or this is an interval. */
static const struct tried *tried_best(const struct first *f, double gain)
{
    const struct tried *best = NULL;

    for (size_t k = 0; f->whole && k < f->tried.count; k++) {
        const struct tried *t = &f->tried.list[k];

        if (strncmp(t->spec, "device:", 7) && !is_of_root(f, t->spec) &&
            tried_gain(t) > gain + BRINGS_LEAST) {
            gain = tried_gain(t);
            best = t;
        }
    }
    return best;
}

/* It was tried: what came of it. The path says why it is so much. */
static void brings_tried(const struct first *f, const struct tried *t,
                         json_t *to, FILE *words)
{
    int64_t all, sum = on_path(f, &all);
    const char *other;
    double both;

    fprintf(words, "Done again %u times with ", t->pairs);
    tried_say_change(t, words);
    fputs(": ", words);
    tried_say(t, words);
    putc('.', words);
    other = tried_with(&f->tried, t->spec, &both);
    if (other)
        fprintf(words, " With %s as well it takes %.1f %% fewer.", other, both);
    if (takes_cpu(f) > sum)
        fprintf(
            words,
            " For %.1f %% of the critical path it has the CPU that a thread "
            "waits for.",
            brings_percent(takes_cpu(f), all));
    else if (sum)
        fprintf(words, " It is %.1f %% of the critical path.",
                brings_percent(sum, all));
    scene_put(to, "badge", "tried");
    scene_put(to, "try", "simrun --mode=fast --what-if '%s' ...", t->spec);
}

/* It was not: what the path and the replay say. */
static void brings_predicted(const struct first *f, struct brings *is,
                             json_t *to, FILE *words)
{
    int64_t all, sum = on_path(f, &all);
    double gain = brings_percent(sum, all) / 2;
    const char *how = "";
    bool played = predicted(f, is->spec, &gain, &how);

    scene_put(to, "badge",
              all || played ? "predicted, not tried" : "recorded, not tried");
    if (*is->spec && saves_has_name(is->spec))
        scene_put(to, "try", "simrun %s--what-if '%s' ...",
                  strncmp(is->spec, "func:", 5) ? "" : "--mode=fast ",
                  is->spec);
    if (!all && !played)
        fputs("What changing it brings was not tried.", words);
    is->gain = gain;
    is->how = *how ? how : "about";
    is->known = all || played;
    if (!strncmp(is->spec, "affinity:", 9) && played && gain >= BRINGS_LEAST) {
        fputs("Threads are ready that may not run on the CPUs that are idle; "
              "the change lets all run on each.",
              words);
        return;
    }
    if (all && takes_cpu(f) > sum)
        fprintf(words,
                "For %.1f %% of the critical path it has the CPU that a thread "
                "waits for",
                brings_percent(takes_cpu(f), all));
    else if (all)
        fprintf(words, "It is %.1f %% of the critical path",
                brings_percent(sum, all));
    if (all && gain >= BRINGS_STANDS && takes_cpu(f) > sum)
        fputs("; the path is the chain of work and waits that the end waited "
              "for.",
              words);
    else if (all && gain >= BRINGS_STANDS)
        fputs(", the chain of work and waits that the end waited for.", words);
    else if ((all || played) && gain < BRINGS_LEAST)
        fprintf(words, "%s would bring next to nothing.",
                all ? ": changing it alone" : "Changing it alone");
    else if (all || played)
        fprintf(words, "%s it would save %s %.1f %% of the time.",
                all                                      ? ": halving"
                : strncmp(is->spec, "affinity:", 9) != 0 ? "Halving"
                                                         : "Without",
                *how ? how : "about", gain);
}

struct brings brings_root(const struct first *f, json_t *to)
{
    struct brings is = {.how = "", .t = tried_of(f, f->root)};
    const struct tried *best;
    struct scene_words w;

    halving(f, f->root, is.spec);
    if (!scene_words_open(&w))
        return is;
    if (is.t) {
        brings_tried(f, is.t, to, w.to);
        is.gain = tried_gain(is.t);
        is.known = true;
    } else {
        brings_predicted(f, &is, to, w.to);
    }
    best = tried_best(f, is.gain);
    if (best) {
        fputs(" Of all that was tried most comes of ", w.to);
        tried_say_change(best, w.to);
        fprintf(w.to, ": %.1f %%.", tried_gain(best));
    }
    json_object_set_new(to, "brings", scene_words_close(&w));
    return is;
}

/* Is the function of a root on the stack of another, or around one: a caller of
 * what that is the work of? */
static bool stands_by(const struct first *f, const json_t *root, bool around)
{
    char name[ROOT_FUNCTION], other[ROOT_FUNCTION];
    json_t *row;
    size_t k;

    brings_name(f, root, name);
    /* Of rows that are one root each has callers of its own. */
    json_array_foreach(around ? scene_rows(f->s, SCENE_CAUSES) : f->causes, k,
                       row)
    {
        unsigned n = around ? 1 + root_is_shared(row, f->shared) : 0;

        for (; (around || row != root) && *root_function(row, n, other); n++)
            if (!strcmp(other, name))
                return true;
    }
    return false;
}

/* Of half of it: what was tried, or else is predicted. */
static void say_saves(const struct tried *t, double gain, const char *how,
                      FILE *to)
{
    if (t && !t->brings)
        fputs("saves nothing (tried)", to);
    else if (t)
        fprintf(to, "saves %.1f %% (tried)", gain);
    else if (gain < BRINGS_LEAST)
        fputs("saves next to nothing (predicted)", to);
    else
        fprintf(to, "saves %s %.1f %% (predicted)", *how ? how : "about", gain);
}

json_t *brings_next(const struct first *f, const json_t *root, double *gain)
{
    const struct tried *t = tried_of(f, root);
    char spec[SAVES_SPEC], name[ROOT_FUNCTION];
    const char *how = "";
    struct scene_words w;
    double saves = t && t->brings ? tried_gain(t) : 0;

    *gain = 0;
    if (!*root_function(root, 0, name))
        return json_string("");
    if (!scene_words_open(&w))
        return json_string(root_does(root));
    fputs(root_does(root), w.to);
    /* A change of what stands around others is one of those, too. */
    if ((strstr(halving(f, root, spec), "+=") && stands_by(f, root, true)) ||
        (!t && !predicted(f, spec, &saves, &how)))
        return scene_words_close(&w);
    fprintf(w.to, "; %s ",
            strncmp(spec, "func:", 5) ? (t ? t->spec : spec) : "half of it");
    say_saves(t, saves, how, w.to);
    *gain = saves;
    return scene_words_close(&w);
}

json_t *brings_most(const struct first *f)
{
    const struct tried *t = tried_of(f, f->root);
    json_t *most = f->root, *row;
    double gain = t ? tried_gain(t) : 0;
    char spec[SAVES_SPEC];
    size_t k;

    json_array_foreach(f->causes, k, row)
    {
        const struct tried *other = t ? tried_of(f, row) : NULL;

        if (!other || tried_gain(other) <= gain ||
            (strstr(halving(f, row, spec), "func:") &&
             stands_by(f, row, false)))
            continue;
        most = row;
        gain = tried_gain(other);
    }
    return most;
}

bool brings_untried(const struct first *f, double *gain)
{
    char spec[SAVES_SPEC];
    const char *how;

    return !tried_of(f, f->root) &&
           predicted(f, halving(f, f->root, spec), gain, &how);
}

bool brings_halved(const struct first *f, const char *function, double *gain,
                   const char **how)
{
    char spec[SAVES_SPEC];

    const struct tried *t;

    saves_halving(f->s->r, "runs", function, spec);
    t = f->whole ? tried_find(&f->tried, spec) : NULL;
    *gain = t ? tried_gain(t) : 0;
    return !t && predicted(f, spec, gain, how) && *gain >= BRINGS_LEAST;
}

const struct tried *brings_tried_best(const struct first *f)
{
    return tried_best(f, 0);
}
