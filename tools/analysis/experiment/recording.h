/* recording.h - an experiment directory, open for reading.
 * What it is: docs/experiment.md. Anything in it may be damaged or missing;
 * what can be read is here, what cannot is a line in `problems`. A run that
 * was killed, or is still going, has no `end` in its log and is no damage.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_RECORDING_H
#define TOOLS_ANALYSIS_EXPERIMENT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text_lines.h"
#include "tools/analysis/experiment/loadmap.h"
#include "tools/analysis/experiment/problem.h"
#include "tools/analysis/experiment/recfile.h"
#include "tools/analysis/experiment/threads.h"

#define RECORDING_REASONS 256 /* the reason index is 8 bits */

/* What the account's reasons (sim/ooo) mean to readers; others are cycles of
 * instructions. */
enum recording_reason {
    REASON_OTHER,
    REASON_OFF,    /* the CPU was not released yet */
    REASON_NAP,    /* it was idle */
    REASON_SYSTEM, /* what --user charges for a system call */
};

/* What readers keep with a recording, to read it once. */
struct recording_kept {
    void *kept; /* NULL: nothing */
    void (*free)(void *kept);
};

struct recording {
    char *name; /* of the directory, for headings */
    int dir;
    struct text_lines log;
    unsigned cpus;     /* at least 1 */
    uint64_t clock_hz; /* 0: unknown */
    bool ended;        /* the run came to its end */
    bool cut;          /* it went on, but was not recorded further */
    uint64_t end;      /* its last cycle; not ended: the last one recorded */
    uint64_t interval; /* cycles of one of the account; 0: not known */
    uint64_t settled;  /* all that happened up to here is in the files */
    char *reason[RECORDING_REASONS]; /* names of the oracle's; never NULL */
    unsigned char reason_is[RECORDING_REASONS]; /* enum recording_reason */
    unsigned reasons; /* the first that no run here has */
    /* Records by kind that the log says there are; UINT64_MAX: it does not. */
    uint64_t promised[RECFILE_KINDS];
    struct loadmap map;
    struct threads threads;
    struct problems problems;
    struct inlines *inlines;       /* NULL until recording_inlines */
    struct variables *variables;   /* NULL until recording_variables */
    struct recording_kept account; /* exact_cycles.h */
    bool windowed, verbose;
    bool rereads; /* by several reports: what they read may be kept */
    /* Intervals and functions are the reader's own choice: how they were read,
     * and that a source file is missing, is not said. */
    bool unsaid;
    bool tells;        /* on a terminal: how far reading large files is */
    uint64_t from, to; /* the window */
};

/* Open the experiment at path. False: there is nothing to read; why (size
 * bytes) is "path: what, what to do". */
bool recording_open(struct recording *r, const char *path, char *why,
                    size_t size);
void recording_close(struct recording *r);

/* Open the records of one kind. False: there are none to be had, which is a
 * problem already noted. Read with recfile_next until it returns false, then
 * recording_done notes what was passed over and closes. */
bool recording_records(struct recording *r, unsigned kind, struct recfile *f);
void recording_done(struct recording *r, struct recfile *f);

/* After the last record was read: how many the log says there are more than
 * the whole file has. */
uint64_t recording_lacks(const struct recording *r, const struct recfile *f);

#define RECORDING_ARGUMENT 64

/* The value of the last word KEY=VALUE of the program's arguments. False: there
 * is none so short. */
bool recording_argument(const struct recording *r, const char *key,
                        char value[RECORDING_ARGUMENT]);

/* From here on only records of cycles `from` to `to`, the latter not included,
 * are given of samples, interrupts and the oracle (recfile_within); context
 * switches, probes and threads come all, for what was before an interval says
 * what holds in it. */
void recording_within(struct recording *r, uint64_t from, uint64_t to);

/* The oracle keeps intervals, whole ones: of those that end behind *from and by
 * *to the beginning of the first and the end of the last, put there. To
 * hold samples against its rows, take the samples of that time. False: none
 * ends there. */
bool recording_intervals(const struct recording *r, uint64_t *from,
                         uint64_t *to);

/* How many cycles that is. */
uint64_t recording_span(const struct recording *r);

/* The functions that the compiler inlined (inlines.h); the recording owns
 * them. */
struct inlines *recording_inlines(struct recording *r);
/* The variables of the program and its libraries (variables.h); the recording
 * owns them. */
struct variables *recording_variables(struct recording *r);

/* Keep this in place of what is kept there; the recording frees it. */
void recording_keep(struct recording_kept *place, void *kept,
                    void (*free)(void *kept));

/* The load object that is the system: the guest's image, or Linux's kernel. -1:
 * there is none, as under --user, where the image is the program. */
long recording_system(const struct recording *r);

/* Did a program under --user end, so that the run did, by itself or by its
 * exit? */
bool recording_program_ended(const struct recording *r);

/* How the run ended, if it was stopped or killed, rather than that it came to
 * its end by itself: then what is said to be shorter is what it did by then.
 * NULL: it was not, or the log does not say. */
const char *recording_stopped(const struct recording *r);

/* The instructions that all CPUs completed, as the simulator counted; 0: the
 * run was killed. */
uint64_t recording_instructions(const struct recording *r);

/* A number from the log; false: it is not there or not a number. */
bool recording_number(const struct recording *r, const char *key, uint64_t *n);

#endif
