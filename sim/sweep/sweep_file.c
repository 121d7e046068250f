/* sweep_file.c - reads the file of a sweep: lines KEY [LABEL] = VALUE. Knows
 * which words of simrun a key stands for, and asks those who read simrun's
 * options whether a value can be.
 */
#include "sim/sweep/sweep.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "sim/config/chip_file.h"
#include "sim/config/config.h"
#include "sim/config/what_if.h"
#include "sim/core/timing.h"

/* A line of the file, taken apart. */
struct given {
    struct sweep *s;
    unsigned line;
    const char *key, *label; /* label NULL: none */
    const char *value;
    char *why;
};

/* Always false. */
__attribute__((format(printf, 2, 3))) static bool wrong(const struct given *g,
                                                        const char *format, ...)
{
    int used = snprintf(g->why, SWEEP_WHY, "%s:%u: ", g->s->file, g->line);
    va_list args;

    va_start(args, format);
    if (used > 0 && used < SWEEP_WHY)
        vsnprintf(g->why + used, (size_t)(SWEEP_WHY - used), format, args);
    va_end(args);
    return false;
}

/* ---- axes ---------------------------------------------------------------- */

static struct sweep_axis *axis_named(struct sweep *s, const char *name)
{
    for (size_t n = 0; n < s->axes; n++)
        if (strcmp(s->axis[n].name, name) == 0)
            return &s->axis[n];
    return NULL;
}

static bool has_column(const struct sweep *s, const char *name)
{
    for (size_t n = 0; n < s->axes; n++)
        for (size_t k = 0; k < s->axis[n].column.count; k++)
            if (strcmp(s->axis[n].column.word[k], name) == 0)
                return true;
    return false;
}

static struct sweep_axis *add_axis(const struct given *g, const char *name)
{
    struct sweep *s = g->s;
    struct sweep_axis *a;

    s->axis = grow(s->axis, &s->axes_room, s->axes + 1, sizeof *s->axis);
    a = &s->axis[s->axes++];
    a->name = grow_text(name);
    a->line = g->line;
    a->base = SIZE_MAX;
    return a;
}

/* The axis of a key, which may have several lines. NULL: it cannot be one. */
static struct sweep_axis *axis_of_key(const struct given *g)
{
    struct sweep_axis *a = axis_named(g->s, g->key);

    if (a)
        return a;
    if (has_column(g->s, g->key)) {
        wrong(g, "%s is a column of the table already", g->key);
        return NULL;
    }
    if (g->s->axes == SWEEP_AXES) {
        wrong(g, "%u axes are all there are", SWEEP_AXES);
        return NULL;
    }
    a = add_axis(g, g->key);
    sweep_words_add(&a->column, g->key);
    return a;
}

/* One more value. NULL: the label is taken. */
static struct sweep_value *add_value(const struct given *g,
                                     struct sweep_axis *a, const char *label)
{
    struct sweep_value *v;

    for (size_t n = 0; n < a->values; n++)
        if (strcmp(a->value[n].label, label) == 0) {
            wrong(g, "%s has %s already, in line %u", a->name, label,
                  a->value[n].line);
            return NULL;
        }
    a->value = grow(a->value, &a->room, a->values + 1, sizeof *a->value);
    v = &a->value[a->values++];
    v->label = grow_text(label);
    v->line = g->line;
    return v;
}

/* ---- what a value is in words of simrun ---------------------------------- */

static bool put_what_if(const struct given *g, struct sweep_value *v,
                        const char *value)
{
    char why[SWEEP_WHY / 2], *text = grow_text(value), *rest = text;
    struct what_if all = {0};
    bool good = true;

    while (good && rest && strcmp(value, "none") != 0) {
        char *spec = text_part(&rest, ';');

        good = what_if_add(&all, spec, why, sizeof why) || wrong(g, "%s", why);
        sweep_words_add(&v->option, "--what-if");
        sweep_words_add(&v->option, spec);
    }
    free(text);
    return good;
}

static bool put_program(const struct given *g, struct sweep_value *v,
                        const char *value)
{
    if (!sweep_words_split(&v->program, value))
        return wrong(g, "a quote has no end");
    return v->program.count || wrong(g, "program: which one?");
}

static void put(struct sweep_value *v, const char *option, const char *value)
{
    char *word = grow_zero(strlen(option) + strlen(value) + 1, 1);

    strcat(strcpy(word, option), value);
    sweep_words_add(&v->option, word);
    free(word);
}

static bool put_cpus(const struct given *g, struct sweep_value *v,
                     const char *value)
{
    uint64_t n;

    if (!text_number(value, &n) || n < 1 || n > 8)
        return wrong(g, "cpus = %s: give numbers from 1 to 8", value);
    put(v, "--cpus=", value);
    return true;
}

