/* deflated.c - see deflated.h. */
#include "tools/simprof/reports/html/deflated.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/base/grow.h"
#include "lib/base/pack.h"

static char *base64(const uint8_t *byte, uint64_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                                "uvwxyz0123456789+/";
    char *text = grow_zero(size / 3 * 4 + 8, 1), *to = text;

    for (uint64_t i = 0; i < size; i += 3) {
        uint64_t left = size - i;
        uint32_t bits = (uint32_t)byte[i] << 16;

        bits |= left > 1 ? (uint32_t)byte[i + 1] << 8 : 0;
        bits |= left > 2 ? byte[i + 2] : 0;
        *to++ = digit[bits >> 18];
        *to++ = digit[bits >> 12 & 63];
        *to++ = left > 1 ? digit[bits >> 6 & 63] : '=';
        *to++ = left > 2 ? digit[bits & 63] : '=';
    }
    return text;
}

static void pack_sums(struct pack_bytes *p, const struct slice_sums *s)
{
    size_t from = 0, to;

    for (unsigned k = 0; k < s->of->count; k++, from = to) {
        uint32_t before = 0;

        for (to = from; to < s->count && s->list[to].slice == k;)
            to++;
        pack_room(p, (to - from + 1) * 2 * PACK_MOST);
        pack_put(p, to - from);
        for (size_t i = from; i < to; i++) {
            pack_put(p, s->list[i].what - before);
            pack_put(p, s->list[i].n);
            before = s->list[i].what;
        }
    }
}

json_t *html_packed(const struct slice_sums *s)
{
    struct pack_bytes p = {0};
    char *text;
    json_t *is;

    pack_sums(&p, s);
    text = base64(p.byte, p.size);
    is = json_string(text);
    free(text);
    free(p.byte);
    return is;
}

uint64_t html_packed_size(const struct slice_sums *s)
{
    struct pack_bytes p = {0};
    uint64_t size;

    pack_sums(&p, s);
    size = p.size;
    free(p.byte);
    return size;
}

void html_deflate(const json_t *data, FILE *to)
{
    size_t size = json_dumpb(data, NULL, 0, JSON_COMPACT);
    char *text = grow_zero(size + 1, 1), *letters;
    uLongf bytes = compressBound((uLong)size);
    Bytef *byte = grow_zero(bytes + 1, 1);
    int done;

    json_dumpb(data, text, size, JSON_COMPACT);
    done = compress2(byte, &bytes, (const Bytef *)text, (uLong)size,
                     Z_BEST_COMPRESSION);
    assert(done == Z_OK); /* there is room */
    (void)done;
    letters = base64(byte, bytes);
    fputs(letters, to);
    free(letters);
    free(byte);
    free(text);
}
