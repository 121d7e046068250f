/* disasm.c - the report `disasm`: a function's instructions in their order,
 * each with what it cost. The code is that of the archive. "##" marks what
 * has three quarters of the most, or more.
 */
#include "isa/disasm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/big_endian.h"
#include "lib/base/grow.h"
#include "tools/simprof/view/annotate.h"

#define CODE_MAX (1 << 20) /* bytes of one function that are shown */

struct listing {
    struct group g;
    struct lines_of lines;
    struct hash row; /* pc to row of the tally */
    struct disasm *disasm;
    struct table table;
    uint32_t function, start, size;
    uint32_t file; /* that it was written in, if that is known */
    uint64_t most;
    int fd;
    struct executions executions;
    bool counted; /* some of the function's are known */
    uint64_t *by; /* with --reasons: cycles by instruction and reason */
    uint64_t total[RECORDING_REASONS];
    unsigned reason[RECORDING_REASONS]; /* those that cost, dearest first */
    unsigned reasons;
};

static void no_name(void *arg, const struct samples_frame *frame,
                    char out[GROUP_NAME])
{
    (void)arg;
    (void)frame;
    out[0] = '\0';
}

/* The instruction at pc, from the archive. */
static bool read_word(struct listing *l, uint32_t pc, uint32_t *word)
{
    unsigned char bytes[4];
    struct image_spot spot;

    if (l->fd < 0 || !loadmap_spot(&l->g.r->map, pc, UINT64_MAX, &spot) ||
        pread(l->fd, bytes, 4, (off_t)spot.offset) != 4)
        return false;
    *word = be_get32(bytes);
    *word = loadmap_word(&l->g.r->map, pc, UINT64_MAX, *word);
    return true;
}

static struct view_row row_at(const struct listing *l, uint32_t pc)
{
    const uint32_t *at = hash_find(&l->row, pc);

    return at ? group_row(&l->g, *at) : (struct view_row){.name = ""};
}

static void find_rows(struct listing *l)
{
    for (size_t i = 0; i < l->g.tally.rows; i++) {
        struct view_row row = group_row(&l->g, i);
        bool fresh;

        if (l->g.tally.row[i].key >> 32 != l->function)
            continue;
        *hash_at(&l->row, (uint32_t)l->g.tally.row[i].key, &fresh) =
            (uint32_t)i;
        if (annotate_value(&l->g.view, &row) > l->most)
            l->most = annotate_value(&l->g.view, &row);
    }
}

/* ---- reasons ------------------------------------------------------------- */

/* Of instructions in the function; what the account has elsewhere is in the
 * total alone. */
static void find_reasons(struct listing *l, uint32_t size)
{
    const struct exact_cycles *a = &l->g.samples.account;

    l->by =
        grow_zero((size / 4 + 1) * (size_t)RECORDING_REASONS, sizeof *l->by);
    for (size_t i = 0; i < a->spots; i++) {
        const struct exact_cycles_spot *s = &a->spot[i];
        uint32_t at = s->pc - l->start;

        if (s->function != l->function)
            continue;
        l->total[s->reason] += s->cycles;
        if (at < size && at % 4 == 0)
            l->by[at / 4 * (size_t)RECORDING_REASONS + s->reason] += s->cycles;
    }
    for (unsigned k = 0; k < RECORDING_REASONS; k++) {
        unsigned at = l->reasons;

        if (!l->total[k])
            continue;
        for (; at && l->total[l->reason[at - 1]] < l->total[k]; at--)
            l->reason[at] = l->reason[at - 1];
        l->reason[at] = k;
        l->reasons++;
    }
}

/* Of an instruction, of the function (`total`), or none (NULL). */
static void put_reasons(struct listing *l, const uint64_t *by)
{
    for (unsigned k = 0; k < l->reasons; k++)
        table_dotted(&l->table, by ? by[l->reason[k]] : 0);
}

/* ---- lines --------------------------------------------------------------- */

/* The function's own line. Exclusive values of the others add up to it. */
static void put_sum(struct listing *l)
{
    unsigned metrics = l->g.tally.metrics;
    struct annotate_sum sum = annotate_sum(metrics);
    struct view_row row, total = group_total(&l->g);

    for (size_t i = 0; i < l->g.tally.rows; i++)
        if (l->g.tally.row[i].key >> 32 == l->function)
            annotate_add(&sum, &l->g.tally.row[i], metrics);
    row = annotate_row(&sum, "");
    row.value[FLAVOR_INCLUSIVE] = NULL; /* calls of one stack would add up */
    view_cells(&l->table, &l->g.view, &row, &total);
    put_reasons(l, l->total);
    if (l->counted)
        annotate_executions(&l->table, NULL);
    table_text(&l->table, "");
    table_text(&l->table, "");
    table_text(&l->table, "");
    table_text(&l->table, samples_name(l->g.r, l->function));
    annotate_free(&sum);
}

/* "13", or of what was inlined from another file "cpu.h:31". */
static void name_place(const struct listing *l, struct source_line line,
                       char *out, size_t size)
{
    const char *file = sources_file(l->lines.sources, line.file);
    const char *slash = strrchr(file, '/');

    if (!l->file || line.file == l->file)
        snprintf(out, size, "%" PRIu32, line.line);
    else
        snprintf(out, size, "%.100s:%" PRIu32, slash ? slash + 1 : file,
                 line.line);
}