static bool put_mode(const struct given *g, struct sweep_value *v,
                     const char *value)
{
    if (!timing_named(value))
        return wrong(g, "mode = %s: give detailed, fast or warm", value);
    put(v, "--mode=", value);
    return true;
}

static bool put_chip(const struct given *g, struct sweep_value *v,
                     const char *value)
{
    (void)g; /* simrun looks for it in several places: it says */
    put(v, "--chip=", value);
    return true;
}

static bool put_append(const struct given *g, struct sweep_value *v,
                       const char *value)
{
    (void)g;
    put(v, "--append=", value);
    return true;
}

static const struct {
    const char *key;
    bool line; /* a line is one value, not each word of it */
    const char *option;
    bool (*put)(const struct given *g, struct sweep_value *v,
                const char *value);
} keys[] = {
    {"program", true, "", put_program},
    {"what-if", true, "--what-if", put_what_if},
    {"append", true, "--append", put_append},
    {"cpus", false, "--cpus", put_cpus},
    {"mode", false, "--mode", put_mode},
    {"chip", false, "--chip", put_chip},
};
#define KEYS (sizeof keys / sizeof keys[0])

static bool is_knob(const char *name)
{
    const struct param_row *row;
    unsigned count;

    row = param_rows(&count);
    for (unsigned n = 0; n < count; n++)
        if (strcmp(row[n].name, name) == 0)
            return true;
    return false;
}

static bool put_knob(const struct given *g, struct sweep_value *v,
                     const char *key, const char *value)
{
    char text[256], why[SWEEP_WHY / 2];
    struct params scratch;

    params_default(&scratch);
    snprintf(text, sizeof text, "%s=%s", key, value);
    if (!params_set(&scratch, text, why, sizeof why))
        return wrong(g, "%s", why);
    put(v, "--set=", text);
    return true;
}

static bool not_there(const struct given *g, const char *key)
{
    static const char *const others[] = {"option", "seed", "base",
                                         "table",  "row",  "stdout"};
    char near_by[DID_YOU_MEAN_TEXT];
    struct did_you_mean names;
    const struct param_row *row;
    unsigned count;

    did_you_mean_begin(&names, key);
    for (size_t n = 0; n < KEYS; n++)
        did_you_mean_offer(&names, keys[n].key);
    for (size_t n = 0; n < sizeof others / sizeof others[0]; n++)
        did_you_mean_offer(&names, others[n]);
    row = param_rows(&count);
    for (unsigned n = 0; n < count; n++)
        did_you_mean_offer(&names, row[n].name);
    return wrong(g, "%s is no key and no knob%s", key,
                 did_you_mean_text(&names, near_by));
}

static bool put_key(const struct given *g, struct sweep_value *v,
                    const char *key, const char *value)
{
    sweep_words_add(&v->cell, g->label ? g->label : value);
    for (size_t n = 0; n < KEYS; n++)
        if (strcmp(keys[n].key, key) == 0)
            return keys[n].put(g, v, value);
    return is_knob(key) ? put_knob(g, v, key, value) : not_there(g, key);
}

/* ---- lines --------------------------------------------------------------- */

/* KEY = VALUE..., of which each is a value of KEY's axis. */
static bool read_key(const struct given *g)
{
    struct sweep_words each = {0};
    struct sweep_axis *a;
    struct sweep_value *v;
    bool line = false, known = is_knob(g->key), good = true;

    for (size_t n = 0; n < KEYS; n++)
        if (strcmp(keys[n].key, g->key) == 0) {
            known = true;
            line = keys[n].line;
        }
    if (!known)
        return not_there(g, g->key);
    if (line)
        sweep_words_add(&each, g->value);
    else if (!sweep_words_split(&each, g->value))
        good = wrong(g, "a quote has no end");
    if (good && g->label && each.count != 1)
        good = wrong(g, "%s %s: a label is for one value", g->key, g->label);
    a = good ? axis_of_key(g) : NULL;
    good = a != NULL;
    for (size_t n = 0; good && n < each.count; n++) {
        v = add_value(g, a, g->label ? g->label : each.word[n]);
        good = v && put_key(g, v, g->key, each.word[n]);
    }
    sweep_words_free(&each);
    return good;
}

