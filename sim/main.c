/* main.c - arguments to configuration to machine to run to exit status.
 * The only file of the simulator that prints or exits.
 *
 * Exit status: the guest's own (power-off, or r3 when its entry function
 * returns); 2 a wrong command line; 124 a limit was reached; 125 simrun or
 * the machine failed; 128 + N ended by signal N.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "sim/console.h"
#include "sim/dump.h"
#include "sim/gdb/gdb.h"
#include "sim/log.h"
#include "sim/machine.h"
#include "sim/replay.h"
#include "sim/report.h"

#define VERSION "0.1"
#define EXIT_USAGE 2
#define EXIT_LIMIT 124
#define EXIT_FAILED 125
#define EXIT_SIGNAL 128
#define MESSAGE 2048

struct options {
    struct machine_setup setup;
    const char *program;
    bool trace;
    const char *trace_dir; /* NULL: NAME.N.exp */
    const char *replay;    /* an experiment, or NULL */
    struct log_options log;
    const char *gdb; /* where to listen for a debugger, or NULL */
    bool quiet, summary;
};

/* One run, seen from the host. */
struct run {
    struct options options;
    struct image image;
    struct machine machine;
    struct experiment experiment;
    struct console console;
    struct replay replay;
    struct log log;
    struct gdb gdb;
    int signal; /* that ended it, or 0 */
    struct timespec started, shown;
    bool progress; /* a progress line stands on the terminal */
    bool told;     /* the experiment's failure was reported */
};

/* ---- the command line --------------------------------------------------- */

enum {
    KEY_CPUS = 256,
    KEY_MEM,
    KEY_MODE,
    KEY_APPEND,
    KEY_SET,
    KEY_TRACE,
    KEY_REPLAY,
    KEY_CYCLES,
    KEY_INSNS,
    KEY_SEED,
    KEY_GDB,
    KEY_LOG,
    KEY_LOG_FROM,
    KEY_LOG_TO,
    KEY_SUMMARY,
    KEY_DUMP_INSNS,
    KEY_DUMP_EVENTS,
    KEY_USAGE
};

static const struct argp_option option_rows[] = {
    {"cpus", KEY_CPUS, "N", 0, "Processors, 1 to 8 (default 4)", 1},
    {"mem", KEY_MEM, "SIZE", 0,
     "Memory in MiB, or with M or G behind it (default 512M)", 1},
    {"mode", KEY_MODE, "MODE", 0,
     "detailed: the whole pipeline (default); fast: fast_cpi cycles an "
     "instruction",
     1},
    {"append", KEY_APPEND, "TEXT", 0, "Arguments that the guest reads", 1},
    {"set", KEY_SET, "NAME=VALUE", 0, "Set a knob, see below", 1},
    {"seed", KEY_SEED, "N", 0, "The same as --set seed=N", 1},
    {"pmu-trace", KEY_TRACE, "DIR", OPTION_ARG_OPTIONAL,
     "Write an experiment: to DIR, which must not exist, or to PROGRAM.N.exp",
     2},
    {"replay", KEY_REPLAY, "EXP", 0,
     "Take the console input that this experiment recorded", 2},
    {"max-cycles", KEY_CYCLES, "N", 0, "Stop after N cycles, status 124", 2},
    {"max-insns", KEY_INSNS, "N", 0,
     "Stop, status 124, when N instructions are done (looked at every 16384 "
     "cycles)",
     2},
    {"summary", KEY_SUMMARY, NULL, 0,
     "Print the summary, which otherwise only a terminal gets", 3},
    {"quiet", 'q', NULL, 0, "No summary and no progress", 3},
    {"gdb", KEY_GDB, "PORT|unix:PATH", 0,
     "Wait for a debugger there (on 127.0.0.1 only; port 0: any), then obey it",
     3},
    {"log", KEY_LOG, "WHAT[:FILE]", 0,
     "Write down every instruction (exec), access (mem) and interrupt (int), "
     "on stderr or to FILE; docs/debug.md has the format",
     3},
    {"log-from", KEY_LOG_FROM, "PLACE", 0,
     "Begin there: a number of instructions, cycle:N, 0xADDRESS or a symbol",
     3},
    {"log-to", KEY_LOG_TO, "PLACE", 0, "End there", 3},
    {"dump-insns", KEY_DUMP_INSNS, NULL, 0,
     "Print the table of instructions with their encodings", 4},
    {"list-events", KEY_DUMP_EVENTS, NULL, 0,
     "Print the table of events with their selectors", 4},
    {"dump-events", KEY_DUMP_EVENTS, NULL, OPTION_ALIAS, NULL, 4},
    {"help", '?', NULL, 0, "Print this", 4},
    {"usage", KEY_USAGE, NULL, 0, "Print a short form of it", 4},
    {"version", 'V', NULL, 0, "Print the version", 4},
    {0},
};

