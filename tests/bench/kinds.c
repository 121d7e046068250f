/* kinds.c - the kinds of work that benchmarks of embedded processors put
 * together, each by itself, in the first-level caches: a list searched and
 * turned round, a product of matrices, a machine of states that reads text, a
 * checksum by bits. A bare program; prints, for each, the cycles, instructions
 * and wrong guesses of branches of a step (an element, a product, a character,
 * a bit). docs/timing.md says what they are for. With HOSTED, the same kinds as
 * a program that `make bench` times.
 */
#include <stdint.h>

#include "include/board.h"

#define NODES 40
#define SIDE 9
#define TEXT 600
#define ROUNDS 20

/* Selectors of PMC1, and of PMC2. */
#define CYCLES 1
#define WRONG_GUESSES 7
#define INSTRUCTIONS 2

struct node {
    struct node *next;
    const int16_t *key;
};

static struct node nodes[NODES];
static int16_t keys[NODES];
static int16_t left[SIDE][SIDE], right[SIDE][SIDE];
static int32_t product[SIDE][SIDE];
static char text[TEXT + 1];
static volatile uint32_t result;

/* The last element, then the list from its other end. */
static unsigned list(void)
{
    struct node *head = nodes, *turned = 0;
    const struct node *at = head;

    while (at && *at->key != NODES)
        at = at->next;
    result = (uint32_t)(at - nodes);
    while (head) {
        struct node *next = head->next;
        head->next = turned;
        turned = head;
        head = next;
    }
    for (unsigned k = 0; k + 1 < NODES; k++)
        nodes[k].next = &nodes[k + 1];
    nodes[NODES - 1].next = 0;
    return NODES;
}

static unsigned matrix(void)
{
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++) {
            int32_t sum = 0;
            for (unsigned k = 0; k < SIDE; k++)
                sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
    result = (uint32_t)product[result % SIDE][result % SIDE];
    return SIDE * SIDE * SIDE;
}

enum state { START, SIGN, WHOLE, PART, POWER, BAD };

static enum state after(enum state s, char c)
{
    switch (s) {
    case START:
        if (c == '+' || c == '-')
            return SIGN;
        /* fall through */
    case SIGN:
        if (c >= '0' && c <= '9')
            return WHOLE;
        return c == '.' ? PART : BAD;
    case WHOLE:
        if (c == '.')
            return PART;
        /* fall through */
    case PART:
        if (c == 'e')
            return POWER;
        return c >= '0' && c <= '9' ? s : BAD;
    default:
        return c >= '0' && c <= '9' ? s : BAD;
    }
}

static unsigned states(void)
{
    uint32_t ended[BAD + 1] = {0};
    enum state s = START;

    for (const char *p = text; *p; p++) {
        if (*p == ',') {
            ended[s]++;
            s = START;
        } else {
            s = after(s, *p);
        }
    }
    result = ended[WHOLE] ^ ended[PART] << 8 ^ ended[BAD] << 16;
    return TEXT;
}

static unsigned checksum(void)
{
    uint32_t sum = 0;

    for (unsigned k = 0; k < 64; k++) {
        uint32_t byte = (uint8_t)text[k];
        for (unsigned bit = 0; bit < 8; bit++) {
            uint32_t odd = (sum ^ byte) & 1;
            byte >>= 1;
            sum >>= 1;
            if (odd)
                sum ^= 0xA001;
        }
    }
    result = sum;
    return 64 * 8;
}

/* What they work on. */
static void begin(void)
{
    static const char numbers[] = "5012,-874,+122,35.544,.12345,-110.7,"
                                  "5.5e3,T0.3e-1,-.T++,34.0e12,1T3,";
    uint32_t x = 12345;

    for (unsigned k = 0; k < NODES; k++) {
        keys[k] = (int16_t)(k + 1);
        nodes[k].key = &keys[k];
        nodes[k].next = k + 1 < NODES ? &nodes[k + 1] : 0;
    }
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++) {
            x = x * 1664525 + 1013904223;
            left[i][j] = (int16_t)(x >> 24);
            right[i][j] = (int16_t)(x >> 16);
        }
    for (unsigned k = 0; k < TEXT; k++)
        text[k] = numbers[k % (sizeof numbers - 1)];
}

#ifdef HOSTED
#include "tests/bench/prog/bench.h"

const unsigned bench_steps = 54;

void bench_begin(void)
{
    begin();
}

__attribute__((noipa)) uint32_t bench_step(uint32_t sum)
{
    static unsigned (*const kind[])(void) = {list, matrix, states, checksum};

    for (unsigned k = 0; k < 4; k++) {
        kind[k]();
        text[sum % TEXT] ^= 1;
        sum = sum * 31 + result;
    }
    return sum;
}
#else
static void put(char c)
{
    *(volatile char *)BOARD_UART = c;
}

static void put_text(const char *s)
{
    while (*s)
        put(*s++);
}

static void put_number(uint32_t n)
{
    if (n > 9)
        put_number(n / 10);
    put((char)('0' + n % 10));
}

/* " 1.23" */
static void put_ratio(uint32_t n, uint32_t of)
{
    put(' ');
    put_number(n / of);
    put('.');
    put_number(n % of * 10 / of);
    put_number(n % of * 100 / of % 10);
}

/* Steps done; *first and *second: what PMC1, told what to count, and PMC2,
 * instructions, counted meanwhile. */
static uint32_t count(uint32_t event, unsigned (*work)(void), uint32_t *first,
                      uint32_t *second)
{
    uint32_t steps = 0, from[2];

    __asm__ volatile("mtspr 952,%0" : : "r"(event << 6 | INSTRUCTIONS));
    work();
    __asm__ volatile("mfspr %0,953; mfspr %1,954"
                     : "=r"(from[0]), "=r"(from[1]));
    for (unsigned k = 0; k < ROUNDS; k++)
        steps += work();
    __asm__ volatile("mfspr %0,953; mfspr %1,954"
                     : "=r"(*first), "=r"(*second));
    *first -= from[0];
    *second -= from[1];
    return steps;
}

static void measure(const char *name, unsigned (*work)(void))
{
    uint32_t cycles, insns, guesses, steps;

    count(CYCLES, work, &cycles, &insns);
    steps = count(WRONG_GUESSES, work, &guesses, &insns);
    put_text(name);
    put_ratio(cycles, steps);
    put_ratio(insns, steps);
    put_ratio(guesses, steps);
    put('\n');
}

int _start(void)
{
    begin();
    measure("list", list);
    measure("matrix", matrix);
    measure("states", states);
    measure("checksum", checksum);
    return 0;
}
#endif
