/* idle_stacks.c - the idle report's stacks, and what shares are of. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/profile/resample.h"
#include "tools/simprof/reports/idle/idle.h"

#define STACK 65536 /* a stack as one line of text */

static const char *const kind_name[] = {"to-idle", "from-idle"};

/* ---- which stacks -------------------------------------------------------- */

int idle_view_order(const struct idle_view *v, uint32_t a, uint32_t b)
{
    const struct idle_frame *x = &v->d.frame[v->d.tree.node[a].frame];
    const struct idle_frame *y = &v->d.frame[v->d.tree.node[b].frame];
    char name[2][IDLE_NAME];
    int order = strcmp(idle_name(&v->d, v->r, a, name[0], IDLE_NAME),
                       idle_name(&v->d, v->r, b, name[1], IDLE_NAME));

    if (order)
        return order;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* From the root on; a stack stands before those that it is a part of. */
static int stack_order(const struct idle_view *v, uint32_t a, uint32_t b)
{
    const struct stacknode *node = v->d.tree.node;
    uint32_t x = a, y = b;

    while (node[x].depth > node[b].depth)
        x = node[x].parent;
    while (node[y].depth > node[a].depth)
        y = node[y].parent;
    if (x == y)
        return node[a].depth < node[b].depth ? -1
                                             : node[a].depth > node[b].depth;
    while (node[x].parent != node[y].parent) {
        x = node[x].parent;
        y = node[y].parent;
    }
    return idle_view_order(v, x, y);
}

struct ranked {
    const struct idle_view *v;
    uint32_t node;
    uint64_t n, idle;
};

/* Most samples first, then most idle time. */
static int by_samples(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    if (x->idle != y->idle)
        return x->idle > y->idle ? -1 : 1;
    return stack_order(x->v, x->node, y->node);
}

uint32_t *idle_view_stacks(const struct idle_view *v, enum idle_metric m,
                           size_t *count)
{
    struct ranked *list = grow_zero(v->d.tree.count, sizeof *list);
    uint32_t *node = grow_zero(v->d.tree.count, sizeof *node);

    *count = 0;
    for (uint32_t n = 0; n < v->d.tree.count; n++) {
        uint64_t samples = idle_view_base(v, n, m);

        if (samples)
            list[(*count)++] = (struct ranked){
                v, n, samples, idle_view_base(v, n, IDLE_EXPLAINED)};
    }
    if (*count)
        qsort(list, *count, sizeof *list, by_samples);
    for (size_t i = 0; i < *count; i++)
        node[i] = list[i].node;
    free(list);
    return node;
}

/* ---- shares -------------------------------------------------------------- */

uint64_t idle_view_whole(const struct idle_view *v, bool to)
{
    struct idle_sums all = idle_view_sums(v);

    return to ? all.interrupts : all.ends;
}

void idle_view_intervals(const struct idle_view *v, bool to,
                         const uint32_t *node, size_t n,
                         struct accuracy_interval *interval)
{
    struct resample draws = {0};

    for (size_t i = 0; i < v->d.draws; i++) {
        const struct idle_draw *d = &v->d.draw[i];

        if (d->from != to && idle_view_shows(v, d->cpu))
            resample_add(&draws, d->period, d->what);
    }
    resample_intervals(&draws, node, n, interval);
    resample_free(&draws);
}

static void put_interval(struct table *t, const struct accuracy_interval *i)
{
    char text[64];

    snprintf(text, sizeof text, "%.1f-%.1f%%", 100 * i->low, 100 * i->high);
    table_text(t, text);
}

/* ---- a stack as text ----------------------------------------------------- */

static void append(char *text, const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, STACK - used, "%s", more);
}

const char *idle_view_name(const struct idle_view *v, uint32_t node,
                           char out[IDLE_NAME])
{
    const char *name = idle_name(&v->d, v->r, node, out, IDLE_NAME);
    const struct idle_frame *f;
    struct source_line line;
    size_t n;

    if (node == STACKTREE_ROOT || !v->d.by_pc || name != out)
        return name;
    f = &v->d.frame[v->d.tree.node[node].frame];
    line = lines_find(v->lines, &(struct samples_frame){.function = f->function,
                                                        .pc = f->at,
                                                        .cycle = f->cycle});
    n = strlen(out);
    if (line.file)
        snprintf(out + n, IDLE_NAME - n, " (%.100s:%" PRIu32 ")",
                 lines_file(v->lines, line.file), line.line);
    return out;
}

/* Leaf first, "swtch < mutex_lock < main". */
static void name_stack(const struct idle_view *v, uint32_t node, char *text)
{
    char name[IDLE_NAME];

    text[0] = '\0';
    if (node == STACKTREE_ROOT)
        append(text, "<empty stack>");
    for (; node != STACKTREE_ROOT; node = v->d.tree.node[node].parent) {
        append(text, idle_view_name(v, node, name));
        if (v->d.tree.node[node].parent != STACKTREE_ROOT)
            append(text, " < ");
    }
}

