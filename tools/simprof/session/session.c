/* session.c - obeys commands one by one. */
#include "tools/simprof/session/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "lib/base/text.h"
#include "tools/simprof/session/options.h"
#include "tools/simprof/report/reports.h"

#define DEEPEST 16 /* scripts within each other */

void session_open(struct session *s, struct recording *r,
                  const char *experiment)
{
    r->rereads = true;
    *s = (struct session){.r = r, .experiment = experiment, .out = stdout};
    definitions_machine(&s->defined, r);
}

void session_close(struct session *s)
{
    if (s->out != stdout && fclose(s->out)) {
        perror("simprof: the report cannot be written");
        s->broken = true;
    }
    settings_free(s);
}

/* ---- what cannot be done ------------------------------------------------- */

void session_refuse(struct session *s, const char *format, ...)
{
    va_list args;

    if (s->refusal.text[0])
        return;
    va_start(args, format);
    vsnprintf(s->refusal.text, sizeof s->refusal.text, format, args);
    va_end(args);
}

/* Say what was refused, and what is wrong with the experiment and was not
 * said yet. */
static void tell(struct session *s)
{
    if (s->refusal.text[0]) {
        if (s->script)
            fprintf(stderr, "simprof: %s:%u: %s\n", s->script, s->line,
                    s->refusal.text);
        else
            fprintf(stderr, "simprof: %s\n", s->refusal.text);
        s->refusal.text[0] = '\0';
        s->failed |= s->refusal.broken;
        s->refused |= !s->at_prompt;
        s->refusal.broken = false;
    }
    s->told = problems_print_from(&s->r->problems, s->told, stderr);
}

/* ---- reports ------------------------------------------------------------- */

/* What is set and the report takes. What it does not take and would have left
 * something out is worth a word. */
static void settings_into(struct session *s, const struct report *report,
                          struct options *o, const char *filter)
{
    for (int bit = 0; bit < OPTION_COUNT; bit++) {
        const char *text = bit == OPTION_BIT_FILTERS ? filter : s->setting[bit];
        bool leaves_out = bit == OPTION_BIT_FILTERS || bit == OPTION_BIT_FROM ||
                          bit == OPTION_BIT_TO;

        if (!text)
            continue;
        if (report->takes & 1ull << bit && options_set(o, bit, text))
            o->standing |= 1ull << bit;
        else if (leaves_out && report->takes & OPTION_CSV)
            fprintf(stderr, "simprof: note: %s goes without --%s: %s\n",
                    report->name, options_spelling(bit), text);
    }
    if (s->printmode != PRINTMODE_TEXT && report->takes & OPTION_CSV)
        options_set(
            o, s->printmode == PRINTMODE_CSV ? OPTION_BIT_CSV : OPTION_BIT_JSON,
            NULL);
}

/* A report in text, an empty line before it if it is not the first. */
static void print_text(struct session *s, const struct report *report,
                       const struct options *o)
{
    size_t size = 0;
    char *text = NULL;
    FILE *to = open_memstream(&text, &size);

    if (!to) {
        session_refuse(s, "%s", strerror(errno));
        return;
    }
    reports_print(report, s->r, o, to);
    fclose(to);
    if (size && s->printed)
        putc('\n', s->out);
    s->printed |= size > 0;
    fwrite(text, 1, size, s->out);
    free(text);
}

static void report_to(struct session *s, const struct report *report,
                      const struct options *o)
{
    errno = 0;
    if (report->takes & OPTION_WIDTH && !o->csv)
        print_text(s, report, o);
    else
        reports_print(report, s->r, o, s->out);
    if (fflush(s->out) || ferror(s->out)) {
        if (errno != EPIPE)
            perror("simprof: the report cannot be written");
        s->broken = s->quit = true;
    }
}

/* word[0] is the report's name, of one word or two. */
static void run_report(struct session *s, const struct report *report,
                       int words, struct command_words *w)
{
    char *filter = settings_filter(s);
    struct options o = {.experiment = s->experiment,
                        .cpu = -1,
                        .limit = UINT32_MAX,
                        .defined = &s->defined,
                        .refusal = &s->refusal};
    int argc = w->count - words + 1, left;
    char **argv = w->word + words - 1;
    bool good = true;

    settings_into(s, report, &o, filter);
    switch (options_read(&o, report->takes, argc, argv, &left)) {
    case OPTIONS_HELP:
        reports_help(report, s->out);
        break;
    case OPTIONS_READ:
        options_settle(&o, s->out);
        for (; good && left < argc; left++)
            good = options_operand(&o, report->takes, argv[left]);
        if (!good)
            session_refuse(s, "%s: what is %.200s for?", argv[0],
                           argv[left - 1]);
        else
            report_to(s, report, &o);
        break;
    case OPTIONS_REFUSED:
        break;
    }
    free(filter);
}

/* ---- commands ------------------------------------------------------------ */

static void no_command(struct session *s, const char *word)
{
    char spelled[256][REPORTS_NAME], near[DID_YOU_MEAN_TEXT];
    const struct report *report;
    const struct command *c;
    struct did_you_mean n;

    did_you_mean_begin(&n, word);
    for (size_t i = 0; i < 256 && (report = reports_at(i)); i++)
        did_you_mean_offer(&n, reports_spelled(report, spelled[i]));
    for (size_t i = 0; (c = commands_at(i)); i++)
        did_you_mean_offer(&n, c->name);
    session_refuse(s, "%.200s: no such command%s", word,
                   n.count ? did_you_mean_text(&n, near) : "; help lists them");
}

void session_obey(struct session *s, struct command_words *w)
{
    const struct command *c = w->count ? commands_find(w->word[0]) : NULL;
    const struct report *report = NULL;
    int words = 0;

    if (!w->count)
        return;
    if (c && c->report)
        w->word[0] = (char *)c->report;
    /* A setting without an argument may be a report: metrics. */
    if (!c || c->report || (c->option >= 0 && w->count == 1))
        report = reports_find(w->count, w->word, &words);
    if (report)
        run_report(s, report, words, w);
    else if (c)
        c->run(s, c, w);
    else
        no_command(s, w->word[0]);
    tell(s);
}

void session_line(struct session *s, const char *line)
{
    struct command_words w;
    const char *why = command_words_split(&w, line);

    if (why) {
        session_refuse(s, "%s", why);
        tell(s);
    } else {
        session_obey(s, &w);
    }
    command_words_free(&w);
}

void session_read(struct session *s, FILE *from, const char *name)
{
    const char *script = s->script;
    unsigned line = s->line;
    bool at_prompt = s->at_prompt;
    size_t room = 0;
    char *text = NULL;

    s->script = name;
    s->at_prompt = false;
    s->quit = false;
    for (s->line = 1; !s->quit && getline(&text, &room, from) >= 0; s->line++)
        session_line(s, text);
    free(text);
    s->script = script;
    s->line = line;
    s->at_prompt = at_prompt;
    s->quit = s->broken;
}

bool session_script(struct session *s, const char *path)
{
    FILE *from = NULL;

    if (s->depth == DEEPEST)
        session_refuse(s, "%s: scripts within scripts, %d deep", path, DEEPEST);
    else if (!(from = fopen(path, "r")))
        session_refuse(s, "%s: %s", path, strerror(errno));
    if (!from)
        return false;
    s->depth++;
    session_read(s, from, path);
    s->depth--;
    fclose(from);
    return true;
}
