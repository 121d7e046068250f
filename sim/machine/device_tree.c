/* device_tree.c - writes the tree with libfdt, from the top to the leaves. */
#include "lib/base/mix.h"
#include "sim/machine/device_tree.h"

#include <ctype.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/board.h"
#include "sim/dev/rtas.h"

#define CONSOLE "/soc/uart"
#define SENSE_ACTIVE_HIGH 2 /* of an open-pic's interrupt, a level */
#define UART_CLOCK 1843200  /* Hz: 115200 baud times 16 */
#define PVR_604E "PowerPC,604e"

enum phandle { PHANDLE_NONE, PHANDLE_PIC };

/* The tree as it grows. libfdt says where it failed; what is written behind a
 * failure fails as well, so that the end tells. */
struct writing {
    const struct tree_facts *facts;
    void *fdt;
    int wrong;
};

static void keep(struct writing *w, int result)
{
    if (!w->wrong && result < 0)
        w->wrong = result;
}

static void begin(struct writing *w, const char *name)
{
    keep(w, fdt_begin_node(w->fdt, name));
}

static void end(struct writing *w)
{
    keep(w, fdt_end_node(w->fdt));
}

static void number(struct writing *w, const char *name, uint32_t value)
{
    keep(w, fdt_property_u32(w->fdt, name, value));
}

static void text(struct writing *w, const char *name, const char *value)
{
    keep(w, fdt_property_string(w->fdt, name, value));
}

static void flag(struct writing *w, const char *name)
{
    keep(w, fdt_property(w->fdt, name, NULL, 0));
}

static void cells(struct writing *w, const char *name, unsigned n,
                  const uint32_t value[])
{
    fdt32_t cell[4];

    for (unsigned k = 0; k < n; k++)
        cell[k] = cpu_to_fdt32(value[k]);
    keep(w, fdt_property(w->fdt, name, cell, (int)(n * sizeof cell[0])));
}

static void sizes(struct writing *w, uint32_t address, uint32_t size)
{
    number(w, "#address-cells", address);
    number(w, "#size-cells", size);
}

/* ---- processors ---------------------------------------------------------- */

static void cache(struct writing *w, const char *which, uint32_t kb,
                  uint32_t ways)
{
    uint32_t line = w->facts->params->line_bytes;
    char name[32];

    snprintf(name, sizeof name, "%c-cache-size", *which);
    number(w, name, kb * 1024);
    snprintf(name, sizeof name, "%c-cache-line-size", *which);
    number(w, name, line);
    snprintf(name, sizeof name, "%c-cache-block-size", *which);
    number(w, name, line);
    snprintf(name, sizeof name, "%c-cache-sets", *which);
    number(w, name, kb * 1024 / (line * ways));
}

static void processor(struct writing *w, unsigned n)
{
    const struct params *p = w->facts->params;
    uint32_t clock = p->clock_mhz * 1000000;
    char name[32];

    snprintf(name, sizeof name, PVR_604E "@%u", n);
    begin(w, name);
    text(w, "device_type", "cpu");
    number(w, "reg", n);
    number(w, "clock-frequency", clock);
    number(w, "bus-frequency", clock / p->bus_ratio);
    number(w, "timebase-frequency", clock / (p->bus_ratio * p->tb_bus));
    cache(w, "d", p->dcache_kb, p->dcache_ways);
    cache(w, "i", p->icache_kb, p->icache_ways);
    end(w);
}

/* ---- devices ------------------------------------------------------------- */

struct device {
    const char *name; /* of the row */
    uint32_t base, bytes, interrupt;
    const char *compatible;
};

static void pic_node(struct writing *w)
{
    text(w, "device_type", "open-pic");
    text(w, "compatible", "chrp,open-pic");
    flag(w, "interrupt-controller");
    flag(w, "big-endian");
    number(w, "#interrupt-cells", 2);
    number(w, "#address-cells", 0);
    number(w, "phandle", PHANDLE_PIC);
}

static void uart_node(struct writing *w)
{
    text(w, "device_type", "serial");
    text(w, "compatible", "ns16550");
    number(w, "clock-frequency", UART_CLOCK);
    number(w, "current-speed", 115200);
}

static void device_node(struct writing *w, const struct device *d)
{
    char name[48];
    size_t at = 0;

    for (; d->name[at] && at < sizeof name - 10; at++)
        name[at] = (char)tolower((unsigned char)d->name[at]);
    snprintf(name + at, sizeof name - at, "@%x", d->base);
    begin(w, name);
    if (!strcmp(d->compatible, "open-pic"))
        pic_node(w);
    else if (!strcmp(d->compatible, "ns16550"))
        uart_node(w);
    else
        text(w, "compatible", d->compatible);
    cells(w, "reg", 2, (uint32_t[]){d->base, d->bytes});
    if (d->interrupt != BOARD_NO_IRQ)
        cells(w, "interrupts", 2,
              (uint32_t[]){d->interrupt, SENSE_ACTIVE_HIGH});
    end(w);
}

