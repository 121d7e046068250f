/* sampler_start.c - the sampler of processes: the kernel's side. The process
 * has no place in the table of processes, so that programs neither see nor
 * signal it; its memory is the kernel's own pages, which are never out.
 */
#include "guest/prof/idle/idle.h"
#include "guest/prof/process/process_prof.h"
#include "guest/prof/sampler/sampler.h"

#define STEP 20000 /* cycles between two looks whether all have registered */

static struct process sampler;
static struct sampler_area *areas[MAX_CPUS];
static volatile uint32_t ready; /* a bit for each CPU whose thread is there */

_Static_assert(SAMPLER_FRAMES == STACK_DEPTH, "sampler.h");
_Static_assert(sizeof(struct sampler_area) < PAGE / 2, "its stack is behind");

/* ---- what it asks for ---------------------------------------------------- */

/* What the sample is of, for the thread to see. */
static void show_sample(const struct idle_cpu *i, struct sampler_area *a)
{
    a->thread = i->area.tid;
    a->process = i->area.pid;
    a->kind = i->area.kind;
    a->ahead = i->left;
}

static void show_stack(const struct idle_cpu *i, struct sampler_area *a)
{
    memcpy(a->pcs, i->pcs, i->depth * sizeof *a->pcs);
    a->depth = i->depth;
}

static int32_t serve(struct cpu *c, uint32_t what)
{
    struct sampler_area *a = areas[c->number];

    switch (what) {
    case SAMPLER_REGISTER:
        atomic_add(&ready, 1u << c->number);
        return 0;
    case SAMPLER_WAIT:
        sample_wait(c);
        show_sample(idle_cpu(c), a);
        return 0;
    case SAMPLER_CAPTURE:
        sample_capture(c);
        show_stack(idle_cpu(c), a);
        return 0;
    case SAMPLER_RELEASE:
        sample_release(c);
        return 0;
    case SAMPLER_RECORD:
        sample_record(c);
        return 0;
    case SAMPLER_AHEAD:
        return precapture_step(c);
    case SAMPLER_COMPLETE:
        sample_complete(c);
        return 0;
    default:
        return -EINVAL;
    }
}

/* The thread is pinned, so that its CPU is its own. */
static bool sampler_call(struct task *t, uint32_t number, const uint32_t *a,
                         int32_t *result)
{
    if (number != CALL_SAMPLER || t->process != &sampler)
        return false;
    *result = serve(this_cpu(), a[0]);
    return true;
}
HOOK(call, 110, sampler_call);

/* ---- its memory ---------------------------------------------------------- */

/* Pages that are shared do not go out. The place of the first one in memory,
 * where it stays. */
static uint32_t make_pages(uint32_t start, uint32_t end, uint32_t doing,
                           const struct region *like)
{
    uint32_t first = 0;

    if (space_map(sampler.space, start, end - start, like))
        panic("the sampler has no memory");
    for (uint32_t at = start; at < end; at += PAGE) {
        uint32_t place = page_lock(sampler.space, at, doing);

        if (!place)
            panic("the sampler has no memory");
        mutex_unlock(&sampler.space->lock);
        first = first ? first : place;
    }
    return first;
}

static void make_memory(void)
{
    struct region text = {.may = MAY_READ | MAY_RUN,
                          .shared = true,
                          .origin = (const uint8_t *)lent_text,
                          .bytes = (uint32_t)(lent_text_end - lent_text)};
    struct region area = {.may = MAY_READ | MAY_WRITE, .shared = true};

    sampler.number = PID_PROFILER;
    sampler.state = PROCESS_LIVE;
    sampler.space = space_new();
    if (!sampler.space)
        panic("the sampler has no memory");
    make_pages((uint32_t)lent_text, (uint32_t)lent_text_end, MAY_READ, &text);
    FOR_CPUS (c) {
        uint32_t at = SAMPLER_PAGES + c->number * PAGE;

        areas[c->number] =
            (struct sampler_area *)make_pages(at, at + PAGE, MAY_WRITE, &area);
    }
}

/* ---- its threads --------------------------------------------------------- */

static void make_thread(const struct cpu *c)
{
    struct user_frame start = {.r1 = SAMPLER_PAGES + (c->number + 1) * PAGE};
    struct task *t;

    start.r1 -= 64;
    start.trap.srr0 = (uint32_t)sampler_process;
    start.trap.srr1 = MSR_USER;
    start.trap.r3_r12[0] = SAMPLER_PAGES + c->number * PAGE;
    text_copy(sampler.name, "sampler.0", NAME_SIZE);
    sampler.name[8] = (char)('0' + c->number);
    t = task_new_as(&sampler, &start, THREAD_IS_SAMPLER, PRIO_BRIEF,
                    1u << c->number);
    if (!t)
        panic("the sampler has no threads");
    idle_cpu(c)->sampler = t->thread;
    task_start(t);
}

/* All have registered before anything is sampled: their first pages are
 * entered then, and each waits. */
static void sampler_begin(bool open)
{
    const struct idle_options *o = idle_options();

    if (!open || !options()->program || (!o->to_idle && !o->from_idle))
        return;
    make_memory();
    FOR_CPUS (c)
        make_thread(c);
    while (ready != (1u << machine_cpus()) - 1)
        thread_sleep(STEP);
}
HOOK(window, 105, sampler_begin);
