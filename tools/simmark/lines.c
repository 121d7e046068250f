/* lines.c - the instructions of a source line, by the DWARF line tables. */
#include <string.h>

#include "tools/simmark/program.h"

/* Is `name`, as the compiler was given it, what was asked for: the same, or
 * the same from a directory on? */
static bool is_file(const char *name, const char *asked)
{
    size_t n = name ? strlen(name) : 0, m = strlen(asked);

    return n >= m && !strcmp(name + n - m, asked) &&
           (n == m || name[n - m - 1] == '/');
}

/* Rows of one compilation unit: each holds up to the next one. */
static unsigned
unit_lines(Dwarf_Die *unit, const char *file, unsigned line, void *to,
           void (*found)(void *to, uint32_t start, uint32_t size))
{
    Dwarf_Lines *lines;
    size_t count;
    unsigned n = 0;

    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return 0;
    for (size_t k = 0; k + 1 < count; k++) {
        Dwarf_Line *row = dwarf_onesrcline(lines, k);
        Dwarf_Line *next = dwarf_onesrcline(lines, k + 1);
        Dwarf_Addr start, end;
        bool last = true;
        int number;

        if (!row || !next || dwarf_lineno(row, &number) != 0 ||
            (unsigned)number != line || dwarf_lineaddr(row, &start) != 0 ||
            dwarf_lineaddr(next, &end) != 0 ||
            dwarf_lineendsequence(row, &last) != 0 || last || end <= start ||
            start % 4 || end % 4 ||
            !is_file(dwarf_linesrc(row, NULL, NULL), file))
            continue;
        found(to, (uint32_t)start, (uint32_t)(end - start));
        n++;
    }
    return n;
}

unsigned program_line(void *program, const char *file, unsigned line, void *to,
                      void (*found)(void *to, uint32_t start, uint32_t size))
{
    struct program *p = program;
    Dwarf_Off at = 0, next;
    size_t head;
    unsigned n = 0;

    if (!p->dwarf)
        p->dwarf = dwarf_begin_elf(p->elf.libelf, DWARF_C_READ, NULL);
    while (p->dwarf &&
           dwarf_nextcu(p->dwarf, at, &next, &head, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;

        if (dwarf_offdie(p->dwarf, at + head, &unit))
            n += unit_lines(&unit, file, line, to, found);
        at = next;
    }
    return n;
}
