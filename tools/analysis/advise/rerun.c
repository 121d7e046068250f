/* rerun.c - from an experiment to the command that does its run again. The log
 * has the machine, the arguments and the environment, archives/ the programs;
 * what it has not - a RAM disk, a disk's content, files that a program reads -
 * must be where it was or be given.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/grow.h"
#include "tools/analysis/advise/advise.h"

#define RUN "run=/bin/" /* of the boot line: --program's argument is there */
#define LONGER 8    /* times as long as recorded: that is no end to wait for */
#define NAME_CUT 15 /* bytes that a name has at least that is cut */

/* A text that grows. */
struct text {
    char *text;
    size_t used, room;
};

static void put(struct text *t, const char *more)
{
    size_t length = strlen(more);

    t->text = grow(t->text, &t->room, t->used + length + 1, 1);
    memcpy(t->text + t->used, more, length + 1);
    t->used += length;
}

/* A word, quoted as sweeps (and shells) take it. */
static void put_word(struct text *t, const char *word)
{
    char one[2] = "";

    put(t, t->used ? " '" : "'");
    for (; *word; word++) {
        one[0] = *word;
        put(t, *word == '\'' ? "'\\''" : one);
    }
    put(t, "'");
}

__attribute__((format(printf, 2, 3))) static void
put_option(struct text *t, const char *format, ...)
{
    char *word;
    va_list args;

    va_start(args, format);
    if (vasprintf(&word, format, args) < 0)
        word = grow_text("");
    va_end(args);
    put_word(t, word);
    free(word);
}

/* A line of the log as it was: \xHH are bytes. The caller frees. */
static char *unescaped(const char *text)
{
    char *out = grow_zero(strlen(text) + 1, 1), *to = out;
    unsigned byte;

    while (*text)
        if (sscanf(text, "\\x%2x", &byte) == 1 && isxdigit((int)text[2]) &&
            isxdigit((int)text[3])) {
            *to++ = (char)byte;
            text += 4;
        } else {
            *to++ = *text++;
        }
    return out;
}

/* Always false. */
__attribute__((format(printf, 3, 4))) static bool
wrong(const struct advise_rerun *a, char why[ADVISE_WHY], const char *format,
      ...)
{
    int used = snprintf(why, ADVISE_WHY, "%s: ", a->experiment);
    va_list args;

    va_start(args, format);
    vsnprintf(why + used, (size_t)(ADVISE_WHY - used), format, args);
    va_end(args);
    return false;
}

/* ---- files --------------------------------------------------------------- */

/* The bytes of two files are the same. */
static bool same_file(const char *one, const char *other)
{
    FILE *a = fopen(one, "re"), *b = a ? fopen(other, "re") : NULL;
    int x = 0, y = -1;

    while (b && x != EOF) {
        x = getc_unlocked(a);
        y = getc_unlocked(b);
        if (x != y)
            break;
    }
    if (b)
        fclose(b);
    if (a)
        fclose(a);
    return b && x == EOF && y == EOF;
}

/* The path of an archive; NULL: it is gone. The caller frees. */
static char *archive_path(const struct advise_rerun *a, const char *archive)
{
    char *path, *whole = NULL;

    if (asprintf(&path, "%s/archives/%s", a->experiment, archive) >= 0) {
        whole = realpath(path, NULL);
        free(path);
    }
    return whole;
}

/* The archive that a program called `name` is in; NULL: none. A name may be cut
 * there (include/record.def). */
static char *archive_of(const struct advise_rerun *a, const struct recording *r,
                        const char *name)
{
    for (size_t n = 0; n < r->map.images; n++) {
        const char *archive = r->map.image[n].archive,
                   *dot = strrchr(archive, '.');
        size_t length = dot ? (size_t)(dot - archive) : 0;

        if (length && strncmp(archive, name, length) == 0 &&
            (!name[length] || length >= NAME_CUT))
            return archive_path(a, archive);
    }
    return NULL;
}

/* simrun stands beside simprof. */
static bool find_simrun(struct advise_rerun *a, char why[ADVISE_WHY])
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    self[n < 0 ? 0 : n] = '\0';
    slash = strrchr(self, '/');
    if (slash &&
        asprintf(&a->simrun, "%.*s/simrun", (int)(slash - self), self) >= 0 &&
        !access(a->simrun, X_OK))
        return true;
    return wrong(a, why,
                 "to run it again there must be a simrun beside simprof, "
                 "%s",
                 a->simrun ? a->simrun : "");
}

/* ---- the machine --------------------------------------------------------- */

/* What the trial sets itself is left out. */
static bool is_varied(const char *knob)
{
    return strncmp(knob, "jitter", 6) == 0;
}

