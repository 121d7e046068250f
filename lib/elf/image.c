/* image.c - reads the file's bytes and asks libelf. See image.h. */
#include "lib/elf/image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static bool
refuse(struct elf_wrong *w, enum elf_fault fault, const char *format, ...)
{
    va_list args;

    w->fault = fault;
    w->detail = NULL;
    va_start(args, format);
    vsnprintf(w->text, sizeof w->text, format, args);
    va_end(args);
    return false;
}

/* The same with libelf's words at the end of the clause. */
static bool refuse_libelf(struct elf_wrong *w, enum elf_fault fault,
                          const char *what)
{
    const char *detail = elf_errmsg(-1);

    refuse(w, fault, "%s (%s), make it again", what, detail);
    w->detail = detail;
    return false;
}

/* ---- the bytes ----------------------------------------------------------- */

static bool read_bytes(struct elf_image *e, int fd, struct elf_wrong *w)
{
    size_t done = 0;

    e->bytes = malloc(e->size);
    e->owned = true;
    if (!e->bytes)
        return refuse(w, ELF_FAULT_MEMORY,
                      "the host has no memory for a file of its size");
    while (done < e->size) {
        ssize_t n = pread(fd, e->bytes + done, e->size - done, (off_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refuse(w, ELF_FAULT_READ, "cannot be read: %s",
                          strerror(errno));
        if (n == 0)
            return refuse(w, ELF_FAULT_SHRANK,
                          "got shorter while it was read, try again");
        done += (size_t)n;
    }
    return true;
}

static bool read_open_file(struct elf_image *e, int fd, struct elf_wrong *w)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return refuse(w, ELF_FAULT_READ, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return refuse(w, ELF_FAULT_DIRECTORY,
                      "is a directory, name an ELF file");
    if (!S_ISREG(st.st_mode))
        return refuse(w, ELF_FAULT_NOT_REGULAR,
                      "is not a regular file, name an ELF file");
    if (st.st_size == 0)
        return refuse(w, ELF_FAULT_EMPTY, "is empty, name an ELF file");
    if (st.st_size > ELF_IMAGE_MAX)
        return refuse(w, ELF_FAULT_LARGE, "is larger than 1 GiB, strip it");
    e->mode = st.st_mode & 07777;
    e->size = (size_t)st.st_size;
    return read_bytes(e, fd, w);
}

/* ---- the headers --------------------------------------------------------- */

static bool check_ident(const struct elf_image *e, struct elf_wrong *w)
{
    const unsigned char *b = e->bytes;

    if (e->size == 0)
        return refuse(w, ELF_FAULT_EMPTY, "is empty, name an ELF file");
    if (e->size < SELFMAG || memcmp(b, ELFMAG, SELFMAG) != 0)
        return refuse(w, ELF_FAULT_MAGIC,
                      "is not an ELF file, give a 32-bit big-endian "
                      "PowerPC executable");
    if (e->size < sizeof(Elf32_Ehdr))
        return refuse(w, ELF_FAULT_SHORT,
                      "is truncated: it ends inside the ELF header, "
                      "make it again");
    if (b[EI_CLASS] == ELFCLASS64)
        return refuse(w, ELF_FAULT_CLASS,
                      "is 64-bit, compile it for 32-bit PowerPC (-m32)");
    if (b[EI_CLASS] != ELFCLASS32)
        return refuse(w, ELF_FAULT_CLASS,
                      "has an unknown ELF class %u, make it again",
                      b[EI_CLASS]);
    if (b[EI_DATA] == ELFDATA2LSB)
        return refuse(w, ELF_FAULT_BYTE_ORDER,
                      "is little-endian, compile it for big-endian "
                      "PowerPC (-mbig)");
    if (b[EI_DATA] != ELFDATA2MSB)
        return refuse(w, ELF_FAULT_BYTE_ORDER,
                      "has an unknown byte order %u, make it again",
                      b[EI_DATA]);
    return true;
}

static bool check_header(struct elf_image *e, struct elf_wrong *w)
{
    GElf_Ehdr h;

    elf_version(EV_CURRENT);
    e->libelf = elf_memory((char *)e->bytes, e->size);
    if (!e->libelf)
        return refuse_libelf(w, ELF_FAULT_LIBELF, "cannot be understood");
    if (!gelf_getehdr(e->libelf, &h))
        return refuse_libelf(w, ELF_FAULT_HEADER, "has a broken ELF header");
    if (h.e_machine != EM_PPC)
        return refuse(w, ELF_FAULT_MACHINE,
                      "is for another processor (ELF machine %u), compile "
                      "it for PowerPC",
                      h.e_machine);
    e->type = h.e_type;
    e->entry = h.e_entry;
    e->segment_table = h.e_phoff;
    e->section_table = h.e_shoff;
    e->segment_size = h.e_phentsize;
    e->segments = h.e_phnum;
    e->sections = h.e_shnum;
    return true;
}

/* `read`: are the bytes there? */
static bool check(struct elf_image *e, bool read, struct elf_wrong *w)
{
    if (read && check_ident(e, w) && check_header(e, w))
        return true;
    elf_image_close(e);
    return false;
}

bool elf_image_open_fd(struct elf_image *e, int fd, struct elf_wrong *w)
{
    *e = (struct elf_image){0};
    return check(e, read_open_file(e, fd, w), w);
}

bool elf_image_open(struct elf_image *e, const char *path, struct elf_wrong *w)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ok;

    *e = (struct elf_image){0};
    if (fd < 0)
        return refuse(w, ELF_FAULT_OPEN, "cannot be opened: %s",
                      strerror(errno));
    ok = elf_image_open_fd(e, fd, w);
    close(fd);
    return ok;
}

bool elf_image_borrow(struct elf_image *e, const unsigned char *bytes,
                      size_t size, struct elf_wrong *w)
{
    *e = (struct elf_image){.bytes = (unsigned char *)bytes, .size = size};
    return check(e, true, w);
}

bool elf_image_adopt(struct elf_image *e, unsigned char *bytes, size_t size,
                     struct elf_wrong *w)
{
    *e = (struct elf_image){.bytes = bytes, .size = size, .owned = true};
    return check(e, true, w);
}

bool elf_image_copy(struct elf_image *e, const void *bytes, size_t size,
                    struct elf_wrong *w)
{
    unsigned char *copy = malloc(size + 1);

    if (!copy)
        return refuse(w, ELF_FAULT_MEMORY,
                      "the host has no memory for a file of its size");
    memcpy(copy, bytes, size);
    return elf_image_adopt(e, copy, size, w);
}

unsigned char *elf_image_take(struct elf_image *e)
{
    unsigned char *bytes = e->bytes;

    e->owned = false;
    elf_image_close(e);
    return bytes;
}

void elf_image_close(struct elf_image *e)
{
    elf_end(e->libelf);
    if (e->owned)
        free(e->bytes);
    *e = (struct elf_image){0};
}

/* ---- segments ------------------------------------------------------------ */

bool elf_image_segment(const struct elf_image *e, unsigned n,
                       struct elf_segment *s, struct elf_wrong *w)
{
    GElf_Phdr p;

    if (n >= e->segments || !gelf_getphdr(e->libelf, (int)n, &p))
        return refuse_libelf(w, ELF_FAULT_SEGMENTS,
                             "has broken program headers");
    *s = (struct elf_segment){
        .type = p.p_type,
        .va = p.p_vaddr,
        .pa = p.p_paddr,
        .memory = p.p_memsz,
        .file = p.p_filesz,
        .offset = p.p_filesz ? p.p_offset : 0,
        .align = p.p_align,
        .read = p.p_flags & PF_R,
        .write = p.p_flags & PF_W,
        .execute = p.p_flags & PF_X,
    };
    return true;
}

bool elf_segment_check(const struct elf_image *e, const struct elf_segment *s,
                       struct elf_wrong *w)
{
    static const char past[] =
        "has a segment at 0x%" PRIx64 " that runs past the end of the address "
        "space, make it again";

    if (s->file > s->memory)
        return refuse(w, ELF_FAULT_FILLED,
                      "has a segment at 0x%" PRIx64 " with more bytes in "
                      "the file than in memory, make it again",
                      s->va);
    if (s->file > 0 && (s->offset > e->size || s->file > e->size - s->offset))
        return refuse(w, ELF_FAULT_TRUNCATED,
                      "is truncated: the segment at 0x%" PRIx64 " ends "
                      "behind the end of the file, make it again",
                      s->va);
    if (s->va + s->memory > UINT64_C(1) << 32)
        return refuse(w, ELF_FAULT_ADDRESS, past, s->va);
    if (s->pa + s->memory > UINT64_C(1) << 32)
        return refuse(w, ELF_FAULT_PHYSICAL, past, s->va);
    return true;
}

void elf_segment_flags(const struct elf_segment *s, char flags[4])
{
    flags[0] = s->read ? 'r' : '-';
    flags[1] = s->write ? 'w' : '-';
    flags[2] = s->execute ? 'x' : '-';
    flags[3] = '\0';
}

/* ---- sections ------------------------------------------------------------ */

bool elf_image_next(const struct elf_image *e, struct elf_section *s)
{
    size_t names = 0;
    Elf_Scn *section;
    GElf_Shdr h;

    if (!e->libelf)
        return false;
    section = s->number ? elf_getscn(e->libelf, s->number) : NULL;
    while ((section = elf_nextscn(e->libelf, section)))
        if (gelf_getshdr(section, &h))
            break;
    if (!section)
        return false;
    *s = (struct elf_section){
        .number = elf_ndxscn(section),
        .type = h.sh_type,
        .loaded = h.sh_flags & SHF_ALLOC,
        .code = h.sh_flags & SHF_EXECINSTR,
        .address = h.sh_addr,
        .offset = h.sh_offset,
        .size = h.sh_size,
    };
    if (!elf_getshdrstrndx(e->libelf, &names))
        s->name = elf_strptr(e->libelf, names, h.sh_name);
    return true;
}

bool elf_image_next_named(const struct elf_image *e, const char *name,
                          struct elf_section *s)
{
    while (elf_image_next(e, s))
        if (s->type != SHT_NULL && s->name && !strcmp(s->name, name))
            return true;
    return false;
}

const unsigned char *elf_section_bytes(const struct elf_image *e,
                                       const struct elf_section *s)
{
    if (s->type == SHT_NOBITS || s->offset > e->size ||
        s->size > e->size - s->offset)
        return NULL;
    return e->bytes + s->offset;
}
