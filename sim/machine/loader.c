/* loader.c - reads an ELF file with libelf and refuses what cannot run.
 * Believes nothing in the file. Prints nothing.
 */
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

#include "sim/machine/loader.h"

/* What every check needs: the file being read and where to complain. */
struct reading {
    struct image *image;
    enum image_kind kind;
    Elf *elf;
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool
refuse(const struct reading *r, const char *format, ...)
{
    int used = snprintf(r->why, r->size, "%s: ", r->image->name);
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
    struct image *i = r->image;
    size_t done = 0;

    i->bytes = malloc(i->size);
    if (!i->bytes)
        return refuse(r, "the host has no memory for a file of its size");
    while (done < i->size) {
        ssize_t n = pread(fd, i->bytes + done, i->size - done, (off_t)done);

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

static bool read_open_file(const struct reading *r, int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return refuse(r, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(st.st_mode))
        return refuse(r, "is a directory, name an ELF file");
    if (!S_ISREG(st.st_mode))
        return refuse(r, "is not a regular file, name an ELF file");
    if (st.st_size == 0)
        return refuse(r, "is empty, name an ELF file");
    if (st.st_size > IMAGE_MAX)
        return refuse(r, "is larger than 1 GiB, strip it");
    r->image->size = (size_t)st.st_size;
    return read_bytes(r, fd);
}

static bool read_file(const struct reading *r, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ok;

    if (fd < 0)
        return refuse(r, "cannot be opened: %s", strerror(errno));
    ok = read_open_file(r, fd);
    close(fd);
    return ok;
}

/* ---- the headers --------------------------------------------------------- */

static bool check_ident(const struct reading *r)
{
    const unsigned char *b = r->image->bytes;
    size_t size = r->image->size;

    if (size < SELFMAG || memcmp(b, ELFMAG, SELFMAG) != 0)
        return refuse(r, "is not an ELF file, give a 32-bit big-endian "
                         "PowerPC executable");
    if (size < sizeof(Elf32_Ehdr))
        return refuse(r, "is truncated: it ends inside the ELF header, "
                         "make it again");
    if (b[EI_CLASS] == ELFCLASS64)
        return refuse(r, "is 64-bit, compile it for 32-bit PowerPC (-m32)");
    if (b[EI_CLASS] != ELFCLASS32)
        return refuse(r, "has an unknown ELF class %u, make it again",
                      b[EI_CLASS]);
    if (b[EI_DATA] == ELFDATA2LSB)
        return refuse(r, "is little-endian, compile it for big-endian "
                         "PowerPC (-mbig)");
    if (b[EI_DATA] != ELFDATA2MSB)
        return refuse(r, "has an unknown byte order %u, make it again",
                      b[EI_DATA]);
    return true;
}

static bool check_type(const struct reading *r, const GElf_Ehdr *h)
{
    if (h->e_machine != EM_PPC)
        return refuse(r,
                      "is for another processor (ELF machine %u), compile "
                      "it for PowerPC",
                      h->e_machine);
    switch (h->e_type) {
    case ET_EXEC:
        return true;
    case ET_REL:
        return refuse(r, "is an object file, link it");
    case ET_DYN:
        r->image->relocatable = true;
        return r->kind != IMAGE_BARE ||
               refuse(r, "is position-independent or shared, link it with "
                         "-static -no-pie; a Linux program wants --user");
    default:
        return refuse(r, "is not an executable (ELF type %u), link it",
                      h->e_type);
    }
}

static bool check_header(const struct reading *r, GElf_Ehdr *h)
{
    if (!gelf_getehdr(r->elf, h))
        return refuse(r, "has a broken ELF header (%s), make it again",
                      elf_errmsg(-1));
    if (!check_type(r, h))
        return false;
    if (h->e_phoff == 0 || h->e_phnum == 0)
        return refuse(r, "has no segments to load, link it");
    if (h->e_phentsize != sizeof(Elf32_Phdr))
        return refuse(r,
                      "has program headers of %u bytes instead of %zu, "
                      "make it again",
                      h->e_phentsize, sizeof(Elf32_Phdr));
    if (h->e_phoff > r->image->size ||
        h->e_phnum > (r->image->size - h->e_phoff) / sizeof(Elf32_Phdr))
        return refuse(r, "is truncated: it ends inside the program headers, "
                         "make it again");
    return true;
}

/* ---- segments ------------------------------------------------------------ */

static bool overlap(const struct image_segment *a,
                    const struct image_segment *b)
{
    return a->pa < (uint64_t)b->pa + b->memory &&
           b->pa < (uint64_t)a->pa + a->memory;
}

static bool check_segment(const struct reading *r, const GElf_Phdr *p)
{
    if (p->p_filesz > p->p_memsz)
        return refuse(r,
                      "has a segment at 0x%" PRIx64 " with more bytes in "
                      "the file than in memory, make it again",
                      (uint64_t)p->p_vaddr);
    if (p->p_filesz > 0 && (p->p_offset > r->image->size ||
                            p->p_filesz > r->image->size - p->p_offset))
        return refuse(r,
                      "is truncated: the segment at 0x%" PRIx64 " ends "
                      "behind the end of the file, make it again",
                      (uint64_t)p->p_vaddr);
    if (p->p_paddr + p->p_memsz > UINT64_C(1) << 32 ||
        p->p_vaddr + p->p_memsz > UINT64_C(1) << 32)
        return refuse(r,
                      "has a segment at 0x%" PRIx64 " that runs past the "
                      "end of the address space, make it again",
                      (uint64_t)p->p_vaddr);
    return true;
}

static bool add_segment(const struct reading *r, const GElf_Phdr *p)
{
    struct image *i = r->image;
    struct image_segment *s = &i->segment[i->count];

    if (!check_segment(r, p))
        return false;
    if (i->count == IMAGE_SEGMENTS)
        return refuse(r, "has more than %d segments, link it with fewer",
                      IMAGE_SEGMENTS);
    *s = (struct image_segment){
        .va = (uint32_t)p->p_vaddr,
        .pa = (uint32_t)p->p_paddr,
        .memory = (uint32_t)p->p_memsz,
        .file = (uint32_t)p->p_filesz,
        .offset = p->p_filesz > 0 ? (uint32_t)p->p_offset : 0,
        .flags = {p->p_flags & PF_R ? 'r' : '-', p->p_flags & PF_W ? 'w' : '-',
                  p->p_flags & PF_X ? 'x' : '-'},
    };
    for (unsigned k = 0; k < i->count; k++)
        if (overlap(s, &i->segment[k]))
            return refuse(r,
                          "has segments at 0x%x and 0x%x that overlap, "
                          "link it again",
                          i->segment[k].pa, s->pa);
    i->count++;
    return true;
}

static void keep_build_id(struct image *i, const unsigned char *desc,
                          size_t size)
{
    if (i->build_id[0] != '\0' || size == 0 || size > 64)
        return;
    for (size_t k = 0; k < size; k++)
        snprintf(i->build_id + 2 * k, 3, "%02x", desc[k]);
}

/* NT_GNU_BUILD_ID and NT_GNU_ABI_TAG, whose first word is 0 for Linux, of a
 * note segment, if they are there and make sense. */
static void read_notes(const struct reading *r, const GElf_Phdr *p)
{
    static const unsigned char is_linux[4] = {0};
    Elf_Data *data =
        elf_getdata_rawchunk(r->elf, (int64_t)p->p_offset, p->p_filesz,
                             p->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    size_t at = 0, name, desc;
    GElf_Nhdr note;

    while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
        const unsigned char *bytes = data->d_buf;

        if (note.n_namesz != 4 || memcmp(bytes + name, "GNU", 4) != 0)
            continue;
        if (note.n_type == NT_GNU_BUILD_ID)
            keep_build_id(r->image, bytes + desc, note.n_descsz);
        if (note.n_type == NT_GNU_ABI_TAG && note.n_descsz >= 4)
            r->image->is_linux = memcmp(bytes + desc, is_linux, 4) == 0;
    }
}

/* Files without a build-id get a name from what is in them (FNV-1a). */
static void hash_build_id(struct image *i)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);

    for (size_t k = 0; k < i->size; k++)
        hash = (hash ^ i->bytes[k]) * UINT64_C(0x100000001B3);
    snprintf(i->build_id, sizeof i->build_id, "%016" PRIx64, hash);
}

/* The name of the dynamic loader. A shared object's own does not matter. */
static bool read_interp(const struct reading *r, const GElf_Phdr *p)
{
    struct image *i = r->image;

    if (r->kind == IMAGE_SHARED)
        return true;
    if (r->kind == IMAGE_BARE)
        return refuse(r, "needs a dynamic loader, link it with -static; a "
                         "Linux program wants --user");
    if (p->p_offset > i->size || p->p_filesz > i->size - p->p_offset ||
        p->p_filesz < 2 || p->p_filesz > sizeof i->interp ||
        i->bytes[p->p_offset + p->p_filesz - 1] != '\0')
        return refuse(r, "has a broken name of its dynamic loader, make it "
                         "again");
    memcpy(i->interp, i->bytes + p->p_offset, p->p_filesz);
    return true;
}

static bool read_segments(const struct reading *r, unsigned count)
{
    GElf_Phdr p;

    for (unsigned k = 0; k < count; k++) {
        if (!gelf_getphdr(r->elf, (int)k, &p))
            return refuse(r, "has broken program headers (%s), make it again",
                          elf_errmsg(-1));
        if (p.p_type == PT_INTERP && !read_interp(r, &p))
            return false;
        if (p.p_type == PT_NOTE)
            read_notes(r, &p);
        if (p.p_type == PT_LOAD && p.p_memsz && !add_segment(r, &p))
            return false;
    }
    if (r->image->count == 0)
        return refuse(r, "has no segments to load, link it");
    return true;
}

static bool find_entry(const struct reading *r, uint64_t entry)
{
    struct image *i = r->image;

    for (unsigned k = 0; k < i->count; k++) {
        const struct image_segment *s = &i->segment[k];

        if (entry % 4 == 0 && entry >= s->va && entry - s->va < s->memory) {
            i->entry = s->pa + (uint32_t)(entry - s->va);
            i->start = (uint32_t)entry;
            return true;
        }
    }
    return r->kind == IMAGE_SHARED ||
           refuse(r,
                  "starts at 0x%" PRIx64 ", which is no instruction of a "
                  "segment, set its entry point (ld -e)",
                  entry);
}

static bool read_elf(struct reading *r)
{
    GElf_Ehdr h;
    bool ok;

    elf_version(EV_CURRENT);
    r->elf = elf_memory((char *)r->image->bytes, r->image->size);
    if (!r->elf)
        return refuse(r, "cannot be understood (%s), make it again",
                      elf_errmsg(-1));
    ok = check_header(r, &h) && read_segments(r, h.e_phnum) &&
         find_entry(r, h.e_entry);
    elf_end(r->elf);
    if (ok && r->image->build_id[0] == '\0')
        hash_build_id(r->image);
    if (ok && r->kind == IMAGE_PROGRAM && r->image->relocatable &&
        !image_move(r->image, IMAGE_PROGRAM_BIAS))
        return refuse(r, "is too large to be moved, link it with -no-pie");
    return ok;
}

static void begin(struct reading *r, struct image *i, const char *name,
                  enum image_kind kind, char *why, size_t size)
{
    memset(i, 0, sizeof *i);
    /* Until all is well the messages name the file as the user did. */
    snprintf(i->name, sizeof i->name, "%s", name);
    *r = (struct reading){.image = i, .kind = kind, .why = why, .size = size};
}

/* `read`: are the bytes of the file there? */
static bool check(struct reading *r, bool read)
{
    struct image *i = r->image;
    const char *slash = strrchr(i->name, '/');

    if (!read || !check_ident(r) || !read_elf(r)) {
        image_close(i);
        return false;
    }
    if (slash)
        memmove(i->name, slash + 1, strlen(slash));
    return true;
}

bool image_open(struct image *i, const char *path, enum image_kind kind,
                char *why, size_t size)
{
    struct reading r;

    begin(&r, i, path, kind, why, size);
    return check(&r, read_file(&r, path));
}

bool image_open_fd(struct image *i, int fd, const char *name,
                   enum image_kind kind, char *why, size_t size)
{
    struct reading r;

