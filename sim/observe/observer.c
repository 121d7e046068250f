/* observer.c - the list of those who listen. See observer.h. */
#include "sim/observe/observer.h"

#include <stddef.h>

static void refresh(struct observers *s)
{
    s->steps = false;
    for (const struct observer *o = s->first; o; o = o->next)
        if (o->before || o->after)
            s->steps = true;
}

/* o->next stays: o may be the one that is being called. */
static void take_out(struct observers *s, const struct observer *o)
{
    struct observer **link = &s->first;

    while (*link && *link != o)
        link = &(*link)->next;
    if (*link)
        *link = o->next;
}

void observers_add(struct observers *s, struct observer *o)
{
    take_out(s, o);
    o->next = s->first;
    s->first = o;
    refresh(s);
}

void observers_drop(struct observers *s, struct observer *o)
{
    take_out(s, o);
    refresh(s);
}
