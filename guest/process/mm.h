/* mm.h - memory of processes: frames, small objects, address spaces, the
 * hashed page table. docs/guest.md, "Memory", has the whole picture.
 *
 * The kernel runs with translation off, so an address of a frame is a pointer
 * to it. Nothing here ends in panic for want of memory: 0, NULL or -ENOMEM.
 * Lock order: a process's space, the store of its region, then the leaves
 * (frames, pool, hash), which are spinlocks that hold off interrupts for a few
 * hundred instructions.
 */
#ifndef GUEST_PROCESS_MM_H
#define GUEST_PROCESS_MM_H

#include <asm/errno.h> /* numbers and structures of calls are Linux's own */

#include "guest/kernel/defs.h"

#define PAGE 4096u
#define PAGE_MASK (PAGE - 1)
#define WHOLE_PAGES(bytes) (((bytes) + PAGE_MASK) & ~PAGE_MASK)
#define CACHE_LINE 32u /* simrun's shortest; longer ones do too */

/* A user's addresses, as simrun --user has them. */
#define USER_LOWEST 0x10000u /* below it nothing can be mapped */
#define USER_END 0xC0000000u /* from here up: nothing */
#define MAP_TOP 0xB0000000u  /* mappings grow downwards from here */
#define STACK_TOP 0xBFFFF000u
#define USER_STACK (8u << 20)

/* What may be done with a page, and what is being done: PROT_* of Linux. */
#define MAY_READ 1u
#define MAY_WRITE 2u
#define MAY_RUN 4u

struct space;

/* ---- frames.c: pages of memory ------------------------------------------- */

/* Take all memory but a share for kalloc; once, at boot. */
void frames_init(void);
/* What is known of a page of memory. */
struct frame {
    volatile uint32_t owners; /* atomic; only its owners can change it */
    /* Accessed since the pager looked, changed since it was made or read: set
     * by who takes a translation back, cleared with the space's lock. */
    volatile bool referenced, changed;
    uint32_t slot; /* space.lock: its place on the disk (disk.h); 0: none */
};
struct frame *frame_of(uint32_t frame);
/* A page of zeros with one owner: its address; 0: memory is exhausted, or as
 * good as for pages of users, which can wait (memory_wait, disk.h). */
uint32_t frame_take(void);
uint32_t frame_take_user(void);
/* One owner more, one less: true if it is free now. */
void frame_keep(uint32_t frame);
bool frame_drop(uint32_t frame);
/* Zeros in the line of an address. */
static inline void cache_zero(uint32_t at)
{
    __asm__ volatile("dcbz 0,%0" : : "r"(at) : "memory");
}
/* How many pages are free, and how many there are. */
#define FRAMES_KEPT 16 /* of these, for tables and the like alone */
uint32_t frames_free(void);
uint32_t frames_all(void);

/* Who follows pages of processes, or NULL; set before frames_init. */
struct page_watch {
    /* How much of the memory from `from` on it keeps, whole pages; behind it
     * there will be so many bytes for pages. */
    uint32_t (*reserve)(uint32_t from, uint32_t bytes);
    /* The page is there now, s->lock is held; the memory has no owner. */
    void (*came)(const struct space *s, uint32_t at, uint32_t frame);
    void (*left)(uint32_t frame);
};
extern const struct page_watch *page_watch;

/* ---- pool.c: objects of one size, carved out of pages -------------------- */

struct pool {
    struct spinlock lock;
    void *free;    /* lock; each with the next in its first word */
    uint32_t size; /* of an object: fixed; 4 to PAGE bytes */
};

/* An object of zeros; NULL: memory is exhausted. */
void *pool_take(struct pool *p);
void pool_give(struct pool *p, void *object);

/* ---- space.c: address spaces --------------------------------------------- */

/* A piece of an address space with one protection and one origin. */
struct region {
    struct region *next;   /* by address */
    uint32_t start, end;   /* whole pages */
    uint32_t may;          /* MAY_* */
    bool shared;           /* its pages are those of the store; fork keeps
                            * them. Without a store they never go out */
    bool bounded;          /* behind the origin's last page there is nothing */
    const uint8_t *origin; /* what stands at start; NULL: zeros */
    uint32_t bytes;        /* of the origin; zeros behind */
    struct space *store; /* in the origin's place, with a user more; or NULL */
    uint32_t place;      /* there, of start */
};

/* An entry of a space's own table: a frame's address and these; or, without
 * HERE, its place on the disk (disk.h), where the address is. 0: none yet. */
#define ENTRY_HERE 1u
#define ENTRY_OWN 2u /* may be written without a copy */
#define ENTRY_OUT 4u

struct space {
    struct mutex lock;      /* of all below, but for number */
    uint32_t number;        /* its segments are named after it; fixed */
    struct region *regions; /* by address */
    uint32_t **table;       /* [address >> 22][address >> 12 & 0x3FF] */
    uint32_t brk_start, brk;
    volatile uint32_t users; /* atomic: processes; 2 from vfork to exec */
    struct waitq alone;      /* sched_lock: wait for them to be 1 again */
    uint32_t faults, reads;  /* pages made; of these, read from the disk */
    void *marks;             /* page_watch's; fixed when the program begins */
    bool store; /* of a file, or of memory that processes share; fixed */
};

