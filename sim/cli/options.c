/* options.c - reads the command line with argp. Options are rows of
 * options.def, knobs of params.def. Beside main.c the only file of the
 * simulator that prints or exits, and only about the command line itself.
 */
#define _GNU_SOURCE
#include "sim/cli/options.h"

#include <argp.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "lib/base/version.h"
#include "sim/cli/options/event.h"
#include "sim/cli/options/detail.h"
#include "sim/cli/dump.h"
#include "sim/cli/installed_files.h"
#include "sim/gdb/link.h"
#include "sim/cli/help.h"
#include "sim/cli/options/idle.h"
#include "sim/cli/options/look.h"
#include "sim/cli/mistyped.h"
#include "sim/cli/program_line.h"
#include "sim/cli/options/what_if.h"
#include "sim/core/fast/engine.h"
#include "sim/core/timing.h"

#define MESSAGE 2048

/* An option's number in the table, and the key that argp tells it by. */
enum {
#define OPTION(name, ...) ROW_##name,
#define OPTIONAL OPTION
#define ALIAS(...)
#include "sim/cli/options.def"
#undef OPTION
};

enum {
#define OPTION(name, letter, ...)                                              \
    KEY_##name = letter ? letter : 256 + ROW_##name,
#include "sim/cli/options.def"
#undef OPTION
#undef OPTIONAL
#undef ALIAS
};

