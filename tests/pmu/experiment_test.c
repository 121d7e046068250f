/* experiment_test.c - the directory on the disk, byte by byte, and what
 * happens when the disk does not want it. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "pmu/experiment/experiment.h"
#include "include/record.h"
#include "tests/lib/scratch.h"

static struct experiment e;
static char home[4096], work[600];
static uint8_t content[1 << 20];

static int start(void **state)
{
    (void)state;
    snprintf(work, sizeof work, "%s/XXXXXX", scratch_dir());
    return mkdtemp(work) && getcwd(home, sizeof home) ? chdir(work) : -1;
}

static int stop(void **state)
{
    (void)state;
    return chdir(home);
}

/* The whole file into content; its size, or -1: there is none. */
static long slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    size_t size;

    if (!f)
        return -1;
    size = fread(content, 1, sizeof content - 1, f);
    content[size] = '\0';
    fclose(f);
    return (long)size;
}

static uint64_t little(const uint8_t *b, unsigned size)
{
    uint64_t value = 0;

    while (size--)
        value = value << 8 | b[size];
    return value;
}

static bool log_has(const char *line)
{
    char with_ends[512];

    assert_true(slurp("x.exp/log") > 0);
    snprintf(with_ends, sizeof with_ends, "\n%s\n", line);
    return strstr((char *)content, with_ends) != NULL;
}

static void a_new_experiment_has_all_its_files(void **state)
{
    static const struct {
        const char *name;
        unsigned kind;
    } files[] = {{"idle", 1}, {"switch", 2}, {"thread", 3},
                 {"stat", 4}, {"irq", 5},    {"oracle", 6}};
    char path[64];
    struct stat st;

    (void)state;
    assert_true(experiment_open(&e, "x.exp", NULL));
    experiment_say(&e, "mode %s", "fast");
    experiment_flush(&e, 0);
    for (size_t i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "x.exp/%s.rec", files[i].name);
        assert_int_equal(slurp(path), REC_FILE_HEADER);
        assert_memory_equal(content, REC_MAGIC, 8);
        assert_int_equal(little(content + 8, 4), REC_VERSION);
        assert_int_equal(little(content + 12, 4), files[i].kind);
        assert_int_equal(little(content + 16, 8), 0);
    }
    assert_int_equal(slurp("x.exp/map"), 0);
    assert_int_equal(stat("x.exp/archives", &st), 0);
    assert_true(slurp("x.exp/log") > 0);
    assert_memory_equal(content, "simrun-experiment 1\n", 20);
    assert_true(log_has("file 6 oracle.rec"));
    assert_true(log_has("reason 0 off"));
    assert_true(log_has("mode fast"));
    assert_true(log_has("at 0"));
    experiment_close(&e);
    assert_string_equal(e.error, "");
}

static void a_record_is_little_endian_and_padded(void **state)
{
    struct experiment_stamp s = {REC_SWITCH, 7, 0x11223344, 0x0123456789ABull};
    uint32_t words[3] = {0xA1B2C3D4, 2, 3};
    const uint8_t *r = content + REC_FILE_HEADER;

    (void)state;
    assert_true(experiment_open(&e, "x.exp", NULL));
    experiment_record(&e, &s, words, 3);
    experiment_record(&e, &s, words, 2);
    experiment_close(&e);
    assert_int_equal(slurp("x.exp/switch.rec"), REC_FILE_HEADER + 32 + 24);
    assert_int_equal(little(r, 2), 32);
    assert_int_equal(r[2], REC_SWITCH);
    assert_int_equal(r[3], 7);
    assert_int_equal(little(r + 4, 4), 0x11223344);
    assert_int_equal(little(r + 8, 8), 0x0123456789ABull);
    assert_int_equal(little(r + 16, 4), 0xA1B2C3D4);
    assert_int_equal(little(r + 24, 4), 3);
    assert_int_equal(little(r + 28, 4), 0); /* padding */
    assert_int_equal(little(r + 32, 2), 24);
}

static void records_go_to_the_file_of_their_kind(void **state)
{
    struct experiment_stamp s = {0, 0, 0, 0};
    uint32_t word = 0;

    (void)state;
    assert_true(experiment_open(&e, "x.exp", NULL));
    for (s.kind = REC_IDLE; s.kind <= REC_ORACLE; s.kind++)
        for (unsigned n = 0; n < s.kind; n++)
            experiment_record(&e, &s, &word, 1);
    experiment_close(&e);
    assert_int_equal(slurp("x.exp/idle.rec"), REC_FILE_HEADER + 24);
    assert_int_equal(slurp("x.exp/stat.rec"), REC_FILE_HEADER + 4 * 24);
    assert_int_equal(slurp("x.exp/oracle.rec"), REC_FILE_HEADER + 6 * 24);
}

