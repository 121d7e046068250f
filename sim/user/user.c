/* user.c - the process: its life, its clock, and what every exception of it
 * leads to. Knows no single system call.
 */
#include "lib/base/mix.h"
#include "sim/user/process.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/symbols/srcline.h"
#include "sim/user/mm/deferred_write.h"

#define USER_MSR (MSR_EE | MSR_PR | MSR_FP | MSR_ME | MSR_IR | MSR_DR | MSR_RI)

/* ---- words for people ---------------------------------------------------- */

void user_say(struct user *u, const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    u->with.host.say(u->with.host.arg, line);
}

/* ---- time ---------------------------------------------------------------- */

uint64_t user_time(const struct user *u, cycle_t at)
{
    uint64_t mhz = u->m->with.params.clock_mhz;

    return at / mhz * 1000 + at % mhz * 1000 / mhz;
}

uint64_t user_date(const struct user *u, cycle_t at)
{
    return u->m->with.params.user_epoch * NANO + user_time(u, at);
}

cycle_t user_after(const struct user *u, cycle_t from, uint64_t ns)
{
    uint64_t mhz = u->m->with.params.clock_mhz;

    if (ns / 1000 > (CYCLE_NEVER - 1 - from) / mhz - 1)
        return CYCLE_NEVER - 1;
    return from + ns / 1000 * mhz + (ns % 1000 * mhz + 999) / 1000;
}

bool user_stopped(struct user *u)
{
    if (!u->over && machine_pulse(u->m)) {
        u->over = true;
        u->m->end = MACHINE_STOPPED;
    }
    return u->over;
}

uint64_t user_random(struct user *u)
{
    return mix64(u->random += MIX_STEP);
}

struct what_if_factor user_scale(const struct call *k)
{
    return scale_asked(&k->u->m->scale, (uint32_t)k->t->tid);
}

cycle_t user_limit(const struct call *k, uint64_t ns)
{
    cycle_t at = user_after(k->u, k->now, ns);

    return k->now + what_if_scaled(user_scale(k), at - k->now);
}

/* ---- the end ------------------------------------------------------------- */

void user_exit(struct user *u, int status)
{
    if (u->over)
        return;
    u->over = true;
    space_sync(&u->space, 0, SPACE_TOP);
    u->m->end = MACHINE_EXIT;
    u->m->status = (unsigned)status & 0xFF;
}

void user_kill(struct user *u, struct core *core, int signal,
               const struct siginfo *info)
{
    char symbol[NAME_TEXT], line[SRCLINE_TEXT], address[64] = "";
    bool fault = info && info->code > 0 && info->code < ABI_SI_KERNEL;

    if (u->over)
        return;
    names_text(&u->m->names, core->cpu.pc, symbol);
    if (fault && (signal == SIGSEGV || signal == SIGBUS))
        snprintf(address, sizeof address, ", address 0x%08x", info->word[0]);
    srcline_text(u->with.image, core->cpu.pc, line);
    user_say(u,
             "%s: killed by signal %d (%s) at 0x%08x%s%s%s%s%s%s, cycle "
             "%" PRIu64,
             u->with.image->name, signal, strsignal(signal), core->cpu.pc,
             *symbol ? " " : "", symbol, *line ? " (" : "", line,
             *line ? ")" : "", address, core->observed_cycle);
    if (fault && !u->asked && !u->with.image->is_linux)
        user_say(u,
                 "%s made no system call: if it is a bare-metal program, run "
                 "it without --user",
                 u->with.image->name);
    u->killed = signal;
    u->m->signal = (unsigned)signal;
    user_exit(u, 128 + signal);
}

const char *user_place(const struct user *u)
{
    return u->root_path;
}

const char *user_self(const struct user *u)
{
    return u->exe;
}

/* ---- what exceptions lead to --------------------------------------------- */

static void raise_fault(struct call *k, int signal, int code, ea_t at)
{
    struct siginfo info = {code, {at, 0, 0}};

    signal_force(k, signal, &info);
}

