/* table.h - a table as text for a terminal, or as comma-separated values.
 *
 * Numbers stand right, text left. The last column takes what room the others
 * leave in the width; text that does not fit there is given in the longest of
 * its shorter forms that does, else cut at its end with "..", or wrapped
 * between words in a column made with TABLE_WRAP. Where there is no room for it
 * the other columns of text are cut, too. Rows that would look the same then,
 * but for numbers, are cut in the middle: where their texts differ is shown.
 * CSV has every column, plain numbers and a header line, and nothing is cut.
 */
#ifndef LIB_BASE_TABLE_H
#define LIB_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum table_flag {
    TABLE_NUMBER = 1, /* right-aligned; CSV has plain numbers or nothing */
    TABLE_WRAP = 2,
    TABLE_CSV = 4,    /* a column for CSV only */
    TABLE_TEXT = 8,   /* a column for text only */
    TABLE_RIGHT = 16, /* right-aligned, and no numbers: addresses */
    TABLE_PATH = 32,  /* a path, which is cut at its beginning */
    TABLE_WHOLE = 64  /* to be copied: never cut, unless it is the last one */
};

struct table_column {
    char *heading, *key; /* for text, for CSV */
    unsigned flags;
};

struct table_cell {
    char *text, *csv;   /* csv NULL: the same as text */
    char **shorter;     /* for the last column, the longest one first */
    size_t forms, room; /* of those */
    bool number;        /* csv is plain digits, perhaps with a point */
};

struct table {
    struct table_column *column;
    size_t columns, columns_room;
    struct table_cell *cell; /* row after row */
    size_t cells, cells_room;
};

/* All zero is an empty table. First the columns, then the cells, row by row
 * from left to right; every row must be whole. heading "a\nb" is two lines.
 * key is the column's name in CSV. */
void table_column(struct table *t, const char *heading, const char *key,
                  unsigned flags);

void table_text(struct table *t, const char *text);
/* Text and CSV differ. */
void table_both(struct table *t, const char *text, const char *csv);
/* A shorter form of the text of the last cell; each must be no longer than the
 * one before. */
void table_shorter(struct table *t, const char *text);
/* The same of numbers: csv is plain digits, perhaps with a point. */
void table_number(struct table *t, const char *text, const char *csv);
/* "12,345"; CSV: 12345. */
void table_count(struct table *t, uint64_t n);
/* As table_count, but 0 is "." in text. */
void table_dotted(struct table *t, uint64_t n);
/* "12.3%"; CSV: 12.3. */
void table_percent(struct table *t, uint64_t part, uint64_t whole);

void table_print(const struct table *t, FILE *to, unsigned width);
void table_print_csv(const struct table *t, FILE *to);
void table_free(struct table *t);

/* The width of the terminal that `to` is; 80 if it is none. Not under 40. */
unsigned table_width(FILE *to);

#endif
