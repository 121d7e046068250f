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

#include "sim/cli/options/event.h"
#include "sim/cli/installed_files.h"
#include "sim/host/kernel.h"
#include "sim/host/output.h"
#include "sim/host/replace.h"
#include "sim/cli/report.h"
#include "sim/host/run.h"
#include "sim/cli/summary.h"
#include "sim/cli/options/what_if.h"
#include "sim/sweep/sweep.h"

#define MESSAGE 2048
#define WRITE_EVERY 0.1 /* s: what a run loses that is killed */

/* ---- the host's side of a run -------------------------------------------- */

static double seconds_since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) +
           (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static double host_seconds(void)
{
    return seconds_since(&(struct timespec){0});
}

double run_seconds(const struct run *r)
{
    return seconds_since(&r->started);
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
    if (r->options.quiet || r->terminal.raw || !isatty(STDERR_FILENO) ||
        seconds_since(&r->shown) < 0.5)
        return;
    clock_gettime(CLOCK_MONOTONIC, &r->shown);
    clear_progress(r);
    if (autoprofile_passes(r->autoprofile.kind))
        fprintf(stderr, "pass %u (%s): ", r->pass,
                r->pass == 1 ? "finds" : "counts");
    report_progress(stderr, &r->machine, seconds_since(&r->started),
                    r->replay.end);
    r->progress = true;
}

/* What was recorded goes to the disk, where it outlives a killed process: now
 * and then, and before a wait for the host. */
void run_keep_records(struct run *r, bool now)
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

    if (r->pass == 1) /* those behind it say the same again */
        console_put(&r->console, byte);
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

bool run_signal(struct run *r)
{
    struct signalfd_siginfo info;

    if (!r->signal &&
        read(r->console.signals, &info, sizeof info) == (ssize_t)sizeof info)
        r->signal = (int)info.ssi_signo;
    if (!r->signal && r->console.quit) /* as Ctrl-C does */
        r->signal = SIGINT;
    return r->signal != 0;
}

/* Is the reader of stdout still there? Without one the run ends, as a write
 * would have ended it. A Linux program may mind or not. */
static bool is_watched(struct run *r)
{
    if (r->pass > 1 || console_watched(&r->console))
        return true;
    if (!r->user)
        return false;
    r->console.error = 0; /* it is the program's to hear of it */
    if (!user_minds_pipe(r->user))
        return true;
    r->signal = SIGPIPE;
    return false;
}

/* A reader that closed the pipe has seen enough; a full disk does not keep
 * the guest from running on. */
static bool pulse(void *arg, const struct machine *m)
{
    struct run *r = arg;

    (void)m;
    console_flush(&r->console);
    console_look(&r->console);
    run_keep_records(r, false);
    tell_experiment(r);
    show_progress(r);
    return run_signal(r) || !is_watched(r);
}

/* ---- a run --------------------------------------------------------------- */

/* No file that we open may become stdin, stdout or stderr. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_FAILED);
}

/* Signals that end a run are read from a file when it suits us. What the
 * parent process ignores (nohup) stays ignored. */
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

/* A line for a person. Always false. */
static bool run_say(const char *why)
{
    fprintf(stderr, "simrun: %s\n", why);
    return false;
}

static bool say_given(struct run *r)
{
    char *lines = process_args_lines(&r->options.process_args);

    if (!lines)
        return run_say("the host has no memory");
    experiment_text(&r->experiment, lines);
    free(lines);
    return true;
}

/* What the directory holds from the first instruction on. */
static bool open_experiment(struct run *r, const char *header)
{
    struct experiment *e = &r->experiment;
    char name[IMAGE_NAME], why[MESSAGE];
    size_t length;

    snprintf(name, sizeof name, "%s", r->image.name);
    length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".elf") == 0)
        name[length - 4] = '\0';
    if (r->options.force && r->pass == 1 &&
        !replace_experiment(r->options.trace_dir, why, sizeof why))
        return run_say(why);
    if (r->pass > 1 ? !experiment_again(e)
                    : !experiment_open(e, r->options.trace_dir, name))
        return run_say(e->error);
    experiment_text(e, header);
    experiment_write(e); /* archives may be large */
    recorder_image(&r->recorder, 0, &r->image, true);
    if (r->user) {
        user_tell_mapped(r->user);
        user_tell_threads(r->user);
    }
    if (r->options.user && !say_given(r))
        return false;
    probes_say(&r->probes, e);
    pipe_record_say(&r->pipe);
    line_record_say(&r->lines);
    mark_request_log(&r->marks, e);
    experiment_limit(e, r->options.trace_limit);
    autoprofile_begin(&r->autoprofile);
    experiment_flush(e, 0);
    if (!e->error[0])
        return true;
    experiment_close(e);
    if (r->pass == 1) /* it has not begun: nothing of it is worth keeping */
        replace_experiment(e->path, why, sizeof why);
    return run_say(e->error);
}

