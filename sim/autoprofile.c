/* autoprofile.c - see autoprofile.h. */
#include "sim/autoprofile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/role.h"
#include "sim/machine.h"

#define LEAST_SAMPLES 50 /* before anything is called hot */
#define LEAST_OWN 8      /* ... and of one function */
#define HOT_PART 10      /* it has a tenth of all */
#define CALM_AFTER 1000  /* interrupts of a site, then it only counts */
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

const char *autoprofile_name(enum autoprofile_kind kind)
{
    return names[kind];
}

/* ---- marks that are there from the start -----------------------------------
 */

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

/* ---- counts of pairs --------------------------------------------------------
 */

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

/* ---- hot
 * --------------------------------------------------------------------- */

void autoprofile_sample(struct machine *m, uint32_t pc)
{
    struct autoprofile *a = &m->autoprofile;
    uint32_t start;

    if (a->kind != AUTOPROFILE_HOT && a->kind != AUTOPROFILE_CLIMB)
        return;
    a->samples++;
    if (!names_start(&m->names, pc, &start))
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

static bool is_marked(const struct autoprofile *a, uint32_t function)
{
    for (unsigned n = 0; n < a->hots; n++)
        if (a->hot[n] == function)
            return true;
    return false;
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
    if (find_site(a, at) || a->sites == AUTOPROFILE_SITES)
        return;
    a->site[a->sites++] =
        (struct autoprofile_site){.at = at, .level = level, .below = below};
}

/* The instruction of a function that has most samples. */
static uint32_t hottest(const struct autoprofile *a, uint32_t function)
{
    struct autoprofile_pair best = {0};

    for (size_t n = 0; n < a->room; n++)
        if (a->pair[n].a == function && a->pair[n].b &&
            a->pair[n].count > best.count)
            best = a->pair[n];
    return best.b;
}

static void add_hot(struct machine *m, const struct autoprofile_pair *k)
{
    struct autoprofile *a = &m->autoprofile;
    uint32_t size = size_of(m, k->a);

    a->hot[a->hots++] = k->a;
    if (a->kind == AUTOPROFILE_HOT)
        instrument_mark(m, k->a, size, IND_COUNT, 0);
    else
        add_site(a, hottest(a, k->a), 1, 0);
    experiment_say(m->with.experiment,
                   "hot %" PRIu64 " 0x%" PRIx32 " %" PRIu32 " %" PRIu64
                   " %" PRIu64,
                   m->beat - MACHINE_BEAT, k->a, size, k->count, a->samples);
}

static void find_hot(struct machine *m)
{
    struct autoprofile *a = &m->autoprofile;

    for (size_t n = 0; n < a->room && a->hots < AUTOPROFILE_HOTTEST; n++) {
        const struct autoprofile_pair *k = &a->pair[n];

        if (!k->b && k->count >= LEAST_OWN &&
            k->count * HOT_PART >= a->samples && !is_marked(a, k->a))
            add_hot(m, k);
    }
}

/* ---- climb
 * -------------------------------------------------------------------- */

/* Who called is the instruction in front of where it will return to. */
void autoprofile_trap(struct machine *m, const struct pif_report *r,
                      const uint32_t *pc, unsigned depth)
{
    struct autoprofile *a = &m->autoprofile;
    struct autoprofile_site *s = find_site(a, r->ia);

    if (a->kind != AUTOPROFILE_CLIMB || r->cause != PIFX_INSN_LIMIT || !s)
        return;
    s->traps++;
    if (depth > 1)
        add_site(a, pc[1] - 4, s->level + 1, r->ia);
}

static void mark_sites(struct machine *m)
{
    struct autoprofile *a = &m->autoprofile;

    for (unsigned n = 0; n < a->sites; n++) {
        struct autoprofile_site *s = &a->site[n];

        if (!s->marked) {
            s->marked = true;
            experiment_say(m->with.experiment,
                           "climb %" PRIu64 " %" PRIu32 " 0x%" PRIx32
                           " 0x%" PRIx32,
                           m->beat - MACHINE_BEAT, s->level, s->at, s->below);
            instrument_mark(m, s->at, 4, IND_COUNT | IND_LIMIT,
                            AUTOPROFILE_LIMIT);
        } else if (!s->calm && s->traps >= CALM_AFTER) {
            s->calm = true;
            instrument_calm(m, s->at);
            experiment_say(m->with.experiment, "calm %" PRIu64 " 0x%" PRIx32,
                           m->beat - MACHINE_BEAT, s->at);
        }
    }
}

void autoprofile_beat(struct machine *m)
{
    struct autoprofile *a = &m->autoprofile;

    if (a->samples < LEAST_SAMPLES)
        return;
    find_hot(m);
    mark_sites(m);
}

/* ---- calls
 * --------------------------------------------------------------------- */

/* Where it goes is known when it has executed; one that is not taken, and one
 * that only wants to know its own address, goes to the next. A call has left
 * that address in LR. */
void autoprofile_call(struct machine *m, const struct pif_report *r)
{
    const struct cpu *c = &m->core[r->cpu].cpu;

    if (m->autoprofile.kind == AUTOPROFILE_BRANCHES)
        count(&m->autoprofile, r->ia, c->nia);
    else if (c->nia != r->ia + 4)
        count(&m->autoprofile, r->ia | (c->lr != r->ia + 4 ? RETURN : 0),
              c->nia);
}

void autoprofile_exception(struct machine *m, uint32_t vector, uint32_t pc)
{
    count(&m->autoprofile, pc | EXCEPTION, vector);
}

static int by_place(const void *x, const void *y)
{
    const struct autoprofile_pair *a = x, *b = y;

    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

/* rfi is marked as a return is, and returns from an interrupt. */
static bool is_rfi(const struct machine *m, uint32_t address)
{
    uint32_t word;

    return image_word(m->with.image, address, &word) && word == WORD_RFI;
}

static void say_pair(const struct machine *m, const struct autoprofile_pair *k)
{
    uint32_t from = k->a & ~UINT32_C(3);
    const char *what = "call";

    if (m->autoprofile.kind == AUTOPROFILE_BRANCHES)
        what = "branch";
    else if (k->a & EXCEPTION)
        what = "exception";
    else if (k->a & RETURN)
        what = is_rfi(m, from) ? "rfi" : "return";
    experiment_say(m->with.experiment,
                   "%s 0x%" PRIx32 " 0x%" PRIx32 " %" PRIu64, what, from, k->b,
                   k->count);
}

void autoprofile_finish(struct machine *m)
{
    struct autoprofile *a = &m->autoprofile;
    size_t n = 0;

    for (size_t k = 0; k < a->room; k++)
        if (a->pair[k].count)
            a->pair[n++] = a->pair[k];
    if ((a->kind == AUTOPROFILE_CALLS || a->kind == AUTOPROFILE_BRANCHES) &&
        n) {
        qsort(a->pair, n, sizeof *a->pair, by_place);
        for (size_t k = 0; k < n; k++)
            say_pair(m, &a->pair[k]);
    }
}

void autoprofile_free(struct autoprofile *a)
{
    free(a->pair);
    *a = (struct autoprofile){0};
}