/* A number in a range, or an end with status 2. */
static uint64_t number(struct argp_state *state, const char *option,
                       const char *text, uint64_t min, uint64_t max)
{
    uint64_t value = 0;

    if (!number_parse(text, &value) || value < min || value > max)
        argp_error(state, "--%s=%s: give a number from %llu to %llu", option,
                   text, (unsigned long long)min, (unsigned long long)max);
    return value;
}

/* Memory: MiB, or with a suffix. */
static uint32_t memory(struct argp_state *state, const char *text)
{
    char digits[32];
    size_t length = strlen(text);
    uint64_t value = 0, unit = 1;

    snprintf(digits, sizeof digits, "%s", text);
    if (length && length < sizeof digits && strchr("mMgG", text[length - 1])) {
        unit = strchr("gG", text[length - 1]) ? 1024 : 1;
        digits[length - 1] = '\0';
    }
    if (length >= sizeof digits || !number_parse(digits, &value) ||
        value == 0 || value > (RAM_MAX >> 20) / unit)
        argp_error(state, "--mem=%s: give 1 to %u MiB, or a number with M or G",
                   text, (unsigned)(RAM_MAX >> 20));
    return (uint32_t)(value * unit << 20);
}

static void set_knob(struct argp_state *state, struct params *p,
                     const char *text)
{
    char why[MESSAGE];

    if (!params_set(p, text, why, sizeof why))
        argp_error(state, "--set %s", why);
}

static void set_mode(struct argp_state *state, struct options *o,
                     const char *text)
{
    if (strcmp(text, "fast") == 0)
        o->setup.mode = CORE_FAST;
    else if (strcmp(text, "detailed") == 0)
        o->setup.mode = CORE_DETAILED;
    else
        argp_error(state, "--mode=%s: give fast or detailed", text);
}

/* What was asked for was printed: end, unless it could not be. */
static void end_print(void)
{
    exit(fflush(stdout) == 0 && !ferror(stdout) ? 0 : EXIT_FAILED);
}

static void print_help(const struct argp_state *state)
{
    argp_help(state->root_argp, stdout,
              ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC,
              (char *)state->name);
    printf("\n");
    report_knobs(stdout);
    printf("\nExit status: the guest's own; 2 a wrong command line; 124 a "
           "limit was reached;\n125 simrun or the machine failed; 128 + N "
           "ended by signal N.\n");
    end_print();
}

static void set_log(struct argp_state *state, struct options *o,
                    const char *text)
{
    char why[MESSAGE];

    if (!log_parse(&o->log, text, why, sizeof why))
        argp_error(state, "--log=%s", why);
}

static void finish_options(struct argp_state *state, struct options *o)
{
    char why[MESSAGE];

    if (!o->program)
        argp_error(state, "no program given; usage: simrun [OPTION...] "
                          "PROGRAM.elf");
    if (!params_check(&o->setup.params, why, sizeof why))
        argp_error(state, "--set %s", why);
    if ((o->log.from || o->log.to) && !o->log.what)
        argp_error(state, "--log-from, --log-to: say what with --log=exec");
    if (strlen(o->setup.args) >= INFO_ARGS_MAX)
        argp_error(state, "--append: longer than %d bytes", INFO_ARGS_MAX - 1);
}

