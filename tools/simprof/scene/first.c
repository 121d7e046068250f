/* first.c - what the first screen says: what limits the run, a bar of all its
 * cycles, the line to look at, one wait in words, and what comes next. Where
 * CPUs are idle, the roots of `causes` answer; else the account by reasons.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/profile/exact_cycles.h"
#include "tools/simprof/reports/causes/causes_end.h"
#include "tools/simprof/scene/brings.h"
#include "tools/simprof/scene/candidates.h"
#include "tools/simprof/scene/line.h"
#include "tools/simprof/scene/reasons.h"
#include "tools/simprof/scene/wait.h"
#include "tools/simprof/scene/words.h"

#define SHARE_LEAST 20 /* percent of idle time that is one reason */
#define SPUN_LEAST 1   /* percent of all cycles, to be said */
#define NEXT_LEAST 1   /* percent of all cycles, to come next */
#define ROOTS 5        /* in the bar, at most */
#define NEXT 2         /* that come next */
#define NAME 256       /* bytes of a function's name, with its end */
#define CALLED_FROM "called from "

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

static bool is_function(const json_t *row)
{
    return scene_text(row, "function")[0] != '<';
}

/* ---- the parts ----------------------------------------------------------- */

/* The line to look at: of a root that is its caller's that of the caller which
 * is dearest with what it calls, by samples; without any, by itself. Returns
 * whether it is that of a caller whose function has none. */
static bool put_line(const struct first *f, const json_t *root, json_t *to)
{
    char name[NAME];

    scene_put(to, "line", "%s", scene_text(root, "line"));
    if (!*brings_name(f, root, name) ||
        (root_is_shared(root, f->shared) && line_of(f->s, name, to)))
        return false;
    return !*scene_text(to, "line") && line_of_caller(f->s, name, to);
}

/* "app.c:102" of "src/app.c:102". */
static const char *short_line(const json_t *of)
{
    const char *line = scene_text(of, "line"), *slash = strrchr(line, '/');

    return slash ? slash + 1 : line;
}

/* What the root is, for "... waits for"; of one whose function is known its
 * name stands in front. */
static void say_root(const struct first *f, FILE *to)
{
    bool shared = root_is_shared(f->root, f->shared);
    char other[NAME], name[NAME];

    brings_name(f, f->root, name);
    if (*root_function(f->root, 1 + shared, other) && strcmp(other, name) &&
        1 + shared < scene_number(f->root, ROOT_COMMON))
        fprintf(to, ", called by %s", other);
    /* One that calls itself runs itself. */
    shared = shared && strcmp(root_function(f->root, 0, other), name) != 0;
    if (shared || strcmp(scene_text(f->root, "what"), "runs"))
        fprintf(to, ", which %s", root_does(f->root));
    if (shared)
        fprintf(to, " %s", root_function(f->root, 0, other));
    putc('.', to);
}

/* What the root's function loses cycles to while it runs, if that stands out.
 */
static void say_stall(const struct first *f, const char *name, FILE *to)
{
    const json_t *row = function_row(f, name);
    const char *reason = row ? scene_dearest(row) : NULL;

    if (!strcmp(scene_text(f->root, "what"), "runs") && reason &&
        strcmp(reason, "execute") && scene_stands_out(row, reason))
        fprintf(to, " It loses %.1f %% of its cycles to %s.",
                brings_percent(scene_number(row, reason),
                               scene_number(row, "cycles")),
                reason);
}

/* How long the run takes when the root is changed. */
static void say_shorter(const struct first *f, const struct brings *is,
                        json_t *to, FILE *after)
{
    const char *spec = is->t ? is->t->spec : is->spec,
               *factor = strrchr(spec, '=');

    if (!strncmp(spec, "device:", 7)) {
        scene_put(to, "before",
                  "With the latency of the disk halved, for which ");
        fputs(" waits,", after);
    } else if (!strncmp(spec, "affinity:", 9)) {
        scene_put(to, "before", "%s", "");
        fprintf(after, " %s: without that", root_does(f->root));
    } else {
        scene_put(to, "before", "With ");
        if (factor && strcmp(factor, "=x0.5"))
            fprintf(after, " in %s times the time", factor + 2);
        else
            fputs(" in half the time", after);
    }
    fprintf(after, " %s %s %s%s%.1f %% shorter.",
            recording_stopped(f->s->r) ? "what the run did until it was stopped"
                                       : "the run",
            is->t ? "is" : "would be", is->how, *is->how ? " " : "", is->gain);
}

