/* programs.c - see programs.h. */
#include "sim/tasks/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "sim/tasks/memory.h"

#define DEEPEST 64 /* directories in a path, mounts included */
#define VM_EXEC 4u /* of a mapping, in Linux: its bytes are run */
#define PAGE_SHIFT 12
#define PAGE ((1u << PAGE_SHIFT) - 1)

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

/* The segments of an image, moved `bias` up, are those of the program's space.
 */
static void put(const struct task_programs *p, const struct image *i,
                uint32_t bias, struct task_program *program)
{
    char archive[EXPERIMENT_NAME];
    uint32_t space = program->space;

    if (p->marked)
        marked_mapped(p->marked, i, bias, space, &program->view);

    experiment_archive_name(archive, i->name, i->build_id);
    for (unsigned n = 0; n < i->count; n++) {
        const struct image_segment *s = &i->segment[n];
        struct experiment_segment segment = {
            0, s->va + bias, s->memory, s->offset, s->flags, archive, space};

        experiment_segment(p->experiment, &segment);
    }
}

/* Its file goes to the archives, once. */
static void keep(const struct task_programs *p, const struct image *i)
{
    char archive[EXPERIMENT_NAME];

    experiment_archive_name(archive, i->name, i->build_id);
    experiment_archive(p->experiment, archive, i->bytes, i->size);
}

/* ---- shared objects ------------------------------------------------------ */

static uint32_t object_of(struct task_programs *p, const char *path)
{
    for (size_t k = 0; k < p->objects; k++)
        if (!strcmp(p->object[k].path, path))
            return (uint32_t)k;
    p->object =
        grow(p->object, &p->objects_room, p->objects + 1, sizeof *p->object);
    p->object[p->objects] = (struct task_object){.path = grow_text(path)};
    return (uint32_t)p->objects++;
}

/* Its file; NULL: there is none that can be read. */
static const struct image *object_image(struct task_programs *p, uint32_t n)
{
    struct task_object *o = &p->object[n];
    char file[2 * TASK_PROGRAM_PATH], why[512];

    if (!o->asked) {
        o->asked = true;
        snprintf(file, sizeof file, "%.4000s%s", p->sysroot, o->path);
        o->there = image_open(&o->image, file, IMAGE_SHARED, why, sizeof why);
        if (o->there)
            keep(p, &o->image);
    }
    return o->there ? &o->image : NULL;
}

/* How far up the image is by its mapping. False: it is another file's; one of
 * code is as long as that is, or as all segments. */
static bool bias_of(const struct image *i, const struct task_mapping *map,
                    uint32_t *bias)
{
    uint32_t low = UINT32_MAX, high = 0;

    for (unsigned n = 0; n < i->count; n++) {
        const struct image_segment *s = &i->segment[n];

        low = s->va < low ? s->va : low;
        high = s->va + s->memory > high ? s->va + s->memory : high;
    }
    for (unsigned n = 0; n < i->count; n++) {
        const struct image_segment *s = &i->segment[n];
        uint32_t page = s->va & ~PAGE, code = (s->va + s->file + PAGE) & ~PAGE;

        if (s->flags[2] != 'x' || (s->offset & ~PAGE) != map->offset)
            continue;
        *bias = map->address - page;
        return map->size == code - page ||
               (page == (low & ~PAGE) &&
                map->size == ((high + PAGE) & ~PAGE) - page);
    }
    return false;
}

/* A file is mapped to run code of it: mmap_region(file, address, length, flags,
 * page). That of the program itself is told from its mm_struct. */
static void mapped(struct task_programs *p, const struct core *c, uint32_t mm)
{
    const uint32_t *r = c->cpu.gpr;
    struct task_mapping map = {0, r[4], r[5], r[7] << PAGE_SHIFT};
    char buffer[TASK_PROGRAM_PATH];
    const char *path;

    if (!mm || !r[3] || !(r[6] & VM_EXEC) ||
        r[3] == word_at(p, mm, p->is.exe_file))
        return;
    path = path_of(p, r[3], buffer);
    if (!path)
        return;
    map.object = object_of(p, path);
    task_layouts_map(&p->layouts, mm, &map);
}

void task_programs_watched(struct task_programs *p, const struct core *c,
                           uint32_t mm)
{
    uint32_t pc = c->cpu.pc, argument = c->cpu.gpr[3];

    if (!p->machine || !p->maps)
        return;
    if (pc == p->maps) {
        mapped(p, c, mm);
    } else if (pc == p->begins) {
        uint32_t its = word_at(p, argument, p->mm);

        if (its && its != mm)
            task_layouts_copy(&p->layouts, mm, its);
    } else if (pc == p->ends) {
        task_layouts_forget(&p->layouts, argument);
    }
}

