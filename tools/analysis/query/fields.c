/* fields.c - a field's name to its value in a record. */
#include "tools/analysis/query/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "tools/analysis/experiment/stack.h"
#include "tools/analysis/symbols/variables.h"

enum { SAMPLE = 1, ORACLE = 2, IDLE = 4, IRQ = 8, PROBE = 16 };
enum { PLACED = SAMPLE | ORACLE | IDLE | IRQ, ANY = PLACED | PROBE };

/* By the number of the bit above. */
static const char *const kind_name[] = {"sample",    "oracle", "idle",
                                        "interrupt", "probe",  NULL};

enum field {
#define FIELD(name, type, kinds, text) FIELD_##name,
#include "tools/analysis/query/fields.def"
#undef FIELD
    FIELDS
};

static const struct {
    const char *name;
    int kinds;
    const char *text;
} fields[] = {
#define FIELD(name, type, kinds, text) {#name, kinds, text},
#include "tools/analysis/query/fields.def"
#undef FIELD
};

int field_find(const char *name, size_t n)
{
    for (int i = 0; i < FIELDS; i++)
        if (strlen(fields[i].name) == n && !strncmp(fields[i].name, name, n))
            return i;
    return -1;
}

const char *field_name(int i, const char **sentence)
{
    if (i >= FIELDS)
        return NULL;
    *sentence = fields[i].text;
    return fields[i].name;
}

/* ---- values -------------------------------------------------------------- */

static struct expr_value number(uint64_t n)
{
    return (struct expr_value){.there = true, .number = (int64_t)n};
}

static struct expr_value text(const char *t)
{
    return (struct expr_value){.there = t != NULL, .text = t};
}

/* The bit of a record's kind. */
static int kind_of(const struct record *record)
{
    return record->kind == REC_ORACLE       ? ORACLE
           : record->kind == REC_IDLE       ? IDLE
           : record->kind == REC_UNSAMPLED  ? IDLE
           : record->kind == REC_PRECAPTURE ? IDLE
           : record->kind == REC_IRQ        ? IRQ
           : record->kind == REC_TICK       ? IRQ
           : record->kind == REC_PROBE      ? PROBE
                                            : SAMPLE;
}

/* The program counters of a record's stack; none where it has no stack. */
static struct record_tail stack_of(const struct record *record)
{
    switch (record->kind) {
    case REC_IDLE:
        return record_get_idle_stack(record);
    case REC_PROFILE:
        return record_get_profile_stack(record);
    default:
        return (struct record_tail){0};
    }
}

/* The leaf's address: where the samples of a profile are put. */
static uint32_t leaf_of(const struct record *record)
{
    struct record_tail pcs = stack_of(record);

    switch (kind_of(record)) {
    case ORACLE:
        return record_get_oracle_pc(record);
    case IRQ:
        return record->kind == REC_TICK ? record_get_tick_pc(record)
                                        : record_get_irq_srr0(record);
    case IDLE:
        return pcs.words ? record_tail_word(pcs, 0) : 0;
    default:
        return record->kind == REC_PROFILE
                   ? record_tail_word(record_frames(record), 0)
                   : 0;
    }
}

static const char *reason_of(const struct filter_about *a)
{
    return a->r->reason[record_get_oracle_reason(a->record)];
}

static const char *function_of(const struct filter_about *a)
{
    const struct record *record = a->record;

    if (samples_naps(a->r, record))
        return samples_name(a->r, EXACT_CYCLES_NAPPING);
    if (record->kind == REC_ORACLE &&
        a->r->reason_is[record_get_oracle_reason(record)] == REASON_OFF)
        return samples_name(a->r, EXACT_CYCLES_PARKED);
    return loadmap_name(
        &a->r->map,
        loadmap_find(&a->r->map, leaf_of(record), record->cycle).function);
}

/* Of a data address; the text is good until the next one. */
static struct expr_value of_variable(const struct filter_about *a, int field)
{
    struct variables *v = recording_variables(a->r);
    const struct variable_spot *at;

