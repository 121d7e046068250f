/* frame_flow.c - see frame_flow.h.
 *
 * A register is either the stack pointer that the function was called with,
 * plus a number; or a stack pointer of its own frame, of which nothing is
 * known but the back chain at it; or the return address; or nothing that
 * matters. What every instruction does to that is followed from the entry
 * along all branches, until nothing changes: what holds at an instruction
 * holds on every way to it.
 * APPROX: tables of jumps are not read: code that no branch leads to is taken
 * to be reached from the bctr before it, else by an exception that the call
 * before it let through. Source: SysV ABI PowerPC supplement, ch. 3. Cost: none
 * in tests/unwind/shadow_all.sh; without symbols nothing is known of a
 * function, and the stop is taken for one in its body. What a program hides is
 * not found: the end of longjmp, or an unwinder of C++ that is about to go to a
 * handler, has the stack of where it goes; the caller of a function that
 * keeps no way back since it never returns (_exit) is left out.
 */
#include "sim/unwind/known_stop.h"

#include <string.h>

#include "isa/insn.h"
#include "isa/mmu.h"
#include "lib/base/big_endian.h"

#define SCAN 16384u /* instructions looked at, at most */
#define STATES 256u /* different ones in a function, at most */
#define GUESSES 3u  /* rounds: the code found may change what is guessed */
#define NOWHERE 0xFFFFu

enum kind { NOTHING, ENTRY, FRAME, BACK };

struct state {
    int32_t offset[32]; /* ENTRY: from the stack pointer at the entry */
    uint8_t kind[32];
    bool lr;   /* LR is the way back */
    bool set;  /* ... or has been set to where it goes on, as longjmp does */
    bool kept; /* it is in memory, at the entry's stack pointer + slot */
    int32_t slot;
};

struct scan {
    const struct core *c;
    const struct names *names;
    struct insn moved;
    struct known_stop stop;
    ea_t from[2], end[2]; /* the function, and the part of it elsewhere */
    unsigned count;       /* instructions in both */
    unsigned known;
    uint16_t last; /* ... of them that was asked for */
    struct state state[STATES];
    bool full;             /* more states than fit */
    uint16_t before[SCAN]; /* the state before each; NOWHERE */
    uint8_t marks[SCAN];   /* DIRTY, WEAK, GUESSED */
};

#define DIRTY 1u /* its state is new: what follows from it is to be seen */
#define WEAK 2u  /* it was only reached as what stands behind a call */
#define GUESSED 4u

bool frame_flow_function(const struct core *c, const struct names *names,
                         ea_t at, ea_t from[2], ea_t end[2])
{
    uint32_t up = c->cpu.msr & MSR_IR ? 0 : names->real;

    if (names_function(names, at, from, end))
        return true;
    if (!up || !names_function(names, at + up, from, end))
        return false;
    for (unsigned k = 0; k < 2 && end[k]; k++) {
        from[k] -= up;
        end[k] -= up;
    }
    return true;
}

bool frame_flow_word(const struct core *c, ea_t ea, enum tlb_kind kind,
                     uint32_t *value)
{
    const struct ram *r = c->with.ram;
    pa_t pa;

    if (ea % 4 || !mmu_peek(&c->cpu, ea, kind, &pa) || pa > r->size - 4)
        return false;
    *value = be_get32(r->bytes + pa);
    return true;
}

const struct insn *frame_flow_insn(const struct core *c,
                                   const struct names *names, ea_t ea,
                                   struct insn *moved)
{
    const struct ram *r = c->with.ram;
    struct insn *i;
    pa_t pa;

    if (ea % 4 || !mmu_peek(&c->cpu, ea, TLB_FETCH, &pa) || pa > r->size - 4)
        return NULL;
    i = decode_cache_at(c->with.decoded, pa);
    if (names_word(names, ea, i->word) == i->word)
        return i;
    isa_decode(moved, names_word(names, ea, i->word));
    return moved;
}

static const struct insn *insn_at(struct scan *f, ea_t ea)
{
    known_stop_reads(f->c, &f->stop, ea);
    return frame_flow_insn(f->c, f->names, ea, &f->moved);
}

