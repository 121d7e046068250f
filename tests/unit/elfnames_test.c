/* elfnames_test.c - which names of an ELF file places have, and how far a name
 * without a size reaches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pmu/markspec/symtab.h"
#include "tests/lib/mkelf.h"
#include "tests/lib/scratch.h"

struct opened {
    int fd;
    Elf *elf;
    struct symtab names;
    struct perfinst_symbol *symbol;
};

/* .text from 0x1000 to 0x2000 with these symbols. */
static struct opened read_names(const struct mkelf_symbol *symbol, size_t n)
{
    struct mkelf m = {
        .addr = 0x1000, .size = 0x1000, .symbol = symbol, .symbols = n};
    struct opened o;
    char path[600];

    snprintf(path, sizeof path, "%s/program", scratch_dir());
    mkelf_write(path, &m);
    elf_version(EV_CURRENT);
    o.fd = open(path, O_RDONLY);
    o.elf = elf_begin(o.fd, ELF_C_READ, NULL);
    assert_non_null(o.elf);
    assert_true(symtab_read(&o.names, o.elf));
    o.symbol = symtab_symbols(&o.names);
    assert_non_null(o.symbol);
    return o;
}

static void done(struct opened *o)
{
    free(o->symbol);
    symtab_free(&o->names);
    elf_end(o->elf);
    close(o->fd);
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
        "before",     "y_function", "z_function",   "b_local_function",
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_name_of_an_address_comes_first),
        cmocka_unit_test(a_name_without_a_size_reaches_to_the_next),
        cmocka_unit_test(the_end_of_a_section_has_a_name_too),
        cmocka_unit_test(a_stripped_file_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
