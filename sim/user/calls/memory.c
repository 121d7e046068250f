/* memory.c - system calls about the address space.
 */
#define _GNU_SOURCE
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAP_SHARED_ 1u
#define MAP_PRIVATE_ 2u
#define MAP_TYPE_ 15u /* 3: shared, and flags that are not known refused */
#define MAP_FIXED_ 0x10u
#define MAP_ANONYMOUS_ 0x20u
#define MAP_NORESERVE_ 0x40u
#define MAP_FIXED_NOREPLACE_ 0x100000u
#define CHUNK 65536u
/* Mappings are placed below, downwards. */
static ea_t place_top(const struct space *s)
{
    return 0xB0000000u - ABI_PAGE * space_layout(s, LAYOUT_MAPPINGS, 256);
}

/* Whole pages, or 0 if there are none or too many. */
static uint32_t pages(uint32_t length)
{
    uint32_t n = (length + ABI_PAGE - 1) & ~(ABI_PAGE - 1);

    return n < length || n > SPACE_TOP ? 0 : n;
}

/* A length that the whole memory could not hold is refused at once. */
static bool too_much(const struct user *u, uint32_t length, uint32_t prot)
{
    return prot & SPACE_WRITE && length > u->space.limit;
}

int32_t call_brk(struct call *k)
{
    struct space *s = &k->u->space;
    ea_t to = k->a[0];
    ea_t from = (s->brk + ABI_PAGE - 1) & ~(ABI_PAGE - 1);
    ea_t end = (to + ABI_PAGE - 1) & ~(ABI_PAGE - 1);

    if (to < s->brk_start || to > SPACE_TOP || end < to ||
        (end > from && (too_much(k->u, end - s->brk_start, SPACE_WRITE) ||
                        !limit_memory(k->u, end - from, true) ||
                        !space_vacant(s, from, end - from))))
        return (int32_t)s->brk;
    if (end > from && space_map(s, from, end - from, SPACE_READ | SPACE_WRITE,
                                false, -1, 0) != 0)
        return (int32_t)s->brk;
    if (end < from)
        space_unmap(s, end, from - end);
    s->brk = to;
    return (int32_t)to;
}

/* Where a mapping goes. 0: nowhere, *error says why. */
static ea_t choose(struct call *k, uint32_t length, uint32_t flags, int *error)
{
    struct space *s = &k->u->space;
    ea_t at = k->a[0], hint = at & ~(ABI_PAGE - 1);

    *error = ENOMEM;
    if (flags & (MAP_FIXED_ | MAP_FIXED_NOREPLACE_)) {
        if (at % ABI_PAGE)
            *error = EINVAL;
        else if (at < ABI_PAGE)
            *error = EPERM;
        else if (at < SPACE_TOP && length <= SPACE_TOP - at) {
            *error = EEXIST;
            if (!(flags & MAP_FIXED_NOREPLACE_) || space_vacant(s, at, length))
                return at;
        }
        return 0;
    }
    if (hint >= SPACE_LOW && hint < SPACE_TOP && length <= SPACE_TOP - hint &&
        space_vacant(s, hint, length))
        return hint;
    at = space_place(s, length, place_top(s));
    return at;
}

static bool has_room(struct user *u, int host, uint64_t more)
{
    uint64_t have = more;

    return limit_memory_file(u, host, &have) == 0 && have == more;
}

/* What a standard file has there, as a file of its own: what others do to it
 * later is not seen. >= 0, which the caller closes, or -errno. */
