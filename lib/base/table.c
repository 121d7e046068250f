/* table.c - lays out columns; knows nothing of what they mean. */
#include "lib/base/table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"

#define GAP 2
#define UNCUT (TABLE_CSV | TABLE_NUMBER | TABLE_RIGHT | TABLE_WHOLE)
#define TEXT_PATH 256  /* bytes of a path that is cut */
#define LAST_MIN 20    /* others make room for the last column up to this */
#define TEXT_MIN 16    /* ... but are not cut to less; nor is the last one */
#define LAST_ANYHOW 24 /* the last one of a table that is too wide anyhow */
#define TEXT_LEAST 12  /* ... unless the last one has not even that */

void table_column(struct table *t, const char *heading, const char *key,
                  unsigned flags)
{
    t->column =
        grow(t->column, &t->columns_room, t->columns + 1, sizeof *t->column);
    t->column[t->columns++] = (struct table_column){
        .heading = grow_text(heading), .key = grow_text(key), .flags = flags};
}

void table_both(struct table *t, const char *text, const char *csv)
{
    t->cell = grow(t->cell, &t->cells_room, t->cells + 1, sizeof *t->cell);
    t->cell[t->cells++] = (struct table_cell){
        .text = grow_text(text), .csv = csv ? grow_text(csv) : NULL};
}

void table_shorter(struct table *t, const char *text)
{
    struct table_cell *c = &t->cell[t->cells - 1];

    if (!strcmp(text, c->forms ? c->shorter[c->forms - 1] : c->text))
        return;
    c->shorter = grow(c->shorter, &c->room, c->forms + 1, sizeof *c->shorter);
    c->shorter[c->forms++] = grow_text(text);
}

void table_number(struct table *t, const char *text, const char *csv)
{
    table_both(t, text, csv);
    t->cell[t->cells - 1].number = true;
}

void table_text(struct table *t, const char *text)
{
    table_both(t, text, NULL);
}

void table_count(struct table *t, uint64_t n)
{
    char text[TEXT_NUMBER], csv[TEXT_NUMBER];

    snprintf(csv, sizeof csv, "%" PRIu64, n);
    table_number(t, text_count(text, n), csv);
}

void table_dotted(struct table *t, uint64_t n)
{
    if (n)
        table_count(t, n);
    else
        table_number(t, ".", "0");
}

void table_percent(struct table *t, uint64_t part, uint64_t whole)
{
    char csv[TEXT_NUMBER], text[TEXT_NUMBER + 1];

    text_percent(csv, part, whole);
    snprintf(text, sizeof text, "%s%%", csv);
    table_number(t, text, csv);
}

unsigned table_width(FILE *to)
{
    struct winsize size;

    if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) ||
        !size.ws_col)
        return 80;
    return size.ws_col < 40 ? 40 : size.ws_col;
}

/* ---- text ---------------------------------------------------------------- */

