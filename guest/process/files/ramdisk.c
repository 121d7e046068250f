/* ramdisk.c - the tree of names: a cpio archive (newc) that the loader has put
 * into memory, /dev and /tmp, and what programs make. An archive that makes no
 * sense ends where it stops making sense.
 */
#include "guest/process/disk.h"
#include "guest/process/file.h"

#define CPIO_HEADER 110
#define CPIO_MAGIC 6
#define CPIO_FIELD 8
enum {
    CPIO_MODE = 1,
    CPIO_UID,
    CPIO_GID,
    CPIO_FILESIZE = 6,
    CPIO_NAMESIZE = 11
};
#define LINKS 8 /* followed in one path */

static struct node root = {.mode = S_IFDIR | 0755,
                           .users = 1, /* it stays for good */
                           .links = 1,
                           .number = 1,
                           .time = EPOCH};
static uint32_t nodes = 1; /* tree_lock */
struct mutex tree_lock;
static struct pool made = {.size = sizeof(struct node)};
static struct pool texts = {.size = PATH_SIZE}; /* names; where links lead */

/* ---- making it ----------------------------------------------------------- */

/* Directories list their names by number, so that one that is read stays in
 * its place while others come and go. */
static void enter(struct node *n, struct node *directory)
{
    struct node **place = &directory->children;

    while (*place && (*place)->number < n->number)
        place = &(*place)->next;
    n->next = *place;
    n->parent = directory;
    *place = n;
}

static struct node *child(const struct node *n, const char *text,
                          uint32_t length)
{
    struct node *c = n->children;

    while (c && (text_length(c->name) != length ||
                 memcmp(c->name, text, length) != 0))
        c = c->next;
    return c;
}

static struct node *add(struct node *to, const char *text, uint32_t length,
                        uint32_t mode)
{
    struct node *n = child(to, text, length);
    char *name;

    if (n)
        return n;
    n = kalloc(sizeof *n);
    name = kalloc(length + 1);
    memcpy(name, text, length);
    *n = (struct node){.users = 2,
                       .links = 1,
                       .number = ++nodes,
                       .mode = mode,
                       .time = EPOCH,
                       .name = name};
    enter(n, to);
    return n;
}

/* A path of the archive, with the directories in front of it. */
static struct node *add_path(const char *path, uint32_t length, uint32_t mode)
{
    struct node *n = &root;

    while (length) {
        uint32_t part = 0;

        while (part < length && path[part] != '/')
            part++;
        if (part && !(part == 1 && *path == '.'))
            n = add(n, path, part, part == length ? mode : S_IFDIR | 0755);
        path += part;
        length -= part;
        while (length && *path == '/')
            path++, length--;
    }
    return n;
}

static uint32_t field(const char *header, unsigned n)
{
    const char *text = header + CPIO_MAGIC + n * CPIO_FIELD;
    uint32_t value = 0;

    for (unsigned k = 0; k < CPIO_FIELD; k++) {
        uint32_t digit = (uint32_t)text[k] | 0x20;

        digit = digit >= 'a' ? digit - 'a' + 10 : digit - '0';
        value = value << 4 | (digit & 15);
    }
    return value;
}

static uint32_t up4(uint32_t n)
{
    return (n + 3) & ~3u;
}

/* One entry; the bytes it takes up, 0: no more. */
static uint32_t take_entry(const char *at, uint32_t left)
{
    uint32_t names, bytes, mode, data;
    struct node *n;

    if (left < CPIO_HEADER || memcmp(at, "070701", CPIO_MAGIC) != 0)
        return 0;
    names = field(at, CPIO_NAMESIZE);
    bytes = field(at, CPIO_FILESIZE);
    mode = field(at, CPIO_MODE);
    if (!names || names > left - CPIO_HEADER ||
        up4(CPIO_HEADER + names) > left ||
        bytes > left - up4(CPIO_HEADER + names))
        return 0;
    if (names == 11 && memcmp(at + CPIO_HEADER, "TRAILER!!!", 10) == 0)
        return 0;
    data = up4(CPIO_HEADER + names);
    n = add_path(at + CPIO_HEADER, names - 1, mode);
    n->mode = mode;
    n->user = field(at, CPIO_UID);
    n->group = field(at, CPIO_GID);
    n->size = bytes;
    n->bytes = (const uint8_t *)at + data;
    data = up4(data + bytes);
    return data < left ? data : left;
}

static struct node *add_device(const char *path, uint32_t kind, uint32_t device)
{
    struct node *n = add_path(path, text_length(path), kind | 0666);

    n->mode = kind | 0666;
    n->device = device;
    return n;
}

void ramdisk_init(void)
{
    const char *at = (const char *)io_read(BOARD_INFO + INFO_INITRD);
    uint32_t left = io_read(BOARD_INFO + INFO_INITRD_BYTES), used;

    root.parent = &root;
    root.name = "";
    while (left && (used = take_entry(at, left))) {
        at += used;
        left -= used;
    }
    add_path("tmp", 3, S_IFDIR | 01777);
    add_path("dev/shm", 7, S_IFDIR | 01777); /* of shm_open, sem_open */
    add_device("dev/console", S_IFCHR, DEVICE_CONSOLE);
    add_device("dev/tty", S_IFCHR, DEVICE_CONSOLE);
    add_device("dev/null", S_IFCHR, DEVICE_NULL);
    add_device("dev/zero", S_IFCHR, DEVICE_ZERO);
    add_device("dev/random", S_IFCHR, DEVICE_RANDOM);
    add_device("dev/urandom", S_IFCHR, DEVICE_RANDOM);
    if (swap_start())
        add_device("dev/vda", S_IFBLK, DEVICE_DISK)->size = swap_start();
}

