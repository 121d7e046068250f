/* symbols_test.c - which function an address belongs to, and at what time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/mkelf.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/experiment/loadmap.h"

/* .text from 0x1000 to 0x2000 with these symbols. */
static struct symbols read_symbols(const struct mkelf_symbol *symbol, size_t n)
{
    struct mkelf m = {
        .addr = 0x1000, .size = 0x1000, .symbol = symbol, .symbols = n};
    struct symbols s;
    char path[600], id[129], why[128];
    int fd;

    snprintf(path, sizeof path, "%s/program", scratch_dir());
    mkelf_write(path, &m);
    fd = open(path, O_RDONLY);
    assert_true(symbols_read(&s, fd, id, why, sizeof why));
    close(fd);
    assert_string_equal(id, "");
    return s;
}

static const char *name_at(const struct symbols *s, uint64_t addr)
{
    long i = symbols_find(s, addr);

    return i < 0 ? "none" : s->function[i].name;
}

#define READ(list) read_symbols(list, sizeof list / sizeof list[0])

static void sized_functions_cover_their_bytes_only(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"first", 0x1000, 0x20, STT_FUNC, false},
        {"second", 0x1040, 0x20, STT_FUNC, false},
    };
    struct symbols s = READ(list);

    (void)state;
    assert_string_equal(name_at(&s, 0x0FFF), "none");
    assert_string_equal(name_at(&s, 0x1000), "first");
    assert_string_equal(name_at(&s, 0x101C), "first");
    assert_int_equal(strncmp(name_at(&s, 0x1020), "<static>@0x", 11), 0);
    assert_string_equal(name_at(&s, 0x1040), "second");
    assert_int_equal(strncmp(name_at(&s, 0x1FFC), "<static>@0x", 11), 0);
    assert_string_equal(name_at(&s, 0x2000), "none");
    symbols_free(&s);
}

/* ANA-78, G-N5: one name for a stretch, its offset in the file. */
static void stripped_functions_are_named_by_their_offset(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"first", 0x1010, 0x10, STT_FUNC, false},
        {"second", 0x1040, 0x20, STT_FUNC, false},
    };
    struct mkelf m = {.addr = 0x1000,
                      .size = 0x1000,
                      .offset = 0x12335,
                      .symbol = list,
                      .symbols = 2};
    struct symbols s;
    char path[600], id[129], why[128];
    int fd;

    (void)state;
    snprintf(path, sizeof path, "%s/program", scratch_dir());
    mkelf_write(path, &m);
    fd = open(path, O_RDONLY);
    assert_true(symbols_read(&s, fd, id, why, sizeof why));
    close(fd);
    assert_string_equal(name_at(&s, 0x1000), "<static>@0x12335");
    assert_string_equal(name_at(&s, 0x100F), "<static>@0x12335");
    assert_string_equal(name_at(&s, 0x1010), "first");
    assert_string_equal(name_at(&s, 0x1020), "<static>@0x12355");
    assert_string_equal(name_at(&s, 0x103F), "<static>@0x12355");
    assert_string_equal(name_at(&s, 0x1040), "second");
    assert_string_equal(name_at(&s, 0x1060), "<static>@0x12395");
    assert_string_equal(name_at(&s, 0x1FFF), "<static>@0x12395");
    symbols_free(&s);
    m.symbols = 0;
    mkelf_write(path, &m);
    fd = open(path, O_RDONLY);
    assert_true(symbols_read(&s, fd, id, why, sizeof why));
    close(fd);
    assert_string_equal(name_at(&s, 0x1020), "<.text>");
    symbols_free(&s);
}

static void of_nested_functions_the_inner_one_is_meant(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"outer", 0x1000, 0x100, STT_FUNC, false},
        {"inner", 0x1040, 0x20, STT_FUNC, false},
    };
    struct symbols s = READ(list);

    (void)state;
    assert_string_equal(name_at(&s, 0x103C), "outer");
    assert_string_equal(name_at(&s, 0x1040), "inner");
    assert_string_equal(name_at(&s, 0x1060), "outer");
    symbols_free(&s);
}

