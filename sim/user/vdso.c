/* vdso.c - the page of code that Linux lends every program: where signal
 * handlers return to. It is a shared object in memory without any symbol;
 * what it has is a description of the frames that handlers run on, in the
 * DWARF format, by which a C library unwinds the stack through them
 * (pthread_cancel, exceptions, backtraces). Layout: the generic ELF
 * specification; registers: the PowerPC ABI's DWARF numbers.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <assert.h>
#include <string.h>

/* Offsets in the page. */
#define HEADERS 0x34u
#define DYNAMIC 0xA0u
#define HASH 0xE0u
#define SYMBOLS 0xF0u
#define STRINGS 0x100u
#define CODE 0x120u
#define CODE_END 0x140u
#define FRAMES 0x160u /* the index lies before it */

#define SONAME "linux-vdso32.so.1"

/* DWARF numbers of what is not a register 0 to 63. */
#define REG_LR 65
#define REG_PC 67 /* stands for the interrupted instruction */
#define REG_CR 70

struct writer {
    uint8_t *page;
    uint32_t at;
};

static void put_byte(struct writer *w, unsigned v)
{
    assert(w->at < ABI_PAGE);
    w->page[w->at++] = (uint8_t)v;
}

static void put_word(struct writer *w, uint32_t v)
{
    assert(w->at + 4 <= ABI_PAGE);
    be_put32(w->page + w->at, v);
    w->at += 4;
}

static unsigned uleb(uint8_t out[2], uint32_t v)
{
    assert(v < 1u << 14);
    out[0] = (uint8_t)(v & 0x7F) | (v > 0x7F ? 0x80 : 0);
    out[1] = (uint8_t)(v >> 7);
    return v > 0x7F ? 2 : 1;
}

/* The address of a field of the registers, to which the word at r1 + regs
 * points, or with `value` what stands there, behind its length. */
static void put_expression(struct writer *w, uint32_t regs, uint32_t field,
                           bool value)
{
    uint8_t code[16];
    unsigned n = 0;

    code[n++] = 0x71;                            /* breg1 */
    code[n++] = (uint8_t)((regs & 0x7F) | 0x80); /* signed, two bytes */
    code[n++] = (uint8_t)(regs >> 7);
    code[n++] = 0x06; /* deref */
    code[n++] = 0x23; /* plus_uconst */
    n += uleb(code + n, field);
    if (value)
        code[n++] = 0x06;
    put_byte(w, n);
    for (unsigned i = 0; i < n; i++)
        put_byte(w, code[i]);
}

static void put_saved(struct writer *w, unsigned reg, uint32_t regs,
                      uint32_t field)
{
    put_byte(w, 0x10); /* expression */
    put_byte(w, reg);
    put_expression(w, regs, field, false);
}

static void pad(struct writer *w, uint32_t from)
{
    while (w->at % 4)
        put_byte(w, 0);
    be_put32(w->page + from, w->at - from - 4);
}

/* What all frames have in common. */
static void put_cie(struct writer *w)
{
    uint32_t from = w->at;

    put_word(w, 0); /* length, later */
    put_word(w, 0);
    put_byte(w, 1);
    for (const char *c = "zRS"; *c; c++) /* S: a signal's */
        put_byte(w, (unsigned char)*c);
    put_byte(w, 0);
    put_byte(w, 4);    /* code alignment */
    put_byte(w, 0x7C); /* data alignment -4 */
    put_byte(w, REG_PC);
    put_byte(w, 1);
    put_byte(w, 0x1B); /* addresses are relative and of 4 bytes */
    pad(w, from);
}

/* The frame of the code at `code`: r1 + regs points to the registers. */
static void put_fde(struct writer *w, uint32_t cie, uint32_t code,
                    uint32_t length, uint32_t regs)
{
    uint32_t from = w->at;

    put_word(w, 0);
    put_word(w, w->at - cie);
    put_word(w, code - w->at);
    put_word(w, length);
    put_byte(w, 0);
    put_byte(w, 0x0F); /* the caller's r1 */
    put_expression(w, regs, 4 * 1, true);
    for (unsigned n = 0; n < 32; n++)
        put_saved(w, n, regs, 4 * n);
    for (unsigned n = 0; n < 32; n++)
        put_saved(w, 32 + n, regs, MCONTEXT_FREGS + 8 * n);
    put_saved(w, REG_PC, regs, 4 * GREG_NIP);
    put_saved(w, REG_LR, regs, 4 * GREG_LR);
    put_saved(w, REG_CR, regs, 4 * GREG_CCR);
    pad(w, from);
}

