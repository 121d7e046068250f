/* marked.c - see marked.h. */
#include "sim/tasks/marked.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

#define PAGE 4095u
#define PATH 4096u

/* ---- files --------------------------------------------------------------- */

/* Are they one file? Copies are. */
static bool is_same(const struct image *a, const struct image *b)
{
    return a->size == b->size && !strcmp(a->build_id, b->build_id);
}

static bool open_any(struct image *i, const char *path, char *why, size_t size)
{
    char other[256];

    return image_open(i, path, IMAGE_PROGRAM, why, size) ||
           image_open(i, path, IMAGE_SHARED, other, sizeof other);
}

static bool is_called(const char *file, const char *name, size_t n)
{
    return !strncmp(file, name, n) &&
           (!file[n] || !strncmp(file + n, ".so", 3) ||
            (n > 3 && !strncmp(file + n - 3, ".so.", 4)));
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* What a search has found: the first file, and another one. */
struct found {
    char path[2][PATH];
    struct image image;
    unsigned n;
};

static void take(struct found *f, const char *path)
{
    struct image image;
    char why[256];

    if (f->n == 2 || !open_any(&image, path, why, sizeof why))
        return;
    if (f->n && is_same(&image, &f->image)) {
        image_close(&image);
        return;
    }
    snprintf(f->path[f->n], PATH, "%s", path);
    if (!f->n++)
        f->image = image;
    else
        image_close(&image);
}

/* Every program below `sysroot` that is called so. */
static void look(struct found *f, const char *sysroot, const char *name,
                 size_t n)
{
    char *const roots[] = {(char *)sysroot, NULL};
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    const FTSENT *e;

    while (fts && (e = fts_read(fts)))
        if ((e->fts_info == FTS_F || e->fts_info == FTS_SL) &&
            is_called(e->fts_name, name, n))
            take(f, e->fts_path);
    if (fts)
        fts_close(fts);
}

/* The one file that is meant, open in f->image. */
static bool find(struct found *f, const char *sysroot, const char *name,
                 size_t n, char *why, size_t size)
{
    f->n = 0;
    if (*name == '/') {
        snprintf(f->path[0], PATH, "%.3000s%.*s", sysroot, (int)n, name);
        f->n = open_any(&f->image, f->path[0], why, size);
        return f->n;
    }
    look(f, sysroot, name, n);
    if (f->n == 1)
        return true;
    if (f->n)
        snprintf(why, size,
                 "%.120s and %.120s are called so: write the path that one has "
                 "inside, from its first / on",
                 f->path[0] + strlen(sysroot), f->path[1] + strlen(sysroot));
    else
        snprintf(why, size,
                 "no program below %.200s (--sysroot) is called %.*s", sysroot,
                 (int)n, name);
    if (f->n)
        image_close(&f->image);
    return false;
}

struct marked_file *marked_open(struct marked_files *m, const char *sysroot,
                                const char *name, size_t n, char *why,
                                size_t size)
{
    struct found *f = grow_zero(1, sizeof *f);
    struct marked_file *file = NULL;
    bool found = find(f, sysroot, name, n, why, size);

    for (unsigned k = 0; found && k < m->count && !file; k++)
        if (is_same(&m->file[k].image, &f->image))
            file = &m->file[k];
    if (found && file) {
        image_close(&f->image);
    } else if (found && m->count == MARKED_FILES) {
        snprintf(why, size, "marks are in at most %u programs", MARKED_FILES);
        image_close(&f->image);
    } else if (found) {
        if (!m->file)
            m->file = grow_zero(MARKED_FILES, sizeof *m->file);
        file = &m->file[m->count++];
        *file = (struct marked_file){.image = f->image,
                                     .path = grow_text(f->path[0])};
    }
    free(f);
    return file;
}

void marked_close(struct marked_files *m)
{
    for (unsigned k = 0; k < m->count; k++) {
        image_close(&m->file[k].image);
        free(m->file[k].path);
        perfinst_free(&m->file[k].list);
        perfinst_marks_free(&m->file[k].on);
    }
    free(m->file);
    *m = (struct marked_files){0};
}

/* ---- address spaces ------------------------------------------------------ */

static void add(struct host_view *v, uint32_t start, uint32_t end, uint32_t up,
                unsigned program)
{
    struct host_stretch *list = grow_zero(v->count + 1, sizeof *list);

    if (v->count)
        memcpy(list, v->stretch, v->count * sizeof *list);
    list[v->count] = (struct host_stretch){
        start & ~PAGE, ((end + PAGE) & ~PAGE) - (start & ~PAGE), up,
        (uint16_t)program};
    free((void *)v->stretch);
    v->stretch = list;
    v->count++;
}

bool marked_mapped(struct marked_files *m, const struct image *i, uint32_t bias,
                   uint32_t space, struct host_view *v)
{
    struct marked_file *file = NULL;
    uint32_t up;

    for (unsigned k = 0; k < m->count && !file; k++)
        if (is_same(&m->file[k].image, i))
            file = &m->file[k];
    if (!file)
        return false;
    up = i->bias + bias - file->image.bias;
    for (unsigned n = 0; n < i->count; n++)
        add(v, i->segment[n].va + bias,
            i->segment[n].va + bias + i->segment[n].memory, up,
            (unsigned)(file - m->file) + 1);
    if (!file->space) {
        file->space = space;
        file->up = up;
    }
    return true;
}
