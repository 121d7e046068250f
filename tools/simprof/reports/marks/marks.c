/* marks.c - the report `marks`: what marked instructions, marked words, count
 * areas (markareas.c) and ranges counted, who interrupted, and what the shadow
 * caches had to do. Exact numbers: nothing here is sampled.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "include/mark_bits.h"
#include "pmu/markspec/perfinst.h"
#include "lib/base/grow.h"
#include "tools/analysis/profile/mark_counts.h"
#include "tools/analysis/profile/samples.h"
#include "lib/base/text.h"
#include "tools/simprof/reports/marks/markcost.h"
#include "tools/simprof/reports/marks/marks.h"
#include "tools/simprof/reports/marks/marktrace.h"

#define NAME MARKS_NAME

void marks_place(struct recording *r, const struct mark_count *k,
                 char out[NAME])
{
    struct place at = mark_count_place(r, k);
    const struct variable *v;
    uint32_t moved;
    size_t n;

    if (k->kind & MARK_DATA) {
        loadmap_space(&r->map, k->space);
        v = loadmap_variables(&r->map, k->address, 4, r->end, &moved, &n);
        loadmap_space(&r->map, 0);
        if (v && n)
            snprintf(out, NAME, "%s+%" PRIu64, v->name,
                     k->address - (v->start + moved));
        else
            snprintf(out, NAME, "0x%08" PRIx32, k->address);
    } else if (at.offset && at.function != LOADMAP_UNKNOWN) {
        snprintf(out, NAME, "%s+0x%" PRIx32, samples_name(r, at.function),
                 at.offset);
    } else {
        snprintf(out, NAME, "%s", samples_name(r, at.function));
    }
}

bool marks_wants(const struct options *o, enum marks_part part)
{
    if (o->marks == MARKS_ALL)
        return !o->csv || part == MARKS_MARKS;
    return o->marks == part;
}

void marks_table(const struct options *o, FILE *to, bool *begun,
                 const char *title, struct table *t)
{
    bool any = t->cells;

    if (any && !o->csv)
        report_say(o, to, "%s%s", *begun ? "\n" : "", title);
    if (any || o->csv)
        report_table(t, o, to);
    *begun |= any;
    table_free(t);
}

void marks_more(const struct options *o, FILE *to, uint64_t more)
{
    if (more && !o->csv)
        report_say(o, to, "%" PRIu64 " more; --limit=0 shows all", more);
}

/* A mark that only traces, or is for the monitor, counts nothing. */
static bool has_counter(const struct mark_count *k)
{
    return k->indicator & (IND_COUNT | IND_LIMIT);
}

const char *marks_unit(const struct mark_count *k)
{
    return k->kind & MARK_HOST ? "host" : "guest";
}

/* What the bits of a threshold meant; the guest's are not known. */
static const struct perfinst_thresholds *
thresholds(const struct recording *r, const struct mark_count *k,
           struct perfinst_thresholds *th)
{
    unsigned found = 0, bit;
    uint32_t value;

    for (size_t i = 0; i < r->log.count && k->kind & MARK_HOST; i++)
        if (!strcmp(r->log.line[i].key, "knob") &&
            sscanf(r->log.line[i].value, "pif_th%u %" SCNu32, &bit, &value) ==
                2 &&
            bit < 4) {
            th->cycles[bit] = value;
            found |= 1u << bit;
        }
    return found == 15 ? th : NULL;
}

/* ---- marks by function, or each word ------------------------------------- */

/* What the marks of one unit in one function counted. */
struct function_marks {
    const struct mark_count *first;
    uint32_t function;
    uint64_t count, entered, exceeded, words;
    bool counted;
};

/* Marks of a function follow each other: they come by address. */
static size_t add_up(struct recording *r, const struct mark_counts *m, size_t i,
                     struct function_marks *f)
{
    *f = (struct function_marks){.first = &m->mark[i]};
    f->function = mark_count_place(r, f->first).function;
    for (; i < m->marks; i++) {
        const struct mark_count *k = &m->mark[i];
        struct place at = mark_count_place(r, k);

        if (k->kind != f->first->kind || at.function != f->function)
            break;
        f->words++;
        f->count += k->count;
        f->counted |= has_counter(k);
        f->exceeded += k->exceeded;
        if (!at.offset)
            f->entered = k->count;
    }
    return i;
}