/* A page is missing: make it, or it is the program's mistake. */
static void page_fault(struct call *k, ea_t at, unsigned how)
{
    struct space *s = &k->u->space;

    if (k->core->cpu.cause & 0x40000000u) {
        switch (space_fault(s, at, how)) {
        case FAULT_FIXED:
            return;
        case FAULT_ROOM:
            user_say(k->u,
                     "%s: no memory left for the program, give it more "
                     "with --mem",
                     k->u->with.image->name);
            user_kill(k->u, k->core, SIGKILL, NULL);
            return;
        case FAULT_BEYOND:
            raise_fault(k, SIGBUS, 2, at); /* BUS_ADRERR */
            return;
        default:
            break;
        }
    }
    /* SEGV_ACCERR if something is mapped there, else SEGV_MAPERR */
    raise_fault(k, SIGSEGV, space_find(s, at) ? 2 : 1, at);
}

/* Which of the enabled floating-point exceptions it was. */
static int fp_code(uint32_t fpscr)
{
    if (fpscr & 0x80 && fpscr & 0x20000000)
        return 7; /* FPE_FLTINV */
    if (fpscr & 0x40 && fpscr & 0x10000000)
        return 4; /* FPE_FLTOVF */
    if (fpscr & 0x20 && fpscr & 0x08000000)
        return 5; /* FPE_FLTUND */
    if (fpscr & 0x10 && fpscr & 0x04000000)
        return 3; /* FPE_FLTDIV */
    if (fpscr & 0x08 && fpscr & 0x02000000)
        return 6; /* FPE_FLTRES */
    return 0;
}

/* A program may read the processor's version, as the kernel lets it. */
static bool emulate(struct core *c)
{
    uint32_t word = 0;

    if (!(c->cpu.cause & SRR1_PRIVILEGED))
        return false;
    struct user *u = c->with.supervisor.arg;

    if (!space_read32(&u->space, c->cpu.pc, &word) ||
        (word & 0xFC1FFFFF) != 0x7C1F42A6) /* mfpvr */
        return false;
    c->cpu.gpr[word >> 21 & 31] = c->cpu.pvr;
    c->cpu.pc += 4;
    return true;
}

static void program(struct call *k)
{
    struct cpu *c = &k->core->cpu;

    if (emulate(k->core))
        return;
    if (c->cause & SRR1_TRAP)
        raise_fault(k, SIGTRAP, 1, c->pc); /* TRAP_BRKPT */
    else if (c->cause & SRR1_FP)
        raise_fault(k, SIGFPE, fp_code(c->fpscr), c->pc);
    else if (c->cause & SRR1_PRIVILEGED)
        raise_fault(k, SIGILL, 5, c->pc); /* ILL_PRVOPC */
    else
        raise_fault(k, SIGILL, 1, c->pc); /* ILL_ILLOPC */
}

static void alignment(struct call *k)
{
    bool bad = false;

    if (align_emulate(k, &bad))
        return;
    if (bad)
        raise_fault(k, SIGSEGV, 1, k->core->cpu.dar);
    else
        raise_fault(k, SIGBUS, 1, k->core->cpu.dar); /* BUS_ADRALN */
}

/* What r3 and CR0[SO] say after a system call. */
static void system_call(struct call *k)
{
    struct cpu *c = &k->core->cpu;
    struct thread *t = k->t;
    uint32_t number = c->gpr[0];
    int32_t r;

    for (unsigned i = 0; i < 6; i++)
        k->a[i] = c->gpr[3 + i];
    c->pc = c->nia;
    r = calls_run(k, number);
    if (r == CALL_SET || r == CALL_BLOCKED || t->state == THREAD_FREE)
        return;
    if (r == CALL_RETRY) {
        c->pc -= 4;
        return;
    }
    c->cr &= ~0x10000000u;
    if (r < 0 && r > -4096) {
        c->cr |= 0x10000000u;
        r = -r;
    }
    c->gpr[3] = (uint32_t)r;
}

