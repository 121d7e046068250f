/* header.c - the configuration of a machine as lines of the log, and the words
 * for events that --event defines. The format: include/record.h.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "sim/config/chip_file.h"
#include "sim/machine/machine.h"
#include "sim/core/timing.h"

uint32_t machine_tb_cycles(const struct params *p)
{
    return p->bus_ratio * p->tb_bus;
}

const char *machine_event(const struct machine_setup *s, enum event id)
{
    for (unsigned k = 0; k < s->ndefine; k++)
        if (id == derived_defined(k))
            return s->define[k].name;
    return event_name(id);
}

void machine_misdefined(const char *text, const struct predicate_error *e,
                        char *why, size_t size)
{
    int used = snprintf(why, size, "--event: %s\n  ", e->why);

    for (const char *c = text; *c && used + 1 < (int)size; c++)
        why[used++] = (unsigned char)*c < 0x20 ? ' ' : *c;
    snprintf(why + used, size - (size_t)used, "\n  %*s^", (int)e->at, "");
}

/* ---- the configuration in words ------------------------------------------ */

/* Appends a text with the bytes that would break a line written as \xHH. */
static void append_escaped(char *text, const char *raw)
{
    char *out = text + strlen(text);

    for (; *raw; raw++) {
        unsigned char c = (unsigned char)*raw;

        if (c < 0x20 || c == 0x7F || c == '\\')
            out += sprintf(out, "\\x%02x", c);
        else
            *out++ = (char)c;
    }
    *out = '\0';
}

void machine_header(const struct machine_setup *s, char text[MACHINE_HEADER])
{
    uint32_t clock = s->params.clock_mhz * 1000000;
    char archive[EXPERIMENT_NAME];
    const struct param_row *rows;
    unsigned count;
    int used;

    experiment_archive_name(archive, s->image->name, s->image->build_id);
    used = snprintf(text, MACHINE_HEADER,
                    "image %s\nmode %s\ncpus %u\nram %u\nclock %u\n"
                    "timebase %u\nseed %u\nargs ",
                    archive, s->timing->name, s->cpus, s->ram, clock,
                    clock / machine_tb_cycles(&s->params), s->params.seed);
    assert(used > 0 && used < 4096);
    append_escaped(text, s->args);
    rows = param_rows(&count);
    for (unsigned i = 0; i < count; i++) {
        size_t length = strlen(text);

        snprintf(text + length, MACHINE_HEADER - length, "%sknob %s %u\n",
                 i ? "" : "\n", rows[i].name, param_get(&s->params, &rows[i]));
    }
    for (unsigned k = 1; s->chip && k < CLASS_COUNT; k++) {
        size_t length = strlen(text);
        char row[64];

        chip_text(s->chip, k, row);
        if (memcmp(&s->chip->row[k], &chip_604e.row[k], sizeof *s->chip->row))
            snprintf(text + length, MACHINE_HEADER - length, "chip %s\n", row);
    }
    for (unsigned k = 0; k < s->ndefine; k++) {
        size_t length = strlen(text);

        snprintf(text + length, MACHINE_HEADER - length, "event %u %s\n", k,
                 s->define[k].text);
    }
    for (unsigned k = 0; k < s->nhost_counters; k++) {
        const struct host_counter_spec *e = &s->host_counters[k];
        size_t length = strlen(text);

        snprintf(text + length, MACHINE_HEADER - length,
                 "profile %u %s %llu %s%s\n", k, machine_event(s, e->event),
                 (unsigned long long)e->period, e->user ? "u" : "",
                 e->kernel ? "k" : "");
    }
    if (s->sample_insns) {
        size_t length = strlen(text);

        snprintf(text + length, MACHINE_HEADER - length, "sampled %u%s\n",
                 s->sample_insns,
                 s->sample_states == SAMPLED_IN_USER     ? " u"
                 : s->sample_states == SAMPLED_IN_KERNEL ? " k"
                                                         : "");
    }
    strncat(text, "start 0\n", MACHINE_HEADER - strlen(text) - 1);
}
