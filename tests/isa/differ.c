/* differ.c - the same instructions here and under QEMU, compared.
 *
 *   differ INSTANCES SEED ROWS JUDGE...
 *
 * Makes random cases, runs them through isa/ and through the judge (judge.c
 * under qemu-ppc, started with the command JUDGE), compares every register
 * and every byte. ROWS: all, the name of one row, or known: QEMU's known
 * departures from the chip are then proven to be still there. Where QEMU
 * departs from the chip, no case is made; case.c says where and why.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "isa/table.h"
#include "tests/isa/case.h"
#include "tests/isa/judge.h"
#include "tests/isa/machine.h"

#define BAD_SHOWN 20
#define FR_BIT 0x00040000u
#define FI_BIT 0x00020000u
#define FEX_BIT 0x40000000u
#define VE_ZE_BITS 0x90u
#define VXVC_BIT 0x00080000u
#define C_BIT 0x00010000u
#define FPRF_BITS 0x0001F000u

struct judge {
    FILE *to, *from;
};

static bool judge_start(struct judge *j, char **command)
{
    int to[2], from[2];

    if (pipe(to) || pipe(from))
        return false;
    switch (fork()) {
    case -1:
        return false;
    case 0:
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[0]), close(to[1]), close(from[0]), close(from[1]);
        execvp(command[0], command);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    j->to = fdopen(to[1], "w");
    j->from = fdopen(from[0], "r");
    return j->to && j->from;
}

static void swap(uint32_t *w, size_t n)
{
    while (n--)
        w[n] = __builtin_bswap32(w[n]);
}

static bool judge_ask(struct judge *j, const struct sample *in,
                      uint32_t out[][CASE_WORDS])
{
    for (unsigned n = 0; n < CASE_BATCH; n++)
        memcpy(out[n], in[n].word, sizeof out[n]);
    swap(out[0], CASE_BATCH * CASE_WORDS);
    if (fwrite(out, sizeof out[0], CASE_BATCH, j->to) != CASE_BATCH ||
        fflush(j->to) ||
        fread(out, sizeof out[0], CASE_BATCH, j->from) != CASE_BATCH)
        return false;
    swap(out[0], CASE_BATCH * CASE_WORDS);
    return true;
}

static const char *const special[] = {"CR", "XER", "LR", "CTR", "-", "FPSCR"};

static void print_word(unsigned n, uint32_t in, uint32_t here, uint32_t there)
{
    char name[32];

    if (n < CASE_CODE)
        snprintf(name, sizeof name, "outcome[%u]", n);
    else if (n < CASE_CR)
        snprintf(name, sizeof name, "r%u", n - CASE_GPR);
    else if (n < CASE_FPR)
        snprintf(name, sizeof name, "%s", special[n - CASE_CR]);
    else if (n < CASE_MEM)
        snprintf(name, sizeof name, "f%u.%u", (n - CASE_FPR) / 2, n & 1);
    else
        snprintf(name, sizeof name, "mem+%u", 4 * (n - CASE_MEM));
    printf("    %-10s was %08x, isa %08x, qemu %08x\n", name, in, here, there);
}

/* FPSCR bits in which QEMU is not the 604e, for this code; see case.c. */
static uint32_t fpscr_mask(const struct sample *s, uint32_t here)
{
    uint32_t mask = FR_BIT;
    bool compares = false;

    if ((here & FEX_BIT) && (here & VE_ZE_BITS))
        mask |= FI_BIT;
    for (unsigned n = s->word[CASE_COUNT]; n--;) {
        uint32_t fprf = here & FPRF_BITS;
        struct insn i;
        isa_decode(&i, s->word[CASE_CODE + n]);
        if ((i.word >> 26 == 59 || i.op == OP_FRSP) &&
            (fprf == 0x14000 || fprf == 0x18000 || compares))
            mask |= C_BIT;
        if (i.class == CLASS_FPCMP) {
            mask |= FI_BIT | (i.op == OP_FCMPO ? C_BIT | VXVC_BIT : 0);
            compares = true;
        }
        if (i.op == OP_FCTIW || i.op == OP_FCTIWZ)
            mask |= FPRF_BITS;
    }
    return ~mask;
}

static bool same(const struct sample *s, unsigned n, uint32_t here,
                 uint32_t there)
{
    if (n >= CASE_CODE && n < CASE_GPR)
        return true;
    if (n == CASE_FPSCR + 1)
        return ((here ^ there) & fpscr_mask(s, here)) == 0;
    if (n == CASE_XER)
        return ((here ^ there) & CASE_XER_BITS) == 0;
    return here == there;
}

