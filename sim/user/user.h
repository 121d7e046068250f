/* user.h - a Linux program on the simulated machine, simrun being the kernel.
 *
 * main.c prepares a struct user, hands `user_supervisor` to the machine it
 * makes, and starts the program on it. Every exception, interrupt and system
 * call of the program then ends up here; the host is asked through struct
 * user_host only. docs/user.md says what a program can expect.
 */
#ifndef SIM_USER_USER_H
#define SIM_USER_USER_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/machine/machine.h"

struct user;

/* The host's side. None of it may change the machine. */
struct user_host {
    void *arg;
    /* A line for a person, without its end. */
    void (*say)(void *arg, const char *line);
    /* Wait until fd can be read or written (poll's events). False: a signal
     * ends the run. */
    bool (*wait)(void *arg, int fd, short events);
    /* What the program was told about stdin, stdout or stderr at cycle `at` of
     * an earlier run: the next answer, if it is of this cycle and kind (as
     * observers are told, observer.stdio). NULL: the host is asked. */
    bool (*recall)(void *arg, uint64_t at, char kind, int64_t *value,
                   void *bytes, size_t size);
    bool silent; /* what is recalled as written does not go out again */
    /* The program is about to change a file below the root, called `path`
     * there, or what that name stands for. False: it must not, and the run
     * ends. NULL: it may. */
    bool (*change)(void *arg, const char *path);
};

struct user_setup {
    const struct image *image;
    const char *path;  /* of the program, as the user gave it */
    const char *root;  /* the files it may see are below; NULL: here */
    const char *place; /* what it calls that; NULL: as the host does */
    const char *self;  /* what it calls itself; NULL: by where it is */
    /* Where shared libraries are looked up that are not below the root; NULL:
     * those of the cross compiler, for a program that needs any. */
    const char *sysroot;
    const char *tmp;   /* the host's directory for its /tmp; NULL: /tmp */
    char *const *argv; /* argv[0] first, NULL last */
    char *const *envp; /* NULL last */
    struct user_host host;
};

/* False: `why` has the line. Free it in any case. */
bool user_open(struct user **u, const struct user_setup *s, char *why,
               size_t size);
void user_close(struct user *u);

struct core_supervisor user_supervisor(struct user *u);

/* Load the program into a machine that was made with our supervisor, and
 * start it on processor 0. */
bool user_start(struct user *u, struct machine *m, char *why, size_t size);

/* The run is over, however: what it stored to mapped files goes there. The
 * machine is still there. */
void user_end(struct user *u);

/* Tell observers of every shared object that is mapped already: the dynamic
 * loader. */
void user_tell_mapped(struct user *u);

/* From now on tell observers of threads; first, who runs already. */
void user_tell_threads(struct user *u);

/* The shared objects that were mapped, each as it is in memory, where it was
 * put first; *n of them. The caller's: image_close each, and free them.
 * user_close is all that u is good for then. NULL: none, or the host has no
 * memory. */
struct image *user_take_shared(struct user *u, unsigned *n);

/* What the program calls the root of its files, and its own file. */
const char *user_place(const struct user *u);
const char *user_self(const struct user *u);

/* It has written to stdout, has it still, and a write to a pipe that is closed
 * would kill it. */
bool user_minds_pipe(const struct user *u);

/* It was about to change files of the host's that stay. */
bool user_changes_files(const struct user *u);

#endif
