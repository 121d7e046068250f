/* shared.c - memory and semaphores that have names: two processes that meet
 * there; and what msync has to say.
 */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define NAME "/simrun-shared-test"

static const char *result(int r)
{
    return r == 0 ? "0" : strerror(errno);
}

static void *opened(int flags)
{
    int fd = shm_open(NAME, flags, 0600);
    void *at;

    if (fd < 0)
        return NULL;
    if (flags & O_CREAT && ftruncate(fd, 2 * PAGE))
        return NULL;
    at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

static int child(void)
{
    sem_t *go = sem_open(NAME, 0);
    char *there = opened(O_RDWR);

    if (go == SEM_FAILED || !there)
        return 1;
    sem_wait(go);
    strcat(there, " and told on");
    return 0;
}

int main(void)
{
    sem_t *go;
    char *at;
    int status;

    shm_unlink(NAME);
    sem_unlink(NAME);
    printf("none yet: %s\n",
           shm_open(NAME, O_RDWR, 0) < 0 ? strerror(errno) : "there");
    at = opened(O_RDWR | O_CREAT | O_EXCL);
    go = sem_open(NAME, O_CREAT | O_EXCL, 0600, 0);
    if (!at || go == SEM_FAILED) {
        printf("memory %d, semaphore %d\n", !!at, go != SEM_FAILED);
        return 1;
    }
    fflush(stdout);
    if (fork() == 0)
        _exit(child());
    strcpy(at, "told");
    sem_post(go);
    wait(&status);
    printf("%s, status %d\n", at, status);
    printf("msync: %s\n", result(msync(at, 2 * PAGE, MS_SYNC)));
    printf("in part: %s\n",
           result(msync(at + PAGE, 1, MS_ASYNC | MS_INVALIDATE)));
    printf("not a page's start: %s\n", result(msync(at + 1, PAGE, MS_SYNC)));
    printf("both ways: %s\n", result(msync(at, PAGE, MS_SYNC | MS_ASYNC)));
    printf("unlinked: %s %s\n", result(shm_unlink(NAME)),
           result(sem_unlink(NAME)));
    printf("gone: %s\n",
           shm_open(NAME, O_RDWR, 0) < 0 ? strerror(errno) : "there");
    return 0;
}
