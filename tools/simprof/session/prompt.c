/* prompt.c - the prompt, by libedit: line editing as a shell's, keys as
 * ~/.editrc says. History is that of the session. */
#include "tools/simprof/session/prompt.h"

#include <histedit.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/session/completion.h"

#define REMEMBERED 1000 /* lines */

static const char *prompt(EditLine *e)
{
    (void)e;
    return "(simprof) ";
}

/* ---- completion ---------------------------------------------------------- */

#define SHOWN 200 /* names at once */

static void show_names(EditLine *e, const struct completion *c)
{
    FILE *to;

    el_get(e, EL_GETFP, 1, &to);
    putc('\n', to);
    for (size_t i = 0; i < c->names && i < SHOWN; i++)
        fprintf(to, "%s  ", c->name[i]);
    if (c->names > SHOWN)
        fprintf(to, "(%zu more)", c->names - SHOWN);
    putc('\n', to);
    fflush(to);
}

/* Tab: the word in front of the cursor. */
static unsigned char on_tab(EditLine *e, int key)
{
    const LineInfo *line = el_line(e);
    size_t n = (size_t)(line->cursor - line->buffer), typed, same;
    unsigned char what = CC_ERROR;
    struct completion c;
    struct session *s;
    char *more;

    (void)key;
    el_get(e, EL_CLIENTDATA, &s);
    complete(&c, s, line->buffer, n);
    typed = n - c.from;
    same = completion_common(&c);
    if (same > typed || (c.names == 1 && c.behind)) {
        more = grow_zero(same - typed + 2, 1);
        memcpy(more, c.name[0] + typed, same - typed);
        if (c.names == 1)
            more[same - typed] = c.behind;
        if (!el_insertstr(e, more))
            what = CC_REFRESH;
        free(more);
    } else if (c.names > 1) {
        show_names(e, &c);
        what = CC_REDISPLAY;
    }
    completion_free(&c);
    return what;
}

/* ---- the loop ------------------------------------------------------------ */

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
    el_set(e, EL_CLIENTDATA, s);
    el_set(e, EL_ADDFN, "complete", "complete a name", on_tab);
    el_set(e, EL_BIND, "^I", "complete", NULL);
    el_set(e, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(e, NULL);
    read_lines(s, e, h);
    history_end(h);
    el_end(e);
}
