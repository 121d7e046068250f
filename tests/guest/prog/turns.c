/* turns.c - so many rounds of two functions that call nothing, and a line: what
 * is executed follows from the argument alone.
 */
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sink;

__attribute__((noinline)) static void hot(unsigned n)
{
    while (n--)
        sink += n;
}

__attribute__((noinline)) static void warm(unsigned n)
{
    while (n--)
        sink ^= n;
}

int main(int argc, char **argv)
{
    for (int rounds = argc > 1 ? atoi(argv[1]) : 1; rounds > 0; rounds--) {
        hot(100);
        warm(20);
    }
    return write(1, "turns\n", 6) != 6;
}
