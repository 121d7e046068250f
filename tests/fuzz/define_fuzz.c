/* define_fuzz.c - any text at all as a definition of --event. It is refused
 * at a place inside the text and with one line, or it is true or false of
 * any instruction, the same when read again from the text that the log gets.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/predicate/predicate.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    uint64_t refused, defined;
} count;

static void tell(void)
{
    fprintf(stderr, "%llu refused, %llu defined\n",
            (unsigned long long)count.refused,
            (unsigned long long)count.defined);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    atexit(tell);
    return 0;
}

/* Every name that begins with a small letter is a symbol. */
static bool find(const void *arg, const char *name, uint32_t *from,
                 uint32_t *end)
{
    (void)arg;
    *from = 0x1000;
    *end = 0x1000 + (uint32_t)strlen(name);
    return name[0] >= 'a';
}

static void check(const struct expr_error *e, size_t size)
{
    assert(e->at <= size);
    assert(memchr(e->why, 0, sizeof e->why));
    assert(e->why[0] && !strchr(e->why, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct expr_error e = {0};
    struct insn_info g = {0};
    struct predicate d, again;
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    if (!predicate_parse(&d, text, &e) ||
        !predicate_resolve(&d, find, NULL, &e)) {
        check(&e, strlen(text));
        count.refused++;
    } else {
        assert(!strchr(d.text, '\n') && d.name[0]);
        assert(predicate_parse(&again, d.text, &e));
        predicate_resolve(&again, find, NULL, &e);
        for (size_t k = 0; k < 8; k++) {
            for (size_t n = 0; n < sizeof g.pc; n++)
                ((uint8_t *)&g.pc)[n] = data[(k + n) % size];
            g.latency = g.pc % 64;
            g.ranges = (uint8_t)g.pc;
            g.user = g.load = k & 1;
            assert(predicate_holds(&d, &g) == predicate_holds(&again, &g));
        }
        count.defined++;
    }
    free(text);
    return 0;
}
