/* states.c - the reports `states`, how long each thread was in which state, and
 * `history`, every change and every wake-up one by one. The states are those
 * that the guest tells (boot word states=on).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/states/frames.h"
#include "tools/analysis/states/happenings.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/analysis/states/words.h"

#define TEXT WORDS_TEXT
#define OWN_NAME 224 /* a name and a number */
#define INNERMOST 3  /* functions of a stack that a line shows */

/* ---- how long ------------------------------------------------------------ */

struct life {
    uint32_t thread, state; /* in which it is, since: */
    uint64_t since;
    uint64_t cycles[STATES_ALL];
    uint64_t waits; /* times it left a CPU to wait */
};

struct lives {
    struct life *list;
    size_t count, room;
    struct hash seen;
    const struct selection *s;
};

/* The cycles of a state that lie in the interval. */
static void close_state(const struct lives *l, struct life *a, uint64_t until)
{
    uint64_t from = a->since > l->s->from ? a->since : l->s->from;
    uint64_t to = until < l->s->to ? until : l->s->to;

    if (a->state && to > from)
        a->cycles[a->state] += to - from;
}

/* Records of a thread stand in the order in which it went on, though clocks of
 * two CPUs may differ by a turn: no state is shorter than nothing. */
static void live(struct lives *l, const struct happening *h)
{
    bool fresh;
    uint32_t *n = hash_at(&l->seen, h->thread, &fresh);
    struct life *a;

    if (fresh) {
        *n = (uint32_t)l->count;
        l->list = grow(l->list, &l->room, l->count + 1, sizeof *l->list);
        l->list[l->count++] = (struct life){.thread = h->thread};
    }
    a = &l->list[*n];
    close_state(l, a, h->cycle);
    if (h->cycle > a->since)
        a->since = h->cycle;
    a->state = h->state == STATE_ENDED ? 0 : h->state;
    a->waits += h->state >= STATE_LOCK && h->state < STATE_ENDED &&
                h->cycle >= l->s->from && h->cycle < l->s->to;
}

