/* report.c - what all reports share. */
#define _GNU_SOURCE
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"

/* "guest.elf" out of "guest.elf.<build-id>". */
static void put_image(const struct recording *r, FILE *to)
{
    const char *image = text_lines_get(&r->log, "image");
    const char *dot = image ? strrchr(image, '.') : NULL;
    char *name;

    if (!image)
        return;
    name = grow_bytes(image, dot && dot > image ? (size_t)(dot - image)
                                                : strlen(image));
    text_printable(name);
    fprintf(to, "%s on ", name);
    free(name);
}

/* Of a program under --user there is a line each, its own name first. */
char *report_arguments(const struct recording *r)
{
    const char *args = text_lines_get(&r->log, "args");
    size_t size = args ? strlen(args) + 1 : 1;
    char *text, *end;
    bool name = true;

    for (size_t i = 0; i < r->log.count; i++)
        if (!strcmp(r->log.line[i].key, "argument"))
            size += strlen(r->log.line[i].value) + 1;
    text = grow_zero(size, 1);
    end = stpcpy(text, args ? args : "");
    for (size_t i = 0; i < r->log.count; i++) {
        if (strcmp(r->log.line[i].key, "argument"))
            continue;
        if (!name)
            end = stpcpy(stpcpy(end, end > text ? " " : ""),
                         r->log.line[i].value);
        name = false;
    }
    text_printable(text);
    return text;
}

static void put_arguments(const struct recording *r, FILE *to)
{
    char *text = report_arguments(r);

    if (text[0])
        fprintf(to, "arguments: %s\n", text);
    free(text);
}

/* Which of the cycles were in detail, where they were not all (simrun --detail,
 * docs/experiment.md). */
static void put_detail(const struct recording *r, FILE *to)
{
    const char *mode = text_lines_get(&r->log, "mode");
    char stretches[TEXT_NUMBER], cycles[TEXT_NUMBER];
    uint64_t n = 0, sum = 0;

    for (size_t i = 0; i < r->log.count; i++) {
        uint64_t from, until;

        if (strcmp(r->log.line[i].key, "detail") != 0 ||
            sscanf(r->log.line[i].value, "%" SCNu64 " %" SCNu64, &from,
                   &until) != 2 ||
            until < from)
            continue;
        n++;
        sum += until - from;
    }
    if (!n)
        return;
    fprintf(to,
            "in detail: %s stretch%s, %s cycles; the rest in %.10s mode, where "
            "only\ninstructions and the clock are counted\n",
            text_count(stretches, n), n == 1 ? "" : "es",
            text_count(cycles, sum), mode ? mode : "another");
}

/* How it ended, if not as its program had it to. */
static void put_end(const struct recording *r, FILE *to)
{
    const char *stopped = recording_stopped(r);

    if (r->cut)
        fputs(" recorded: cut off there by --trace-limit\n", to);
    else if (!r->ended)
        fputs(" so far: the run has no end\n", to);
    else if (stopped)
        fprintf(to, ": %.60s\n", stopped);
    else
        putc('\n', to);
}

void report_head(const struct recording *r, const char *title, FILE *to)
{
    char cycles[TEXT_NUMBER], time[TEXT_NUMBER];

    fprintf(to, "%s: %s\n", r->name, title);
    put_image(r, to);
    fprintf(to, "%u CPU%s, %s cycles", r->cpus, r->cpus == 1 ? "" : "s",
            text_count(cycles, r->end));
    if (r->clock_hz)
        fprintf(to, " (%s)", text_time(time, r->end, r->clock_hz));
    put_end(r, to);
    put_detail(r, to);
    put_arguments(r, to);
    putc('\n', to);
}

void report_interval(const struct recording *r, const struct options *o,
                     FILE *to)
{
    char from[TEXT_NUMBER], until[TEXT_NUMBER];

    if (!r->windowed)
        return;
    report_say(o, to, "only from cycle %s on, before %s",
               text_count(from, r->from),
               r->to == UINT64_MAX ? "the end" : text_count(until, r->to));
    putc('\n', to);
}

void report_say(const struct options *o, FILE *to, const char *format, ...)
{
    char *text, *at;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    at = text = grow_zero((size_t)(length < 0 ? 0 : length) + 1, 1);
    va_start(args, format);
    vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, args);
    va_end(args);
    while (strlen(at) > o->width) {
        size_t n = o->width;

        while (n > 1 && at[n] != ' ')
            n--;
        if (at[n] != ' ') /* one long word has a line of its own */
            n = strcspn(at, " ");
        if (!at[n])
            break;
        fprintf(to, "%.*s\n", (int)n, at);
        at += n + 1;
    }
    fprintf(to, "%s\n", at);
    free(text);
}

void report_pair(FILE *to, const char *word, int left, const char *text)
{
    size_t room = 79 - (size_t)left, n;

    fprintf(to, "  %-*s", left - 2, word);
    if (strlen(word) + 3 > (size_t)left)
        fprintf(to, "\n%*s", left, "");
    for (; (n = strlen(text)) > room; text += n + 1) {
        for (n = room; n > 1 && text[n] != ' ';)
            n--;
        fprintf(to, "%.*s\n%*s", (int)n, text, left, "");
    }
    fprintf(to, "%s\n", text);
}

void report_refuse(const struct options *o, const char *format, ...)
{
    va_list args;

    if (o->refusal->text[0])
        return;
    va_start(args, format);
    vsnprintf(o->refusal->text, sizeof o->refusal->text, format, args);
    va_end(args);
}

void report_no_states(const struct recording *r, const struct options *o)
{
    report_fail(o,
                "%s: no states of threads were recorded: simrun does with "
                "--switch-stacks, or with --record-locks, which tells more; of "
                "the guest they need --append \"... states=on\", too",
                r->name);
}

void report_fail(const struct options *o, const char *format, ...)
{
    va_list args;

    if (o->refusal->text[0])
        return;
    o->refusal->broken = true;
    va_start(args, format);
    vsnprintf(o->refusal->text, sizeof o->refusal->text, format, args);
    va_end(args);
}

void report_table(struct table *t, const struct options *o, FILE *to)
{
    if (o->json)
        json_table(t, to);
    else if (o->csv)
        table_print_csv(t, to);
    else
        table_print(t, to, o->width);
    table_free(t);
}

void report_parked(uint64_t cycles, const struct options *o, FILE *to)
{
    char count[TEXT_NUMBER];

    if (!cycles || o->csv)
        return;
    text_count(count, cycles);
    fprintf(to,
            "\nShares of exact cycles are of all but %s cycles of CPUs not yet "
            "released\n(<parked>).\n",
            count);
}

bool report_counted(const struct recording *r, const char *way)
{
    const char *is = text_lines_get(&r->log, "autoprofile");

    return is && !strcmp(is, way);
}
