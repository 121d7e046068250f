/* recfile.h - one file of records (include/record.h), read front to back.
 *
 * The file is untrusted: whatever its bytes are, every intact record comes
 * out once, in order, and what was passed over is counted. An incomplete
 * record at the end is no damage: the run was killed or is still writing.
 * Damage in the middle is stepped over: reading goes on at the next place,
 * a multiple of 8 bytes on, where two records in a row make sense.
 * A record has the words that its rows in include/record.def say, and those
 * that the file's header says came later; the latter are not looked at.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_RECFILE_H
#define TOOLS_ANALYSIS_EXPERIMENT_RECFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/record.h"
#include "tools/analysis/experiment/recindex.h"
#include "tools/analysis/experiment/record.h"
#include "tools/analysis/experiment/recrows.h"

#define RECFILE_KINDS REC_KINDS /* kinds are from 1 to before it */
#define RECFILE_CPUS 256

struct recfile {
    /* What was found so far; final after recfile_next returned false. */
    uint64_t records;
    uint64_t skipped;  /* bytes of garbage passed over */
    uint64_t places;   /* ... in so many places */
    uint64_t nonsense; /* records whose contents cannot be */
    uint64_t tail;     /* bytes of an incomplete record at the end */
    int error;         /* errno of a read that failed, or 0 */
    /* Set by recfile_open, may be changed before the first record is read:
     * a record later than this cannot be. */
    uint64_t until;
    uint64_t passed; /* blocks passed over, of so many, by the time index */
    size_t blocks;   /* 0: none is used */
    bool tells;      /* may be set: how far reading is, on standard error */
    uint32_t *whose; /* may be set: the thread of the record that was read
                      * last goes there; behind the last one 0 */
    /* Of the oracle: interval and step may be set before recfile_within. */
    struct recrows rows;
    /* Private from here on. */
    int fd;
    unsigned kind, cpus;
    unsigned unknown; /* words at the end of each record, of a later simrun */
    size_t smallest, largest; /* bytes of a record */
    uint64_t size;            /* of the file when it was opened */
    uint64_t base;            /* file offset of buffer[0] */
    size_t have, at;          /* bytes in the buffer, next of them to read */
    unsigned char *buffer;
    int dir;
    bool windowed, making;
    uint64_t from, to;
    uint64_t reach;        /* records from `from` to here may have something */
    struct recindex index; /* used; or being made */
    uint64_t told;         /* when it was told last */
    size_t block;          /* the next one of it to look at */
    uint64_t stop;         /* where those that are being read end */
};

/* What recfile_open may say. */
enum recfile_state {
    RECFILE_OK,
    RECFILE_MISSING,    /* no such file */
    RECFILE_UNREADABLE, /* errno says why */
    RECFILE_SHORT,      /* ends inside the file header */
    RECFILE_FOREIGN,    /* not a file of such records */
    RECFILE_VERSION     /* another version of the format */
};

/* The name that records of this kind are kept under: "idle.rec". */
const char *recfile_name(unsigned kind);

/* Of a part of the run, are the records of those cycles enough? CUT of
 * include/record.def. */
bool recfile_cuts(unsigned kind);

/* Open the file of `kind` in directory `dir`. Records of CPUs from `cpus` on
 * are nonsense. On anything but RECFILE_OK nothing is held, and *version is
 * set for RECFILE_VERSION. */
enum recfile_state recfile_open(struct recfile *f, int dir, unsigned kind,
                                unsigned cpus, uint32_t *version);
void recfile_close(struct recfile *f);

/* Before the first record is read: only records of cycles `from` to `to`, the
 * latter not included, shall come; of the oracle, whose rows cover what is
 * before them, what they have after `from` up to `to` (recrows.h). With the
 * time index of the file (recindex.h) only blocks that hold some are read, and
 * what is damaged in the others is not noticed. A large file without one is
 * read whole, and one is made in passing. */
void recfile_within(struct recfile *f, uint64_t from, uint64_t to);

/* Before the first record is read: make the index anew in passing. */
void recfile_index(struct recfile *f);

/* All was read: keep the index that was made. False: none was, or the file
 * changed, or nothing can be written to the directory. */
bool recfile_keep(struct recfile *f);

/* The latest cycle of a record, without reading them. False: there is no time
 * index that knows. */
bool recfile_latest(const struct recfile *f, uint64_t *cycle);

/* The next intact record, of the oracle the next row; false at the end. */
bool recfile_next(struct recfile *f, struct record *r);

#endif
