/* memlines.c - see memlines.h. */
#include "tools/analysis/hardware/memlines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/symbols/variables.h"

#define BYTES_MOST 64 /* a bit of a mask each */

/* ---- records ------------------------------------------------------------- */

static bool is_sensible(const struct record *k)
{
    uint32_t bytes = record_get_memline_bytes(k);
    uint64_t touched = record_get_memline_read(k) | record_get_memline_dirty(k);

    return bytes >= 4 && bytes <= BYTES_MOST && !(bytes & (bytes - 1)) &&
           !(record_get_memline_address(k) & (bytes - 1)) &&
           (bytes == BYTES_MOST || !(touched >> bytes)) &&
           record_get_memline_state(k) <= MEMLINE_MODIFIED &&
           record_get_memline_apart(k) <= record_get_memline_taken(k) &&
           record_get_memline_begin(k) <= k->cycle;
}

static void add(struct memlines *m, const struct record *k)
{
    m->by = grow(m->by, &m->bys_room, m->bys + 1, sizeof *m->by);
    m->by[m->bys++] = (struct memline_cpu){
        .cpu = k->cpu,
        .stretch = record_get_memline_stretch(k),
        .address = record_get_memline_address(k),
        .ea = record_get_memline_ea(k),
        .bytes = record_get_memline_bytes(k),
        .thread = k->thread,
        .set = record_get_memline_set(k),
        .way = record_get_memline_way(k),
        .state = record_get_memline_state(k),
        .begin = record_get_memline_begin(k),
        .end = k->cycle,
        .loads = record_get_memline_loads(k),
        .stores = record_get_memline_stores(k),
        .taken = record_get_memline_taken(k),
        .apart = record_get_memline_apart(k),
        .cycles = record_get_memline_cycles(k),
        .read = record_get_memline_read(k),
        .dirty = record_get_memline_dirty(k),
    };
}

static int order(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

static int by_line(const void *a, const void *b)
{
    const struct memline_cpu *x = a, *y = b;

    if (x->stretch != y->stretch)
        return order(x->stretch, y->stretch);
    if (x->address != y->address)
        return order(x->address, y->address);
    return order(x->cpu, y->cpu);
}

/* ---- lines --------------------------------------------------------------- */

static enum memline_kind kind_of(const struct memline_cpu *by, size_t count)
{
    uint64_t dirty = 0, used = 0, taken = 0, apart = 0;
    bool mixed = false;
    size_t touch = 0;

    for (size_t n = 0; n < count; n++) {
        touch += by[n].loads || by[n].stores;
        taken += by[n].taken;
        apart += by[n].apart;
        mixed |= (by[n].dirty & used) || ((by[n].dirty | by[n].read) & dirty);
        dirty |= by[n].dirty;
        used |= by[n].dirty | by[n].read;
    }
    if (touch < 2 || !dirty)
        return !touch       ? MEMLINE_HELD
               : touch == 1 ? MEMLINE_PRIVATE
                            : MEMLINE_READERS;
    if (taken)
        return apart > taken - apart ? MEMLINE_FALSELY : MEMLINE_TRULY;
    return mixed ? MEMLINE_TRULY : MEMLINE_FALSELY;
}

static void make_lines(struct memlines *m)
{
    size_t end;

    for (size_t n = 0; n < m->bys; n = end) {
        struct memline l = {.first = n};

        for (end = n; end < m->bys && m->by[end].stretch == m->by[n].stretch &&
                      m->by[end].address == m->by[n].address;
             end++) {
            l.loads += m->by[end].loads;
            l.stores += m->by[end].stores;
            l.taken += m->by[end].taken;
            l.apart += m->by[end].apart;
            l.cycles += m->by[end].cycles;
        }
        l.cpus = end - n;
        l.kind = kind_of(&m->by[n], l.cpus);
        m->line = grow(m->line, &m->lines_room, m->lines + 1, sizeof *m->line);
        m->line[m->lines++] = l;
    }
}

/* `first` grows with stretch and address. */
struct ranked {
    struct memline line;
    uint32_t stretch;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->stretch != y->stretch)
        return order(x->stretch, y->stretch);
    if ((x->line.kind == MEMLINE_HELD) != (y->line.kind == MEMLINE_HELD))
        return x->line.kind == MEMLINE_HELD ? 1 : -1;
    if (x->line.taken != y->line.taken)
        return order(y->line.taken, x->line.taken);
    if (x->line.cycles != y->line.cycles)
        return order(y->line.cycles, x->line.cycles);
    return order(x->line.first, y->line.first);
}

