/* autoprofile.c - see autoprofile.h. */
#include "sim/observe/pif/autoprofile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/role.h"
#include "sim/machine/machine.h"
#include "sim/observe/pif/host_unit.h"
#include "sim/unwind/walk.h"

#define LEAST_SAMPLES 50 /* before anything is called hot */
#define LEAST_OWN 8      /* ... and of one function */
#define HOT_PART 10      /* it has a tenth of all */
#define CALM_AFTER 1000  /* interrupts of a site, then they come rarer */
#define CALM_BY 10       /* ... by so much */
#define FUNCTION_MAX 0x40000u
#define WORD_RFI 0x4C000064u

/* In the lower bits of an address, of a pair. */
#define RETURN 1u
#define EXCEPTION 2u

static const char *const names[] = {"off",   "hot",      "climb",
                                    "calls", "branches", "scan"};

bool autoprofile_parse(const char *text, enum autoprofile_kind *kind)
{
    for (unsigned k = AUTOPROFILE_HOT; k <= AUTOPROFILE_SCAN; k++)
        if (strcmp(text, names[k]) == 0) {
            *kind = (enum autoprofile_kind)k;
            return true;
        }
    return false;
}

bool autoprofile_passes(enum autoprofile_kind kind)
{
    return kind == AUTOPROFILE_HOT || kind == AUTOPROFILE_CLIMB;
}

const char *autoprofile_name(enum autoprofile_kind kind)
{
    return names[kind];
}

/* ---- marks that are there from the start --------------------------------- */

static void mark_roles(const struct perfinst_world *w,
                       const struct perfinst_place *k, unsigned want,
                       struct perfinst *p)
{
    uint32_t target;

    for (uint32_t at = 0; at < k->size; at += 4)
        if (w->roles(w->arg, k->start + at, &target) & want)
            perfinst_add(p, &(struct perfinst_entry){
                                .address = k->start + at,
                                .length = 4,
                                .flags = PERFINST_COUNT | PERFINST_EXCEPTION});
}

void autoprofile_marks(enum autoprofile_kind kind,
                       const struct perfinst_world *w, struct perfinst *p)
{
    for (size_t n = 0; n < w->places; n++) {
        const struct perfinst_place *k = &w->place[n];

        if (!k->code)
            continue;
        if (kind == AUTOPROFILE_CALLS)
            mark_roles(w, k, 1u << ROLE_CALL | 1u << ROLE_RETURN, p);
        else if (kind == AUTOPROFILE_BRANCHES)
            mark_roles(w, k, 1u << ROLE_BRANCH, p);
        else if (kind == AUTOPROFILE_SCAN)
            perfinst_add(p, &(struct perfinst_entry){.address = k->start,
                                                     .length = k->size,
                                                     .flags = PERFINST_COUNT});
    }
}

/* ---- counts of pairs ----------------------------------------------------- */

static struct autoprofile_pair *slot(const struct autoprofile *a, uint32_t from,
                                     uint32_t to)
{
    size_t at =
        ((uint64_t)from << 20 ^ to) * UINT64_C(0x9E3779B97F4A7C15) >> 20;

    for (at %= a->room;; at = (at + 1) % a->room) {
        struct autoprofile_pair *k = &a->pair[at];

        if (!k->count || (k->a == from && k->b == to))
            return k;
    }
}

static void grow(struct autoprofile *a)
{
    struct autoprofile old = *a;

    a->room = old.room ? 2 * old.room : 1024;
    a->pair = calloc(a->room, sizeof *a->pair);
    if (!a->pair)
        abort();
    for (size_t n = 0; n < old.room; n++)
        if (old.pair[n].count)
            *slot(a, old.pair[n].a, old.pair[n].b) = old.pair[n];
    free(old.pair);
}

static uint64_t count(struct autoprofile *a, uint32_t from, uint32_t to)
{
    struct autoprofile_pair *k;

    if (2 * a->used >= a->room)
        grow(a);
    k = slot(a, from, to);
    if (!k->count)
        a->used++;
    k->a = from;
    k->b = to;
    return ++k->count;
}

/* ---- hot ----------------------------------------------------------------- */

static void sample(void *arg, struct core *c, const struct core_sample *s)
{
    struct autoprofile *a = arg;
    uint32_t pc = s->pc ? s->pc : s->interrupted, start;

    (void)c;
    if ((s->napping && !s->user) || a->pass != 1)
        return;
    a->samples++;
    if (!names_start(&a->machine->names, pc, &start))
        return;
    count(a, start, 0);
    if (a->kind == AUTOPROFILE_CLIMB)
        count(a, start, pc);
}

static uint32_t size_of(const struct machine *m, uint32_t function)
{
    uint32_t size = 4, start;

    while (size < FUNCTION_MAX &&
           names_start(&m->names, function + size, &start) && start == function)
        size += 4;
    return size;
}

