/* treefile_test.c - the file of a time tree: made of records in any order,
 * read back the same, and refused or harmless however it is damaged.
 * timeout: 60 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/profile/samples.h"
#include "tools/analysis/timetree/timetree_file.h"

static const uint32_t work[] = {MKEXP_PC(txn, 0x20), MKEXP_PC(worker, 0x10),
                                MKEXP_PC(thread_start, 8), 0};
static const uint32_t lock[] = {MKEXP_PC(mutex_lock, 0x20), MKEXP_PC(txn, 0x60),
                                MKEXP_PC(worker, 0x10),
                                MKEXP_PC(thread_start, 8), 0};
/* The same functions as `work`, called from elsewhere in them. */
static const uint32_t work2[] = {MKEXP_PC(txn, 0x24), MKEXP_PC(worker, 0x30),
                                 MKEXP_PC(thread_start, 8), 0};

/* CPU 0 has `work` 300 times and then CPU 1 `lock` 100 times in the same
 * cycles, one of them cut off. */
static const char *experiment(void)
{
    static char path[600];
    char elf[700];
    struct mkexp *m;

    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 3 cycles 100 uk");
    for (unsigned i = 0; i < 300; i++)
        mkexp_profile(m, 0, 1000 + 300 * i, 10, 3, 100, 0,
                      i % 2 ? work : work2);
    for (unsigned i = 0; i < 100; i++)
        mkexp_profile(m, 1, 1000 + 900 * i, 11, 3, 100,
                      i ? 0 : PROFILE_TRUNCATED, lock);
    mkexp_profile(m, 1, 99000, 11, 4, 100, 0, lock); /* another counter */
    mkexp_close(m, 1);
    return path;
}

static struct timetree_file build(struct recording *r, struct timetree_choice c)
{
    struct timetree_file f;
    char why[512];

    c.with.p = 95;
    c.with.n = 2;
    if (!timetree_file_build(&f, r, &c, why, sizeof why))
        fail_msg("%s", why);
    assert_true(timetree_whole(&f.tree));
    return f;
}

static void open_experiment(struct recording *r)
{
    char why[512];

    assert_true(recording_open(r, experiment(), why, sizeof why));
}

static void records_of_all_processors_become_one_stream(void **state)
{
    struct timetree_choice c = {.cpu = -1};
    struct recording r;
    struct timetree_file f;

    (void)state;
    open_experiment(&r);
    f = build(&r, c);
    assert_string_equal(f.source, "cycles");
    assert_int_equal(f.tree.stream.count, 400);
    /* in order of time: timetree_whole says so */
    /* txn, mutex_lock, and the one whose root is not known */
    assert_int_equal(f.tree.types, 3);
    timetree_file_close(&f);
    c.one_thread = true;
    c.thread = 11;
    f = build(&r, c);
    assert_string_equal(f.source, "cycles, thread 11");
    assert_int_equal(f.tree.stream.count, 100);
    timetree_file_close(&f);
    recording_close(&r);
}

/* A damaged file may have times that go back, over and over: samples are put
 * in order all the same, however many runs that makes. */
static void times_that_go_back_are_put_in_order(void **state)
{
    struct timetree_choice c = {.cpu = -1};
    struct timetree_query q = {.to = UINT64_MAX, .exact = true};
    struct timetree_answer a;
    char path[600], elf[700];
    struct timetree_file f;
    struct recording r;
    struct mkexp *m;
    char why[512];
    uint64_t weight = 0, expected = 0;

    (void)state;
    snprintf(path, sizeof path, "%s.back", experiment());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 3 cycles 100 uk");
    for (unsigned i = 0; i < 3000; i++) {
        unsigned at = i * 7919 % 99991;

        mkexp_profile(m, i / 2 % 2, at, 10, 3, 80 + at % 50, 0,
                      at % 3 ? work : lock);
        expected += 80 + at % 50;
    }
    mkexp_close(m, 1);
    assert_true(recording_open(&r, path, why, sizeof why));
    f = build(&r, c); /* whole: in order of time */
    assert_int_equal(f.tree.stream.count, 3000);
    timetree_ask(&f.tree, &q, &a);
    for (uint32_t i = 0; i < f.tree.types; i++)
        weight += a.weight[i];
    assert_int_equal(weight, expected);
    timetree_forget(&a);
    timetree_file_close(&f);
    recording_close(&r);
}

