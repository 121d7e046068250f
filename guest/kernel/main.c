/* main.c - the boot list of CPU 0, and the short one of the others. */
#include "guest/kernel/hook.h"

void main(void)
{
    cpu_init(0);      /* this CPU has a number */
    console_init();   /* words reach the outside */
    machine_init();   /* how many CPUs, which clock */
    bootline_parse(); /* what shall run, and what watches it */
    kalloc_init();    /* memory for stacks */
    pic_init();       /* interrupts have a way in */
    thread_init();    /* this stack is thread "main"; every CPU has an idle */
    cpus_start();     /* the other CPUs join and idle */
    FOR_TABLE (hook, start)
        (*hook)(); /* what watches is ready */
    irq_restore(MSR_RUN | MSR_EE);
    FOR_TABLE (hook, system)
        (*hook)(); /* user processes, if they are asked for; else a workload */
    panic("nothing that could run is linked into this kernel");
}

/* CPU `number` was released: its stack is its idle thread's. */
void main_secondary(uint32_t number)
{
    cpu_init(number);
    pic_cpu_init();
    thread_run_idle(this_cpu());
    idle_loop();
}
