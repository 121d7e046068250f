/* sweep.h - many runs from one file (simrun sweep FILE): what varies, and a
 * table of what came of it. docs/sweep.md is the format.
 *
 * A sweep is a product of axes, each a list of values, and of seeds. A value is
 * words of simrun's command line. Runs are numbered from 0, seeds fastest, then
 * the last axis.
 */
#ifndef SIM_SWEEP_SWEEP_H
#define SIM_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SWEEP_WHY 2048      /* room for a line that says what is wrong */
#define SWEEP_RUNS 1000000u /* most of a sweep */

/* Texts, owned. */
struct sweep_words {
    char **word;
    size_t count, room;
};

struct sweep_value {
    char *label;               /* by which `base` means it */
    struct sweep_words cell;   /* in the CSV, one for each column of the axis */
    struct sweep_words option; /* for simrun, in front of the program */
    struct sweep_words program;
    unsigned line; /* of the file */
};

struct sweep_axis {
    char *name;
    struct sweep_words column;
    struct sweep_value *value;
    size_t values, room;
    unsigned line;
    size_t base; /* a value; SIZE_MAX: none is named */
};

struct sweep {
    const char *file; /* the caller's */
    struct sweep_axis *axis;
    size_t axes, axes_room;
    struct sweep_words option; /* that every run has */
    unsigned option_line;
    uint32_t *seed;
    size_t seeds, seeds_room; /* none: seeds are as the program has them */
    bool jitter_only;         /* they are of the knob jitter_seed, not of all */
    struct sweep_words base;  /* KEY=LABEL, as it stands in the file */
    unsigned base_line;
    struct sweep_words table; /* columns of the rows to come */
    bool stdout_file; /* what runs print goes to a file that is thrown away */
};

/* ---- sweep_file.c -------------------------------------------------------- */

/* Read s->file. False: `why` has the line, "FILE:LINE: what". */
bool sweep_read(struct sweep *s, char why[SWEEP_WHY]);
void sweep_free(struct sweep *s);

/* ---- sweep_words.c ------------------------------------------------------- */

void sweep_words_add(struct sweep_words *w, const char *text);
void sweep_words_free(struct sweep_words *w);
/* The words of a text as a shell has them: blanks between, quotes of both
 * kinds, a backslash in front of a byte. False: a quote has no end. */
bool sweep_words_split(struct sweep_words *w, const char *text);

/* ---- sweep_runs.c -------------------------------------------------------- */

/* Values of the axes and the seed of a run. */
struct sweep_place {
    size_t at[64]; /* by axis */
    size_t seed;
};
#define SWEEP_AXES 64u

size_t sweep_runs(const struct sweep *s);
struct sweep_place sweep_place(const struct sweep *s, size_t run);
size_t sweep_run_at(const struct sweep *s, const struct sweep_place *p);

/* The words of a run behind "simrun", NULL behind the last. */
void sweep_command(const struct sweep *s, size_t run, struct sweep_words *w);

/* The name of a run's result: of its words, of the bytes of each file that they
 * name, and of this simrun, so that a result is never taken for another's. */
struct sweep_names {
    char *dir; /* FILE.runs, or what --runs says */
    uint64_t self;
    struct sweep_file {
        char *path;
        uint64_t sum;
    } * file;
    size_t files, room;
};
void sweep_names_open(struct sweep_names *n, const char *dir);
void sweep_names_close(struct sweep_names *n);
/* "DIR/0123456789abcdef" + suffix; the caller frees. */
char *sweep_name(struct sweep_names *n, const struct sweep *s, size_t run,
                 const char *suffix);

/* ---- sweep_line.c -------------------------------------------------------- */

/* The line of the file that has what simrun speaks of first in what it said of
 * a run that it would not do; 0: that cannot be told. */
unsigned sweep_line(const struct sweep *s, size_t run, const char *said);
/* Does each run write to a place of its own? False: `why` has the line. */
bool sweep_apart(const struct sweep *s, char why[SWEEP_WHY]);

/* ---- sweep_pool.c -------------------------------------------------------- */

struct sweep_work {
    const struct sweep *sweep;
    struct sweep_names *names;
    size_t part, parts; /* runs whose number is part - 1 modulo parts */
    unsigned jobs;
    bool quiet;
    bool keep; /* a run that simrun refuses is a result, and not the end */
};

/* Do the runs that have no result yet. False: `why` has the line, and *status
 * how to end; what is done stays done. */
bool sweep_work(const struct sweep_work *w, char why[SWEEP_WHY], int *status);

/* ---- sweep_table.c ------------------------------------------------------- */

/* Write the table of all runs. False: a result is not there, or damaged: `why`
 * has the line. */
bool sweep_table(const struct sweep *s, struct sweep_names *n, FILE *to,
                 char why[SWEEP_WHY]);

/* ---- sweep_main.c -------------------------------------------------------- */

/* `simrun sweep ...`, argv[0] being "sweep": to the exit status. */
int sweep_main(int argc, char **argv);

#endif