    begin(&r, i, name, kind, why, size);
    return check(&r, read_open_file(&r, fd));
}

bool image_read(struct image *i, const char *name, const void *bytes,
                size_t length, enum image_kind kind, char *why, size_t size)
{
    struct reading r;

    begin(&r, i, name, kind, why, size);
    if (length == 0)
        return refuse(&r, "is empty, name an ELF file");
    i->size = length;
    i->bytes = malloc(length);
    if (!i->bytes)
        return refuse(&r, "the host has no memory for a file of its size");
    memcpy(i->bytes, bytes, length);
    return check(&r, true);
}

bool image_move(struct image *i, uint32_t bias)
{
    for (unsigned k = 0; k < i->count; k++)
        if ((uint64_t)i->segment[k].va + i->segment[k].memory + bias >
                UINT64_C(1) << 32 ||
            (uint64_t)i->segment[k].pa + i->segment[k].memory + bias >
                UINT64_C(1) << 32)
            return false;
    for (unsigned k = 0; k < i->count; k++) {
        i->segment[k].va += bias;
        i->segment[k].pa += bias;
    }
    i->bias += bias;
    i->entry += bias;
    i->start += bias;
    return true;
}

void image_close(struct image *i)
{
    free(i->bytes);
    i->bytes = NULL;
}

static void no_room(const struct image *i, const struct image_segment *s,
                    uint32_t ram, char *why, size_t size)
{
    uint64_t end = (uint64_t)s->pa + s->memory;
    char advice[64] = "";

    if (end <= RAM_MAX)
        snprintf(advice, sizeof advice, "give --mem=%" PRIu64 "M or ",
                 (end + 0xFFFFF) >> 20);
    snprintf(why, size,
             "%s: has a segment from 0x%x to 0x%" PRIx64
             ", outside the %u MiB of memory, %slink it lower",
             i->name, s->pa, end - 1, ram >> 20, advice);
}

bool image_load(const struct image *i, struct ram *r, char *why, size_t size)
{
    for (unsigned k = 0; k < i->count; k++) {
        const struct image_segment *s = &i->segment[k];
        uint64_t end = (uint64_t)s->pa + s->memory;

        if (end > r->size) {
            no_room(i, s, r->size, why, size);
            return false;
        }
    }
    for (unsigned k = 0; k < i->count; k++)
        memcpy(r->bytes + i->segment[k].pa, i->bytes + i->segment[k].offset,
               i->segment[k].file);
    return true;
}

bool image_word(const struct image *i, uint32_t address, uint32_t *word)
{
    for (unsigned k = 0; k < i->count; k++) {
        const struct image_segment *s = &i->segment[k];
        const unsigned char *b = i->bytes + s->offset;
        uint32_t at = address - s->va;

        if (address < s->va || at >= s->file || s->file - at < 4)
            continue;
        *word = (uint32_t)b[at] << 24 | (uint32_t)b[at + 1] << 16 |
                (uint32_t)b[at + 2] << 8 | b[at + 3];
        return true;
    }
    return false;
}
