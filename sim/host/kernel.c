/* kernel.c - reads and writes device trees as files. See kernel.h. */
#include "sim/host/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine/device_tree.h"
#include "sim/machine/linux.h"

#define LARGEST 1048576 /* bytes of a tree */

static bool refuse(const struct options *o, const char *option,
                   const char *advice, char *why, size_t size)
{
    snprintf(why, size, "%s: %s %s, %s", option, o->program,
             o->setup.image->is_kernel ? "is a Linux kernel"
                                       : "is no Linux kernel",
             advice);
    return false;
}

static bool read_tree(struct options *o, char *why, size_t size)
{
    FILE *f = fopen(o->dtb, "rb");
    unsigned char *tree = f ? malloc(LARGEST) : NULL;
    size_t bytes = tree ? fread(tree, 1, LARGEST, f) : 0;
    bool good = tree && !ferror(f);

    if (!good)
        snprintf(why, size, "--dtb: %s: %s", o->dtb, strerror(errno));
    else if (!device_tree_is(tree, bytes))
        good = snprintf(why, size,
                        "--dtb: %s: is no flattened device tree, make one with "
                        "dtc",
                        o->dtb) < 0;
    if (f)
        fclose(f);
    if (!good) {
        free(tree);
        return false;
    }
    o->setup.dtb = tree;
    o->setup.dtb_size = bytes;
    return true;
}

bool kernel_prepare(struct options *o, char *why, size_t size)
{
    if (o->sysroot && !o->user && !o->setup.image->is_kernel)
        return refuse(o, "--sysroot", "leave it out", why, size);
    if (o->setup.image->is_kernel) {
        o->record.sysroot = o->sysroot;
        if (o->run)
            return refuse(o, "--program",
                          "put the program into the directory of --initrd", why,
                          size);
        return !o->dtb || read_tree(o, why, size);
    }
    if (o->dtb || o->dump_dtb)
        return refuse(o, o->dtb ? "--dtb" : "--dump-dtb", "leave it out", why,
                      size);
    return true;
}

void kernel_free(struct options *o)
{
    free((void *)o->setup.dtb);
    o->setup.dtb = NULL;
}

bool kernel_dump(const struct options *o, char *why, size_t size)
{
    unsigned char *tree;
    size_t bytes;
    bool good;
    FILE *f;

    if (!linux_tree(&o->setup, &tree, &bytes, why, size))
        return false;
    f = fopen(o->dump_dtb, "wb");
    good = f && fwrite(tree, 1, bytes, f) == bytes;
    if (f && fclose(f))
        good = false;
    if (!good)
        snprintf(why, size, "--dump-dtb: %s: %s", o->dump_dtb, strerror(errno));
    free(tree);
    return good;
}
