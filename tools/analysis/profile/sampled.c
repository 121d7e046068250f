/* sampled.c - see sampled.h. */
#include "tools/analysis/profile/sampled.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

uint64_t sampled_period(const struct recording *r)
{
    const char *value = text_lines_get(&r->log, "sampled");

    return value ? strtoull(value, NULL, 10) : 0;
}

char sampled_mode(const struct recording *r)
{
    const char *value = text_lines_get(&r->log, "sampled");
    const char *mode = value ? strchr(value, ' ') : NULL;

    return mode && (mode[1] == 'u' || mode[1] == 'k') ? mode[1] : 0;
}

struct sampled_insn sampled_insn(const struct record *k)
{
    return (struct sampled_insn){
        .cpu = k->cpu,
        .cycle = k->cycle,
        .flags = record_get_sampled_flags(k),
        .pc = record_get_sampled_pc(k),
        .ea = record_get_sampled_address(k),
        .dispatch = record_get_sampled_dispatch(k),
        .issue = record_get_sampled_issue(k),
        .finish = record_get_sampled_finish(k),
        .end = record_get_sampled_end(k),
        .data = record_get_sampled_access(k),
        .oldest = record_get_sampled_oldest(k),
    };
}

/* One instruction as a row of its own. */
static struct sampled_row row_of(const struct sampled_insn *i)
{
    unsigned level = (i->flags & SAMPLED_LEVEL) >> SAMPLED_LEVEL_SHIFT;
    bool completed = i->flags & SAMPLED_COMPLETED;

    return (struct sampled_row){
        .samples = 1,
        .completed = completed,
        .wrong = i->flags & SAMPLED_WRONG ? 1 : 0,
        .imiss = i->flags & SAMPLED_IMISS ? 1 : 0,
        .accesses = level != LEVEL_NONE,
        .missed = level == LEVEL_MEMORY || level == LEVEL_OTHER,
        .tlb = i->flags & (SAMPLED_ITLB | SAMPLED_DTLB) ? 1 : 0,
        .branches = completed && i->flags & SAMPLED_BRANCH,
        .mispredicted = i->flags & SAMPLED_MISPREDICTED ? 1 : 0,
        .issued = i->flags & SAMPLED_ISSUED ? 1 : 0,
        .finished = i->flags & SAMPLED_FINISHED ? 1 : 0,
        .dispatch = i->dispatch,
        .issue = i->issue,
        .finish = i->finish,
        .end = completed ? i->end : 0,
        .oldest = completed ? i->oldest : 0,
        .data = i->data,
    };
}

void sampled_join(struct sampled_row *to, const struct sampled_row *from)
{
    to->samples += from->samples;
    to->completed += from->completed;
    to->wrong += from->wrong;
    to->imiss += from->imiss;
    to->accesses += from->accesses;
    to->missed += from->missed;
    to->tlb += from->tlb;
    to->branches += from->branches;
    to->mispredicted += from->mispredicted;
    to->issued += from->issued;
    to->finished += from->finished;
    to->dispatch += from->dispatch;
    to->issue += from->issue;
    to->finish += from->finish;
    to->end += from->end;
    to->oldest += from->oldest;
    to->data += from->data;
}

static void add(struct sampled_rows *s, struct recording *r,
                const struct sampled_insn *i, bool by_pc)
{
    uint32_t f = loadmap_find(&r->map, i->pc, i->cycle).function;
    uint32_t pc = by_pc ? i->pc : 0;
    struct sampled_row one = row_of(i);
    bool fresh;
    uint32_t *at = hash_at(&s->at, (uint64_t)f << 32 | pc, &fresh);

    if (fresh) {
        *at = (uint32_t)s->rows++;
        s->row = grow(s->row, &s->room, s->rows, sizeof *s->row);
        s->row[*at] = (struct sampled_row){.function = f, .pc = pc};
    }
    sampled_join(&s->row[*at], &one);
    sampled_join(&s->total, &one);
}

static int most_first(const void *a, const void *b)
{
    const struct sampled_row *x = a, *y = b;

    if (x->samples != y->samples)
        return x->samples < y->samples ? 1 : -1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

void sampled_read(struct sampled_rows *s, struct recording *r, bool by_pc,
                  long cpu)
{
    struct recfile f;
    struct record k;

    memset(s, 0, sizeof *s);
    s->guest = !sampled_period(r);
    if (!recording_records(r, REC_SAMPLED, &f))
        return;
    while (recfile_next(&f, &k)) {
        struct sampled_insn i = sampled_insn(&k);

        if (!(i.flags & SAMPLED_GUEST) == s->guest)
            continue;
        if (cpu < 0 || i.cpu == (unsigned long)cpu)
            add(s, r, &i, by_pc);
    }
    recording_done(r, &f);
    if (s->rows)
        qsort(s->row, s->rows, sizeof *s->row, most_first);
}

void sampled_free(struct sampled_rows *s)
{
    free(s->row);
    hash_free(&s->at);
}
