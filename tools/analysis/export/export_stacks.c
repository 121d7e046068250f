/* export_stacks.c - all samples as one tree of functions, a metric for each
 * counter, siblings by name: the same file whatever order CPUs came in.
 */
#include <string.h>

#include "tools/analysis/export/export.h"
#include "tools/analysis/profile/samples.h"

const char *export_frame(const struct export *e, uint32_t frame)
{
    return samples_name(e->r, frame);
}

static int by_name(const struct stacktree *t, uint32_t a, uint32_t b,
                   const void *arg)
{
    uint32_t x = t->node[a].frame, y = t->node[b].frame;
    int order = strcmp(export_frame(arg, x), export_frame(arg, y));

    return order ? order : x < y ? -1 : x > y;
}

void export_stacks(struct export *e, struct stacktree *t)
{
    uint32_t frame[EXPORT_STACK_MAX];
    struct export_sample s;
    struct recfile f;

    stacktree_init(t, e->counters ? (unsigned)e->counters : 1);
    if (!export_start(e, &f))
        return;
    while (export_next(e, &f, &s)) {
        const struct viewmode *v = &e->choice.view;
        size_t n = 0;

        frame[0] = viewmode_leaf(v, s.state);
        n += frame[0] != LOADMAP_UNKNOWN;
        for (size_t i = 0; i < s.depth; i++) {
            frame[n] = export_function(e, &s, i);
            if (!viewmode_hides(v, e->r, frame[n]))
                n++;
            else if (!n)
                frame[n++] = VIEWMODE_SYSTEM;
        }
        if (s.truncated)
            frame[n++] = SAMPLES_TRUNCATED;
        stacktree_add(t, stacktree_enter(t, frame, n), (unsigned)s.counter,
                      s.events);
    }
    stacktree_sort(t, by_name, e);
}

size_t export_path(const struct stacktree *t, uint32_t node, uint32_t *frame)
{
    size_t n = t->node[node].depth;

    for (size_t i = n; i-- > 0; node = t->node[node].parent)
        frame[i] = t->node[node].frame;
    return n;
}
