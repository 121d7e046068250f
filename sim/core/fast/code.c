/* code.c - see code.h. Host instructions that are not in a stencil - a block's
 * head and its exits - are written down here, for x86-64.
 */
#include "sim/core/fast/code.h"
#include "sim/core/detailed/pipe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "isa/exec/body.h"

#define MEMORY (32u << 20)
/* Whole pages: a host that watches for stores to code does so page by page. */
#define COUNTS                                                                 \
    ((CODE_EXITS * 8u + CODE_EXITS / CODE_GROUP + 8u + 4095u) & ~4095u)
#define BLOCKS (1u << 14)
#define BLOCK_BYTES (BLOCK_INSNS * 1024u) /* no block is larger */

static_assert(offsetof(struct core, cpu) == 0, "stencils take one for other");

/* ---- memory -------------------------------------------------------------- */

bool code_open(struct code *k, bool warm, unsigned ways)
{
    const char *why;

    k->warm = warm;
    k->jumps = 4 * ways;
    k->stencil =
        stencils_read(warm ? STENCILS_OF_WARM : STENCILS_OF_FAST, &why);
    k->memory = k->stencil ? stencil_memory(MEMORY) : NULL;
    k->exit = calloc(CODE_EXITS, sizeof *k->exit);
    k->block = calloc(BLOCKS, sizeof *k->block);
    k->jump = calloc(k->jumps, sizeof *k->jump);
    if (!k->memory || !k->exit || !k->block || !k->jump)
        return false;
    code_clear(k);
    return true;
}

void code_close(struct code *k)
{
    if (k->memory)
        stencil_memory_free(k->memory, MEMORY);
    free(k->stencil);
    free(k->exit);
    free(k->block);
    free(k->jump);
    *k = (struct code){0};
}

void code_clear(struct code *k)
{
    k->count = (uint64_t *)(void *)k->memory;
    k->counted = (uint8_t *)&k->count[CODE_EXITS];
    k->logged = (uint32_t **)(void *)(k->counted + CODE_EXITS / CODE_GROUP);
    *k->logged = k->log;
    k->free = k->memory + COUNTS;
    memset(k->counted, 0, CODE_EXITS / CODE_GROUP);
    k->count[0] = 0;
    k->exits = 1;
    k->blocks = 0;
    memset(k->hash, 0, sizeof k->hash);
    memset(k->page, 0, sizeof k->page);
    for (unsigned m = 0; m < k->jumps; m++)
        for (unsigned n = 0; n < STENCIL_JUMPS; n++)
            k->jump[m][n] = (struct jump){
                .to = 1, .entry = &k->jump[m][n].expected}; /* no address */
}

bool code_full(const struct code *k)
{
    return k->blocks == BLOCKS || k->exits + 3 * BLOCK_INSNS > CODE_EXITS ||
           k->free + BLOCK_BYTES > k->memory + MEMORY;
}

/* ---- writing -------------------------------------------------------------- */

static void byte(struct code *k, unsigned b)
{
    *k->free++ = (uint8_t)b;
}

static void bytes(struct code *k, const char *b, unsigned n)
{
    memcpy(k->free, b, n);
    k->free += n;
}

static void word(struct code *k, uint32_t v)
{
    memcpy(k->free, &v, 4);
    k->free += 4;
}

/* Leave to the dispatcher, which goes on at `to`: struct left is {rsi, to and
 * r8}. */
static void leave(struct code *k, ea_t to)
{
    bytes(k, "\x48\x89\xF0\xBA", 4); /* mov %rsi,%rax; mov $to,%edx */
    word(k, to);
    bytes(k, "\x49\xC1\xE0\x20", 4); /* shl $32,%r8 */
    bytes(k, "\x4C\x09\xC2\xC3", 4); /* or %r8,%rdx; ret */
}

static void leave_to_nia(struct code *k)
{
    bytes(k, "\x48\x89\xF0\x8B\x97", 5); /* mov %rsi,%rax; mov nia,%edx */
    word(k, offsetof(struct cpu, nia));
    bytes(k, "\x49\xC1\xE0\x20", 4);
    bytes(k, "\x4C\x09\xC2\xC3", 4);
}

