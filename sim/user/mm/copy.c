/* copy.c - bytes from and to a user program's memory, as it may reach it.
 */
#include "sim/user/mm/space.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/big_endian.h"
#include "sim/user/abi.h"
#include "sim/user/mm/deferred_write.h"
#include "sim/user/mm/shared.h"

bool space_read(struct space *s, ea_t at, void *bytes, size_t size)
{
    uint8_t *out = bytes;

    while (size) {
        uint32_t left;
        uint8_t *in = space_bytes(s, at, SPACE_READ, &left);

        if (!in)
            return false;
        left = left < size ? left : (uint32_t)size;
        s->loaded(s->arg, (pa_t)(in - s->ram->bytes), left);
        memcpy(out, in, left);
        out += left;
        at += left;
        size -= left;
    }
    return true;
}

static void put(struct space *s, uint8_t *to, const uint8_t *from,
                uint32_t size)
{
    memcpy(to, from, size);
    s->stored(s->arg, (pa_t)(to - s->ram->bytes), size);
}

bool space_write(struct space *s, ea_t at, const void *bytes, size_t size)
{
    const uint8_t *in = bytes;

    while (size) {
        uint32_t left;
        uint8_t *out = space_bytes(s, at, SPACE_WRITE, &left);

        if (!out)
            return false;
        left = left < size ? left : (uint32_t)size;
        put(s, out, in, left);
        in += left;
        at += left;
        size -= left;
    }
    return true;
}

bool space_read32(struct space *s, ea_t at, uint32_t *v)
{
    uint8_t b[4];

    if (!space_read(s, at, b, 4))
        return false;
    *v = be_get32(b);
    return true;
}

bool space_write32(struct space *s, ea_t at, uint32_t v)
{
    uint8_t b[4];

    be_put32(b, v);
    return space_write(s, at, b, 4);
}

/* A page that was not touched yet: of its file, or zeros. */
static bool peek_untouched(const struct region *r, ea_t at, void *bytes,
                           size_t size)
{
    uint64_t page = r->offset + ((at - r->start) & ~(ABI_PAGE - 1));
    int host = r->file ? r->file->host : -1;
    struct stat st;

    memset(bytes, 0, size);
    if (host < 0)
        return true;
    if (fstat(host, &st) != 0 || page >= (uint64_t)st.st_size)
        return false; /* SIGBUS */
    return pread(host, bytes, size, (off_t)(page + at % ABI_PAGE)) >= 0;
}

bool space_peek(const struct space *s, ea_t at, void *bytes, size_t size)
{
    uint8_t *out = bytes;

    while (size) {
        const struct region *r = space_find(s, at);
        const uint8_t *later = deferred_write_find(s, at);
        size_t left = ABI_PAGE - at % ABI_PAGE;
        pa_t pa;

        left = left < size ? left : size;
        if (!r)
            return false;
        if (space_frame(s, at, &pa))
            memcpy(out, s->ram->bytes + pa, left);
        else if (later)
            memcpy(out, later, left);
        else if (!peek_untouched(r, at, out, left))
            return false;
        out += left;
        at += (ea_t)left;
        size -= left;
    }
    return true;
}

int space_string(struct space *s, ea_t at, char *text, size_t size)
{
    size_t done = 0;

    while (done < size) {
        uint32_t left;
        const uint8_t *in = space_bytes(s, at, SPACE_READ, &left);
        const uint8_t *end;

        if (!in)
            return -1;
        left = left < size - done ? left : (uint32_t)(size - done);
        s->loaded(s->arg, (pa_t)(in - s->ram->bytes), left);
        memcpy(text + done, in, left);
        end = memchr(in, 0, left);
        if (end)
            return (int)(done + (size_t)(end - in));
        done += left;
        at += left;
    }
    return -2;
}