static error_t parse_print(int key, struct argp_state *state)
{
    switch (key) {
    case '?':
        print_help(state);
        break;
    case KEY_USAGE:
        argp_help(state->root_argp, stdout, ARGP_HELP_USAGE,
                  (char *)state->name);
        end_print();
        break;
    case KEY_DUMP_INSNS:
        dump_insns(stdout);
        end_print();
        break;
    case KEY_DUMP_EVENTS:
        dump_events(stdout);
        end_print();
        break;
    case 'V':
        printf("simrun %s\n", VERSION);
        end_print();
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct machine_setup *s = &o->setup;
    char seed[64];

    switch (key) {
    case KEY_CPUS:
        s->cpus = (unsigned)number(state, "cpus", arg, 1, MACHINE_CPUS);
        break;
    case KEY_MEM:
        s->ram = memory(state, arg);
        break;
    case KEY_MODE:
        set_mode(state, o, arg);
        break;
    case KEY_APPEND:
        s->args = arg;
        break;
    case KEY_SET:
        set_knob(state, &s->params, arg);
        break;
    case KEY_SEED:
        snprintf(seed, sizeof seed, "seed=%.50s", arg);
        set_knob(state, &s->params, seed);
        break;
    case KEY_TRACE:
        o->trace = true;
        o->trace_dir = arg;
        break;
    case KEY_REPLAY:
        o->replay = arg;
        break;
    case KEY_CYCLES:
        s->max_cycles = number(state, "max-cycles", arg, 1, INT64_MAX);
        break;
    case KEY_INSNS:
        s->max_insns = number(state, "max-insns", arg, 1, INT64_MAX);
        break;
    case KEY_SUMMARY:
        o->summary = true;
        break;
    case KEY_GDB:
        o->gdb = arg;
        break;
    case KEY_LOG:
        set_log(state, o, arg);
        break;
    case KEY_LOG_FROM:
        o->log.from = arg;
        break;
    case KEY_LOG_TO:
        o->log.to = arg;
        break;
    case 'q':
        o->quiet = true;
        break;
    case ARGP_KEY_ARG:
        if (o->program)
            argp_error(state, "%s: only one program can run, and that is %s",
                       arg, o->program);
        o->program = arg;
        break;
    case ARGP_KEY_END:
        finish_options(state, o);
        break;
    default:
        return parse_print(key, state);
    }
    return 0;
}

static void read_options(struct options *o, int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_rows,
        .parser = parse,
        .args_doc = "PROGRAM.elf",
        .doc = "Run a program on a simulated PowerPC 604e computer.",
    };

    *o = (struct options){0};
    params_default(&o->setup.params);
    o->setup.mode = CORE_DETAILED;
    o->setup.cpus = 4;
    o->setup.ram = 512u << 20;
    o->setup.args = "";
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, o);
}

/* ---- the host's side of a run ------------------------------------------- */

