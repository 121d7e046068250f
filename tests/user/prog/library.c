/* library.c - the C library put to wide use: what it asks of the system on the
 * way must be there, or refused so that it goes on without. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <iconv.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static char large[40 << 20];

/* ---- text ---------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void text(void)
{
    char *out, *line = NULL, b[100];
    size_t size = 0, room = 0;
    int numbers[100], n;
    wchar_t wide[20];
    regmatch_t m[3];
    regex_t r;
    double d;
    FILE *f;

    for (n = 0; n < 100; n++)
        numbers[n] = n * 7919 % 1009;
    qsort(numbers, 100, sizeof *numbers, compare);
    printf("qsort %d %d, %s\n", numbers[0], numbers[99],
           bsearch(&numbers[50], numbers, 100, sizeof *numbers, compare)
               ? "found"
               : "lost");
    printf("regcomp %d", regcomp(&r, "([a-z]+)@([a-z.]+)", REG_EXTENDED));
    printf(", %d", regexec(&r, "to joe@example.org!", 3, m, 0));
    printf(" %d-%d\n", (int)m[2].rm_so, (int)m[2].rm_eo);
    regfree(&r);
    f = open_memstream(&out, &size);
    fprintf(f, "%08.3f|%-10s|%+d|%#x|%e|%Lg|%5.2s|%'d", 3.14159, "left", 5, 255,
            1e-300, 2.5L, "cut", 1234567);
    fclose(f);
    printf("%s %zu\n", out, size);
    n = sscanf("12 0x1f 3.5e2 word [abc]", "%d %i %lf %s [%[a-c]", numbers,
               numbers + 1, &d, b, b + 50);
    printf("sscanf %d %d %d %g %s %s\n", n, numbers[0], numbers[1], d, b,
           b + 50);
    f = fmemopen(out, size, "r");
    printf("getdelim %zd", getdelim(&line, &room, '|', f));
    printf(" %s\n", line);
    fclose(f);
    printf("setlocale %d %d %s\n", setlocale(LC_ALL, "") != NULL,
           setlocale(LC_ALL, "xx_YY") != NULL, setlocale(LC_ALL, NULL));
    printf("mbstowcs %zu, %d\n", mbstowcs(wide, "words", 20),
           wcscmp(wide, L"words"));
    printf("strtod %g %g %lx\n", strtod("0x1.8p3", NULL), strtod("nan", NULL),
           strtoul("zz", NULL, 36));
    printf("iconv %d\n",
           iconv_open("UTF-16", "SHIFT_JIS") == (iconv_t)-1 ? errno : 0);
    printf("fnmatch %d %d\n", fnmatch("*.[ch]", "a.c", 0),
           fnmatch("*.[ch]", "a.o", 0));
    printf("strerror %s, %s\n", strerror(ENOSYS), strsignal(SIGBUS));
    free(out);
    free(line);
}

static void times_of_day(void)
{
    static const char *const zones[] = {"UTC0", "CET-1CEST,M3.5.0,M10.5.0/3",
                                        "EST5EDT,M3.2.0,M11.1.0",
                                        "No/Such_Zone"};
    time_t t = 1700000000;
    struct tm tm = {0};
    char b[100];

    for (unsigned n = 0; n < 4; n++) {
        setenv("TZ", zones[n], 1);
        tzset();
        strftime(b, sizeof b, "%a %d %b %Y %T %z %j %U", localtime(&t));
        printf("%s, %ld\n", b, (long)mktime(localtime(&t)));
    }
    printf("strptime %d, %ld\n",
           strptime("2001-02-03 04:05:06", "%Y-%m-%d %T", &tm) != NULL,
           (long)timegm(&tm));
}

/* ---- files --------------------------------------------------------------- */

static int visits;

static int visit(const char *name, const struct stat *st, int kind,
                 struct FTW *f)
{
    (void)name, (void)st, (void)kind, (void)f;
    visits++;
    return 0;
}

static void directories(void)
{
    int entries = 0, same;
    char name[300], saved[300];
    struct dirent *e;
    glob_t g;
    DIR *d;
    long at;

    mkdir("tree", 0755);
    for (int n = 0; n < 200; n++) {
        sprintf(name, "tree/%d.txt", n);
        fclose(fopen(name, "w"));
    }
    d = opendir("tree");
    while ((errno = 0, e = readdir(d)))
        entries++;
    printf("readdir %d, error %d\n", entries, errno);
    rewinddir(d);
    readdir(d);
    at = telldir(d);
    strcpy(saved, (e = readdir(d)) ? e->d_name : "none");
    for (int n = 0; n < 50; n++)
        readdir(d);
    seekdir(d, at);
    same = strcmp(saved, (e = readdir(d)) ? e->d_name : "nothing");
    if (sizeof(off_t) == 4 || getenv("SIMRUN_ONLY"))
        printf("seekdir %d\n", same); /* qemu-ppc goes astray */
    closedir(d);
    printf("glob %d", glob("tree/1?.txt", 0, NULL, &g));
    printf(" %zu %s\n", g.gl_pathc, g.gl_pathv[9]);
    printf("nftw %d", nftw("tree", visit, 10, FTW_PHYS));
    printf(" %d\n", visits);
    printf("rmdir %d", rmdir("tree") ? errno : 0);
    for (int n = 0; n < 200; n++) {
        sprintf(name, "tree/%d.txt", n);
        unlink(name);
    }
    printf(" %d\n", rmdir("tree") ? errno : 0);
}