/* ---- finding a name ------------------------------------------------------ */

static struct node *walk(struct node *at, const char *path, uint32_t length,
                         bool follow, unsigned links, int32_t *error);

static struct node *part_of(struct node *at, const char *part, uint32_t length,
                            bool follow, unsigned links, int32_t *error)
{
    struct node *n, *file;

    *error = -ENOTDIR;
    if (!S_ISDIR(at->mode))
        return NULL;
    if (length == 1 && *part == '.')
        return at;
    *error = -ENOENT;
    if (length == 2 && part[0] == '.' && part[1] == '.')
        return at->parent;
    n = child(at, part, length);
    file = n && n->of ? n->of : n;
    *error = n ? -ELOOP : -ENOENT;
    if (!n || !S_ISLNK(file->mode) || !follow)
        return n;
    if (links == LINKS)
        return NULL;
    return walk(at, (const char *)file->bytes, file->size, true, links + 1,
                error);
}

static struct node *walk(struct node *at, const char *path, uint32_t length,
                         bool follow, unsigned links, int32_t *error)
{
    if (length && *path == '/')
        at = &root;
    while (at && length) {
        uint32_t part = 0, slashes = 0;

        while (part < length && path[part] != '/')
            part++;
        while (part + slashes < length && path[part + slashes] == '/')
            slashes++;
        if (part)
            at = part_of(at, path, part, follow || part + slashes < length,
                         links, error);
        else
            at = slashes ? at : NULL;
        at = at && at->of ? at->of : at;
        /* A slash at the end asks for a directory. */
        if (at && slashes && !S_ISDIR(at->mode)) {
            *error = -ENOTDIR;
            return NULL;
        }
        path += part + slashes;
        length -= part + slashes;
    }
    return at;
}

struct node *ramdisk_find(struct node *from, const char *path, bool follow,
                          int32_t *error)
{
    *error = -ENOENT;
    return *path ? walk(from ? from : &root, path, text_length(path), follow, 0,
                        error)
                 : NULL;
}

struct node *ramdisk_child(struct node *directory, const char *name,
                           int32_t *error)
{
    return part_of(directory, name, text_length(name), false, 0, error);
}

int32_t ramdisk_path(const struct node *n, char *to, uint32_t size)
{
    uint32_t end = 0, length;

    if (!n || n == &root) {
        text_copy(to, "/", size);
        return size < 2 ? -ERANGE : 2;
    }
    for (const struct node *k = n; k != &root; k = k->parent) {
        if (!k->parent)
            return -ENOENT;
        end += 1 + text_length(k->name);
    }
    if (end + 1 > size)
        return -ERANGE;
    length = end + 1;
    to[end] = '\0';
    for (; n != &root; n = n->parent) {
        uint32_t part = text_length(n->name);

        end -= part;
        memcpy(to + end, n->name, part);
        to[--end] = '/';
    }
    return (int32_t)length;
}

/* ---- changing it --------------------------------------------------------- */

/* NULL: no memory. */
static char *keep_text(const char *text)
{
    char *kept = pool_take(&texts);

    if (kept)
        text_copy(kept, text, PATH_SIZE);
    return kept;
}

void node_drop(struct node *n)
{
    if (atomic_add(&n->users, 0xFFFFFFFF) != 1)
        return;
    if (n->of)
        node_drop(n->of);
    if (n->store)
        space_free(n->store);
    if (n->bytes)
        pool_give(&texts, (void *)n->bytes);
    pool_give(&texts, (void *)n->name);
    pool_give(&made, n);
}

struct node *ramdisk_make(struct node *directory, const char *name,
                          uint32_t mode, const char *leads, int32_t *error)
{
    struct node *n = NULL;

    *error = ramdisk_child(directory, name, error) ? -EEXIST : *error;
    if (*error != -ENOENT || !directory->parent)
        return NULL;
    *error = -ENOSPC;
    n = pool_take(&made);
    if (!n)
        return NULL;
    *n = (struct node){
        .users = 1, .links = 1, .number = ++nodes, .mode = mode, .named = true};
    n->name = keep_text(name);
    n->bytes = leads ? (const uint8_t *)keep_text(leads) : NULL;
    n->size = leads ? text_length(leads) : 0;
    if (!n->name || (leads && !n->bytes)) {
        if (n->name)
            pool_give(&texts, (void *)n->name);
        pool_give(&made, n);
        return NULL;
    }
    node_touch(n);
    enter(n, directory);
    return n;
}

static void leave(struct node *n)
{
    struct node **place = &n->parent->children;

    while (*place != n)
        place = &(*place)->next;
    *place = n->next;
    n->parent = NULL;
}

void ramdisk_remove(struct node *n)
{
    (n->of ? n->of : n)->links--;
    leave(n);
    node_drop(n);
}

int32_t ramdisk_rename(struct node *n, struct node *directory, const char *name)
{
    char *kept = keep_text(name);

    if (!kept)
        return -ENOSPC;
    leave(n);
    if (n->named)
        pool_give(&texts, (void *)n->name);
    n->name = kept;
    n->named = true;
    enter(n, directory);
    return 0;
}
