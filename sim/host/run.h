/* run.h - one run of simrun, seen from the host: what main.c, which conducts
 * it, and host_input.c, which knows what comes from outside, share.
 */
#ifndef SIM_HOST_RUN_H
#define SIM_HOST_RUN_H

#include <stdio.h>
#include <termios.h>
#include <time.h>

#include "sim/host/console.h"
#include "sim/host/initrd.h"
#include "sim/host/disk_file.h"
#include "sim/gdb/gdb.h"
#include "sim/observe/log.h"
#include "sim/observe/stretch/line_record.h"
#include "sim/observe/stretch/pipe_record.h"
#include "sim/machine/machine.h"
#include "sim/cli/options.h"
#include "sim/host/replay.h"
#include "sim/user/user.h"
#include "sim/view/view.h"

/* A pass: the program runs once, from cycle 0 on. There is one, but for
 * --autoprofile=hot and climb. What the passes behind the first hear is what
 * that heard; what they send is thrown away. */
struct run {
    struct options options;
    struct image image;
    struct image *shared; /* scout.c: those beside the image; owned */
    unsigned nshared;
    struct initrd initrd;
    struct machine machine;
    struct experiment experiment;
    struct recorder recorder;
    struct console console;
    struct {
        bool raw; /* keys come as they are; it was before: */
        struct termios was;
    } terminal;
    struct replay replay;       /* of --replay, or of the first pass */
    struct observer pass_notes; /* what the next pass has to do again */
    struct probes probes;
    struct mark_requests marks;
    struct autoprofile autoprofile;
    struct log log;
    struct pipe_record pipe;
    struct line_record lines;
    struct disk_file disk;
    struct gdb gdb;
    struct view view;
    struct user *user; /* NULL: the image is a whole system */
    unsigned pass;     /* from 1 */
    bool departed;     /* a pass did not do what the first did */
    bool unlogged;     /* --log: something is missing */
    FILE *json;        /* --summary=json, or NULL; closed when written */
    int signal;        /* that ended it, or 0 */
    struct timespec started, shown, written;
    bool progress; /* a progress line stands on the terminal */
    bool told;     /* the experiment's failure was reported */
};

/* What came of a pass. */
struct run_end {
    enum machine_end end;
    unsigned status;
    cycle_t cycles;
};

/* main.c */
/* A line for a person while the machine runs; arg is the struct run. */
void run_say_line(void *arg, const char *line);
/* Look for a signal. True: one came, and the run is to end. */
bool run_signal(struct run *r);
/* What was recorded goes to the disk: now, or now and then. */
void run_keep_records(struct run *r, bool now);

/* Seconds of the host since the run began. */
double run_seconds(const struct run *r);

/* terminal.c */
/* If stdin is a terminal, a person's keys go to the guest as --terminal says,
 * and those behind Ctrl-A to us. Undone by the second, harmless in any case. */
void terminal_open(struct run *r);
void terminal_close(struct run *r);

/* host_input.c */
/* For struct machine_host. */
enum machine_input host_input_byte(void *arg, cycle_t at, bool asleep,
                                   uint8_t *byte);
/* The environment of the recorded run is that of this one, and its arguments
 * must be. False: `why` has the line. */
bool host_input_given(struct run *r, char *why, size_t size);
/* The machine of a pass is there: note what a debugger does to it and what its
 * program hears, if a pass will come that has to do and hear the same. */
void host_input_notes(struct run *r);
/* Make r->user, which hears through us. False: `why` has the line. */
bool host_input_user(struct run *r, char *why, size_t size);
/* How r's program is to be set up, with `host` to hear through. */
struct user_setup host_input_setup(const struct run *r,
                                   const struct user_host *host);

/* scout.c */
/* If an option names what the program lacks, or means its shared libraries as
 * well: run it up to its first instruction, to learn which libraries the
 * dynamic loader maps and where. They are r->image.beside then. Nothing is
 * printed, read from standard files or changed. False: `why` has the line. */
bool scout_libraries(struct run *r, char *why, size_t size);
void scout_free(struct run *r);

#endif
