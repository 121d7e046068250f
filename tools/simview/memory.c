/* memory.c - lines of memory: which CPUs store to which words, and what was in
 * the data caches at the end, sets by ways. Rows are those of
 * `simprof cache-lines`, one a line and CPU.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/simview/panels.h"

#define HIGH 18
#define CELL 15    /* of a word, across */
#define COUNTS 150 /* pixels of the numbers */
#define WORDS 16   /* of a line, at most */
#define FRAME 3    /* pixels of a frame in a map, down */
#define CPUS 8
#define BLACK 0x000000

/* Told apart by people who see few colours, after Okabe and Ito. */
static const colour cpus[CPUS] = {0x56B4E9, 0xE69F00, 0x009E73, 0xCC79A7,
                                  0xF0E442, 0x0072B2, 0xD55E00, 0x999999};

static int64_t number(const json_t *row, const char *key)
{
    return json_integer_value(json_object_get(row, key));
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));

    return text ? text : "";
}

/* Rows first to first + count are of one line. */
struct touched {
    size_t first, count;
    int64_t taken, cycles;
    unsigned stored[WORDS], loaded[WORDS]; /* a bit for each CPU */
    int words;
};

static bool same(const json_t *a, const json_t *b)
{
    return number(a, "stretch") == number(b, "stretch") &&
           !strcmp(text_of(a, "address"), text_of(b, "address"));
}

/* The line that begins with row `first`. */
static struct touched line_at(const json_t *rows, size_t first)
{
    const json_t *begin = json_array_get(rows, first), *row;
    struct touched l = {.first = first};

    while ((row = json_array_get(rows, first + l.count)) && same(row, begin)) {
        const char *words = text_of(row, "words");
        unsigned bit = 1u << (number(row, "cpu") & 31);

        l.words = (int)SDL_min(strlen(words), WORDS);
        for (int w = 0; w < l.words; w++) {
            l.stored[w] |= strchr("wb", words[w]) ? bit : 0;
            l.loaded[w] |= words[w] != '.' ? bit : 0;
        }
        l.taken += number(row, "taken");
        l.cycles += number(row, "cycles");
        l.count++;
    }
    return l;
}

/* Those that a CPU touched, which come first in each stretch. */
static bool is_touched(const json_t *rows, size_t first)
{
    return strcmp(text_of(json_array_get(rows, first), "sharing"), "held") != 0;
}

/* A word: the colours of the CPUs that store to it, side by side. */
static void word(struct ui *u, struct box b, unsigned stored, unsigned loaded)
{
    int writers = __builtin_popcount(stored), n = 0;
    char letter[2] = "";

    canvas_fill(u->c, b, u->theme.well);
    for (unsigned cpu = 0; cpu < 32; cpu++) {
        struct box part = b;

        if (!(stored >> cpu & 1))
            continue;
        part.x += b.w * n / writers;
        part.w = b.w * (n + 1) / writers - b.w * n / writers;
        canvas_fill(u->c, part, cpus[cpu % CPUS]);
        letter[0] = writers > 1 ? '*' : (char)('0' + cpu % 10);
        n++;
    }
    if (!writers && loaded)
        letter[0] = 'r';
    if (letter[0])
        canvas_text(u->c, CANVAS_MONO, b.x + b.w / 2 - 4, b.y - 1, b.w,
                    writers ? BLACK : u->theme.faint, letter);
}

/* "0 loads 12, stores 12; 1 ...". */
static void hint(struct ui *u, const json_t *rows, const struct touched *l,
                 struct box b)
{
    char text[UI_TIP];
    size_t used = 0;

    text[0] = '\0';
    for (size_t k = l->first; k < l->first + l->count && used < sizeof text;
         k++) {
        const json_t *row = json_array_get(rows, k);

        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "%sCPU %" PRId64 " loads %" PRId64 ", stores %" PRId64
            ", takes it %" PRId64 " times, %" PRId64 " falsely%s%s",
            k > l->first ? "; " : "", number(row, "cpu"), number(row, "loads"),
            number(row, "stores"), number(row, "taken"), number(row, "apart"),
            *text_of(row, "state") ? ", has it " : "", text_of(row, "state"));
    }
    ui_area(u, b, DEED_NONE, 0, "%s", text);
}

