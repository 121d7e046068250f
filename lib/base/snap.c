/* snap.c - the stream of bytes of snap.h. Knows numbers and sections, and no
 * struct of the machine.
 */
#include "lib/base/snap.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION 0x5B /* '[': a section begins */
#define END 0x5D     /* ']': ... and ends */
#define TRUTH 0x40   /* an item of truth values; else its width */

static const char magic[] = "simrun state 1\n";

#define MAGIC (sizeof magic - 1)

/* ---- refusing -------------------------------------------------------------
 */

static size_t append(struct snap *s, size_t used, const char *text)
{
    size_t n = strlen(text), room = sizeof s->why - 1 - used;

    n = n < room ? n : room;
    memcpy(s->why + used, text, n);
    s->why[used + n] = '\0';
    return used + n;
}

void snap_refuse(struct snap *s, const char *why, ...)
{
    size_t used = 0;
    va_list args;

    if (s->bad)
        return;
    s->bad = true;
    used = append(s, used, "saved state");
    for (unsigned i = 0; i < s->depth; i++) {
        used = append(s, used, i ? "/" : ", section ");
        used = append(s, used, s->section[i].name);
    }
    used = append(s, used, ": ");
    va_start(args, why);
    vsnprintf(s->why + used, sizeof s->why - used, why, args);
    va_end(args);
}

void snap_refuse_value(struct snap *s, const char *name, uint64_t value,
                       uint64_t limit)
{
    snap_refuse(s, "%s is %llu, not below %llu: damaged", name,
                (unsigned long long)value, (unsigned long long)limit);
}

/* ---- bytes ----------------------------------------------------------------
 */

/* So many further bytes can be read; else s is bad. */
static bool has(struct snap *s, size_t n)
{
    if (!s->bad && s->size - s->at < n)
        snap_refuse(s, "it ends too early: cut off");
    return !s->bad;
}

static void put(struct snap *s, uint64_t value, unsigned width)
{
    pack_room(&s->out, width);
    for (unsigned i = 0; i < width; i++)
        s->out.byte[s->out.size++] = (unsigned char)(value >> 8 * i);
}

/* 0 when s is bad, or becomes so. */
static uint64_t get(struct snap *s, unsigned width)
{
    uint64_t value = 0;

    if (!has(s, width))
        return 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)s->in[s->at++] << 8 * i;
    return value;
}

/* ---- begin and end --------------------------------------------------------
 */

void snap_save(struct snap *s)
{
    *s = (struct snap){.way = SNAP_SAVE};
    pack_room(&s->out, MAGIC);
    memcpy(s->out.byte, magic, MAGIC);
    s->out.size = MAGIC;
}

void snap_load(struct snap *s, const void *bytes, size_t size)
{
    *s = (struct snap){.way = SNAP_LOAD, .in = bytes, .size = size};
    if (size < MAGIC || memcmp(bytes, magic, MAGIC))
        snap_refuse(s, "it was not written by this version of simrun");
    s->at = MAGIC;
}

void snap_cover(struct snap *s, const struct snap_visitor *v)
{
    *s = (struct snap){.way = SNAP_COVER, .visitor = v};
}

bool snap_finish(struct snap *s)
{
    assert(s->bad || !s->depth);
    if (s->way == SNAP_LOAD && !s->bad && s->at != s->size)
        snap_refuse(s, "bytes follow its last section");
    return !s->bad;
}

void snap_free(struct snap *s)
{
    if (s->out.room)
        free(s->out.byte);
    s->out = (struct pack_bytes){0};
}

/* ---- sections -------------------------------------------------------------
 */

static size_t place(const struct snap *s)
{
    return s->way == SNAP_SAVE ? s->out.size : s->at;
}

/* The bytes since the section's latest inner one, into its sum. */
static void add_to_sum(struct snap *s)
{
    struct snap_section *k = &s->section[s->depth - 1];
    const unsigned char *bytes = s->way == SNAP_SAVE ? s->out.byte : s->in;

    if (s->way != SNAP_COVER)
        k->sum = pack_sum(k->sum, bytes + k->from, place(s) - k->from);
    k->from = place(s);
}

static void save_name(struct snap *s, const char *name, uint32_t version)
{
    size_t length = strlen(name);

    assert(length < 256);
    put(s, SECTION, 1);
    put(s, length, 1);
    pack_room(&s->out, length);
    memcpy(s->out.byte + s->out.size, name, length);
    s->out.size += length;
    put(s, version, 4);
}

