/* pipe_record.c - see pipe_record.h. Stretches follow each other: the next one
 * is looked for when the one before it is whole.
 */
#include "sim/observe/stretch/pipe_record.h"

#include <stdio.h>
#include <string.h>

#include "include/record_put.h"
#include "lib/base/text.h"
#include "sim/core/core.h"

bool pipe_options_add(struct pipe_options *o, const char *text, char *why,
                      size_t size)
{
    struct pipe_stretch *s = &o->stretch[o->count];
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    struct moment any;

    if (o->count == PIPE_STRETCHES) {
        snprintf(why, size, "--pipe=%s: %d stretches are all there are", text,
                 PIPE_STRETCHES);
        return false;
    }
    if (!length || length >= sizeof s->from ||
        (length == 5 && !strncmp(text, "cycle", 5)) ||
        !text_number(colon + 1, &s->insns) || !s->insns ||
        s->insns > PIPE_MOST) {
        snprintf(why, size,
                 "--pipe=%s: give FROM:COUNT, where COUNT is 1 to %d "
                 "instructions",
                 text, PIPE_MOST);
        return false;
    }
    memcpy(s->from, text, length);
    s->from[length] = '\0';
    if (!moment_parse(&any, NULL, "pipe", s->from, why, size))
        return false;
    o->count++;
    return true;
}

/* ---- recording ----------------------------------------------------------- */

static uint64_t unit_letters(const char *name)
{
    uint64_t letters = 0;

    for (unsigned k = 0; k < 8; k++) {
        letters = letters << 8 | (uint8_t)*name;
        name += *name != '\0';
    }
    return letters;
}

static void put(struct pipe_record *p, const struct core *c, ea_t pc,
                const struct core_stages *s)
{
    struct experiment_stamp stamp = {REC_PIPE, c->number,
                                     p->now[c->number].context, s->complete};
    uint32_t w[PIPE_WORDS + 3 * CORE_WAITS], *wait;

    record_put_pipe_flags(w,
                          (p->now[c->number].exception ? PIPE_EXCEPTION : 0) |
                              (p->now[c->number].user ? PIPE_USER : 0));
    record_put_pipe_pc(w, pc);
    record_put_pipe_word(w, p->now[c->number].word);
    record_put_pipe_number(w, ++p->recorded);
    record_put_pipe_unit(w, unit_letters(s->unit));
    record_put_pipe_fetch(w, s->fetch);
    record_put_pipe_dispatch(w, (uint32_t)(s->dispatch - s->fetch));
    record_put_pipe_issue(w, (uint32_t)(s->issue - s->dispatch));
    record_put_pipe_finish(w, (uint32_t)(s->finish - s->issue));
    record_put_pipe_end(w, (uint32_t)(s->complete - s->finish));
    record_put_pipe_waits(w, s->waits);
    wait = record_tail_pipe_wait(w);
    for (unsigned k = 0; k < s->waits; k++) {
        *wait++ = s->wait[k].reason;
        *wait++ = (uint32_t)(s->wait[k].begin - s->fetch);
        *wait++ = (uint32_t)(s->wait[k].end - s->wait[k].begin);
    }
    experiment_record(p->experiment, &stamp, w,
                      record_size_pipe_wait(s->waits));
}

/* Listen, or not, to instructions. */
static void listen(struct pipe_record *p, bool on)
{
    if (p->listens != on)
        machine_observe(p->machine, &p->steps, on);
    p->listens = on;
}

static bool is_near(const struct pipe_record *p, cycle_t at)
{
    return p->at < p->with.count &&
           moment_near(&p->from[p->at], p->machine, at);
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct pipe_record *p = arg;
    unsigned n = c->number;

    if (!p->on && p->at < p->with.count &&
        moment_reached(&p->from[p->at], p->machine, c->cpu.pc, at)) {
        p->on = true;
        p->left = p->with.stretch[p->at].insns;
    }
    p->now[n].busy = p->on;
    p->now[n].exception = false;
    p->now[n].user = c->cpu.msr & MSR_PR;
    p->now[n].word = i->word;
    p->now[n].context = c->context;
    return false;
}

/* A model without stages has none to record: its instructions do not count. */
static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct pipe_record *p = arg;
    struct core_stages s;

    (void)at;
    (void)done;
    if (!p->now[c->number].busy || !p->on || !core_stages(c, &s))
        return false;
    p->now[c->number].busy = false;
    put(p, c, pc, &s);
    if (--p->left)
        return false;
    p->on = false;
    p->at++;
    if (!is_near(p, c->clock))
        listen(p, false);
    return false;
}

static void entered(void *arg, struct core *c, enum exc e, ea_t pc, cycle_t at)
{
    struct pipe_record *p = arg;

    (void)pc;
    (void)at;
    /* These two complete, and then raise it. */
    if (e != EXC_SC && e != EXC_TRACE)
        p->now[c->number].exception = true;
}

static void beat(void *arg, cycle_t at)
{
    struct pipe_record *p = arg;

    if (!p->on)
        listen(p, is_near(p, at));
}

bool pipe_record_open(struct pipe_record *p, const struct pipe_options *o,
                      struct machine *m, struct experiment *e, char *why,
                      size_t size)
{
    *p = (struct pipe_record){.with = *o};
    if (!o->count)
        return true;
    p->machine = m;
    p->experiment = e;
    if (!names_open(&p->names, m->with.image)) {
        snprintf(why, size, "--pipe: the host has no memory for the names");
        return false;
    }
    for (unsigned k = 0; k < o->count; k++)
        if (!moment_parse(&p->from[k], &p->names, "pipe", o->stretch[k].from,
                          why, size))
            return false;
    p->steps = (struct observer){
        .arg = p, .before = before, .after = after, .entered = entered};
    p->beats = (struct observer){.arg = p, .beat = beat};
    machine_observe(m, &p->beats, true);
    listen(p, is_near(p, 0));
    return true;
}

void pipe_record_say(const struct pipe_record *p)
{
    for (unsigned k = 0; p->machine && k < p->with.count; k++)
        experiment_say(p->experiment, "pipe %s:%llu", p->with.stretch[k].from,
                       (unsigned long long)p->with.stretch[k].insns);
}

void pipe_record_close(struct pipe_record *p)
{
    if (p->machine) {
        listen(p, false);
        machine_observe(p->machine, &p->beats, false);
    }
    names_close(&p->names);
    *p = (struct pipe_record){0};
}