static int copy_standard(struct call *k, const struct file *f, uint64_t from,
                         uint32_t length)
{
    int host = memfd_create("standard", MFD_CLOEXEC), again;
    uint8_t bytes[CHUNK];
    char name[PATH_OF_OPEN];
    int64_t n = host < 0 ? -errno : 0;

    limit_is_memory(k->u, host);
    for (uint32_t done = 0; n >= 0 && done < length; done += (uint32_t)n) {
        uint32_t want = length - done < CHUNK ? length - done : CHUNK;

        if (!journal_recall(k, f, JOURNAL_MAPPED, &n, bytes, want)) {
            n = pread(f->host, bytes, want, (off_t)(from + done));
            n = n < 0 ? -errno : n;
            journal_note(k, f, JOURNAL_MAPPED, n, bytes, n > 0 ? (size_t)n : 0);
        }
        if (n <= 0)
            break;
        if (!has_room(k->u, host, (uint64_t)n) ||
            pwrite(host, bytes, (size_t)n, (off_t)(from + done)) != n)
            n = -ENOMEM;
    }
    path_of_open(name, host);
    again = n < 0 ? (int)n : open(name, O_RDONLY | O_CLOEXEC);
    if (host >= 0)
        close(host);
    return again;
}

static int check_standard(struct call *k, const struct file *f, uint64_t offset,
                          int *host)
{
    uint32_t flags = k->a[3], prot = k->a[2], length = pages(k->a[1]);
    struct stat st;
    int error = journal_stat(k, f, &st);
    int mode = (int)journal_value(k, f, JOURNAL_FLAGS, fcntl(f->host, F_GETFL));

    if (error || S_ISCHR(st.st_mode)) /* /dev/zero: as good as no file */
        return error;
    if (!S_ISREG(st.st_mode))
        return ENODEV;
    if ((mode & O_ACCMODE) == O_WRONLY ||
        (flags & MAP_SHARED_ && prot & SPACE_WRITE))
        return EACCES;
    *host = copy_standard(k, f, offset, length);
    return *host < 0 ? -*host : 0;
}

static int check_file(struct call *k, uint64_t offset, int *host)
{
    uint32_t flags = k->a[3], prot = k->a[2];
    struct file *f = file_get(k->u, k->a[4]);
    int mode;
    struct stat st;

    if (!f)
        return EBADF;
    if (f->kind == FILE_HOST && f->standard)
        return check_standard(k, f, offset, host);
    if (f->kind != FILE_HOST || fstat(f->host, &st) != 0)
        return ENODEV;
    if (S_ISCHR(st.st_mode)) { /* /dev/zero: as good as no file */
        *host = -1;
        return 0;
    }
    if (!S_ISREG(st.st_mode))
        return ENODEV;
    mode = fcntl(f->host, F_GETFL) & O_ACCMODE;
    if (mode == O_WRONLY ||
        (flags & MAP_SHARED_ && prot & SPACE_WRITE && mode != O_RDWR))
        return EACCES;
    *host = f->host;
    return 0;
}

static int32_t map(struct call *k, uint64_t offset)
{
    uint32_t length = pages(k->a[1]), prot = k->a[2], flags = k->a[3];
    uint32_t type = flags & MAP_TYPE_;
    int host = -1, error;
    ea_t at;

    if (!k->a[1] || !type || type > 3 || prot & ~7u ||
        (type == 3 && flags & MAP_ANONYMOUS_))
        return -EINVAL;
    if (length && offset / ABI_PAGE + length / ABI_PAGE > UINT32_MAX)
        return -EOVERFLOW;
    if (!length ||
        (!(flags & MAP_NORESERVE_) && too_much(k->u, length, prot)) ||
        !limit_memory(k->u, length,
                      prot & SPACE_WRITE && (flags & 3) == MAP_PRIVATE_))
        return -ENOMEM;
    if (!(flags & MAP_ANONYMOUS_) &&
        (error = check_file(k, offset, &host)) != 0)
        return -error;
    at = choose(k, length, flags, &error);
    if (at)
        error = space_map(&k->u->space, at, length, prot,
                          (flags & 3) != MAP_PRIVATE_, host, offset);
    if (!error && host >= 0 && prot & SPACE_EXEC)
        library_mapped(k, host, at, offset);
    if (host >= 0 && file_get(k->u, k->a[4])->standard) /* a copy */
        close(host);
    return error ? -error : (int32_t)at;
}