static void rank(struct memlines *m)
{
    struct ranked *all = grow_zero(m->lines + 1, sizeof *all);

    for (size_t n = 0; n < m->lines; n++)
        all[n] = (struct ranked){m->line[n], m->by[m->line[n].first].stretch};
    if (m->lines)
        qsort(all, m->lines, sizeof *all, by_rank);
    for (size_t n = 0; n < m->lines; n++)
        m->line[n] = all[n].line;
    free(all);
}

/* ---- the log ------------------------------------------------------------- */

static void read_log(struct memlines *m, const struct recording *r)
{
    for (size_t k = 0; k < r->log.count; k++) {
        const struct line *l = &r->log.line[k];
        unsigned long long begin, end, lines, left;
        unsigned number;

        m->asked += !strcmp(l->key, "record-lines");
        if (strcmp(l->key, "lines") ||
            sscanf(l->value, "%u %llu %llu %llu %llu", &number, &begin, &end,
                   &lines, &left) != 5)
            continue;
        m->stretch = grow(m->stretch, &m->stretches_room, m->stretches + 1,
                          sizeof *m->stretch);
        m->stretch[m->stretches++] =
            (struct memline_stretch){number, begin, end, lines, left};
    }
}

void memlines_read(struct memlines *m, struct recording *r, long cpu)
{
    uint64_t wrong = 0;
    struct record k;
    struct recfile f;

    *m = (struct memlines){0};
    read_log(m, r);
    if (!recording_records(r, REC_MEMLINE, &f))
        return;
    while (recfile_next(&f, &k)) {
        if (!is_sensible(&k))
            wrong++;
        else if (cpu < 0 || k.cpu == (unsigned)cpu)
            add(m, &k);
    }
    recording_done(r, &f);
    if (wrong)
        problem_add(&r->problems, PROBLEM_DAMAGE,
                    "line.rec: %llu lines that cannot be",
                    (unsigned long long)wrong);
    if (m->bys)
        qsort(m->by, m->bys, sizeof *m->by, by_line);
    make_lines(m);
    rank(m);
}

void memlines_free(struct memlines *m)
{
    free(m->by);
    free(m->line);
    free(m->stretch);
    *m = (struct memlines){0};
}

/* ---- words --------------------------------------------------------------- */

const char *memlines_kind(enum memline_kind kind)
{
    static const char *const names[] = {
        [MEMLINE_FALSELY] = "falsely shared",
        [MEMLINE_TRULY] = "shared",
        [MEMLINE_READERS] = "only loaded",
        [MEMLINE_PRIVATE] = "one CPU's",
        [MEMLINE_HELD] = "held",
    };

    return names[kind];
}

const char *memlines_state(uint32_t state)
{
    return state == MEMLINE_MODIFIED    ? "M"
           : state == MEMLINE_EXCLUSIVE ? "E"
           : state == MEMLINE_SHARED    ? "S"
                                        : "";
}

void memlines_name(const struct memlines *m, struct recording *r,
                   const struct memline *l, char *out, size_t size)
{
    const struct variable_spot *at = NULL;
    const struct memline_cpu *by;
    uint64_t touched;

    *out = '\0';
    for (size_t n = l->first; n < l->first + l->cpus && !at; n++) {
        by = &m->by[n];
        touched = by->read | by->dirty;
        if (!touched)
            continue;
        loadmap_thread(&r->map, by->thread);
        at = variables_at(recording_variables(r),
                          by->ea + (uint32_t)__builtin_ctzll(touched), by->end);
    }
    if (at)
        snprintf(out, size, "%s", at->member);
}

static uint64_t word_of(uint64_t mask, unsigned word)
{
    return mask >> (4 * word) & 15;
}

void memlines_words(const struct memlines *m, const struct memline *l,
                    char out[MEMLINES_WORDS])
{
    unsigned words = m->by[l->first].bytes / 4;

    memset(out, '.', words);
    out[words] = '\0';
    for (size_t n = l->first; n < l->first + l->cpus; n++)
        for (unsigned w = 0; w < words; w++) {
            if (word_of(m->by[n].dirty, w))
                out[w] = out[w] == '.' || out[w] == 'r'
                             ? (char)('0' + m->by[n].cpu % 10)
                             : '*';
            else if (word_of(m->by[n].read, w) && out[w] == '.')
                out[w] = 'r';
        }
}

void memlines_words_of(const struct memline_cpu *by, char out[MEMLINES_WORDS])
{
    unsigned words = by->bytes / 4;

    out[words] = '\0';
    for (unsigned w = 0; w < words; w++)
        out[w] = word_of(by->dirty, w) && word_of(by->read, w) ? 'b'
                 : word_of(by->dirty, w)                       ? 'w'
                 : word_of(by->read, w)                        ? 'r'
                                                               : '.';
}