/* An empty space; NULL: no memory, or too many. */
struct space *space_new(void);
/* One that no process has as its own, with that region; NULL likewise. */
struct space *space_store(uint32_t start, uint32_t bytes,
                          const struct region *like);
/* A copy whose private pages are copied when either writes. */
struct space *space_copy(struct space *from);
/* One process more has it; one less, and without any it is gone. */
void space_keep(struct space *s);
void space_free(struct space *s);
/* Wait until one process alone has it. No lock is held. */
void space_wait_alone(struct space *s);
/* For all of these s->lock is held. Map whole pages, in the place of what was
 * there. bytes at origin, which stays as it is as long as the system runs, then
 * zeros. 0 or -errno. */
int32_t space_map(struct space *s, uint32_t start, uint32_t length,
                  const struct region *like);
int32_t space_unmap(struct space *s, uint32_t start, uint32_t length);
/* -ENOMEM: a page in between is not mapped. */
int32_t space_protect(struct space *s, uint32_t start, uint32_t length,
                      uint32_t may);
/* The highest free place of that length below MAP_TOP; 0: there is none. */
uint32_t space_gap(const struct space *s, uint32_t length);
/* Make a mapping longer or shorter; elsewhere, if it may move. Where, or
 * -errno. */
int32_t space_move(struct space *s, uint32_t at, uint32_t length, uint32_t wish,
                   bool may_move);
/* The region of an address; NULL: none. */
struct region *space_region(const struct space *s, uint32_t at);
/* The new end of the heap, or the old one if it cannot be had. */
uint32_t space_brk(struct space *s, uint32_t to);
/* Page out, going through all spaces, until so many pages have become free.
 * False: there are not so many. No lock is held. */
bool spaces_sweep(uint32_t wanted);
/* This CPU's segment registers name s from now on. Interrupts are off. */
void space_load(const struct space *s);

/* ---- page.c: what an access meets ---------------------------------------- */

enum fault {
    FAULT_NONE,
    FAULT_UNMAPPED,
    FAULT_FORBIDDEN,
    FAULT_BEYOND, /* behind the end of the file, or the disk failed */
    FAULT_MEMORY
};

/* Instructions were stored: let every instruction cache fetch them anew. */
void insns_publish(uint32_t start, uint32_t bytes);
/* A user's access at `at` was refused by the translation: make it possible. */
enum fault page_fault(struct space *s, uint32_t at, uint32_t doing);
/* Page out private pages of s from *at on, until *wanted, which goes down with
 * each that is free, is 0: true. s->lock is held. */
bool pages_out(struct space *s, uint32_t *at, uint32_t *wanted);
/* Forget the pages of a range. s->lock is held. */
void pages_drop(struct space *s, uint32_t start, uint32_t end);
/* Take their translations back: the next access asks. s->lock is held. */
void pages_ask(const struct space *s, uint32_t start, uint32_t end);
/* How many pages it has, in memory and on the disk; without a lock, about. */
uint32_t space_pages(const struct space *s);
/* Pages of a range are those of another, which has none. s->lock is held.
 * False: no memory; nothing has moved. */
bool pages_move(struct space *s, uint32_t from, uint32_t to, uint32_t bytes);
/* Share the pages of a region with a copy. Both locks are held. */
bool pages_share(struct space *from, struct space *to, const struct region *r);
/* Copy from and to user memory, page by page, through the space: no address
 * is followed that it has not. False: not all of it may be read or written. */
bool copy_in(struct space *s, void *to, uint32_t from, uint32_t bytes);
bool copy_out(struct space *s, uint32_t to, const void *from, uint32_t bytes);
bool fill_out(struct space *s, uint32_t to, uint32_t bytes); /* zeros */
/* A text of at most size - 1 letters: its length; -EFAULT, -ENAMETOOLONG. */
int32_t copy_text(struct space *s, char *to, uint32_t from, uint32_t size);
/* Where a word is in memory, with s->lock taken: there it stays until that is
 * given back. 0: it may not be accessed so, and the lock is not taken. */
uint32_t page_lock(struct space *s, uint32_t at, uint32_t doing);

/* ---- hash.c: the hashed page table, which all CPUs search ---------------- */

/* A table for so many pages of memory, in all CPUs; once, at boot. */
void hash_init(uint32_t base, uint32_t bytes);
uint32_t hash_bytes(uint32_t memory);
/* The segment's name, 24 bits. */
uint32_t hash_vsid(uint32_t space, uint32_t segment);
/* Enter a page; `write`: stores go through. In the place of its old entry. */
void hash_put(uint32_t space, uint32_t at, uint32_t frame, bool write);
/* Take a page's entry out of the table and of every CPU's buffers; its frame
 * then says what the processors noted of it. */
void hash_drop(uint32_t space, uint32_t at);

#endif
