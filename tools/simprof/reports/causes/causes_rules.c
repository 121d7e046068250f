/* causes_rules.c - idle time by the three rules of whose it is: how far they
 * agree on what was waited for in the end.
 */
#include "tools/simprof/reports/causes/causes_rules.h"

#include <stdlib.h>

#include "lib/base/text.h"
#include "tools/simprof/reports/causes/causes_words.h"

static const char *const key[] = {
#define ROOT(name, key, text, does, noun, apart) key,
#include "tools/analysis/causes/roots.def"
#undef ROOT
};

/* The cycles that a root like that one has. */
static uint64_t cycles_of(const struct causes *c, const struct causes_root *r)
{
    for (size_t n = 0; n < c->roots; n++)
        if (c->root[n].is == r->is &&
            places_same(c->places, c->root[n].place, r->place))
            return c->root[n].cycles;
    return 0;
}

static const struct causes_root *first_of(const struct causes *c)
{
    const struct causes_root *first = NULL;

    for (size_t n = 0; n < c->roots; n++)
        if (!causes_is_apart(c->root[n].is) &&
            (!first || c->root[n].cycles > first->cycles))
            first = &c->root[n];
    return first;
}

/* Cycles that the one charges to other roots than the other: half of the sum of
 * all differences. Both have the same total. */
static uint64_t apart(const struct causes *a, const struct causes *b)
{
    uint64_t more = 0;

    for (size_t n = 0; n < a->roots; n++) {
        uint64_t here = a->root[n].cycles, there = cycles_of(b, &a->root[n]);

        more += here > there ? here - there : 0;
    }
    return more;
}

static void say_first(const struct causes *c, const struct causes *other,
                      FILE *to)
{
    const struct causes_root *first = first_of(c), *of = first_of(other);
    char share[TEXT_NUMBER], functions[CAUSES_PLACE];

    if (!of)
        return;
    if (first && first->is == of->is &&
        places_same(c->places, first->place, of->place)) {
        fputs(", and the same one first", to);
        return;
    }
    fprintf(to, ", and first, with %s%%, %s %s",
            text_percent(share, of->cycles, other->total), key[of->is],
            causes_functions(other, of->place, functions));
}

/* One rule beside the one that the report goes by. */
static void say_rule(const struct causes *c, const struct causes_choice *choice,
                     enum causes_rule rule, const char *whose, FILE *to)
{
    struct causes_choice by = *choice;
    struct causes other;
    struct naps naps;
    char share[TEXT_NUMBER];

    by.rule = rule;
    naps_read(&naps, c->scene, c->r);
    causes_find(&other, c->scene, &naps, c->places, &by);
    naps_free(&naps);
    fprintf(to, "%s, %s%% of it would be other roots'", whose,
            text_percent(share, apart(c, &other), c->total));
    say_first(c, &other, to);
    causes_free(&other);
}

void causes_say_rules(const struct causes *c,
                      const struct causes_choice *choice,
                      const struct options *o, FILE *to)
{
    size_t size;
    char *text;
    FILE *f;

    if (!c->total || !(f = open_memstream(&text, &size)))
        return;
    fputs(
        "\nRules: idle time is charged by what the thread that ends it waited "
        "for. ",
        f);
    say_rule(c, choice, CAUSES_LEAVER, "By the one that ran there last", f);
    say_rule(c, choice, CAUSES_SHARE, "; by all that wait then, evenly", f);
    fclose(f);
    report_say(o, to, "%s.", text);
    free(text);
}
