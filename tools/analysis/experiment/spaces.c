/* spaces.c - see spaces.h. */
#include "tools/analysis/experiment/spaces.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"

void spaces_add(struct spaces *s, const struct record *r)
{
    if (record_get_program_space_at(r))
        return; /* of our guest */
    s->list = grow(s->list, &s->room, s->count + 1, sizeof *s->list);
    s->list[s->count] =
        (struct space){.pid = record_get_program_space_pid(r),
                       .space = record_get_program_space_space(r),
                       .from = r->cycle,
                       .serial = s->count};
    s->count++;
}

static int by_time(const void *a, const void *b)
{
    const struct space *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int by_pid(const void *a, const void *b)
{
    const struct space *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return by_time(a, b);
}

void spaces_order(struct spaces *s, const struct threads *threads)
{
    s->threads = threads;
    if (!s->count)
        return;
    s->latest = grow_zero(s->count, sizeof *s->latest);
    memcpy(s->latest, s->list, s->count * sizeof *s->list);
    qsort(s->list, s->count, sizeof *s->list, by_pid);
    qsort(s->latest, s->count, sizeof *s->latest, by_time);
}

void spaces_free(struct spaces *s)
{
    free(s->list);
    free(s->latest);
    *s = (struct spaces){0};
}

uint32_t spaces_at(const struct spaces *s, uint32_t thread, uint64_t cycle)
{
    const struct thread *t;
    size_t n;

    if (!s->count)
        return 0;
    if (!thread) {
        n = SEARCH_FIRST(0, s->count, i, s->latest[i].from > cycle);
        return n ? s->latest[n - 1].space : 0;
    }
    t = threads_find(s->threads, thread, cycle);
    if (!t)
        return 0;
    n = SEARCH_FIRST(0, s->count, i,
                     s->list[i].pid > t->pid ||
                         (s->list[i].pid == t->pid && s->list[i].from > cycle));
    return n && s->list[n - 1].pid == t->pid ? s->list[n - 1].space : 0;
}
