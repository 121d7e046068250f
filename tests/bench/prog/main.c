/* main.c - runs the steps of a program that `make bench` times: as many units
 * of length as its argument says. What it prints depends on every step.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/prog/bench.h"

int main(int argc, char **argv)
{
    unsigned long units = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    uint32_t sum = 1;

    bench_begin();
    while (units--) {
        for (unsigned k = 0; k < bench_steps; k++)
            sum = bench_step(sum);
    }
    printf("%08lx\n", (unsigned long)sum);
    return 0;
}
