/* tree_show.c - the report `tree show`: what a time tree is, its nodes, and
 * with --verbose what they hold: the stacks that a node keeps and drops, and
 * the samples of a leaf.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/reports/tree/tree.h"

/* ---- what a tree is ------------------------------------------------------ */

struct shape {
    uint64_t leaves, forced, deepest, types, least, most;
};

static struct shape shape_of(const struct timetree *t)
{
    struct shape s = {.least = UINT64_MAX};

    for (uint64_t i = 0; i < t->nodes; i++) {
        const struct timetree_node *n = &t->node[i];

        s.deepest = n->depth > s.deepest ? n->depth : s.deepest;
        s.forced += !!(n->flags & TIMETREE_FORCED);
        s.types += n->entries;
        if (!(n->flags & TIMETREE_LEAF))
            continue;
        s.leaves++;
        s.least = n->held < s.least ? n->held : s.least;
        s.most = n->held > s.most ? n->held : s.most;
    }
    return s;
}

void tree_say_shape(const struct timetree_file *f, const struct options *o,
                    FILE *to)
{
    const struct timetree *t = &f->tree;
    struct shape s = shape_of(t);
    char n[6][TEXT_NUMBER];

    report_say(o, to,
               "%s samples%s of %s, %s different stacks; M=%" PRIu64
               " P=%u%% N=%u, descent %s.",
               text_count(n[0], t->node[0].raw),
               timetree_file_idleness(f) ? " and times" : "", f->source,
               text_count(n[1], t->types), t->with.m, t->with.p, t->with.n,
               t->with.inherit ? "inherit" : "literal");
    report_say(o, to,
               "%s nodes, %s of them leaves of %s to %s samples, %" PRIu64
               " levels.",
               text_count(n[2], t->nodes), text_count(n[3], s.leaves),
               text_count(n[4], s.least), text_count(n[5], s.most), s.deepest);
    if (s.forced)
        report_say(o, to,
                   "%s leaves hold M samples or more: those share one instant, "
                   "or lie too close to be told apart.",
                   text_count(n[0], s.forced));
}

/* ---- nodes --------------------------------------------------------------- */

static void put_node(struct table *t, const struct timetree *tree, uint64_t i)
{
    const struct timetree_node *n = &tree->node[i];

    table_count(t, i);
    table_count(t, n->depth);
    table_count(t, n->from);
    table_count(t, n->to);
    table_count(t, n->raw);
    table_count(t, n->held);
    table_count(t, n->entries);
    table_count(t, n->kept);
    table_percent(t, n->kept, n->held);
    table_text(t, n->flags & TIMETREE_FORCED ? "leaf, forced"
                  : n->flags & TIMETREE_LEAF ? "leaf"
                                             : "node");
}

static void print_nodes(const struct timetree *tree, uint64_t shown,
                        const struct options *o, FILE *to)
{
    struct table t = {0};

    table_column(&t, "node", "node", TABLE_NUMBER);
    table_column(&t, "level", "level", TABLE_NUMBER);
    table_column(&t, "from", "from", TABLE_NUMBER);
    table_column(&t, "to", "to", TABLE_NUMBER);
    table_column(&t, "", "raw", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "stacks\nkept", "stacks", TABLE_NUMBER);
    table_column(&t, "", "kept", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "they\nhold", "percent", TABLE_NUMBER);
    table_column(&t, "", "is", 0);
    for (uint64_t i = 0; i < shown; i++)
        put_node(&t, tree, i);
    report_table(&t, o, to);
}

/* ---- what they hold ------------------------------------------------------ */

/* A row of a node: so many samples, at `cycle` if it is one of a leaf. */
static void put_held(struct table *t, const struct timetree_file *f,
                     uint64_t node, const char *is, const uint64_t *cycle,
                     const struct timetree_entry *e)
{
    char *text = tree_spell(f, f->call_of[e->type], false);
    char *csv = tree_spell(f, f->call_of[e->type], true);

    table_count(t, node);
    table_text(t, is);
    if (cycle)
        table_count(t, *cycle);
    else
        table_text(t, "");
    table_count(t, e->count);
    table_count(t, e->weight);
    table_count(t, e->type);
    table_both(t, text, csv);
    free(text);
    free(csv);
}