/* Frames, and in front of them their index by address. */
static void put_frames(uint8_t *page)
{
    /* where frame.c leaves the pointer, above the handler's r1 */
    static const uint32_t regs[2] = {
        FRAME_CALLER + 28, FRAME_CALLER + 16 + ABI_SIGINFO + UCONTEXT_REGS};
    /* an unwinder may look at the instruction before */
    static const uint32_t code[2] = {VDSO_SIGRETURN - 4, VDSO_RT_SIGRETURN - 4};
    struct writer w = {page, FRAMES}, index = {page, CODE_END};

    put_byte(&index, 1);
    put_byte(&index, 0x1B); /* relative to here, 4 bytes */
    put_byte(&index, 0x03); /* a count, 4 bytes */
    put_byte(&index, 0x3B); /* relative to the index, 4 bytes */
    put_word(&index, FRAMES - index.at);
    put_word(&index, 2);
    put_cie(&w);
    for (unsigned n = 0; n < 2; n++) {
        put_word(&index, code[n] - CODE_END);
        put_word(&index, w.at - CODE_END);
        put_fde(&w, FRAMES, code[n], 12, regs[n]);
    }
    put_word(&w, 0);
}

static void put_code(uint8_t *page)
{
    static const uint32_t nop = 0x60000000, sc = 0x44000002, li_r0 = 0x38000000;

    be_put32(page + VDSO_SIGRETURN - 4, nop);
    be_put32(page + VDSO_SIGRETURN, li_r0 | 119);
    be_put32(page + VDSO_SIGRETURN + 4, sc);
    be_put32(page + VDSO_RT_SIGRETURN - 4, nop);
    be_put32(page + VDSO_RT_SIGRETURN, li_r0 | 172);
    be_put32(page + VDSO_RT_SIGRETURN + 4, sc);
}

static void put_header(struct writer *w, uint32_t type, uint32_t at,
                       uint32_t size, uint32_t flags)
{
    put_word(w, type);
    put_word(w, at);
    put_word(w, VDSO_BASE + at);
    put_word(w, VDSO_BASE + at);
    put_word(w, size);
    put_word(w, size);
    put_word(w, flags);
    put_word(w, 4);
}

static void put_pair(struct writer *w, uint32_t tag, uint32_t value)
{
    put_word(w, tag);
    put_word(w, value);
}

static void put_object(uint8_t *page)
{
    static const uint8_t ident[] = {0x7F, 'E', 'L', 'F', 1, 2, 1};
    struct writer w = {page, HEADERS};

    memcpy(page, ident, sizeof ident);
    be_put16(page + 16, 3);  /* a shared object */
    be_put16(page + 18, 20); /* PowerPC */
    be_put32(page + 20, 1);
    be_put32(page + 28, HEADERS);
    be_put16(page + 40, HEADERS);
    be_put16(page + 42, 32);
    be_put16(page + 44, 3);
    put_header(&w, 1, 0, ABI_PAGE, 5);
    put_header(&w, 2, DYNAMIC, 7 * 8, 4);
    put_header(&w, 0x6474E550, CODE_END, FRAMES - CODE_END, 4);
    w.at = DYNAMIC;
    put_pair(&w, 4, VDSO_BASE + HASH);
    put_pair(&w, 5, VDSO_BASE + STRINGS);
    put_pair(&w, 6, VDSO_BASE + SYMBOLS);
    put_pair(&w, 10, 1 + sizeof SONAME);
    put_pair(&w, 11, 16);
    put_pair(&w, 14, 1); /* its name */
    be_put32(page + HASH, 1);
    be_put32(page + HASH + 4, 1);
    memcpy(page + STRINGS + 1, SONAME, sizeof SONAME);
}

bool vdso_map(struct user *u)
{
    uint8_t page[ABI_PAGE] = {0};

    put_object(page);
    put_code(page);
    put_frames(page);
    return space_map(&u->space, VDSO_BASE, ABI_PAGE, SPACE_READ | SPACE_EXEC,
                     false, -1, 0) == 0 &&
           space_poke(&u->space, VDSO_BASE, page, sizeof page);
}
