/* notes.c - see notes.h. Believes nothing in the file. */
#include "tools/analysis/symbols/notes.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

void elfnotes_build_id(Elf *elf, char *build_id)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr section;
    GElf_Nhdr note;
    size_t name, desc;

    build_id[0] = '\0';
    while ((scn = elf_nextscn(elf, scn))) {
        Elf_Data *data;

        if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_NOTE ||
            !(data = elf_getdata(scn, NULL)) || !data->d_buf)
            continue;
        for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &desc));)
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                !memcmp((char *)data->d_buf + name, "GNU", 4))
                for (size_t i = 0; i < note.n_descsz && i < 64; i++)
                    sprintf(build_id + 2 * i, "%02x",
                            ((unsigned char *)data->d_buf)[desc + i]);
    }
}

void elfnotes_markers(Elf *elf, struct markers *m)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr section;
    size_t names = 0;
    char why[200];

    *m = (struct markers){0};
    elf_getshdrstrndx(elf, &names);
    while (!m->home && (scn = elf_nextscn(elf, scn))) {
        const char *name =
            gelf_getshdr(scn, &section) && section.sh_type != SHT_NULL
                ? elf_strptr(elf, names, section.sh_name)
                : NULL;
        Elf_Data *data = name && !strcmp(name, MARKERS_SECTION)
                             ? elf_rawdata(scn, NULL)
                             : NULL;

        if (data && data->d_buf)
            markers_read(m, data->d_buf, data->d_size, why, sizeof why);
    }
}