    if (!record_has_profile_physical(a->record))
        return (struct expr_value){0};
    at = variables_at(v, record_get_profile_address(a->record),
                      a->record->cycle);
    return text(!at                       ? NULL
                : field == FIELD_variable ? at->variable
                                          : at->member);
}

static struct expr_value of_sample(const struct filter_about *a, int field)
{
    const struct record *record = a->record;
    uint32_t flags = record_get_profile_flags(record);

    switch (field) {
    case FIELD_counter:
        return text(
            a->metrics->list[samples_metric_of(a->metrics, record)].name);
    case FIELD_events:
        return number(record_get_profile_events(record));
    case FIELD_pc:
        return number(record_get_profile_pc(record));
    case FIELD_interrupted:
        return number(record_get_profile_interrupted(record));
    case FIELD_address:
        return record_has_profile_physical(record)
                   ? number(record_get_profile_address(record))
                   : (struct expr_value){0};
    case FIELD_physical:
        return record_has_profile_physical(record)
                   ? number(record_get_profile_physical(record))
                   : (struct expr_value){0};
    case FIELD_variable:
    case FIELD_member:
        return of_variable(a, field);
    case FIELD_user:
        return number(!!(flags & PROFILE_USER));
    case FIELD_truncated:
        return number(!!(flags & PROFILE_TRUNCATED));
    default:
        return number(record_get_profile_depth(record));
    }
}

static const char *const transitions[] = {"to", "from", "none", NULL};

/* Of a thread that ended an idle period without a stack as of one with. */
static const char *transition_of(const struct record *record)
{
    if (record->kind == REC_UNSAMPLED)
        return transitions[2];
    return transitions[record->kind == REC_PRECAPTURE ||
                       record_get_idle_transition(record) != IDLE_KIND_TO];
}

static struct expr_value of_idle(const struct filter_about *a, int field)
{
    switch (field) {
    case FIELD_transition:
        return text(transition_of(a->record));
    case FIELD_depth:
        return number(stack_of(a->record).words);
    default:
        return number(leaf_of(a->record)); /* pc */
    }
}

static struct expr_value of_interrupt(const struct filter_about *a, int field)
{
    uint64_t signalled;

    if (a->record->kind == REC_TICK) /* a trace hook has a place alone */
        return field == FIELD_pc ? number(leaf_of(a->record))
                                 : (struct expr_value){0};
    signalled = record_get_irq_signalled(a->record);
    switch (field) {
    case FIELD_vector:
        return number(record_get_irq_vector(a->record));
    case FIELD_wait:
        return number(
            signalled < a->record->cycle ? a->record->cycle - signalled : 0);
    default:
        return number(leaf_of(a->record)); /* pc */
    }
}

static struct expr_value of_oracle(const struct filter_about *a, int field)
{
    switch (field) {
    case FIELD_pc:
        return number(record_get_oracle_pc(a->record));
    case FIELD_reason:
        return text(reason_of(a));
    default:
        return number(record_get_oracle_twelfths(a->record)); /* twelfths */
    }
}

static struct expr_value of_thread(const struct filter_about *a, int field)
{
    const struct thread *t =
        threads_find(&a->r->threads, a->record->thread, a->record->cycle);
    uint32_t pid;

    if (samples_naps(a->r, a->record))
        return (struct expr_value){0};
    if (field == FIELD_name)
        return t ? text(t->name) : (struct expr_value){0};
    pid = threads_process(&a->r->threads, a->record->thread, a->record->cycle,
                          UINT32_MAX);
    return pid == UINT32_MAX ? (struct expr_value){0} : number(pid);
}

/* What only some kinds have. */
static struct expr_value of_kind(const struct filter_about *a, int field)
{
    switch (kind_of(a->record)) {
    case ORACLE:
        return of_oracle(a, field);
    case IDLE:
        return of_idle(a, field);
    case IRQ:
        return of_interrupt(a, field);
    default:
        return of_sample(a, field);
    }
}

/* A row of the oracle is of what is before its cycle. */
static uint64_t last_cycle(const struct record *record)
{
    return record->cycle - (record->kind == REC_ORACLE && record->cycle);
}

