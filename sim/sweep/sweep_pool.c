/* sweep_pool.c - does the runs of a sweep, several at a time, each as a simrun
 * of its own. A result is in its place when it is whole; so what was killed
 * goes on where it was.
 */
#define _GNU_SOURCE
#include "sim/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"

#define STATUS_FAILED 125
#define STATUS_SIGNAL 128
#define SELF "/proc/self/exe"
#define LINE (SWEEP_WHY / 2)

struct job {
    pid_t pid; /* 0: free */
    size_t run;
    char *result, *part, *said; /* files: when it is whole; until then; what it
                                 * said on standard error */
};

struct pool {
    const struct sweep_work *w;
    struct job *job; /* w->jobs */
    unsigned busy;
    size_t done, of;
    sigset_t heard, before;
    char *why;
    int *status;
};

/* Always false; of several reasons the first is kept. */
static bool fail(struct pool *p, int status, const char *what, const char *why)
{
    if (!p->why[0]) {
        snprintf(p->why, SWEEP_WHY, "%s: %s", what, why);
        *p->status = status;
    }
    return false;
}

/* ---- one run ------------------------------------------------------------- */

static bool there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* A file that is gone when it is closed, called `name` before. Below 0: none.
 */
static int nameless(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool spawn(struct pool *p, struct job *j, struct sweep_words *command)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    int error, out;

    out = p->w->sweep->stdout_file ? nameless(j->said)
                                   : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (out < 0)
        return fail(p, STATUS_FAILED, j->said, strerror(errno));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_addopen(&files, 2, j->said,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attr, &p->before);
    error = posix_spawn(&j->pid, SELF, &files, &attr, command->word, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    close(out);
    if (!error)
        return true;
    j->pid = 0;
    return fail(p, STATUS_FAILED, j->said, strerror(error));
}

static void forget(struct job *j)
{
    free(j->result);
    free(j->part);
    free(j->said);
    *j = (struct job){0};
}

/* The words that simrun is started with. */
static void words_of(const struct sweep_work *w, const struct job *j,
                     struct sweep_words *command)
{
    static const char option[] = "--summary=json:";
    size_t size = sizeof option + strlen(j->part);
    char *summary = grow_zero(size, 1);

    snprintf(summary, size, "%s%s", option, j->part);
    sweep_words_add(command, "simrun");
    sweep_words_add(command, "-q");
    sweep_words_add(command, summary);
    free(summary);
    sweep_command(w->sweep, j->run, command);
}

/* Files that no other sweep of the same directory writes to. */
static bool claim(struct pool *p, struct job *j)
{
    char suffix[24];
    int fd = -1;

    for (unsigned n = 0; fd < 0; n++) {
        free(j->part);
        snprintf(suffix, sizeof suffix, ".%u.part", n);
        j->part = sweep_name(p->w->names, p->w->sweep, j->run, suffix);
        snprintf(suffix, sizeof suffix, ".%u.err", n);
        fd = open(j->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return fail(p, STATUS_FAILED, j->part, strerror(errno));
    }
    close(fd);
    j->said = sweep_name(p->w->names, p->w->sweep, j->run, suffix);
    return true;
}

/* True: it goes, or was done before. */
static bool start(struct pool *p, size_t run)
{
    const struct sweep_work *w = p->w;
    struct sweep_words command = {0};
    struct job *j = p->job;
    bool good;

    while (j->pid)
        j++;
    j->run = run;
    j->result = sweep_name(w->names, w->sweep, run, ".json");
    if (there(j->result)) {
        p->done++;
        forget(j);
        return true;
    }
    good = claim(p, j);
    if (good) {
        words_of(w, j, &command);
        good = spawn(p, j, &command);
        sweep_words_free(&command);
    }
    if (good) {
        p->busy++;
    } else {
        unlink(j->part);
        forget(j);
    }
    return good;
}

/* What simrun said first, or how it ended. */
static void first_line(const struct job *j, int status, char line[LINE])
{
    FILE *f = fopen(j->said, "re");

    line[0] = '\0';
    if (f && fgets(line, LINE, f))
        line[strcspn(line, "\n")] = '\0';
    if (f)
        fclose(f);
    if (!line[0])
        snprintf(line, LINE, "simrun ended with status %d", status);
    text_printable(line);
}

/* The refusal as the run's result. */
static bool keep_refusal(struct pool *p, const struct job *j, int status,
                         const char *line)
{
    json_t *r = json_pack("{s:s, s:i, s:n, s:i, s:i}", "end", line, "exit",
                          status, "status", "cycles", 0, "insns", 0);
    bool good = r && !json_dump_file(r, j->part, JSON_COMPACT);

    json_decref(r);
    return good || fail(p, STATUS_FAILED, j->part, strerror(errno));
}

/* It made no summary: simrun would not run it. False: that is the end. */
static bool refused(struct pool *p, const struct job *j, int wait)
{
    int status =
        WIFEXITED(wait) ? WEXITSTATUS(wait) : STATUS_SIGNAL + WTERMSIG(wait);
    char line[LINE], what[LINE], at[16] = "";
    unsigned in_file;

    first_line(j, status, line);
    if (p->w->keep && WIFEXITED(wait))
        return keep_refusal(p, j, status, line);
    in_file = sweep_line(p->w->sweep, j->run, line);
    if (in_file)
        snprintf(at, sizeof at, "%u:", in_file);
    snprintf(what, sizeof what, "%s:%s run %zu", p->w->sweep->file, at, j->run);
    return fail(p, status == 2 ? 2 : STATUS_FAILED, what, line);
}

static bool ended(struct pool *p, struct job *j, int wait)
{
    struct stat st;
    bool good = (!stat(j->part, &st) && st.st_size > 0) || refused(p, j, wait);

    if (good && rename(j->part, j->result))
        good = fail(p, STATUS_FAILED, j->result, strerror(errno));
    unlink(j->part);
    unlink(j->said);
    forget(j);
    p->busy--;
    p->done += good;
    return good;
}

/* ---- all ----------------------------------------------------------------- */

static bool reap(struct pool *p)
{
    bool good = true;
    int wait;
    pid_t pid;

    while ((pid = waitpid(-1, &wait, WNOHANG)) > 0)
        for (unsigned n = 0; n < p->w->jobs; n++)
            if (p->job[n].pid == pid)
                good &= ended(p, &p->job[n], wait);
    return good;
}

static void stop(struct pool *p)
{
    for (unsigned n = 0; n < p->w->jobs; n++) {
        struct job *j = &p->job[n];

        if (!j->pid)
            continue;
        kill(j->pid, SIGTERM);
        while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        unlink(j->part);
        unlink(j->said);
        forget(j);
    }
    p->busy = 0;
}

static void show(const struct pool *p, bool last)
{
    if (p->w->quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, last ? "\r\033[K" : "\rsimrun sweep: %zu of %zu runs",
            p->done, p->of);
}

/* A run ended, or we are to end. */
static bool hear(struct pool *p)
{
    int signal = sigwaitinfo(&p->heard, NULL);

    if (signal < 0 || signal == SIGCHLD)
        return reap(p);
    return fail(p, STATUS_SIGNAL + signal, p->w->sweep->file,
                "ended by a signal; the same command goes on from here");
}

static bool do_all(struct pool *p)
{
    const struct sweep_work *w = p->w;
    size_t runs = sweep_runs(w->sweep), next = w->part - 1;
    bool good = true;

    p->of = next < runs ? (runs - next - 1) / w->parts + 1 : 0;
    while (good && (next < runs || p->busy)) {
        for (; good && next < runs && p->busy < w->jobs; next += w->parts)
            good = start(p, next);
        show(p, false);
        if (good && p->busy)
            good = hear(p);
    }
    stop(p);
    show(p, true);
    return good;
}

bool sweep_work(const struct sweep_work *w, char why[SWEEP_WHY], int *status)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct pool p = {.w = w, .why = why, .status = status};
    struct sigaction now;
    bool good;

    why[0] = '\0';
    if (mkdir(w->names->dir, 0777) && errno != EEXIST)
        return fail(&p, STATUS_FAILED, w->names->dir, strerror(errno));
    p.job = grow_zero(w->jobs, sizeof *p.job);
    sigemptyset(&p.heard);
    sigaddset(&p.heard, SIGCHLD);
    for (unsigned n = 0; n < sizeof ends / sizeof ends[0]; n++)
        if (!sigaction(ends[n], NULL, &now) && now.sa_handler != SIG_IGN)
            sigaddset(&p.heard, ends[n]);
    sigprocmask(SIG_BLOCK, &p.heard, &p.before);
    good = do_all(&p);
    sigprocmask(SIG_SETMASK, &p.before, NULL);
    free(p.job);
    return good;
}
