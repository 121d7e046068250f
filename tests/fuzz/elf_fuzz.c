/* elf_fuzz.c - any bytes at all, offered to the loader as an ELF file: it
 * refuses with a line, or what it loads lies inside memory and has names that
 * can be asked for.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/loader.h"
#include "sim/names.h"

#define MEMORY (32u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one_line(const char *why, size_t room)
{
    assert(memchr(why, 0, room));
    assert(why[0] && !strchr(why, '\n'));
}

/* The symbol table is believed no more than the rest. */
static void look_up(const struct image *image)
{
    char text[NAME_TEXT];
    struct names names;
    uint32_t address;

    if (!names_open(&names, image))
        return;
    for (uint32_t at = 0; at < MEMORY; at += 0x1FF4) {
        names_text(&names, at, text);
        assert(memchr(text, 0, sizeof(text)));
    }
    names_find(&names, "_start+4", &address);
    names_close(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", 0);
    char path[64], why[512] = "";
    const char *no_room;
    struct image image;
    struct ram ram;

    assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (!image_open(&image, path, why, sizeof(why))) {
        one_line(why, sizeof(why));
        close(fd);
        return 0;
    }
    assert(image.count <= IMAGE_SEGMENTS);
    look_up(&image);
    if (!ram_init(&ram, MEMORY, &no_room))
        assert(!"no memory on the host");
    if (image_load(&image, &ram, why, sizeof(why))) {
        for (unsigned i = 0; i < image.count; i++) {
            assert(image.segment[i].file <= image.segment[i].memory);
            assert(image.segment[i].pa <= MEMORY);
            assert(image.segment[i].memory <= MEMORY - image.segment[i].pa);
        }
    } else {
        one_line(why, sizeof(why));
    }
    ram_free(&ram);
    image_close(&image);
    close(fd);
    return 0;
}
