/* timetree_put.c - the parts of a time tree's file that grow as it is made. */
#include "tools/analysis/timetree/timetree_put.h"

#include "lib/base/grow.h"
#include "lib/base/pack.h"

uint32_t timetree_put_name(struct timetree_put *p, const char *name)
{
    struct timetree_file *f = p->f;
    size_t n = strlen(name) + 1;
    uint64_t key = pack_sum(2, name, n);
    uint32_t *at;
    bool fresh;

    for (;; key++) {
        at = hash_at(&p->known, key, &fresh);
        if (fresh)
            break;
        if (!strcmp(f->text + f->name[*at], name))
            return *at;
    }
    *at = (uint32_t)f->names;
    f->name = grow(f->name, &p->names_room, f->names + 1, sizeof *f->name);
    f->text = grow(f->text, &p->text_room, f->text_size + n, 1);
    memcpy(f->text + f->text_size, name, n);
    f->name[f->names] = f->text_size;
    f->text_size += n;
    return (uint32_t)f->names++;
}

uint32_t timetree_put_call(struct timetree_put *p,
                           const struct timetree_call *call)
{
    struct timetree_file *f = p->f;

    f->call = grow(f->call, &p->calls_room, f->calls + 1, sizeof *f->call);
    f->call[f->calls] = *call;
    return (uint32_t)f->calls++;
}

uint32_t timetree_put_type(struct timetree_put *p, uint32_t call)
{
    struct timetree_file *f = p->f;
    bool fresh;
    uint32_t *type = hash_at(&p->type_at, call, &fresh);

    if (fresh) {
        *type = f->tree.types++;
        f->call_of =
            grow(f->call_of, &p->types_room, *type + 1, sizeof *f->call_of);
        f->call_of[*type] = call;
    }
    return *type;
}

void timetree_put_free(struct timetree_put *p)
{
    hash_free(&p->known);
    hash_free(&p->type_at);
}
