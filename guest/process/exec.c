/* exec.c - a program begins: its space, its stack with arguments, environment
 * and auxiliary vector, its first registers. The stack is as Linux's.
 */
#include <linux/auxvec.h>

#include "guest/kernel/hook.h"
#include "guest/process/file.h"

#define HWCAP_604E 0x8C000001u /* 32-bit, floating point, MMU */

/* ---- the stack: words upwards from the stack pointer, texts behind them --- */

#define TEXTS (128u << 10) /* bytes of argv and envp */
#define WORDS 8192         /* argc, pointers, auxiliary vector */
#define TEXTS_AT (STACK_TOP - TEXTS)
#define WORDS_AT (TEXTS_AT - 4 * WORDS - stack_lower)

uint32_t stack_lower;

static bool put(struct image *i, uint32_t *at, uint32_t end, const void *bytes,
                uint32_t n)
{
    bool good = n <= end - *at && copy_out(i->space, *at, bytes, n);

    *at += good ? n : 0;
    return good;
}

static bool put_word(struct image *i, uint32_t word)
{
    return put(i, &i->words, TEXTS_AT, &word, sizeof word);
}

bool image_bytes(struct image *i, const char *bytes, uint32_t n)
{
    return put(i, &i->texts, STACK_TOP - 4, bytes, n);
}

bool image_begin_text(struct image *i)
{
    i->count++;
    return put_word(i, i->texts);
}

bool image_end_list(struct image *i)
{
    uint32_t argc_at = WORDS_AT;

    if (i->words == WORDS_AT + 4 * (i->count + 1)) /* it is argv */
        put(i, &argc_at, TEXTS_AT, &i->count, sizeof i->count);
    return put_word(i, 0);
}

/* The address of some bytes more. */
static uint32_t put_aside(struct image *i, const void *bytes, uint32_t n)
{
    uint32_t at = i->texts;

    return image_bytes(i, bytes, n) ? at : 0;
}

/* The bytes of a cache line: what dcbz clears, and programs clear by it. */
static uint32_t line_bytes(void)
{
    uint8_t area[256] __attribute__((aligned(128)));
    uint32_t n = 0;

    memset(area, 1, sizeof area);
    cache_zero((uint32_t)area);
    while (n < sizeof area && !area[n])
        n++;
    return n;
}

static bool put_aux(struct image *i)
{
    uint32_t line = line_bytes();
    uint8_t random[16];
    uint32_t aux[][2] = {
        {AT_RANDOM, 0},
        {AT_DCACHEBSIZE, line},
        {AT_ICACHEBSIZE, line},
        {AT_UCACHEBSIZE, 0},
        {AT_HWCAP, HWCAP_604E},
        {AT_HWCAP2, 0},
        {AT_PAGESZ, PAGE},
        {AT_CLKTCK, 100},
        {AT_PHDR, i->program.headers},
        {AT_PHENT, 32},
        {AT_PHNUM, i->program.header_count},
        {AT_BASE, 0},
        {AT_FLAGS, 0},
        {AT_ENTRY, i->program.entry},
        {AT_SYSINFO_EHDR, VDSO},
        {AT_UID, 0},
        {AT_EUID, 0},
        {AT_GID, 0},
        {AT_EGID, 0},
        {AT_SECURE, 0},
        {AT_PLATFORM, put_aside(i, "ppc604", 7)},
        {AT_EXECFN, put_aside(i, i->path, text_length(i->path) + 1)},
        {AT_NULL, 0}};

    random_bytes(random, sizeof random);
    aux[0][1] = put_aside(i, random, sizeof random);
    return put(i, &i->words, TEXTS_AT, aux, sizeof aux);
}

/* ---- the beginning ------------------------------------------------------- */

extern const uint8_t vdso_page[PAGE]; /* guest/calls/vdso.S */

static int32_t fill_space(struct space *s, struct node *file, struct program *p)
{
    static const struct region stack = {.may = MAY_READ | MAY_WRITE};
    static const struct region vdso = {
        .may = MAY_READ | MAY_RUN, .origin = vdso_page, .bytes = PAGE};
    int32_t error;

    mutex_lock(&s->lock);
    error = elf_map(s, file, p);
    if (!error)
        error = space_map(s, STACK_TOP - USER_STACK, USER_STACK, &stack);
    if (!error)
        error = space_map(s, VDSO, PAGE, &vdso);
    mutex_unlock(&s->lock);
    return error;
}

int32_t image_begin(struct image *i, struct node *file)
{
    int32_t error;

    *i = (struct image){.words = WORDS_AT + 4, .texts = TEXTS_AT};
    if (ramdisk_path(file, i->path, PATH_SIZE) < 0)
        return -ENAMETOOLONG;
    if (!S_ISREG(file->mode) || !(file->mode & 0111))
        return -EACCES;
    i->space = space_new();
    if (!i->space)
        return -ENOMEM;
    error = fill_space(i->space, file, &i->program);
    if (error)
        space_free(i->space);
    return error;
}

int32_t image_finish(struct image *i, struct user_frame *start)
{
    if (!put_aux(i)) {
        space_free(i->space);
        return -ENOMEM;
    }
    memset(start, 0, sizeof *start);
    start->r1 = WORDS_AT;
    start->trap.srr0 = i->program.entry & ~3u;
    start->trap.srr1 = MSR_USER;
    return 0;
}

/* Handlers are of the program that was; what is ignored stays so. */
static void settle_process(struct process *p)
{
    for (unsigned n = 0; n < SIGNALS; n++) {
        uint32_t handler = p->action[n].handler == 1;

        p->action[n] = (struct action){.handler = handler};
    }
    for (uint32_t n = 0; n < FILES; n++) {
        if (p->close_on_exec >> n & 1 && p->files[n]) {
            file_closed(p, p->files[n]);
            p->files[n] = NULL;
        }
    }
    p->close_on_exec = 0;
}

void exec_named(struct process *p, const struct image *i)
{
    mutex_lock(&process_lock);
    settle_process(p);
    p->file = i->program.file;
    text_copy(p->name, p->file->name, NAME_SIZE);
    if (p->tasks)
        text_copy(p->tasks->thread->name, p->name, NAME_SIZE);
    mutex_unlock(&process_lock);
    FOR_TABLE (hook, program)
        (*hook)(p, p->file);
}

int32_t exec_replace(struct image *i)
{
    struct task *t = task_current();
    struct process *p = t->process;
    struct space *old = p->space;
    struct user_frame start;
    int32_t error = image_finish(i, &start);

    if (error)
        return error;
    FOR_TABLE (hook, parting)
        (*hook)(t);
    t->parted = false;
    task_fp_settle(t);
    memset(t->fp, 0, sizeof t->fp);
    mutex_lock(&process_lock); /* which others look at it with */
    p->space = i->space;
    mutex_unlock(&process_lock);
    task_space_load(t);
    space_free(old);
    exec_named(p, i);
    start.trap.chain = t->frame->trap.chain;
    start.trap.lr_save = t->frame->trap.lr_save;
    *t->frame = start;
    t->clear_tid = t->robust = t->stack_size = t->stack_base = 0;
    return CALL_KEEP;
}
