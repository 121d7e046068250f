/* again.c - again TIMES PROGRAM ARGUMENT...: executes the program so many
 * times, one after another, and ends as the last one did.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status = 0;

    for (int times = argc > 2 ? atoi(argv[1]) : 0; times > 0; times--) {
        if (!fork()) {
            execv(argv[2], argv + 2);
            _exit(127);
        }
        wait(&status);
    }
    return WEXITSTATUS(status);
}
