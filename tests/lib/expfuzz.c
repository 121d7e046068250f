/* expfuzz.c - mutations of an experiment's files. */
#include "tests/lib/expfuzz.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/mkexp.h"
#include "tools/lib/account.h"
#include "tools/lib/idle.h"
#include "tools/lib/interrupts.h"
#include "tools/lib/tally.h"

#define FILES 10
#define ROOM 16384

static const char *const name[FILES] = {
    "log",         "map",
    "idle.rec",    "switch.rec",
    "stat.rec",    "thread.rec",
    "oracle.rec",  "irq.rec",
    "profile.rec", ("archives/" MKEXP_ARCHIVE)};

struct fuzz {
    char dir[600], exp[700];
    size_t size[FILES];
    unsigned char bytes[FILES][ROOM];
    uint64_t random;
    unsigned touched; /* files to put back, a bit each */
};

/* xorshift64*: the same everywhere. */
static uint64_t dice(struct fuzz *f, uint64_t sides)
{
    f->random ^= f->random >> 12;
    f->random ^= f->random << 25;
    f->random ^= f->random >> 27;
    return (f->random * 0x2545F4914F6CDD1Du >> 20) % sides;
}

static void give_up(const struct fuzz *f, const char *what)
{
    fprintf(stderr, "expfuzz: %s: %s\n", f->exp, what);
    exit(98);
}

static void write_file(const struct fuzz *f, unsigned i,
                       const unsigned char *bytes, size_t size)
{
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", f->exp, name[i]);
    if (unlink(path)) /* a new file: truncating one waits for the disk */
        rmdir(path);
    file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        give_up(f, path);
}

static void load(struct fuzz *f)
{
    for (unsigned i = 0; i < FILES; i++) {
        char path[1024];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", f->exp, name[i]);
        file = fopen(path, "rb");
        if (!file)
            give_up(f, path);
        f->size[i] = fread(f->bytes[i], 1, ROOM / 2, file);
        fclose(file);
    }
}

/* ---- mutations ---------------------------------------------------------- */

static uint64_t strange_number(struct fuzz *f)
{
    static const uint64_t strange[] = {
        0,          1,          7,          8,          16,
        0x7F,       0x80,       0xFF,       0xFFFF,     0x7FFFFFFF,
        0x80000000, 0xFFFFFFFF, UINT64_MAX, 1ull << 63, 100000};

    return strange[dice(f, sizeof strange / sizeof strange[0])];
}

/* Change bytes in place, cut, stretch or repeat. */
static size_t mutate(struct fuzz *f, unsigned char *bytes, size_t size)
{
    size_t at = size ? dice(f, size) : 0;
    size_t n = 1 + dice(f, 64);
    uint64_t number = strange_number(f);

    switch (dice(f, 7)) {
    case 0: /* a bit */
        bytes[at] ^= (unsigned char)(1 << dice(f, 8));
        return size;
    case 1: /* a byte */
        bytes[at] = (unsigned char)dice(f, 256);
        return size;
    case 2: /* a strange number where a number may be */
        at &= ~(size_t)3;
        memcpy(bytes + at, &number, dice(f, 2) ? 4 : 8);
        return size;
    case 3: /* the end is lost */
        return at;
    case 4: /* garbage is inserted */
        memmove(bytes + at + n, bytes + at, size - at);
        for (size_t i = 0; i < n; i++)
            bytes[at + i] = (unsigned char)dice(f, 256);
        return size + n;
    case 5: /* a piece is repeated elsewhere */
        if (n > size - at)
            n = size - at;
        memmove(bytes + (size > n ? dice(f, size - n) : 0), bytes + at, n);
        return size;
    default: /* a piece is lost */
        if (n > size - at)
            n = size - at;
        memmove(bytes + at, bytes + at + n, size - at - n);
        return size - n;
    }
}

/* A file goes, becomes a directory, or takes the place of another. */
static void mutate_file(struct fuzz *f, unsigned i)
{
    unsigned other = (unsigned)dice(f, FILES);
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", f->exp, name[i]);
    if (dice(f, 2)) {
        write_file(f, i, f->bytes[other], f->size[other]);
        return;
    }
    unlink(path);
    if (dice(f, 2))
        mkdir(path, 0777);
}

static void break_it(struct fuzz *f)
{
    for (uint64_t n = 1 + dice(f, 3); n--;) {
        unsigned char bytes[ROOM] = {0};
        unsigned i = (unsigned)dice(f, FILES);
        size_t size = f->size[i];

        if (f->touched >> i & 1)
            continue;
        f->touched |= 1u << i;
        if (!dice(f, 16)) {
            mutate_file(f, i);
            continue;
        }
        memcpy(bytes, f->bytes[i], size);
        for (uint64_t k = 1 + dice(f, 4); k--;)
            size = mutate(f, bytes, size);
        write_file(f, i, bytes, size);
    }
}

static void put_back(struct fuzz *f)
{
    for (unsigned i = 0; i < FILES; i++)
        if (f->touched >> i & 1)
            write_file(f, i, f->bytes[i], f->size[i]);
    f->touched = 0;
}

