/* library.c - shared objects: the dynamic loader that a program names, which
 * simrun maps, and the libraries that the loader maps then. Their names are
 * for stacks and sentences, their bytes for the experiment; nothing simulated
 * depends on either.
 */
#define _GNU_SOURCE
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below the page that Linux lends every program. */
#define LOADER_TOP VDSO_BASE

/* The image moved to a bias: its bytes are the library's. */
static struct image moved_to(const struct image *i, uint32_t bias)
{
    struct image moved = *i;

    image_move(&moved, bias);
    return moved;
}

static void tell(struct user *u, unsigned n)
{
    const struct mapped *m = &u->mapped[n];
    struct library *l = &u->library[m->library];
    struct image moved = moved_to(&l->image, m->bias);

    OBSERVERS_TELL(&u->m->observers, mapped, m->at, &moved, !l->archived);
    l->archived = true;
}

void user_tell_mapped(struct user *u)
{
    for (unsigned n = 0; n < u->mappings; n++)
        tell(u, n);
}

/* Library n is at `bias` from cycle `at` on. */
static unsigned note(struct user *u, unsigned n, cycle_t at, uint32_t bias)
{
    struct image moved = moved_to(&u->library[n].image, bias);

    u->mapped[u->mappings] = (struct mapped){at, bias, n};
    names_add(&u->m->names, &moved);
    return u->mappings++;
}

/* ---- the dynamic loader -------------------------------------------------- */

static bool no_loader(const struct user *u, const char *problem, char *why,
                      size_t size)
{
    const struct image *i = u->with.image;

    snprintf(why, size,
             "%s: its dynamic loader %s %s; name the directory that has it and "
             "the libraries with --sysroot DIR (Debian: " TREE_SYSROOT
             " of libc6-powerpc-cross), or link with -static",
             i->name, i->interp, problem);
    return false;
}

static bool read_loader(struct user *u, struct library *l, char *why,
                        size_t size)
{
    char path[USER_PATH], wrong[512];
    int error = path_make(u, ABI_AT_FDCWD, u->with.image->interp, path);
    int fd = error ? -error : path_look(u, path, O_RDONLY | O_NONBLOCK, 0);
    bool ok;

    if (fd < 0)
        return no_loader(u, "is not found", why, size);
    ok = image_open_fd(&l->image, fd, u->with.image->interp, IMAGE_SHARED,
                       wrong, sizeof wrong);
    close(fd);
    if (ok && (!l->image.relocatable || !l->image.start)) {
        image_close(&l->image);
        ok = false;
        snprintf(wrong, sizeof wrong, "%s: is no dynamic loader",
                 u->with.image->interp);
    }
    return ok || no_loader(u, strchr(wrong, ' ') + 1, why, size);
}

/* The pages of an image that is at 0. */
static uint32_t extent(const struct image *i)
{
    uint32_t top = 0;

    for (unsigned n = 0; n < i->count; n++) {
        uint32_t end = i->segment[n].va + i->segment[n].memory;

        top = end > top ? end : top;
    }
    return (top + ABI_PAGE - 1) & ~(ABI_PAGE - 1);
}

bool library_loader(struct user *u, const struct image **image, ea_t *base,
                    char *why, size_t size)
{
    struct library *l = &u->library[0];
    struct image moved;
    ea_t top;

    if (!read_loader(u, l, why, size))
        return false;
    u->libraries = 1;
    *image = &l->image;
    *base = space_place(&u->space, extent(&l->image), LOADER_TOP);
    if (!*base)
        return no_loader(u, "has no place in memory", why, size);
    moved = moved_to(&l->image, *base);
    if (!start_segments(u, &moved, &top, why, size))
        return false;
    note(u, 0, 0, *base);
    return true;
}

/* ---- what it maps -------------------------------------------------------- */

static bool same(const struct image *a, const struct image *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->build_id, b->build_id);
}

/* Is a file of this name and build-id in the experiment already? */
static bool is_known(const struct user *u, const struct image *i)
{
    bool known = same(i, u->with.image);

    for (unsigned k = 0; k < u->libraries; k++)
        known |= same(i, &u->library[k].image);
    return known;
}

/* There is no room for one more. */
static void say_unnamed(struct user *u)
{
    char line[160];

    snprintf(line, sizeof line,
             "the program maps code of files in more than %d places: what runs "
             "in the others has no names",
             USER_LIBRARIES);
    if (!u->unnamed)
        u->with.host.say(u->with.host.arg, line);
    u->unnamed = true;
}

/* The number of the host's file among the libraries, read when it is new; -1:
 * it is none, or there are too many. */
static int library_of(struct user *u, int host)
{
    struct library *l = &u->library[u->libraries];
    char proc[64], name[USER_PATH], why[512];
    struct stat st;
    uint64_t changed;
    ssize_t n;

    if (fstat(host, &st) != 0)
        return -1;
    changed = (uint64_t)st.st_mtim.tv_sec * NANO + (uint64_t)st.st_mtim.tv_nsec;
    for (unsigned k = 0; k < u->libraries; k++)
        if (u->library[k].inode == st.st_ino &&
            u->library[k].device == st.st_dev &&
            u->library[k].changed == changed)
            return (int)k;
    if (u->libraries == USER_LIBRARIES) {
        say_unnamed(u);
        return -1;
    }
    snprintf(proc, sizeof proc, "/proc/self/fd/%d", host);
    n = readlink(proc, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    if (!image_open_fd(&l->image, host, name, IMAGE_SHARED, why, sizeof why))
        return -1;
    l->device = st.st_dev;
    l->inode = st.st_ino;
    l->changed = changed;
    l->archived = is_known(u, &l->image);
    return (int)u->libraries++;
}

/* Is library n the last that was known to be at `bias`? */
static bool is_there(const struct user *u, unsigned n, uint32_t bias)
{
    uint32_t size = extent(&u->library[n].image);

    for (unsigned k = u->mappings; k-- > 0;) {
        const struct mapped *m = &u->mapped[k];
        uint32_t low = m->bias > bias ? m->bias : bias;

        if (m->library == n && m->bias == bias)
            return true;
        if (low - bias < size &&
            low - m->bias < extent(&u->library[m->library].image))
            return false;
    }
    return false;
}

void library_mapped(struct call *k, int host, ea_t at, uint64_t offset)
{
    struct user *u = k->u;
    int n = library_of(u, host);
    const struct image *i = n < 0 ? NULL : &u->library[n].image;
    uint32_t bias;

    for (unsigned s = 0; i && s < i->count; s++) {
        const struct image_segment *g = &i->segment[s];

        if (g->flags[2] != 'x' || (g->offset & ~(ABI_PAGE - 1)) != offset)
            continue;
        bias = at - (g->va & ~(ABI_PAGE - 1));
        if (is_there(u, (unsigned)n, bias))
            return;
        if (u->mappings == USER_LIBRARIES)
            say_unnamed(u);
        else
            tell(u, note(u, (unsigned)n, k->now, bias));
        return;
    }
}

struct image *user_take_shared(struct user *u, unsigned *n)
{
    struct image *all = calloc(u->libraries + 1, sizeof *all);

    *n = 0;
    for (unsigned k = 0; all && k < u->mappings; k++) {
        struct library *l = &u->library[u->mapped[k].library];

        if (!l->image.bytes) /* in a second place */
            continue;
        all[(*n)++] = moved_to(&l->image, u->mapped[k].bias);
        l->image.bytes = NULL;
    }
    return all;
}

void library_close(struct user *u)
{
    for (unsigned n = 0; n < u->libraries; n++)
        image_close(&u->library[n].image);
}
