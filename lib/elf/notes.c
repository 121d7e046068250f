/* notes.c - asks libelf for one note after the other. See notes.h. */
#include "lib/elf/notes.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

struct elf_notes elf_notes_of_segment(const struct elf_image *e,
                                      const struct elf_segment *s)
{
    return (struct elf_notes){
        .data = elf_getdata_rawchunk(e->libelf, (int64_t)s->offset, s->file,
                                     s->align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR)};
}

/* The same of a section of type SHT_NOTE. */
static struct elf_notes elf_notes_of_section(const struct elf_image *e,
                                             const struct elf_section *s)
{
    return (struct elf_notes){
        .data = elf_getdata(elf_getscn(e->libelf, s->number), NULL)};
}

bool elf_notes_next(struct elf_notes *n, struct elf_note *note)
{
    Elf_Data *data = n->data;
    size_t owner, text;
    GElf_Nhdr head;

    if (data && data->d_buf)
        n->at = gelf_getnote(data, n->at, &head, &owner, &text);
    if (!data || !data->d_buf || !n->at)
        return false;
    *note = (struct elf_note){
        .type = head.n_type,
        .owner = (const char *)data->d_buf + owner,
        .owner_size = head.n_namesz,
        .text = (const unsigned char *)data->d_buf + text,
        .text_size = head.n_descsz,
    };
    return true;
}

bool elf_note_is(const struct elf_note *note, const char *owner, uint32_t type)
{
    return note->type == type && note->owner_size == strlen(owner) + 1 &&
           !memcmp(note->owner, owner, note->owner_size);
}

/* Keep the first build-id of several. */
static void take_build_id(struct elf_notes notes, char text[ELF_BUILD_ID])
{
    struct elf_note note;

    while (!*text && elf_notes_next(&notes, &note)) {
        if (!elf_note_is(&note, "GNU", ELF_NOTE_BUILD_ID) ||
            note.text_size > 64)
            continue;
        for (size_t k = 0; k < note.text_size; k++)
            snprintf(text + 2 * k, 3, "%02x", note.text[k]);
    }
}

void elf_build_id(const struct elf_image *e, char text[ELF_BUILD_ID])
{
    struct elf_section section = {0};
    struct elf_segment segment;
    struct elf_wrong unused;

    *text = '\0';
    for (unsigned k = 0; k < e->segments; k++)
        if (elf_image_segment(e, k, &segment, &unused) &&
            segment.type == ELF_SEGMENT_NOTE)
            take_build_id(elf_notes_of_segment(e, &segment), text);
    while (!*text && elf_image_next(e, &section))
        if (section.type == ELF_SECTION_NOTE)
            take_build_id(elf_notes_of_section(e, &section), text);
}