/* The word as it stands there, moved or not. It gets a record, so that it is
 * heard of when it changes. */
static bool word_at(struct scan *f, ea_t ea, uint32_t *word)
{
    pa_t pa;

    known_stop_reads(f->c, &f->stop, ea);
    if (!frame_flow_word(f->c, ea, TLB_FETCH, word) ||
        !mmu_peek(&f->c->cpu, ea, TLB_FETCH, &pa))
        return false;
    decode_cache_at(f->c->with.decoded, pa);
    return true;
}

/* ---- what one instruction does ------------------------------------------- */

static void forget(struct state *s, unsigned n)
{
    /* Whatever r1 is now, a back chain is at it. */
    s->kind[n] = n == 1 ? FRAME : NOTHING;
    s->offset[n] = 0;
}

static void copy(struct state *s, unsigned to, unsigned from, int32_t plus)
{
    uint8_t kind = s->kind[from];

    if (kind == NOTHING || (kind != ENTRY && plus)) {
        forget(s, to);
        return;
    }
    s->kind[to] = kind;
    s->offset[to] = s->offset[from] + plus;
}

static void load(struct state *s, const struct insn *i)
{
    unsigned d = i->d, a = i->a;

    if (a == 1 && i->imm == 0) { /* the back chain */
        if (s->kind[1] == ENTRY && s->offset[1] == 0) {
            forget(s, d);
        } else {
            s->kind[d] = ENTRY;
            s->offset[d] = 0;
        }
    } else if (s->kept && s->kind[a] == ENTRY &&
               s->offset[a] + i->imm == s->slot) {
        s->kind[d] = BACK;
        s->offset[d] = 0;
    } else {
        forget(s, d);
    }
}

static void store(struct state *s, const struct insn *i)
{
    if (s->kind[i->a] != ENTRY)
        return;
    if (s->kind[i->d] == BACK) {
        s->kept = true;
        s->slot = s->offset[i->a] + i->imm;
    }
}

/* What libgcc keeps and restores registers with: r11 stays, and r0. */
static bool saves_register(uint32_t w)
{
    /* stw, lwz, stfd, lfd of a saved register, by r11 */
    return (w >> 16 & 31) == 11 && (w & 0x8000) && (w >> 21 & 31) >= 14 &&
           (w >> 26 == 36 || w >> 26 == 32 || w >> 26 == 54 || w >> 26 == 50);
}

/* bcl 20,31 gets an address into LR and is no call. */
static bool is_address(const struct insn *i)
{
    return i->op == OP_BC && i->d == 20 && i->a == 31;
}

/* False: it calls code that leaves registers alone. */
static bool call(struct scan *f, struct state *s, const struct insn *i, ea_t at)
{
    uint32_t w;

    s->lr = s->set = false;
    if (!(i->flags & INSN_INDIRECT) && word_at(f, at + (ea_t)i->imm, &w) &&
        saves_register(w))
        return false;
    forget(s, 0);
    for (unsigned n = 3; n <= 12; n++)
        forget(s, n);
    return true;
}

static void others(struct state *s, const struct insn *i)
{
    if (i->flags & INSN_MULTIPLE && i->flags & INSN_LOAD)
        for (unsigned n = i->d; n < 32; n++)
            forget(s, n);
    for (unsigned n = 0; n < i->ndst; n++)
        if (i->dst[n] < 32)
            forget(s, i->dst[n]);
}

#define SPR_LR 8

static void step(struct state *s, const struct insn *i)
{
    int32_t plus = i->op == OP_ADDIS ? i->imm * 65536 : i->imm;

    switch (i->op) {
    case OP_MFSPR:
        forget(s, i->d);
        if (i->spr == SPR_LR && s->lr)
            s->kind[i->d] = BACK;
        break;
    case OP_MTSPR:
        if (i->spr == SPR_LR) {
            s->lr = s->kind[i->d] == BACK;
            s->set = !s->lr;
        }
        break;
    case OP_ADDI:
    case OP_ADDIS:
        if (i->d == 1 && i->a == 1 && plus > 0 && s->kind[1] == FRAME) {
            s->kind[1] = ENTRY; /* another thread's frame, say, is over */
            s->offset[1] = 0;
        } else if (i->a)
            copy(s, i->d, i->a, plus);
        else
            forget(s, i->d);
        break;
    case OP_OR:
        if (i->d == i->b)
            copy(s, i->a, i->d, 0);
        else
            forget(s, i->a);
        break;
    case OP_ORI: /* nop is one: ori r0,r0,0 */
        copy(s, i->a, i->d, i->imm);
        break;
    case OP_LWZ:
        load(s, i);
        break;
    case OP_STW:
        store(s, i);
        break;
    case OP_STWU:
        copy(s, i->a, i->a, i->imm);
        break;
    default:
        others(s, i);
    }
}

