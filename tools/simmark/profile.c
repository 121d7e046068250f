/* profile.c - adds up an experiment as simprof functions and pcs do, and
 * finds the functions in the program that is to be marked. */
#include "tools/simmark/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/analysis/query/filter.h"
#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/profile/samples.h"
#include "tools/analysis/profile/totals.h"

/* An experiment, added up. */
struct profile {
    struct recording r;
    struct samples_metrics metrics; /* for the filter */
    struct expr *filter;
    struct samples samples;
    struct totals tally;
};

static bool wants(void *arg, const struct record *record)
{
    const struct profile *f = arg;
    struct filter_about about = {(struct recording *)&f->r, &f->metrics,
                                 record};

    return !f->filter || expr_holds(f->filter, &about);
}

static uint64_t by_function(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

static uint64_t by_instruction(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return (uint64_t)frame->function << 32 | frame->pc;
}

static bool open_filter(struct profile *f, const char *text, char *why,
                        size_t size)
{
    char wrong[FILTER_WHY];

    if (!text)
        return true;
    f->filter = filter_open(text, &f->r, &f->metrics, wrong, sizeof wrong);
    if (!f->filter)
        snprintf(why, size, "--filters: %s", wrong);
    return f->filter != NULL;
}

static bool profile_open(struct profile *f, const struct profile_choice *c,
                         char *why, size_t size)
{
    struct samples_choice choice = {.wants = wants, .arg = f};

    *f = (struct profile){0};
    if (!recording_open(&f->r, c->experiment, why, size))
        return false;
    samples_metrics_open(&f->metrics, &f->r);
    if (open_filter(f, c->filters, why, size)) {
        samples_read(&f->samples, &f->r, &choice);
        totals_read(&f->tally, &f->samples,
                    c->instructions ? by_instruction : by_function, NULL);
        return true;
    }
    samples_metrics_free(&f->metrics);
    recording_close(&f->r);
    return false;
}

static void profile_close(struct profile *f)
{
    totals_free(&f->tally);
    samples_free(&f->samples);
    expr_free(f->filter);
    samples_metrics_free(&f->metrics);
    recording_close(&f->r);
}

/* Where that function is in the program: at the same address, or else the
 * only one of its name. NULL: nowhere. */
static const struct perfinst_symbol *
locate(const struct program *p, const struct profile *f, uint32_t function)
{
    const char *name = loadmap_name(&f->r.map, function);
    const struct perfinst_symbol *found = NULL;
    uint32_t start, size;

    if (!loadmap_extent(&f->r.map, function, &start, &size))
        start = 0;
    for (size_t k = 0; k < p->symbols; k++) {
        const struct perfinst_symbol *s = &p->symbol[k];

        if (!perfinst_called(name, strlen(name), s))
            continue;
        if (s->address == start)
            return s;
        if (found && found->address != s->address)
            return NULL;
        found = s;
    }
    return found;
}

static bool mark_row(struct perfinst *to, const struct program *p,
                     const struct profile *f, const struct samples_frame *frame,
                     bool instruction, const struct perfinst_action *action)
{
    struct perfinst_entry e = {
        .flags = action->flags, .limit = action->limit, .text = "profile"};
    const struct perfinst_symbol *s = locate(p, f, frame->function);
    uint32_t start, size;

    if (!s || !loadmap_extent(&f->r.map, frame->function, &start, &size))
        return false;
    e.address = s->address;
    e.length = s->size & ~UINT32_C(3);
    if (instruction) {
        if (frame->pc - start >= s->size)
            return false;
        e.address += frame->pc - start;
        e.length = 4;
    }
    if (e.length)
        perfinst_add(to, &e);
    return e.length > 0;
}

/* Is it a function of a program, or a name for none? */
static bool is_function(const struct samples_frame *frame)
{
    return frame->function != LOADMAP_UNKNOWN &&
           frame->function < SAMPLES_TOTAL;
}

static bool mark_rows(struct perfinst *to, const struct program *p,
                      const struct profile *f, const struct profile_choice *c,
                      unsigned metric, const struct perfinst_action *action,
                      char *why, size_t size)
{
    uint64_t whole = 0;
    bool any = false;

    for (size_t k = 0; k < f->tally.rows; k++)
        if (f->samples.frame[f->tally.row[k].frame].function < SAMPLES_TOTAL)
            whole += f->tally.row[k].exclusive[metric];
    for (size_t k = 0; k < f->tally.rows; k++) {
        const struct totals_row *row = &f->tally.row[k];
        const struct samples_frame *frame = &f->samples.frame[row->frame];

        if (!is_function(frame) || !row->exclusive[metric] ||
            (double)row->exclusive[metric] * 100 <= c->above * (double)whole)
            continue;
        any = true;
        if (!mark_row(to, p, f, frame, c->instructions, action)) {
            snprintf(why, size,
                     "%s: %s has no function %s where %s ran it; is that "
                     "another program?",
                     p->path, p->path, samples_name(&f->r, frame->function),
                     c->experiment);
            return false;
        }
    }
    if (!any)
        snprintf(why, size,
                 "%s: nothing has more than %g %%, ask for less with --above",
                 c->experiment, c->above);
    return any;
}

bool profile_mark(struct perfinst *to, const struct program *p,
                  const struct profile_choice *c,
                  const struct perfinst_action *action, bool *damaged,
                  char *why, size_t size)
{
    struct profile f;
    int metric = SAMPLES_EXACT;
    bool ok;

    if (!profile_open(&f, c, why, size))
        return false;
    if (c->event)
        metric = samples_metrics_find(&f.samples.metric, c->event);
    ok = metric >= 0;
    if (!ok)
        snprintf(why, size, "--event=%s: %s has no samples of it", c->event,
                 c->experiment);
    ok = ok && mark_rows(to, p, &f, c, (unsigned)metric, action, why, size);
    for (size_t k = 0; k < f.r.problems.count; k++)
        fprintf(stderr, "simmark: %s: %s\n",
                f.r.problems.list[k].level == PROBLEM_NOTE ? "note" : "damage",
                f.r.problems.list[k].text);
    *damaged = problems_damage(&f.r.problems);
    profile_close(&f);
    return ok;
}
