/* loader_test.c - a sound ELF file loads; each way to spoil it is refused
 * with a line that says what is wrong. The files are made here, byte by byte.
 */
#include <elf.h>
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/machine/loader.h"
#include "tests/lib/mkelf.h"
#include "tests/lib/scratch.h"

#define MIB (UINT32_C(1) << 20)
#define DATA_AT 0x200u
#define NOTE_AT 0x300u

/* A file with two segments at 0x1000 and 0x8000 and a build-id. */
struct file {
    Elf32_Ehdr header;
    Elf32_Phdr segment[4];
    uint8_t rest[0x1000 - sizeof(Elf32_Ehdr) - 4 * sizeof(Elf32_Phdr)];
};

static struct file file;
static size_t file_size;
static char path[64], why[1024];
static struct image image;

static void set_segment(unsigned n, uint32_t va, uint32_t in_file,
                        uint32_t in_memory)
{
    file.segment[n] = (Elf32_Phdr){
        .p_type = htobe32(PT_LOAD),
        .p_offset = htobe32(DATA_AT),
        .p_vaddr = htobe32(va),
        .p_paddr = htobe32(va),
        .p_filesz = htobe32(in_file),
        .p_memsz = htobe32(in_memory),
        .p_flags = htobe32(PF_R | PF_X),
    };
}

static int start(void **state)
{
    uint8_t *bytes = (uint8_t *)&file;

    (void)state;
    memset(&file, 0, sizeof file);
    memcpy(file.header.e_ident, "\177ELF\1\2\1", 7);
    file.header.e_type = htobe16(ET_EXEC);
    file.header.e_machine = htobe16(EM_PPC);
    file.header.e_version = htobe32(EV_CURRENT);
    file.header.e_entry = htobe32(0x1004);
    file.header.e_phoff = htobe32(offsetof(struct file, segment));
    file.header.e_ehsize = htobe16(sizeof file.header);
    file.header.e_phentsize = htobe16(sizeof(Elf32_Phdr));
    file.header.e_phnum = htobe16(3);
    set_segment(0, 0x1000, 0x40, 0x40);
    set_segment(1, 0x8000, 0x10, 0x1000);
    file.segment[2].p_type = htobe32(PT_NOTE);
    file.segment[2].p_offset = htobe32(NOTE_AT);
    file.segment[2].p_filesz = htobe32(20);
    for (unsigned i = 0; i < 0x40; i++)
        bytes[DATA_AT + i] = (uint8_t)(i + 1);
    memcpy(bytes + NOTE_AT, "\0\0\0\4\0\0\0\4\0\0\0\3GNU\0\xDE\xAD\xBE\xEF",
           20);
    file_size = sizeof file;
    snprintf(path, sizeof path, "/tmp/loader_test.%d.elf", (int)getpid());
    return 0;
}

static int stop(void **state)
{
    (void)state;
    unlink(path);
    rmdir(path);
    return 0;
}

static bool open_file(void)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(&file, 1, file_size, f), file_size);
    fclose(f);
    why[0] = '\0';
    return image_open(&image, path, IMAGE_BARE, why, sizeof why);
}

/* The file as it stands is refused, in one line that names it and has the
 * words. */
static void refused(const char *words)
{
    assert_false(open_file());
    if (!strstr(why, words))
        fail_msg("\"%s\" without \"%s\"", why, words);
    assert_memory_equal(why, path, strlen(path));
    assert_null(strchr(why, '\n'));
    assert_null(image.bytes);
}

static void a_sound_file_loads_where_it_says(void **state)
{
    struct ram ram;
    const char *reason;

    (void)state;
    assert_true(open_file());
    assert_string_equal(strrchr(path, '/') + 1, image.name);
    assert_string_equal(image.build_id, "deadbeef");
    assert_int_equal(image.entry, 0x1004);
    assert_int_equal(image.count, 2);
    assert_int_equal(image.segment[1].va, 0x8000);
    assert_int_equal(image.segment[1].memory, 0x1000);
    assert_int_equal(image.segment[1].offset, DATA_AT);
    assert_string_equal(image.segment[0].flags, "r-x");
    assert_int_equal(image.size, file_size);
    assert_memory_equal(image.bytes, &file, file_size); /* for the archive */
    assert_true(ram_init(&ram, MIB, &reason));
    assert_true(image_load(&image, &ram, why, sizeof why));
    assert_int_equal(ram.bytes[0xFFF], 0);
    assert_int_equal(ram.bytes[0x1000], 1);
    assert_int_equal(ram.bytes[0x103F], 0x40);
    assert_int_equal(ram.bytes[0x1040], 0);
    assert_int_equal(ram.bytes[0x800F], 0x10);
    assert_int_equal(ram.bytes[0x8010], 0); /* only in memory */
    ram_free(&ram);
    image_close(&image);
}