uint32_t task_programs_version(const struct task_programs *p, uint32_t mm)
{
    const struct task_layout *l = task_layouts_of(&p->layouts, mm);

    return l ? l->version : 0;
}

/* ---- spaces -------------------------------------------------------------- */

/* Is the file of the program there, and in the archives? */
static bool is_kept(const struct task_programs *p, const char *path)
{
    for (size_t k = 0; k < p->count; k++)
        if (p->program[k].there && !strcmp(p->program[k].path, path))
            return true;
    return false;
}

static uint32_t add(struct task_programs *p, const char *path,
                    uint32_t start_code, uint32_t end_code,
                    const struct task_layout *l)
{
    struct task_program *new;
    struct image image;
    bool program = open_image(p, &image, path, start_code, end_code);
    uint32_t bias;

    p->program = grow(p->program, &p->room, p->count + 1, sizeof *p->program);
    new = &p->program[p->count++];
    *new = (struct task_program){.path = grow_text(path),
                                 .start_code = start_code};
    if (l) {
        new->mappings = l->count;
        new->map = grow_zero(l->count, sizeof *l->map);
        memcpy(new->map, l->map, l->count * sizeof *l->map);
    }
    if (!program && !l)
        return 0;
    new->space = ++p->spaces;
    if (program) {
        if (!is_kept(p, path))
            keep(p, &image);
        new->there = true;
        put(p, &image, 0, new);
        image_close(&image);
    }
    for (size_t k = 0; k < new->mappings; k++) {
        const struct image *i = object_image(p, new->map[k].object);

        if (i && bias_of(i, &new->map[k], &bias))
            put(p, i, bias, new);
    }
    return new->space;
}

/* Has the program these mappings? */
static bool is_laid_out(const struct task_program *program,
                        const struct task_layout *l)
{
    return l ? program->mappings == l->count &&
                   !memcmp(program->map, l->map, l->count * sizeof *l->map)
             : !program->mappings;
}

uint32_t task_programs_space(struct task_programs *p, uint32_t mm)
{
    const struct program_description *d = &p->is;
    const struct task_layout *l = task_layouts_of(&p->layouts, mm);
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
            !strcmp(p->program[k].path, path) && is_laid_out(&p->program[k], l))
            return p->program[k].space;
    return add(p, path, start_code, word_at(p, mm, d->end_code), l);
}

struct host_view task_programs_view(const struct task_programs *p,
                                    uint32_t space)
{
    for (size_t k = p->count; space && k-- > 0;)
        if (p->program[k].space == space)
            return p->program[k].view;
    return (struct host_view){0};
}

/* ---- life ---------------------------------------------------------------- */

/* Hear of the kernel's functions that shared objects take. */
static bool watch(struct task_programs *p, struct machine *m, char *why,
                  size_t size)
{
    const struct {
        const char *function;
        uint32_t *at;
    } hook[] = {{"mmap_region", &p->maps},
                {"wake_up_new_task", &p->begins},
                {"exit_mmap", &p->ends}};
    uint32_t end, pa;

    for (size_t k = 0; k < sizeof hook / sizeof *hook; k++) {
        bool heard =
            names_extent(&m->names, hook[k].function, hook[k].at, &end);

        pa = heard ? kernel_pa(m, *hook[k].at) : 0;
        heard = heard && pa % 4 == 0 && pa <= m->ram.size - 4;
        for (unsigned n = 0; heard && n < m->with.cpus; n++)
            heard = core_watch(&m->core[n], pa);
        if (heard)
            continue;
        snprintf(why, size,
                 "%s: it has no function %s; functions of shared objects have "
                 "no names",
                 m->with.image->name, hook[k].function);
        p->maps = 0;
        return false;
    }
    return true;
}

bool task_programs_open(struct task_programs *p, struct machine *m,
                        struct experiment *e, const char *sysroot,
                        struct marked_files *marked, uint32_t mm, char *why,
                        size_t size)
{
    *p = (struct task_programs){
        .experiment = e, .sysroot = sysroot, .marked = marked, .mm = mm};
    if (!sysroot)
        return true;
    if (!program_description_read(&p->is, m->with.image, why, size))
        return false;
    p->machine = m;
    return watch(p, m, why, size);
}

void task_programs_close(struct task_programs *p)
{
    for (size_t k = 0; k < p->count; k++) {
        free(p->program[k].path);
        free(p->program[k].map);
        free((void *)p->program[k].view.stretch);
    }
    for (size_t k = 0; k < p->objects; k++) {
        free(p->object[k].path);
        if (p->object[k].there)
            image_close(&p->object[k].image);
    }
    free(p->program);
    free(p->object);
    task_layouts_close(&p->layouts);
    *p = (struct task_programs){0};
}
