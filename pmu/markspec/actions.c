/* actions.c - what a mark does, in words: "count,limit:13". The rows are those
 * of actions.def.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pmu/markspec/markspec.h"
#include "lib/base/did_you_mean.h"
#include "lib/base/text.h"

static const struct action_row {
    const char *word;
    uint32_t flags;
    bool number;
} action_rows[] = {
#define ACTION(word, flags, number, text) {word, flags, number},
#include "pmu/markspec/actions.def"
#undef ACTION
};

#define ACTIONS (sizeof action_rows / sizeof action_rows[0])

/* The bits of a threshold, and their cycles after reset. */
static const uint32_t threshold_bits[] = {
    PERFINST_THRESHOLD_10, PERFINST_THRESHOLD_50, PERFINST_THRESHOLD_100,
    PERFINST_THRESHOLD_4TH};
static const struct perfinst_thresholds at_reset = {{10, 50, 100, 200}, 3};

/* What is being read, and where to complain. */
struct text {
    const char *text;
    const struct perfinst_thresholds *th;
    struct perfinst_error *error;
};

void markspec_wrong(struct perfinst_error *e, size_t at, const char *format,
                    va_list args)
{
    e->at = at;
    e->lacking = false;
    vsnprintf(e->why, sizeof e->why, format, args);
}

__attribute__((format(printf, 3, 4))) static bool
wrong(const struct text *s, const char *at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    markspec_wrong(s->error, (size_t)(at - s->text), format, args);
    va_end(args);
    return false;
}

bool markspec_is(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(at, word, n) == 0;
}

bool markspec_number(const char *at, size_t n, uint32_t *value)
{
    uint64_t v;

    if (!text_digits(at, n, &v) || v > UINT32_MAX)
        return false;
    *value = (uint32_t)v;
    return true;
}

static bool no_action(const struct text *s, const char *at)
{
    char all[400] = "", word[64], near_by[DID_YOU_MEAN_TEXT];
    size_t used = 0;
    struct did_you_mean n;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ",:"), at);
    did_you_mean_begin(&n, word);
    for (size_t k = 0; k < ACTIONS; k++)
        did_you_mean_offer(&n, action_rows[k].word);
    if (*did_you_mean_text(&n, near_by))
        return wrong(s, at, "%s: no such action%s", word, near_by);
    for (size_t k = 0; k < ACTIONS && used < sizeof all; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s%s",
                                 k ? ", " : "", action_rows[k].word,
                                 action_rows[k].number ? ":N" : "");
    return wrong(s, at,
                 "no such action; there are %s, and alone, of data, area:NAME",
                 all);
}

static uint64_t sum_of(const struct perfinst_thresholds *th, unsigned mask)
{
    uint64_t sum = 0;

    for (unsigned k = 0; k < 4; k++)
        sum += mask >> k & 1 ? th->cycles[k] : 0;
    return sum;
}

bool perfinst_threshold_is(const struct perfinst_thresholds *th,
                           uint32_t cycles)
{
    for (unsigned mask = 1; mask >> th->bits == 0; mask++)
        if (sum_of(th, mask) == cycles)
            return true;
    return false;
}

unsigned perfinst_thresholds_of(const char *text, uint32_t all[PERFINST_MANY],
                                unsigned n)
{
    static const char word[] = "threshold:";
    const char *at = strrchr(text, '=');
    uint32_t cycles;

    for (; at && (at = strstr(at, word)) && n < PERFINST_MANY; at++) {
        const char *digits = at + strlen(word);
        unsigned k = n;

        if (!markspec_number(digits, strcspn(digits, ","), &cycles))
            continue;
        while (k && all[k - 1] > cycles)
            k--;
        if (k && all[k - 1] == cycles)
            continue;
        memmove(&all[k + 1], &all[k], (n++ - k) * sizeof *all);
        all[k] = cycles;
    }
    return n;
}

