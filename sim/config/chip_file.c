/* chip_file.c - chip tables out of files, and rows as text. See chip_file.h. */
#include "sim/config/chip_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

static const char *const class_names[CLASS_COUNT] = {
#define CLASS(name, text) [CLASS_##name] = #name,
#include "isa/class.def"
#undef CLASS
};

static const struct {
    const char *name;
    unsigned bit;
} orders[] = {{"EXEC", EXEC},
              {"HOLD", HOLD},
              {"REFETCH", REFETCH},
              {"LOCK", LOCK},
              {"EARLY", EARLY}};

#define ORDERS (sizeof orders / sizeof orders[0])

void chip_text(const struct chip_table *t, unsigned class, char text[64])
{
    const struct chip *r = &t->row[class];
    int n = snprintf(text, 64, "%s %s %u %u ", class_names[class],
                     chip_unit_name(r->unit), r->latency, r->repeat);

    if (!r->order)
        strcpy(text + n, "0");
    for (unsigned k = 0; k < ORDERS; k++)
        if (r->order & orders[k].bit)
            n += snprintf(text + n, (size_t)(64 - n), "%s%s",
                          text[n - 1] == ' ' ? "" : "|", orders[k].name);
}

/* The class or the unit of a name, or -1. */
static int find_class(const char *word)
{
    for (unsigned k = 1; k < CLASS_COUNT; k++)
        if (strcmp(class_names[k], word) == 0)
            return (int)k;
    return -1;
}

static int find_unit(const char *word)
{
    for (unsigned k = 0; k < UNIT_COUNT; k++)
        if (strcmp(chip_unit_name(k), word) == 0)
            return (int)k;
    return -1;
}

static bool cycles_of(const char *word, unsigned most, uint8_t *value)
{
    uint64_t n;

    if (!text_number(word, &n) || n < 1 || n > most)
        return false;
    *value = (uint8_t)n;
    return true;
}

static bool order_of(char *words, uint8_t *order)
{
    char *word;

    *order = 0;
    if (strcmp(words, "0") == 0)
        return true;
    while ((word = strsep(&words, "|"))) {
        unsigned k = 0;

        while (k < ORDERS && strcmp(orders[k].name, word) != 0)
            k++;
        if (k == ORDERS)
            return false;
        *order |= (uint8_t)orders[k].bit;
    }
    return true;
}

static bool is_fixed(unsigned unit)
{
    return unit == UNIT_LSU || unit == UNIT_BPU || unit == UNIT_NONE;
}

/* One row, its words apart. NULL, or what is wrong with it. */
static const char *set_row(struct chip_table *t, char *const word[5])
{
    int class = find_class(word[0]);
    int unit = find_unit(word[1]);
    struct chip r;

    if (class < 0)
        return "no such class of work (isa/class.def)";
    if (unit < 0 || unit == UNIT_SCIU1)
        return "no such unit: SCIU, MCIU, LSU, FPU, BPU, CRU";
    r.unit = (uint8_t)unit;
    if (r.unit != t->row[class].unit &&
        (is_fixed(r.unit) || is_fixed(t->row[class].unit)))
        return "loads, stores and branches stay in their units, and others "
               "out of them";
    if (!cycles_of(word[2], 255, &r.latency))
        return "the latency must be 1 to 255 cycles";
    if (!cycles_of(word[3], 63, &r.repeat))
        return "the repeat must be 1 to 63 cycles";
    if (!order_of(word[4], &r.order))
        return "the order must be 0, or EXEC, HOLD, REFETCH, LOCK, "
               "EARLY joined by |";
    t->row[class] = r;
    return NULL;
}

/* A line, comments gone. NULL, or what is wrong. */
static const char *read_line(struct chip_table *t, char *line)
{
    char *word[5], *rest, *save = NULL;
    unsigned n = 0;

    if (strncmp(line, "CHIP(", 5) == 0)
        line += 5;
    /* Blanks around | would make words of what is one. */
    for (char *from = rest = line; (*rest = *from); from++)
        if (!(*from == ' ' &&
              (from[1] == '|' || (rest > line && rest[-1] == '|'))))
            rest++;
    for (char *w = strtok_r(line, " \t,)\r\n", &save); w;
         w = strtok_r(NULL, " \t,)\r\n", &save)) {
        if (n == 5)
            return "too many words: CLASS UNIT LATENCY REPEAT ORDER";
        word[n++] = w;
    }
    if (n == 0)
        return NULL;
    if (n < 5)
        return "too few words: CLASS UNIT LATENCY REPEAT ORDER";
    return set_row(t, word);
}

/* Cut C comments out of a line; *inside says whether one is open. */
static void cut_comments(char *line, bool *inside)
{
    char *to = line;

    for (char *from = line; *from; from++) {
        if (*inside && from[0] == '*' && from[1] == '/') {
            *inside = false;
            from++;
        } else if (!*inside && from[0] == '/' && from[1] == '*') {
            *inside = true;
            from++;
        } else if (!*inside) {
            *to++ = *from;
        }
    }
    *to = '\0';
}

/* Is a line that fgets gave no whole one of a text? NULL: it is. */
static const char *line_fault(FILE *f, const char *line, size_t size)
{
    size_t length = strlen(line);

    if (length && (line[length - 1] == '\n' || feof(f)))
        return NULL;
    return length + 1 == size ? "the line is too long" : "is no text";
}

bool chip_read(struct chip_table *t, const char *path, char *why, size_t size)
{
    char line[512];
    bool inside = false;
    unsigned number = 0;
    FILE *f = fopen(path, "re");

    if (!f) {
        snprintf(why, size, "%s: cannot be read: %s", path, strerror(errno));
        return false;
    }
    while (fgets(line, sizeof line, f)) {
        const char *wrong;

        number++;
        wrong = line_fault(f, line, sizeof line);
        if (!wrong)
            cut_comments(line, &inside);
        if (!wrong)
            wrong = *line == '#' ? NULL : read_line(t, line);
        if (wrong) {
            snprintf(why, size, "%s:%u: %s", path, number, wrong);
            fclose(f);
            return false;
        }
    }
    if (ferror(f)) {
        snprintf(why, size, "%s: cannot be read: %s", path, strerror(errno));
        fclose(f);
        return false;
    }
    fclose(f);
    return true;
}
