/* pipe.c - the report `pipe`: instructions that simrun --pipe recorded, as a
 * chart of stages over cycles, or with their cycles as CSV.
 */
#include "tools/simprof/reports/pipe/pipe_words.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/text.h"
#include "tools/simprof/view/source_text.h"

#define BLOCK 16  /* instructions that have one scale */
#define LEFT 34   /* columns in front of the chart */
#define INSN 22   /* ... of which the instruction has so many */
#define WAITS 800 /* bytes of waits as text */

/* What a reason is in the chart; those without a letter of their own are '?'.
 */
static const struct {
    const char *reason;
    char letter;
} letters[] = {
    {"imiss", 'I'},     {"fetch", 'B'},  {"mispredict", 'X'}, {"flush", 'R'},
    {"exception", 'Y'}, {"serial", 'S'}, {"io", 'O'},         {"tlb", 'T'},
    {"snoop", 'N'},     {"dmiss", 'M'},  {"store", 'W'},      {"unit", 'U'},
    {"execute", 'e'},   {"retire", 'c'}, {"filling", 'L'},
};

#define LETTERS (sizeof letters / sizeof letters[0])

struct chart {
    const struct pipeline *p;
    struct recording *r;
    const struct options *o;
    struct pipe_words words;
    bool met[LETTERS]; /* reasons that were drawn */
    bool other;
    uint64_t base, scale; /* of a block: its first cycle, cycles of a column */
    size_t columns;
    char file[PIPE_WORDS_PLACE]; /* the line that was told last */
    uint32_t line;
};

static char letter(struct chart *c, const char *reason)
{
    for (size_t k = 0; k < LETTERS; k++)
        if (!strcmp(reason, letters[k].reason)) {
            c->met[k] = true;
            return letters[k].letter;
        }
    c->other = true;
    return '?';
}

/* What the instruction did in a cycle; ' ': it was not there. */
static char stage(struct chart *c, const struct pipeline_insn *i, uint64_t at)
{
    const char *reason;

    if (at < i->fetch || at > i->complete)
        return ' ';
    if (at == i->complete)
        return i->exception ? '!' : '|';
    reason = pipeline_reason(c->p, c->r, i, at);
    if (reason)
        return letter(c, reason);
    return at < i->dispatch ? 'f'
           : at < i->issue  ? 'd'
           : at < i->finish ? 'e'
                            : 'c';
}

/* Of the cycles of a column: the end, else a wait, else the first stage. */
static char column(struct chart *c, const struct pipeline_insn *i, uint64_t at)
{
    char first = ' ', wait = 0;

    for (uint64_t k = at; k < at + c->scale; k++) {
        char is = stage(c, i, k);

        if (is == '|' || is == '!')
            return is;
        if (first == ' ')
            first = is;
        if (!wait && is != ' ' && !strchr("fdec", is))
            wait = is;
    }
    return wait ? wait : first;
}

/* A scale of 1, 2, 5, 10 ... by which the block fits. */
static void scale(struct chart *c, size_t from, size_t to)
{
    static const unsigned steps[] = {1, 2, 5};
    uint64_t last = 0, ten = 1;
    unsigned k = 0;

    c->base = UINT64_MAX;
    for (size_t n = from; n < to; n++) {
        const struct pipeline_insn *i = &c->p->insn[n];

        c->base = i->fetch < c->base ? i->fetch : c->base;
        last = i->complete > last ? i->complete : last;
    }
    c->columns = c->o->width > LEFT + 20 ? c->o->width - LEFT : 20;
    c->scale = 1;
    while ((last - c->base) / c->scale >= c->columns) {
        k = (k + 1) % 3;
        ten *= k ? 1 : 10;
        c->scale = steps[k] * ten;
    }
}

/* The source line, where it is another one than before. */
static void put_line(struct chart *c, const struct pipe_named *n, FILE *to)
{
    char text[SOURCE_LINE] = "";
    FILE *f;

    if (c->line == n->line && !strcmp(c->file, n->file))
        return;
    snprintf(c->file, sizeof c->file, "%s", n->file);
    c->line = n->line;
    if (!n->line) {
        fprintf(to, "  %s\n", *n->place ? n->function : "<Unknown>");
        return;
    }
    f = source_text_open(c->o, n->file);
    for (uint32_t k = 0; f && k < n->line && !feof(f); k++)
        source_text_next(f, text);
    if (f)
        fclose(f);
    fprintf(to, "  %s:%" PRIu32 "%s%s\n", n->file, n->line,
            text[strspn(text, " ")] ? "  " : "", text + strspn(text, " "));
}

static void put_insn(struct chart *c, const struct pipeline_insn *i, FILE *to)
{
    struct pipe_named n = pipe_words_of(&c->words, i);
    size_t end = (size_t)((i->complete - c->base) / c->scale) + 1;

    put_line(c, &n, to);
    fprintf(to, "%u %08" PRIx32 " %-*.*s ", i->cpu, i->pc, INSN, INSN, n.insn);
    for (size_t k = 0; k < end && k < c->columns; k++)
        putc(column(c, i, c->base + k * c->scale), to);
    putc('\n', to);
}

static void put_key(struct chart *c, FILE *to)
{
    char text[600] = "";
    size_t n = 0;

    for (size_t k = 0; k < LETTERS; k++)
        if (c->met[k])
            n += (size_t)snprintf(text + n, sizeof text - n, ", %c %s",
                                  letters[k].letter, letters[k].reason);
    report_say(c->o, to,
               "f fetched, d dispatched, e executing, c finished, waits to "
               "complete, | completes, ! raises an exception%s%s%s. Reasons "
               "are those of the exact account; a column of several cycles "
               "shows its wait.",
               n ? "; waits for" : "", n ? text + 1 : "",
               c->other ? ", ? another reason" : "");
}

