/* write.c - the new file: the old one up to the end of all that is loaded or
 * that another section needs, and behind it the names of sections, the marks
 * and the section table. libelf would lay the file out anew, here nothing may
 * move; it only translates the headers.
 */
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/simmark/program.h"

/* The fields of the ELF header that say where the section table is. */
static const struct {
    unsigned offset, size;
} table_fields[] = {{32, 4}, {46, 6}};

/* What is being put together. */
struct layout {
    const struct program *p;
    Elf32_Shdr *section;
    size_t sections;
    size_t names; /* the section with names */
    size_t mine;  /* .perfinst; 0: none */
    char *text;   /* the names */
    size_t text_size;
    unsigned char *marks;
    size_t marks_size;
    const struct program_section *more; /* further sections */
    size_t mores;
    unsigned char *out;
    size_t size;
    char *why;
    size_t room;
};

static bool refuse(const struct layout *l, const char *what)
{
    snprintf(l->why, l->room, "%s: %s", l->p->path, what);
    return false;
}

/* ---- the old sections ---------------------------------------------------- */

static bool is_mine(const struct layout *l, const Elf32_Shdr *h)
{
    const char *name = elf_strptr(l->p->elf.libelf, l->names, h->sh_name);

    return h->sh_type != SHT_NULL && !(h->sh_flags & SHF_ALLOC) && name &&
           !strcmp(name, PERFINST_SECTION);
}

/* Room for the names of the sections that come along. */
static size_t names_room(const struct layout *l)
{
    size_t room = sizeof PERFINST_SECTION + 1;

    for (size_t k = 0; k < l->mores; k++)
        room += strlen(l->more[k].name) + 1;
    return room;
}

static bool read_names(struct layout *l)
{
    const Elf32_Shdr *h = &l->section[l->names];

    if (h->sh_type != SHT_STRTAB || h->sh_flags & SHF_COMPRESSED ||
        h->sh_offset > l->p->elf.size ||
        h->sh_size > l->p->elf.size - h->sh_offset)
        return refuse(l, "its sections have no names, make it again");
    for (size_t k = 1; k < l->sections; k++)
        if (l->section[k].sh_name >= h->sh_size)
            return refuse(l, "a section has a name outside of all names, make "
                             "it again");
    l->text_size = h->sh_size;
    l->text = malloc(l->text_size + names_room(l));
    if (!l->text)
        return refuse(l, "the host has no memory for it");
    memcpy(l->text, l->p->elf.bytes + h->sh_offset, l->text_size);
    if (l->text[l->text_size - 1]) /* a name would become another */
        return refuse(l, "the names of its sections have no end, make it "
                         "again");
    return true;
}

/* A file without a section table gets one: nothing, and names. */
static bool new_table(struct layout *l)
{
    l->sections = 2;
    l->names = 1;
    l->text_size = sizeof "\0.shstrtab";
    l->text = malloc(l->text_size + names_room(l));
    if (!l->text)
        return refuse(l, "the host has no memory for it");
    memcpy(l->text, "\0.shstrtab", l->text_size);
    l->section[1] =
        (Elf32_Shdr){.sh_name = 1, .sh_type = SHT_STRTAB, .sh_addralign = 1};
    return true;
}

static bool read_sections(struct layout *l)
{
    size_t count = 0;

    if (elf_getshdrnum(l->p->elf.libelf, &count) != 0 ||
        elf_getshdrstrndx(l->p->elf.libelf, &l->names) != 0)
        return refuse(l, "has a broken section table, make it again");
    if (count + l->mores + 3 >= SHN_LORESERVE)
        return refuse(l, "has too many sections, strip it");
    l->section = calloc(count + l->mores + 3, sizeof *l->section);
    if (!l->section)
        return refuse(l, "the host has no memory for it");
    if (!count)
        return new_table(l);
    for (size_t k = 0; k < count; k++) {
        const Elf32_Shdr *h = elf32_getshdr(elf_getscn(l->p->elf.libelf, k));

        if (!h)
            return refuse(l, "has a broken section table, make it again");
        l->section[k] = *h;
        if (k && !l->mine && is_mine(l, h))
            l->mine = k;
    }
    l->sections = count;
    if (!l->names || l->names >= count)
        return refuse(l, "its sections have no names, make it again");
    return read_names(l);
}

/* ---- the new ones -------------------------------------------------------- */

/* The name of our section among the names: there, or added. */
static uint32_t our_name(struct layout *l)
{
    size_t n = sizeof PERFINST_SECTION;

    for (size_t k = 0; k + n <= l->text_size; k++)
        if (!memcmp(l->text + k, PERFINST_SECTION, n))
            return (uint32_t)k;
    memcpy(l->text + l->text_size, PERFINST_SECTION, n);
    l->text_size += n;
    return (uint32_t)(l->text_size - n);
}

