/* micro.c - see micro.h. */
#include "tools/analysis/states/micro.h"

#include "include/record.h"

#define VECTOR_DATA 0x300
#define VECTOR_TEXT 0x400
#define VECTOR_CALL 0xc00

static const struct {
    const char *key, *heading;
    enum micro_time time;
} micro_states[MICRO_STATES] = {
    [MICRO_USER] = {"user", "user", MICRO_TIME_USER_CPU},
    [MICRO_SYSTEM] = {"system", "system", MICRO_TIME_SYSTEM_CPU},
    [MICRO_TRAP] = {"trap", "trap", MICRO_TIME_SYSTEM_CPU},
    [MICRO_TEXT_FAULT] = {"tfault", "text\nfault", MICRO_TIME_TEXT_FAULT},
    [MICRO_DATA_FAULT] = {"dfault", "data\nfault", MICRO_TIME_DATA_FAULT},
    [MICRO_KERNEL_FAULT] = {"kfault", "kernel\nfault", MICRO_TIME_OTHER_WAIT},
    [MICRO_USER_LOCK] = {"user_lock", "lock", MICRO_TIME_USER_LOCK},
    [MICRO_SLEEP] = {"sleep", "sleep", MICRO_TIME_OTHER_WAIT},
    [MICRO_STOPPED] = {"stopped", "stopped", MICRO_TIME_OTHER_WAIT},
    [MICRO_WAIT_CPU] = {"wait_cpu", "wait\nCPU", MICRO_TIME_WAIT_CPU},
};

static const struct {
    const char *key, *heading;
} times[MICRO_TIMES] = {
    [MICRO_TIME_USER_CPU] = {"user_cpu", "user\nCPU"},
    [MICRO_TIME_SYSTEM_CPU] = {"system_cpu", "system\nCPU"},
    [MICRO_TIME_WAIT_CPU] = {"wait_cpu", "wait\nCPU"},
    [MICRO_TIME_USER_LOCK] = {"user_lock", "lock"},
    [MICRO_TIME_TEXT_FAULT] = {"text_fault", "text\nfault"},
    [MICRO_TIME_DATA_FAULT] = {"data_fault", "data\nfault"},
    [MICRO_TIME_OTHER_WAIT] = {"other_wait", "other\nwait"},
};

static enum micro runs_system(uint32_t vector)
{
    switch (vector) {
    case 0: /* a thread of the kernel's own */
    case VECTOR_CALL:
    case VECTOR_DATA:
    case VECTOR_TEXT:
        return MICRO_SYSTEM;
    default:
        return MICRO_TRAP;
    }
}

enum micro micro_of(uint32_t state, uint32_t vector)
{
    switch (state) {
    case STATE_USER:
        return MICRO_USER;
    case STATE_SYSTEM:
        return runs_system(vector);
    case STATE_SPINNING:
        return MICRO_USER_LOCK;
    case STATE_RUNNABLE:
        return MICRO_WAIT_CPU;
    case STATE_STOPPED:
        return MICRO_STOPPED;
    default:
        break;
    }
    if (vector == VECTOR_TEXT)
        return MICRO_TEXT_FAULT;
    if (vector == VECTOR_DATA)
        return MICRO_DATA_FAULT;
    return state == STATE_PAGE   ? MICRO_KERNEL_FAULT
           : state == STATE_LOCK ? MICRO_USER_LOCK
                                 : MICRO_SLEEP;
}

const char *micro_key(enum micro m)
{
    return micro_states[m].key;
}

const char *micro_heading(enum micro m)
{
    return micro_states[m].heading;
}

enum micro_time micro_time_of(enum micro m)
{
    return micro_states[m].time;
}

const char *micro_time_key(enum micro_time t)
{
    return times[t].key;
}

const char *micro_time_heading(enum micro_time t)
{
    return times[t].heading;
}
