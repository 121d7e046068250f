/* pack.c - room for packed bytes. */
#include "lib/base/pack.h"

#include <stdlib.h>

#include "lib/base/grow.h"

void pack_room(struct pack_bytes *p, size_t more)
{
    size_t room = p->room ? p->room : 4096;
    unsigned char *wide;

    if (p->size + more <= p->room)
        return;
    while (room < p->size + more)
        room *= 2;
    wide = realloc(p->byte, room);
    if (!wide) { /* says so, and ends */
        p->byte = grow(p->byte, &p->room, room, 1);
        return;
    }
    p->byte = wide;
    p->room = room;
}
