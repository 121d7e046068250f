/* role.c - roles from the decoded record. */
#include "isa/role.h"

#include "isa/insn.h"

/* bcl 20,31,.+4 and its like: how code finds out where it is. */
static bool goes_on(const struct insn *i)
{
    return (i->op == OP_B || i->op == OP_BC) && !i->c && i->imm == 4;
}

unsigned isa_roles(uint32_t word)
{
    struct insn i;
    unsigned roles = 0;

    isa_decode(&i, word);
    if (i.flags & INSN_BRANCH)
        roles |= 1u << ROLE_BRANCH;
    if (i.flags & INSN_LINK && !goes_on(&i))
        roles |= 1u << ROLE_CALL;
    if (!(i.flags & INSN_LINK) && (i.op == OP_BCLR || i.op == OP_RFI))
        roles |= 1u << ROLE_RETURN;
    if (i.op == OP_SC)
        roles |= 1u << ROLE_SYSCALL;
    if (i.flags & INSN_LOAD)
        roles |= 1u << ROLE_LOAD;
    if (i.flags & INSN_STORE)
        roles |= 1u << ROLE_STORE;
    return roles;
}

bool isa_target(uint32_t word, uint32_t address, uint32_t *target)
{
    struct insn i;

    isa_decode(&i, word);
    if (i.op != OP_B && i.op != OP_BC)
        return false;
    *target = (i.c ? 0 : address) + (uint32_t)i.imm;
    return true;
}
