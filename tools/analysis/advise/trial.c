/* trial.c - runs with and without changes: a file for `simrun sweep`, and its
 * table read back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "tools/analysis/advise/advise.h"

/* The schedule is shaken: one instruction of a thousand is held for 1 to 16
 * cycles, under a hundredth of the time. */
#define JITTER 16
#define JITTER_EVERY 1000

extern char **environ;

static size_t seeds(const struct advise_trial *t)
{
    return t->to >= t->from ? t->to - t->from + 1 : 1;
}

static void put_change(FILE *f, size_t n, const char *change, const char *given)
{
    bool none = !strcmp(change, "none");

    fprintf(f, "what-if c%zu = %s%s%s\n", n, none && *given ? "" : change,
            none || !*given ? "" : ";", given);
}

static bool write_sweep(const struct advise_rerun *a,
                        const struct advise_trial *t, const char *path)
{
    FILE *f = fopen(path, "we");
    bool good;

    if (!f)
        return false;
    fprintf(f,
            "program run = %s\noption = --mode=fast\n"
            "option = --max-cycles=%" PRIu64 "\n",
            a->command, a->most);
    if (a->output == ADVISE_FILE)
        fputs("stdout = file\n", f);
    if (t->to >= t->from)
        fprintf(f,
                "jitter = %d\njitter_every = %d\njitter_seed = %" PRIu32
                "..%" PRIu32 "\n",
                JITTER, JITTER_EVERY, t->from, t->to);
    for (size_t n = 0; n < t->changes; n++)
        put_change(f, n, t->change[n], a->given);
    good = !ferror(f);
    return !fclose(f) && good;
}

static bool say(char why[ADVISE_WHY], const char *what, const char *reason)
{
    snprintf(why, ADVISE_WHY, "%s: %s", what, reason);
    return false;
}

/* What simrun said first. */
static bool say_error(char why[ADVISE_WHY], const char *path, int status)
{
    FILE *f = fopen(path, "re");
    bool good = f && fgets(why, ADVISE_WHY, f);

    if (f)
        fclose(f);
    if (good)
        why[strcspn(why, "\n")] = '\0';
    else
        snprintf(why, ADVISE_WHY, "simrun sweep ended with status %d", status);
    return false;
}

/* Wait for it; a signal that ends us ends it first. */
static bool await(pid_t pid, const sigset_t *heard, int *status,
                  char why[ADVISE_WHY])
{
    while (waitpid(pid, status, WNOHANG) != pid) {
        int signal = sigwaitinfo(heard, NULL);

        if (signal < 0 || signal == SIGCHLD)
            continue;
        kill(pid, SIGTERM);
        while (waitpid(pid, status, 0) < 0 && errno == EINTR)
            ;
        return say(why, "simprof advise", "ended by a signal");
    }
    return true;
}

bool advise_await(const char *program, char *const *argv, const char *out,
                  const char *error, int *status, char why[ADVISE_WHY])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t heard, before;
    int failed;
    bool good;
    pid_t pid;

    sigemptyset(&heard);
    sigaddset(&heard, SIGINT);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGHUP);
    sigaddset(&heard, SIGCHLD);
    sigprocmask(SIG_BLOCK, &heard, &before);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, out,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(&files, 2, error,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attr, &before);
    failed = posix_spawn(&pid, program, &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    good = failed ? say(why, program, strerror(failed))
                  : await(pid, &heard, status, why);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return good;
}

static bool run_sweep(const struct advise_rerun *a, char *sweep,
                      const char *csv, const char *error, char why[ADVISE_WHY])
{
    char *runs, jobs[32];
    int status = -1;
    bool good;

    if (asprintf(&runs, "--runs=%s/runs", a->dir) < 0)
        return say(why, "simrun", "no memory");
    snprintf(jobs, sizeof jobs, "--jobs=%u", a->jobs);
    good = advise_await(
        a->simrun,
        (char *[]){"simrun", "sweep", "-q", "-k", jobs, runs, sweep, NULL}, csv,
        error, &status, why);
    free(runs);
    return good && (!status || say_error(why, error, status));
}

/* Field n of a line of CSV whose first fields have no quotes. */
static const char *field(const char *line, unsigned n)
{
    while (n-- && line)
        line = (line = strchr(line, ',')) ? line + 1 : NULL;
    return line ? line : "";
}

#define STATUS_LIMIT 124 /* simrun's, where --max-cycles ended a run */

/* How a run ended, the rest of a line but for columns of means. */
static void keep_end(char out[ADVISE_WHY], const char *end)
{
    size_t length;

    snprintf(out, ADVISE_WHY, "%s", end + (*end == '"'));
    length = strcspn(out, "\n");
    while (length && (out[length - 1] == ',' || out[length - 1] == '"'))
        length--;
    out[length] = '\0';
}

static bool read_table(const struct advise_rerun *a,
                       const struct advise_trial *t, const char *csv)
{
    size_t all = t->changes * seeds(t), read = 0;
    unsigned at = t->to >= t->from ? 6 : 4; /* the column seed */
    FILE *f = fopen(csv, "re");
    char *line = NULL;
    size_t room = 0;

    while (f && getline(&line, &room, f) >= 0) {
        size_t run = strtoull(field(line, 1), NULL, 10);
        long exit = strtol(field(line, at + 1), NULL, 10);
        int64_t cycles = strtoll(field(line, at + 2), NULL, 10);

        if (strncmp(line, "run,", 4) || run >= all)
            continue;
        t->cycles[run] = exit != a->status || cycles <= 0 ? -1 : cycles;
        if (t->cycles[run] < 0 && !*a->lost && exit == STATUS_LIMIT)
            snprintf(a->lost, ADVISE_WHY, "not over after %" PRIu64 " cycles",
                     a->most);
        else if (t->cycles[run] < 0 && !*a->lost)
            keep_end(a->lost, field(line, at + 4));
        read++;
    }
    free(line);
    if (f)
        fclose(f);
    return read == all;
}

bool advise_try(const struct advise_rerun *a, const struct advise_trial *t,
                char why[ADVISE_WHY])
{
    char *path[3] = {NULL};
    static const char *const name[] = {"trial.sweep", "trial.csv", "trial.err"};
    bool good = true;

    for (unsigned n = 0; n < 3; n++)
        good &= asprintf(&path[n], "%s/%s", a->dir, name[n]) >= 0;
    if (good && !write_sweep(a, t, path[0]))
        good = say(why, path[0], strerror(errno));
    good = good && run_sweep(a, path[0], path[1], path[2], why);
    if (good && !read_table(a, t, path[1]))
        good = say(why, path[1], "not what simrun sweep writes");
    for (unsigned n = 0; n < 3; n++)
        free(path[n]);
    return good;
}

struct advise_gain advise_compare(const int64_t *base, const int64_t *changed,
                                  size_t count)
{
    struct advise_gain g = {0};
    int64_t *gain = grow_zero(2 * count + 1, sizeof *gain), *was = gain + count;
    size_t pairs = 0;

    for (size_t n = 0; n < count; n++) {
        if (base[n] < 0 || changed[n] < 0) {
            g.lost++;
            continue;
        }
        was[pairs] = base[n];
        gain[pairs++] = base[n] - changed[n];
    }
    g.gain = paired_mean(gain, pairs);
    g.base = paired_mean(was, pairs).mean;
    free(gain);
    return g;
}