/* Without our section: if it is the last, and its name, nothing is left; in
 * the middle the others keep their numbers, and it becomes an unused one. */
static void drop(struct layout *l)
{
    size_t n = sizeof PERFINST_SECTION;
    size_t name = l->section[l->mine].sh_name;

    l->section[l->mine] = (Elf32_Shdr){0};
    if (l->mine == l->sections - 1)
        l->sections--;
    for (size_t k = 0; k < l->sections; k++)
        if (l->section[k].sh_name >= name)
            return;
    if (name && name + n == l->text_size)
        l->text_size = name;
}

static void add_more(struct layout *l)
{
    for (size_t k = 0; k < l->mores; k++) {
        const struct program_section *m = &l->more[k];
        size_t n = strlen(m->name) + 1;

        l->section[l->sections++] =
            (Elf32_Shdr){.sh_name = (Elf32_Word)l->text_size,
                         .sh_type = SHT_PROGBITS,
                         .sh_flags = m->loaded ? SHF_ALLOC | SHF_EXECINSTR : 0,
                         .sh_addr = m->address,
                         .sh_offset = m->offset,
                         .sh_size = m->size,
                         .sh_addralign = 4};
        memcpy(l->text + l->text_size, m->name, n);
        l->text_size += n;
    }
}

static void arrange(struct layout *l)
{
    if (l->mine && !l->marks_size)
        drop(l);
    add_more(l);
    if (!l->marks_size)
        return;
    if (!l->mine)
        l->mine = l->sections++;
    l->section[l->mine] = (Elf32_Shdr){.sh_name = our_name(l),
                                       .sh_type = SHT_PROGBITS,
                                       .sh_size = (Elf32_Word)l->marks_size,
                                       .sh_addralign = 4};
}

/* Where all ends that stays where it is. */
static size_t kept(const struct layout *l)
{
    const struct program *p = l->p;
    size_t end = sizeof(Elf32_Ehdr);
    struct elf_segment s;
    struct elf_wrong unused;

    if (p->elf.segments)
        end = p->elf.segment_table + p->elf.segments * sizeof(Elf32_Phdr);
    for (unsigned k = 0; k < p->elf.segments; k++)
        if (elf_image_segment(&p->elf, k, &s, &unused) && s.type && s.file &&
            s.offset + s.file > end)
            end = s.offset + s.file;
    for (size_t k = 1; k < l->sections; k++) {
        const Elf32_Shdr *h = &l->section[k];

        if (k != l->names && k != l->mine && h->sh_type != SHT_NULL &&
            k < l->sections - l->mores && h->sh_type != SHT_NOBITS &&
            (size_t)h->sh_offset + h->sh_size > end)
            end = (size_t)h->sh_offset + h->sh_size;
    }
    return end < p->elf.size ? end : p->elf.size;
}

static void append(struct layout *l, const void *bytes, size_t size)
{
    memcpy(l->out + l->size, bytes, size);
    l->size += size;
}

static void align(struct layout *l)
{
    while (l->size % 4)
        l->out[l->size++] = 0;
}

/* The section table, and where it is. */
static bool put_table(struct layout *l)
{
    size_t bytes = l->sections * sizeof(Elf32_Shdr);
    Elf32_Ehdr head = *elf32_getehdr(l->p->elf.libelf);
    Elf_Data from = {.d_buf = l->section,
                     .d_type = ELF_T_SHDR,
                     .d_size = bytes,
                     .d_version = EV_CURRENT};
    Elf_Data to = {
        .d_buf = l->out + l->size, .d_size = bytes, .d_version = EV_CURRENT};

    head.e_shoff = (Elf32_Off)l->size;
    head.e_shnum = (Elf32_Half)l->sections;
    head.e_shentsize = sizeof(Elf32_Shdr);
    head.e_shstrndx = (Elf32_Half)l->names;
    if (!elf32_xlatetof(&to, &from, ELFDATA2MSB))
        return refuse(l, elf_errmsg(-1));
    l->size += bytes;
    from.d_buf = &head;
    from.d_type = ELF_T_EHDR;
    from.d_size = sizeof head;
    to.d_buf = l->out;
    to.d_size = sizeof head;
    return elf32_xlatetof(&to, &from, ELFDATA2MSB) || refuse(l, elf_errmsg(-1));
}

