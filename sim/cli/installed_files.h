/* installed_files.h - files that came along with simrun, by their names alone:
 * the guest image and chip tables, in the tree it was built in or where it was
 * installed.
 */
#ifndef SIM_CLI_INSTALLED_FILES_H
#define SIM_CLI_INSTALLED_FILES_H

#include <stddef.h>

#define INSTALLED_FILE_PATH 4096

/* The path of the file that `name` means: itself, if it is there or has a
 * slash; else NAME or NAME with `suffix` of the places below simrun's own
 * directory. Where there is none it is `name` again, and `looked` says "; nor
 * is it in ...", which else is "". */
void installed_file(const char *name, const char *suffix,
                    char path[INSTALLED_FILE_PATH],
                    char looked[INSTALLED_FILE_PATH]);

#endif
