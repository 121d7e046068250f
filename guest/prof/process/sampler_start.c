/* sampler_start.c - the sampler of processes: the kernel's side.
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

/* ---- its memory and threads ---------------------------------------------- */

static void make_memory(void)
{
    lent_begin(&sampler, PID_PROFILER);
    FOR_CPUS (c)
        areas[c->number] =
            lent_page(&sampler, SAMPLER_PAGES + c->number * PAGE);
}

static void make_thread(const struct cpu *c)
{
    struct task *t;

    text_copy(sampler.name, "sampler.0", NAME_SIZE);
    sampler.name[8] = (char)('0' + c->number);
    t = lent_thread(&sampler, SAMPLER_PAGES + c->number * PAGE,
                    (uint32_t)sampler_process, THREAD_IS_SAMPLER, PRIO_BRIEF,
                    1u << c->number);
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
