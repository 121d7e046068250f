/* active_print.c - the report `active`: numbers, and one portion's calls. */
#include "tools/simprof/reports/active/active_view.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"

#define BUCKETS 65 /* 0, and one for each power of two */

/* ---- numbers ------------------------------------------------------------- */

/* A time in the tables' unit, with their decimals. */
static const char *active_time(const struct active_view *v, uint64_t n,
                               char out[ACTIVE_TIME])
{
    char whole[TEXT_NUMBER];
    uint64_t one = 1;

    for (unsigned i = 0; i < v->in->decimals; i++)
        one *= 10;
    if (v->o->csv)
        snprintf(whole, sizeof whole, "%" PRIu64, n / one);
    else
        text_count(whole, n / one);
    if (one == 1)
        snprintf(out, ACTIVE_TIME, "%s", whole);
    else
        snprintf(out, ACTIVE_TIME, "%s.%0*" PRIu64, whole, (int)v->in->decimals,
                 n % one);
    return out;
}

void active_put_time(struct table *t, const struct active_view *v, uint64_t n)
{
    char text[ACTIVE_TIME];

    table_text(t, active_time(v, n, text));
}

void active_put_sums(struct table *t, const struct active_view *v,
                     const struct active_sums *s)
{
    active_put_time(t, v, s->elapsed);
    active_put_time(t, v, s->out);
    active_put_time(t, v, s->overhead);
    active_put_time(t, v, s->active);
}

void active_sum_columns(struct table *t)
{
    table_column(t, "elapsed", "elapsed", TABLE_NUMBER);
    table_column(t, "swapped\nout", "swapped_out", TABLE_NUMBER);
    table_column(t, "overhead", "overhead", TABLE_NUMBER);
    table_column(t, "active", "active", TABLE_NUMBER);
}

const char *active_name(const struct active_view *v, uint32_t portion)
{
    return v->in->portion[portion].name;
}

/* ---- calls --------------------------------------------------------------- */

static const char *kind_of(const struct active_view *v, uint32_t portion)
{
    return v->in->portion[portion].section ? "section" : "function";
}

static bool any_judged(const struct active_view *v)
{
    for (size_t i = 0; i < v->threads; i++)
        for (size_t k = 0; k < v->thread[i].calls; k++)
            if (v->thread[i].call[k].judged)
                return true;
    return false;
}

/* What the thread really ran in a call, and how much more we think it did. */
static void put_judged(struct table *t, const struct active_view *v,
                       const struct active_call *c)
{
    uint64_t ours = c->sums.active + c->sums.overhead;
    bool less = ours < c->ran;
    uint64_t apart = less ? c->ran - ours : ours - c->ran;
    char text[ACTIVE_TIME + 1], csv[32], number[ACTIVE_TIME];

    if (!c->judged) {
        table_both(t, "?", "");
        table_both(t, "?", "");
        return;
    }
    active_put_time(t, v, c->ran);
    snprintf(text, sizeof text, "%s%s",
             !apart ? ""
             : less ? "-"
                    : "+",
             active_time(v, apart, number));
    snprintf(csv, sizeof csv, "%s%" PRIu64, less ? "-" : "", apart);
    table_both(t, apart ? text : ".", csv);
}

void active_put_calls(const struct active_view *v)
{
    struct table t = {0};
    uint64_t count = 0;
    bool judged = any_judged(v);

    table_column(&t, "begin", "begin", TABLE_NUMBER);
    table_column(&t, "end", "end", TABLE_NUMBER);
    active_sum_columns(&t);
    table_column(&t, "exclusive", "exclusive", TABLE_NUMBER);
    table_column(&t, "thread", "thread", TABLE_NUMBER);
    table_column(&t, "", "function", TABLE_CSV);
    table_column(&t, "", "kind", TABLE_CSV);
    table_column(&t, "recursion", "within", TABLE_NUMBER);
    if (judged) {
        table_column(&t, "really\nran", "ran", TABLE_NUMBER);
        table_column(&t, "residual", "residual", TABLE_NUMBER);
    }
    for (size_t i = 0; i < v->threads; i++)
        for (size_t k = 0; k < v->thread[i].calls; k++) {
            const struct active_call *c = &v->thread[i].call[k];
            char thread[16];

            if (!active_wanted(v, c) || (v->o->limit && count++ >= v->o->limit))
                continue;
            active_put_time(&t, v, c->from);
            active_put_time(&t, v, c->to);
            active_put_sums(&t, v, &c->sums);
            active_put_time(&t, v, c->exclusive);
            snprintf(thread, sizeof thread, "%" PRIu32, v->thread[i].thread);
            table_text(&t, thread);
            table_text(&t, active_name(v, c->portion));
            table_text(&t, kind_of(v, c->portion));
            table_dotted(&t, c->within);
            if (judged)
                put_judged(&t, v, c);
        }
    report_table(&t, v->o, v->to);
    if (v->o->limit && count > v->o->limit)
        fprintf(v->to, "(%" PRIu64 " more calls)\n", count - v->o->limit);
}

