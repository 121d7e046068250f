/* experiment.c - the writer of an experiment directory. Format: record.h.
 * Knows files, blocks and record layout. Knows no machine: who calls says
 * what happened, where and when.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmu/experiment/experiment.h"
#include "include/record_put.h"

enum { FILE_LOG, FILE_MAP, FILE_REC }; /* FILE_REC + kind - 1 */

static const struct {
    unsigned kind;
    const char *name;
    unsigned later;
} record_files[] = {
#define KIND(name, NAME, number, file, by, least, words, later, part, what,    \
             about)                                                            \
    {number, file, later},
#include "include/record.def"
};

_Static_assert(REASON_COUNT <= 1 << ORACLE_AHEAD_SHIFT, "bits of a list");

#define KINDS (sizeof record_files / sizeof record_files[0])
_Static_assert(FILE_REC + KINDS == EXPERIMENT_FILES, "a file a kind");

#define NUMBERS 99999 /* of experiments with one name */

static void fail(struct experiment *e, const char *name, int error)
{
    if (e->error[0])
        return;
    snprintf(e->error, sizeof e->error, "%s%s%s: cannot be written: %s",
             e->path, *name ? "/" : "", name, strerror(error));
}

static void write_all(struct experiment *e, int fd, const char *name,
                      const uint8_t *bytes, size_t size)
{
    while (size && !e->error[0]) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            fail(e, name, n < 0 ? errno : ENOSPC);
            return;
        }
        bytes += n;
        size -= (size_t)n;
    }
}

/* What goes to a file that has lost its name is lost. */
static void look_removed(struct experiment *e, const struct experiment_file *f)
{
    struct stat st;

    if (!e->error[0] && fstat(f->fd, &st) == 0 && st.st_nlink == 0)
        snprintf(e->error, sizeof e->error,
                 "%s/%s: was removed while it was written", e->path, f->name);
}

static void file_flush(struct experiment *e, struct experiment_file *f)
{
    write_all(e, f->fd, f->name, f->block, f->used);
    f->used = 0;
}

/* ---- how much ------------------------------------------------------------ */

#define LAST                                                                   \
    8192 /* bytes, kept for what the log says at the end, and as many          \
            for records then */

static void append(struct experiment *e, struct experiment_file *f,
                   const void *bytes, size_t size);

static void say_cut(struct experiment *e, cycle_t at)
{
    char line[32];
    int size =
        snprintf(line, sizeof line, "cut %llu\n", (unsigned long long)at);

    e->state = EXPERIMENT_ENDS; /* for this line */
    append(e, &e->file[FILE_LOG], line, (size_t)size);
    e->state = EXPERIMENT_CUT;
    e->cut = true;
    e->cut_at = at;
}

/* A line of the log that a replay needs. */
static bool is_heard(const char *line, size_t size)
{
    static const char *const keys[] = {"input ", "stdio ", "debug "};

    for (unsigned k = 0; k < 3; k++)
        if (size > 6 && memcmp(line, keys[k], 6) == 0)
            return true;
    return false;
}

/* May so many bytes more be written to f? */
static bool has_room(struct experiment *e, const struct experiment_file *f,
                     const void *bytes, size_t size)
{
    bool log = f == &e->file[FILE_LOG];
    uint64_t room = e->limit;

    if (!e->limit)
        return true;
    if (e->state == EXPERIMENT_RECORDS)
        room -= 2 * LAST;
    else if (!log)
        room -= LAST;
    if (e->state == EXPERIMENT_RECORDS && e->bytes + size > room)
        say_cut(e, e->latest);
    if (e->state != EXPERIMENT_CUT && e->bytes + size <= room)
        return true;
    e->dropped += e->state == EXPERIMENT_ENDS;
    e->unheard += log && is_heard(bytes, size);
    return false;
}

