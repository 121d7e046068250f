/* accuracy.c - profile.rec and irq.rec against oracle.rec. See accuracy.h. */
#include "tools/analysis/profile/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/profile/exact_cycles.h"
#include "lib/base/grow.h"
#include "tools/analysis/profile/mark_counts.h"
#include "tools/analysis/profile/sampled.h"

/* ---- places -------------------------------------------------------------- */

static size_t number_of(struct accuracy_places *p, uint32_t a, uint32_t b)
{
    bool fresh;
    uint32_t *at = hash_at(&p->at, (uint64_t)a << 32 | b, &fresh);

    if (fresh) {
        *at = (uint32_t)p->count++;
        p->place = grow(p->place, &p->room, p->count, sizeof *p->place);
        p->place[*at] = (struct accuracy_place){.a = a, .b = b};
    }
    return *at;
}

/* The three places of an instruction. */
struct spot {
    size_t function, line, instruction;
};

/* pc 0: of no instruction, such as a nap. */
static struct spot spot_of(struct accuracy *t, struct sources *lines,
                           uint32_t function, uint32_t pc, uint64_t cycle)
{
    struct source_line l = {SOURCES_NONE, 0};

    if (pc)
        l = sources_find(lines, pc, cycle);
    return (struct spot){
        .function = number_of(&t->function, function, 0),
        .line = number_of(&t->line, l.file, l.file ? l.line : function),
        .instruction = number_of(&t->instruction, function, pc),
    };
}

static void add_exact(struct accuracy *t, struct spot s, uint64_t amount)
{
    t->function.place[s.function].exact += amount;
    t->line.place[s.line].exact += amount;
    t->instruction.place[s.instruction].exact += amount;
    t->exact += amount;
}

static void add_met(struct accuracy *t, struct spot s, uint64_t worth)
{
    t->function.place[s.function].met += worth;
    t->line.place[s.line].met += worth;
    t->instruction.place[s.instruction].met += worth;
    t->worth += worth;
    t->squares += (double)worth * (double)worth;
}

static void add_named(struct accuracy *t, struct spot s)
{
    t->function.place[s.function].named++;
    t->line.place[s.line].named++;
    t->instruction.place[s.instruction].named++;
}

bool accuracy_interrupts(enum accuracy_of of)
{
    return of == ACCURACY_TIMER || of == ACCURACY_PERFMON ||
           of == ACCURACY_OCCURRED;
}

/* ---- what happened ------------------------------------------------------- */

static bool is_system(const struct recording *r,
                      const struct exact_cycles_spot *s)
{
    return s->function == EXACT_CYCLES_NAPPING ||
           r->reason_is[s->reason] == REASON_SYSTEM;
}

/* Does the profile see these cycles? Naps and what `system` stands for are
 * spent by no instruction; with marks, only marked ones count; thresholds are
 * about the cycles in which nothing completed. */
static bool is_seen(const struct accuracy *t, const struct recording *r,
                    const struct exact_cycles_spot *s)
{
    switch (t->source.of) {
    case ACCURACY_CYCLES:
        return t->source.mode == ACCURACY_ALL ||
               is_system(r, s) == (t->source.mode == ACCURACY_SYSTEM);
    case ACCURACY_SAMPLED:
        return !is_system(r, s);
    case ACCURACY_THRESHOLDS:
        return !is_system(r, s) &&
               strcmp(r->reason[s->reason], "complete") != 0 &&
               hash_find(&t->marked, s->pc);
    case ACCURACY_MARKS:
        return !is_system(r, s) && hash_find(&t->marked, s->pc);
    default:
        return true;
    }
}

static bool is_met(void *arg, const struct record *row)
{
    const struct accuracy *t = arg;

    return hash_find(&t->tasks, row->thread);
}

/* A host's sample knows that the CPU napped. An interrupt only meets the
 * instruction with which the nap goes on, and there the account has it. */
static void read_oracle(struct accuracy *t, struct recording *r,
                        struct sources *lines)
{
    struct exact_cycles_choice choice = {.spots = true};
    struct exact_cycles a;

    if (t->source.of_tasks) {
        choice.wants = is_met;
        choice.arg = t;
        choice.timeless = true;
    }
    exact_cycles_choose(&a, r, &choice);
    for (size_t i = 0; i < a.spots; i++) {
        const struct exact_cycles_spot *s = &a.spot[i];
        uint32_t function = s->function, pc = s->pc;

        if (function == EXACT_CYCLES_PARKED || !is_seen(t, r, s))
            continue;
        if (function == EXACT_CYCLES_NAPPING &&
            accuracy_interrupts(t->source.of))
            function = loadmap_find(&r->map, pc, s->cycle).function;
        else if (function == EXACT_CYCLES_NAPPING)
            pc = 0;
        add_exact(t, spot_of(t, lines, function, pc, s->cycle), s->twelfths);
    }
    exact_cycles_free(&a);
}

/* ---- samples ------------------------------------------------------------- */