/* The most executions first, then by address. */
static int by_executions(const void *a, const void *b)
{
    const struct function_marks *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static void print_functions(struct recording *r, const struct options *o,
                            const struct function_marks *f, size_t n, FILE *to,
                            bool *begun)
{
    size_t shown = o->limit && n > o->limit ? o->limit : n;
    struct table t = {0};

    table_column(&t, "executions", "executions", TABLE_NUMBER);
    table_column(&t, "entered", "entered", TABLE_NUMBER);
    table_column(&t, "exceeded", "exceeded", TABLE_NUMBER);
    table_column(&t, "marked", "marked", TABLE_NUMBER);
    table_column(&t, "by", "unit", 0);
    table_column(&t, "function", "function", 0);
    for (size_t i = 0; i < shown; i++) {
        if (f[i].counted)
            table_count(&t, f[i].count);
        else
            table_dotted(&t, 0);
        table_dotted(&t, f[i].entered);
        table_dotted(&t, f[i].exceeded);
        table_count(&t, f[i].words);
        table_text(&t, marks_unit(f[i].first));
        table_text(&t, samples_name(r, f[i].function));
    }
    marks_table(o, to, begun, "Marked instructions, by function:", &t);
    marks_more(o, to, n - shown);
}

static void by_function(struct recording *r, const struct options *o,
                        const struct mark_counts *m, FILE *to, bool *begun)
{
    struct function_marks *f = NULL;
    size_t n = 0, room = 0;

    for (size_t i = 0; i < m->marks;) {
        if (m->mark[i].kind & (MARK_DATA | MARK_RANGE)) {
            i++;
            continue;
        }
        f = grow(f, &room, n + 1, sizeof *f);
        i = add_up(r, m, i, &f[n++]);
    }
    if (n) {
        qsort(f, n, sizeof *f, by_executions);
        print_functions(r, o, f, n, to, begun);
    }
    free(f);
}

static void word_columns(struct table *t, bool csv)
{
    table_column(t, "kind", "kind", TABLE_CSV);
    table_column(t, "by", "unit", 0);
    table_column(t, "count", "count", TABLE_NUMBER);
    table_column(t, "exceeded", "exceeded", TABLE_NUMBER);
    table_column(t, "address", "address", 0);
    table_column(t, "mark", "mark", 0);
    table_column(t, "place", "place", 0);
    if (!csv)
        return;
    table_column(t, "entries", "entries", TABLE_CSV | TABLE_NUMBER);
    table_column(t, "end", "end", TABLE_CSV);
}

/* What only CSV has of a mark. */
static void word_rest(const struct mark_count *k, bool csv, struct table *t)
{
    uint32_t end = k->kind & MARK_RANGE ? k->indicator : k->address + 4;
    char text[16];

    if (!csv)
        return;
    snprintf(text, sizeof text, "0x%08" PRIx32, end);
    table_count(t, k->kind & MARK_RANGE ? k->exceeded : 0);
    table_text(t, text);
}

static void word_row(struct recording *r, const struct mark_count *k, bool csv,
                     struct table *t)
{
    char name[NAME], what[PERFINST_TEXT], address[16];
    struct perfinst_thresholds th = {{0}, 4};

    marks_place(r, k, name);
    perfinst_text(k->indicator, k->limit, thresholds(r, k, &th), what);
    snprintf(address, sizeof address, "0x%08" PRIx32, k->address);
    table_text(t, k->kind & MARK_DATA ? "data" : "code");
    table_text(t, marks_unit(k));
    if (has_counter(k))
        table_count(t, k->count);
    else
        table_dotted(t, 0);
    table_dotted(t, k->exceeded);
    table_text(t, address);
    table_text(t, what);
    table_text(t, name);
    word_rest(k, csv, t);
}

/* A range among words. */
static void range_row(struct recording *r, const struct mark_count *k,
                      struct table *t)
{
    char name[NAME], number[32], address[16];

    marks_place(r, k, name);
    snprintf(number, sizeof number, "range %" PRIu32, k->limit);
    snprintf(address, sizeof address, "0x%08" PRIx32, k->address);
    table_text(t, k->kind & MARK_DATA ? "range-data" : "range");
    table_text(t, marks_unit(k));
    table_count(t, k->count);
    table_count(t, 0);
    table_text(t, address);
    table_text(t, number);
    table_text(t, name);
    word_rest(k, true, t);
}

/* `want`: MARK_DATA for data, 0 for code. */
static void by_word(struct recording *r, const struct options *o,
                    const struct mark_counts *m, unsigned want, FILE *to,
                    bool *begun)
{
    struct table t = {0};
    size_t rows = 0;

    word_columns(&t, false);
    for (size_t i = 0; i < m->marks; i++) {
        const struct mark_count *k = &m->mark[i];

        if (k->kind & (MARK_RANGE | MARK_AREA) || (k->kind & MARK_DATA) != want)
            continue;
        if (!o->limit || rows++ < o->limit)
            word_row(r, k, false, &t);
    }
    marks_table(o, to, begun,
                want ? "Marked data, by word:" : "Marked instructions:", &t);
    if (o->limit && rows > o->limit)
        marks_more(o, to, rows - o->limit);
}

/* Every word, then every range, then count units. */
static void all_words(struct recording *r, const struct options *o,
                      const struct mark_counts *m, FILE *to)
{
    struct table t = {0};
    size_t rows = 0;

    word_columns(&t, true);
    for (size_t i = 0; i < m->marks; i++)
        if (!(m->mark[i].kind & (MARK_RANGE | MARK_AREA)) &&
            (!o->limit || rows++ < o->limit))
            word_row(r, &m->mark[i], true, &t);
    for (size_t i = 0; i < m->marks; i++)
        if (m->mark[i].kind & MARK_RANGE)
            range_row(r, &m->mark[i], &t);
    markareas_rows(r, o, m, &t);
    report_table(&t, o, to);
    table_free(&t);
}

/* ---- ranges -------------------------------------------------------------- */

static void ranges(struct recording *r, const struct options *o,
                   const struct mark_counts *m, FILE *to, bool *begun)
{
    struct table t = {0};

    table_column(&t, "executions\naccesses", "count", TABLE_NUMBER);
    table_column(&t, "entries", "entries", TABLE_NUMBER);
    table_column(&t, "by", "unit", 0);
    table_column(&t, "range", "range", 0);
    table_column(&t, "from", "from", 0);
    table_column(&t, "begins in", "place", 0);
    for (size_t i = 0; i < m->marks; i++) {
        const struct mark_count *k = &m->mark[i];
        char name[NAME], number[32], extent[32];

        if (!(k->kind & MARK_RANGE))
            continue;
        marks_place(r, k, name);
        snprintf(number, sizeof number, "%s %" PRIu32,
                 k->kind & MARK_DATA ? "data" : "code", k->limit);
        snprintf(extent, sizeof extent, "0x%08" PRIx32 "..0x%08" PRIx32,
                 k->address, k->indicator);
        table_count(&t, k->count);
        table_count(&t, k->exceeded);
        table_text(&t, marks_unit(k));
        table_text(&t, number);
        table_text(&t, extent);
        table_text(&t, name);
    }
    marks_table(o, to, begun, "Ranges:", &t);
}

/* ---- interrupts of marks ------------------------------------------------- */

/* Were limits of the host compared with each processor's own count? */
static bool own_limits(const struct recording *r)
{
    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "knob") &&
            !strcmp(r->log.line[i].value, "pif_host_limits 0"))
            return r->cpus > 1;
    return false;
}

