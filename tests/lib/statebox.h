/* statebox.h - a machine as the command line describes it, with a console and
 * an experiment of its own, that a test saves and loads (lib/base/snap.h).
 */
#ifndef TESTS_LIB_STATEBOX_H
#define TESTS_LIB_STATEBOX_H

#include "lib/base/snap.h"
#include "sim/cli/options.h"
#include "sim/host/initrd.h"
#include "sim/observe/recorder.h"

#define STATEBOX_ARGS 40

struct statebox {
    struct options options;
    struct image image;
    struct initrd initrd;
    struct mark_requests marks;
    struct experiment experiment;
    struct autoprofile autoprofile;
    struct machine machine;
    struct recorder recorder;
    char *argv[STATEBOX_ARGS + 1];
    int argc;
    char *words;       /* that argv points into */
    const char *typed; /* what the guest will read */
    size_t read;       /* ... so much of it already */
    char *printed;
    size_t prints;
};

/* Power on: `line` is what stands behind "simrun", options and program, words
 * apart by single spaces, "~" in a word a space. The experiment is at `path`,
 * if the options record one. Fails the test when it cannot be. */
struct statebox *statebox_open(const char *line, const char *typed,
                               const char *path);
/* Run until so many turns have been begun, or the machine has ended. */
void statebox_run(struct statebox *b, uint64_t turns);
/* To the end; the experiment is closed. */
void statebox_finish(struct statebox *b);
void statebox_close(struct statebox *b);

/* Save or load the machine and its recorder. */
bool statebox_state(struct snap *s, struct statebox *b);
/* The state; fails the test when it cannot be saved. The caller
 * frees with snap_free. */
struct snap statebox_save(struct statebox *b);
/* Of the byte at `at` in what would be saved now: the section and the item. */
void statebox_where(struct statebox *b, size_t at, char *text, size_t size);

#endif
