/* view.c - when a machine that is followed stops and goes on; see view.h. The
 * observer stops it in front of an instruction, the loop between two turns.
 */
#include "sim/view/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "sim/core/core.h"

#define TELL_EVERY 0.1 /* s between two words of how far it is */

/* ---- stopping in front of an instruction --------------------------------- */

static void listen(struct view *v, bool on)
{
    if (v->listens != on)
        machine_observe(v->machine, &v->observer, on);
    v->listens = on;
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct view *v = arg;

    (void)i;
    if (v->passes && c->number == v->hit_cpu && c->cpu.pc == v->hit_pc &&
        v->aim == VIEW_TO && v->to.kind == MOMENT_ADDRESS) {
        v->passes = false;
        return false;
    }
    v->passes = false;
    if (v->aim != VIEW_TO || !moment_reached(&v->to, v->machine, c->cpu.pc, at))
        return false;
    v->hit = true;
    v->hit_cpu = c->number;
    v->hit_pc = c->cpu.pc;
    return true;
}

/* Instructions are looked at only where it may be there. */
static void arm(struct view *v, cycle_t at)
{
    listen(v, v->aim == VIEW_TO && moment_near(&v->to, v->machine, at));
}

/* ---- words --------------------------------------------------------------- */

static cycle_t now(const struct view *v)
{
    const struct machine *m = v->machine;
    cycle_t last = machine_now(m), at = m->core[m->turn_cpu].clock;

    return at > last ? at : last;
}

static void say_cpus(struct view *v)
{
    const struct machine *m = v->machine;

    for (unsigned n = 0; n < m->with.cpus; n++) {
        const struct core *c = &m->core[n];
        char place[NAME_TEXT];

        names_text(&v->names, c->cpu.pc, place);
        view_lines_say(
            &v->lines, "cpu %u %s %08" PRIx32 " %" PRIu32 " %" PRIu64 " %s", n,
            core_state_name(c), c->cpu.pc, c->context, c->clock, place);
    }
}

static void say_far(struct view *v, const char *word)
{
    view_lines_say(&v->lines, "%s %" PRIu64 " %" PRIu64, word, now(v),
                   machine_insns(v->machine));
    v->told = v->host.seconds();
}

static void say_stopped(struct view *v)
{
    say_cpus(v);
    if (v->hit)
        view_lines_say(&v->lines, "next %u %08" PRIx32, v->hit_cpu, v->hit_pc);
    say_far(v, "stopped");
}

static void greet(struct view *v)
{
    view_lines_say(&v->lines, "simrun-view 1 %u", v->machine->with.cpus);
    view_lines_say(&v->lines, "experiment %s", v->experiment);
}

/* ---- what the viewer asks for -------------------------------------------- */

static void end(struct view *v)
{
    v->machine->end = MACHINE_STOPPED;
    v->stopped = false;
}

static void go(struct view *v, enum view_aim aim)
{
    v->aim = aim;
    v->passes = v->hit;
    v->hit = false;
    v->stopped = false;
    arm(v,
        v->machine->beat > MACHINE_BEAT ? v->machine->beat - MACHINE_BEAT : 0);
    view_lines_say(&v->lines, "running");
}

/* An instruction that raises an exception is not done, and is none of them. */
static void step(struct view *v, const char *text)
{
    uint64_t n = 1, done = machine_insns(v->machine);

    if (*text && (!text_number(text, &n) || !n)) {
        view_lines_say(&v->lines, "error step %.100s: give a number from 1 on",
                       text);
        return;
    }
    v->to = (struct moment){MOMENT_INSNS,
                            n < UINT64_MAX - done ? done + n : UINT64_MAX};
    go(v, VIEW_TO);
}

static void go_to(struct view *v, const char *text)
{
    struct moment to;
    char why[VIEW_LINE];

    if (!moment_parse(&to, &v->names, "to", text, why, sizeof why)) {
        view_lines_say(&v->lines, "error %s", why + 2);
        return;
    }
    if ((to.kind == MOMENT_INSNS && machine_insns(v->machine) >= to.value) ||
        (to.kind == MOMENT_CYCLE && now(v) >= to.value)) {
        view_lines_say(&v->lines, "error to %.100s: that is past", text);
        return;
    }
    v->to = to;
    go(v, VIEW_TO);
}

