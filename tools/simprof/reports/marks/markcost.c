/* markcost.c - see markcost.h. What each carrier had to do, and the cycles that
 * this took, or would have taken if it had been charged: docs/pif.md 6.
 */
#include "tools/simprof/reports/marks/markcost.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/base/text_lines.h"
#include "tools/simprof/reports/marks/marks.h"

struct column {
    const char *heading, *key;
};

/* Lines of the log with this key as rows; the first `words` columns are
 * words, the others numbers. */
static void log_table(struct recording *r, const struct options *o,
                      const char *key, const char *title,
                      const struct column *column, unsigned columns,
                      unsigned words, FILE *to, bool *begun)
{
    struct table t = {0};

    for (unsigned k = 0; k < columns; k++)
        table_column(&t, column[k].heading, column[k].key,
                     k >= words ? TABLE_NUMBER : 0);
    for (size_t i = 0; i < r->log.count; i++) {
        char value[512], *rest = value, *word;
        unsigned n;

        if (strcmp(r->log.line[i].key, key) != 0)
            continue;
        snprintf(value, sizeof value, "%s", r->log.line[i].value);
        for (n = 0; n < columns && (word = text_lines_word(&rest)); n++)
            if (n < words)
                table_text(&t, word);
            else
                table_count(&t, strtoull(word, NULL, 10));
        for (; n < columns; n++)
            table_text(&t, "?");
    }
    marks_table(o, to, begun, title, &t);
}

static void shadows(struct recording *r, const struct options *o, FILE *to,
                    bool *begun)
{
    static const struct column columns[] = {
        {"cpu", "cpu"},
        {"by", "unit"},
        {"of", "side"},
        {"lookups", "lookups"},
        {"hits", "hits"},
        {"fills", "fills"},
        {"late", "late_fills"},
        {"bytes\nread", "fill_bytes"},
        {"write-\nbacks", "writebacks"},
        {"bytes\nwritten", "writeback_bytes"},
        {"conflicts", "conflicts"},
        {"frames", "frames"},
        {"evicted", "evictions"},
        {"storage\nbits", "storage_bits"}};

    log_table(r, o, "shadow", "Shadow caches (docs/pif.md, 6):", columns,
              sizeof columns / sizeof *columns, 3, to, begun);
}

static void widened(struct recording *r, const struct options *o, FILE *to,
                    bool *begun)
{
    static const struct column columns[] = {{"by", "unit"},
                                            {"of", "side"},
                                            {"words", "words"},
                                            {"copied", "copies"},
                                            {"cleared", "clears"}};

    log_table(r, o, "widened", "Widened words (docs/pif.md, 6):", columns,
              sizeof columns / sizeof *columns, 2, to, begun);
}

/* ---- cycles -------------------------------------------------------------- */

#define CPUS 64

struct cost {
    uint64_t bytes, bus;
    uint64_t pmarks, branches;
    uint64_t taken, lost, handled;
};

/* "CPU A B C" of a line. Returns how many numbers followed the CPU. */
static int read_line(const struct line *line, unsigned *cpu, uint64_t n[3])
{
    return sscanf(line->value, "%u %" SCNu64 " %" SCNu64 " %" SCNu64, cpu,
                  &n[0], &n[1], &n[2]) -
           1;
}

/* Shadow traffic, read and written. */
static uint64_t traffic(const struct line *line, unsigned *cpu)
{
    uint64_t read, written;

    if (sscanf(line->value,
               "%u %*s %*s %*u %*u %*u %*u %" SCNu64 " %*u %" SCNu64, cpu,
               &read, &written) != 3)
        return 0;
    return read + written;
}

/* One line of the log. False: it has nothing to do with it. */
static bool take(const struct line *line, struct cost cost[CPUS])
{
    uint64_t n[3] = {0}, bytes;
    unsigned cpu = 0;

    if (!strcmp(line->key, "shadow")) {
        bytes = traffic(line, &cpu);
        if (cpu < CPUS)
            cost[cpu].bytes += bytes;
        return true;
    }
    if (!strcmp(line->key, "widened")) /* which cost nothing */
        return true;
    if (strcmp(line->key, "shadow-bus") != 0 &&
        strcmp(line->key, "marker-slots") != 0 &&
        strcmp(line->key, "pif-interrupts") != 0)
        return false;
    if (read_line(line, &cpu, n) < 1 || cpu >= CPUS)
        return false;
    if (!strcmp(line->key, "shadow-bus")) {
        cost[cpu].bus = n[0];
    } else if (!strcmp(line->key, "marker-slots")) {
        cost[cpu].pmarks = n[0];
        cost[cpu].branches = n[1];
    } else {
        cost[cpu].taken = n[0];
        cost[cpu].lost = n[1];
        cost[cpu].handled = n[2];
    }
    return true;
}

