/* chase.c - follows pointers round one list through 512 KB, in an order in
 * which no line holds two neighbours: each load waits for the one before it,
 * most of them miss the data cache, many the TLB.
 */
#include "tests/bench/prog/bench.h"

#define NODES 16384

const unsigned bench_steps = 9700;

struct node {
    struct node *next;
    uint32_t value[7];
};

static struct node nodes[NODES];
static struct node *at = nodes;

void bench_begin(void)
{
    /* 4099 and the number of nodes have no common divisor: one round. */
    for (uint32_t k = 0; k < NODES; k++) {
        nodes[k].next = &nodes[(k + 4099) % NODES];
        nodes[k].value[0] = k;
    }
}

__attribute__((noipa)) uint32_t bench_step(uint32_t sum)
{
    struct node *n = at;

    for (unsigned k = 0; k < 24; k++) {
        sum += n->value[0];
        n = n->next;
    }
    at = n;
    return sum;
}