/* While the machine runs only `pause`, `where` and `quit` mean something. */
static void obey(struct view *v, const char *line)
{
    size_t word = strcspn(line, " ");
    const char *rest = line + word + strspn(line + word, " ");
    bool is_pause = !strcmp(line, "pause"), is_where = !strcmp(line, "where");

    if (!strcmp(line, "quit")) {
        v->killed = true;
        end(v);
    } else if (is_where && !v->stopped) {
        say_far(v, "at");
    } else if (is_where || (is_pause && v->stopped)) {
        say_stopped(v);
    } else if (is_pause) {
        v->stopped = true;
    } else if (word == 3 && !strcmp(line, "run") && v->stopped) {
        go(v, VIEW_RUN);
    } else if (word == 4 && !strncmp(line, "step", 4) && v->stopped) {
        step(v, rest);
    } else if (word == 2 && !strncmp(line, "to", 2) && *rest && v->stopped) {
        go_to(v, rest);
    } else {
        view_lines_say(&v->lines, "error %.100s: %s", line,
                       v->stopped ? "give run, step N, to PLACE, where or quit"
                                  : "it runs: give pause, where or quit");
    }
}

/* The viewer has gone: the run goes on alone. */
static void forget(struct view *v)
{
    v->aim = VIEW_RUN;
    v->stopped = false;
    v->hit = false;
    listen(v, false);
}

static void hear(struct view *v, enum view_event e)
{
    switch (e) {
    case VIEW_OPENED:
        greet(v);
        v->stopped = true;
        break;
    case VIEW_HEARD:
        obey(v, v->lines.line);
        break;
    case VIEW_CLOSED:
        forget(v);
        break;
    case VIEW_SIGNAL:
        end(v);
        break;
    default:
        break;
    }
}

/* Stand still until the viewer wants to go on or has gone. What was recorded
 * can be read meanwhile. */
static void talk(struct view *v)
{
    struct machine *m = v->machine;

    v->stopped = true;
    v->aim = VIEW_RUN;
    listen(v, false);
    if (machine_pulse(m)) { /* show what was printed */
        end(v);
        return;
    }
    OBSERVERS_TELL(&m->observers, halted, now(v));
    say_stopped(v);
    while (v->stopped)
        hear(v, view_lines_next(&v->lines, true));
}

bool view_poll(struct view *v)
{
    enum view_event e;

    do {
        e = view_lines_next(&v->lines, false);
        hear(v, e);
        if (v->stopped)
            talk(v);
    } while (e != VIEW_NONE && v->machine->end == MACHINE_RUNNING);
    return v->machine->end == MACHINE_RUNNING;
}

int view_file(const struct view *v)
{
    return v->lines.fd >= 0 ? v->lines.fd : v->lines.listener;
}

/* ---- running ------------------------------------------------------------- */

static void tell(struct view *v)
{
    if (v->host.seconds() - v->told > TELL_EVERY)
        say_far(v, "at");
}

static void look(struct view *v)
{
    struct machine *m = v->machine;

    if (v->aim == VIEW_TO && !v->listens)
        arm(v, m->beat - MACHINE_BEAT);
    view_poll(v);
    tell(v);
}

void view_run(struct view *v)
{
    struct machine *m = v->machine;

    while (m->end == MACHINE_RUNNING && v->lines.fd < 0)
        hear(v, view_lines_next(&v->lines, true));
    if (m->end == MACHINE_RUNNING)
        talk(v);
    while (m->end == MACHINE_RUNNING) {
        machine_turn(m);
        if (v->hit && m->end == MACHINE_RUNNING) {
            talk(v);
        } else if (m->beat != v->looked) {
            v->looked = m->beat;
            look(v);
        }
    }
    listen(v, false);
    machine_finish(m);
}

void view_ends(struct view *v, int status)
{
    if (v->machine)
        view_lines_say(&v->lines, "ended %d %" PRIu64 " %" PRIu64, status,
                       v->machine->cycles, machine_insns(v->machine));
}

/* ---- open and close ------------------------------------------------------ */

bool view_open(struct view *v, const char *where, struct view_host host,
               struct machine *m, char *why, size_t size)
{
    *v = (struct view){.host = host,
                       .lines = {.listener = -1, .fd = -1, .signals = -1}};
    v->machine = m;
    v->observer = (struct observer){.arg = v, .before = before};
    if (!names_open(&v->names, m->with.image)) {
        snprintf(why, size, "--view: the host has no memory for the names");
        return false;
    }
    if (where)
        return view_lines_listen(&v->lines, where, host.signals, why, size);
    return view_lines_start(&v->lines, host.viewer, host.signals, why, size);
}

void view_experiment(struct view *v, const char *path)
{
    char *whole = realpath(path, NULL);

    snprintf(v->experiment, sizeof v->experiment, "%s", whole ? whole : path);
    free(whole);
    if (v->lines.fd >= 0)
        greet(v);
}

void view_close(struct view *v)
{
    if (!v->machine)
        return;
    listen(v, false);
    view_lines_close(&v->lines);
    names_close(&v->names);
    v->machine = NULL;
}
