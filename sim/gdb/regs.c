/* regs.c - the registers of a processor as the debugger numbers them.
 *
 * 0 to 70 are gdb's own for a PowerPC: r0-r31, f0-f31, pc, msr, cr, lr, ctr,
 * xer, fpscr. Behind them come the segment registers and every row of spr.def
 * that can be read. Reading changes nothing, not even a counter's deadline.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "isa/table.h"
#include "sim/gdb/stub.h"

#define FIRST_FPR 32
#define FIRST_SR 71
#define FIRST_SPR 87
#define XER_KEPT 0xE000007Fu

#define WRITES_TIME 16 /* 284 writes what 268 reads */

/* Numbers by name: NUMBER_XER and so on. */
enum {
#define SPR(number, name, level, access, owner, field) NUMBER_##name = number,
#include "isa/spr.def"
#undef SPR
};

/* The registers with numbers and places that never change. */
static const struct {
    const char *name, *type;
    uint16_t offset;
} fixed[] = {
    {"pc", "code_ptr", offsetof(struct cpu, pc)},
    {"msr", "uint32", offsetof(struct cpu, msr)},
    {"cr", "uint32", offsetof(struct cpu, cr)},
    {"lr", "code_ptr", offsetof(struct cpu, lr)},
    {"ctr", "uint32", offsetof(struct cpu, ctr)},
    {"xer", "uint32", offsetof(struct cpu, xer)},
    {"fpscr", "uint32", offsetof(struct cpu, fpscr)},
};

/* spr.def in its order, less what has a number already and what cannot be
 * read. */
#define READS_RW 1
#define READS_RO 1
#define READS_WO 0
static const struct {
    uint16_t number;
    bool shown;
} sprs[] = {
#define SPR(number, name, level, access, owner, field)                         \
    {number, READS_##access && number != NUMBER_XER && number != NUMBER_LR &&  \
                 number != NUMBER_CTR},
#include "isa/spr.def"
#undef SPR
};

#define SPRS (sizeof sprs / sizeof *sprs)

/* The row of register n, counted from FIRST_SPR; NULL past the end. */
static const struct spr *spr_of(unsigned n)
{
    for (unsigned k = 0; k < SPRS; k++)
        if (sprs[k].shown && n-- == FIRST_SPR)
            return spr_find(sprs[k].number);
    return NULL;
}

unsigned regs_count(void)
{
    unsigned count = FIRST_SPR;

    for (unsigned k = 0; k < SPRS; k++)
        count += sprs[k].shown;
    return count;
}

unsigned regs_size(unsigned n)
{
    return n >= FIRST_FPR && n < REGS_PC ? 8 : 4;
}

/* ---- values -------------------------------------------------------------- */

/* The field of struct cpu that register n is, or NULL. */
static void *place(struct cpu *c, unsigned n)
{
    const struct spr *s;

    if (n < FIRST_FPR)
        return &c->gpr[n];
    if (n < REGS_PC)
        return &c->fpr[n - FIRST_FPR];
    if (n < FIRST_SR)
        return (char *)c + fixed[n - REGS_PC].offset;
    if (n < FIRST_SPR)
        return &c->sr[n - FIRST_SR];
    s = spr_of(n);
    return s && s->stored ? (char *)c + s->offset : NULL;
}

static uint32_t read_port(struct core *c, unsigned spr, cycle_t now)
{
    const struct spr *s = spr_find(spr);

    switch (spr) {
    case NUMBER_TBL:
        return (uint32_t)timebase_read(&c->tb, now);
    case NUMBER_TBU:
        return (uint32_t)(timebase_read(&c->tb, now) >> 32);
    case NUMBER_DEC:
        return timebase_dec(&c->tb, now);
    }
    if (s && s->pif && !pmu_has(spr))
        return pif_read(&c->pif, spr, now); /* which changes nothing */
    return pmu_peek(&c->pmu, spr, now);
}

/* A processor that sleeps has a clock that is behind. */
static cycle_t now_of(const struct gdb *g, const struct core *c)
{
    cycle_t now = gdb_now(g);

    return c->clock > now ? c->clock : now;
}

uint64_t regs_read(const struct gdb *g, unsigned cpu, unsigned n)
{
    struct core *c = &g->machine->core[cpu];
    const void *at = place(&c->cpu, n);
    const struct spr *s = spr_of(n);
    uint64_t wide;
    uint32_t word;

    if (!at)
        return s ? read_port(c, s->number, now_of(g, c)) : 0;
    if (regs_size(n) == 8) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&word, at, sizeof word);
    return word;
}

static void write_port(struct core *c, unsigned spr, uint32_t value,
                       cycle_t now)
{
    if (spr == NUMBER_TBL || spr == NUMBER_TBU)
        spr += WRITES_TIME;
    c->observed_cycle = now;
    c->port.spr_write(c, spr, value);
}

static bool write_spr(struct gdb *g, struct core *c, const struct spr *s,
                      uint32_t value)
{
    bool time = s->number == NUMBER_TBL || s->number == NUMBER_TBU;

    if ((!s->writes && !time) || !spr_there(&c->cpu, s))
        return false;
    if (s->asked)
        write_port(c, s->number, value, now_of(g, c));
    if (s->stored)
        memcpy((char *)&c->cpu + s->offset, &value, sizeof value);
    if (s->number == NUMBER_SDR1 ||
        (s->number >= NUMBER_IBAT0U && s->number <= NUMBER_DBAT3L))
        core_forget(c); /* translations are others now */
    return true;
}

