/* poll_put.c - see poll_put.h. */
#include "sim/observe/locks/poll_put.h"

#include "include/record_put.h"

static uint32_t ago(cycle_t at, cycle_t then)
{
    return at - then > UINT32_MAX ? UINT32_MAX : (uint32_t)(at - then);
}

void poll_put(struct experiment *e, unsigned cpu, uint32_t thread, cycle_t at,
              const struct poll_wait *p)
{
    struct experiment_stamp s = {REC_POLL, cpu, thread, at};
    cycle_t written = p->written < p->ended ? p->written : p->ended;
    uint32_t w[POLL_WORDS];

    record_put_poll_writer(w, p->writer);
    record_put_poll_object(w, p->object);
    record_put_poll_since(w, ago(at, p->since));
    record_put_poll_ended(w, ago(at, p->ended));
    record_put_poll_written(w, ago(at, written));
    record_put_poll_sleeps(w, p->sleeps);
    record_put_poll_tried(w, p->tried);
    record_put_poll_called(w, p->called ? ago(at, p->called) : 0);
    record_put_poll_first(w, p->first);
    record_put_poll_yielded(w, p->yielded);
    record_put_poll_worked(w, p->worked);
    experiment_record(e, &s, w, POLL_WORDS);
}
