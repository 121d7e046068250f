/* active.c - the report `active`: what a function, or another portion of code
 * that is probed, really cost: elapsed less swapped out less the probes'
 * own overhead; each with its list, by call and in all, beside the oracle.
 */
#include "tools/simprof/active.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/lib/active_input.h"
#include "tools/lib/grow.h"
#include "tools/lib/text.h"

#define BUCKETS 65 /* 0, and one for each power of two */

struct view {
    struct active_input *in;
    const struct options *o;
    struct recording *r; /* NULL: tables */
    FILE *to;
    struct active_thread *thread;
    size_t threads, room;
    bool chosen; /* one portion only */
    uint32_t portion;
    uint64_t first, until; /* calls that begin in this interval */
};

/* All calls of one portion in one thread. */
struct row {
    struct active_sums sums; /* outermost calls */
    uint64_t calls, inner, exclusive, own, least, most, from, to;
};

/* ---- numbers ------------------------------------------------------------ */

#define TIME 48

/* In the tables' unit, with their decimals. */
static const char *time_text(const struct view *v, uint64_t n, char out[TIME])
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
        snprintf(out, TIME, "%s", whole);
    else
        snprintf(out, TIME, "%s.%0*" PRIu64, whole, (int)v->in->decimals,
                 n % one);
    return out;
}

static void put_time(struct table *t, const struct view *v, uint64_t n)
{
    char text[TIME];

    table_text(t, time_text(v, n, text));
}

static void put_sums(struct table *t, const struct view *v,
                     const struct active_sums *s)
{
    put_time(t, v, s->elapsed);
    put_time(t, v, s->out);
    put_time(t, v, s->overhead);
    put_time(t, v, s->active);
}

static void put_sum_columns(struct table *t)
{
    table_column(t, "elapsed", "elapsed", TABLE_NUMBER);
    table_column(t, "swapped\nout", "swapped_out", TABLE_NUMBER);
    table_column(t, "overhead", "overhead", TABLE_NUMBER);
    table_column(t, "active", "active", TABLE_NUMBER);
}

static const char *name_of(const struct view *v, uint32_t portion)
{
    return v->in->portion[portion];
}

/* ---- adding up ---------------------------------------------------------- */

static bool wanted(const struct view *v, const struct active_call *c)
{
    return !v->chosen || c->portion == v->portion;
}

static void add_call(struct row *row, const struct active_call *c)
{
    row->exclusive += c->exclusive;
    row->own += c->own;
    if (c->within) {
        row->inner++;
        return;
    }
    if (!row->calls || c->sums.active < row->least)
        row->least = c->sums.active;
    if (c->sums.active > row->most)
        row->most = c->sums.active;
    if (!row->calls)
        row->from = c->from;
    row->to = c->to;
    row->calls++;
    row->sums.elapsed += c->sums.elapsed;
    row->sums.out += c->sums.out;
    row->sums.overhead += c->sums.overhead;
    row->sums.active += c->sums.active;
}

static void add_row(struct row *total, const struct row *row)
{
    if (!total->calls || row->least < total->least)
        total->least = row->least;
    if (row->most > total->most)
        total->most = row->most;
    total->calls += row->calls;
    total->inner += row->inner;
    total->exclusive += row->exclusive;
    total->own += row->own;
    total->sums.elapsed += row->sums.elapsed;
    total->sums.out += row->sums.out;
    total->sums.overhead += row->sums.overhead;
    total->sums.active += row->sums.active;
}

/* Rows by portion for one thread; the caller frees. */
static struct row *rows_of(const struct view *v, const struct active_thread *a)
{
    struct row *row = grow_zero(v->in->portions + 1, sizeof *row);

    for (size_t i = 0; i < a->calls; i++)
        add_call(&row[a->call[i].portion], &a->call[i]);
    return row;
}

static void put_row(struct table *t, const struct view *v,
                    const struct row *row, const char *thread, const char *name)
{
    table_count(t, row->calls);
    put_sums(t, v, &row->sums);
    put_time(t, v, row->exclusive);
    put_time(t, v, row->least);
    put_time(t, v, row->most);
    table_text(t, thread);
    table_text(t, name);
}

/* Every portion in every thread, and all threads if it is one portion. */
static struct row summary(const struct view *v)
{
    struct table t = {0};
    struct row total = {0};
    size_t shown = 0;

