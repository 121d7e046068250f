/* find.c - looks beside the executable, wherever that was put: build/simrun
 * has guest.elf beside it and ../sim/core, bin/simrun has ../share/simrun.
 */
#include "sim/find.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* From the directory of the executable. */
static const char *const places[] = {"", "/../share/simrun", "/../sim/core"};

#define PLACES (sizeof places / sizeof places[0])

/* "/x/bin" and "/../share" are "/x/share". */
static bool place(const char *dir, const char *from, char path[FIND_PATH])
{
    int length = (int)strlen(dir);

    if (strncmp(from, "/..", 3) == 0) {
        const char *slash = strrchr(dir, '/');

        length = slash ? (int)(slash - dir) : 0;
        from += 3;
    }
    return snprintf(path, FIND_PATH, "%.*s%s", length, dir, from) < FIND_PATH;
}

static bool own_directory(char dir[FIND_PATH])
{
    ssize_t n = readlink("/proc/self/exe", dir, FIND_PATH - 1);
    char *slash;

    if (n <= 0)
        return false;
    dir[n] = '\0';
    slash = strrchr(dir, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* DIR/NAME or DIR/NAMEsuffix, if there is one. */
static bool is_in(const char *dir, const char *name, const char *suffix,
                  char path[FIND_PATH])
{
    if (snprintf(path, FIND_PATH, "%s/%s", dir, name) < FIND_PATH &&
        access(path, F_OK) == 0)
        return true;
    return *suffix &&
           snprintf(path, FIND_PATH, "%s/%s%s", dir, name, suffix) <
               FIND_PATH &&
           access(path, F_OK) == 0;
}

void find_file(const char *name, const char *suffix, char path[FIND_PATH],
               char looked[FIND_PATH])
{
    char own[FIND_PATH], dir[FIND_PATH];
    size_t used = 0;

    *looked = '\0';
    if (*name && !strchr(name, '/') && access(name, F_OK) != 0 &&
        errno == ENOENT && own_directory(own))
        for (size_t k = 0; k < PLACES && used < FIND_PATH; k++) {
            if (!place(own, places[k], dir) || access(dir, F_OK) != 0)
                continue;
            if (is_in(dir, name, suffix, path)) {
                *looked = '\0';
                return;
            }
            used += (size_t)snprintf(looked + used, FIND_PATH - used, "%s%s",
                                     used ? " or " : "; nor is it in ", dir);
        }
    snprintf(path, FIND_PATH, "%s", name);
}