int32_t call_mmap(struct call *k)
{
    if (k->a[5] % ABI_PAGE)
        return -EINVAL;
    return map(k, k->a[5]);
}

int32_t call_mmap2(struct call *k)
{
    return map(k, (uint64_t)k->a[5] * ABI_PAGE);
}

int32_t call_munmap(struct call *k)
{
    uint32_t length = pages(k->a[1]);

    if (k->a[0] % ABI_PAGE || !length)
        return -EINVAL;
    return -space_unmap(&k->u->space, k->a[0], length);
}

int32_t call_mprotect(struct call *k)
{
    uint32_t length = pages(k->a[1]);

    if (k->a[0] % ABI_PAGE || k->a[2] & ~7u)
        return -EINVAL;
    if (!k->a[1])
        return 0;
    if (!length)
        return -ENOMEM;
    return -space_protect(&k->u->space, k->a[0], length, k->a[2]);
}

int32_t call_msync(struct call *k)
{
    uint32_t length = pages(k->a[1]);

    if (k->a[0] % ABI_PAGE || k->a[2] & ~7u || (k->a[2] & 5) == 5)
        return -EINVAL;
    if (!k->a[1])
        return 0;
    return length ? -space_sync(&k->u->space, k->a[0], length) : -ENOMEM;
}

int32_t call_mlock(struct call *k)
{
    ea_t at = k->a[0] & ~(ABI_PAGE - 1);
    uint32_t length = pages(k->a[1] + k->a[0] % ABI_PAGE);

    if (!k->a[1])
        return 0;
    if (at + length < at)
        return -EINVAL;
    return length && space_whole(&k->u->space, at, length) ? 0 : -ENOMEM;
}

/* Memory never goes anywhere else: only the flags matter. */
int32_t call_mlockall(struct call *k)
{
    uint32_t onfault = 0x8000, known = 0x6000 | onfault, flags = k->a[0];

    return flags && !(flags & ~known) && flags != onfault ? 0 : -EINVAL;
}

int32_t call_munlockall(struct call *k)
{
    (void)k;
    return 0;
}

int32_t call_madvise(struct call *k)
{
    uint32_t length = pages(k->a[1]);

    if (k->a[0] % ABI_PAGE)
        return -EINVAL;
    if (!k->a[1])
        return 0;
    if (!length || k->a[0] + length < k->a[0])
        return -EINVAL;
    switch (k->a[2]) {
    case 4: /* MADV_DONTNEED */
        return -space_discard(&k->u->space, k->a[0], length);
    case 0: /* what the others ask for makes no difference here */
    case 1:
    case 2:
    case 3:
    case 8:
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
        return space_whole(&k->u->space, k->a[0], length) ? 0 : -ENOMEM;
    default:
        return -EINVAL;
    }
}

int32_t call_mincore(struct call *k)
{
    struct space *s = &k->u->space;
    uint32_t length = pages(k->a[1]);

    if (k->a[0] % ABI_PAGE)
        return -EINVAL;
    if ((k->a[1] && !length) || !space_whole(s, k->a[0], length))
        return k->a[1] ? -ENOMEM : 0;
    for (uint32_t n = 0; n < length; n += ABI_PAGE) {
        uint8_t b = space_resident(s, k->a[0] + n);

        if (!space_write(s, k->a[2] + n / ABI_PAGE, &b, 1))
            return -EFAULT;
    }
    return 0;
}

/* ---- mremap -------------------------------------------------------------- */

#define MREMAP_MAYMOVE_ 1u
#define MREMAP_FIXED_ 2u

/* The first `old` bytes of a mapping go to a free place, and more of it
 * follows them there. */
