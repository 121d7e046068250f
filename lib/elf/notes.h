/* notes.h - the notes of an ELF file: what its linker and its C library say
 * of it (ELF specification, "Note Section"). Believes nothing in them.
 */
#ifndef LIB_ELF_NOTES_H
#define LIB_ELF_NOTES_H

#include "lib/elf/image.h"

/* Types of notes whose owner is GNU, and of one whose owner is Linux: what
 * every kernel since 4.20 carries (include/linux/build-salt.h). */
enum elf_note_type {
    ELF_NOTE_ABI_TAG = 1,
    ELF_NOTE_BUILD_ID = 3,
    ELF_NOTE_KERNEL_SALT = 0x100
};

struct elf_note {
    uint32_t type;
    const char *owner; /* owner_size bytes, its NUL among them; in the image */
    size_t owner_size;
    const unsigned char *text; /* text_size bytes; in the image */
    size_t text_size;
};

/* Notes one after the other. */
struct elf_notes {
    void *data;
    size_t at;
};

/* Those of a segment of type PT_NOTE. */
struct elf_notes elf_notes_of_segment(const struct elf_image *e,
                                      const struct elf_segment *s);
/* The next one. False: there is none, or it is broken. */
bool elf_notes_next(struct elf_notes *n, struct elf_note *note);
/* Is it of this type, and of this owner? */
bool elf_note_is(const struct elf_note *note, const char *owner, uint32_t type);

#define ELF_BUILD_ID 129 /* characters: 64 bytes and a NUL */

/* The build-id in hexadecimal, of a segment of notes or else of a section of
 * notes; "": the file has none of 1 to 64 bytes. */
void elf_build_id(const struct elf_image *e, char text[ELF_BUILD_ID]);

#endif
