/* machine_state.c - the whole computer as saved state: lib/base/snap.h. Every
 * room has a function of its own; here is their order, and what must be the
 * same of the machine that is saved and of the one that is loaded.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/snap.h"
#include "sim/core/chip/chip.h"
#include "sim/core/timing.h"
#include "sim/machine/machine.h"

/* ---- the setup -----------------------------------------------------------
 */

/* The first line in which two texts differ: where it begins in both. */
static size_t other_line(const char *a, const char *b)
{
    size_t line = 0;

    for (size_t n = 0; a[n] == b[n] && a[n]; n++)
        if (a[n] == '\n')
            line = n + 1;
    return line;
}

static int line_length(const char *text)
{
    return (int)strcspn(text, "\n");
}

/* What a machine is made of, a line each. */
#define SETUP 16384
static void setup_text(const struct machine_setup *k, char text[SETUP])
{
    const struct param_row *rows;
    unsigned count;
    int used = snprintf(
        text, SETUP, "mode %s\ncpus %u\nram %u\ninitrd %zu\nargs %.999s\n",
        k->timing->name, k->cpus, k->ram, k->initrd_size, k->args);

    rows = param_rows(&count);
    for (unsigned n = 0; n < count; n++)
        used += snprintf(text + used, (size_t)(SETUP - used), "knob %s %u\n",
                         rows[n].name, param_get(&k->params, &rows[n]));
    for (unsigned n = 0; n < k->nhost_counters; n++) {
        const struct host_counter_spec *e = &k->host_counters[n];

        used +=
            snprintf(text + used, (size_t)(SETUP - used),
                     "counter %u %s %llu %d%d\n", n, machine_event(k, e->event),
                     (unsigned long long)e->period, e->user, e->kernel);
    }
    for (unsigned n = 0; n < k->ndefine; n++)
        used += snprintf(text + used, (size_t)(SETUP - used), "event %u %s\n",
                         n, k->define[n].text);
}

static void text_state(struct snap *s, const struct machine *m)
{
    char here[SETUP], there[SETUP];
    uint32_t length;

    setup_text(&m->with, here);
    length = (uint32_t)strlen(here);
    memcpy(there, here, length + 1);
    SNAP_BELOW(s, length, SETUP);
    SNAP_MANY(s, (unsigned char *)there, length);
    there[length] = '\0';
    if (!s->bad && strcmp(here, there)) {
        size_t at = other_line(here, there);

        snap_refuse(s, "\"%.*s\" there, \"%.*s\" here", line_length(there + at),
                    there + at, line_length(here + at), here + at);
    }
}

static void refuse_what_cannot(struct snap *s, const struct machine *m)
{
    if (s->way == SNAP_COVER)
        return;
    if (m->with.supervisor.enter)
        snap_refuse(s, "a Linux program's open files and threads are the "
                       "host's, so it cannot be saved; a whole system can");
    if (m->with.ndetail)
        snap_refuse(s, "a run with --detail cannot be saved");
    if (m->with.what_if.count)
        snap_refuse(s, "a run with --what-if cannot be saved");
    if (m->end != MACHINE_RUNNING)
        snap_refuse(s, "the run has ended");
    if (s->way == SNAP_LOAD && m->turns)
        snap_refuse(s, "this machine has run already");
}

/* Something of the setup as a number: another one is refused in these words. */
static void same(struct snap *s, uint64_t here, const char *otherwise)
{
    uint64_t there = here;

    SNAP(s, there);
    if (there != here)
        snap_refuse(s, "%s", otherwise);
}

static bool setup_state(struct snap *s, const struct machine *m)
{
    const struct image *i = m->with.image;
    const struct machine_disk *k = &m->with.disk;
    const struct chip_table *chip = m->with.chip ? m->with.chip : &chip_604e;

    snap_begin(s, "setup", 2);
    refuse_what_cannot(s, m);
    text_state(s, m);
    same(s, pack_sum(0, chip, sizeof *chip), "the chip's table is another one");
    same(s, pack_sum(0, i->bytes, i->size),
         "the program's file is not the one that ran there");
    same(s, m->with.trace_port,
         m->with.trace_port ? "an experiment is written here, not there"
                            : "an experiment was written there, not here");
    same(s, k->sum, "what was on the disk in the beginning is not the same");
    return snap_end(s);
}

/* ---- the machine ---------------------------------------------------------
 */

/* Every device, as the rows of the board say. */
static bool board_state(struct snap *s, struct machine *m)
{
    snap_begin(s, "board", 1);
#define NUMBER(NAME, value, what)
#define REGISTER(DEVICE, NAME, offset, access, what)
#define IN_CORE(NAME, base, bytes, what)
#define DEVICE(NAME, room, base, bytes, access, interrupt, compatible, what)   \
    room##_state(s, &m->room);
#include "include/board.def"
#undef NUMBER
#undef REGISTER
#undef IN_CORE
#undef DEVICE
    return snap_end(s);
}

static bool turns_state(struct snap *s, struct machine *m)
{
    snap_begin(s, "turns", 1);
    SNAP_ARRAY(s, m->next);
    SNAP(s, m->beat);
    SNAP(s, m->turns);
    SNAP(s, m->stopped_by_probe);
    SNAP_BELOW(s, m->turn_cpu, m->with.cpus);
    SNAP(s, m->turn_until);
    SNAP(s, m->input_over);
    SNAP_SAME(s, m->panic.word);
    SNAP(s, m->panic.since);
    SNAP_SKIP(s, m->modes, "of --detail, which is refused");
    SNAP_SKIP(s, m->scale, "of --what-if, which is refused");
    SNAP_SAME(s, m->quantum);
    return snap_end(s);
}

static void skipped(struct snap *s, struct machine *m)
{
    SNAP_SKIP(s, m->with, "compared as the setup");
    SNAP_SKIP(s, m->iomap, "made by machine_init");
    SNAP_SKIP(s, m->observers, "who listens is not saved here");
    SNAP_SKIP(s, m->named, "saved with the names");
    SNAP_SKIP(s, m->end, "what is saved has not ended");
    SNAP_SKIP(s, m->status, "of the end");
    SNAP_SKIP(s, m->signal, "of the end");
    SNAP_SKIP(s, m->culprit, "of the end");
    SNAP_SKIP(s, m->cycles, "of the end");
    SNAP_SKIP(s, m->exact, "of the end");
}

/* Memory comes before the processors, whose pipelines point to its records. */
bool machine_state(struct snap *s, struct machine *m)
{
    snap_begin(s, "machine", 1);
    SNAP_OWNS(s, struct machine, m, 1);
    skipped(s, m);
    setup_state(s, m);
    ram_state(s, &m->ram);
    decode_cache_state(s, &m->decoded);
    bus_state(s, &m->bus);
    reservations_state(s, &m->reservations);
    names_state(s, &m->names);
    widened_state(s, &m->widened);
    for (unsigned n = 0; n < m->with.cpus; n++)
        core_state(s, &m->core[n]);
    board_state(s, m);
    turns_state(s, m);
    return snap_end(s);
}