static unsigned way_of(unsigned mode)
{
    return mode >> CODE_WAY;
}

/* Exit number e is written down. */
static void logged(struct code *k, uint32_t e)
{
    uint8_t *at = (uint8_t *)k->logged;

    bytes(k, "\x48\x8B\x05", 3); /* mov logged,%rax */
    stencil_aim(k->free, at);
    k->free += 4;
    bytes(k, "\xC7\x00", 2); /* movl $e,(%rax) */
    word(k, e);
    bytes(k, "\x48\x83\x05", 3);  /* addq $4,logged */
    stencil_aim(k->free, at - 1); /* a byte follows */
    k->free += 4;
    byte(k, 4);
}

/* Exit number e is counted. */
static void added(struct code *k, uint32_t e)
{
    bytes(k, "\x48\xFF\x05", 3); /* incq count[e] */
    stencil_aim(k->free, (uint8_t *)&k->count[e]);
    k->free += 4;
    bytes(k, "\xC6\x05", 2); /* movb $1,counted[group] */
    stencil_aim(k->free, &k->counted[e / CODE_GROUP] - 1); /* a byte follows */
    k->free += 4;
    byte(k, 1);
}

/* Exit number e is taken. */
static void counted(struct code *k, uint32_t e)
{
    if (k->logs >> way_of(k->exit[e].mode) & 1)
        logged(k, e);
    else
        added(k, e);
    bytes(k, "\x48\x81\xEE", 3); /* sub $length,%rsi */
    word(k, k->exit[e].length);
    bytes(k, "\x41\xB8", 2); /* mov $e,%r8d */
    word(k, e);
}

/* ---- stencils ------------------------------------------------------------- */

/* A block in the making. */
struct making {
    struct code *k;
    struct core *c;
    struct block *b;
    const struct insn *i; /* the instruction at work */
    uint32_t n;           /* ... its place in the block */
    struct {
        uint8_t *at;
        uint32_t n;
    } exit[4 * BLOCK_INSNS], taken[BLOCK_INSNS]; /* distances to be filled in */
    unsigned exits, takens;
    struct group group[BLOCK_INSNS]; /* warm: of each, `size` up to itself */
};

static uint32_t tlb_place(unsigned user, enum tlb_kind kind, ea_t ea)
{
    const struct tlb *t = NULL;

    return (uint32_t)(offsetof(struct core, tlb) + offsetof(struct tlb, entry) +
                      ((user * 3 + kind) * TLB_ENTRIES +
                       (ea >> 12 & (TLB_ENTRIES - 1))) *
                          sizeof t->entry[0][0][0]);
}

static uint32_t wimg_place(unsigned user, enum tlb_kind kind, ea_t ea)
{
    return (uint32_t)(offsetof(struct core, tlb) + offsetof(struct tlb, wimg) +
                      (user * 3 + kind) * TLB_ENTRIES +
                      (ea >> 12 & (TLB_ENTRIES - 1)));
}

static uint32_t near_place(unsigned user, enum tlb_kind kind)
{
    return (uint32_t)(offsetof(struct core, near) +
                      (2 * user + kind) * CORE_NEAR * sizeof(struct core_near));
}

/* The target of the branch that is copied, if its record has it. */
static ea_t target_of(const struct making *m)
{
    return (m->i->c ? 0 : m->b->ea + 4 * m->n) + (uint32_t)m->i->imm;
}

