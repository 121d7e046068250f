/* perf.c - a program that counts and samples itself by perf_event_open.
 *
 *   perf count [RAW...]     counts cycles, instructions and raw events while it
 *                           works: a line each, the name and what was counted
 *   perf range              counts instructions of the range that heavy() is
 *   perf marked RAW...      counts raw events of the marked instructions, which
 *                           those of heavy() are
 *   perf threads            counts instructions of two threads while each does
 * a part of the work, and of one that waits for them perf sample PERIOD [RAW]
 *                           samples cycles, or a raw event, every PERIOD: a
 * line for each place, how many samples met it perf refused            asks for
 * what there is not: a line each, errno
 *
 * heavy() has three of four rounds of the loop that both functions are.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES 64 /* of samples, a power of two */
#define ROUNDS 200
#define IN_RANGE 0x8000 /* of a raw event: in config1 up to config2 */
#define MARKED 0x1000
#define INSTRUCTIONS 2

#define APART                                                                  \
    __attribute__((noinline, noipa, aligned(64), section(".text.measured")))

static volatile uint32_t kept;

/* In this order, one behind the other. */
APART void heavy(uint32_t rounds);
APART void heavy(uint32_t rounds)
{
    uint32_t x = kept;

    while (rounds--)
        x = x * 69069 + (x >> 7);
    kept = x;
}

APART void light(uint32_t rounds);
APART void light(uint32_t rounds)
{
    uint32_t x = kept;

    while (rounds--)
        x = x * 69069 + (x >> 9);
    kept = x;
}

APART void behind(void);
APART void behind(void)
{
}

static void work(void)
{
    for (int n = 0; n < ROUNDS; n++) {
        heavy(1500);
        light(500);
    }
}

static uint64_t at(void (*f)(uint32_t))
{
    return (uint32_t)(uintptr_t)f;
}

/* ---- events -------------------------------------------------------------- */

static int event(struct perf_event_attr *a)
{
    a->size = sizeof *a;
    a->disabled = 1;
    return (int)syscall(SYS_perf_event_open, a, 0, -1, -1, 0);
}

static int must(struct perf_event_attr *a, const char *name)
{
    int fd = event(a);

    if (fd < 0) {
        printf("%s: %s\n", name, strerror(errno));
        exit(1);
    }
    return fd;
}

static void counted(int fd, const char *name)
{
    uint64_t n;

    if (read(fd, &n, sizeof n) != sizeof n)
        exit(1);
    printf("%s %llu\n", name, (unsigned long long)n);
}

/* Each by itself, so that counters suffice. */
static void count(struct perf_event_attr a, const char *name)
{
    int fd = must(&a, name);

    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    work();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    counted(fd, name);
    close(fd);
}

static void count_all(char **raw)
{
    struct perf_event_attr user = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .exclude_kernel = 1};
    struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE};

    count(cycles, "cycles");
    count(user, "instructions");
    for (; *raw; raw++) {
        struct perf_event_attr a = {.type = PERF_TYPE_RAW,
                                    .config = strtoul(*raw, NULL, 0)};

        count(a, *raw);
    }
}

static void count_range(void)
{
    struct perf_event_attr range = {.type = PERF_TYPE_RAW,
                                    .config = IN_RANGE | INSTRUCTIONS,
                                    .config1 = at(heavy),
                                    .config2 = at(light)};

    count(range, "heavy");
}

static void count_marked(char **raw)
{
    for (; *raw; raw++) {
        struct perf_event_attr a = {.type = PERF_TYPE_RAW,
                                    .config = MARKED | strtoul(*raw, NULL, 0),
                                    .config1 = at(heavy),
                                    .config2 = at(light)};

        count(a, *raw);
    }
}

