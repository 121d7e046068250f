/* exec.c - a program begins: its space, its stack with arguments, environment
 * and auxiliary vector, its first registers. The stack is laid out as by Linux
 * (and simrun --user), downwards: texts, numbers, pointers.
 */
#include "guest/process/errno.h"
#include "guest/process/file.h"

#define AT_NULL 0
#define AT_PHDR 3
#define AT_PHENT 4
#define AT_PHNUM 5
#define AT_PAGESZ 6
#define AT_BASE 7
#define AT_FLAGS 8
#define AT_ENTRY 9
#define AT_UID 11
#define AT_EUID 12
#define AT_GID 13
#define AT_EGID 14
#define AT_PLATFORM 15
#define AT_HWCAP 16
#define AT_CLKTCK 17
#define AT_DCACHEBSIZE 19
#define AT_ICACHEBSIZE 20
#define AT_UCACHEBSIZE 21
#define AT_SECURE 23
#define AT_RANDOM 25
#define AT_HWCAP2 26
#define AT_EXECFN 31
#define HWCAP_604E 0x8C000001u /* 32-bit, floating point, MMU */
#define AUX_PAIRS 22

/* ---- texts --------------------------------------------------------------- */

bool args_add(struct args *a, const char *text, uint32_t bytes)
{
    for (; bytes; bytes--, text++, a->used++) {
        uint8_t **page = &a->page[a->used / PAGE];

        if (a->used == ARGS_PAGES * PAGE)
            return false;
        if (!*page)
            *page = (uint8_t *)frame_take();
        if (!*page)
            return false;
        (*page)[a->used % PAGE] = (uint8_t)*text;
    }
    return true;
}

void args_free(struct args *a)
{
    for (unsigned n = 0; n < ARGS_PAGES; n++) {
        if (a->page[n])
            frame_drop((uint32_t)a->page[n]);
    }
}

static uint32_t args_text(const struct args *a, uint32_t at)
{
    while (a->page[at / PAGE][at % PAGE])
        at++;
    return at + 1;
}

/* ---- the stack ----------------------------------------------------------- */

struct stack {
    struct space *space;
    uint32_t sp;
    bool good;
};

static uint32_t push(struct stack *s, const void *bytes, uint32_t n)
{
    s->sp -= n;
    s->good = s->good && copy_out(s->space, s->sp, bytes, n);
    return s->sp;
}

static uint32_t push_text(struct stack *s, const char *text)
{
    return push(s, text, text_length(text) + 1);
}

static void push_args(struct stack *s, const struct args *a)
{
    uint32_t at = a->used;

    while (at) {
        uint32_t n = at % PAGE ? at % PAGE : PAGE;

        at -= n;
        push(s, a->page[at / PAGE], n);
    }
}

struct aux {
    uint32_t word[2 * AUX_PAIRS];
    uint32_t used;
};

static void aux_add(struct aux *a, uint32_t type, uint32_t value)
{
    a->word[a->used++] = type;
    a->word[a->used++] = value;
}

static void aux_fill(struct aux *a, struct stack *s, const char *path,
                     const struct program *p)
{
    uint32_t platform = push_text(s, "ppc604"), name = push_text(s, path);
    uint8_t random[16];

    random_bytes(random, sizeof random);
    s->sp &= ~15u;
    aux_add(a, AT_RANDOM, push(s, random, sizeof random));
    aux_add(a, AT_DCACHEBSIZE, CACHE_LINE);
    aux_add(a, AT_ICACHEBSIZE, CACHE_LINE);
    aux_add(a, AT_UCACHEBSIZE, 0);
    aux_add(a, AT_HWCAP, HWCAP_604E);
    aux_add(a, AT_HWCAP2, 0);
    aux_add(a, AT_PAGESZ, PAGE);
    aux_add(a, AT_CLKTCK, 100);
    aux_add(a, AT_PHDR, p->headers);
    aux_add(a, AT_PHENT, 32);
    aux_add(a, AT_PHNUM, p->header_count);
    aux_add(a, AT_BASE, 0);
    aux_add(a, AT_FLAGS, 0);
    aux_add(a, AT_ENTRY, p->entry);
    aux_add(a, AT_UID, 0);
    aux_add(a, AT_EUID, 0);
    aux_add(a, AT_GID, 0);
    aux_add(a, AT_EGID, 0);
    aux_add(a, AT_SECURE, 0);
    aux_add(a, AT_PLATFORM, platform);
    aux_add(a, AT_EXECFN, name);
    aux_add(a, AT_NULL, 0);
}

