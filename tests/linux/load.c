/* load.c - work that waits, for load_all.sh:
 *
 *   load pages KIB   writes so much memory twice, and reads it back
 *   load waits TIMES waits for each of what the table `way` has, so many times
 *
 * Each line that it prints is the same in every run, with other programs beside
 * it or without.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define MILLISECOND 1000000

static unsigned times = 1;

static void need(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

static void pause_for(long nanoseconds)
{
    struct timespec t = {0, nanoseconds};

    nanosleep(&t, NULL);
}

/* ---- pages --------------------------------------------------------------- */

static int pages(unsigned kib)
{
    size_t count = kib / (PAGE / 1024);
    uint32_t *at = malloc(count * PAGE), sum = 0;

    need(at != NULL, "malloc");
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t n = 0; n < count; n++)
            at[n * (PAGE / 4)] = (uint32_t)n + pass;
    for (size_t n = count; n-- > 0;)
        sum += at[n * (PAGE / 4)];
    printf("pages %u %u\n", kib, sum);
    return 0;
}

/* ---- ways to wait -------------------------------------------------------- */

/* A child that does `what`, with the ends of what both have in common. */
static pid_t child(void (*what)(const int *), const int *ends)
{
    pid_t pid = fork();

    need(pid >= 0, "fork");
    if (pid)
        return pid;
    what(ends);
    _exit(0);
}

static void await(pid_t pid)
{
    int status;

    need(waitpid(pid, &status, 0) == pid && status == 0, "waitpid");
}

static char block[8192]; /* twice what is written at once fills no pipe */

static void reads_slowly(const int *ends)
{
    close(ends[1]);
    for (;;) {
        pause_for(MILLISECOND);
        if (read(ends[0], block, sizeof block) <= 0)
            return;
    }
}

static void writes_slowly(const int *ends)
{
    for (unsigned n = 0; n < times; n++) {
        pause_for(MILLISECOND);
        need(write(ends[1], "x", 1) == 1, "write");
    }
}

static void full_pipe(void)
{
    int ends[2];
    pid_t reader;

    need(pipe(ends) == 0, "pipe");
    reader = child(reads_slowly, ends);
    close(ends[0]);
    for (unsigned n = 0; n < 8 + times; n++)
        need(write(ends[1], block, sizeof block) == sizeof block, "write");
    close(ends[1]);
    await(reader);
}

static void empty_pipe(void)
{
    int ends[2];
    pid_t writer;

    need(pipe(ends) == 0, "pipe");
    writer = child(writes_slowly, ends);
    for (unsigned n = 0; n < times; n++)
        need(read(ends[0], block, 1) == 1, "read");
    await(writer);
}

static void socket_read(void)
{
    int ends[2];
    pid_t writer;

    need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    writer = child(writes_slowly, ends);
    for (unsigned n = 0; n < times; n++)
        need(read(ends[0], block, 1) == 1, "read");
    await(writer);
}

static void datagrams(void)
{
    int ends[2];
    pid_t reader;

    need(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0, "socketpair");
    reader = child(writes_slowly, ends);
    for (unsigned n = 0; n < times; n++)
        need(recv(ends[0], block, sizeof block, 0) == 1, "recv");
    await(reader);
}

static void polled(void)
{
    int ends[2];
    pid_t writer;

    need(pipe(ends) == 0, "pipe");
    writer = child(writes_slowly, ends);
    for (unsigned n = 0; n < times; n++) {
        struct pollfd p = {ends[0], POLLIN, 0};

        need(poll(&p, 1, -1) == 1 && read(ends[0], block, 1) == 1, "poll");
    }
    await(writer);
}

static void epolled(void)
{
    struct epoll_event e = {.events = EPOLLIN};
    int ends[2], set = epoll_create1(0);
    pid_t writer;

    need(set >= 0 && pipe(ends) == 0, "epoll");
    need(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &e) == 0, "epoll_ctl");
    writer = child(writes_slowly, ends);
    for (unsigned n = 0; n < times; n++)
        need(epoll_wait(set, &e, 1, -1) == 1 && read(ends[0], block, 1) == 1,
             "epoll_wait");
    await(writer);
}

static void signals_event(const int *ends)
{
    uint64_t one = 1;

    pause_for(MILLISECOND);
    need(write(ends[0], &one, sizeof one) == sizeof one, "write");
}

static void event(void)
{
    int of[2] = {eventfd(0, 0), 0};
    uint64_t got;
    pid_t other;

    need(of[0] >= 0, "eventfd");
    other = child(signals_event, of);
    need(read(of[0], &got, sizeof got) == sizeof got, "read");
    await(other);
}

static void timer(void)
{
    struct itimerspec t = {{0, 0}, {0, MILLISECOND}};
    int of = timerfd_create(CLOCK_MONOTONIC, 0);
    uint64_t got;

    need(of >= 0 && timerfd_settime(of, 0, &t, NULL) == 0, "timerfd");
    need(read(of, &got, sizeof got) == sizeof got, "read");
    close(of);
}

