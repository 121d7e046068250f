/* table.h - the rows of insns.def and spr.def as data, for the decoder, for
 * tests and for listings.
 */
#ifndef ISA_TABLE_H
#define ISA_TABLE_H

#include "isa/insn.h"

/* One row of insns.def, as it stands there. Index: enum op. */
struct row {
    const char *name, *encoding, *operands, *writes, *reads;
    enum exc (*body)(struct cpu *c, const struct insn *i);
    uint16_t flags;
    uint8_t class;
};

/* A run of one letter in an encoding. */
struct field {
    char letter;
    uint8_t shift, width;
};

#define PATTERN_FIELDS 8

/* What a row's encoding means: word & mask == match selects it. */
struct pattern {
    uint32_t mask, match;
    unsigned fields;
    struct field field[PATTERN_FIELDS];
};

const struct row *table_row(enum op op);
const struct pattern *table_pattern(enum op op);

/* The row that a word belongs to, or OP_ILLEGAL. Forms that decode.c refuses
 * are still found here. */
enum op table_find(uint32_t word);

/* One row of spr.def. */
struct spr {
    const char *name;
    uint16_t number;
    bool super, reads, writes; /* privilege, and what may be done */
    bool stored, asked;        /* in struct cpu; through the port */
    bool optional, pif;        /* may be missing; there while HID0[PIFE] is */
    uint16_t offset;           /* in struct cpu, when stored */
};

/* Does translation read it: SDR1, the block registers? */
static inline bool isa_translates(unsigned number)
{
    return number == 25 || (number >= 528 && number <= 543);
}

/* Is it SPRG3, of which the port asks to be told? */
static inline bool isa_is_sprg3(unsigned number)
{
    return number == 275;
}

/* NULL: no such register. */
const struct spr *spr_find(unsigned number);

/* Does the processor c have it, as it is now? */
bool spr_there(const struct cpu *c, const struct spr *s);

#endif
