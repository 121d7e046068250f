/* main.c - arguments to configuration to machine to run to exit status.
 * Prints and exits, which only options.c does beside it.
 *
 * Exit status: the guest's own (power-off, or r3 when its entry function
 * returns); 2 a wrong command line; 124 a limit was reached; 125 simrun or
 * the machine failed; 128 + N ended by signal N.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "sim/console.h"
#include "sim/gdb/gdb.h"
#include "sim/log.h"
#include "sim/machine.h"
#include "sim/options.h"
#include "sim/replay.h"
#include "sim/report.h"
#include "sim/user/user.h"

#define MESSAGE 2048
#define WRITE_EVERY 0.1 /* s: what a run loses that is killed */

/* One run, seen from the host. */
struct run {
    struct options options;
    struct image image;
    struct machine machine;
    struct experiment experiment;
    struct console console;
    struct replay replay;
    struct probes probes;
    struct perfmarks marks;
    struct log log;
    struct gdb gdb;
    struct user *user; /* NULL: the image is a whole system */
    int signal;        /* that ended it, or 0 */
    struct timespec started, shown, written;
    bool progress; /* a progress line stands on the terminal */
    bool told;     /* the experiment's failure was reported */
};

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

/* What was recorded goes to the disk, from where nobody who kills us takes
 * it: now and then, and before we wait for anybody. */
