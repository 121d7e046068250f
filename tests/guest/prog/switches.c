/* switches.c WANTED [PROCESSES [THREADS [PAGES]]] - threads of several
 * processes give their CPU away in every way that there is, until they have
 * been given one WANTED times, and each checks what it has in its pages
 * meanwhile. It prints what went wrong, and how often threads had a CPU; status
 * 0 if nothing was wrong.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define LOOK_EVERY 32 /* acts between two looks at the count */

/* One for all processes, in shared memory. */
struct common {
    unsigned switches, wrong, strays, acts;
};

static struct common *all;
static unsigned wanted, processes = 3, threads = 8, pages = 8;
static unsigned process; /* which one this is */
static unsigned cpus;    /* a thread that has moved sees its own alone */
static int ring[16][2]; /* pipes: each process reads its own, writes the next */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static unsigned waiting; /* lock */

static int over(void)
{
    return __atomic_load_n(&all->switches, __ATOMIC_RELAXED) >= wanted;
}

static unsigned pick(unsigned *noise, unsigned n)
{
    *noise = *noise * 1103515245 + 12345;
    return (*noise >> 16) % n;
}

/* A page has its owner, its own number and how often it was written, at its
 * begin and at its end. */
static void touch(unsigned *page, unsigned name, unsigned *times)
{
    unsigned at[2] = {0, PAGE / 4 - 2};

    for (int k = 0; k < 2; k++) {
        if (page[at[k]] != name || page[at[k] + 1] != *times)
            __atomic_fetch_add(&all->wrong, 1, __ATOMIC_RELAXED);
        page[at[k]] = name;
        page[at[k] + 1] = *times + 1;
    }
    ++*times;
}

static void contend(void)
{
    pthread_mutex_lock(&lock);
    sched_yield();
    pthread_mutex_unlock(&lock);
}

/* Every other one waits until the next one comes. */
static void meet(void)
{
    pthread_mutex_lock(&lock);
    if (waiting || over()) {
        waiting = 0;
        pthread_cond_broadcast(&turn);
    } else {
        waiting = 1;
        pthread_cond_wait(&turn, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void move(unsigned *noise)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(pick(noise, cpus), &set);
    CPU_SET(pick(noise, cpus), &set);
    if (sched_setaffinity(0, sizeof set, &set) ||
        !CPU_ISSET(sched_getcpu(), &set))
        __atomic_fetch_add(&all->strays, 1, __ATOMIC_RELAXED);
}

/* A byte comes from the process before and goes to the one behind. */
static void pass(void)
{
    char byte;

    if (read(ring[process][0], &byte, 1) != 1 ||
        write(ring[(process + 1) % processes][1], &byte, 1) != 1)
        __atomic_fetch_add(&all->wrong, 1, __ATOMIC_RELAXED);
}

static void pause_for(unsigned ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

static void act(unsigned *noise)
{
    unsigned dice = pick(noise, 100);

    if (dice < 60)
        sched_yield();
    else if (dice < 68)
        contend();
    else if (dice < 78)
        meet();
    else if (dice < 82)
        pass();
    else if (dice < 99)
        pause_for(2000 + pick(noise, 20000));
    else
        move(noise);
}

static unsigned had(void)
{
    struct rusage used;

    getrusage(RUSAGE_THREAD, &used);
    return (unsigned)(used.ru_nvcsw + used.ru_nivcsw);
}

static void *thread(void *arg)
{
    unsigned number = (unsigned)(unsigned long)arg, told = 0, now;
    unsigned noise = (process + 1) * 7919 + number * 104729;
    unsigned *times = calloc(pages, sizeof *times);
    char *own = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (unsigned k = 0; k < pages; k++) {
        unsigned *page = (unsigned *)(own + k * PAGE);

        page[0] = page[PAGE / 4 - 2] = process << 24 | number << 16 | k;
    }
    for (unsigned n = 1; !over(); n++) {
        unsigned k = pick(&noise, pages);

        if (pick(&noise, 4) == 0)
            touch((unsigned *)(own + k * PAGE),
                  process << 24 | number << 16 | k, &times[k]);
        act(&noise);
        if (n % LOOK_EVERY == 0 && (now = had()) != told) {
            __atomic_fetch_add(&all->switches, now - told, __ATOMIC_RELAXED);
            __atomic_fetch_add(&all->acts, LOOK_EVERY, __ATOMIC_RELAXED);
            told = now;
        }
    }
    meet(); /* who still waits is let go, in any process */
    for (unsigned n = 0; n < processes; n++) {
        if (write(ring[n][1], "z", 1) != 1)
            __atomic_fetch_add(&all->wrong, 1, __ATOMIC_RELAXED);
    }
    for (unsigned k = 0; k < pages; k++)
        touch((unsigned *)(own + k * PAGE), process << 24 | number << 16 | k,
              &times[k]);
    return NULL;
}

static int work(void)
{
    pthread_t *t = calloc(threads, sizeof *t);

    for (unsigned n = 1; n < threads; n++) {
        if (pthread_create(&t[n], NULL, thread, (void *)(unsigned long)n))
            return 1;
    }
    thread((void *)0);
    for (unsigned n = 1; n < threads; n++) {
        if (pthread_join(t[n], NULL))
            return 1;
    }
    return 0;
}

int main(int count, char **word)
{
    unsigned *number[] = {&wanted, &processes, &threads, &pages};
    int status, bad = 0;

    cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    for (int n = 1; n < count && n < 5; n++)
        *number[n - 1] = (unsigned)atoi(word[n]);
    all = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0);
    for (unsigned n = 0; n < processes; n++) { /* two bytes a pipe go round */
        if (pipe(ring[n]) || write(ring[n][1], "xy", 2) != 2)
            return 3;
    }
    for (process = 0; process < processes; process++) {
        if (!fork())
            _exit(work());
    }
    while (wait(&status) > 0)
        bad += status != 0;
    printf("wrong %u, strays %u, processes that failed %d\n", all->wrong,
           all->strays, bad);
    printf("had a CPU %u times in %u acts\n", all->switches, all->acts);
    return all->wrong || all->strays || bad;
}
