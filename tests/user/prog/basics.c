/* basics.c - what a program is given: arguments, environment, the auxiliary
 * vector, its standard files. Prints only what two kernels must agree on. */
#include <elf.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;
static _Thread_local int local = 17;
static int zero[10000];

static void vector(void)
{
    const Elf32_Ehdr *h = (const void *)0x10000000;
    unsigned long random = getauxval(AT_RANDOM);

    printf("phdr %d phnum %d phent %lu entry %d\n",
           getauxval(AT_PHDR) == 0x10000000 + h->e_phoff,
           getauxval(AT_PHNUM) == h->e_phnum, getauxval(AT_PHENT),
           getauxval(AT_ENTRY) == h->e_entry);
    printf("page %lu base %lu secure %lu random %d\n", getauxval(AT_PAGESZ),
           getauxval(AT_BASE), getauxval(AT_SECURE), random != 0);
    /* what only one of them says: a 604e has no AltiVec */
    if (getenv("SIMRUN_SELF"))
        printf("hwcap %lx %lx %s\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2),
               (char *)getauxval(AT_PLATFORM));
}

int main(int argc, char **argv)
{
    char line[100];
    volatile char *p;
    unsigned n = 0;

    printf("%d arguments\n", argc);
    for (int i = 1; i < argc; i++)
        printf("<%s>\n", argv[i]);
    printf("%d %s\n", argv[argc] == NULL, getenv("SIMRUN_TEST"));
    vector();
    while (fgets(line, sizeof line, stdin))
        printf("%u %s", ++n, line);
    printf("%d %d %d\n", isatty(0), local, zero[9999]);
    p = malloc(3000000);
    memset((char *)p, 7, 3000000);
    printf("%d %.6f %g %a\n", p[2999999], 1.0 / 3, 1e-310, 0.1);
    fesetround(FE_UPWARD);
    printf("%.20f\n", 1.0 / (argc + 2));
    fprintf(stderr, "on stderr\n");
    return 200 + argc;
}
