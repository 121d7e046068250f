/* inside.c - as little of Linux as marks of programs inside need: tasks, each
 * with an mm_struct that names its file by a path, and a way to user mode and
 * back; and a module. Begins as start.S does. What runs is inside_test.sh's
 * list:
 *
 *   1  /twin, at A, in the memory of /marked, though it is another file
 *   2  /marked at A
 *   3  /twin again, another process
 *   4  /marked at A again, another process
 *   5  /other, another program, at A
 *   6  /marked at B, in the same memory as at A
 *
 * The files begin with their code, and are mapped whole. Before them the module
 * is put into memory and its function called.
 */
#include "tests/sim/bare.h"

#define VIRTUAL 0xC0000000u
#define A 0x10000000u
#define B 0x20000000u
#define BAT_USER 1u /* 128 KiB, user */

struct qstr {
    const char *name;
};

struct dentry {
    struct dentry *d_parent;
    struct qstr d_name;
};

struct vfsmount {
    struct dentry *mnt_root;
};

struct mount {
    struct mount *mnt_parent;
    struct dentry *mnt_mountpoint;
    struct vfsmount mnt;
};

struct path {
    struct vfsmount *mnt;
    struct dentry *dentry;
};

struct file {
    struct path f_path;
};

struct mm_struct {
    struct file *exe_file;
    unsigned long start_code, end_code;
};

struct thread_struct {
    u32 ksp;
};

struct task_struct {
    volatile unsigned __state;
    int exit_state, pid, tgid;
    struct mm_struct *mm;
    char comm[16];
    struct thread_struct thread;
};

unsigned panic_cpu = ~0u;
volatile unsigned arrived;
struct task_struct init_task = {.comm = "swapper"};

/* What simrun hears of. Nothing is mapped beside these programs. */
#define FUNCTION __attribute__((noinline, noclone)) void
FUNCTION mmap_region(void)
{
    __asm__ volatile("");
}
FUNCTION wake_up_new_task(void)
{
    __asm__ volatile("");
}
FUNCTION exit_mmap(void)
{
    __asm__ volatile("");
}

/* The file of a module has been linked where its sections say they are now. */
FUNCTION module_finalize(const u8 *file, const u32 *headers, void *module)
{
    __asm__ volatile("" : : "r"(file), "r"(headers), "r"(module));
}

void _switch(struct thread_struct *to);
void go(u32 pc);
extern u8 marked[], other[], module[];
static u8 loaded[4096] __attribute__((aligned(4096)));
__asm__(".globl _switch\n"
        ".type _switch, @function\n"
        "_switch: clrlwi 0, 3, 2\n"
        "mtspr 275, 0\n"
        "blr\n"
        ".size _switch, . - _switch\n"
        /* To user mode at r3; back at its next system call. */
        ".globl go\n"
        ".type go, @function\n"
        "go: stwu 1, -96(1)\n"
        "mflr 0\n"
        "stw 0, 100(1)\n"
        "stmw 13, 16(1)\n"
        "mtspr 273, 1\n"
        "mtspr 26, 3\n"
        "mfmsr 9\n"
        "ori 9, 9, 0x4030\n"
        "mtspr 27, 9\n"
        "rfi\n"
        "back: mfspr 1, 273\n"
        "lmw 13, 16(1)\n"
        "lwz 0, 100(1)\n"
        "addi 1, 1, 96\n"
        "mtlr 0\n"
        "blr\n"
        ".size go, . - go\n"
        ".data\n"
        ".balign 0x20000\n"
        "marked: .incbin \"" MARKED "\"\n"
        ".balign 0x20000\n"
        "other: .incbin \"" OTHER "\"\n"
        ".balign 0x20000\n"
        "module: .incbin \"" MODULE "\"\n"
        ".balign 0x20000\n"
        ".section .head, \"ax\"\n"
        ".balign 0x400\n"
        ".org 0x800\n" /* 0xC00, behind start.S: system call */
        "lis 9, back@h\n"
        "ori 9, 9, back@l\n"
        "mtspr 26, 9\n"
        "mfmsr 9\n"
        "ori 9, 9, 0x30\n"
        "mtspr 27, 9\n"
        "rfi\n"
        ".text\n");

static struct dentry root = {&root, {"/"}};
static struct mount mount = {&mount, &root, {&root}};
#define FILE(variable, text)                                                   \
    static struct dentry variable##_name = {&root, {text}};                    \
    static struct file variable = {{&mount.mnt, &variable##_name}}
FILE(marked_file, "marked");
FILE(other_file, "other");
FILE(twin_file, "twin");

static struct mm_struct mm[] = {
    {&twin_file, A, A + MARKED_BYTES}, {&marked_file, A, A + MARKED_BYTES},
    {&twin_file, A, A + MARKED_BYTES}, {&marked_file, A, A + MARKED_BYTES},
    {&other_file, A, A + OTHER_BYTES}, {&marked_file, B, B + MARKED_BYTES},
};
static u8 *const memory[] = {marked, marked, marked, marked, other, marked};
static struct task_struct task[] = {
    {.pid = 1, .tgid = 1, .mm = &mm[0], .comm = "one"},
    {.pid = 2, .tgid = 2, .mm = &mm[1], .comm = "two"},
    {.pid = 3, .tgid = 3, .mm = &mm[2], .comm = "three"},
    {.pid = 4, .tgid = 4, .mm = &mm[3], .comm = "four"},
    {.pid = 5, .tgid = 5, .mm = &mm[4], .comm = "five"},
    {.pid = 6, .tgid = 6, .mm = &mm[5], .comm = "six"},
};

/* Nothing but the program is mapped for user mode. */
static void map(u32 ea, u8 *to)
{
    u32 lower = ((u32)to - VIRTUAL) | 2;

    __asm__ volatile("isync\n"
                     "mtspr 530, %0\n"
                     "mtspr 531, %1\n"
                     "mtspr 540, %0\n"
                     "mtspr 541, %1\n"
                     "isync"
                     :
                     : "r"(ea | BAT_USER), "r"(lower));
}

/* A section's words are name, type, flags, address, offset, size. It has as
 * many functions as sections with code, each from its section's beginning on.
 */
static void load_module(void)
{
    u32 *header = (u32 *)(module + *(u32 *)(module + 32)), sum = 0;
    unsigned sections = *(unsigned short *)(module + 48);

    for (unsigned n = 1; n < sections; n++) {
        u32 *s = header + 10 * n;

        if (!(s[2] & 2) || !s[5])
            continue;
        for (u32 k = 0; k < s[5]; k++)
            loaded[sum + k] = module[s[4] + k];
        s[3] = (u32)loaded + sum;
        sum += (s[5] + 15) & ~15u;
    }
    module_finalize(module, header, 0);
    for (unsigned n = 1; n < sections; n++)
        if ((header[10 * n + 2] & 6) == 6 && header[10 * n + 5])
            ((void (*)(u32))header[10 * n + 3])(1000 * n);
}

void kernel_main(void)
{
    load_module();
    for (unsigned n = 0; n < 6; n++) {
        u32 at = mm[n].start_code;

        _switch(&task[n].thread);
        map(at, memory[n]);
        go(at + (n == 4 ? OTHER_ENTRY : MARKED_ENTRY));
    }
    mmap_region();
    wake_up_new_task();
    exit_mmap();
    _switch(&init_task.thread);
    out32(BOARD_POWER, 5);
    for (;;)
        ;
}
