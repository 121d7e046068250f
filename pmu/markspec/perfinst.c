/* perfinst.c - the section .perfinst, read and written. See perfinst.h. */
#include "pmu/markspec/perfinst.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/mark_bits.h"
#include "lib/base/big_endian.h"
#include "lib/base/search.h"

/* The header of directives stands alone, and so has these again. */
_Static_assert(
    PERFINST_COUNT == IND_COUNT && PERFINST_PMU == IND_PMU &&
        PERFINST_EXCEPTION == IND_EXC && PERFINST_LIMIT == IND_LIMIT &&
        PERFINST_WINDOW_START == IND_START &&
        PERFINST_WINDOW_STOP == IND_STOP &&
        PERFINST_WINDOW_TOGGLE == IND_TOGGLE && PERFINST_TSTART == IND_TSTART &&
        PERFINST_TSTOP == IND_TSTOP && PERFINST_THRESHOLD_100 == IND_TH2 &&
        PERFINST_THRESHOLD_50 == IND_TH1 && PERFINST_THRESHOLD_10 == IND_TH0 &&
        PERFINST_THRESHOLD_4TH == IND_TH3 &&
        PERFINST_THRESHOLD_EXCEPTION == IND_THEXC &&
        PERFINST_LOADS == IND_LOADS && PERFINST_STORES == IND_STORES &&
        PERFINST_STICKY == IND_STICKY &&
        PERFINST_FLAGS == (IND_ALL | PERFINST_RANGE) &&
        PERFINST_RANGES_MAX == PIF_RANGES,
    "include/perfinst.h and include/mark_bits.h differ");

#define AGAIN "make it again with simmark or the directives of perfinst.h"

/* A name has "::" in it where C++ made it, and no single colon. */
const char *perfinst_behind_object(const char *text, size_t n)
{
    const char *colon = memchr(text, ':', n);

    if (!colon || colon == text || colon + 1 == text + n || colon[1] == ':')
        return text;
    return colon + 1;
}

/* "libc", "libc.so" or "libc.so.6" for libc.so.6. */
static bool object_called(const char *text, size_t n, const char *object)
{
    return n && strncmp(text, object, n) == 0 &&
           (object[n] == '\0' || object[n] == '.');
}

const char *perfinst_own_name(const char *text, size_t n,
                              const struct perfinst_symbol *y)
{
    const char *behind = y->object ? perfinst_behind_object(text, n) : text;

    if (behind != text &&
        object_called(text, (size_t)(behind - 1 - text), y->object))
        return behind;
    return text;
}

bool perfinst_called(const char *text, size_t n,
                     const struct perfinst_symbol *y)
{
    const char *from = perfinst_own_name(text, n, y);
    size_t own = strlen(y->name), file = y->source ? strlen(y->source) : 0;

    n -= (size_t)(from - text);
    text = from;
    if (n < own || memcmp(text, y->name, own) != 0)
        return false;
    return n == own ||
           (y->source && n == own + file + 3 &&
            memcmp(text + own, " (", 2) == 0 &&
            memcmp(text + own + 2, y->source, file) == 0 && text[n - 1] == ')');
}

void perfinst_add(struct perfinst *p, const struct perfinst_entry *e)
{
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 16;
        p->entry = realloc(p->entry, p->room * sizeof *p->entry);
        if (!p->entry)
            abort();
    }
    p->entry[p->count++] = *e;
}

void perfinst_free(struct perfinst *p)
{
    free(p->entry);
    *p = (struct perfinst){0};
}

/* ---- reading ------------------------------------------------------------- */

