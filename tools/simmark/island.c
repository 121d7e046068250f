/* island.c - see island.h. Made twice: to learn how large it is and where the
 * gates are, then with the branches between them.
 */
#include "tools/simmark/island.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "isa/insn.h"
#include "lib/base/grow.h"

#define BRANCH 0x48000000u
#define REACH_B 0x02000000u
#define LINK 1u
/* Words after which a row of gates is cut: a conditional branch in it has to
 * reach what stands behind the row. */
#define ROW 4000u
/* pmark marks as many words behind it, at most. */
#define MARKED 31u

/* Behind a row: where a conditional branch in it goes. */
struct stub {
    size_t at;     /* the word of the branch */
    uint32_t to;   /* its old target */
    uint32_t home; /* its old place */
};

struct making {
    struct island *to;
    const struct program *p;
    const struct perfinst_word *mark;
    size_t marks;
    uint32_t address; /* where it will stand */
    bool again;       /* the gates are known */
    size_t words, room, homes_room;
    struct stub *stub;
    size_t stubs, stubs_room;
    size_t row; /* where the row began */
    char *why;
    size_t why_room;
};

__attribute__((format(printf, 3, 4))) static bool
refuse(const struct making *k, uint32_t at, const char *format, ...)
{
    const struct perfinst_symbol *s = program_symbol(k->p, at, false);
    char what[160];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (s)
        snprintf(k->why, k->why_room,
                 "%s: 0x%08" PRIx32 " (%.100s+0x%" PRIx32 ") %s", k->p->path,
                 at, s->name, at - s->address, what);
    else
        snprintf(k->why, k->why_room, "%s: 0x%08" PRIx32 " %s", k->p->path, at,
                 what);
    return false;
}

/* ---- what stands there --------------------------------------------------- */

static bool always(const struct insn *i)
{
    return i->op == OP_B || i->op == OP_RFI ||
           (i->flags & INSN_BRANCH && (i->d & 0x14) == 0x14);
}

/* Nothing behind it is reached from it. */
static bool never_goes_on(const struct insn *i)
{
    return always(i) && (i->op == OP_RFI || i->flags & INSN_BRANCH);
}

static bool is_relative(const struct insn *i)
{
    return (i->op == OP_B || i->op == OP_BC) && !i->c;
}

static bool is_call(const struct insn *i)
{
    return i->flags & INSN_LINK;
}

/* Is the instruction here one of those that the program marks itself? */
static bool is_behind_marker(const struct making *k, uint32_t at)
{
    struct insn i;
    uint32_t word;

    for (uint32_t n = 1; n <= MARKED && n <= at / 4; n++) {
        if (!program_word(k->p, at - 4 * n, &word))
            return false;
        isa_decode(&i, word);
        if (i.op == OP_PMARK)
            return i.d >= n;
    }
    return false;
}

static bool check(const struct making *k, size_t n, struct insn *i)
{
    uint32_t at = k->mark[n].address, word;

    if (k->mark[n].data)
        return refuse(k, at,
                      "is data, which no instruction can mark; take it out "
                      "(simmark remove), or keep shadow storage");
    if (!program_word(k->p, at, &word))
        return refuse(k, at, "is not in the file and cannot be marked");
    isa_decode(i, word);
    if (i->op == OP_PMARK || is_behind_marker(k, at))
        return refuse(k, at, "belongs to a pmark of the program's own");
    if (i->op == OP_BCLR && is_call(i))
        return refuse(k, at,
                      "calls by the link register (blrl) and cannot be moved: "
                      "LR would not be the same; call by CTR instead");
    return true;
}

size_t island_leave(const struct program *p, struct perfinst_marks *marks)
{
    size_t kept = 0, all = marks->words;
    struct insn i;
    uint32_t word;

    for (size_t n = 0; n < all; n++) {
        if (!marks->word[n].data &&
            program_word(p, marks->word[n].address, &word)) {
            isa_decode(&i, word);
            if (i.op == OP_ILLEGAL)
                continue;
        }
        marks->word[kept++] = marks->word[n];
    }
    marks->words = kept;
    return all - kept;
}

/* ---- the code ------------------------------------------------------------ */

static void put(struct making *k, uint32_t word, uint32_t home)
{
    struct island *i = k->to;

    i->code = grow(i->code, &k->room, k->words + 1, sizeof *i->code);
    i->m.home = grow(i->m.home, &k->homes_room, k->words + 1, 4);
    i->code[k->words] = word;
    i->m.home[k->words++] = home;
}