/* "3" or "1..10". */
static bool read_seed(const struct given *g)
{
    struct sweep_words each = {0};
    struct sweep *s = g->s;
    bool good, jitter = *g->key == 'j';

    if (s->seeds && s->jitter_only != jitter)
        return wrong(g, "seed and jitter_seed: one of the two");
    s->jitter_only = jitter;
    good = sweep_words_split(&each, g->value) && each.count;
    for (size_t n = 0; good && n < each.count; n++) {
        char *dots = strstr(each.word[n], "..");
        uint64_t from, to;

        if (dots)
            *dots = '\0';
        good = text_number(each.word[n], &from) &&
               text_number(dots ? dots + 2 : each.word[n], &to) && from <= to &&
               to <= UINT32_MAX && to - from < SWEEP_RUNS;
        for (; good && from <= to; from++) {
            for (size_t k = 0; k < s->seeds; k++)
                good &= s->seed[k] != from;
            s->seed =
                grow(s->seed, &s->seeds_room, s->seeds + 1, sizeof *s->seed);
            s->seed[s->seeds++] = (uint32_t)from;
        }
    }
    sweep_words_free(&each);
    return good || wrong(g, "%s = %s: give different numbers, or FROM..TO",
                         g->key, g->value);
}

static bool read_table(const struct given *g)
{
    struct sweep *s = g->s;
    struct sweep_axis *a;

    if (axis_named(s, "row"))
        return wrong(g, "there is a table already, in line %u",
                     axis_named(s, "row")->line);
    if (!sweep_words_split(&s->table, g->value) || !s->table.count)
        return wrong(g, "table: give the keys of its columns");
    for (size_t n = 0; n < s->table.count; n++)
        if (has_column(s, s->table.word[n]))
            return wrong(g, "%s has lines of its own", s->table.word[n]);
    a = add_axis(g, "row");
    for (size_t n = 0; n < s->table.count; n++)
        sweep_words_add(&a->column, s->table.word[n]);
    return true;
}

static bool read_row(const struct given *g)
{
    struct sweep *s = g->s;
    struct sweep_axis *a = axis_named(s, "row");
    struct sweep_words each = {0};
    struct sweep_value *v;
    char number[24];
    bool good;

    if (!a)
        return wrong(g, "a row needs a table: table = KEY...");
    good = sweep_words_split(&each, g->value);
    if (!good || each.count != s->table.count) {
        sweep_words_free(&each);
        return good ? wrong(g,
                            "a row of the table has %zu values; "
                            "one with blanks needs quotes",
                            s->table.count)
                    : wrong(g, "a quote has no end");
    }
    snprintf(number, sizeof number, "%zu", a->values + 1);
    v = add_value(g, a, g->label ? g->label : number);
    good = v != NULL;
    for (size_t n = 0; good && n < each.count; n++) {
        struct given cell = *g;

        cell.label = NULL;
        good = put_key(&cell, v, s->table.word[n], each.word[n]);
    }
    sweep_words_free(&each);
    return good;
}

static bool read_words(const struct given *g, struct sweep_words *w)
{
    return sweep_words_split(w, g->value) || wrong(g, "a quote has no end");
}

static bool read_given(const struct given *g)
{
    struct sweep *s = g->s;

    if (!*g->value)
        return wrong(g, "%s = : give a value", g->key);
    if (strcmp(g->key, "option") == 0) {
        s->option_line = g->line;
        return read_words(g, &s->option);
    }
    if (strcmp(g->key, "base") == 0) {
        s->base_line = g->line;
        return read_words(g, &s->base);
    }
    if (strcmp(g->key, "seed") == 0 || strcmp(g->key, "jitter_seed") == 0)
        return read_seed(g);
    if (strcmp(g->key, "table") == 0)
        return read_table(g);
    if (strcmp(g->key, "stdout") == 0) {
        s->stdout_file = strcmp(g->value, "file") == 0;
        return s->stdout_file || strcmp(g->value, "null") == 0 ||
               wrong(g, "stdout = %s: give null or file", g->value);
    }
    return strcmp(g->key, "row") == 0 ? read_row(g) : read_key(g);
}

static char *trim(char *text)
{
    size_t length;

    text += strspn(text, " ");
    for (length = strlen(text); length && text[length - 1] == ' ';)
        text[--length] = '\0';
    return text;
}

static bool read_line(struct given *g, char *text)
{
    char *equals, *left, *blank;

    for (char *c = text; *c; c++) {
        if (*c == '\n' || *c == '\t' || *c == '\r')
            *c = ' ';
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return wrong(g, "a byte that is no text");
    }
    text = trim(text);
    if (!*text || *text == '#')
        return true;
    equals = strchr(text, '=');
    if (!equals)
        return wrong(g, "give KEY = VALUE, or a comment behind #");
    *equals = '\0';
    left = trim(text);
    blank = strchr(left, ' ');
    if (blank) {
        *blank = '\0';
        g->label = trim(blank + 1);
        if (strchr(g->label, ' '))
            return wrong(g, "%s: a label is one word", left);
    } else {
        g->label = NULL;
    }
    g->key = left;
    g->value = trim(equals + 1);
    return read_given(g);
}

/* ---- the whole ----------------------------------------------------------- */