static void traps(struct recording *r, const struct options *o,
                  const struct mark_counts *m, FILE *to, bool *begun)
{
    static const char *const causes[] = {"?",
                                         "executed",
                                         "accessed",
                                         "limit passed",
                                         "data limit passed",
                                         "threshold exceeded",
                                         "data threshold exceeded"};
    size_t shown = o->limit && m->traps > o->limit ? o->limit : m->traps;
    char heading[120];
    struct table t = {0};
    bool data = o->csv;

    for (size_t i = 0; i < m->traps; i++)
        data |= m->trap[i].data != 0;
    table_column(&t, "interrupts", "interrupts", TABLE_NUMBER);
    table_column(&t, "counted", "counted", TABLE_NUMBER);
    table_column(&t, "by", "unit", 0);
    table_column(&t, "because", "cause", 0);
    table_column(&t, "caller", "caller", 0);
    if (data)
        table_column(&t, "data", "data", 0);
    table_column(&t, "instruction", "place", 0);
    for (size_t i = 0; i < shown; i++) {
        const struct mark_count_trap *k = &m->trap[i];
        struct mark_count word = {
            .kind = MARK_DATA, .address = k->data, .space = k->space};
        struct mark_count at = {.address = k->pc, .space = k->space};
        char name[NAME];

        marks_place(r, &at, name);
        table_count(&t, k->traps);
        table_dotted(&t, k->captured);
        table_text(&t, k->guest ? "guest" : "host");
        table_text(&t, causes[k->cause < 7 ? k->cause : 0]);
        table_text(&t, k->caller == LOADMAP_UNKNOWN
                           ? "-"
                           : samples_name(r, k->caller));
        if (data) {
            char variable[NAME] = ".";

            if (k->data)
                marks_place(r, &word, variable);
            table_text(&t, variable);
        }
        table_text(&t, name);
    }
    snprintf(heading, sizeof heading,
             "Interrupts of marks, %" PRIu64 " in all%s:", m->total,
             own_limits(r) ? "; limits from outside: of each CPU's own count"
                           : "");
    marks_table(o, to, begun, heading, &t);
    marks_more(o, to, m->traps - shown);
}

