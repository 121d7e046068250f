/* mksamples.c - an experiment of as many call-stack samples as one asks for.
 *
 *   mksamples SAMPLES DIR
 *
 * Reproducible: a seeded generator, no clock. 2000 functions, 6000 stacks of 3
 * to 40 frames that share their beginnings as the stacks of a program do. The
 * run has 20 phases; in each the stacks have an order of their own, and the
 * k-th is taken about 1/k as often as the first. Each of 2 CPUs takes a sample
 * every 2000 cycles, give or take 200, which stands for so many cycles; as in
 * a run, records of one CPU come a few at a time, so times go forth and back.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pmu/experiment/experiment.h"
#include "include/record_put.h"
#include "tests/lib/mkelf.h"

enum { FUNCTIONS = 2000, STACKS = 6000, DEPTH = 40, PHASES = 20 };

#define TEXT 0x10000u
#define ARCHIVE "samples.elf.0102030405060708090a0b0c0d0e0f1011121314"
#define GUIDE 65536 /* a sample's stack is looked up by 16 random bits */

struct stack {
    uint32_t words[PROFILE_WORDS + DEPTH];
    unsigned depth;
};

struct made {
    struct experiment e;
    uint64_t random;
    struct stack stack[STACKS];
    uint16_t guide[GUIDE];
};

static uint32_t pick(struct made *m, uint32_t n)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)(m->random >> 32) % n;
}

/* A new stack branches off an older one somewhere. */
static void make_stacks(struct made *m)
{
    for (unsigned i = 0; i < STACKS; i++) {
        struct stack *s = &m->stack[i], *like = i ? &m->stack[pick(m, i)] : s;
        unsigned same = i ? 1 + pick(m, like->depth) : 0;
        uint32_t root_first[DEPTH];
        uint32_t *pcs = record_tail_profile_stack(s->words);

        s->depth = same + 2 + pick(m, 4);
        s->depth = s->depth > DEPTH ? DEPTH : s->depth;
        for (unsigned d = 0; d < s->depth; d++)
            root_first[d] = d < same ? record_tail_profile_stack(
                                           like->words)[like->depth - 1 - d]
                                     : TEXT + 0x100 * pick(m, FUNCTIONS) +
                                           4 * pick(m, 60) + 8;
        for (unsigned d = 0; d < s->depth; d++)
            pcs[d] = root_first[s->depth - 1 - d];
        record_put_profile_pc(s->words, pcs[0]);
        record_put_profile_interrupted(s->words, pcs[0]);
        record_put_profile_flags(s->words, PROFILE_USER);
        record_put_profile_depth(s->words, s->depth);
    }
}

/* A phase's own order of stacks, the k-th with a share of about 1/k. */
static void begin_phase(struct made *m)
{
    static uint16_t order[STACKS];
    double sum = 0, reached = 0;
    unsigned at = 0;

    for (unsigned i = 0; i < STACKS; i++) {
        unsigned k = pick(m, i + 1);

        order[i] = order[k];
        order[k] = (uint16_t)i;
        sum += 1.0 / (i + 1);
    }
    for (unsigned i = 0; i < STACKS && at < GUIDE; i++) {
        reached += GUIDE / (i + 1) / sum;
        while (at < GUIDE && at < reached)
            m->guide[at++] = order[i];
    }
    while (at < GUIDE)
        m->guide[at++] = order[0];
}

static void put_program(struct made *m, const char *dir)
{
    static char path[4096], bytes[1 << 20], names[FUNCTIONS][16];
    static struct mkelf_symbol symbol[FUNCTIONS];
    struct mkelf elf = {.addr = TEXT,
                        .size = 0x100 * FUNCTIONS,
                        .offset = 0x100,
                        .build_id = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20"
                                    "\21\22\23\24",
                        .symbol = symbol,
                        .symbols = FUNCTIONS};
    struct experiment_segment s = {
        0, TEXT, 0x100 * FUNCTIONS, 0x100, "r-x", ARCHIVE, 0};
    size_t size;
    FILE *f;

    for (unsigned i = 0; i < FUNCTIONS; i++) {
        snprintf(names[i], sizeof names[i], "function_%04u", i);
        symbol[i] = (struct mkelf_symbol){.name = names[i],
                                          .addr = TEXT + 0x100 * i,
                                          .size = 0x100,
                                          .type = STT_FUNC};
    }
    snprintf(path, sizeof path, "%s/program", dir);
    mkelf_write(path, &elf);
    f = fopen(path, "rb");
    size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (!size || fclose(f) || unlink(path))
        exit(1);
    experiment_archive(&m->e, ARCHIVE, bytes, size);
    experiment_segment(&m->e, &s);
}

static void put_samples(struct made *m, uint64_t samples)
{
    uint64_t at[2] = {0, 0}, last;
    unsigned cpu = 0, burst = 0;

    for (uint64_t i = 0; i < samples && !m->e.error[0]; i++) {
        struct experiment_stamp stamp = {REC_PROFILE, 0, 0, 0};
        uint32_t cycles = 1800 + pick(m, 401);
        struct stack *s;

        if (i % (samples / PHASES + 1) == 0)
            begin_phase(m);
        if (!burst--) { /* the CPU that is behind goes on */
            cpu = at[1] < at[0];
            burst = pick(m, 8);
        }
        s = &m->stack[m->guide[pick(m, GUIDE)]];
        record_put_profile_events(s->words, cycles);
        stamp.at = at[cpu] += cycles;
        stamp.cpu = (uint8_t)cpu;
        stamp.thread = 10 + cpu;
        experiment_record(&m->e, &stamp, s->words,
                          record_size_profile_stack(s->depth));
    }
    last = at[0] > at[1] ? at[0] : at[1];
    experiment_flush(&m->e, last);
    experiment_end(&m->e, last);
    experiment_text(&m->e, "exit 0 power-off\n");
}

int main(int argc, char **argv)
{
    struct made *m = calloc(1, sizeof *m);
    uint64_t samples = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    bool bad;

    if (!samples || !m) {
        fputs("usage: mksamples SAMPLES DIR\n", stderr);
        return 2;
    }
    m->random = 0x9E3779B97F4A7C15u;
    if (experiment_open(&m->e, argv[2], "")) {
        experiment_text(&m->e, "image " ARCHIVE "\nmode detailed\ncpus 2\n"
                               "clock 200000000\ntimebase 16666666\nseed 1\n"
                               "profile 0 cycles 2000 uk\nstart 0\n");
        put_program(m, argv[2]);
        make_stacks(m);
        put_samples(m, samples);
        experiment_close(&m->e);
    }
    if (m->e.error[0])
        fprintf(stderr, "mksamples: %s\n", m->e.error);
    bad = m->e.error[0] != '\0';
    free(m);
    return bad;
}
