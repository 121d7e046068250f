/* active_view.h - what the parts of the report `active` share: active.c
 * chooses and adds up, active_print.c prints one portion, active_judge.c says
 * what does not fit, and what others say of the same.
 */
#ifndef TOOLS_SIMPROF_REPORTS_ACTIVE_ACTIVE_VIEW_H
#define TOOLS_SIMPROF_REPORTS_ACTIVE_ACTIVE_VIEW_H

#include "tools/analysis/active/active_input.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"

struct active_view {
    struct active_input *in;
    const struct options *o;
    struct recording *r;         /* NULL: tables */
    struct selection *selection; /* NULL with tables */
    FILE *to;
    struct active_thread *thread;
    size_t threads, room;
    bool chosen; /* one portion only */
    uint32_t portion;
};

/* All calls of one portion in one thread. */
struct active_row {
    struct active_sums sums; /* outermost calls */
    uint64_t calls, inner, exclusive, own, least, most, from, to;
};

/* Work out every thread that passed a probe and is wanted. False: why says
 * what is wrong. The view's threads are to be freed anyway. */
bool active_work_out(struct active_view *v, char *why, size_t size);
void active_view_free(struct active_view *v);

/* Rows by portion for one thread; the caller frees. */
struct active_row *active_rows(const struct active_view *v,
                               const struct active_thread *a);

/* Is a call of the portion, and what, that are asked for? */
bool active_wanted(const struct active_view *v, const struct active_call *c);

#define ACTIVE_TIME 48 /* bytes of a time as text */

void active_put_time(struct table *t, const struct active_view *v, uint64_t n);
void active_put_sums(struct table *t, const struct active_view *v,
                     const struct active_sums *s);
void active_sum_columns(struct table *t);
const char *active_name(const struct active_view *v, uint32_t portion);

/* Every call by itself: `limit` of them. */
void active_put_calls(const struct active_view *v);
/* How the active time of calls is spread: a row for each power of two. */
void active_put_histogram(const struct active_view *v);
/* The intervals of the chosen portion in one thread. */
void active_put_lists(const struct active_view *v,
                      const struct active_thread *a);

/* What could not be: calls cut off, records missing. */
void active_put_doubts(const struct active_view *v);
/* How long the calls of one portion really ran, as the machine itself kept
 * it, and the oracle's account of its instructions. */
void active_put_residual(const struct active_view *v,
                         const struct active_row *total);

/* The machine's own word for calls of a portion, or of all. */
struct active_verdict {
    uint64_t calls;  /* outermost, and judged */
    uint64_t others; /* outermost, and not */
    uint64_t ours;   /* active and overhead of those judged */
    uint64_t ran;    /* how long they ran */
    uint64_t exact;  /* calls with nothing between the two */
    uint64_t worst;  /* the most between the two, of one call */
};

void active_judge(struct active_verdict *judged, const struct active_thread *a,
                  uint32_t portion);

#endif