struct reading {
    const struct perfinst_world *world;
    const unsigned char *bytes; /* the section */
    size_t size;
    unsigned group, entry; /* from 1; 0: none yet */
    uint32_t kind;         /* PERFINST_KIND_... */
    bool data;
    uint32_t base, extent;
    uint64_t reached; /* offset behind the entry before */
    char *why;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static bool
refuse(const struct reading *r, const char *format, ...)
{
    char where[64] = "", what[400];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (r->entry)
        snprintf(where, sizeof where, ", group %u, entry %u", r->group,
                 r->entry);
    else if (r->group)
        snprintf(where, sizeof where, ", group %u", r->group);
    snprintf(r->why, r->room, "%s: " PERFINST_SECTION "%s: %s", r->world->file,
             where, what);
    return false;
}

/* The size of what begins at an address, of the kind that is asked for if
 * there is one; 0: nothing known does. */
static uint32_t size_at(const struct perfinst_world *w, uint32_t address,
                        bool data)
{
    uint32_t size = 0;
    size_t n = SEARCH_FIRST(0, w->symbols, i, w->symbol[i].address >= address);

    for (; n < w->symbols && w->symbol[n].address == address; n++) {
        const struct perfinst_symbol *s = &w->symbol[n];

        if (s->size && s->function != data && !s->label)
            return s->size;
        if (!size)
            size = s->size;
    }
    return size;
}

/* Is all of it loaded, and code where it should be? */
static bool is_loaded(const struct perfinst_world *w, uint32_t start,
                      uint32_t size, bool data)
{
    for (size_t k = 0; k < w->places; k++) {
        const struct perfinst_place *p = &w->place[k];

        if (start >= p->start && start - p->start < p->size &&
            size <= p->size - (start - p->start))
            return data || p->code;
    }
    return false;
}

static bool check_flags(const struct reading *r, uint32_t flags, uint32_t limit)
{
    if (flags & ~(uint32_t)PERFINST_FLAGS)
        return refuse(r, "unknown flags 0x%" PRIx32 ", " AGAIN,
                      flags & ~(uint32_t)PERFINST_FLAGS);
    if (!flags)
        return refuse(r, "no flags: it marks nothing, leave it out");
    if (limit && !(flags & PERFINST_LIMIT))
        return refuse(r,
                      "a limit of %" PRIu32 " without the flag "
                      "PERFINST_LIMIT, set it or leave the limit 0",
                      limit);
    if (flags & PERFINST_LIMIT && !(flags & PERFINST_COUNT))
        return refuse(r, "a limit without a count to compare it with, set "
                         "PERFINST_COUNT, too");
    if (flags & PERFINST_THRESHOLD_EXCEPTION && !(flags & IND_TH))
        return refuse(r, "an exception beyond a threshold without a "
                         "threshold, add one of PERFINST_THRESHOLD_...");
    if (!r->data && flags & (PERFINST_LOADS | PERFINST_STORES))
        return refuse(r, "LOADS and STORES are for data only, mark the data "
                         "or leave them out");
    return true;
}

static bool check_extent(const struct reading *r, uint32_t offset,
                         uint32_t length)
{
    uint64_t end = (uint64_t)offset + length;

    if (!r->data && (offset % 4 || length % 4))
        return refuse(r,
                      "offset 0x%" PRIx32 " or length 0x%" PRIx32
                      " is no multiple of 4, as instructions are, " AGAIN,
                      offset, length);
    if (offset < r->reached)
        return refuse(r,
                      "begins at offset 0x%" PRIx32 ", inside or before the "
                      "entry before it, which ends at 0x%" PRIx64
                      "; put them in order, or into two groups",
                      offset, r->reached);
    if (r->extent && end > r->extent)
        return refuse(r,
                      "ends at offset 0x%" PRIx64 ", but what it is part of "
                      "has 0x%" PRIx32 " bytes, shorten it",
                      end, r->extent);
    if (r->base + end > UINT64_C(1) << 32)
        return refuse(r, "runs past the end of the address space, " AGAIN);
    if (!is_loaded(r->world, r->base + offset, length, r->data))
        return refuse(r,
                      "0x%" PRIx32 " to 0x%" PRIx64 " is not %s of the "
                      "program, " AGAIN,
                      r->base + offset, r->base + end - 1,
                      r->data ? "memory" : "code");
    return true;
}

static bool read_entry(struct reading *r, struct perfinst *p,
                       const unsigned char *at)
{
    uint32_t offset = be_get32(at), length = be_get32(at + 4);
    struct perfinst_entry e = {.flags = be_get32(at + 8),
                               .limit = be_get32(at + 12),
                               .data = r->data,
                               .address = r->base + offset,
                               .text = PERFINST_SECTION};

    if (!check_flags(r, e.flags, e.limit))
        return false;
    if (!length)
        length = size_at(r->world, e.address, r->data);
    if (!length)
        return refuse(r,
                      "length 0 asks for the whole %s at 0x%" PRIx32
                      ", but the symbol table has none there; run `simmark "
                      "fix` before strip",
                      r->data ? "variable" : "function", e.address);
    e.length = length;
    if (!check_extent(r, offset, length))
        return false;
    r->reached = (uint64_t)offset + length;
    perfinst_add(p, &e);
    return true;
}

/* What a count area's entry says behind offset and length. */
static bool read_count(struct reading *r, const unsigned char *at,
                       struct perfinst_entry *e)
{
    char why[300];

