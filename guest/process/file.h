/* file.h - the RAM disk's tree, open files, pipes, devices. */
#ifndef GUEST_PROCESS_FILE_H
#define GUEST_PROCESS_FILE_H

#include <linux/fcntl.h>
#include <linux/stat.h>

#include "guest/process/process.h"

/* ---- ramdisk.c: what the initrd holds ------------------------------------ */

/* A name of the tree. Made at boot, and then as it is. */
struct node {
    struct node *next, *children, *parent; /* next: beside it */
    uint32_t number, mode;
    uint32_t size;
    const uint8_t *bytes; /* in the initrd's memory; links: where they lead */
    uint32_t device;      /* of a device: DEVICE_* */
    const char *name;     /* ends in 0 */
};

/* Read the initrd, and add /dev. */
void ramdisk_init(void);
/* A path, from `from` if it does not begin with /. NULL: *error is -errno. */
const struct node *ramdisk_find(const char *from, const char *path, bool follow,
                                int32_t *error);
/* The path of a node: its length, the 0 at the end counted, or -ERANGE. */
int32_t ramdisk_path(const struct node *n, char *to, uint32_t size);

/* ---- file.c: open files -------------------------------------------------- */

enum {
    DEVICE_NONE,
    DEVICE_CONSOLE,
    DEVICE_NULL,
    DEVICE_ZERO,
    DEVICE_RANDOM,
    DEVICE_DISK
};

struct pipe;

struct file {
    volatile uint32_t users; /* atomic */
    struct mutex lock;       /* of all below, but for what is fixed */
    const struct node *node; /* fixed; NULL: an end of a pipe */
    struct pipe *pipe;       /* fixed */
    uint32_t flags;          /* O_* */
    uint32_t at;
};

struct file *file_open(const struct node *n, uint32_t flags); /* NULL: memory */
void file_keep(struct file *f);
void file_drop(struct file *f);
/* Up to `bytes` bytes to or from the task's memory: how many, or -errno. */
int32_t file_read(struct file *f, struct task *t, uint32_t to, uint32_t bytes);
int32_t file_write(struct file *f, struct task *t, uint32_t from,
                   uint32_t bytes);
/* Is the n-th byte of it always the same one? */
bool file_has_places(const struct file *f);
/* The file of a number, with a user more; NULL: there is none. */
struct file *file_get(struct task *t, uint32_t fd);
/* The lowest free number from `least` on is f's: it; or -EMFILE, and f has a
 * user less. */
int32_t file_number(struct process *p, struct file *f, uint32_t least,
                    bool close_on_exec);
int32_t file_close(struct process *p, uint32_t fd);
/* Whether exec closes the number. process_lock is held. */
void file_close_on_exec(struct process *p, uint32_t fd, bool close);

/* ---- call_file.c --------------------------------------------------------- */

/* The node of a path in user memory, from the directory that is open as a
 * number. NULL: *error says why. */
const struct node *path_find(struct task *t, uint32_t directory, uint32_t at,
                             bool follow, int32_t *error);

/* ---- pipe.c -------------------------------------------------------------- */

/* Both ends. False: no memory. */
bool pipe_new(struct file *end[2], uint32_t flags);
void pipe_closed(struct pipe *p, bool writer);
int32_t pipe_read(struct file *f, struct task *t, uint32_t to, uint32_t bytes);
int32_t pipe_write(struct file *f, struct task *t, uint32_t from,
                   uint32_t bytes);
uint32_t pipe_held(struct pipe *p);
bool pipe_ready(struct file *f, bool write);

/* ---- raw.c, the disk ------------------------------------------------------ */

int32_t raw_move(struct file *f, struct task *t, uint32_t user, uint32_t bytes,
                 bool write);

/* ---- input.c, console ---------------------------------------------------- */

/* Bytes up to a line's end, one at least. */
int32_t input_read(struct task *t, uint32_t to, uint32_t bytes);

/* ---- random.c ------------------------------------------------------------ */

/* Bytes of a generator that the seed sets. */
void random_bytes(uint8_t *to, uint32_t bytes);
/* To user memory: how many, or -EFAULT. */
int32_t random_read(struct task *t, uint32_t to, uint32_t bytes);

#endif