void run_say_line(void *arg, const char *line)
{
    const struct run *r = arg;

    if (r->pass > 1) /* it was said */
        return;
    clear_progress(arg);
    run_say(line);
}

/* A bare-metal image may be named as it came along, "guest.elf". */
static bool open_image(struct run *r, char why[MESSAGE + INSTALLED_FILE_PATH])
{
    char path[INSTALLED_FILE_PATH], looked[INSTALLED_FILE_PATH] = "";
    const struct options *o = &r->options;

    snprintf(path, sizeof path, "%s", o->program);
    if (!o->user)
        installed_file(o->program, "", path, looked);
    if (image_open(&r->image, path, o->user ? IMAGE_PROGRAM : IMAGE_BARE, why,
                   MESSAGE))
        return true;
    strcat(why, looked);
    return false;
}

/* What threshold bits stand for: the knobs; where none is set, what the
 * marks ask for. Those that a program brings along count on 10, 50 and 100. */
static bool set_thresholds(struct options *o)
{
    struct params *p = &o->setup.params, usual;
    struct perfinst_thresholds *th = &o->marks.threshold;

    *th = (struct perfinst_thresholds){
        {p->pif_th0, p->pif_th1, p->pif_th2, p->pif_th3}, p->pif_th_bits};
    params_default(&usual);
    if (p->pif_th0 != usual.pif_th0 || p->pif_th1 != usual.pif_th1 ||
        p->pif_th2 != usual.pif_th2 || p->pif_th3 != usual.pif_th3 ||
        !mark_request_fit(&o->marks))
        return false;
    p->pif_th0 = th->cycles[0];
    p->pif_th1 = th->cycles[1];
    p->pif_th2 = th->cycles[2];
    p->pif_th3 = th->cycles[3];
    return true;
}

static bool brings_thresholds(const struct run *r)
{
    for (size_t k = 0; k < r->marks.list.count; k++)
        if (r->marks.list.entry[k].flags & IND_TH &&
            !strcmp(r->marks.list.entry[k].text, ".perfinst"))
            return true;
    return false;
}

/* What is heard again, if anything is. */
static bool prepare_replay(struct run *r, const char *header, char *why,
                           size_t size)
{
    struct options *o = &r->options;

    if (o->replay && !replay_open(&r->replay, o->replay, header, why, size))
        return false;
    if ((o->gdb || o->view) && replay_poke(&r->replay)) {
        snprintf(why, size,
                 "--replay: a debugger wrote in that run, which is done again "
                 "without --gdb and --view");
        return false;
    }
    return !o->user || !o->replay || host_input_given(r, why, size);
}

/* The marks that are asked for. */
static bool prepare_marks(struct run *r, bool moved, char *why, size_t size)
{
    struct options *o = &r->options;

    o->marks.sysroot = o->sysroot;
    if (!scout_libraries(r, why, size) ||
        !mark_request_open(&r->marks, &o->marks, &r->image, why, size))
        return false;
    if (r->marks.programs.count && o->setup.params.pif_carrier) {
        snprintf(why, size,
                 "--mark: marks of programs inside are in shadow storage: "
                 "leave --set pif_carrier out");
        return false;
    }
    if (!what_if_options_inside(o, &r->image, &r->marks.programs, why, size))
        return false;
    if (moved && brings_thresholds(r)) {
        snprintf(why, size,
                 "--mark: the program's own marks have thresholds of 10, 50 "
                 "and 100 cycles; give --ignore-marks, or a sum of these");
        return false;
    }
    r->autoprofile.kind = o->marks.automatic;
    o->setup.metadata =
        (struct metadata){r->marks.section, r->marks.section_size};
    o->record.marks = &r->marks.on;
    o->record.marked = r->marks.programs.count ? &r->marks.programs : NULL;
    o->record.autoprofile = &r->autoprofile;
    return true;
}