static const struct argp_option option_rows[] = {
#define OPTION(name, letter, spelling, argument, group, text)                  \
    {spelling, KEY_##name, argument, 0, text, group},
#define OPTIONAL(name, letter, spelling, argument, group, text)                \
    {spelling, KEY_##name, argument, OPTION_ARG_OPTIONAL, text, group},
#define ALIAS(name, spelling, group)                                           \
    {spelling, KEY_##name, NULL, OPTION_ALIAS, NULL, group},
#include "sim/cli/options.def"
#undef OPTION
#undef OPTIONAL
#undef ALIAS
    {NULL, '?', NULL, OPTION_ALIAS, NULL, 4}, /* of --help */
    {0},
};

/* One line, and the end. */
__attribute__((noreturn, format(printf, 1, 2))) static void
wrong(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "simrun: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    exit(EXIT_USAGE);
}

__attribute__((noreturn)) static void no_memory(void)
{
    fprintf(stderr, "simrun: the host has no memory\n");
    exit(EXIT_FAILED);
}

/* A number in a range, or an end with status 2. */
static uint64_t number(const char *option, const char *text, uint64_t min,
                       uint64_t max)
{
    uint64_t value = 0;

    if (!text_number(text, &value) || value < min || value > max)
        wrong("--%s=%s: give a number from %llu to %llu", option, text,
              (unsigned long long)min, (unsigned long long)max);
    return value;
}

/* PERIOD, PERIOD:u, PERIOD:k. */
static void parse_sample_insns(struct recorder_setup *s, char *text)
{
    char *mode = strchr(text, ':');

    s->sample_states = 0;
    if (mode) {
        if (strcmp(mode, ":u") && strcmp(mode, ":k"))
            wrong("--sample-insns=%s: behind the colon u or k", text);
        s->sample_states = mode[1] == 'u' ? SAMPLED_IN_USER : SAMPLED_IN_KERNEL;
        *mode = '\0';
    }
    s->sample_insns = (uint32_t)number("sample-insns", text, 1, 0x7FFFFFFF);
}

/* A number with one of the letters of `units` behind it, which stand for 1024,
 * 1024 * 1024 and so on, or with none. False: it is no number, or too large. */
static bool sized(const char *text, const char *units, uint64_t *value)
{
    char digits[32];
    size_t length = strlen(text);
    const char *unit =
        length ? strchr(units, toupper((unsigned char)text[length - 1])) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

    if (!length || length >= sizeof digits)
        return false;
    snprintf(digits, sizeof digits, "%.*s", (int)(length - !!unit), text);
    if (!text_number(digits, value) || *value > (uint64_t)INT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

/* Memory: MiB, or with a suffix. */
static uint32_t memory(const char *text)
{
    uint64_t value;
    bool plain = *text && !strchr("mMgG", text[strlen(text) - 1]);

    if (!sized(text, plain ? "" : "KMG", &value) ||
        (plain && value > RAM_MAX >> 20) || value == 0 ||
        (plain ? value << 20 : value) > RAM_MAX)
        wrong("--mem=%s: give 1 to %u MiB, or a number with M or G", text,
              (unsigned)(RAM_MAX >> 20));
    return (uint32_t)(plain ? value << 20 : value);
}

static uint64_t trace_limit(const char *text)
{
    uint64_t value;

    if (!sized(text, "KMG", &value) || !value)
        wrong("--trace-limit=%s: give a number of bytes, or with K, M or G "
              "behind it",
              text);
    return value;
}

/* SIZE, or FILE with what may be done to it. */
static void set_disk(struct disk_option *d, char *text)
{
    char *comma = strrchr(text, ',');

    *d = (struct disk_option){0};
    if (sized(text, "KMG", &d->size)) {
        if (!d->size || d->size % MEDIUM_SECTOR || d->size > MEDIUM_MAX)
            wrong("--disk=%s: give 512 bytes to 1024G, whole sectors of 512 "
                  "bytes; a file of that name is ./%s",
                  text, text);
        return;
    }
    d->read_only = comma && strcmp(comma, ",ro") == 0;
    d->keep = !d->read_only && !(comma && strcmp(comma, ",private") == 0);
    if (!d->keep)
        *comma = '\0';
    if (!*text)
        wrong("--disk=: give a file, or a size with K, M or G behind it");
    d->file = text;
}

static void read_chip(struct options *o, const char *name)
{
    char why[MESSAGE], path[INSTALLED_FILE_PATH], looked[INSTALLED_FILE_PATH];

    installed_file(name, ".def", path, looked);
    if (!o->setup.chip)
        o->chip = chip_604e;
    if (!chip_read(&o->chip, path, why, sizeof why))
        wrong("--chip: %s%s", why, looked);
    o->setup.chip = &o->chip;
}

static void set_knob(struct params *p, const char *text)
{
    char why[MESSAGE];

    if (!params_set(p, text, why, sizeof why))
        wrong("--set %s", why);
}

/* DIR, or DIR:/NAME. */
static void set_root(struct options *o, char *arg)
{
    char *colon = strrchr(arg, ':');

    o->root = arg;
    if (!colon || colon[1] != '/')
        return;
    *colon = '\0';
    if (!process_args_name(&o->process_args.place, colon + 1))
        no_memory();
}

/* What a program gets that was given nothing: enough for a shell's child, and
 * the same from every shell and in every place. */
static char *const environment[] = {"HOME=/", "LANG=C", "PATH=/bin:/usr/bin",
                                    NULL};

static void set_environment(struct options *o, char *const *from)
{
    process_args_clear(&o->process_args);
    if (!process_args_copy(&o->process_args.variable, from))
        no_memory();
}

static void change_environment(struct options *o, int key, const char *arg)
{
    o->environment = true;
    if (key == KEY_CLEAR_ENV)
        process_args_clear(&o->process_args);
    else if (key == KEY_HOST_ENV)
        set_environment(o, environ);
    else if (key == KEY_ENV && !process_args_set(&o->process_args, arg))
        wrong("--env=%s: give NAME=VALUE", arg);
    else if (key == KEY_UNSET_ENV && !process_args_unset(&o->process_args, arg))
        wrong("--unset-env=%s: give the name of a variable", arg);
}

static void set_mode(struct options *o, const char *text)
{
    const struct timing *t = timing_named(text), *next;
    char names[80] = "";
    size_t used = 0;

    if (t) {
        o->setup.timing = t;
        return;
    }
    for (unsigned k = 0; used < sizeof names && (t = timing_at(k)); k++) {
        next = timing_at(k + 1);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 !k     ? ""
                                 : next ? ", "
                                        : " or ",
                                 t->name);
    }
    wrong("--mode=%s: give %s", text, names);
}

static void set_engine(struct options *o, const char *text)
{
    static const struct engine *const engines[] = {&engine_blocks,
                                                   &engine_interpreter};

    for (unsigned k = 0; k < 2; k++)
        if (strcmp(engines[k]->name, text) == 0) {
            o->setup.engine = engines[k];
            return;
        }
    wrong("--engine=%s: give blocks or interpreter", text);
}

static enum memo_mode memo_mode(const char *text)
{
    if (strcmp(text, "on") == 0)
        return MEMO_ON;
    if (strcmp(text, "off") == 0)
        return MEMO_OFF;
    if (strcmp(text, "check") != 0)
        wrong("--memo=%s: give on, off or check", text);
    return MEMO_CHECK;
}

/* What was asked for was printed: end, unless it could not be. */
static void end_print(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        exit(0);
    fprintf(stderr, "simrun: stdout cannot be written\n");
    exit(EXIT_FAILED);
}

static void print_help(const char *what)
{
    if (what && strcmp(what, "all"))
        wrong("--help=%s: give --help or --help=all", what);
    if (what)
        help_all(stdout, option_rows);
    else
        help_brief(stdout, option_rows);
    end_print();
}

/* Nothing, json or json:FILE. */
static void set_summary(struct options *o, const char *arg)
{
    if (!arg)
        o->summary = true;
    else if (strcmp(arg, "json") == 0)
        o->json = "";
    else if (strncmp(arg, "json:", 5) == 0 && arg[5])
        o->json = arg + 5;
    else
        wrong("--summary=%s: give --summary, --summary=json or "
              "--summary=json:FILE",
              arg);
}

static void set_terminal(struct options *o, const char *text)
{
    if (strcmp(text, "raw") == 0)
        o->terminal = TERMINAL_RAW;
    else if (strcmp(text, "lines") == 0)
        o->terminal = TERMINAL_LINES;
    else
        wrong("--terminal=%s: give raw or lines", text);
}

static void set_log(struct options *o, const char *text)
{
    char why[MESSAGE];

    if (!log_parse(&o->log, text, why, sizeof why))
        wrong("--log=%s", why);
}

/* hot and climb begin with samples. */
static void settle_autoprofile(struct options *o)
{
    struct machine_setup *s = &o->setup;
    enum autoprofile_kind kind = o->marks.automatic;

    if (!autoprofile_passes(kind))
        return;
    if (o->log.what && !o->log.file)
        wrong("--autoprofile=%s runs the program more than once: name a "
              "file for the log of the last run, --log=exec:FILE",
              autoprofile_name(kind));
    if (o->user && s->params.pif_charge)
        wrong("--autoprofile=%s runs the program again without knowing "
              "beforehand what marks will cost, --set pif_charge=%llu: "
              "leave that out, or take --autoprofile=scan",
              autoprofile_name(kind), (unsigned long long)s->params.pif_charge);
    for (unsigned k = 0; k < s->nhost_counters; k++)
        if (s->host_counters[k].period)
            return;
    if (s->nhost_counters == HOST_COUNTERS)
        wrong("--autoprofile=%s: give one event a period",
              autoprofile_name(kind));
    s->host_counters[s->nhost_counters++] =
        (struct host_counter_spec){EV_cycles, AUTOPROFILE_PERIOD, true, true};
}

/* A program in the guest's RAM disk. */
static void settle_program(struct options *o)
{
    if ((o->dtb || o->dump_dtb) && o->user)
        wrong("--dtb, --dump-dtb: under --user there is no kernel");
    if ((o->run || o->initrd) && o->user)
        wrong("--initrd, --program: under --user there is no guest; simrun "
              "--user PROGRAM runs it without one");
    if (!o->run)
        return;
    if (strstr(o->setup.args, "run="))
        wrong("--program: --append has a run= already; put the file into "
              "--initrd, or leave out run=");
    if (!program_line(o->boot_line, o->setup.args, o->run,
                      process_args_texts(&o->process_args.argument)))
        wrong("--program: it and its arguments are longer than %d bytes",
              INFO_ARGS_MAX - 1);
    o->setup.args = o->boot_line;
}

static void finish_options(struct options *o)
{
    char why[MESSAGE];

    if (o->list_events) {
        dump_events(stdout, o->setup.define, o->setup.ndefine);
        end_print();
    }
    if (!o->program)
        wrong("no program given; usage: simrun [OPTION...] PROGRAM.elf "
              "(--help explains it)");
    if (o->user && *o->setup.args)
        wrong("--append: under --user the arguments stand behind "
              "the program");
    settle_program(o);
    if (o->setup.params.layout && !o->user)
        wrong("--set layout: it moves a program under --user; --append "
              "layout=SEED moves those of the guest");
    if (o->setup.params.user_disk && !o->user)
        wrong("--set user_disk: that is of --user; --disk=FILE gives a whole "
              "system one");
    if (o->root && !o->user)
        wrong("--root: only a program under --user has one");
    if (o->user && (o->disk.file || o->disk.size))
        wrong("--disk: only a whole system has a disk, not a program under "
              "--user");
    if (o->force && !o->trace_dir)
        wrong("--force: which experiment? give --pmu-trace=DIR");
    if (o->environment && !o->user)
        wrong("--env, --host-env and their kin: only a program "
              "under --user has an environment");
    if (o->environment && o->replay)
        wrong("--env, --host-env and their kin: --replay has the "
              "environment that was recorded");
    o->record.switches = !o->probes.count && !o->probes.sections;
    if (!detail_options_check(&o->setup, why, sizeof why) ||
        !event_options_check(&o->setup, why, sizeof why) ||
        !what_if_options_check(o, why, sizeof why))
        wrong("%s", why);
    settle_autoprofile(o);
    if (!look_options_check(o, why, sizeof why))
        wrong("%s", why);
    if (o->view && (o->gdb || o->marks.automatic))
        wrong("--view: not together with %s",
              o->gdb ? "--gdb, which stops the run, too"
                     : "--autoprofile, which may run the program again");
    if (o->trace_limit && !o->trace)
        wrong("--trace-limit: nothing is recorded, --pmu-trace does");
    if (!params_check(&o->setup.params, why, sizeof why))
        wrong("--set %s", why);
    if ((o->log.from || o->log.to) && !o->log.what)
        wrong("--log-from, --log-to: say what with --log=exec");
    if (o->log.what & (LOG_PIPE | LOG_KONATA) && o->setup.timing->serial &&
        !o->setup.ndetail)
        wrong("--log=%s: --mode=%s has no stages; leave it out, or give "
              "--detail",
              o->log.what & LOG_PIPE ? "pipe" : "konata",
              o->setup.timing->name);
    if (!log_check(&o->log, why, sizeof why) ||
        (o->gdb && !link_check(o->gdb, why, sizeof why)))
        wrong("%s", why);
    if (strlen(o->setup.args) >= INFO_ARGS_MAX)
        wrong("--append: longer than %d bytes", INFO_ARGS_MAX - 1);
}

static error_t parse_print(int key, const char *arg, struct argp_state *state)
{
    switch (key) {
    case KEY_HELP:
    case '?':
        print_help(arg);
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
    case KEY_LIST_EVENTS: /* those defined behind it, too */
        ((struct options *)state->input)->list_events = true;
        break;
    case KEY_VERSION:
        printf("simrun %s\n", SIMRUN_VERSION);
        end_print();
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void add_detail(struct machine_setup *s, const char *text)
{
    char why[MESSAGE];

    if (!detail_options_add(s, text, why, sizeof why))
        wrong("%s", why);
}

static void add_what_if(struct machine_setup *s, const char *text)
{
    char why[MESSAGE];

    if (!what_if_add_all(&s->what_if, text, why, sizeof why))
        wrong("%s", why);
}

/* What the machine is. */
static error_t parse_machine(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct machine_setup *s = &o->setup;
    char seed[64];

    switch (key) {
    case KEY_CPUS:
        s->cpus = (unsigned)number("cpus", arg, 1, MACHINE_CPUS);
        break;
    case KEY_MEM:
        s->ram = memory(arg);
        break;
    case KEY_MODE:
        set_mode(o, arg);
        break;
    case KEY_DETAIL:
        add_detail(s, arg);
        break;
    case KEY_DETAIL_FILL:
        s->detail_fill = number("detail-fill", arg, 0, INT64_MAX);
        break;
    case KEY_DISK:
        set_disk(&o->disk, arg);
        break;
    case KEY_ENGINE:
        set_engine(o, arg);
        break;
    case KEY_MEMO:
        s->memo = memo_mode(arg);
        break;
    case KEY_MEMO_SIZE:
        s->memo_mb = (uint32_t)number("memo-size", arg, 1, 65536);
        break;
    case KEY_APPEND:
        s->args = arg;
        break;
    case KEY_INITRD:
        o->initrd = arg;
        break;
    case KEY_DTB:
        o->dtb = arg;
        break;
    case KEY_DUMP_DTB:
        o->dump_dtb = arg;
        break;
    case KEY_PROGRAM:
        o->run = arg;
        break;
    case KEY_SET:
        set_knob(&s->params, arg);
        break;
    case KEY_SEED:
        snprintf(seed, sizeof seed, "seed=%.50s", arg);
        set_knob(&s->params, seed);
        break;
    case KEY_WHAT_IF:
        add_what_if(s, arg);
        break;
    case KEY_CHIP:
        read_chip(o, arg);
        break;
    case KEY_USER:
        if (o->program)
            wrong("--user: give it in front of the program: simrun --user %s",
                  o->program);
        o->user = true;
        break;
    case KEY_ROOT:
        set_root(o, arg);
        break;
    case KEY_SYSROOT:
        o->sysroot = arg;
        break;
    case KEY_HOST_ENV:
    case KEY_ENV:
    case KEY_UNSET_ENV:
    case KEY_CLEAR_ENV:
        change_environment(o, key, arg);
        break;
    default:
        return parse_print(key, arg, state);
    }
    return 0;
}

static void add_counted(struct options *o, const char *arg)
{
    char why[MESSAGE];

    if (!event_options_add(&o->setup, arg, why, sizeof why))
        wrong("%s", why);
    o->trace |= !predicate_is(arg);
}

static void add_mark(struct options *o, enum mark_request_kind kind,
                     const char *arg)
{
    struct mark_request_options *m = &o->marks;

    if (m->count == MARK_REQUEST_SPECS)
        wrong("%s: %d marks and ranges are all there are; "
              "put them into a list, --mark file:LIST",
              arg, MARK_REQUEST_SPECS);
    m->spec[m->count].kind = kind;
    m->spec[m->count++].text = arg;
    o->trace = true;
}

/* Of options/look.h and options/idle.h. */
static void look(struct options *o, const char *arg,
                 bool (*add)(struct options *, const char *, char *, size_t))
{
    char why[MESSAGE];

    if (!add(o, arg, why, sizeof why))
        wrong("%s", why);
}

/* What is marked in the program, or followed. */
static error_t parse_marks(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_MARK:
        add_mark(o, MARK_REQUEST_MARK, arg);
        break;
    case KEY_RANGE:
        add_mark(o, MARK_REQUEST_RANGE, arg);
        break;
    case KEY_DATA_RANGE:
        add_mark(o, MARK_REQUEST_DATA_RANGE, arg);
        break;
    case KEY_AUTOPROFILE:
        if (!autoprofile_parse(arg, &o->marks.automatic))
            wrong("--autoprofile=%s: give hot, climb, calls, branches or scan",
                  arg);
        o->trace = true;
        break;
    case KEY_IGNORE_MARKS:
        o->marks.ignore = true;
        break;
    case KEY_SAMPLE_IDLE:
        look(o, arg, idle_options_parse);
        break;
    case KEY_PIPE:
    case KEY_RECORD_LINES:
        look(o, arg, key == KEY_PIPE ? look_options_pipe : look_options_lines);
        break;
    case KEY_SAMPLE_INSNS:
        parse_sample_insns(&o->record, arg);
        o->trace = true;
        break;
    default:
        return parse_machine(key, arg, state);
    }
    return 0;
}

/* How it is run and watched. */
static error_t parse_run(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    struct machine_setup *s = &o->setup;

    switch (key) {
    case KEY_PMU_TRACE:
        if (arg && !*arg)
            wrong("--pmu-trace=: name a directory, or nothing");
        o->trace = true;
        o->trace_dir = arg;
        break;
    case KEY_FORCE:
        o->force = true;
        break;
    case KEY_TRACE_LIMIT:
        o->trace_limit = trace_limit(arg);
        break;
    case KEY_EVENT:
        add_counted(o, arg);
        break;
    case KEY_PROBE:
        if (!*arg)
            wrong("--probe: give a function or an address");
        if (o->probes.count == PROBES)
            wrong("--probe %s: %d probes are all there are", arg, PROBES);
        o->probes.function[o->probes.count++] = arg;
        o->trace = true;
        break;
    case KEY_SECTIONS:
        o->probes.sections = o->trace = true;
        break;
    case KEY_SWITCH_STACKS:
        o->record.switch_stacks = o->trace = true;
        break;
    case KEY_RECORD_LOCKS:
        o->record.locks = o->record.switch_stacks = o->trace = true;
        break;
    case KEY_REPLAY:
        o->replay = arg;
        break;
    case KEY_MAX_CYCLES:
        s->max_cycles = number("max-cycles", arg, 1, INT64_MAX);
        break;
    case KEY_MAX_INSNS:
        s->max_insns = number("max-insns", arg, 1, INT64_MAX);
        break;
    case KEY_TERMINAL:
        set_terminal(o, arg);
        break;
    case KEY_SUMMARY:
        set_summary(o, arg);
        break;
    case KEY_QUIET:
        o->quiet = true;
        break;
    case KEY_GDB:
        o->gdb = arg;
        break;
    case KEY_VIEW:
        look(o, arg, look_options_view);
        break;
    case KEY_LOG:
        set_log(o, arg);
        break;
    case KEY_LOG_FROM:
        o->log.from = arg;
        break;
    case KEY_LOG_TO:
        o->log.to = arg;
        break;
    default:
        return parse_marks(key, arg, state);
    }
    return 0;
}

/* An argument behind the program: often the value of an option whose value is
 * optional, and so stands behind a =. */
static void second_program(const struct options *o, const char *arg,
                           char *const *argv)
{
    while (argv[1] != o->program)
        argv++;
    if (strcmp(*argv, "--pmu-trace") == 0 || strcmp(*argv, "--summary") == 0 ||
        strcmp(*argv, "--view") == 0)
        wrong("%s %s: write %s=%s; else %s is the program to run", *argv,
              o->program, *argv, o->program, o->program);
    wrong("%s: only one program can run, and that is %s; arguments stand "
          "behind --user %s, or in --append='TEXT'",
          arg, o->program, o->program);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    char why[MESSAGE];
    bool rest;

    switch (key) {
    case ARGP_KEY_ARG:
        if (o->program && !o->run)
            second_program(o, arg, state->argv);
        rest = o->user || o->program;
        if (!o->program)
            o->program = arg;
        if (rest) { /* all the rest is its own */
            if (!process_args_copy(&o->process_args.argument,
                                   state->argv + state->next - 1))
                no_memory();
            state->next = state->argc;
        }
        break;
    case ARGP_KEY_ERROR:
        mistyped_option(option_rows, state->argv, state->next, why, sizeof why);
        wrong("%s", why);
    case ARGP_KEY_END:
        finish_options(o);
        break;
    default:
        return parse_run(key, arg, state);
    }
    return 0;
}

void options_read(struct options *o, int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_rows,
        .parser = parse,
        .args_doc = "PROGRAM.elf\n--user PROGRAM [ARGUMENT...]",
        .doc = "Run a program on a simulated PowerPC 604e computer.",
    };

    *o = (struct options){0};
    params_default(&o->setup.params);
    o->setup.detail_fill = MODES_FILL;
    o->setup.cpus = 4;
    o->setup.ram = 512u << 20;
    o->setup.args = "";
    set_environment(o, environment);
    if (argp_parse(&argp, argc, argv,
                   ARGP_NO_HELP | ARGP_IN_ORDER | ARGP_NO_ERRS, NULL, o))
        no_memory();
}
