/* abi.h - Linux on 32-bit PowerPC as its programs see it: numbers and where
 * the fields of its structures lie. Big-endian bytes, no host types.
 * Source: the kernel's user-space headers (arch/powerpc/include/uapi).
 */
#ifndef SIM_USER_ABI_H
#define SIM_USER_ABI_H

#include <stdint.h>

#define ABI_PAGE 4096u

/* Error numbers are the generic ones, which every host of ours shares. */

/* The auxiliary vector. */
#define AT_NULL_ 0
#define AT_PHDR_ 3
#define AT_PHENT_ 4
#define AT_PHNUM_ 5
#define AT_PAGESZ_ 6
#define AT_BASE_ 7
#define AT_FLAGS_ 8
#define AT_ENTRY_ 9
#define AT_UID_ 11
#define AT_EUID_ 12
#define AT_GID_ 13
#define AT_EGID_ 14
#define AT_PLATFORM_ 15
#define AT_HWCAP_ 16
#define AT_CLKTCK_ 17
#define AT_DCACHEBSIZE_ 19
#define AT_ICACHEBSIZE_ 20
#define AT_UCACHEBSIZE_ 21
#define AT_SECURE_ 23
#define AT_RANDOM_ 25
#define AT_HWCAP2_ 26
#define AT_EXECFN_ 31
#define AT_SYSINFO_EHDR_ 33

/* 32-bit, floating point, MMU, can run little-endian: a 604e, no AltiVec. */
#define ABI_HWCAP 0x8C000001u

/* open() flags that differ from the generic ones. */
#define ABI_O_ASYNC 0x2000u
#define ABI_O_DIRECTORY 0x4000u
#define ABI_O_NOFOLLOW 0x8000u
#define ABI_O_TMPFILE 0x400000u
#define ABI_O_LARGEFILE 0x10000u
#define ABI_O_DIRECT 0x20000u

/* ioctl() */
#define ABI_TCGETS 0x402C7413u
#define ABI_TIOCGWINSZ 0x40087468u
#define ABI_FIOCLEX 0x20006601u
#define ABI_FIONCLEX 0x20006602u
#define ABI_FIONBIO 0x8004667Eu
#define ABI_FIOASYNC 0x8004667Du
#define ABI_FIONREAD 0x4004667Fu

/* Signals 1 to 64, mask bit n - 1. */
#define ABI_SIGNALS 64
#define ABI_SCHED_OTHER 0u
#define ABI_SCHED_FIFO 1u
#define ABI_SCHED_RR 2u
#define ABI_SCHED_BATCH 3u
#define ABI_SCHED_IDLE 5u
#define ABI_SCHED_RESET 0x40000000u /* SCHED_RESET_ON_FORK */

#define ABI_FUTEX_TID 0x3FFFFFFFu /* a lock's word: its owner */
#define ABI_FUTEX_OWNER_DIED 0x40000000u
#define ABI_FUTEX_WAITERS 0x80000000u

#define ABI_SA_NOCLDSTOP 1u
#define ABI_SA_SIGINFO 4u
#define ABI_SA_ONSTACK 0x08000000u
#define ABI_SA_RESTART 0x10000000u
#define ABI_SA_NODEFER 0x40000000u
#define ABI_SA_RESETHAND 0x80000000u
#define ABI_SS_ONSTACK 1u
#define ABI_SS_DISABLE 2u
#define ABI_SS_AUTODISARM 0x80000000u
#define ABI_MINSIGSTKSZ 2048u

/* siginfo: signo, errno, code, then what the code calls for; 128 bytes. */
#define ABI_SIGINFO 128u
#define ABI_SI_USER 0
#define ABI_SI_KERNEL 128
#define ABI_SI_QUEUE (-1)
#define ABI_SI_TIMER (-2)
#define ABI_SI_TKILL (-6)

/* Registers of a signal frame, words. */
enum {
    GREG_NIP = 32,
    GREG_MSR = 33,
    GREG_ORIG_R3 = 34,
    GREG_CTR = 35,
    GREG_LR = 36,
    GREG_XER = 37,
    GREG_CCR = 38,
    GREG_TRAP = 40,
    GREG_DAR = 41,
    GREG_DSISR = 42,
    GREGS = 48
};
#define MCONTEXT_FREGS 192u /* 32 doubles, then FPSCR */
#define MCONTEXT_TRAMP 456u /* registers end; once code, on the stack */
#define MCONTEXT_SIZE 992u
#define UCONTEXT_LINK 4u
#define UCONTEXT_STACK 8u
#define UCONTEXT_REGS 48u
#define UCONTEXT_MASK 52u
#define UCONTEXT_MCONTEXT 192u
#define UCONTEXT_SIZE (UCONTEXT_MCONTEXT + MCONTEXT_SIZE)
#define FRAME_GAP 224u /* the 18 + 19 registers below r1, ABI */
#define FRAME_CALLER 64u

/* clone() */
#define ABI_CLONE_VM 0x100u
#define ABI_CLONE_THREAD 0x10000u
#define ABI_CLONE_SETTLS 0x80000u
#define ABI_CLONE_PARENT_SETTID 0x100000u
#define ABI_CLONE_CHILD_CLEARTID 0x200000u
#define ABI_CLONE_CHILD_SETTID 0x1000000u

#endif