static bool prepare(struct run *r, char header[RECORDER_HEADER])
{
    struct options *o = &r->options;
    const struct params *p = &o->setup.params;
    char why[MESSAGE + INSTALLED_FILE_PATH];
    bool moved;

    if (!output_check(o, why, sizeof why))
        return run_say(why);
    if (o->json && !summary_open(&r->json, o->json, why, sizeof why))
        return run_say(why);
    if (!disk_file_open(&r->disk, &o->disk, &o->setup.disk, why, sizeof why) ||
        !open_image(r, why))
        return run_say(why);
    if (!initrd_make(&r->initrd, o->initrd, o->run, r->image.is_kernel, why,
                     sizeof why))
        return run_say(why);
    o->setup.initrd = r->initrd.bytes;
    o->setup.initrd_size = r->initrd.size;
    if (!o->user && r->image.is_linux) {
        snprintf(why, sizeof why,
                 "%s: this is a Linux program; run it with simrun --user %s",
                 o->program, o->program);
        return run_say(why);
    }
    moved = set_thresholds(o);
    o->setup.image = &r->image;
    if (!kernel_prepare(o, why, sizeof why))
        return run_say(why);
    if (o->dump_dtb)
        return true;
    o->setup.host = (struct machine_host){r, send_byte, host_input_byte, pulse};
    o->setup.trace_port = o->trace;
    o->record.experiment = o->trace ? &r->experiment : NULL;
    recorder_header(&o->setup, &o->record, header);
    if (!prepare_replay(r, header, why, sizeof why) ||
        !prepare_marks(r, moved, why, sizeof why))
        return run_say(why);
    if ((o->user || !p->pif) &&
        !event_options_can(&o->setup, &r->marks.on, &r->marks.programs, why,
                           sizeof why))
        return run_say(why);
    return true;
}

/* simview, which is beside simrun. */
static const char *viewer(char path[INSTALLED_FILE_PATH])
{
    char looked[INSTALLED_FILE_PATH];

    installed_file("simview", "", path, looked);
    return path;
}

/* Everything that is there anew in each pass. */
static bool power_on(struct run *r, const char *header)
{
    struct options *o = &r->options;
    char why[MESSAGE + INSTALLED_FILE_PATH], path[INSTALLED_FILE_PATH];

    r->pass++;
    if (o->user && !host_input_user(r, why, sizeof why))
        return run_say(why);
    if (!machine_init(&r->machine, &o->setup, why, sizeof why) ||
        !recorder_open(&r->recorder, &o->record, &r->machine, why, sizeof why))
        return run_say(why);
    if (r->recorder.missing[0] && r->pass == 1 && !o->quiet)
        run_say(r->recorder.missing);
    if (o->user && !user_start(r->user, &r->machine, why, sizeof why))
        return run_say(why);
    if (!what_if_options_find(o, &r->machine, why, sizeof why))
        return run_say(why);
    if (!log_open(&r->log, &o->log, &r->machine, why, sizeof why))
        return run_say(why);
    if (!pipe_record_open(&r->pipe, &o->pipe, &r->machine, &r->experiment, why,
                          sizeof why) ||
        !line_record_open(&r->lines, &o->lines, &r->machine, &r->experiment,
                          why, sizeof why))
        return run_say(why);
    if (!probes_open(&r->probes, &o->probes, &r->machine, &r->experiment, why,
                     sizeof why))
        return run_say(why);
    if (o->gdb && !gdb_open(&r->gdb, o->gdb, &r->machine, r->console.signals,
                            why, sizeof why))
        return run_say(why);
    if (o->view &&
        !view_open(
            &r->view, o->view_at,
            (struct view_host){viewer(path), r->console.signals, host_seconds},
            &r->machine, why, sizeof why))
        return run_say(why);
    host_input_notes(r);
    if (o->trace && !open_experiment(r, header))
        return false;
    if (o->view)
        view_experiment(&r->view, r->experiment.path);
    return true;
}