    e->count = (struct perfinst_count){be_get32(at + 8),
                                       be_get32(at + 12) + r->world->bias,
                                       be_get32(at + 16)};
    e->text = PERFINST_SECTION;
    e->data = true;
    if (!e->length)
        return refuse(r,
                      "length 0 asks for the whole variable at 0x%" PRIx32
                      ", but the symbol table has none there; run `simmark "
                      "fix` before strip",
                      e->address);
    return perfinst_countable(r->world, e, why, sizeof why) ||
           refuse(r, "%s", why);
}

static bool read_area(struct reading *r, struct perfinst *p,
                      const unsigned char *at)
{
    struct perfinst_entry e = {.address = r->base + be_get32(at),
                               .length = be_get32(at + 4)};

    if (!e.length)
        e.length = size_at(r->world, e.address, true);
    if (!read_count(r, at, &e) || !check_extent(r, be_get32(at), e.length))
        return false;
    r->reached = (uint64_t)be_get32(at) + e.length;
    perfinst_add(p, &e);
    return true;
}

/* Bytes of one of its entries. */
static uint32_t entry_bytes(const struct reading *r)
{
    return r->kind == PERFINST_KIND_AREA ? PERFINST_AREA_BYTES
                                         : PERFINST_ENTRY_BYTES;
}

/* The header at *at, which moves on. */
static bool read_header(struct reading *r, size_t *at, uint32_t *entries)
{
    const unsigned char *h = r->bytes + *at;
    uint32_t kind;

    if (r->size - *at < PERFINST_HEADER_BYTES)
        return refuse(r, "ends inside its header, " AGAIN);
    if (be_get32(h) != PERFINST_MAGIC)
        return refuse(r, "begins with 0x%08" PRIx32 ", no group does, " AGAIN,
                      be_get32(h));
    if (be_get32(h + 4) >> 16 != PERFINST_VERSION)
        return refuse(r, "version %" PRIu32 ", this simrun knows %d; " AGAIN,
                      be_get32(h + 4) >> 16, PERFINST_VERSION);
    kind = be_get32(h + 4) & 0xFFFF;
    if (kind > PERFINST_KIND_AREA)
        return refuse(r,
                      "kind %" PRIu32 " is neither code, data nor count "
                      "areas, " AGAIN,
                      kind);
    r->kind = kind;
    r->data = kind != PERFINST_KIND_CODE;
    r->base = be_get32(h + 8) + r->world->bias;
    r->extent = be_get32(h + 12);
    *entries = be_get32(h + 16);
    *at += PERFINST_HEADER_BYTES;
    if (!r->data && r->base % 4)
        return refuse(r, "its base 0x%" PRIx32 " is no instruction, " AGAIN,
                      r->base);
    if (*entries % entry_bytes(r))
        return refuse(r,
                      "%" PRIu32 " bytes of entries, which are %" PRIu32
                      " each, " AGAIN,
                      *entries, entry_bytes(r));
    if (*entries > r->size - *at)
        return refuse(r,
                      "%" PRIu32 " bytes of entries, but the section ends "
                      "after %zu, " AGAIN,
                      *entries, r->size - *at);
    return true;
}

bool perfinst_read(struct perfinst *p, const struct perfinst_world *w,
                   const void *bytes, size_t size, char *why, size_t room)
{
    struct reading r = {
        .world = w, .bytes = bytes, .size = size, .why = why, .room = room};
    uint32_t entries;

    for (size_t at = 0; at < size;) {
        r.group++;
        r.entry = 0;
        r.reached = 0;
        if (!read_header(&r, &at, &entries))
            return false;
        for (; entries; entries -= entry_bytes(&r)) {
            r.entry++;
            if (!(r.kind == PERFINST_KIND_AREA ? read_area : read_entry)(
                    &r, p, r.bytes + at))
                return false;
            at += entry_bytes(&r);
        }
    }
    return true;
}

/* ---- words and ranges ---------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const struct perfinst_word *x = a, *y = b;

    if (x->data != y->data)
        return x->data ? 1 : -1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Words that are there several times become one. */
static bool merge(struct perfinst_marks *m, const struct perfinst_world *w,
                  char *why, size_t room)
{
    size_t kept = 0;

    for (size_t k = 0; k < m->words; k++) {
        const struct perfinst_word *new = &m->word[k];
        struct perfinst_word *old = kept ? &m->word[kept - 1] : NULL;
        bool both;

        if (!old || by_address(new, old) != 0) {
            m->word[kept++] = *new;
            continue;
        }
        both = (new->indicator & old->indicator) & PERFINST_LIMIT;
        if (both && new->limit != old->limit) {
            snprintf(why, room,
                     "%s: 0x%" PRIx32 " is marked with two limits, %" PRIu32
                     " and %" PRIu32 ", keep one",
                     w->file, old->address, old->limit, new->limit);
            return false;
        }
        old->indicator |= new->indicator;
        old->limit |= new->limit; /* one of them is 0, or they are equal */
    }
    m->words = kept;
    return true;
}

static bool add_range(struct perfinst_marks *m, const struct perfinst_entry *e,
                      const struct perfinst_world *w, char *why, size_t room)
{
    unsigned same = 0;

    for (unsigned k = 0; k < m->ranges; k++) {
        const struct perfinst_range *r = &m->range[k];

        if (r->data == e->data && r->low == e->address &&
            r->high == e->address + e->length)
            return true;
        same += r->data == e->data;
    }
    if (same == PERFINST_RANGES_MAX) {
        snprintf(why, room, "%s: more than %d ranges of %s, take some away",
                 w->file, PERFINST_RANGES_MAX,
                 e->data ? "data" : "instructions");
        return false;
    }
    m->range[m->ranges++] = (struct perfinst_range){
        e->address, e->address + e->length, e->data, e->text};
    return true;
}

/* The words of an entry: the first, and how many. */
static uint32_t words_of(const struct perfinst_entry *e, uint32_t *first)
{
    *first = e->address & ~UINT32_C(3);
    if (!(e->flags & ~(uint32_t)PERFINST_RANGE))
        return 0;
    return (uint32_t)(((uint64_t)(e->address & 3) + e->length + 3) / 4);
}

static bool expand(const struct perfinst *p, const struct perfinst_world *w,
                   struct perfinst_marks *m, char *why, size_t room)
{
    uint64_t total = 0;
    uint32_t first, count;