/* Root first, "main;mutex_lock;swtch". */
static void fold_stack(const struct idle_view *v, uint32_t node, char *text)
{
    uint32_t path[REC_MAX_WORDS + 1];
    char name[IDLE_NAME];
    size_t n = 0;

    text[0] = '\0';
    for (; node != STACKTREE_ROOT; node = v->d.tree.node[node].parent)
        path[n++] = node;
    while (n--) {
        append(text, idle_name(&v->d, v->r, path[n], name, sizeof name));
        if (n)
            append(text, ";");
    }
}

/* ---- the stacks ---------------------------------------------------------- */

/* A row of the stacks; of several stacks and of none there is no interval, and
 * idle time has its row only where stacks explain it. */
struct share {
    uint64_t n, all, idle, cycles;
    const struct accuracy_interval *interval;
    const char *text;
    bool explains;
};

static void put_line(struct table *t, const struct idle_view *v, bool to,
                     const struct share *l)
{
    table_count(t, l->n);
    table_percent(t, l->n, l->all);
    if (v->intervals && l->interval)
        put_interval(t, l->interval);
    else if (v->intervals)
        table_text(t, "");
    if (to && l->explains && !v->only_samples)
        table_percent(t, l->idle, l->cycles);
    else if (to)
        table_text(t, "");
    table_text(t, l->text);
}

static void put_others(struct table *t, const struct idle_view *v,
                       const uint32_t *node, size_t count, bool to)
{
    enum idle_metric m = to ? IDLE_TO : IDLE_FROM;
    struct share l = {.all = idle_view_whole(v, to),
                      .cycles = idle_view_cycles(v),
                      .explains = true,
                      .text = "<all others>"};

    for (size_t i = 0; i < count; i++) {
        l.n += idle_view_base(v, node[i], m);
        l.idle += idle_view_base(v, node[i], IDLE_EXPLAINED);
    }
    put_line(t, v, to, &l);
}

/* The reasons of one kind why there is no sample are from here to before there.
 */
static unsigned first_reason(bool to)
{
    return to ? 1 : UNSAMPLED_REASONS;
}

static unsigned last_reason(bool to)
{
    return to ? UNSAMPLED_REASONS : IDLE_REASONS;
}

/* What gave no sample, by reason. */
static void put_unsampled(struct table *t, const struct idle_view *v, bool to)
{
    struct idle_sums all = idle_view_sums(v);

    for (unsigned i = first_reason(to); i < last_reason(to); i++) {
        uint32_t what = IDLE_UNSAMPLED(i);
        struct accuracy_interval interval;

        if (!all.unsampled[i])
            continue;
        if (v->intervals)
            idle_view_intervals(v, to, &what, 1, &interval);
        put_line(t, v, to,
                 &(struct share){.n = all.unsampled[i],
                                 .all = idle_view_whole(v, to),
                                 .interval = &interval,
                                 .text = idle_reason_text(i)});
    }
}

static void put_columns(struct table *t, const struct idle_view *v, bool to)
{
    table_column(t, to ? "inter-\nrupts" : "samples", "", TABLE_NUMBER);
    table_column(t, "share", "", TABLE_NUMBER);
    if (v->intervals)
        table_column(t, to ? "95%\ninterval" : "95% interval", "",
                     TABLE_NUMBER);
    if (to)
        table_column(t, "idle\ntime", "", TABLE_NUMBER);
    table_column(t, "stack: function < its caller < ...", "", TABLE_WRAP);
}

static void print_kind(const struct idle_view *v, bool to, FILE *file)
{
    enum idle_metric m = to ? IDLE_TO : IDLE_FROM;
    char *text = grow_zero(STACK, 1);
    struct accuracy_interval *interval;
    size_t count, shown;
    uint32_t *node = idle_view_stacks(v, m, &count);
    struct table t = {0};

    shown = v->o->limit && count > v->o->limit ? v->o->limit : count;
    interval = grow_zero(shown + 1, sizeof *interval);
    if (v->intervals)
        idle_view_intervals(v, to, node, shown, interval);
    put_columns(&t, v, to);
    for (size_t i = 0; i < shown; i++) {
        name_stack(v, node[i], text);
        put_line(
            &t, v, to,
            &(struct share){.n = idle_view_base(v, node[i], m),
                            .all = idle_view_whole(v, to),
                            .idle = idle_view_base(v, node[i], IDLE_EXPLAINED),
                            .cycles = idle_view_cycles(v),
                            .interval = &interval[i],
                            .explains = true,
                            .text = text});
    }
    if (shown < count)
        put_others(&t, v, node + shown, count - shown, to);
    put_unsampled(&t, v, to);
    report_table(&t, v->o, file);
    free(interval);
    free(node);
    free(text);
}

