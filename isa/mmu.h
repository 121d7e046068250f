/* mmu.h - effective to physical addresses.
 * With MSR[IR] (fetch) or MSR[DR] (data) off, the two are the same.
 */
#ifndef ISA_MMU_H
#define ISA_MMU_H

#include "isa/cpu.h"

/* The physical address to fetch ea from. EXC_ISI: c->cause holds the SRR1
 * bits, *pa is unchanged. */
enum exc mmu_fetch(struct cpu *c, ea_t ea, pa_t *pa);

/* The physical address of data at ea; the access must not cross a page.
 * EXC_DSI: c->cause holds the DSISR bits and c->dar is ea. */
enum exc mmu_data(struct cpu *c, ea_t ea, bool store, pa_t *pa);

#endif
