/* first.c - what the first screen says: what limits the run, a bar of all its
 * cycles, the line to look at, one wait in words, and what comes next. Where
 * CPUs are idle, the roots of `causes` answer; else the account by reasons.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/advise/tried.h"
#include "tools/simprof/scene/reasons.h"
#include "tools/simprof/scene/root_words.h"
#include "tools/simprof/scene/saves.h"
#include "tools/simprof/scene/scene.h"
#include "tools/simprof/scene/wait.h"
#include "tools/simprof/scene/words.h"

#define IDLE_LEAST 5   /* percent; below, cycles that CPUs ran are looked at */
#define GAIN_LEAST .5  /* percent of the time that are worth a change */
#define SHARE_LEAST 20 /* percent of idle time that is one reason */
#define ROOTS 5        /* in the bar, at most */
#define CANDIDATES 2   /* that come next */
#define NAME 256       /* bytes of a function's name, with its end */

struct first {
    struct scene *s;
    json_t *functions, *causes;
    json_t *total;          /* the row of everything */
    int64_t all, napping;   /* cycles */
    bool idles;             /* idle time is what limits it */
    json_t *root, *busiest; /* rows; NULL: none */
    bool whole;             /* the run, not an interval of it */
    json_t *shared;         /* root_shared_functions */
    struct tried_list tried;
};

static json_t *function_row(const struct first *f, const char *name)
{
    json_t *row;
    size_t k;

    json_array_foreach(f->functions, k, row)
    {
        if (!strcmp(scene_text(row, "function"), name))
            return row;
    }
    return NULL;
}

static bool is_root(const json_t *row)
{
    return strcmp(scene_text(row, "what"), "unknown") != 0;
}

static bool is_function(const json_t *row)
{
    return scene_text(row, "function")[0] != '<';
}

/* The function that a root is the work of; "": it is not known. */
static const char *root_name(const struct first *f, const json_t *row,
                             char out[NAME])
{
    return root_function(row, root_is_shared(row, f->shared), out);
}

static double percent(int64_t part, int64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0;
}

/* ---- what changing it brings --------------------------------------------- */

/* Cycles of the critical path that are the root's, and of all of it. */
static int64_t on_path(const struct first *f, int64_t *all)
{
    char name[NAME], other[NAME];
    int64_t sum = 0;
    json_t *row;
    size_t k;
    bool shared = root_is_shared(f->root, f->shared);

    *all = 0;
    root_name(f, f->root, name);
    json_array_foreach(scene_rows(f->s, SCENE_PATH), k, row)
    {
        *all += scene_number(row, "cycles");
        if (!strcmp(scene_text(row, "what"), scene_text(f->root, "what")) &&
            !strcmp(scene_text(row, "line"), scene_text(f->root, "line")) &&
            !strcmp(root_function(row, shared, other), name))
            sum += scene_number(row, "cycles");
    }
    return sum;
}

/* What halves a root, as --what-if has it; "": nothing in the machine does
 * that. */
static const char *halving(const struct first *f, const json_t *root,
                           char out[SAVES_SPEC])
{
    const char *what = scene_text(root, "what");
    char name[NAME];

    root_name(f, root, name);
    out[0] = '\0';
    if (root_is_shared(root, f->shared))
        snprintf(out, SAVES_SPEC, "func:%s+=x0.5", name);
    else if (*name || !strcmp(what, "device") || !strcmp(what, "mask"))
        saves_halving(what, name, out);
    return out;
}

/* What `predict` says of halving it, in percent of the run; false: it says
 * nothing, or this is an interval, of which it does not. */
static bool predicted(const struct first *f, const char *spec, double *gain,
                      const char **how)
{
    return f->whole && saves_predicted(f->s, spec, gain, how);
}

/* What was tried of a root (simprof advise), with what its function calls or
 * without; NULL: nothing, or this is an interval. */
static const struct tried *tried_of(const struct first *f, const json_t *root)
{
    const struct tried *t = NULL;
    char spec[SAVES_SPEC], *plus;

    if (f->whole && *halving(f, root, spec))
        t = tried_find(&f->tried, spec);
    plus = t ? NULL : strstr(spec, "+=");
    if (plus) {
        memmove(plus, plus + 1, strlen(plus));
        t = tried_find(&f->tried, spec);
    }
    return t;
}