static void without_a_size_a_function_ends_at_the_next(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"loop", 0x1010, 0, STT_NOTYPE, true},
        {"entry", 0x1000, 0, STT_FUNC, false},
        {"label", 0x1100, 0, STT_NOTYPE, false},
        {"sized", 0x1200, 0x10, STT_FUNC, false},
    };
    struct symbols s = READ(list);

    (void)state;
    assert_string_equal(name_at(&s, 0x1000), "entry");
    assert_string_equal(name_at(&s, 0x1010), "entry"); /* not its loop */
    assert_string_equal(name_at(&s, 0x10FC), "entry");
    assert_string_equal(name_at(&s, 0x1100), "label");
    assert_string_equal(name_at(&s, 0x11FC), "label");
    assert_string_equal(name_at(&s, 0x1200), "sized");
    assert_int_equal(strncmp(name_at(&s, 0x1210), "<static>@0x", 11), 0);
    symbols_free(&s);
}

static void local_labels_serve_where_nothing_else_does(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"vector_reset", 0x1000, 0, STT_NOTYPE, true},
        {".Lhidden", 0x1010, 0, STT_NOTYPE, true},
        {"vector_check", 0x1100, 0, STT_NOTYPE, true},
        {"function", 0x1200, 0x40, STT_FUNC, false},
    };
    struct symbols s = READ(list);

    (void)state;
    assert_string_equal(name_at(&s, 0x1010), "vector_reset");
    assert_string_equal(name_at(&s, 0x1104), "vector_check");
    assert_string_equal(name_at(&s, 0x1200), "function");
    symbols_free(&s);
}

/* ANA-75 */
static void of_aliases_the_last_in_the_alphabet_is_shown(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"x", 0x1000, 0x20, STT_FUNC, false},
        {"z", 0x1000, 0x10, STT_FUNC, false},
        {"_x", 0x1000, 0x20, STT_FUNC, false},
    };
    struct symbols s = READ(list);

    (void)state;
    assert_string_equal(name_at(&s, 0x1000), "z");
    assert_string_equal(name_at(&s, 0x1018), "z");
    assert_int_equal(s.function[0].aliases, 2);
    assert_string_equal(s.function[0].alias[0], "x");
    assert_string_equal(s.function[0].alias[1], "_x");
    symbols_free(&s);
}

/* ANA-77 */
static void statics_of_one_name_are_told_apart_by_file(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"uart.c", 0, 0, STT_FILE, true},
        {"init", 0x1000, 0x20, STT_FUNC, true},
        {"only", 0x1020, 0x20, STT_FUNC, true},
        {"pic.c", 0, 0, STT_FILE, true},
        {"init", 0x1040, 0x20, STT_FUNC, true},
        {"main", 0x1060, 0x20, STT_FUNC, false},
    };
    struct symbols s = READ(list);

    (void)state;
    assert_string_equal(name_at(&s, 0x1000), "init (uart.c)");
    assert_string_equal(name_at(&s, 0x1020), "only");
    assert_string_equal(name_at(&s, 0x1040), "init (pic.c)");
    assert_string_equal(name_at(&s, 0x1060), "main");
    symbols_free(&s);
}

static void names_cannot_command_the_terminal(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"a\033[31mb", 0x1000, 0x20, STT_FUNC, false},
    };
    struct symbols s = READ(list);

    (void)state;
    assert_string_equal(name_at(&s, 0x1000), "a?[31mb");
    symbols_free(&s);
}

static void what_is_not_a_powerpc_program_is_refused(void **state)
{
    struct symbols s;
    char id[129], why[128];
    int fd = open("/proc/self/exe", O_RDONLY);

    (void)state;
    assert_false(symbols_read(&s, fd, id, why, sizeof why));
    assert_string_equal(why, "not a 32-bit big-endian PowerPC program");
    close(fd);
    fd = open("/dev/null", O_RDONLY);
    assert_false(symbols_read(&s, fd, id, why, sizeof why));
    close(fd);
}

/* ---- the load map -------------------------------------------------------- */

