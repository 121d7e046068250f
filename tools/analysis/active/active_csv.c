/* active_csv.c - tables as comma-separated values, read exactly: times may
 * have decimals and become whole numbers of the finest unit that occurs.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/analysis/active/active_input.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"

#define FIELDS 32
#define DECIMALS 9
#define UNIT sizeof(((struct active_input *)0)->unit)

/* One table being read. */
struct csv {
    const char *path;
    FILE *f;
    char *line; /* cut into fields */
    size_t line_size;
    unsigned number; /* of the line, from 1 */
    char *field[FIELDS];
    int fields;
    char *column[FIELDS];
    int columns;
    struct active_input *in;
    bool *finer; /* more decimals than we read with were seen */
    bool broken; /* a line that cannot be cut was met */
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct csv *c,
                                                        const char *format, ...)
{
    int n = snprintf(c->why, c->size, "%s:%u: ", c->path, c->number);
    va_list args;

    va_start(args, format);
    if (n > 0 && (size_t)n < c->size)
        vsnprintf(c->why + n, c->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* ---- lines and columns --------------------------------------------------- */

static bool blank(char c)
{
    return isspace((unsigned char)c);
}

/* Cut the next field off *rest, which is NULL after the last one: without the
 * blanks around it, or what stands in quotes, two of which are one. NULL: the
 * quotes have no end, or something stands behind it. */
static char *cut(char **rest)
{
    char *in = *rest, *out, *field;
    bool closed = false;

    while (blank(*in))
        in++;
    field = out = in;
    if (*in != '"') {
        in += strcspn(in, ",");
        *rest = *in ? in + 1 : NULL;
        while (in > field && blank(in[-1]))
            in--;
        *in = '\0';
        return field;
    }
    for (in++; *in && !closed;) {
        closed = *in == '"' && *++in != '"';
        if (!closed)
            *out++ = *in++;
    }
    while (blank(*in))
        in++;
    if (!closed || (*in && *in != ','))
        return NULL;
    *rest = *in ? in + 1 : NULL;
    *out = '\0';
    return field;
}

static bool cut_line(struct csv *c, char *rest)
{
    for (c->fields = 0; rest && c->fields < FIELDS; c->fields++) {
        c->field[c->fields] = cut(&rest);
        if (!c->field[c->fields]) {
            wrong(c, "a quote without its end, or something behind it");
            c->broken = true;
            return false;
        }
    }
    return true;
}

/* The next line that holds something, cut at its commas. False: there is none,
 * or it is broken. */
static bool next_line(struct csv *c)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8, in front */

    do {
        char *line;

        if (getline(&c->line, &c->line_size, c->f) < 0)
            return false;
        c->number++;
        line = c->line;
        if (c->number == 1 && !strncmp(line, mark, strlen(mark)))
            line += strlen(mark);
        c->fields = 0;
        if (*line != '#' && !cut_line(c, line))
            return false;
    } while (!c->fields || (c->fields == 1 && !c->field[0][0]));
    return true;
}

/* Column "time", "time_ms" or "time [ms]": the name and then no letter. */
static int column(const struct csv *c, const char *name)
{
    size_t n = strlen(name);

    for (int i = 0; i < c->columns; i++)
        if (!strncasecmp(c->column[i], name, n) &&
            !isalnum((unsigned char)c->column[i][n]))
            return i;
    return -1;
}

static bool need(struct csv *c, const char *name, int *at)
{
    *at = column(c, name);
    return *at >= 0 || wrong(c,
                             "no column \"%s\", name the columns in the "
                             "first line",
                             name);
}

/* "ms" out of "time [ms]"; name is "time". */
static void unit_of(const struct csv *c, int at, const char *name,
                    char unit[UNIT])
{
    size_t n = 0;

    for (const char *s = c->column[at] + strlen(name); *s; s++)
        if (isalpha((unsigned char)*s) && n + 1 < UNIT)
            unit[n++] = *s;
    unit[n] = '\0';
}

static void take_unit(struct csv *c, int at)
{
    char unit[UNIT];

    unit_of(c, at, "time", unit);
    if (unit[0])
        memcpy(c->in->unit, unit, UNIT);
}

/* All times are in one unit, and say so: without one they are cycles. */
static bool same_unit(struct csv *c, int at, const char *name)
{
    char unit[UNIT];

    if (at < 0)
        return true;
    unit_of(c, at, name, unit);
    if (!unit[0])
        return !strcasecmp("cycles", c->in->unit) ||
               wrong(c,
                     "%s names no unit, but the timers are in %s: if it is in "
                     "%s, name it \"%s [%s]\"",
                     name, c->in->unit, c->in->unit, name, c->in->unit);
    return !strcasecmp(unit, c->in->unit) ||
           wrong(c, "%s in %s, but the timers are in %s: give all in one unit",
                 name, unit, c->in->unit);
}

static bool open_table(struct csv *c)
{
    c->f = fopen(c->path, "r");
    c->number = 0;
    c->broken = false;
    if (!c->f) {
        snprintf(c->why, c->size, "%s: %s", c->path, strerror(errno));
        return false;
    }
    if (!next_line(c)) {
        c->number += !c->number;
        return !c->broken && wrong(c, "empty, name the columns in this line");
    }
    c->columns = c->fields;
    for (int i = 0; i < c->columns; i++)
        c->column[i] = grow_text(c->field[i]);
    return true;
}

static void close_table(struct csv *c)
{
    for (int i = 0; i < c->columns; i++)
        free(c->column[i]);
    c->columns = 0;
    if (c->f)
        fclose(c->f);
    c->f = NULL;
}

/* ---- fields -------------------------------------------------------------- */

static const char *text_at(const struct csv *c, int at)
{
    return at >= 0 && at < c->fields ? c->field[at] : "";
}

static bool read_time(struct csv *c, int at, uint64_t *time)
{
    const char *s = text_at(c, at);
    unsigned decimals = 0;
    bool point = false, digits = false;

    for (*time = 0; *s; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (!isdigit((unsigned char)*s) || (point && decimals == DECIMALS) ||
            *time > (UINT64_MAX >> 1) / 10 - 9)
            return wrong(c, "\"%s\": must be a number of at most 9 decimals",
                         text_at(c, at));
        *time = *time * 10 + (uint64_t)(*s - '0');
        decimals += point;
        digits = true;
    }
    if (!digits)
        return wrong(c, "a number is missing");
    if (decimals > c->in->decimals) {
        c->in->decimals = decimals;
        *c->finer = true;
    }
    for (; decimals < c->in->decimals; decimals++) {
        if (*time > (UINT64_MAX >> 1) / 10)
            return wrong(c, "\"%s\": too large", text_at(c, at));
        *time *= 10;
    }
    return true;
}

static bool read_thread(struct csv *c, int at, uint32_t *thread)
{
    const char *s = text_at(c, at);
    uint64_t n;

    if (!strcmp(s, "?")) {
        *thread = ACTIVE_NOBODY;
        return true;
    }
    if (*s == 'T' || *s == 't')
        s++;
    if (!text_number(s, &n) || n >= ACTIVE_NOBODY)
        return wrong(c, "\"%s\": must be the number of a thread, or ?",
                     text_at(c, at));
    *thread = (uint32_t)n;
    return true;
}

/* "enter F" */
static bool read_event(struct csv *c, int at, struct active_timer *t)
{
    const char *s = text_at(c, at);
    size_t word = strcspn(s, " ");

    if (!active_word(s, word, &t->event) || !s[word])
        return wrong(c,
                     "\"%s\": must be enter, exit, begin or end, and the name "
                     "of what",
                     s);
    t->portion = active_input_portion(c->in, s + word + strspn(s + word, " "),
                                      t->event == ACTIVE_BEGIN ||
                                          t->event == ACTIVE_END);
    return true;
}

/* ---- the tables ---------------------------------------------------------- */

static bool read_timers(struct csv *c)
{
    struct active_tables *t = &c->in->t;
    int time, thread, event, overhead = column(c, "overhead");

    if (!need(c, "time", &time) || !need(c, "thread", &thread) ||
        !need(c, "event", &event))
        return false;
    take_unit(c, time);
    if (!same_unit(c, overhead, "overhead"))
        return false;
    while (next_line(c)) {
        struct active_timer row = {.overhead = ACTIVE_BY_TYPE};

        if (!read_time(c, time, &row.time) ||
            !read_thread(c, thread, &row.thread) || !read_event(c, event, &row))
            return false;
        if (text_at(c, overhead)[0] && !read_time(c, overhead, &row.overhead))
            return false;
        t->timer =
            grow(t->timer, &t->timers_room, t->timers + 1, sizeof *t->timer);
        t->timer[t->timers++] = row;
    }
    return !c->broken;
}

/* thread and state: the other one is not known. */
static bool read_state(struct csv *c, int thread, int state,
                       struct active_switch *row)
{
    const char *s = text_at(c, state);
    bool out = !strcasecmp(s, "out") || !strcasecmp(s, "swapped-out");

    if (!out && strcasecmp(s, "in") && strcasecmp(s, "swapped-in"))
        return wrong(c, "\"%s\": must be in or out", s);
    row->old = row->new = ACTIVE_NOBODY;
    return read_thread(c, thread, out ? &row->old : &row->new);
}

static bool read_changes(struct csv *c)
{
    struct active_tables *t = &c->in->t;
    int time, old, new = -1, state = column(c, "state");

    if (!need(c, "time", &time) ||
        !need(c, state >= 0 ? "thread" : "old", &old) ||
        (state < 0 && !need(c, "new", &new)) || !same_unit(c, time, "time"))
        return false;
    while (next_line(c)) {
        struct active_switch row;

        if (!read_time(c, time, &row.time))
            return false;
        if (state >= 0 ? !read_state(c, old, state, &row)
                       : !read_thread(c, old, &row.old) ||
                             !read_thread(c, new, &row.new))
            return false;
        t->change = grow(t->change, &t->changes_room, t->changes + 1,
                         sizeof *t->change);
        t->change[t->changes++] = row;
    }
    return !c->broken;
}

static bool read_overhead(struct csv *c)
{
    int event, overhead;

    if (!need(c, "event", &event) || !need(c, "overhead", &overhead) ||
        !same_unit(c, overhead, "overhead"))
        return false;
    while (next_line(c)) {
        const char *type = text_at(c, event);
        unsigned i = 0;

        while (i < ACTIVE_EVENTS &&
               strcasecmp(type, active_type((enum active_event)i)))
            i++;
        if (i == ACTIVE_EVENTS)
            return wrong(c,
                         "\"%s\": must be function entry, function exit, "
                         "section begin or section end",
                         type);
        if (!read_time(c, overhead, &c->in->t.overhead[i]))
            return false;
    }
    return !c->broken;
}

/* ---- all of them --------------------------------------------------------- */

/* Once through all files. */
static bool read_all(struct csv *c, const char *files)
{
    static bool (*const read[])(struct csv * c) = {read_timers, read_changes,
                                                   read_overhead};
    char *list = grow_text(files), *rest = list;
    bool good = true;
    unsigned i;

    for (i = 0; good && rest && i < 3; i++) {
        c->path = strsep(&rest, ",");
        good = open_table(c) && read[i](c);
        close_table(c);
    }
    if (good && rest) {
        snprintf(c->why, c->size,
                 "%s: three tables at most: timers, "
                 "switches, overhead",
                 files);
        good = false;
    }
    for (unsigned k = 0; i < 3 && k < ACTIVE_EVENTS; k++)
        c->in->t.overhead[k] = 0; /* no table: not asked for */
    free(list);
    return good;
}

bool active_input_csv(struct active_input *in, const char *files, char *why,
                      size_t size)
{
    struct csv c = {.in = in, .why = why, .size = size};
    unsigned decimals = 0;
    bool good, finer;

    *in = (struct active_input){0};
    c.finer = &finer;
    do { /* again, if the unit must be finer than we thought */
        active_input_free(in);
        *in = (struct active_input){.unit = "cycles", .decimals = decimals};
        for (unsigned i = 0; i < ACTIVE_EVENTS; i++)
            in->t.overhead[i] = ACTIVE_BY_TYPE;
        finer = false;
        good = read_all(&c, files);
        decimals = in->decimals;
    } while (good && finer);
    free(c.line);
    if (!good)
        active_input_free(in);
    return good;
}