/* What is told of a sample that there is not has no place. */
static bool is_there(const struct record *record, int field)
{
    return (record->kind != REC_UNSAMPLED && record->kind != REC_PRECAPTURE) ||
           (field != FIELD_pc && field != FIELD_function &&
            field != FIELD_object && field != FIELD_depth);
}

struct expr_value field_value(const struct filter_about *a, int field)
{
    const struct record *record = a->record;
    int kind = kind_of(record);

    if (!(fields[field].kinds & kind) || !is_there(record, field))
        return (struct expr_value){0};
    switch (field) {
    case FIELD_kind:
        return text(kind_name[__builtin_ctz((unsigned)kind)]);
    case FIELD_cpu:
        return number(record->cpu);
    case FIELD_thread:
        return samples_naps(a->r, record) ? (struct expr_value){0}
                                          : number(record->thread);
    case FIELD_name:
    case FIELD_process:
        return of_thread(a, field);
    case FIELD_cycle:
        return number(record->cycle);
    case FIELD_second:
        if (!a->r->clock_hz)
            return (struct expr_value){0};
        return number(last_cycle(record) / a->r->clock_hz);
    case FIELD_function:
        return text(function_of(a));
    case FIELD_napping:
        return number(samples_naps(a->r, record));
    case FIELD_object:
        return text(loadmap_object(
            &a->r->map,
            loadmap_find(&a->r->map, leaf_of(record), record->cycle).function));
    default:
        return of_kind(a, field);
    }
}

/* "f" is all functions of that name, "f (a.c)" one of them. */
static bool called(const struct loadmap *map, uint32_t f, const char *text)
{
    const char *name = loadmap_name(map, f);
    size_t n = strlen(text);

    return loadmap_called(map, f, text) || !strcmp(name, text) ||
           (!strncmp(name, text, n) && !strncmp(name + n, " (", 2));
}

/* An archive by its name, with its build-id or without. */
static bool object_is(const char *archive, const char *text)
{
    size_t n = strlen(text);

    return !strncmp(archive, text, n) && archive[n] == '.' &&
           !strchr(archive + n + 1, '.');
}

bool field_is(const struct filter_about *a, int field,
              const struct expr_value *value, const char *text)
{
    const struct record *record = a->record;

    if (!strcmp(value->text, text))
        return true;
    if (field == FIELD_name)
        return value->text[0] && threads_called(value->text, text);
    if (field == FIELD_object)
        return object_is(value->text, text);
    if (field != FIELD_function || value->text[0] == '<')
        return false;
    return called(
        &a->r->map,
        loadmap_find(&a->r->map, leaf_of(record), record->cycle).function,
        text);
}

/* Is f called that, or a function that it is a part of? */
static bool on_stack(const struct recording *r, uint32_t f, const char *name)
{
    uint32_t origin;

    for (int i = 0; i < SAMPLES_ORIGINS; i++, f = origin) {
        if (called(&r->map, f, name))
            return true;
        origin = samples_part_of(r, f);
        if (origin == f)
            break;
    }
    return false;
}

struct expr_value field_in_stack(const struct filter_about *a, const char *name)
{
    const struct record *record = a->record;
    struct stack stack;
    struct stack_frame f;

    if (record->kind != REC_PROFILE && record->kind != REC_IDLE)
        return (struct expr_value){0};
    if (samples_naps(a->r, record))
        return number(!strcmp(name, samples_name(a->r, EXACT_CYCLES_NAPPING)));
    stack = stack_of_record(&a->r->map, record);
    while (stack_next(&stack, &f))
        if (on_stack(a->r,
                     loadmap_find(&a->r->map, f.home, record->cycle).function,
                     name))
            return number(1);
    return number(0);
}

/* ---- what there is ------------------------------------------------------- */

/* Is a text one of those offered? */
struct search {
    const char *text;
    bool found;
    struct did_you_mean near;
};

static void offer(struct search *s, const char *name)
{
    s->found |= !strcmp(s->text, name);
    did_you_mean_offer(&s->near, name);
}

static void offer_list(struct search *s, const char *const *name)
{
    while (*name)
        offer(s, *name++);
}