/* Does the instruction, no branch, leave s as it is? Most do. */
static bool idle(const struct state *s, const struct insn *i)
{
    for (unsigned n = 0; n < i->ndst; n++)
        if (i->dst[n] < 32 && s->kind[i->dst[n]] != NOTHING)
            return false;
    switch (i->op) {
    case OP_MFSPR:
    case OP_MTSPR:
    case OP_LMW:
        return false;
    case OP_ADDI:
    case OP_ADDIS:
        return !i->a || s->kind[i->a] == NOTHING;
    case OP_OR:
    case OP_ORI:
    case OP_STW:
        return s->kind[i->d] == NOTHING;
    case OP_LWZ:
        return s->kind[i->a] == NOTHING;
    default:
        return true;
    }
}

/* ---- the ways through a function ----------------------------------------- */

static unsigned index_of(const struct scan *f, ea_t at)
{
    unsigned first = (f->end[0] - f->from[0]) / 4;

    if (at - f->from[0] < f->end[0] - f->from[0])
        return (at - f->from[0]) / 4;
    if (at - f->from[1] < f->end[1] - f->from[1])
        return first + (at - f->from[1]) / 4;
    return NOWHERE;
}

static ea_t address_of(const struct scan *f, unsigned index)
{
    unsigned first = (f->end[0] - f->from[0]) / 4;

    return index < first ? f->from[0] + 4 * index
                         : f->from[1] + 4 * (index - first);
}

static uint16_t number_of(struct scan *f, const struct state *s)
{
    if (memcmp(&f->state[f->last], s, sizeof *s) == 0 && f->known)
        return f->last;
    for (unsigned n = f->known; n > 0; n--)
        if (memcmp(&f->state[n - 1], s, sizeof *s) == 0)
            return f->last = (uint16_t)(n - 1);
    if (f->known == STATES) {
        f->full = true;
        return 0;
    }
    f->state[f->known] = *s;
    return f->last = (uint16_t)f->known++;
}

static bool returns(const struct state *s)
{
    if (s->lr || s->kept)
        return true;
    return memchr(s->kind, BACK, sizeof s->kind) != NULL;
}

static bool framed(const struct state *s)
{
    return s->kind[1] != ENTRY || s->offset[1];
}

/* What holds of both, in *s. False: nothing sensible does. */
static bool meet(struct state *s, const struct state *t)
{
    struct state both = *s;

    if (framed(s) != framed(t))
        return false;
    for (unsigned n = 0; n < 32; n++)
        if (s->kind[n] != t->kind[n] || s->offset[n] != t->offset[n])
            forget(&both, n);
    both.lr = s->lr && t->lr;
    both.set = s->set && t->set;
    both.kept = s->kept && t->kept && s->slot == t->slot;
    both.slot = both.kept ? s->slot : 0;
    if (!returns(&both) && returns(s))
        return false;
    *s = both;
    return true;
}

/* An instruction is reached in s; `weak`: behind a call, which might not
 * return. What comes on different ways holds if it holds on all of them; but
 * a call that cannot return with what is known from elsewhere does not, and
 * neither does what has lost the way back. */
static void reach_in(struct scan *f, unsigned index, uint16_t number, bool weak)
{
    const struct state *s = &f->state[number];
    struct state now;

    if (index >= f->count)
        return;
    if (f->before[index] == number && (weak || !(f->marks[index] & WEAK)))
        return;
    now = *s;
    if (f->before[index] != NOWHERE) {
        const struct state *was = &f->state[f->before[index]];
        bool better = returns(s) && !returns(was);
        bool was_weak = f->marks[index] & WEAK;

        if (!returns(s) && returns(was))
            return;
        if (!better && !meet(&now, was) && (weak || !was_weak))
            return;
        weak = weak && was_weak;
    }
    number = number_of(f, &now);
    if (f->before[index] != number)
        f->marks[index] |= DIRTY;
    f->before[index] = number;
    f->marks[index] &= (uint8_t)~WEAK;
    f->marks[index] |= weak ? WEAK : 0;
}

