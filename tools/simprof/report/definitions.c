/* definitions.c - the list of definitions. */
#include "tools/simprof/report/definitions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/query/filter.h"
#include "lib/base/grow.h"

#define LINE 32 /* bytes of a cache line that no log tells of */

/* Index objects that are reports of their own (ANA-90). */
static const char *const taken[] = {"threads", "cpus", "samples", "seconds"};

static void put(struct definitions *d, const char *name, const char *text,
                bool memory)
{
    d->list = grow(d->list, &d->room, d->count + 1, sizeof *d->list);
    d->list[d->count++] = (struct definition){
        .name = grow_text(name),
        .text = grow_text(text),
        .memory = memory,
        .shape = memory ? DEFINITION_MEMORY : DEFINITION_NUMBER};
}

/* By effective address, or with a p before its name by physical. */
static void put_address(struct definitions *d, const char *name, unsigned size,
                        bool physical)
{
    char text[64], called[32];

    snprintf(called, sizeof called, "%s%s", physical ? "p" : "", name);
    snprintf(text, sizeof text, "%s & ~%u", physical ? "physical" : "address",
             size - 1);
    put(d, called, text, true);
    d->list[d->count - 1].shape =
        physical ? DEFINITION_PHYSICAL : DEFINITION_ADDRESS;
    d->list[d->count - 1].size = size;
}

void definitions_machine(struct definitions *d, const struct recording *r)
{
    static const struct {
        const char *name;
        unsigned size;
    } pages[] = {{"page", 4 << 10},
                 {"page_8K", 8 << 10},
                 {"page_64K", 64 << 10},
                 {"page_512K", 512 << 10},
                 {"page_4M", 4 << 20}};
    unsigned kb = 0, ways = 0, line = LINE;
    char text[64];

    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "knob")) {
            sscanf(r->log.line[i].value, "line_bytes %u", &line);
            sscanf(r->log.line[i].value, "dcache_kb %u", &kb);
            sscanf(r->log.line[i].value, "dcache_ways %u", &ways);
        }
    if (!line || line > 4096 || line & (line - 1))
        line = LINE;
    for (int physical = 0; physical < 2; physical++) {
        put_address(d, "line", line, physical);
        for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
            put_address(d, pages[i].name, pages[i].size, physical);
    }
    put(d, "variable", "address", true);
    d->list[d->count - 1].shape = DEFINITION_VARIABLE;
    put(d, "member", "address", true);
    d->list[d->count - 1].shape = DEFINITION_MEMBER;
    if (!kb || kb > 1 << 20 || !ways || ways > kb * 1024 / line)
        return;
    snprintf(text, sizeof text, "physical / %u %% %u", line,
             kb * 1024 / line / ways);
    put(d, "set", text, true);
    d->list[d->count - 1].shape = DEFINITION_SET;
}

static bool is_name(const char *name)
{
    size_t n = 0;

    while (isalnum((unsigned char)name[n]) || name[n] == '_')
        n++;
    return n && !name[n] && !isdigit((unsigned char)name[0]);
}

bool definitions_add(struct definitions *d, const char *name, const char *text,
                     bool memory, char *why, size_t size)
{
    char wrong[FILTER_WHY];
    struct expr *e;
    bool there = definitions_find(d, name, memory) != NULL;

    for (size_t i = 0; !memory && i < sizeof taken / sizeof taken[0]; i++)
        there |= !strcmp(name, taken[i]);
    if (!is_name(name)) {
        snprintf(why, size, "%s: a name has letters, digits and _ only", name);
        return false;
    }
    if (there) {
        snprintf(why, size, "%s is defined already", name);
        return false;
    }
    e = filter_open(text, NULL, NULL, wrong, sizeof wrong);
    if (!e) {
        snprintf(why, size, "%s: %s", name, wrong);
        return false;
    }
    expr_free(e);
    put(d, name, text, memory);
    return true;
}

void definitions_free(struct definitions *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->list[i].name);
        free(d->list[i].text);
    }
    free(d->list);
    *d = (struct definitions){0};
}

const struct definition *definitions_find(const struct definitions *d,
                                          const char *name, bool memory)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->list[i].memory == memory && !strcmp(d->list[i].name, name))
            return &d->list[i];
    return NULL;
}