static void put_insn(struct listing *l, uint32_t pc)
{
    struct samples_frame frame = {
        .function = l->function, .pc = pc, .cycle = UINT64_MAX};
    struct view_row row = row_at(l, pc), total = group_total(&l->g);
    struct source_line line = lines_find(&l->lines, &frame);
    char text[DISASM_TEXT] = "(not in the archive)", at[16];
    char place[128] = "", number[16] = "";
    uint32_t word;

    if (read_word(l, pc, &word))
        disasm_insn(l->disasm, word, pc, text);
    view_cells(&l->table, &l->g.view, &row, &total);
    put_reasons(l, l->by
                       ? l->by + (pc - l->start) / 4 * (size_t)RECORDING_REASONS
                       : NULL);
    if (l->counted)
        annotate_executions(
            &l->table,
            executions_of(&l->executions, l->function, pc - l->start));
    table_text(&l->table, annotate_mark(&l->g.view, &row, l->most));
    snprintf(at, sizeof at, "%" PRIx32, pc);
    if (line.file) {
        snprintf(number, sizeof number, "%" PRIu32, line.line);
        name_place(l, line, place, sizeof place);
    }
    table_both(&l->table, place, number);
    table_text(&l->table, at);
    table_text(&l->table, text);
}

/* What of the function was sampled where it is not any more. */
static void put_elsewhere(struct listing *l)
{
    unsigned metrics = l->g.tally.metrics;
    struct annotate_sum sum = annotate_sum(metrics);
    struct view_row row, total = group_total(&l->g);
    bool any = false;

    for (size_t i = 0; i < l->g.tally.rows; i++) {
        uint32_t pc = (uint32_t)l->g.tally.row[i].key;

        if (l->g.tally.row[i].key >> 32 != l->function ||
            (pc - l->start < l->size && pc % 4 == 0))
            continue;
        annotate_add(&sum, &l->g.tally.row[i], metrics);
        for (unsigned m = 0; m < metrics; m++)
            any |= l->g.tally.row[i].exclusive[m] > 0;
    }
    row = annotate_row(&sum, "");
    if (any) {
        view_cells(&l->table, &l->g.view, &row, &total);
        put_reasons(l, NULL);
        if (l->counted)
            annotate_executions(&l->table, NULL);
        table_text(&l->table, "");
        table_text(&l->table, "");
        table_text(&l->table, "");
        table_text(&l->table, "<elsewhere>");
    }
    annotate_free(&sum);
}

static void put_columns(struct listing *l)
{
    view_columns(&l->table, &l->g.view);
    for (unsigned k = 0; k < l->reasons; k++)
        table_column(&l->table, l->g.r->reason[l->reason[k]],
                     l->g.r->reason[l->reason[k]], TABLE_NUMBER);
    if (l->counted)
        annotate_executions_column(&l->table);
    table_column(&l->table, "", "hot", 0);
    table_column(&l->table, "line", "line", TABLE_NUMBER);
    table_column(&l->table, "address", "address", TABLE_RIGHT);
    table_column(&l->table, "instruction", "instruction", 0);
}

static void print(struct listing *l, FILE *to)
{
    uint32_t size = l->size < CODE_MAX ? l->size : CODE_MAX;
    struct image_spot spot;
    char title[GROUP_NAME];

    l->fd = loadmap_spot(&l->g.r->map, l->start, UINT64_MAX, &spot)
                ? loadmap_open(&l->g.r->map, spot.image, l->g.r->dir)
                : -1;
    l->file = lines_written(&l->lines, l->start).file;
    find_rows(l);
    executions_read(&l->executions, l->g.r);
    l->counted = executions_any(&l->executions, l->function);
    if (l->g.o->reasons)
        find_reasons(l, size);
    put_columns(l);
    put_sum(l);
    for (uint32_t at = 0; at + 4 <= size; at += 4)
        put_insn(l, l->start + at);
    put_elsewhere(l);
    snprintf(title, sizeof title, "instructions of %s",
             samples_name(l->g.r, l->function));
    if (!l->g.o->csv) {
        report_head(l->g.r, title, to);
        selection_say(&l->g.selection, l->g.o, to);
    }
    report_table(&l->table, l->g.o, to);
    if (!l->g.o->csv && l->counted)
        annotate_executions_say(to);
    if (!l->g.o->csv)
        group_foot(&l->g, to);
    if (l->fd >= 0)
        close(l->fd);
}

void report_disasm(struct recording *r, const struct options *o, FILE *to)
{
    unsigned flavors =
        1 << FLAVOR_EXCLUSIVE | 1 << FLAVOR_INCLUSIVE | VIEW_BRIEF;
    struct listing l = {.fd = -1};
    struct grouping by = {pcs_key, no_name, NULL, false};

    l.disasm = disasm_new();
    if (!l.disasm) {
        report_refuse(o, "disasm: no memory for the disassembler");
        return;
    }
    if (!group_open(&l.g, r, o, &by, flavors)) {
        disasm_free(l.disasm);
        return;
    }
    lines_open(&l.lines, r, true);
    if (annotate_function(r, o, &l.g.samples, &l.g.view, &l.function) &&
        loadmap_extent(&r->map, l.function, &l.start, &l.size))
        print(&l, to);
    executions_free(&l.executions);
    free(l.by);
    lines_close(&l.lines);
    disasm_free(l.disasm);
    hash_free(&l.row);
    table_free(&l.table);
    group_close(&l.g);
}