static uint64_t warm_value_of(const struct making *m, enum hole hole)
{
    unsigned user = m->b->mode & 1;

    switch (hole) {
    case HOLE_pa:
        return m->b->pa + 4 * m->n;
    case HOLE_line:
        return m->group[m->n].line;
    case HOLE_recent:
        return cache_recent_place(m->b->pa + 4 * m->n) * sizeof(struct line *);
    case HOLE_group:
        return m->group[m->n].pc;
    case HOLE_filter:
        return predict_filter(m->group[m->n].pc) * sizeof(uint16_t);
    case HOLE_history:
        return ((m->b->ea >> 2) + m->n) & pipe_of(m->c)->predict.bht_mask;
    case HOLE_target:
        return target_of(m);
    case HOLE_wimg_fetch:
        return wimg_place(user, TLB_FETCH, m->b->ea);
    case HOLE_near_load:
        return near_place(user, TLB_LOAD);
    case HOLE_near_store:
        return near_place(user, TLB_STORE);
    case HOLE_load:
        return (uintptr_t)warm_load;
    case HOLE_store:
        return (uintptr_t)warm_store;
    case HOLE_fetched:
        return (uintptr_t)warm_fetched;
    case HOLE_branched:
        return (uintptr_t)warm_branched;
#if STENCILS_HOST
    case HOLE_kept:
        return (uintptr_t)stencil_kept;
    case HOLE_far:
        return (uintptr_t)stencil_far;
#endif
    default:
        assert(!"no value");
        return 0;
    }
}

/* Which table of jumps. */
static unsigned table_of(unsigned mode)
{
    return (mode & 3) + 4 * way_of(mode);
}

static uint64_t value_of(void *of, enum hole hole)
{
    const struct making *m = of;
    const struct insn *i = m->i;
    unsigned user = m->b->mode & 1;
    uint64_t v;

    if (stencil_operand(i, hole, &v))
        return v;
    switch (hole) {
    case HOLE_pc:
        return m->b->ea + 4 * m->n;
    case HOLE_tlb_load:
        return tlb_place(user, TLB_LOAD, 0);
    case HOLE_tlb_store:
        return tlb_place(user, TLB_STORE, 0);
    case HOLE_others:
        return 0xFFu & ~(1u << m->c->number);
    case HOLE_jumps:
        return (uintptr_t)m->k->jump[table_of(m->b->mode)];
    default:
        return warm_value_of(m, hole);
    }
}

/* A jump of the copy at `at`, that leads to `hole`. */
static void flow(void *of, uint8_t *at, enum hole hole, const uint8_t *next)
{
    struct making *m = of;

    if (hole == HOLE_next) {
        stencil_aim(at, next);
    } else if (hole == HOLE_exit) {
        m->exit[m->exits].at = at;
        m->exit[m->exits++].n = m->n;
    } else {
        m->taken[m->takens].at = at;
        m->taken[m->takens++].n = m->n;
    }
}

/* `falls`: what follows. */
static void copy(struct making *m, const struct stencil *s, enum hole falls)
{
    struct stencil_copy how = {value_of, flow, m};

    m->k->free = stencil_put(m->k->free, s, falls, &how);
}

/* ---- exits ----------------------------------------------------------------
 */

static unsigned without_phase(unsigned mode)
{
    return mode & (3u | ~0u << CODE_WAY);
}

static uint32_t exit_new(struct making *m, uint32_t length, ea_t to)
{
    struct code *k = m->k;

    k->exit[k->exits] = (struct exit){.start = m->b->ea,
                                      .pa = m->b->pa,
                                      .length = length,
                                      .to = to,
                                      .mode = without_phase(m->b->mode)};
    if (k->warm && length)
        k->exit[k->exits].group = m->group[length - 1];
    k->count[k->exits] = 0;
    return k->exits++;
}

/* To `to`, behind `length` instructions: out, until it is linked. On another
 * page it is looked whether that is mapped as it was then; no tag of a TLB
 * entry is all ones. */
