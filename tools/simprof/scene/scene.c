/* scene.c - rows of reports for an interval; see scene.h. */
#include "tools/simprof/scene/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/session/rows.h"
#include "tools/simprof/view/source_text.h"

#define SPANS 24000 /* threads times steps, at most */
#define STEPS_LEAST 60
#define AROUND 3 /* lines shown before and after one */
#define WORD 64  /* bytes of an option */

/* The words of a command, beside the interval. */
static const char *const commands[SCENE_TABLES][3] = {
    [SCENE_INFO] = {"info"},
    [SCENE_FUNCTIONS] = {"functions", "--reasons", "--limit=200"},
    [SCENE_LINES] = {"lines", "--limit=100"},
    [SCENE_CALLTREE] = {"calltree", "--limit=3000"},
    [SCENE_TIMELINE] = {"timeline"},
    [SCENE_CAUSES] = {"causes"},
    [SCENE_PATH] = {"path"},
    [SCENE_LOCKS] = {"locks"},
    [SCENE_STATISTICS] = {"statistics"},
};

void scene_open(struct scene *s, struct recording *r, const struct options *o,
                uint64_t from, uint64_t to, unsigned steps)
{
    uint64_t lanes = r->threads.count + r->cpus, length, most;

    *s = (struct scene){.r = r, .o = o, .from = from, .to = to};
    length = to > from ? to - from : 0;
    most = SPANS / (lanes ? lanes : 1);
    if (most < STEPS_LEAST)
        most = STEPS_LEAST;
    if (most > steps)
        most = steps;
    s->step = length / most + (length % most != 0);
    s->step = s->step ? s->step : 1;
}

void scene_close(struct scene *s)
{
    for (int i = 0; i < SCENE_TABLES; i++)
        json_decref(s->rows[i]);
    free(s->chains);
    *s = (struct scene){0};
}

/* ---- commands ------------------------------------------------------------ */

struct command {
    const char *word[ROWS_WORDS];
    char step[WORD], from[WORD], to[WORD];
    int count;
};

static void add(struct command *c, char room[WORD], const char *option,
                uint64_t cycles)
{
    snprintf(room, WORD, "%s%" PRIu64, option, cycles);
    c->word[c->count++] = room;
}

static void make(const struct scene *s, enum scene_table table,
                 struct command *c)
{
    c->count = 0;
    for (int i = 0; i < 3 && commands[table][i]; i++)
        c->word[c->count++] = commands[table][i];
    if (table == SCENE_TIMELINE)
        add(c, c->step, "--step=", s->step);
    if (table == SCENE_INFO)
        return;
    if (s->from)
        add(c, c->from, "--from=", s->from);
    if (s->to < s->r->end)
        add(c, c->to, "--to=", s->to);
}

const char *scene_name(enum scene_table table)
{
    return commands[table][0];
}

char *scene_command(const struct scene *s, enum scene_table table)
{
    struct command c;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return grow_text("");
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

    if (!s->rows[table]) {
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
