/* gnulib.c - what lbzip2 takes from gnulib, whose copy of 2014 does not build
 * with today's C library.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

void xalloc_die(void);
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *old, size_t bytes);
int fdutimens(int fd, const char *file, const struct timespec time[2]);

static void *there(void *p)
{
    if (!p)
        xalloc_die();
    return p;
}

void *xmalloc(size_t bytes)
{
    return there(malloc(bytes));
}

void *xcalloc(size_t count, size_t bytes)
{
    return there(calloc(count, bytes));
}

void *xrealloc(void *old, size_t bytes)
{
    return there(realloc(old, bytes));
}

int fdutimens(int fd, const char *file, const struct timespec time[2])
{
    (void)file;
    return futimens(fd, time);
}
