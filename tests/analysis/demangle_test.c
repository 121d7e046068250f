/* demangle_test.c - names of C++ functions, as a person writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/mkelf.h"
#include "lib/elf/demangle.h"
#include "tools/analysis/symbols/symbols.h"

static struct demangler runtime;

static void means(const char *name, const char *wanted)
{
    char *meant;

    if (!runtime.demangle)
        skip();
    meant = demangle(&runtime, name);
    if (wanted)
        assert_string_equal(meant, wanted);
    else
        assert_null(meant);
    free(meant);
}

static void names_are_what_a_person_writes(void **state)
{
    (void)state;
    means("_ZN3zoo2D21fEi", "zoo::D2::f(int)");
    means("_ZN3zoo3BagIiE3putEi", "zoo::Bag<int>::put(int)");
    means("_ZN3zoo2D21fEi.cold", "zoo::D2::f(int).cold");
    means("_ZN3zoo2D21fEi.constprop.0", "zoo::D2::f(int).constprop.0");
    means("_Z1fNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEES4_",
          "f(std::string, std::string)");
    means("_Zebra", NULL);
    means("main", NULL);
}

/* Reports have " < " between the functions of a stack. */
static void no_name_has_a_less_between_blanks(void **state)
{
    (void)state;
    means("_ZltIiEbRK3KeyIT_ES4_",
          "bool operator< <int>(Key<int> const&, Key<int> const&)");
    means("_ZlsIiEbRK3KeyIT_ES4_",
          "bool operator<< <int>(Key<int> const&, Key<int> const&)");
    means("_ZNK4PackIJEEltIJEEEbS_IJDpT_EE",
          "bool Pack<>::operator< <>(Pack<>) const");
    means("_Z4callIXadL_ZltIiEbRK3KeyIT_ES5_EEEbS1_IiE",
          "bool call<&(bool operator< <int>(Key<int> const&, "
          "Key<int> const&))>(Key<int>)");
    means("_Z4lessILi1ELi2EENSt9enable_ifIXltT_T0_EiE4typeEv",
          "std::enable_if<(1)<(2), int>::type less<1, 2>()");
    means("_Z3decIiEDTltfp_fp0_ET_S1_",
          "decltype ({parm#1}<{parm#2}) dec<int>(int, int)");
}

/* A template of templates, each twice what the one before it is. */
static void names_that_would_grow_without_end_stay(void **state)
{
    char name[1024] = "_Z1f1AIiiE", part[32];

    (void)state;
    for (int i = 0; i < 30; i++) {
        char digit[2] = {(char)(i < 10 ? '0' + i : 'A' + i - 10), '\0'};

        snprintf(part, sizeof part, "S_IS%s_S%s_E", digit, digit);
        strcat(name, part);
        if (i == 2)
            means("_Z1f1AIiiES_IS0_S0_E",
                  "f(A<int, int>, A<A<int, int>, A<int, int> >)");
    }
    means(name, NULL);
}

static void parameters_can_be_left_out(void **state)
{
    (void)state;
    assert_int_equal(demangled_short("zoo::D2::f(int)"), 10);
    assert_int_equal(demangled_short("a::sum(int (*)(int)) const"), 6);
    assert_int_equal(demangled_short("a::operator()(int)"), 13);
    assert_int_equal(demangled_short("f(int).cold"), 0);
    assert_int_equal(demangled_short("zoo::D2::f(int).isra.0"), 10);
    assert_int_equal(demangled_short("a::sum(int) const.isra.12"), 6);
    assert_int_equal(demangled_short("plain.isra.0"), 5);
    assert_int_equal(demangled_short("plain.isra.0.cold"), 0);
    assert_int_equal(demangled_short(".isra.0"), 0);
    assert_int_equal(demangled_short("plain"), 0);
    assert_int_equal(demangled_short(")"), 0);
}

static void fits(const char *name, unsigned long size, const char *wanted)
{
    char out[64];

    assert_string_equal(demangled_fit(name, out, size), wanted);
    assert_true(strlen(out) < size);
}

static void names_that_are_too_long_are_marked(void **state)
{
    (void)state;
    fits("zoo::f(int)", 12, "zoo::f(int)");
    fits("zoo::f(int)", 11, "zoo::f(..)"); /* no longer than it was */
    fits("zoo::f(int, long)", 17, "zoo::f(..)");
    fits("zoo::f()", 9, "zoo::f()");
    fits("zoo::Bag<Key, Bag<Value> >::put(Key const&) const", 40,
         "zoo::Bag<..>::put(..) const");
    fits("zoo::Bag<Key, Bag<Value> >::put(Key const&)", 20,
         "..Bag<..>::put(..)");
    fits("zoo::operator<<(std::ostream&, Bag<int>)", 30, "zoo::operator<<(..)");
    fits("Bag<int, long>::operator()(int, int)", 26, "Bag<..>::operator()(..)");
    fits("f<(zoo::kind)1>(zoo::Bag<int>)", 20, "f<..>(..)");
    fits("(anonymous namespace)::walk(Tree*, int)", 36,
         "(anonymous namespace)::walk(..)");
    fits("walk(Tree*, int) [clone .isra.0]", 30, "walk(..) [clone .isra.0]");
    fits("accounts::of_the_office::Book<Key>::post(int)", 28,
         "..Book<..>::post(..)");
    fits("unclosed<int, long", 16, "unclosed<..>");
    fits("a_function_of_c_that_is_long", 12, "..t_is_long");
    fits("\303\244\303\266\303\274\303\244\303\266\303\274", 10,
         "..\303\244\303\266\303\274");
}

static void a_function_is_found_by_either_name(void **state)
{
    static const struct mkelf_symbol list[] = {
        {"_ZN3zoo1fEi", 0x1000, 0x20, STT_FUNC, false},
        {"_ZN3zooD0Ev", 0x1040, 0x20, STT_FUNC, false},
        {"_ZN3zooD2Ev", 0x1080, 0x20, STT_FUNC, false},
    };
    struct mkelf m = {
        .addr = 0x1000, .size = 0x1000, .symbol = list, .symbols = 3};
    char path[] = "/tmp/demangle.XXXXXX", id[129], why[128];
    struct symbols s;
    const struct function *f;
    int fd = mkstemp(path);

    (void)state;
    if (!runtime.demangle)
        skip();
    mkelf_write(path, &m);
    assert_true(symbols_read(&s, fd, id, why, sizeof why));
    close(fd);
    unlink(path);
    f = &s.function[symbols_find(&s, 0x1000)];
    assert_string_equal(f->name, "zoo::f(int)");
    assert_int_equal(f->aliases, 2);
    assert_string_equal(f->alias[0], "_ZN3zoo1fEi");
    assert_string_equal(f->alias[1], "zoo::f");
    f = &s.function[symbols_find(&s, 0x1040)];
    assert_string_equal(f->name, "zoo::~zoo() (0x1040)");
    f = &s.function[symbols_find(&s, 0x1080)];
    assert_string_equal(f->name, "zoo::~zoo() (0x1080)");
    symbols_free(&s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_what_a_person_writes),
        cmocka_unit_test(no_name_has_a_less_between_blanks),
        cmocka_unit_test(names_that_would_grow_without_end_stay),
        cmocka_unit_test(parameters_can_be_left_out),
        cmocka_unit_test(names_that_are_too_long_are_marked),
        cmocka_unit_test(a_function_is_found_by_either_name),
    };
    int failed;

    demangler_open(&runtime);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    demangler_close(&runtime);
    return failed;
}