/* ---- what set itself (simrun --autoprofile) ------------------------------ */

/* Of what is marked in the `size` bytes from address on. */
static uint64_t executions(const struct mark_counts *m, uint32_t address,
                           uint32_t size)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->marks; i++)
        if (m->mark[i].kind == MARK_HOST && m->mark[i].address - address < size)
            n += m->mark[i].count;
    return n;
}

/* A line of what was found: a function, or (level) an instruction. */
struct found {
    uint32_t level, address, size;
    uint64_t cycle, samples;
    bool whole; /* all instructions of the function are marked */
};

static bool read_found(const struct line *line, struct found *f)
{
    uint32_t below;
    uint64_t of;

    *f = (struct found){.size = 4};
    if (!strcmp(line->key, "hot"))
        return sscanf(line->value,
                      "%" SCNu64 " 0x%" SCNx32 " %" SCNu32 " %" SCNu64
                      " %" SCNu64,
                      &f->cycle, &f->address, &f->size, &f->samples, &of) == 5;
    return !strcmp(line->key, "climb") &&
           sscanf(line->value,
                  "%" SCNu64 " %" SCNu32 " 0x%" SCNx32 " 0x%" SCNx32, &f->cycle,
                  &f->level, &f->address, &below) == 4;
}

static void found_row(struct recording *r, const struct mark_counts *m,
                      const struct found *f, bool since, struct table *t)
{
    struct mark_count at = {.address = f->address};
    char name[NAME];

    marks_place(r, &at, name);
    if (since)
        table_count(t, f->cycle);
    table_dotted(t, f->samples);
    table_dotted(t, f->level);
    /* a climb marks one instruction of a hot function */
    table_dotted(
        t, f->samples && !f->whole ? 0 : executions(m, f->address, f->size));
    table_text(t, name);
}

/* What the counts are of: of the whole run, but where a mark came later. */
static void found_title(const struct recording *r, bool since, uint64_t sum,
                        char *text, size_t size)
{
    uint64_t all = recording_instructions(r);
    char part[32], whole[32];
    const char *way = text_lines_get(&r->log, "autoprofile");

    text_count(part, sum);
    text_count(whole, all);
    if (since)
        snprintf(text, size,
                 "Found hot by samples, and who leads there, counted from the "
                 "cycle on that is named, not the whole run:");
    else if (way && !strcmp(way, "hot") && all && !r->cut)
        snprintf(text, size,
                 "Found hot by samples, counted from the first cycle on: %s of "
                 "%s instructions (%.1f %%):",
                 part, whole, 100.0 * (double)sum / (double)all);
    else
        snprintf(text, size,
                 "Found hot by samples, and who leads there, counted from the "
                 "first cycle on:");
}

