/* exec_fp.c - floating-point arithmetic, moves, FPSCR (PEM 4.2.2).
 * Not there yet: with MSR[FP] on these rows are illegal.
 */
#include "isa/body.h"

static enum exc fp_absent(struct cpu *c)
{
    if (c->msr & MSR_FP)
        return program(c, SRR1_ILLEGAL);
    c->cause = 0;
    return EXC_FPUNAVAIL;
}

BODY(fadd)
{
    (void)i;
    return fp_absent(c);
}

BODY(fsub)
{
    (void)i;
    return fp_absent(c);
}

BODY(fmul)
{
    (void)i;
    return fp_absent(c);
}

BODY(fdiv)
{
    (void)i;
    return fp_absent(c);
}

BODY(fmadd)
{
    (void)i;
    return fp_absent(c);
}

BODY(fmsub)
{
    (void)i;
    return fp_absent(c);
}

BODY(fnmadd)
{
    (void)i;
    return fp_absent(c);
}

BODY(fnmsub)
{
    (void)i;
    return fp_absent(c);
}

BODY(fadds)
{
    (void)i;
    return fp_absent(c);
}

BODY(fsubs)
{
    (void)i;
    return fp_absent(c);
}

BODY(fmuls)
{
    (void)i;
    return fp_absent(c);
}

BODY(fdivs)
{
    (void)i;
    return fp_absent(c);
}

BODY(fmadds)
{
    (void)i;
    return fp_absent(c);
}

BODY(fmsubs)
{
    (void)i;
    return fp_absent(c);
}

BODY(fnmadds)
{
    (void)i;
    return fp_absent(c);
}

BODY(fnmsubs)
{
    (void)i;
    return fp_absent(c);
}

BODY(fres)
{
    (void)i;
    return fp_absent(c);
}

BODY(frsqrte)
{
    (void)i;
    return fp_absent(c);
}

BODY(fsel)
{
    (void)i;
    return fp_absent(c);
}

BODY(frsp)
{
    (void)i;
    return fp_absent(c);
}

BODY(fctiw)
{
    (void)i;
    return fp_absent(c);
}

BODY(fctiwz)
{
    (void)i;
    return fp_absent(c);
}

BODY(fmr)
{
    (void)i;
    return fp_absent(c);
}

BODY(fneg)
{
    (void)i;
    return fp_absent(c);
}

BODY(fabs)
{
    (void)i;
    return fp_absent(c);
}

BODY(fnabs)
{
    (void)i;
    return fp_absent(c);
}

BODY(fcmpu)
{
    (void)i;
    return fp_absent(c);
}

BODY(fcmpo)
{
    (void)i;
    return fp_absent(c);
}

BODY(mffs)
{
    (void)i;
    return fp_absent(c);
}

BODY(mcrfs)
{
    (void)i;
    return fp_absent(c);
}

BODY(mtfsfi)
{
    (void)i;
    return fp_absent(c);
}

BODY(mtfsf)
{
    (void)i;
    return fp_absent(c);
}

BODY(mtfsb0)
{
    (void)i;
    return fp_absent(c);
}

BODY(mtfsb1)
{
    (void)i;
    return fp_absent(c);
}
