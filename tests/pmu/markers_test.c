/* markers_test.c - the section .pifmarks: what is written is read back, homes
 * are found, and whatever else its bytes are, it is refused with a line or
 * means something that is inside of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "pmu/markspec/markers.h"

#define ISLAND 0x8000u
#define ENTRIES 3

static const uint32_t words_home[] = {0x100, 0x100, 0x104, 0x104,
                                      0x108, 0x40,  0x40,  0x44};
static const struct marker entries[ENTRIES] = {
    {ISLAND + 4, 0x100, 0x60000000, 0x48007F00, 0x80000000, 0},
    {ISLAND + 12, 0x104, 0x4E800020, 0x48007F04, 0x90000000, 13},
    {ISLAND + 24, 0x40, 0x38600001, 0x48007FD4, 0x40000000, 0}};

/* The section of the tables above. */
static unsigned char *section(size_t *size)
{
    uint32_t home[sizeof words_home / 4];
    struct marker entry[ENTRIES];
    unsigned char *bytes;

    memcpy(home, words_home, sizeof home);
    memcpy(entry, entries, sizeof entry);
    markers_write(&(struct markers){.island = ISLAND,
                                    .size = sizeof home,
                                    .home = home,
                                    .entry = entry,
                                    .entries = ENTRIES},
                  &bytes, size);
    return bytes;
}

static void is_read_back(void **state)
{
    struct markers m;
    char why[200];
    size_t size;
    unsigned char *bytes = section(&size);

    (void)state;
    assert_int_equal(size, 20 + 32 + ENTRIES * 24);
    assert_true(markers_read(&m, bytes, size, why, sizeof why));
    assert_int_equal(m.entries, ENTRIES);
    assert_memory_equal(m.entry, entries, sizeof entries);
    for (unsigned k = 0; k < 8; k++)
        assert_int_equal(markers_home(&m, ISLAND + 4 * k), words_home[k]);
    assert_int_equal(markers_home(&m, ISLAND - 4), ISLAND - 4);
    assert_int_equal(markers_home(&m, ISLAND + 32), ISLAND + 32);
    for (unsigned k = 0; k < ENTRIES; k++)
        assert_ptr_equal(markers_at(&m, entries[k].home), &m.entry[k]);
    assert_null(markers_at(&m, 0x44));
    assert_null(markers_at(&m, 0x10C));
    markers_free(&m);
    free(bytes);
}

/* Put a word there, and read: the line. */
static void refused(size_t at, uint32_t word, const char *says)
{
    struct markers m;
    char why[200] = "";
    size_t size;
    unsigned char *bytes = section(&size);

    for (unsigned k = 0; k < 4; k++)
        bytes[at + k] = (unsigned char)(word >> (24 - 8 * k));
    assert_false(markers_read(&m, bytes, size, why, sizeof why));
    assert_non_null(strstr(why, says));
    assert_non_null(strstr(why, "make it again with simmark opcodes"));
    assert_null(m.home);
    free(bytes);
}

static void is_refused(void **state)
{
    struct markers m;
    char why[200];
    size_t size;
    unsigned char *bytes = section(&size);

    (void)state;
    refused(0, 0x50494E53, "is not of this version");
    refused(4, 2u << 16, "is not of this version");
    refused(8, ISLAND + 2, "an island that cannot be");
    refused(8, 0xFFFFFFF0, "an island that cannot be");
    refused(12, 28, "another length than it says");
    refused(16, 2, "another length than it says");
    refused(16, 0xFFFFFFFF, "an island that cannot be");
    refused(52, ISLAND + 32, "outside of its island");
    refused(52 + 24, ISLAND + 2, "outside of its island");
    refused(56, ISLAND, "moved twice");
    refused(56, 0x102, "from nowhere");
    refused(56, 0xFFFFFFFC, "from nowhere");
    refused(56 + 24, 0x100, "two entries for one place");
    for (size_t n = 0; n < size; n++)
        assert_false(markers_read(&m, bytes, n, why, sizeof why));
    free(bytes);
}

/* A million broken ones. What is accepted leads nowhere outside. */
static void survives_anything(void **state)
{
    uint32_t seed = 1;
    size_t size;
    unsigned char *good = section(&size), *bytes = malloc(size);
    unsigned taken = 0;

    (void)state;
    assert_non_null(bytes);
    for (unsigned k = 0; k < 1000000; k++) {
        struct markers m;
        char why[200] = "";

        memcpy(bytes, good, size);
        for (unsigned n = 0; n <= k % 3; n++) {
            seed = seed * 1664525 + 1013904223;
            bytes[(seed >> 8) % size] ^= (unsigned char)(1u << (seed >> 28));
        }
        if (!markers_read(&m, bytes, size, why, sizeof why)) {
            assert_string_not_equal(why, "");
            continue;
        }
        taken++;
        for (unsigned n = 0; n < m.entries; n++)
            assert_true(markers_has(&m, m.entry[n].address) &&
                        markers_at(&m, m.entry[n].home) == &m.entry[n]);
        markers_free(&m);
    }
    assert_in_range(taken, 1000, 999000);
    free(good);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read_back),
        cmocka_unit_test(is_refused),
        cmocka_unit_test(survives_anything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