static void files(void)
{
    char name[] = "madeXXXXXX", b[PATH_MAX];
    FILE *f = tmpfile();
    struct stat st;
    int fd, n = 0;

    printf("tmpfile %d", f != NULL);
    fprintf(f, "some words %d", 12);
    rewind(f);
    printf(" %d", fscanf(f, "some words %d", &n));
    printf(" %d\n", n);
    fclose(f);
    fd = mkstemp(name);
    memset(large, 'x', 6 << 20);
    printf("mkstemp %d, write %zd", fd >= 0, write(fd, large, 6 << 20));
    printf(", place %ld, read %zd\n", (long)lseek(fd, 1 << 20, SEEK_SET),
           read(fd, large, sizeof large));
    printf("rename %d", rename(name, "renamed"));
    printf(" %d", stat(name, &st) ? errno : 0);
    printf(" %d %ld\n", stat("renamed", &st), (long)st.st_size);
    printf("realpath %d\n", realpath("./renamed", b) != NULL);
    printf("pathconf %ld, isatty %d\n", pathconf(".", _PC_NAME_MAX),
           isatty(fd));
    printf("truncate %d", truncate("renamed", 5));
    printf(" %d %ld\n", fstat(fd, &st), (long)st.st_size);
    printf("remove %d %d\n", remove("renamed"), close(fd));
}

/* ---- threads ------------------------------------------------------------- */

static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_key_t key;
static __thread int own = 5;
static int shared, onces, destroyed;
static sem_t sem;

static void count_once(void)
{
    onces++;
}

static void destroy(void *a)
{
    destroyed += *(int *)a;
}

static void *member(void *a)
{
    static int values[4] = {1, 2, 3, 4};
    long n = (long)a;

    pthread_once(&once, count_once);
    pthread_setspecific(key, &values[n]);
    own += (int)n;
    for (int i = 0; i < 50; i++) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
        pthread_rwlock_wrlock(&rwlock);
        shared++;
        pthread_rwlock_unlock(&rwlock);
        pthread_spin_lock(&spin);
        shared++;
        pthread_spin_unlock(&spin);
    }
    pthread_barrier_wait(&barrier);
    sem_post(&sem);
    return (void *)(long)own;
}

static void threads(void)
{
    struct timespec soon;
    pthread_t t[4];
    long sum = 0;

    pthread_barrier_init(&barrier, NULL, 4);
    pthread_spin_init(&spin, 0);
    pthread_key_create(&key, destroy);
    sem_init(&sem, 0, 0);
    for (long n = 0; n < 4; n++)
        pthread_create(&t[n], NULL, member, (void *)n);
    for (int n = 0; n < 4; n++) {
        void *result;

        sem_wait(&sem);
        pthread_join(t[n], &result);
        sum += (long)result;
    }
    printf("threads %d %d %d %ld %d\n", shared >= 300, onces, destroyed, sum,
           own);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = (soon.tv_nsec + 1000000) % 1000000000;
    printf("sem_timedwait %d\n", sem_timedwait(&sem, &soon) ? errno : 0);
}

/* ---- signals ------------------------------------------------------------- */

static sigjmp_buf back;
static volatile int on_other, got_value, got_code;

static void overflowed(int n, siginfo_t *i, void *u)
{
    (void)n, (void)i, (void)u;
    siglongjmp(back, 1);
}

static int deeper(int n)
{
    volatile char room[4096];

    room[0] = (char)n;
    return deeper(n + 1) + room[0];
}

static void queued(int n, siginfo_t *i, void *u)
{
    (void)n, (void)u;
    got_value = got_value * 10 + i->si_value.sival_int;
    got_code = i->si_code;
}

static void signals(void)
{
    struct sigaction a = {.sa_sigaction = overflowed,
                          .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigset_t set;
    int n = 0;

    sigaltstack(&other, NULL);
    sigaction(SIGSEGV, &a, NULL);
    for (volatile int round = 0; round < 3; round++)
        if (sigsetjmp(back, 1) == 0)
            deeper(1);
        else
            on_other++;
    printf("stack overflows survived %d\n", on_other);
    a.sa_sigaction = queued;
    sigaction(SIGRTMIN, &a, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int v = 1; v <= 3; v++)
        sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = v});
    raise(SIGUSR1);
    sigdelset(&set, SIGRTMIN);
    printf("sigwait %d %d\n", sigwait(&set, &n), n == SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    printf("sigqueue %d %d\n", got_value, got_code == SI_QUEUE);
}

/* ---- limits and clocks --------------------------------------------------- */

static void limits(void)
{
    struct rusage usage;
    struct utsname name;
    struct tms tms;
    clock_t then = clock();
    char *m;

    large[0] = 1;
    large[sizeof large - 1] = 2;
    m = mmap(NULL, 300 << 20, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned n = 0; m != MAP_FAILED && n < 300; n++)
        m[n << 20] = 1;
    printf("mmap %d, malloc %d\n", m != MAP_FAILED, malloc(100 << 20) != NULL);
    munmap(m, 300 << 20);
    m = mmap(NULL, 1000 << 20, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    printf("reserve %d\n", m != MAP_FAILED);
    for (volatile int n = 0; n < 3000000; n++)
        ;
    printf("clock %d, times %d", clock() > then, times(&tms) != (clock_t)-1);
    printf(" %d", tms.tms_utime > 0);
    printf(", getrusage %d", getrusage(RUSAGE_SELF, &usage));
    printf(" %d\n", usage.ru_utime.tv_sec > 0 || usage.ru_utime.tv_usec > 0);
    printf("uname %d %s %s\n", uname(&name), name.sysname, name.machine);
    printf("sysconf %ld %d\n", sysconf(_SC_PAGESIZE),
           sysconf(_SC_NPROCESSORS_ONLN) > 0);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    text();
    times_of_day();
    directories();
    files();
    threads();
    signals();
    limits();
    return 0;
}
