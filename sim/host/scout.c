/* scout.c - where the shared libraries of a program will be, before it runs.
 *
 * Marks, probes, ranges and stretches are set up before the first instruction,
 * by address, while the dynamic loader maps the libraries only then. But what
 * it does follows from the program, its arguments, environment and files alone,
 * so it does it twice: once in a machine that is thrown away when the loader
 * jumps to the program. What the program opens itself (dlopen) is not there
 * yet.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/timing.h"
#include "sim/host/run.h"
#include "sim/machine/modes.h"
#include "lib/base/text.h"

#define SCOUT_INSNS UINT64_C(200000000) /* a loader takes a hundredth of it */

/* ---- is it needed? ------------------------------------------------------- */

static bool edge_lacks(const struct names *n, const char *text)
{
    uint32_t address;

    return text && !isdigit((unsigned char)*text) &&
           strncmp(text, "cycle:", 6) != 0 && !names_find(n, text, &address);
}

/* Does an option name what the image has not? */
static bool lacks(const struct options *o, const struct names *n)
{
    char why[1024];
    struct stretch any;
    uint64_t number;
    uint32_t address;
    bool missing = false;

    for (unsigned k = 0; k < o->probes.count; k++)
        missing |= !text_number(o->probes.function[k], &number) &&
                   !names_find(n, o->probes.function[k], &address);
    for (unsigned k = 0; k < o->setup.ndetail; k++)
        missing |= !modes_parse(o->setup.detail[k], n, o->setup.detail_fill,
                                &any, why, sizeof why);
    return missing || edge_lacks(n, o->log.from) || edge_lacks(n, o->log.to);
}

static bool marks_lack(const struct run *r)
{
    struct mark_requests marks;
    char why[1024];

    if (!mark_request_open(&marks, &r->options.marks, &r->image, why,
                           sizeof why))
        return true;
    mark_request_close(&marks);
    return false;
}

static bool is_needed(const struct run *r)
{
    const struct options *o = &r->options;
    enum autoprofile_kind kind = o->marks.automatic;
    struct names names;
    bool needed;

    if (!o->user || !r->image.interp[0])
        return false;
    /* Those two look where samples lead them; all others mark all code. */
    if (kind && kind != AUTOPROFILE_HOT && kind != AUTOPROFILE_CLIMB)
        return true;
    if (o->setup.ndefine || marks_lack(r))
        return true;
    if (!names_open(&names, &r->image))
        return false;
    needed = lacks(o, &names);
    names_close(&names);
    return needed;
}

/* ---- the run ------------------------------------------------------------- */

static bool at_start(void *arg, struct core *c, const struct insn *i,
                     cycle_t at)
{
    const struct run *r = arg;

    (void)i;
    (void)at;
    return c->cpu.pc == r->image.start;
}

static void say_nothing(void *arg, const char *line)
{
    (void)arg;
    (void)line;
}

/* What asks about a standard file, waits or changes a file before the program
 * begins is no loader: that is the end of it. Writing leads nowhere. */
static bool recall_nothing(void *arg, uint64_t at, char kind, int64_t *value,
                           void *bytes, size_t size)
{
    (void)arg;
    (void)at;
    (void)kind;
    (void)value;
    (void)bytes;
    (void)size;
    return false;
}

static bool wait_never(void *arg, int fd, short events)
{
    (void)arg;
    (void)fd;
    (void)events;
    return false;
}

static bool change_nothing(void *arg, const char *path)
{
    (void)arg;
    (void)path;
    return false;
}

static bool pulse(void *arg, const struct machine *m)
{
    (void)m;
    return run_signal(arg);
}

static struct machine_setup plain(struct run *r, struct user *u)
{
    struct machine_setup s = r->options.setup;

    s.timing = &timing_fast;
    s.engine = NULL;
    s.max_cycles = 0;
    s.max_insns = SCOUT_INSNS;
    s.image = &r->image;
    s.trace_port = false;
    s.host = (struct machine_host){.arg = r, .pulse = pulse};
    s.supervisor = user_supervisor(u);
    s.nhost_counters = s.ndefine = s.ndetail = 0;
    s.params.pif = 0;
    return s;
}

static bool run(struct run *r, struct user *u, struct machine *m, char *why,
                size_t size)
{
    struct machine_setup s = plain(r, u);
    struct observer o = {.arg = r, .before = at_start};
    bool ok = machine_init(m, &s, why, size) && machine_read_names(m);

    if (ok && (ok = user_start(u, m, why, size))) {
        machine_observe(m, &o, true);
        while (m->end == MACHINE_RUNNING && !m->stopped_by_probe)
            machine_turn(m);
        r->shared = user_take_shared(u, &r->nshared);
    }
    machine_free(m);
    return ok;
}

bool scout_libraries(struct run *r, char *why, size_t size)
{
    struct user_host host = {.arg = r,
                             .say = say_nothing,
                             .wait = wait_never,
                             .recall = recall_nothing,
                             .silent = true,
                             .change = change_nothing};
    struct user_setup setup = host_input_setup(r, &host);
    struct machine *m;
    struct user *u = NULL;
    bool ok;

    if (!is_needed(r))
        return true;
    m = calloc(1, sizeof *m);
    ok = m && user_open(&u, &setup, why, size) && run(r, u, m, why, size);
    if (!m)
        snprintf(why, size, "the host has no memory");
    user_close(u);
    free(m);
    for (unsigned n = r->nshared; n--;) {
        r->shared[n].beside = r->image.beside;
        r->image.beside = &r->shared[n];
    }
    return ok;
}

void scout_free(struct run *r)
{
    for (unsigned n = 0; n < r->nshared; n++)
        image_close(&r->shared[n]);
    free(r->shared);
}
