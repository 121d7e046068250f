/* disk.h - the disk, a virtio block device, and what lies on it. */
#ifndef GUEST_PROCESS_DISK_H
#define GUEST_PROCESS_DISK_H

#include <stdbool.h>
#include <stdint.h>

#define SECTOR 512u

/* ---- disk.c: the device -------------------------------------------------- */

enum disk_request { DISK_READ = 0, DISK_WRITE = 1, DISK_FLUSH = 4 };

/* Find it, once, at boot; without one it has 0 bytes. */
void disk_init(void);
uint32_t disk_bytes(void);
bool disk_read_only(void);
bool disk_busy(void); /* a request is not done; sched_lock is held */
/* Carry out a request: whole sectors from `sector` on, at `at` in memory, in
 * one piece. The running thread sleeps until it is done. False: an error. */
bool disk_request(enum disk_request what, uint32_t sector, uint32_t at,
                  uint32_t bytes);

/* ---- swap.c: pages that are out ------------------------------------------ */

/* What the boot line gives to pages, and the thread that pages out; once. */
void swap_init(void);
/* The bytes of the disk in front of what pages have. */
uint32_t swap_start(void);
/* A place of a page on the disk, from 1 on, has one owner more, or less. */
void slot_keep(uint32_t slot);
void slot_drop(uint32_t slot);
/* Write a frame to a place of its own, *slot if that is; 0: there is none.
 * False: it is not written. */
bool slot_write(uint32_t *slot, uint32_t frame);
/* Read it. *alone: nothing else has the place. */
bool slot_read(uint32_t slot, uint32_t frame, bool *alone);
uint32_t slots_free(void);
uint32_t slots_all(void);
/* Memory was refused: wait until some is free. False: there is none to be had,
 * or the running process ends. `must`: the largest process ends if there is
 * none. No lock of a space is held. */
bool memory_wait(bool must);

#endif
