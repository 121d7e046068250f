/* cache_lines.c - the report `cache-lines`: lines of memory in the stretches of
 * simrun --record-lines, those first that CPUs take from each other; with
 * --per-cpu also what is in each data cache, sets by ways.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/hardware/memlines.h"
#include "tools/simprof/report/report.h"

#define NAME 256
#define CPUS 8 /* of the machine, at most, that --per-cpu draws */

/* ---- text ---------------------------------------------------------------- */

/* "0w 1bM 2r": what each CPU did to it, and how it has it at the end. */
static void cpus_text(const struct memlines *m, const struct memline *l,
                      char *out, size_t size)
{
    size_t used = 0;

    *out = '\0';
    for (size_t n = l->first; n < l->first + l->cpus && used < size; n++) {
        const struct memline_cpu *by = &m->by[n];

        used += (size_t)snprintf(out + used, size - used, "%s%u%s%s",
                                 used ? " " : "", by->cpu,
                                 !(by->loads | by->stores) ? ""
                                 : !by->stores             ? "r"
                                 : !by->loads              ? "w"
                                                           : "b",
                                 memlines_state(by->state));
    }
}

static void text_columns(struct table *t)
{
    table_column(t, "taken", "taken", TABLE_NUMBER);
    table_column(t, "falsely", "apart", TABLE_NUMBER);
    table_column(t, "cycles", "cycles", TABLE_NUMBER);
    table_column(t, "loads", "loads", TABLE_NUMBER);
    table_column(t, "stores", "stores", TABLE_NUMBER);
    table_column(t, "words", "words", 0);
    table_column(t, "CPUs", "cpus", 0);
    table_column(t, "line", "sharing", 0);
}

static void text_row(struct table *t, const struct memlines *m,
                     struct recording *r, const struct memline *l)
{
    char words[MEMLINES_WORDS], cpus[80], name[NAME], what[NAME + 32];

    memlines_words(m, l, words);
    cpus_text(m, l, cpus, sizeof cpus);
    memlines_name(m, r, l, name, sizeof name);
    if (!*name)
        snprintf(name, sizeof name, "0x%" PRIx32, m->by[l->first].ea);
    snprintf(what, sizeof what, "%s: %s", memlines_kind(l->kind), name);
    table_dotted(t, l->taken);
    table_dotted(t, l->apart);
    table_count(t, l->cycles);
    table_count(t, l->loads);
    table_count(t, l->stores);
    table_text(t, words);
    table_text(t, cpus);
    table_text(t, what);
}

static uint32_t stretch_of(const struct memlines *m, const struct memline *l)
{
    return m->by[l->first].stretch;
}

/* How many lines of a kind a stretch has. */
static uint64_t many(const struct memlines *m, uint32_t stretch,
                     enum memline_kind kind)
{
    uint64_t n = 0;

    for (size_t k = 0; k < m->lines; k++)
        n += stretch_of(m, &m->line[k]) == stretch && m->line[k].kind == kind;
    return n;
}

static void say_stretch(const struct memlines *m, const struct options *o,
                        const struct memline_stretch *s, FILE *to)
{
    char text[4][32], begin[32], end[32], left[32], lines[32];

    report_say(o, to,
               "Stretch %" PRIu32 ", cycles %s to %s: %s lines were touched; "
               "%s are falsely shared, %s truly, %s only loaded by several "
               "CPUs, %s one CPU's.",
               s->number, text_count(begin, s->begin), text_count(end, s->end),
               text_count(lines, s->lines),
               text_count(text[0], many(m, s->number, MEMLINE_FALSELY)),
               text_count(text[1], many(m, s->number, MEMLINE_TRULY)),
               text_count(text[2], many(m, s->number, MEMLINE_READERS)),
               text_count(text[3], many(m, s->number, MEMLINE_PRIVATE)));
    if (s->left)
        report_say(o, to,
                   "%s accesses more were to lines that had no place: the "
                   "first %s of a stretch are kept.",
                   text_count(left, s->left), text_count(lines, s->lines));
}

