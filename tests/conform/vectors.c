/* vectors.c - other people's floating-point vectors against the processor's
 * instructions. Reads what testfloat_gen writes: operands, result and flags
 * in hexadecimal, a case a line, each list after a line "= OPERATION MODE"
 * (MODE: the RN field). OPERATION is its name for it; f64_to_i32_z is
 * f64_to_i32 towards zero whatever the mode. Carries each case out with every
 * instruction that can do it and compares result, FPSCR exceptions, FI, FPRF
 * and CR. NaN results need only be quiet NaNs: the lists are made for a
 * processor that picks another. Ends with the number of cases, or with the
 * first differences.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 }; /* flags of the lists */

#define XX 0x02000000u
#define UX 0x08000000u
#define OX 0x10000000u
#define ZX 0x04000000u
#define VX 0x20000000u
#define FI 0x00020000u
#define FPRF(fpscr) ((fpscr) >> 12 & 0x1F)

struct result {
    uint64_t bits;
    uint32_t fpscr;
    uint32_t cr; /* field 1 after a dotted form, field 0 of a compare */
};

static unsigned mode;
static long cases, instructions, wrong;
static char line[256];

static double real(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, 8);
    return d;
}

static uint64_t bits_of(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, 8);
    return bits;
}

/* A single as lfs brings it into a register, and as stfs takes it out. */
static double load(uint32_t bits)
{
    double d;

    __asm__ volatile("lfs%X1 %0,%1" : "=f"(d) : "m"(bits));
    return d;
}

static uint32_t store(uint64_t bits)
{
    uint32_t word;
    double d = real(bits);

    __asm__ volatile("stfs%X0 %1,%0" : "=m"(word) : "f"(d));
    return word;
}

/* One instruction between a fresh FPSCR and what it leaves there. */
#define RUN(text, a, b, c)                                                     \
    do {                                                                       \
        double start_ = real(mode), d_ = 0, f_;                                \
        uint32_t cr_;                                                          \
        __asm__ volatile("mtfsf 255,%3\n\t" text "\n\t"                        \
                         "mffs %1\n\tmfcr %2"                                  \
                         : "+&f"(d_), "=&f"(f_), "=&r"(cr_)                    \
                         : "f"(start_), "f"(a), "f"(b), "f"(c)                 \
                         : "cr0", "cr1");                                      \
        r->bits = bits_of(d_);                                                 \
        r->fpscr = (uint32_t)bits_of(f_);                                      \
        r->cr = cr_;                                                           \
    } while (0)

#define ROW(name, text)                                                        \
    static void do_##name(struct result *r, double a, double b, double c)      \
    {                                                                          \
        RUN(text, a, b, c);                                                    \
    }
ROW(fadd, "fadd. %0,%4,%5")
ROW(fsub, "fsub. %0,%4,%5")
ROW(fmul, "fmul. %0,%4,%5")
ROW(fdiv, "fdiv. %0,%4,%5")
ROW(fadds, "fadds. %0,%4,%5")
ROW(fsubs, "fsubs. %0,%4,%5")
ROW(fmuls, "fmuls. %0,%4,%5")
ROW(fdivs, "fdivs. %0,%4,%5")
ROW(fmadd, "fmadd. %0,%4,%5,%6")
ROW(fmsub, "fmsub. %0,%4,%5,%6")
ROW(fnmadd, "fnmadd. %0,%4,%5,%6")
ROW(fnmsub, "fnmsub. %0,%4,%5,%6")
ROW(fmadds, "fmadds. %0,%4,%5,%6")
ROW(fmsubs, "fmsubs. %0,%4,%5,%6")
ROW(fnmadds, "fnmadds. %0,%4,%5,%6")
ROW(fnmsubs, "fnmsubs. %0,%4,%5,%6")
ROW(frsp, "frsp. %0,%4")
ROW(fctiw, "fctiw. %0,%4")
ROW(fctiwz, "fctiwz. %0,%4")
ROW(fcmpu, "fcmpu 0,%4,%5")
ROW(fcmpo, "fcmpo 0,%4,%5")