/* False: the node is damaged. */
static bool put_entries(struct table *t, const struct timetree_file *f,
                        uint64_t node)
{
    const struct timetree_node *n = &f->tree.node[node];
    struct timetree_entry *list = grow_zero((size_t)n->all + 1, sizeof *list);
    bool good = timetree_entries(&f->tree, (uint32_t)node, true, list);

    for (uint32_t i = 0; good && i < n->all; i++)
        put_held(t, f, node, i < n->entries ? "kept" : "dropped", NULL,
                 &list[i]);
    free(list);
    return good;
}

static bool put_samples(struct table *t, const struct timetree_file *f,
                        uint64_t node)
{
    const struct timetree_node *n = &f->tree.node[node];
    struct stream_view *v = grow_zero(1, sizeof *v);
    bool good = true;

    v->block = STREAM_NONE;
    for (uint64_t i = n->first; good && i < n->first + n->held; i++) {
        const struct stream_sample *s = &v->sample[0];
        struct timetree_entry one = {.count = 1};

        good = stream_read(&f->tree.stream, v, i);
        if (good)
            s = &v->sample[i - v->first];
        good = good && s->type < f->tree.types;
        one.type = s->type;
        one.weight = s->weight;
        if (good)
            put_held(t, f, node, "sample", &s->time, &one);
    }
    free(v);
    return good;
}

static bool print_held(const struct timetree_file *f, uint64_t shown,
                       const struct options *o, FILE *to)
{
    struct table t = {0};
    bool good = true;

    table_column(&t, "node", "node", TABLE_NUMBER);
    table_column(&t, "", "is", 0);
    table_column(&t, "at cycle", "cycle", TABLE_NUMBER);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "events", "events", TABLE_NUMBER);
    table_column(&t, "number", "number", TABLE_NUMBER);
    table_column(&t, "stack: function < its caller < ...", "stack", TABLE_WRAP);
    for (uint64_t i = 0; good && i < shown; i++)
        good =
            put_entries(&t, f, i) &&
            (!(f->tree.node[i].flags & TIMETREE_LEAF) || put_samples(&t, f, i));
    report_table(&t, o, to);
    return good;
}

/* ---- the report ---------------------------------------------------------- */

void report_tree_show(struct recording *r, const struct options *o, FILE *to)
{
    bool held = o->text[OPTION_BIT_VERBOSE] != NULL;
    struct timetree_choice c = {0};
    char source[TIMETREE_SOURCE], why[512];
    struct timetree_file f;
    struct selection s;
    uint64_t shown;
    bool known;

    if (!tree_choice(r, o, &c, &s))
        return;
    known = timetree_file_source(r, &c, source, why, sizeof why);
    selection_close(&s);
    if (!known) {
        report_refuse(o, "%s", why);
        return;
    }
    if (!tree_open(r, o, source, true, &f))
        return;
    shown = o->limit && f.tree.nodes > o->limit ? o->limit : f.tree.nodes;
    if (!o->csv) {
        report_head(r, "the time tree", to);
        tree_say_shape(&f, o, to);
        putc('\n', to);
    }
    if (!held || !o->csv)
        print_nodes(&f.tree, shown, o, to);
    if (!o->csv && shown < f.tree.nodes)
        fprintf(to, "(%" PRIu64 " more nodes)\n", f.tree.nodes - shown);
    if (!o->csv && held)
        putc('\n', to);
    if (held && !print_held(&f, shown, o, to))
        report_fail(o,
                    "%s: the time tree of %s is damaged, make it again with "
                    "simprof tree build %s",
                    o->experiment, f.source, o->experiment);
    timetree_file_close(&f);
}
