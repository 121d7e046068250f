/* role.h - what an instruction does, in the words of role.def. */
#ifndef ISA_ROLE_H
#define ISA_ROLE_H

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

#endif