/* What changing the root brings, and then why; where that is nothing, or not
 * known, the latter alone. */
static void answer_idle(const struct first *f, json_t *to)
{
    double share = brings_share(f, f->root);
    struct brings is = brings_root(f, to);
    bool little =
        is.gain < (share < SHARE_LEAST ? BRINGS_STANDS : BRINGS_LEAST);
    struct scene_words why, after;
    bool callers = put_line(f, f->root, to);
    char name[NAME];

    if (!scene_words_open(&why))
        return;
    fprintf(why.to, "%sCPUs are idle %.1f %% of the time",
            little && share < SHARE_LEAST ? "No change stands out: " : "",
            brings_percent(f->napping, f->all));
    if (f->spun)
        fprintf(why.to, ", and threads spin %.1f %% of it",
                brings_percent(f->spun, f->all));
    fprintf(why.to,
            little && share < SHARE_LEAST
                ? ", for many reasons; the largest, %.1f %% of %s, waits for "
                : "; %.1f %% of %s waits for ",
            share, f->spun ? "both" : "that");
    if (!*brings_name(f, f->root, name)) {
        json_object_set_new(to, "before", scene_words_close(&why));
        scene_put(to, "name", "%s", root_noun(f->root));
        scene_put(to, "after",
                  ". In which function is not recorded (simrun "
                  "--switch-stacks).");
        return;
    }
    scene_put(to, "name", "%s", name);
    if (!scene_words_open(&after))
        return;
    if (*short_line(to))
        fprintf(after.to, " (%s%s)", callers ? CALLED_FROM : "",
                short_line(to));
    if (little || !is.known) {
        json_object_set_new(to, "before", scene_words_close(&why));
        say_root(f, after.to);
    } else {
        say_shorter(f, &is, to, after.to);
        fputs(name, why.to);
        say_root(f, why.to);
        say_stall(f, name, why.to);
        json_object_set_new(to, "why", scene_words_close(&why));
    }
    json_object_set_new(to, "after", scene_words_close(&after));
}

/* What was tried and brings most, if anything brings something. */
static bool answer_tried(const struct tried *best, json_t *to)
{
    struct scene_words w;

    if (!best || !scene_words_open(&w))
        return false;
    fputs("CPUs are hardly ever idle. With ", w.to);
    tried_say_change(best, w.to);
    fprintf(w.to, " the run is %.1f %% shorter.",
            brings_percent(best->mean, best->base));
    json_object_set_new(to, "before", scene_words_close(&w));
    scene_put(to, "try", "simrun --mode=fast --what-if '%s' ...", best->spec);
    scene_put(to, "badge", "tried");
    return true;
}

/* Only less work would make it shorter, unless something else does that was
 * tried. */
static void answer_nothing(const struct first *f, json_t *to)
{
    const char *in = scene_text(f->busiest, "function"), *how;
    const struct tried *best = brings_tried_best(f);
    struct scene_words w;
    double gain;

    if (!answer_tried(best, to)) {
        scene_put(
            to, "before",
            "CPUs are hardly ever idle and no stall stands out: only less "
            "work would make the run shorter.");
        scene_put(to, "badge", "exact");
    }
    if (!scene_words_open(&w))
        return;
    if (best) {
        fprintf(w.to, "Done again %u times with that: ", best->pairs);
        tried_say(best, w.to);
        fputs(". ", w.to);
    }
    fprintf(
        w.to,
        "CPUs are busy %.1f %% of the time, %.1f %% of it in %s; "
        "%.1f %% of all cycles complete instructions.",
        brings_percent(f->all - f->napping, f->all),
        brings_percent(scene_number(f->busiest, "cycles"), f->all - f->napping),
        in, brings_percent(scene_number(f->total, "complete"), f->all));
    if (brings_halved(f, in, &gain, &how))
        fprintf(w.to,
                " With %s in half the time it would be %s %.1f %% shorter "
                "(predicted).",
                in, *how ? how : "about", gain);
    else if (gain >= BRINGS_LEAST)
        fprintf(w.to,
                " With %s in half the time it is %.1f %% shorter (tried).", in,
                gain);
    json_object_set_new(to, "brings", scene_words_close(&w));
}