static void devices(struct writing *w)
{
    static const struct device all[] = {
#define NUMBER(NAME, value, what)
#define REGISTER(DEVICE, NAME, offset, access, what)
#define IN_CORE(NAME, base, bytes, what)
#define NO_IRQ BOARD_NO_IRQ
#define DEVICE(NAME, room, base, bytes, access, interrupt, compatible, what)   \
    {#NAME, base, bytes, interrupt, compatible},
#include "include/board.def"
#undef NUMBER
#undef REGISTER
#undef IN_CORE
#undef NO_IRQ
#undef DEVICE
    };

    begin(w, "soc");
    text(w, "compatible", "simple-bus");
    sizes(w, 1, 1);
    flag(w, "ranges");
    number(w, "interrupt-parent", PHANDLE_PIC);
    for (unsigned k = 0; k < sizeof all / sizeof all[0]; k++)
        if (all[k].base != BOARD_RTAS) /* it has a node of its own, /rtas */
            device_node(w, &all[k]);
    end(w);
}

/* The services that the firmware has, by their names in LoPAPR. */
static void services(struct writing *w)
{
    begin(w, "rtas");
    number(w, "linux,rtas-base", w->facts->rtas);
    number(w, "linux,rtas-entry", w->facts->rtas);
    number(w, "rtas-size", RTAS_CODE_WORDS * 4);
    number(w, "power-off", RTAS_POWER_OFF);
    number(w, "system-reboot", RTAS_REBOOT);
    number(w, "get-time-of-day", RTAS_GET_TIME);
    number(w, "set-time-of-day", RTAS_SET_TIME);
    end(w);
}

/* ---- what was chosen ----------------------------------------------------- */

/* Bytes from which the kernel's random numbers begin: without them it waits for
 * noise, of which a deterministic machine has none. They follow from the
 * machine's seed. */
static void random_seed(struct writing *w)
{
    uint64_t seed = w->facts->params->seed;
    uint8_t byte[64];

    for (unsigned k = 0; k < sizeof byte; k++)
        byte[k] = (uint8_t)mix64(seed + (k + 1) * MIX_STEP);
    keep(w, fdt_property(w->fdt, "rng-seed", byte, sizeof byte));
}

static void chosen(struct writing *w)
{
    const struct tree_facts *f = w->facts;
    char console[48];

    snprintf(console, sizeof console, CONSOLE "@%x", BOARD_UART);
    begin(w, "chosen");
    random_seed(w);
    text(w, "bootargs", f->args);
    text(w, "stdout-path", console);
    text(w, "linux,stdout-path", console);
    if (f->initrd_bytes) {
        number(w, "linux,initrd-start", f->initrd);
        number(w, "linux,initrd-end", f->initrd + f->initrd_bytes);
    }
    end(w);
}

static void root(struct writing *w)
{
    begin(w, "");
    text(w, "device_type", "chrp");
    text(w, "model", "simrun");
    text(w, "compatible", "simrun,board");
    sizes(w, 1, 1);
    begin(w, "cpus");
    sizes(w, 1, 0);
    for (unsigned n = 0; n < w->facts->cpus; n++)
        processor(w, n);
    end(w);
    begin(w, "memory@0");
    text(w, "device_type", "memory");
    cells(w, "reg", 2, (uint32_t[]){0, w->facts->ram});
    end(w);
    devices(w);
    services(w);
    chosen(w);
    end(w);
}

bool device_tree_make(const struct tree_facts *f, unsigned char **tree,
                      size_t *size)
{
    size_t room = 16384 + strlen(f->args);
    struct writing w = {f, malloc(room), 0};

    if (!w.fdt)
        return false;
    keep(&w, fdt_create(w.fdt, (int)room));
    keep(&w, fdt_add_reservemap_entry(w.fdt, f->rtas, RTAS_CODE_WORDS * 4));
    keep(&w, fdt_finish_reservemap(w.fdt));
    root(&w);
    keep(&w, fdt_finish(w.fdt));
    if (w.wrong) {
        free(w.fdt);
        return false;
    }
    *tree = w.fdt;
    *size = fdt_totalsize(w.fdt);
    return true;
}

bool device_tree_is(const unsigned char *tree, size_t size)
{
    return size >= sizeof(struct fdt_header) &&
           fdt_check_full(tree, size) == 0 && fdt_totalsize(tree) == size;
}

bool device_tree_choose(const struct tree_facts *f, unsigned char **tree,
                        size_t *size)
{
    size_t room = *size + 256 + strlen(f->args);
    unsigned char *larger = malloc(room);
    int node, wrong = 0;

    if (!larger || fdt_open_into(*tree, larger, (int)room)) {
        free(larger);
        return false;
    }
    node = fdt_path_offset(larger, "/chosen");
    if (node < 0)
        node = fdt_add_subnode(larger, 0, "chosen");
    if (node >= 0 && *f->args)
        wrong = fdt_setprop_string(larger, node, "bootargs", f->args);
    if (node >= 0 && !wrong && f->initrd_bytes) {
        wrong = fdt_setprop_u32(larger, node, "linux,initrd-start", f->initrd);
        wrong = wrong ? wrong
                      : fdt_setprop_u32(larger, node, "linux,initrd-end",
                                        f->initrd + f->initrd_bytes);
    }
    if (node < 0 || wrong || fdt_pack(larger)) {
        free(larger);
        return false;
    }
    free(*tree);
    *tree = larger;
    *size = fdt_totalsize(larger);
    return true;
}
