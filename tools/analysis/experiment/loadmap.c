/* loadmap.c - the file `map`, the archives, and lookup by time. */
#include "tools/analysis/experiment/loadmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/base/text_lines.h"

/* Lookups walk the segments; a map of more than this is not from simrun. */
#define SEGMENTS_MAX 4096

/* The build-id that the archive's name ends in, or "". */
static const char *named_id(const char *archive)
{
    const char *dot = strrchr(archive, '.');

    return dot ? dot + 1 : "";
}

static bool is_hex(const char *text)
{
    size_t n = strlen(text);

    return n >= 8 && n % 2 == 0 && strspn(text, "0123456789abcdef") == n;
}

/* Open archives/NAME as a regular file; -1: errno. */
static int open_archive(int dir, const char *archive)
{
    char path[512];
    struct stat st;
    int fd;

    if (snprintf(path, sizeof path, "archives/%s", archive) >=
        (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
        close(fd);
        errno = EINVAL;
        fd = -1;
    }
    return fd;
}

static void read_image(struct loadmap *m, struct image *image, int dir,
                       struct problems *p)
{
    char id[129], why[128];
    const char *named = named_id(image->archive);
    int fd = open_archive(dir, image->archive);

    if (fd < 0) {
        problem_add(p, PROBLEM_DAMAGE,
                    "archives/%s: %s, its functions have no names; put the "
                    "ELF file of the run there",
                    image->archive, strerror(errno));
        return;
    }
    image->readable = symbols_read(&image->symbols, fd, id, why, sizeof why);
    close(fd);
    if (!image->readable) {
        problem_add(p, PROBLEM_DAMAGE,
                    "archives/%s: %s, its functions have no names; put the "
                    "ELF file of the run there",
                    image->archive, why);
        return;
    }
    if (id[0] && is_hex(named) && strcmp(id, named))
        problem_add(p, PROBLEM_DAMAGE,
                    "archives/%s: has build-id %s, names may be wrong; put "
                    "the ELF file of the run there",
                    image->archive, id);
    if (!image->symbols.layer[SYMBOLS_LAYERS - 1])
        problem_add(p, PROBLEM_NOTE,
                    "archives/%s: has no function symbols (stripped?)",
                    image->archive);
    image->first = m->functions;
    m->functions += (uint32_t)image->symbols.count;
}

/* The image of this archive, read when it is new; -1: not a file name. */
static long image_of(struct loadmap *m, const char *archive, int dir,
                     struct problems *p)
{
    if (!archive[0] || strchr(archive, '/') || archive[0] == '.')
        return -1;
    for (size_t i = 0; i < m->images; i++)
        if (!strcmp(m->image[i].archive, archive))
            return (long)i;
    m->image = grow(m->image, &m->images_room, m->images + 1, sizeof *m->image);
    m->image[m->images] = (struct image){.archive = grow_text(archive)};
    read_image(m, &m->image[m->images], dir, p);
    return (long)m->images++;
}

/* "CYCLE ADDR SIZE OFFSET FLAGS ARCHIVE", the rest of a segment line; of one
 * with a space behind that. */
static bool take_segment(struct loadmap *m, bool spaced, const char *value,
                         int dir, struct problems *p)
{
    uint64_t number[4], space = 0;
    struct segment s = {0};
    char *copy = grow_text(value), *rest = copy, *word;
    bool good = true;
    long image = -1;

    if (spaced) {
        word = text_lines_word(&rest);
        good =
            word && text_number(word, &space) && space && space <= UINT32_MAX;
    }
    for (int i = 0; i < 4 && good; i++) {
        word = text_lines_word(&rest);
        good = word && text_number(word, &number[i]);
    }
    word = good ? text_lines_word(&rest) : NULL;
    if (word) {
        snprintf(s.flags, sizeof s.flags, "%s", word);
        image = image_of(m, rest, dir, p);
    }
    free(copy);
    if (image < 0 || number[1] > UINT32_MAX)
        return false;
    s.space = (uint32_t)space;
    s.from = number[0];
    s.addr = (uint32_t)number[1];
    s.size = number[2];
    s.offset = number[3];
    s.image = (size_t)image;
    m->segment = grow(m->segment, &m->segments_room, m->segments + 1,
                      sizeof *m->segment);
    m->segment[m->segments++] = s;
    return true;
}

/* ---- load objects told apart --------------------------------------------- */

struct owner {
    struct function *function;
    const char *archive;
};

static int by_function_name(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    int order = strcmp(x->function->name, y->function->name);

    return order ? order : strcmp(x->archive, y->archive);
}

/* "main" of two programs becomes "main (one)" and "main (two)" (ANA-77). */
static void qualify(struct owner *o)
{
    const char *dot = strrchr(o->archive, '.');
    size_t n = dot && dot > o->archive ? (size_t)(dot - o->archive)
                                       : strlen(o->archive);
    char more[1024];

    snprintf(more, sizeof more, "%.600s (%.*s)", o->function->name,
             (int)(n < 300 ? n : 300), o->archive);
    free(o->function->name);
    o->function->name = grow_text(more);
}

static void tell_objects_apart(struct loadmap *m)
{
    struct owner *list = grow_zero(m->functions + 1, sizeof *list);
    size_t n = 0, j;

    for (size_t i = 0; i < m->images; i++)
        for (size_t k = 0; k < m->image[i].symbols.count; k++)
            list[n++] = (struct owner){&m->image[i].symbols.function[k],
                                       m->image[i].archive};
    qsort(list, n, sizeof *list, by_function_name);
    for (size_t i = 0; i < n; i = j) {
        /* A place in a file says nothing without the file. */
        bool several = !strncmp(list[i].function->name, "<static>", 8);

        for (j = i + 1;
             j < n && !strcmp(list[j].function->name, list[i].function->name);
             j++)
            several |= strcmp(list[j].archive, list[i].archive) != 0;
        for (size_t k = j; several && k-- > i;)
            qualify(&list[k]);
    }
    free(list);
}

void loadmap_read(struct loadmap *m, int dir, struct problems *p)
{
    struct text_lines lines;
    unsigned bad, first;

    *m = (struct loadmap){.functions = 1};
    if (!text_lines_read(&lines, dir, "map")) {
        problem_add(p, PROBLEM_DAMAGE,
                    "map: %s, functions have no names; run simrun again",
                    strerror(errno));
        return;
    }
    bad = lines.garbage;
    first = lines.first_garbage;
    for (size_t i = 0; i < lines.count; i++) {
        const struct line *l = &lines.line[i];

        bool spaced = !strcmp(l->key, "segment-of");

        if (m->segments < SEGMENTS_MAX &&
            (spaced || !strcmp(l->key, "segment")) &&
            take_segment(m, spaced, l->value, dir, p))
            continue;
        if (!bad++)
            first = l->number;
    }
    if (bad)
        problem_add(p, PROBLEM_DAMAGE,
                    "map: %u lines make no sense (the first is %u), passed "
                    "over; names may be missing",
                    bad, first);
    text_lines_free(&lines);
    if (m->images > 1)
        tell_objects_apart(m);
}

void loadmap_free(struct loadmap *m)
{
    for (size_t i = 0; i < m->images; i++) {
        symbols_free(&m->image[i].symbols);
        free(m->image[i].archive);
    }
    free(m->image);
    free(m->segment);
    hash_free(&m->seen);
    spaces_free(&m->spaces);
    *m = (struct loadmap){0};
}

void loadmap_thread(struct loadmap *m, uint32_t thread)
{
    m->thread = thread;
}

void loadmap_space(struct loadmap *m, uint32_t space)
{
    m->space = space;
}

/* The segment that holds pc at this cycle; -1: none. */
static long segment_at(const struct loadmap *m, uint32_t pc, uint64_t cycle)
{
    uint32_t space =
        m->space ? m->space : spaces_at(&m->spaces, m->thread, cycle);

    for (size_t i = m->segments; i-- > 0;) {
        const struct segment *s = &m->segment[i];

        if (s->from <= cycle && pc >= s->addr && pc - s->addr < s->size &&
            (!s->space || s->space == space))
            return (long)i;
    }
    return -1;
}

uint32_t loadmap_space_at(const struct loadmap *m, uint32_t pc, uint64_t cycle)
{
    long at = segment_at(m, pc, cycle);

    return at < 0 ? 0 : m->segment[at].space;
}

struct place loadmap_find(struct loadmap *m, uint32_t pc, uint64_t cycle)
{
    long at = segment_at(m, pc, cycle);
    const struct image *image;
    uint64_t addr;
    uint32_t *number;
    bool fresh;

    if (at < 0 || !m->image[m->segment[at].image].readable)
        return (struct place){.function = LOADMAP_UNKNOWN, .offset = pc};
    image = &m->image[m->segment[at].image];
    number = hash_at(&m->seen, (uint64_t)at << 32 | pc, &fresh);
    if (!symbols_address(&image->symbols,
                         m->segment[at].offset + (pc - m->segment[at].addr),
                         &addr))
        return (struct place){.function = LOADMAP_UNKNOWN, .offset = pc};
    addr = markers_home(&image->symbols.markers, (uint32_t)addr);
    if (fresh) {
        long found = symbols_find(&image->symbols, addr);

        *number = found < 0 ? LOADMAP_UNKNOWN : image->first + (uint32_t)found;
    }
    if (*number == LOADMAP_UNKNOWN)
        return (struct place){.function = LOADMAP_UNKNOWN, .offset = pc};
    return (struct place){
        .function = *number,
        .offset =
            (uint32_t)(addr -
                       image->symbols.function[*number - image->first].start),
    };
}

/* The markers of the load object at pc, where that is linked; NULL: it has
 * none. */
static const struct markers *markers_near(const struct loadmap *m, uint32_t pc,
                                          uint64_t cycle, uint32_t *linked)
{
    long at = segment_at(m, pc, cycle);
    const struct segment *s = at < 0 ? NULL : &m->segment[at];
    const struct symbols *y;
    uint64_t addr;

    if (!s || !m->image[s->image].readable)
        return NULL;
    y = &m->image[s->image].symbols;
    if (!y->markers.entries ||
        !symbols_address(y, s->offset + (pc - s->addr), &addr))
        return NULL;
    *linked = (uint32_t)addr;
    return &y->markers;
}

uint32_t loadmap_home(const struct loadmap *m, uint32_t pc, uint64_t cycle)
{
    uint32_t at;
    const struct markers *k = markers_near(m, pc, cycle, &at);

    return k ? pc + (markers_home(k, at) - at) : pc;
}

uint32_t loadmap_word(const struct loadmap *m, uint32_t pc, uint64_t cycle,
                      uint32_t word)
{
    uint32_t at;
    const struct markers *k = markers_near(m, pc, cycle, &at);
    const struct marker *e = k ? markers_at(k, at) : NULL;

    return e && e->is == word ? e->was : word;
}

/* The load object of function f; NULL: of none. */
static const struct image *image_with(const struct loadmap *m, uint32_t f)
{
    for (size_t i = 0; i < m->images && f != LOADMAP_UNKNOWN; i++) {
        const struct image *image = &m->image[i];

        if (image->readable && f >= image->first &&
            f - image->first < image->symbols.count)
            return image;
    }
    return NULL;
}

const char *loadmap_name(const struct loadmap *m, uint32_t f)
{
    const struct image *image = image_with(m, f);

    return image ? image->symbols.function[f - image->first].name : "<Unknown>";
}

const struct function *loadmap_function(const struct loadmap *m, uint32_t f)
{
    const struct image *image = image_with(m, f);

    return image ? &image->symbols.function[f - image->first] : NULL;
}

#define THREAD_NAME 15 /* bytes */

/* "NAME (FILE)", as simrun has it, of a function whose name says more here? */
static bool is_of_file(const struct function *f, const char *name)
{
    const char *bracket = strstr(name, " ("), *own = strstr(f->name, " (");
    size_t length = own ? (size_t)(own - f->name) : strlen(f->name);

    return bracket && f->source && (size_t)(bracket - name) == length &&
           !strncmp(f->name, name, length) &&
           !strncmp(bracket + 2, f->source, strlen(f->source)) &&
           !strcmp(bracket + 2 + strlen(f->source), ")");
}

static bool is_called(const struct function *f, const char *name)
{
    for (size_t i = 0; i < f->aliases; i++)
        if (!strcmp(f->alias[i], name))
            return true;
    return !strcmp(f->name, name) || is_of_file(f, name);
}

/* The file's name in front of its build-id; of a path inside the last part. */
static bool is_of_object(const struct image *i, const char *object, size_t n)
{
    const char *end = strrchr(i->archive, '.');

    for (size_t k = n; k--;)
        if (object[k] == '/') {
            object += k + 1;
            n -= k + 1;
            break;
        }
    return end && n == (size_t)(end - i->archive) &&
           !strncmp(i->archive, object, n);
}

/* "NAME (PROGRAM)", which reports write only where another file has the name;
 * of a longer program's name its first THREAD_NAME bytes. */
static bool is_of_program(const struct loadmap *m, uint32_t f, const char *name)
{
    const struct function *it = loadmap_function(m, f);
    const char *bracket = strstr(name, " ("),
               *end = strrchr(image_with(m, f)->archive, '.');
    size_t length = bracket ? strlen(bracket + 2) - 1 : 0;

    return bracket && end && length >= 1 && bracket[2 + length] == ')' &&
           strlen(it->name) == (size_t)(bracket - name) &&
           !strncmp(it->name, name, strlen(it->name)) &&
           !strncmp(image_with(m, f)->archive, bracket + 2, length) &&
           (length >= THREAD_NAME ||
            (size_t)(end - image_with(m, f)->archive) == length);
}

bool loadmap_called(const struct loadmap *m, uint32_t f, const char *name)
{
    const struct function *it = loadmap_function(m, f);
    const char *colon = it ? strchr(name, ':') : NULL;

    for (; colon; colon = strchr(colon + 1, ':'))
        if (is_of_object(image_with(m, f), name, (size_t)(colon - name)) &&
            is_called(it, colon + 1))
            return true;
    return it && (is_called(it, name) || is_of_program(m, f, name));
}

uint32_t loadmap_named(const struct loadmap *m, uint32_t f, const char *name,
                       size_t n)
{
    const struct image *image = image_with(m, f);

    for (size_t i = 0; image && i < image->symbols.count; i++) {
        const char *it = image->symbols.function[i].name;

        if (!strncmp(it, name, n) && !it[n])
            return image->first + (uint32_t)i;
    }
    return LOADMAP_UNKNOWN;
}

const char *loadmap_object(const struct loadmap *m, uint32_t f)
{
    const struct image *image = image_with(m, f);

    return image ? image->archive : "<Unknown>";
}

long loadmap_image(const struct loadmap *m, uint32_t f)
{
    const struct image *image = image_with(m, f);

    return image ? (long)(image - m->image) : -1;
}

bool loadmap_spot(const struct loadmap *m, uint32_t pc, uint64_t cycle,
                  struct image_spot *at)
{
    long found = segment_at(m, pc, cycle);
    const struct segment *s = found < 0 ? NULL : &m->segment[found];

    if (!s || !m->image[s->image].readable)
        return false;
    at->image = s->image;
    at->offset = s->offset + (pc - s->addr);
    return symbols_address(&m->image[s->image].symbols, at->offset, &at->addr);
}

/* Where a segment was linked: its part of the file may be shorter than it, or
 * nothing at all. */
static bool linked_at(const struct loadmap *m, const struct segment *s,
                      uint64_t *addr)
{
    const struct symbols *y = &m->image[s->image].symbols;
    bool found = false;

    for (size_t i = 0; i < y->loads; i++)
        if (y->loaded[i].offset == s->offset &&
            (!found || y->loaded[i].addr == s->addr)) {
            *addr = y->loaded[i].addr;
            found = true;
        }
    return found || symbols_address(y, s->offset, addr);
}

bool loadmap_moved(const struct loadmap *m, uint32_t address, uint64_t cycle,
                   size_t *image, uint32_t *moved)
{
    long at = segment_at(m, address, cycle);
    uint64_t linked;

    if (at < 0 || !m->image[m->segment[at].image].readable ||
        !linked_at(m, &m->segment[at], &linked))
        return false;
    *image = m->segment[at].image;
    *moved = m->segment[at].addr - (uint32_t)linked;
    return true;
}

const struct variable *loadmap_variables(const struct loadmap *m, uint32_t from,
                                         uint32_t size, uint64_t cycle,
                                         uint32_t *moved, size_t *count)
{
    uint64_t last = (uint64_t)from + size - 1;
    const struct symbols *y;
    size_t image, first;

    /* What begins within, or ends there, is in the segment of either end. */
    if (segment_at(m, from, cycle) < 0 && last <= UINT32_MAX
            ? !loadmap_moved(m, (uint32_t)last, cycle, &image, moved)
            : !loadmap_moved(m, from, cycle, &image, moved))
        return NULL;
    y = &m->image[image].symbols;
    first = symbols_variables(y, (uint64_t)from - *moved,
                              (uint64_t)from - *moved + size, count);
    return *count ? &y->variable[first] : NULL;
}

bool loadmap_extent(const struct loadmap *m, uint32_t f, uint32_t *start,
                    uint32_t *size)
{
    const struct image *image = image_with(m, f);
    const struct function *it;
    uint64_t base;

    if (!image)
        return false;
    it = &image->symbols.function[f - image->first];
    for (size_t i = m->segments; i-- > 0;) {
        const struct segment *s = &m->segment[i];

        if (&m->image[s->image] != image ||
            !symbols_address(&image->symbols, s->offset, &base) ||
            it->start < base || it->start - base >= s->size)
            continue;
        *start = s->addr + (uint32_t)(it->start - base);
        *size = (uint32_t)(it->end - it->start);
        if (*size > s->size - (it->start - base))
            *size = (uint32_t)(s->size - (it->start - base));
        return true;
    }
    return false;
}

int loadmap_open(const struct loadmap *m, size_t image, int dir)
{
    return open_archive(dir, m->image[image].archive);
}

bool loadmap_elf(const struct loadmap *m, size_t image, int dir,
                 struct elf_image *file)
{
    int fd = loadmap_open(m, image, dir);
    struct elf_wrong unused;
    bool ok = fd >= 0 && elf_image_open_fd(file, fd, &unused);

    if (fd >= 0)
        close(fd);
    return ok;
}
