/* disk_private.h - what the files of the disk share. */
#ifndef SIM_DEV_DISK_PRIVATE_H
#define SIM_DEV_DISK_PRIVATE_H

#include "sim/dev/disk.h"

/* Serve the request done->request at cycle done->end: move its data, write its
 * status, hand it back. Fills in what came of it. False: its chain makes no
 * sense, and the driver is told nothing. */
bool disk_serve(struct disk *d, struct disk_done *done, bool *interrupt);

#endif
