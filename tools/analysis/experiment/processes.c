/* processes.c - see processes.h. */
#include "tools/analysis/experiment/processes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text_lines.h"

/* Takes `name`. */
static void set_name(struct processes *p, uint32_t pid, char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].pid == pid) {
            free(p->list[i].name);
            p->list[i].name = name;
            return;
        }
    p->list = grow(p->list, &p->room, p->count + 1, sizeof *p->list);
    p->list[p->count++] = (struct process){.pid = pid, .name = name};
}

/* "mine" out of "mine.<build-id>". */
static char *name_of_image(const char *image)
{
    const char *dot = strrchr(image, '.');
    char *name = grow_text(image);

    if (dot && dot > image)
        name[dot - image] = '\0';
    return name;
}

static void read_programs(struct processes *p, struct recording *r)
{
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_PROGRAM, &f))
        return;
    while (recfile_next(&f, &record))
        if (record_get_program_space_at(&record))
            set_name(p, record_get_program_pid(&record),
                     threads_name(record_get_program_name(&record)));
    recording_done(r, &f);
}

static void read_leaders(struct processes *p, const struct threads *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].id == t->list[i].pid &&
            t->list[i].is != THREAD_IS_DAEMON &&
            t->list[i].is != THREAD_IS_IDLE)
            set_name(p, t->list[i].pid, grow_text(t->list[i].name));
}

void processes_read(struct processes *p, struct recording *r)
{
    const char *image = text_lines_get(&r->log, "image");

    *p = (struct processes){0};
    if (r->threads.program && image)
        set_name(p, r->threads.program, name_of_image(image));
    else if (text_lines_get(&r->log, "kernel"))
        read_leaders(p, &r->threads);
    else
        read_programs(p, r);
}

void processes_free(struct processes *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->list[i].name);
    free(p->list);
    *p = (struct processes){0};
}

const char *processes_name(const struct processes *p, uint32_t pid)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].pid == pid)
            return p->list[i].name;
    return NULL;
}
