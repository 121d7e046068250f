// SPDX-License-Identifier: GPL-2.0 OR MIT
/* board.c - a module that tells Linux of the virtio devices of
 * simrun's board: disk and random bytes.
 *
 * On most platforms the kernel makes a device of each node of the device tree
 * when it starts; on PowerPC the platform does, and CHRP's does not, but for
 * serial ports and the interrupt controller. So the virtio,mmio nodes are found
 * when this module is loaded.
 */
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_platform.h>

/* Not __init: a 32-bit PowerPC kernel refuses a module without code that stays.
 */
static int board_init(void)
{
    struct device_node *node;

    for_each_compatible_node(node, NULL, "virtio,mmio")
    {
        if (!of_platform_device_create(node, NULL, NULL))
            pr_warn("board: %pOF: not made\n", node);
    }
    return 0;
}

module_init(board_init);
MODULE_DESCRIPTION("the virtio devices of simrun's board");
MODULE_LICENSE("Dual MIT/GPL");
