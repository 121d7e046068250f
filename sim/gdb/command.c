/* command.c - the packets that a debugger sends, and our answers.
 * An unknown packet is answered by an empty one, as the protocol says; one
 * that makes no sense by E01, one that asks for what is not there by E14.
 */
#include <stdio.h>
#include <string.h>

#include "sim/gdb/stub.h"

#define READ_MAX (LINK_PACKET / 2 - 16) /* bytes of one m packet */

/* One kind of packet: its beginning, and what is done with the rest. */
struct command {
    const char *name;
    int (*run)(struct gdb *g, struct scan *s);
};

/* ---- threads ------------------------------------------------------------- */

/* A thread number: 1 up; 0 is any, -1 all, which *cpu shows as MACHINE_CPUS. */
static bool scan_thread(const struct gdb *g, struct scan *s, unsigned *cpu)
{
    uint32_t thread;

    *cpu = MACHINE_CPUS;
    if (scan_text(s, "-1"))
        return true;
    if (!scan_word(s, &thread) || thread > g->machine->with.cpus)
        return false;
    if (thread)
        *cpu = thread - 1;
    return true;
}

static int set_thread(struct gdb *g, struct scan *s)
{
    bool registers = scan_char(s, 'g');
    unsigned cpu;

    if ((!registers && !scan_char(s, 'c')) || !scan_thread(g, s, &cpu) ||
        !scan_over(s))
        return BAD;
    if (!registers)
        g->resumed = cpu;
    else if (cpu < MACHINE_CPUS)
        g->chosen = cpu;
    reply_add(g, "OK");
    return DONE;
}

static int is_alive(struct gdb *g, struct scan *s)
{
    unsigned cpu;

    if (!scan_thread(g, s, &cpu) || !scan_over(s) || cpu == MACHINE_CPUS)
        return BAD;
    reply_add(g, "OK");
    return DONE;
}

static int list_more(struct gdb *g, struct scan *s)
{
    (void)s;
    if (g->listed >= g->machine->with.cpus) {
        reply_add(g, "l");
        return DONE;
    }
    reply_add(g, "m%x", ++g->listed);
    while (g->listed < g->machine->with.cpus)
        reply_add(g, ",%x", ++g->listed);
    return DONE;
}

static int list_first(struct gdb *g, struct scan *s)
{
    g->listed = 0;
    return list_more(g, s);
}

static int which_thread(struct gdb *g, struct scan *s)
{
    (void)s;
    reply_add(g, "QC%x", g->chosen + 1);
    return DONE;
}

static int describe_thread(struct gdb *g, struct scan *s)
{
    char text[64];
    unsigned cpu;

    if (!scan_thread(g, s, &cpu) || cpu == MACHINE_CPUS)
        return BAD;
    snprintf(text, sizeof text, "CPU %u, %s, context %u", cpu,
             core_state_name(&g->machine->core[cpu]),
             g->machine->core[cpu].context);
    reply_hex(g, text, strlen(text));
    return DONE;
}

/* ---- why it stands still ------------------------------------------------- */

/* The signal that ended a run badly, in gdb's own numbers: they are those of
 * another system than the program's. */
static unsigned end_signal(const struct machine *m)
{
    static const uint8_t numbers[] = {6, /* none was sent: as abort */
                                      1, 2,  3,  4,  5,  6,  10, 8,
                                      9, 30, 11, 31, 13, 14, 15};

    return m->signal < sizeof numbers ? numbers[m->signal] : 143;
}

static void report_end(struct gdb *g)
{
    const struct machine *m = g->machine;

    switch (m->end) {
    case MACHINE_POWER:
    case MACHINE_EXIT:
    case MACHINE_RETURN:
        if (m->signal)
            reply_add(g, "X%02x", end_signal(m));
        else
            reply_add(g, "W%02x", m->status & 0xFF);
        break;
    case MACHINE_CHECKSTOP:
    case MACHINE_ASLEEP:
        reply_add(g, "X%02x", end_signal(m));
        break;
    default:
        reply_add(g, "X0f"); /* a limit, or the host */
        break;
    }
}

