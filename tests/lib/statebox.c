/* statebox.c - see statebox.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/statebox.h"

static void send(void *arg, uint8_t byte)
{
    struct statebox *b = arg;

    b->printed = realloc(b->printed, b->prints + 1);
    assert_non_null(b->printed);
    b->printed[b->prints++] = (char)byte;
}

static enum machine_input receive(void *arg, cycle_t at, bool asleep,
                                  uint8_t *byte)
{
    struct statebox *b = arg;

    (void)at;
    (void)asleep;
    if (!b->typed || !b->typed[b->read])
        return INPUT_END;
    *byte = (uint8_t)b->typed[b->read++];
    return INPUT_BYTE;
}

static void split(struct statebox *b, const char *line)
{
    char *word;

    b->words = strdup(line);
    assert_non_null(b->words);
    b->argv[b->argc++] = "simrun";
    for (word = strtok(b->words, " "); word; word = strtok(NULL, " ")) {
        assert_true(b->argc < STATEBOX_ARGS);
        for (char *c = word; *c; c++)
            if (*c == '~')
                *c = ' ';
        b->argv[b->argc++] = word;
    }
}

struct statebox *statebox_open(const char *line, const char *typed,
                               const char *path)
{
    struct statebox *b = calloc(1, sizeof *b);
    const struct params *p;
    struct options *o;
    char why[2048];

    assert_non_null(b);
    o = &b->options;
    split(b, line);
    b->typed = typed;
    options_read(o, b->argc, b->argv);
    p = &o->setup.params;
    o->marks.threshold = (struct perfinst_thresholds){
        {p->pif_th0, p->pif_th1, p->pif_th2, p->pif_th3}, p->pif_th_bits};
    if (!image_open(&b->image, o->program, IMAGE_BARE, why, sizeof why) ||
        !mark_request_open(&b->marks, &o->marks, &b->image, why, sizeof why) ||
        !initrd_make(&b->initrd, o->initrd, o->run, false, why, sizeof why))
        fail_msg("%s: %s", line, why);
    o->setup.image = &b->image;
    o->setup.initrd = b->initrd.bytes;
    o->setup.initrd_size = b->initrd.size;
    o->record.marks = &b->marks.on;
    o->setup.metadata =
        (struct metadata){b->marks.section, b->marks.section_size};
    o->record.autoprofile = &b->autoprofile;
    o->setup.host =
        (struct machine_host){.arg = b, .send = send, .receive = receive};
    b->autoprofile.kind = o->marks.automatic;
    o->record.autoprofile = &b->autoprofile;
    o->record.experiment = o->trace ? &b->experiment : NULL;
    if (o->trace && !experiment_open(&b->experiment, path, "state"))
        fail_msg("%s: %s", line, b->experiment.error);
    o->setup.trace_port = o->trace;
    if (!machine_init(&b->machine, &o->setup, why, sizeof why) ||
        !recorder_open(&b->recorder, &o->record, &b->machine, why, sizeof why))
        fail_msg("%s: %s", line, why);
    return b;
}

void statebox_run(struct statebox *b, uint64_t turns)
{
    struct machine *m = &b->machine;

    while (m->end == MACHINE_RUNNING && m->turns < turns)
        machine_turn(m);
}

void statebox_finish(struct statebox *b)
{
    statebox_run(b, UINT64_MAX);
    machine_finish(&b->machine);
    if (b->options.trace)
        experiment_close(&b->experiment);
}

void statebox_close(struct statebox *b)
{
    recorder_close(&b->recorder);
    machine_free(&b->machine);
    mark_request_close(&b->marks);
    image_close(&b->image);
    initrd_free(&b->initrd);
    process_args_free(&b->options.process_args);
    free(b->words);
    free(b->printed);
    free(b);
}

bool statebox_state(struct snap *s, struct statebox *b)
{
    return machine_state(s, &b->machine) && recorder_state(s, &b->recorder);
}

struct snap statebox_save(struct statebox *b)
{
    struct snap s;

    snap_save(&s);
    if (!statebox_state(&s, b) || !snap_finish(&s))
        fail_msg("it cannot be saved: %s", s.why);
    return s;
}

struct search {
    size_t at;
    char *text;
    size_t size;
};

static void look(void *arg, const struct snap *s, const struct snap_item *i,
                 const char *skipped)
{
    struct search *f = arg;
    int used = 0;

    (void)skipped;
    if (s->out.size > f->at)
        return;
    for (unsigned n = 0; n < s->depth; n++)
        used += snprintf(f->text + used, f->size - (size_t)used, "%s/",
                         s->section[n].name);
    snprintf(f->text + used, f->size - (size_t)used, "%s, byte %zu", i->name,
             f->at - s->out.size);
}

void statebox_where(struct statebox *b, size_t at, char *text, size_t size)
{
    struct search f = {at, text, size};
    struct snap_visitor v = {&f, look, NULL};
    struct snap s;

    snprintf(text, size, "the beginning");
    snap_save(&s);
    s.visitor = &v;
    statebox_state(&s, b);
    snap_free(&s);
}
