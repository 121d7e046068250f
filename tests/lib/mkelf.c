/* mkelf.c - writes an ELF file through libelf, layout by our own hand. */
#include "tests/lib/mkelf.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 1, NOTE, SYMTAB, STRTAB, SHSTRTAB, SECTIONS };

static const char section_names[] =
    "\0.text\0.note.gnu.build-id\0.symtab\0.strtab\0.shstrtab";
static const unsigned name_at[SECTIONS] = {0, 1, 7, 26, 34, 42};

struct work {
    const struct mkelf *m;
    Elf *elf;
    uint64_t end; /* of the file so far */
    unsigned char note[36];
    char *strings;
    size_t strings_used;
    Elf32_Sym *symbols;
};

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "mkelf: %s: %s\n", what, elf_errmsg(-1));
    exit(99);
}

static Elf_Data *section(struct work *w, int which, GElf_Shdr head,
                         const void *bytes, uint64_t size)
{
    Elf_Scn *scn = elf_newscn(w->elf);
    Elf_Data *data = elf_newdata(scn);

    check(scn && data && elf_ndxscn(scn) == (size_t)which, "section");
    head.sh_name = name_at[which];
    w->end = (w->end + 15) & ~(uint64_t)15;
    if (!head.sh_offset)
        head.sh_offset = w->end;
    head.sh_size = size;
    if (head.sh_offset + size > w->end)
        w->end = head.sh_offset + size;
    if (!head.sh_addralign)
        head.sh_addralign = 4;
    data->d_buf = (void *)(uintptr_t)bytes;
    data->d_size = size;
    data->d_align = head.sh_addralign;
    data->d_version = EV_CURRENT;
    data->d_type = ELF_T_BYTE;
    check(gelf_update_shdr(scn, &head), "section header");
    return data;
}

static void make_symbols(struct work *w)
{
    size_t room = 1;

    for (size_t i = 0; i < w->m->symbols; i++)
        room += strlen(w->m->symbol[i].name) + 1;
    w->strings = calloc(1, room);
    w->symbols = calloc(w->m->symbols + 1, sizeof *w->symbols);
    w->strings_used = 1;
    for (size_t i = 0; i < w->m->symbols; i++) {
        const struct mkelf_symbol *s = &w->m->symbol[i];

        w->symbols[i + 1] = (Elf32_Sym){
            .st_name = (Elf32_Word)w->strings_used,
            .st_value = s->addr,
            .st_size = s->size,
            .st_info =
                ELF32_ST_INFO(s->local ? STB_LOCAL : STB_GLOBAL, s->type),
            .st_shndx = s->type == STT_FILE ? SHN_ABS : TEXT,
        };
        strcpy(w->strings + w->strings_used, s->name);
        w->strings_used += strlen(s->name) + 1;
    }
}

static void write_sections(struct work *w, const void *text)
{
    const struct mkelf *m = w->m;
    unsigned locals = 1;
    Elf_Data *data;

    for (size_t i = 0; i < m->symbols; i++)
        locals += m->symbol[i].local;
    section(w, TEXT,
            (GElf_Shdr){.sh_type = SHT_PROGBITS,
                        .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                        .sh_addr = m->addr,
                        .sh_offset = m->offset},
            text, m->size);
    memcpy(w->note, "\0\0\0\4\0\0\0\24\0\0\0\3GNU", 16);
    if (m->build_id)
        memcpy(w->note + 16, m->build_id, 20);
    section(w, NOTE, (GElf_Shdr){.sh_type = SHT_NOTE}, w->note,
            m->build_id ? sizeof w->note : 0);
    data = section(w, SYMTAB,
                   (GElf_Shdr){.sh_type = SHT_SYMTAB,
                               .sh_link = STRTAB,
                               .sh_info = locals,
                               .sh_entsize = sizeof(Elf32_Sym)},
                   w->symbols, (m->symbols + 1) * sizeof(Elf32_Sym));
    data->d_type = ELF_T_SYM;
    section(w, STRTAB, (GElf_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1},
            w->strings, w->strings_used);
    section(w, SHSTRTAB, (GElf_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1},
            section_names, sizeof section_names);
}

void mkelf_write(const char *path, const struct mkelf *m)
{
    struct work w = {.m = m, .end = 0x100};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    void *text = calloc(1, m->size ? m->size : 1);
    GElf_Ehdr head;
    GElf_Phdr load;

    check(elf_version(EV_CURRENT) != EV_NONE && fd >= 0 && text, path);
    w.elf = elf_begin(fd, ELF_C_WRITE, NULL);
    check(w.elf && gelf_newehdr(w.elf, ELFCLASS32) && gelf_newphdr(w.elf, 1),
          "header");
    elf_flagelf(w.elf, ELF_C_SET, ELF_F_LAYOUT);
    check(gelf_getehdr(w.elf, &head), "header");
    head.e_ident[EI_DATA] = ELFDATA2MSB;
    head.e_machine = EM_PPC;
    head.e_type = ET_EXEC;
    head.e_version = EV_CURRENT;
    head.e_phoff = 52;
    head.e_shstrndx = SHSTRTAB;
    check(gelf_update_ehdr(w.elf, &head), "header");
    make_symbols(&w);
    write_sections(&w, text);
    load = (GElf_Phdr){.p_type = PT_LOAD,
                       .p_flags = PF_R | PF_X,
                       .p_offset = m->offset ? m->offset : 0x100,
                       .p_vaddr = m->addr,
                       .p_paddr = m->addr,
                       .p_filesz = m->size,
                       .p_memsz = m->size};
    check(gelf_update_phdr(w.elf, 0, &load), "program header");
    head.e_shoff = (w.end + 15) & ~(uint64_t)15;
    check(gelf_update_ehdr(w.elf, &head), "header");
    check(elf_update(w.elf, ELF_C_WRITE) >= 0, "write");
    elf_end(w.elf);
    close(fd);
    free(text);
    free(w.strings);
    free(w.symbols);
}