static void power_off(struct run *r)
{
    gdb_close(&r->gdb);
    view_close(&r->view);
    if (!log_close(&r->log)) {
        output_lost("--log", r->options.log.file, "the log is incomplete, it");
        r->unlogged = true;
    }
    probes_close(&r->probes);
    pipe_record_close(&r->pipe);
    line_record_close(&r->lines);
    machine_free(&r->machine);
    recorder_close(&r->recorder);
    user_close(r->user);
    r->user = NULL;
}

static int exit_status(const struct run *r)
{
    const struct machine *m = &r->machine;

    if (r->experiment.error[0] || r->console.error || !m->exact ||
        r->departed || r->disk.failed)
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

/* All that a person should know, at the end, on stderr. */
static void tell(struct run *r)
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
    what_if_options_tell(m, stderr);
    if (r->experiment.cut)
        fprintf(stderr,
                "simrun: %s: recording stopped at cycle %llu, at "
                "--trace-limit; the run went on\n",
                r->experiment.path, (unsigned long long)r->experiment.cut_at);
    if (r->departed)
        run_say("the second run of the program did not do what the first did; "
                "does it read files that something else changes?");
    if (r->options.replay && replay_poke(&r->replay))
        run_say("--replay: what a debugger wrote next was never reached; is it "
                "the same program and simrun?");
    if (!m->exact)
        run_say(
            "the oracle's account does not add up to the run's cycles; this "
            "is a mistake in simrun");
    if (r->console.error)
        fprintf(stderr, "simrun: stdout cannot be written: %s\n",
                strerror(r->console.error));
}

/* The summary, for people and for scripts. */
static void sum_up(struct run *r, int *status, double seconds)
{
    const struct options *o = &r->options;
    struct report_run run = {
        .machine = &r->machine,
        .program = o->program,
        .experiment = o->trace ? r->experiment.path : NULL,
        .status = *status,
        .signal = r->signal ? r->signal : (int)r->machine.signal,
        .seconds = seconds,
    };

    if (!o->quiet && (o->summary || r->signal || isatty(STDERR_FILENO)))
        report_summary(stderr, &run);
    if (r->json && !summary_json(r->json, &run)) {
        output_lost("--summary=json", *o->json ? o->json : NULL, "it");
        *status = EXIT_FAILED;
    }
}

/* One pass, to its end. */
static void run_machine(struct run *r)
{
    clock_gettime(CLOCK_MONOTONIC, &r->started);
    r->shown = r->started;
    if (r->options.gdb) {
        fprintf(stderr, "simrun: waiting for gdb: target remote %s\n",
                r->gdb.link.name);
        gdb_run(&r->gdb);
    } else if (r->options.view) {
        if (r->options.view_at)
            fprintf(stderr,
                    "simrun: waiting for a viewer: simview --follow=%s\n",
                    r->options.view_at);
        view_run(&r->view);
    } else if (replay_poke(&r->replay)) {
        gdb_rerun(&r->gdb, &r->machine, &r->replay);
    } else {
        machine_run(&r->machine);
    }
    console_flush(&r->console);
    if (r->user)
        user_end(r->user);
    run_signal(r);
    if (r->gdb.killed || r->view.killed)
        r->signal = SIGKILL;
    else if (r->machine.end != MACHINE_STOPPED)
        r->signal = 0; /* it came too late to matter */
}

/* The program is to run again: to be counted from its first cycle on. */
static bool again(const struct run *r)
{
    return autoprofile_again(&r->autoprofile) && !r->departed &&
           r->machine.end != MACHINE_STOPPED && !r->experiment.error[0];
}

/* A pass behind the first hears the same, and marks cost nothing: it does the
 * same. Unless they are to cost something. */
