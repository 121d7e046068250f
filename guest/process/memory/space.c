/* space.c - address spaces: regions by address, and what maps, unmaps and
 * protects them. Pages are page.c's.
 */
#include "guest/process/mm.h"

#define SPACES 512

static struct pool regions = {.size = sizeof(struct region)};
static struct pool spaces = {.size = sizeof(struct space)};
static struct mutex lock;         /* behind any space's own */
static struct space *all[SPACES]; /* lock; by number, which is 1 or more */

struct space *space_new(void)
{
    struct space *s = pool_take(&spaces);
    uint32_t number = 1;

    if (!s)
        return NULL;
    s->table = (uint32_t **)frame_take();
    mutex_lock(&lock);
    while (number < SPACES && all[number])
        number++;
    if (s->table && number < SPACES) {
        s->users = 1;
        s->number = number;
        all[number] = s;
    }
    mutex_unlock(&lock);
    if (s->number)
        return s;
    if (s->table)
        frame_drop((uint32_t)s->table);
    pool_give(&spaces, s);
    return NULL;
}

struct space *space_store(uint32_t start, uint32_t bytes,
                          const struct region *like)
{
    struct space *s = space_new();
    int32_t error;

    if (!s)
        return NULL;
    mutex_lock(&s->lock);
    s->store = true;
    error = space_map(s, start, bytes, like);
    mutex_unlock(&s->lock);
    if (!error)
        return s;
    space_free(s);
    return NULL;
}

void space_keep(struct space *s)
{
    atomic_add(&s->users, 1);
}

void space_wait_alone(struct space *s)
{
    uint32_t msr = sched_lock();

    while (s->users > 1)
        thread_block(&s->alone);
    sched_unlock(msr);
}

void space_free(struct space *s)
{
    uint32_t msr = sched_lock();
    bool last = atomic_add(&s->users, 0xFFFFFFFF) == 1;

    while (!last && thread_wake(&s->alone))
        continue;
    sched_unlock(msr);
    if (!last)
        return;
    mutex_lock(&s->lock);
    space_unmap(s, 0, USER_END);
    mutex_unlock(&s->lock);
    mutex_lock(&lock);
    all[s->number] = NULL;
    mutex_unlock(&lock);
    for (uint32_t n = 0; n < PAGE / 4; n++) {
        if (s->table[n])
            frame_drop((uint32_t)s->table[n]);
    }
    frame_drop((uint32_t)s->table);
    pool_give(&spaces, s);
}

/* The space of a number, with a user more; NULL: there is none. */
static struct space *space_at(uint32_t number)
{
    struct space *s;
    uint32_t users;

    mutex_lock(&lock);
    s = all[number];
    do
        users = s ? s->users : 0;
    while (users && atomic_swap_if(&s->users, users, users + 1) != users);
    mutex_unlock(&lock);
    return users ? s : NULL;
}

bool spaces_sweep(uint32_t wanted)
{
    static uint32_t number, at; /* the hand of the clock: the pager's alone */
    bool enough = false;

    /* Twice around clears all reference bits; the third time all can go, then
     * what was shared. */
    for (uint32_t n = 0; n < 4 * SPACES && !enough; n++) {
        struct space *s = space_at(number);

        if (s) {
            mutex_lock(&s->lock);
            enough = pages_out(s, &at, &wanted);
            mutex_unlock(&s->lock);
            space_free(s);
        }
        if (!enough) {
            number = (number + 1) % SPACES;
            at = 0;
        }
    }
    return enough;
}

struct region *space_region(const struct space *s, uint32_t at)
{
    struct region *r = s->regions;

    while (r && r->end <= at)
        r = r->next;
    return r && r->start <= at ? r : NULL;
}

/* NULL: no memory. */
static struct region *region_copy(const struct region *r)
{
    struct region *copy = pool_take(&regions);

    if (copy)
        *copy = *r;
    if (copy && r->store)
        space_keep(r->store);
    return copy;
}

/* The part of r from `at` on becomes a region of its own. False: no memory. */
static bool split(struct region *r, uint32_t at)
{
    struct region *rest;
    uint32_t skip = at - r->start;

    if (at <= r->start || at >= r->end)
        return true;
    rest = region_copy(r);
    if (!rest)
        return false;
    rest->start = at;
    rest->place += skip;
    rest->bytes = r->bytes > skip ? r->bytes - skip : 0;
    rest->origin = rest->bytes ? r->origin + skip : NULL;
    r->end = at;
    if (r->bytes > skip)
        r->bytes = skip;
    r->next = rest;
    return true;
}

/* Let regions begin and end at the bounds of the range. */
static bool cut(struct space *s, uint32_t start, uint32_t end)
{
    for (struct region *r = s->regions; r; r = r->next) {
        if (!split(r, start) || !split(r, end))
            return false;
    }
    return true;
}

static bool range_good(uint32_t start, uint32_t length)
{
    return !(start & PAGE_MASK) && !(length & PAGE_MASK) && length &&
           start <= USER_END && length <= USER_END - start;
}

static int32_t unmap(struct space *s, uint32_t start, uint32_t end)
{
    struct region **place = &s->regions;

    if (!cut(s, start, end))
        return -ENOMEM;
    while (*place) {
        struct region *r = *place;

        if (r->start < start || r->end > end) {
            place = &r->next;
            continue;
        }
        pages_drop(s, r->start, r->end);
        *place = r->next;
        if (r->store)
            space_free(r->store);
        pool_give(&regions, r);
    }
    return 0;
}

int32_t space_unmap(struct space *s, uint32_t start, uint32_t length)
{
    return range_good(start, length) ? unmap(s, start, start + length)
                                     : -EINVAL;
}

