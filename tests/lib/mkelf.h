/* mkelf.h - small PowerPC ELF files made for tests: one executable section
 * .text with the symbols one asks for, and a build-id. */
#ifndef TESTS_LIB_MKELF_H
#define TESTS_LIB_MKELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mkelf_symbol {
    const char *name;
    uint32_t addr, size;
    unsigned char type; /* STT_FUNC, STT_NOTYPE, STT_FILE */
    bool local;
};

struct mkelf {
    uint32_t addr, size;  /* of .text, which is zero bytes */
    uint32_t offset;      /* of .text in the file, 0: anywhere */
    const char *build_id; /* 20 bytes, or NULL */
    const struct mkelf_symbol *symbol;
    size_t symbols; /* local ones first, as ELF wants them */
};

/* Write the file. Ends the program when it cannot. */
void mkelf_write(const char *path, const struct mkelf *m);

#endif
