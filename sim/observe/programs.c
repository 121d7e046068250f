/* programs.c - see programs.h. */
#include "sim/observe/programs.h"

#include <stdlib.h>

#include "lib/base/grow.h"

/* The program at this place, read when it is new; NULL: it is none. */
static struct program *program_at(struct programs *p, const struct machine *m,
                                  uint32_t at, uint32_t size, const char *name,
                                  bool *fresh)
{
    struct program *new;
    char why[512];

    *fresh = false;
    for (unsigned n = 0; n < p->count; n++)
        if (p->list[n].at == at && p->list[n].size == size)
            return &p->list[n];
    if (p->count == PROGRAMS || at > m->ram.size || size > m->ram.size - at)
        return NULL;
    if (!p->list)
        p->list = grow_zero(PROGRAMS, sizeof *p->list);
    new = &p->list[p->count];
    *new = (struct program){.at = at, .size = size};
    if (!image_read(&new->image, name, m->ram.bytes + at, size, IMAGE_PROGRAM,
                    why, sizeof why))
        return NULL;
    *fresh = true;
    p->count++;
    return new;
}

const struct image *programs_take(struct programs *p, struct machine *m,
                                  uint32_t at, uint32_t size, const char *name,
                                  bool *fresh)
{
    const struct program *it = program_at(p, m, at, size, name, fresh);
    unsigned number;

    if (!it)
        return NULL;
    number = (unsigned)(it - p->list) + 1;
    if (number == p->latest)
        return NULL;
    p->latest = number;
    if (m->named)
        names_add(&m->names, &it->image);
    return &it->image;
}

unsigned programs_number(const struct programs *p, uint32_t at, uint32_t size)
{
    for (unsigned n = 0; n < p->count; n++)
        if (p->list[n].at == at && p->list[n].size == size)
            return n + 1;
    return 0;
}

void programs_free(struct programs *p)
{
    for (unsigned n = 0; n < p->count; n++)
        image_close(&p->list[n].image);
    free(p->list);
    *p = (struct programs){0};
}