static void put_machine(struct text *t, const struct recording *r)
{
    uint64_t ram;

    if (recording_number(r, "ram", &ram))
        put_option(t, "--mem=%" PRIu64, ram >> 20);
    put_option(t, "--cpus=%u", r->cpus);
    for (size_t n = 0; n < r->log.count; n++) {
        const struct line *l = &r->log.line[n];
        const char *blank = strchr(l->value, ' ');

        if (strcmp(l->key, "knob") == 0 && blank && !is_varied(l->value))
            put_option(t, "--set=%.*s=%s", (int)(blank - l->value), l->value,
                       blank + 1);
    }
}

/* The changes that it was recorded with: every run has these, too. */
static char *given_of(const struct recording *r)
{
    struct text t = {0};

    put(&t, "");
    for (size_t n = 0; n < r->log.count; n++) {
        if (strcmp(r->log.line[n].key, "what-if"))
            continue;
        if (t.used)
            put(&t, ";");
        put(&t, r->log.line[n].value);
    }
    return t.text;
}

/* Rows of --chip, in a file. */
static bool put_chip(struct advise_rerun *a, struct text *t,
                     const struct recording *r, char why[ADVISE_WHY])
{
    FILE *f = NULL;
    char *path = NULL;
    bool good = true;

    for (size_t n = 0; good && n < r->log.count; n++) {
        if (strcmp(r->log.line[n].key, "chip"))
            continue;
        if (!f && asprintf(&path, "%s/chip.def", a->dir) >= 0)
            f = fopen(path, "we");
        good = f && fprintf(f, "%s\n", r->log.line[n].value) > 0;
    }
    if (f) {
        good = !fclose(f) && good;
        put_option(t, "--chip=%s", path);
    }
    free(path);
    return good ||
           wrong(a, why, "its chip table cannot be written to %s", a->dir);
}

/* ---- programs ------------------------------------------------------------ */

/* Is it the directory that simprof runs in? Without --root a program sees that,
 * and names of files elsewhere as they are. */
static bool is_here(const char *place)
{
    char *here = getcwd(NULL, 0);
    bool same = here && !strcmp(here, place);

    free(here);
    return same;
}

/* Of --user: where it was, if that is still the program that ran. */
static bool put_user(struct advise_rerun *a, struct text *t,
                     const struct recording *r, char why[ADVISE_WHY])
{
    const char *image = text_lines_get(&r->log, "image"),
               *place = text_lines_get(&r->log, "root");
    char *archive = image ? archive_path(a, image) : NULL;
    bool first = true;

    if (!archive)
        return wrong(a, why, "its program is not in archives/ any more");
    put_word(t, "--clear-env");
    for (size_t n = 0; n < r->log.count; n++)
        if (!strcmp(r->log.line[n].key, "environment")) {
            char *text = unescaped(r->log.line[n].value);

            put_option(t, "--env=%s", text);
            free(text);
        }
    if (place) {
        char *name = unescaped(place);

        if (!is_here(name))
            put_option(t, "--root=.:%s", name);
        free(name);
    }
    put_word(t, "--user");
    for (size_t n = 0; n < r->log.count; n++) {
        char *text;

        if (strcmp(r->log.line[n].key, "argument"))
            continue;
        text = unescaped(r->log.line[n].value);
        a->copy = first ? !same_file(text, archive) : a->copy;
        put_word(t, first && a->copy ? archive : text);
        first = false;
        free(text);
    }
    free(archive);
    return !first || wrong(a, why, "its log has no arguments");
}

/* The boot line runs a program that simrun put into the RAM disk: it is put
 * there again, under its name. */
static bool put_run(struct advise_rerun *a, struct text *t, char *args,
                    char *run, const struct recording *r, char why[ADVISE_WHY])
{
    char *name = run + strlen(RUN), *rest, *archive, *link;
    size_t length = strcspn(name, " ");
    bool good;

    rest = name + length;
    name = grow_bytes(name, length);
    archive = archive_of(a, r, name);
    good = archive && asprintf(&link, "%s/%s", a->dir, name) >= 0;
    if (good) {
        good = !symlink(archive, link);
        while (run > args && run[-1] == ' ')
            run--;
        *run = '\0';
        put_option(t, "--append=%s", args);
        put_option(t, "--program=%s", link);
        free(link);
    }
    if (!good)
        wrong(a, why, "its program %s is not in archives/", name);
    free(archive);
    free(name);
    if (!good)
        return false;
    memmove(args, rest, strlen(rest) + 1); /* words, as sweeps take them */
    return true;
}

