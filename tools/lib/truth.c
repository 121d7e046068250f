/* truth.c - profile.rec against oracle.rec. See truth.h. */
#include "tools/lib/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/account.h"
#include "tools/lib/grow.h"

static struct truth_place *place_of(struct truth_places *p, uint32_t function,
                                    uint32_t pc)
{
    bool fresh;
    uint32_t *at = hash_at(&p->at, (uint64_t)function << 32 | pc, &fresh);

    if (fresh) {
        *at = (uint32_t)p->count++;
        p->place = grow(p->place, &p->room, p->count, sizeof *p->place);
        p->place[*at].function = function;
        p->place[*at].pc = pc;
    }
    return &p->place[*at];
}

static void add_exact(struct truth *t, uint32_t function, uint32_t pc,
                      uint64_t amount)
{
    place_of(&t->function, function, 0)->exact += amount;
    place_of(&t->instruction, function, pc)->exact += amount;
    t->exact += amount;
}

static void read_oracle(struct truth *t, struct recording *r)
{
    struct account_choice choice = {.spots = true};
    struct account a;

    account_choose(&a, r, &choice);
    for (size_t i = 0; i < a.spots; i++) {
        const struct account_spot *s = &a.spot[i];
        bool real = s->function != ACCOUNT_NAPPING;

        if (s->function != ACCOUNT_PARKED)
            add_exact(t, s->function, real ? s->pc : 0, s->cycles);
    }
    account_free(&a);
}

static void note_skid(struct truth *t, const struct place *from,
                      const struct place *to)
{
    uint32_t ahead = (to->offset - from->offset) / 4;

    if (from->function != to->function)
        t->skid[TRUTH_ELSEWHERE]++;
    else if (to->offset < from->offset)
        t->skid[TRUTH_BACK]++;
    else
        t->skid[ahead < TRUTH_FARTHER ? ahead : TRUTH_FARTHER]++;
}

static void read_sample(struct truth *t, struct recording *r,
                        const struct record *s)
{
    uint32_t named = record_word(s, 2), met = record_word(s, 3);
    struct place n = loadmap_find(&r->map, named, s->cycle);
    struct place m = loadmap_find(&r->map, met, s->cycle);

    t->samples++;
    if (record_word(s, 5) & PROFILE_NAPPING) {
        n = m = (struct place){ACCOUNT_NAPPING, 0};
        named = met = 0;
    } else {
        note_skid(t, &n, &m);
    }
    place_of(&t->function, m.function, 0)->met++;
    place_of(&t->instruction, m.function, met)->met++;
    place_of(&t->function, n.function, 0)->named++;
    place_of(&t->instruction, n.function, named)->named++;
    if (!t->cycles)
        add_exact(t, n.function, named, 1);
}

void truth_read(struct truth *t, struct recording *r, uint32_t counter,
                bool cycles)
{
    struct recfile f;
    struct record s;

    memset(t, 0, sizeof *t);
    t->cycles = cycles;
    if (cycles)
        read_oracle(t, r);
    if (!recording_records(r, REC_PROFILE, &f))
        return;
    while (recfile_next(&f, &s))
        if (record_word(&s, 0) == counter)
            read_sample(t, r, &s);
    recording_done(r, &f);
}

void truth_free(struct truth *t)
{
    free(t->function.place);
    free(t->instruction.place);
    hash_free(&t->function.at);
    hash_free(&t->instruction.at);
}

double truth_error(const struct truth *t, const struct truth_places *p,
                   bool named)
{
    double right = 0;

    if (!t->samples || !t->exact)
        return 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct truth_place *q = &p->place[i];
        double found = (double)(named ? q->named : q->met) / (double)t->samples;
        double is = (double)q->exact / (double)t->exact;

        right += found < is ? found : is;
    }
    return right < 1 ? 1 - right : 0;
}

/* The mean distance of a share found in n fair samples from the share p is
 * sqrt(2 p (1 - p) / (pi n)), as n grows; half the sum is the error. */
double truth_noise(const struct truth *t, const struct truth_places *p)
{
    double sum = 0;

    if (!t->samples || !t->exact)
        return 0;
    for (size_t i = 0; i < p->count; i++) {
        double is = (double)p->place[i].exact / (double)t->exact;
        double normal = sqrt(2 * is * (1 - is) / (M_PI * (double)t->samples));

        /* Of what is too rare to be met at all, twice the share at most. */
        sum += normal < 2 * is ? normal : 2 * is;
    }
    return sum / 2;
}

double truth_margin(double share, uint64_t n)
{
    return n ? 1.96 * sqrt(share * (1 - share) / (double)n) : 1;
}
