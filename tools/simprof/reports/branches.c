/* branches.c - the report `branches`: how often each branch was taken, as
 * simrun --autoprofile=branches counted them all; or, when it did not, how
 * often it stood in the branch record when the guest's driver read that.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/samples.h"
#include "lib/base/text.h"
#include "tools/simprof/report/report.h"

struct branch {
    uint32_t at;
    uint64_t taken, missed; /* missed: it went on */
    size_t targets;         /* that it was taken to */
};

struct branches {
    struct branch *list;
    size_t count, room;
    size_t records; /* of the guest, that these are from; 0: all were counted */
};

struct pair {
    uint32_t from, to;
};

/* The branch at `from`, the list's last unless it is new. */
static struct branch *branch_at(struct branches *b, uint32_t from)
{
    if (!b->count || b->list[b->count - 1].at != from) {
        b->list = grow(b->list, &b->room, b->count + 1, sizeof *b->list);
        b->list[b->count++] = (struct branch){.at = from};
    }
    return &b->list[b->count - 1];
}

static void branch_taken(struct branches *b, uint32_t from, uint64_t count,
                         bool fresh)
{
    struct branch *k = branch_at(b, from);

    k->taken += count;
    k->targets += fresh;
}

/* Lines of one branch follow each other. */
static void read_branches(struct recording *r, struct branches *b)
{
    for (size_t k = 0; k < r->log.count; k++) {
        const struct line *line = &r->log.line[k];
        uint32_t from, to;
        uint64_t count;

        if (strcmp(line->key, "branch") ||
            sscanf(line->value, "0x%" SCNx32 " 0x%" SCNx32 " %" SCNu64, &from,
                   &to, &count) != 3)
            continue;
        if (to == from + 4)
            branch_at(b, from)->missed += count;
        else
            branch_taken(b, from, count, true);
    }
}

static int by_pair(const void *x, const void *y)
{
    const struct pair *a = x, *b = y;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* What the guest found in the branch record: all of it was taken, if only to
 * the next instruction. */
static void read_records(struct recording *r, const struct options *o,
                         struct branches *b)
{
    struct pair *pair = NULL;
    size_t pairs = 0, room = 0;
    struct recfile f;
    struct record k;

    if (!recording_records(r, REC_BRANCHES, &f))
        return;
    while (recfile_next(&f, &k)) {
        struct record_tail t = record_get_branches_pair(&k);

        if (o->cpu >= 0 && k.cpu != (unsigned long)o->cpu)
            continue;
        b->records++;
        for (uint32_t n = 0; n < t.words; n += 2) {
            pair = grow(pair, &room, pairs + 1, sizeof *pair);
            pair[pairs++] = (struct pair){record_tail_word(t, n) & ~3u,
                                          record_tail_word(t, n + 1) & ~3u};
        }
    }
    recording_done(r, &f);
    if (pairs)
        qsort(pair, pairs, sizeof *pair, by_pair);
    for (size_t n = 0; n < pairs; n++)
        branch_taken(b, pair[n].from, 1, !n || by_pair(&pair[n - 1], &pair[n]));
    free(pair);
}

static int more_first(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;
    uint64_t n = x->taken + x->missed, m = y->taken + y->missed;

    if (n != m)
        return n < m ? 1 : -1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void branch_row(struct recording *r, const struct branch *k,
                       struct table *t)
{
    struct place at = loadmap_find(&r->map, k->at, r->end);
    char address[16], name[512];

    snprintf(address, sizeof address, "0x%08" PRIx32, k->at);
    snprintf(name, sizeof name, "%s+0x%" PRIx32, samples_name(r, at.function),
             at.offset);
    table_count(t, k->taken + k->missed);
    table_dotted(t, k->taken);
    table_dotted(t, k->missed);
    table_count(t, k->targets);
    table_text(t, address);
    table_text(t, name);
}

static void print_branches(struct recording *r, const struct options *o,
                           const struct branches *b, FILE *to)
{
    size_t shown = o->limit && b->count > o->limit ? o->limit : b->count;
    struct table t = {0};

    table_column(&t, "executions", "executions", TABLE_NUMBER);
    table_column(&t, "taken", "taken", TABLE_NUMBER);
    table_column(&t, "not taken", "not_taken", TABLE_NUMBER);
    table_column(&t, "targets", "targets", TABLE_NUMBER);
    table_column(&t, "address", "address", TABLE_CSV);
    table_column(&t, "branch", "place", 0);
    for (size_t k = 0; k < shown; k++)
        branch_row(r, &b->list[k], &t);
    report_table(&t, o, to);
    if (shown < b->count && !o->csv)
        report_say(o, to, "%zu more; --limit=0 shows all", b->count - shown);
    table_free(&t);
}

void report_branches(struct recording *r, const struct options *o, FILE *to)
{
    struct branches b = {0};

    read_branches(r, &b);
    if (!b.count)
        read_records(r, o, &b);
    if (!o->csv)
        report_head(r,
                    b.records ? "branches that were taken, as the guest read "
                                "the branch record"
                              : "how often each branch was taken, counted "
                                "exactly",
                    to);
    if (b.count)
        qsort(b.list, b.count, sizeof *b.list, more_first);
    else if (!o->csv)
        report_say(o, to, "No branches were counted%s",
                   report_counted(r, "branches")
                       ? "."
                       : ": simrun --autoprofile=branches.");
    if (b.count || o->csv)
        print_branches(r, o, &b, to);
    if (b.records && !o->csv)
        report_say(
            o, to,
            "%zu readings, of up to eight branches each: those that were "
            "not taken are not in it.",
            b.records);
    free(b.list);
}