static void draw_line(struct ui *u, const json_t *rows, const struct touched *l,
                      struct box b)
{
    const json_t *row = json_array_get(rows, l->first);
    char text[600], taken[UI_NUMBER], cycles[UI_NUMBER];
    int x = b.x + COUNTS;

    ui_count(l->taken, taken);
    ui_count(l->cycles, cycles);
    canvas_text(u->c, CANVAS_MONO,
                b.x + 60 - canvas_width(u->c, CANVAS_MONO, taken), b.y, 80,
                u->theme.ink, taken);
    canvas_text(u->c, CANVAS_MONO,
                b.x + COUNTS - 10 - canvas_width(u->c, CANVAS_MONO, cycles),
                b.y, 90, u->theme.ink, cycles);
    for (int w = 0; w < l->words; w++, x += CELL)
        word(u, (struct box){x, b.y + 1, CELL - 1, b.h - 3}, l->stored[w],
             l->loaded[w]);
    x = b.x + COUNTS + SDL_max(l->words, 8) * CELL + 8;
    snprintf(text, sizeof text, "%s  %s%s%s", text_of(row, "address"),
             text_of(row, "sharing"), *text_of(row, "variable") ? ": " : "",
             text_of(row, "variable"));
    canvas_text(u->c, CANVAS_MONO, x, b.y, b.x + b.w - x, u->theme.ink, text);
    hint(u, rows, l, b);
}

/* ---- sets by ways -------------------------------------------------------- */

struct maps {
    int64_t sets, ways;
    unsigned cpus; /* a bit for each that has a line */
};

/* Of the last stretch: what each cache had when it ended. */
static struct maps measure(const json_t *rows, int64_t stretch)
{
    struct maps m = {1, 1, 0};
    const json_t *row;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        int64_t set = number(row, "set"), way = number(row, "way");

        if (number(row, "stretch") != stretch || !*text_of(row, "state") ||
            set < 0 || set >= 65536 || way < 0 || way >= 64)
            continue;
        while (set >= m.sets)
            m.sets *= 2;
        m.ways = SDL_max(m.ways, way + 1);
        m.cpus |= 1u << (number(row, "cpu") & 31);
    }
    return m;
}

/* Modified strong, exclusive plain, shared half. */
static void frame(struct ui *u, struct box b, int64_t cpu, char state)
{
    colour ink = cpus[cpu % CPUS];

    if (state == 'M')
        canvas_fill(u->c, b, ink);
    else if (state == 'E')
        canvas_shade(u->c, b, ink);
    else
        canvas_fill(u->c, b, u->theme.line);
}

static int map_height(const struct maps *m)
{
    return (int)m->ways * FRAME + 6;
}

static void draw_maps(struct ui *u, const json_t *rows, int64_t stretch,
                      const struct maps *m, struct box b)
{
    int high = map_height(m), left = 46, wide = b.w - left;
    const json_t *row;
    char text[32];
    size_t k;

    for (int cpu = 0, y = b.y; cpu < 32; cpu++) {
        if (!(m->cpus >> cpu & 1))
            continue;
        snprintf(text, sizeof text, "CPU %d", cpu);
        canvas_text(u->c, CANVAS_TEXT, b.x, y - 2, left, u->theme.faint, text);
        canvas_fill(u->c, (struct box){b.x + left, y, wide, high - 6},
                    u->theme.well);
        y += high;
    }
    json_array_foreach(rows, k, row)
    {
        int64_t set = number(row, "set"), way = number(row, "way"),
                cpu = number(row, "cpu") & 31;
        int lane = __builtin_popcount(m->cpus & ((1u << cpu) - 1));
        const char *state = text_of(row, "state");
        struct box f = {b.x + left + (int)(set * wide / m->sets),
                        b.y + lane * high + (int)way * FRAME, 0, FRAME - 1};

        if (number(row, "stretch") != stretch || !*state || set < 0 ||
            set >= m->sets || way < 0 || way >= m->ways)
            continue;
        f.w = SDL_max(b.x + left + (int)((set + 1) * wide / m->sets) - f.x, 1);
        frame(u, f, cpu, *state);
    }
}