static double tried_gain(const struct tried *t)
{
    return t->brings ? percent(t->mean, t->base) : 0;
}

/* Is a change one of a function on the root's stack? */
static bool is_of_root(const struct first *f, const char *spec)
{
    char name[NAME];

    if (strncmp(spec, "func:", 5))
        return false;
    for (unsigned n = 0; *root_function(f->root, n, name); n++)
        if (!strncmp(spec + 5, name, strlen(name)) &&
            strchr("+=", spec[5 + strlen(name)]))
            return true;
    return false;
}

/* The tried change of one other thing that brings more than `gain`, and most;
 * NULL: none does, or this is an interval. */
static const struct tried *tried_best(const struct first *f, double gain)
{
    const struct tried *best = NULL;

    for (size_t k = 0; f->whole && k < f->tried.count; k++) {
        const struct tried *t = &f->tried.list[k];

        if (!strchr(t->spec, ' ') && !is_of_root(f, t->spec) &&
            tried_gain(t) > gain + GAIN_LEAST) {
            gain = tried_gain(t);
            best = t;
        }
    }
    return best;
}

/* It was tried: what came of it. */
static void brings_tried(const struct tried *t, json_t *to, FILE *words)
{
    fprintf(words, "Done again %u times with ", t->pairs);
    tried_say_change(t, words);
    fputs(": ", words);
    tried_say(t, words);
    putc('.', words);
    scene_put(to, "badge", "tried");
    scene_put(to, "try", "simrun --mode=fast --what-if '%s' ...", t->spec);
}

/* It was not: what the path and the replay say. Returns the percentage. */
static double brings_predicted(const struct first *f, json_t *to, FILE *words)
{
    char spec[SAVES_SPEC];
    int64_t all, sum = on_path(f, &all);
    double gain = percent(sum, all) / 2;
    const char *how = "";
    bool played = predicted(f, halving(f, f->root, spec), &gain, &how);

    scene_put(to, "badge",
              all || played ? "predicted, not tried" : "recorded, not tried");
    if (*spec)
        scene_put(to, "try", "simrun %s--what-if '%s' ...",
                  strncmp(spec, "func:", 5) ? "" : "--mode=fast ", spec);
    if (!all && !played)
        fputs("What changing it brings was not tried.", words);
    if (all)
        fprintf(words, "It is %.1f %% of the critical path", percent(sum, all));
    if ((all || played) && gain < GAIN_LEAST)
        fprintf(words, "%s would bring next to nothing.",
                all ? ": changing it alone" : "Halving it alone");
    else if (all || played)
        fprintf(words, "%s it would save %s %.1f %% of the time.",
                all ? ": halving" : "Halving", *how ? how : "about", gain);
    return gain;
}

/* Returns what it brings, in percent of the time. */
static double brings_idle(const struct first *f, json_t *to)
{
    const struct tried *t = tried_of(f, f->root), *best;
    struct scene_words w;
    double gain;

    if (!scene_words_open(&w))
        return 0;
    if (t) {
        brings_tried(t, to, w.to);
        gain = tried_gain(t);
    } else {
        gain = brings_predicted(f, to, w.to);
    }
    best = tried_best(f, gain);
    if (best) {
        fputs(" Of all that was tried most comes of ", w.to);
        tried_say_change(best, w.to);
        fprintf(w.to, ": %.1f %%.", tried_gain(best));
    }
    json_object_set_new(to, "brings", scene_words_close(&w));
    return gain;
}

static void brings_busy(const struct first *f, json_t *to)
{
    const char *reason = scene_dearest(f->busiest);

    if (!scene_stands_out(f->busiest, reason))
        scene_put(to, "brings",
                  "Nothing stands out that is worth a change: %.1f %% of all "
                  "cycles complete instructions, and only fewer of them would "
                  "make it shorter.",
                  percent(scene_number(f->total, "complete"), f->all));
    else
        scene_put(to, "brings",
                  "%s there (%s) is %.1f %% of all cycles: so much is the most "
                  "that mending it brings.",
                  reason, scene_sense_of(reason),
                  percent(scene_number(f->busiest, reason), f->all));
    scene_put(to, "badge", "exact, not tried");
}