static int32_t move(struct call *k, ea_t to, uint32_t old, uint32_t length)
{
    struct space *s = &k->u->space;
    ea_t at = k->a[0];
    struct region copy = *space_find(s, at);
    int error = space_move(s, at, to, old);

    if (!error && length > old)
        error = space_map_more(s, to + old, length - old, &copy,
                               copy.offset + (at + old - copy.start));
    return error ? -error : (int32_t)to;
}

static int32_t grow(struct call *k, uint32_t old, uint32_t length)
{
    struct space *s = &k->u->space;
    ea_t at = k->a[0], to;
    const struct region *r = space_find(s, at);
    struct region copy;
    int error;

    if (!r || r->end - at < old)
        return -EFAULT;
    copy = *r;
    if (too_much(k->u, length, copy.prot) ||
        !limit_memory(k->u, length - old,
                      copy.prot & SPACE_WRITE && !copy.shared))
        return -ENOMEM;
    if (at + length > at && at + length <= SPACE_TOP && copy.end == at + old &&
        space_vacant(s, at + old, length - old)) {
        error = space_map_more(s, at + old, length - old, &copy,
                               copy.offset + (at + old - copy.start));
        return error ? -error : (int32_t)at;
    }
    if (!(k->a[3] & MREMAP_MAYMOVE_))
        return -ENOMEM;
    to = space_place(s, length, place_top(s));
    return to ? move(k, to, old, length) : -ENOMEM;
}

/* The mapping at r3 goes to r7, whatever is there, and becomes longer or
 * shorter. */
static int32_t move_there(struct call *k, uint32_t old, uint32_t length)
{
    struct space *s = &k->u->space;
    ea_t at = k->a[0], to = k->a[4];
    const struct region *r = space_find(s, at);
    int error;

    if (to % ABI_PAGE || to >= SPACE_TOP || length > SPACE_TOP - to ||
        (at < to + length && to < at + old))
        return -EINVAL;
    if (to < ABI_PAGE)
        return -EPERM;
    if (!r || r->end - at < (old < length ? old : length))
        return -EFAULT;
    if (too_much(k->u, length, r->prot))
        return -ENOMEM;
    error = space_unmap(s, to, length);
    if (!error && length < old) {
        error = space_unmap(s, at + length, old - length);
        old = length;
    }
    return error ? -error : move(k, to, old, length);
}

/* No length: what is shared is mapped a second time. */
static int32_t again(struct call *k, uint32_t length)
{
    struct space *s = &k->u->space;
    const struct region *r = space_find(s, k->a[0]);
    ea_t to;
    int error;

    if (!r || !r->shared)
        return r ? -EINVAL : -EFAULT;
    if (!(k->a[3] & MREMAP_MAYMOVE_) || !limit_memory(k->u, length, false) ||
        !(to = space_place(s, length, place_top(s))))
        return -ENOMEM;
    error = space_map_more(s, to, length, r, r->offset + (k->a[0] - r->start));
    return error ? -error : (int32_t)to;
}

int32_t call_mremap(struct call *k)
{
    struct space *s = &k->u->space;
    uint32_t old = pages(k->a[1]), length = pages(k->a[2]), flags = k->a[3];
    int error;

    if (k->a[0] % ABI_PAGE || !length || (k->a[1] && !old) ||
        flags & ~(MREMAP_MAYMOVE_ | MREMAP_FIXED_) || flags == MREMAP_FIXED_)
        return -EINVAL;
    if (k->a[0] < SPACE_TOP && old > SPACE_TOP - k->a[0])
        return length < old ? -EINVAL : -EFAULT;
    if (flags & MREMAP_FIXED_)
        return move_there(k, old, length);
    if (!space_whole(s, k->a[0], 1))
        return -EFAULT;
    if (!old)
        return again(k, length);
    if (length > old)
        return grow(k, old, length);
    if (length < old) {
        error = space_unmap(s, k->a[0] + length, old - length);
        if (error)
            return -error;
    }
    return (int32_t)k->a[0];
}
