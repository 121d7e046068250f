/* linux.c - the boot protocol. See linux.h. */
#include "sim/machine/linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/big_endian.h"
#include "sim/dev/rtas.h"
#include "sim/machine/device_tree.h"

/* What the kernel maps when it starts, bytes. */
#define FIRST_MAP UINT32_C(0x10000000)
#define BOOT_STACK 16384u /* bytes; the kernel takes its own soon */
#define PLACE_ALIGN 4096u /* bytes */
#define HOLD "__secondary_hold"
#define PANIC "panic_cpu" /* kernel/panic.c: who panics, or PANIC_NOBODY */
#define PANIC_NOBODY UINT32_C(0xFFFFFFFF)

uint32_t linux_initrd(const struct machine_setup *s)
{
    uint32_t top = s->ram < LINUX_LOW_MEMORY ? s->ram : LINUX_LOW_MEMORY;

    return s->initrd && s->initrd_size < top
               ? (top - (uint32_t)s->initrd_size) & ~(INITRD_PAGE - 1)
               : 0;
}

/* Behind the kernel: a first stack, the code of the services, the tree. */
static uint32_t rtas_place(const struct machine_setup *s)
{
    return (image_end(s->image) + BOOT_STACK + PLACE_ALIGN - 1) / PLACE_ALIGN *
           PLACE_ALIGN;
}

static uint32_t tree_place(const struct machine_setup *s)
{
    return rtas_place(s) + PLACE_ALIGN;
}

bool linux_tree(const struct machine_setup *s, unsigned char **tree,
                size_t *size, char *why, size_t room)
{
    struct tree_facts facts = {
        .params = &s->params,
        .cpus = s->cpus,
        .ram = s->ram,
        .initrd = linux_initrd(s),
        .initrd_bytes = (uint32_t)s->initrd_size,
        .rtas = rtas_place(s),
        .args = s->args,
    };
    bool made;

    if (!s->dtb) {
        made = device_tree_make(&facts, tree, size);
    } else {
        *size = s->dtb_size;
        *tree = malloc(s->dtb_size);
        made = *tree;
        if (made) {
            memcpy(*tree, s->dtb, s->dtb_size);
            made = device_tree_choose(&facts, tree, size);
            if (!made)
                free(*tree);
        }
    }
    if (!made)
        snprintf(why, room, "the host has no memory for the device tree");
    return made;
}

/* Does it fit into what the kernel maps when it starts, beside the RAM disk? */
static bool fits(const struct machine *m, size_t bytes)
{
    uint32_t place = tree_place(&m->with), initrd = linux_initrd(&m->with);
    uint32_t top = m->ram.size < FIRST_MAP ? m->ram.size : FIRST_MAP;

    if (initrd && initrd < top)
        top = initrd;
    return place < top && bytes <= top - place;
}

bool linux_load(struct machine *m, char *why, size_t size)
{
    uint32_t code[RTAS_CODE_WORDS];
    unsigned char *tree;
    size_t bytes;
    bool ok;

    if (!linux_tree(&m->with, &tree, &bytes, why, size))
        return false;
    ok = fits(m, bytes);
    if (ok) {
        rtas_code(code);
        for (unsigned k = 0; k < RTAS_CODE_WORDS; k++)
            be_put32(m->ram.bytes + rtas_place(&m->with) + 4 * k, code[k]);
        memcpy(m->ram.bytes + tree_place(&m->with), tree, bytes);
    } else {
        snprintf(why, size,
                 "%s: no room for the device tree between the kernel and the "
                 "RAM disk, give more with --mem",
                 m->with.image->name);
    }
    free(tree);
    return ok;
}

/* The physical address of a place of the kernel. */
static uint32_t physical(const struct image *i, uint32_t ea)
{
    return ea - i->start + i->entry;
}

void linux_start(struct machine *m)
{
    const struct image *i = m->with.image;
    uint32_t ea;

    core_start(&m->core[0], i->entry, rtas_place(&m->with) - 16, 0);
    m->core[0].cpu.gpr[3] = tree_place(&m->with);
    m->next[0] = core_next(&m->core[0]);
    if (!machine_read_names(m))
        return;
    if (names_find(&m->names, PANIC, &ea))
        m->panic.word = physical(i, ea);
    if (m->panic.word > m->ram.size - 4)
        m->panic.word = 0;
    if (!names_find(&m->names, HOLD, &ea))
        return;
    for (unsigned n = 1; n < m->with.cpus; n++)
        release_go(&m->release, n, physical(i, ea), 0);
}

void linux_beat(struct machine *m, cycle_t at)
{
    uint64_t words = (uint64_t)m->with.params.clock_mhz * LINUX_LAST_WORDS_US;

    if (be_get32(m->ram.bytes + m->panic.word) == PANIC_NOBODY)
        return;
    if (!m->panic.since)
        m->panic.since = at;
    if (at - m->panic.since < words)
        return;
    m->end = MACHINE_POWER;
    m->status = LINUX_PANIC;
}