static void put_stretch(const struct memlines *m, struct recording *r,
                        const struct options *o,
                        const struct memline_stretch *s, FILE *to)
{
    struct table t = {0};
    unsigned shown = 0;

    say_stretch(m, o, s, to);
    text_columns(&t);
    for (size_t n = 0; n < m->lines; n++) {
        const struct memline *l = &m->line[n];

        if (stretch_of(m, l) != s->number || l->kind == MEMLINE_HELD ||
            (o->limit && shown == o->limit))
            continue;
        text_row(&t, m, r, l);
        shown++;
    }
    report_table(&t, o, to);
    putc('\n', to);
}

/* ---- sets by ways -------------------------------------------------------- */

struct map {
    uint32_t sets, ways;
    char *letter; /* by way, then set; owned */
};

/* Large enough for what is there: sets are a power of two. */
static void map_open(struct map *a, const struct memlines *m, uint32_t stretch)
{
    *a = (struct map){.sets = 1, .ways = 1};
    for (size_t n = 0; n < m->bys; n++) {
        const struct memline_cpu *by = &m->by[n];

        if (by->stretch != stretch || by->way >= 64 || by->set >= 65536)
            continue;
        while (by->set >= a->sets)
            a->sets *= 2;
        if (by->way >= a->ways)
            a->ways = by->way + 1;
    }
    a->letter = grow_zero((size_t)a->sets * a->ways + 1, 1);
}

/* M, E, S of lines that the CPU touched, small of others. */
static bool map_fill(struct map *a, const struct memlines *m, uint32_t stretch,
                     unsigned cpu)
{
    bool any = false;

    memset(a->letter, '.', (size_t)a->sets * a->ways);
    for (size_t n = 0; n < m->bys; n++) {
        const struct memline_cpu *by = &m->by[n];
        const char *state = memlines_state(by->state);

        if (by->stretch != stretch || by->cpu != cpu || !*state ||
            by->way >= a->ways || by->set >= a->sets)
            continue;
        a->letter[by->way * a->sets + by->set] =
            (char)(*state | (by->loads | by->stores ? 0 : 0x20));
        any = true;
    }
    return any;
}

static void put_map(const struct map *a, unsigned cpu, uint32_t width, FILE *to)
{
    uint32_t columns = 16;

    while (columns * 2 + 12 <= width && columns < a->sets)
        columns *= 2;
    for (uint32_t from = 0; from < a->sets; from += columns)
        for (uint32_t way = 0; way < a->ways; way++) {
            uint32_t n = a->sets - from < columns ? a->sets - from : columns;

            if (!way)
                fprintf(to, "CPU %u %4" PRIu32 " ", cpu, from);
            else
                fprintf(to, "%11s", "");
            fprintf(to, "%.*s\n", (int)n, &a->letter[way * a->sets + from]);
        }
}

static void put_maps(const struct memlines *m, const struct options *o,
                     const struct memline_stretch *s, FILE *to)
{
    struct map a;
    bool any = false;

    map_open(&a, m, s->number);
    for (unsigned cpu = 0; cpu < CPUS; cpu++)
        if (map_fill(&a, m, s->number, cpu)) {
            put_map(&a, cpu, o->width, to);
            any = true;
        }
    free(a.letter);
    if (any)
        report_say(o, to,
                   "Data caches when stretch %" PRIu32
                   " ended: a column is a set, from the one that is named on, "
                   "a row a way. M modified, E exclusive, S shared; small: "
                   "the CPU did not touch the line in the stretch.",
                   s->number);
    else
        report_say(o, to, "No line is in a data cache: --mode=fast has none.");
}

/* ---- CSV ----------------------------------------------------------------- */