/* ---- reading ------------------------------------------------------------ */

static uint64_t by_function(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

/* However broken, exclusive values add up, and so does what is attributed. */
static void read_samples(struct fuzz *f, struct recording *r)
{
    struct tally_calls calls;
    struct samples s;
    struct tally t;
    uint64_t sum = 0, in = 0, given = 0;

    samples_read(&s, r, &(struct samples_choice){0});
    tally_read(&t, &s, by_function, NULL);
    tally_calls_read(&calls, &t, &s);
    for (unsigned m = 1; m < t.metrics; m++) {
        for (size_t i = 0; i < t.rows; i++) {
            sum += t.row[i].exclusive[m];
            in += t.row[i].inclusive[m];
        }
        sum -= t.total.exclusive[m];
        for (size_t i = 0; i < calls.count; i++)
            if (calls.list[i].caller)
                given += calls.list[i].attributed[m];
    }
    if (sum || in != given)
        give_up(f, "samples do not add up");
    tally_calls_free(&calls);
    tally_free(&t);
    samples_free(&s);
}

static bool read_it(struct fuzz *f)
{
    struct recording r;
    struct interrupts s;
    struct account a;
    struct idle d;
    char why[1024], out[256];

    if (!recording_open(&r, f->exp, why, sizeof why))
        return false;
    account_read(&a, &r);
    account_check(&a, &r);
    read_samples(f, &r);
    for (size_t i = 0; i < a.count; i++)
        if (!account_name(&r, a.cell[i].function)[0])
            give_up(f, "a function without a name");
    idle_read(&d, &r, dice(f, 2));
    for (uint32_t n = 1; n < d.tree.count; n++)
        idle_name(&d, &r, n, out, sizeof out);
    interrupts_read(&s, &r, (enum interrupts_by)dice(f, 4), -1);
    interrupts_free(&s);
    idle_free(&d);
    account_free(&a);
    recording_close(&r);
    return true;
}

static void run_reports(const struct fuzz *f)
{
    static const char *const report[] = {"info",
                                         "idle",
                                         "functions",
                                         "functions --reasons --per-cpu",
                                         "idle --per-cpu --pcs",
                                         "interrupts --by=thread",
                                         "functions --metrics=ei.+%exact",
                                         "callers-callees",
                                         "calltree --csv",
                                         "lines",
                                         "pcs --filters='cpu==0'",
                                         "disasm",
                                         "idle --csv --table=tree",
                                         "info --csv"};
    const char *build = getenv("BUILD");

    for (size_t i = 0; i < sizeof report / sizeof report[0]; i++) {
        char command[2048];
        int status;

        snprintf(command, sizeof command,
                 "timeout 10 '%s/simprof' %s '%s' >'%s/out' 2>&1",
                 build ? build : "build", report[i], f->exp, f->dir);
        status = system(command);
        if (!WIFEXITED(status) ||
            (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 1 &&
             WEXITSTATUS(status) != 125 &&
             /* none of its functions is known any more */
             (WEXITSTATUS(status) != 2 || strcmp(report[i], "disasm")))) {
            snprintf(command, sizeof command, "cat '%s/out'", f->dir);
            if (system(command))
                fputs("no output\n", stderr);
            give_up(f, report[i]);
        }
    }
}

static void note_seed(const struct fuzz *f, uint64_t seed)
{
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/seed", f->dir);
    file = fopen(path, "w");
    if (!file)
        give_up(f, path);
    fprintf(file, "%" PRIu64 "\n", seed);
    fclose(file);
}

/* A directory in memory where there is one: this writes many small files. */
static void make_scratch(struct fuzz *f)
{
    const char *base = getenv("TMPDIR");

    if (!access("/dev/shm", W_OK | X_OK))
        base = "/dev/shm";
    snprintf(f->dir, sizeof f->dir, "%s/expfuzz.XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(f->dir))
        give_up(f, f->dir);
    snprintf(f->exp, sizeof f->exp, "%s/it.exp", f->dir);
    fprintf(stderr, "expfuzz: the seed stands in %s/seed\n", f->dir);
}

static void remove_scratch(const struct fuzz *f)
{
    char command[1024];

    snprintf(command, sizeof command, "rm -r '%s'", f->dir);
    if (system(command))
        give_up(f, command);
}

uint64_t expfuzz(uint64_t first, uint64_t count, uint64_t run)
{
    struct fuzz *f = calloc(1, sizeof *f);
    uint64_t opened = 0;

    make_scratch(f);
    mkexp_sampled(f->exp);
    load(f);
    for (uint64_t seed = first; seed < first + count; seed++) {
        f->random = seed * 0x9E3779B97F4A7C15u + 1;
        note_seed(f, seed);
        break_it(f);
        alarm(10);
        opened += read_it(f);
        alarm(0);
        if (run && seed % run == 0)
            run_reports(f);
        put_back(f);
    }
    remove_scratch(f);
    free(f);
    return opened;
}