static void raises(const int *of)
{
    struct sembuf up = {0, 1, 0};

    pause_for(MILLISECOND);
    need(semop(of[0], &up, 1) == 0, "semop");
}

static void semaphore(void)
{
    int of[2] = {semget(IPC_PRIVATE, 1, 0600), 0};
    struct sembuf down = {0, -1, 0};
    pid_t other;

    need(of[0] >= 0, "semget");
    other = child(raises, of);
    need(semop(of[0], &down, 1) == 0, "semop");
    await(other);
    semctl(of[0], 0, IPC_RMID);
}

static void sends(const int *of)
{
    struct {
        long type;
        char text[4];
    } m = {1, "abc"};

    pause_for(MILLISECOND);
    need(msgsnd(of[0], &m, sizeof m.text, 0) == 0, "msgsnd");
}

static void message(void)
{
    int of[2] = {msgget(IPC_PRIVATE, 0600), 0};
    struct {
        long type;
        char text[4];
    } m;
    pid_t other;

    need(of[0] >= 0, "msgget");
    other = child(sends, of);
    need(msgrcv(of[0], &m, sizeof m.text, 0, 0) == sizeof m.text, "msgrcv");
    await(other);
    msgctl(of[0], IPC_RMID, NULL);
}

static void has_file(const int *of)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    need(fcntl(of[0], F_SETLKW, &all) == 0, "fcntl");
    pause_for(MILLISECOND);
}

/* Two at a time: one of them waits for the other. */
static void file_lock(void)
{
    char name[] = "lockXXXXXX";
    int of[2] = {mkstemp(name), 0};
    pid_t one, two;

    need(of[0] >= 0, name);
    one = child(has_file, of);
    two = child(has_file, of);
    await(one);
    await(two);
    close(of[0]);
    unlink(name);
}

static void synced(void)
{
    char name[] = "fileXXXXXX";
    int of = mkstemp(name);

    need(of >= 0, name);
    for (unsigned n = 0; n < times; n++)
        need(write(of, block, sizeof block) == sizeof block && fsync(of) == 0,
             "fsync");
    close(of);
    unlink(name);
}

static void kicks(const int *ends)
{
    (void)ends;
    pause_for(MILLISECOND);
    kill(getppid(), SIGUSR1);
}

static void awaited_signal(void)
{
    struct timespec most = {10, 0};
    sigset_t set;
    pid_t other;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    other = child(kicks, NULL);
    need(sigtimedwait(&set, NULL, &most) == SIGUSR1, "sigtimedwait");
    await(other);
}

static void stops(const int *ends)
{
    (void)ends;
    raise(SIGSTOP);
}

static void stopped(void)
{
    pid_t other = child(stops, NULL);
    int status;

    need(waitpid(other, &status, WUNTRACED) == other && WIFSTOPPED(status),
         "waitpid");
    pause_for(MILLISECOND);
    kill(other, SIGCONT);
    await(other);
}

static void replaced(void)
{
    pid_t other = vfork();

    need(other >= 0, "vfork");
    if (!other) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    await(other);
}

/* ---- threads ------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static unsigned turn;

/* Each of the two in turn, with the lock while it sleeps. */
static void *takes_turns(void *me)
{
    pthread_mutex_lock(&lock);
    for (unsigned n = 0; n < times; n++) {
        while (turn % 2 != (me != NULL))
            pthread_cond_wait(&turned, &lock);
        pause_for(MILLISECOND / 10);
        turn++;
        pthread_cond_broadcast(&turned);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void threads(void)
{
    pthread_t one, two;

    turn = 0;
    need(!pthread_create(&one, NULL, takes_turns, NULL), "thread");
    need(!pthread_create(&two, NULL, takes_turns, block), "thread");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

static const struct {
    const char *name;
    void (*wait)(void);
} way[] = {
    {"full pipe", full_pipe},   {"empty pipe", empty_pipe},
    {"socket", socket_read},    {"datagrams", datagrams},
    {"poll", polled},           {"epoll", epolled},
    {"event", event},           {"timer", timer},
    {"semaphore", semaphore},   {"message", message},
    {"file lock", file_lock},   {"fsync", synced},
    {"signal", awaited_signal}, {"stop", stopped},
    {"vfork", replaced},        {"threads", threads},
};

int main(int argc, char **argv)
{
    unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

    if (n && !strcmp(argv[1], "pages"))
        return pages(n);
    if (!n || strcmp(argv[1], "waits"))
        return 2;
    times = n;
    for (unsigned k = 0; k < sizeof way / sizeof *way; k++)
        way[k].wait();
    printf("waits %u of %zu ways\n", times, sizeof way / sizeof *way);
    return 0;
}
