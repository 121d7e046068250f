/* mmu.c - translation as a function of registers and tables.
 */
#include "isa/mmu.h"

#define NO_TRANSLATION 0x40000000u
#define DSISR_STORE 0x02000000u

enum exc mmu_fetch(struct cpu *c, ea_t ea, pa_t *pa)
{
    if (c->msr & MSR_IR) {
        c->cause = NO_TRANSLATION;
        return EXC_ISI;
    }
    *pa = ea;
    return EXC_NONE;
}

enum exc mmu_data(struct cpu *c, ea_t ea, bool store, pa_t *pa)
{
    if (c->msr & MSR_DR) {
        c->cause = NO_TRANSLATION | (store ? DSISR_STORE : 0);
        c->dar = ea;
        return EXC_DSI;
    }
    *pa = ea;
    return EXC_NONE;
}
