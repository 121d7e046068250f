/* options.h - the command line as values. */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include <stdbool.h>

#include "sim/config/chip_file.h"
#include "sim/cli/process_args.h"
#include "sim/observe/log.h"
#include "sim/machine/machine.h"
#include "sim/observe/pif/mark_request.h"
#include "sim/observe/probe.h"
#include "sim/observe/recorder.h"
#include "sim/observe/stretch/line_record.h"
#include "sim/observe/stretch/pipe_record.h"

#define EXIT_USAGE 2
#define EXIT_LIMIT 124
#define EXIT_FAILED 125
#define EXIT_SIGNAL 128

/* --disk. */
struct disk_option {
    const char *file; /* NULL: none, or so many bytes of memory: */
    uint64_t size;
    bool read_only, keep; /* keep: the file gets what was written */
};

/* --terminal: how keys come to the guest. */
enum terminal_keys {
    TERMINAL_USUAL, /* to a Linux kernel as TERMINAL_RAW, else as _LINES */
    TERMINAL_RAW,   /* one by one, as they are */
    TERMINAL_LINES  /* as lines, which the host's terminal edits and shows */
};

struct options {
    bool list_events;
    struct machine_setup setup;
    struct recorder_setup record; /* but for what a run makes: experiment */
    const char *program;
    const char *initrd;            /* a directory or an archive, or NULL */
    const char *dtb, *dump_dtb;    /* files of device trees, or NULL */
    const char *run;               /* --program, or NULL */
    char boot_line[INFO_ARGS_MAX]; /* that runs it */
    bool user;                     /* a Linux program; what it is given */
    struct process_args process_args;
    bool environment;    /* something was said about it */
    const char *root;    /* the files it may see are below; NULL: here */
    const char *tmp;     /* the host's directory for its /tmp; NULL: /tmp */
    const char *sysroot; /* its shared libraries; NULL: the default */
    bool trace;
    const char *trace_dir; /* NULL: NAME.N.exp */
    uint64_t trace_limit;  /* bytes; 0: any number */
    const char *replay;    /* an experiment, or NULL */
    struct disk_option disk;
    struct log_options log;
    struct probe_options probes;
    struct mark_request_options marks;
    struct pipe_options pipe;
    struct line_options lines;
    struct chip_table chip;
    enum terminal_keys terminal;
    const char *gdb; /* where to listen for a debugger, or NULL */
    bool view;       /* a viewer follows: */
    const char
        *view_at; /* ... by this socket; NULL: simview, which is started */
    bool force;   /* replace trace_dir */
    bool quiet, summary;
    const char *json; /* where --summary=json goes, "" stderr; NULL: none */
};

/* Read the command line. What cannot be obeyed ends the process with
 * EXIT_USAGE and a line that says why; what only asks for something to be
 * printed (--help) ends it with 0. */
void options_read(struct options *o, int argc, char **argv);

#endif