static void exit_to(struct making *m, uint32_t length, ea_t to)
{
    struct code *k = m->k;
    uint32_t e = exit_new(m, length, to);
    struct exit *x = &k->exit[e];
    uint8_t *out[2];

    x->crosses = m->b->mode & 2 && (to ^ m->b->ea) & ~0xFFFu;
    counted(k, e);
    for (unsigned n = 0; x->crosses && n < 2; n++) {
        bytes(k, "\x81\xBF", 2); /* cmpl $expected,entry */
        word(k, tlb_place(m->b->mode & 1, TLB_FETCH, to) + 4 * n);
        if (n == 0)
            x->check = k->free;
        word(k, 0xFFFFFFFFu);
        bytes(k, "\x0F\x85", 2); /* jne */
        out[n] = k->free;
        word(k, 0);
    }
    if (k->warm) {
        byte(k, 0xBA); /* mov $line,%edx */
        word(k, x->crosses ? 1 : x->group.line);
    }
    byte(k, 0xE9); /* jmp */
    x->link = k->free;
    word(k, 0);
    stencil_aim(x->link, k->free);
    for (unsigned n = 0; x->crosses && n < 2; n++)
        stencil_aim(out[n], k->free);
    leave(k, to);
}

/* To the address in cpu.nia. */
static void exit_to_nia(struct making *m, uint32_t length)
{
    uint32_t e = exit_new(m, length, 0);
    unsigned before = m->exits;

    m->k->exit[e].jumps = true;
    counted(m->k, e);
    copy(m, &m->k->stencil[STENCIL_ID_jump], HOLE_exit);
    while (m->exits > before)
        stencil_aim(m->exit[--m->exits].at, m->k->free);
    leave_to_nia(m->k);
}

/* Instruction n was not run; but if it begins a line that was asked for. */
static void asked_for(const struct making *m, struct exit *x, uint32_t n)
{
    pa_t line = m->group[n].line;

    if (n == 0 || line != m->group[n - 1].line)
        x->group = (struct group){.next = 1, .line = line};
}

static void aside_behind(struct making *m, uint32_t n)
{
    uint32_t e = exit_new(m, n, m->b->ea + 4 * n);

    if (m->k->warm)
        asked_for(m, &m->k->exit[e], n);
    counted(m->k, e);
}

/* Of no instruction, so it is not counted. */
static void aside_first(struct making *m)
{
    struct code *k = m->k;
    uint32_t e = exit_new(m, 0, m->b->ea);

    asked_for(m, &k->exit[e], 0);
    bytes(k, "\xC7\x05", 2); /* movl $e,count[0] */
    stencil_aim(k->free, (uint8_t *)k->count - 4);
    k->free += 4;
    word(k, e);
}

const struct exit *code_aside(struct code *k)
{
    uint64_t e = k->count[0];

    k->count[0] = 0;
    return e ? &k->exit[e] : NULL;
}

/* The interpreter has to run instruction number n. */
static const uint8_t *exit_aside(struct making *m, uint32_t n)
{
    const uint8_t *at = m->k->free;

    if (n)
        aside_behind(m, n);
    else if (m->k->warm && !(m->b->mode >> 2))
        aside_first(m);
    leave(m->k, m->b->ea + 4 * n);
    return at;
}

/* ---- blocks ---------------------------------------------------------------
 */

static bool always(const struct insn *i)
{
    return i->op == OP_B || (i->d & 0x14) == 0x14;
}

/* Warm: instruction n is fetched, as warm.c's grouped() has it. The line of the
 * first one may be that of the instruction before it, which edx has. */
static void fetch_one(struct making *m)
{
    struct code *k = m->k;
    ea_t pc = m->b->ea + 4 * m->n;
    pa_t line = cache_line(&pipe_of(m->c)->tags.icache, m->b->pa + 4 * m->n);
    unsigned phase = m->b->mode >> 2;
    struct group *g = &m->group[m->n];
    uint8_t *same = NULL;

    *g = (struct group){.pc = pc, .next = pc + 4, .line = line, .size = 1};
    if (m->n == 0 && phase) {
        g->pc -= 4 * phase;
        g->size += phase;
        return;
    }
    if (m->n && line == g[-1].line) {
        if (g[-1].size < m->c->with.params->fetch_width) {
            g->pc = g[-1].pc;
            g->size = g[-1].size + 1;
        }
        return;
    }
    if (m->n == 0) {
        bytes(k, "\x81\xFA", 2); /* cmp $line,%edx; je */
        word(k, line);
        bytes(k, "\x0F\x84", 2);
        same = k->free;
        word(k, 0);
    }
    copy(m, &k->stencil[m->n ? STENCIL_ID_line : STENCIL_ID_page], HOLE_next);
    if (same)
        stencil_aim(same, k->free);
}

