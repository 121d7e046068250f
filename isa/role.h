/* role.h - what an instruction does, in the words of role.def. */
#ifndef ISA_ROLE_H
#define ISA_ROLE_H

#include <stdbool.h>
#include <stdint.h>

enum role {
#define ROLE(name, word, text) ROLE_##name,
#include "isa/role.def"
#undef ROLE
    ROLE_COUNT
};

/* The roles of an instruction word, bit r for role r. Of what the processor
 * does not know: none. */
unsigned isa_roles(uint32_t word);

/* Where a branch at this address goes. False: it is none, or a register says
 * where. */
bool isa_target(uint32_t word, uint32_t address, uint32_t *target);

#endif
