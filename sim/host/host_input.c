/* host_input.c - what a run hears from outside: console input, the standard
 * files of a program under --user. From the host, or as an earlier run or pass
 * heard it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/host/run.h"

/* It is all known already. */
static bool recalls(const struct run *r)
{
    return r->options.replay || r->pass > 1;
}

/* A pass will come that has to hear the same. */
static bool takes_notes(const struct run *r)
{
    return autoprofile_passes(r->autoprofile.kind) && !recalls(r);
}

static void debugged(void *arg, const char *line)
{
    struct run *r = arg;

    if (!replay_hear(&r->replay, line))
        abort();
}

static void heard_stdio(void *arg, cycle_t at, char kind, int64_t value,
                        const void *bytes, size_t size)
{
    struct run *r = arg;

    if (!replay_hear_fact(&r->replay, at, kind, value, bytes, size))
        abort();
}

void host_input_notes(struct run *r)
{
    r->pass_notes =
        (struct observer){.arg = r, .debugged = debugged, .stdio = heard_stdio};
    if (takes_notes(r))
        machine_observe(&r->machine, &r->pass_notes, true);
}

/* ---- the console --------------------------------------------------------- */

/* A debugger or a viewer may want to stop the run. False: it is over. */
static bool watchers_poll(struct run *r)
{
    return (!r->options.gdb || gdb_poll(&r->gdb)) &&
           (!r->options.view || view_poll(&r->view));
}

/* The file whose readiness calls for that, or -1. */
static int watchers_file(const struct run *r)
{
    return r->options.gdb    ? gdb_file(&r->gdb)
           : r->options.view ? view_file(&r->view)
                             : -1;
}

/* From the host's stdin. While we wait the debugger may have a word. */
static enum console_get console_byte(struct run *r, bool asleep, uint8_t *byte)
{
    enum console_get got;

    do {
        if (!watchers_poll(r))
            return CONSOLE_SIGNAL;
        r->console.wake = watchers_file(r);
        run_keep_records(r, asleep && r->console.taken == r->console.got);
        got = console_get(&r->console, asleep, byte);
    } while (got == CONSOLE_WAKE);
    return got;
}

enum machine_input host_input_byte(void *arg, cycle_t at, bool asleep,
                                   uint8_t *byte)
{
    struct run *r = arg;

    if (recalls(r)) {
        if (replay_get(&r->replay, at, byte))
            return INPUT_BYTE;
        if (replay_told_over(&r->replay, at))
            return INPUT_END;
        return replay_over(&r->replay) && !r->replay.over ? INPUT_SILENT
                                                          : INPUT_NONE;
    }
    switch (console_byte(r, asleep, byte)) {
    case CONSOLE_BYTE:
        if (takes_notes(r) && !replay_hear_byte(&r->replay, at, *byte))
            abort();
        return INPUT_BYTE;
    case CONSOLE_NONE:
        return INPUT_NONE;
    case CONSOLE_END:
        if (takes_notes(r))
            r->replay.over = at;
        return INPUT_END;
    default:
        return INPUT_STOP;
    }
}

/* ---- a program under --user ---------------------------------------------- */

/* It waits for the host. While it does the debugger may have a word. */
static bool wait_file(void *arg, int fd, short events)
{
    struct run *r = arg;
    struct pollfd p[3] = {
        {fd, events, 0}, {r->console.signals, POLLIN, 0}, {-1, POLLIN, 0}};

    do {
        if (!watchers_poll(r))
            return false;
        p[2].fd = watchers_file(r);
        if (!poll(p, 3, 0))
            run_keep_records(r, true);
        while (poll(p, 3, -1) < 0 && errno == EINTR)
            ;
        if (p[1].revents & POLLIN && run_signal(r))
            return false;
    } while (!p[0].revents && !p[1].revents);
    return true;
}

static bool recall_stdio(void *arg, uint64_t at, char kind, int64_t *value,
                         void *bytes, size_t size)
{
    struct run *r = arg;

    return replay_fact(&r->replay, at, kind, value, bytes, size);
}

/* A second pass would not find the files as the first one did. */
static bool refuse_change(void *arg, const char *path)
{
    struct run *r = arg;
    enum autoprofile_kind kind = r->autoprofile.kind;
    char line[1024];

    snprintf(line, sizeof line,
             "--autoprofile=%s runs a program more than once, and this one is "
             "about to change files (%.300s), which the next run would see; "
             "nothing was changed. --autoprofile=%s counts %s in one run",
             autoprofile_name(kind), path,
             autoprofile_name(kind == AUTOPROFILE_HOT ? AUTOPROFILE_SCAN
                                                      : AUTOPROFILE_CALLS),
             kind == AUTOPROFILE_HOT ? "every instruction" : "every call");
    run_say_line(r, line);
    return false;
}

/* Environment and names are those of the recorded run; the arguments are given
 * anew and must be the same. */
bool host_input_given(struct run *r, char *why, size_t size)
{
    struct process_args *now = &r->options.process_args,
                        *then = &r->replay.process_args;
    struct process_args_list mine = now->variable;
    long at;

    if (!then->argument.count) /* a recording without them */
        return true;
    at = process_args_departs(now, then);
    if (at >= 0) {
        const char *was = process_args_texts(&then->argument)[at];

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

struct user_setup host_input_setup(const struct run *r,
                                   const struct user_host *host)
{
    const struct options *o = &r->options;

    return (struct user_setup){
        .image = &r->image,
        .path = o->program,
        .root = o->root,
        .place = o->process_args.place,
        .self = o->process_args.self,
        .argv = process_args_texts(&o->process_args.argument),
        .envp = process_args_texts(&o->process_args.variable),
        .sysroot = o->sysroot,
        .tmp = o->tmp,
        .host = *host,
    };
}

bool host_input_user(struct run *r, char *why, size_t size)
{
    struct options *o = &r->options;
    bool passes = autoprofile_passes(r->autoprofile.kind);
    struct user_host host = {.arg = r,
                             .say = run_say_line,
                             .wait = wait_file,
                             .recall = recalls(r) ? recall_stdio : NULL,
                             .silent = r->pass > 1,
                             .change = passes ? refuse_change : NULL};
    struct user_setup setup = host_input_setup(r, &host);

    if (!user_open(&r->user, &setup, why, size))
        return false;
    if (!process_args_name(&o->process_args.place, user_place(r->user)) ||
        !process_args_name(&o->process_args.self, user_self(r->user))) {
        snprintf(why, size, "the host has no memory");
        return false;
    }
    o->setup.supervisor = user_supervisor(r->user);
    return true;
}