/* A signal's si_code, as isa/ would put it: 1 for a privileged instruction.
 * What no row takes, and special registers that do not exist, are illegal
 * here (PEM 6.4.7); QEMU calls some of them privileged. */
static void judge_detail(const uint32_t *here, uint32_t *there)
{
    bool privileged =
        there[CASE_DETAIL] == ILL_PRVOPC || there[CASE_DETAIL] == ILL_PRVREG;

    if (there[CASE_OUTCOME] < OUTCOME_SIGNAL)
        return;
    there[CASE_DETAIL] = privileged && here[CASE_DETAIL];
}

/* Is what isa/ made of a case what the judge made of it? */
static bool agree(const struct sample *s, const uint32_t *here,
                  const uint32_t *there, bool print)
{
    bool ok = true;

    for (unsigned n = 0; n < CASE_WORDS; n++)
        ok = ok && same(s, n, here[n], there[n]);
    if (ok || !print)
        return ok;
    printf("differs:");
    for (unsigned n = 0; n < s->word[CASE_COUNT]; n++) {
        struct insn i;
        isa_decode(&i, s->word[CASE_CODE + n]);
        printf(" %08x %s", i.word, isa_op_name(i.op));
    }
    printf("\n");
    for (unsigned n = 0; n < CASE_WORDS; n++)
        if (!same(s, n, here[n], there[n]))
            print_word(n, s->word[n], here[n], there[n]);
    return false;
}

static unsigned compare(const struct sample *in, uint32_t there[][CASE_WORDS],
                        struct machine *m, unsigned shown)
{
    unsigned bad = 0;

    for (unsigned n = 0; n < CASE_BATCH; n++) {
        uint32_t here[CASE_WORDS];
        case_run(m, &in[n], here);
        judge_detail(here, there[n]);
        bad += !agree(&in[n], here, there[n], shown + bad < BAD_SHOWN);
    }
    return bad;
}

/* Each row of departures.def, alone: some word must differ, or it is stale.
 * What same() forgives counts here. */
static unsigned known_stale(struct judge *j, struct machine *m)
{
    static struct sample in[CASE_BATCH];
    static uint32_t there[CASE_BATCH][CASE_WORDS];
    unsigned stale = 0;

    for (unsigned n = 0; n < CASE_BATCH; n++)
        case_known_sample(n % case_known(), &in[n], n);
    if (!judge_ask(j, in, there))
        return 1;
    for (unsigned n = 0; n < case_known(); n++) {
        uint32_t here[CASE_WORDS];
        case_run(m, &in[n], here);
        judge_detail(here, there[n]);
        if (memcmp(here, there[n], sizeof here))
            continue;
        printf("stale: %08x %s\n", in[n].word[CASE_CODE],
               case_known_sample(n, &in[n], n));
        stale++;
    }
    printf("%zu known departures of QEMU, %u stale\n", case_known(), stale);
    return stale;
}

/* Every row that was drawn, so that nobody thinks all were. */
static void print_rows(const uint64_t *count)
{
    unsigned drawn = 0;

    for (unsigned op = 1; op < OP_COUNT; op++)
        drawn += count[op] != 0;
    printf("rows drawn: %u of %u; not drawn:", drawn, OP_COUNT - 1);
    for (unsigned op = 1; op < OP_COUNT; op++)
        if (!count[op])
            printf(" %s", isa_op_name(op));
    printf("\n");
}

int main(int argc, char **argv)
{
    static struct sample in[CASE_BATCH];
    static uint32_t there[CASE_BATCH][CASE_WORDS];
    static struct machine m;
    static uint64_t count[OP_COUNT];
    uint64_t instances, done = 0;
    unsigned bad = 0;
    struct judge j;
    bool known;
    struct maker maker;

    if (argc < 5)
        return 2;
    instances = strtoull(argv[1], NULL, 0);
    known = !strcmp(argv[3], "known");
    if (!known && !maker_init(&maker, strtoull(argv[2], NULL, 0), argv[3])) {
        printf("no such row: %s\n", argv[3]);
        return 2;
    }
    if (!judge_start(&j, argv + 4))
        return 2;
    machine_init(&m);
    if (known)
        return known_stale(&j, &m) != 0;
    while (done < instances) {
        for (unsigned n = 0; n < CASE_BATCH; n++)
            done += case_make(&maker, &in[n], n, count);
        if (!judge_ask(&j, in, there)) {
            printf("the judge went away\n");
            return 1;
        }
        bad += compare(in, there, &m, bad);
    }
    printf("%llu instruction instances, %u cases differ\n",
           (unsigned long long)done, bad);
    print_rows(count);
    return bad != 0;
}
