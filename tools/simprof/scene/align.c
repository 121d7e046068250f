/* align.c - see align.h. */
#include "tools/simprof/scene/align.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/scene/words.h"
#include "tools/simprof/session/rows.h"

#define MOST "--limit=20000" /* of a kind that are looked at */
#define OPTION 5000

/* ---- what happened in both ----------------------------------------------- */

static const struct {
    const char *kind, *words;
} kinds[] = {{"section", "execution of"},
             {"mark", "mark of"},
             {"hold", "taking of"},
             {"wake-up", "wake-up of"}};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* What a row of `moments` is one of: the thread that was woken, else about. */
static const char *name_of(const json_t *row)
{
    return scene_text(row, strcmp(scene_text(row, "what"), "wake-up") != 0
                               ? "about"
                               : "name");
}

static json_t *moments_of(struct recording *r, const char *experiment,
                          const char *kind)
{
    char option[32];
    const char *word[] = {"moments", option, MOST};
    struct refusal why = {.text = ""};

    snprintf(option, sizeof option, "--kinds=%s", kind);
    return rows_read(r, experiment, 3, word, &why);
}

/* How often each name is there, {name: times}. */
static json_t *times_of(const json_t *rows)
{
    json_t *times = json_object(), *row;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        const char *name = name_of(row);

        if (strcmp(name, "<more>") != 0 && *name)
            json_object_set_new(
                times, name,
                json_integer(json_integer_value(json_object_get(times, name)) +
                             1));
    }
    return times;
}

/* The name that both have most often, and how often; 0: none. */
static size_t common(const json_t *before, const json_t *after,
                     char out[ALIGN_WORDS])
{
    json_t *of[2] = {times_of(before), times_of(after)}, *value;
    json_int_t most = 0;
    const char *name;

    json_object_foreach(of[1], name, value)
    {
        json_int_t n = json_integer_value(json_object_get(of[0], name));

        n = n < json_integer_value(value) ? n : json_integer_value(value);
        if (n <= most)
            continue;
        most = n;
        snprintf(out, ALIGN_WORDS, "%.120s", name);
    }
    json_decref(of[0]);
    json_decref(of[1]);
    return (size_t)most;
}

/* When the name was there, in order; the caller frees. */
static uint64_t *cycles_of(const json_t *rows, const char *name, size_t count)
{
    uint64_t *list = grow_zero(count + 1, sizeof *list);
    size_t n = 0, k;
    json_t *row;

    json_array_foreach(rows, k, row)
    {
        if (n < count && !strncmp(name_of(row), name, 120))
            list[n++] = (uint64_t)scene_number(row, "from_cycle");
    }
    return list;
}

static void add_pair(struct align *a, uint64_t before, uint64_t after)
{
    uint64_t *last = a->pair[a->pairs - 1];

    if (before <= last[0] || after <= last[1])
        return;
    a->pair[a->pairs][0] = before;
    a->pair[a->pairs++][1] = after;
}

/* False: both do not have two of the kind. */
static bool by_kind(struct align *a, size_t kind, const json_t *before,
                    const json_t *after)
{
    char name[ALIGN_WORDS], number[TEXT_NUMBER];
    size_t count = common(before, after, name);
    size_t each = count / ALIGN_PAIRS + 1;
    uint64_t *was, *is;

    if (count < 2)
        return false;
    was = cycles_of(before, name, count);
    is = cycles_of(after, name, count);
    for (size_t n = 0; n < count; n += each)
        add_pair(a, was[n], is[n]);
    add_pair(a, was[count - 1], is[count - 1]);
    snprintf(a->by, sizeof a->by, "by the n-th %s %.120s (%s in both)",
             kinds[kind].words, name, text_count(number, count));
    free(was);
    free(is);
    return true;
}

static void by_progress(struct align *a, struct recording *base,
                        const char *base_experiment, struct recording *r,
                        const char *experiment)
{
    bool found = false;

    for (size_t k = 0; k < KINDS && !found; k++) {
        json_t *before = moments_of(base, base_experiment, kinds[k].kind);
        json_t *after = moments_of(r, experiment, kinds[k].kind);

        found = by_kind(a, k, before, after);
        json_decref(before);
        json_decref(after);
    }
    if (!found)
        snprintf(a->by, sizeof a->by,
                 "by cycle, since nothing that is recorded happened twice in "
                 "both (simrun --probe=FUNC)");
}