/* How the instruction's operands and result relate to the list's. */
enum kind {
    PLAIN,
    LESS,      /* the last operand negated: a * b - (-c) */
    MINUS,     /* the result negated, unless it is a NaN */
    LESS_MINUS /* both */
};
enum shape { REAL, WORD, EQUAL, LESS_THAN, LESS_OR_EQUAL };

struct row {
    const char *list, *name;
    void (*run)(struct result *r, double a, double b, double c);
    enum kind kind;
    enum shape shape;
    uint8_t operands, in, out; /* digits of an operand and of the result */
};

#define ARITH(list, name, kind, operands, digits)                              \
    {                                                                          \
        list, #name, do_##name, kind, REAL, operands, digits, digits           \
    }
#define BOTH(op, name, operands)                                               \
    ARITH("f64_" op, name, PLAIN, operands, 16),                               \
        ARITH("f32_" op, name##s, PLAIN, operands, 8)
#define COMPARE(list, name, shape)                                             \
    {"f64_" list, #name, do_##name, PLAIN, shape, 2, 16, 1},                   \
    {                                                                          \
        "f32_" list, #name, do_##name, PLAIN, shape, 2, 8, 1                   \
    }

static const struct row rows[] = {
    BOTH("add", fadd, 2),
    BOTH("sub", fsub, 2),
    BOTH("mul", fmul, 2),
    BOTH("div", fdiv, 2),
    ARITH("f64_mulAdd", fmadd, PLAIN, 3, 16),
    ARITH("f64_mulAdd", fmsub, LESS, 3, 16),
    ARITH("f64_mulAdd", fnmadd, MINUS, 3, 16),
    ARITH("f64_mulAdd", fnmsub, LESS_MINUS, 3, 16),
    ARITH("f32_mulAdd", fmadds, PLAIN, 3, 8),
    ARITH("f32_mulAdd", fmsubs, LESS, 3, 8),
    ARITH("f32_mulAdd", fnmadds, MINUS, 3, 8),
    ARITH("f32_mulAdd", fnmsubs, LESS_MINUS, 3, 8),
    {"f64_to_f32", "frsp", do_frsp, PLAIN, REAL, 1, 16, 8},
    {"f64_to_i32", "fctiw", do_fctiw, PLAIN, WORD, 1, 16, 8},
    {"f32_to_i32", "fctiw", do_fctiw, PLAIN, WORD, 1, 8, 8},
    {"f64_to_i32_z", "fctiwz", do_fctiwz, PLAIN, WORD, 1, 16, 8},
    {"f32_to_i32_z", "fctiwz", do_fctiwz, PLAIN, WORD, 1, 8, 8},
    COMPARE("eq", fcmpu, EQUAL),
    COMPARE("lt", fcmpo, LESS_THAN),
    COMPARE("le", fcmpo, LESS_OR_EQUAL),
    COMPARE("lt_quiet", fcmpu, LESS_THAN),
    COMPARE("le_quiet", fcmpu, LESS_OR_EQUAL),
};

#define ROWS (sizeof rows / sizeof rows[0])

/* Five bits that say what a number is: architecture book, FPRF. */
static uint32_t class_of(uint64_t bits, unsigned digits)
{
    unsigned exponent_bits = digits == 16 ? 11 : 8;
    unsigned fraction_bits = digits == 16 ? 52 : 23;
    uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
    uint64_t exponent = bits >> fraction_bits & top;
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    int minus = bits >> (exponent_bits + fraction_bits) & 1;

    if (exponent == top)
        return fraction ? 0x11 : minus ? 0x09 : 0x05;
    if (exponent)
        return minus ? 0x08 : 0x04;
    if (fraction)
        return minus ? 0x18 : 0x14;
    return minus ? 0x12 : 0x02;
}

static int is_nan(uint64_t bits, unsigned digits)
{
    return class_of(bits, digits) == 0x11;
}

static void complain(const struct row *w, const char *what, uint64_t got,
                     uint64_t want)
{
    if (wrong++ < 20)
        printf("%s, rounding %u: %.*s %s is %llx, should be %llx\n", w->name,
               mode, (int)strcspn(line, "\n"), line, what,
               (unsigned long long)got, (unsigned long long)want);
}

static uint32_t exceptions(unsigned flags)
{
    return (flags & NX ? XX : 0) | (flags & UF ? UX : 0) |
           (flags & OF ? OX : 0) | (flags & DZ ? ZX : 0) |
           (flags & NV ? VX : 0);
}

static void check_real(const struct row *w, const struct result *r,
                       uint64_t want, unsigned flags)
{
    uint64_t sign = UINT64_C(1) << (w->out * 4 - 1);
    uint64_t got = w->out == 16 ? r->bits : store(r->bits);

    if (w->kind >= MINUS && !is_nan(want, w->out))
        want ^= sign;
    if (is_nan(want, w->out) && is_nan(got, w->out) && got & sign >> 12 &&
        w->out == 16)
        want = got; /* the quiet bit is the first of the fraction */
    if (is_nan(want, w->out) && is_nan(got, w->out) && got & sign >> 9 &&
        w->out == 8)
        want = got;
    if (got != want)
        complain(w, "result", got, want);
    if (FPRF(r->fpscr) != class_of(want, w->out))
        complain(w, "FPRF", FPRF(r->fpscr), class_of(want, w->out));
    if (!(r->fpscr & FI) != !(flags & NX))
        complain(w, "FI", !!(r->fpscr & FI), !!(flags & NX));
}

static void check(const struct row *w, const struct result *r, uint64_t first,
                  uint64_t want, unsigned flags)
{
    static const uint32_t mask = XX | UX | OX | ZX | VX;
    uint32_t cr0 = r->cr >> 28, got;

    if ((r->fpscr & mask) != exceptions(flags))
        complain(w, "FPSCR", r->fpscr & mask, exceptions(flags));
    switch (w->shape) {
    case REAL:
        check_real(w, r, want, flags);
        break;
    case WORD: /* too large is the largest; the lists have the smallest */
        if (flags & NV)
            want = is_nan(first, w->in) || first >> (w->in * 4 - 1) & 1
                       ? 0x80000000
                       : 0x7FFFFFFF;
        if ((uint32_t)r->bits != want)
            complain(w, "word", (uint32_t)r->bits, want);
        break;
    default:
        got = w->shape == EQUAL       ? cr0 == 2
              : w->shape == LESS_THAN ? cr0 == 8
                                      : cr0 == 8 || cr0 == 2;
        if (got != want)
            complain(w, "answer", got, want);
        if (FPRF(r->fpscr) != cr0)
            complain(w, "FPCC", FPRF(r->fpscr), cr0);
        return;
    }
    if ((r->cr >> 24 & 15) != r->fpscr >> 28)
        complain(w, "CR1", r->cr >> 24 & 15, r->fpscr >> 28);
}

static void one_case(const char *list)
{
    uint64_t v[5];
    char *at = line;
    const struct row *w;
    struct result r;

    for (unsigned i = 0; i < 5; i++)
        v[i] = strtoull(at, &at, 16);
    for (w = rows; w < rows + ROWS; w++) {
        double x[3] = {0, 0, 0};

        if (strcmp(w->list, list) != 0)
            continue;
        for (unsigned i = 0; i < w->operands; i++)
            x[i] = w->in == 16 ? real(v[i]) : load((uint32_t)v[i]);
        if (w->kind == LESS || w->kind == LESS_MINUS)
            x[2] = real(bits_of(x[2]) ^ UINT64_C(1) << 63);
        w->run(&r, x[0], x[1], x[2]);
        check(w, &r, v[0], v[w->operands], (unsigned)v[w->operands + 1]);
        instructions++;
    }
    cases++;
}

int main(void)
{
    char list[64] = "";

    while (fgets(line, sizeof line, stdin))
        if (line[0] == '=') {
            if (sscanf(line, "= %63s %u", list, &mode) != 2)
                return 2;
        } else {
            one_case(list);
        }
    printf("%ld cases, %ld instructions, %ld differences\n", cases,
           instructions, wrong);
    return wrong || cases == 0 || instructions < cases;
}