/* Columns that n bytes of UTF-8 take; one a character. */
static size_t columns_of(const char *text, size_t n)
{
    size_t columns = 0;

    for (size_t i = 0; i < n && text[i]; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            columns++;
    return columns;
}

/* Bytes of text that fit into `width` columns, whole characters. */
static size_t bytes_in(const char *text, size_t width)
{
    size_t i = 0;

    for (size_t columns = 0; text[i]; i++) {
        if (((unsigned char)text[i] & 0xC0) == 0x80)
            continue;
        if (columns++ == width)
            break;
    }
    return i;
}

/* Line `line` of a heading, *n bytes of it. */
static const char *heading_line(const char *heading, unsigned line, size_t *n)
{
    while (line-- && *heading) {
        heading += strcspn(heading, "\n");
        if (*heading)
            heading++;
    }
    *n = strcspn(heading, "\n");
    return heading;
}

static unsigned heading_lines(const struct table *t)
{
    unsigned most = 1;

    for (size_t c = 0; c < t->columns; c++) {
        unsigned lines = 1;

        if (t->column[c].flags & TABLE_CSV)
            continue;
        for (const char *s = t->column[c].heading; (s = strchr(s, '\n')); s++)
            lines++;
        if (lines > most)
            most = lines;
    }
    return most;
}

static size_t heading_width(const struct table *t, size_t c, unsigned lines)
{
    size_t widest = 0, n;

    for (unsigned line = 0; line < lines; line++) {
        const char *text = heading_line(t->column[c].heading, line, &n);

        if (columns_of(text, n) > widest)
            widest = columns_of(text, n);
    }
    return widest;
}

static size_t column_width(const struct table *t, size_t c, unsigned lines)
{
    size_t widest = heading_width(t, c, lines), n;

    for (size_t i = c; i < t->cells; i += t->columns) {
        n = columns_of(t->cell[i].text, SIZE_MAX);
        if (n > widest)
            widest = n;
    }
    return widest;
}

/* A line being written: blanks wait until something follows them. */
struct line {
    FILE *to;
    size_t blanks;
};

static void put(struct line *l, const char *text, size_t n)
{
    if (!n)
        return;
    for (; l->blanks; l->blanks--)
        putc(' ', l->to);
    fwrite(text, 1, n, l->to);
}

static void put_end(struct line *l)
{
    l->blanks = 0;
    putc('\n', l->to);
}

/* Cut to `width`; of a place in a function, "name+0x1c", the end is kept. */
static void put_cut(struct line *l, const char *text, size_t width)
{
    const char *end = strrchr(text, '+');
    size_t kept = end ? strlen(end) : 0;

    if (!end || strncmp(end, "+0x", 3) != 0 || kept > width / 2)
        kept = 0;
    put(l, text, bytes_in(text, width - 2 - kept));
    put(l, "..", 2);
    if (kept)
        put(l, end, kept);
}

/* Cut to `width`, so that the byte at `differs` is seen, from the beginning of
 * its part of "f < its caller" on, if there is room. */
static void put_middle(struct line *l, const char *text, size_t width,
                       size_t differs)
{
    size_t from = differs, room = width / 2, tail;

    while (from && strncmp(text + from, "< ", 2) != 0)
        from--;
    from += from ? 2 : 0;
    if (!from || from > differs || differs - from + 4 > room)
        from = differs < 2 ? 0 : differs - 2;
    while (from && (text[from] & 0xC0) == 0x80)
        from--;
    tail = columns_of(text + from, SIZE_MAX);
    room = tail < room ? tail : room;
    put(l, text, bytes_in(text, width - 2 - room));
    put(l, "..", 2);
    if (tail <= room) {
        put(l, text + from, strlen(text + from));
        return;
    }
    put(l, text + from, bytes_in(text + from, room - 2));
    put(l, "..", 2);
}

/* A cell as wide as its column, or cut to that; `differs`: 0, or as below. */
static void put_cell(struct line *l, const char *text, size_t n, size_t width,
                     unsigned flags, size_t differs)
{
    size_t used = columns_of(text, n);
    char path[TEXT_PATH];

    if (used > width && differs) {
        put_middle(l, text, width, differs);
        l->blanks += GAP;
        return;
    }
    if (used > width && flags & TABLE_PATH && width < sizeof path) {
        text = text_path(path, width + 1, text);
        used = columns_of(text, n = strlen(text));
    } else if (used > width) {
        put_cut(l, text, width);
        l->blanks += GAP;
        return;
    }
    if (flags & (TABLE_NUMBER | TABLE_RIGHT))
        l->blanks += width - used;
    put(l, text, n);
    if (!(flags & (TABLE_NUMBER | TABLE_RIGHT)))
        l->blanks += width - used;
    l->blanks += GAP;
}

/* Where a line of at most n bytes ends: at its last blank, but a word that is
 * as long as a line is broken rather than leave half a line empty. */
static size_t break_at(const char *text, size_t n)
{
    size_t blank = n;

    while (blank && text[blank] != ' ')
        blank--;
    while (blank && text[blank - 1] == ' ')
        blank--;
    return blank > n / 2 ||
                   (blank &&
                    strcspn(text + blank + strspn(text + blank, " "), " ") <= n)
               ? blank
               : n;
}

/* The last column: cut or wrapped to `width`; further lines begin at column
 * `indent`. */
static void put_last(struct line *l, const char *text, size_t width,
                     unsigned flags, size_t indent)
{
    while (columns_of(text, SIZE_MAX) > width) {
        size_t n = bytes_in(text, width);

        if (!(flags & TABLE_WRAP)) {
            put_cut(l, text, width);
            return;
        }
        n = break_at(text, n);
        put(l, text, n);
        put_end(l);
        text += n + strspn(text + n, " ");
        l->blanks = indent;
    }
    put(l, text, strlen(text));
}

struct layout {
    size_t *width;   /* of each column */
    size_t last;     /* the last column shown */
    size_t indent;   /* where it begins */
    size_t room;     /* its width */
    size_t *differs; /* by cell that looks like another in a row that does, too:
                      * where its text is not the other's; else 0 */
};

/* The widest of the columns of text in front of the last one that may be cut;
 * `last`: none. */
static size_t widest_text(const struct table *t, const struct layout *l,
                          unsigned lines, size_t least)
{
    size_t widest = l->last;

    for (size_t c = 0; c < l->last; c++)
        if (!(t->column[c].flags & UNCUT) && l->width[c] > least &&
            l->width[c] > heading_width(t, c, lines) &&
            (widest == l->last || l->width[c] > l->width[widest]))
            widest = c;
    return widest;
}

/* The last column wants what it has, or so much; others are cut to `least`. */
static void make_room(const struct table *t, struct layout *l, unsigned lines,
                      unsigned width, size_t wants, size_t least)
{
    if (l->width[l->last] < wants)
        wants = l->width[l->last];
    while (l->indent + wants > width) {
        size_t c = widest_text(t, l, lines, least);

        if (c == l->last)
            return;
        l->width[c]--;
        l->indent--;
    }
}

static void lay_out(const struct table *t, struct layout *l, unsigned lines,
                    unsigned width)
{
    l->width = grow_zero(t->columns, sizeof *l->width);
    l->last = 0;
    for (size_t c = 0; c < t->columns; c++) {
        l->width[c] = column_width(t, c, lines);
        if (!(t->column[c].flags & TABLE_CSV))
            l->last = c;
    }
    l->indent = 0;
    for (size_t c = 0; c < l->last; c++)
        if (!(t->column[c].flags & TABLE_CSV))
            l->indent += l->width[c] + GAP;
    make_room(t, l, lines, width, LAST_MIN, TEXT_MIN);
    make_room(t, l, lines, width, TEXT_MIN, TEXT_LEAST);
    l->room = width >= l->indent + TEXT_MIN ? width - l->indent : LAST_ANYHOW;
}

/* Headings of fewer lines than others stand on the last ones. */
static void put_heading(const struct table *t, const struct layout *l,
                        struct line *to, size_t c, long line)
{
    const char *text = t->column[c].heading;
    size_t n = 0;

    for (const char *s = text; (s = strchr(s, '\n')); s++)
        line++;
    if (line >= 0)
        text = heading_line(text, (unsigned)line, &n);
    put_cell(to, text, n,
             c == l->last && l->room < l->width[c] &&
                     !(t->column[c].flags & TABLE_NUMBER)
                 ? l->room
                 : l->width[c],
             t->column[c].flags, 0);
}

static void put_headings(const struct table *t, const struct layout *l,
                         FILE *to, unsigned lines)
{
    struct line out = {.to = to};

    for (long line = 0; line < (long)lines; line++) {
        for (size_t c = 0; c <= l->last; c++)
            if (!(t->column[c].flags & TABLE_CSV))
                put_heading(t, l, &out, c, line - (long)lines + 1);
        put_end(&out);
    }
}

/* The text of the last column, in the longest form that fits. */
static const char *last_form(const struct layout *l,
                             const struct table_cell *cell)
{
    const char *text = cell->text;

    for (size_t n = 0; columns_of(text, SIZE_MAX) > l->room && n < cell->forms;
         n++)
        text = cell->shorter[n];
    return text;
}

/* Without numbers: what of it is text. */
static void put_row(const struct table *t, const struct layout *l, FILE *to,
                    size_t first, bool numbers)
{
    const struct table_cell *row = &t->cell[first];
    struct line out = {.to = to};
    unsigned flags;
    size_t c;

    for (c = 0; c < l->last; c++) {
        flags = t->column[c].flags;
        if (!(flags & TABLE_CSV) &&
            (numbers || !(flags & (TABLE_NUMBER | TABLE_RIGHT))))
            put_cell(&out, row[c].text, strlen(row[c].text), l->width[c], flags,
                     l->differs[first + c]);
    }
    flags = t->column[c].flags;
    if (flags & TABLE_NUMBER)
        put_cell(&out, row[c].text, strlen(row[c].text), l->width[c], flags, 0);
    else if (l->differs[first + c] &&
             columns_of(row[c].text, SIZE_MAX) > l->room)
        put_middle(&out, row[c].text, l->room, l->differs[first + c]);
    else
        put_last(&out, last_form(l, &row[c]), l->room, flags, l->indent);
    put_end(&out);
}

/* ---- rows that look the same --------------------------------------------- */

struct look {
    char *row;        /* its text as it would be printed */
    const char *text; /* of one column, whole */
    size_t first;     /* its first cell */
};

static int by_row(const void *a, const void *b)
{
    const struct look *x = a, *y = b;
    int order = strcmp(x->row, y->row);

    return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int by_text(const void *a, const void *b)
{
    const struct look *x = a, *y = b;

    return strcmp(x->text, y->text);
}

static size_t common(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* Of rows that look the same, by the text of a column: where one stops to be
 * the next one that has another text. */
static size_t until_next(const struct look *one, const struct look *next,
                         size_t known)
{
    return strcmp(one->text, next->text) ? common(one->text, next->text)
                                         : known;
}

/* Where rows that look the same differ from the most alike that has another
 * text in a column. */
static void find_differing(const struct table *t, struct layout *l,
                           struct look *look, size_t count)
{
    for (size_t c = 0; count > 1 && c <= l->last; c++) {
        size_t same = 0;

        if (t->column[c].flags & (UNCUT | TABLE_PATH | TABLE_WRAP))
            continue;
        for (size_t n = 0; n < count; n++)
            look[n].text = t->cell[look[n].first + c].text;
        qsort(look, count, sizeof *look, by_text);
        for (size_t n = 1; n < count; n++) {
            same = until_next(&look[n], &look[n - 1], same);
            l->differs[look[n].first + c] = same;
        }
        same = 0;
        for (size_t n = count - 1; n-- > 0;) {
            size_t *is = &l->differs[look[n].first + c];

            same = until_next(&look[n], &look[n + 1], same);
            *is = same > *is ? same : *is;
        }
    }
}

static void find_twins(const struct table *t, struct layout *l)
{
    size_t rows = t->cells / t->columns, size;
    struct look *look = grow_zero(rows + 1, sizeof *look);

    l->differs = grow_zero(t->cells + 1, sizeof *l->differs);
    for (size_t n = 0; n < rows; n++) {
        FILE *to = open_memstream(&look[n].row, &size);

        look[n].first = n * t->columns;
        put_row(t, l, to, look[n].first, false);
        fclose(to);
    }
    qsort(look, rows, sizeof *look, by_row);
    for (size_t n = 0, end; n < rows; n = end) {
        for (end = n + 1; end < rows && !strcmp(look[end].row, look[n].row);)
            end++;
        find_differing(t, l, &look[n], end - n);
    }
    for (size_t n = 0; n < rows; n++)
        free(look[n].row);
    free(look);
}

void table_print(const struct table *t, FILE *to, unsigned width)
{
    unsigned lines = heading_lines(t);
    struct layout l;

    assert(t->columns && t->cells % t->columns == 0);
    lay_out(t, &l, lines, width);
    find_twins(t, &l);
    put_headings(t, &l, to, lines);
    for (size_t i = 0; i < t->cells; i += t->columns)
        put_row(t, &l, to, i, true);
    free(l.width);
    free(l.differs);
}

/* ---- CSV ----------------------------------------------------------------- */

static void put_csv(FILE *to, const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

/* One line of CSV: the headings if row is NULL. */
static void put_csv_row(const struct table *t, FILE *to,
                        const struct table_cell *row)
{
    bool first = true;

    for (size_t c = 0; c < t->columns; c++) {
        if (t->column[c].flags & TABLE_TEXT)
            continue;
        if (!first)
            putc(',', to);
        first = false;
        if (!row)
            put_csv(to, t->column[c].key);
        else
            put_csv(to, row[c].csv ? row[c].csv : row[c].text);
    }
    putc('\n', to);
}

void table_print_csv(const struct table *t, FILE *to)
{
    assert(t->columns && t->cells % t->columns == 0);
    put_csv_row(t, to, NULL);
    for (size_t i = 0; i < t->cells; i += t->columns)
        put_csv_row(t, to, &t->cell[i]);
}

void table_free(struct table *t)
{
    for (size_t c = 0; c < t->columns; c++) {
        free(t->column[c].heading);
        free(t->column[c].key);
    }
    for (size_t i = 0; i < t->cells; i++) {
        free(t->cell[i].text);
        free(t->cell[i].csv);
        for (size_t n = 0; n < t->cell[i].forms; n++)
            free(t->cell[i].shorter[n]);
        free(t->cell[i].shorter);
    }
    free(t->column);
    free(t->cell);
    *t = (struct table){0};
}
