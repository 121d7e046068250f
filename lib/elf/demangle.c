/* demangle.c - the demangler of the C++ runtime, kept from what would take it
 * long. The runtime is looked for when it is needed: nothing else wants
 * it, and programs do without. */
#define _GNU_SOURCE
#include "lib/elf/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

/* A name may refer to parts of itself, and each reference may double what it
 * means. With this many it is some megabytes at worst. */
#define REFERENCES 24
#define LENGTH 1024

void demangler_open(struct demangler *d)
{
    *d = (struct demangler){0};
    d->library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    if (d->library)
        *(void **)&d->demangle = dlsym(d->library, "__cxa_demangle");
}

void demangler_close(struct demangler *d)
{
    if (d->library)
        dlclose(d->library);
    *d = (struct demangler){0};
}

static bool is_harmless(const char *name)
{
    unsigned references = 0;

    if (strlen(name) > LENGTH)
        return false;
    for (; *name; name++)
        if (*name == 'S' || *name == 'T')
            references += name[1 + strspn(name + 1, "0123456789ABCDEFGHIJKLM"
                                                    "NOPQRSTUVWXYZ")] == '_';
    return references <= REFERENCES;
}

/* std::string for what it stands for, as often as it is there. */
static void shorten(char *name)
{
    static const char full[] = "std::__cxx11::basic_string<char, "
                               "std::char_traits<char>, "
                               "std::allocator<char> >";

    while ((name = strstr(name, full))) {
        memcpy(name, "std::string", 11);
        name += 11;
        memmove(name, name + sizeof full - 12,
                strlen(name + sizeof full - 12) + 1);
    }
}

char *demangle(const struct demangler *d, const char *name)
{
    size_t n = strcspn(name, ".");
    char *plain, *meant, *all;
    int status;

    if (!d->demangle || strncmp(name, "_Z", 2) || !is_harmless(name))
        return NULL;
    plain = grow_text(name);
    plain[n] = '\0';
    meant = d->demangle(plain, NULL, NULL, &status);
    free(plain);
    if (!meant)
        return NULL;
    shorten(meant);
    all = grow_zero(strlen(meant) + strlen(name + n) + 1, 1);
    strcat(strcpy(all, meant), name + n);
    free(meant);
    return all;
}

char *demangle_stub(const char *name)
{
    static const char *const kinds[] = {".plt_pic32.", ".plt_call32."};
    char *meant = NULL;

    if (strspn(name, "0123456789abcdef") != 8)
        return NULL;
    for (unsigned k = 0; k < 2 && !meant; k++) {
        const char *at = strstr(name, kinds[k]);
        size_t n;

        if (!at)
            continue;
        at += strlen(kinds[k]);
        n = strcspn(at, "@");
        meant = grow_zero(n + sizeof "@plt", 1);
        strcpy(mempcpy(meant, at, n), "@plt");
    }
    return meant;
}

unsigned long demangled_short(const char *name)
{
    size_t end = strlen(name);
    int depth = 0;

    if (end > 6 && !strcmp(name + end - 6, " const"))
        end -= 6;
    if (!end || name[end - 1] != ')')
        return 0;
    while (end-- > 0) {
        depth += name[end] == ')';
        depth -= name[end] == '(';
        if (!depth)
            return end;
    }
    return 0;
}
