/* what_if.c - see what_if.h. */
#include "sim/cli/options/what_if.h"

#include <stdio.h>
#include <string.h>

#include "sim/core/timing.h"

static bool check_cpus(struct machine_setup *s, char *why, size_t size)
{
    int cpus = (int)s->cpus + s->what_if.cpus;

    if (cpus < 1 || cpus > MACHINE_CPUS) {
        snprintf(
            why, size,
            "--what-if cpus=%+d: the %u CPUs would become %d; a machine has "
            "1 to %d",
            s->what_if.cpus, s->cpus, cpus, MACHINE_CPUS);
        return false;
    }
    s->cpus = (unsigned)cpus;
    return true;
}

static bool check_disk(const struct options *o, char *why, size_t size)
{
    const char *lacks = NULL;

    if (!o->setup.what_if.disk.set)
        return true;
    if (o->user && !o->setup.params.user_disk)
        lacks = "files are in memory; --set user_disk=1 puts them on a disk";
    else if (!o->user && !o->disk.file && !o->disk.size)
        lacks = "there is no disk; --disk=FILE adds one";
    if (lacks)
        snprintf(why, size, "--what-if 'device:disk latency': %s", lacks);
    return !lacks;
}

static bool check_threads(const struct options *o, char *why, size_t size)
{
    const struct what_if *w = &o->setup.what_if;
    uint64_t have = (UINT64_C(1) << o->setup.cpus) - 1;

    for (unsigned n = 0; !o->user && n < w->threads; n++)
        if (w->thread[n].ranked || w->thread[n].number || *w->thread[n].name ||
            w->thread[n].affinity != ~UINT64_C(0)) {
            snprintf(why, size,
                     "--what-if affinity, priority: only threads of a program "
                     "under --user can be told; in the guest give "
                     "affinity:all=all, or change its work");
            return false;
        }
    for (unsigned n = 0; n < w->threads; n++)
        if (!w->thread[n].ranked && !(w->thread[n].affinity & have)) {
            snprintf(why, size,
                     "--what-if affinity: the machine has none of these CPUs; "
                     "give numbers from 0 to %u",
                     o->setup.cpus - 1);
            return false;
        }
    return true;
}

static bool check_functions(const struct options *o, char *why, size_t size)
{
    const struct machine_setup *s = &o->setup;

    bool masks = s->what_if.threads && !o->user;

    if ((!s->what_if.functions && !s->what_if.locks && !masks) ||
        (s->timing->serial && !s->ndetail))
        return true;
    snprintf(why, size,
             "--what-if %s: only models without a pipeline look at "
             "each instruction; "
             "give --mode=fast or warm%s",
             s->what_if.functions ? "func"
             : s->what_if.locks   ? "hold"
                                  : "affinity",
             s->ndetail ? ", without --detail" : "");
    return false;
}

bool what_if_options_check(struct options *o, char *why, size_t size)
{
    return check_cpus(&o->setup, why, size) && check_disk(o, why, size) &&
           check_threads(o, why, size) && check_functions(o, why, size);
}

static bool open_inside(const struct options *o, struct what_if_function *w,
                        const char *behind, struct marked_files *programs,
                        char *why, size_t size)
{
    const struct marked_file *f;
    char line[256];

    if (!o->sysroot) {
        snprintf(why, size,
                 "--what-if func:%s: of a program inside: --sysroot DIR says "
                 "where its file is",
                 w->name);
        return false;
    }
    w->own = (size_t)(behind - w->name);
    f = marked_open(programs, o->sysroot, w->name, w->own - 1, line,
                    sizeof line);
    if (!f) {
        snprintf(why, size, "--what-if func:%s: %s", w->name, line);
        return false;
    }
    w->inside = &f->image;
    w->program = (uint16_t)(f - programs->file + 1);
    return true;
}

bool what_if_options_inside(struct options *o, const struct image *image,
                            struct marked_files *programs, char *why,
                            size_t size)
{
    struct what_if *all = &o->setup.what_if;

    for (unsigned n = 0; image->is_kernel && n < all->functions; n++) {
        struct what_if_function *w = &all->function[n];
        const char *behind = perfinst_behind_object(w->name, strlen(w->name));

        if (behind != w->name &&
            !open_inside(o, w, behind, programs, why, size))
            return false;
    }
    return true;
}

bool what_if_options_find(const struct options *o, struct machine *m, char *why,
                          size_t size)
{
    struct image program;
    bool good;

    if (!machine_scales(&m->with) || !o->run)
        return machine_scale(m, NULL, why, size);
    if (!image_open(&program, o->run, IMAGE_PROGRAM, why, size))
        return false;
    good = machine_scale(m, &program, why, size);
    image_close(&program);
    return good;
}

static bool was_taken(const struct scale *s, unsigned asked)
{
    for (unsigned n = 0; n < s->locks; n++)
        if (s->lock[n].asked == asked && s->lock[n].taken)
            return true;
    return false;
}

static void tell_threads(const struct machine *m, FILE *to)
{
    const struct what_if *w = &m->with.what_if;

    for (unsigned n = 0; n < w->threads; n++) {
        const struct what_if_thread *t = &w->thread[n];
        const char *what = t->ranked ? "priority" : "affinity";

        if (!m->with.supervisor.enter && !m->scale.masked)
            fprintf(to, "simrun: --what-if affinity:all: no thread was given a "
                        "mask, so nothing was changed\n");
        else if (!m->with.supervisor.enter || t->met)
            continue;
        else if (t->number)
            fprintf(to,
                    "simrun: --what-if %s:%d: no thread had that number, so "
                    "nothing was changed; simprof states has those of a "
                    "recorded run\n",
                    what, t->number);
        else
            fprintf(to,
                    "simrun: --what-if %s:%s: no thread had that name, so "
                    "nothing was changed; simprof states has those of a "
                    "recorded run\n",
                    what, t->name);
    }
}

void what_if_options_tell(const struct machine *m, FILE *to)
{
    const struct what_if *w = &m->with.what_if;

    for (unsigned n = 0; n < m->scale.functions; n++)
        if (!m->scale.function[n].called)
            fprintf(to,
                    "simrun: --what-if func:%s: it was not called, so nothing "
                    "was scaled\n",
                    w->function[n].name);
    for (unsigned n = 0; n < w->locks; n++)
        if (!was_taken(&m->scale, n))
            fprintf(to,
                    "simrun: --what-if hold:%s: no lock there was taken, so "
                    "nothing was scaled; simprof locks names those of a run "
                    "with --record-locks\n",
                    w->lock[n].name);
    tell_threads(m, to);
    if (w->disk.set && !w->disk_met && !m->disk.served)
        fprintf(to, "simrun: --what-if device:disk latency: the disk had no "
                    "request, so nothing was changed\n");
}
