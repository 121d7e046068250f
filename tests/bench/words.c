/* words.c - what `make bench-pif` marks: counts the words of a text that it
 * makes up, sorts them and prints the most frequent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 512
#define LETTERS 4

struct word {
    char text[8];
    unsigned count;
};

struct word table[SLOTS];
unsigned words;

static unsigned number(unsigned n)
{
    static unsigned seed = 1;

    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % n;
}

__attribute__((noipa)) unsigned hash(const char *text)
{
    unsigned h = 5381;

    for (; *text; text++)
        h = h * 33 ^ (unsigned char)*text;
    return h % SLOTS;
}

__attribute__((noipa)) void count(const char *text)
{
    unsigned at = hash(text);

    while (table[at].count && strcmp(table[at].text, text) != 0)
        at = (at + 1) % SLOTS;
    strcpy(table[at].text, text);
    table[at].count++;
    words++;
}

__attribute__((noipa)) int by_count(const void *a, const void *b)
{
    const struct word *x = a, *y = b;

    return x->count != y->count ? (x->count < y->count ? 1 : -1)
                                : strcmp(x->text, y->text);
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;

    while (n--) {
        char text[8];
        unsigned k = 0, length = 1 + number(3);

        while (k < length)
            text[k++] = (char)('a' + number(LETTERS));
        text[k] = '\0';
        count(text);
    }
    qsort(table, SLOTS, sizeof *table, by_count);
    for (unsigned k = 0; k < 5; k++)
        printf("%u %s\n", table[k].count, table[k].text);
    return words != 0;
}
