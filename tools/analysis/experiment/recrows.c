/* recrows.c - takes records of rows apart, and rows at ends of intervals. */
#include "tools/analysis/experiment/recrows.h"

#include "include/record_put.h"

#define TWELFTHS 12

/* A number of a list: groups of 7 bits, lowest first. False: it does not end
 * in the list, or does not fit. */
static bool number(const struct record *r, unsigned *at, uint64_t *n)
{
    *n = 0;
    for (unsigned shift = 0; shift < 64 && *at < 4 * r->words; shift += 7) {
        unsigned byte = r->payload[(*at)++];

        if (shift == 63 && byte > 1)
            return false;
        *n |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* The row at byte *at of a list; *pc is that of the one before. */
static bool list_row(const struct record *r, unsigned *at, uint32_t *pc,
                     uint32_t *reason, uint64_t *twelfths)
{
    uint64_t ahead;
    unsigned byte;

    if (*at >= 4 * r->words)
        return false;
    byte = r->payload[(*at)++];
    *reason = byte & ((1u << ORACLE_AHEAD_SHIFT) - 1);
    ahead = byte >> ORACLE_AHEAD_SHIFT;
    if (ahead == ORACLE_FAR && !number(r, at, &ahead))
        return false;
    if (ahead > (UINT32_MAX - *pc) / 4)
        return false;
    *pc += 4 * (uint32_t)ahead;
    return number(r, at, twelfths);
}

/* No row can hold more than every cycle there was. */
bool recrows_sensible(const struct record *r)
{
    unsigned at = 4 * ORACLE_LIST_WORDS;
    uint32_t pc = record_get_oracle_list_pc(r), reason;
    uint64_t twelfths;

    if (r->words == ORACLE_WORDS)
        return record_get_oracle_twelfths(r) / TWELFTHS <= r->cycle;
    if (record_get_oracle_list_rows(r) < 2)
        return false;
    for (uint32_t n = record_get_oracle_list_rows(r); n; n--)
        if (!list_row(r, &at, &pc, &reason, &twelfths) ||
            twelfths / TWELFTHS > r->cycle)
            return false;
    for (; at < 4 * r->words; at++)
        if (r->payload[at])
            return false;
    return true;
}

void recrows_begin(struct recrows *rows, const struct record *r)
{
    bool one = r->words == ORACLE_WORDS;
    unsigned cpu = r->cpu % RECROWS_CPUS;

    rows->record = *r;
    rows->left = one ? 1 : record_get_oracle_list_rows(r);
    rows->at = 4 * ORACLE_LIST_WORDS;
    rows->pc = one ? record_get_oracle_pc(r) : record_get_oracle_list_pc(r);
    rows->end = rows->lo = r->cycle;
    rows->begin = r->cycle;
    if (rows->interval && r->cycle)
        rows->begin = (r->cycle - 1) / rows->interval * rows->interval;
    if (rows->cpu[cpu].end != r->cycle)
        rows->cpu[cpu].sum = 0;
    rows->cpu[cpu].end = r->cycle;
}

static void next_row(struct recrows *rows)
{
    const struct record *r = &rows->record;
    uint64_t *sum = &rows->cpu[r->cpu % RECROWS_CPUS].sum;

    if (r->words == ORACLE_WORDS) {
        rows->reason = record_get_oracle_reason(r);
        rows->twelfths = record_get_oracle_twelfths(r);
    } else if (!list_row(r, &rows->at, &rows->pc, &rows->reason,
                         &rows->twelfths)) {
        rows->twelfths = 0; /* recrows_sensible would have said no */
    }
    rows->left--;
    rows->before = *sum;
    *sum += rows->twelfths;
    rows->lo = rows->begin;
}

/* Little-endian, as a file has it. */
static inline void store(unsigned char *to, uint32_t word)
{
    to[0] = (unsigned char)word;
    to[1] = (unsigned char)(word >> 8);
    to[2] = (unsigned char)(word >> 16);
    to[3] = (unsigned char)(word >> 24);
}

void recrows_write(unsigned char row[RECROWS_BYTES], uint32_t pc,
                   uint32_t reason, uint64_t twelfths)
{
    uint32_t words[ORACLE_WORDS];

    record_put_oracle_pc(words, pc);
    record_put_oracle_reason(words, reason);
    record_put_oracle_twelfths(words, twelfths);
    for (unsigned i = 0; i < ORACLE_WORDS; i++)
        store(row + 4 * i, words[i]);
}

static void give(struct recrows *rows, uint64_t end, uint64_t twelfths,
                 struct record *r)
{
    recrows_write(rows->row, rows->pc, rows->reason, twelfths);
    *r = rows->record;
    r->cycle = end;
    r->words = ORACLE_WORDS;
    r->payload = rows->row;
}

/* What the row has in the first `length` cycles of its interval. */
static uint64_t share(const struct recrows *rows, uint64_t length)
{
    unsigned __int128 upto = rows->before + rows->twelfths;
    uint64_t all = rows->end - rows->begin;

    return (uint64_t)(upto * length / all -
                      (unsigned __int128)rows->before * length / all);
}

/* The next part of the row that is asked for. */
static bool next_part(struct recrows *rows, struct record *r)
{
    uint64_t last = rows->end, hi, lo;

    if (rows->windowed && rows->to < last)
        last = rows->to;
    if (rows->windowed && rows->from > rows->lo)
        rows->lo = rows->from;
    while (rows->lo < last) {
        uint64_t part;

        lo = rows->lo;
        hi = last;
        if (rows->step && hi - lo > rows->step - lo % rows->step)
            hi = lo + (rows->step - lo % rows->step);
        rows->lo = hi;
        part = rows->twelfths;
        if (lo != rows->begin || hi != rows->end)
            part =
                share(rows, hi - rows->begin) - share(rows, lo - rows->begin);
        if (part) {
            give(rows, hi, part, r);
            return true;
        }
    }
    return false;
}

bool recrows_next(struct recrows *rows, struct record *r)
{
    for (;;) {
        if (rows->lo < rows->end && next_part(rows, r))
            return true;
        if (!rows->left)
            return false;
        next_row(rows);
        if (rows->begin == rows->end) {
            give(rows, rows->end, rows->twelfths, r);
            return true;
        }
    }
}