static void the_oracle_is_written_in_order_and_once(void **state)
{
    struct oracle *o = oracle_new();
    const uint8_t *r = content + REC_FILE_HEADER;

    (void)state;
    assert_true(experiment_open(&e, "x.exp", NULL));
    oracle_add(o, 5, 0x2000, REASON_dmiss, 24);
    oracle_add(o, 5, 0x1000, REASON_complete, 0x500000000ull);
    oracle_add(o, 5, 0x2000, REASON_dmiss, 12);
    oracle_add(o, 4, 0x3000, REASON_unit, 7);
    experiment_oracle(&e, 3, o, 1000);
    oracle_add(o, 6, 0x1000, REASON_nap, 12);
    experiment_oracle(&e, 3, o, 2000);
    experiment_close(&e);
    assert_int_equal(slurp("x.exp/oracle.rec"), REC_FILE_HEADER + 32 + 40 + 32);
    assert_int_equal(r[3], 3);
    assert_int_equal(little(r + 4, 4), 4);
    assert_int_equal(little(r + 8, 8), 1000);
    assert_int_equal(little(r + 16, 4), 0x3000); /* one row alone */
    assert_int_equal(little(r + 20, 4), REASON_unit << 24);
    assert_int_equal(little(r + 24, 4), 0); /* high word first */
    assert_int_equal(little(r + 28, 4), 7);
    r += 32;
    assert_int_equal(little(r, 2), 40);
    assert_int_equal(little(r + 4, 4), 5);
    assert_int_equal(little(r + 8, 8), 1000);
    assert_int_equal(little(r + 16, 4), 2); /* two rows of a context */
    assert_int_equal(little(r + 20, 4), 0x1000);
    assert_int_equal(r[24], REASON_complete);
    assert_memory_equal(r + 25, "\200\200\200\200\120", 5); /* 5 << 32 */
    assert_int_equal(r[30], REASON_dmiss | 7 << 5);
    assert_memory_equal(r + 31, "\200\10\44", 3); /* 0x400 ahead; 36 */
    assert_memory_equal(r + 34, "\0\0\0\0\0\0", 6);
    r += 40;
    assert_int_equal(little(r + 4, 4), 6);
    assert_int_equal(little(r + 8, 8), 2000);
    oracle_free(o);
}

static void blocks_hold_whole_records(void **state)
{
    struct experiment_stamp s = {REC_THREAD, 0, 1, 2};
    static uint32_t words[REC_MAX_WORDS];
    size_t size = 0;

    (void)state;
    assert_true(experiment_open(&e, "x.exp", NULL));
    for (unsigned n = 0; n < 200; n++) {
        long now;

        experiment_record(&e, &s, words, 1 + n * 5);
        now = slurp("x.exp/thread.rec");
        for (size = REC_FILE_HEADER; now > 0 && size < (size_t)now;)
            size += little(content + size, 2);
        assert_true(now == 0 || size == (size_t)now);
    }
    experiment_close(&e);
    assert_true(slurp("x.exp/thread.rec") > 200 * 1000);
}

static void the_map_and_the_archive_say_what_was_loaded(void **state)
{
    struct experiment_segment s = {0,     0x10000000,   0x1c4, 0x40,
                                   "r-x", "a.elf.12ab", 0};
    char name[EXPERIMENT_NAME];

    (void)state;
    assert_true(experiment_open(&e, "x.exp", NULL));
    experiment_archive_name(name, "a.elf", "12ab");
    assert_string_equal(name, "a.elf.12ab");
    experiment_archive(&e, name, "\177ELF\0more", 9);
    experiment_segment(&e, &s);
    experiment_close(&e);
    assert_int_equal(slurp("x.exp/archives/a.elf.12ab"), 9);
    assert_memory_equal(content, "\177ELF\0more", 9);
    slurp("x.exp/map");
    assert_string_equal((char *)content,
                        "segment 0 0x10000000 0x1c4 0x40 r-x a.elf.12ab\n");
}

static void an_archives_name_is_one_word_without_a_slash(void **state)
{
    char name[EXPERIMENT_NAME];

    (void)state;
    experiment_archive_name(name, "my prog/\n\xC3\xA4.elf", "00");
    assert_string_equal(name, "my_prog____.elf.00");
}

