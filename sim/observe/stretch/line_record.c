/* line_record.c - see line_record.h. Accesses are counted as the program makes
 * them, in every timing model; what is in the caches, and how long accesses
 * took, only a model with caches knows.
 */
#include "sim/observe/stretch/line_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/record_put.h"
#include "sim/core/core.h"

_Static_assert(LINE_MAX <= 64, "a bit for each byte of a line");

struct touched {
    pa_t pa;
    uint8_t seen; /* a bit for each processor that has what was stored last */
    bool stored;
    struct {
        ea_t ea;
        uint32_t context;
        uint64_t loads, stores, taken, apart, cycles, read, dirty;
        uint64_t news; /* bytes that others stored since it touched the line */
    } by[MACHINE_CPUS];
};

/* ---- what is asked for --------------------------------------------------- */

/* The colon behind FROM, which may have one: cycle:N. */
static const char *behind(const char *text)
{
    return strchr(text + (strncmp(text, "cycle:", 6) ? 0 : 6), ':');
}

static bool take(char out[LINE_FROM], const char *text, size_t length)
{
    if (length >= LINE_FROM)
        return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

bool line_options_add(struct line_options *o, const char *text, char *why,
                      size_t size)
{
    struct line_stretch *s = &o->stretch[o->count];
    const char *colon = behind(text);
    struct moment from, to;

    if (o->count == LINE_STRETCHES) {
        snprintf(why, size, "--record-lines=%s: %d stretches are all there are",
                 text, LINE_STRETCHES);
        return false;
    }
    if (!colon || colon == text ||
        !take(s->from, text, (size_t)(colon - text)) ||
        !take(s->to, colon + 1, strlen(colon + 1))) {
        snprintf(why, size,
                 "--record-lines=%s: give FROM:TO, or FROM: up to "
                 "the end of the run",
                 text);
        return false;
    }
    if (!moment_parse(&from, NULL, "record-lines", s->from, why, size) ||
        !moment_parse(&to, NULL, "record-lines", *s->to ? s->to : NULL, why,
                      size))
        return false;
    if (from.kind == to.kind && to.kind != MOMENT_ADDRESS &&
        to.value <= from.value) {
        snprintf(why, size, "--record-lines=%s: FROM must be before TO", text);
        return false;
    }
    o->count++;
    return true;
}

/* ---- accesses ------------------------------------------------------------ */

static struct touched *find(struct line_record *l, pa_t pa)
{
    const uint32_t *is = hash_find(&l->number, pa);
    bool fresh;

    if (is)
        return &l->line[*is];
    if (l->lines == LINE_MOST) {
        l->left++;
        return NULL;
    }
    *hash_at(&l->number, pa, &fresh) = (uint32_t)l->lines;
    l->line[l->lines] = (struct touched){.pa = pa};
    return &l->line[l->lines++];
}

/* Bytes from `first` on, a bit each. */
static uint64_t bits(unsigned first, unsigned count)
{
    return (count >= 64 ? UINT64_MAX : (1ull << count) - 1) << first;
}

/* An access, or the part of it that is in one line. */
static void touch(struct line_record *l, unsigned cpu, const struct access *a,
                  unsigned from, unsigned size, uint32_t cycles)
{
    pa_t pa = (a->pa + from) & ~(l->bytes - 1);
    uint64_t bytes = bits((a->pa + from) & (l->bytes - 1), size);
    struct touched *t = find(l, pa);

    if (!t)
        return;
    if (!(t->by[cpu].loads | t->by[cpu].stores))
        t->by[cpu].ea = (a->ea + from) & ~(l->bytes - 1);
    t->by[cpu].context = l->context[cpu];
    t->by[cpu].cycles += cycles;
    if (t->stored && !(t->seen >> cpu & 1)) {
        t->by[cpu].taken++;
        t->by[cpu].apart += !(t->by[cpu].news & bytes);
    }
    t->by[cpu].news = 0;
    t->seen |= (uint8_t)(1u << cpu);
    if (a->kind == ACCESS_LOAD) {
        t->by[cpu].loads++;
        t->by[cpu].read |= bytes;
        return;
    }
    t->by[cpu].stores++;
    t->by[cpu].dirty |= bytes;
    t->stored = true;
    t->seen = (uint8_t)(1u << cpu);
    for (unsigned n = 0; n < MACHINE_CPUS; n++)
        t->by[n].news |= n == cpu ? 0 : bytes;
}

static void count(struct line_record *l, const struct core *c)
{
    const struct step *s = &c->cpu.step;

    for (unsigned k = 0; k < s->accesses; k++) {
        const struct access *a = &s->access[k];
        uint32_t cycles = c->access_cycles[k];

        if (a->io || (a->kind != ACCESS_LOAD && a->kind != ACCESS_STORE &&
                      a->kind != ACCESS_DCBZ))
            continue;
        if (a->kind == ACCESS_STORE && s->conditional_failed)
            continue;
        for (unsigned at = 0, n; at < a->size; at += n, cycles = 0) {
            n = l->bytes - ((a->pa + at) & (l->bytes - 1));
            n = n < a->size - at ? n : a->size - at;
            touch(l, c->number, a, at, n, cycles);
        }
    }
}

/* ---- the end of a stretch ------------------------------------------------ */

static void put(const struct line_record *l, unsigned cpu, cycle_t end, pa_t pa,
                const struct touched *t)
{
    const struct cache *d = l->machine->bus.dcache[cpu];
    const struct line *held = d ? cache_find(d, pa) : NULL;
    struct experiment_stamp stamp = {REC_MEMLINE, cpu,
                                     t ? t->by[cpu].context : 0, end};
    uint32_t w[MEMLINE_WORDS];

    record_put_memline_address(w, pa);
    record_put_memline_ea(w, t ? t->by[cpu].ea : 0);
    record_put_memline_bytes(w, l->bytes);
    record_put_memline_stretch(w, l->at);
    record_put_memline_begin(w, l->begin);
    record_put_memline_set(w, d ? (pa >> d->shift) & (d->sets - 1) : 0);
    record_put_memline_way(w, held ? (uint32_t)(held - cache_set(d, pa))
                                   : MEMLINE_NOWHERE);
    record_put_memline_state(w, held ? held->state : MEMLINE_INVALID);
    record_put_memline_loads(w, t ? t->by[cpu].loads : 0);
    record_put_memline_stores(w, t ? t->by[cpu].stores : 0);
    record_put_memline_taken(w, t ? t->by[cpu].taken : 0);
    record_put_memline_apart(w, t ? t->by[cpu].apart : 0);
    record_put_memline_cycles(w, t ? t->by[cpu].cycles : 0);
    record_put_memline_read(w, t ? t->by[cpu].read : 0);
    record_put_memline_dirty(w, t ? t->by[cpu].dirty : 0);
    experiment_record(l->experiment, &stamp, w, MEMLINE_WORDS);
}

/* Of one processor: lines that it touched, in the order in which they first
 * were, then what else its cache has, by set and way. */
static void put_cpu(struct line_record *l, unsigned cpu, cycle_t end)
{
    const struct cache *d = l->machine->bus.dcache[cpu];
    size_t frames = d ? (size_t)d->sets * d->ways : 0;

    for (size_t n = 0; n < l->lines; n++)
        if (l->line[n].by[cpu].loads | l->line[n].by[cpu].stores)
            put(l, cpu, end, l->line[n].pa, &l->line[n]);
    for (size_t n = 0; n < frames; n++) {
        const uint32_t *is = hash_find(&l->number, d->line[n].tag);
        const struct touched *t = is ? &l->line[*is] : NULL;

        if (d->line[n].state == MESI_I ||
            (t && (t->by[cpu].loads | t->by[cpu].stores)))
            continue;
        put(l, cpu, end, d->line[n].tag, NULL);
    }
}

static void finish(struct line_record *l, cycle_t end)
{
    for (unsigned n = 0; n < l->machine->with.cpus; n++)
        put_cpu(l, n, end);
    experiment_say(l->experiment, "lines %u %llu %llu %zu %llu", l->at,
                   (unsigned long long)l->begin, (unsigned long long)end,
                   l->lines, (unsigned long long)l->left);
    hash_free(&l->number);
    l->number = (struct hash){0};
    l->lines = 0;
    l->left = 0;
    l->on = false;
    l->at++;
}

/* ---- listening ----------------------------------------------------------- */

static void listen(struct line_record *l, bool on)
{
    if (l->listens != on)
        machine_observe(l->machine, &l->steps, on);
    l->listens = on;
}

static bool is_near(const struct line_record *l, cycle_t at)
{
    return l->at < l->with.count &&
           moment_near(&l->from[l->at], l->machine, at);
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct line_record *l = arg;
    ea_t pc = c->cpu.pc;

    (void)i;
    if (l->on && moment_reached(&l->to[l->at], l->machine, pc, at))
        finish(l, at);
    if (!l->on && l->at < l->with.count &&
        moment_reached(&l->from[l->at], l->machine, pc, at)) {
        l->on = true;
        l->begin = at;
    }
    l->context[c->number] = c->context;
    if (!l->on && !is_near(l, at))
        listen(l, false);
    return false;
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct line_record *l = arg;

    (void)pc;
    (void)at;
    (void)done;
    if (l->on)
        count(l, c);
    return false;
}

static void beat(void *arg, cycle_t at)
{
    struct line_record *l = arg;

    if (!l->on)
        listen(l, is_near(l, at));
}

static void end(void *arg, cycle_t at)
{
    struct line_record *l = arg;

    if (l->on)
        finish(l, at);
}

/* ---- open and close ------------------------------------------------------ */

/* Lines are as long as those of the data cache; without one, as a usual one.
 */
static bool begin(struct line_record *l, struct machine *m, char *why,
                  size_t size)
{
    l->machine = m;
    l->bytes = m->bus.dcache[0] ? m->bus.dcache[0]->bytes : 32;
    l->line = calloc(LINE_MOST, sizeof *l->line);
    if (l->line && names_open(&l->names, m->with.image))
        return true;
    snprintf(why, size, "--record-lines: the host has no memory for it");
    return false;
}

bool line_record_open(struct line_record *l, const struct line_options *o,
                      struct machine *m, struct experiment *e, char *why,
                      size_t size)
{
    *l = (struct line_record){.with = *o, .experiment = e};
    if (!o->count)
        return true;
    if (!begin(l, m, why, size))
        return false;
    for (unsigned k = 0; k < o->count; k++) {
        const struct line_stretch *s = &o->stretch[k];

        if (!moment_parse(&l->from[k], &l->names, "record-lines", s->from, why,
                          size) ||
            !moment_parse(&l->to[k], &l->names, "record-lines",
                          *s->to ? s->to : NULL, why, size))
            return false;
    }
    l->steps = (struct observer){.arg = l, .before = before, .after = after};
    l->beats = (struct observer){.arg = l, .beat = beat, .end = end};
    machine_observe(m, &l->beats, true);
    listen(l, is_near(l, 0));
    return true;
}

void line_record_say(const struct line_record *l)
{
    for (unsigned k = 0; l->machine && k < l->with.count; k++)
        experiment_say(l->experiment, "record-lines %s:%s",
                       l->with.stretch[k].from, l->with.stretch[k].to);
}

void line_record_close(struct line_record *l)
{
    if (l->machine) {
        listen(l, false);
        machine_observe(l->machine, &l->beats, false);
    }
    names_close(&l->names);
    hash_free(&l->number);
    free(l->line);
    *l = (struct line_record){0};
}