static void offer_name(void *arg, const char *name)
{
    offer(arg, name);
}

static void offer_functions(struct search *s, const struct recording *r,
                            bool stack)
{
    for (uint32_t f = stack; f < r->map.functions; f++) {
        s->found |= called(&r->map, f, s->text);
        offer(s, loadmap_name(&r->map, f));
    }
    if (stack)
        return;
    offer(s, samples_name(r, EXACT_CYCLES_NAPPING));
    offer(s, samples_name(r, EXACT_CYCLES_PARKED));
}

static void offer_objects(struct search *s, const struct recording *r)
{
    for (size_t i = 0; i < r->map.images; i++) {
        s->found |= object_is(r->map.image[i].archive, s->text);
        offer(s, r->map.image[i].archive);
    }
    offer(s, loadmap_object(&r->map, LOADMAP_UNKNOWN));
}

static void offer_values(struct search *s, const struct filter_about *a,
                         int field)
{
    switch (field) {
    case FIELD_kind:
        offer_list(s, kind_name);
        break;
    case FIELD_transition:
        offer_list(s, transitions);
        break;
    case FIELD_counter:
        for (unsigned m = 1; m < a->metrics->count; m++)
            offer(s, a->metrics->list[m].name);
        break;
    case FIELD_reason:
        for (unsigned i = 0; i < RECORDING_REASONS; i++)
            if (a->r->reason[i][0])
                offer(s, a->r->reason[i]);
        break;
    case FIELD_name:
        for (size_t i = 0; i < a->r->threads.count; i++) {
            offer(s, a->r->threads.list[i].name);
            s->found |= threads_called(a->r->threads.list[i].name, s->text);
        }
        break;
    case FIELD_object:
        offer_objects(s, a->r);
        break;
    case FIELD_variable:
        variables_each(recording_variables(a->r), offer_name, s);
        break;
    case FIELD_member: /* there are too many */
        s->found = true;
        break;
    default:
        offer_functions(s, a->r, false);
        break;
    }
}

static bool refuse(const struct search *s, const char *what,
                   char why[FIELD_WHY])
{
    char near[DID_YOU_MEAN_TEXT];

    if (!s->found)
        snprintf(why, FIELD_WHY, "no such %s: %.100s%s", what, s->text,
                 did_you_mean_text(&s->near, near));
    return s->found;
}

bool field_knows(const struct filter_about *about, int field, const char *text,
                 char why[FIELD_WHY])
{
    struct search s = {.text = text};

    did_you_mean_begin(&s.near, text);
    offer_values(&s, about, field);
    return refuse(&s,
                  field == FIELD_name     ? "thread"
                  : field == FIELD_object ? "load object"
                                          : fields[field].name,
                  why);
}

bool field_stack_knows(const struct filter_about *about, const char *name,
                       char why[FIELD_WHY])
{
    struct search s = {.text = name};

    did_you_mean_begin(&s.near, name);
    offer_functions(&s, about->r, true);
    return refuse(&s, "function", why);
}

/* Thread 0 and process 0 are those of records that belong to none. */
bool field_counts(const struct filter_about *about, int field, int64_t number,
                  char why[FIELD_WHY])
{
    const struct recording *r = about->r;
    const struct threads *t = &r->threads;
    /* Under --user threads that never named themselves are not in the list. */
    bool found = !number || !t->count ||
                 (t->program && (field == FIELD_thread ? number >= t->program
                                                       : number == t->program));

    if (field == FIELD_cpu) {
        snprintf(why, FIELD_WHY,
                 "no such CPU: %" PRId64 "; the machine had %u, from 0 on",
                 number, r->cpus);
        return number >= 0 && number < r->cpus;
    }
    if (field != FIELD_thread && field != FIELD_process)
        return true;
    for (size_t i = 0; !found && i < t->count; i++)
        found =
            number == (field == FIELD_thread ? t->list[i].id : t->list[i].pid);
    snprintf(why, FIELD_WHY, "no such %s: %" PRId64 "; %s lists them",
             fields[field].name, number,
             field == FIELD_thread ? "simprof threads" : "simprof info");
    return found;
}
