/* pipeline.c - see pipeline.h. */
#include "tools/analysis/hardware/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

/* Stages that go back in time, a name that is none: not this simulator's. */
static bool is_sensible(const struct record *k, const struct pipeline_insn *i)
{
    return i->fetch <= i->dispatch && i->dispatch <= i->issue &&
           i->issue <= i->finish && i->finish <= i->complete &&
           i->complete == k->cycle && *i->unit && i->number;
}

static void read_unit(const struct record *k, char unit[PIPELINE_UNIT])
{
    uint64_t letters = record_get_pipe_unit(k);

    for (unsigned n = 0; n < 8; n++) {
        char c = (char)(letters >> (56 - 8 * n));

        unit[n] = c > ' ' && c < 0x7F ? c : '\0';
    }
    unit[8] = '\0';
}

static void add_waits(struct pipeline *p, const struct record *k,
                      struct pipeline_insn *i)
{
    struct record_tail t = record_get_pipe_wait(k);

    i->wait = p->waits;
    for (uint32_t n = 0; n + 3 <= t.words; n += 3) {
        int32_t after = (int32_t)record_tail_word(t, n + 1);
        uint64_t begin = i->fetch + (uint64_t)(int64_t)after;
        struct pipeline_wait w = {begin, begin + record_tail_word(t, n + 2),
                                  record_tail_word(t, n)};

        if (w.reason >= RECORDING_REASONS || w.end > i->complete ||
            w.begin > w.end)
            continue;
        p->wait = grow(p->wait, &p->waits_room, p->waits + 1, sizeof *p->wait);
        p->wait[p->waits++] = w;
        i->waits++;
    }
}

static void add(struct pipeline *p, const struct record *k, uint64_t *wrong)
{
    struct pipeline_insn i = {
        .number = record_get_pipe_number(k),
        .cpu = k->cpu,
        .thread = k->thread,
        .pc = record_get_pipe_pc(k),
        .word = record_get_pipe_word(k),
        .fetch = record_get_pipe_fetch(k),
        .exception = record_get_pipe_flags(k) & PIPE_EXCEPTION,
        .user = record_get_pipe_flags(k) & PIPE_USER,
    };

    i.dispatch = i.fetch + record_get_pipe_dispatch(k);
    i.issue = i.dispatch + record_get_pipe_issue(k);
    i.finish = i.issue + record_get_pipe_finish(k);
    i.complete = i.finish + record_get_pipe_end(k);
    read_unit(k, i.unit);
    if (!is_sensible(k, &i)) {
        ++*wrong;
        return;
    }
    add_waits(p, k, &i);
    p->insn = grow(p->insn, &p->room, p->insns + 1, sizeof *p->insn);
    p->insn[p->insns++] = i;
}

static int by_number(const void *a, const void *b)
{
    const struct pipeline_insn *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

/* Lines "pipe FROM:COUNT" of the log. */
static uint64_t asked(const struct recording *r)
{
    uint64_t all = 0;

    for (size_t k = 0; k < r->log.count; k++) {
        const char *colon = strrchr(r->log.line[k].value, ':');

        if (colon && !strcmp(r->log.line[k].key, "pipe"))
            all += strtoull(colon + 1, NULL, 10);
    }
    return all;
}

void pipeline_read(struct pipeline *p, struct recording *r, long cpu,
                   long thread)
{
    uint64_t wrong = 0;
    struct record k;
    struct recfile f;

    *p = (struct pipeline){.asked = asked(r)};
    if (!recording_records(r, REC_PIPE, &f))
        return;
    while (recfile_next(&f, &k))
        if ((cpu < 0 || k.cpu == (unsigned)cpu) &&
            (thread < 0 || k.thread == (uint32_t)thread))
            add(p, &k, &wrong);
    recording_done(r, &f);
    if (wrong)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "pipe.rec: %llu instructions whose stages cannot be",
                    (unsigned long long)wrong);
    if (p->insns)
        qsort(p->insn, p->insns, sizeof *p->insn, by_number);
}

void pipeline_free(struct pipeline *p)
{
    free(p->insn);
    free(p->wait);
    *p = (struct pipeline){0};
}

const char *pipeline_reason(const struct pipeline *p, const struct recording *r,
                            const struct pipeline_insn *i, uint64_t cycle)
{
    const struct pipeline_wait *latest = NULL;

    for (size_t n = 0; n < i->waits; n++) {
        const struct pipeline_wait *w = &p->wait[i->wait + n];

        if (w->begin <= cycle && cycle < w->end &&
            (!latest || w->begin >= latest->begin))
            latest = w;
    }
    return latest ? r->reason[latest->reason] : NULL;
}
