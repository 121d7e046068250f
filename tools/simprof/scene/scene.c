/* scene.c - rows of reports for an interval; see scene.h. */
#include "tools/simprof/scene/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/samples.h"
#include "tools/simprof/scene/roots.h"
#include "tools/simprof/session/rows.h"
#include "tools/simprof/view/source_text.h"

#define SPANS 24000 /* threads times steps, at most */
#define STEPS_LEAST 60
#define GRAPH_SAMPLES 10
#define GRAPH_MOST 150 /* rows */
#define GRAPH_LEAST 4
#define AROUND 3                   /* lines shown before and after one */
#define WORD 64                    /* bytes of an option */
#define SAMPLES_MOST (48ull << 20) /* bytes of samples that are soon read */

/* The words of a command, beside the interval. */
static const char *const commands[SCENE_TABLES][3] = {
    [SCENE_INFO] = {"info"},
    [SCENE_FUNCTIONS] = {"functions", "--reasons", "--limit=200"},
    [SCENE_LINES] = {"lines", "--limit=100"},
    [SCENE_CALLING_LINES] = {"lines", "--limit=100", "--sort=i.cycles"},
    [SCENE_CALLTREE] = {"calltree", "--limit=3000"},
    [SCENE_BLOCKED] = {"calltree", "--limit=3000",
                       "--metrics=i+blocked:i+lock:i+queue:i+barrier:i+io:"
                       "i+page:i+timer:i+stopped"},
    [SCENE_ROOTS] = {"causes"},
    [SCENE_TIMELINE] = {"timeline"},
    [SCENE_REASONS] = {"reasons"},
    [SCENE_COUNTS] = {"seconds"},
    [SCENE_MOMENTS] = {"moments"},
    [SCENE_GAPS] = {"gap", "--limit=2000"},
    [SCENE_CAUSES] = {"causes"},
    [SCENE_PATH] = {"path", "--table=path"},
    [SCENE_TAKEN] = {"path", "--table=taken"},
    [SCENE_LOCKS] = {"locks"},
    [SCENE_STATISTICS] = {"statistics"},
    [SCENE_PIPE] = {"pipe", "--limit=2000"},
    [SCENE_CACHE_LINES] = {"cache-lines", "--limit=1000"},
    [SCENE_TRUTH] = {"truth", "--limit=200"},
    [SCENE_CALLED] = {"calls", "--limit=500"},
};

/* A row of a graph has about GRAPH_SAMPLES of each counter: fewer show when
 * samples were taken rather than what was counted. */
static void settle_graph(struct scene *s)
{
    uint64_t length = s->to - s->from, samples = s->r->promised[REC_PROFILE];
    uint64_t steps = GRAPH_MOST;
    struct samples_metrics m;

    samples_metrics_open(&m, s->r);
    if (samples != UINT64_MAX && s->r->end && m.count > 2)
        steps = (uint64_t)((double)samples * (double)length /
                           (double)s->r->end / GRAPH_SAMPLES / (m.count - 2));
    samples_metrics_free(&m);
    steps = steps > GRAPH_MOST ? GRAPH_MOST : steps;
    steps = steps < GRAPH_LEAST ? GRAPH_LEAST : steps;
    s->graph = length / steps + (length % steps != 0);
    s->graph = s->graph > s->step ? s->graph : s->step;
}

void scene_open(struct scene *s, struct recording *r, const struct options *o,
                uint64_t from, uint64_t to, unsigned steps)
{
    uint64_t lanes = r->threads.count + r->cpus, length, most;

    r->rereads = true;
    *s = (struct scene){
        .r = r, .o = o, .from = from, .to = to, .moments = SCENE_MOMENTS_MOST};
    length = to > from ? to - from : 0;
    most = SPANS / (lanes ? lanes : 1);
    if (most < STEPS_LEAST)
        most = STEPS_LEAST;
    if (most > steps)
        most = steps;
    s->step = length / most + (length % most != 0);
    s->step = s->step ? s->step : 1;
    settle_graph(s);
}

void scene_close(struct scene *s)
{
    for (int i = 0; i < SCENE_TABLES; i++)
        json_decref(s->rows[i]);
    free(s->chains);
    *s = (struct scene){0};
}

/* ---- commands ------------------------------------------------------------ */

#define METRICS 2000 /* bytes of a list of them */

struct command {
    const char *word[ROWS_WORDS];
    char step[WORD], from[WORD], to[WORD], metrics[METRICS];
    int count;
};

static void add(struct command *c, char room[WORD], const char *option,
                uint64_t cycles)
{
    snprintf(room, WORD, "%s%" PRIu64, option, cycles);
    c->word[c->count++] = room;
}

/* All counters, exclusive. */
static void add_counters(const struct scene *s, struct command *c)
{
    struct samples_metrics m;
    size_t used = (size_t)snprintf(c->metrics, sizeof c->metrics, "--metrics=");

    samples_metrics_open(&m, s->r);
    /* The last one is what the log does not name. */
    for (unsigned i = SAMPLES_EXACT + 1; i + 1 < m.count; i++)
        if (used + strlen(m.list[i].name) + 4 < sizeof c->metrics)
            used += (size_t)sprintf(c->metrics + used, "%se+%s",
                                    i > 1 ? ":" : "", m.list[i].name);
    if (m.count > 2)
        c->word[c->count++] = c->metrics;
    samples_metrics_free(&m);
}

static bool has_samples(const struct scene *s)
{
    struct samples_metrics m;
    bool any;

    samples_metrics_open(&m, s->r);
    any = m.count > 2;
    samples_metrics_free(&m);
    return any;
}

