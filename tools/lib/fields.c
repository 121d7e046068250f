/* fields.c - a field's name to its value in a record. */
#include "tools/lib/fields.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1, ORACLE = 2 };
enum { NUMBER, TEXT };

enum field {
#define FIELD(name, type, kinds, text) FIELD_##name,
#include "tools/lib/fields.def"
#undef FIELD
    FIELDS
};

static const struct {
    const char *name;
    int type, kinds;
    const char *text;
} fields[] = {
#define FIELD(name, type, kinds, text) {#name, type, kinds, text},
#include "tools/lib/fields.def"
#undef FIELD
};

int field_find(const char *name, size_t n)
{
    for (int i = 0; i < FIELDS; i++)
        if (strlen(fields[i].name) == n && !strncmp(fields[i].name, name, n))
            return i;
    return -1;
}

bool field_is_text(int field)
{
    return fields[field].type == TEXT;
}

const char *field_name(int i, const char **sentence)
{
    if (i >= FIELDS)
        return NULL;
    *sentence = fields[i].text;
    return fields[i].name;
}

/* ---- values ------------------------------------------------------------- */

static struct field_value number(uint64_t n)
{
    return (struct field_value){.there = true, .number = (int64_t)n};
}

static struct field_value text(const char *t)
{
    return (struct field_value){.there = t != NULL, .text = t};
}

/* The leaf's address: where the samples of a profile are put. */
static uint32_t leaf_of(const struct record *record)
{
    if (record->kind == REC_ORACLE)
        return record_word(record, 0);
    return record_word(record, record_word(record, 6) ? PROFILE_WORDS : 3);
}

static const char *reason_of(const struct expr_about *a)
{
    return a->r->reason[record_word(a->record, 1) >> 24];
}

static const char *function_of(const struct expr_about *a)
{
    const struct record *record = a->record;

    if (record->kind == REC_ORACLE && !strcmp(reason_of(a), "nap"))
        return samples_name(a->r, ACCOUNT_NAPPING);
    if (record->kind == REC_ORACLE && !strcmp(reason_of(a), "off"))
        return samples_name(a->r, ACCOUNT_PARKED);
    return loadmap_name(
        &a->r->map,
        loadmap_find(&a->r->map, leaf_of(record), record->cycle).function);
}

static struct field_value of_sample(const struct expr_about *a, int field)
{
    const struct record *record = a->record;
    uint32_t flags = record_word(record, 5);

    switch (field) {
    case FIELD_counter:
        return text(
            a->metrics->list[samples_metric_of(a->metrics, record)].name);
    case FIELD_events:
        return number(record_word(record, 1));
    case FIELD_pc:
        return number(record_word(record, 2));
    case FIELD_interrupted:
        return number(record_word(record, 3));
    case FIELD_address:
        if (!record_word(record, 4))
            return (struct field_value){0};
        return number(record_word(record, 4));
    case FIELD_user:
        return number(!!(flags & PROFILE_USER));
    case FIELD_truncated:
        return number(!!(flags & PROFILE_TRUNCATED));
    default:
        return number(record_word(record, 6)); /* depth */
    }
}

static struct field_value of_oracle(const struct expr_about *a, int field)
{
    switch (field) {
    case FIELD_pc:
        return number(record_word(a->record, 0));
    case FIELD_reason:
        return text(reason_of(a));
    default:
        return number(record_wide(a->record, 2)); /* twelfths */
    }
}

static struct field_value of_thread(const struct expr_about *a, int field)
{
    const struct thread *t =
        threads_find(&a->r->threads, a->record->thread, a->record->cycle);

    if (!t)
        return (struct field_value){0};
    return field == FIELD_name ? text(t->name) : number(t->pid);
}

struct field_value field_value(const struct expr_about *a, int field)
{
    const struct record *record = a->record;
    bool oracle = record->kind == REC_ORACLE;

    if (!(fields[field].kinds & (oracle ? ORACLE : SAMPLE)))
        return (struct field_value){0};
    switch (field) {
    case FIELD_kind:
        return text(oracle ? "oracle" : "sample");
    case FIELD_cpu:
        return number(record->cpu);
    case FIELD_thread:
        return number(record->thread);
    case FIELD_name:
    case FIELD_process:
        return of_thread(a, field);
    case FIELD_cycle:
        return number(record->cycle);
    case FIELD_second:
        if (!a->r->clock_hz)
            return (struct field_value){0};
        return number(record->cycle / a->r->clock_hz);
    case FIELD_function:
        return text(function_of(a));
    case FIELD_object:
        return text(loadmap_object(
            &a->r->map,
            loadmap_find(&a->r->map, leaf_of(record), record->cycle).function));
    default:
        return oracle ? of_oracle(a, field) : of_sample(a, field);
    }
}

struct field_value field_in_stack(const struct expr_about *a, const char *name)
{
    const struct record *record = a->record;
    uint32_t depth;

    if (record->kind != REC_PROFILE)
        return (struct field_value){0};
    depth = record_word(record, 6);
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t pc = record_word(record, PROFILE_WORDS + i);
        uint32_t at = i && pc >= 4 ? pc - 4 : pc;
        uint32_t f = loadmap_find(&a->r->map, at, record->cycle).function;

        if (!strcmp(loadmap_name(&a->r->map, f), name))
            return number(1);
    }
    return number(0);
}