static bool find_base(struct given *g, const char *text)
{
    struct sweep *s = g->s;
    const char *equals = strchr(text, '=');
    char *name = equals ? grow_bytes(text, (size_t)(equals - text)) : NULL;
    struct sweep_axis *a = name ? axis_named(s, name) : NULL;

    free(name);
    if (!a && equals)
        return wrong(g, "base = %s: %.*s is no key of this file", text,
                     (int)(equals - text), text);
    if (!a)
        return wrong(g, "base = %s: give KEY=VALUE, KEY one of this file",
                     text);
    for (size_t n = 0; n < a->values; n++)
        if (strcmp(a->value[n].label, equals + 1) == 0)
            a->base = n;
    return a->base != SIZE_MAX ||
           wrong(g, "base = %s: %s has no such value", text, a->name);
}

/* Is a word this option, which has `length` bytes, or begins with it and = ? */
static bool is_option(const char *word, const char *name, size_t length)
{
    return strncmp(word, name, length) == 0 &&
           (word[length] == '\0' || word[length] == '=');
}

/* An option that stands with the program would win over an axis. */
static bool check_words(struct given *g, const struct sweep_words *w)
{
    const struct sweep *s = g->s;

    for (size_t n = 0; n < w->count; n++) {
        const char *word = w->word[n];
        const char *knob = strncmp(word, "--set=", 6) == 0 ? word + 6
                           : n && strcmp(w->word[n - 1], "--set") == 0 ? word
                                                                       : NULL;

        for (size_t k = 0; k < s->axes; k++)
            for (size_t c = 0; c < s->axis[k].column.count; c++) {
                const char *name = s->axis[k].column.word[c];
                size_t length = strlen(name);

                if (strcmp(name, "program") == 0)
                    continue; /* that of a guest is another word */
                if (knob ? is_option(knob, name, length)
                         : strncmp(word, "--", 2) == 0 &&
                               is_option(word + 2, name, length))
                    return wrong(g, "%s: %s has lines of its own", word, name);
            }
    }
    return true;
}

static bool check(struct given *g)
{
    struct sweep *s = g->s;
    const struct sweep_axis *programs = axis_named(s, "program");
    const struct sweep_axis *rows = axis_named(s, "row");

    g->line = s->base_line;
    for (size_t n = 0; n < s->base.count; n++)
        if (!find_base(g, s->base.word[n]))
            return false;
    g->line = rows ? rows->line : 0;
    if (rows && !rows->values)
        return wrong(g, "the table has no rows: row = VALUE...");
    g->line = s->option_line;
    if (!check_words(g, &s->option))
        return false;
    for (size_t n = 0; programs && n < programs->values; n++) {
        g->line = programs->value[n].line;
        if (!check_words(g, &programs->value[n].program))
            return false;
    }
    if (!programs && !has_column(s, "program")) {
        snprintf(g->why, SWEEP_WHY,
                 "%s: no line says what runs: program = [OPTION...] PROGRAM "
                 "[ARGUMENT...]",
                 s->file);
        return false;
    }
    return true;
}

bool sweep_read(struct sweep *s, char why[SWEEP_WHY])
{
    struct given g = {.s = s, .why = why};
    FILE *from = fopen(s->file, "re");
    char *line = NULL;
    size_t room = 0, runs = 1;
    bool good = true;
    ssize_t length;

    if (!from) {
        snprintf(why, SWEEP_WHY, "%s: %s", s->file, strerror(errno));
        return false;
    }
    while (good && (length = getline(&line, &room, from)) >= 0) {
        g.line++;
        good = strlen(line) == (size_t)length
                   ? read_line(&g, line)
                   : wrong(&g, "a byte that is no text");
    }
    if (good && ferror(from)) {
        snprintf(why, SWEEP_WHY, "%s: %s", s->file, strerror(errno));
        good = false;
    }
    free(line);
    fclose(from);
    good = good && check(&g);
    for (size_t n = 0; good && n <= s->axes; n++) {
        runs *= n < s->axes ? s->axis[n].values : s->seeds ? s->seeds : 1;
        if (runs > SWEEP_RUNS) {
            snprintf(why, SWEEP_WHY, "%s: more than %u runs", s->file,
                     SWEEP_RUNS);
            good = false;
        }
    }
    return good;
}

void sweep_free(struct sweep *s)
{
    for (size_t n = 0; n < s->axes; n++) {
        struct sweep_axis *a = &s->axis[n];

        for (size_t k = 0; k < a->values; k++) {
            free(a->value[k].label);
            sweep_words_free(&a->value[k].cell);
            sweep_words_free(&a->value[k].option);
            sweep_words_free(&a->value[k].program);
        }
        free(a->value);
        free(a->name);
        sweep_words_free(&a->column);
    }
    free(s->axis);
    free(s->seed);
    sweep_words_free(&s->option);
    sweep_words_free(&s->base);
    sweep_words_free(&s->table);
}