static void load_name(struct snap *s, const char *name, uint32_t version)
{
    size_t length = strlen(name);
    uint32_t saved;

    if (get(s, 1) != SECTION || get(s, 1) != length || !has(s, length) ||
        memcmp(s->in + s->at, name, length)) {
        snap_refuse(s, "another section stands here: damaged");
        return;
    }
    s->at += length;
    saved = (uint32_t)get(s, 4);
    if (saved != version)
        snap_refuse(s, "it is of version %lu, this simrun has %lu",
                    (unsigned long)saved, (unsigned long)version);
}

void snap_begin(struct snap *s, const char *name, uint32_t version)
{
    if (s->bad)
        return;
    assert(s->depth < SNAP_DEPTH);
    if (s->depth)
        add_to_sum(s);
    s->section[s->depth++] = (struct snap_section){.name = name};
    if (s->way == SNAP_SAVE)
        save_name(s, name, version);
    else if (s->way == SNAP_LOAD)
        load_name(s, name, version);
    s->section[s->depth - 1].from = place(s);
}

bool snap_end(struct snap *s)
{
    struct snap_section *k;

    if (s->bad)
        return false;
    assert(s->depth);
    add_to_sum(s);
    k = &s->section[s->depth - 1];
    if (s->way == SNAP_SAVE) {
        put(s, END, 1);
        put(s, k->sum, 8);
    } else if (s->way == SNAP_LOAD) {
        if (get(s, 1) != END)
            snap_refuse(s, "it goes on where it should end: damaged");
        else if (get(s, 8) != k->sum)
            snap_refuse(s, "its sum is wrong: damaged");
    }
    if (s->bad)
        return false;
    s->depth--;
    if (s->depth)
        s->section[s->depth - 1].from = place(s);
    return true;
}

/* ---- items ----------------------------------------------------------------
 */

static uint64_t number_at(const struct snap_item *i, size_t n)
{
    const unsigned char *at = (const unsigned char *)i->at + n * i->width;
    uint64_t v8;
    uint32_t v4;
    uint16_t v2;

    switch (i->width) {
    case 1:
        return *at;
    case 2:
        memcpy(&v2, at, 2);
        return v2;
    case 4:
        memcpy(&v4, at, 4);
        return v4;
    default:
        memcpy(&v8, at, 8);
        return v8;
    }
}

static void set_number(const struct snap_item *i, size_t n, uint64_t value)
{
    unsigned char *at = (unsigned char *)i->at + n * i->width;
    uint32_t v4 = (uint32_t)value;
    uint16_t v2 = (uint16_t)value;

    switch (i->width) {
    case 1:
        *at = (unsigned char)value;
        break;
    case 2:
        memcpy(at, &v2, 2);
        break;
    case 4:
        memcpy(at, &v4, 4);
        break;
    default:
        memcpy(at, &value, 8);
        break;
    }
}

static void save_item(struct snap *s, const struct snap_item *i)
{
    put(s, i->width | (i->truth ? TRUTH : 0), 1);
    put(s, i->count, 4);
    pack_room(&s->out, i->width * i->count);
    if (i->width == 1) {
        memcpy(s->out.byte + s->out.size, i->at, i->count);
        s->out.size += i->count;
        return;
    }
    for (size_t n = 0; n < i->count; n++)
        put(s, number_at(i, n), i->width);
}

static void load_item(struct snap *s, const struct snap_item *i)
{
    if (get(s, 1) != (i->width | (i->truth ? TRUTH : 0)) ||
        get(s, 4) != i->count) {
        snap_refuse(s, "%s has another width or count: damaged", i->name);
        return;
    }
    if (!has(s, i->width * i->count))
        return;
    for (size_t n = 0; i->truth && n < i->count; n++)
        if (s->in[s->at + n] > 1) {
            snap_refuse_value(s, i->name, s->in[s->at + n], 2);
            return;
        }
    if (i->width == 1) {
        memcpy(i->at, s->in + s->at, i->count);
        s->at += i->count;
        return;
    }
    for (size_t n = 0; n < i->count; n++)
        set_number(i, n, get(s, i->width));
}

void snap_item(struct snap *s, const struct snap_item *i)
{
    assert(i->count <= UINT32_MAX);
    if (s->bad)
        return;
    if (s->visitor)
        s->visitor->item(s->visitor->arg, s, i, NULL);
    if (s->way == SNAP_SAVE)
        save_item(s, i);
    else if (s->way == SNAP_LOAD)
        load_item(s, i);
}

void snap_skip(struct snap *s, const char *name, void *at, size_t size,
               const char *why)
{
    struct snap_item i = {name, at, 1, false, size};

    if (s->way == SNAP_COVER)
        s->visitor->item(s->visitor->arg, s, &i, why);
}

void snap_owned(struct snap *s, const char *type, const void *at, size_t size,
                size_t count)
{
    if (s->way == SNAP_COVER)
        s->visitor->owned(s->visitor->arg, type, at, size, count);
}