/* The mark at an address; -1: none. */
static long mark_at(const struct making *k, uint32_t address)
{
    size_t low = 0, high = k->marks;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (k->mark[middle].address == address)
            return (long)middle;
        if (k->mark[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* Where a branch to an old address goes now: at once to its gate. */
static uint32_t now_at(const struct making *k, uint32_t to)
{
    long n = mark_at(k, to);
    struct insn i;

    if (n < 0 || !k->again)
        return to;
    isa_decode(&i, k->to->m.entry[n].was);
    return is_call(&i) ? to : k->to->m.entry[n].address - 4;
}

static bool branch(const struct making *k, uint32_t from, uint32_t to,
                   uint32_t home, uint32_t *word)
{
    uint32_t by = to - from;

    if (k->again && by + REACH_B >= 2 * REACH_B)
        return refuse(k, home,
                      "is too far from 0x%08" PRIx32 " for a branch; choose a "
                      "place for the island with --at",
                      to);
    *word = BRANCH | (by & 0x03FFFFFC);
    return true;
}

static uint32_t here(const struct making *k)
{
    return k->address + 4 * (uint32_t)k->words;
}

static bool put_branch(struct making *k, uint32_t to, uint32_t home,
                       uint32_t belongs)
{
    uint32_t word = 0;

    if (!branch(k, here(k), now_at(k, to), home, &word))
        return false;
    put(k, word, belongs);
    return true;
}

/* What was branched to from the row that ends here. */
static bool end_row(struct making *k)
{
    for (size_t n = 0; n < k->stubs; n++) {
        const struct stub *s = &k->stub[n];

        k->to->code[s->at] |= 4 * (uint32_t)(k->words - s->at);
        if (!put_branch(k, s->to, s->home, s->home))
            return false;
    }
    k->stubs = 0;
    k->row = k->words;
    return true;
}

static bool put_moved(struct making *k, uint32_t at, const struct insn *i)
{
    if (is_relative(i) && always(i))
        return put_branch(k, at + (uint32_t)i->imm, at, at);
    if (is_relative(i)) {
        k->stub = grow(k->stub, &k->stubs_room, k->stubs + 1, sizeof *k->stub);
        k->stub[k->stubs++] =
            (struct stub){k->words, at + (uint32_t)i->imm, at};
        put(k, i->word & ~UINT32_C(0xFFFF), at);
        return true;
    }
    put(k, is_call(i) ? i->word & ~LINK : i->word, at);
    return true;
}

static bool put_gate(struct making *k, size_t n, const struct insn *i)
{
    uint32_t at = k->mark[n].address, gate = here(k);
    struct marker *e = &k->to->m.entry[n];

    put(k, MARKERS_PMARK(1, n), at);
    *e = (struct marker){.address = gate + 4,
                         .home = at,
                         .was = i->word,
                         .indicator = k->mark[n].indicator,
                         .limit = k->mark[n].limit};
    if (!put_moved(k, at, i) || !branch(k, at, gate, at, &e->is))
        return false;
    e->is |= is_call(i) ? LINK : 0;
    return true;
}

/* Does the next mark's gate belong right behind this one's? */
static bool follows(const struct making *k, size_t n)
{
    struct insn next;
    uint32_t word;

    if (n + 1 == k->marks || k->words - k->row > ROW ||
        k->mark[n + 1].address != k->mark[n].address + 4 ||
        !program_word(k->p, k->mark[n + 1].address, &word))
        return false;
    isa_decode(&next, word);
    return !is_call(&next);
}

static bool put_all(struct making *k)
{
    struct insn i;

    k->words = k->row = k->stubs = 0;
    for (size_t n = 0; n < k->marks; n++) {
        uint32_t at = k->mark[n].address;
        bool branches;

        if (!check(k, n, &i) || !put_gate(k, n, &i))
            return false;
        if (!never_goes_on(&i) && follows(k, n))
            continue;
        branches = i.flags & INSN_BRANCH;
        if (!never_goes_on(&i) &&
            !put_branch(k, at + 4, at, branches ? at : at + 4))
            return false;
        if (!end_row(k))
            return false;
    }
    return true;
}

bool island_make(struct island *i, const struct program *p,
                 const struct perfinst_marks *marks, uint32_t address,
                 char *why, size_t room)
{
    struct making k = {.to = i,
                       .p = p,
                       .mark = marks->word,
                       .marks = marks->words,
                       .address = address,
                       .why = why,
                       .why_room = room};
    bool ok;

    *i = (struct island){0};
    if (marks->words > MARKERS_MAX) {
        snprintf(why, room, "%s: %zu marks; pmark can tell %u apart, mark less",
                 p->path, marks->words, MARKERS_MAX);
        return false;
    }
    i->m.entries = (uint32_t)marks->words;
    i->m.entry = calloc(marks->words + 1, sizeof *i->m.entry);
    if (!i->m.entry)
        abort();
    ok = put_all(&k);
    k.again = true;
    ok = ok && put_all(&k);
    free(k.stub);
    i->m.island = address;
    i->m.size = 4 * (uint32_t)k.words;
    if (!ok)
        island_free(i);
    return ok;
}

bool island_size(const struct program *p, const struct perfinst_marks *marks,
                 uint32_t *size, char *why, size_t room)
{
    /* As near as can be: where it stands does not change its size. */
    uint32_t near = marks->words ? marks->word[0].address : 0;
    struct island i;
    bool ok = island_make(&i, p, marks, near, why, room);

    *size = i.m.size;
    island_free(&i);
    return ok;
}

void island_free(struct island *i)
{
    free(i->code);
    markers_free(&i->m);
    i->code = NULL;
}
