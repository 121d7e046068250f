/* session.h - many commands on one experiment, which is read once: from the
 * command line, from scripts, or from a prompt.
 *
 * A command is a report with its options, or a row of commands.def. What is
 * set holds for all later reports that take it. A command that cannot be
 * obeyed is told on standard error, with the script's name and line, and the
 * next one is read. `quit` ends the script it stands in.
 */
#ifndef TOOLS_SIMPROF_SESSION_SESSION_H
#define TOOLS_SIMPROF_SESSION_SESSION_H

#include <stdint.h>

#include "tools/simprof/report/definitions.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/session/command_words.h"

enum printmode { PRINTMODE_TEXT, PRINTMODE_CSV, PRINTMODE_JSON, PRINTMODES };

/* Their names, ended by NULL. */
extern const char *const printmodes[PRINTMODES + 1];

enum session_select { SELECT_CPU, SELECT_THREAD, SELECT_OBJECT, SELECTS };

struct session {
    struct recording *r;
    const char *experiment;
    char *setting[OPTION_COUNT]; /* as it was given; NULL: not */
    char *select[SELECTS];       /* as an expression; NULL: all */
    char *selected[SELECTS];     /* as it was given */
    enum printmode printmode;
    struct definitions defined;
    FILE *out;
    bool printed; /* a report in text, to out */
    struct refusal refusal;
    const char *script; /* the name of what is read, NULL: nothing with lines */
    unsigned line;      /* in it, from 1 */
    unsigned depth;     /* scripts within scripts */
    bool quit;          /* this script is to end */
    bool refused;       /* some command was, not counting those at a prompt */
    bool broken;        /* output cannot be written */
    bool failed;        /* some report could not write what it was to */
    bool at_prompt;
    size_t told; /* problems of the experiment that were printed */
};

void session_open(struct session *s, struct recording *r,
                  const char *experiment);
void session_close(struct session *s);

/* One command. Words may be changed. */
void session_obey(struct session *s, struct command_words *w);

/* One line of text. */
void session_line(struct session *s, const char *line);

/* Every line of a file, up to `quit`. */
void session_read(struct session *s, FILE *from, const char *name);

/* A script by name. False: it cannot be opened, which is said. */
bool session_script(struct session *s, const char *path);

/* This command cannot be obeyed: said at its end. */
void session_refuse(struct session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- commands (settings.c), and what there is ---------------------------- */

struct command {
    const char *name, *arguments, *text;
    int option;         /* of a setting; -1 */
    const char *report; /* of an alias; NULL */
    void (*run)(struct session *s, const struct command *c,
                struct command_words *w);
};

/* NULL: none of that name. */
const struct command *commands_find(const char *name);
const struct command *commands_at(size_t i);

/* The filter that is set and the selections, as one expression; NULL: none.
 * The caller frees. */
char *settings_filter(const struct session *s);

void settings_free(struct session *s);

#endif