static cycle_t enter(void *arg, struct core *core, enum exc e)
{
    struct user *u = arg;
    const struct params *p = &u->m->with.params;
    struct call k = {.u = u, .core = core, .now = core->observed_cycle};
    struct thread *before = u->current[core->number];
    cycle_t cost = e == EXC_SC ? p->syscall_cycles : p->trap_cycles;

    k.t = before;
    k.vector = isa_exc_vector(e);
    u->runs_on = core->number;
    u->now = k.now;
    u->m->reservations.mask &= ~(1u << core->number);
    thread_clock(u, k.now);
    u->acting = k.t && e == EXC_SC ? k.t : NULL;
    switch (k.t ? e : EXC_EXTERNAL) {
    case EXC_SC:
        u->asked = true;
        system_call(&k);
        break;
    case EXC_DSI:
        core->cpu.dsisr = core->cpu.cause; /* a handler of signals asks */
        page_fault(&k, core->cpu.dar,
                   core->cpu.cause & 0x02000000 ? SPACE_WRITE : SPACE_READ);
        break;
    case EXC_ISI:
        page_fault(&k, core->cpu.pc, SPACE_EXEC);
        break;
    case EXC_ALIGNMENT:
        alignment(&k);
        break;
    case EXC_PROGRAM:
        program(&k);
        break;
    case EXC_MCHECK:
        raise_fault(&k, SIGBUS, 2, core->cpu.dar);
        break;
    case EXC_TRACE:
        raise_fault(&k, SIGTRAP, 2, core->cpu.pc);
        break;
    default: /* an interrupt: look who is to run */
        if (k.t && core->number == 0)
            u->looked = k.now;
        break;
    }
    u->acting = NULL;
    if (!u->over) {
        thread_schedule(u, core, k.now + cost);
        k.t = u->current[core->number];
        if (k.t != before)
            k.vector = isa_exc_vector(EXC_EXTERNAL);
        if (k.t)
            signal_deliver(&k);
    }
    return cost;
}

static bool peek(void *arg, ea_t ea, void *bytes, size_t size)
{
    const struct user *u = arg;

    return space_peek(&u->space, ea, bytes, size);
}

static bool reach(void *arg, ea_t ea, pa_t *pa, uint8_t **later)
{
    struct user *u = arg;
    const struct region *r = space_find(&u->space, ea);

    if (!r || !(r->prot & SPACE_WRITE))
        return false;
    if (space_frame(&u->space, ea, pa)) {
        space_dirty(&u->space, ea);
        return true;
    }
    *later = deferred_write_bytes(&u->space, ea);
    return *later;
}

struct core_supervisor user_supervisor(struct user *u)
{
    return (struct core_supervisor){u, enter, peek, reach};
}

/* ---- life ---------------------------------------------------------------- */

bool user_open(struct user **out, const struct user_setup *s, char *why,
               size_t size)
{
    struct user *u = calloc(1, sizeof *u);

    *out = u;
    if (!u) {
        snprintf(why, size, "the host has no memory");
        return false;
    }
    u->with = *s;
    u->root = u->self = -1;
    u->trees.tmp = u->trees.sysroot = u->trees.tmp_lock = -1;
    for (unsigned i = 0; i < MACHINE_CPUS; i++)
        u->kick[i] = CYCLE_NEVER;
    u->next_tid = USER_PID;
    u->umask = 022;
    for (unsigned i = 0; i < USER_CLOCKS; i++)
        u->timer[i].at = u->timer[i].due = CYCLE_NEVER;
    limit_init(u);
    for (int fd = 0; fd < 3; fd++) {
        u->file[fd].kind = FILE_HOST;
        u->file[fd].host = fd;
        u->file[fd].standard = (uint8_t)(fd + 1);
        u->file[fd].opened = ++u->opened;
    }
    return path_init(u, why, size) && tree_open(u, why, size);
}

void user_end(struct user *u)
{
    space_sync(&u->space, 0, SPACE_TOP);
}

