/* loader.c - reads an ELF file and refuses what cannot run.
 * Believes nothing in the file. Prints nothing.
 */
#include "sim/machine/loader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/big_endian.h"
#include "lib/elf/image.h"
#include "lib/elf/notes.h"

#define PROGRAM_HEADER 32u /* bytes (ELF specification, 32-bit class) */

/* What every check needs: the file being read and where to complain. */
struct reading {
    struct image *image;
    enum image_kind kind;
    struct elf_image elf;
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

/* ---- the headers --------------------------------------------------------- */

static bool check_type(const struct reading *r)
{
    switch (r->elf.type) {
    case ELF_FILE_PROGRAM:
        return true;
    case ELF_FILE_OBJECT:
        return refuse(r, "is an object file, link it");
    case ELF_FILE_SHARED:
        r->image->relocatable = true;
        return r->kind != IMAGE_BARE ||
               refuse(r, "is position-independent or shared, link it with "
                         "-static -no-pie; a Linux program wants --user");
    default:
        return refuse(r, "is not an executable (ELF type %u), link it",
                      r->elf.type);
    }
}

static bool check_header(const struct reading *r)
{
    const struct elf_image *e = &r->elf;

    if (!check_type(r))
        return false;
    if (e->segment_table == 0 || e->segments == 0)
        return refuse(r, "has no segments to load, link it");
    if (e->segment_size != PROGRAM_HEADER)
        return refuse(r,
                      "has program headers of %u bytes instead of %u, "
                      "make it again",
                      e->segment_size, PROGRAM_HEADER);
    if (e->segment_table > e->size ||
        e->segments > (e->size - e->segment_table) / PROGRAM_HEADER)
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

static bool add_segment(const struct reading *r, const struct elf_segment *p)
{
    struct image *i = r->image;
    struct image_segment *s = &i->segment[i->count];
    struct elf_wrong wrong;

    if (!elf_segment_check(&r->elf, p, &wrong))
        return refuse(r, "%s", wrong.text);
    if (i->count == IMAGE_SEGMENTS)
        return refuse(r, "has more than %d segments, link it with fewer",
                      IMAGE_SEGMENTS);
    *s = (struct image_segment){
        .va = (uint32_t)p->va,
        .pa = (uint32_t)p->pa,
        .memory = (uint32_t)p->memory,
        .file = (uint32_t)p->file,
        .offset = (uint32_t)p->offset,
    };
    elf_segment_flags(p, s->flags);
    for (unsigned k = 0; k < i->count; k++)
        if (overlap(s, &i->segment[k]))
            return refuse(r,
                          "has segments at 0x%x and 0x%x that overlap, "
                          "link it again",
                          i->segment[k].pa, s->pa);
    i->count++;
    return true;
}

/* Of a note segment: NT_GNU_ABI_TAG, whose first word is 0 for a program of
 * Linux, and LINUX_ELFNOTE_BUILD_SALT of the kernel itself. */
static void read_notes(const struct reading *r, const struct elf_segment *p)
{
    static const unsigned char is_linux[4] = {0};
    struct elf_notes notes = elf_notes_of_segment(&r->elf, p);
    struct elf_note note;

    while (elf_notes_next(&notes, &note)) {
        if (elf_note_is(&note, "Linux", ELF_NOTE_KERNEL_SALT))
            r->image->is_kernel = true;
        if (elf_note_is(&note, "GNU", ELF_NOTE_ABI_TAG) && note.text_size >= 4)
            r->image->is_linux = memcmp(note.text, is_linux, 4) == 0;
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
static bool read_interp(const struct reading *r, const struct elf_segment *p)
{
    struct image *i = r->image;

    if (r->kind == IMAGE_SHARED)
        return true;
    if (r->kind == IMAGE_BARE)
        return refuse(r, "needs a dynamic loader, link it with -static; a "
                         "Linux program wants --user");
    if (p->offset > i->size || p->file > i->size - p->offset || p->file < 2 ||
        p->file > sizeof i->interp || i->bytes[p->offset + p->file - 1] != '\0')
        return refuse(r, "has a broken name of its dynamic loader, make it "
                         "again");
    memcpy(i->interp, i->bytes + p->offset, p->file);
    return true;
}

static bool read_segments(const struct reading *r)
{
    struct elf_segment p;
    struct elf_wrong wrong;

    for (unsigned k = 0; k < r->elf.segments; k++) {
        if (!elf_image_segment(&r->elf, k, &p, &wrong))
            return refuse(r, "%s", wrong.text);
        if (p.type == ELF_SEGMENT_INTERPRETER && !read_interp(r, &p))
            return false;
        if (p.type == ELF_SEGMENT_NOTE)
            read_notes(r, &p);
        if (p.type == ELF_SEGMENT_LOAD && p.memory && !add_segment(r, &p))
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

/* `open`: is the file open, and of this machine? */
static bool check(struct reading *r, bool open, const struct elf_wrong *wrong)
{
    struct image *i = r->image;
    const char *slash = strrchr(i->name, '/');
    bool ok;

    if (!open)
        return refuse(r, "%s", wrong->text);
    i->bytes = r->elf.bytes;
    i->size = r->elf.size;
    ok = check_header(r) && read_segments(r) && find_entry(r, r->elf.entry);
    if (ok)
        elf_build_id(&r->elf, i->build_id);
    if (ok && i->build_id[0] == '\0')
        hash_build_id(i);
    elf_image_take(&r->elf);
    if (ok && r->kind == IMAGE_PROGRAM && i->relocatable &&
        !image_move(i, IMAGE_PROGRAM_BIAS))
        ok = refuse(r, "is too large to be moved, link it with -no-pie");
    if (!ok)
        image_close(i);
    else if (slash)
        memmove(i->name, slash + 1, strlen(slash));
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

bool image_open(struct image *i, const char *path, enum image_kind kind,
                char *why, size_t size)
{
    struct elf_wrong wrong;
    struct reading r;

    begin(&r, i, path, kind, why, size);
    return check(&r, elf_image_open(&r.elf, path, &wrong), &wrong);
}

bool image_open_fd(struct image *i, int fd, const char *name,
                   enum image_kind kind, char *why, size_t size)
{
    struct elf_wrong wrong;
    struct reading r;

    begin(&r, i, name, kind, why, size);
    return check(&r, elf_image_open_fd(&r.elf, fd, &wrong), &wrong);
}

bool image_read(struct image *i, const char *name, const void *bytes,
                size_t length, enum image_kind kind, char *why, size_t size)
{
    struct elf_wrong wrong;
    struct reading r;

    begin(&r, i, name, kind, why, size);
    return check(&r, elf_image_copy(&r.elf, bytes, length, &wrong), &wrong);
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

uint32_t image_end(const struct image *i)
{
    uint64_t end = 0;

    for (unsigned k = 0; k < i->count; k++) {
        const struct image_segment *s = &i->segment[k];

        if ((uint64_t)s->pa + s->memory > end)
            end = (uint64_t)s->pa + s->memory;
    }
    return end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
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
        *word = be_get32(b + at);
        return true;
    }
    return i->beside && image_word(i->beside, address, word);
}
