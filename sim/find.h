/* find.h - files that came along with simrun, by their names alone: the guest
 * image and chip tables, in the tree it was built in or where it was installed.
 */
#ifndef SIM_FIND_H
#define SIM_FIND_H

#include <stddef.h>

#define FIND_PATH 4096

/* The path of the file that `name` means: itself, if it is there or has a
 * slash; else NAME or NAME with `suffix` of the places below simrun's own
 * directory. Where there is none it is `name` again, and `looked` says "; nor
 * is it in ...", which else is "". */
void find_file(const char *name, const char *suffix, char path[FIND_PATH],
               char looked[FIND_PATH]);

#endif