static void cost_columns(struct table *t)
{
    table_column(t, "cpu", "cpu", 0);
    table_column(t, "shadow\nbytes", "shadow_bytes", TABLE_NUMBER);
    table_column(t, "cycles\nof bus", "bus_cycles", TABLE_NUMBER);
    table_column(t, "cycles\ncharged", "charged_cycles", TABLE_NUMBER);
    table_column(t, "pmarks", "pmarks", TABLE_NUMBER);
    table_column(t, "branches\nto them", "branches", TABLE_NUMBER);
    table_column(t, "inter-\nrupts", "interrupts", TABLE_NUMBER);
    table_column(t, "lost", "lost", TABLE_NUMBER);
    table_column(t, "cycles\nin them", "interrupt_cycles", TABLE_NUMBER);
}

static void cost_row(struct table *t, const char *cpu, const struct cost *c,
                     bool charged)
{
    table_text(t, cpu);
    table_count(t, c->bytes);
    table_count(t, c->bus);
    table_count(t, charged ? c->bus : 0);
    table_count(t, c->pmarks);
    table_count(t, c->branches);
    table_count(t, c->taken);
    table_count(t, c->lost);
    table_count(t, c->handled);
}

/* Is shadow traffic charged? */
static bool is_charged(const struct recording *r)
{
    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "knob") &&
            !strcmp(r->log.line[i].value, "pif_charge 1"))
            return true;
    return false;
}

static void costs(struct recording *r, const struct options *o, FILE *to,
                  bool *begun)
{
    struct cost cost[CPUS] = {0}, all = {0};
    bool charged = is_charged(r), any = false;
    unsigned cpus = 0;
    struct table t = {0};
    char title[80];

    for (size_t i = 0; i < r->log.count; i++)
        any |= take(&r->log.line[i], cost);
    cost_columns(&t);
    for (unsigned n = 0; any && n < CPUS && n < r->cpus; n++, cpus++) {
        char name[16];

        snprintf(name, sizeof name, "%u", n);
        cost_row(&t, name, &cost[n], charged);
        all.bytes += cost[n].bytes;
        all.bus += cost[n].bus;
        all.pmarks += cost[n].pmarks;
        all.branches += cost[n].branches;
        all.taken += cost[n].taken;
        all.lost += cost[n].lost;
        all.handled += cost[n].handled;
    }
    if (cpus > 1 && !o->csv)
        cost_row(&t, "all", &all, charged);
    snprintf(title, sizeof title,
             "Cost of marks, shadow traffic %s (pif_charge=%d):",
             charged ? "charged" : "not charged", charged);
    marks_table(o, to, begun, title, &t);
}

/* ---- what the guest's own counts are of ---------------------------------- */

static bool guest_counted(const struct mark_counts *m)
{
    for (size_t i = 0; i < m->marks; i++)
        if (!(m->mark[i].kind & MARK_HOST))
            return true;
    for (size_t i = 0; i < m->traps; i++)
        if (m->trap[i].guest)
            return true;
    return false;
}

void report_marklook(struct recording *r, const struct options *o,
                     const struct mark_counts *m, FILE *to, bool *begun)
{
    uint64_t insns = 0, last = 0, times = 0, n[3];
    uint64_t all = recording_instructions(r);
    char text[3][32];
    unsigned cpu;

    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "looked") &&
            read_line(&r->log.line[i], &cpu, n) == 3) {
            times = n[0] > times ? n[0] : times;
            insns += n[1];
            last += n[2];
        }
    if (!times || !all || r->cut || !guest_counted(m))
        return;
    text_count(text[0], insns);
    text_count(text[1], all);
    text_count(text[2], last);
    report_say(o, to,
               "Counts by guest are of the time in which it looked its marks "
               "up, not of the whole run: %s of %s instructions (%.1f %%).",
               text[0], text[1], 100.0 * (double)insns / (double)all);
    if (times > 1)
        report_say(o, to,
                   "It did so %" PRIu64 " times, the last for %s (%.1f %%); a "
                   "count that it cleared in between is of what followed.",
                   times, text[2], 100.0 * (double)last / (double)all);
    *begun = true;
}

void report_markcost(struct recording *r, const struct options *o, FILE *to,
                     bool *begun)
{
    if (marks_wants(o, MARKS_SHADOW))
        shadows(r, o, to, begun);
    if (marks_wants(o, MARKS_WORDS))
        widened(r, o, to, begun);
    if (marks_wants(o, MARKS_COST))
        costs(r, o, to, begun);
}
