/* through.c - runs /qemu/program of another machine by /qemu/qemu-ppc, under
 * the name that it was itself called by. Of the host and static: it stands in a
 * directory that becomes the root in place of a program whose name says what it
 * does (busybox_all.sh). */
#include <stdio.h>
#include <unistd.h>

enum { BEFORE = 4 }; /* arguments that qemu-ppc has before the program's own */

int main(int argc, char **argv)
{
    char *all[BEFORE + argc + 1];
    all[0] = "/qemu/qemu-ppc";
    all[1] = "-0";
    all[2] = argc ? argv[0] : "";
    all[3] = "/qemu/program";
    int n = BEFORE;
    for (int i = 1; i < argc; i++)
        all[n++] = argv[i];
    all[n] = NULL;
    execv(all[0], all);
    perror(all[0]);
    return 127;
}
