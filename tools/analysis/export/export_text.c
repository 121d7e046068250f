/* export_text.c - samples as lines of text: CSV and folded stacks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/export/export.h"
#include "tools/analysis/profile/stacktree.h"

/* A name between separators: none of them may be in it. */
static void put_name(const char *name, FILE *to)
{
    for (; *name; name++)
        putc(strchr(";,\"", *name) ? '_' : *name, to);
}

static const char *name_at(struct export *e, const struct export_sample *s,
                           size_t i)
{
    return loadmap_name(&e->r->map, export_function(e, s, i));
}

/* ---- CSV ----------------------------------------------------------------- */

static void put_row(struct export *e, const struct export_sample *s, FILE *to)
{
    const struct thread *t = threads_find(&e->r->threads, s->thread, s->cycle);

    fprintf(to, "%" PRIu64 ",%u,%" PRIu32 ",%" PRIu32 ",", s->cycle, s->cpu,
            threads_process(&e->r->threads, s->thread, s->cycle, 0), s->thread);
    put_name(t ? t->name : "", to);
    putc(',', to);
    put_name(e->counter[s->counter].name, to);
    fprintf(to, ",%" PRIu32 ",%s,0x%08" PRIx32 ",0x%08" PRIx32 ",", s->events,
            s->user ? "user" : "kernel", s->pc[0], s->event_pc);
    if (s->data)
        fprintf(to, "0x%08" PRIx32, s->address);
    putc(',', to);
    put_name(s->napping ? "<napping>" : name_at(e, s, 0), to);
    putc(',', to);
    if (s->truncated)
        fputs("<Truncated-stack>;", to);
    for (size_t i = s->depth; i-- > 0;) {
        put_name(name_at(e, s, i), to);
        putc(i ? ';' : ',', to);
    }
    if (s->data)
        fprintf(to, "0x%08" PRIx32, s->physical);
    fprintf(to, ",%d\n", s->napping);
}

bool export_csv(struct export *e, FILE *to)
{
    struct export_sample s;
    struct recfile f;

    fputs("cycle,cpu,process,thread,name,counter,events,state,pc,event_pc,"
          "address,function,stack,physical,napping\n",
          to);
    e->naps_whole = true;
    if (export_start(e, &f))
        while (export_next(e, &f, &s))
            put_row(e, &s, to);
    return !ferror(to);
}

/* ---- folded stacks ------------------------------------------------------- */

/* The names from the root down to a node. */
static void put_path(const struct export *e, const struct stacktree *t,
                     uint32_t node, FILE *to)
{
    uint32_t path[EXPORT_STACK_MAX];
    size_t n = export_path(t, node, path);

    for (size_t i = 0; i < n; i++) {
        put_name(export_frame(e, path[i]), to);
        if (i + 1 < n)
            putc(';', to);
    }
}

bool export_folded(struct export *e, size_t counter, FILE *to)
{
    struct stacktree t;

    export_stacks(e, &t);
    for (uint32_t node = STACKTREE_ROOT; node != STACKTREE_NONE;
         node = stacktree_next(&t, node)) {
        uint64_t events = counter < t.metrics
                              ? stacktree_base(&t, node, (unsigned)counter)
                              : 0;

        if (!events)
            continue;
        put_path(e, &t, node, to);
        fprintf(to, " %" PRIu64 "\n", events);
    }
    stacktree_free(&t);
    return !ferror(to);
}