/* Zeros that go on where others of the same kind end need no region more. */
static bool merge(struct region *before, const struct region *r)
{
    if (!before || before->end != r->start || before->may != r->may ||
        before->shared || r->shared || r->bounded || before->origin ||
        r->origin || before->store || r->store)
        return false;
    before->end = r->end;
    return true;
}

static int32_t map(struct space *s, const struct region *like)
{
    struct region **place = &s->regions, *before = NULL, *r;
    int32_t error = unmap(s, like->start, like->end);

    if (error)
        return error;
    while (*place && (*place)->start < like->start) {
        before = *place;
        place = &before->next;
    }
    if (merge(before, like))
        return 0;
    r = region_copy(like);
    if (!r)
        return -ENOMEM;
    r->next = *place;
    *place = r;
    return 0;
}

int32_t space_map(struct space *s, uint32_t start, uint32_t length,
                  const struct region *like)
{
    struct region r = *like;

    if (!range_good(start, length) || start < USER_LOWEST)
        return -EINVAL;
    r.start = start;
    r.end = start + length;
    return map(s, &r);
}

int32_t space_protect(struct space *s, uint32_t start, uint32_t length,
                      uint32_t may)
{
    uint32_t end = start + length;

    if (!range_good(start, length))
        return -EINVAL;
    for (uint32_t at = start; at < end;) {
        const struct region *r = space_region(s, at);

        if (!r)
            return -ENOMEM;
        at = r->end;
    }
    if (!cut(s, start, end))
        return -ENOMEM;
    for (struct region *r = s->regions; r; r = r->next) {
        if (r->start >= start && r->end <= end)
            r->may = may;
    }
    pages_ask(s, start, end);
    return 0;
}

uint32_t space_gap(const struct space *s, uint32_t length)
{
    uint32_t from = USER_LOWEST, best = 0;

    for (const struct region *r = s->regions;; r = r->next) {
        uint32_t to = r && r->start < MAP_TOP ? r->start : MAP_TOP;

        if (to > from && to - from >= length)
            best = to - length;
        if (!r || r->start >= MAP_TOP)
            return best;
        from = r->end;
    }
}

static bool is_free(const struct space *s, uint32_t start, uint32_t end)
{
    for (const struct region *r = s->regions; r; r = r->next) {
        if (r->start < end && r->end > start)
            return false;
    }
    return start < end && end <= MAP_TOP;
}

/* The whole of [at, at + length) lies in r; more bytes are wanted. */
static int32_t grow(struct space *s, const struct region *r, uint32_t at,
                    uint32_t length, uint32_t wish, bool may_move)
{
    struct region more = *r;
    int32_t error;

    if (!r->origin && !r->store && at + length == r->end &&
        is_free(s, r->end, at + wish) && at + wish > at) {
        more.start = r->end;
        more.end = at + wish;
        error = map(s, &more);
        return error ? error : (int32_t)at;
    }
    more.start = may_move && !r->origin && !r->store ? space_gap(s, wish) : 0;
    if (!more.start)
        return -ENOMEM;
    more.end = more.start + wish;
    error = map(s, &more);
    if (!error && !pages_move(s, at, more.start, length))
        error = -ENOMEM;
    if (!error)
        error = unmap(s, at, at + length);
    return error ? error : (int32_t)more.start;
}

int32_t space_move(struct space *s, uint32_t at, uint32_t length, uint32_t wish,
                   bool may_move)
{
    const struct region *r;
    int32_t error = -EFAULT;

    if (!range_good(at, length) || !range_good(0, wish))
        return -EINVAL;
    r = space_region(s, at);
    if (r && r->end - at >= length)
        error = wish > length ? grow(s, r, at, length, wish, may_move)
                              : (int32_t)at;
    if (error == (int32_t)at && wish < length &&
        unmap(s, at + wish, at + length))
        error = -ENOMEM;
    return error;
}

/* False: it cannot be had. */
static bool brk_move(struct space *s, uint32_t to)
{
    uint32_t old = WHOLE_PAGES(s->brk);
    uint32_t new = WHOLE_PAGES(to);
    struct region r = {.start = old, .end = new, .may = MAY_READ | MAY_WRITE};

    if (to < s->brk_start || to >= MAP_TOP)
        return false;
    if (new < old)
        return unmap(s, new, old) == 0;
    return new == old || (is_free(s, old, new) && map(s, &r) == 0);
}

uint32_t space_brk(struct space *s, uint32_t to)
{
    if (to && brk_move(s, to))
        s->brk = to;
    return s->brk;
}

/* Both locks are held: the copy is not known to any other thread yet. */
static bool copy_regions(struct space *from, struct space *to)
{
    struct region **place = &to->regions;

    for (const struct region *r = from->regions; r; r = r->next) {
        struct region *mine = region_copy(r);

        if (!mine)
            return false;
        mine->next = NULL;
        *place = mine;
        place = &mine->next;
        if (!pages_share(from, to, r))
            return false;
    }
    return true;
}

struct space *space_copy(struct space *from)
{
    struct space *to = space_new();
    bool good;

    if (!to)
        return NULL;
    mutex_lock(&from->lock);
    to->brk_start = from->brk_start;
    to->brk = from->brk;
    to->marks = from->marks;
    good = copy_regions(from, to);
    mutex_unlock(&from->lock);
    if (good)
        return to;
    space_free(to);
    return NULL;
}

/* The user's key is on: an entry's PP tells read-only pages from others. */
#define SEGMENT_KEY 0x20000000u

void space_load(const struct space *s)
{
    for (uint32_t n = 0; n < 16; n++)
        __asm__ volatile("mtsrin %0,%1"
                         :
                         : "r"(SEGMENT_KEY | hash_vsid(s->number, n)),
                           "r"(n << 28)
                         : "memory");
    __asm__ volatile("isync" : : : "memory");
}
