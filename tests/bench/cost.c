/* cost.c - runs a command and prints what it cost: seconds of a processor, and
 * the most memory that it had at once. Its output is thrown away.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(char **argv)
{
    int nowhere = open("/dev/null", O_WRONLY);

    if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0)
        _exit(126);
    execv(argv[0], argv);
    _exit(127);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    struct rusage cost;
    pid_t child;
    int status;

    if (argc < 3) {
        fprintf(stderr, "usage: cost WORDS COMMAND [ARGUMENT...]\n");
        return 2;
    }
    child = fork();
    if (!child)
        become(argv + 2);
    if (child < 0 || waitpid(child, &status, 0) != child ||
        getrusage(RUSAGE_CHILDREN, &cost))
        return 125;
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
        fprintf(stderr, "%s: %s fails\n", argv[1], argv[2]);
        return 1;
    }
    printf("%-25s %9.1f s     %7ld MB\n", argv[1],
           seconds(cost.ru_utime) + seconds(cost.ru_stime),
           cost.ru_maxrss / 1024);
    return 0;
}