/* Are there samples, and few enough in the interval to look at each? */
static bool few_samples(const struct scene *s)
{
    uint64_t length = s->to - s->from;
    struct stat file;

    return has_samples(s) && s->r->end &&
           !fstatat(s->r->dir, recfile_name(REC_PROFILE), &file, 0) &&
           (double)file.st_size * (double)length / (double)s->r->end <
               SAMPLES_MOST;
}

bool scene_crowded(const struct scene *s)
{
    return has_samples(s) && !few_samples(s);
}

bool scene_counter(const struct scene *s, unsigned n, char out[SCENE_COUNTER])
{
    struct samples_metrics m;
    bool found = false;

    samples_metrics_open(&m, s->r);
    for (unsigned i = SAMPLES_EXACT + 1; i < m.count && !found; i++) {
        found = m.list[i].period && !n--;
        if (found)
            snprintf(out, SCENE_COUNTER, "%.100s", m.list[i].name);
    }
    samples_metrics_free(&m);
    return found;
}

bool scene_counts_calls(const struct recording *r)
{
    const char *what = text_lines_get(&r->log, "autoprofile");

    return what && !strcmp(what, "calls");
}

void scene_judge(struct scene *s, unsigned n)
{
    if (n != s->judged) {
        json_decref(s->rows[SCENE_TRUTH]);
        s->rows[SCENE_TRUTH] = NULL;
    }
    s->judged = n;
}

static void make(const struct scene *s, enum scene_table table,
                 struct command *c)
{
    char name[SCENE_COUNTER];

    c->count = 0;
    for (int i = 0; i < 3 && commands[table][i]; i++)
        c->word[c->count++] = commands[table][i];
    if (table == SCENE_COUNTS)
        add_counters(s, c);
    if (table == SCENE_TRUTH && scene_counter(s, s->judged, name)) {
        snprintf(c->metrics, sizeof c->metrics, "--event=%s", name);
        c->word[c->count++] = c->metrics;
    }
    if (table == SCENE_LINES && scene_crowded(s))
        c->word[c->count++] = SCENE_EXACT;
    if (table == SCENE_MOMENTS)
        add(c, c->step, "--limit=", s->moments);
    if (table == SCENE_TIMELINE)
        add(c, c->step, "--step=", s->step);
    if (table == SCENE_REASONS || table == SCENE_COUNTS)
        add(c, c->step, "--step=", s->graph);
    if (table == SCENE_INFO || table == SCENE_CALLED)
        return; /* of the whole run */
    if (s->from)
        add(c, c->from, "--from=", s->from);
    if (s->to < s->r->end)
        add(c, c->to, "--to=", s->to);
}

const char *scene_name(enum scene_table table)
{
    return table == SCENE_BLOCKED  ? "blocked"
           : table == SCENE_ROOTS  ? "roots"
           : table == SCENE_COUNTS ? "counts"
                                   : commands[table][0];
}

char *scene_command(const struct scene *s, enum scene_table table)
{
    struct command c;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return grow_text("");
    if ((table == SCENE_COUNTS || table == SCENE_TRUTH) && !few_samples(s)) {
        fclose(to);
        free(text);
        return grow_text("");
    }
    make(s, table, &c);
    fputs("simprof", to);
    for (int i = 0; i < c.count; i++)
        fprintf(to, " %s", c.word[i]);
    fprintf(to, " %s", s->o->experiment);
    fclose(to);
    return text ? text : grow_text("");
}

json_t *scene_rows(struct scene *s, enum scene_table table)
{
    struct refusal why = {.text = ""};
    struct command c;

    if (!s->rows[table] && table == SCENE_ROOTS) {
        s->rows[table] = scene_roots(scene_rows(s, SCENE_CAUSES));
    } else if (!s->rows[table] && !few_samples(s) &&
               (table == SCENE_COUNTS || table == SCENE_CALLING_LINES ||
                table == SCENE_TRUTH)) {
        s->rows[table] = json_array();
    } else if (!s->rows[table]) {
        make(s, table, &c);
        s->rows[table] =
            rows_read(s->r, s->o->experiment, c.count, c.word, &why);
    }
    return s->rows[table];
}

const char *scene_chains(struct scene *s)
{
    struct refusal why = {.text = ""};
    struct command c;

    if (!s->chains) {
        make(s, SCENE_CAUSES, &c);
        c.word[c.count++] = "--width=110";
        s->chains = rows_text(s->r, s->o->experiment, c.count, c.word, &why);
        if (why.text[0] && !s->chains[0]) {
            free(s->chains);
            s->chains = grow_text(why.text);
        }
    }
    return s->chains;
}

/* ---- lines of the program ------------------------------------------------ */

json_t *scene_source(const struct scene *s, const char *where)
{
    const char *colon = strrchr(where, ':');
    unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;
    unsigned long first = line > AROUND ? line - AROUND : 1;
    char *name = colon ? strndup(where, (size_t)(colon - where)) : NULL;
    FILE *f = line && name ? source_text_open(s->o, name) : NULL;
    json_t *lines = json_array();
    char text[SOURCE_LINE];

    free(name);
    for (unsigned long k = 1; f && k <= line + AROUND && !feof(f); k++) {
        source_text_next(f, text);
        if (k >= first)
            json_array_append_new(lines, json_string(text));
    }
    if (!f) {
        json_decref(lines);
        return NULL;
    }
    fclose(f);
    return json_pack("{s:s, s:I, s:o}", "line", where, "first",
                     (json_int_t)first, "text", lines);
}
