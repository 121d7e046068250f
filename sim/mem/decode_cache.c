/* decode_cache.c - see decode_cache.h. */
#include "sim/mem/decode_cache.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/base/big_endian.h"
#include "lib/base/snap.h"

static size_t records_size(const struct ram *r)
{
    return (size_t)(r->size / 4) * sizeof(struct insn);
}

bool decode_cache_init(struct decode_cache *d, const struct ram *r,
                       const char **why)
{
    *d = (struct decode_cache){.ram = r};
    d->insns = ram_map(records_size(r));
    d->code_page = ram_map(r->size / DECODE_PAGE);
    if (d->insns && d->code_page)
        return true;
    decode_cache_free(d);
    *why = RAM_NO_ROOM;
    return false;
}

void decode_cache_free(struct decode_cache *d)
{
    if (d->insns)
        munmap(d->insns, records_size(d->ram));
    if (d->code_page)
        munmap(d->code_page, d->ram->size / DECODE_PAGE);
    *d = (struct decode_cache){0};
}

static bool is_watched(const struct decode_cache *d, pa_t pa)
{
    for (unsigned n = 0; n < d->watches; n++)
        if (d->watch[n] == pa)
            return true;
    return false;
}

struct insn *decode_cache_at(struct decode_cache *d, pa_t pa)
{
    struct insn *i = &d->insns[pa / 4];

    if (i->exec)
        return i;
    isa_decode(i, be_get32(&d->ram->bytes[pa]));
    if (d->watches && is_watched(d, pa))
        isa_watch(i);
    d->code_page[pa / DECODE_PAGE] = 1;
    return i;
}

void decode_cache_forget(struct decode_cache *d, pa_t pa, unsigned size)
{
    uint64_t word = pa / 4, end = ((uint64_t)pa + size + 3) / 4;
    uint64_t before = d->forgotten;

    if (end > d->ram->size / 4)
        end = d->ram->size / 4;
    for (; word < end; word++)
        if (d->insns[word].exec) {
            memset(&d->insns[word], 0, sizeof d->insns[word]);
            d->forgotten++;
        }
    if (d->forgotten != before)
        for (struct decode_listener *l = d->listeners; l; l = l->next)
            l->forgotten(l->arg, pa, size);
}

bool decode_cache_watch(struct decode_cache *d, pa_t pa)
{
    if (is_watched(d, pa))
        return true;
    if (d->watches == DECODE_WATCHES)
        return false;
    d->watch[d->watches++] = pa;
    decode_cache_forget(d, pa, 4);
    return true;
}

void decode_cache_listen(struct decode_cache *d, struct decode_listener *l,
                         bool on)
{
    struct decode_listener **at = &d->listeners;

    if (on) {
        l->next = d->listeners;
        d->listeners = l;
        return;
    }
    while (*at && *at != l)
        at = &(*at)->next;
    if (*at)
        *at = l->next;
}

/* ---- save and load -------------------------------------------------------
 */

#define LAST_PAGE UINT32_MAX

/* Which words of a page have a record: a bit each. */
static void page_records(struct snap *s, struct decode_cache *d, uint32_t page)
{
    uint8_t has[DECODE_PAGE / 4 / 8] = {0};

    for (uint32_t n = 0; n < DECODE_PAGE / 4; n++)
        if (decode_cache_has(d, page * DECODE_PAGE + 4 * n))
            has[n / 8] |= (uint8_t)(1u << n % 8);
    SNAP_ARRAY(s, has);
    for (uint32_t n = 0; snap_loading(s) && n < DECODE_PAGE / 4; n++)
        if (has[n / 8] >> n % 8 & 1)
            decode_cache_at(d, page * DECODE_PAGE + 4 * n);
}

static void records_state(struct snap *s, struct decode_cache *d)
{
    uint32_t pages = d->ram->size / DECODE_PAGE, from = 0, page;

    for (page = 0; snap_loading(s) && page < pages; page++)
        if (d->code_page[page]) {
            decode_cache_forget(d, page * DECODE_PAGE, DECODE_PAGE);
            d->code_page[page] = 0;
        }
    for (;; from = page + 1) {
        for (page = from; page < pages && !d->code_page[page]; page++)
            ;
        page = page < pages ? page : LAST_PAGE;
        SNAP(s, page);
        if (page != LAST_PAGE && (page < from || page >= pages))
            snap_refuse_value(s, "page", page, pages);
        if (s->bad || page == LAST_PAGE || s->way == SNAP_COVER)
            return;
        if (s->way == SNAP_LOAD)
            d->code_page[page] = 1;
        page_records(s, d, page);
    }
}

bool decode_cache_state(struct snap *s, struct decode_cache *d)
{
    snap_begin(s, "decode cache", 1);
    SNAP_SKIP(s, d->ram, "plugged in by decode_cache_init");
    SNAP_SKIP(s, d->insns, "made again from the bytes");
    SNAP_SKIP(s, d->code_page, "made again with the records");
    SNAP_SKIP(s, d->listeners, "plugged in by those who listen");
    SNAP_SKIP(s, d->watch, "named anew by those who watch");
    SNAP_SKIP(s, d->watches, "named anew by those who watch");
    records_state(s, d);
    SNAP(s, d->forgotten);
    return snap_end(s);
}
