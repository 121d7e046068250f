/* settings.c - the commands of a session that are no reports: what is set,
 * selected, defined, and where output goes. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/query/filter.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/session/options.h"
#include "tools/simprof/report/reports.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/session/session.h"
#include "tools/simprof/view/view.h"

/* ---- settings ------------------------------------------------------------ */

/* Would reports understand it? If not, that is said. */
static bool makes_sense(struct session *s, int bit, const char *text)
{
    struct options o = {.cpu = -1, .refusal = &s->refusal};
    struct samples_metrics m;
    struct selection selection;
    struct view v;
    bool good = options_set(&o, bit, text);
    uint64_t n;

    if (good && bit == OPTION_BIT_FILTERS) {
        good = selection_open(&selection, s->r, &o);
        if (good)
            selection_close(&selection);
    } else if (good && (bit == OPTION_BIT_METRICS || bit == OPTION_BIT_SORT)) {
        samples_metrics_open(&m, s->r);
        samples_metrics_waits(&m, view_waits(s->r, &o, &good));
        good = good && view_open(&v, s->r, &o, &m, VIEW_STACKS - 1);
        samples_metrics_free(&m);
    } else if (good && (bit == OPTION_BIT_FROM || bit == OPTION_BIT_TO ||
                        bit == OPTION_BIT_STEP)) {
        good = option_cycles(s->r, &o, (enum option_bit)bit, 0, &n);
    }
    return good;
}

static void command_set(struct session *s, const struct command *c,
                        struct command_words *w)
{
    char **at = &s->setting[c->option];
    const char *text = command_words_whole(w);
    bool reset = !strcmp(text, "default") ||
                 (c->option == OPTION_BIT_FILTERS && !strcmp(text, "all"));

    if (!text[0]) {
        fprintf(s->out, "%s: %s\n", c->name, *at ? *at : "default");
    } else if (reset || makes_sense(s, c->option, text)) {
        free(*at);
        *at = reset ? NULL : grow_text(text);
    }
}

const char *const printmodes[PRINTMODES + 1] = {"text", "csv", "json", NULL};

static void command_printmode(struct session *s, const struct command *c,
                              struct command_words *w)
{
    for (int i = 0; i < PRINTMODES; i++)
        if (!strcmp(w->rest, printmodes[i])) {
            s->printmode = (enum printmode)i;
            return;
        }
    session_refuse(s, "%s: must be text, csv or json", c->name);
}

/* ---- selections ---------------------------------------------------------- */

/* "3" or "1-3" of a list as an expression about `field`. */
static bool range(const char *field, const char *text, char out[128])
{
    char first[TEXT_NUMBER];
    const char *dash = strchr(text, '-');
    size_t n = dash ? (size_t)(dash - text) : strlen(text);
    uint64_t from, to;

    if (n >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)n, text);
    if (!text_number(first, &from) ||
        !text_number(dash ? dash + 1 : first, &to) || from > to ||
        to > INT64_MAX)
        return false;
    snprintf(out, 128, "%s >= %" PRIu64 " && %s <= %" PRIu64, field, from,
             field, to);
    return true;
}

/* A load object by its name, with its build-id or without. */
static bool object(const struct recording *r, const char *text, char *out,
                   size_t size)
{
    size_t n = strlen(text);

    for (size_t i = 0; i < r->map.images; i++) {
        const char *name = r->map.image[i].archive;

        if (strncmp(name, text, n) || (name[n] && name[n] != '.') ||
            strchr(name, '"'))
            continue;
        snprintf(out, size, "object == \"%s\"", name);
        return true;
    }
    return false;
}

static enum session_select which_select(const struct command *c)
{
    return c->name[0] == 'c'   ? SELECT_CPU
           : c->name[0] == 't' ? SELECT_THREAD
                               : SELECT_OBJECT;
}