static void answer_busy(const struct first *f, json_t *to)
{
    const char *reason = scene_dearest(f->busiest),
               *name = scene_text(f->busiest, "function");
    const struct tried *best = brings_tried_best(f);
    struct scene_words w;
    bool callers;

    if (!scene_stands_out(f->busiest, reason)) {
        answer_nothing(f, to);
        return;
    }
    scene_put(to, "before",
              "CPUs are busy %.1f %% of the time; %.1f %% of it in ",
              brings_percent(f->all - f->napping, f->all),
              brings_percent(scene_number(f->busiest, "cycles"),
                             f->all - f->napping));
    scene_put(to, "name", "%s", name);
    callers = !line_hottest(f->s, name, to) && line_of_caller(f->s, name, to);
    scene_put(to, "after", "%s%s%s, which loses most to %s.",
              callers ? " (" CALLED_FROM : "", callers ? short_line(to) : "",
              callers ? ")" : "", reason);
    if (!scene_words_open(&w))
        return;
    fprintf(w.to,
            "%s there (%s) is %.1f %% of all cycles: so much is the most "
            "that mending it brings.",
            reason, scene_sense_of(reason),
            brings_percent(scene_number(f->busiest, reason), f->all));
    if (best) {
        fputs(" Of all that was tried most comes of ", w.to);
        tried_say_change(best, w.to);
        fprintf(w.to, ": %.1f %%.", brings_percent(best->mean, best->base));
    }
    json_object_set_new(to, "brings", scene_words_close(&w));
    scene_put(to, "badge", "exact, not tried");
}

/* Where the idle time cannot be asked why, what the busy time is lost to. */
static void say_busiest(const struct first *f, json_t *to)
{
    const char *reason = f->busiest ? scene_dearest(f->busiest) : NULL,
               *name = scene_text(f->busiest, "function");

    if (!reason || !scene_stands_out(f->busiest, reason))
        return;
    if (!line_hottest(f->s, name, to))
        line_of_caller(f->s, name, to);
    scene_put(to, "brings",
              "Busy, they lose most in %s, to %s (%s): %.1f %% of all cycles.",
              name, reason, scene_sense_of(reason),
              brings_percent(scene_number(f->busiest, reason), f->all));
    scene_put(to, "badge", "exact, not tried");
}

/* The end of a run in which no thread could go on. */
static bool sleeps_for_ever(const struct first *f)
{
    const char *end = text_lines_get(&f->s->r->log, "exit");

    return end && strstr(end, "asleep for ever");
}

/* A run that ends with threads that can not go on: how it would be faster is
 * not the question. */
static bool answer_end(const struct first *f, json_t *to)
{
    enum causes_end end = CAUSES_END_OTHER;
    char *sentence = NULL;
    bool all = f->whole && sleeps_for_ever(f);

    if (f->whole)
        end = causes_end(f->s->r, &sentence);
    if (end != CAUSES_END_OTHER || all) {
        scene_put(to, "before", "%s",
                  all ? "The run ended because no thread could go on: each "
                        "waits for ever."
                  : end == CAUSES_END_DEADLOCK
                      ? "Threads were in a deadlock when the run ended."
                      : "No thread could go on when the run was stopped: each "
                        "waits for ever.");
        scene_put(to, "badge", "exact");
    }
    if (sentence)
        scene_put(to, "why", "%s%s",
                  end == CAUSES_END_DEADLOCK ? "A deadlock: "
                                             : "Who waits for what: ",
                  sentence);
    free(sentence);
    return end != CAUSES_END_OTHER || all;
}

