/* pipe_words.h - what a recorded instruction is called: for the chart and for
 * the file that Konata reads.
 */
#ifndef TOOLS_SIMPROF_REPORTS_PIPE_PIPE_WORDS_H
#define TOOLS_SIMPROF_REPORTS_PIPE_PIPE_WORDS_H

#include <stdio.h>

#include "isa/disasm.h"
#include "tools/analysis/hardware/pipeline.h"
#include "tools/analysis/symbols/sources.h"
#include "tools/simprof/report/report.h"

#define PIPE_WORDS_PLACE 256

struct pipe_words {
    struct recording *r; /* not owned */
    struct sources *sources;
    struct disasm *disasm;
};

struct pipe_named {
    char insn[DISASM_TEXT];
    const char *function;         /* the recording's */
    char place[PIPE_WORDS_PLACE]; /* "function+0x1c", or "" */
    const char *file;             /* the sources'; "": no line is known */
    uint32_t line;
};

/* False: the host has no memory, which is said; pipe_words_close is due. */
bool pipe_words_open(struct pipe_words *w, struct recording *r,
                     const struct options *o);
void pipe_words_close(struct pipe_words *w);

struct pipe_named pipe_words_of(struct pipe_words *w,
                                const struct pipeline_insn *i);

/* Of what the options choose. False: they make no sense, which is said; else
 * pipeline_free is due. */
bool pipe_words_read(struct pipeline *p, struct recording *r,
                     const struct options *o);

/* All of them as Konata has them: export --format=konata. False: it could not
 * be written. */
bool pipe_konata(struct recording *r, const struct options *o, FILE *to);

#endif