static void note_skid(struct accuracy *t, const struct place *from,
                      const struct place *to)
{
    uint32_t ahead = (to->offset - from->offset) / 4;

    if (from->function != to->function)
        t->skid[ACCURACY_ELSEWHERE]++;
    else if (to->offset < from->offset)
        t->skid[ACCURACY_BACK]++;
    else
        t->skid[ahead < ACCURACY_FARTHER ? ahead : ACCURACY_FARTHER]++;
}

/* Returns the number of the function that an interrupt meets. */
static size_t read_sample(struct accuracy *t, struct recording *r,
                          struct sources *lines, const struct record *s)
{
    uint32_t named = record_get_profile_pc(s);
    uint32_t met = record_get_profile_interrupted(s);
    struct place n = loadmap_find(&r->map, named, s->cycle);
    struct place m = loadmap_find(&r->map, met, s->cycle);
    struct spot at;

    if (record_get_profile_flags(s) & PROFILE_NAPPING) {
        n = m = (struct place){EXACT_CYCLES_NAPPING, 0};
        named = met = 0;
    } else {
        note_skid(t, &n, &m);
    }
    at = spot_of(t, lines, n.function, named, s->cycle);
    add_named(t, at);
    if (t->source.of == ACCURACY_EVENTS)
        add_exact(t, at, 1);
    at = spot_of(t, lines, m.function, met, s->cycle);
    add_met(t, at, 1);
    return at.function;
}

static size_t read_interrupt(struct accuracy *t, struct recording *r,
                             struct sources *lines, const struct record *s)
{
    uint32_t pc = record_get_irq_srr0(s);
    uint64_t signalled = record_get_irq_signalled(s);
    uint64_t late = signalled < s->cycle ? s->cycle - signalled : 0;
    struct place m = loadmap_find(&r->map, pc, s->cycle);
    struct spot at = spot_of(t, lines, m.function, pc, s->cycle);

    t->skid[late ? 64 - __builtin_clzll(late) : 0]++;
    add_met(t, at, 1);
    return at.function;
}

/* The host's marks of instructions that count; by address, each once. */
static void read_marks(struct accuracy *t, struct recording *r,
                       struct sources *lines)
{
    bool judge = t->source.of == ACCURACY_EXECUTIONS;
    bool limits = t->source.of == ACCURACY_THRESHOLDS;
    struct mark_counts m;

    mark_counts_read(&m, r);
    for (size_t i = 0; i < m.marks; i++) {
        const struct mark_count *k = &m.mark[i];
        struct place at = loadmap_find(&r->map, k->address, r->end);
        struct spot s;
        bool fresh;

        if (k->space) /* other processes have other code there */
            continue;
        if (limits ? !mark_count_thresholds(k) : !mark_count_executions(k))
            continue;
        hash_at(&t->marked, k->address, &fresh);
        if (!fresh)
            continue;
        s = spot_of(t, lines, at.function, k->address, r->end);
        if (judge) {
            add_exact(t, s, k->count);
        } else {
            add_met(t, s, limits ? k->exceeded : k->count);
            t->samples += limits ? k->exceeded : k->count;
        }
    }
    mark_counts_free(&m);
}

static uint64_t worth_of(const struct sampled_insn *i, uint32_t worth)
{
    if (!(i->flags & SAMPLED_COMPLETED))
        return 0;
    switch (worth) {
    case ACCURACY_IN_FLIGHT:
        return (uint64_t)i->finish + i->end;
    case ACCURACY_OLDEST:
        return i->oldest;
    }
    return 1;
}

static void add_to_run(struct independence_run *run, size_t place)
{
    run->place =
        grow(run->place, &run->room, run->count + 1, sizeof *run->place);
    run->place[run->count++] = (uint32_t)place;
}

static void read_samples(struct accuracy *t, struct recording *r,
                         struct sources *lines, struct independence_run *run)
{
    bool taken = accuracy_interrupts(t->source.of);
    struct recfile f;
    struct record s;

    if (!recording_records(r, taken ? REC_IRQ : REC_PROFILE, &f))
        return;
    while (recfile_next(&f, &s)) {
        uint32_t number =
            taken ? record_get_irq_vector(&s) : record_get_profile_counter(&s);

        if (number != t->source.number)
            continue;
        t->samples++;
        add_to_run(&run[s.cpu], taken ? read_interrupt(t, r, lines, &s)
                                      : read_sample(t, r, lines, &s));
    }
    recording_done(r, &f);
}

/* What the host's samples of the same event name. */
static void read_occurred(struct accuracy *t, struct recording *r,
                          struct sources *lines)
{
    struct recfile f;
    struct record s;

    if (!recording_records(r, REC_PROFILE, &f))
        return;
    while (recfile_next(&f, &s)) {
        uint32_t pc = record_get_profile_pc(&s);

        if (record_get_profile_counter(&s) == t->source.host)
            add_exact(t,
                      spot_of(t, lines,
                              loadmap_find(&r->map, pc, s.cycle).function, pc,
                              s.cycle),
                      record_get_profile_events(&s));
    }
    recording_done(r, &f);
}

static void read_sampled(struct accuracy *t, struct recording *r,
                         struct sources *lines, struct independence_run *run)
{
    struct recfile f;
    struct record k;

