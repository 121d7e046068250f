/* replace.h - an experiment makes room for a new one of its name. */
#ifndef SIM_HOST_REPLACE_H
#define SIM_HOST_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Remove the experiment `path`; where nothing is of that name nothing is done.
 * A directory that is none, or that holds what simrun and simprof did not
 * write (`notes` of a person), a symbolic link, one that is being written and
 * one that cannot be moved stay as they are: false, `why` has the line. */
bool replace_experiment(const char *path, char *why, size_t size);

#endif