static void keep_records(struct run *r, bool now)
{
    if (!r->options.trace || (!now && seconds_since(&r->written) < WRITE_EVERY))
        return;
    experiment_write(&r->experiment);
    clock_gettime(CLOCK_MONOTONIC, &r->written);
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
        keep_records(r, asleep && r->console.taken == r->console.got);
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
    keep_records(r, false);
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

/* Signals that end a run are read from a file when it suits us. What whoever
 * started us ignores (nohup) stays ignored. */
static int catch_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&set);
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, ends[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static bool say(const char *why)
{
    fprintf(stderr, "simrun: %s\n", why);
    return false;
}

static bool say_given(struct run *r)
{
    char *lines = given_lines(&r->options.given);

    if (!lines)
        return say("the host has no memory");
    experiment_text(&r->experiment, lines);
    free(lines);
    return true;
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
    experiment_text(e, header);
    experiment_write(e); /* archives may be large */
    experiment_archive_name(archive, r->image.name, r->image.build_id);
    experiment_archive(e, archive, r->image.bytes, r->image.size);
    for (unsigned i = 0; i < r->image.count; i++) {
        const struct image_segment *s = &r->image.segment[i];
        struct experiment_segment segment = {0,         s->va,    s->memory,
                                             s->offset, s->flags, archive};

        experiment_segment(e, &segment);
    }
    if (r->options.user && !say_given(r))
        return false;
    probes_say(&r->probes, e);
    perfmarks_log(&r->marks, e);
    experiment_flush(e, 0);
    if (!e->error[0])
        return true;
    experiment_close(e);
    return say(e->error);
}

static void say_line(void *arg, const char *line)
{
    clear_progress(arg);
    say(line);
}

/* A program under --user waits for the host. While it does the debugger may
 * have a word. */
static bool wait_file(void *arg, int fd, short events)
{
    struct run *r = arg;
    struct pollfd p[3] = {
        {fd, events, 0}, {r->console.signals, POLLIN, 0}, {-1, POLLIN, 0}};

    do {
        if (r->options.gdb && !gdb_poll(&r->gdb))
            return false;
        p[2].fd = r->options.gdb ? gdb_file(&r->gdb) : -1;
        if (!poll(p, 3, 0))
            keep_records(r, true);
        while (poll(p, 3, -1) < 0 && errno == EINTR)
            ;
        if (p[1].revents & POLLIN && take_signal(r))
            return false;
    } while (!p[0].revents && !p[1].revents);
    return true;
}

/* What it heard from stdin, stdout and stderr goes into the experiment, in
 * lines that are not too long. */
static void note_stdio(void *arg, uint64_t at, char kind, int64_t value,
                       const void *bytes, size_t size)
{
    const uint8_t *in = bytes;
    struct run *r = arg;
    char hex[2 * 1024 + 1];
    bool first = true;

    do {
        size_t now = size < 1024 ? size : 1024;

        for (size_t n = 0; n < now; n++)
            snprintf(hex + 2 * n, 3, "%02x", in[n]);
        hex[2 * now] = '\0';
        if (first)
            experiment_say(&r->experiment, "stdio %llu %c %lld%s%s",
                           (unsigned long long)at, kind, (long long)value,
                           now ? " " : "", hex);
        else
            experiment_say(&r->experiment, "stdio + %s", hex);
        first = false;
        in += now;
        size -= now;
    } while (size);
}

static bool recall_stdio(void *arg, uint64_t at, char kind, int64_t *value,
                         void *bytes, size_t size)
{
    struct run *r = arg;
    size_t came = size;

    if (!replay_fact(&r->replay, at, kind, value, bytes, size))
        return false;
    if (*value < 0)
        came = 0;
    else if (kind == 'r' && (uint64_t)*value < size)
        came = (size_t)*value;
    if (r->options.trace) /* so that the experiment is the same again */
        note_stdio(r, at, kind, *value, bytes, came);
    return true;
}

/* Environment and names are those of the recorded run; the arguments are given
 * anew and must be the same. */
static bool recall_given(struct run *r, char *why, size_t size)
{
    struct given *now = &r->options.given, *then = &r->replay.given;
    struct given_list mine = now->variable;
    long at;

    if (!then->argument.count) /* a recording without them */
        return true;
    at = given_departs(now, then);
    if (at >= 0) {
        const char *was = given_texts(&then->argument)[at];

        snprintf(why, size,
                 "%s: argument %ld was %.80s in the recorded run, give the "
                 "same ones",
                 r->options.replay, at, was ? was : "none");
        return false;
    }
    now->variable = then->variable;
    then->variable = mine;
    if (!now->place && then->place && then->self) {
        now->place = then->place;
        now->self = then->self;
        then->place = then->self = NULL;
    }
    return true;
}

static bool open_user(struct run *r, char *why, size_t size)
{
    struct options *o = &r->options;
    struct user_setup setup = {
        .image = &r->image,
        .path = o->program,
        .root = o->root,
        .place = o->given.place,
        .self = o->given.self,
        .argv = given_texts(&o->given.argument),
        .envp = given_texts(&o->given.variable),
        .host = {r, say_line, wait_file, o->trace ? note_stdio : NULL,
                 o->replay ? recall_stdio : NULL},
    };

    if (!user_open(&r->user, &setup, why, size))
        return false;
    if (!given_name(&o->given.place, user_place(r->user)) ||
        !given_name(&o->given.self, user_self(r->user))) {
        snprintf(why, size, "the host has no memory");
        return false;
    }
    o->setup.supervisor = user_supervisor(r->user);
    return true;
}

static bool prepare(struct run *r)
{
    struct options *o = &r->options;
    const struct params *p = &o->setup.params;
    char why[MESSAGE], header[MACHINE_HEADER];

    if (!image_open(&r->image, o->program, why, sizeof why))
        return say(why);
    o->marks.threshold = (struct perfinst_thresholds){
        {p->pif_th0, p->pif_th1, p->pif_th2, p->pif_th3}, p->pif_th_bits};
    if (!perfmarks_open(&r->marks, &o->marks, &r->image, why, sizeof why))
        return say(why);
    o->setup.image = &r->image;
    o->setup.marks = &r->marks.on;
    o->setup.metadata =
        (struct metadata){r->marks.section, r->marks.section_size};
    o->setup.autoprofile = o->marks.automatic;
    o->setup.host = (struct machine_host){r, send_byte, receive_byte, pulse};
    o->setup.experiment = o->trace ? &r->experiment : NULL;
    machine_header(&o->setup, header);
    if (o->replay &&
        !replay_open(&r->replay, o->replay, header, why, sizeof why))
        return say(why);
    if (o->user && o->replay && !recall_given(r, why, sizeof why))
        return say(why);
    if (o->user && !open_user(r, why, sizeof why))
        return say(why);
    if (!machine_init(&r->machine, &o->setup, why, sizeof why))
        return say(why);
    if (o->user && !user_start(r->user, &r->machine, why, sizeof why))
        return say(why);
    if (!log_open(&r->log, &o->log, &r->machine, why, sizeof why))
        return say(why);
    if (!probes_open(&r->probes, &o->probes, &r->machine, why, sizeof why))
        return say(why);
    if (o->gdb && replay_poke(&r->replay))
        return say("--replay: a debugger wrote in that run, which is done "
                   "again without --gdb");
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
    case MACHINE_EXIT:
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
    if (r->probes.lost)
        fprintf(stderr,
                "simrun: --probe: %llu calls are not recorded, %d others were "
                "going on\n",
                (unsigned long long)r->probes.lost, PROBE_ACTIVE);
    if (replay_poke(&r->replay))
        say("--replay: what a debugger wrote next was never reached; is it "
            "the same program and simrun?");
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
    } else if (replay_poke(&r->replay)) {
        gdb_rerun(&r->gdb, &r->machine, &r->replay);
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
        if (r->probes.lost)
            experiment_say(&r->experiment, "unprobed %llu",
                           (unsigned long long)r->probes.lost);
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
    options_read(&r->options, argc, argv);
    console_init(&r->console, STDIN_FILENO, STDOUT_FILENO, catch_signals());
    r->console.arg = r;
    r->console.printing = clear_progress;
    r->console.waiting = say_waiting;
    if (prepare(r))
        status = run_machine(r);
    else
        status = r->marks.misused ? EXIT_USAGE : EXIT_FAILED;
    gdb_close(&r->gdb);
    if (!log_close(&r->log)) {
        say("--log: the log is incomplete, it cannot be written");
        status = EXIT_FAILED;
    }
    probes_close(&r->probes);
    machine_free(&r->machine);
    perfmarks_close(&r->marks);
    user_close(r->user);
    replay_close(&r->replay);
    given_free(&r->options.given);
    image_close(&r->image);
    free(r);
    return status;
}