/* ---- the parts ----------------------------------------------------------- */

/* The first of the lines in that function. */
static bool line_in(json_t *lines, const char *function, json_t *to)
{
    json_t *row;
    size_t k;

    json_array_foreach(lines, k, row)
    {
        const char *line = scene_text(row, "line, function"),
                   *of = strstr(line, ", ");

        if (*line == '<' || !of || strcmp(of + 2, function))
            continue;
        scene_put(to, "line", "%.*s", (int)(of - line), line);
        return true;
    }
    return false;
}

/* The line to look at: of a root that is its caller's that of the caller which
 * is dearest with what it calls, by samples; without any, by itself. */
static void put_line(const struct first *f, json_t *to)
{
    char name[NAME];

    scene_put(to, "line", "%s", scene_text(f->root, "line"));
    if (!root_is_shared(f->root, f->shared))
        return;
    root_name(f, f->root, name);
    if (!line_in(scene_rows(f->s, SCENE_CALLING_LINES), name, to))
        line_in(scene_rows(f->s, SCENE_LINES), name, to);
}

static void answer_idle(const struct first *f, json_t *to)
{
    const char *line = scene_text(f->root, "line");
    double share = json_number_value(json_object_get(f->root, "idle_percent"));
    char name[NAME], other[NAME];
    struct scene_words w;

    scene_put(to, "before",
              brings_idle(f, to) < GAIN_LEAST && share < SHARE_LEAST
                  ? "CPUs are idle %.1f %% of the time, for many reasons; the "
                    "largest, %.1f %% of that, waits for "
                  : "CPUs are idle %.1f %% of the time; %.1f %% of that waits "
                    "for ",
              percent(f->napping, f->all), share);
    if (!*root_name(f, f->root, name)) {
        scene_put(to, "name", "%s", root_noun(f->root));
        scene_put(to, "after",
                  ". In which function is not recorded (simrun "
                  "--switch-stacks).");
    } else if (scene_words_open(&w)) {
        bool shared = root_is_shared(f->root, f->shared);

        scene_put(to, "name", "%s", name);
        if (*root_function(f->root, 1 + shared, other) &&
            1 + shared < scene_number(f->root, ROOT_COMMON))
            fprintf(w.to, ", called by %s,", other);
        if (*line && !shared)
            fprintf(w.to, " at %s,", line);
        fprintf(w.to, " which %s", root_does(f->root));
        if (shared)
            fprintf(w.to, " %s", root_function(f->root, 0, other));
        if (*line && shared)
            fprintf(w.to, " at %s", line);
        putc('.', w.to);
        json_object_set_new(to, "after", scene_words_close(&w));
    }
    put_line(f, to);
}

static void answer_busy(const struct first *f, json_t *to)
{
    const char *reason = scene_dearest(f->busiest);
    bool stalls = scene_stands_out(f->busiest, reason);
    json_t *hot;
    size_t k;

    scene_put(to, "before",
              "CPUs are busy %.1f %% of the time%s; %.1f %% of it in ",
              percent(f->all - f->napping, f->all),
              stalls ? "" : " and no stall stands out",
              percent(scene_number(f->busiest, "cycles"), f->all - f->napping));
    scene_put(to, "name", "%s", scene_text(f->busiest, "function"));
    if (stalls)
        scene_put(to, "after", ", which loses most to %s.", reason);
    else
        scene_put(to, "after", ".");
    json_array_foreach(scene_rows(f->s, SCENE_LINES), k, hot)
    {
        const char *line = scene_text(hot, "line, function");

        if (*line == '<')
            continue;
        scene_put(to, "line", "%.*s", (int)strcspn(line, ","), line);
        break;
    }
    brings_busy(f, to);
}

static void answer(const struct first *f, json_t *to)
{
    if (f->idles && f->root) {
        answer_idle(f, to);
    } else if (f->idles) {
        scene_put(to, "before",
                  "CPUs are idle %.1f %% of the time. Why is not known: no "
                  "states of threads were recorded (simrun --switch-stacks; of "
                  "the guest --append states=on).",
                  percent(f->napping, f->all));
    } else if (f->busiest) {
        answer_busy(f, to);
    } else {
        scene_put(to, "before", "No cycle of a function was recorded here.");
    }
}

