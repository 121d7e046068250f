/* moment.c - see moment.h. */
#include "sim/observe/stretch/moment.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"

#define WIDTH 4 /* instructions a processor completes in a cycle, at most */

bool moment_parse(struct moment *m, const struct names *s, const char *option,
                  const char *text, char *why, size_t size)
{
    uint32_t address = 0;
    char near_by[DID_YOU_MEAN_TEXT];

    *m = (struct moment){MOMENT_NONE, 0};
    if (!text)
        return true;
    if (strncmp(text, "cycle:", 6) == 0) {
        m->kind = MOMENT_CYCLE;
        if (text_number(text + 6, &m->value))
            return true;
    } else if (strncmp(text, "0x", 2) == 0) {
        m->kind = MOMENT_ADDRESS;
        if (text_number(text, &m->value) && m->value <= UINT32_MAX)
            return true;
    } else if (isdigit((unsigned char)*text)) {
        m->kind = MOMENT_INSNS;
        if (text_number(text, &m->value))
            return true;
    } else if (!s || names_find(s, text, &address)) {
        *m = (struct moment){MOMENT_ADDRESS, address};
        return true;
    }
    *near_by = '\0';
    if (s && m->kind == MOMENT_NONE)
        names_near(s, text, near_by);
    snprintf(why, size,
             "--%s=%s: give a number of instructions, cycle:N, 0xADDRESS or a "
             "symbol of the program%s",
             option, text, near_by);
    return false;
}

bool moment_reached(const struct moment *m, const struct machine *machine,
                    ea_t pc, cycle_t at)
{
    switch (m->kind) {
    case MOMENT_INSNS:
        return machine_insns(machine) >= m->value;
    case MOMENT_CYCLE:
        return at >= m->value;
    case MOMENT_ADDRESS:
        return pc == m->value;
    default:
        return false;
    }
}

bool moment_near(const struct moment *m, const struct machine *machine,
                 cycle_t at)
{
    uint64_t ahead = 2 * (uint64_t)MACHINE_BEAT + machine->quantum;

    switch (m->kind) {
    case MOMENT_INSNS:
        return machine_insns(machine) + WIDTH * machine->with.cpus * ahead >=
               m->value;
    case MOMENT_CYCLE:
        return at + ahead >= m->value;
    default:
        return m->kind == MOMENT_ADDRESS;
    }
}
