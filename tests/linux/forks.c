/* forks.c - as many processes as the argument says, one after the other, each
 * of which writes to a page that it has in common with its parent until then,
 * and eight at a time at the end; what they say is added up. For forks_all.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned shared[1024];

static pid_t child(unsigned n)
{
    pid_t pid = fork();

    if (pid < 0) {
        perror("fork");
        exit(1);
    }
    if (pid)
        return pid;
    shared[n % 1024] += n;
    _exit((int)(shared[n % 1024] % 128));
}

static unsigned ended(pid_t pid)
{
    int status;

    if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
        exit(2);
    return (unsigned)WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, sum = 0;
    pid_t last = 0;

    for (unsigned n = 0; n < times; n++)
        sum += ended(last = child(n));
    for (unsigned n = 0; n < 8; n++)
        child(n);
    for (unsigned n = 0; n < 8; n++)
        sum += ended(-1);
    printf("%u processes, %u, %s\n", times + 8, sum,
           last > 0 ? "none lost" : "none");
    return 0;
}