bool experiment_limit(struct experiment *e, uint64_t limit)
{
    if (limit && e->bytes + 4 * LAST > limit)
        snprintf(e->error, sizeof e->error,
                 "--trace-limit: the program and the head of the log take %llu "
                 "bytes already, give %llu or more",
                 (unsigned long long)e->bytes,
                 (unsigned long long)e->bytes + 4 * LAST);
    e->limit = limit;
    return !e->error[0];
}

bool experiment_full(const struct experiment *e)
{
    return e->limit && e->state == EXPERIMENT_RECORDS &&
           e->bytes + 2 * e->grown + e->limit / 32 + 3 * LAST > e->limit;
}

void experiment_cut(struct experiment *e, cycle_t at)
{
    if (e->state == EXPERIMENT_RECORDS)
        say_cut(e, at);
}

void experiment_ends(struct experiment *e)
{
    e->state = EXPERIMENT_ENDS;
}

/* A block holds whole pieces only: what does not fit starts the next one. */
static void append(struct experiment *e, struct experiment_file *f,
                   const void *bytes, size_t size)
{
    assert(size <= EXPERIMENT_BLOCK);
    if (e->error[0] || !has_room(e, f, bytes, size))
        return;
    e->bytes += size;
    if (f->used + size > EXPERIMENT_BLOCK)
        file_flush(e, f);
    memcpy(f->block + f->used, bytes, size);
    f->used += size;
    f->pieces++;
}

static int open_new(struct experiment *e, const char *name)
{
    int fd =
        openat(e->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0)
        fail(e, name, errno);
    return fd;
}

/* ---- the directory ------------------------------------------------------- */

/* 0, or the errno that mkdir left; e->error says it in words. */
static int make_directory(struct experiment *e, const char *path)
{
    int error;

    if ((size_t)snprintf(e->path, sizeof e->path, "%s", path) >=
        sizeof e->path) {
        snprintf(e->error, sizeof e->error,
                 "experiment directory: its name is too long");
        return ENAMETOOLONG;
    }
    if (mkdir(path, 0777) == 0)
        return 0;
    error = errno;
    if (error == EEXIST)
        snprintf(e->error, sizeof e->error,
                 "%s: exists already, name another directory, or replace "
                 "it with --force",
                 path);
    else
        snprintf(e->error, sizeof e->error,
                 "%s: the experiment cannot be made: %s", path,
                 strerror(error));
    return error;
}

/* NAME.N.exp with the first N that is free. */
static bool make_numbered(struct experiment *e, const char *name)
{
    char path[EXPERIMENT_NAME];
    int error;

    for (unsigned n = 1; n <= NUMBERS; n++) {
        e->error[0] = '\0';
        if ((size_t)snprintf(path, sizeof path, "%s.%u.exp", name, n) >=
            sizeof path)
            break;
        error = make_directory(e, path);
        if (!error)
            return true;
        if (error != EEXIST)
            return false;
    }
    snprintf(e->error, sizeof e->error,
             "%s.N.exp: no free name, give --pmu-trace=DIR", name);
    return false;
}

static void put(uint8_t *b, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        b[i] = (uint8_t)(value >> (8 * i));
}

static void name_files(struct experiment *e)
{
    e->file[FILE_LOG].name = "log";
    e->file[FILE_MAP].name = "map";
    for (unsigned i = 0; i < KINDS; i++)
        e->file[FILE_REC + record_files[i].kind - 1].name =
            record_files[i].name;
}

static void open_files(struct experiment *e)
{
    name_files(e);
    for (unsigned i = 0; i < EXPERIMENT_FILES && !e->error[0]; i++)
        e->file[i].fd = open_new(e, e->file[i].name);
}