static struct autoprofile_site *find_site(struct autoprofile *a, uint32_t at)
{
    for (unsigned n = 0; n < a->sites; n++)
        if (a->site[n].at == at)
            return &a->site[n];
    return NULL;
}

static void add_site(struct autoprofile *a, uint32_t at, uint32_t level,
                     uint32_t below)
{
    if (find_site(a, at))
        return;
    if (a->sites == AUTOPROFILE_SITES || a->pass == AUTOPROFILE_PASSES) {
        a->left_out = true;
        return;
    }
    a->site[a->sites++] =
        (struct autoprofile_site){.at = at, .level = level, .below = below};
    a->more = true;
}

/* The instruction of a function that has most samples, the first of equals. */
static uint32_t hottest(const struct autoprofile *a, uint32_t function)
{
    struct autoprofile_pair best = {0};

    for (size_t n = 0; n < a->room; n++) {
        const struct autoprofile_pair *k = &a->pair[n];

        if (k->a == function && k->b &&
            (k->count > best.count ||
             (k->count == best.count && k->b < best.b)))
            best = *k;
    }
    return best.b;
}

/* Of those with more samples than another one the hottest comes first. */
static void add_hot(struct autoprofile *a, const struct autoprofile_pair *k)
{
    unsigned n = a->hots;

    while (n > 0 &&
           (a->hot[n - 1].samples < k->count ||
            (a->hot[n - 1].samples == k->count && a->hot[n - 1].at > k->a)))
        n--;
    if (n == AUTOPROFILE_HOTTEST)
        return;
    if (a->hots < AUTOPROFILE_HOTTEST)
        a->hots++;
    memmove(&a->hot[n + 1], &a->hot[n], (a->hots - n - 1) * sizeof a->hot[0]);
    a->hot[n] =
        (struct autoprofile_hot){k->a, size_of(a->machine, k->a), k->count};
}

/* The first pass is over. */
static void find_hot(struct autoprofile *a)
{
    for (size_t n = 0; n < a->room && a->samples >= LEAST_SAMPLES; n++) {
        const struct autoprofile_pair *k = &a->pair[n];

        if (!k->b && k->count >= LEAST_OWN && k->count * HOT_PART >= a->samples)
            add_hot(a, k);
    }
    for (unsigned n = 0; n < a->hots && a->kind == AUTOPROFILE_CLIMB; n++)
        add_site(a, hottest(a, a->hot[n].at), 1, 0);
    a->more = a->hots > 0;
}

static void mark_hot(struct autoprofile *a)
{

    for (unsigned n = 0; n < a->hots; n++) {
        const struct autoprofile_hot *h = &a->hot[n];

        if (a->kind == AUTOPROFILE_HOT)
            host_unit_mark(a->unit, h->at, h->size, IND_COUNT, 0);
        experiment_say(a->experiment,
                       "hot 0 0x%" PRIx32 " %" PRIu32 " %" PRIu64 " %" PRIu64,
                       h->at, h->size, h->samples, a->samples);
    }
}

/* ---- climb --------------------------------------------------------------- */

/* Who called is the instruction in front of where it will return to. */
static void climb(struct autoprofile *a, const struct core *c,
                  const struct pif_report *r)
{
    struct autoprofile_site *s = find_site(a, r->ia);
    uint32_t pc[2];
    bool truncated;

    if (!s)
        return;
    s->traps++;
    if (stack_walk(c, &a->machine->names, true, pc, 2, &truncated) > 1)
        add_site(a, pc[1] - 4, s->level + 1, r->ia);
}

/* Rarer interrupts still meet who calls later in the run. */
static void calm(struct autoprofile *a, struct autoprofile_site *s)
{
    struct machine *m = a->machine;
    uint32_t most = UINT32_MAX >> (32 - m->with.params.pif_count_bits);

    s->traps = 0;
    if (s->limit >= most / CALM_BY)
        return;
    s->limit *= CALM_BY;
    host_unit_limit(a->unit, s->at, s->limit);
    experiment_say(a->experiment, "calm %" PRIu64 " 0x%" PRIx32 " %" PRIu32,
                   machine_now(m), s->at, s->limit);
}

static void mark_sites(struct autoprofile *a)
{

    for (unsigned n = 0; n < a->sites; n++) {
        struct autoprofile_site *s = &a->site[n];

        if (s->limit && s->traps >= CALM_AFTER)
            calm(a, s);
        if (s->limit)
            continue;
        s->limit = AUTOPROFILE_LIMIT;
        experiment_say(a->experiment,
                       "climb %" PRIu64 " %" PRIu32 " 0x%" PRIx32 " 0x%" PRIx32,
                       machine_now(a->machine), s->level, s->at, s->below);
        host_unit_mark(a->unit, s->at, 4, IND_COUNT | IND_LIMIT,
                       AUTOPROFILE_LIMIT);
    }
}

static void beat(void *arg, cycle_t at)
{
    struct autoprofile *a = arg;

    (void)at;
    if (a->pass > 1)
        mark_sites(a);
}

