/* experiment_files.h - the files of an experiment that may be anything, here
 * and in tests/lib/expfuzz.c; an input of experiment_fuzz.c begins with the
 * number of one.
 */
#ifndef TESTS_FUZZ_EXPERIMENT_FILES_H
#define TESTS_FUZZ_EXPERIMENT_FILES_H

#include "tests/lib/mkexp.h"

static const char *const experiment_files[] = {
    "log",
    "map",
    "idle.rec",
    "switch.rec",
    "stat.rec",
    "thread.rec",
    "oracle.rec",
    "irq.rec",
    "profile.rec",
    "probe.rec",
    "mark.rec",
    "trap.rec",
    "traced.rec",
    "sampled.rec",
    "disk.rec",
    "state.rec",
    "wake.rec",
    "frame.rec",
    "program.rec",
    "precapture.rec",
    "tick.rec",
    "pipe.rec",
    "line.rec",
    "lock.rec",
    "timetree.cycles",
    "timetree.dcache_miss",
    "timetree.idle",
    "profile.rec.index",
    "oracle.rec.index",
    ("archives/" MKEXP_ARCHIVE),
};

#endif