static void answer(const struct first *f, json_t *to)
{
    if (answer_end(f, to))
        return;
    if (f->idles && f->root) {
        answer_idle(f, to);
    } else if (f->idles) {
        scene_put(to, "before",
                  "CPUs are idle %.1f %% of the time. Why is not known: %s",
                  brings_percent(f->napping, f->all),
                  json_array_size(f->causes)
                      ? "the records of this interval do not say."
                      : "no states of threads were recorded (simrun "
                        "--switch-stacks; of the guest --append states=on).");
        say_busiest(f, to);
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
        if (f->spins || !scene_is_reason(column))
            continue;
        add_part(bar, scene_number(f->total, column), false, "%s",
                 strcmp(column, "complete") ? column : SCENE_COMPLETE);
        work -= scene_number(f->total, column);
    }
    add_part(bar, work, false, f->spins ? "work" : "other work");
    json_array_foreach(f->causes, k, row)
    {
        if (roots == ROOTS)
            break;
        if (!candidates_root(row))
            continue;
        brings_name(f, row, name);
        line = candidates_twin(f, row) ? strrchr(scene_text(row, "line"), ':')
                                       : NULL;
        add_part(bar, scene_number(row, "cycles"), true, "idle: %s%s%s%s", name,
                 line ? line : "", *name ? " " : "", root_briefly(row));
        left -= scene_number(row, "cycles");
        roots++;
    }
    add_part(bar, left, true, roots ? "idle: other" : "idle");
    return bar;
}

/* ---- what comes next ----------------------------------------------------- */

/* Returns the row. */
static json_t *add_next(json_t *next, double share, const char *name,
                        json_t *what)
{
    json_t *row = json_object();

    json_object_set_new(row, "percent", json_real(share));
    scene_put(row, "name", "%s", name);
    scene_put(row, "line", "%s", "");
    json_object_set_new(row, "does", what);
    json_array_append_new(next, row);
    return row;
}

/* Other lines that stand behind idle time. */
static void next_idle(const struct first *f, json_t *next)
{
    struct candidate list[CANDIDATES_MOST];
    size_t count = candidates_find(f, list);

    for (size_t k = 0; k < count; k++) {
        json_t *row = list[k].root, *added;
        char name[NAME];
        bool callers;

        if (k >= NEXT) {
            json_decref(list[k].does);
            continue;
        }
        brings_name(f, row, name);
        added = add_next(next, brings_share(f, row),
                         *name ? name : root_noun(row), list[k].does);
        callers = put_line(f, row, added);
        scene_put(added, "line", "%s%s", callers ? CALLED_FROM : "",
                  short_line(added));
    }
}

/* Other functions in which something stands out. */
static void next_busy(const struct first *f, json_t *next)
{
    json_t *row;
    size_t k;

    json_array_foreach(f->functions, k, row)
    {
        const char *reason = scene_dearest(row);
        char lost[NAME];

        if (json_array_size(next) == NEXT)
            break;
        if (!is_function(row) || row == f->busiest || !reason ||
            !scene_stands_out(row, reason) ||
            brings_percent(scene_number(row, "cycles"), f->all) < NEXT_LEAST)
            continue;
        snprintf(lost, sizeof lost, "loses most to %s", reason);
        add_next(next, brings_percent(scene_number(row, "cycles"), f->all),
                 scene_text(row, "function"), json_string(lost));
    }
}

static int64_t sum_of(const json_t *rows, const char *column)
{
    int64_t sum = 0;
    json_t *row;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        sum += scene_number(row, column);
    }
    return sum;
}