/* ---- the panel ----------------------------------------------------------- */

static int head(struct ui *u, struct box b, const json_t *rows)
{
    int line = canvas_line(u->c, CANVAS_TEXT), x = b.x + COUNTS;
    unsigned met = 0;
    const json_t *row;
    char text[16];
    size_t k;

    canvas_text(u->c, CANVAS_TEXT, b.x + 25, b.y, 60, u->theme.faint, "taken");
    canvas_text(u->c, CANVAS_TEXT, b.x + 95, b.y, 60, u->theme.faint, "cycles");
    x += 8 + canvas_text(u->c, CANVAS_TEXT, x, b.y, b.w, u->theme.faint,
                         "words, stored by CPU");
    json_array_foreach(rows, k, row)
    {
        if (number(row, "stores"))
            met |= 1u << (number(row, "cpu") & 31);
    }
    for (int cpu = 0; cpu < 32; cpu++) {
        if (!(met >> cpu & 1))
            continue;
        snprintf(text, sizeof text, "%d", cpu);
        canvas_fill(u->c, (struct box){x, b.y + 1, 15, line - 3},
                    cpus[cpu % CPUS]);
        canvas_text(u->c, CANVAS_MONO, x + 4, b.y, 15, BLACK, text);
        x += 19;
    }
    canvas_text(u->c, CANVAS_TEXT, x + 6, b.y, SDL_max(b.x + b.w - x - 6, 1),
                u->theme.faint, "* several, r only loaded");
    return line + 4;
}

static long count_lines(const json_t *rows)
{
    size_t size = json_array_size(rows), next = 0;
    long lines = 0;

    for (size_t k = 0; k < size; k = next) {
        next = k + line_at(rows, k).count;
        lines += is_touched(rows, k);
    }
    return lines;
}

/* Lines from number `top` on, as many as fit. */
static void draw_lines(struct ui *u, const json_t *rows, long top, struct box b)
{
    size_t size = json_array_size(rows), next = 0;
    long n = 0;

    for (size_t k = 0; k < size && n < top + u->fit; k = next) {
        struct touched l = line_at(rows, k);

        next = k + l.count;
        if (!is_touched(rows, k))
            continue;
        if (n >= top)
            draw_line(
                u, rows, &l,
                (struct box){b.x, b.y + (int)(n - top) * HIGH, b.w, HIGH});
        n++;
    }
}

void panel_memory(struct ui *u, struct box b)
{
    json_t *rows = scene_rows(&u->scene, SCENE_CACHE_LINES);
    const json_t *last = json_array_get(
        rows, json_array_size(rows) ? json_array_size(rows) - 1 : 0);
    int64_t stretch = number(last, "stretch");
    int line = canvas_line(u->c, CANVAS_TEXT), high = 0, y;
    struct maps m;

    if (!json_array_size(rows)) {
        canvas_text(u->c, CANVAS_TEXT, b.x, b.y, b.w, u->theme.faint,
                    "No line of memory was recorded here: simrun "
                    "--record-lines FROM:TO.");
        return;
    }
    m = measure(rows, stretch);
    if (m.cpus)
        high = __builtin_popcount(m.cpus) * map_height(&m) + line + 6;
    if (high > b.h / 2)
        high = 0;
    y = b.y + head(u, b, rows);
    u->rows = count_lines(rows);
    u->fit = SDL_max((b.y + b.h - high - y) / HIGH, 1);
    draw_lines(u, rows, u->place[PANEL_LINES].top,
               (struct box){b.x, y, b.w, 0});
    if (!high)
        return;
    y = b.y + b.h - high;
    canvas_text(u->c, CANVAS_TEXT, b.x, y, b.w, u->theme.faint,
                "Data caches at the end, a column a set, a row a way: strong "
                "modified, pale exclusive, grey shared");
    draw_maps(u, rows, stretch, &m, (struct box){b.x, y + line + 4, b.w, high});
}
