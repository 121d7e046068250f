/* stencil.c - see stencil.h: reads the object file that stencils.c was compiled
 * to, which is part of this program as data.
 */
#include "sim/core/fast/stencil.h"

#include <stdlib.h>
#include <string.h>

#include "isa/exec/body.h"
#include "sim/mem/pages.h"

/* ---- which one a record has ------------------------------------------------
 */

#define ANY 0xFF
#define NONZERO 0xFE

static const struct shape {
    enum stencil_id id;
    enum stencil_kind kind;
    uint16_t op, flags;
    uint8_t a, d, sh;
} shapes[] = {
#define STENCIL(id, kind, op, body, flags, a, d, sh)                           \
    {STENCIL_ID_##id, STENCIL_##kind, OP_##op, flags, a, d, sh},
#include "sim/core/fast/stencils.def"
#undef STENCIL
};

/* The number of the last row of each opcode: the others are in front of it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const uint16_t last_shape[OP_COUNT] = {
#define STENCIL(id, kind, op, body, flags, a, d, sh)                           \
    [OP_##op] = STENCIL_ID_##id - STENCIL_MODES,
#include "sim/core/fast/stencils.def"
#undef STENCIL
};
#pragma GCC diagnostic pop

static bool fits(const struct shape *s, const struct insn *i)
{
    unsigned flags = INSN_RC | INSN_SETS_SO | INSN_LINK;
    bool spr = i->op == OP_MFSPR || i->op == OP_MTSPR;

    return s->op == i->op && !((s->flags ^ i->flags) & flags) &&
           (s->a == ANY || (s->a == NONZERO ? i->a != 0 : s->a == i->a)) &&
           (s->d == ANY || s->d == i->d) &&
           (s->sh == ANY || s->sh == (spr ? i->spr : i->sh));
}

/* May stencil_call run it: no memory, no flow, no time, no other processor? */
static bool callable(const struct insn *i, bool *fp)
{
    *fp = false;
    switch (i->class) {
    case CLASS_MFSPR:
        return i->op == OP_MFSPR && i->spr == 1; /* XER */
    case CLASS_MTXER:
    case CLASS_MTLRCTR:
    case CLASS_MFLRCTR:
    case CLASS_MTCRF1:
    case CLASS_MTCRF:
    case CLASS_MFCR:
    case CLASS_CRLOGIC:
    case CLASS_CARRY:
    case CLASS_MUL:
    case CLASS_DIV:
    case CLASS_SYNC:
    case CLASS_EIEIO:
        return true;
    case CLASS_SIMPLE:
        return i->op != OP_TW && i->op != OP_TWI;
    case CLASS_FPADD:
    case CLASS_FDIVS:
    case CLASS_FDIV:
    case CLASS_FPCMP:
    case CLASS_FPSCR:
        return *fp = true;
    default:
        return false;
    }
}

/* Has this host a fused multiply-add? */
static bool fused(void)
{
#if STENCILS_HOST
    return __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* The first row that fits i; NULL: none. */
static const struct shape *shape_of(const struct insn *i)
{
    const struct shape *last = &shapes[last_shape[i->op]], *s = last;

    while (s > shapes && s[-1].op == last->op)
        s--;
    for (; s <= last; s++)
        if (fits(s, i) && (s->kind != STENCIL_HOST || fused()))
            return s;
    return NULL;
}

enum stencil_id stencil_of(const struct insn *i, enum stencil_kind *kind)
{
    unsigned unfit = INSN_OBSERVES | INSN_CONTEXT | INSN_SUPERVISOR | INSN_PIF;
    const struct shape *s;
    bool fp;

    *kind = STENCIL_NONE;
    if (!i->exec || i->flags & unfit)
        return STENCIL_COUNT;
    s = shape_of(i);
    if (s) {
        *kind = s->kind;
        return s->id;
    }
    if (!callable(i, &fp))
        return STENCIL_COUNT;
    *kind = STENCIL_TRY;
    return fp ? STENCIL_ID_call_fp : STENCIL_ID_call;
}

/* ---- copied --------------------------------------------------------------- */

bool stencil_operand(const struct insn *i, enum hole hole, uint64_t *v)
{
    switch (hole) {
    case HOLE_gpr_a:
        return *v = offsetof(struct cpu, gpr) + 4u * i->a, true;
    case HOLE_gpr_b:
        return *v = offsetof(struct cpu, gpr) + 4u * i->b, true;
    case HOLE_gpr_d:
        return *v = offsetof(struct cpu, gpr) + 4u * i->d, true;
    case HOLE_fpr_a:
        return *v = offsetof(struct cpu, fpr) + 8u * i->a, true;
    case HOLE_fpr_b:
        return *v = offsetof(struct cpu, fpr) + 8u * i->b, true;
    case HOLE_fpr_c:
        return *v = offsetof(struct cpu, fpr) + 8u * i->c, true;
    case HOLE_fpr_d:
        return *v = offsetof(struct cpu, fpr) + 8u * i->d, true;
    case HOLE_imm:
        return *v = (uint32_t)i->imm, true;
    case HOLE_bit_a:
        return *v = 0x80000000u >> i->a, true;
    case HOLE_bit_b:
        return *v = 0x80000000u >> i->b, true;
    case HOLE_bit_d:
        return *v = 0x80000000u >> i->d, true;
    case HOLE_shift:
        return *v = i->sh, true;
    case HOLE_mask:
        return *v = rotate_mask(i->mb, i->me), true;
    case HOLE_record:
        return *v = (uintptr_t)i, true;
    default:
        return false;
    }
}

void stencil_aim(uint8_t *at, const uint8_t *to)
{
    int32_t distance = (int32_t)(to - (at + 4));

    memcpy(at, &distance, 4);
}

uint8_t *stencil_put(uint8_t *to, const struct stencil *s, enum hole falls,
                     const struct stencil_copy *how)
{
    uint8_t *end = to + s->size;

    for (uint32_t n = 0; n < s->patches; n++)
        if (s->patch[n].hole == falls && s->patch[n].at + 4u == s->size &&
            s->code[s->size - 5] == 0xE9)
            end = to + s->size - 5;
    memcpy(to, s->code, s->size);
    for (uint32_t n = 0; n < s->patches; n++) {
        const struct patch *p = &s->patch[n];

        if (to + p->at >= end)
            continue;
        if (p->relative) {
            how->flow(how->of, to + p->at, p->hole, end);
        } else {
            uint64_t v =
                how->value(how->of, p->hole) + (uint64_t)(int64_t)p->addend;

            memcpy(to + p->at, &v, p->size);
        }
    }
    return end;
}

#if STENCILS_HOST
/* On large pages: what runs is spread over more small ones than the host's TLB
 * holds. */
uint8_t *stencil_memory(size_t size)
{
    return pages_map_code(size);
}

void stencil_memory_free(uint8_t *p, size_t size)
{
    pages_unmap(p, size);
}
#else
uint8_t *stencil_memory(size_t size)
{
    (void)size;
    return NULL;
}

void stencil_memory_free(uint8_t *p, size_t size)
{
    (void)p, (void)size;
}

struct left stencil_enter(STENCIL_ARGS, const uint8_t *code)
{
    (void)c, (void)j, (void)k, (void)last, (void)code;
    return (struct left){n, 0};
}
#endif

#if STENCILS_HOST
__asm__(".pushsection .text\n"
        ".globl stencil_kept\n"
        ".type stencil_kept, @function\n"
        "stencil_kept: push %rbp\n"
        "mov %rsp, %rbp\n"
        "push %rdi; push %rsi; push %r8\n"
        "push %rax; push %rdx; push %rcx\n"
        "push %r9; push %r10; push %r11\n"
        "and $-16, %rsp\n"
        "mov %r9, %rsi\n"
        "mov %r10, %r8\n"
        "call *%rax\n"
        "lea -72(%rbp), %rsp\n"
        "pop %r11; pop %r10; pop %r9\n"
        "pop %rcx; pop %rdx; pop %rax\n"
        "pop %r8; pop %rsi; pop %rdi\n"
        "pop %rbp\n"
        "ret\n"
        ".size stencil_kept, . - stencil_kept\n"
        ".globl stencil_far\n"
        ".type stencil_far, @function\n"
        "stencil_far: push %rbp\n"
        "mov %rsp, %rbp\n"
        "push %rdi; push %rsi; push %r8\n"
        "and $-16, %rsp\n"
        "mov %r9, %rsi\n"
        "mov %r10, %r8\n"
        "call *%rax\n"
        "lea -24(%rbp), %rsp\n"
        "pop %r8; pop %rsi; pop %rdi\n"
        "pop %rbp\n"
        "ret\n"
        ".size stencil_far, . - stencil_far\n"
        ".globl stencil_enter\n"
        ".type stencil_enter, @function\n"
        "stencil_enter: push %rbx\n"
        "push %r12; push %r13; push %r14; push %r15\n"
        "call *%r9\n"
        "pop %r15; pop %r14; pop %r13; pop %r12\n"
        "pop %rbx\n"
        "ret\n"
        ".size stencil_enter, . - stencil_enter\n"
        ".popsection\n");
#endif

/* Built in another way than by the Makefile there is no object file. */
#if STENCILS_HOST && defined STENCILS_OBJECT

#include <elf.h>

/* ---- the object file ------------------------------------------------------
 */

__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "stencils_object: .incbin \"" STENCILS_OBJECT "\"\n"
        "stencils_object_end: .byte 0\n"
        ".balign 16\n"
        "stencils_warm: .incbin \"" STENCILS_WARM "\"\n"
        "stencils_warm_end: .byte 0\n"
        ".balign 16\n"
        "stencils_memo: .incbin \"" STENCILS_MEMO "\"\n"
        "stencils_memo_end: .byte 0\n"
        ".popsection\n");
extern const uint8_t stencils_object[], stencils_object_end[];
extern const uint8_t stencils_warm[], stencils_warm_end[];
extern const uint8_t stencils_memo[], stencils_memo_end[];

static const struct {
    const uint8_t *bytes, *end;
} objects[] = {
    [STENCILS_OF_FAST] = {stencils_object, stencils_object_end},
    [STENCILS_OF_WARM] = {stencils_warm, stencils_warm_end},
    [STENCILS_OF_MEMO] = {stencils_memo, stencils_memo_end},
};

static const char *const names[STENCIL_COUNT] = {
    [STENCIL_ID_call] = "stencil_call",
    [STENCIL_ID_call_fp] = "stencil_call_fp",
    [STENCIL_ID_jump] = "stencil_jump",
    [STENCIL_ID_page] = "stencil_page",
    [STENCIL_ID_line] = "stencil_line",
    [STENCIL_ID_taken] = "stencil_taken",
    [STENCIL_ID_taken_if] = "stencil_taken_if",
    [STENCIL_ID_jumped] = "stencil_jumped",
    [STENCIL_ID_jumped_if] = "stencil_jumped_if",
    [STENCIL_ID_passed] = "stencil_passed",
    [STENCIL_ID_told_line] = "stencil_told_line",
    [STENCIL_ID_told_turn] = "stencil_told_turn",
    [STENCIL_ID_told_early] = "stencil_told_early",
    [STENCIL_ID_told_late] = "stencil_told_late",
    [STENCIL_ID_told_taken] = "stencil_told_taken",
    [STENCIL_ID_told_taken_if] = "stencil_told_taken_if",
    [STENCIL_ID_told_passed] = "stencil_told_passed",
    [STENCIL_ID_told_loops] = "stencil_told_loops",
    [STENCIL_ID_told_loops_if] = "stencil_told_loops_if",
    [STENCIL_ID_told_passes] = "stencil_told_passes",
    [STENCIL_ID_told_arrives] = "stencil_told_arrives",
    [STENCIL_ID_told_walks] = "stencil_told_walks",
#define X(name) [STENCIL_ID_##name] = "stencil_" #name,
    STENCIL_ROUTINES(X)
#undef X
#define STENCIL(id, kind, op, body, flags, a, d, sh)                           \
    [STENCIL_ID_##id] = "stencil_" #id,
#include "sim/core/fast/stencils.def"
#undef STENCIL
};

static const char *const holes[HOLE_count] = {
#define X(name) [HOLE_##name] = "hole_" #name,
    STENCIL_HOLES(X)
#undef X
        [HOLE_next] = "hole_next",
    [HOLE_exit] = "hole_exit", [HOLE_taken] = "hole_taken",
#define X(name) [HOLE_##name] = "hole_" #name,
    STENCIL_ROUTINES(X)
#undef X
};

struct object {
    const uint8_t *bytes, *end;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *section;
    const Elf64_Sym *symbol;
    size_t symbols;
    const char *text; /* of the symbols' names */
};

static const void *at(const struct object *o, uint64_t offset)
{
    return o->bytes + offset;
}

static bool open_object(struct object *o, enum stencils of)
{
    o->bytes = objects[of].bytes;
    o->end = objects[of].end;
    o->head = at(o, 0);
    if (o->end - o->bytes < (int)sizeof *o->head ||
        memcmp(o->head->e_ident, ELFMAG, SELFMAG) != 0 ||
        o->head->e_machine != EM_X86_64 || o->head->e_type != ET_REL)
        return false;
    o->section = at(o, o->head->e_shoff);
    for (unsigned n = 0; n < o->head->e_shnum; n++)
        if (o->section[n].sh_type == SHT_SYMTAB) {
            o->symbol = at(o, o->section[n].sh_offset);
            o->symbols = o->section[n].sh_size / sizeof *o->symbol;
            o->text = at(o, o->section[o->section[n].sh_link].sh_offset);
            return true;
        }
    return false;
}

/* Which of n names that is, n: none; looked for from *from on, since they come
 * in order. */
static unsigned place(const char *const *list, unsigned n, const char *name,
                      unsigned *from)
{
    for (unsigned k = 0; k < n; k++) {
        unsigned at_k = (*from + k) % n;

        if (list[at_k] && strcmp(list[at_k], name) == 0)
            return *from = at_k;
    }
    return n;
}

/* False: a relocation that a copy cannot have. */
static bool read_patch(const struct object *o, const Elf64_Rela *r,
                       struct patch *p)
{
    const Elf64_Sym *s = &o->symbol[ELF64_R_SYM(r->r_info)];
    unsigned from = 0;

    p->hole = (uint8_t)place(holes, HOLE_count, o->text + s->st_name, &from);
    p->at = (uint16_t)r->r_offset;
    p->addend = (int32_t)r->r_addend;
    p->size = 4;
    p->relative = false;
    switch (ELF64_R_TYPE(r->r_info)) {
    case R_X86_64_64:
        p->size = 8;
        return p->hole < HOLE_data;
    case R_X86_64_32:
    case R_X86_64_32S:
        return p->hole < HOLE_data;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        p->relative = true;
        return p->hole >= HOLE_data && p->hole < HOLE_count;
    default:
        return false;
    }
}

/* The relocations of a section that has one stencil. */
static bool read_patches(const struct object *o, unsigned section,
                         struct stencil *s)
{
    for (unsigned n = 0; n < o->head->e_shnum; n++) {
        const Elf64_Shdr *h = &o->section[n];
        const Elf64_Rela *r = at(o, h->sh_offset);

        if (h->sh_type != SHT_RELA || h->sh_info != section)
            continue;
        for (size_t k = 0; k < h->sh_size / sizeof *r; k++)
            if (s->patches == sizeof s->patch / sizeof *s->patch ||
                !read_patch(o, &r[k], &s->patch[s->patches++]))
                return false;
    }
    return true;
}

/* Is stencil id not among those? */
static bool is_other(unsigned id, enum stencils of)
{
    return of != STENCILS_OF_MEMO && id >= STENCIL_TRACES && id < STENCIL_MODES;
}

static bool read_all(struct stencil *all, enum stencils of, const char **why)
{
    struct object o = {0};
    unsigned from = 0;

    *why = "the object file";
    if (!open_object(&o, of))
        return false;
    for (size_t n = 0; n < o.symbols; n++) {
        const Elf64_Sym *s = &o.symbol[n];
        unsigned id;

        if (s->st_shndx == SHN_UNDEF || s->st_shndx >= o.head->e_shnum ||
            strncmp(o.text + s->st_name, "stencil_", 8) != 0)
            continue;
        id = place(names, STENCIL_COUNT, o.text + s->st_name, &from);
        if (id == STENCIL_COUNT)
            continue;
        *why = names[id];
        all[id].code = at(&o, o.section[s->st_shndx].sh_offset + s->st_value);
        all[id].size = (uint32_t)s->st_size;
        if (s->st_value != 0 || !read_patches(&o, s->st_shndx, &all[id]))
            return false;
    }
    for (unsigned id = 0; id < STENCIL_COUNT; id++) {
        *why = names[id];
        if (!all[id].code && !is_other(id, of))
            return false;
    }
    *why = NULL;
    return true;
}

struct stencil *stencils_read(enum stencils of, const char **why)
{
    struct stencil *all = calloc(STENCIL_COUNT, sizeof *all);

    *why = NULL;
    if (all && read_all(all, of, why))
        return all;
    free(all);
    return NULL;
}

#else

struct stencil *stencils_read(enum stencils of, const char **why)
{
    (void)of;
    *why = NULL;
    return NULL;
}

#endif