static void report_stop(struct gdb *g)
{
    const struct gdb_stop *s = &g->stop;
    static const char *const watched[] = {
        [GDB_WRITE] = "watch", [GDB_READ] = "rwatch", [GDB_ACCESS] = "awatch"};

    reply_add(g, "T%02xthread:%x;",
              s->why == STOP_INTERRUPT ? 2u
              : s->why == STOP_END     ? end_signal(g->machine)
                                       : 5u,
              s->cpu + 1);
    if (s->why == STOP_BREAK)
        reply_add(g, "%s:;", s->kind == GDB_SOFT ? "swbreak" : "hwbreak");
    if (s->why == STOP_WATCH)
        reply_add(g, "%s:%x;", watched[s->kind], s->ea);
    reply_add(g, "%x:", REGS_PC);
    reply_word(g, regs_read(g, s->cpu, REGS_PC), 4);
    reply_add(g, ";1:");
    reply_word(g, regs_read(g, s->cpu, 1), 4);
    reply_add(g, ";");
}

static int report(struct gdb *g, struct scan *s)
{
    (void)s;
    if (g->machine->end != MACHINE_RUNNING && g->stop.why != STOP_END)
        report_end(g);
    else
        report_stop(g);
    return DONE;
}

void command_report(struct gdb *g)
{
    g->used = 0;
    report(g, NULL);
    reply_send(g);
}

/* ---- registers and memory ------------------------------------------------ */

static int read_all(struct gdb *g, struct scan *s)
{
    (void)s;
    for (unsigned n = 0; n < regs_count(); n++)
        reply_word(g, regs_read(g, g->chosen, n), regs_size(n));
    return DONE;
}

static uint64_t big_endian(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;

    while (size--)
        value = value << 8 | *bytes++;
    return value;
}

/* What cannot be written stays as it is: the debugger sends everything. */
static int write_all(struct gdb *g, struct scan *s)
{
    uint8_t bytes[8];
    unsigned n;

    for (n = 0; n < regs_count() && !scan_over(s); n++) {
        if (!scan_bytes(s, bytes, regs_size(n)))
            return BAD;
        regs_write(g, g->chosen, n, big_endian(bytes, regs_size(n)));
    }
    reply_add(g, "OK");
    return DONE;
}

static int read_one(struct gdb *g, struct scan *s)
{
    uint32_t n;

    if (!scan_word(s, &n) || !scan_over(s))
        return BAD;
    if (n >= regs_count())
        return NOTHING_THERE;
    reply_word(g, regs_read(g, g->chosen, n), regs_size(n));
    return DONE;
}

static int write_one(struct gdb *g, struct scan *s)
{
    uint8_t bytes[8];
    uint32_t n;

    if (!scan_word(s, &n) || !scan_char(s, '='))
        return BAD;
    if (n >= regs_count())
        return NOTHING_THERE;
    if (!scan_bytes(s, bytes, regs_size(n)) || !scan_over(s))
        return BAD;
    if (!regs_write(g, g->chosen, n, big_endian(bytes, regs_size(n))))
        return NOTHING_THERE;
    reply_add(g, "OK");
    return DONE;
}

static int read_memory(struct gdb *g, struct scan *s)
{
    uint8_t bytes[READ_MAX];
    uint32_t ea, size;

    if (!scan_range(s, &ea, &size) || !scan_over(s))
        return BAD;
    if (size > sizeof bytes)
        size = sizeof bytes; /* it asks for the rest */
    if (!memory_read(g, g->chosen, ea, bytes, size))
        return NOTHING_THERE;
    reply_hex(g, bytes, size);
    return DONE;
}

static int store(struct gdb *g, uint32_t ea, const uint8_t *bytes,
                 uint32_t size)
{
    if (!memory_write(g, g->chosen, ea, bytes, size))
        return NOTHING_THERE;
    reply_add(g, "OK");
    return DONE;
}