/* From leaf to root, "a<b<c". */
static const char *stack(const struct timetree_file *f, uint32_t type)
{
    static char text[1 << 17];

    text[0] = '\0';
    for (uint32_t c = f->call_of[type]; c; c = f->call[c].parent) {
        strcat(text, text[0] ? "<" : "");
        strcat(text, timetree_name(f, c));
    }
    return text;
}

static void what_is_read_is_what_was_written(void **state)
{
    struct timetree_choice c = {.cpu = -1};
    struct timetree_query q = {.from = 20000, .to = 50000};
    struct timetree_answer a, b;
    struct recording r;
    struct timetree_file f, g;

    (void)state;
    open_experiment(&r);
    f = build(&r, c);
    assert_true(timetree_file_write(&f, r.dir));
    assert_int_equal(timetree_file_open(&g, r.dir, "cycles"), TIMETREE_FILE_OK);
    assert_string_equal(g.source, "cycles");
    assert_int_equal(g.tree.with.m, 100);
    assert_int_equal(g.tree.nodes, f.tree.nodes);
    timetree_ask(&f.tree, &q, &a);
    timetree_ask(&g.tree, &q, &b);
    assert_memory_equal(a.count, b.count, 3 * sizeof *a.count);
    assert_int_equal(b.counted + b.other, 100 + 33); /* 20200.. and 20800.. */
    for (uint32_t i = 0; i < 3; i++) {
        const char *s = stack(&g, i);

        assert_true(!strcmp(s, "txn<worker<thread_start") ||
                    !strcmp(s, "mutex_lock<txn<worker<thread_start") ||
                    !strcmp(s, "mutex_lock<txn<worker<thread_start<"
                               "<Truncated-stack>"));
    }
    timetree_forget(&a);
    timetree_forget(&b);
    timetree_file_close(&f);
    timetree_file_close(&g);
    recording_close(&r);
}

/* What a file may be after damage: refused, or, where the damage lies in what
 * is read only when it is needed, found out then, or not needed. An answer is
 * always the right one. Returns whether it was refused or found out. */
static bool refused(struct recording *r, const struct timetree_answer *right,
                    uint32_t types)
{
    struct timetree_query q = {.from = 300, .to = 70000};
    struct timetree_answer a;
    struct timetree_file f;
    bool damaged;

    if (timetree_file_open(&f, r->dir, "cycles") != TIMETREE_FILE_OK)
        return true;
    timetree_ask(&f.tree, &q, &a);
    damaged = a.damaged;
    if (!damaged) {
        assert_int_equal(f.tree.types, types);
        assert_memory_equal(a.count, right->count, types * sizeof *a.count);
        assert_memory_equal(a.weight, right->weight, types * sizeof *a.weight);
        assert_int_equal(a.other, right->other);
    }
    timetree_forget(&a);
    timetree_file_close(&f);
    return damaged;
}

static void put_file(int fd, const unsigned char *bytes, size_t size)
{
    assert_int_equal(pwrite(fd, bytes, size, 0), size);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
}

/* Every byte and every length, and several bytes at random. */
static void damage_is_never_an_answer(void **state)
{
    static unsigned char good[1 << 16], bad[1 << 16];
    struct timetree_query q = {.from = 300, .to = 70000};
    struct timetree_choice c = {.cpu = -1};
    struct timetree_answer right;
    struct recording r;
    struct timetree_file f;
    size_t found = 0, size;
    int fd;

    (void)state;
    open_experiment(&r);
    f = build(&r, c);
    timetree_ask(&f.tree, &q, &right);
    assert_true(timetree_file_write(&f, r.dir));
    fd = openat(r.dir, "timetree.cycles", O_RDWR);
    size = (size_t)read(fd, good, sizeof good);
    assert_in_range(size, 1000, sizeof good - 1);
    srand(1);
    for (size_t i = 0; i < size; i++) {
        put_file(fd, good, i);
        assert_true(refused(&r, &right, f.tree.types));
        memcpy(bad, good, size);
        bad[i] ^= (unsigned char)(1 << rand() % 8);
        put_file(fd, bad, size);
        found += refused(&r, &right, f.tree.types);
        for (int k = rand() % 4; k > 0; k--)
            bad[(size_t)rand() % size] = (unsigned char)rand();
        put_file(fd, bad, size);
        refused(&r, &right, f.tree.types);
    }
    assert_in_range(found, size / 2, size); /* the rest was not needed */
    put_file(fd, good, size);
    assert_false(refused(&r, &right, f.tree.types));
    timetree_forget(&right);
    timetree_file_close(&f);
    close(fd);
    recording_close(&r);
}