    for (size_t k = 0; k < p->count; k++)
        total += words_of(&p->entry[k], &first);
    if (total > PERFINST_WORDS_MAX) {
        snprintf(why, room,
                 "%s: %" PRIu64 " words are marked, more than %" PRIu32
                 " cannot be, mark less at a time",
                 w->file, total, PERFINST_WORDS_MAX);
        return false;
    }
    m->word = malloc((size_t)(total + 1) * sizeof *m->word);
    if (!m->word)
        abort();
    for (size_t k = 0; k < p->count; k++) {
        const struct perfinst_entry *e = &p->entry[k];

        if (e->count.granule && !perfinst_add_area(m, w, e, why, room))
            return false;
        count = words_of(e, &first);
        for (uint32_t i = 0; i < count; i++)
            m->word[m->words++] = (struct perfinst_word){
                first + 4 * i, e->flags & ~(uint32_t)PERFINST_RANGE, e->limit,
                e->data};
        if (e->flags & PERFINST_RANGE && !add_range(m, e, w, why, room))
            return false;
    }
    return true;
}

bool perfinst_marks(const struct perfinst *p, const struct perfinst_world *w,
                    struct perfinst_marks *m, char *why, size_t room)
{
    *m = (struct perfinst_marks){0};
    if (!expand(p, w, m, why, room)) {
        perfinst_marks_free(m);
        return false;
    }
    if (m->words)
        qsort(m->word, m->words, sizeof *m->word, by_address);
    if (merge(m, w, why, room))
        return true;
    perfinst_marks_free(m);
    return false;
}

void perfinst_marks_free(struct perfinst_marks *m)
{
    free(m->word);
    *m = (struct perfinst_marks){0};
}

/* ---- writing ------------------------------------------------------------- */

struct writing {
    unsigned char *bytes;
    size_t size, room;
    size_t header; /* of the open group */
};

static void put(struct writing *o, uint32_t word)
{
    if (o->room - o->size < 4) {
        o->room = o->room ? 2 * o->room : 256;
        o->bytes = realloc(o->bytes, o->room);
        if (!o->bytes)
            abort();
    }
    be_put32(o->bytes + o->size, word);
    o->size += 4;
}

static void begin_group(struct writing *o, uint32_t kind, uint32_t base,
                        uint32_t extent)
{
    o->header = o->size;
    put(o, PERFINST_MAGIC);
    put(o, PERFINST_VERSION << 16 | kind);
    put(o, base);
    put(o, extent);
    put(o, 0);
}

/* The header says how many bytes of entries there are by now. */
static void settle(struct writing *o)
{
    size_t end = o->size;

    o->size = o->header + 16;
    put(o, (uint32_t)(end - o->header - PERFINST_HEADER_BYTES));
    o->size = end;
}

static void put_entry(struct writing *o, uint32_t offset, uint32_t length,
                      uint32_t flags, uint32_t limit)
{
    put(o, offset);
    put(o, length);
    put(o, flags);
    put(o, limit);
    settle(o);
}

/* A group of its own: data of another may overlap. */
static void put_area(struct writing *o, const struct perfinst_area *a)
{
    begin_group(o, PERFINST_KIND_AREA, a->address, a->length);
    put(o, 0);
    put(o, a->length);
    put(o, a->count.granule);
    put(o, a->count.area);
    put(o, a->count.unit);
    settle(o);
}

/* Words from *k on that are marked alike, as one entry; the first entry in a
 * place opens its group. */
static void put_words(struct writing *o, const struct perfinst_marks *m,
                      const struct perfinst_place *place, bool data)
{
    bool open = false;

    for (size_t k = 0, n; k < m->words; k += n) {
        const struct perfinst_word *a = &m->word[k];

        n = 1;
        if (a->data != data || a->address - place->start >= place->size)
            continue;
        while (k + n < m->words && a[n].data == data &&
               a[n].address == a->address + 4 * n &&
               a[n].address - place->start < place->size &&
               a[n].indicator == a->indicator && a[n].limit == a->limit)
            n++;
        if (!open)
            begin_group(o, data ? PERFINST_KIND_DATA : PERFINST_KIND_CODE,
                        place->start, place->size);
        open = true;
        put_entry(o, a->address - place->start, (uint32_t)(4 * n), a->indicator,
                  a->limit);
    }
}

bool perfinst_write(const struct perfinst *p, const struct perfinst_world *w,
                    unsigned char **bytes, size_t *size, char *why, size_t room)
{
    struct perfinst_marks m;
    struct writing o = {0};

    if (!perfinst_marks(p, w, &m, why, room))
        return false;
    for (int data = 0; data < 2; data++)
        for (size_t k = 0; k < w->places; k++)
            put_words(&o, &m, &w->place[k], data);
    for (unsigned k = 0; k < m.ranges; k++) {
        const struct perfinst_range *r = &m.range[k];

        begin_group(&o, r->data ? PERFINST_KIND_DATA : PERFINST_KIND_CODE,
                    r->low, r->high - r->low);
        put_entry(&o, 0, r->high - r->low, PERFINST_RANGE, 0);
    }
    for (unsigned k = 0; k < m.areas; k++)
        put_area(&o, &m.area[k]);
    perfinst_marks_free(&m);
    *bytes = o.bytes;
    *size = o.size;
    return true;
}
