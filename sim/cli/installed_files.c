/* installed_files.c - looks beside the executable, wherever that was put:
 * build/simrun has guest.elf beside it and ../sim/core, bin/simrun has
 * ../share/simrun.
 */
#include "sim/cli/installed_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* From the directory of the executable. */
static const char *const places[] = {"", "/../share/simrun", "/../sim/core"};

#define PLACES (sizeof places / sizeof places[0])

/* "/x/bin" and "/../share" are "/x/share". */
static bool place(const char *dir, const char *from,
                  char path[INSTALLED_FILE_PATH])
{
    int length = (int)strlen(dir);

    if (strncmp(from, "/..", 3) == 0) {
        const char *slash = strrchr(dir, '/');

        length = slash ? (int)(slash - dir) : 0;
        from += 3;
    }
    return snprintf(path, INSTALLED_FILE_PATH, "%.*s%s", length, dir, from) <
           INSTALLED_FILE_PATH;
}

static bool own_directory(char dir[INSTALLED_FILE_PATH])
{
    ssize_t n = readlink("/proc/self/exe", dir, INSTALLED_FILE_PATH - 1);
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
                  char path[INSTALLED_FILE_PATH])
{
    if (snprintf(path, INSTALLED_FILE_PATH, "%s/%s", dir, name) <
            INSTALLED_FILE_PATH &&
        access(path, F_OK) == 0)
        return true;
    return *suffix &&
           snprintf(path, INSTALLED_FILE_PATH, "%s/%s%s", dir, name, suffix) <
               INSTALLED_FILE_PATH &&
           access(path, F_OK) == 0;
}

void installed_file(const char *name, const char *suffix,
                    char path[INSTALLED_FILE_PATH],
                    char looked[INSTALLED_FILE_PATH])
{
    char own[INSTALLED_FILE_PATH], dir[INSTALLED_FILE_PATH];
    size_t used = 0;

    *looked = '\0';
    if (*name && !strchr(name, '/') && access(name, F_OK) != 0 &&
        errno == ENOENT && own_directory(own))
        for (size_t k = 0; k < PLACES && used < INSTALLED_FILE_PATH; k++) {
            if (!place(own, places[k], dir) || access(dir, F_OK) != 0)
                continue;
            if (is_in(dir, name, suffix, path)) {
                *looked = '\0';
                return;
            }
            used += (size_t)snprintf(looked + used, INSTALLED_FILE_PATH - used,
                                     "%s%s", used ? " or " : "; nor is it in ",
                                     dir);
        }
    snprintf(path, INSTALLED_FILE_PATH, "%s", name);
}
