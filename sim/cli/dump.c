/* dump.c - rows of insns.def, ppc604e.def and events.def as text. Columns are
 * separated by two spaces or more; a line that begins with # explains.
 */
#include "sim/cli/dump.h"

#include "isa/table.h"
#include "pmu/pmu.h"
#include "sim/core/chip/chip.h"

static const char *const classes[CLASS_COUNT] = {
    [CLASS_NONE] = "-",
#define CLASS(name, text) [CLASS_##name] = #name,
#include "isa/class.def"
#undef CLASS
};

static const char *unit_name(unsigned unit)
{
    return unit == UNIT_NONE ? "none" : chip_unit_name(unit);
}

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

/* mfspr and mtspr of a supervisor register are a matter of the register. */
static const char *level(const struct row *r)
{
    return r->flags & INSN_SUPERVISOR ? "super" : "user";
}

void dump_insns(FILE *f)
{
    fprintf(f, "# Every instruction. Encoding: 0 and 1 are fixed, - may be "
               "anything, a letter is a\n# field (isa/insns.def). Latency: "
               "cycles until a dependent instruction may start;\n# repeat: "
               "until the unit takes the next one. mfspr and mtspr of most "
               "registers are\n# for the supervisor. Empty columns are -.\n");
    fprintf(f, "# %-8s  %-40s  %-18s  %-8s  %-4s  %7s  %6s  %-5s  %-12s  %s\n",
            "name", "encoding", "operands", "class", "unit", "latency",
            "repeat", "level", "writes", "reads");
    for (unsigned op = OP_ILLEGAL + 1; op < OP_COUNT; op++) {
        const struct row *r = table_row(op);
        const struct chip *chip = &chip_604e.row[r->class];

        fprintf(f,
                "%-10s  %-40s  %-18s  %-8s  %-4s  %7u  %6u  %-5s  %-12s  "
                "%s\n",
                r->name, r->encoding, or_dash(r->operands), classes[r->class],
                unit_name(chip->unit), chip->latency, chip->repeat, level(r),
                or_dash(r->writes), or_dash(r->reads));
    }
}

static const char *const kinds[] = {
    [KIND_POINT] = "point",     [KIND_INTERVAL] = "interval",
    [KIND_LEVEL] = "level",     [KIND_BUSY] = "busy",
    [KIND_IDLE] = "idle",       [KIND_CLOCK] = "clock",
    [KIND_DEFINED] = "defined",
};

static void dump_event(FILE *f, const char *name, enum event id,
                       const char *text)
{
    fprintf(f, "%-22s  %-8s  %-5s", name, kinds[event_kind(id)],
            event_unit(id));
    for (unsigned pmc = 1; pmc <= PMU_SELECTS; pmc++) {
        int selector = event_selector(id, pmc);

        if (selector < 0)
            fprintf(f, "  %4s", "-");
        else
            fprintf(f, "  %4d", selector);
    }
    fprintf(f, "  %s\n", text);
}

void dump_events(FILE *f, const struct predicate *d, unsigned n)
{
    fprintf(f, "# Every event with its selector in PMC1 to PMC4; - where a "
               "counter cannot count it.\n");
    fprintf(f, "# %-20s  %-8s  %-5s  %4s  %4s  %4s  %4s  %s\n", "name", "kind",
            "unit", "PMC1", "PMC2", "PMC3", "PMC4", "what it counts");
    for (unsigned id = 0; id < EV_COUNT; id++)
        dump_event(f, event_name(id), id, event_text(id));
    for (unsigned k = 0; k < n; k++)
        dump_event(f, d[k].name, derived_defined(k), d[k].text);
}
