/* interrupts.c - adds up irq.rec, or tick.rec. */
#include "tools/analysis/profile/interrupts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

#define VECTORS_MAX 32 /* further ones are not told apart */

static const struct {
    uint32_t vector;
    const char *name;
} known[] = {
#define EXC(name, vector, priority, kind, text) {vector, #name},
#include "isa/exc.def"
#undef EXC
};

const char *interrupts_name(uint32_t vector, char out[16])
{
    snprintf(out, 16, "0x%04" PRIx32, vector);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].vector == vector)
            snprintf(out, 16, "%s", known[i].name);
    for (char *c = out; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return out;
}

#define PC_ROOM 16 /* bytes of "+0x...", with the end */

/* ---- whose --------------------------------------------------------------- */

static char *name_of_pc(const struct recording *r, struct place place,
                        uint32_t pc)
{
    const char *name = loadmap_name(&r->map, place.function);
    char *text = grow_zero(strlen(name) + PC_ROOM, 1);

    if (place.function == LOADMAP_UNKNOWN)
        sprintf(text, "0x%08" PRIx32, pc);
    else
        sprintf(text, "%s+0x%" PRIx32, name, place.offset);
    return text;
}

static char *name_of_thread(const struct thread *t, uint32_t id)
{
    char text[512];

    if (t)
        snprintf(text, sizeof text, "%s (thread %" PRIu32 ")", t->name, id);
    else
        snprintf(text, sizeof text, "thread %" PRIu32, id);
    return grow_text(text);
}

static char *name_of_process(bool told, uint32_t pid)
{
    char text[64];

    if (!told)
        return grow_text("<Unknown>");
    snprintf(text, sizeof text, "process %" PRIu32, pid);
    return grow_text(text);
}

/* What an interrupt is added up under: a key, and for a new one its name. */
static uint64_t key_of(struct recording *r, const struct record *record,
                       enum interrupts_by by, char **name)
{
    bool hook = record->kind == REC_TICK;
    uint32_t pc =
        hook ? record_get_tick_pc(record) : record_get_irq_srr0(record);
    const struct thread *t =
        threads_find(&r->threads, record->thread, record->cycle);
    uint32_t pid = hook ? record_get_tick_pid(record)
                        : threads_process(&r->threads, record->thread,
                                          record->cycle, UINT32_MAX);
    bool told = pid != UINT32_MAX;
    struct place place = loadmap_find(&r->map, pc, record->cycle);

    switch (by) {
    case INTERRUPTS_BY_PC:
        *name = name_of_pc(r, place, pc);
        return (uint64_t)place.function << 32 | pc;
    case INTERRUPTS_BY_THREAD:
        *name = name_of_thread(t, record->thread);
        return record->thread;
    case INTERRUPTS_BY_PROCESS:
        *name = name_of_process(told, pid);
        return told ? pid : UINT64_MAX;
    default:
        *name = grow_text(loadmap_name(&r->map, place.function));
        return place.function;
    }
}

/* ---- adding up ----------------------------------------------------------- */

static size_t vector_index(struct interrupts *s, uint32_t vector)
{
    size_t i = 0;

    while (i < s->vectors && s->vector[i] != vector)
        i++;
    if (i < s->vectors)
        return i;
    if (s->vectors == VECTORS_MAX)
        return VECTORS_MAX - 1;
    s->vector =
        grow(s->vector, &s->vectors_room, s->vectors + 1, sizeof *s->vector);
    s->vector[s->vectors++] = vector;
    return i;
}

static void add(struct interrupt_row *row, size_t vector, uint64_t wait)
{
    row->by = grow(row->by, &row->by_room, VECTORS_MAX, sizeof *row->by);
    row->by[vector]++;
    row->wait += wait;
    row->count++;
}

static void take(struct interrupts *s, struct hash *index, struct recording *r,
                 const struct record *record, enum interrupts_by by)
{
    bool hook = record->kind == REC_TICK;
    size_t vector = vector_index(s, hook ? record_get_tick_mode(record)
                                         : record_get_irq_vector(record));
    uint64_t signalled =
        hook ? record->cycle : record_get_irq_signalled(record);
    uint64_t wait = signalled < record->cycle ? record->cycle - signalled : 0;
    char *name;
    bool fresh;
    uint32_t *at = hash_at(index, key_of(r, record, by, &name), &fresh);

    if (fresh) {
        *at = (uint32_t)s->rows;
        s->row = grow(s->row, &s->rows_room, s->rows + 1, sizeof *s->row);
        s->row[s->rows++] = (struct interrupt_row){.name = name};
    } else {
        free(name);
    }
    add(&s->row[*at], vector, wait);
    add(&s->total, vector, wait);
}

static int by_count(const void *a, const void *b)
{
    const struct interrupt_row *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void swap_columns(struct interrupt_row *row, size_t i, size_t k)
{
    uint64_t count = row->by[i];

    row->by[i] = row->by[k];
    row->by[k] = count;
}

/* Vectors were met in any order: put them in theirs. */
static void order_vectors(struct interrupts *s)
{
    for (size_t i = 0; i < s->vectors; i++)
        for (size_t k = i + 1; k < s->vectors; k++) {
            uint32_t vector = s->vector[i];

            if (s->vector[k] > vector)
                continue;
            s->vector[i] = s->vector[k];
            s->vector[k] = vector;
            swap_columns(&s->total, i, k);
            for (size_t n = 0; n < s->rows; n++)
                swap_columns(&s->row[n], i, k);
        }
}

void interrupts_choose(struct interrupts *s, struct recording *r, unsigned kind,
                       enum interrupts_by by,
                       bool (*wants)(void *arg, const struct record *record),
                       void *arg)
{
    struct hash index = {0};
    struct record record;
    struct recfile f;

    *s = (struct interrupts){.total = {.name = grow_text("<Total>")},
                             .hooks = kind == REC_TICK};
    if (!recording_records(r, kind, &f))
        return;
    while (recfile_next(&f, &record))
        if (!wants || wants(arg, &record))
            take(s, &index, r, &record, by);
    recording_done(r, &f);
    hash_free(&index);
    order_vectors(s);
    if (s->rows)
        qsort(s->row, s->rows, sizeof *s->row, by_count);
}

static bool on_cpu(void *arg, const struct record *record)
{
    const long *cpu = arg;

    return *cpu < 0 || record->cpu == (unsigned long)*cpu;
}

void interrupts_read(struct interrupts *s, struct recording *r,
                     enum interrupts_by by, long cpu)
{
    interrupts_choose(s, r, REC_IRQ, by, on_cpu, &cpu);
}

void interrupts_free(struct interrupts *s)
{
    for (size_t i = 0; i < s->rows; i++) {
        free(s->row[i].name);
        free(s->row[i].by);
    }
    free(s->row);
    free(s->total.name);
    free(s->total.by);
    free(s->vector);
    *s = (struct interrupts){0};
}