/* ---- forged ones --------------------------------------------------------- */

static void flip(void *at, size_t size)
{
    unsigned char *byte = at;

    if (size)
        byte[(size_t)rand() % size] = (unsigned char)rand();
}

/* Make the sums of entries and samples right again. */
static void sum_up(struct timetree *t)
{
    for (uint64_t i = 0; i < t->nodes; i++) {
        struct timetree_node *n = &t->node[i];

        if (n->at <= t->entry.size && n->bytes <= t->entry.size - n->at)
            n->sum = (uint32_t)pack_sum(0, t->entry.byte + n->at, n->bytes);
    }
    for (uint64_t i = 0; i < t->stream.blocks; i++) {
        struct stream_block *b = &t->stream.block[i];
        uint64_t end =
            i + 1 < t->stream.blocks ? b[1].at : t->stream.bytes.size;

        if (b->at <= end && end <= t->stream.bytes.size)
            b->sum = (uint32_t)pack_sum(0, t->stream.bytes.byte + b->at,
                                        end - b->at);
    }
}

/* Everything that is in a file of a tree, used. */
static void use(struct timetree_file *f, struct recording *r)
{
    struct timetree_query q = {.from = 300, .to = 70000, .exact = true};
    struct samples_choice choice = {.functions = true};
    struct timetree_answer a;
    struct samples s;

    timetree_ask(&f->tree, &q, &a);
    for (uint32_t type = 0; type < f->tree.types; type++)
        stack(f, type);
    timetree_forget(&a);
    timetree_whole(&f->tree);
    samples_read(&s, r, &choice);
    samples_free(&s);
}

/* Anything may be wrong in a file whose sums are right: it is refused, or used
 * without harm. */
static void what_is_forged_does_no_harm(void **state)
{
    struct timetree_choice c = {.cpu = -1};
    unsigned used = 0;
    struct recording r;

    (void)state;
    open_experiment(&r);
    for (unsigned seed = 0; seed < 3000; seed++) {
        struct timetree_file f = build(&r, c), g;
        struct timetree *t = &f.tree;

        srand(seed);
        for (unsigned k = 1 + seed % 2; k > 0; k--)
            switch (rand() % 7) {
            case 0:
                flip(t->node, t->nodes * sizeof *t->node);
                break;
            case 1:
                flip(t->stream.block,
                     t->stream.blocks * sizeof *t->stream.block);
                break;
            case 2:
                flip(f.call, f.calls * sizeof *f.call);
                break;
            case 3:
                flip(f.call_of, t->types * sizeof *f.call_of);
                flip(f.name, f.names * sizeof *f.name);
                break;
            case 4:
                flip(f.text, f.text_size);
                break;
            case 5:
                flip(t->entry.byte, t->entry.size);
                break;
            default:
                flip(t->stream.bytes.byte, t->stream.bytes.size);
            }
        sum_up(t);
        assert_true(timetree_file_write(&f, r.dir));
        timetree_file_close(&f);
        if (timetree_file_open(&g, r.dir, "cycles") != TIMETREE_FILE_OK)
            continue;
        used++;
        use(&g, &r);
        timetree_file_close(&g);
    }
    assert_in_range(used, 300, 2900);
    recording_close(&r);
}

static void nothing_to_build_from_is_said(void **state)
{
    struct timetree_choice c = {.with = {0, 95, 2, false}, .cpu = -1};
    struct timetree_file f;
    struct recording r;
    char why[512];

    (void)state;
    open_experiment(&r);
    c.event = "dcache_miss";
    assert_false(timetree_file_build(&f, &r, &c, why, sizeof why));
    assert_non_null(strstr(why, "no counter \"dcache_miss\" took samples"));
    c.event = "from-idle";
    assert_false(timetree_file_build(&f, &r, &c, why, sizeof why));
    assert_non_null(strstr(why, "idle.rec: no samples of from-idle"));
    assert_int_equal(timetree_file_open(&f, r.dir, "cycles"),
                     TIMETREE_FILE_MISSING);
    recording_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_all_processors_become_one_stream),
        cmocka_unit_test(times_that_go_back_are_put_in_order),
        cmocka_unit_test(what_is_read_is_what_was_written),
        cmocka_unit_test(damage_is_never_an_answer),
        cmocka_unit_test(what_is_forged_does_no_harm),
        cmocka_unit_test(nothing_to_build_from_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
