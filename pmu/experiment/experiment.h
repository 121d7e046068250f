/* experiment.h - writes the directory described in include/record.h.
 *
 * Everything is buffered in fixed blocks of whole lines and whole records, so
 * that whatever has reached the disk can be read at any moment. Nothing of
 * the host gets in: no host time, no path, no name of the directory.
 * The first failure is kept in `error` (empty: none); after it nothing more
 * is written and every call is harmless.
 */
#ifndef PMU_EXPERIMENT_EXPERIMENT_H
#define PMU_EXPERIMENT_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/record.h"
#include "pmu/oracle.h"

#define EXPERIMENT_BLOCK 65536
#define EXPERIMENT_FILES (REC_KINDS + 1) /* log, map and one a kind */
#define EXPERIMENT_PATH 1024
#define EXPERIMENT_NAME 512

struct experiment_file {
    int fd;
    size_t used;
    uint64_t pieces; /* records, or lines */
    const char *name;
    uint8_t block[EXPERIMENT_BLOCK];
};

/* Of an experiment that may have so many bytes: everything is recorded; nothing
 * any more; or only what is said at the end, as far as there is room. */
enum experiment_state { EXPERIMENT_RECORDS, EXPERIMENT_CUT, EXPERIMENT_ENDS };

struct experiment {
    int dir;
    uint64_t limit;   /* bytes of all files together; 0: none */
    uint64_t bytes;   /* so far, those in blocks too */
    uint64_t dropped; /* pieces, at the end */
    uint64_t unheard; /* lines behind the cut that a replay would need */
    enum experiment_state state;
    bool cut;
    uint64_t archive_bytes;
    uint64_t flushed, grown;    /* bytes then, and since the time before */
    cycle_t latest;             /* of a record */
    cycle_t cut_at;             /* cut: what comes later is not there */
    char path[EXPERIMENT_PATH]; /* for messages only */
    char error[EXPERIMENT_PATH + 1024];
    struct experiment_file file[EXPERIMENT_FILES];
};

/* Make the directory and its files. With path NULL: NAME.N.exp in the current
 * directory, N counting up from 1, else exactly `path`, which must not exist.
 * The directory has an flock until it is closed. False: e->error says why. */
bool experiment_open(struct experiment *e, const char *path, const char *name);

/* Is a file of this name in such a directory one that is written here? */
bool experiment_writes(const char *name);

/* From now on no more than `limit` bytes, 0: any number. What comes later is
 * dropped, `cut` is set and the log has a line. False: there are more already,
 * and e->error says so. */
bool experiment_limit(struct experiment *e, uint64_t limit);
/* Is there hardly room for what came between the last two flushes? */
bool experiment_full(const struct experiment *e);
/* Here. */
void experiment_cut(struct experiment *e, cycle_t at);
/* The run is over: what is said now is recorded again if there is room. */
void experiment_ends(struct experiment *e);

/* Begin again, in the same directory: what was recorded is forgotten. False:
 * e->error says why. */
bool experiment_again(struct experiment *e);

/* With e NULL what follows up to experiment_record is left out, but for
 * experiment_text. */

/* Copy the ELF file that is being run to archives/`archive`, once. */
void experiment_archive(struct experiment *e, const char *archive,
                        const void *bytes, size_t size);

/* Text for the log: whole lines. */
void experiment_text(struct experiment *e, const char *text);
/* One line for the log; the newline is added. */
void experiment_say(struct experiment *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct experiment_segment {
    cycle_t at;
    uint32_t address, size, offset;
    const char *flags; /* "r-x" */
    const char *archive;
    uint32_t space; /* of the processes that program.rec says; 0: of all */
};

void experiment_segment(struct experiment *e,
                        const struct experiment_segment *s);

/* Who and when of a record. */
struct experiment_stamp {
    unsigned kind; /* REC_... */
    unsigned cpu;
    uint32_t thread;
    cycle_t at;
};

/* Append a record of `count` payload words, at most REC_MAX_WORDS. */
void experiment_record(struct experiment *e, const struct experiment_stamp *s,
                       const uint32_t *words, unsigned count);

/* Append what the oracle gathered since the last call, up to cycle `at`. */
void experiment_oracle(struct experiment *e, unsigned cpu, struct oracle *o,
                       cycle_t at);

/* The run ended at cycle `at` and nothing was lost: the log says so, and how
 * many records and segments there are. No more of those follow. */
void experiment_end(struct experiment *e, cycle_t at);

/* Put on the disk what was handed over so far. */
void experiment_write(struct experiment *e);

/* The same when that is everything up to cycle `at`, the oracle included: the
 * log says so. */
void experiment_flush(struct experiment *e, cycle_t at);

/* Write what is left and close. */
void experiment_close(struct experiment *e);

/* "name.elf" and a build-id as the name of an archive: what is not printable
 * or is a space or a slash becomes '_'. */
void experiment_archive_name(char name[EXPERIMENT_NAME], const char *base,
                             const char *build_id);

#endif
