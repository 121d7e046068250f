/* dma.h - memory as a device sees it that reads and writes it by itself. */
#ifndef SIM_DEV_DMA_H
#define SIM_DEV_DMA_H

#include <stdbool.h>
#include <stdint.h>

/* Memory as a bus master sees it. `touch` is told of each piece before it is
 * read or, with `write`, after it was written, at cycle `at`. */
struct dma_memory {
    uint8_t *bytes; /* not owned */
    uint32_t size;
    void *arg;
    void (*touch)(void *arg, uint32_t pa, uint32_t size, bool write,
                  uint64_t at);
};

#endif