static void reach(struct scan *f, unsigned index, const struct state *s,
                  bool weak)
{
    reach_in(f, index, number_of(f, s), weak);
}

/* The branch i at `at`, with the index after it: where it leads to. */
static void branch(struct scan *f, ea_t at, unsigned next, uint16_t number,
                   const struct insn *i)
{
    if (is_address(i)) {
        struct state s = f->state[number];

        s.lr = s.set = false;
        reach(f, index_of(f, at + (ea_t)i->imm), &s, false);
        return;
    }
    if (i->flags & INSN_LINK) {
        struct state s = f->state[number];
        bool real = call(f, &s, i, at);

        reach(f, next, &s, real);
        return;
    }
    if (!(i->flags & INSN_INDIRECT))
        reach_in(f, index_of(f, at + (ea_t)i->imm), number, false);
    if (i->flags & INSN_COND)
        reach_in(f, next, number, false);
}

/* Where the instruction with this index leads to. */
static void walk(struct scan *f, unsigned index)
{
    ea_t at = address_of(f, index);
    unsigned next = index_of(f, at + 4);
    uint16_t number = f->before[index];
    const struct insn *i = insn_at(f, at);

    f->marks[index] &= (uint8_t)~DIRTY;
    if (!i)
        return;
    if (i->flags & INSN_BRANCH) {
        branch(f, at, next, number, i);
    } else if (idle(&f->state[number], i)) {
        reach_in(f, next, number, false);
    } else {
        struct state s = f->state[number];

        step(&s, i);
        reach(f, next, &s, false);
    }
}

/* Does memory say the same of the frame at the stop as the code? */
static bool agrees(struct scan *f, unsigned stop, ea_t sp)
{
    const struct state *s = &f->state[f->before[stop]];

    return !framed(s) || s->kind[1] == FRAME ||
           known_stop_asks(f->c, &f->stop, sp, s->offset[1]);
}

/* Is what is known of the stop enough? A function that has kept the way back
 * and made calls has it there, whatever else leads to this place. */
static bool enough(struct scan *f, unsigned stop, ea_t sp)
{
    const struct state *s;

    if (f->before[stop] == NOWHERE)
        return false;
    s = &f->state[f->before[stop]];
    return s->kept && !s->lr && s->kind[1] == ENTRY && agrees(f, stop, sp);
}

/* Follow what is new. True: there is more, for a branch led back. */
static bool pass(struct scan *f, unsigned stop, ea_t sp)
{
    bool more = false;

    for (unsigned n = 0; n < f->count; n++) {
        if (n == stop && enough(f, stop, sp))
            return false;
        if (f->marks[n] & DIRTY)
            walk(f, n);
    }
    for (unsigned n = 0; n < f->count && !more; n++)
        more = f->marks[n] & DIRTY;
    return more && !f->full;
}

/* What nothing leads to: a table behind bctr does, or else an exception that a
 * call let through. */
static void guess(struct scan *f)
{
    uint16_t table = NOWHERE, behind = NOWHERE;

    for (unsigned n = 0; n < f->count && !f->full; n++) {
        uint16_t from = table != NOWHERE ? table : behind;
        const struct insn *i = insn_at(f, address_of(f, n));

        if (f->before[n] == NOWHERE)
            f->marks[n] |= GUESSED;
        if (f->marks[n] & GUESSED && from != NOWHERE)
            reach_in(f, n, from, false);
        if (!i || f->before[n] == NOWHERE)
            continue;
        if (f->marks[n] & DIRTY)
            walk(f, n);
        if (i->flags & INSN_LINK && !is_address(i)) {
            struct state s = f->state[f->before[n]];

            call(f, &s, i, address_of(f, n));
            behind = number_of(f, &s);
        } else if (i->op == OP_BCCTR) {
            table = f->before[n];
        }
    }
}