static void archive(const char *name, const char *function, uint32_t addr)
{
    struct mkelf_symbol symbol = {function, addr, 0x100, STT_FUNC, false};
    struct mkelf m = {.addr = addr,
                      .size = 0x100,
                      .offset = 0x200,
                      .symbol = &symbol,
                      .symbols = 1,
                      .build_id = "ABCDEFGHIJKLMNOPQRST"};
    char path[700];

    snprintf(path, sizeof path, "%s/archives", scratch_dir());
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/archives/%s", scratch_dir(), name);
    mkelf_write(path, &m);
}

static struct loadmap read_map(const char *text, struct problems *p)
{
    struct loadmap m;
    char path[700];
    FILE *f;
    int dir;

    snprintf(path, sizeof path, "%s/map", scratch_dir());
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    dir = open(scratch_dir(), O_RDONLY | O_DIRECTORY);
    loadmap_read(&m, dir, p);
    close(dir);
    return m;
}

static void expect(struct loadmap *m, uint32_t pc, uint64_t cycle,
                   const char *name, uint32_t offset)
{
    struct place p = loadmap_find(m, pc, cycle);

    assert_string_equal(loadmap_name(m, p.function), name);
    assert_int_equal(p.offset, offset);
}

/* ANA-73: one address, two functions, each in its time; and what is linked
 * at one address may be loaded at another. */
static void an_address_means_what_was_loaded_then(void **state)
{
    struct problems p = {0};
    struct loadmap m;

    (void)state;
    archive("old.elf", "before", 0x8000);
    archive("new.elf", "after", 0x4000);
    m = read_map("segment 100 0x8000 0x100 0x200 r-x old.elf\n"
                 "segment 500 0x8000 0x100 0x200 r-x new.elf\n",
                 &p);
    assert_int_equal(p.count, 0);
    expect(&m, 0x8010, 99, "<Unknown>", 0x8010);
    expect(&m, 0x8010, 100, "before", 0x10);
    expect(&m, 0x8010, 499, "before", 0x10);
    expect(&m, 0x8010, 500, "after", 0x10);
    expect(&m, 0x8010, 200, "before", 0x10);
    expect(&m, 0x8100, 500, "<Unknown>", 0x8100);
    loadmap_free(&m);
    problems_free(&p);
}

/* ANA-77: of two load objects. What one has alone keeps its name. */
static void functions_of_two_objects_are_told_apart(void **state)
{
    struct problems p = {0};
    struct loadmap m;
    struct place place;

    (void)state;
    archive("one.elf", "main", 0x8000);
    archive("two.elf", "main", 0x4000);
    archive("three.elf", "other", 0x2000);
    m = read_map("segment 0 0x8000 0x100 0x200 r-x one.elf\n"
                 "segment 0 0x4000 0x100 0x200 r-x two.elf\n"
                 "segment 0 0x2000 0x100 0x200 r-x three.elf\n",
                 &p);
    assert_int_equal(p.count, 0);
    expect(&m, 0x8010, 0, "main (one)", 0x10);
    expect(&m, 0x4010, 0, "main (two)", 0x10);
    expect(&m, 0x2010, 0, "other", 0x10);
    place = loadmap_find(&m, 0x4010, 0);
    assert_true(loadmap_called(&m, place.function, "main (two)"));
    loadmap_free(&m);
    problems_free(&p);
}

/* ANA-95: variables at data addresses, here 0x100 above where they were
 * linked. */
