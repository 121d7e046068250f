/* libm.c - a few functions for programs that are compared with qemu-ppc:
 * the C library's own begin with an instruction (mffscrni) that a PowerPC
 * without it runs as mffs, and that QEMU refuses. Good to a few units in
 * the last place, and the same bits wherever IEEE arithmetic is.
 */
double sin(double x);
double cos(double x);
double tan(double x);
double atan(double x);
double floor(double x);
double ceil(double x);

static double reduce(double x, int *quarter)
{
    double n = x * 0.63661977236758134308;

    n = (double)(long)(n < 0 ? n - 0.5 : n + 0.5);
    *quarter = (int)(long)n & 3;
    return (x - n * 1.5707963267341256) - n * 6.0771005065061922e-11;
}

static double sine(double x)
{
    double term = x, sum = x;

    for (int i = 3; i < 23; i += 2) {
        term *= -x * x / (i * (i - 1));
        sum += term;
    }
    return sum;
}

static double cosine(double x)
{
    double term = 1, sum = 1;

    for (int i = 2; i < 22; i += 2) {
        term *= -x * x / (i * (i - 1));
        sum += term;
    }
    return sum;
}

double sin(double x)
{
    int quarter;
    double r = reduce(x, &quarter);
    double v = quarter & 1 ? cosine(r) : sine(r);

    return quarter & 2 ? -v : v;
}

double cos(double x)
{
    int quarter;
    double r = reduce(x, &quarter);
    double v = quarter & 1 ? sine(r) : cosine(r);

    return quarter == 1 || quarter == 2 ? -v : v;
}

double tan(double x)
{
    return sin(x) / cos(x);
}

double atan(double x)
{
    double add = 0, term, sum, sign = x < 0 ? -1 : 1;

    x = x < 0 ? -x : x;
    if (x > 1) {
        add = 1.5707963267948966;
        sign = -sign;
        x = 1 / x;
    }
    x = x / (1 + __builtin_sqrt(1 + x * x)); /* half the angle, twice */
    x = x / (1 + __builtin_sqrt(1 + x * x));
    term = sum = x;
    for (int i = 3; i < 31; i += 2) {
        term *= -x * x;
        sum += term / i;
    }
    sum *= 4;
    return add != 0 ? -sign * (add - sum) : sign * sum;
}

double floor(double x)
{
    double whole;

    if (!(x > -4503599627370496.0 && x < 4503599627370496.0))
        return x;
    whole = (double)(long long)x;
    return whole > x ? whole - 1 : whole;
}

double ceil(double x)
{
    return -floor(-x);
}
