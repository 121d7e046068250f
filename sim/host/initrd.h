/* initrd.h - the RAM disk that --initrd and --program put into the guest's
 * memory: a cpio archive (newc), as it is or made here of a directory or of one
 * program. The archive has nothing of the host but names, modes and bytes, so
 * that the same files give the same bits.
 */
#ifndef SIM_HOST_INITRD_H
#define SIM_HOST_INITRD_H

#include <stdbool.h>
#include <stddef.h>

struct initrd {
    unsigned char *bytes; /* its owner's: initrd_free; NULL: there is none */
    size_t size;
};

/* Read the archive `path`, or make one of the directory `path`; NULL: an empty
 * one. Then put the file `program`, unless it is NULL, into /bin. With `as_is`
 * a file is no archive that is understood here: a kernel gets its bytes. False:
 * `why` has a line that names the file; *i is empty. */
bool initrd_make(struct initrd *i, const char *path, const char *program,
                 bool as_is, char *why, size_t size);
void initrd_free(struct initrd *i);

#endif
