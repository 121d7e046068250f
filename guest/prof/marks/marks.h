/* marks.h - the metadata of programs (docs/pif.md 11) and the shadow storage of
 * their pages, by file (docs/guest.md).
 */
#ifndef GUEST_PROF_MARKS_MARKS_H
#define GUEST_PROF_MARKS_MARKS_H

#include "guest/process/file.h"
#include "guest/process/process.h"
#include "include/mark_bits.h"

/* One entry of a section .perfinst: whole words from `from` to before `end`. */
struct entry {
    struct entry *next; /* in the order of the section */
    uint32_t from, end, flags, limit;
    bool data;      /* accesses, not executions */
    unsigned range; /* its number, with PERFINST_RANGE */
    volatile uint32_t interrupts, captured; /* ... with their counts */
};

/* What a program's marks want of a processor's registers, and what those have
 * counted. */
struct mark_registers {
    struct {
        uint32_t low, high; /* high 0: not in use */
        volatile uint32_t executed, entries;
    } range[2 * PIF_RANGES]; /* as PIFRS numbers them */
    volatile uint32_t windowed, traced;
};

/* The page of a program with that address: what is counted in it, wherever the
 * page is. */
struct segment {
    struct segment *next;
    uint32_t at;
    uint32_t frame;         /* where the page is; 0: out */
    uint32_t returns;       /* how often it came back */
    struct shadow *shadows; /* of its lines that have marks */
    /* Of a scan: those of instructions, by line of the page; else NULL. */
    struct shadow **by_line;
};

/* A file of the RAM disk that was executed. */
struct marked {
    struct marked *next;
    const struct node *file; /* fixed, as are name and entries */
    const char *name;
    struct entry *entries;
    struct mark_registers *registers; /* NULL: none */
    struct segment *segments;         /* the lock of marks.c */
    uint32_t text, text_end; /* of a scan: pages that have marks, or will */
};

/* marks.c: memory of zeros that is never given back; NULL: there is no more. */
void *marks_alloc(uint32_t bytes);
/* Who holds it has the programs' list for himself. */
extern struct mutex marks_programs;
/* From now on the first entry of m, whose words all lie in m->text, is of these
 * words in place of the others, which keep what they have counted. */
void marks_turn(struct marked *m, uint32_t from, uint32_t end);
/* m is of the kernel's own text, all of which is in memory: mark what its entry
 * has. Its first page is not at 0. */
void marks_kernel(struct marked *m);
/* What words have counted as instructions is added to counts[0] and so on,
 * unless that is NULL: the sum. Not while these marks are looked up. */
uint32_t marks_count(const struct marked *m, uint32_t from, uint32_t end,
                     uint32_t *counts);

/* The count of a word of s that passed its limit, which begins at 0 again. */
uint32_t marks_take(struct marked *m, const struct space *s, uint32_t at,
                    bool data);
/* PIFM of a processor whose thread needs no more than shadow storage. */
uint32_t marks_mode(void);

/* interrupt.c and registers.c: the marks of t's program; NULL: it has none. */
struct marked *marks_of(const struct thread *t);
/* Count a range; *number is its place. False: all are in use. */
bool registers_range(struct mark_registers *r, const struct entry *e,
                     unsigned *number);
/* The process goes on as the program that has these marks; NULL: none. */
void registers_begin(const struct process *p, struct marked *m);
/* Whose mark it is that interrupts c now. Interrupts are off. */
const struct thread *registers_owner(const struct cpu *c);
/* Nothing counts on c, this CPU, any more; interrupts that all could not take,
 * then. */
void registers_stop(const struct cpu *c);
uint32_t registers_lost(void);

/* metadata.c: the entries of the program's section, none if it has no section;
 * s is what it was loaded to. False: a line says what is wrong with it. */
bool metadata_read(struct marked *m, const struct space *s);
/* Sort them, ascending; of equal ones one stays: how many are left. */
uint32_t addresses_sort(uint32_t *list, uint32_t n);
/* Where the functions of a program begin, ascending, by its symbols, of those
 * from `from` to before `end`; *count of them. False: no memory. */
bool metadata_functions(const struct node *f, uint32_t from, uint32_t end,
                        uint32_t **starts, uint32_t *count);

/* The function that an address is in, by the symbols, and how far in; "" if
 * they do not say, or if f is NULL. */
const char *metadata_function(const struct node *f, uint32_t at,
                              uint32_t *offset);

/* scan_programs.c: does the boot line want the kernel's text scanned, too? */
bool scan_has_kernel(void);
/* Marks for one execution of the program, which s was loaded
 * with; NULL: it has none. marks_programs is held. */
struct marked *scan_program(const struct node *file, const struct space *s);
/* No part is changed any more; print what was counted. */
void scan_programs_end(void);
void scan_programs_say(void);

#endif
