/* elf.c - programs: static ELF files for 32-bit PowerPC in the RAM disk. Their
 * pages come from the file when they are touched. Nothing in the file is
 * believed.
 */
#include <linux/elf-em.h>
#include <linux/elf.h>

#include "guest/process/file.h"

static bool inside(const struct node *f, uint32_t at, uint32_t bytes)
{
    return at <= f->size && bytes <= f->size - at;
}

/* The header of a program; NULL: it is none, or is not whole. A file that was
 * written is none: its bytes are not in one piece. */
static const Elf32_Ehdr *header_of(const struct node *f)
{
    const Elf32_Ehdr *h = (const Elf32_Ehdr *)f->bytes;
    bool good = f->bytes && !f->store && f->size >= sizeof *h &&
                !memcmp(h->e_ident, ELFMAG, SELFMAG) &&
                h->e_ident[EI_CLASS] == ELFCLASS32 &&
                h->e_ident[EI_DATA] == ELFDATA2MSB && h->e_type == ET_EXEC &&
                h->e_machine == EM_PPC && h->e_phentsize == sizeof(Elf32_Phdr);

    return good && inside(f, h->e_phoff, h->e_phnum * sizeof(Elf32_Phdr))
               ? h
               : NULL;
}

/* One segment, with the rest of its first page in front of it. */
static int32_t map_segment(struct space *s, const struct node *f,
                           const Elf32_Phdr *h, struct program *p)
{
    uint32_t table = ((const Elf32_Ehdr *)f->bytes)->e_phoff;
    uint32_t va = h->p_vaddr, skip = va & PAGE_MASK;
    struct region r = {.may = (h->p_flags & PF_R ? MAY_READ : 0) |
                              (h->p_flags & PF_W ? MAY_WRITE : 0) |
                              (h->p_flags & PF_X ? MAY_RUN : 0)};
    uint32_t end = WHOLE_PAGES(va + h->p_memsz);

    if (!h->p_memsz)
        return 0;
    if (h->p_filesz > h->p_memsz || !inside(f, h->p_offset, h->p_filesz) ||
        va >= MAP_TOP || h->p_memsz >= MAP_TOP - va || h->p_offset < skip)
        return -ENOEXEC;
    if (h->p_filesz) {
        r.origin = f->bytes + h->p_offset - skip;
        r.bytes = h->p_filesz + skip;
    }
    if (end > p->end)
        p->end = end;
    /* Where the table of these headers is in memory. */
    if (table >= h->p_offset && table < h->p_offset + h->p_filesz)
        p->headers = va + table - h->p_offset;
    return space_map(s, va - skip, end - (va - skip), &r);
}

int32_t elf_map(struct space *s, struct node *file, struct program *p)
{
    const Elf32_Ehdr *h = header_of(file);
    const Elf32_Phdr *segment;

    if (!h)
        return -ENOEXEC;
    *p = (struct program){
        .file = file, .entry = h->e_entry, .header_count = h->e_phnum};
    segment = (const Elf32_Phdr *)(file->bytes + h->e_phoff);
    for (uint32_t n = 0; n < h->e_phnum; n++, segment++) {
        int32_t error = 0;

        if (segment->p_type == PT_INTERP)
            return -ENOEXEC; /* static programs only */
        if (segment->p_type == PT_LOAD)
            error = map_segment(s, file, segment, p);
        if (error)
            return error;
    }
    s->brk_start = s->brk = p->end;
    return 0;
}