void user_close(struct user *u)
{
    if (!u)
        return;
    for (unsigned i = 0; i < USER_FILES; i++)
        if (u->file[i].kind != FILE_FREE)
            file_close(u, &u->file[i]);
    if (u->root >= 0)
        close(u->root);
    if (u->self >= 0)
        close(u->self);
    space_free(&u->space);
    times_free(u);
    library_close(u);
    tree_close(u);
    free(u);
}

static void forget(void *arg)
{
    struct user *u = arg;

    for (unsigned i = 0; i < u->m->with.cpus; i++)
        core_forget(&u->m->core[i]);
}

/* The system loads from memory: a cache with the line modified pushes it, but
 * for the processor that it runs on. */
static void loaded(void *arg, pa_t pa, unsigned size)
{
    struct user *u = arg;
    struct bus *b = &u->m->bus;
    uint32_t line = u->m->with.params.line_bytes;

    for (unsigned n = 0; n < b->cpus; n++)
        for (pa_t at = pa & ~(line - 1); b->dcache[n] && at < pa + size;
             at += line) {
            struct line *l =
                n == u->runs_on ? NULL : cache_find(b->dcache[n], at);

            if (l && l->state == MESI_M)
                l->state = MESI_S;
        }
}

/* ... or stores to it: that processor has the line for itself if it had it at
 * all, the others lose it. */
static void take_lines(struct user *u, pa_t pa, unsigned size)
{
    struct bus *b = &u->m->bus;
    uint32_t line = u->m->with.params.line_bytes;

    for (unsigned n = 0; n < b->cpus; n++)
        for (pa_t at = pa & ~(line - 1); b->dcache[n] && at < pa + size;
             at += line) {
            struct line *l = cache_find(b->dcache[n], at);

            if (l && n == u->runs_on)
                l->state = MESI_M;
            else if (l)
                line_drop(l);
        }
}

/* Memory changed under the processors: caches, reservations and decoded
 * records. */
static void stored(void *arg, pa_t pa, unsigned size)
{
    struct user *u = arg;
    struct reservations *r = &u->m->reservations;
    uint32_t line = u->m->with.params.line_bytes;

    take_lines(u, pa, size);
    for (unsigned n = 0; n < PORT_CPUS; n++)
        if (r->mask >> n & 1 && r->line[n] + line > pa &&
            r->line[n] < pa + size)
            r->mask &= ~(1u << n);
    for (pa_t page = pa & ~(ABI_PAGE - 1); page < pa + size; page += ABI_PAGE)
        if (decode_cache_code(&u->m->decoded, page)) {
            decode_cache_forget(&u->m->decoded, pa, size);
            return;
        }
}

/* What was stored to a mapped file went there. */
static void wrote(void *arg, int host)
{
    times_changed(arg, host, TIMES_WRITTEN);
}

bool user_start(struct user *u, struct machine *m, char *why, size_t size)
{
    struct thread *t;

    u->m = m;
    u->random = m->with.params.seed * UINT64_C(0x5DEECE66D) + 11;
    u->space.arg = u;
    u->space.changed = forget;
    u->space.stored = stored;
    u->space.loaded = loaded;
    u->space.recount = limit_recount;
    u->space.wrote = wrote;
    u->runs_on = MACHINE_CPUS;
    if (!space_init(&u->space, &m->ram)) {
        snprintf(why, size,
                 "--mem: too little for a user program, give 8 MiB "
                 "or more");
        return false;
    }
    u->space.layout = m->with.params.layout;
    t = thread_new(u);
    assert(t);
    snprintf(t->name, sizeof t->name, "%.15s", u->with.image->name);
    thread_force(u, t);
    t->cpu_state.msr = USER_MSR;
    for (unsigned i = 0; i < 16; i++)
        t->cpu_state.sr[i] = 0x20000000u | (u->space.vsid + i); /* Kp */
    t->cpu_state.sdr1 = space_sdr1(&u->space);
    if (!start_load(u, &t->cpu_state, why, size))
        return false;
    thread_ready(u, t, 0);
    return true;
}
