/* cause.c - struct core_fault in words. Reads a machine, changes nothing. */
#include "sim/cli/cause.h"

#include <inttypes.h>
#include <string.h>

#include "isa/insn.h"
#include "isa/mmu.h"
#include "sim/symbols/names.h"
#include "sim/cli/report.h"
#include "sim/symbols/srcline.h"

#define TEXT 320
#define NO_TRANSLATION 0x40000000u /* SRR1 and DSISR */
#define STORING 0x02000000u        /* DSISR */
#define BREAKPOINT 0x00400000u     /* DSISR, by DABR */
#define FRAME 0x10000u /* bytes: what lies so near r1 is on the stack */
#define OFTEN 1000     /* the same again: it goes nowhere */

/* One processor's trouble, and what is asked for the words. */
struct cause {
    const struct machine *m;
    const struct core *c;
    const struct core_fault *fault;
    struct names names;
};

/* ---- places -------------------------------------------------------------- */

static bool in_image(const struct image *i, ea_t at)
{
    for (unsigned k = 0; k < i->count; k++)
        if (at - i->segment[k].va < i->segment[k].memory)
            return true;
    return false;
}

/* "twice+0x8 (fp.c:4), 0x100000f8", or the address alone. */
static void place(const struct cause *w, ea_t at, char text[TEXT])
{
    char name[NAME_TEXT], line[SRCLINE_TEXT];

    names_text(&w->names, at, name);
    srcline_text(w->m->with.image, at, line);
    snprintf(text, TEXT, "%s%s%s%s%s0x%08x", name, *line ? " (" : "", line,
             *line ? ")" : "", *name || *line ? ", " : "", at);
    if (!*name && *line)
        memmove(text, text + 1, strlen(text));
}

/* The word at the place of the fault, as it is and as the file has it. False:
 * nothing is there. */
static bool word_at(const struct cause *w, uint32_t *is, uint32_t *was)
{
    struct cpu then = w->c->cpu;
    pa_t pa;

    then.msr = w->fault->msr;
    if (!mmu_peek(&then, w->fault->pc, TLB_FETCH, &pa) ||
        pa > w->m->ram.size - 4)
        return false;
    *is = 0;
    for (unsigned k = 0; k < 4; k++)
        *is = *is << 8 | w->m->ram.bytes[pa + k];
    if (!image_word(w->m->with.image, w->fault->pc, was))
        *was = *is;
    return true;
}

/* ---- what happened ------------------------------------------------------- */

static void say_program(const struct cause *w, char text[TEXT])
{
    uint32_t is, was, cause = w->fault->cause;

    if (cause & SRR1_TRAP)
        snprintf(text, TEXT, "trap instruction");
    else if (cause & SRR1_PRIVILEGED)
        snprintf(text, TEXT, "privileged instruction in user state");
    else if (cause & SRR1_FP)
        snprintf(text, TEXT, "enabled floating-point exception");
    else if (!word_at(w, &is, &was))
        snprintf(text, TEXT, "illegal instruction");
    else if (is != was)
        snprintf(text, TEXT,
                 "illegal instruction 0x%08x, which overwrote 0x%08x of the "
                 "program,",
                 is, was);
    else
        snprintf(text, TEXT, "illegal instruction 0x%08x", is);
}

static const char *forbidden(uint32_t cause)
{
    return cause & NO_TRANSLATION ? "which is not translated"
                                  : "which is protected";
}

static void say_mcheck(const struct cause *w, char text[TEXT])
{
    const struct core_fault *f = w->fault;

    if (f->fetching)
        snprintf(text, TEXT, "no memory to fetch an instruction from");
    else
        snprintf(text, TEXT, "neither memory nor device answers the %s 0x%08x",
                 f->storing ? "store to" : "load from", f->ea);
}

static void say_what(const struct cause *w, char text[TEXT])
{
    const struct core_fault *f = w->fault;

    switch (f->exc) {
    case EXC_PROGRAM:
        say_program(w, text);
        break;
    case EXC_MCHECK:
        say_mcheck(w, text);
        break;
    case EXC_FPUNAVAIL:
        snprintf(text, TEXT, "floating point is off (MSR[FP] is 0)");
        break;
    case EXC_SC:
        snprintf(text, TEXT, "system call (sc)");
        break;
    case EXC_DSI:
        snprintf(text, TEXT, "%s 0x%08x, %s,",
                 f->cause & STORING ? "store to" : "load from", f->ea,
                 f->cause & BREAKPOINT ? "a breakpoint (DABR)"
                                       : forbidden(f->cause));
        break;
    case EXC_ISI:
        snprintf(text, TEXT, "fetch from an address %s,", forbidden(f->cause));
        break;
    case EXC_ALIGNMENT:
        snprintf(text, TEXT, "access to 0x%08x, which is not aligned,", f->ea);
        break;
    case EXC_DECREMENTER:
        snprintf(text, TEXT, "decrementer interrupt");
        break;
    case EXC_EXTERNAL:
        snprintf(text, TEXT, "external interrupt");
        break;
    case EXC_PERFMON:
        snprintf(text, TEXT, "performance monitor interrupt");
        break;
    default:
        snprintf(text, TEXT, "exception %s", isa_exc_name(f->exc));
        break;
    }
}

/* ---- what to do ---------------------------------------------------------- */