/* ---- a stop -------------------------------------------------------------- */

/* Is this where libgcc restores registers and returns for the function whose
 * epilogue branched here? r11 is then the caller's stack pointer, and the way
 * back has been kept. */
static bool returns_for(struct scan *f)
{
    uint32_t w;

    for (ea_t at = f->from[0]; at - f->from[0] < 4 * 40; at += 4) {
        if (!word_at(f, at, &w))
            return false;
        if (w == 0x7D615B78) /* mr r1,r11 */
            return true;
        /* lwz, lfd by r11; mtlr r0 */
        if ((w >> 26 != 32 && w >> 26 != 50 && w != 0x7C0803A6) ||
            (w >> 26 != 31 && (w >> 16 & 31) != 11))
            return false;
    }
    return false;
}

static void begin(struct scan *f, struct state *s)
{
    memset(s, 0, sizeof *s);
    if (returns_for(f)) {
        s->kind[1] = FRAME;
        s->kind[11] = ENTRY;
        s->kept = true;
        s->slot = 4;
    } else {
        s->kind[1] = ENTRY;
        s->lr = true;
    }
}

static void conclude(const struct state *s, struct frame_flow *u)
{
    unsigned n;

    *u = (struct frame_flow){.sp = FRAME_FLOW_CHAIN};
    if (s->kind[1] == ENTRY) {
        u->sp = FRAME_FLOW_OFFSET;
        u->offset = -s->offset[1];
    }
    for (n = 0; n < 32 && s->kind[n] != BACK; n++)
        continue;
    u->gpr = n;
    u->slot = s->slot;
    u->back = s->kept  ? FRAME_FLOW_SAVED
              : s->lr  ? FRAME_FLOW_LR
              : n < 32 ? FRAME_FLOW_GPR
                       : FRAME_FLOW_NONE;
    if (u->back == FRAME_FLOW_NONE && s->set)
        *u =
            (struct frame_flow){.sp = FRAME_FLOW_OFFSET, .back = FRAME_FLOW_LR};
}

/* Follow the code of the function that pc is in. */
static bool follow(const struct core *c, const struct names *names, ea_t pc,
                   ea_t sp, struct frame_flow *u)
{
    struct scan f; /* large: set where it is used */
    struct state s;
    unsigned stop;
    bool found;

    f.c = c;
    f.names = names;
    f.known = f.last = 0;
    f.full = false;
    known_stop_begin(c, &f.stop, pc);
    if (!frame_flow_function(c, names, pc, f.from, f.end))
        return false;
    f.count = (f.end[0] - f.from[0]) / 4 + (f.end[1] - f.from[1]) / 4;
    stop = index_of(&f, pc);
    if (f.count > SCAN)
        f.count = SCAN;
    if (stop >= f.count)
        return false;
    memset(f.before, 0xFF, f.count * sizeof *f.before);
    memset(f.marks, 0, f.count);
    begin(&f, &s);
    reach(&f, 0, &s, false);
    while (pass(&f, stop, sp))
        continue;
    if (!f.full && (f.before[stop] == NOWHERE || !agrees(&f, stop, sp))) {
        for (unsigned k = 0; k < GUESSES; k++) {
            guess(&f);
            while (pass(&f, stop, sp))
                continue;
        }
    }
    found = !f.full && f.before[stop] != NOWHERE;
    if (found)
        conclude(&f.state[f.before[stop]], u);
    known_stop_keep(names, &f.stop, found, u);
    return found;
}

bool frame_flow_at(const struct core *c, const struct names *names, ea_t pc,
                   ea_t sp, struct frame_flow *u)
{
    bool found;

    pc = markers_home(&names->markers, pc);
    if (known_stop_find(c, names, pc, sp, &found, u))
        return found;
    return follow(c, names, pc, sp, u);
}

bool frame_flow_saves(const struct core *c, const struct names *names, ea_t pc)
{
    ea_t from[2], end[2];
    uint32_t w;

    return frame_flow_function(c, names, pc, from, end) &&
           frame_flow_word(c, from[0], TLB_FETCH, &w) && saves_register(w);
}
