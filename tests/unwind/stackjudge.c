/* stackjudge.c - how often simrun's walk up the stack differs from the calls
 * and returns that a program under --user really made.
 *
 *     stackjudge EVERY LIMIT PROGRAM [ARGUMENT...]
 *
 * A shadow call stack is kept for each thread, at every instruction; at each
 * EVERY-th one the walk is compared with it. Ends after about LIMIT
 * instructions. To stderr go a line for each instruction at which one
 * differed, with how often, and at last a line of counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/machine.h"
#include "sim/unwind/walk.h"
#include "sim/user/process.h"
#include "sim/core/timing.h"

#define DEPTH 8192
#define THREADS 64
#define PLACES 4000

struct entry {
    uint32_t back; /* where it returns to; of a signal: 4 behind its stop */
    uint32_t sp;
    bool signal;
    uint32_t pc, word; /* of a signal: what was under way */
};

struct thread_shadow {
    bool used, to_lr; /* what was under way was bclr */
    uint32_t context, pc, word, sp, lr;
    uint16_t flags;
    unsigned depth;
    struct entry at[DEPTH];
};

struct judge {
    struct names names;
    struct thread_shadow thread[THREADS];
    unsigned long every, seen, looked, wrong;
    unsigned places;
    uint32_t place[PLACES];
    unsigned long times[PLACES];
    char text[PLACES][400];
};

static struct judge judge;
static struct machine machine;

