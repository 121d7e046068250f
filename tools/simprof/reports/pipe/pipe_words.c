/* pipe_words.c - see pipe_words.h. */
#include "tools/simprof/reports/pipe/pipe_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/konata.h"
#include "lib/base/text.h"
#include "tools/analysis/profile/samples.h"

bool pipe_words_open(struct pipe_words *w, struct recording *r,
                     const struct options *o)
{
    *w = (struct pipe_words){.r = r, .disasm = disasm_new()};
    if (!w->disasm) {
        report_refuse(o, "no memory for the disassembler");
        return false;
    }
    w->sources = sources_new(r);
    return true;
}

void pipe_words_close(struct pipe_words *w)
{
    sources_free(w->sources);
    disasm_free(w->disasm);
    *w = (struct pipe_words){0};
}

struct pipe_named pipe_words_of(struct pipe_words *w,
                                const struct pipeline_insn *i)
{
    struct pipe_named n = {.file = ""};
    struct source_line line;
    struct place at;
    uint32_t home;

    loadmap_thread(&w->r->map, i->thread);
    home = loadmap_home(&w->r->map, i->pc, i->complete);
    at = loadmap_find(&w->r->map, home, i->complete);
    disasm_insn(w->disasm, i->word, i->pc, n.insn);
    n.function = samples_name(w->r, at.function);
    if (at.function != LOADMAP_UNKNOWN && at.offset)
        snprintf(n.place, sizeof n.place, "%s+0x%" PRIx32, n.function,
                 at.offset);
    else if (at.function != LOADMAP_UNKNOWN)
        snprintf(n.place, sizeof n.place, "%s", n.function);
    line = sources_find(w->sources, home, i->complete);
    if (line.file != SOURCES_NONE) {
        n.file = sources_file(w->sources, line.file);
        n.line = line.line;
    }
    return n;
}

bool pipe_words_read(struct pipeline *p, struct recording *r,
                     const struct options *o)
{
    const char *thread = o->text[OPTION_BIT_THREAD];
    uint64_t number = 0;

    if (thread && (!text_number(thread, &number) || number > UINT32_MAX)) {
        report_refuse(o, "--thread=%s: give a thread's number", thread);
        return false;
    }
    pipeline_read(p, r, o->cpu, thread ? (long)number : -1);
    return true;
}

/* ---- Konata -------------------------------------------------------------- */

static void put(struct konata *k, const struct pipeline *p,
                struct pipe_words *w, const struct pipeline_insn *i,
                struct konata_wait *wait)
{
    struct pipe_named n = pipe_words_of(w, i);
    char text[DISASM_TEXT + PIPE_WORDS_PLACE + 1], label[sizeof text];

    for (size_t m = 0; m < i->waits; m++) {
        const struct pipeline_wait *is = &p->wait[i->wait + m];

        wait[m] =
            (struct konata_wait){is->begin, is->end, w->r->reason[is->reason]};
    }
    snprintf(text, sizeof text, "%s %s", n.insn, n.place);
    konata_text(text, label, sizeof label);
    konata_insn(k,
                &(struct konata_insn){i->cpu, i->pc, label, i->unit, i->fetch,
                                      i->dispatch, i->issue, i->finish,
                                      i->complete, (unsigned)i->waits, wait});
}

/* Instructions that stretches of the run lie between come later than those
 * before them: what one file cannot have out of order is in order. */
bool pipe_konata(struct recording *r, const struct options *o, FILE *to)
{
    struct konata k = {.out = to};
    struct konata_wait *wait = NULL;
    size_t room = 0;
    struct pipe_words w;
    struct pipeline p;
    bool good = false;

    if (!pipe_words_read(&p, r, o))
        return true;
    if (!p.insns)
        problem_add(&r->problems, PROBLEM_NOTE,
                    "no instruction was recorded: simrun --pipe FROM:COUNT");
    if (pipe_words_open(&w, r, o)) {
        for (size_t n = 0; n < p.insns; n++) {
            wait = grow(wait, &room, p.insn[n].waits + 1, sizeof *wait);
            put(&k, &p, &w, &p.insn[n], wait);
        }
        good = konata_end(&k);
        pipe_words_close(&w);
    }
    free(wait);
    pipeline_free(&p);
    return good;
}
