/* initrd.c - cpio archives (newc: a header of hexadecimal numbers, the name,
 * the bytes, each filled up to four). Numbers of files count up, owners and
 * times are 0, names are in the order of their bytes.
 */
#include "sim/host/initrd.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "070701"
#define TRAILER "TRAILER!!!"
#define PATH 4096
#define LARGEST (UINT32_C(2) << 30)

struct making {
    struct initrd *to;
    size_t room;
    uint32_t number; /* of the latest file */
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool fail(const struct making *m,
                                                       const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(m->why, m->size, format, args);
    va_end(args);
    return false;
}

/* ---- the archive --------------------------------------------------------- */

/* Bytes, then zeros up to a multiple of four. */
static bool put(struct making *m, const void *bytes, size_t n)
{
    size_t used = m->to->size, wanted = (used + n + 3) & ~(size_t)3;

    if (wanted > LARGEST)
        return fail(m, "--initrd: more than 2 GiB");
    if (wanted > m->room) {
        size_t room = wanted < 32768 ? 65536 : 2 * wanted;
        unsigned char *more = realloc(m->to->bytes, room);

        if (!more)
            return fail(m, "--initrd: the host has no memory");
        m->to->bytes = more;
        m->room = room;
    }
    if (n)
        memcpy(m->to->bytes + used, bytes, n);
    memset(m->to->bytes + used + n, 0, wanted - used - n);
    m->to->size = wanted;
    return true;
}

static bool put_entry(struct making *m, const char *name, uint32_t mode,
                      const void *bytes, size_t n)
{
    char head[111 + PATH];
    size_t length = strlen(name) + 1;

    if (length > PATH)
        return fail(m, "--initrd: %.60s...: its name is too long", name);
    snprintf(head, sizeof head,
             MAGIC "%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s",
             ++m->number, mode, 0u, 0u, 1u, 0u, (unsigned)n, 0u, 0u, 0u, 0u,
             (unsigned)length, 0u, name);
    return put(m, head, 110 + length) && put(m, bytes, n);
}

/* ---- files --------------------------------------------------------------- */

/* All bytes of a file; malloc'd. */
static bool slurp(const struct making *m, const char *path, char **bytes,
                  size_t *n)
{
    FILE *f = fopen(path, "rb");
    size_t room = 0, got;

    *bytes = NULL;
    *n = 0;
    if (!f)
        return fail(m, "%s: %s", path, strerror(errno));
    do {
        char *more;

        room = room ? 2 * room : 65536;
        more = *n < LARGEST ? realloc(*bytes, room) : NULL;
        if (!more)
            break;
        *bytes = more;
        got = fread(*bytes + *n, 1, room - *n, f);
        *n += got;
    } while (*n == room);
    if (ferror(f) || *n == room || !*bytes) {
        fail(m, "%s: %s", path, ferror(f) ? strerror(errno) : "is too large");
        free(*bytes);
        *bytes = NULL;
    }
    fclose(f);
    return *bytes != NULL;
}

static bool add_file(struct making *m, const char *path, const char *name,
                     uint32_t mode)
{
    char *bytes;
    size_t n;
    bool good = slurp(m, path, &bytes, &n) &&
                put_entry(m, name, S_IFREG | (mode & 0777), bytes, n);

    free(bytes);
    return good;
}

static bool add_link(struct making *m, const char *path, const char *name)
{
    char to[PATH];
    ssize_t n = readlink(path, to, sizeof to);

    if (n < 0)
        return fail(m, "%s: %s", path, strerror(errno));
    return put_entry(m, name, S_IFLNK | 0777, to, (size_t)n);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_directory(struct making *m, const char *path, const char *name);

/* name: in the archive. */
static bool add(struct making *m, const char *path, const char *name)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return fail(m, "%s: %s", path, strerror(errno));
    switch (st.st_mode & S_IFMT) {
    case S_IFREG:
        return add_file(m, path, name, st.st_mode);
    case S_IFLNK:
        return add_link(m, path, name);
    case S_IFDIR:
        return put_entry(m, name, S_IFDIR | (st.st_mode & 0777), NULL, 0) &&
               add_directory(m, path, name);
    default:
        return fail(m,
                    "%s: is neither a file nor a directory nor a link, "
                    "leave it out",
                    path);
    }
}

static bool add_directory(struct making *m, const char *path, const char *name)
{
    struct dirent **entry;
    int count = scandir(path, &entry, NULL, by_bytes);
    bool good = count >= 0 || fail(m, "%s: %s", path, strerror(errno));

    for (int n = 0; n < count; n++) {
        const char *own = entry[n]->d_name;
        char inside[2 * PATH], place[2 * PATH];

        if (good && strcmp(own, ".") && strcmp(own, "..")) {
            int used = snprintf(inside, sizeof inside, "%s%s%s", name,
                                *name ? "/" : "", own);

            snprintf(place, sizeof place, "%s/%s", path, own);
            good = (used < PATH && strlen(place) < PATH) ||
                   fail(m, "%.60s...: its name is too long", place);
            good = good && add(m, place, inside);
        }
        free(entry[n]);
    }
    if (count >= 0)
        free(entry);
    return good;
}

/* Eight hexadecimal digits. */
static size_t field(const char *at)
{
    char digits[9] = {0};

    memcpy(digits, at, 8);
    return strtoul(digits, NULL, 16);
}

/* Where an archive's trailer begins, header by header, since a file may hold an
 * archive. Or where there is neither it nor another header: *cut. */
static size_t find_trailer(const char *bytes, size_t n, bool *cut)
{
    size_t at = 0;

    while (at + 110 <= n && !memcmp(bytes + at, MAGIC, 6)) {
        size_t name = field(bytes + at + 94), body = at + 110 + name;

        if (name == sizeof TRAILER && body <= n &&
            !memcmp(bytes + at + 110, TRAILER, sizeof TRAILER)) {
            *cut = false;
            return at;
        }
        body = (body + 3) & ~(size_t)3;
        at = (body + field(bytes + at + 54) + 3) & ~(size_t)3;
    }
    *cut = true;
    return at;
}

/* An archive, up to its trailer, which comes again; or the file as it is. */
static bool add_archive(struct making *m, const char *path, bool as_is)
{
    char *bytes;
    size_t n, end;
    bool good, cut;

    if (!slurp(m, path, &bytes, &n))
        return false;
    if (as_is) {
        good = put(m, bytes, n);
        free(bytes);
        m->to->size = n; /* without what fills it up */
        return good;
    }
    end = find_trailer(bytes, n, &cut);
    if (!end && cut)
        good = fail(m,
                    "--initrd: %s: is neither a directory nor a cpio "
                    "archive (newc)",
                    path);
    else if (cut)
        good = fail(m,
                    "--initrd: %s: is cut or damaged: a header should be at "
                    "byte %zu of %zu; make it again",
                    path, end, n);
    else
        good = put(m, bytes, end);
    free(bytes);
    return good;
}

static bool add_program(struct making *m, const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[PATH];

    if (strlen(path) >= PATH - 8)
        return fail(m, "--program: %.60s...: its name is too long", path);
    snprintf(name, sizeof name, "bin/%s", slash ? slash + 1 : path);
    return add_file(m, path, name, 0755);
}

static bool fill(struct making *m, const char *path, const char *program,
                 bool as_is)
{
    struct stat st;

    if (path && stat(path, &st) != 0)
        return fail(m, "--initrd: %s: %s", path, strerror(errno));
    if (path && S_ISDIR(st.st_mode) && !add_directory(m, path, ""))
        return false;
    if (path && !S_ISDIR(st.st_mode)) {
        if (!add_archive(m, path, as_is))
            return false;
        if (as_is)
            return true;
    }
    if (program && !add_program(m, program))
        return false;
    return put_entry(m, TRAILER, 0, NULL, 0);
}

bool initrd_make(struct initrd *i, const char *path, const char *program,
                 bool as_is, char *why, size_t size)
{
    struct making m = {.to = i, .why = why, .size = size};

    *i = (struct initrd){NULL, 0};
    if (!path && !program)
        return true;
    if (fill(&m, path, program, as_is))
        return true;
    initrd_free(i);
    return false;
}

void initrd_free(struct initrd *i)
{
    free(i->bytes);
    *i = (struct initrd){NULL, 0};
}