static int write_memory(struct gdb *g, struct scan *s)
{
    uint8_t bytes[LINK_PACKET / 2];
    uint32_t ea, size;

    if (!scan_range(s, &ea, &size) || !scan_char(s, ':') ||
        size > sizeof bytes || !scan_bytes(s, bytes, size) || !scan_over(s))
        return BAD;
    return store(g, ea, bytes, size);
}

static int write_binary(struct gdb *g, struct scan *s)
{
    uint32_t ea, size;

    if (!scan_range(s, &ea, &size) || !scan_char(s, ':') ||
        (size_t)(s->end - s->at) != size)
        return BAD;
    return store(g, ea, s->at, size);
}

/* ---- going on ------------------------------------------------------------ */

/* c, s, C and S: an address may follow, from which to go on. */
static int go_on(struct gdb *g, struct scan *s, bool step, bool with_signal)
{
    unsigned cpu = g->resumed < MACHINE_CPUS ? g->resumed : g->stop.cpu;
    uint32_t ignored, pc;

    if (with_signal && !scan_word(s, &ignored))
        return BAD;
    if (with_signal && !scan_over(s) && !scan_char(s, ';'))
        return BAD;
    if (!scan_over(s)) {
        if (!scan_word(s, &pc) || !scan_over(s))
            return BAD;
        regs_write(g, cpu, REGS_PC, pc);
    }
    g->stepping = step ? 1u << cpu : 0;
    g->ranging = 0;
    return GO_ON;
}

static int go(struct gdb *g, struct scan *s)
{
    return go_on(g, s, false, false);
}

static int step(struct gdb *g, struct scan *s)
{
    return go_on(g, s, true, false);
}

static int go_signal(struct gdb *g, struct scan *s)
{
    return go_on(g, s, false, true);
}

static int step_signal(struct gdb *g, struct scan *s)
{
    return go_on(g, s, true, true);
}

/* What one action of vCont asks for. */
struct action {
    bool steps, ranges;
    uint32_t from, to;
};

static bool scan_action(struct scan *s, struct action *a)
{
    uint32_t ignored;

    *a = (struct action){0};
    if (scan_char(s, 'c'))
        return true;
    if (scan_char(s, 'C'))
        return scan_word(s, &ignored);
    a->steps = true;
    if (scan_char(s, 's'))
        return true;
    if (scan_char(s, 'S'))
        return scan_word(s, &ignored);
    a->ranges = true;
    return scan_char(s, 'r') && scan_word(s, &a->from) && scan_char(s, ',') &&
           scan_word(s, &a->to);
}

/* The first action that names a thread is the one that holds for it; one
 * without a name holds for all that are left. Time is one for all: processors
 * that were told nothing go on as well. */
static int resume_each(struct gdb *g, struct scan *s)
{
    uint32_t left = (1u << g->machine->with.cpus) - 1, steps = 0, ranges = 0;

    while (scan_char(s, ';')) {
        unsigned cpu = MACHINE_CPUS;
        struct action a;
        uint32_t whom;

        if (!scan_action(s, &a) ||
            (scan_char(s, ':') && !scan_thread(g, s, &cpu)))
            return BAD;
        whom = left & (cpu < MACHINE_CPUS ? 1u << cpu : ~0u);
        left &= ~whom;
        steps |= a.steps ? whom : 0;
        ranges |= a.ranges ? whom : 0;
        for (unsigned n = 0; n < g->machine->with.cpus; n++)
            if (a.ranges && whom >> n & 1) {
                g->range_from[n] = a.from;
                g->range_to[n] = a.to;
            }
    }
    if (!scan_over(s))
        return BAD;
    g->stepping = steps;
    g->ranging = ranges;
    return GO_ON;
}

static int resume_how(struct gdb *g, struct scan *s)
{
    (void)s;
    reply_add(g, "vCont;c;C;s;S;r");
    return DONE;
}

static int kill_machine(struct gdb *g, struct scan *s)
{
    if (!scan_over(s))
        reply_add(g, "OK"); /* vKill wants to hear of it, k does not */
    g->killed = true;
    return DONE;
}

static int detach(struct gdb *g, struct scan *s)
{
    (void)s;
    reply_add(g, "OK");
    reply_send(g);
    link_drop(&g->link);
    g->nbreaks = g->nwatches = 0;
    g->stepping = g->ranging = 0;
    return GO_ON;
}