/* Copy the instructions, up to the first that has no stencil or always
 * branches. False: the flow does not go past them. */
static bool copy_all(struct making *m)
{
    struct block *b = m->b;
    uint32_t most = (0x1000 - (b->ea & 0xFFF)) / 4;
    uint32_t stop = (m->c->stop_pc - b->ea) / 4; /* huge: none behind ea */
    bool goes_on = true;

    if (most > BLOCK_INSNS)
        most = BLOCK_INSNS;
    if (most > stop && m->c->stop_pc % 4 == 0)
        most = stop;
    for (m->n = 0; goes_on && m->n < most; m->n++) {
        enum stencil_kind kind;
        enum stencil_id id;

        if (scaled_apart(fast_of(m->c), b->ea + 4 * m->n))
            break;
        m->i = decode_cache_place(m->c->with.decoded, b->pa + 4 * m->n);
        id = stencil_of(m->i, &kind);
        if (kind == STENCIL_NONE || m->i->flags & runs_end(fast_of(m->c)))
            break;
        if (m->k->warm)
            fetch_one(m);
        goes_on =
            (kind != STENCIL_BRANCH && kind != STENCIL_JUMP) || !always(m->i);
        copy(m, &m->k->stencil[id], goes_on ? HOLE_next : HOLE_taken);
        if (m->k->warm && goes_on && m->i->flags & INSN_BRANCH)
            copy(m, &m->k->stencil[STENCIL_ID_passed], HOLE_next);
        b->length++;
    }
    return goes_on;
}

static enum stencil_id taught_by(const struct insn *i)
{
    bool conditional = i->flags & INSN_COND;

    if (i->flags & INSN_INDIRECT)
        return conditional ? STENCIL_ID_jumped_if : STENCIL_ID_jumped;
    return conditional ? STENCIL_ID_taken_if : STENCIL_ID_taken;
}

/* The branch at number n is taken. */
static void exit_taken(struct making *m, uint32_t n)
{
    const struct insn *i =
        decode_cache_place(m->c->with.decoded, m->b->pa + 4 * n);

    m->n = n;
    m->i = i;
    if (m->k->warm)
        copy(m, &m->k->stencil[taught_by(i)], HOLE_next);
    if (i->flags & INSN_INDIRECT)
        exit_to_nia(m, n + 1);
    else
        exit_to(m, n + 1, target_of(m));
}

/* Behind the instructions: the exits. */
static void exits_make(struct making *m, bool goes_on, uint8_t *head)
{
    struct code *k = m->k;
    struct block *b = m->b;
    const uint8_t *aside = NULL;
    uint32_t of = UINT32_MAX;

    if (goes_on)
        exit_to(m, b->length, b->ea + 4 * b->length);
    else if (m->takens == 0 || m->taken[m->takens - 1].n != b->length - 1)
        exit_taken(m, b->length - 1); /* it falls there */
    for (unsigned t = 0; t < m->takens; t++) {
        stencil_aim(m->taken[t].at, k->free);
        exit_taken(m, m->taken[t].n);
    }
    for (unsigned x = 0; x < m->exits; x++) {
        if (m->exit[x].n != of)
            aside = exit_aside(m, of = m->exit[x].n);
        stencil_aim(m->exit[x].at, aside);
    }
    b->head_exit = k->free;
    leave(k, b->ea);
    stencil_aim(head, b->head_exit);
}

static void enter_block(struct code *k, struct block *b)
{
    struct block **h = &k->hash[b->ea >> 2 & (CODE_HASH - 1)];
    struct block **p = &k->page[b->pa >> 12 & (CODE_HASH - 1)];

    b->same_hash = *h;
    *h = b;
    b->same_page = *p;
    *p = b;
}