static int by_thread(const void *a, const void *b)
{
    const struct life *x = a, *y = b;

    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* The name of l->list[at], with its number if another has the name, too. */
static const char *own_name(struct recording *r, const struct lives *l,
                            size_t at, char text[OWN_NAME])
{
    char number[WORDS_NUMBER], other[WORDS_NUMBER];
    const char *name = words_thread(r, l->list[at].thread, r->end, number);
    bool twice = false;

    for (size_t n = 0; n < l->count && !twice; n++)
        twice = n != at && !strcmp(name, words_thread(r, l->list[n].thread,
                                                      r->end, other));
    snprintf(text, OWN_NAME, twice ? "%.200s %s" : "%.200s", name, number);
    return text;
}

static void print_lives(struct recording *r, const struct options *o,
                        const struct lives *l, FILE *to)
{
    struct table t = {0};
    bool any[STATES_ALL] = {false};
    char number[WORDS_NUMBER], own[OWN_NAME];

    for (size_t n = 0; n < l->count; n++)
        for (unsigned k = 1; k < STATE_ENDED; k++)
            any[k] |= l->list[n].cycles[k] || o->csv;
    for (unsigned k = 1; k < STATE_ENDED; k++)
        if (any[k])
            table_column(&t, words_state_heading(k), words_state(k),
                         TABLE_NUMBER);
    table_column(&t, "waits", "waits", TABLE_NUMBER);
    table_column(&t, "thread", "thread", 0);
    table_column(&t, "", "name", TABLE_CSV);
    for (size_t n = 0; n < l->count; n++) {
        const struct life *a = &l->list[n];
        const char *name = words_thread(r, a->thread, r->end, number);

        if (l->s->one_thread && a->thread != l->s->thread)
            continue;
        for (unsigned k = 1; k < STATE_ENDED; k++)
            if (any[k])
                table_dotted(&t, a->cycles[k]);
        table_count(&t, a->waits);
        table_number(&t, own_name(r, l, n, own), number);
        table_text(&t, name);
    }
    report_table(&t, o, to);
    table_free(&t);
}

void report_states(struct recording *r, const struct options *o, FILE *to)
{
    struct happenings h = {0};
    struct selection s;
    struct lives l = {.s = &s};

    if (!selection_open(&s, r, o))
        return;
    happenings_read(&h, r, REC_STATE);
    for (size_t n = 0; n < h.count; n++)
        live(&l, &h.list[n]);
    for (size_t n = 0; n < l.count; n++)
        close_state(&l, &l.list[n], r->end);
    if (l.count)
        qsort(l.list, l.count, sizeof *l.list, by_thread);
    if (!h.count) {
        report_no_states(r, o);
    } else {
        if (!o->csv) {
            report_head(
                r, "cycles of each thread, by what it did or waited for", to);
            selection_say(&s, o, to);
        }
        print_lives(r, o, &l, to);
    }
    hash_free(&l.seen);
    free(l.list);
    happenings_free(&h);
    selection_close(&s);
}

/* ---- one by one ---------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;

    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->wake != y->wake)
        return x->wake ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static const char *waker_text(struct recording *r, const struct happening *h,
                              char text[TEXT])
{
    static const char *const by[] = {"?", "", "timer", "device", "interrupt"};
    char number[24];

    if (h->by == WAKE_BY_THREAD)
        snprintf(text, TEXT, "by %.200s, to CPU %" PRIu32,
                 words_thread(r, h->waker, h->cycle, number), h->to);
    else
        snprintf(text, TEXT, "by %s, to CPU %" PRIu32,
                 by[h->by < sizeof by / sizeof *by ? h->by : 0], h->to);
    return text;
}

static bool wanted(const struct selection *s, const struct happening *h)
{
    return h->cycle >= s->from && h->cycle < s->to &&
           (s->cpu < 0 || h->cpu == (unsigned long)s->cpu) &&
           (!s->one_thread || h->thread == s->thread);
}

static void put_happening(struct table *t, struct recording *r,
                          const struct frames *f, const struct happening *h)
{
    char text[TEXT], number[24], *inner, *all;

    table_count(t, h->cycle);
    table_count(t, h->cpu);
    table_text(t, words_thread(r, h->thread, h->cycle, number));
    table_number(t, number, number);
    table_text(t, h->wake ? "woken" : words_state(h->state));
    table_text(t, h->wake
                      ? waker_text(r, h, text)
                      : words_wait(r,
                                   &(struct words_wait){h->state, h->kind,
                                                        h->object, h->owner},
                                   h->cycle, text));
    if (h->owner)
        table_text(t, words_thread(r, h->owner, h->cycle, number));
    else
        table_text(t, "");
    inner = frames_text(f, r, h->stack, h->cycle, INNERMOST);
    all = frames_text(f, r, h->stack, h->cycle, 0);
    table_both(t, inner, all);
    free(inner);
    free(all);
}

static void print_history(struct recording *r, const struct options *o,
                          const struct happenings *h, const struct selection *s,
                          FILE *to)
{
    struct frames f;
    struct table t = {0};
    size_t shown = 0, more = 0;

    frames_read(&f, r);
    table_column(&t, "cycle", "cycle", TABLE_NUMBER);
    table_column(&t, "CPU", "cpu", TABLE_NUMBER);
    table_column(&t, "thread", "name", 0);
    table_column(&t, "", "thread", TABLE_CSV);
    table_column(&t, "state", "state", 0);
    table_column(&t, "of what", "object", 0);
    table_column(&t, "owner", "owner", 0);
    table_column(&t, "called by", "stack", 0);
    for (size_t n = 0; n < h->count; n++) {
        if (!wanted(s, &h->list[n]))
            continue;
        if (!o->csv && o->limit && shown == o->limit) {
            more++;
            continue;
        }
        put_happening(&t, r, &f, &h->list[n]);
        shown++;
    }
    report_table(&t, o, to);
    if (more)
        report_say(o, to, "%zu more; --limit=0 shows all", more);
    table_free(&t);
    frames_free(&f);
}

void report_history(struct recording *r, const struct options *o, FILE *to)
{
    struct happenings h = {0};
    struct selection s;

    if (!selection_open(&s, r, o))
        return;
    happenings_read(&h, r, REC_STATE);
    happenings_read(&h, r, REC_WAKE);
    if (h.count)
        qsort(h.list, h.count, sizeof *h.list, by_time);
    if (!h.count) {
        report_no_states(r, o);
    } else {
        if (!o->csv) {
            report_head(r, "what threads did, waited for and were woken by",
                        to);
            selection_say(&s, o, to);
        }
        print_history(r, o, &h, &s, to);
    }
    happenings_free(&h);
    selection_close(&s);
}