    if (!recording_records(r, REC_SAMPLED, &f))
        return;
    while (recfile_next(&f, &k)) {
        struct sampled_insn i = sampled_insn(&k);
        uint64_t worth = worth_of(&i, t->source.number);
        struct place p;
        struct spot at;

        if (!(i.flags & SAMPLED_COMPLETED) || i.flags & SAMPLED_GUEST ||
            (t->source.of == ACCURACY_EXECUTIONS &&
             !hash_find(&t->marked, i.pc)))
            continue;
        p = loadmap_find(&r->map, i.pc, i.cycle);
        at = spot_of(t, lines, p.function, i.pc, i.cycle);
        t->samples++;
        add_met(t, at, worth);
        add_to_run(&run[i.cpu], at.function);
    }
    recording_done(r, &f);
}

/* Whom the interrupts met, and the interval from the first to the last: the
 * first one itself tells of what was before. */
static void read_tasks(struct accuracy *t, struct recording *r)
{
    uint64_t first = UINT64_MAX, last = 0;
    struct recfile f;
    struct record s;
    bool fresh;

    if (!recording_records(r, REC_IRQ, &f))
        return;
    while (recfile_next(&f, &s)) {
        if (record_get_irq_vector(&s) != t->source.number)
            continue;
        hash_at(&t->tasks, s.thread, &fresh);
        first = s.cycle < first ? s.cycle : first;
        last = s.cycle > last ? s.cycle : last;
    }
    recording_done(r, &f);
    if (first < last)
        recording_within(r, first + 1, last + 1);
}

void accuracy_read(struct accuracy *t, struct recording *r,
                   const struct accuracy_source *source, struct sources *lines)
{
    struct independence_run *run = grow_zero(RECFILE_CPUS, sizeof *run);
    uint64_t from = r->from, to = r->to;

    memset(t, 0, sizeof *t);
    t->source = *source;
    if (source->of_tasks)
        read_tasks(t, r);
    if (source->of >= ACCURACY_EXECUTIONS)
        read_marks(t, r, lines);
    if (source->of == ACCURACY_OCCURRED)
        read_occurred(t, r, lines);
    else if (source->of != ACCURACY_EVENTS && source->of != ACCURACY_EXECUTIONS)
        read_oracle(t, r, lines);
    if (source->of == ACCURACY_SAMPLED || source->of == ACCURACY_EXECUTIONS)
        read_sampled(t, r, lines, run);
    else if (source->of < ACCURACY_SAMPLED)
        read_samples(t, r, lines, run);
    recording_within(r, from, to);
    independence_read(&t->serial, run, RECFILE_CPUS, t->function.count);
    for (unsigned i = 0; i < RECFILE_CPUS; i++)
        free(run[i].place);
    free(run);
}

static void places_free(struct accuracy_places *p)
{
    free(p->place);
    hash_free(&p->at);
}

void accuracy_free(struct accuracy *t)
{
    places_free(&t->function);
    places_free(&t->line);
    places_free(&t->instruction);
    hash_free(&t->marked);
    hash_free(&t->tasks);
}

/* ---- errors -------------------------------------------------------------- */

bool accuracy_names(const struct accuracy *t)
{
    return t->source.of == ACCURACY_CYCLES;
}

double accuracy_error(const struct accuracy *t, const struct accuracy_places *p,
                      bool named)
{
    double right = 0;

    if (!t->samples || !t->worth || !t->exact)
        return 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct accuracy_place *q = &p->place[i];
        double found = named ? (double)q->named / (double)t->samples
                             : (double)q->met / (double)t->worth;
        double is = (double)q->exact / (double)t->exact;

        right += found < is ? found : is;
    }
    return right < 1 ? 1 - right : 0;
}

uint64_t accuracy_effective(const struct accuracy *t)
{
    double all = (double)t->worth;

    return t->squares > 0 ? (uint64_t)(all * all / t->squares + 0.5) : 0;
}

double accuracy_distance(double share, double n)
{
    double normal = sqrt(2 * share * (1 - share) / (M_PI * n));

    return normal < 2 * share ? normal : 2 * share;
}

double accuracy_noise(const struct accuracy *t, const struct accuracy_places *p)
{
    double sum = 0;
    double n = (double)accuracy_effective(t);

    if (n < 1 || !t->exact)
        return 0;
    for (size_t i = 0; i < p->count; i++)
        sum +=
            accuracy_distance((double)p->place[i].exact / (double)t->exact, n);
    return sum / 2;
}

struct accuracy_interval accuracy_interval(uint64_t found, uint64_t n)
{
    return accuracy_wilson(n ? (double)found / (double)n : 0, (double)n);
}

struct accuracy_interval accuracy_wilson(double p, double all)
{
    double z = 1.959964, middle, half;

    if (all <= 0)
        return (struct accuracy_interval){0, 1};
    middle = (p + z * z / (2 * all)) / (1 + z * z / all);
    half = z * sqrt(p * (1 - p) / all + z * z / (4 * all * all)) /
           (1 + z * z / all);
    return (struct accuracy_interval){middle > half ? middle - half : 0,
                                      middle + half < 1 ? middle + half : 1};
}