static void compare(struct run *r, const struct run_end *first)
{
    const struct machine *m = &r->machine;

    if (m->end == MACHINE_STOPPED && r->signal)
        return;
    r->departed = m->end != first->end || m->status != first->status ||
                  (m->cycles != first->cycles && !m->with.params.pif_charge);
}

static bool run_again(struct run *r, const char *header,
                      const struct run_end *first)
{
    r->replay.end = first->cycles;
    power_off(r);
    replay_rewind(&r->replay);
    r->options.gdb = NULL; /* what it wrote is written again */
    if (!power_on(r, header))
        return false;
    run_machine(r);
    compare(r, first);
    return true;
}

/* A condition asked for what neither the command line nor the guest, which
 * never turned its facility on, has set. */
static void say_missing(const struct run *r)
{
    char why[MESSAGE];

    for (unsigned n = 0; n < r->machine.with.cpus; n++)
        if (r->machine.core[n].pif.unit[PIF_GUEST].mode)
            return;
    if (!event_options_can(&r->options.setup, &r->marks.on, &r->marks.programs,
                           why, sizeof why))
        run_say(why);
}

/* All passes. */
static int run_passes(struct run *r, const char *header)
{
    struct run_end first;
    double seconds;
    int status;

    terminal_open(r);
    run_machine(r);
    first =
        (struct run_end){r->machine.end, r->machine.status, r->machine.cycles};
    while (again(r))
        if (!run_again(r, header, &first))
            return EXIT_FAILED;
    seconds = seconds_since(&r->started);
    clear_progress(r);
    disk_file_keep(&r->disk, &r->machine.disk.medium);
    if (r->options.trace) {
        experiment_ends(&r->experiment);
        if (r->probes.lost)
            experiment_say(&r->experiment, "unprobed %llu",
                           (unsigned long long)r->probes.lost);
        if (r->user && user_changes_files(r->user))
            experiment_say(&r->experiment, "changes-files yes");
        if (r->machine.end == MACHINE_EXIT && r->machine.signal)
            experiment_say(&r->experiment, "exit %d killed by signal %u",
                           exit_status(r), r->machine.signal);
        else
            experiment_say(&r->experiment, "exit %d %s", exit_status(r),
                           report_end_name(r->machine.end));
        experiment_close(&r->experiment);
        tell_experiment(r);
    }
    status = exit_status(r);
    view_ends(&r->view, status);
    tell(r);
    say_missing(r);
    sum_up(r, &status, seconds);
    return status;
}

static int dump_tree(struct run *r)
{
    char why[MESSAGE];

    if (kernel_dump(&r->options, why, sizeof why))
        return 0;
    run_say(why);
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    struct run *r;
    char header[RECORDER_HEADER];
    int status;

    hold_standard_files();
    if (argc > 1 && !strcmp(argv[1], "sweep"))
        return sweep_main(argc - 1, argv + 1);
    r = calloc(1, sizeof *r);
    if (!r)
        return run_say("the host has no memory"), EXIT_FAILED;
    options_read(&r->options, argc, argv);
    r->options.tmp = getenv("TMPDIR");
    console_init(&r->console, STDIN_FILENO, STDOUT_FILENO, catch_signals());
    r->options.log.signals = r->console.signals;
    r->console.arg = r;
    r->console.printing = clear_progress;
    r->console.waiting = say_waiting;
    if (!prepare(r, header))
        status = r->marks.misused ? EXIT_USAGE : EXIT_FAILED;
    else if (r->options.dump_dtb)
        status = dump_tree(r);
    else if (power_on(r, header))
        status = run_passes(r, header);
    else
        status = r->marks.misused ? EXIT_USAGE : EXIT_FAILED;
    terminal_close(r);
    power_off(r);
    if (r->unlogged)
        status = EXIT_FAILED;
    mark_request_close(&r->marks);
    autoprofile_free(&r->autoprofile);
    replay_close(&r->replay);
    initrd_free(&r->initrd);
    kernel_free(&r->options);
    disk_file_close(&r->disk);
    process_args_free(&r->options.process_args);
    what_if_free(&r->options.setup.what_if);
    image_close(&r->image);
    scout_free(r);
    free(r);
    return status;
}
