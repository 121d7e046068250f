/* deferred_write.c - see deferred_write.h. Few, and looked up seldom but for
 * the latest. */
#include "sim/user/mm/deferred_write.h"

#include <stdlib.h>
#include <string.h>

#include "sim/user/abi.h"

struct space_later {
    struct space_later *next;
    ea_t page;
    uint8_t bytes[ABI_PAGE];
};

/* The link that leads to a page's, or to the end. */
static struct space_later **link_of(struct space *s, ea_t ea)
{
    struct space_later **k = &s->later;

    while (*k && (*k)->page != (ea & ~(ABI_PAGE - 1)))
        k = &(*k)->next;
    return k;
}

const uint8_t *deferred_write_find(const struct space *s, ea_t ea)
{
    const struct space_later *k = *link_of((struct space *)s, ea);

    return k ? k->bytes + ea % ABI_PAGE : NULL;
}

uint8_t *deferred_write_bytes(struct space *s, ea_t ea)
{
    struct space_later **link = link_of(s, ea), *k = *link;

    if (k) {
        *link = k->next; /* the latest stands first */
    } else {
        k = malloc(sizeof *k);
        if (!k)
            return NULL;
        k->page = ea & ~(ABI_PAGE - 1);
        if (!space_peek(s, k->page, k->bytes, ABI_PAGE)) {
            free(k);
            return NULL;
        }
    }
    k->next = s->later;
    s->later = k;
    return k->bytes + ea % ABI_PAGE;
}

void deferred_write_made(struct space *s, ea_t page, uint8_t *bytes)
{
    struct space_later **link = link_of(s, page), *k = *link;

    if (!k)
        return;
    memcpy(bytes, k->bytes, ABI_PAGE);
    *link = k->next;
    free(k);
}

void deferred_write_forget(struct space *s, ea_t at, uint32_t length)
{
    struct space_later **link = &s->later;

    while (*link) {
        struct space_later *k = *link;

        if (k->page - at >= length) {
            link = &k->next;
            continue;
        }
        *link = k->next;
        free(k);
    }
}

void deferred_write_move(struct space *s, ea_t from, ea_t to, uint32_t length)
{
    for (struct space_later *k = s->later; k; k = k->next)
        if (k->page - from < length)
            k->page += to - from;
}
