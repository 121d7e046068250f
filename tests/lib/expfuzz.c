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

#include "tests/fuzz/experiment_files.h"
#include "tests/lib/mkexp.h"
#include "tools/analysis/profile/exact_cycles.h"
#include "tools/analysis/active/active_input.h"
#include "lib/base/grow.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/profile/interrupts.h"
#include "tools/analysis/profile/mark_counts.h"
#include "tools/analysis/profile/sampled.h"
#include "tools/analysis/profile/totals.h"
#include "tools/analysis/timetree/timetree_file.h"
#include "tools/analysis/profile/accuracy.h"
#include "tools/analysis/causes/locks.h"
#include "tools/analysis/states/spans.h"

#define FILES (sizeof experiment_files / sizeof experiment_files[0])
#define ROOM 16384

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

static _Noreturn void wrong(const char *path, const char *what)
{
    fprintf(stderr, "expfuzz: %s: %s\n", path, what);
    abort();
}

static void give_up(const struct fuzz *f, const char *what)
{
    wrong(f->exp, what);
}

static void write_file(const struct fuzz *f, unsigned i,
                       const unsigned char *bytes, size_t size)
{
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", f->exp, experiment_files[i]);
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

        snprintf(path, sizeof path, "%s/%s", f->exp, experiment_files[i]);
        file = fopen(path, "rb");
        if (!file)
            give_up(f, path);
        f->size[i] = fread(f->bytes[i], 1, ROOM / 2, file);
        fclose(file);
    }
}

/* ---- mutations ----------------------------------------------------------- */

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

    snprintf(path, sizeof path, "%s/%s", f->exp, experiment_files[i]);
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

/* ---- reading ------------------------------------------------------------- */