static void add_part(json_t *bar, int64_t cycles, bool idle, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

static void add_part(json_t *bar, int64_t cycles, bool idle, const char *format,
                     ...)
{
    struct scene_words w;
    va_list list;

    if (cycles <= 0 || !scene_words_open(&w))
        return;
    va_start(list, format);
    vfprintf(w.to, format, list);
    va_end(list);
    json_array_append_new(bar, json_pack("[o, I, i]", scene_words_close(&w),
                                         (json_int_t)cycles, idle));
}

/* Is there a root in front of it of the same name and kind, at another line? */
static bool is_twin(const struct first *f, const json_t *root)
{
    char name[NAME], other[NAME];
    json_t *row;
    size_t k;

    root_name(f, root, name);
    json_array_foreach(f->causes, k, row)
    {
        if (row == root)
            return false;
        if (!strcmp(scene_text(row, "what"), scene_text(root, "what")) &&
            !strcmp(root_name(f, row, other), name))
            return true;
    }
    return false;
}

static json_t *bar_of(const struct first *f)
{
    json_t *bar = json_array(), *value, *row;
    int64_t left = f->napping, work = f->all - f->napping;
    const char *column;
    const char *line;
    int roots = 0;
    char name[NAME];
    size_t k;

    json_object_foreach(f->total, column, value)
    {
        if (!scene_is_reason(column))
            continue;
        add_part(bar, scene_number(f->total, column), false, "%s", column);
        work -= scene_number(f->total, column);
    }
    add_part(bar, work, false, "other work");
    json_array_foreach(f->causes, k, row)
    {
        if (roots == ROOTS)
            break;
        if (!is_root(row))
            continue;
        root_name(f, row, name);
        line = is_twin(f, row) ? strrchr(scene_text(row, "line"), ':') : NULL;
        add_part(bar, scene_number(row, "cycles"), true, "idle: %s%s%s%s", name,
                 line ? line : "", *name ? " " : "", scene_text(row, "what"));
        left -= scene_number(row, "cycles");
        roots++;
    }
    add_part(bar, left, true, roots ? "idle: other" : "idle");
    return bar;
}

/* ---- what comes next ----------------------------------------------------- */

static void add_next(json_t *next, double share, const char *name,
                     const char *line, json_t *what)
{
    json_t *row = json_object();

    json_object_set_new(row, "percent", json_real(share));
    scene_put(row, "name", "%s", name);
    scene_put(row, "line", "%s", line);
    json_object_set_new(row, "does", what);
    json_array_append_new(next, row);
}

/* Does the function of a root stand around other roots? Then a change of it
 * with what it calls would be one of those, too. */
static bool has_others(const struct first *f, const json_t *root)
{
    char name[NAME], other[NAME];
    json_t *row;
    size_t k;

    root_name(f, root, name);
    json_array_foreach(f->causes, k, row)
    {
        for (unsigned n = 1 + root_is_shared(row, f->shared);
             *root_function(row, n, other); n++)
            if (!strcmp(other, name))
                return true;
    }
    return false;
}

/* What a candidate does, and what changing it brings where that is known. */
static json_t *does_and_brings(const struct first *f, const json_t *root)
{
    const struct tried *t = tried_of(f, root);
    char spec[SAVES_SPEC], name[NAME];
    const char *how = "";
    struct scene_words w;
    double gain;

    if (!*root_function(root, 0, name))
        return json_string("");
    if (!scene_words_open(&w))
        return json_string(root_does(root));
    fputs(root_does(root), w.to);
    if (strstr(halving(f, root, spec), "+=") && has_others(f, root))
        ;
    else if (t && !t->brings)
        fprintf(w.to, "; %s brings nothing (tried)", t->spec);
    else if (t)
        fprintf(w.to, "; %s brings %.1f %% (tried)", t->spec, tried_gain(t));
    else if (!predicted(f, spec, &gain, &how))
        ;
    else if (gain < GAIN_LEAST)
        fprintf(w.to, "; %s brings next to nothing (predicted)", spec);
    else
        fprintf(w.to, "; %s brings %s %.1f %% (predicted)", spec,
                *how ? how : "about", gain);
    return scene_words_close(&w);
}

/* Other lines that stand behind idle time. */
static void next_idle(const struct first *f, json_t *next)
{
    char name[NAME];
    json_t *row;
    size_t k;

    json_array_foreach(f->causes, k, row)
    {
        if (json_array_size(next) == CANDIDATES)
            break;
        if (!is_root(row) || row == f->root || is_twin(f, row))
            continue;
        root_name(f, row, name);
        add_next(next, json_number_value(json_object_get(row, "idle_percent")),
                 *name ? name : root_noun(row), scene_text(row, "line"),
                 does_and_brings(f, row));
    }
}

static void next_busy(const struct first *f, json_t *next)
{
    json_t *row;
    size_t k;

    json_array_foreach(f->functions, k, row)
    {
        const char *reason = scene_dearest(row);
        char lost[NAME] = "";

        if (json_array_size(next) == CANDIDATES)
            break;
        if (!is_function(row) || row == f->busiest)
            continue;
        if (reason && scene_stands_out(row, reason))
            snprintf(lost, sizeof lost, "loses most to %s", reason);
        add_next(next, percent(scene_number(row, "cycles"), f->all),
                 scene_text(row, "function"), "", json_string(lost));
    }
}

/* What could not be judged. */
static void put_open(const struct first *f, json_t *to)
{
    int64_t unknown = 0,
            parked = scene_number(function_row(f, "<parked>"), "cycles");
    struct scene_words w;
    json_t *row;
    size_t k;

    json_array_foreach(f->causes, k, row)
    {
        if (!is_root(row))
            unknown += scene_number(row, "cycles");
    }
    if (!scene_words_open(&w))
        return;
    if (f->idles && f->root && percent(unknown, f->napping) >= .05)
        fprintf(w.to, "Of %.1f %% of the idle time the cause is not known. ",
                percent(unknown, f->napping));
    if (!f->idles && percent(f->napping, f->all) >= .05)
        fprintf(w.to,
                "CPUs were idle %.1f %% of the time: too little to ask why. ",
                percent(f->napping, f->all));
    if (percent(parked, f->all + parked) >= .05)
        fprintf(w.to,
                "Not counted here: %.1f %% of all CPUs' time, before a CPU was "
                "started.",
                percent(parked, f->all + parked));
    json_object_set_new(to, "open", scene_words_close(&w));
}

json_t *scene_first(struct scene *s)
{
    struct first f = {.s = s,
                      .functions = scene_rows(s, SCENE_FUNCTIONS),
                      .causes = scene_rows(s, SCENE_CAUSES)};
    static const char *const keys[] = {"before", "name",  "after",
                                       "brings", "try",   "badge",
                                       "line",   "chain", "open"};
    json_t *to = json_object(), *row, *next;
    size_t k;

    f.whole = !s->from && s->to >= s->r->end;
    tried_read(&f.tried, s->r);
    f.shared = json_array_size(f.causes) ? root_shared_functions(s) : NULL;
    f.causes = root_joined(f.causes, f.shared);
    f.total = function_row(&f, "<Total>");
    f.napping = scene_number(function_row(&f, "<napping>"), "cycles");
    f.all = scene_number(f.total, "cycles") -
            scene_number(function_row(&f, "<parked>"), "cycles");
    f.idles = percent(f.napping, f.all) >= IDLE_LEAST;
    json_array_foreach(f.causes, k, row)
    {
        if (!f.root && is_root(row))
            f.root = row;
    }
    json_array_foreach(f.functions, k, row)
    {
        if (!f.busiest && is_function(row))
            f.busiest = row;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        scene_put(to, keys[i], "%s", "");
    answer(&f, to);
    json_object_set_new(to, "total", json_integer(f.all));
    json_object_set_new(to, "bar", bar_of(&f));
    if (f.idles && f.root)
        scene_put_wait(to, scene_chains(s));
    next = json_array();
    if (!f.idles)
        next_busy(&f, next);
    else if (f.root)
        next_idle(&f, next);
    json_object_set_new(to, "next", next);
    put_open(&f, to);
    tried_free(&f.tried);
    json_decref(f.shared);
    json_decref(f.causes);
    return to;
}
