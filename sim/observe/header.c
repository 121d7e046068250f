/* header.c - the configuration of a machine, and what is recorded of it, as
 * lines of the log. The format: include/record.h.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "sim/config/chip_file.h"
#include "sim/core/timing.h"
#include "sim/observe/recorder.h"

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

void recorder_header(const struct machine_setup *s,
                     const struct recorder_setup *what,
                     char text[RECORDER_HEADER])
{
    uint32_t clock = s->params.clock_mhz * 1000000;
    char archive[EXPERIMENT_NAME];
    const struct param_row *rows;
    unsigned count;
    int used;

    experiment_archive_name(archive, s->image->name, s->image->build_id);
    used = snprintf(text, RECORDER_HEADER,
                    "image %s\nmode %s\ncpus %u\nram %u\nclock %u\n"
                    "timebase %u\nseed %u\nargs ",
                    archive, s->timing->name, s->cpus, s->ram, clock,
                    clock / machine_tb_cycles(&s->params), s->params.seed);
    assert(used > 0 && used < 4096);
    append_escaped(text, s->args);
    if (s->image->is_kernel)
        strcat(text, "\nkernel linux");
    rows = param_rows(&count);
    for (unsigned i = 0; i < count; i++) {
        size_t length = strlen(text);

        snprintf(text + length, RECORDER_HEADER - length, "%sknob %s %u\n",
                 i ? "" : "\n", rows[i].name, param_get(&s->params, &rows[i]));
    }
    for (unsigned k = 0; k < s->what_if.count; k++) {
        size_t length = strlen(text);

        snprintf(text + length, RECORDER_HEADER - length, "what-if %s\n",
                 s->what_if.text[k]);
    }
    if (s->disk.size) {
        size_t length = strlen(text);

        snprintf(text + length, RECORDER_HEADER - length,
                 "disk %llu %s %016llx\n", (unsigned long long)s->disk.size,
                 s->disk.read_only ? "ro" : "rw",
                 (unsigned long long)s->disk.sum);
    }
    for (unsigned k = 1; s->chip && k < CLASS_COUNT; k++) {
        size_t length = strlen(text);
        char row[64];

        chip_text(s->chip, k, row);
        if (memcmp(&s->chip->row[k], &chip_604e.row[k], sizeof *s->chip->row))
            snprintf(text + length, RECORDER_HEADER - length, "chip %s\n", row);
    }
    for (unsigned k = 0; k < s->ndefine; k++) {
        size_t length = strlen(text);

        snprintf(text + length, RECORDER_HEADER - length, "event %u %s\n", k,
                 s->define[k].text);
    }
    for (unsigned k = 0; k < s->nhost_counters; k++) {
        const struct host_counter_spec *e = &s->host_counters[k];
        size_t length = strlen(text);

        snprintf(text + length, RECORDER_HEADER - length,
                 "profile %u %s %llu %s%s\n", k, machine_event(s, e->event),
                 (unsigned long long)e->period, e->user ? "u" : "",
                 e->kernel ? "k" : "");
    }
    if (what->sample_insns) {
        size_t length = strlen(text);

        snprintf(text + length, RECORDER_HEADER - length, "sampled %u%s\n",
                 what->sample_insns,
                 what->sample_states == SAMPLED_IN_USER     ? " u"
                 : what->sample_states == SAMPLED_IN_KERNEL ? " k"
                                                            : "");
    }
    if (what->idle.period) {
        size_t length = strlen(text);

        snprintf(text + length, RECORDER_HEADER - length,
                 "sampled-idle %u%s%s%s\n", what->idle.period,
                 !what->idle.from ? " to-idle"
                 : !what->idle.to ? " from-idle"
                                  : "",
                 what->idle.once ? " once" : "",
                 what->idle.daemons ? " all" : "");
    }
    if (what->locks)
        strncat(text, "record-locks\n", RECORDER_HEADER - strlen(text) - 1);
    strncat(text, "start 0\n", RECORDER_HEADER - strlen(text) - 1);
}