void active_put_histogram(const struct active_view *v)
{
    uint64_t count[BUCKETS] = {0}, most = 0;
    struct table t = {0};
    unsigned low = BUCKETS, high = 0;

    for (size_t i = 0; i < v->threads; i++)
        for (size_t k = 0; k < v->thread[i].calls; k++) {
            const struct active_call *c = &v->thread[i].call[k];
            uint64_t n = c->sums.active;
            unsigned bucket = n ? 64 - (unsigned)__builtin_clzll(n) : 0;

            if (!active_wanted(v, c))
                continue;
            count[bucket]++;
            low = bucket < low ? bucket : low;
            high = bucket > high ? bucket : high;
            most = count[bucket] > most ? count[bucket] : most;
        }
    table_column(&t, "active\nfrom", "from", TABLE_NUMBER);
    table_column(&t, "below", "below", TABLE_NUMBER);
    table_column(&t, "calls", "calls", TABLE_NUMBER);
    table_column(&t, "", "bar", 0);
    for (unsigned b = low; b <= high && b < BUCKETS; b++) {
        char bar[41] = "";
        size_t n = (size_t)((unsigned __int128)count[b] * 40 / most);

        memset(bar, '#', n);
        active_put_time(&t, v, b ? 1ull << (b - 1) : 0);
        active_put_time(&t, v, b < 64 ? 1ull << b : UINT64_MAX);
        table_dotted(&t, count[b]);
        table_text(&t, n || !count[b] ? bar : ":");
    }
    report_table(&t, v->o, v->to);
}

/* ---- lists --------------------------------------------------------------- */

/* Text of any length, wrapped between words. */
static void put_wrapped(const struct active_view *v, const char *text)
{
    while (strlen(text) > v->o->width) {
        size_t n = v->o->width;

        while (n > 1 && text[n] != ' ')
            n--;
        fprintf(v->to, "%.*s\n", (int)n, text);
        text += n + (text[n] == ' ');
    }
    fprintf(v->to, "%s\n", text);
}

/* Which intervals of a thread's calls. */
enum list { LIST_ELAPSED, LIST_OUT, LIST_OVERHEAD };

static const struct {
    const char *title;
    size_t sum; /* where in struct active_sums */
} list_is[] = {
    [LIST_ELAPSED] = {"elapsed:", offsetof(struct active_sums, elapsed)},
    [LIST_OUT] = {"swapped out:", offsetof(struct active_sums, out)},
    [LIST_OVERHEAD] = {"overhead:", offsetof(struct active_sums, overhead)},
};

/* Those of one call; the first `room` into piece. */
static size_t intervals(const struct active_thread *a,
                        const struct active_call *c, enum list what,
                        struct active_piece *piece, size_t room)
{
    if (what != LIST_ELAPSED)
        return active_list(a, c->from, c->to, what == LIST_OVERHEAD, piece,
                           room);
    if (room)
        piece[0] = (struct active_piece){.from = c->from, .to = c->to};
    return 1;
}

/* "swapped out: 1,000 to 1,190, ... (376)" */
static void put_list(const struct active_view *v, const struct active_thread *a,
                     const struct active_row *row, enum list what)
{
    size_t room = v->o->limit ? v->o->limit : 1000000;
    struct active_piece *piece = grow_zero(room, sizeof *piece);
    char *line = NULL, from[ACTIVE_TIME], to[ACTIVE_TIME];
    size_t size = 0, left = room, count = 0;
    FILE *f = open_memstream(&line, &size);
    uint64_t sum;

    fputs(list_is[what].title, f);
    for (size_t i = 0; left && i < a->calls; i++) {
        const struct active_call *c = &a->call[i];
        size_t n;

        if (!active_wanted(v, c) || c->within)
            continue;
        n = intervals(a, c, what, piece, left);
        for (size_t k = 0; k < n && k < left; k++)
            fprintf(f, "%s %s to %s", count++ ? "," : "",
                    active_time(v, piece[k].from, from),
                    active_time(v, piece[k].to, to));
        left = n < left ? left - n : 0;
    }
    memcpy(&sum, (const char *)&row->sums + list_is[what].sum, sizeof sum);
    fprintf(f, "%s", count ? left ? "" : ", ..." : " never");
    fprintf(f, " (%s)", active_time(v, sum, from));
    fclose(f);
    put_wrapped(v, line);
    free(line);
    free(piece);
}

void active_put_lists(const struct active_view *v,
                      const struct active_thread *a)
{
    struct active_row *rows = active_rows(v, a), *row = &rows[v->portion];
    char s[5][ACTIVE_TIME];

    if (row->calls > 1) {
        struct active_sums span = active_between(a, row->from, row->to);

        report_say(
            v->o, v->to,
            "\nFrom the first begin (%s) to the last end (%s): %s "
            "elapsed, %s swapped out, %s active.",
            active_time(v, row->from, s[0]), active_time(v, row->to, s[1]),
            active_time(v, span.elapsed, s[2]), active_time(v, span.out, s[3]),
            active_time(v, span.active, s[4]));
    }
    fprintf(v->to, "\nThread %" PRIu32 "\n", a->thread);
    put_list(v, a, row, LIST_ELAPSED);
    put_list(v, a, row, LIST_OUT);
    put_list(v, a, row, LIST_OVERHEAD);
    report_say(v->o, v->to,
               "%s elapsed - %s swapped out - %s overhead = "
               "%s %s active",
               active_time(v, row->sums.elapsed, s[0]),
               active_time(v, row->sums.out, s[1]),
               active_time(v, row->sums.overhead, s[2]),
               active_time(v, row->sums.active, s[3]), v->in->unit);
    free(rows);
}
