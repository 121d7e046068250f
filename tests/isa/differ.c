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

#include "isa/fp.h"
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
#define MAGNITUDE 0x7FFFFFFFFFFFFFFFull
#define LEAST_SINGLE 0x3810000000000000ull
#define LEAST_DOUBLE 0x0010000000000000ull

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
        if (i.op == OP_FRES || i.op == OP_FRSQRTE)
            mask |= FPSCR_FX | FPSCR_XX | FPSCR_FI | FPSCR_UX | FPRF_BITS;
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

/* ---- non-IEEE mode, which QEMU does not know ----------------------------- */

static bool rounds(const struct insn *i)
{
    switch (i->op) {
    case OP_FMR:
    case OP_FNEG:
    case OP_FABS:
    case OP_FNABS:
    case OP_FSEL:
    case OP_FCTIW:
    case OP_FCTIWZ:
    case OP_FRES:
    case OP_FRSQRTE:
        return false;
    }
    return i->class == CLASS_FPADD || i->class == CLASS_FDIV ||
           i->class == CLASS_FDIVS;
}

static uint64_t fpr_of(const uint32_t *w, unsigned n)
{
    return (uint64_t)w[CASE_FPR + 2 * n] << 32 | w[CASE_FPR + 2 * n + 1];
}

/* A case in non-IEEE mode, run in IEEE mode for the comparison. Of one alone
 * the target must be the same, or a zero in place of a denormal. */
static bool run_ieee(struct machine *m, const struct sample *s, uint32_t *here)
{
    struct sample plain = *s;
    uint32_t flushed[CASE_WORDS];
    uint64_t before, was, is;
    bool single, denormal;
    struct insn i;

    isa_decode(&i, s->word[CASE_CODE]);
    if (s->word[CASE_COUNT] == 1 && !rounds(&i))
        return true;
    memcpy(flushed, here, sizeof flushed);
    plain.word[CASE_FPSCR + 1] &= ~FPSCR_NI;
    case_run(m, &plain, here);
    here[CASE_FPSCR + 1] |= FPSCR_NI;
    if (s->word[CASE_COUNT] != 1)
        return true;
    before = fpr_of(s->word, i.d);
    was = fpr_of(here, i.d) & MAGNITUDE;
    is = fpr_of(flushed, i.d);
    single = i.word >> 26 == 59 || i.op == OP_FRSP;
    denormal = was && was < (single ? LEAST_SINGLE : LEAST_DOUBLE);
    if (denormal && is == (fpr_of(here, i.d) & ~MAGNITUDE))
        return true;
    /* An enabled exception may have kept the target. */
    return is == fpr_of(here, i.d) && (!denormal || is == before);
}

/* An estimate is one as long as it is near: QEMU rounds it twice, and makes
 * 1/0 one half. */
static void judge_estimate(const struct sample *s, const uint32_t *here,
                           uint32_t *there)
{
    uint64_t a, b, near;
    struct insn i;

    isa_decode(&i, s->word[CASE_CODE]);
    if (s->word[CASE_COUNT] != 1 || (i.op != OP_FRES && i.op != OP_FRSQRTE))
        return;
    a = fpr_of(here, i.d);
    b = fpr_of(there, i.d);
    near = i.op == OP_FRES ? 1u << 29 : 4;
    if ((i.op == OP_FRES && !(fpr_of(s->word, i.b) & MAGNITUDE)) ||
        (a > b ? a - b : b - a) <= near)
        memcpy(&there[CASE_FPR + 2 * i.d], &here[CASE_FPR + 2 * i.d], 8);
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
        bool ok;

        case_run(m, &in[n], here);
        ok = !(in[n].word[CASE_FPSCR + 1] & FPSCR_NI) ||
             run_ieee(m, &in[n], here);
        if (!ok)
            printf("not flushed, or too much: %08x\n", in[n].word[CASE_CODE]);
        judge_detail(here, there[n]);
        judge_estimate(&in[n], here, there[n]);
        bad += !agree(&in[n], here, there[n], shown + bad < BAD_SHOWN) || !ok;
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

/* Every row with its instances, so that nobody thinks all were drawn. False:
 * one that could be was not. */
static bool print_rows(const struct maker *k, const uint64_t *count)
{
    uint64_t least = UINT64_MAX;

    for (unsigned n = 0; n < k->rows; n++) {
        uint64_t drawn = count[k->row[n]];
        least = drawn < least ? drawn : least;
        printf("%-8s%9llu%s", isa_op_name(k->row[n]), (unsigned long long)drawn,
               n % 4 == 3 ? "\n" : "   ");
    }
    printf("\nrows drawn: %u of %u, each at least %llu times\n", k->rows,
           OP_COUNT - 1, (unsigned long long)least);
    for (unsigned op = 1; op < OP_COUNT; op++)
        if (case_judge_elsewhere(op))
            printf("not drawn: %s (%s)\n", isa_op_name(op),
                   case_judge_elsewhere(op));
    return least;
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
    return !print_rows(&maker, count) || bad;
}
