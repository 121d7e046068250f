/* own.c - see own.h. Names are asked once for each function. */
#include "tools/analysis/symbols/own.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

enum answer { NOT_ASKED, YES, NO };

struct own {
    struct recording *r;
    struct sources *sources;
    unsigned char *function; /* an answer each, by number */
    unsigned char *image;    /* is it a program without source lines? */
};

struct own *own_new(struct recording *r, struct sources *s)
{
    struct own *o = grow_zero(1, sizeof *o);

    o->r = r;
    o->sources = s;
    o->function = grow_zero((size_t)r->map.functions + 1, 1);
    o->image = grow_zero(r->map.images + 1, 1);
    return o;
}

void own_free(struct own *o)
{
    free(o->function);
    free(o->image);
    free(o);
}

static bool has_lines(const struct own *o, uint32_t function)
{
    return sources_of(o->sources, function).file != SOURCES_NONE;
}

static bool is_written_here(const struct own *o, uint32_t function)
{
    uint32_t file = sources_of(o->sources, function).file;

    return file != SOURCES_NONE && !sources_installed(o->sources, file);
}

/* Is the file that a function is of a program, and one without lines? */
static bool has_no_lines(struct own *o, uint32_t function)
{
    long image = loadmap_image(&o->r->map, function);
    uint32_t first;

    if (image < 0)
        return false;
    if (o->image[image] == NOT_ASKED) {
        first = loadmap_named(&o->r->map, function, "main", 4);
        o->image[image] =
            first != LOADMAP_UNKNOWN && !has_lines(o, first) ? YES : NO;
    }
    return o->image[image] == YES;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, *(const char *const *)b);
}

/* Is it reserved for the C library, or for a compiler's? */
static bool is_reserved(const char *name)
{
    return (*name == '_' && strncmp(name, "_Z", 2) != 0) ||
           !strncmp(name, "std::", 5) || !strncmp(name, "operator ", 9);
}

/* Has the C library one of that name? Of a part of one, "read.part.0", what is
 * in front of the point counts. */
static bool is_known(const char *text)
{
    static const char *const known[] = {
#define LIBRARY(name) #name,
#include "tools/analysis/symbols/library.def"
#undef LIBRARY
    };
    char name[64];
    size_t length = strcspn(text, ".");

    if (length >= sizeof name)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    return bsearch(name, known, sizeof known / sizeof *known, sizeof *known,
                   by_name);
}

/* Is a local function of a file of which the linker knew no source, only the
 * object, or of the compiler's own? A system's libraries are stripped of what
 * says the source. */
static bool is_of_system(const struct function *f)
{
    size_t length = f->source ? strlen(f->source) : 0;

    return (length > 2 && !strcmp(f->source + length - 2, ".o")) ||
           (f->source && !strcmp(f->source, "crtstuff.c"));
}

static bool is_library(const struct function *f, const char *name)
{
    return is_reserved(name) || (!f->local && is_known(name));
}

static bool is_named_library(const struct function *f)
{
    if (!f || *f->name == '<' || !strncmp(f->name, "std::", 5))
        return false;
    if (is_of_system(f) || is_library(f, f->name))
        return true;
    for (size_t n = 0; n < f->aliases; n++)
        if (is_library(f, f->alias[n]))
            return true;
    return false;
}

static bool is_named_own(const struct function *f)
{
    if (!f || *f->name == '<' || is_of_system(f) || is_library(f, f->name))
        return false;
    for (size_t n = 0; n < f->aliases; n++)
        if (is_library(f, f->alias[n]))
            return false;
    return true;
}

bool own_is(struct own *o, uint32_t function)
{
    unsigned char *answer = &o->function[function];

    if (*answer == NOT_ASKED)
        *answer = is_written_here(o, function) ||
                          (has_no_lines(o, function) &&
                           is_named_own(loadmap_function(&o->r->map, function)))
                      ? YES
                      : NO;
    return *answer == YES;
}

bool own_is_of_library(struct own *o, uint32_t function)
{
    if (function == LOADMAP_UNKNOWN || has_lines(o, function))
        return false;
    return !has_no_lines(o, function) ||
           is_named_library(loadmap_function(&o->r->map, function));
}
