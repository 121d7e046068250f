/* program.c - reads the ELF file with libelf. Believes nothing in it. */
#include "tools/simmark/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/role.h"
#include "pmu/markspec/symtab.h"

#define SIZE_MAX_FILE (1u << 30)

/* Where a check complains. */
struct reading {
    struct program *p;
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool
refuse(const struct reading *r, const char *format, ...)
{
    int used = snprintf(r->why, r->size, "%s: ", r->p->path);
    va_list args;

    va_start(args, format);
    if (used >= 0 && (size_t)used < r->size)
        vsnprintf(r->why + used, r->size - (size_t)used, format, args);
    va_end(args);
    return false;
}

/* ---- the bytes ----------------------------------------------------------- */

static bool read_bytes(const struct reading *r, int fd)
{
    struct program *p = r->p;
    struct stat st;
    size_t done = 0;

    if (fstat(fd, &st) != 0)
        return refuse(r, "cannot be read: %s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return refuse(r, "is not a regular file, name an ELF file");
    if (st.st_size > SIZE_MAX_FILE)
        return refuse(r, "is larger than 1 GiB, strip it");
    p->mode = st.st_mode & 07777;
    p->size = (size_t)st.st_size;
    p->bytes = malloc(p->size + 1);
    if (!p->bytes)
        return refuse(r, "the host has no memory for it");
    while (done < p->size) {
        ssize_t n = read(fd, p->bytes + done, p->size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refuse(r, "cannot be read: %s", strerror(errno));
        if (n == 0)
            return refuse(r, "got shorter while it was read, try again");
        done += (size_t)n;
    }
    return true;
}

static bool read_file(const struct reading *r)
{
    int fd = open(r->p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ok;

    if (fd < 0)
        return refuse(r, "cannot be opened: %s", strerror(errno));
    ok = read_bytes(r, fd);
    close(fd);
    return ok;
}

/* ---- headers ------------------------------------------------------------- */

static bool check_header(const struct reading *r)
{
    struct program *p = r->p;
    const unsigned char *b = p->bytes;

    if (p->size < sizeof(Elf32_Ehdr) || memcmp(b, ELFMAG, SELFMAG) != 0)
        return refuse(r, "is not an ELF file, name a PowerPC executable");
    if (b[EI_CLASS] != ELFCLASS32 || b[EI_DATA] != ELFDATA2MSB)
        return refuse(r, "is not 32-bit big-endian, compile it for 32-bit "
                         "big-endian PowerPC");
    elf_version(EV_CURRENT);
    p->elf = elf_memory((char *)p->bytes, p->size);
    if (!p->elf || !gelf_getehdr(p->elf, &p->head))
        return refuse(r, "cannot be understood (%s), make it again",
                      elf_errmsg(-1));
    if (p->head.e_machine != EM_PPC)
        return refuse(r,
                      "is for another processor (ELF machine %u), compile "
                      "it for PowerPC",
                      p->head.e_machine);
    if (p->head.e_type != ET_EXEC && p->head.e_type != ET_DYN)
        return refuse(r, "is not linked, link it first");
    return true;
}

static bool add_segment(const struct reading *r, const GElf_Phdr *h)
{
    struct program *p = r->p;
    struct program_segment *s = &p->segment[p->segments];
    uint64_t end = h->p_vaddr + h->p_memsz;
    uint32_t start = (uint32_t)h->p_vaddr & ~UINT32_C(3);

    if (p->segments == PROGRAM_SEGMENTS)
        return refuse(r, "has more than %d segments, link it with fewer",
                      PROGRAM_SEGMENTS);
    if (h->p_filesz > h->p_memsz || end > UINT64_C(1) << 32 ||
        (h->p_filesz &&
         (h->p_offset > p->size || h->p_filesz > p->size - h->p_offset)))
        return refuse(r,
                      "its segment at 0x%llx does not fit the file or the "
                      "address space, make it again",
                      (unsigned long long)h->p_vaddr);
    *s = (struct program_segment){
        .address = (uint32_t)h->p_vaddr,
        .memory = (uint32_t)h->p_memsz,
        .offset = h->p_filesz ? (uint32_t)h->p_offset : 0,
        .file = (uint32_t)h->p_filesz,
        .flags = {h->p_flags & PF_R ? 'r' : '-', h->p_flags & PF_W ? 'w' : '-',
                  h->p_flags & PF_X ? 'x' : '-'}};
    p->place[p->segments++] = (struct perfinst_place){
        start, (uint32_t)(((end + 3) & ~UINT64_C(3)) - start),
        h->p_flags & PF_X, h->p_flags & PF_W};
    return true;
}

static bool read_segments(const struct reading *r)
{
    GElf_Phdr h;

    for (unsigned k = 0; k < r->p->head.e_phnum; k++) {
        if (!gelf_getphdr(r->p->elf, (int)k, &h))
            return refuse(r, "has broken program headers (%s), make it again",
                          elf_errmsg(-1));
        if (h.p_type == PT_LOAD && h.p_memsz && !add_segment(r, &h))
            return false;
    }
    return r->p->segments || refuse(r, "loads nothing, link it");
}

/* ---- symbols ------------------------------------------------------------- */

static bool find_symbols(const struct reading *r)
{
    struct program *p = r->p;
    struct symtab names;

    if (!symtab_read(&names, p->elf))
        return refuse(r, "the host has no memory for its names");
    p->symbol = symtab_symbols(&names);
    p->symbols = names.count;
    symtab_free(&names);
    return p->symbol || refuse(r, "the host has no memory for its names");
}

const struct perfinst_symbol *program_symbol(const struct program *p,
                                             uint32_t address, bool data)
{
    const struct perfinst_symbol *found = NULL;

    for (size_t k = 0; k < p->symbols; k++) {
        const struct perfinst_symbol *s = &p->symbol[k];

        if (s->address > address)
            break;
        if (address - s->address >= s->size)
            continue;
        if (found && s->label && s->function == data)
            continue; /* it hides nothing of the function it is in */
        if (found && found->address == s->address && found->function != data)
            continue; /* the first of an address is the best */
        found = s;
    }
    return found;
}

/* ---- marks --------------------------------------------------------------- */

static bool read_markers(const struct reading *r, Elf_Scn *section)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    char why[200];

    if (r->p->markers.entries)
        return refuse(r, "has " MARKERS_SECTION " twice, make it again");
    if (!data || !markers_read(&r->p->markers, data->d_buf, data->d_size, why,
                               sizeof why))
        return refuse(r, "%s", data ? why : "is not all in the file");
    return true;
}

static bool read_marks(const struct reading *r)
{
    struct program *p = r->p;
    Elf_Scn *section = NULL;
    size_t names = 0;
    GElf_Shdr h;

    elf_getshdrstrndx(p->elf, &names);
    while ((section = elf_nextscn(p->elf, section))) {
        const char *name = NULL;
        Elf_Data *data;

        if (gelf_getshdr(section, &h) && h.sh_type != SHT_NULL)
            name = elf_strptr(p->elf, names, h.sh_name);
        if (name && !strcmp(name, MARKERS_SECTION) && !read_markers(r, section))
            return false;
        if (!name || strcmp(name, PERFINST_SECTION) != 0 ||
            h.sh_type == SHT_NOBITS)
            continue;
        data = elf_rawdata(section, NULL);
        if (!data || data->d_size != h.sh_size)
            return refuse(r, PERFINST_SECTION " is not all in the file, make "
                                              "it again");
        if (data->d_size &&
            !perfinst_read(h.sh_flags & SHF_ALLOC ? &p->loaded : &p->own,
                           &p->world, data->d_buf, data->d_size, r->why,
                           r->size))
            return false;
    }
    return true;
}

long program_offset(const struct program *p, uint32_t address)
{
    for (unsigned k = 0; k < p->segments; k++) {
        const struct program_segment *s = &p->segment[k];
        uint32_t at = address - s->address;

        if (address >= s->address && at < s->file && s->file - at >= 4)
            return (long)(s->offset + at);
    }
    return -1;
}

bool program_word(const struct program *p, uint32_t address, uint32_t *word)
{
    long at = program_offset(p, address);
    const unsigned char *b = p->bytes + at;

    if (at >= 0)
        *word = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
                (uint32_t)b[2] << 8 | b[3];
    return at >= 0;
}

static unsigned roles_at(void *arg, uint32_t address, uint32_t *target)
{
    uint32_t word;

    if (!program_word(arg, address, &word))
        return 0;
    isa_target(word, address, target);
    return isa_roles(word);
}

static bool understand(struct program *p, const char *path, char *why,
                       size_t size)
{
    struct reading r = {p, why, size};

    if (check_header(&r) && read_segments(&r) && find_symbols(&r)) {
        p->world = (struct perfinst_world){.file = path,
                                           .place = p->place,
                                           .places = p->segments,
                                           .symbol = p->symbol,
                                           .symbols = p->symbols,
                                           .arg = p,
                                           .roles = roles_at,
                                           .line = program_line};
        if (read_marks(&r))
            return true;
    }
    program_close(p);
    return false;
}

bool program_open(struct program *p, const char *path, char *why, size_t size)
{
    struct reading r = {p, why, size};

    *p = (struct program){.path = path};
    if (read_file(&r))
        return understand(p, path, why, size);
    program_close(p);
    return false;
}

bool program_adopt(struct program *p, const struct program *like,
                   unsigned char *bytes, size_t length, char *why, size_t size)
{
    *p = (struct program){
        .path = like->path, .bytes = bytes, .size = length, .mode = like->mode};
    return understand(p, like->path, why, size);
}

void program_close(struct program *p)
{
    markers_free(&p->markers);
    perfinst_free(&p->own);
    perfinst_free(&p->loaded);
    free(p->symbol);
    if (p->dwarf)
        dwarf_end(p->dwarf);
    if (p->elf)
        elf_end(p->elf);
    free(p->bytes);
    *p = (struct program){0};
}

bool program_has_another(const struct program *p,
                         const struct perfinst_symbol *s)
{
    for (size_t k = 0; s->source && k < p->symbols; k++)
        if (p->symbol[k].address != s->address &&
            !strcmp(p->symbol[k].name, s->name))
            return true;
    return false;
}