static void put_chart(struct chart *c, FILE *to)
{
    size_t shown =
        c->o->limit && c->p->insns > c->o->limit ? c->o->limit : c->p->insns;
    char number[32], at[32];

    for (size_t end, from = 0; from < shown; from = end) {
        end = from + BLOCK < shown ? from + BLOCK : shown;
        scale(c, from, end);
        fprintf(to, "%*s from cycle %s, a column is %s\n", LEFT - 2,
                "CPU, address, instruction", text_count(at, c->base),
                c->scale == 1 ? "a cycle" : text_count(number, c->scale));
        for (size_t n = from; n < end; n++)
            put_insn(c, &c->p->insn[n], to);
        putc('\n', to);
    }
    put_key(c, to);
    if (shown < c->p->insns)
        report_say(c->o, to,
                   "%s instructions more were recorded: --limit=0 shows all, "
                   "--from and --to a part.",
                   text_count(number, c->p->insns - shown));
}

/* ---- CSV ----------------------------------------------------------------- */

static void columns(struct table *t)
{
    table_column(t, "", "number", TABLE_NUMBER);
    table_column(t, "", "cpu", TABLE_NUMBER);
    table_column(t, "", "thread", TABLE_NUMBER);
    table_column(t, "", "pc", 0);
    table_column(t, "", "instruction", 0);
    table_column(t, "", "place", 0);
    table_column(t, "", "file", 0);
    table_column(t, "", "line", TABLE_NUMBER);
    table_column(t, "", "unit", 0);
    table_column(t, "", "fetch", TABLE_NUMBER);
    table_column(t, "", "dispatch", TABLE_NUMBER);
    table_column(t, "", "issue", TABLE_NUMBER);
    table_column(t, "", "finish", TABLE_NUMBER);
    table_column(t, "", "complete", TABLE_NUMBER);
    table_column(t, "", "ends", 0);
    table_column(t, "", "waits", 0);
}

/* "dmiss 120-145; store 150-160": up to before the second. */
static void waits_text(const struct chart *c, const struct pipeline_insn *i,
                       char out[WAITS])
{
    size_t n = 0;

    *out = '\0';
    for (size_t k = 0; k < i->waits && n + 1 < WAITS; k++) {
        const struct pipeline_wait *w = &c->p->wait[i->wait + k];

        n += (size_t)snprintf(out + n, WAITS - n, "%s%s %" PRIu64 "-%" PRIu64,
                              k ? "; " : "", c->r->reason[w->reason], w->begin,
                              w->end);
    }
}

static void put_row(struct chart *c, struct table *t,
                    const struct pipeline_insn *i)
{
    struct pipe_named n = pipe_words_of(&c->words, i);
    char text[WAITS], pc[16], line[16] = "";

    snprintf(pc, sizeof pc, "0x%08" PRIx32, i->pc);
    if (n.line)
        snprintf(line, sizeof line, "%" PRIu32, n.line);
    table_count(t, i->number);
    table_count(t, i->cpu);
    table_count(t, i->thread);
    table_text(t, pc);
    table_text(t, n.insn);
    table_text(t, n.place);
    table_text(t, n.file);
    table_number(t, line, line);
    table_text(t, i->unit);
    table_count(t, i->fetch);
    table_count(t, i->dispatch);
    table_count(t, i->issue);
    table_count(t, i->finish);
    table_count(t, i->complete);
    table_text(t, i->exception ? "exception" : "completes");
    waits_text(c, i, text);
    table_text(t, text);
}

static void put_rows(struct chart *c, FILE *to)
{
    size_t shown =
        c->o->limit && c->p->insns > c->o->limit ? c->o->limit : c->p->insns;
    struct table t = {0};

    columns(&t);
    for (size_t n = 0; n < shown; n++)
        put_row(c, &t, &c->p->insn[n]);
    report_table(&t, c->o, to);
}

/* ---- the report ---------------------------------------------------------- */

/* Fewer than were asked for, or none. */
static void say_missing(const struct chart *c, FILE *to)
{
    char text[32], asked[32];

    if (!c->p->asked)
        report_say(c->o, to,
                   "No instruction was recorded: simrun --pipe FROM:COUNT.");
    else if (c->r->windowed || c->o->cpu >= 0 ||
             c->o->text[OPTION_BIT_THREAD]) {
        if (!c->p->insns)
            report_say(c->o, to,
                       "No recorded instruction lies in what was chosen.");
    } else if (c->p->insns < c->p->asked)
        report_say(c->o, to,
                   "%s of the %s instructions that --pipe names are there: "
                   "the run ended, or was cut, before the others, or the "
                   "place from which to record never came.",
                   text_count(text, c->p->insns),
                   text_count(asked, c->p->asked));
}

void report_pipe(struct recording *r, const struct options *o, FILE *to)
{
    struct pipeline p;
    struct chart c = {.p = &p, .r = r, .o = o};

    if (!pipe_words_read(&p, r, o))
        return;
    if (pipe_words_open(&c.words, r, o)) {
        if (!o->csv) {
            report_head(r, "instructions in the pipeline", to);
            report_interval(r, o, to);
        }
        if (o->csv)
            put_rows(&c, to);
        else if (p.insns)
            put_chart(&c, to);
        if (!o->csv)
            say_missing(&c, to);
    }
    pipe_words_close(&c.words);
    pipeline_free(&p);
}
