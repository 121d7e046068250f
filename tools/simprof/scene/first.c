/* first.c - what the first screen says: what limits the run, a bar of all its
 * cycles, the line to look at, one wait in words, and what comes next. Where
 * CPUs are idle, the roots of `causes` answer; else the account by reasons.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/scene/scene.h"

#define IDLE_LEAST 5 /* percent; below, cycles that CPUs ran are looked at */
#define ROOTS 5      /* in the bar, at most */
#define CANDIDATES 2 /* that come next */
#define NAME 256     /* bytes of a function's name, with its end */

struct first {
    struct scene *s;
    json_t *functions, *causes;
    json_t *total;          /* the row of everything */
    int64_t all, napping;   /* cycles */
    bool idles;             /* idle time is what limits it */
    json_t *root, *busiest; /* rows; NULL: none */
};

static const char *text_of(const json_t *row, const char *column)
{
    const char *text = json_string_value(json_object_get(row, column));

    return text ? text : "";
}

static int64_t number_of(const json_t *row, const char *column)
{
    return (int64_t)json_number_value(json_object_get(row, column));
}

static json_t *function_row(const struct first *f, const char *name)
{
    json_t *row;
    size_t k;

    json_array_foreach(f->functions, k, row)
    {
        if (!strcmp(text_of(row, "function"), name))
            return row;
    }
    return NULL;
}

static bool is_root(const json_t *row)
{
    return strcmp(text_of(row, "what"), "unknown") != 0;
}

static bool is_function(const json_t *row)
{
    return text_of(row, "function")[0] != '<';
}

/* The innermost function of a root, or what it is. */
static const char *root_name(const json_t *row, char out[NAME])
{
    const char *stack = text_of(row, "functions");

    if (!*stack)
        return text_of(row, "what");
    snprintf(out, NAME, "%.*s", (int)strcspn(stack, "<"), stack);
    return out;
}

/* What a root does, as the end of a sentence. */
static const char *does(const json_t *row)
{
    static const char *const words[][2] = {
        {"sleeps", "asks for a sleep"},
        {"runs", "runs"},
        {"system", "runs in the kernel"},
        {"wake-up", "has been woken and is not there yet"},
    };
    const char *what = text_of(row, "what");

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(what, words[i][0]))
            return words[i][1];
    return what;
}

static double percent(int64_t part, int64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0;
}

/* A text that is made piece by piece. */
struct words {
    char *text;
    size_t size;
    FILE *to;
};

static FILE *words_open(struct words *w)
{
    *w = (struct words){0};
    w->to = open_memstream(&w->text, &w->size);
    return w->to;
}

static json_t *words_close(struct words *w)
{
    json_t *is;

    fclose(w->to);
    is = json_string(w->text);
    free(w->text);
    return is ? is : json_string("");
}