/* A list with commas as an expression; NULL: no such thing, which is said. */
static char *selection_of(struct session *s, const struct command *c,
                          const char *list)
{
    static const char *const field[] = {"cpu", "thread"};
    enum session_select which = which_select(c);
    char *copy = grow_text(list), *rest = copy, *word, *all = NULL;
    size_t room = 0, used = 0;

    while ((word = strsep(&rest, ","))) {
        char one[600];
        bool good = which == SELECT_OBJECT ? object(s->r, word, one, sizeof one)
                                           : range(field[which], word, one);

        if (!good) {
            session_refuse(s, "%s: no such %s: %s", c->name,
                           which == SELECT_OBJECT ? "load object (objects "
                                                    "lists them)"
                                                  : "number or range",
                           word);
            free(all);
            free(copy);
            return NULL;
        }
        all = grow(all, &room, used + strlen(one) + 8, 1);
        used += (size_t)sprintf(all + used, "%s%s", used ? " || " : "", one);
    }
    free(copy);
    return all;
}

static void command_select(struct session *s, const struct command *c,
                           struct command_words *w)
{
    enum session_select which = which_select(c);
    bool all = !strcmp(w->rest, "all");
    char *text = all ? NULL : selection_of(s, c, w->rest);

    if (!all && !text)
        return;
    free(s->select[which]);
    free(s->selected[which]);
    s->select[which] = text;
    s->selected[which] = all ? NULL : grow_text(w->rest);
}

char *settings_filter(const struct session *s)
{
    const char *part[SELECTS + 1] = {s->setting[OPTION_BIT_FILTERS]};
    size_t room = 0, used = 0, parts = 0;
    char *all = NULL;

    memcpy(part + 1, s->select, sizeof s->select);
    for (size_t i = 0; i < SELECTS + 1; i++)
        parts += part[i] != NULL;
    if (parts == 1 && part[0]) /* as it was typed */
        return grow_text(part[0]);
    for (size_t i = 0; i < SELECTS + 1; i++)
        if (part[i]) {
            all = grow(all, &room, used + strlen(part[i]) + 8, 1);
            used += (size_t)sprintf(all + used, "%s(%s)", used ? " && " : "",
                                    part[i]);
        }
    if (all && !used)
        all[0] = '\0';
    return all;
}

static void command_show(struct session *s, const struct command *c,
                         struct command_words *w)
{
    const struct command *it;

    (void)c;
    (void)w;
    for (size_t i = 0; (it = commands_at(i)); i++) {
        const char *text =
            it->option >= 0             ? s->setting[it->option]
            : it->run == command_select ? s->selected[which_select(it)]
            : it->run == command_printmode && s->printmode != PRINTMODE_TEXT
                ? printmodes[s->printmode]
                : NULL;

        if (text)
            fprintf(s->out, "%s %s\n", it->name, text);
    }
    for (size_t i = 0; i < s->defined.count; i++)
        if (s->defined.list[i].shape <= DEFINITION_MEMORY)
            fprintf(s->out, "%s %s %s\n",
                    s->defined.list[i].memory ? "mobj_define"
                                              : "indxobj_define",
                    s->defined.list[i].name, s->defined.list[i].text);
}

/* ---- definitions --------------------------------------------------------- */

static void command_define(struct session *s, const struct command *c,
                           struct command_words *w)
{
    char why[FILTER_WHY + 256], *text = w->rest, *name;

    name = strsep(&text, " \t");
    if (text)
        text += strspn(text, " \t");
    if (!text || !text[0]) {
        session_refuse(s, "%s: NAME and an expression should stand here",
                       c->name);
        return;
    }
    text = command_words_unquoted(text);
    if (!definitions_add(&s->defined, name, text, c->name[0] == 'm', why,
                         sizeof why))
        session_refuse(s, "%s: %s", c->name, why);
}

static void command_list(struct session *s, const struct command *c,
                         struct command_words *w)
{
    bool memory = c->name[0] == 'm';