/* Each counts its own, while others run beside it and in its place. */
static void *part(void *arg)
{
    struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                                .config = PERF_COUNT_HW_INSTRUCTIONS,
                                .exclude_kernel = 1};
    const char *name = arg;
    int rounds = *name == 'm' ? 0 : *name == 'l' ? 400 : 100, fd;
    pthread_t thread[2];

    fd = must(&a, name);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    for (int n = 0; n < 2 && !rounds; n++)
        pthread_create(&thread[n], NULL, part, n ? "short" : "long");
    for (int n = 0; n < rounds; n++) {
        heavy(1000);
        if (n % 10 == 9)
            sched_yield();
    }
    for (int n = 0; n < 2 && !rounds; n++)
        pthread_join(thread[n], NULL);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    counted(fd, name);
    return NULL;
}

/* ---- samples ------------------------------------------------------------- */

enum place { HEAVY, LIGHT, ELSEWHERE, KERNEL, LOST, PLACES };
static const char *const places[] = {"heavy", "light", "elsewhere", "kernel",
                                     "lost"};

static enum place place_of(uint64_t ip)
{
    if (ip >= 0xC0000000)
        return KERNEL;
    if (ip >= at(heavy) && ip < at(light))
        return HEAVY;
    return ip >= at(light) && ip < (uintptr_t)behind ? LIGHT : ELSEWHERE;
}

/* What is in the ring, which did not come round. */
static void read_ring(const struct perf_event_mmap_page *page, unsigned *met)
{
    const char *data = (const char *)page + page->data_offset;
    uint64_t end = page->data_head;

    for (uint64_t k = page->data_tail; k < end;) {
        const struct perf_event_header *h =
            (const void *)(data + k % page->data_size);
        const uint64_t *body = (const void *)(h + 1);

        if (h->type == PERF_RECORD_SAMPLE)
            met[place_of(*body)]++;
        else if (h->type == PERF_RECORD_LOST)
            met[LOST] += (unsigned)body[1];
        k += h->size;
    }
}

static void sample(uint64_t period, const char *raw)
{
    struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                                .sample_period = period,
                                .sample_type = PERF_SAMPLE_IP};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned met[PLACES] = {0};
    void *ring;
    int fd;

    if (raw) {
        a.type = PERF_TYPE_RAW;
        a.config = strtoul(raw, NULL, 0);
    }
    fd = must(&a, "sample");
    ring = mmap(NULL, (1 + PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
                fd, 0);
    if (ring == MAP_FAILED) {
        printf("mmap: %s\n", strerror(errno));
        exit(1);
    }
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    work();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    read_ring(ring, met);
    for (int n = 0; n < PLACES; n++)
        printf("%s %u\n", places[n], met[n]);
    counted(fd, "counted");
}

/* ---- what there is not --------------------------------------------------- */

static void refused(void)
{
    struct perf_event_attr list[] = {
        {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BUS_CYCLES},
        {.type = PERF_TYPE_RAW, .config = 0x505},  /* there is no counter 5 */
        {.type = PERF_TYPE_RAW, .config = 0x47F},  /* nor such a selection */
        {.type = PERF_TYPE_RAW, .config = 0x3002}, /* nor filter */
        {.type = PERF_TYPE_RAW, .config = 0x1002}, /* nothing is marked */
        {.type = PERF_TYPE_RAW, .config = 0x10002},
    };

    for (size_t n = 0; n < sizeof list / sizeof *list; n++) {
        int fd = event(&list[n]);

        printf("%u %#llx: %s\n", list[n].type,
               (unsigned long long)list[n].config,
               fd < 0 ? strerror(errno) : "there is");
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "count"))
        count_all(argv + 2);
    else if (argc > 1 && !strcmp(argv[1], "range"))
        count_range();
    else if (argc > 1 && !strcmp(argv[1], "marked"))
        count_marked(argv + 2);
    else if (argc > 1 && !strcmp(argv[1], "threads"))
        part("main");
    else if (argc > 2 && !strcmp(argv[1], "sample"))
        sample(strtoull(argv[2], NULL, 0), argv[3]);
    else if (argc > 1 && !strcmp(argv[1], "refused"))
        refused();
    else
        return 2;
    return 0;
}