static void an_address_has_its_variables(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"code", 0x1000, 0x20, STT_FUNC, false},
        {"flag", 0x1100, 4, STT_OBJECT, false},
        {"other", 0x1104, 4, STT_OBJECT, false},
        {"table", 0x1110, 0x40, STT_OBJECT, false},
        {"empty", 0x1180, 0, STT_OBJECT, false},
    };
    static const struct {
        uint32_t from, size;
        size_t count;
        const char *first;
    } ask[] = {
        {0x1200, 32, 3, "flag"},  {0x1204, 4, 1, "other"},
        {0x1220, 32, 1, "table"}, {0x124F, 1, 1, "table"},
        {0x1250, 32, 0, NULL},    {0x1280, 32, 0, NULL},
        {0x1000, 32, 0, NULL},    {0x1000, 0x1000, 3, "flag"},
    };
    struct mkelf elf = {.addr = 0x1000,
                        .size = 0x1000,
                        .offset = 0x200,
                        .symbol = list,
                        .symbols = 5};
    struct problems p = {0};
    const struct variable *v;
    char path[700];
    struct loadmap m;
    uint32_t moved;
    size_t n;

    (void)state;
    snprintf(path, sizeof path, "%s/archives/data.elf", scratch_dir());
    mkelf_write(path, &elf);
    m = read_map("segment 10 0x1100 0x1000 0x200 r-x data.elf\n", &p);
    for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
        n = 99;
        v = loadmap_variables(&m, ask[i].from, ask[i].size, 10, &moved, &n);
        assert_int_equal(!v, !ask[i].first);
        if (!v)
            continue;
        assert_int_equal(n, ask[i].count);
        assert_int_equal(moved, 0x100);
        assert_string_equal(v->name, ask[i].first);
    }
    assert_null(loadmap_variables(&m, 0x1200, 32, 9, &moved, &n));
    loadmap_free(&m);
    problems_free(&p);
}

static void an_archive_of_another_build_is_noticed(void **state)
{
    static const char right[] =
        "prog.elf.4142434445464748494a4b4c4d4e4f5051525354";
    static const char wrong[] =
        "prog.elf.0042434445464748494a4b4c4d4e4f5051525354";
    struct problems p = {0};
    struct loadmap m;
    char line[256];

    (void)state;
    archive(right, "f", 0x8000);
    snprintf(line, sizeof line, "segment 0 0x8000 0x100 0x200 r-x %s\n", right);
    m = read_map(line, &p);
    assert_int_equal(p.count, 0);
    loadmap_free(&m);
    archive(wrong, "f", 0x8000);
    snprintf(line, sizeof line, "segment 0 0x8000 0x100 0x200 r-x %s\n", wrong);
    m = read_map(line, &p);
    assert_int_equal(p.count, 1);
    assert_non_null(strstr(p.list[0].text, "has build-id 414243"));
    loadmap_free(&m);
    problems_free(&p);
}

static void lines_that_make_no_sense_are_counted(void **state)
{
    struct problems p = {0};
    struct loadmap m;

    (void)state;
    archive("old.elf", "before", 0x8000);
    m = read_map("segment 0 0x8000 0x100 0x200 r-x old.elf\n"
                 "segment zero 0x8000 0x100 0x200 r-x old.elf\n"
                 "segment 0 0x8000\n"
                 "segment 0 0x100008000 0x100 0x200 r-x old.elf\n"
                 "element 0 0x8000 0x100 0x200 r-x old.elf\n",
                 &p);
    assert_int_equal(m.segments, 1);
    assert_int_equal(p.count, 1);
    assert_non_null(strstr(p.list[0].text, "map: 4 lines make no sense (the "
                                           "first is 2)"));
    expect(&m, 0x8000, 0, "before", 0);
    loadmap_free(&m);
    problems_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sized_functions_cover_their_bytes_only),
        cmocka_unit_test(stripped_functions_are_named_by_their_offset),
        cmocka_unit_test(of_nested_functions_the_inner_one_is_meant),
        cmocka_unit_test(without_a_size_a_function_ends_at_the_next),
        cmocka_unit_test(local_labels_serve_where_nothing_else_does),
        cmocka_unit_test(of_aliases_the_last_in_the_alphabet_is_shown),
        cmocka_unit_test(statics_of_one_name_are_told_apart_by_file),
        cmocka_unit_test(names_cannot_command_the_terminal),
        cmocka_unit_test(what_is_not_a_powerpc_program_is_refused),
        cmocka_unit_test(an_address_means_what_was_loaded_then),
        cmocka_unit_test(functions_of_two_objects_are_told_apart),
        cmocka_unit_test(an_address_has_its_variables),
        cmocka_unit_test(an_archive_of_another_build_is_noticed),
        cmocka_unit_test(lines_that_make_no_sense_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