static void columns(struct table *t)
{
    static const struct {
        const char *key;
        unsigned flags;
    } all[] = {
        {"stretch", TABLE_NUMBER},
        {"from_cycle", TABLE_NUMBER},
        {"to_cycle", TABLE_NUMBER},
        {"address", 0},
        {"data_address", 0},
        {"bytes", TABLE_NUMBER},
        {"sharing", 0},
        {"variable", 0},
        {"cpu", TABLE_NUMBER},
        {"thread", TABLE_NUMBER},
        {"loads", TABLE_NUMBER},
        {"stores", TABLE_NUMBER},
        {"taken", TABLE_NUMBER},
        {"apart", TABLE_NUMBER},
        {"cycles", TABLE_NUMBER},
        {"words", 0},
        {"loaded", 0},
        {"stored", 0},
        {"set", TABLE_NUMBER},
        {"way", TABLE_NUMBER},
        {"state", 0},
    };

    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++)
        table_column(t, "", all[n].key, all[n].flags);
}

static void put_hex(struct table *t, uint64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "0x%08" PRIx64, n);
    table_text(t, text);
}

static void put_row(struct table *t, const struct memline *l,
                    const struct memline_cpu *by, const char *name)
{
    char words[MEMLINES_WORDS], way[16] = "";

    memlines_words_of(by, words);
    if (by->way != MEMLINE_NOWHERE)
        snprintf(way, sizeof way, "%" PRIu32, by->way);
    table_count(t, by->stretch);
    table_count(t, by->begin);
    table_count(t, by->end);
    put_hex(t, by->address);
    put_hex(t, by->ea);
    table_count(t, by->bytes);
    table_text(t, memlines_kind(l->kind));
    table_text(t, name);
    table_count(t, by->cpu);
    table_count(t, by->thread);
    table_count(t, by->loads);
    table_count(t, by->stores);
    table_count(t, by->taken);
    table_count(t, by->apart);
    table_count(t, by->cycles);
    table_text(t, words);
    put_hex(t, by->read);
    put_hex(t, by->dirty);
    table_count(t, by->set);
    table_number(t, way, way);
    table_text(t, memlines_state(by->state));
}

static void put_rows(const struct memlines *m, struct recording *r,
                     const struct options *o, FILE *to)
{
    size_t shown = o->limit && m->lines > o->limit ? o->limit : m->lines;
    struct table t = {0};
    char name[NAME];

    columns(&t);
    for (size_t n = 0; n < shown; n++) {
        const struct memline *l = &m->line[n];

        memlines_name(m, r, l, name, sizeof name);
        for (size_t k = l->first; k < l->first + l->cpus; k++)
            put_row(&t, l, &m->by[k], name);
    }
    report_table(&t, o, to);
}

/* ---- the report ---------------------------------------------------------- */

static void put_text(const struct memlines *m, struct recording *r,
                     const struct options *o, FILE *to)
{
    report_head(r, "lines of memory", to);
    report_interval(r, o, to);
    for (size_t n = 0; n < m->stretches; n++) {
        if (r->windowed &&
            (m->stretch[n].end < r->from || m->stretch[n].end >= r->to))
            continue;
        put_stretch(m, r, o, &m->stretch[n], to);
        if (o->per_cpu)
            put_maps(m, o, &m->stretch[n], to);
    }
    if (m->lines)
        report_say(o, to,
                   "taken: accesses behind a store of another CPU; falsely: "
                   "of these, those to bytes that no other stored meanwhile. "
                   "words: a letter for each, the CPU that stores to it, * "
                   "several, r loaded, . not touched. CPUs: r loads, w "
                   "stores, b does both; then how its cache had the line at "
                   "the end: M modified, E exclusive, S shared.");
    else if (!m->asked)
        report_say(o, to,
                   "No line was recorded: simrun --record-lines FROM:TO.");
    else if (m->stretches)
        report_say(o, to, "No line lies in what was chosen.");
    if (m->stretches < m->asked)
        report_say(o, to,
                   "%zu of the %zu stretches that --record-lines names did "
                   "not begin, or the recording was cut before they ended.",
                   m->asked - m->stretches, m->asked);
}

void report_cache_lines(struct recording *r, const struct options *o, FILE *to)
{
    struct memlines m;

    memlines_read(&m, r, o->cpu);
    if (o->csv)
        put_rows(&m, r, o, to);
    else
        put_text(&m, r, o, to);
    memlines_free(&m);
}