/* ---- where they part ----------------------------------------------------- */

static uint64_t cycle_of(const json_t *row, const char *column)
{
    return json_is_number(json_object_get(row, column))
               ? (uint64_t)scene_number(row, column)
               : UINT64_MAX;
}

static void find_parting(struct align *a, struct recording *r,
                         const char *base_experiment, const char *experiment)
{
    char option[OPTION];
    const char *word[] = {"diff", option};
    struct refusal why = {.text = ""};
    uint64_t least = UINT64_MAX;
    json_t *rows, *row;
    size_t k;

    snprintf(option, sizeof option, "--base=%.4096s", base_experiment);
    rows = rows_read(r, experiment, 2, word, &why);
    json_array_foreach(rows, k, row)
    {
        uint64_t was = cycle_of(row, "cycle_before");
        uint64_t is = cycle_of(row, "cycle_after");

        if ((was < is ? was : is) >= least)
            continue;
        least = was < is ? was : is;
        a->parts = true;
        a->differ[0] = was;
        a->differ[1] = is;
        snprintf(a->kind, sizeof a->kind, "%s", scene_text(row, "kind"));
    }
    json_decref(rows);
}

/* ---- all of it ----------------------------------------------------------- */

static bool same_image(const struct recording *a, const struct recording *b)
{
    const char *x = text_lines_get(&a->log, "image");
    const char *y = text_lines_get(&b->log, "image");

    return x && y && !strcmp(x, y);
}

void align_read(struct align *a, struct recording *base,
                const char *base_experiment, struct recording *r,
                const char *experiment)
{
    *a = (struct align){.by = "by cycle", .pairs = 1};
    a->pair = grow_zero(ALIGN_PAIRS + 3, sizeof *a->pair);
    if (!same_image(base, r))
        by_progress(a, base, base_experiment, r, experiment);
    find_parting(a, r, base_experiment, experiment);
}

void align_free(struct align *a)
{
    free(a->pair);
    *a = (struct align){0};
}

/* From one side of the pairs to the other. */
static uint64_t across(const struct align *a, uint64_t cycle, int from)
{
    size_t k = 0;
    unsigned __int128 part;

    while (k + 1 < a->pairs && a->pair[k + 1][from] <= cycle)
        k++;
    part = cycle - a->pair[k][from];
    if (k + 1 < a->pairs)
        part = part * (a->pair[k + 1][!from] - a->pair[k][!from]) /
               (a->pair[k + 1][from] - a->pair[k][from]);
    return a->pair[k][!from] + (uint64_t)part;
}

uint64_t align_after(const struct align *a, uint64_t before)
{
    return across(a, before, 0);
}

uint64_t align_before(const struct align *a, uint64_t after)
{
    return across(a, after, 1);
}

void align_say(const struct align *a, char out[ALIGN_SENTENCE])
{
    uint64_t at = a->differ[0] < a->differ[1] ? a->differ[0] : a->differ[1];
    char number[TEXT_NUMBER];

    if (a->parts)
        snprintf(out, ALIGN_SENTENCE,
                 "Aligned %s. First record that differs: %s, cycle %s.", a->by,
                 a->kind, text_count(number, at));
    else
        snprintf(out, ALIGN_SENTENCE, "Aligned %s. The same, record by record.",
                 a->by);
}

json_t *align_json(const struct align *a)
{
    uint64_t at = a->differ[1];
    char words[ALIGN_SENTENCE];
    json_t *pairs = json_array();

    if (a->differ[0] < at)
        at = align_after(a, a->differ[0]);
    for (size_t i = 0; i < a->pairs; i++)
        for (int k = 0; k < 2; k++)
            json_array_append_new(pairs,
                                  json_integer((json_int_t)a->pair[i][k]));
    align_say(a, words);
    return json_pack("{s:s, s:o, s:o}", "words", words, "pairs", pairs,
                     "differ",
                     a->parts ? json_integer((json_int_t)at) : json_null());
}
