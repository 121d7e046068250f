/* pages.c - the hashed page table in simulated memory, the frames that pages
 * lie in, and the list of pages that stands behind the table. Knows no region.
 */
#include "sim/user/mm/pages.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/big_endian.h"
#include "sim/user/abi.h"

#define PTE_VALID 0x80000000u
#define PTE_SECOND 0x40u
#define PTE_CHANGED 0x80u /* of the second word: stored to */
#define GROUP 64u

/* ---- the hashed page table ----------------------------------------------- */

static uint32_t vsid_of(const struct space *s, ea_t ea)
{
    return s->vsid + (ea >> 28);
}

static pa_t group_at(const struct space *s, ea_t ea, bool second)
{
    uint32_t hash = vsid_of(s, ea) ^ (ea >> 12 & 0xFFFF);

    return s->htab + ((second ? ~hash : hash) & (s->groups - 1)) * GROUP;
}

static uint32_t entry_high(const struct space *s, ea_t ea, bool second)
{
    return PTE_VALID | vsid_of(s, ea) << 7 | (second ? PTE_SECOND : 0) |
           (ea >> 22 & 0x3F);
}

/* The entry of a page, or NULL. */
static uint8_t *entry_find(const struct space *s, ea_t ea)
{
    for (unsigned second = 0; second < 2; second++) {
        uint8_t *group = s->ram->bytes + group_at(s, ea, second);

        for (unsigned i = 0; i < GROUP; i += 8)
            if (be_get32(group + i) == entry_high(s, ea, second))
                return group + i;
    }
    return NULL;
}

/* An entry goes or changes: if it was stored through, its page remembers. */
static void entry_note(struct space *s, ea_t ea, const uint8_t *e)
{
    if (be_get32(e + 4) & PTE_CHANGED && page_get(s, ea) & PAGE_THERE)
        *page_slot(s, ea) |= PAGE_DIRTY;
}

void entry_drop(struct space *s, ea_t ea)
{
    uint8_t *e = entry_find(s, ea);

    if (!e)
        return;
    entry_note(s, ea, e);
    be_put32(e, 0);
}

/* The page that a valid entry of this group is about: the group has the lower
 * bits of its number, hashed, the entry the upper six. */
static ea_t entry_page(const struct space *s, pa_t group, const uint8_t *e)
{
    uint32_t high = be_get32(e), vsid = high >> 7 & 0xFFFFFF;
    uint32_t hash = (group - s->htab) / GROUP;

    if (high & PTE_SECOND)
        hash = ~hash;
    return (vsid - s->vsid) << 28 | (high & 0x3F) << 22 |
           ((hash ^ vsid) & 0x3FF) << 12;
}

/* A place for a page's entry: a free one, or that of another page. */
static uint8_t *entry_place(struct space *s, ea_t ea, bool *second)
{
    uint8_t *group;

    for (unsigned n = 0; n < 2; n++) {
        group = s->ram->bytes + group_at(s, ea, n);
        *second = n;
        for (unsigned i = 0; i < GROUP; i += 8)
            if (!(be_get32(group + i) & PTE_VALID))
                return group + i;
    }
    *second = false;
    group = s->ram->bytes + group_at(s, ea, false) + (s->victim++ & 7) * 8;
    entry_note(s, entry_page(s, group_at(s, ea, false), group), group);
    return group;
}

void entry_make(struct space *s, ea_t ea, pa_t frame, unsigned prot)
{
    bool second;
    uint8_t *e = entry_find(s, ea);

    if (e) {
        entry_note(s, ea, e);
    } else {
        e = entry_place(s, ea, &second);
        be_put32(e, entry_high(s, ea, second));
    }
    /* Key 1: PP 2 reads and writes, 3 only reads; coherent. */
    be_put32(e + 4, frame | 0x10 | (prot & SPACE_WRITE ? 2 : 3));
}

/* ---- frames and pages ---------------------------------------------------- */

uint64_t space_left(const struct space *s)
{
    return s->limit - s->unused + (uint64_t)s->freed * ABI_PAGE;
}

#define FRAMES 16u /* that are mixed with each other */

/* The frame to take next: in the order of memory, or with a layout in another
 * one within each FRAMES of them, so that pages have other colours. */
static pa_t next_frame(const struct space *s)
{
    pa_t block = s->unused & ~(FRAMES * ABI_PAGE - 1);

    if (block == 0) /* of which a part was never there */
        return s->unused;
    return s->unused ^ (space_layout(s, block, FRAMES) * ABI_PAGE);
}

pa_t frame_get(struct space *s)
{
    pa_t frame;

    if (s->reserved && space_left(s) <= s->reserved) {
        s->recount(s->arg);
        if (space_left(s) <= s->reserved) {
            s->exhausted = true;
            return 0;
        }
    }
    if (s->freed) {
        frame = s->free[--s->freed];
        memset(s->ram->bytes + frame, 0, ABI_PAGE);
        s->stored(s->arg, frame, ABI_PAGE);
        return frame;
    }
    if (s->unused == s->limit) {
        s->exhausted = true;
        return 0;
    }
    frame = next_frame(s);
    s->unused += ABI_PAGE;
    return frame;
}

uint32_t *page_slot(struct space *s, ea_t ea)
{
    uint32_t **table = &s->table[ea >> 22];

    if (!*table)
        *table = calloc(1024, sizeof **table);
    return *table ? &(*table)[ea >> 12 & 1023] : NULL;
}

uint32_t page_get(const struct space *s, ea_t ea)
{
    const uint32_t *table = s->table[ea >> 22];

    return table ? table[ea >> 12 & 1023] : 0;
}

bool page_dirty(const struct space *s, ea_t ea)
{
    const uint8_t *e;

    if (page_get(s, ea) & PAGE_DIRTY)
        return true;
    e = entry_find(s, ea);
    return e && be_get32(e + 4) & PTE_CHANGED;
}

void page_clean(struct space *s, ea_t ea)
{
    uint8_t *e = entry_find(s, ea);

    if (e)
        be_put32(e + 4, be_get32(e + 4) & ~PTE_CHANGED);
    if (page_get(s, ea) & PAGE_DIRTY)
        *page_slot(s, ea) &= ~PAGE_DIRTY;
}