static double seconds_since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) +
           (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static void clear_progress(void *arg)
{
    struct run *r = arg;

    if (r->progress)
        fprintf(stderr, "\r\033[K");
    r->progress = false;
}

static void show_progress(struct run *r)
{
    if (r->options.quiet || !isatty(STDERR_FILENO) ||
        seconds_since(&r->shown) < 0.5)
        return;
    clock_gettime(CLOCK_MONOTONIC, &r->shown);
    clear_progress(r);
    report_progress(stderr, &r->machine, seconds_since(&r->started));
    r->progress = true;
}

static void say_waiting(void *arg)
{
    clear_progress(arg);
    fprintf(stderr, "simrun: the guest waits for input (stdin)\n");
}

static void send_byte(void *arg, uint8_t byte)
{
    struct run *r = arg;

    console_put(&r->console, byte);
}

/* From the host's stdin. While we wait the debugger may have a word. */
static enum console_get console_byte(struct run *r, bool asleep, uint8_t *byte)
{
    enum console_get got;

    do {
        if (r->options.gdb && !gdb_poll(&r->gdb))
            return CONSOLE_SIGNAL;
        r->console.wake = r->options.gdb ? gdb_file(&r->gdb) : -1;
        got = console_get(&r->console, asleep, byte);
    } while (got == CONSOLE_WAKE);
    return got;
}

static enum machine_input receive_byte(void *arg, cycle_t at, bool asleep,
                                       uint8_t *byte)
{
    struct run *r = arg;

    if (r->options.replay) {
        if (replay_get(&r->replay, at, byte))
            return INPUT_BYTE;
        return replay_over(&r->replay) ? INPUT_END : INPUT_NONE;
    }
    switch (console_byte(r, asleep, byte)) {
    case CONSOLE_BYTE:
        return INPUT_BYTE;
    case CONSOLE_NONE:
        return INPUT_NONE;
    case CONSOLE_END:
        return INPUT_END;
    default:
        return INPUT_STOP;
    }
}

static void tell_experiment(struct run *r)
{
    if (r->told || !r->experiment.error[0])
        return;
    clear_progress(r);
    fprintf(stderr, "simrun: %s; the run goes on without it\n",
            r->experiment.error);
    r->told = true;
}

static bool take_signal(struct run *r)
{
    struct signalfd_siginfo info;

    if (!r->signal &&
        read(r->console.signals, &info, sizeof info) == (ssize_t)sizeof info)
        r->signal = (int)info.ssi_signo;
    return r->signal != 0;
}

/* Somebody who closed the pipe has seen enough; a full disk does not keep
 * the guest from running on. */
static bool pulse(void *arg, const struct machine *m)
{
    struct run *r = arg;

    (void)m;
    console_flush(&r->console);
    tell_experiment(r);
    show_progress(r);
    return take_signal(r) || r->console.error == EPIPE;
}

/* ---- a run -------------------------------------------------------------- */

/* No file that we open may become stdin, stdout or stderr. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_FAILED);
}

/* Signals that end a run are read from a file when it suits us. */
static int catch_signals(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static bool say(const char *why)
{
    fprintf(stderr, "simrun: %s\n", why);
    return false;
}

/* What the directory holds from the first instruction on. */
static bool open_experiment(struct run *r, const char *header)
{
    struct experiment *e = &r->experiment;
    char name[IMAGE_NAME], archive[EXPERIMENT_NAME];
    size_t length;

    snprintf(name, sizeof name, "%s", r->image.name);
    length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".elf") == 0)
        name[length - 4] = '\0';
    if (!experiment_open(e, r->options.trace_dir, name))
        return say(e->error);
    experiment_archive_name(archive, r->image.name, r->image.build_id);
    experiment_archive(e, archive, r->image.bytes, r->image.size);
    for (unsigned i = 0; i < r->image.count; i++) {
        const struct image_segment *s = &r->image.segment[i];
        struct experiment_segment segment = {0,         s->va,    s->memory,
                                             s->offset, s->flags, archive};

        experiment_segment(e, &segment);
    }
    experiment_text(e, header);
    experiment_flush(e, 0);
    if (!e->error[0])
        return true;
    experiment_close(e);
    return say(e->error);
}

