/* run.c - the boot line's word run=: a program of the RAM disk, with arguments,
 * is process number one and runs in the workload's place. The run ends when it
 * does, with its status.
 */
#include "guest/kernel/hook.h"
#include "guest/process/disk.h"
#include "guest/process/errno.h"
#include "guest/process/file.h"

static char *command; /* NULL: no program is asked for */

static bool take_run(char *value)
{
    command = value;
    return *value == '/';
}
BOOT_WORD_KIND(900, take_run, "run", "/PROGRAM ARGUMENT...", WORD_REST);

static void refuse_others(const struct options *o)
{
    (void)o;
    if (command && bootline_about_work())
        bootline_refuse("%s= is about the workloads in the kernel; run=%s has "
                        "none",
                        bootline_about_work(), command);
}
HOOK(settle, 900, refuse_others);

/* The next word: letters between ' ' stand for themselves, so does one behind
 * a backslash. False: there is none. */
static bool next_word(char **rest, struct args *a)
{
    char *c = *rest;
    bool quoted = false, good = true;

    while (*c == ' ')
        c++;
    if (!*c)
        return false;
    for (; *c && (quoted || *c != ' '); c++) {
        if (*c == '\'')
            quoted = !quoted;
        else if (*c == '\\' && !quoted && c[1])
            good &= args_add(a, ++c, 1);
        else
            good &= args_add(a, c, 1);
    }
    *rest = c;
    if (!good || !args_add(a, "", 1))
        bootline_refuse("run=: its words are too long");
    return true;
}

static void take_words(char *rest, struct args *a)
{
    static const char *const environment[] = {"HOME=/", "LANG=C",
                                              "PATH=/bin:/usr/bin"};

    while (next_word(&rest, a))
        a->argc++;
    for (unsigned n = 0; n < 3; n++)
        a->envc += args_add(a, environment[n], text_length(environment[n]) + 1);
}

/* The console, three times. */
static void open_console(struct process *p)
{
    int32_t error;
    const struct node *n = ramdisk_find("/", "/dev/console", true, &error);

    for (uint32_t fd = 0; fd < 3; fd++)
        p->files[fd] = file_open(n, O_RDWR);
}

static void refuse(const char *path, int32_t error)
{
    bootline_refuse("run=%s: %s", path,
                    error == -ENOENT    ? "the initrd has no such file"
                    : error == -ENOEXEC ? "is no static ELF executable for "
                                          "32-bit PowerPC"
                    : error == -EACCES  ? "is no file that may be executed"
                    : error == -ENOMEM  ? "memory is too small for it"
                                        : "cannot be executed");
}

static void run_program(void)
{
    static struct waitq never;
    struct args a = {.used = 0};
    struct user_frame start;
    struct process *p;
    struct space *space;
    const char *path;
    int32_t error;

    if (!command)
        return;
    frames_init();
    disk_init();
    swap_init();
    ramdisk_init();
    take_words(command, &a);
    path = (const char *)a.page[0];
    error = exec_make(path, &a, &space, &start);
    if (error)
        refuse(path, error);
    user_init();
    p = process_new(NULL, space);
    open_console(p);
    exec_named(p, path);
    args_free(&a);
    task_start(task_new(p, &start));
    sched_lock();
    thread_block(&never); /* process_over powers off */
}
HOOK(system, 100, run_program);
