/* grow.c - allocation for the host tools. Knows nothing but malloc. */
#include "lib/base/grow.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (!memory) {
        fputs("simprof: out of memory, give it more or report on less\n",
              stderr);
        exit(125);
    }
    return memory;
}

void *grow(void *list, size_t *room, size_t need, size_t size)
{
    size_t more = *room ? *room : 16;

    if (need <= *room)
        return list;
    while (more < need)
        more += more / 2 + 1;
    if (more > SIZE_MAX / size)
        checked(NULL);
    list = checked(realloc(list, more * size));
    memset((char *)list + *room * size, 0, (more - *room) * size);
    *room = more;
    return list;
}

void *grow_zero(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

char *grow_bytes(const char *text, size_t n)
{
    char *copy = checked(malloc(n + 1));

    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *grow_text(const char *text)
{
    return grow_bytes(text, strlen(text));
}

size_t grow_name(char ***list, size_t *count, size_t *room, const char *name)
{
    for (size_t i = *count; i-- > 0;)
        if (!strcmp((*list)[i], name))
            return i;
    *list = grow(*list, room, *count + 1, sizeof **list);
    (*list)[*count] = grow_text(name);
    return (*count)++;
}
