/* file.h - the RAM disk's tree, open files, pipes, devices. */
#ifndef GUEST_PROCESS_FILE_H
#define GUEST_PROCESS_FILE_H

#include <linux/fcntl.h>
#include <linux/stat.h>

#include "guest/process/process.h"

/* ---- ramdisk.c: the tree of names ---------------------------------------- */

extern struct mutex tree_lock; /* before process_lock */

/* A file, directory or link, by a name. Those of the initrd stay for good. */
struct node {
    struct node *next, *children; /* tree_lock; next: beside it, by number */
    struct node *parent;          /* tree_lock; NULL: it has no name any more */
    const char *name;             /* tree_lock: ends in 0 */
    struct node *of;              /* fixed: one more name of that; NULL: none */
    volatile uint32_t links;      /* tree_lock: how many names it has */
    uint32_t number, device;      /* fixed; of a device: DEVICE_* */
    volatile uint32_t mode, time; /* time: the calendar's second */
    volatile uint32_t user, group;
    volatile uint32_t users; /* atomic: its names, files, one for ever */
    struct mutex lock;       /* of what follows, to change it */
    volatile uint32_t size;
    bool named;           /* tree_lock: its name is not the initrd's */
    struct space *store;  /* what was written to it (store.c), NULL: nothing */
    const uint8_t *bytes; /* fixed: as it was at boot; links: where they lead */
};

/* Read the initrd, and add /dev and /tmp. */
void ramdisk_init(void);
/* For all of these tree_lock is held. A path, from `from`, NULL: the root, if
 * it does not begin with /. NULL: *error is -errno. */
struct node *ramdisk_find(struct node *from, const char *path, bool follow,
                          int32_t *error);
/* What has the name in a directory, which may be . or .. */
struct node *ramdisk_child(struct node *directory, const char *name,
                           int32_t *error);
/* Make a name that there is not. `leads`: of a link. */
struct node *ramdisk_make(struct node *directory, const char *name,
                          uint32_t mode, const char *leads, int32_t *error);
/* Take its name away; give it another. 0 or -errno. */
void ramdisk_remove(struct node *n);
int32_t ramdisk_rename(struct node *n, struct node *directory,
                       const char *name);
/* One user less: without any it is gone. No lock of its own is held. */
void node_drop(struct node *n);
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
    struct node *node;       /* fixed; NULL: an end of a pipe */
    struct pipe *pipe;       /* fixed */
    uint32_t flags;          /* O_* */
    uint32_t at;
};

struct file *file_open(struct node *n, uint32_t flags); /* NULL: memory */
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
/* The lowest free number from `least` on is f's; -EMFILE, and a user less. */
int32_t file_number(struct process *p, struct file *f, uint32_t least,
                    bool close_on_exec);
int32_t file_close(struct process *p, uint32_t fd);
/* A number of p was f's, and is not any more: f has a user less. */
void file_closed(struct process *p, struct file *f);
/* Whether exec closes the number. process_lock is held. */
void file_close_on_exec(struct process *p, uint32_t fd, bool close);

/* ---- store.c: what was written to files ---------------------------------- */

/* n->lock is held for these. From now on there is n->store, a space with the
 * file's bytes from STORE_AT on. False: no memory. */
#define STORE_AT USER_LOWEST
bool store_have(struct node *n);
/* Up to `bytes` bytes from or to there: how many, or -errno. This one needs no
 * lock. */
int32_t store_move(const struct node *n, uint32_t at, struct task *t,
                   uint32_t user, uint32_t bytes, bool write);
/* The task's bytes at f->at, or at the end (O_APPEND). f->lock is held. */
int32_t store_write(struct file *f, struct task *t, uint32_t from,
                    uint32_t bytes);
/* Another size: 0 or -errno. It takes n->lock. */
int32_t node_cut(struct node *n, uint32_t size);
void node_touch(struct node *n); /* changed now */

/* ---- call_name.c --------------------------------------------------------- */

/* The node of a path in user memory, from the directory that is open as a
 * number. NULL: *error says why. tree_lock is held for these. */
struct node *path_find(struct task *t, uint32_t directory, uint32_t at,
                       bool follow, int32_t *error);
/* A name that there is not yet, with the last part of the path. */
struct node *path_make(struct task *t, uint32_t directory, uint32_t at,
                       uint32_t mode, const char *leads, int32_t *error);
/* The directory that a path's last part is in, and that part. */
struct node *path_parent(struct task *t, uint32_t directory, uint32_t at,
                         char *name, int32_t *error);

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
