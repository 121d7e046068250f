/* srcline.c - asks libdw. Units are searched one by one, since not every
 * compiler writes .debug_aranges.
 */
#include "sim/symbols/srcline.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

/* The row of a unit's line table that covers address. Of several with one
 * address the last that begins a statement, as debuggers choose. */
static Dwarf_Line *row_of(Dwarf_Lines *lines, size_t n, uint32_t address)
{
    Dwarf_Line *best = NULL;
    Dwarf_Addr from = 0, at;
    bool begins = false, last, statement;

    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i);

        if (dwarf_lineaddr(row, &at) || dwarf_lineendsequence(row, &last) ||
            dwarf_linebeginstatement(row, &statement))
            continue;
        if (at > address && best)
            return best;
        if (last || at > address) {
            best = NULL;
        } else if (!best || at != from || statement || !begins) {
            best = row;
            from = at;
            begins = statement;
        }
    }
    return NULL;
}

static void print(Dwarf_Line *row, char text[SRCLINE_TEXT])
{
    const char *name = dwarf_linesrc(row, NULL, NULL);
    const char *slash = name ? strrchr(name, '/') : NULL;
    int number = 0;

    if (name && !dwarf_lineno(row, &number) && number > 0)
        snprintf(text, SRCLINE_TEXT, "%.80s:%d", slash ? slash + 1 : name,
                 number);
}

void srcline_text(const struct image *i, uint32_t address,
                  char text[SRCLINE_TEXT])
{
    Dwarf_Off at = 0, next;
    size_t head, n;
    Dwarf *dwarf;
    Elf *elf;

    *text = '\0';
    elf_version(EV_CURRENT);
    elf = elf_memory((char *)i->bytes, i->size);
    dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    while (dwarf && !*text &&
           !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL)) {
        Dwarf_Lines *lines;
        Dwarf_Line *row;
        Dwarf_Die unit;

        if (dwarf_offdie(dwarf, at + head, &unit) &&
            !dwarf_getsrclines(&unit, &lines, &n) &&
            (row = row_of(lines, n, address)))
            print(row, text);
        at = next;
    }
    dwarf_end(dwarf);
    if (elf)
        elf_end(elf);
}
