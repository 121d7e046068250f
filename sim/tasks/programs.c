/* programs.c - see programs.h. */
#include "sim/tasks/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "sim/tasks/memory.h"

#define DEEPEST 64 /* directories in a path, mounts included */

/* ---- the kernel's memory ------------------------------------------------- */

/* The word at an address of the kernel's, plus `offset`. 0: there is no memory,
 * or it is 0. */
static uint32_t word_at(const struct task_programs *p, uint32_t ea,
                        uint32_t offset)
{
    return ea ? kernel_word(p->machine, kernel_pa(p->machine, ea) + offset) : 0;
}

/* The text at an address of the kernel's in front of `end`, which is in front
 * of a path of the buffer `from`: where it begins then. NULL: none that fits.
 */
static char *text_before(const struct task_programs *p, uint32_t ea, char *from,
                         char *end)
{
    uint32_t pa = kernel_pa(p->machine, ea), size = p->machine->ram.size;
    const char *text = (const char *)p->machine->ram.bytes + pa;
    size_t n;

    if (!ea || pa >= size)
        return NULL;
    n = strnlen(text, size - pa);
    if (!n || n == size - pa || n + 1 > (size_t)(end - from))
        return NULL;
    end -= n + 1;
    *end = '/';
    memcpy(end + 1, text, n);
    return end;
}

/* The path of an open file, in its buffer: names from the last one up, over
 * every mount. NULL: that makes no sense. */
static char *path_of(const struct task_programs *p, uint32_t file,
                     char path[TASK_PROGRAM_PATH])
{
    const struct program_description *d = &p->is;
    uint32_t dentry = word_at(p, file, d->f_path + d->dentry);
    uint32_t mnt = word_at(p, file, d->f_path + d->mnt);
    char *at = path + TASK_PROGRAM_PATH - 1;

    *at = '\0';
    for (int n = 0; n < DEEPEST && at && dentry && mnt; n++) {
        uint32_t up = word_at(p, dentry, d->d_parent);

        if (dentry == word_at(p, mnt, d->mnt_root) || up == dentry) {
            uint32_t mount = mnt - d->mount;
            uint32_t outer = word_at(p, mount, d->mnt_parent);

            if (outer == mount || !outer)
                return *at ? at : NULL;
            dentry = word_at(p, mount, d->mnt_mountpoint);
            mnt = outer + d->mount;
        } else {
            at = text_before(p, word_at(p, dentry, d->d_name + d->name), path,
                             at);
            dentry = up;
        }
    }
    return NULL;
}

/* ---- the host's file ----------------------------------------------------- */

/* The code of an image as the kernel reckons it: where the lowest segment that
 * runs begins, and where the furthest ends. */
static void code_of(const struct image *i, uint32_t *start, uint32_t *end)
{
    *start = UINT32_MAX;
    *end = 0;
    for (unsigned k = 0; k < i->count; k++) {
        const struct image_segment *s = &i->segment[k];

        if (s->flags[2] != 'x')
            continue;
        if (s->va < *start)
            *start = s->va;
        if (s->va + s->file > *end)
            *end = s->va + s->file;
    }
}

/* Read the file and put it where it is. False: it is none, or another one. */
static bool open_image(const struct task_programs *p, struct image *i,
                       const char *path, uint32_t start_code, uint32_t end_code)
{
    char file[2 * TASK_PROGRAM_PATH], why[512];
    uint32_t start, end;
    bool same;

    snprintf(file, sizeof file, "%.4000s%s", p->sysroot, path);
    if (!image_open(i, file, IMAGE_PROGRAM, why, sizeof why))
        return false;
    code_of(i, &start, &end);
    same = end - start == end_code - start_code &&
           (start == start_code ||
            (i->relocatable && image_move(i, start_code - start)));
    if (!same)
        image_close(i);
    return same;
}

static void put(const struct task_programs *p, const struct image *i,
                uint32_t space)
{
    char archive[EXPERIMENT_NAME];

    experiment_archive_name(archive, i->name, i->build_id);
    experiment_archive(p->experiment, archive, i->bytes, i->size);
    for (unsigned n = 0; n < i->count; n++) {
        const struct image_segment *s = &i->segment[n];
        struct experiment_segment segment = {
            0, s->va, s->memory, s->offset, s->flags, archive, space};

        experiment_segment(p->experiment, &segment);
    }
}

static uint32_t add(struct task_programs *p, const char *path,
                    uint32_t start_code, uint32_t end_code)
{
    struct task_program *new;
    struct image image;

    p->program = grow(p->program, &p->room, p->count + 1, sizeof *p->program);
    new = &p->program[p->count++];
    *new = (struct task_program){grow_text(path), start_code, 0};
    if (!open_image(p, &image, path, start_code, end_code))
        return 0;
    new->space = ++p->spaces;
    put(p, &image, new->space);
    image_close(&image);
    return new->space;
}

uint32_t task_programs_space(struct task_programs *p, uint32_t mm)
{
    const struct program_description *d = &p->is;
    char buffer[TASK_PROGRAM_PATH];
    uint32_t start_code;
    const char *path;

    if (!p->machine)
        return 0;
    start_code = word_at(p, mm, d->start_code);
    path = path_of(p, word_at(p, mm, d->exe_file), buffer);
    if (!path)
        return 0;
    for (size_t k = 0; k < p->count; k++)
        if (p->program[k].start_code == start_code &&
            !strcmp(p->program[k].path, path))
            return p->program[k].space;
    return add(p, path, start_code, word_at(p, mm, d->end_code));
}

bool task_programs_open(struct task_programs *p, const struct machine *m,
                        struct experiment *e, const char *sysroot, char *why,
                        size_t size)
{
    *p = (struct task_programs){.experiment = e, .sysroot = sysroot};
    if (!sysroot)
        return true;
    if (!program_description_read(&p->is, m->with.image, why, size))
        return false;
    p->machine = m;
    return true;
}

void task_programs_close(struct task_programs *p)
{
    for (size_t k = 0; k < p->count; k++)
        free(p->program[k].path);
    free(p->program);
    *p = (struct task_programs){0};
}
