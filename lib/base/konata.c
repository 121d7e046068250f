/* konata.c - see konata.h. A line of the file stands at its cycle, and cycles
 * only go on; instructions come one after the other, each with all its cycles.
 * So lines are kept until no instruction can have an earlier one.
 */
#include "lib/base/konata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 65536   /* lines that are kept before any is written, at least */
#define LATEST 10000 /* cycles: nothing is fetched so long before dispatch */

enum kind { BEGIN, LABEL, STAGE, STALL, STALL_ENDS, RETIRE };

struct konata_event {
    uint64_t at;
    uint64_t insn;
    uint32_t order; /* among those of one instruction */
    uint8_t kind, cpu;
    char text[KONATA_LABEL]; /* of a stage or label */
};

static void add(struct konata *k, uint64_t at, enum kind kind, unsigned cpu,
                const char *text)
{
    struct konata_event *e;

    if (k->count == k->room) {
        size_t room = k->room ? 2 * k->room : KEPT;

        e = realloc(k->event, room * sizeof *e);
        if (!e) {
            k->bad = true;
            return;
        }
        k->event = e;
        k->room = room;
    }
    e = &k->event[k->count];
    *e = (struct konata_event){.at = at,
                               .insn = k->insns,
                               .order = (uint32_t)k->count++,
                               .kind = (uint8_t)kind,
                               .cpu = (uint8_t)cpu};
    snprintf(e->text, sizeof e->text, "%s", text);
}

static int by_cycle(const void *a, const void *b)
{
    const struct konata_event *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->insn != y->insn)
        return x->insn < y->insn ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void write_one(const struct konata *k, const struct konata_event *e)
{
    static const char *const form[] = {
        [STAGE] = "S\t%" PRIu64 "\t0\t%s\n",
        [STALL] = "S\t%" PRIu64 "\t1\t%s\n",
        [STALL_ENDS] = "E\t%" PRIu64 "\t1\t%s\n",
        [LABEL] = "L\t%" PRIu64 "\t0\t%s\n",
    };

    if (e->kind == BEGIN)
        fprintf(k->out, "I\t%" PRIu64 "\t%" PRIu64 "\t%u\n", e->insn, e->insn,
                e->cpu);
    else if (e->kind == RETIRE)
        fprintf(k->out, "R\t%" PRIu64 "\t%" PRIu64 "\t0\n", e->insn, e->insn);
    else
        fprintf(k->out, form[e->kind], e->insn, e->text);
}

static void write_until(struct konata *k, uint64_t until)
{
    size_t n = 0;

    if (k->count)
        qsort(k->event, k->count, sizeof *k->event, by_cycle);
    for (; n < k->count && k->event[n].at < until; n++) {
        const struct konata_event *e = &k->event[n];

        if (!k->begun)
            fprintf(k->out, "Kanata\t0004\nC=\t%" PRIu64 "\n", e->at);
        else if (e->at > k->at)
            fprintf(k->out, "C\t%" PRIu64 "\n", e->at - k->at);
        k->bad |= k->begun && e->at < k->at;
        k->begun = true;
        k->at = e->at;
        write_one(k, e);
    }
    k->count -= n;
    if (k->count)
        memmove(k->event, k->event + n, k->count * sizeof *k->event);
    for (size_t i = 0; i < k->count; i++)
        k->event[i].order = (uint32_t)i;
}

void konata_text(const char *text, char *out, size_t size)
{
    size_t n = 0;

    for (; *text && n + 1 < size; text++)
        if (*text != ' ' || (text[1] && text[1] != ' '))
            out[n++] = *text;
    out[n] = '\0';
}

void konata_insn(struct konata *k, const struct konata_insn *i)
{
    char label[KONATA_LABEL];

    if (k->bad)
        return;
    snprintf(label, sizeof label, "%08" PRIx32 " %s", i->pc, i->text);
    add(k, i->fetch, BEGIN, i->cpu, "");
    add(k, i->fetch, LABEL, i->cpu, label);
    add(k, i->fetch, STAGE, i->cpu, "F");
    add(k, i->dispatch, STAGE, i->cpu, "D");
    add(k, i->issue, STAGE, i->cpu, i->unit);
    add(k, i->finish, STAGE, i->cpu, "C");
    for (unsigned n = 0; n < i->waits; n++) {
        add(k, i->wait[n].begin, STALL, i->cpu, i->wait[n].reason);
        add(k, i->wait[n].end, STALL_ENDS, i->cpu, i->wait[n].reason);
    }
    add(k, i->complete, RETIRE, i->cpu, "");
    k->insns++;
    if (k->count >= k->room - 64 && i->dispatch > LATEST)
        write_until(k, i->dispatch - LATEST);
}

bool konata_end(struct konata *k)
{
    bool good;

    write_until(k, UINT64_MAX);
    if (!k->begun)
        fputs("Kanata\t0004\n", k->out);
    good = !k->bad;
    free(k->event);
    *k = (struct konata){0};
    return good;
}