static void physical_addresses_count(void **state)
{
    struct ram ram;
    const char *reason;

    (void)state;
    file.segment[0].p_vaddr = htobe32(0xC0001000);
    file.header.e_entry = htobe32(0xC0001008);
    assert_true(open_file());
    assert_int_equal(image.entry, 0x1008);
    assert_int_equal(image.segment[0].va, 0xC0001000);
    assert_true(ram_init(&ram, MIB, &reason));
    assert_true(image_load(&image, &ram, why, sizeof why));
    assert_int_equal(ram.bytes[0x1000], 1);
    ram_free(&ram);
    image_close(&image);
}

static void a_file_without_a_build_id_is_named_by_its_bytes(void **state)
{
    char first[sizeof image.build_id];

    (void)state;
    file.header.e_phnum = htobe16(2);
    assert_true(open_file());
    assert_int_equal(strlen(image.build_id), 16);
    strcpy(first, image.build_id);
    image_close(&image);
    assert_true(open_file());
    assert_string_equal(image.build_id, first);
    image_close(&image);
    file.rest[500] ^= 1;
    assert_true(open_file());
    assert_string_not_equal(image.build_id, first);
    image_close(&image);
}

/* One rule for simrun and simprof, which compares both (lib/elf/notes.h). */
static void a_build_id_in_a_section_alone_is_the_build_id(void **state)
{
    struct mkelf m = {
        .addr = 0x1000, .size = 0x100, .build_id = "ABCDEFGHIJKLMNOPQRST"};
    char name[600];

    (void)state;
    snprintf(name, sizeof name, "%s/section.elf", scratch_dir());
    mkelf_write(name, &m);
    assert_true(image_open(&image, name, IMAGE_SHARED, why, sizeof why));
    assert_string_equal(image.build_id,
                        "4142434445464748494a4b4c4d4e4f5051525354");
    image_close(&image);
}

static void a_broken_note_is_no_build_id(void **state)
{
    uint8_t *note = (uint8_t *)&file + NOTE_AT;

    (void)state;
    note[7] = 0xFF; /* longer than the segment */
    assert_true(open_file());
    assert_int_equal(strlen(image.build_id), 16);
    image_close(&image);
    file.segment[2].p_offset = htobe32(0xFFFFFFF0);
    assert_true(open_file());
    image_close(&image);
}

static void files_that_are_no_programs_are_refused(void **state)
{
    (void)state;
    file_size = 0;
    refused("is empty");
    file_size = 3;
    refused("not an ELF file");
    file_size = sizeof file;
    file.header.e_ident[1] = 'F';
    refused("not an ELF file");
}

static void a_missing_file_and_a_directory_are_refused(void **state)
{
    (void)state;
    assert_false(
        image_open(&image, "/nowhere/at/all.elf", IMAGE_BARE, why, sizeof why));
    assert_string_equal(why, "/nowhere/at/all.elf: cannot be opened: No such "
                             "file or directory");
    mkdir(path, 0777);
    assert_false(image_open(&image, path, IMAGE_BARE, why, sizeof why));
    assert_non_null(strstr(why, "is a directory"));
    assert_false(image_open(&image, "/dev/null", IMAGE_BARE, why, sizeof why));
    assert_non_null(strstr(why, "not a regular file"));
}

static void other_machines_are_refused(void **state)
{
    (void)state;
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    refused("is 64-bit");
    file.header.e_ident[EI_CLASS] = 9;
    refused("unknown ELF class 9");
    start(state);
    file.header.e_ident[EI_DATA] = ELFDATA2LSB;
    refused("little-endian");
    file.header.e_ident[EI_DATA] = 0;
    refused("unknown byte order 0");
    start(state);
    file.header.e_machine = htobe16(EM_PPC64);
    refused("another processor (ELF machine 21)");
}

static void other_types_are_refused_each_with_its_cure(void **state)
{
    (void)state;
    file.header.e_type = htobe16(ET_REL);
    refused("object file, link it");
    file.header.e_type = htobe16(ET_DYN);
    refused("-static -no-pie");
    file.header.e_type = htobe16(ET_CORE);
    refused("ELF type 4");
    start(state);
    file.segment[2].p_type = htobe32(PT_INTERP);
    refused("dynamic loader");
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    /* Up to the last byte that a segment needs. */
    for (size_t size = 1; size < DATA_AT + 0x40; size += 3) {
        file_size = size;
        refused("");
    }
    file_size = 51;
    refused("ends inside the ELF header");
    file_size = 52 + 40;
    refused("ends inside the program headers");
    file_size = DATA_AT + 0x3F;
    refused("behind the end of the file");
    file_size = DATA_AT + 0x40;
    assert_true(open_file());
    image_close(&image);
}

