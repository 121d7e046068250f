/* swap.c - pages on the disk: places for them at its end, and the thread that
 * pages out when memory is short. Which page goes: page.c.
 *
 * One who is refused a page lets go of his space and waits for the next round
 * of the pager, a clock that goes through all spaces (spaces_sweep). A round
 * that does not free enough, where nothing else did meanwhile, means that
 * memory and disk are full: if a page is needed the largest process ends, and
 * the rest wait until it is gone.
 */
#include "guest/kernel/hook.h"
#include "guest/process/disk.h"
#include "guest/process/process.h"

#define SLOTS 0x10000u /* pages on the disk, at most; place 0 is none */
#define BATCH 16       /* pages of a round, at most */
#define PATIENCE 100   /* rounds that a process may take to end */
#define PAUSE 20000    /* cycles in which pages are used before others go */

static uint32_t wanted;      /* bytes, by the boot line */
static uint32_t first;       /* sector of place 1: fixed after boot */
static uint32_t slots, used; /* used: lock */
static struct spinlock lock;
static uint8_t owners[SLOTS]; /* lock */

static struct waitq pager_rests, refused; /* sched_lock, and of the next: */
static bool round_wanted, round_must, round_freed;

static bool take_swap(char *value)
{
    return text_size(value, &wanted) && wanted >= PAGE;
}
BOOT_WORD_KIND(910, take_swap, "swap", "BYTES|nK|nM", WORD_FOR_ALL);

uint32_t swap_start(void)
{
    return disk_bytes() - slots * PAGE;
}

uint32_t slots_all(void)
{
    return slots;
}

uint32_t slots_free(void)
{
    return slots - used;
}

/* ---- places -------------------------------------------------------------- */

static uint32_t slot_take(void)
{
    uint32_t msr = spin_lock(&lock), slot = 1;

    while (slot <= slots && owners[slot])
        slot++;
    if (slot <= slots) {
        owners[slot] = 1;
        used++;
    }
    spin_unlock(&lock, msr);
    return slot <= slots ? slot : 0;
}

/* How many own it now. There are fewer spaces than fit. */
static uint32_t owners_change(uint32_t slot, int by)
{
    uint32_t msr = spin_lock(&lock), now;

    now = owners[slot] = (uint8_t)(owners[slot] + by);
    used -= now ? 0 : 1;
    spin_unlock(&lock, msr);
    return now;
}

void slot_keep(uint32_t slot)
{
    owners_change(slot, 1);
}

void slot_drop(uint32_t slot)
{
    owners_change(slot, -1);
}

static uint32_t sector_of(uint32_t slot)
{
    return first + (slot - 1) * (PAGE / SECTOR);
}

bool slot_write(uint32_t *slot, uint32_t frame)
{
    if (*slot && owners[*slot] > 1) {
        slot_drop(*slot);
        *slot = 0;
    }
    if (!*slot)
        *slot = slot_take();
    return *slot && disk_request(DISK_WRITE, sector_of(*slot), frame, PAGE);
}

bool slot_read(uint32_t slot, uint32_t frame, bool *alone)
{
    *alone = owners[slot] == 1;
    return disk_request(DISK_READ, sector_of(slot), frame, PAGE);
}

/* ---- the pager ----------------------------------------------------------- */

bool memory_wait(bool must)
{
    const struct task *t = task_of(current);
    uint32_t msr;
    bool good;

    if (t && t->process->ending)
        return false;
    msr = sched_lock();
    round_wanted = true;
    round_must |= must;
    thread_wake(&pager_rests);
    will_wait(STATE_PAGE, OBJECT_NONE, 0, 0);
    thread_block(&refused);
    good = round_freed;
    sched_unlock(msr);
    return good;
}

static void pager(uint32_t unused)
{
    uint32_t msr = sched_lock(), few = frames_all() / 16 + 1, vain = 0;
    bool good, must;

    (void)unused;
    few = few < BATCH ? few : BATCH;
    for (;;) {
        while (!round_wanted)
            thread_block(&pager_rests);
        must = round_must;
        round_wanted = round_must = false;
        sched_unlock(msr);
        good = spaces_sweep(few) || frames_free() >= FRAMES_KEPT + few;
        vain = good || !must ? 0 : vain + 1;
        good |= vain % PATIENCE && memory_over();
        msr = sched_lock();
        round_freed = good;
        while (thread_wake(&refused))
            continue;
        sched_unlock(msr);
        thread_sleep(PAUSE);
        msr = sched_lock();
    }
}

void swap_init(void)
{
    if (wanted > disk_bytes() || (wanted && disk_read_only()))
        bootline_refuse("swap=: the disk cannot be written or has only %u "
                        "bytes: see simrun's --disk",
                        disk_bytes());
    slots = wanted / PAGE < SLOTS ? wanted / PAGE : SLOTS - 1;
    first = swap_start() / SECTOR;
    thread_create("pager", PID_KERNEL, THREAD_IS_DAEMON, PRIO_MAIN, ALL_CPUS,
                  pager, 0);
}