    (void)w;
    if (!memory)
        fputs("threads         reports of their own\ncpus\nsamples\nseconds\n",
              s->out);
    for (size_t i = 0; i < s->defined.count; i++)
        if (s->defined.list[i].memory == memory)
            fprintf(s->out, "%-15s %s\n", s->defined.list[i].name,
                    s->defined.list[i].text);
}

/* ---- where output goes --------------------------------------------------- */

static void command_outfile(struct session *s, const struct command *c,
                            struct command_words *w)
{
    FILE *to = stdout;

    if (strcmp(w->rest, "-")) {
        to = w->count == 2 ? fopen(w->word[1], c->name[0] == 'a' ? "a" : "w")
                           : NULL;
        if (!to) {
            session_refuse(s, "%s %s: %s", c->name, w->rest,
                           w->count == 2 ? strerror(errno)
                                         : "a file name should stand here");
            return;
        }
    }
    if (s->out != stdout && fclose(s->out)) {
        session_refuse(s, "the file before cannot be written: %s",
                       strerror(errno));
        s->broken = true;
    }
    s->out = to;
    s->printed = false;
}

static void command_script(struct session *s, const struct command *c,
                           struct command_words *w)
{
    if (w->count != 2)
        session_refuse(s, "%s: a file name should stand here", c->name);
    else
        session_script(s, w->word[1]);
}

static void command_quit(struct session *s, const struct command *c,
                         struct command_words *w)
{
    (void)c;
    (void)w;
    s->quit = true;
}

/* ---- help ---------------------------------------------------------------- */

static void put_help(FILE *to, const char *name, const char *arguments,
                     const char *text)
{
    char left[64];

    snprintf(left, sizeof left, "%s%s%s", name, arguments[0] ? " " : "",
             arguments);
    report_pair(to, left, 27, text);
}

static void command_help(struct session *s, const struct command *c,
                         struct command_words *w)
{
    const struct command *it;
    const struct report *report;
    char name[REPORTS_NAME];
    int words;

    (void)c;
    if (w->count > 1) {
        report = reports_find(w->count - 1, w->word + 1, &words);
        if (report)
            reports_help(report, s->out);
        else
            session_refuse(s, "no such report: %s", w->rest);
        return;
    }
    fputs("Reports, with their options behind them; help REPORT lists those:\n",
          s->out);
    for (size_t i = 0; (report = reports_at(i)); i++)
        put_help(s->out, reports_spelled(report, name), "", report->text);
    fputs("Settings; without an argument what is set, `default` for none:\n",
          s->out);
    for (size_t i = 0; (it = commands_at(i)); i++)
        if (it->option >= 0)
            put_help(s->out, it->name, it->arguments, it->text);
    fputs("Commands:\n", s->out);
    for (size_t i = 0; (it = commands_at(i)); i++)
        if (it->option < 0 && !it->report)
            put_help(s->out, it->name, it->arguments, it->text);
}

/* ---- the table ----------------------------------------------------------- */

static const struct command commands[] = {
#define SETTING(name, option, arguments, text)                                 \
    {#name, arguments, text, OPTION_BIT_##option, NULL, command_set},
#define COMMAND(name, function, arguments, text)                               \
    {#name, arguments, text, -1, NULL, command_##function},
#define ALIAS(name, report) {#name, "", "", -1, report, NULL},
#include "tools/simprof/session/commands.def"
#undef SETTING
#undef COMMAND
#undef ALIAS
};

const struct command *commands_at(size_t i)
{
    return i < sizeof commands / sizeof commands[0] ? &commands[i] : NULL;
}

const struct command *commands_find(const char *name)
{
    const struct command *c;

    for (size_t i = 0; (c = commands_at(i)); i++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

void settings_free(struct session *s)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        free(s->setting[i]);
    for (int i = 0; i < SELECTS; i++) {
        free(s->select[i]);
        free(s->selected[i]);
    }
    definitions_free(&s->defined);
}
