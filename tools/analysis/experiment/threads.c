/* threads.c - the thread records as a table. */
#include "tools/analysis/experiment/threads.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "lib/base/text.h"

#define KEPT 15u /* letters of a name in a Linux kernel */

#define NAME_MAX_BYTES 256

char *threads_name(struct record_tail words)
{
    char name[NAME_MAX_BYTES + 1];
    size_t n = 0;

    for (uint32_t i = 0; i < words.words && n + 4 <= NAME_MAX_BYTES; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            name[n++] = (char)(record_tail_word(words, i) >> shift & 0xFF);
    name[n] = '\0';
    text_printable(name);
    return grow_text(name);
}

void threads_add(struct threads *t, const struct record *r)
{
    t->list = grow(t->list, &t->room, t->count + 1, sizeof *t->list);
    t->list[t->count] = (struct thread){
        .id = r->thread,
        .pid = t->program ? t->program : record_get_thread_pid(r),
        .is = record_get_thread_role(r),
        .from = r->cycle,
        .serial = t->count,
        .name = threads_name(record_get_thread_name(r)),
    };
    t->count++;
}

static int by_id(const void *a, const void *b)
{
    const struct thread *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

bool threads_called(const char *has, const char *asked)
{
    return !strcmp(has, asked) ||
           (strlen(has) == KEPT && !strncmp(has, asked, KEPT));
}

void threads_order(struct threads *t)
{
    if (t->count)
        qsort(t->list, t->count, sizeof *t->list, by_id);
}

void threads_free(struct threads *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->list[i].name);
    free(t->list);
    *t = (struct threads){0};
}

const struct thread *threads_find(const struct threads *t, uint32_t id,
                                  uint64_t cycle)
{
    size_t n = SEARCH_FIRST(
        0, t->count, i,
        t->list[i].id > id || (t->list[i].id == id && t->list[i].from > cycle));

    if (n && t->list[n - 1].id == id)
        return &t->list[n - 1];
    return n < t->count && t->list[n].id == id ? &t->list[n] : NULL;
}

uint32_t threads_process(const struct threads *t, uint32_t id, uint64_t cycle,
                         uint32_t unknown)
{
    const struct thread *it;

    if (!id || id == PROBE_NOBODY)
        return unknown;
    if (t->program)
        return t->program;
    it = threads_find(t, id, cycle);
    return it ? it->pid : unknown;
}
