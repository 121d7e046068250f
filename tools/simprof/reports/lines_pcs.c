/* lines_pcs.c - the reports `lines` and `pcs`: metrics by source line and by
 * instruction.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/demangle.h"
#include "tools/analysis/symbols/inlines.h"
#include "tools/simprof/view/group.h"
#include "tools/simprof/view/lines.h"

/* ---- lines --------------------------------------------------------------- */

void lines_open(struct lines_of *l, struct recording *r, bool full)
{
    *l = (struct lines_of){.r = r, .sources = sources_new(r), .full = full};
}

const char *lines_file(const struct lines_of *l, uint32_t file)
{
    const char *name = sources_file(l->sources, file);
    const char *slash = strrchr(name, '/');

    return slash && !l->full ? slash + 1 : name;
}

void lines_close(struct lines_of *l)
{
    sources_free(l->sources);
    hash_free(&l->number);
}

/* Where the function of a level above 0 calls what was inlined into it. */
static struct source_line line_of_call(struct lines_of *l,
                                       const struct samples_frame *frame)
{
    struct inlines *inlines = recording_inlines(l->r);
    const struct inline_level *level;

    if (inlines_find(inlines, frame->pc, frame->cycle, &level) < frame->level ||
        !level[frame->level - 1].file || !level[frame->level - 1].line)
        return (struct source_line){0};
    level += frame->level - 1;
    return (struct source_line){sources_number(l->sources, level->file),
                                level->line};
}

struct source_line lines_written(struct lines_of *l, uint32_t pc)
{
    const char *file;
    uint32_t line;

    if (!inlines_written(recording_inlines(l->r), pc, UINT64_MAX, &file, &line))
        return (struct source_line){0};
    return (struct source_line){sources_number(l->sources, file), line};
}

struct source_line lines_find(struct lines_of *l,
                              const struct samples_frame *frame)
{
    if (!frame->pc)
        return (struct source_line){0};
    if (frame->level)
        return line_of_call(l, frame);
    return sources_find(l->sources, frame->pc, frame->cycle);
}

struct source_line lines_at_home(struct lines_of *l,
                                 const struct samples_frame *frame)
{
    struct source_line line = lines_find(l, frame), home, call;
    struct samples_frame outer = *frame;
    const struct inline_level *level;
    uint32_t start, size;
    size_t n;

    if (!line.file ||
        !loadmap_extent(
            &l->r->map,
            loadmap_find(&l->r->map, frame->pc, frame->cycle).function, &start,
            &size))
        return line;
    home = lines_written(l, start);
    n = inlines_find(recording_inlines(l->r), frame->pc, frame->cycle, &level);
    for (call = line; home.file && call.file != home.file && outer.level < n;) {
        outer.level++;
        call = lines_find(l, &outer);
    }
    return call.file == home.file ? call : line;
}

uint32_t lines_number(struct lines_of *l, struct source_line line)
{
    bool fresh;
    uint32_t *at;

    if (!line.file)
        return 0;
    at = hash_at(&l->number, (uint64_t)line.file << 32 | line.line, &fresh);
    if (fresh)
        *at = (uint32_t)l->number.used;
    return *at;
}

void lines_unnumbered(const struct recording *r, uint32_t function,
                      char out[GROUP_NAME])
{
    uint32_t start, size;

    if (loadmap_extent(&r->map, function, &start, &size))
        snprintf(out, GROUP_NAME, "%s -- <instructions without line numbers>",
                 samples_name(r, function));
    else
        snprintf(out, GROUP_NAME, "%s", samples_name(r, function));
}

/* A line is listed for each function that has instructions of it. */
static uint64_t line_key(void *arg, const struct samples_frame *frame)
{
    return (uint64_t)frame->function << 32 |
           lines_number(arg, lines_find(arg, frame));
}

static void line_name(void *arg, const struct samples_frame *frame,
                      char out[GROUP_NAME])
{
    struct lines_of *l = arg;
    struct source_line line = lines_find(l, frame);

    if (!line.file)
        lines_unnumbered(l->r, frame->function, out);
    else
        snprintf(out, GROUP_NAME, "%s:%" PRIu32 ", %s",
                 lines_file(l, line.file), line.line,
                 samples_name(l->r, frame->function));
}

void report_lines(struct recording *r, const struct options *o, FILE *to)
{
    struct lines_of l;
    struct grouping by = {line_key, line_name, &l, false};

    lines_open(&l, r, o->csv);
    group_report(r, o, &by, "metrics by source line", "line, function", to);
    lines_close(&l);
}

/* ---- instructions -------------------------------------------------------- */

uint64_t pcs_key(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return (uint64_t)frame->function << 32 | frame->pc;
}

/* "txn+0x10", the line behind it. */
static void pc_name(void *arg, const struct samples_frame *frame,
                    char out[GROUP_NAME])
{
    struct lines_of *l = arg;
    const char *function = samples_name(l->r, frame->function);
    struct source_line line = lines_find(l, frame);
    char name[GROUP_NAME / 2];
    struct place place;
    int n;

    if (!frame->pc) {
        demangled_fit(function, out, GROUP_NAME);
        return;
    }
    place = loadmap_find(&l->r->map, frame->pc, frame->cycle);
    if (place.function == LOADMAP_UNKNOWN) {
        snprintf(out, GROUP_NAME, "0x%08" PRIx32, frame->pc);
        return;
    }
    n = snprintf(out, GROUP_NAME, "%s+0x%" PRIx32,
                 demangled_fit(function, name, sizeof name), place.offset);
    if (line.file)
        snprintf(out + n, GROUP_NAME - (size_t)n, ", %s:%" PRIu32,
                 lines_file(l, line.file), line.line);
}

void report_pcs(struct recording *r, const struct options *o, FILE *to)
{
    struct lines_of l;
    struct grouping by = {pcs_key, pc_name, &l, false};

    lines_open(&l, r, o->csv);
    group_report(r, o, &by, "metrics by instruction", "instruction", to);
    lines_close(&l);
}