struct block *code_make(struct code *k, struct core *c, ea_t ea, pa_t pa,
                        unsigned mode)
{
    struct block *b = &k->block[k->blocks];
    struct making m = {.k = k, .c = c, .b = b};
    uint8_t *length, *head;
    bool goes_on;

    *b = (struct block){.ea = ea, .pa = pa, .mode = mode, .code = k->free};
    bytes(k, "\x48\x81\xFE", 3); /* cmp $length,%rsi */
    length = k->free;
    word(k, 0);
    bytes(k, "\x0F\x8C", 2); /* jl */
    head = k->free;
    word(k, 0);
    goes_on = copy_all(&m);
    if (!b->length) {
        k->free = b->code;
        return NULL;
    }
    memcpy(length, &b->length, 4);
    exits_make(&m, goes_on, head);
    k->free += -(uintptr_t)k->free & 15;
    k->blocks++;
    enter_block(k, b);
    return b;
}

struct block *code_find(struct code *k, ea_t ea, pa_t pa, unsigned mode)
{
    struct block *b = k->hash[ea >> 2 & (CODE_HASH - 1)];

    while (b && (b->ea != ea || b->pa != pa || b->mode != mode))
        b = b->same_hash;
    return b;
}

/* ---- forgetting ----------------------------------------------------------- */

/* Those that lead to it find its head, which now leads out. */
static void kill(struct code *k, struct block *b)
{
    struct block **h = &k->hash[b->ea >> 2 & (CODE_HASH - 1)];

    while (*h != b)
        h = &(*h)->same_hash;
    *h = b->same_hash;
    b->code[0] = 0xE9;
    stencil_aim(b->code + 1, b->head_exit);
}

void code_forget(struct code *k, pa_t pa, unsigned size)
{
    uint64_t end = (uint64_t)pa + size;

    for (uint64_t page = pa >> 12; page <= (end - 1) >> 12; page++) {
        struct block **at = &k->page[page & (CODE_HASH - 1)];

        while (*at) {
            struct block *b = *at;

            if (b->pa < end && b->pa + 4 * b->length > (pa & ~3u)) {
                *at = b->same_page;
                kill(k, b);
            } else {
                at = &b->same_page;
            }
        }
    }
}

/* ---- links ---------------------------------------------------------------- */

static uint64_t fetch_entry(const struct core *c, const struct block *b)
{
    uint64_t v;

    memcpy(&v, (const char *)c + tlb_place(b->mode & 1, TLB_FETCH, b->ea), 8);
    return v;
}

static void link_jump(struct code *k, struct core *c, const struct block *b)
{
    struct jump *j =
        &k->jump[table_of(b->mode)][b->ea >> 2 & (STENCIL_JUMPS - 1)];
    bool translated = b->mode & 2;

    j->to = b->ea;
    j->expected = translated ? fetch_entry(c, b) : 0;
    j->entry = &j->expected;
    if (translated)
        j->entry =
            (const uint64_t *)(const void *)((const char *)c +
                                             tlb_place(b->mode & 1, TLB_FETCH,
                                                       b->ea));
    memcpy(&j->code, &b->code, sizeof j->code);
}

void code_link(struct code *k, struct core *c, uint32_t e,
               const struct block *b)
{
    struct exit *x = &k->exit[e];
    uint64_t entry = fetch_entry(c, b);

    if (x->mode != without_phase(b->mode))
        return;
    if (x->jumps && c->cpu.pc == b->ea && b->mode == without_phase(b->mode))
        link_jump(k, c, b);
    if (!x->link || x->to != b->ea)
        return;
    if (x->crosses) {
        memcpy(x->check, &entry, 4); /* tag, then page */
        memcpy(x->check + 16, (const char *)&entry + 4, 4);
    } else if (x->mode & 2 && (x->pa ^ b->pa) & ~0xFFFu) {
        return;
    }
    stencil_aim(x->link, b->code);
}