/* What every file begins with. */
static void begin_files(struct experiment *e)
{
    for (unsigned i = 0; i < KINDS; i++) {
        uint8_t head[REC_FILE_HEADER] = {0};

        memcpy(head, REC_MAGIC, 8);
        put(head + 8, REC_VERSION, 4);
        put(head + 12, record_files[i].kind, 4);
        put(head + 16, record_files[i].later, 4);
        append(e, &e->file[FILE_REC + record_files[i].kind - 1], head,
               sizeof head);
        e->file[FILE_REC + record_files[i].kind - 1].pieces = 0;
    }
    experiment_say(e, "simrun-experiment %d", REC_VERSION);
    for (unsigned i = 0; i < KINDS; i++)
        experiment_say(e, "file %u %s", record_files[i].kind,
                       record_files[i].name);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        experiment_say(e, "reason %u %s", i, reason_name(i));
}

bool experiment_writes(const char *name)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (strcmp(name, record_files[i].name) == 0)
            return true;
    return strcmp(name, "log") == 0 || strcmp(name, "map") == 0;
}

bool experiment_open(struct experiment *e, const char *path, const char *name)
{
    memset(e, 0, sizeof *e);
    e->dir = -1;
    for (unsigned i = 0; i < EXPERIMENT_FILES; i++)
        e->file[i].fd = -1;
    if (path ? make_directory(e, path) != 0 : !make_numbered(e, name))
        return false;
    e->dir = open(e->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (e->dir >= 0) /* as long as we write; not every file system can */
        flock(e->dir, LOCK_EX | LOCK_NB);
    if (e->dir < 0 || mkdirat(e->dir, "archives", 0777) != 0)
        fail(e, "archives", errno);
    else
        open_files(e);
    begin_files(e);
    if (e->error[0]) {
        experiment_close(e);
        return false;
    }
    return true;
}

bool experiment_again(struct experiment *e)
{
    for (unsigned i = 0; i < EXPERIMENT_FILES && !e->error[0]; i++) {
        struct experiment_file *f = &e->file[EXPERIMENT_FILES - 1 - i];

        if (ftruncate(f->fd, 0) != 0 || lseek(f->fd, 0, SEEK_SET) != 0)
            fail(e, f->name, errno);
        f->used = 0;
        f->pieces = 0;
    }
    e->state = EXPERIMENT_RECORDS;
    e->cut = false;
    e->bytes = e->archive_bytes;
    e->limit = e->latest = e->grown = e->flushed = e->dropped = e->unheard = 0;
    begin_files(e);
    return !e->error[0];
}

void experiment_archive_name(char name[EXPERIMENT_NAME], const char *base,
                             const char *build_id)
{
    snprintf(name, EXPERIMENT_NAME, "%.255s.%.128s", base, build_id);
    for (char *c = name; *c; c++)
        if (*c <= ' ' || *c > '~' || *c == '/')
            *c = '_';
}

void experiment_archive(struct experiment *e, const char *archive,
                        const void *bytes, size_t size)
{
    char name[EXPERIMENT_NAME + 16];
    int fd;

    if (!e || e->error[0])
        return;
    snprintf(name, sizeof name, "archives/%s", archive);
    /* A pass before may have left it. */
    if (faccessat(e->dir, name, F_OK, 0) != 0) {
        if (!has_room(e, &e->file[FILE_MAP], archive, size))
            return;
        fd = open_new(e, name);
        if (fd < 0)
            return;
        write_all(e, fd, name, bytes, size);
        if (close(fd) != 0)
            fail(e, name, errno);
        e->archive_bytes += size;
        e->bytes += size;
    }
    experiment_say(e, "archive %zu %s", size, archive);
}

/* ---- text ---------------------------------------------------------------- */

void experiment_text(struct experiment *e, const char *text)
{
    append(e, &e->file[FILE_LOG], text, strlen(text));
}

static void say(struct experiment *e, struct experiment_file *f,
                const char *format, va_list args)
{
    char line[4096];
    int size = vsnprintf(line, sizeof line - 1, format, args);

    assert(size >= 0 && (size_t)size < sizeof line - 1);
    line[size] = '\n';
    append(e, f, line, (size_t)size + 1);
}

void experiment_say(struct experiment *e, const char *format, ...)
{
    va_list args;

    if (!e)
        return;
    va_start(args, format);
    say(e, &e->file[FILE_LOG], format, args);
    va_end(args);
}

__attribute__((format(printf, 2, 3))) static void
map_say(struct experiment *e, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(e, &e->file[FILE_MAP], format, args);
    va_end(args);
}

void experiment_segment(struct experiment *e,
                        const struct experiment_segment *s)
{
    char space[32] = "";

    if (!e)
        return;
    if (s->space)
        snprintf(space, sizeof space, "-of %u", s->space);
    map_say(e, "segment%s %llu 0x%08x 0x%x 0x%x %s %s", space,
            (unsigned long long)s->at, s->address, s->size, s->offset, s->flags,
            s->archive);
}

/* ---- records ------------------------------------------------------------- */

/* `record` has its words behind the header, and room for one more. */
static void record_append(struct experiment *e,
                          const struct experiment_stamp *s, uint8_t *record,
                          unsigned count)
{
    size_t size = (REC_HEADER + 4 * (size_t)count + 7) & ~(size_t)7;

    e->latest = s->at > e->latest ? s->at : e->latest;
    assert(count <= REC_MAX_WORDS && s->kind >= 1 && s->kind <= KINDS);
    put(record, size, 2);
    put(record + 2, s->kind, 1);
    put(record + 3, s->cpu, 1);
    put(record + 4, s->thread, 4);
    put(record + 8, s->at, 8);
    if (count % 2)
        put(record + REC_HEADER + 4 * count, 0, 4);
    append(e, &e->file[FILE_REC + s->kind - 1], record, size);
}

static void put_words(uint8_t *record, const uint32_t *words, unsigned count)
{
    uint8_t *b = record + REC_HEADER;

    for (unsigned i = 0; i < count; i++, b += 4) {
        b[0] = (uint8_t)words[i];
        b[1] = (uint8_t)(words[i] >> 8);
        b[2] = (uint8_t)(words[i] >> 16);
        b[3] = (uint8_t)(words[i] >> 24);
    }
}

void experiment_record(struct experiment *e, const struct experiment_stamp *s,
                       const uint32_t *words, unsigned count)
{
    uint8_t record[REC_HEADER + 4 * REC_MAX_WORDS + 4];

    assert(count <= REC_MAX_WORDS);
    if (!e)
        return;
    put_words(record, words, count);
    record_append(e, s, record, count);
}

/* Rows of one context on their way into a record. */
struct drain {
    struct experiment *e;
    struct experiment_stamp stamp;
    uint8_t record[REC_HEADER + 4 * REC_MAX_WORDS + 4]; /* a list */
    unsigned rows, bytes; /* in it, behind its first two words */
    uint32_t first, last; /* addresses of the first row and of the last */
    uint32_t reason;      /* ... the last one's reason and its twelfths */
    uint64_t twelfths;
};

#define LIST_HEAD (REC_HEADER + 4 * ORACLE_LIST_WORDS)
#define LIST_BYTES (4 * (REC_MAX_WORDS - ORACLE_LIST_WORDS))

static uint8_t *list_number(uint8_t *b, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        *b++ = (uint8_t)(n | 0x80);
    *b++ = (uint8_t)n;
    return b;
}

/* Write the list. One row alone, and only that, has ORACLE_WORDS. */
static void list_end(struct drain *d)
{
    uint32_t words[ORACLE_WORDS];
    unsigned count = ORACLE_LIST_WORDS + (d->bytes + 3) / 4, named;

    if (!d->rows)
        return;
    if (d->rows == 1) {
        record_put_oracle_pc(words, d->last);
        record_put_oracle_reason(words, d->reason);
        record_put_oracle_twelfths(words, d->twelfths);
        count = named = ORACLE_WORDS;
    } else {
        record_put_oracle_list_rows(words, d->rows);
        record_put_oracle_list_pc(words, d->first);
        named = ORACLE_LIST_WORDS;
        if (count <= ORACLE_WORDS)
            count = ORACLE_WORDS + 1;
        memset(d->record + LIST_HEAD + d->bytes, 0,
               4 * (count - ORACLE_LIST_WORDS) - d->bytes);
    }
    put_words(d->record, words, named);
    record_append(d->e, &d->stamp, d->record, count);
    d->rows = d->bytes = 0;
}

static inline void list_row(struct drain *d, uint32_t pc, enum reason reason,
                            uint64_t twelfths)
{
    uint32_t ahead = (pc - d->last) / 4;
    uint8_t *b = d->record + LIST_HEAD + d->bytes;

    *b++ =
        (uint8_t)((unsigned)reason | (ahead < ORACLE_FAR ? ahead : ORACLE_FAR)
                                         << ORACLE_AHEAD_SHIFT);
    if (ahead >= ORACLE_FAR)
        b = list_number(b, ahead);
    b = list_number(b, twelfths);
    d->bytes = (unsigned)(b - (d->record + LIST_HEAD));
    d->last = pc;
    d->reason = (uint32_t)reason;
    d->twelfths = twelfths;
    d->rows++;
}

/* A list begins with this row; where there is one, it ends. Not inline, so that
 * the other rows save no registers for its calls. */
__attribute__((noinline)) static void list_begin(struct drain *d,
                                                 uint32_t context, uint32_t pc,
                                                 enum reason reason,
                                                 uint64_t twelfths)
{
    list_end(d);
    d->stamp.thread = context;
    d->first = d->last = pc;
    list_row(d, pc, reason, twelfths);
}

static void oracle_row(void *arg, uint32_t context, uint32_t pc,
                       enum reason reason, uint64_t twelfths)
{
    struct drain *d = arg;

    if (!d->rows || context != d->stamp.thread ||
        d->bytes + ORACLE_ROW_MAX > LIST_BYTES)
        list_begin(d, context, pc, reason, twelfths);
    else
        list_row(d, pc, reason, twelfths);
}

void experiment_oracle(struct experiment *e, unsigned cpu, struct oracle *o,
                       cycle_t at)
{
    struct drain d = {.e = e, .stamp = {REC_ORACLE, cpu, 0, at}};

    if (e->error[0] || e->state == EXPERIMENT_CUT)
        return;
    oracle_drain(o, oracle_row, &d);
    list_end(&d);
}

void experiment_end(struct experiment *e, cycle_t at)
{
    for (unsigned i = 0; i < KINDS; i++)
        experiment_say(
            e, "records %u %llu", record_files[i].kind,
            (unsigned long long)e->file[FILE_REC + record_files[i].kind - 1]
                .pieces);
    experiment_say(e, "segments %llu",
                   (unsigned long long)e->file[FILE_MAP].pieces);
    experiment_say(e, "end %llu", (unsigned long long)at);
}

void experiment_write(struct experiment *e)
{
    for (unsigned i = 0; i < EXPERIMENT_FILES; i++)
        file_flush(e, &e->file[EXPERIMENT_FILES - 1 - i]); /* the log last */
    look_removed(e, &e->file[FILE_LOG]);
}

void experiment_flush(struct experiment *e, cycle_t at)
{
    if (e->state != EXPERIMENT_RECORDS)
        return;
    e->grown = e->bytes - e->flushed;
    e->flushed = e->bytes;
    experiment_write(e);
    experiment_say(e, "at %llu", (unsigned long long)at);
    file_flush(e, &e->file[FILE_LOG]);
}

void experiment_close(struct experiment *e)
{
    for (unsigned i = 0; i < EXPERIMENT_FILES; i++) {
        struct experiment_file *f = &e->file[EXPERIMENT_FILES - 1 - i];

        if (f->fd < 0)
            continue;
        file_flush(e, f); /* the log last: its end means all the rest */
        look_removed(e, f);
        if (close(f->fd) != 0)
            fail(e, f->name, errno);
        f->fd = -1;
    }
    if (e->dir >= 0)
        close(e->dir);
    e->dir = -1;
}