static uint32_t word_of(const struct core *c, ea_t ea)
{
    uint8_t b[4] = {0};

    c->with.supervisor.peek(c->with.supervisor.arg, ea, b, 4);
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

static struct thread_shadow *shadow_of(uint32_t context)
{
    for (unsigned n = 0; n < THREADS; n++) {
        struct thread_shadow *t = &judge.thread[n];

        if (t->used && t->context == context)
            return t;
        if (!t->used) {
            t->used = true;
            t->context = context;
            return t;
        }
    }
    fprintf(stderr, "stackjudge: too many threads\n");
    exit(125);
}

static struct entry *push(struct thread_shadow *t)
{
    if (t->depth == DEPTH) {
        fprintf(stderr, "stackjudge: the program recurses too deep\n");
        exit(125);
    }
    t->at[t->depth] = (struct entry){0};
    return &t->at[t->depth++];
}

/* The instruction at t->pc went to pc, with the stack at sp. */
static void follow(struct thread_shadow *t, uint32_t pc, uint32_t sp)
{
    unsigned n;

    if (!(t->flags & INSN_BRANCH) || pc == t->pc)
        return;
    if (t->flags & INSN_LINK) {
        if ((t->word & 0xFFFF0003) != 0x429F0001) { /* bcl 20,31: no call */
            struct entry *e = push(t);

            e->back = t->pc + 4;
            e->sp = t->sp;
        }
        return;
    }
    if (!(t->flags & INSN_INDIRECT) || pc == t->pc + 4)
        return;
    for (n = t->depth; n > 0 && !t->at[n - 1].signal; n--)
        if (t->at[n - 1].back == pc && t->at[n - 1].sp == sp) {
            t->depth = n - 1;
            return;
        }
    /* longjmp: what its new frame had called is over */
    for (n = t->depth; n > 0 && !t->at[n - 1].signal; n--)
        if (t->at[n - 1].sp < sp || (t->at[n - 1].sp == sp && t->to_lr))
            t->depth = n - 1;
}

/* What came between the last instruction of this thread and pc. */
static void arrive(struct core *c, struct thread_shadow *t)
{
    uint32_t pc = c->cpu.pc, lr = c->cpu.lr, sp = c->cpu.gpr[1];
    struct entry *e;

    if ((lr == VDSO_BASE + VDSO_SIGRETURN ||
         lr == VDSO_BASE + VDSO_RT_SIGRETURN) &&
        t->lr != lr && pc != t->pc + 4) { /* mtlr leads on */
        uint32_t at =
            lr == VDSO_BASE + VDSO_SIGRETURN
                ? sp + FRAME_CALLER + 28
                : sp + FRAME_CALLER + 16 + ABI_SIGINFO + UCONTEXT_REGS;
        uint32_t regs = word_of(c, at);
        uint32_t nip = word_of(c, regs + 4 * GREG_NIP);

        follow(t, nip, word_of(c, regs + 4));
        e = push(t);
        e->signal = true;
        e->back = nip + 4;
        e->sp = sp;
        e = push(t);
        e->back = lr;
        e->sp = sp;
    } else if (t->word == 0x44000002 && t->depth &&
               (t->pc == VDSO_BASE + VDSO_SIGRETURN + 4 ||
                t->pc == VDSO_BASE + VDSO_RT_SIGRETURN + 4)) {
        while (t->depth && !t->at[--t->depth].signal)
            continue;
    } else {
        follow(t, pc, sp);
    }
}

static void describe(FILE *to, const struct thread_shadow *t,
                     const uint32_t *pc, unsigned n)
{
    char name[NAME_TEXT];

    names_text(&judge.names, pc[0], name);
    fprintf(to, "%08x %s: walked", pc[0], name);
    for (unsigned k = 1; k < n && k < 5; k++) {
        names_text(&judge.names, pc[k] - 4, name);
        fprintf(to, " %s", *name ? name : "?");
    }
    fprintf(to, "; called by");
    for (unsigned k = t->depth; k > 0 && k + 5 > t->depth; k--)
        if (k == 1 || !t->at[k - 2].signal) {
            names_text(&judge.names, t->at[k - 1].back - 4, name);
            fprintf(to, " %s", *name ? name : "?");
        }
}

static void report(const struct thread_shadow *t, const uint32_t *pc,
                   unsigned n)
{
    FILE *to;
    unsigned k;

    for (k = 0; k < judge.places && judge.place[k] != pc[0]; k++)
        continue;
    if (k == PLACES)
        return;
    judge.times[k]++;
    if (k < judge.places)
        return;
    judge.place[judge.places++] = pc[0];
    to = fmemopen(judge.text[k], sizeof judge.text[k], "w");
    if (to) {
        describe(to, t, pc, n);
        fclose(to);
        judge.text[k][sizeof judge.text[k] - 1] = 0;
    }
}

/* A walk shows a signal's frame as what it interrupted alone: the return into
 * the trampoline has no line of its own. */
static bool same(const struct thread_shadow *t, const uint32_t *pc, unsigned n)
{
    unsigned k = 1;

    for (unsigned d = t->depth; d > 0 && k < WALK_MOST; d--) {
        if (d > 1 && t->at[d - 2].signal)
            continue;
        if (k >= n || pc[k++] != t->at[d - 1].back)
            return false;
    }
    return k == n;
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct thread_shadow *t = shadow_of(c->context);
    uint32_t pc[WALK_MOST];
    bool truncated;

    (void)arg;
    (void)at;
    arrive(c, t);
    t->pc = c->cpu.pc;
    t->word = i->word;
    t->flags = i->flags;
    t->to_lr = i->op == OP_BCLR;
    t->sp = c->cpu.gpr[1];
    t->lr = c->cpu.lr;
    if (++judge.seen % judge.every == 0) {
        unsigned n =
            stack_walk(c, &judge.names, false, pc, WALK_MOST, &truncated);

        judge.looked++;
        if (!same(t, pc, n)) {
            judge.wrong++;
            report(t, pc, n);
        }
    }
    return false;
}

static void say(void *arg, const char *line)
{
    (void)arg;
    fprintf(stderr, "%s\n", line);
}

static bool wait_file(void *arg, int fd, short events)
{
    (void)arg;
    (void)fd;
    (void)events;
    return false;
}

static bool pulse(void *arg, const struct machine *m)
{
    (void)arg;
    (void)m;
    return false;
}

static enum machine_input receive(void *arg, cycle_t at, bool asleep,
                                  uint8_t *byte)
{
    (void)arg;
    (void)at;
    (void)asleep;
    (void)byte;
    return INPUT_NONE;
}

static int fail(const char *why)
{
    fprintf(stderr, "stackjudge: %s\n", why);
    return 125;
}

int main(int argc, char **argv)
{
    static struct image image;
    struct machine_setup s = {
        .cpus = 2, .timing = &timing_fast, .ram = 1u << 28};
    struct observer o = {.before = before};
    char *envp[] = {"LC_ALL=C", NULL};
    struct user *u;
    char why[2048];

    if (argc < 4 || !(judge.every = strtoul(argv[1], NULL, 10)))
        return fail("usage: stackjudge EVERY LIMIT PROGRAM [ARGUMENT...]");
    if (!image_open(&image, argv[3], IMAGE_PROGRAM, why, sizeof why))
        return fail(why);
    struct user_setup with = {.image = &image,
                              .path = argv[3],
                              .argv = argv + 3,
                              .envp = envp,
                              .host = {.say = say, .wait = wait_file}};
    params_default(&s.params);
    s.args = "";
    s.image = &image;
    s.max_insns = strtoull(argv[2], NULL, 10);
    s.host.pulse = pulse;
    s.host.receive = receive;
    if (!user_open(&u, &with, why, sizeof why))
        return fail(why);
    s.supervisor = user_supervisor(u);
    if (!machine_init(&machine, &s, why, sizeof why) ||
        !user_start(u, &machine, why, sizeof why))
        return fail(why);
    if (!names_open(&judge.names, &image))
        return fail("no memory");
    machine_observe(&machine, &o, true);
    machine_run(&machine);
    fflush(stdout);
    for (unsigned k = 0; k < judge.places; k++)
        fprintf(stderr, "%8lu %s\n", judge.times[k], judge.text[k]);
    fprintf(stderr, "instructions %lu walks %lu differ %lu status %u\n",
            judge.seen, judge.looked, judge.wrong, machine.status);
    return 0;
}
