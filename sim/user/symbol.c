/* symbol.c - the function at an address, from the symbol table of the file.
 * For a sentence to a person; believes nothing in the file.
 */
#include "sim/user/inside.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

static bool holds(const GElf_Sym *s, uint32_t a)
{
    if (GELF_ST_TYPE(s->st_info) != STT_FUNC || a < s->st_value)
        return false;
    return a - s->st_value < (s->st_size ? s->st_size : 4);
}

static void search(Elf *elf, Elf_Scn *section, const GElf_Shdr *h, uint32_t a,
                   char *text, size_t size)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym s;

    for (int n = 0; data && gelf_getsym(data, n, &s); n++) {
        const char *name;

        if (!holds(&s, a) || !(name = elf_strptr(elf, h->sh_link, s.st_name)))
            continue;
        snprintf(text, size, "%.200s+0x%x", name, a - (uint32_t)s.st_value);
        return;
    }
}

void symbol_name(const struct image *image, uint32_t a, char *text, size_t size)
{
    Elf *elf = elf_memory((char *)image->bytes, image->size);
    Elf_Scn *section = NULL;
    GElf_Shdr h;

    *text = '\0';
    while (elf && !*text && (section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &h) && h.sh_type == SHT_SYMTAB)
            search(elf, section, &h, a, text, size);
    elf_end(elf);
}
