/* data.c - variables of many types. Prints the address of each and what it is
 * called, as this file is compiled: the compiler judges lib/dwarf/types.c.
 * Read, too, each word often, for samples of its accesses.
 */
#include <stdint.h>
#include <stdio.h>

typedef struct {
    const char *key;
    uint32_t value;
} entry_t;

struct stats {
    uint64_t hits;
    uint32_t misses;
    struct {
        uint16_t low, high;
    } range[3];
    double mean;
};

struct bits {
    char kind;
    unsigned ready : 1;
    unsigned count : 20;
    unsigned other : 15; /* of the next unit */
    char last;
};

union number {
    uint32_t whole;
    struct {
        uint16_t high, low;
    } half;
    uint8_t byte[4];
};

struct outer {
    int tag;
    union {
        int i;
        float f;
    }; /* no name */
    struct {
        int x, y;
    };
    struct outer *next;
};

struct hole {
    char c;
    /* 7 bytes of padding */
    long long big;
};

enum colour { RED, GREEN };

int plain;
static volatile int own = 3;
const char *const words[] = {"a", "b"};
entry_t table[64];
struct stats stats;
volatile struct stats per_cpu[2][4];
struct bits bits;
union number number;
struct outer outer, chain[3];
struct hole hole;
enum colour colour;
int matrix[3][5][7];
float (*function)(int);
unsigned char text[40];
__thread int each;
extern int undefined[];
long double wide;
_Complex float complex_number;
struct {
    int first, second;
} unnamed;

static int *counter(void)
{
    static int count;

    {
        static int count; /* another */

        count++;
        printf("%p counter::count\n", (void *)&count);
    }
    return &count;
}

#define AT(what) printf("%p " #what "\n", (void *)&what)
#define INSIDE(what, offset, name)                                             \
    printf("%p " name "\n", (void *)((char *)&what + offset))

static void simple(void)
{
    AT(plain);
    AT(own);
    AT(words[1]);
    AT(table[0].key);
    AT(table[17].key);
    AT(table[63].value);
    INSIDE(table[63].value, 3, "table[63].value");
    AT(stats.hits);
    INSIDE(stats.hits, 4, "stats.hits");
    AT(stats.misses);
    AT(stats.range[2].low);
    AT(stats.range[1].high);
    AT(stats.mean);
    AT(per_cpu[1][3].misses);
    AT(per_cpu[0][1].range[0].low);
    AT(matrix[2][4][6]);
    AT(matrix[1][0][3]);
    AT(function);
    AT(text[39]);
    AT(colour);
    AT(wide);
    AT(complex_number);
    AT(unnamed.second);
}

static void shared(void)
{
    AT(bits.kind);
    AT(bits.last);
    INSIDE(number, 0, "number.(whole|half.high|byte[0])");
    INSIDE(number, 3, "number.(whole|half.low|byte[3])");
    AT(outer.tag);
    INSIDE(outer, 4, "outer.(i|f)");
    AT(outer.x);
    AT(outer.y);
    AT(chain[2].next);
    INSIDE(chain[1], 4, "chain[1].(i|f)");
    AT(hole.c);
    INSIDE(hole, 1, "hole.<padding>");
    INSIDE(hole, 7, "hole.<padding>");
    AT(hole.big);
}

/* The first unit is that of kind, too. */
static void fields(void)
{
    INSIDE(bits, 1, "bits.(ready|count)");
    INSIDE(bits, 3, "bits.(ready|count)");
    INSIDE(bits, 4, "bits.other");
    INSIDE(bits, 5, "bits.other");
    INSIDE(bits, 7, "bits.other");
}

/* Read some in memory, again and again. */
static void busy(void)
{
    volatile uint32_t *misses = &stats.misses, *value = &table[17].value;
    volatile int *cell = &matrix[1][2][3], *stays = &own;

    for (int i = 0; i < 20000; i++)
        *value = *misses + (uint32_t)*cell + (uint32_t)*stays;
}

int main(void)
{
    each++;
    simple();
    shared();
    fields();
    printf("%p counter::count\n", (void *)counter());
    busy();
    return 0;
}