static bool put_together(struct layout *l)
{
    size_t keep = kept(l), more = 0;

    if (l->p->elf.segments && l->p->elf.segment_table < sizeof(Elf32_Ehdr))
        return refuse(l, "its program headers overlap the ELF header, which "
                         "would change; make it again");
    for (size_t k = 0; k < l->mores; k++)
        more += l->more[k].size + 4;
    l->out = malloc(keep + l->text_size + l->marks_size + more + 16 +
                    l->sections * sizeof(Elf32_Shdr));
    if (!l->out)
        return refuse(l, "the host has no memory for it");
    append(l, l->p->elf.bytes, keep);
    l->section[l->names].sh_offset = (Elf32_Off)l->size;
    l->section[l->names].sh_size = (Elf32_Word)l->text_size;
    append(l, l->text, l->text_size);
    align(l);
    if (l->marks_size) {
        l->section[l->mine].sh_offset = (Elf32_Off)l->size;
        append(l, l->marks, l->marks_size);
        align(l);
    }
    for (size_t k = 0; k < l->mores; k++)
        if (l->more[k].bytes) {
            l->section[l->sections - l->mores + k].sh_offset =
                (Elf32_Off)l->size;
            append(l, l->more[k].bytes, l->more[k].size);
            align(l);
        }
    return put_table(l);
}

/* ---- what is loaded ------------------------------------------------------ */

static bool is_table_field(size_t offset)
{
    for (unsigned k = 0; k < 2; k++)
        if (offset >= table_fields[k].offset &&
            offset - table_fields[k].offset < table_fields[k].size)
            return true;
    return false;
}

/* FNV-1a */
uint64_t program_checksum(const struct program *p, unsigned segment)
{
    const struct program_segment *s = &p->segment[segment];
    uint64_t hash = UINT64_C(0xCBF29CE484222325);

    for (size_t k = s->offset; k < (size_t)s->offset + s->file; k++)
        hash = (hash ^ (is_table_field(k) ? 0 : p->elf.bytes[k])) *
               UINT64_C(0x100000001B3);
    return hash;
}

/* Looked at once more: nothing that is loaded differs. */
static bool same(const struct layout *l)
{
    for (unsigned k = 0; k < l->p->segments; k++) {
        const struct program_segment *s = &l->p->segment[k];

        for (size_t i = s->offset; i < (size_t)s->offset + s->file; i++)
            if (i >= l->size ||
                (l->out[i] != l->p->elf.bytes[i] && !is_table_field(i)))
                return refuse(l, "a loaded byte would change; this is a "
                                 "mistake in simmark");
    }
    return true;
}

/* ---- the file ------------------------------------------------------------ */

static bool fail(const char *path, char *why, size_t room)
{
    snprintf(why, room, "%s: cannot be written: %s", path, strerror(errno));
    return false;
}

/* Under another name first: a reader has the old one or the new. */
static bool write_regular(const struct layout *l, const char *path)
{
    char name[4096];
    size_t done = 0;
    int fd;

    if ((size_t)snprintf(name, sizeof name, "%s.XXXXXX", path) >= sizeof name) {
        errno = ENAMETOOLONG;
        return fail(path, l->why, l->room);
    }
    fd = mkstemp(name);
    if (fd < 0)
        return fail(path, l->why, l->room);
    while (done < l->size) {
        ssize_t n = write(fd, l->out + done, l->size - done);

        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    if (done == l->size && fchmod(fd, l->p->elf.mode) == 0 && close(fd) == 0 &&
        rename(name, path) == 0)
        return true;
    fail(path, l->why, l->room);
    unlink(name);
    return false;
}

/* A link stays one: the file that it leads to is written. A device or a pipe
 * would be replaced by a file. */
static bool write_file(const struct layout *l, const char *path)
{
    char *real = realpath(path, NULL); /* NULL: there is none yet */
    struct stat st;
    bool ok;

    if (real && stat(real, &st) == 0 && !S_ISREG(st.st_mode)) {
        snprintf(l->why, l->room, "%s: is not a regular file, name another",
                 path);
        ok = false;
    } else {
        ok = write_regular(l, real ? real : path);
    }
    free(real);
    return ok;
}

static bool lay_out(struct layout *l, const char *path)
{
    bool ok = read_sections(l);

    if (ok) {
        arrange(l);
        ok = put_together(l) && same(l) && write_file(l, path);
    }
    free(l->section);
    free(l->text);
    free(l->marks);
    free(l->out);
    return ok;
}

bool program_write(const struct program *p, const struct perfinst *marks,
                   const char *path, char *why, size_t size)
{
    struct layout l = {.p = p, .why = why, .room = size};

    return perfinst_write(marks, &p->world, &l.marks, &l.marks_size, why,
                          size) &&
           lay_out(&l, path);
}

bool program_write_with(const struct program *p,
                        const struct program_section *more, size_t count,
                        const char *path, char *why, size_t size)
{
    struct layout l = {
        .p = p, .more = more, .mores = count, .why = why, .room = size};

    return lay_out(&l, path);
}
