/* lines.c - the instructions of a source line, by the DWARF line tables. */
#include <string.h>

#include "tools/simmark/program.h"

/* Is `name`, as the compiler was given it, what was asked for: the same, or
 * the same from a directory on? */
static bool is_file(const char *name, const char *asked)
{
    size_t n = strlen(name), m = strlen(asked);

    return n >= m && !strcmp(name + n - m, asked) &&
           (n == m || name[n - m - 1] == '/');
}

unsigned program_line(void *program, const char *file, unsigned line, void *to,
                      void (*found)(void *to, uint32_t start, uint32_t size))
{
    struct program *p = program;
    unsigned n = 0;

    if (!p->lines_read)
        line_table_read(&p->lines, &p->elf);
    p->lines_read = true;
    for (size_t k = 0; k < p->lines.count; k++) {
        const struct line_range *r = &p->lines.range[k];

        if (r->line != line || r->from % 4 || r->to % 4 ||
            !is_file(p->lines.file[r->file], file))
            continue;
        found(to, (uint32_t)r->from, (uint32_t)(r->to - r->from));
        n++;
    }
    return n;
}