static void put(json_t *to, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void put(json_t *to, const char *key, const char *format, ...)
{
    struct words w;
    va_list list;

    if (!words_open(&w))
        return;
    va_start(list, format);
    vfprintf(w.to, format, list);
    va_end(list);
    json_object_set_new(to, key, words_close(&w));
}

/* ---- reasons ------------------------------------------------------------- */

/* A column of `functions --reasons` that is a reason. */
static bool is_reason(const char *column)
{
    static const char *const others[] = {"cycles", "twelfths", "percent",
                                         "function"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(column, others[i]))
            return false;
    return true;
}

/* What most was lost to, beside completing instructions; NULL: nothing. */
static const char *dearest(const struct first *f)
{
    const char *column, *most = NULL;
    json_t *value;

    json_object_foreach(f->total, column, value)
    {
        if (is_reason(column) && strcmp(column, "complete") &&
            number_of(f->total, column) >
                (most ? number_of(f->total, most) : 0))
            most = column;
    }
    return most;
}

/* ---- the parts ----------------------------------------------------------- */

static void answer_idle(const struct first *f, json_t *to)
{
    const char *line = text_of(f->root, "line");
    char name[NAME];

    put(to, "before",
        "CPUs are idle %.1f %% of the time; %.1f %% of that waits for ",
        percent(f->napping, f->all),
        json_number_value(json_object_get(f->root, "idle_percent")));
    put(to, "name", "%s", root_name(f->root, name));
    put(to, "after", "%s%s%s, which %s.", *line ? " (" : "", line,
        *line ? ")" : "", does(f->root));
    put(to, "badge", "recorded; not tried");
    put(to, "line", "%s", line);
}

static void answer_busy(const struct first *f, json_t *to)
{
    json_t *hot;
    const char *reason = dearest(f);
    struct words w;
    size_t k;

    put(to, "before", "CPUs are busy %.1f %% of the time; most of it in ",
        percent(f->all - f->napping, f->all));
    put(to, "name", "%s", text_of(f->busiest, "function"));
    if (words_open(&w)) {
        fprintf(w.to, " (%.1f %%).",
                percent(number_of(f->busiest, "cycles"), f->all));
        if (reason)
            fprintf(w.to,
                    " What costs most beside completing instructions is %s "
                    "(%.1f %%).",
                    reason, percent(number_of(f->total, reason), f->all));
        json_object_set_new(to, "after", words_close(&w));
    }
    put(to, "badge", "exact");
    json_array_foreach(scene_rows(f->s, SCENE_LINES), k, hot)
    {
        const char *line = text_of(hot, "line, function");

        if (*line == '<')
            continue;
        put(to, "line", "%.*s", (int)strcspn(line, ","), line);
        break;
    }
}

static void answer(const struct first *f, json_t *to)
{
    if (f->idles && f->root) {
        answer_idle(f, to);
    } else if (f->idles) {
        put(to, "before",
            "CPUs are idle %.1f %% of the time. Why is not known: no states of "
            "threads were recorded (simrun --switch-stacks; of the guest "
            "--append states=on).",
            percent(f->napping, f->all));
    } else if (f->busiest) {
        answer_busy(f, to);
    } else {
        put(to, "before", "No cycle of a function was recorded here.");
    }
}

static void add_part(json_t *bar, int64_t cycles, bool idle, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

static void add_part(json_t *bar, int64_t cycles, bool idle, const char *format,
                     ...)
{
    struct words w;
    va_list list;

    if (cycles <= 0 || !words_open(&w))
        return;
    va_start(list, format);
    vfprintf(w.to, format, list);
    va_end(list);
    json_array_append_new(
        bar, json_pack("[o, I, i]", words_close(&w), (json_int_t)cycles, idle));
}

static json_t *bar_of(const struct first *f)
{
    json_t *bar = json_array(), *value, *row;
    int64_t left = f->napping, work = f->all - f->napping;
    const char *column;
    int roots = 0;
    char name[NAME];
    size_t k;

    json_object_foreach(f->total, column, value)
    {
        if (!is_reason(column))
            continue;
        add_part(bar, number_of(f->total, column), false, "%s", column);
        work -= number_of(f->total, column);
    }
    add_part(bar, work, false, "other work");
    json_array_foreach(f->causes, k, row)
    {
        if (roots == ROOTS)
            break;
        if (!is_root(row))
            continue;
        add_part(bar, number_of(row, "cycles"), true, "idle: %s %s",
                 root_name(row, name), text_of(row, "what"));
        left -= number_of(row, "cycles");
        roots++;
    }
    add_part(bar, left, true, roots ? "idle: other" : "idle");
    return bar;
}

/* The first chain of `causes` as one line. */
static json_t *chain_of(const struct first *f)
{
    static const char start[] = "% of idle time is such as ";
    const char *text = f->root ? scene_chains(f->s) : "", *at, *end;
    char *line;
    json_t *is;

    at = strstr(text, start);
    if (!at)
        return json_string("");
    while (at > text && at[-1] != '\n')
        at--;
    end = strstr(at, "\n\n");
    line = strndup(at, end ? (size_t)(end - at) : strlen(at));
    for (char *c = line; c && *c; c++)
        if (*c == '\n')
            *c = ' ';
    is = json_string(line);
    free(line);
    return is ? is : json_string("");
}

/* The wait that the chain is of, as an interval; nothing without a chain. */
static void put_gap(json_t *to, const char *chain)
{
    const char *at = strstr(chain, "such as ");
    uint64_t number[2] = {0, 0};

    if (!at)
        return;
    for (int i = 0; i < 2; i++) {
        at += strcspn(at, "0123456789");
        for (; isdigit((unsigned char)*at) || *at == ','; at++)
            if (*at != ',')
                number[i] = number[i] * 10 + (uint64_t)(*at - '0');
    }
    json_object_set_new(to, "gap",
                        json_pack("[I, I]", (json_int_t)number[1],
                                  (json_int_t)(number[0] + number[1])));
}

/* Other lines that stand behind idle time, and what none stands behind. */
static json_t *next_idle(const struct first *f)
{
    int64_t unknown = 0;
    struct words w;
    int shown = 0;
    json_t *row;
    char name[NAME];
    size_t k;

    if (!words_open(&w))
        return json_string("");
    fputs("Next: ", w.to);
    json_array_foreach(f->causes, k, row)
    {
        const char *line = text_of(row, "line");

        if (!is_root(row)) {
            unknown += number_of(row, "cycles");
            continue;
        }
        if (shown == CANDIDATES || !strcmp(line, text_of(f->root, "line")))
            continue;
        fprintf(w.to, "%s%.1f %% %s (%s), %s", shown++ ? "; " : "",
                json_number_value(json_object_get(row, "idle_percent")),
                root_name(row, name), *line ? line : "no line", does(row));
    }
    fprintf(w.to, "%s. Of %.1f %% of the idle time the cause is not known.",
            shown ? "" : "nothing", percent(unknown, f->napping));
    return words_close(&w);
}

static json_t *next_busy(const struct first *f)
{
    struct words w;
    int shown = 0;
    json_t *row;
    size_t k;

    if (!words_open(&w))
        return json_string("");
    json_array_foreach(f->functions, k, row)
    {
        if (!is_function(row) || row == f->busiest || shown == CANDIDATES)
            continue;
        fprintf(w.to, "%s%s %.1f %%",
                shown++ ? ", " : "Next: ", text_of(row, "function"),
                percent(number_of(row, "cycles"), f->all));
    }
    if (shown)
        fputc('.', w.to);
    return words_close(&w);
}

json_t *scene_first(struct scene *s)
{
    struct first f = {.s = s,
                      .functions = scene_rows(s, SCENE_FUNCTIONS),
                      .causes = scene_rows(s, SCENE_CAUSES)};
    json_t *to = json_object(), *row;
    size_t k;

    f.total = function_row(&f, "<Total>");
    f.napping = number_of(function_row(&f, "<napping>"), "cycles");
    f.all = number_of(f.total, "cycles") -
            number_of(function_row(&f, "<parked>"), "cycles");
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
    for (const char *const *key =
             (const char *const[]){"before", "name", "after", "badge", "line",
                                   NULL};
         *key; key++)
        put(to, *key, "%s", "");
    answer(&f, to);
    json_object_set_new(to, "total", json_integer(f.all));
    json_object_set_new(to, "bar", bar_of(&f));
    json_object_set_new(to, "chain", f.idles ? chain_of(&f) : json_string(""));
    put_gap(to, text_of(to, "chain"));
    json_object_set_new(to, "next",
                        !f.idles ? next_busy(&f)
                        : f.root ? next_idle(&f)
                                 : json_string(""));
    return to;
}