static void numbers_count_up_and_take_the_first_that_is_free(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mkdir("g.2.exp", 0777), 0);
    assert_true(experiment_open(&e, NULL, "g"));
    experiment_close(&e);
    assert_int_equal(stat("g.1.exp/log", &st), 0);
    assert_true(experiment_open(&e, NULL, "g"));
    experiment_close(&e);
    assert_int_equal(stat("g.3.exp/log", &st), 0);
    assert_int_equal(stat("g.2.exp/log", &st), -1);
}

static void a_named_directory_must_not_exist(void **state)
{
    struct stat st;

    (void)state;
    mkdir("x.exp", 0777);
    assert_false(experiment_open(&e, "x.exp", "g"));
    assert_non_null(strstr(e.error, "x.exp: exists already"));
    assert_int_equal(stat("x.exp/log", &st), -1);
}

static void a_directory_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    fclose(fopen("file", "w"));
    assert_false(experiment_open(&e, "file/x.exp", NULL));
    assert_non_null(strstr(e.error, "file/x.exp"));
    assert_false(experiment_open(&e, "no/x.exp", NULL));
    assert_non_null(strstr(e.error, "No such file"));
    memset(content, 'a', 3000);
    content[3000] = '\0';
    assert_false(experiment_open(&e, (char *)content, NULL));
    assert_non_null(strstr(e.error, "too long"));
}

/* In a process whose files may not grow beyond 8 KiB. */
static void write_little(void)
{
    struct rlimit little = {8192, 8192};
    struct experiment_stamp s = {REC_THREAD, 0, 1, 2};
    uint32_t words[100] = {0};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &little);
    if (!experiment_open(&e, "x.exp", NULL))
        _exit(1);
    for (unsigned i = 0; i < 1000; i++) {
        experiment_record(&e, &s, words, 100);
        if (i == 2)
            experiment_flush(&e, 5);
    }
    experiment_say(&e, "end 9");
    experiment_close(&e);
    _exit(strstr(e.error, "x.exp/thread.rec: cannot be written: File too") ? 7
                                                                           : 2);
}

static void a_full_disk_is_reported_and_leaves_what_was_written(void **state)
{
    size_t size = REC_FILE_HEADER;
    long now;
    int status;

    (void)state;
    if (fork() == 0)
        write_little();
    wait(&status);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    now = slurp("x.exp/thread.rec");
    assert_int_equal(now, 8192);
    while (size + 2 <= (size_t)now &&
           size + little(content + size, 2) <= (size_t)now)
        size += 416;
    assert_int_equal((size - REC_FILE_HEADER) / 416, 19); /* whole ones */
    assert_true(log_has("at 5"));
    assert_false(log_has("end 9")); /* nothing is claimed afterwards */
}

static void after_a_failure_every_call_is_harmless(void **state)
{
    struct experiment_stamp s = {REC_STAT, 0, 1, 2};
    struct experiment_segment segment = {0, 0, 0, 0, "r--", "a", 0};
    struct oracle *o = oracle_new();
    char first[sizeof e.error];
    uint32_t word = 0;

    (void)state;
    assert_true(experiment_open(&e, "x.exp", NULL));
    close(e.file[5].fd); /* stat.rec */
    e.file[5].fd = open("/dev/full", O_WRONLY);
    experiment_record(&e, &s, &word, 1);
    experiment_flush(&e, 1);
    assert_non_null(strstr(e.error, "x.exp/stat.rec"));
    strcpy(first, e.error);
    experiment_record(&e, &s, &word, 1);
    experiment_oracle(&e, 0, o, 3);
    experiment_segment(&e, &segment);
    experiment_text(&e, "a line\n");
    experiment_archive(&e, "a", "b", 1);
    experiment_flush(&e, 4);
    experiment_close(&e);
    experiment_close(&e);
    assert_string_equal(e.error, first);
    oracle_free(o);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(a_new_experiment_has_all_its_files),
        TEST(a_record_is_little_endian_and_padded),
        TEST(records_go_to_the_file_of_their_kind),
        TEST(the_oracle_is_written_in_order_and_once),
        TEST(blocks_hold_whole_records),
        TEST(the_map_and_the_archive_say_what_was_loaded),
        TEST(an_archives_name_is_one_word_without_a_slash),
        TEST(numbers_count_up_and_take_the_first_that_is_free),
        TEST(a_named_directory_must_not_exist),
        TEST(a_directory_that_cannot_be_made_is_named),
        TEST(a_full_disk_is_reported_and_leaves_what_was_written),
        TEST(after_a_failure_every_call_is_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
