/* twins.c - run directed event tests on a machine that lies about one event.
 *
 *     twins NAME.elf...
 *
 * Each program runs four times in this process: as it is, and with its event
 * (the file's name) removed, doubled, and moved to another row. The count
 * must be the expected one the first time and no other. One line a program.
 */
#include "tests/pmu/tamper.h"

#include <stdio.h>
#include <string.h>

#include "sim/machine/machine.h"
#include "sim/core/timing.h"

#undef pmu_read

#define CPUS 2
#define RAM (1u << 29) /* the programs are linked at 0x10000000 */

struct tamper tamper;

/* Nothing is added for what follows the clock: alter what is read. */
uint32_t tamper_read(struct pmu *p, unsigned spr, cycle_t now)
{
    static const unsigned sprs[PMU_SELECTS] = {PMU_PMC1, PMU_PMC2, PMU_PMC3,
                                               PMU_PMC4};
    uint32_t value = pmu_read(p, spr, now);
    unsigned i;

    for (i = 0; i < PMU_SELECTS; i++) {
        if (spr != sprs[i] || p->pmc[i].event != tamper.event ||
            p->pmc[i].row >= 0)
            continue;
        if (tamper.kind == TAMPER_REMOVE)
            return value ? 0 : 1;
        if (tamper.kind == TAMPER_DOUBLE)
            return value ? 2 * value : 2;
        if (tamper.kind == TAMPER_MOVE)
            return value + 3;
    }
    return value;
}

struct result {
    uint32_t count, expected;
    bool ended;
};

static struct machine machine; /* large, and must not move */

static bool run(const struct image *image, struct result *r)
{
    struct machine_setup s = {
        .timing = &timing_detailed,
        .cpus = CPUS,
        .ram = RAM,
        .args = "",
        .max_cycles = 20000000,
        .image = image,
    };
    char why[256];

    params_default(&s.params);
    if (!machine_init(&machine, &s, why, sizeof why)) {
        printf("%s\n", why);
        return false;
    }
    machine_run(&machine);
    r->ended = machine.end == MACHINE_RETURN;
    r->count = machine.core[0].cpu.gpr[4];
    r->expected = machine.core[0].cpu.gpr[5];
    machine_free(&machine);
    return true;
}

/* The event's own count, or what is wrong with it. */
static bool judge(const char *name, const struct result r[4])
{
    static const char *const how[] = {"as it is", "removed", "doubled",
                                      "moved"};
    int k;

    for (k = 0; k < 4; k++) {
        bool right = r[k].ended && r[k].count == r[k].expected;
        if (right == (k == 0))
            continue;
        printf("FAIL %s %s: %s, counts %u, expected %u\n", name, how[k],
               r[k].ended ? "ended" : "did not end", r[k].count, r[k].expected);
        return false;
    }
    printf("ok   %-20s %5u  removed %u, doubled %u, moved %u\n", name,
           r[0].count, r[1].count, r[2].count, r[3].count);
    return true;
}

static bool test(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct result r[4] = {0};
    struct image image;
    char name[64], why[256];
    bool good = true;
    int id, k;

    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    name[strcspn(name, ".")] = 0;
    id = event_by_name(name);
    if (id < 0) {
        printf("FAIL %s: no event of this name in pmu/events.def\n", name);
        return false;
    }
    if (!image_open(&image, path, IMAGE_BARE, why, sizeof why)) {
        printf("FAIL %s: %s\n", name, why);
        return false;
    }
    tamper.event =
        event_row((enum event)id) < 0 ? id : event_row((enum event)id);
    for (k = 0; k < 4 && good; k++) {
        tamper.kind = (enum tamper_kind)k;
        good = run(&image, &r[k]);
    }
    image_close(&image);
    return good && judge(name, r);
}

int main(int argc, char **argv)
{
    int i, failed = 0;

    for (i = 1; i < argc; i++)
        failed += !test(argv[i]);
    printf("%d passed, %d failed\n", argc - 1 - failed, failed);
    return failed != 0;
}