static uint64_t by_function(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

/* However broken, exclusive values add up, and so does what is attributed. */
static void read_samples(struct recording *r, bool trees)
{
    struct samples_choice choice = {
        .functions = trees, .unfold = !trees, .waits = trees ? 0 : ~0u};
    struct totals_calls calls;
    struct samples s;
    struct totals t;
    uint64_t sum = 0, in = 0, given = 0;

    samples_read(&s, r, &choice);
    totals_read(&t, &s, by_function, NULL);
    totals_calls_read(&calls, &t, &s);
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
        wrong(r->name, "samples do not add up");
    totals_calls_free(&calls);
    totals_free(&t);
    samples_free(&s);
}

static void read_tree(const struct recording *r, const char *source)
{
    struct timetree_query q = {.from = r->from, .to = r->to};
    struct timetree_answer a;
    struct timetree_file f;

    if (timetree_file_open(&f, r->dir, source) != TIMETREE_FILE_OK)
        return;
    timetree_ask(&f.tree, &q, &a);
    for (uint32_t i = 0; i < f.tree.types; i++)
        if (strlen(timetree_name(&f, f.call_of[i])) > f.text_size)
            wrong(r->name, "a name beyond the text");
    timetree_forget(&a);
    timetree_file_close(&f);
}

static void read_idle(struct recording *r, bool by_pc, enum interrupts_by by)
{
    struct accuracy_source source = {.of = (enum accuracy_of)(by % 3)};
    struct sources *lines = sources_new(r);
    struct interrupts s;
    struct accuracy t;
    struct idle d;
    char out[256];

    if (by_pc || !idle_tree(&d, r))
        idle_read(&d, r, by_pc);
    for (uint32_t n = 1; n < d.tree.count; n++)
        idle_name(&d, r, n, out, sizeof out);
    interrupts_read(&s, r, by, -1);
    interrupts_free(&s);
    accuracy_read(&t, r, &source, lines);
    accuracy_free(&t);
    sources_free(lines);
    idle_free(&d);
}

/* Locks and the critical path; what holders did is what threads waited. What
 * threads and locks did follows each other. */
static void read_waits(struct recording *r, uint64_t least)
{
    uint64_t state = 0, did = 0;
    struct spans_event e;
    struct places places;
    struct spans spans;
    struct scene scene;
    struct locks l;

    spans_open(&spans, r);
    while (spans_next(&spans, &e)) {
        if (e.from > e.to && e.is != SPANS_WAKE)
            wrong(r->name, "a stretch that ends before it begins");
        state += e.is == SPANS_STATE;
    }
    spans_close(&spans);
    scene_read(&scene, r);
    places_open(&places, r, &scene);
    locks_find(&l, &scene, &places, SCENE_NONE, least);
    for (size_t n = 0; n < l.shown; n++)
        for (unsigned k = 0; k < LOCKS_DID; k++)
            did += l.lock[l.order[n]].did[k];
    if (did != l.all.cycles || (did && !state))
        wrong(r->name, "locks do not add up");
    locks_free(&l);
    places_close(&places);
    scene_free(&scene);
}

/* Probes, marks and followed instructions; what was traced has no report. */
static void read_others(struct recording *r, bool by_pc)
{
    struct sampled_rows rows;
    struct active_input in;
    struct mark_counts m;
    struct record record;
    struct recfile f;

    active_input_records(&in, r, NULL);
    active_input_free(&in);
    mark_counts_read(&m, r);
    mark_counts_free(&m);
    sampled_read(&rows, r, by_pc, -1);
    sampled_free(&rows);
    if (!recording_records(r, REC_TRACED, &f))
        return;
    while (recfile_next(&f, &record))
        continue;
    recording_done(r, &f);
}

bool expfuzz_read(const char *path, uint64_t random)
{
    uint64_t from = random >> 8 & 0xFFFF, length = random >> 24 & 0xFFFF;
    struct recording r;
    struct exact_cycles a;
    char why[1024] = "";

    if (!recording_open(&r, path, why, sizeof why)) {
        if (!why[0] || strchr(why, '\n'))
            wrong(path, "refused without a line that says why");
        return false;
    }
    exact_cycles_read(&a, &r);
    exact_cycles_check(&a, &r);
    for (size_t i = 0; i < a.count; i++)
        if (!exact_cycles_name(&r, a.cell[i].function)[0])
            wrong(path, "a function without a name");
    exact_cycles_free(&a);
    if (random & 1)
        recording_within(&r, from, from + length + 1);
    r.verbose = random & 2;
    read_samples(&r, random & 4);
    read_tree(&r, random & 8 ? "cycles" : "dcache_miss");
    read_idle(&r, random & 16, (enum interrupts_by)(random >> 5 & 3));
    read_others(&r, random & 16);
    read_waits(&r, random & 32 ? 1000 : 0);
    for (size_t i = 0; i < r.problems.count; i++)
        if (strchr(r.problems.list[i].text, '\n'))
            wrong(path, "a problem of two lines");
    recording_close(&r);
    return true;
}

/* ---- what is broken ------------------------------------------------------ */

static void make_tree(struct recording *r, const char *event)
{
    struct timetree_choice c = {
        .with = {.m = 4, .p = 80, .n = 2}, .event = event, .cpu = -1};
    struct timetree_file f;
    char why[512];

    if (!timetree_file_build(&f, r, &c, why, sizeof why) ||
        !timetree_file_write(&f, r->dir))
        wrong(r->name, "no time tree");
    timetree_file_close(&f);
}

/* An index of so small a file as no report makes, a few records a block. */
static void make_index(struct recording *r, unsigned kind)
{
    struct recindex_of of = {.dir = r->dir,
                             .name = recfile_name(kind),
                             .kind = kind,
                             .cpus = r->cpus,
                             .until = r->end};
    struct recindex x = {0};
    struct recfile f;
    struct record record;
    unsigned n = 0;

    if (!recording_records(r, kind, &f))
        wrong(r->name, "no records");
    of.size = f.size;
    while (recfile_next(&f, &record)) {
        uint64_t size = REC_HEADER + 4 * (uint64_t)record.words;
        struct recindex one = {0};

        recindex_add(&one, f.base + f.at - size, record.cycle);
        if (n++ % 3) {
            struct recindex_block *b = &x.block[x.count - 1];

            b->least = record.cycle < b->least ? record.cycle : b->least;
            b->most = record.cycle > b->most ? record.cycle : b->most;
            b->records++;
        } else {
            x.block = grow(x.block, &x.room, x.count + 1, sizeof *x.block);
            x.block[x.count++] = one.block[0];
        }
        recindex_free(&one);
    }
    recording_done(r, &f);
    if (!recindex_write(&x, &of))
        wrong(r->name, "no index");
    recindex_free(&x);
}

void expfuzz_make(const char *path)
{
    struct recording r;
    char why[1024];

    mkexp_full(path);
    if (!recording_open(&r, path, why, sizeof why))
        wrong(path, why);
    make_tree(&r, "cycles");
    make_tree(&r, "dcache_miss");
    make_tree(&r, TIMETREE_IDLE);
    make_index(&r, REC_PROFILE);
    make_index(&r, REC_ORACLE);
    recording_close(&r);
}

static void run_reports(const struct fuzz *f)
{
    static const char *const report[] = {"info",
                                         "idle",
                                         "functions",
                                         "functions -v --from=20000",
                                         "tree query --to=70000 -v",
                                         "tree show",
                                         "functions --reasons --per-cpu",
                                         "idle --per-cpu --pcs",
                                         "interrupts --by=thread",
                                         "functions --metrics=ei.+%exact",
                                         "callers-callees",
                                         "calltree --csv",
                                         "lines",
                                         "pcs --filters='cpu==0'",
                                         "disasm",
                                         "active",
                                         "marks",
                                         "sampled",
                                         "truth",
                                         "calls --csv",
                                         "branches --csv",
                                         "cpi --to=60000",
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
             /* none of its functions is known any more; no tree */
             (WEXITSTATUS(status) != 2 || (strcmp(report[i], "disasm") &&
                                           strncmp(report[i], "tree", 4))))) {
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
    expfuzz_make(f->exp);
    load(f);
    for (uint64_t seed = first; seed < first + count; seed++) {
        f->random = seed * 0x9E3779B97F4A7C15u + 1;
        note_seed(f, seed);
        break_it(f);
        alarm(10);
        opened += expfuzz_read(f->exp, dice(f, 1 << 30));
        alarm(0);
        if (run && seed % run == 0)
            run_reports(f);
        put_back(f);
    }
    remove_scratch(f);
    free(f);
    return opened;
}