/* ---- queries ------------------------------------------------------------- */

static int supported(struct gdb *g, struct scan *s)
{
    (void)s;
    reply_add(g,
              "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;"
              "vContSupported+;swbreak+;hwbreak+",
              LINK_PACKET);
    return DONE;
}

static int no_ack(struct gdb *g, struct scan *s)
{
    (void)s;
    reply_add(g, "OK");
    g->link.no_ack = true;
    return DONE;
}

static int attached(struct gdb *g, struct scan *s)
{
    (void)s;
    reply_add(g, "1");
    return DONE;
}

static int features(struct gdb *g, struct scan *s)
{
    char text[32768];
    size_t length = regs_describe(text, sizeof text);
    uint32_t from, size;

    if (length >= sizeof text || !scan_range(s, &from, &size) || !scan_over(s))
        return BAD;
    if (from > length)
        return BAD;
    if (size > LINK_PACKET - 2)
        size = LINK_PACKET - 2;
    reply_add(g, "%s%.*s", from + size < length ? "m" : "l", (int)size,
              text + from);
    return DONE;
}

/* How far a position-independent program was moved. */
static int offsets(struct gdb *g, struct scan *s)
{
    const struct image *i = g->machine->with.image;

    (void)s;
    if (i->relocatable)
        reply_add(g, "TextSeg=%x", i->bias);
    return DONE;
}

static int monitor(struct gdb *g, struct scan *s)
{
    size_t length = (size_t)(s->end - s->at) / 2;
    char line[256];

    if (length >= sizeof line)
        return BAD;
    if (!scan_bytes(s, (uint8_t *)line, length) || !scan_over(s))
        return BAD;
    line[length] = '\0';
    monitor_run(g, line);
    reply_add(g, "OK");
    return DONE;
}

/* The longer of two that begin alike stands first. */
static const struct command commands[] = {
    {"?", report},
    {"c", go},
    {"C", go_signal},
    {"D", detach},
    {"g", read_all},
    {"G", write_all},
    {"H", set_thread},
    {"k", kill_machine},
    {"m", read_memory},
    {"M", write_memory},
    {"p", read_one},
    {"P", write_one},
    {"qAttached", attached},
    {"qC", which_thread},
    {"qfThreadInfo", list_first},
    {"qOffsets", offsets},
    {"qRcmd,", monitor},
    {"qsThreadInfo", list_more},
    {"qSupported", supported},
    {"qThreadExtraInfo,", describe_thread},
    {"QStartNoAckMode", no_ack},
    {"qXfer:features:read:target.xml:", features},
    {"s", step},
    {"S", step_signal},
    {"T", is_alive},
    {"vCont?", resume_how},
    {"vCont", resume_each},
    {"vKill", kill_machine},
    {"X", write_binary},
    {"z", point_remove},
    {"Z", point_insert},
};

#define COMMANDS (sizeof commands / sizeof *commands)

/* qC begins like qCRC, which we do not know. */
static bool is_exact(const struct command *c)
{
    return c->run == which_thread || c->run == attached || c->run == report ||
           c->run == read_all || c->run == list_first || c->run == list_more ||
           c->run == no_ack || c->run == offsets || c->run == resume_how;
}

static int run(struct gdb *g)
{
    for (unsigned k = 0; k < COMMANDS; k++) {
        struct scan s = {g->link.data, g->link.data + g->link.size};

        if (scan_text(&s, commands[k].name) &&
            (!is_exact(&commands[k]) || scan_over(&s)))
            return commands[k].run(g, &s);
    }
    return DONE; /* an empty answer: unknown */
}

bool command_run(struct gdb *g)
{
    int answer;

    g->used = 0;
    answer = run(g);
    if (answer == GO_ON)
        return true;
    if (answer != DONE) {
        g->used = 0;
        reply_add(g, answer == BAD ? "E01" : "E14");
    }
    if (!g->killed || g->used)
        reply_send(g);
    return false;
}