    table_column(&t, "calls", "calls", TABLE_NUMBER);
    put_sum_columns(&t);
    table_column(&t, "exclusive", "exclusive", TABLE_NUMBER);
    table_column(&t, "least\na call", "least", TABLE_NUMBER);
    table_column(&t, "most\na call", "most", TABLE_NUMBER);
    table_column(&t, "thread", "thread", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    for (size_t i = 0; i < v->threads; i++) {
        struct row *row = rows_of(v, &v->thread[i]);
        char thread[16];

        snprintf(thread, sizeof thread, "%" PRIu32, v->thread[i].thread);
        for (uint32_t p = 0; p < v->in->portions; p++) {
            if (!row[p].calls || (v->chosen && p != v->portion))
                continue;
            put_row(&t, v, &row[p], thread, name_of(v, p));
            add_row(&total, &row[p]);
            shown++;
        }
        free(row);
    }
    if (v->chosen && shown > 1)
        put_row(&t, v, &total, "all", name_of(v, v->portion));
    if (shown || v->o->csv)
        report_table(&t, v->o, v->to);
    table_free(&t);
    return total;
}

/* ---- one portion -------------------------------------------------------- */

/* Every call by itself: `limit` of them. */
static void put_calls(const struct view *v)
{
    struct table t = {0};
    uint64_t count = 0;

    table_column(&t, "begin", "begin", TABLE_NUMBER);
    table_column(&t, "end", "end", TABLE_NUMBER);
    put_sum_columns(&t);
    table_column(&t, "exclusive", "exclusive", TABLE_NUMBER);
    table_column(&t, "thread", "thread", TABLE_NUMBER);
    table_column(&t, "", "function", TABLE_CSV);
    table_column(&t, "recursion", "within", TABLE_NUMBER);
    for (size_t i = 0; i < v->threads; i++)
        for (size_t k = 0; k < v->thread[i].calls; k++) {
            const struct active_call *c = &v->thread[i].call[k];
            char thread[16];

            if (!wanted(v, c) || (v->o->limit && count++ >= v->o->limit))
                continue;
            put_time(&t, v, c->from);
            put_time(&t, v, c->to);
            put_sums(&t, v, &c->sums);
            put_time(&t, v, c->exclusive);
            snprintf(thread, sizeof thread, "%" PRIu32, v->thread[i].thread);
            table_text(&t, thread);
            table_text(&t, name_of(v, c->portion));
            table_dotted(&t, c->within);
        }
    report_table(&t, v->o, v->to);
    if (v->o->limit && count > v->o->limit)
        fprintf(v->to, "(%" PRIu64 " more calls)\n", count - v->o->limit);
}

/* How the active time of calls is spread: a row for each power of two. */
static void put_histogram(const struct view *v)
{
    uint64_t count[BUCKETS] = {0}, most = 0;
    struct table t = {0};
    unsigned low = BUCKETS, high = 0;

    for (size_t i = 0; i < v->threads; i++)
        for (size_t k = 0; k < v->thread[i].calls; k++) {
            const struct active_call *c = &v->thread[i].call[k];
            uint64_t n = c->sums.active;
            unsigned bucket = n ? 64 - (unsigned)__builtin_clzll(n) : 0;

            if (!wanted(v, c))
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
        put_time(&t, v, b ? 1ull << (b - 1) : 0);
        put_time(&t, v, b < 64 ? 1ull << b : UINT64_MAX);
        table_dotted(&t, count[b]);
        table_text(&t, n || !count[b] ? bar : ":");
    }
    report_table(&t, v->o, v->to);
}

/* Text of any length, wrapped between words. */
static void put_wrapped(const struct view *v, const char *text)
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

/* "swapped out  376 = 1,000 to 1,190, ..." */
static void put_list(const struct view *v, const struct active_thread *a,
                     const struct row *row, bool overhead)
{
    size_t room = v->o->limit ? v->o->limit : 1000000;
    struct active_piece *piece = grow_zero(room, sizeof *piece);
    char *line = NULL, from[TIME], to[TIME];
    size_t size = 0, left = room, count = 0;
    FILE *f = open_memstream(&line, &size);

    fprintf(f, overhead ? "overhead:" : "swapped out:");
    for (size_t i = 0; i < a->calls; i++) {
        const struct active_call *c = &a->call[i];
        size_t n;

        if (c->portion != v->portion || c->within)
            continue;
        n = active_list(a, c->from, c->to, overhead, piece, left);
        for (size_t k = 0; k < n && k < left; k++)
            fprintf(f, "%s %s to %s", count++ ? "," : "",
                    time_text(v, piece[k].from, from),
                    time_text(v, piece[k].to, to));
        left = n < left ? left - n : 0;
        if (!left)
            break;
    }
    fprintf(f, "%s", count ? left ? "" : ", ..." : " never");
    fprintf(f, " (%s)",
            time_text(v, overhead ? row->sums.overhead : row->sums.out, from));
    fclose(f);
    put_wrapped(v, line);
    free(line);
    free(piece);
}

static void put_sentences(const struct view *v, const struct active_thread *a)
{
    struct row *rows = rows_of(v, a), *row = &rows[v->portion];
    char s[5][TIME];

    if (row->calls > 1) {
        struct active_sums span = active_between(a, row->from, row->to);

        report_say(v->o, v->to,
                   "\nFrom the first begin (%s) to the last end (%s): %s "
                   "elapsed, %s swapped out, %s active.",
                   time_text(v, row->from, s[0]), time_text(v, row->to, s[1]),
                   time_text(v, span.elapsed, s[2]),
                   time_text(v, span.out, s[3]),
                   time_text(v, span.active, s[4]));
    }
    fprintf(v->to, "\nThread %" PRIu32 "\n", a->thread);
    put_list(v, a, row, false);
    put_list(v, a, row, true);
    report_say(v->o, v->to,
               "%s elapsed - %s swapped out - %s overhead = "
               "%s %s active",
               time_text(v, row->sums.elapsed, s[0]),
               time_text(v, row->sums.out, s[1]),
               time_text(v, row->sums.overhead, s[2]),
               time_text(v, row->sums.active, s[3]), v->in->unit);
    free(rows);
}

/* ---- what does not fit, and the oracle ---------------------------------- */

static void put_doubts(const struct view *v)
{
    for (size_t i = 0; i < v->threads; i++) {
        const struct active_thread *a = &v->thread[i];

        if (a->open)
            report_say(v->o, v->to,
                       "Thread %" PRIu32 ": %" PRIu64 " calls had not ended "
                       "when the records did; they are not counted.",
                       a->thread, a->open);
        if (a->unbegun + a->crossed)
            report_say(v->o, v->to,
                       "Thread %" PRIu32 ": %" PRIu64 " ends without a begin "
                       "and %" PRIu64 " begins without an end were left out.",
                       a->thread, a->unbegun, a->crossed);
        if (a->misplaced + a->impossible)
            report_say(v->o, v->to,
                       "Thread %" PRIu32 ": records are missing or wrong: it "
                       "went out or came in twice in a row %" PRIu64 " times, "
                       "and passed %" PRIu64 " probes while swapped out.",
                       a->thread, a->misplaced, a->impossible);
    }
}

/* Twelfths that the oracle charges to the function in the threads seen. */
static uint64_t oracle_twelfths(const struct view *v)
{
    const char *name = name_of(v, v->portion);
    struct record record;
    struct recfile f;
    uint64_t sum = 0;

    if (!recording_records(v->r, REC_ORACLE, &f))
        return 0;
    while (recfile_next(&f, &record)) {
        bool ours = false;
        struct place place;

        for (size_t i = 0; i < v->threads; i++)
            ours |= v->thread[i].thread == record.thread;
        if (!ours)
            continue;
        place = loadmap_find(&v->r->map, record_word(&record, 0), record.cycle);
        if (place.function != LOADMAP_UNKNOWN &&
            !strcmp(loadmap_name(&v->r->map, place.function), name))
            sum += record_wide(&record, 2);
    }
    recording_done(v->r, &f);
    return sum;
}

/* The oracle charges a function with what its probes cost, too. */
static void put_residual(const struct view *v, const struct row *total)
{
    uint64_t truth = (oracle_twelfths(v) + 6) / 12;
    uint64_t ours = total->exclusive + total->own;
    bool less = ours < truth;
    uint64_t apart = less ? truth - ours : ours - truth;
    char s[5][TEXT_NUMBER];

    report_say(v->o, v->to,
               "\nThe oracle charges the instructions of %s in %s with %s "
               "cycles. Exclusive active time is %s, what probes cost in it "
               "%s: residual %s%s cycles (%s%%). A residual is what %s called "
               "without a probe, interrupts, and calls cut off.",
               name_of(v, v->portion),
               v->threads == 1 ? "this thread" : "these threads",
               text_count(s[0], truth), text_count(s[1], total->exclusive),
               text_count(s[2], total->own), less ? "-" : "+",
               text_count(s[3], apart), text_percent(s[4], apart, truth),
               name_of(v, v->portion));
}

static int by_id(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static bool want_thread(const struct view *v, uint32_t id)
{
    const char *text = v->o->text[OPTION_BIT_THREAD];
    uint64_t n;

    return !text || (text_number(text, &n) && n == id);
}

/* Calls that begin outside of the interval are not reported. */
static void cut(const struct view *v, struct active_thread *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->calls; i++)
        if (a->call[i].from >= v->first && a->call[i].from < v->until)
            a->call[kept++] = a->call[i];
    a->calls = kept;
}

/* Work out every thread that passed a probe. False: why says what is wrong. */
static bool work_out(struct view *v, char *why, size_t size)
{
    struct active_tables *t = &v->in->t;
    uint32_t *id = grow_zero(t->timers + 1, sizeof *id);
    enum active_event missing;
    size_t ids = 0;
    bool good = true;

    for (size_t i = 0; i < t->timers; i++)
        id[ids++] = t->timer[i].thread;
    qsort(id, ids, sizeof *id, by_id);
    for (size_t i = 0; good && i < ids; i++) {
        if ((i && id[i] == id[i - 1]) || !want_thread(v, id[i]))
            continue;
        v->thread =
            grow(v->thread, &v->room, v->threads + 1, sizeof *v->thread);
        good = active_read(&v->thread[v->threads], t, id[i], &missing);
        if (good)
            cut(v, &v->thread[v->threads]);
        v->threads++;
    }
    if (!good)
        snprintf(why, size, "the overhead of %s is in no table, add it",
                 active_type(missing));
    free(id);
    return good;
}

static bool choose(struct view *v, char *why, size_t size)
{
    const char *name = v->o->text[OPTION_BIT_FUNCTION];
    const char *thread = v->o->text[OPTION_BIT_THREAD];
    uint64_t n;

    if (thread && !text_number(thread, &n)) {
        snprintf(why, size, "--thread=%s: must be the number of a thread",
                 thread);
        return false;
    }
    v->chosen = name != NULL;
    if (!name || active_input_find(v->in, name, &v->portion))
        return true;
    snprintf(why, size,
             "no probe says \"%s\"; without --function all that "
             "were probed are shown",
             name);
    return false;
}

static void put_chosen(const struct view *v)
{
    struct row total = summary(v);

    if (!total.calls) {
        report_say(v->o, v->to, "No call of %s was recorded whole.",
                   name_of(v, v->portion));
        return;
    }
    if (v->threads == 1)
        put_sentences(v, &v->thread[0]);
    fprintf(v->to, "\nEvery call\n");
    put_calls(v);
    if (total.calls > 1) {
        fprintf(v->to, "\nActive time a call\n");
        put_histogram(v);
    }
    if (v->r)
        put_residual(v, &total);
}

/* --from and --to are whole numbers of the unit. */
static bool choose_interval(struct view *v, char *why, size_t size)
{
    const char *from = v->o->text[OPTION_BIT_FROM];
    const char *to = v->o->text[OPTION_BIT_TO];

    v->until = UINT64_MAX;
    if ((from && !text_number(from, &v->first)) ||
        (to && !text_number(to, &v->until))) {
        snprintf(why, size, "--from, --to: must be whole numbers");
        return false;
    }
    for (unsigned i = 0; i < v->in->decimals; i++) {
        v->first *= 10;
        v->until = v->until > UINT64_MAX / 10 ? UINT64_MAX : v->until * 10;
    }
    return true;
}

static bool report(struct view *v, char *why, size_t size)
{
    bool good = choose_interval(v, why, size) && choose(v, why, size) &&
                work_out(v, why, size);

    if (good && v->chosen && v->o->csv)
        put_calls(v);
    else if (good && v->chosen)
        put_chosen(v);
    else if (good)
        summary(v);
    if (good && !v->o->csv) {
        if (!v->in->t.timers)
            report_say(v->o, v->to, "No probe was passed.");
        else if (!v->chosen)
            report_say(v->o, v->to,
                       "\n(times in %s; --function=NAME shows "
                       "calls, lists and a histogram)",
                       v->in->unit);
        put_doubts(v);
    }
    for (size_t i = 0; i < v->threads; i++)
        active_free(&v->thread[i]);
    free(v->thread);
    return good;
}

void report_active(struct recording *r, const struct options *o, FILE *to)
{
    struct active_input in;
    struct view v = {.in = &in, .o = o, .r = r, .to = to};
    char why[512];

    active_input_records(&in, r);
    if (!o->csv) {
        report_head(r, "active time: elapsed, less swapped out, less probes",
                    to);
        report_interval(r, o, to);
    }
    if (!report(&v, why, sizeof why))
        report_refuse(o, "%s", why);
    active_input_free(&in);
}

bool active_is_tables(const char *experiment)
{
    struct stat st;

    return stat(experiment, &st) ? strchr(experiment, ',') != NULL
                                 : S_ISREG(st.st_mode);
}

bool active_tables(const struct options *o, FILE *to, char *why, size_t size)
{
    struct active_input in;
    struct view v = {.in = &in, .o = o, .to = to};
    bool good;

    if (!active_input_csv(&in, o->experiment, why, size))
        return false;
    if (!o->csv)
        fprintf(to, "%s: active time, in %s\n\n", o->experiment, in.unit);
    good = report(&v, why, size);
    active_input_free(&in);
    return good;
}
