/* moments.c - the report `moments`: what happened when, in order, from
 * records of every kind. simview draws these rows over its lanes.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/base/text.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/reports/moments/moments.h"

#define MORE "<more>"

static const char *const names[MOMENT_KINDS] = {
    [MOMENT_IDLE] = "idle",           [MOMENT_WAKE] = "wake-up",
    [MOMENT_HOLD] = "hold",           [MOMENT_CONVOY] = "convoy",
    [MOMENT_INTERRUPT] = "interrupt", [MOMENT_SAMPLE] = "sample",
    [MOMENT_MARK] = "mark",           [MOMENT_SECTION] = "section",
};

/* The kinds that --kinds names; false: it names another, which is said. */
static bool settle(struct moments *m, const struct options *o)
{
    const char *list = o->text[OPTION_BIT_KINDS];

    for (int k = 0; k < MOMENT_KINDS; k++)
        m->wants[k] = !list;
    while (list && *list) {
        size_t size = strcspn(list, ",");
        int k = 0;

        while (k < MOMENT_KINDS &&
               (strlen(names[k]) != size || strncmp(list, names[k], size) != 0))
            k++;
        if (k == MOMENT_KINDS) {
            report_refuse(o,
                          "--kinds=%s: must be idle, wake-up, hold, convoy, "
                          "interrupt, sample, mark or section, or several "
                          "with , between",
                          o->text[OPTION_BIT_KINDS]);
            return false;
        }
        m->wants[k] = true;
        list += size + (list[size] == ',');
    }
    return true;
}

/* ---- rows ---------------------------------------------------------------- */

static const char *counter_name(const struct moments *m, uint32_t number,
                                char text[WORDS_TEXT])
{
    const struct samples_metrics *all = &m->s->metrics;

    for (unsigned i = 0; i < all->count; i++)
        if (i != SAMPLES_EXACT && all->list[i].number == number)
            return all->list[i].name;
    snprintf(text, WORDS_TEXT, "counter %" PRIu32, number);
    return text;
}

/* What the moment is about, as words. */
static const char *about(struct moments *m, const struct moment *k,
                         char text[WORDS_TEXT])
{
    static const char *const by[] = {"?", "a thread", "a time", "a device",
                                     "an interrupt"};
    struct place place;

    text[0] = '\0';
    switch (k->kind) {
    case MOMENT_WAKE:
        return by[k->about < sizeof by / sizeof *by ? k->about : 0];
    case MOMENT_HOLD:
    case MOMENT_CONVOY:
        return words_object(m->r, k->kind_of, k->object, k->from, text);
    case MOMENT_INTERRUPT:
        snprintf(text, WORDS_TEXT, "0x%" PRIx32, k->about);
        return text;
    case MOMENT_SAMPLE:
        return counter_name(m, k->about, text);
    case MOMENT_MARK:
        place = loadmap_find(&m->r->map, k->about, k->from);
        if (place.function != LOADMAP_UNKNOWN)
            return loadmap_name(&m->r->map, place.function);
        snprintf(text, WORDS_TEXT, "0x%08" PRIx32, k->about);
        return text;
    case MOMENT_SECTION:
        return k->about < m->sections ? m->section[k->about] : "";
    default:
        return text;
    }
}

static void put_thread(struct table *t, const struct moments *m,
                       uint32_t thread, uint64_t cycle)
{
    char number[WORDS_NUMBER];

    if (thread == MOMENT_NOBODY || thread == PROBE_NOBODY) {
        table_number(t, "", "");
        table_text(t, "");
        return;
    }
    snprintf(number, sizeof number, "%" PRIu32, thread);
    table_number(t, number, number);
    table_text(t, words_thread(m->r, thread, cycle, number));
}

static void put(struct table *t, struct moments *m, const struct moment *k)
{
    char text[WORDS_TEXT];
    bool counts = k->kind == MOMENT_HOLD || k->kind == MOMENT_CONVOY;

    table_count(t, k->from);
    table_count(t, k->to);
    table_text(t, names[k->kind]);
    if (k->cpu == MOMENT_NO_CPU)
        table_number(t, "", "");
    else
        table_count(t, k->cpu);
    put_thread(t, m, k->thread, k->from);
    put_thread(t, m, k->by, k->from);
    if (counts)
        table_count(t, k->about);
    else
        table_number(t, "", "");
    table_text(t, about(m, k, text));
}

/* Kinds of which there are more than the limit. */
static void put_more(struct table *t, const struct moments *m)
{
    for (int k = 0; k < MOMENT_KINDS; k++) {
        if (!m->more[k])
            continue;
        table_number(t, "", "");
        table_number(t, "", "");
        table_text(t, names[k]);
        for (int i = 0; i < 2; i++) {
            table_number(t, "", "");
            if (i)
                table_text(t, "");
        }
        table_number(t, "", "");
        table_text(t, "");
        table_number(t, "", "");
        table_text(t, MORE);
    }
}

static void print(struct moments *m, const struct options *o, FILE *to)
{
    struct table t = {0};

    table_column(&t, "from cycle", "from_cycle", TABLE_NUMBER);
    table_column(&t, "to cycle", "to_cycle", TABLE_NUMBER);
    table_column(&t, "what", "what", 0);
    table_column(&t, "CPU", "cpu", TABLE_NUMBER);
    table_column(&t, "", "thread", TABLE_CSV | TABLE_NUMBER);
    table_column(&t, "thread", "name", 0);
    table_column(&t, "", "by", TABLE_CSV | TABLE_NUMBER);
    table_column(&t, "by", "by_name", 0);
    table_column(&t, "times", "times", TABLE_NUMBER);
    table_column(&t, "about", "about", 0);
    for (size_t i = 0; i < m->count; i++)
        put(&t, m, &m->list[i]);
    put_more(&t, m);
    report_table(&t, o, to);
}

void report_moments(struct recording *r, const struct options *o, FILE *to)
{
    struct selection s;
    struct moments m = {.r = r, .s = &s, .most = o->limit};

    if (!selection_open(&s, r, o))
        return;
    s.no_exact = true;
    if (settle(&m, o)) {
        moments_read(&m);
        if (!o->csv) {
            report_head(r, "what happened when", to);
            selection_say(&s, o, to);
        }
        if (m.count || o->csv)
            print(&m, o, to);
        else
            report_say(o, to, "Nothing of this was recorded here.");
        if (m.count && !o->csv)
            report_say(o, to,
                       "\ntimes: threads that wait while a lock is held; "
                       "holds of a convoy. by: who left an idle CPU, to which "
                       "the thread came; who woke it. --limit=N is of each "
                       "kind.");
    }
    moments_free(&m);
    selection_close(&s);
}