/* CPUs that were never started, and how long others were not yet. */
static void say_parked(const struct first *f, FILE *to)
{
    uint64_t parked = 0, length = f->s->to - f->s->from;
    unsigned never = 0, cpus = f->s->r->cpus;
    struct exact_cycles a;

    exact_cycles_read(&a, f->s->r);
    for (unsigned k = 0; k < a.cpus; k++) {
        uint64_t is = exact_cycles_cycles(&a, k, EXACT_CYCLES_PARKED);

        never += is >= length;
        parked += is >= length ? 0 : is;
    }
    exact_cycles_free(&a);
    if (brings_percent((int64_t)parked, f->all + (int64_t)parked) < .05)
        parked = 0;
    if (never || parked)
        fputs("Not counted: ", to);
    if (never)
        fprintf(to, "%u of %u CPUs, never started%s", never, cpus,
                parked ? ", and " : ".");
    if (parked)
        fprintf(to, "%.1f %% of %s time, before they were started.",
                brings_percent((int64_t)parked, f->all + (int64_t)parked),
                never ? "the others'" : "all CPUs'");
}

/* What could not be judged. */
static void put_open(const struct first *f, json_t *to)
{
    int64_t unknown = 0;
    struct scene_words w;
    json_t *row;
    size_t k;

    json_array_foreach(f->causes, k, row)
    {
        if (!candidates_root(row))
            unknown += scene_number(row, "cycles");
    }
    if (!scene_words_open(&w))
        return;
    if (!f->s->r->ended)
        fputs("The run did not come to its end: this is what was recorded of "
              "it. ",
              w.to);
    if (problems_damage(&f->s->r->problems))
        fputs("The experiment is damaged: simprof info says where. ", w.to);
    if (f->idles && f->root && brings_percent(unknown, f->napping) >= .05)
        fprintf(w.to, "Of %.1f %% of the idle time the cause is not known. ",
                brings_percent(unknown, f->napping));
    if (!f->idles && brings_percent(f->napping, f->all) >= .05)
        fprintf(w.to,
                "CPUs were idle %.1f %% of the time: too little to ask why. ",
                brings_percent(f->napping, f->all));
    if (scene_number(function_row(f, "<parked>"), "cycles"))
        say_parked(f, w.to);
    json_object_set_new(to, "open", scene_words_close(&w));
}

json_t *scene_first(struct scene *s)
{
    struct first f = {.s = s,
                      .functions = scene_rows(s, SCENE_FUNCTIONS),
                      .causes = scene_rows(s, SCENE_CAUSES)};
    static const char *const keys[] = {"before", "name",  "after", "brings",
                                       "try",    "badge", "why",   "line",
                                       "chain",  "open"};
    json_t *to = json_object(), *row, *next;
    size_t k;

    f.whole = !s->from && s->to >= s->r->end;
    tried_read(&f.tried, s->r);
    tried_keep_near(&f.tried);
    f.shared = json_array_size(f.causes) ? root_shared_functions(s) : NULL;
    f.causes = root_joined(f.causes, f.shared);
    f.total = function_row(&f, "<Total>");
    f.napping = scene_number(function_row(&f, "<napping>"), "cycles");
    f.spins = !f.napping;
    if (f.spins) /* CPUs do not nap: all that idle threads ran */
        f.napping = sum_of(f.causes, "cycles");
    f.spins &= f.napping > 0;
    f.all = scene_number(f.total, "cycles") -
            scene_number(function_row(&f, "<parked>"), "cycles");
    f.spun = sum_of(f.causes, "spun");
    if (brings_percent(f.spun, f.all) < SPUN_LEAST)
        f.spun = 0;
    f.idles =
        brings_percent(f.napping + f.spun, f.all) >= EXACT_CYCLES_IDLE_MATTERS;
    json_array_foreach(f.causes, k, row)
    {
        if (!f.root && candidates_root(row))
            f.root = row;
    }
    f.predicted = json_object();
    if (f.root)
        f.root = brings_most(&f);
    if (f.root && f.idles)
        f.root = candidates_most(&f);
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
    if (f.idles && f.root)
        next_idle(&f, next);
    else
        next_busy(&f, next);
    json_object_set_new(to, "next", next);
    put_open(&f, to);
    tried_free(&f.tried);
    json_decref(f.predicted);
    json_decref(f.shared);
    json_decref(f.causes);
    return to;
}
