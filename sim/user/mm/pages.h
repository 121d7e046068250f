/* pages.h - what the files that keep an address space share: the pages that are
 * in memory, by address, and the hashed page table that is made of them.
 */
#ifndef SIM_USER_MM_PAGES_H
#define SIM_USER_MM_PAGES_H

#include "sim/user/mm/space.h"

/* A page: its frame, and these. 0: it is not in memory. */
#define PAGE_THERE 1u
#define PAGE_DIRTY 2u /* stored to; the table's entry may say so instead */

uint32_t page_get(const struct space *s, ea_t ea);
/* Where it is kept; NULL: the host has no memory. */
uint32_t *page_slot(struct space *s, ea_t ea);
/* A frame full of zeros. 0: there is none left. */
pa_t frame_get(struct space *s);
/* Was it stored to since it came, or since page_clean? After page_clean
 * processors have to forget (changed). */
bool page_dirty(const struct space *s, ea_t ea);
void page_clean(struct space *s, ea_t ea);

/* The table's entry of a page. */
void entry_make(struct space *s, ea_t ea, pa_t frame, unsigned prot);
void entry_drop(struct space *s, ea_t ea);

#endif
