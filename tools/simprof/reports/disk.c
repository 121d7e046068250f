/* disk.c - the report `disk`: who asked the disk for what, how long that
 * waited for others and how long it was served.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/simprof/report/report.h"

struct asker {
    uint32_t thread, type;
    uint64_t requests, failed, bytes;
    uint64_t wait, served, longest; /* cycles */
};

struct askers {
    struct asker *list;
    size_t count, room;
    struct asker all;
};

static void add(struct asker *a, const struct record *k)
{
    uint64_t asked = record_get_disk_asked(k), begin = record_get_disk_begin(k);

    a->requests++;
    a->failed += record_get_disk_status(k) != DISK_STATUS_DONE;
    a->bytes += record_get_disk_bytes(k);
    a->wait += begin - asked;
    a->served += k->cycle - begin;
    if (k->cycle - asked > a->longest)
        a->longest = k->cycle - asked;
}

static struct asker *asker(struct askers *s, uint32_t thread, uint32_t type)
{
    for (size_t n = 0; n < s->count; n++)
        if (s->list[n].thread == thread && s->list[n].type == type)
            return &s->list[n];
    s->list = grow(s->list, &s->room, s->count + 1, sizeof *s->list);
    s->list[s->count] = (struct asker){.thread = thread, .type = type};
    return &s->list[s->count++];
}

static void read_requests(struct recording *r, const struct options *o,
                          struct askers *s)
{
    struct recfile f;
    struct record k;

    if (!recording_records(r, REC_DISK, &f))
        return;
    while (recfile_next(&f, &k)) {
        if (o->cpu >= 0 && k.cpu != (unsigned long)o->cpu)
            continue;
        add(&s->all, &k);
        add(asker(s, k.thread, record_get_disk_type(&k)), &k);
    }
    recording_done(r, &f);
}

/* The one that the disk served longest comes first. */
static int more_first(const void *a, const void *b)
{
    const struct asker *x = a, *y = b;

    if (x->served != y->served)
        return x->served < y->served ? 1 : -1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->type < y->type ? -1 : x->type > y->type;
}

static const char *type_name(uint32_t type)
{
    switch (type) {
    case DISK_REQUEST_READ:
        return "read";
    case DISK_REQUEST_WRITE:
        return "write";
    case DISK_REQUEST_FLUSH:
        return "flush";
    case DISK_REQUEST_IDENTIFY:
        return "identify";
    default:
        return "unknown";
    }
}

static void put_row(struct table *t, const struct asker *a, const char *type,
                    const char *thread)
{
    table_count(t, a->requests);
    table_dotted(t, a->failed);
    table_count(t, a->bytes);
    table_count(t, a->requests ? a->wait / a->requests : 0);
    table_count(t, a->requests ? a->served / a->requests : 0);
    table_count(t, a->longest);
    table_text(t, type);
    table_text(t, thread);
}

static void print_askers(struct recording *r, const struct options *o,
                         const struct askers *s, FILE *to)
{
    size_t shown = o->limit && s->count > o->limit ? o->limit : s->count;
    struct table t = {0};

    table_column(&t, "requests", "requests", TABLE_NUMBER);
    table_column(&t, "failed", "failed", TABLE_NUMBER);
    table_column(&t, "bytes", "bytes", TABLE_NUMBER);
    table_column(&t, "mean\nwait", "mean_wait_cycles", TABLE_NUMBER);
    table_column(&t, "mean\nservice", "mean_service_cycles", TABLE_NUMBER);
    table_column(&t, "longest", "longest_cycles", TABLE_NUMBER);
    table_column(&t, "request", "request", 0);
    table_column(&t, "thread", "thread", 0);
    if (s->count)
        put_row(&t, &s->all, "<all>", "");
    for (size_t n = 0; n < shown; n++) {
        const struct asker *a = &s->list[n];
        const struct thread *who = threads_find(&r->threads, a->thread, r->end);
        char number[24];

        snprintf(number, sizeof number, "%" PRIu32, a->thread);
        put_row(&t, a, type_name(a->type), who ? who->name : number);
    }
    report_table(&t, o, to);
    if (shown < s->count && !o->csv)
        report_say(o, to, "%zu more; --limit=0 shows all", s->count - shown);
    table_free(&t);
}

void report_disk(struct recording *r, const struct options *o, FILE *to)
{
    struct askers s = {0};

    read_requests(r, o, &s);
    if (!o->csv) {
        report_head(r, "who asked the disk for what", to);
        report_interval(r, o, to);
    }
    if (s.count)
        qsort(s.list, s.count, sizeof *s.list, more_first);
    else if (!o->csv)
        report_say(o, to, "Nothing was asked of the disk.");
    if (s.count || o->csv)
        print_askers(r, o, &s, to);
    if (s.count && !o->csv)
        report_say(o, to,
                   "\nwait: cycles from the request to its turn; service: from "
                   "there to its end; longest: both");
    free(s.list);
}
