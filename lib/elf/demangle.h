/* demangle.h - names of C++ functions as a person writes them. */
#ifndef LIB_ELF_DEMANGLE_H
#define LIB_ELF_DEMANGLE_H

/* The C++ runtime of this computer, which knows how. All NULL: there is none,
 * and names stay as the compiler wrote them. */
struct demangler {
    void *library;
    char *(*demangle)(const char *name, char *out, unsigned long *size,
                      int *status);
};

void demangler_open(struct demangler *d);
void demangler_close(struct demangler *d);

/* What _ZN3zoo1fEi.cold means, with what the compiler put behind it:
 * "zoo::f(int).cold", with std::string written so. The caller frees it. NULL:
 * name is none of C++, or one that could mean megabytes. */
char *demangle(const struct demangler *d, const char *name);

/* What the linker's name of a stub for calls of other objects means,
 * 00008000.got2.plt_pic32.sqrt@@GLIBC_2.0: "sqrt@plt". The caller frees it.
 * NULL: name is none. */
char *demangle_stub(const char *name);

/* The length of a demangled name without its parameters: "zoo::f"; and without
 * what gcc puts behind the name of a function whose arguments it has changed:
 * that of "zoo::f().isra.0", or of "f.isra.0". 0: it has none of both, or
 * something else is behind them. */
unsigned long demangled_short(const char *name);

/* A name in fewer than `size` bytes, 8 or more, with ".." for what is left out:
 * nothing, if it fits; else what stands in <> and in the last (), and, if that
 * is not enough, what it begins with: "..Book<..>::post(..)". Returns out. */
const char *demangled_fit(const char *name, char *out, unsigned long size);

#endif