/* What a threshold can be, by size, each once. */
static void list_sums(const struct perfinst_thresholds *th, char *all,
                      size_t room)
{
    uint64_t before = 0, next = 0;
    size_t used = 0;

    all[0] = '\0';
    for (unsigned n = 0; next != UINT64_MAX && used < room; n++) {
        next = UINT64_MAX;
        for (unsigned mask = 1; mask >> th->bits == 0; mask++) {
            uint64_t sum = sum_of(th, mask);

            if ((!n || sum > before) && sum < next)
                next = sum;
        }
        if (next != UINT64_MAX)
            used += (size_t)snprintf(all + used, room - used, "%s%" PRIu64,
                                     n ? ", " : "", next);
        before = next;
    }
}

/* The bits that add up to so many cycles. */
static bool threshold(const struct text *s, const char *at, uint32_t cycles,
                      uint32_t *flags)
{
    unsigned mask = 1;
    char all[200];

    while (mask >> s->th->bits == 0 && sum_of(s->th, mask) != cycles)
        mask++;
    if (mask >> s->th->bits) {
        list_sums(s->th, all, sizeof all);
        return wrong(s, at,
                     "a threshold is one of %s cycles (simrun --set "
                     "pif_th0=N, pif_th1, pif_th2: others)",
                     all);
    }
    for (unsigned k = 0; k < 4; k++)
        *flags |= mask >> k & 1 ? threshold_bits[k] : 0;
    return true;
}

/* One action of n bytes. */
static bool one_action(const struct text *s, const char *at, size_t n,
                       struct perfinst_action *a)
{
    const char *colon = memchr(at, ':', n);
    size_t word = colon ? (size_t)(colon - at) : n, k;
    uint32_t value = 0;

    for (k = 0; k < ACTIONS && !markspec_is(at, word, action_rows[k].word); k++)
        ;
    if (k == ACTIONS)
        return no_action(s, at);
    if (action_rows[k].number && !colon)
        return wrong(s, at + n, "a number belongs here: %s:N",
                     action_rows[k].word);
    if (!action_rows[k].number && colon)
        return wrong(s, colon, "%s takes no number", action_rows[k].word);
    if (colon && !markspec_number(colon + 1, n - word - 1, &value))
        return wrong(s, colon + 1, "no number of 32 bits");
    a->flags |= action_rows[k].flags;
    if (action_rows[k].flags & PERFINST_LIMIT)
        a->limit = value;
    else if (colon)
        return threshold(s, colon + 1, value, &a->flags);
    return true;
}

static bool actions(const struct text *s, const char *at,
                    struct perfinst_action *a)
{
    const char *begin = at;

    *a = (struct perfinst_action){0};
    for (;;) {
        size_t n = strcspn(at, ",");

        if (!one_action(s, at, n, a))
            return false;
        if (!at[n])
            break;
        at += n + 1;
    }
    if (a->flags & PERFINST_THRESHOLD_EXCEPTION &&
        !(a->flags & (PERFINST_THRESHOLD_100 | PERFINST_THRESHOLD_50 |
                      PERFINST_THRESHOLD_10 | PERFINST_THRESHOLD_4TH)))
        return wrong(s, begin, "late-interrupt needs a threshold:N");
    return true;
}

bool perfinst_action_parse(const char *text,
                           const struct perfinst_thresholds *th,
                           struct perfinst_action *a, struct perfinst_error *e)
{
    struct text s = {text, th ? th : &at_reset, e};

    return actions(&s, text, a);
}

void perfinst_text(uint32_t flags, uint32_t limit,
                   const struct perfinst_thresholds *th,
                   char text[PERFINST_TEXT])
{
    const struct perfinst_thresholds *bits = th ? th : &at_reset;
    unsigned mask = 0;
    size_t used = 0;

    text[0] = '\0';
    for (unsigned k = 0; k < 4; k++)
        mask |= flags & threshold_bits[k] ? 1u << k : 0;
    for (size_t k = 0; k < ACTIONS && used < PERFINST_TEXT; k++) {
        const struct action_row *row = &action_rows[k];
        char value[24] = "";

        if (row->flags ? (flags & row->flags) != row->flags : !mask)
            continue;
        flags &= ~row->flags;
        if (row->number)
            snprintf(value, sizeof value, ":%" PRIu64,
                     row->flags ? limit : sum_of(bits, mask));
        used += (size_t)snprintf(text + used, PERFINST_TEXT - used, "%s%s%s",
                                 used ? "," : "", row->word, value);
    }
}
