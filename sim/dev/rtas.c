/* rtas.c - the firmware's services. See rtas.h. */
#define _DEFAULT_SOURCE
#include <time.h>

#include "include/board.h"
#include "lib/base/big_endian.h"
#include "lib/base/snap.h"
#include "sim/dev/rtas.h"

#define WORDS_MAX 16 /* arguments and results together */
#define HEAD 3       /* words before them */
#define NANOSECONDS UINT64_C(1000000000)

enum { DONE = 0, NO_SUCH_CALL = -1, BAD_PARAMETER = -3 }; /* 7.2.8 */

struct call {
    uint32_t token, nargs, nrets;
    int32_t word[WORDS_MAX]; /* arguments, then results */
};

void rtas_code(uint32_t code[RTAS_CODE_WORDS])
{
    code[0] = 0x3C800000 | (uint32_t)BOARD_RTAS >> 16;      /* lis r4 */
    code[1] = 0x60840000 | ((uint32_t)BOARD_RTAS & 0xFFFF); /* ori r4,r4 */
    code[2] = 0x90640000;                                   /* stw r3,0(r4) */
    code[3] = 0x4E800020;                                   /* blr */
}

static uint32_t get(const struct rtas *r, uint32_t pa)
{
    return be_get32(r->memory.bytes + pa);
}

static void put(const struct rtas *r, uint32_t pa, uint32_t word)
{
    be_put32(r->memory.bytes + pa, word);
}

/* The block at pa. False: it is not in memory, or makes no sense. */
static bool read_call(const struct rtas *r, uint32_t pa, uint64_t at,
                      struct call *c)
{
    uint32_t room = (HEAD + WORDS_MAX) * 4;

    if (pa % 4 || r->memory.size < room || pa > r->memory.size - room)
        return false;
    r->memory.touch(r->memory.arg, pa, room, false, at);
    c->token = get(r, pa);
    c->nargs = get(r, pa + 4);
    c->nrets = get(r, pa + 8);
    if (c->nargs > WORDS_MAX || c->nrets > WORDS_MAX - c->nargs || !c->nrets)
        return false;
    for (unsigned k = 0; k < WORDS_MAX; k++)
        c->word[k] = (int32_t)get(r, pa + (HEAD + k) * 4);
    return true;
}

static void answer(const struct rtas *r, uint32_t pa, uint64_t at,
                   const struct call *c)
{
    uint32_t from = pa + (HEAD + c->nargs) * 4;

    for (unsigned k = 0; k < c->nrets; k++)
        put(r, from + 4 * k, (uint32_t)c->word[c->nargs + k]);
    r->memory.touch(r->memory.arg, from, 4 * c->nrets, true, at);
}

static int32_t get_time(const struct rtas *r, uint64_t at, struct call *c)
{
    time_t now = (time_t)(r->epoch + (int64_t)(at / r->clock));
    int32_t *to = &c->word[c->nargs + 1];
    struct tm t;

    if (c->nargs != 0 || c->nrets != 8 || !gmtime_r(&now, &t))
        return BAD_PARAMETER;
    to[0] = t.tm_year + 1900;
    to[1] = t.tm_mon + 1;
    to[2] = t.tm_mday;
    to[3] = t.tm_hour;
    to[4] = t.tm_min;
    to[5] = t.tm_sec;
    to[6] = (int32_t)(at % r->clock * NANOSECONDS / r->clock);
    return DONE;
}

static int32_t set_time(struct rtas *r, uint64_t at, const struct call *c)
{
    const int32_t *from = c->word;
    struct tm t;

    if (c->nargs != 7 || from[0] < 1900 || from[0] > 9999 || from[1] < 1 ||
        from[1] > 12 || from[2] < 1 || from[2] > 31 || from[3] < 0 ||
        from[3] > 23 || from[4] < 0 || from[4] > 59 || from[5] < 0 ||
        from[5] > 60)
        return BAD_PARAMETER;
    t = (struct tm){.tm_year = from[0] - 1900,
                    .tm_mon = from[1] - 1,
                    .tm_mday = from[2],
                    .tm_hour = from[3],
                    .tm_min = from[4],
                    .tm_sec = from[5]};
    r->epoch = (int64_t)timegm(&t) - (int64_t)(at / r->clock);
    return DONE;
}

static int32_t serve(struct rtas *r, uint64_t at, struct call *c)
{
    switch (c->token) {
    case RTAS_POWER_OFF:
    case RTAS_REBOOT:
        r->off(r->arg, 0, at);
        return DONE;
    case RTAS_GET_TIME:
        return get_time(r, at, c);
    case RTAS_SET_TIME:
        return set_time(r, at, c);
    default:
        return NO_SUCH_CALL;
    }
}

bool rtas_load(void *rtas, const struct io_access *a, uint32_t *value)
{
    (void)rtas;
    *value = 0;
    return a->size == 4 && a->offset == 0;
}

bool rtas_store(void *rtas, const struct io_access *a, uint32_t value)
{
    struct rtas *r = rtas;
    struct call c;

    if (a->size != 4 || a->offset != 0)
        return false;
    if (!read_call(r, value, a->at, &c))
        return true; /* nowhere to say so */
    c.word[c.nargs] = serve(r, a->at, &c);
    answer(r, value, a->at, &c);
    return true;
}

bool rtas_state(struct snap *s, struct rtas *r)
{
    snap_begin(s, "rtas", 1);
    SNAP(s, r->epoch);
    SNAP_SAME(s, r->clock);
    SNAP_SKIP(s, r->memory, "wired by machine_init");
    SNAP_SKIP(s, r->arg, "wired by machine_init");
    SNAP_SKIP(s, r->off, "wired by machine_init");
    return snap_end(s);
}
