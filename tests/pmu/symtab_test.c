/* symtab_test.c - which names of an ELF file places have, and how far a name
 * without a size reaches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pmu/markspec/symbols.h"
#include "tests/lib/mkelf.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/symbols/symbols.h"

struct opened {
    struct elf_image elf;
    struct elf_symtab names;
    struct perfinst_symbol *symbol;
};

/* .text from 0x1000 to 0x2000 with these symbols. */
static struct opened read_names(const struct mkelf_symbol *symbol, size_t n)
{
    struct mkelf m = {
        .addr = 0x1000, .size = 0x1000, .symbol = symbol, .symbols = n};
    struct elf_wrong wrong;
    struct opened o;
    char path[600];

    snprintf(path, sizeof path, "%s/program", scratch_dir());
    mkelf_write(path, &m);
    assert_true(elf_image_open(&o.elf, path, &wrong));
    assert_true(symbols_of_places(&o.names, &o.elf));
    o.symbol = symbols_for_marks(&o.names);
    assert_non_null(o.symbol);
    return o;
}

static void done(struct opened *o)
{
    free(o->symbol);
    elf_symtab_free(&o->names);
    elf_image_close(&o->elf);
}

#define READ(list) read_names(list, sizeof list / sizeof list[0])

static void the_best_name_of_an_address_comes_first(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"a_local_label", 0x1100, 0, STT_NOTYPE, true},
        {"b_local_function", 0x1100, 8, STT_FUNC, true},
        {"a_label", 0x1100, 0, STT_NOTYPE, false},
        {"a_variable", 0x1100, 8, STT_OBJECT, false},
        {"z_function", 0x1100, 8, STT_FUNC, false},
        {"y_function", 0x1100, 8, STT_FUNC, false},
        {"before", 0x10FC, 4, STT_NOTYPE, false},
    };
    static const char *const want[] = {
        "before",     "z_function", "y_function",   "b_local_function",
        "a_variable", "a_label",    "a_local_label"};
    struct opened o = READ(list);

    (void)state;
    assert_int_equal(o.names.count, 7);
    for (unsigned k = 0; k < 7; k++)
        assert_string_equal(o.names.all[k].name, want[k]);
    done(&o);
}

static void a_name_without_a_size_reaches_to_the_next(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"one", 0x1000, 0, STT_FUNC, false},
        {"alias", 0x1000, 0, STT_NOTYPE, false},
        {"two", 0x1040, 0x10, STT_FUNC, false},
        {"last", 0x1FF0, 0, STT_NOTYPE, false},
    };
    static const uint32_t size[] = {0x40, 0x40, 0x10, 0x10};
    struct opened o = READ(list);

    (void)state;
    assert_int_equal(o.names.count, 4);
    for (unsigned k = 0; k < 4; k++) {
        assert_int_equal(o.symbol[k].size, size[k]);
        assert_int_equal(o.symbol[k].function, k == 0 || k == 2);
        assert_int_equal(o.symbol[k].label, k != 2);
    }
    done(&o);
}

/* Where a range may end; and what stands in no section is no place. */
static void the_end_of_a_section_has_a_name_too(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"file.c", 0x1000, 0, STT_FILE, true},
        {"below", 0x0FFC, 4, STT_FUNC, false},
        {"text", 0x1000, 4, STT_FUNC, false},
        {"etext", 0x2000, 0, STT_NOTYPE, false},
        {"beyond", 0x2001, 4, STT_NOTYPE, false},
    };
    struct opened o = READ(list);

    (void)state;
    assert_int_equal(o.names.count, 2);
    assert_string_equal(o.symbol[0].name, "text");
    assert_string_equal(o.symbol[1].name, "etext");
    assert_int_equal(o.symbol[1].size, 0);
    done(&o);
}

static void a_stripped_file_has_none(void **state)
{
    struct opened o = read_names(NULL, 0);

    (void)state;
    assert_int_equal(o.names.count, 0);
    done(&o);
}

/* A log, a mark and a report call a place by one name. */
static void reports_have_the_same_name_for_a_place(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"zz_local", 0x1000, 0x20, STT_FUNC, true},
        {"__libc_write", 0x1000, 0x20, STT_FUNC, false},
        {"write", 0x1000, 0x20, STT_FUNC, false},
        {"__write", 0x1000, 0x20, STT_FUNC, false},
    };
    struct opened o = READ(list);
    char path[600], id[ELF_BUILD_ID], why[128];
    struct symbols s;
    int fd;

    (void)state;
    snprintf(path, sizeof path, "%s/program", scratch_dir());
    fd = open(path, O_RDONLY);
    assert_true(symbols_read(&s, fd, id, why, sizeof why));
    close(fd);
    assert_string_equal(elf_symtab_nearest(&o.names, 0x1010)->name, "write");
    assert_string_equal(s.function[symbols_find(&s, 0x1010)].name, "write");
    symbols_free(&s);
    done(&o);
}

/* Its name means the function that it chooses, which is elsewhere. */
static void a_resolver_is_no_place_for_a_mark(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"memcpy", 0x1000, 0x20, STT_GNU_IFUNC, false},
        {"__memcpy_power7", 0x1020, 0x20, STT_FUNC, false},
    };
    struct opened o = READ(list);

    (void)state;
    assert_int_equal(o.names.count, 1);
    assert_string_equal(o.names.all[0].name, "__memcpy_power7");
    done(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_name_of_an_address_comes_first),
        cmocka_unit_test(a_name_without_a_size_reaches_to_the_next),
        cmocka_unit_test(the_end_of_a_section_has_a_name_too),
        cmocka_unit_test(a_stripped_file_has_none),
        cmocka_unit_test(reports_have_the_same_name_for_a_place),
        cmocka_unit_test(a_resolver_is_no_place_for_a_mark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
