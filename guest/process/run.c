/* run.c - the boot line's word run=: a program of the RAM disk, with arguments,
 * is process number one and runs in the workload's place. The run ends when it
 * does, with its status.
 */
#include "guest/kernel/hook.h"
#include "guest/process/disk.h"
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
 * a backslash. It is unquoted in its place. NULL: there is none. */
static char *next_word(char **rest)
{
    char *c = *rest, *word, *to;
    bool quoted = false;

    while (*c == ' ')
        c++;
    word = to = c;
    for (; *c && (quoted || *c != ' '); c++) {
        if (*c == '\'')
            quoted = !quoted;
        else
            *to++ = *c == '\\' && !quoted && c[1] ? *++c : *c;
    }
    *rest = *c ? c + 1 : c;
    if (c == word)
        return NULL;
    *to = '\0';
    return word;
}

static bool take_word(struct image *i, const char *word)
{
    return image_begin_text(i) && image_bytes(i, word, text_length(word) + 1);
}

static void take_words(struct image *i, const char *word, char *rest)
{
    bool good = true;

    for (; word; word = next_word(&rest))
        good &= take_word(i, word);
    good &= image_end_list(i) && take_word(i, "HOME=/") &&
            take_word(i, "LANG=C") && take_word(i, "PATH=/bin:/usr/bin") &&
            image_end_list(i);
    if (!good)
        bootline_refuse("run=%s: memory is too small for it", i->path);
}

/* The console, three times. */
static void open_console(struct process *p)
{
    int32_t error;
    struct node *n = ramdisk_find(NULL, "/dev/console", true, &error);

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

void run_over(uint32_t status)
{
    window_close();
    power_off(report() ? status : EXIT_CHECK);
}

static void run_program(void)
{
    static struct waitq never;
    struct image i;
    struct user_frame start;
    struct process *p;
    struct node *file;
    const char *path;
    int32_t error;

    if (!command)
        return;
    frames_init();
    disk_init();
    swap_init();
    ramdisk_init();
    path = next_word(&command);
    mutex_lock(&tree_lock);
    file = ramdisk_find(NULL, path, true, &error);
    if (file)
        error = image_begin(&i, file);
    mutex_unlock(&tree_lock);
    if (!error) {
        take_words(&i, path, command);
        error = image_finish(&i, &start);
    }
    if (error)
        refuse(path, error);
    user_init();
    p = process_new(NULL, i.space);
    open_console(p);
    exec_named(p, &i);
    window_open();
    task_start(task_new(p, &start));
    FOR_TABLE (hook, booted)
        (*hook)();
    sched_lock();
    thread_block(&never); /* process_over powers off */
}
HOOK(system, 100, run_program);