/* ---- passes -------------------------------------------------------------- */

void autoprofile_begin(struct autoprofile *a)
{
    if (!autoprofile_passes(a->kind))
        return;
    a->pass++;
    a->more = a->left_out = false;
    experiment_say(a->experiment, "pass %u %s", a->pass,
                   a->pass == 1 ? "finds" : "counts");
    for (unsigned n = 0; n < a->sites; n++) {
        a->site[n].limit = 0;
        a->site[n].traps = 0;
    }
    mark_hot(a);
    mark_sites(a);
}

bool autoprofile_again(const struct autoprofile *a)
{
    return autoprofile_passes(a->kind) && a->more;
}

/* ---- calls --------------------------------------------------------------- */

/* Where it goes is known when it has executed; one that is not taken, and one
 * that only wants to know its own address, goes to the next. A call has left
 * that address in LR. */
static void count_branch(struct autoprofile *a, const struct cpu *c,
                         const struct pif_report *r)
{
    if (a->kind == AUTOPROFILE_BRANCHES)
        count(a, r->ia, c->nia);
    else if (c->nia != r->ia + 4)
        count(a, r->ia | (c->lr != r->ia + 4 ? RETURN : 0), c->nia);
}

static void marked(void *arg, struct core *c, const struct pif_report *r)
{
    struct autoprofile *a = arg;

    if (r->kind != PIF_REPORT_TRAP)
        return;
    if (a->kind == AUTOPROFILE_CLIMB && r->cause == PIFX_INSN_LIMIT)
        climb(a, c, r);
    else if (a->kind != AUTOPROFILE_CLIMB && r->cause == PIFX_INSN)
        count_branch(a, &c->cpu, r);
}

static void entered(void *arg, struct core *c, enum exc e, ea_t pc, cycle_t at)
{
    (void)c;
    (void)at;
    count(arg, pc | EXCEPTION, isa_exc_vector(e));
}

static int by_place(const void *x, const void *y)
{
    const struct autoprofile_pair *a = x, *b = y;

    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

/* rfi is marked as a return is, and returns from an interrupt. */
static bool is_rfi(const struct autoprofile *a, uint32_t address)
{
    uint32_t word;

    return image_word(a->machine->with.image, address, &word) &&
           word == WORD_RFI;
}

static void say_pair(const struct autoprofile *a,
                     const struct autoprofile_pair *k)
{
    uint32_t from = k->a & ~UINT32_C(3);
    const char *what = "call";

    if (a->kind == AUTOPROFILE_BRANCHES)
        what = "branch";
    else if (k->a & EXCEPTION)
        what = "exception";
    else if (k->a & RETURN)
        what = is_rfi(a, from) ? "rfi" : "return";
    experiment_say(a->experiment, "%s 0x%" PRIx32 " 0x%" PRIx32 " %" PRIu64,
                   what, from, k->b, k->count);
}

static void say_pairs(struct autoprofile *a)
{
    size_t n = 0;

    for (size_t k = 0; k < a->room; k++)
        if (a->pair[k].count)
            a->pair[n++] = a->pair[k];
    if (n)
        qsort(a->pair, n, sizeof *a->pair, by_place);
    for (size_t k = 0; k < n; k++)
        say_pair(a, &a->pair[k]);
}

static void end(void *arg, cycle_t at)
{
    struct autoprofile *a = arg;

    (void)at;
    if (a->kind == AUTOPROFILE_CALLS || a->kind == AUTOPROFILE_BRANCHES)
        say_pairs(a);
    else if (autoprofile_passes(a->kind) && a->pass == 1)
        find_hot(a);
    if (a->left_out)
        experiment_say(a->experiment, "unclimbed");
}

/* ---- listening ----------------------------------------------------------- */

void autoprofile_open(struct autoprofile *a, struct host_unit *u,
                      struct experiment *e)
{
    struct observer o = {.arg = a, .end = end};

    if (a->kind == AUTOPROFILE_OFF)
        return;
    if (autoprofile_passes(a->kind))
        o.sample = sample;
    if (a->kind == AUTOPROFILE_CLIMB)
        o.beat = beat;
    if (a->kind == AUTOPROFILE_CALLS)
        o.entered = entered;
    if (a->kind == AUTOPROFILE_CLIMB || a->kind == AUTOPROFILE_CALLS ||
        a->kind == AUTOPROFILE_BRANCHES)
        o.marked = marked;
    u->unstopped =
        a->kind == AUTOPROFILE_CALLS || a->kind == AUTOPROFILE_BRANCHES;
    u->sparse = u->unstopped || a->kind == AUTOPROFILE_SCAN;
    a->machine = u->machine;
    a->unit = u;
    a->experiment = e;
    a->observer = o;
    machine_observe(a->machine, &a->observer, true);
}

void autoprofile_free(struct autoprofile *a)
{
    free(a->pair);
    *a = (struct autoprofile){0};
}
