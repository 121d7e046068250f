/* experiment_corpus.c - what experiment_fuzz.c begins with: every file of a
 * sound experiment as an input.
 *
 *   experiment_corpus EXPERIMENT CORPUS
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/experiment_files.h"
#include "tests/lib/expfuzz.h"

static void put_input(const char *from, const char *to, unsigned number)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    int c;

    if (!in || !out) {
        perror(in ? to : from);
        exit(1);
    }
    putc((int)number, out);
    while ((c = getc(in)) != EOF)
        putc(c, out);
    fclose(in);
    if (fclose(out)) {
        perror(to);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    char from[4096], to[4096];

    if (argc != 3)
        return 2;
    expfuzz_make(argv[1]);
    for (unsigned i = 0;
         i < sizeof experiment_files / sizeof experiment_files[0]; i++) {
        snprintf(from, sizeof from, "%s/%s", argv[1], experiment_files[i]);
        snprintf(to, sizeof to, "%s/%u", argv[2], i);
        put_input(from, to, i);
    }
    return 0;
}