/* Pointers to `count` texts from *at on, then 0; up from `to`. */
static uint32_t put_pointers(struct stack *s, const struct args *a, uint32_t to,
                             uint32_t count, uint32_t texts, uint32_t *at)
{
    uint32_t zero = 0;

    for (; count; count--, to += 4) {
        uint32_t pointer = texts + *at;

        s->good = s->good && copy_out(s->space, to, &pointer, 4);
        *at = args_text(a, *at);
    }
    s->good = s->good && copy_out(s->space, to, &zero, 4);
    return to + 4;
}

/* The stack pointer; 0: there is no memory for it. */
static uint32_t make_stack(struct space *space, const char *path,
                           const struct args *a, const struct program *p)
{
    struct stack s = {space, STACK_TOP, true};
    struct aux aux = {.used = 0};
    uint32_t words, texts, zero = 0, at = 0, to;

    push(&s, &zero, 4);
    push_args(&s, a);
    texts = s.sp;
    aux_fill(&aux, &s, path, p);
    words = 1 + a->argc + 1 + a->envc + 1 + aux.used;
    s.sp = ((s.sp & ~15u) - 4 * words) & ~15u;
    to = s.sp;
    s.good = s.good && copy_out(space, to, &a->argc, 4);
    to = put_pointers(&s, a, to + 4, a->argc, texts, &at);
    to = put_pointers(&s, a, to, a->envc, texts, &at);
    s.good = s.good && copy_out(space, to, aux.word, 4 * aux.used);
    return s.good ? s.sp : 0;
}

/* ---- the beginning ------------------------------------------------------- */

/* li r0,172; sc, and li r0,119; sc: what handlers return to (signal.c). */
static const uint32_t trampoline[] = {0x380000AC, 0x44000002, 0x38000077,
                                      0x44000002};

static int32_t fill_space(struct space *s, const struct node *file,
                          const char *path, const struct args *a,
                          struct user_frame *start)
{
    static const struct region stack = {.may = MAY_READ | MAY_WRITE};
    static const struct region tramp = {.may = MAY_READ | MAY_RUN,
                                        .origin = (const uint8_t *)trampoline,
                                        .bytes = sizeof trampoline};
    struct program p;
    int32_t error = elf_map(s, file, &p);

    if (!error)
        error = space_map(s, STACK_TOP - USER_STACK, USER_STACK, &stack);
    if (!error)
        error = space_map(s, TRAMPOLINE, PAGE, &tramp);
    if (error)
        return error;
    memset(start, 0, sizeof *start);
    start->r1 = make_stack(s, path, a, &p);
    start->trap.srr0 = p.entry & ~3u;
    start->trap.srr1 = MSR_USER;
    return start->r1 ? 0 : -ENOMEM;
}

int32_t exec_make(const char *path, const struct args *a, struct space **space,
                  struct user_frame *start)
{
    int32_t error;
    const struct node *file = ramdisk_find("/", path, true, &error);

    if (!file)
        return error;
    if ((file->mode & MODE_KIND) != MODE_FILE || !(file->mode & 0111))
        return -EACCES;
    *space = space_new();
    if (!*space)
        return -ENOMEM;
    error = fill_space(*space, file, path, a, start);
    if (error)
        space_free(*space);
    return error;
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
            file_drop(p->files[n]);
            p->files[n] = NULL;
        }
    }
    p->close_on_exec = 0;
}

static void name_process(struct process *p, const char *path)
{
    const char *name = path;

    for (const char *c = path; *c; c++) {
        if (*c == '/' && c[1])
            name = c + 1;
    }
    text_copy(p->name, name, NAME_SIZE);
    text_copy(p->program, path, PATH_SIZE);
}

void exec_named(struct process *p, const char *path)
{
    mutex_lock(&process_lock);
    settle_process(p);
    name_process(p, path);
    mutex_unlock(&process_lock);
}

int32_t exec_replace(const char *path, const struct args *a)
{
    struct task *t = task_current();
    struct process *p = t->process;
    struct space *old = p->space, *new;
    struct user_frame start;
    int32_t error;

    if (p->tasks->next)
        return -EAGAIN; /* its other threads would have to end first */
    error = exec_make(path, a, &new, &start);
    if (error)
        return error;
    task_fp_settle(t);
    memset(t->fp, 0, sizeof t->fp);
    p->space = new;
    task_space_load(t);
    space_free(old);
    exec_named(p, path);
    start.trap.chain = t->frame->trap.chain;
    start.trap.lr_save = t->frame->trap.lr_save;
    *t->frame = start;
    t->clear_tid = t->stack_size = t->stack_base = 0;
    text_copy(t->thread->name, p->name, NAME_SIZE);
    return CALL_KEEP;
}
