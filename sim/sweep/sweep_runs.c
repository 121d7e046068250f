/* sweep_runs.c - which runs a sweep consists of, their commands, and the names
 * of their results.
 */
#include "sim/sweep/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/grow.h"
#include "lib/base/mix.h"

static size_t seeds(const struct sweep *s)
{
    return s->seeds ? s->seeds : 1;
}

size_t sweep_runs(const struct sweep *s)
{
    size_t runs = seeds(s);

    for (size_t n = 0; n < s->axes; n++)
        runs *= s->axis[n].values;
    return runs;
}

struct sweep_place sweep_place(const struct sweep *s, size_t run)
{
    struct sweep_place p = {.seed = run % seeds(s)};

    run /= seeds(s);
    for (size_t n = s->axes; n--;) {
        p.at[n] = run % s->axis[n].values;
        run /= s->axis[n].values;
    }
    return p;
}

size_t sweep_run_at(const struct sweep *s, const struct sweep_place *p)
{
    size_t run = 0;

    for (size_t n = 0; n < s->axes; n++)
        run = run * s->axis[n].values + p->at[n];
    return run * seeds(s) + p->seed;
}

static void add_all(struct sweep_words *w, const struct sweep_words *more)
{
    for (size_t n = 0; n < more->count; n++)
        sweep_words_add(w, more->word[n]);
}

void sweep_command(const struct sweep *s, size_t run, struct sweep_words *w)
{
    struct sweep_place p = sweep_place(s, run);
    char text[48];

    for (size_t n = 0; n < s->axes; n++)
        add_all(w, &s->axis[n].value[p.at[n]].option);
    if (s->seeds) {
        snprintf(text, sizeof text, "--seed=%" PRIu32, s->seed[p.seed]);
        if (!s->jitter_only)
            sweep_words_add(w, text);
        snprintf(text, sizeof text, "--set=jitter_seed=%" PRIu32,
                 s->seed[p.seed]);
        sweep_words_add(w, text);
    }
    add_all(w, &s->option);
    for (size_t n = 0; n < s->axes; n++)
        add_all(w, &s->axis[n].value[p.at[n]].program);
}

/* ---- names --------------------------------------------------------------- */

static uint64_t add(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;

    for (size_t n = 0; n < size; n++)
        sum = (sum ^ b[n]) * UINT64_C(0x100000001B3); /* FNV-1a */
    return mix64(sum + size);
}

/* Of a file's bytes; of what is no file, 0. */
static uint64_t sum_of(const char *path)
{
    struct stat st;
    FILE *f =
        !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    uint64_t sum = f != NULL;
    char *bytes;
    size_t size;

    if (!f)
        return 0;
    bytes = grow_zero(1 << 16, 1);
    while ((size = fread(bytes, 1, 1 << 16, f)) > 0)
        sum = add(sum, bytes, size);
    free(bytes);
    fclose(f);
    return sum;
}

/* The same, read once. */
static uint64_t sum_known(struct sweep_names *n, const char *path)
{
    for (size_t k = 0; k < n->files; k++)
        if (strcmp(n->file[k].path, path) == 0)
            return n->file[k].sum;
    n->file = grow(n->file, &n->room, n->files + 1, sizeof *n->file);
    n->file[n->files].path = grow_text(path);
    n->file[n->files].sum = sum_of(path);
    return n->file[n->files++].sum;
}

void sweep_names_open(struct sweep_names *n, const char *dir)
{
    *n = (struct sweep_names){.dir = grow_text(dir)};
    n->self = sum_of("/proc/self/exe");
}

void sweep_names_close(struct sweep_names *n)
{
    for (size_t k = 0; k < n->files; k++)
        free(n->file[k].path);
    free(n->file);
    free(n->dir);
}

/* A word, and the file that it, or what stands behind its =, is the name of. */
static uint64_t add_word(struct sweep_names *n, uint64_t sum, const char *word)
{
    const char *value = strchr(word, '=');
    uint64_t file;

    sum = add(sum, word, strlen(word));
    file = sum_known(n, word);
    sum = add(sum, &file, sizeof file);
    if (!value || *word != '-')
        return sum;
    file = sum_known(n, value + 1);
    return add(sum, &file, sizeof file);
}

char *sweep_name(struct sweep_names *n, const struct sweep *s, size_t run,
                 const char *suffix)
{
    struct sweep_words w = {0};
    size_t size = strlen(n->dir) + strlen(suffix) + 24;
    char *name = grow_zero(size, 1);
    uint64_t sum = n->self;

    sweep_command(s, run, &w);
    for (size_t k = 0; k < w.count; k++)
        sum = add_word(n, sum, w.word[k]);
    sweep_words_free(&w);
    if (s->stdout_file)
        sum = add(sum, "stdout", 6);
    snprintf(name, size, "%s/%016" PRIx64 "%s", n->dir, sum, suffix);
    return name;
}
