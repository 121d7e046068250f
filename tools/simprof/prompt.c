/* prompt.c - the prompt, by libedit: line editing as a shell's, keys as
 * ~/.editrc says. History is that of the session. */
#include "tools/simprof/prompt.h"

#include <histedit.h>
#include <stdlib.h>
#include <string.h>

#include "tools/simprof/reports.h"

#define REMEMBERED 1000 /* lines */

static const char *prompt(EditLine *e)
{
    (void)e;
    return "(simprof) ";
}

/* ---- completion --------------------------------------------------------- */

/* Name number i of what a line may begin with; NULL: there are no more. */
static const char *name_at(size_t i, char out[REPORTS_NAME])
{
    const struct report *report;
    const struct command *c;
    size_t reports = 0;

    while ((report = reports_at(reports)))
        if (reports++ == i)
            return reports_spelled(report, out);
    c = commands_at(i - reports);
    return c ? c->name : NULL;
}

/* How far all names that begin like this agree. Returns how many do. */
static unsigned complete(const char *text, size_t n, char out[REPORTS_NAME])
{
    char room[REPORTS_NAME];
    unsigned found = 0;
    const char *name;

    for (size_t i = 0; (name = name_at(i, room)); i++) {
        size_t same = 0;

        if (strncmp(name, text, n))
            continue;
        if (!found++)
            snprintf(out, REPORTS_NAME, "%s", name);
        while (out[same] && out[same] == name[same])
            same++;
        out[same] = '\0';
    }
    return found;
}

static void show_names(EditLine *e, const char *text, size_t n)
{
    char room[REPORTS_NAME];
    const char *name;
    FILE *to;

    el_get(e, EL_GETFP, 1, &to);
    putc('\n', to);
    for (size_t i = 0; (name = name_at(i, room)); i++)
        if (!strncmp(name, text, n))
            fprintf(to, "%s  ", name);
    putc('\n', to);
    fflush(to);
}

/* Tab: the first word of the line. */
static unsigned char on_tab(EditLine *e, int key)
{
    const LineInfo *line = el_line(e);
    size_t n = (size_t)(line->cursor - line->buffer);
    char name[REPORTS_NAME] = "", *more;
    unsigned found;

    (void)key;
    if (n >= REPORTS_NAME || memchr(line->buffer, ' ', n))
        return CC_ERROR;
    found = complete(line->buffer, n, name);
    more = name + (found ? n : 0);
    if (found == 1 && strlen(name) + 2 < sizeof name)
        strcat(name, " ");
    if (more[0] && !el_insertstr(e, more))
        return CC_REFRESH;
    if (found < 2)
        return CC_ERROR;
    show_names(e, line->buffer, n);
    return CC_REDISPLAY;
}

/* ---- the loop ----------------------------------------------------------- */

static void read_lines(struct session *s, EditLine *e, History *h)
{
    const char *line;
    HistEvent event;
    int n;

    while (!s->quit && (line = el_gets(e, &n)) && n > 0) {
        if (line[strspn(line, " \t\n")])
            history(h, &event, H_ENTER, line);
        session_line(s, line);
    }
    if (!s->quit)
        puts(""); /* behind a prompt that Ctrl-D left */
}

void prompt_run(struct session *s)
{
    EditLine *e = el_init("simprof", stdin, stdout, stderr);
    History *h = history_init();
    HistEvent event;

    if (!e || !h) {
        session_refuse(s, "no memory for the prompt");
        s->broken = true;
        return;
    }
    s->at_prompt = true;
    history(h, &event, H_SETSIZE, REMEMBERED);
    history(h, &event, H_SETUNIQUE, 1);
    el_set(e, EL_PROMPT, prompt);
    el_set(e, EL_EDITOR, "emacs");
    el_set(e, EL_SIGNAL, 1);
    el_set(e, EL_HIST, history, h);
    el_set(e, EL_ADDFN, "complete", "complete a name", on_tab);
    el_set(e, EL_BIND, "^I", "complete", NULL);
    el_set(e, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(e, NULL);
    read_lines(s, e, h);
    history_end(h);
    el_end(e);
}
