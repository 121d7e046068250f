/* problem.c - a list of lines. */
#include "tools/analysis/experiment/problem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"

void problem_add(struct problems *p, enum problem_level level,
                 const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text_printable(line);
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->list[i].text, line))
            return;
    p->list = grow(p->list, &p->room, p->count + 1, sizeof *p->list);
    p->list[p->count++] =
        (struct problem){.level = level, .text = grow_text(line)};
}

bool problems_damage(const struct problems *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].level == PROBLEM_DAMAGE)
            return true;
    return false;
}

size_t problems_print_from(const struct problems *p, size_t from, FILE *to)
{
    for (size_t i = from; i < p->count; i++)
        fprintf(to, "simprof: %s: %s\n",
                p->list[i].level == PROBLEM_NOTE ? "note" : "damage",
                p->list[i].text);
    return p->count;
}

void problems_print(const struct problems *p, FILE *to)
{
    problems_print_from(p, 0, to);
}

void problems_free(struct problems *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->list[i].text);
    free(p->list);
    *p = (struct problems){0};
}