static const char *advice(const struct core_fault *f)
{
    switch (f->exc) {
    case EXC_FPUNAVAIL:
        return "set MSR[FP] (0x2000) first, or compile with -msoft-float";
    case EXC_SC:
        return "is this a Linux program? then run it with simrun --user";
    case EXC_DECREMENTER:
    case EXC_EXTERNAL:
    case EXC_PERFMON:
        return "install a handler before MSR[EE] is set";
    case EXC_PROGRAM:
        if (f->cause & SRR1_TRAP)
            return "the program trapped itself: __builtin_trap or a failed "
                   "check";
        return NULL;
    default:
        return NULL;
    }
}

/* r1 in the program's code, or where no memory is. */
static const char *stack_wrong(const struct cause *w)
{
    const struct image *i = w->m->with.image;
    uint32_t r1 = w->c->cpu.gpr[1];

    if (w->fault->msr & (MSR_DR | MSR_PR))
        return NULL;
    if (r1 >= w->m->ram.size)
        return "where there is no memory";
    if (w->fault->exc == EXC_MCHECK && !w->fault->fetching &&
        w->fault->ea >= w->m->ram.size && w->fault->ea - r1 + FRAME < 2 * FRAME)
        return "at the end of memory";
    for (unsigned k = 0; k < i->count; k++)
        if (r1 - i->segment[k].va < i->segment[k].memory &&
            i->segment[k].flags[1] != 'w')
            return "in the program's code";
    return NULL;
}

/* Linux whose stacks are mapped writes to a processor's first one before
 * translation is on, as if it were in the memory that the kernel maps at once
 * (__secondary_start). */
static bool maps_stacks(const struct cause *w)
{
    const struct cpu *c = &w->c->cpu;

    return w->m->with.image->is_kernel && w->c->number && w->m->names.real &&
           c->gpr[1] >= w->m->names.real &&
           w->fault->ea == c->gpr[1] - w->m->names.real;
}

static void hints(FILE *f, const struct cause *w)
{
    const char *text = advice(w->fault), *stack = stack_wrong(w);
    ea_t at = w->fault->pc;
    char from[TEXT];

    if (!in_image(w->m->with.image, at) && w->fault->last != at) {
        place(w, w->fault->last, from);
        fprintf(f,
                "  that is not in the program; the last instruction before "
                "it was at\n  %s\n",
                from);
    }
    if (stack && maps_stacks(w))
        fprintf(f, "  Linux with CONFIG_VMAP_STACK needs memory there, for its "
                   "processors but the first: --mem=1G\n");
    else if (stack)
        fprintf(f,
                "  the stack pointer r1 is 0x%08x, %s: has the stack "
                "overflowed?\n",
                w->c->cpu.gpr[1], stack);
    if (text)
        fprintf(f, "  %s\n", text);
}

/* ---- both ---------------------------------------------------------------- */

static bool open_cause(struct cause *w, const struct machine *m, unsigned cpu)
{
    *w = (struct cause){
        .m = m, .c = &m->core[cpu], .fault = &m->core[cpu].fault};
    return names_open(&w->names, m->with.image);
}

/* Did what stopped it begin with the fault? A core that stops for another
 * reason, or after its handler ran, stands elsewhere. */
static bool explains(const struct core *c)
{
    const struct core_fault *f = &c->fault;

    return f->exc != EXC_NONE && f->insns == c->insns &&
           (c->cpu.pc == f->pc || c->cpu.pc == f->vector ||
            c->cpu.pc % 0x100000 < 0x2000);
}

static void where_from(FILE *f, const struct cause *w)
{
    const struct core *c = w->c;
    char text[TEXT];

    place(w, c->cpu.pc, text);
    fprintf(f, "  pc   is %s\n", text);
    place(w, c->cpu.lr, text);
    fprintf(f, "  lr   is %s\n", text);
}

void cause_checkstop(FILE *f, const struct machine *m)
{
    const struct core *c = &m->core[m->culprit];
    char what[TEXT], at[TEXT];
    struct cause w;

    if (!open_cause(&w, m, m->culprit)) {
        fprintf(f, "simrun: CPU %u stopped: %s\n", m->culprit, c->why);
    } else if (!explains(c)) {
        place(&w, c->cpu.pc, at);
        fprintf(f, "simrun: CPU %u: %s, at %s\n", m->culprit, c->why, at);
    } else {
        say_what(&w, what);
        place(&w, w.fault->pc, at);
        fprintf(f, "simrun: CPU %u: %s at %s: %s\n", m->culprit, what, at,
                c->why);
        hints(f, &w);
    }
    report_registers(f, c);
    where_from(f, &w);
    names_close(&w.names);
}

static bool asynchronous(enum exc e)
{
    return e == EXC_DECREMENTER || e == EXC_EXTERNAL || e == EXC_PERFMON ||
           e == EXC_INDICATOR;
}

void cause_stuck(FILE *f, const struct machine *m)
{
    char what[TEXT], at[TEXT];
    struct cause w;

    for (unsigned k = 0; k < m->with.cpus; k++) {
        const struct core_fault *fault = &m->core[k].fault;

        if (m->with.supervisor.enter || fault->again < OFTEN ||
            fault->exc == EXC_SC || asynchronous(fault->exc) ||
            !open_cause(&w, m, k))
            continue;
        say_what(&w, what);
        place(&w, fault->pc, at);
        fprintf(f,
                "simrun: CPU %u: %s at %s: %" PRIu64 " times in a row, its "
                "handler goes back to it\n",
                k, what, at, fault->again + 1);
        names_close(&w.names);
    }
}
