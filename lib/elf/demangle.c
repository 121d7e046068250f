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

/* Where the compiler's word for a function with fewer arguments begins, as all
 * that call it are known: "f().isra.0"; else the end. */
static size_t before_isra(const char *name)
{
    const char *at = strstr(name, ".isra.");

    return at && at > name && at[6] && !at[6 + strspn(at + 6, "0123456789")]
               ? (size_t)(at - name)
               : strlen(name);
}

unsigned long demangled_short(const char *name)
{
    size_t end = before_isra(name);
    bool isra = name[end];
    int depth = 0;

    if (end > 6 && !strncmp(name + end - 6, " const", 6))
        end -= 6;
    if (!end || name[end - 1] != ')')
        return isra ? end : 0;
    while (end-- > 0) {
        depth += name[end] == ')';
        depth -= name[end] == '(';
        if (!depth)
            return end;
    }
    return 0;
}

/* The length of an operator's name at `at`, "operator<<", that may have < or (;
 * 0: none is there. */
static size_t operator_at(const char *name, const char *at)
{
    static const char word[] = "operator";
    size_t n = sizeof word - 1;

    if (strncmp(at, word, n) || (at > name && !strchr(": ", at[-1])))
        return 0;
    if (!strncmp(at + n, "()", 2))
        return n + 2;
    return n + strspn(at + n, "<>=-");
}

/* Where the bracket at `at` ends: behind its other half, or at the end. */
static const char *behind(const char *name, const char *at)
{
    const char open = *at, close = open == '<' ? '>' : ')';
    unsigned depth = 0;

    while (*at) {
        size_t n = operator_at(name, at);

        if (n) {
            at += n;
            continue;
        }
        depth += *at == open;
        depth -= *at == close;
        at++;
        if (!depth)
            break;
    }
    return at;
}

/* The last of what stands in () but for "(anonymous namespace)"; the end, if
 * there is none. The compiler may have put something behind it. */
static const char *parameters(const char *name)
{
    static const char anonymous[] = "(anonymous namespace)";
    const char *end = strrchr(name, ')'), *at = end;
    unsigned depth = 1;

    while (at && at > name && depth) {
        at--;
        depth += *at == ')';
        depth -= *at == '(';
    }
    return !at || depth || !strncmp(at, anonymous, sizeof anonymous - 1)
               ? name + strlen(name)
               : at;
}

const char *demangled_fit(const char *name, char *out, unsigned long size)
{
    const char *from = name, *last = parameters(name);
    char *brief = grow_zero(2 * strlen(name) + 1, 1), *to = brief;
    size_t length = strlen(name);

    while (length >= size && *from) {
        size_t n = operator_at(name, from);
        const char *end = from + (n ? n : 1);

        if (!n && (*from == '<' || from == last))
            end = behind(name, from);
        if (end - from > 4 && !n)
            to = stpcpy(to, *from == '<' ? "<..>" : "(..)");
        else
            to = mempcpy(to, from, (size_t)(end - from));
        from = end;
    }
    if (length >= size)
        name = brief, length = strlen(brief);
    if (length < size) {
        memcpy(out, name, length + 1);
    } else {
        const char *part;

        /* Not within a word, if there is another, nor a character of UTF-8. */
        name += length - (size - 3);
        part = *name == ':' || name[-1] == ':' ? NULL : strstr(name, "::");
        if (part)
            name = part + 2;
        while (*name == ':' || (*name & 0xC0) == 0x80)
            name++;
        strcpy(stpcpy(out, ".."), name);
    }
    free(brief);
    return out;
}
