/* disk_file.h - the host's file behind the disk (--disk).
 *
 * The guest sees the file as it was in the beginning, and what it wrote since.
 * That is kept in memory (sim/mem/medium.h) and goes to the file when the run
 * is over, in one go: what a guest does never hangs on how the host's file
 * takes it, each pass of a run begins with the same disk, and a run that was
 * saved finds it as it was. A run that is killed (SIGKILL) leaves the file
 * alone.
 */
#ifndef SIM_HOST_DISK_FILE_H
#define SIM_HOST_DISK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cli/options.h"
#include "sim/mem/medium.h"

struct disk_file {
    const char *name; /* NULL: there is no file; not owned */
    int fd;
    bool keep;   /* it gets what was written */
    bool failed; /* it could not be read or written, which was said */
};

/* Open what the option names, and describe it to the machine. d must not move
 * afterwards. False: `why` has the line. */
bool disk_file_open(struct disk_file *d, const struct disk_option *o,
                    struct machine_disk *setup, char *why, size_t size);
/* The run is over: what was written goes to the file, if it is to. What fails
 * is said on stderr and noted in d->failed. */
void disk_file_keep(struct disk_file *d, const struct medium *m);
/* Of one that is all zeros, too. */
void disk_file_close(struct disk_file *d);

#endif
