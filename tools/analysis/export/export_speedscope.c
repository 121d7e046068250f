/* export_speedscope.c - writes what speedscope reads: JSON with a profile for
 * each counter, each different stack once with its events. Stacks stand in
 * the order of their names, not of time: CPUs run side by side.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/analysis/export/export.h"
#include "lib/base/grow.h"

static void put_text(const char *text, FILE *to)
{
    putc('"', to);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(to, "\\u%04x", *text);
        else
            putc(*text, to);
    putc('"', to);
}

struct speedscope {
    struct export *e;
    struct stacktree stacks;
    struct hash number; /* of function to place among the frames, plus 1 */
    FILE *to;
};

/* The functions that are in any stack, each once. */
static void put_frames(struct speedscope *w)
{
    uint32_t frames = 0;

    for (size_t i = 1; i < w->stacks.count; i++) {
        uint32_t frame = w->stacks.node[i].frame;
        bool fresh;
        uint32_t *at = hash_at(&w->number, frame, &fresh);

        if (!fresh)
            continue;
        *at = frames++;
        fputs(frames == 1 ? "\n{\"name\":" : ",\n{\"name\":", w->to);
        put_text(export_frame(w->e, frame), w->to);
        putc('}', w->to);
    }
}

static void put_stack(struct speedscope *w, uint32_t node)
{
    uint32_t path[EXPORT_STACK_MAX];
    size_t n = export_path(&w->stacks, node, path);

    putc('[', w->to);
    for (size_t i = 0; i < n; i++)
        fprintf(w->to, "%s%" PRIu32, i ? "," : "",
                *hash_find(&w->number, path[i]));
    putc(']', w->to);
}

/* Stacks that a counter has events in, or those events. */
static void put_list(struct speedscope *w, unsigned counter, bool weights)
{
    bool first = true;

    for (uint32_t node = stacktree_next(&w->stacks, STACKTREE_ROOT);
         node != STACKTREE_NONE; node = stacktree_next(&w->stacks, node)) {
        uint64_t events = stacktree_base(&w->stacks, node, counter);

        if (!events)
            continue;
        fputs(first ? "" : weights ? "," : ",\n", w->to);
        first = false;
        if (weights)
            fprintf(w->to, "%" PRIu64, events);
        else
            put_stack(w, node);
    }
}

static void put_profile(struct speedscope *w, unsigned i)
{
    const struct export_counter *c = &w->e->counter[i];

    fputs(i ? ",\n{\"type\":\"sampled\",\"name\":"
            : "\n{\"type\":\"sampled\",\"name\":",
          w->to);
    put_text(c->name, w->to);
    fprintf(w->to,
            ",\"unit\":\"none\",\"startValue\":0,\"endValue\":%" PRIu64
            ",\n\"samples\":[",
            c->events);
    put_list(w, i, false);
    fputs("],\n\"weights\":[", w->to);
    put_list(w, i, true);
    fputs("]}", w->to);
}

bool export_speedscope(struct export *e, FILE *to)
{
    struct speedscope w = {.e = e, .to = to};

    export_stacks(e, &w.stacks);
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json"
          "\",\n\"exporter\":\"simprof\",\"name\":",
          to);
    put_text(e->r->name, to);
    fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", to);
    put_frames(&w);
    fputs("]},\n\"profiles\":[", to);
    for (unsigned i = 0; i < e->counters; i++)
        put_profile(&w, i);
    fputs("]}\n", to);
    stacktree_free(&w.stacks);
    hash_free(&w.number);
    return !ferror(to);
}