bool regs_write(struct gdb *g, unsigned cpu, unsigned n, uint64_t value)
{
    struct core *c = &g->machine->core[cpu];
    void *at = place(&c->cpu, n);
    uint32_t word = (uint32_t)value;
    bool ok = true;

    if (regs_read(g, cpu, n) == value)
        return true;
    if (n == REGS_PC)
        core_jump(c, word & ~3u);
    else if (n == REGS_PC + 1)
        core_set_msr(c, word & ~MSR_POW);
    else if (n >= FIRST_SPR)
        ok = write_spr(g, c, spr_of(n), word);
    else if (regs_size(n) == 8)
        memcpy(at, &value, sizeof value);
    else if (n == REGS_PC + 5)
        c->cpu.xer = word & XER_KEPT;
    else
        memcpy(at, &word, sizeof word);
    if (n >= FIRST_SR && n < FIRST_SPR)
        core_forget(c);
    if (ok)
        gdb_note(g, cpu, "reg %s %llx", regs_name(n),
                 (unsigned long long)value);
    return ok;
}

/* ---- names --------------------------------------------------------------- */

const char *regs_name(unsigned n)
{
    static const char *const general[] = {
        "r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6",  "r7",
        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
        "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23",
        "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31"};
    static const char *const floating[] = {
        "f0",  "f1",  "f2",  "f3",  "f4",  "f5",  "f6",  "f7",
        "f8",  "f9",  "f10", "f11", "f12", "f13", "f14", "f15",
        "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23",
        "f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31"};
    static const char *const segment[] = {
        "sr0", "sr1", "sr2",  "sr3",  "sr4",  "sr5",  "sr6",  "sr7",
        "sr8", "sr9", "sr10", "sr11", "sr12", "sr13", "sr14", "sr15"};

    if (n < FIRST_FPR)
        return general[n];
    if (n < REGS_PC)
        return floating[n - FIRST_FPR];
    if (n < FIRST_SR)
        return fixed[n - REGS_PC].name;
    if (n < FIRST_SPR)
        return segment[n - FIRST_SR];
    return spr_of(n) ? spr_of(n)->name : NULL;
}

/* ---- the target description ---------------------------------------------- */

/* A text that is measured whole and kept as far as it fits. */
struct text {
    char *at;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t,
                                                      const char *format, ...)
{
    bool fits = t->used < t->size;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(fits ? t->at + t->used : NULL, fits ? t->size - t->used : 0,
                  format, args);
    va_end(args);
    t->used += n > 0 ? (size_t)n : 0;
}

static void add_feature(struct text *t, const char *name)
{
    add(t, "<feature name=\"%s\">\n", name);
}

static void add_lower(struct text *t, const char *name)
{
    for (; *name; name++)
        add(t, "%c", *name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
}

/* A function that gdb calls in the program gives the program's registers back,
 * but clocks, counters and what belongs to the system have moved on. */
static void add_reg(struct text *t, unsigned n, const char *type,
                    const char *group)
{
    add(t, "<reg name=\"");
    add_lower(t, regs_name(n));
    add(t, "\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\"", 8 * regs_size(n), n,
        type);
    if (n >= FIRST_SR)
        add(t, " save-restore=\"no\"");
    if (group)
        add(t, " group=\"%s\"", group);
    add(t, "/>\n");
}

/* The special registers whose numbers lie, or do not lie, among the
 * performance monitor's. */
static void add_sprs(struct text *t, bool monitor)
{
    for (unsigned n = FIRST_SPR; n < regs_count(); n++) {
        unsigned number = spr_of(n)->number;

        if ((number >= NUMBER_MMCR0 && number <= NUMBER_SDA) == monitor)
            add_reg(t, n, "uint32", monitor ? "pmu" : "system");
    }
}

size_t regs_describe(char *text, size_t size)
{
    struct text t = {text, size, 0};
    unsigned n;

    add(&t, "<?xml version=\"1.0\"?>\n"
            "<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
            "<target version=\"1.0\">\n"
            "<architecture>powerpc:604</architecture>\n");
    add_feature(&t, "org.gnu.gdb.power.core");
    for (n = 0; n < FIRST_FPR; n++)
        add_reg(&t, n, "uint32", NULL);
    for (n = REGS_PC; n < FIRST_SR - 1; n++)
        add_reg(&t, n, fixed[n - REGS_PC].type, NULL);
    add(&t, "</feature>\n");
    add_feature(&t, "org.gnu.gdb.power.fpu");
    for (n = FIRST_FPR; n < REGS_PC; n++)
        add_reg(&t, n, "ieee_double", NULL);
    add_reg(&t, FIRST_SR - 1, "int", "float");
    add(&t, "</feature>\n");
    add_feature(&t, "org.simrun.oea");
    for (n = FIRST_SR; n < FIRST_SPR; n++)
        add_reg(&t, n, "uint32", "system");
    add_sprs(&t, false);
    add(&t, "</feature>\n");
    add_feature(&t, "org.simrun.pmu");
    add_sprs(&t, true);
    add(&t, "</feature>\n</target>\n");
    return t.used;
}
