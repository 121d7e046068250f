/* work.c - a program that figures of docs/fidelity.md are of: arithmetic,
 * branches, calls and memory in the mix of ordinary integer code. Bare metal
 * (entry _start, status by return) or, with HOSTED, a Linux program. ROUNDS
 * sets the length.
 */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 20
#endif

#define WORDS 4096  /* 16 KB: lives in the data cache */
#define NODES 32768 /* 256 KB: does not */

struct node {
    struct node *next;
    uint32_t value;
};

static uint32_t table[WORDS];
static struct node nodes[NODES];

static uint32_t mix(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/* Shift, add, multiply: no memory. */
static uint32_t arithmetic(uint32_t x)
{
    uint32_t sum = 0;
    for (int i = 0; i < 4000; i++) {
        x = mix(x);
        sum += x * 2654435761u + (x >> 7);
    }
    return sum;
}

/* Insertion sort of 128 words: branches that depend on data. */
static uint32_t sorting(uint32_t x)
{
    for (int i = 0; i < 128; i++)
        table[i] = x = mix(x);
    for (int i = 1; i < 128; i++) {
        uint32_t key = table[i];
        int j = i;
        for (; j > 0 && table[j - 1] > key; j--)
            table[j] = table[j - 1];
        table[j] = key;
    }
    return table[64];
}

/* Sums and copies through the cache. */
static uint32_t streaming(uint32_t x)
{
    uint32_t sum = x;
    for (int i = 0; i < WORDS; i++)
        table[i] += sum + i;
    for (int i = 0; i < WORDS; i++)
        sum = sum * 31 + table[i];
    return sum;
}

/* A list longer than the cache, in an order that no line holds two of. */
static uint32_t chasing(int steps)
{
    uint32_t sum = 0;
    for (const struct node *n = nodes; steps-- > 0; n = n->next)
        sum += n->value;
    return sum;
}

static __attribute__((noinline)) uint32_t calling(uint32_t n)
{
    return n < 2 ? n : calling(n - 1) + calling(n - 2);
}

static uint32_t work(void)
{
    uint32_t sum = 1;
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i].next = &nodes[(i + 4099) % NODES];
        nodes[i].value = i;
    }
    for (int round = 0; round < ROUNDS; round++) {
        sum += arithmetic(sum | 1);
        sum += sorting(sum | 1);
        sum += streaming(sum);
        sum += chasing(4000);
        sum += calling(15);
    }
    return (sum ^ sum >> 16) & 0x3F;
}

#ifdef HOSTED
int main(void)
{
    return (int)work();
}
#else
int _start(void);
int _start(void)
{
    return (int)work();
}
#endif
