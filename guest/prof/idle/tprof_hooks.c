/* tprof_hooks.c - trace hooks (tprof=on): at each tick of the profiler by time,
 * every trigger=time:, the handler records what it interrupted, the kernel's
 * threads or a program's: program counter, mode, thread and process.
 */
#include "guest/prof/idle/idle.h"

#define MSR_PR 0x4000

static bool wanted;

static bool take_tprof(char *value)
{
    return bootline_choice(value, "on", "off", &wanted);
}
BOOT_WORD(217, take_tprof, "tprof", "off|on");

bool tprof_hooks(void)
{
    return wanted;
}

static void check_tprof(const struct options *o)
{
    (void)o;
    if (wanted && idle_options()->trigger != TRIGGER_TIME)
        bootline_refuse("tprof=on samples by time, give trigger=time:");
}
HOOK(settle, 131, check_tprof);

static void put_hook(struct cpu *c, const struct trap_frame *f)
{
    uint32_t r[TRACE_HEAD + TICK_WORDS], *w = r + TRACE_HEAD;

    record_put_tick_pid(w, c->current->pid);
    record_put_tick_pc(w, f->srr0);
    record_put_tick_mode(w, f->srr1 & MSR_PR ? TICK_USER : TICK_SYSTEM);
    trace_put(c, r, REC_TICK, c->current->tid, TICK_WORDS);
}

static void follow_window(bool open)
{
    if (!wanted)
        return;
    if (open)
        tprof_start(put_hook);
    else
        tprof_stop();
}
HOOK(window, 115, follow_window);