static bool put_system(struct advise_rerun *a, struct text *t,
                       const struct recording *r, const char *more,
                       char why[ADVISE_WHY])
{
    const char *image = text_lines_get(&r->log, "image"),
               *given = text_lines_get(&r->log, "args");
    char *archive = image ? archive_path(a, image) : NULL;
    char *args = unescaped(given ? given : ""), *run = strstr(args, RUN);
    bool lacks =
        text_lines_get(&r->log, "kernel") || text_lines_get(&r->log, "disk");
    bool good =
        archive || wrong(a, why, "its program is not in archives/ any more");

    if (good && lacks && !more)
        good = wrong(a, why,
                     "what was on its disk or RAM disk is not recorded: give "
                     "it anew, --with='--disk=FILE,private' or "
                     "--with='--initrd=FILE'%s",
                     text_lines_get(&r->log, "kernel")
                         ? "; with --sysroot=DIR, too, functions of programs "
                           "are tried"
                         : "");
    if (good && run && (run == args || run[-1] == ' '))
        good = put_run(a, t, args, run, r, why);
    else if (good && *args)
        put_option(t, "--append=%s", args), *args = '\0';
    if (good) {
        put_word(t, archive);
        if (*args)
            put(t, " --"), put(t, args);
    }
    free(args);
    free(archive);
    return good;
}

/* What it heard from outside it would hear at other times. */
static bool hears(const struct recording *r)
{
    for (size_t n = 0; n < r->log.count; n++) {
        const struct line *l = &r->log.line[n];
        long long value;
        char kind;

        if (!strcmp(l->key, "debug") ||
            (!strcmp(l->key, "input") && !strstr(l->value, " over")) ||
            (!strcmp(l->key, "stdio") &&
             sscanf(l->value, "%*u %c %lld", &kind, &value) == 2 &&
             kind == 'r' && value > 0))
            return true;
    }
    return false;
}

/* The device of a terminal of Linux, which the C library knows without asking
 * whether it is one. */
static bool is_terminal(unsigned long long device)
{
    return major(device) >= 136 && major(device) <= 143;
}

/* The C library asks what standard output is before it writes there first, and
 * asks more of what may be a terminal. */
static enum advise_output output_of(const struct recording *r)
{
    enum advise_output is = ADVISE_OTHER;

    for (size_t n = 0; n < r->log.count; n++) {
        const struct line *l = &r->log.line[n];
        unsigned long long device = 0;
        unsigned mode = 0;
        long long value;
        char kind;

        if (strcmp(l->key, "stdio") ||
            sscanf(l->value, "%*u %c %lld %8x%*8x%16llx", &kind, &value, &mode,
                   &device) < 2)
            continue;
        if ((kind == 't' && value == 1) ||
            (kind == 'f' && S_ISCHR(mode) && is_terminal(device)))
            return ADVISE_TERMINAL;
        if (kind == 'f' && !value && (S_ISREG(mode) || S_ISFIFO(mode)))
            is = ADVISE_FILE;
    }
    return is;
}

bool advise_rerun_open(struct advise_rerun *a, const struct recording *r,
                       const char *more, char why[ADVISE_WHY])
{
    const char *tmp = getenv("TMPDIR"),
               *exited = text_lines_get(&r->log, "exit");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct text t = {0};
    bool good = true;

    if (!exited || recording_stopped(r))
        return wrong(a, why,
                     "its program did not come to an end by itself, so "
                     "there is no time to gain");
    a->status = strtol(exited, NULL, 10);
    a->jobs = processors > 1 ? (unsigned)processors : 1;
    if (text_lines_get(&r->log, "changes-files"))
        a->jobs = 1;
    a->lost = grow_zero(ADVISE_WHY, 1);
    a->most = LONGER * r->end;
    a->more = more;
    a->user = text_lines_get(&r->log, "argument") != NULL;
    a->output = output_of(r);
    if (hears(r))
        return wrong(a, why,
                     "it read its standard input, or a debugger wrote; "
                     "a changed run would hear that at other times");
    if (!find_simrun(a, why))
        return false;
    if (asprintf(&a->dir, "%s/advise.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0 ||
        !mkdtemp(a->dir)) {
        wrong(a, why, "no directory for runs, %s: %s", a->dir, strerror(errno));
        free(a->dir);
        a->dir = NULL;
        return false;
    }
    a->given = given_of(r);
    put_machine(&t, r);
    if (more) {
        put(&t, " ");
        put(&t, more);
    }
    good =
        put_chip(a, &t, r, why) &&
        (a->user ? put_user(a, &t, r, why) : put_system(a, &t, r, more, why));
    a->command = t.text;
    return good;
}

/* All files of a directory, one level deep, and itself. */
static void remove_all(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        char *name;

        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            asprintf(&name, "%s/%s", path, e->d_name) < 0)
            continue;
        if (unlink(name))
            remove_all(name);
        free(name);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

void advise_rerun_close(struct advise_rerun *a)
{
    if (a->dir)
        remove_all(a->dir);
    free(a->dir);
    free(a->lost);
    free(a->simrun);
    free(a->command);
    free(a->given);
}