static bool prepare(struct run *r)
{
    struct options *o = &r->options;
    char why[MESSAGE], header[MACHINE_HEADER];

    if (!image_open(&r->image, o->program, why, sizeof why))
        return say(why);
    o->setup.image = &r->image;
    o->setup.host = (struct machine_host){r, send_byte, receive_byte, pulse};
    o->setup.experiment = o->trace ? &r->experiment : NULL;
    machine_header(&o->setup, header);
    if (o->replay &&
        !replay_open(&r->replay, o->replay, header, why, sizeof why))
        return say(why);
    if (!machine_init(&r->machine, &o->setup, why, sizeof why))
        return say(why);
    if (!log_open(&r->log, &o->log, &r->machine, why, sizeof why))
        return say(why);
    if (o->gdb && !gdb_open(&r->gdb, o->gdb, &r->machine, r->console.signals,
                            why, sizeof why))
        return say(why);
    return !o->trace || open_experiment(r, header);
}

static int exit_status(const struct run *r)
{
    const struct machine *m = &r->machine;

    if (r->experiment.error[0] || r->console.error || !m->exact)
        return EXIT_FAILED;
    if (r->signal)
        return EXIT_SIGNAL + r->signal;
    switch (m->end) {
    case MACHINE_POWER:
    case MACHINE_RETURN:
        return (int)m->status;
    case MACHINE_CYCLES:
    case MACHINE_INSNS:
        return EXIT_LIMIT;
    default:
        return EXIT_FAILED;
    }
}

/* Everything that somebody should know, at the end, on stderr. */
static void tell(struct run *r, double seconds)
{
    const struct machine *m = &r->machine;
    const struct trace *t = &m->trace;

    clear_progress(r);
    report_end(stderr, m);
    if (t->ignored)
        fprintf(stderr,
                "simrun: %llu trace records ignored, the first from CPU %u at "
                "cycle %llu, address 0x%x: %s\n",
                (unsigned long long)t->ignored, t->fault_cpu,
                (unsigned long long)t->fault_at, t->fault_pa,
                trace_fault_text(t->fault));
    if (!m->exact)
        say("the oracle's account does not add up to the run's cycles; this "
            "is a mistake in simrun");
    if (r->console.error)
        fprintf(stderr, "simrun: stdout cannot be written: %s\n",
                strerror(r->console.error));
    if (!r->options.quiet &&
        (r->options.summary || r->signal || isatty(STDERR_FILENO)))
        report_summary(stderr, m, seconds);
}

static int run_machine(struct run *r)
{
    double seconds;
    int status;

    clock_gettime(CLOCK_MONOTONIC, &r->started);
    r->shown = r->started;
    if (r->options.gdb) {
        fprintf(stderr, "simrun: waiting for gdb: target remote %s\n",
                r->gdb.link.name);
        gdb_run(&r->gdb);
    } else {
        machine_run(&r->machine);
    }
    seconds = seconds_since(&r->started);
    console_flush(&r->console);
    take_signal(r);
    if (r->gdb.killed)
        r->signal = SIGKILL;
    else if (r->machine.end != MACHINE_STOPPED)
        r->signal = 0; /* it came too late to matter */
    if (r->options.trace) {
        experiment_say(&r->experiment, "exit %d %s", exit_status(r),
                       report_end_name(r->machine.end));
        experiment_close(&r->experiment);
        tell_experiment(r);
    }
    status = exit_status(r);
    tell(r, seconds);
    return status;
}

int main(int argc, char **argv)
{
    struct run *r = calloc(1, sizeof *r);
    int status;

    hold_standard_files();
    if (!r)
        return say("the host has no memory"), EXIT_FAILED;
    read_options(&r->options, argc, argv);
    console_init(&r->console, STDIN_FILENO, STDOUT_FILENO, catch_signals());
    r->console.arg = r;
    r->console.printing = clear_progress;
    r->console.waiting = say_waiting;
    if (prepare(r))
        status = run_machine(r);
    else
        status = EXIT_FAILED;
    gdb_close(&r->gdb);
    if (!log_close(&r->log)) {
        say("--log: the log is incomplete, it cannot be written");
        status = EXIT_FAILED;
    }
    machine_free(&r->machine);
    replay_close(&r->replay);
    image_close(&r->image);
    free(r);
    return status;
}
