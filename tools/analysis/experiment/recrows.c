/* recrows.c - takes records of rows apart, and rows at ends of intervals. */
#include "tools/analysis/experiment/recrows.h"

#include "include/record_put.h"

#define TWELFTHS 12
#define STRIDES 64u /* of which the best is taken */

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
    rows->divided = false;
    rows->had = 0;
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

/* How uneven steps of this length lie around a circle of so many cycles, at
 * most: the sum of the quotients of their continued fraction. UINT64_MAX: they
 * do not come to every cycle. */
static uint64_t unevenness(uint64_t cycles, uint64_t stride)
{
    uint64_t sum = 0, rest;

    for (; stride; cycles = stride, stride = rest) {
        sum += cycles / stride;
        rest = cycles % stride;
    }
    return cycles == 1 ? sum : UINT64_MAX;
}

/* Steps of this length around a circle of so many cycles come to each of them
 * once, and any that follow each other lie evenly: near the golden section. */
static uint64_t stride_of(uint64_t cycles)
{
    uint64_t golden = (uint64_t)((unsigned __int128)cycles * 2654435769u >> 32);
    uint64_t best = 1;

    for (uint64_t k = golden; k < golden + STRIDES; k++)
        if (unevenness(cycles, k) < unevenness(cycles, best))
            best = k;
    return best;
}

/* Of 0 up to n - 1, the sum. */
static uint64_t triangle(uint64_t n)
{
    return n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
}

/* (a * n + b) / m, which fits. */
static uint64_t quotient(uint64_t a, uint64_t n, uint64_t b, uint64_t m)
{
    if (m >> 32)
        return (uint64_t)(((unsigned __int128)a * n + b) / m);
    return (a * n + b) / m;
}

/* The sum over i < n of (a * i + b) / m, rounded down each, modulo 2^64; n
 * and a are at most m, b twice that. As Euclid's algorithm, whose quotients are
 * mostly 1 here. */
static uint64_t floor_sum(uint64_t n, uint64_t m, uint64_t a, uint64_t b)
{
    uint64_t sum = 0;

    while (n) {
        uint64_t all = m, times;

        if (a >= m) {
            times = a / m;
            sum += triangle(n) * times;
            a -= m * times;
        }
        if (b >= m) {
            sum += n * (b / m);
            b %= m;
        }
        times = quotient(a, n, b, m);
        b = a * n + b - m * times;
        n = times;
        m = a;
        a = all;
    }
    return sum;
}

/* The sum over the row's twelfths, but for whole laps around the circle, of
 * (i * stride + b) / all. */
static uint64_t rest_sum(const struct recrows *rows, uint64_t b)
{
    uint64_t all = rows->end - rows->begin;

    return floor_sum(rows->twelfths % all, all, rows->stride, rows->phase + b);
}

/* A row is to be divided: where on the circle it begins. */
static void divide(struct recrows *rows)
{
    uint64_t all = rows->end - rows->begin;

    if (rows->stride_for != all) {
        rows->stride_for = all;
        rows->stride = stride_of(all);
    }
    rows->phase = (uint64_t)((unsigned __int128)(rows->before % all) *
                             rows->stride % all);
    rows->within = rows->twelfths % all + rest_sum(rows, 0);
    rows->divided = true;
}

/* What the row has in the first `length` cycles of its interval: never less
 * than in fewer, and the rows of the interval have as much as there is. Twelfth
 * i of the interval is in cycle i * stride, around the circle; x modulo all is
 * below length where x / all and (x + all - length) / all, rounded down, are
 * equal. */
static uint64_t share(struct recrows *rows, uint64_t length)
{
    uint64_t all = rows->end - rows->begin;

    if (!rows->divided)
        divide(rows);
    return rows->twelfths / all * length + rows->within -
           rest_sum(rows, all - length);
}

/* What the row has up to this cycle of its interval. */
static uint64_t upto_cycle(struct recrows *rows, uint64_t cycle)
{
    if (cycle <= rows->begin)
        return 0;
    return cycle < rows->end ? share(rows, cycle - rows->begin)
                             : rows->twelfths;
}

/* The next part of the row that is asked for. */
static bool next_part(struct recrows *rows, struct record *r)
{
    uint64_t last = rows->end, hi, lo;

    if (rows->windowed && rows->to < last)
        last = rows->to;
    if (rows->windowed && rows->from > rows->lo) {
        rows->lo = rows->from;
        rows->had = upto_cycle(rows, rows->lo);
    }
    while (rows->lo < last) {
        uint64_t part;

        lo = rows->lo;
        hi = last;
        if (rows->step && hi - lo > rows->step - lo % rows->step)
            hi = lo + (rows->step - lo % rows->step);
        rows->lo = hi;
        part = upto_cycle(rows, hi) - rows->had;
        rows->had += part;
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