static void found(struct recording *r, const struct options *o,
                  const struct mark_counts *m, FILE *to, bool *begun)
{
    struct table t = {0};
    char title[256];
    const char *way = text_lines_get(&r->log, "autoprofile");
    bool since = false, climbs = way && !strcmp(way, "climb");
    uint64_t sum = 0;
    struct found f;

    for (size_t i = 0; i < r->log.count; i++)
        if (read_found(&r->log.line[i], &f)) {
            since |= f.cycle > 0;
            sum += executions(m, f.address, f.size);
        }
    if (since || o->csv)
        table_column(&t, "from cycle", "from_cycle", TABLE_NUMBER);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "level", "level", TABLE_NUMBER);
    table_column(&t, "executions", "executions", TABLE_NUMBER);
    table_column(&t, "instruction", "place", 0);
    for (size_t i = 0; i < r->log.count; i++)
        if (read_found(&r->log.line[i], &f)) {
            f.whole = !climbs;
            found_row(r, m, &f, since || o->csv, &t);
        }
    found_title(r, since, sum, title, sizeof title);
    marks_table(o, to, begun, title, &t);
    if (!o->csv && text_lines_get(&r->log, "unclimbed"))
        report_say(o, to,
                   "More callers were met than can be climbed over: simrun "
                   "--autoprofile=calls has all of them.");
}

/* The pass that counts did not come about, or not to its end. */
static void unfinished(const struct recording *r, const struct options *o,
                       FILE *to)
{
    const char *pass = text_lines_get(&r->log, "pass"), *exit;
    bool finds = pass && strstr(pass, "finds");

    exit = text_lines_get(&r->log, "exit");
    if (finds && (!exit || strstr(exit, "stopped")))
        report_say(o, to,
                   "The run was stopped in its first pass, which only looks "
                   "for what is hot: nothing was counted.");
    else if (pass && !finds && !exit)
        report_say(o, to,
                   "The run was killed while it counted: what it had counted "
                   "is lost.");
    else
        report_say(o, to,
                   "Nothing was hot enough to be marked (docs/tools.md): a "
                   "longer run, or more samples, say -e cycles:1009.");
}

/* Programs inside of which something is marked, and that no process ran. */
static void unmapped(const struct recording *r, const struct options *o,
                     FILE *to)
{
    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "unmapped"))
            report_say(o, to,
                       "No process ran %s: what is marked in it counted "
                       "nothing.",
                       r->log.line[i].value);
}

static void nothing(const struct recording *r, const struct options *o,
                    FILE *to)
{
    if (text_lines_get(&r->log, "autoprofile"))
        unfinished(r, o, to);
    else if (!text_lines_get(&r->log, "unmapped"))
        report_say(o, to,
                   "Nothing was marked: simrun --mark, --range, or simmark "
                   "(docs/tools.md).");
}

void report_marks(struct recording *r, const struct options *o, FILE *to)
{
    struct mark_counts m;
    bool begun = false;

    mark_counts_read(&m, r);
    if (!o->csv) {
        report_head(r, "what is marked, counted exactly", to);
        if (!m.marks && !m.traps && !markareas_any(r))
            nothing(r, o, to);
        unmapped(r, o, to);
        report_marklook(r, o, &m, to, &begun);
    }
    if (marks_wants(o, MARKS_MARKS)) {
        if (o->csv)
            all_words(r, o, &m, to);
        else if (o->pcs)
            by_word(r, o, &m, 0, to, &begun);
        else
            by_function(r, o, &m, to, &begun);
        if (!o->csv)
            by_word(r, o, &m, MARK_DATA, to, &begun);
    }
    if (marks_wants(o, MARKS_AREAS))
        markareas_tables(r, o, &m, to, &begun);
    if (marks_wants(o, MARKS_RANGES))
        ranges(r, o, &m, to, &begun);
    if (marks_wants(o, MARKS_FOUND))
        found(r, o, &m, to, &begun);
    if (marks_wants(o, MARKS_INTERRUPTS))
        traps(r, o, &m, to, &begun);
    if (marks_wants(o, MARKS_TRACE))
        report_marktrace(r, o, to, &begun);
    report_markcost(r, o, to, &begun);
    mark_counts_free(&m);
}