/* Stacks that were there when they were wanted. */
static void say_beforehand(const struct idle_view *v, FILE *to)
{
    struct idle_sums all = idle_view_sums(v);
    char kept[TEXT_NUMBER], taken[TEXT_NUMBER];

    if (all.taken)
        report_say(v->o, to,
                   "Of %s stacks that were taken beforehand, while their "
                   "threads waited (fromidle=precapture), %s are from-idle "
                   "samples.",
                   text_count(taken, all.taken), text_count(kept, all.kept));
}

void idle_print_stacks(const struct idle_view *v, FILE *to)
{
    char number[TEXT_NUMBER];

    if (idle_view_whole(v, true)) {
        fputs("\nTo-idle: where the last thread to run before a CPU was idle "
              "had stopped\n",
              to);
        print_kind(v, true, to);
        report_say(v->o, to,
                   "Share: of %s sample interrupts that found a CPU idle, or "
                   "at a sample of that%s%s.",
                   text_count(number, idle_view_whole(v, true)),
                   v->intervals ? "; intervals by drawing idle periods again"
                                : "",
                   v->only_samples ? ""
                                   : ". Idle time: of all, in periods whose "
                                     "first sample is that stack");
    }
    if (idle_view_whole(v, false)) {
        fputs("\nFrom-idle: where the first thread to run after that had "
              "stopped\n",
              to);
        print_kind(v, false, to);
        report_say(v->o, to,
                   "Share: of %s %s, one an idle period that a sample "
                   "interrupt met.",
                   text_count(number, idle_view_whole(v, false)),
                   idle_view_sums(v).from < idle_view_whole(v, false)
                       ? "threads"
                       : "from-idle samples");
        say_beforehand(v, to);
    }
}

static void csv_columns(struct table *t, const struct idle_view *v)
{
    static const char *const key[] = {"cpu",   "kind", "samples", "idle_cycles",
                                      "stack", "of",   "low",     "high"};

    for (size_t i = 0; i < (v->intervals ? 8 : 6); i++)
        table_column(t, "", key[i], 0);
}

static void csv_row(struct table *t, const struct idle_view *v,
                    const char *kind, const struct share *l)
{
    char text[16];

    table_text(t, idle_view_cpu(v, text));
    table_text(t, kind);
    table_count(t, l->n);
    if (v->only_samples)
        table_number(t, "", "");
    else
        table_count(t, l->idle);
    table_text(t, l->text);
    table_count(t, l->all);
    if (!v->intervals)
        return;
    snprintf(text, sizeof text, "%.4f", l->interval->low);
    table_number(t, text, text);
    snprintf(text, sizeof text, "%.4f", l->interval->high);
    table_number(t, text, text);
}

static void csv_kind(struct table *t, const struct idle_view *v, bool to)
{
    enum idle_metric m = to ? IDLE_TO : IDLE_FROM;
    struct accuracy_interval *interval;
    char *text = grow_zero(STACK, 1);
    size_t count;
    uint32_t *node = idle_view_stacks(v, m, &count);

    if (v->o->limit && count > v->o->limit)
        count = v->o->limit;
    interval = grow_zero(count + 1, sizeof *interval);
    if (v->intervals)
        idle_view_intervals(v, to, node, count, interval);
    for (size_t i = 0; i < count; i++) {
        fold_stack(v, node[i], text);
        csv_row(t, v, kind_name[m],
                &(struct share){
                    .n = idle_view_base(v, node[i], m),
                    .all = idle_view_whole(v, to),
                    .idle = to ? idle_view_base(v, node[i], IDLE_EXPLAINED) : 0,
                    .interval = &interval[i],
                    .text = text});
    }
    free(interval);
    free(node);
    free(text);
}

static void csv_unsampled(struct table *t, const struct idle_view *v, bool to)
{
    struct idle_sums all = idle_view_sums(v);

    for (unsigned i = first_reason(to); i < last_reason(to); i++) {
        uint32_t what = IDLE_UNSAMPLED(i);
        struct accuracy_interval interval;

        if (!all.unsampled[i])
            continue;
        if (v->intervals)
            idle_view_intervals(v, to, &what, 1, &interval);
        csv_row(t, v, idle_reason(i),
                &(struct share){.n = all.unsampled[i],
                                .all = idle_view_whole(v, to),
                                .interval = &interval,
                                .text = ""});
    }
}

void idle_csv_stacks(struct table *t, const struct idle_view *v)
{
    if (!t->columns)
        csv_columns(t, v);
    csv_kind(t, v, true);
    csv_unsampled(t, v, true);
    csv_kind(t, v, false);
    csv_unsampled(t, v, false);
}