static void headers_that_lie_are_refused(void **state)
{
    (void)state;
    file.header.e_phentsize = htobe16(31);
    refused("program headers of 31 bytes");
    start(state);
    file.header.e_phoff = htobe32(0xFFFFFFF0);
    refused("truncated");
    file.header.e_phoff = 0;
    refused("no segments");
    start(state);
    file.header.e_phnum = 0;
    refused("no segments");
    file.header.e_phnum = htobe16(0xFFFE);
    refused("truncated");
    file.header.e_phnum = htobe16(0xFFFF); /* "see section 0": there is none */
    refused("");
}

static void segments_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    set_segment(0, 0x1000, 0x41, 0x40);
    refused("more bytes in the file than in memory");
    set_segment(0, 0x1000, 0x40, 0xFFFFF001);
    refused("past the end of the address space");
    set_segment(0, 0x1000, 0x40, 0x40);
    file.segment[0].p_offset = htobe32(0xFFFFFFFF);
    refused("behind the end of the file");
    start(state);
    file.segment[0].p_type = file.segment[1].p_type = htobe32(PT_NULL);
    refused("no segments");
}

static void overlapping_segments_are_refused(void **state)
{
    (void)state;
    set_segment(1, 0x103F, 1, 1);
    refused("overlap");
    set_segment(1, 0xF00, 0x10, 0x101);
    refused("0x1000 and 0xf00");
    set_segment(1, 0x1040, 1, 1); /* next to it is fine */
    assert_true(open_file());
    image_close(&image);
    set_segment(1, 0x1010, 0, 0); /* nothing at all, too */
    assert_true(open_file());
    image_close(&image);
}

static void an_entry_outside_the_program_is_refused(void **state)
{
    static const uint32_t wrong[] = {0, 0xFFC, 0x1040, 0x1002, 0xFFFFFFFC};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        file.header.e_entry = htobe32(wrong[i]);
        refused("entry point");
    }
    file.header.e_entry = htobe32(0x103C);
    assert_true(open_file());
    image_close(&image);
}

static void what_does_not_fit_into_memory_is_refused(void **state)
{
    struct ram ram;
    const char *reason;

    (void)state;
    assert_true(ram_init(&ram, MIB, &reason));
    set_segment(1, MIB - 4, 4, 4);
    assert_true(open_file());
    assert_true(image_load(&image, &ram, why, sizeof why));
    image_close(&image);
    set_segment(1, MIB - 4, 4, 5);
    assert_true(open_file());
    assert_false(image_load(&image, &ram, why, sizeof why));
    assert_non_null(strstr(why, "outside the 1 MiB"));
    assert_non_null(strstr(why, "--mem=2M"));
    image_close(&image);
    set_segment(1, 0xFE000000, 4, 4); /* no memory reaches that far */
    assert_true(open_file());
    assert_false(image_load(&image, &ram, why, sizeof why));
    assert_null(strstr(why, "--mem"));
    assert_non_null(strstr(why, "link it lower"));
    image_close(&image);
    ram_free(&ram);
}

static void too_many_segments_are_refused(void **state)
{
    Elf32_Phdr *p = (Elf32_Phdr *)((uint8_t *)&file + 0x400);

    (void)state;
    file.header.e_phoff = htobe32(0x400);
    file.header.e_phnum = htobe16(IMAGE_SEGMENTS + 1);
    for (unsigned i = 0; i <= IMAGE_SEGMENTS; i++) {
        set_segment(0, 0x1000 + 0x40 * i, 4, 4);
        p[i] = file.segment[0];
    }
    refused("more than 64 segments");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(a_sound_file_loads_where_it_says),
        TEST(physical_addresses_count),
        TEST(a_file_without_a_build_id_is_named_by_its_bytes),
        TEST(a_build_id_in_a_section_alone_is_the_build_id),
        TEST(a_broken_note_is_no_build_id),
        TEST(files_that_are_no_programs_are_refused),
        TEST(a_missing_file_and_a_directory_are_refused),
        TEST(other_machines_are_refused),
        TEST(other_types_are_refused_each_with_its_cure),
        TEST(every_truncation_is_refused),
        TEST(headers_that_lie_are_refused),
        TEST(segments_that_make_no_sense_are_refused),
        TEST(overlapping_segments_are_refused),
        TEST(an_entry_outside_the_program_is_refused),
        TEST(what_does_not_fit_into_memory_is_refused),
        TEST(too_many_segments_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
