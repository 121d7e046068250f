/* state_test.c - a machine that is saved at any cycle and loaded into another
 * one goes on with the same bits: later states byte for byte, memory,
 * registers, counters and accounts among them; console output, all records,
 * length and end of the run. Saving changes nothing. What is damaged, cut off
 * or of another machine is refused, and the line names the section. The cycles
 * are drawn by a seed, which is printed and can be set: SEED. timeout: 600 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/core/timing.h"
#include "sim/host/console.h"
#include "tests/lib/scratch.h"
#include "tests/lib/statebox.h"

#define POINTS 3 /* a run is saved at */
#define FILE_HEADER 32

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 20) % below;
}

/* ---- a run and its points ------------------------------------------------
 */

struct point {
    uint64_t turn;
    struct snap saved;
    size_t read, prints;              /* of the console */
    uint64_t bytes[EXPERIMENT_FILES]; /* of each file of the experiment */
};

struct reference {
    const char *line, *typed;
    char path[600];
    struct statebox *end;
    struct point point[POINTS];
    uint64_t seed;
};

static void complain(const struct reference *r, const struct point *p,
                     const char *what)
{
    fail_msg("simrun %s\n  SEED=%llu, saved at turn %llu: %s", r->line,
             (unsigned long long)r->seed, (unsigned long long)p->turn, what);
}

static uint64_t turns_of(const struct reference *r)
{
    struct statebox *b = statebox_open(r->line, r->typed, scratch_path());
    uint64_t turns;

    statebox_finish(b);
    turns = b->machine.turns;
    assert_true(b->machine.exact);
    assert_true(turns > POINTS);
    r = NULL;
    statebox_close(b);
    return turns;
}

static int by_turn(const void *a, const void *b)
{
    const struct point *p = a, *q = b;

    return p->turn < q->turn ? -1 : p->turn > q->turn;
}

/* What each file of the experiment has by now, on the disk or not. */
static void measure(struct statebox *b, uint64_t bytes[EXPERIMENT_FILES])
{
    for (unsigned n = 0; n < EXPERIMENT_FILES; n++) {
        const struct experiment_file *f = &b->experiment.file[n];

        bytes[n] = b->options.trace
                       ? (uint64_t)lseek(f->fd, 0, SEEK_END) + f->used
                       : 0;
    }
}

/* One run that is saved at its points on the way. */
static void run_reference(struct reference *r)
{
    uint64_t turns = turns_of(r);
    struct statebox *b;

    r->seed = seed;
    for (unsigned n = 0; n < POINTS; n++)
        r->point[n].turn = 1 + draw(turns - 1);
    qsort(r->point, POINTS, sizeof *r->point, by_turn);
    snprintf(r->path, sizeof r->path, "%s", scratch_path());
    b = r->end = statebox_open(r->line, r->typed, r->path);
    for (unsigned n = 0; n < POINTS; n++) {
        struct point *p = &r->point[n];

        statebox_run(b, p->turn);
        p->saved = statebox_save(b);
        p->read = b->read;
        p->prints = b->prints;
        measure(b, p->bytes);
    }
    statebox_finish(b);
    if (b->machine.turns != turns)
        complain(r, &r->point[0], "saving it changed the run");
}

/* ---- going on ------------------------------------------------------------
 */

static struct statebox *load(const struct reference *r, const struct point *p,
                             const char *path)
{
    struct statebox *b = statebox_open(r->line, r->typed, path);
    struct snap s;

    snap_load(&s, p->saved.out.byte, p->saved.out.size);
    statebox_state(&s, b);
    if (!snap_finish(&s))
        complain(r, p, s.why);
    b->read = p->read;
    return b;
}

/* b is in the state that was saved. */
static void same_state(const struct reference *r, const struct point *from,
                       const struct snap *saved, struct statebox *b)
{
    struct snap now = statebox_save(b);
    size_t at = 0, least = now.out.size;
    char what[400], where[300];

    least = saved->out.size < least ? saved->out.size : least;
    while (at < least && now.out.byte[at] == saved->out.byte[at])
        at++;
    if (at < least || now.out.size != saved->out.size) {
        statebox_where(b, at, where, sizeof where);
        snprintf(what, sizeof what, "at turn %llu another state, first in %s",
                 (unsigned long long)b->machine.turns, where);
        complain(r, from, what);
    }
    snap_free(&now);
}

static unsigned char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes;
    long end;

    *size = 0;
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    end = ftell(f);
    rewind(f);
    bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, f);
    fclose(f);
    return bytes;
}

/* The records written since the point are those of the whole run behind it. */
static void same_records(const struct reference *r, const struct point *p,
                         const struct statebox *b, const char *path)
{
    for (unsigned n = 2; b->options.trace && n < EXPERIMENT_FILES; n++) {
        const char *name = b->experiment.file[n].name;
        char whole[700], part[700], what[200];
        size_t all, some, before = p->bytes[n];
        unsigned char *a, *s;

        snprintf(whole, sizeof whole, "%s/%s", r->path, name);
        snprintf(part, sizeof part, "%s/%s", path, name);
        a = read_all(whole, &all);
        s = read_all(part, &some);
        before = before < FILE_HEADER ? FILE_HEADER : before;
        if (all - before != (some ? some - FILE_HEADER : 0) ||
            (some && memcmp(a + before, s + FILE_HEADER, all - before))) {
            snprintf(what, sizeof what, "other records in %s", name);
            complain(r, p, what);
        }
        free(a);
        free(s);
    }
}

static void same_end(const struct reference *r, const struct point *p,
                     const struct statebox *b)
{
    const struct machine *m = &b->machine, *w = &r->end->machine;

    if (m->end != w->end || m->status != w->status || m->cycles != w->cycles ||
        machine_insns(m) != machine_insns(w) || m->culprit != w->culprit)
        complain(r, p, "another end");
    if (!m->exact)
        complain(r, p, "the account does not sum to the cycles");
    if (p->prints + b->prints != r->end->prints ||
        (b->prints &&
         memcmp(r->end->printed + p->prints, b->printed, b->prints)))
        complain(r, p, "another console");
    if (memcmp(m->ram.bytes, w->ram.bytes, m->ram.size))
        complain(r, p, "another memory at the end");
    for (unsigned n = 0; n < m->with.cpus; n++)
        if (memcmp(m->core[n].cpu.gpr, w->core[n].cpu.gpr,
                   sizeof m->core[n].cpu.gpr) ||
            memcmp(m->core[n].pmu.ev.total, w->core[n].pmu.ev.total,
                   sizeof m->core[n].pmu.ev.total))
            complain(r, p, "other registers or totals at the end");
}

/* Loaded at its n-th point, it comes by the states of the points behind. */
static void go_on(const struct reference *r, unsigned n)
{
    const struct point *p = &r->point[n];
    char path[600];
    struct statebox *b;

    snprintf(path, sizeof path, "%s", scratch_path());
    b = load(r, p, path);
    same_state(r, p, &p->saved, b);
    for (unsigned k = n + 1; k < POINTS; k++) {
        statebox_run(b, r->point[k].turn);
        same_state(r, p, &r->point[k].saved, b);
    }
    statebox_finish(b);
    same_end(r, p, b);
    same_records(r, p, b, path);
    statebox_close(b);
}

static void try_line(const char *line, const char *typed)
{
    struct reference r = {.line = line, .typed = typed};
    char command[700];

    run_reference(&r);
    for (unsigned n = 0; n < POINTS; n++)
        go_on(&r, n);
    print_message("%llu cycles, %zu bytes a state: simrun %s\n",
                  (unsigned long long)r.end->machine.cycles,
                  r.point[0].saved.out.size, line);
    for (unsigned n = 0; n < POINTS; n++)
        snap_free(&r.point[n].saved);
    statebox_close(r.end);
    snprintf(command, sizeof command, "rm -rf '%s'/*.exp", scratch_dir());
    assert_int_equal(system(command), 0);
}

/* "%s" of a line becomes the program. */
static void try_program(const char *program, const char *options,
                        const char *typed)
{
    char line[2000];

    snprintf(line, sizeof line, "%s %s", options, program);
    try_line(line, typed);
}

/* ---- bare programs -------------------------------------------------------
 */

/* tests/NAME.c as a program. */
static const char *build(const char *name)
{
    static char path[700];
    char command[2200];

    snprintf(path, sizeof path, "%s/%s.elf", scratch_dir(),
             strchr(name, '/') + 1);
    snprintf(command, sizeof command,
             "[ -f %s ] || powerpc-linux-gnu-gcc -I . -O2 -ffreestanding "
             "-nostdlib -static -Wl,-Ttext-segment=0x10000 -o %s tests/%s.c",
             path, path, name);
    if (system(command))
        fail_msg("%s.c does not compile", name);
    return path;
}

static void processors_share_memory(void **state)
{
    const struct timing *t;

    (void)state;
    for (unsigned k = 0; (t = timing_at(k)); k++)
        for (unsigned cpus = 1; cpus <= 8; cpus++) {
            char options[200];

            snprintf(options, sizeof options, "--mem=2M --mode=%s --cpus=%u%s",
                     t->name, cpus,
                     cpus % 2 ? "" : " --pmu-trace=x --set=account_us=100");
            try_program(build("sim/smp"), options, NULL);
        }
}

static void console_input(void **state)
{
    (void)state;
    try_program(build("sim/echo"), "--mem=2M --cpus=1", "a line, and then.");
    try_program(build("sim/echo"), "--mem=2M --cpus=1 --append=irq --mode=fast",
                "a line, and then.");
}

/* What was read is not read again. */
static void input_goes_on_where_it_stood(void **state)
{
    struct console c;
    struct snap s;
    uint8_t byte;
    FILE *f = tmpfile();
    void *saved;
    size_t size;

    (void)state;
    assert_non_null(f);
    fputs("abcdef", f);
    rewind(f);
    console_init(&c, fileno(f), -1, -1);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(console_get(&c, true, &byte), CONSOLE_BYTE);
    snap_save(&s);
    assert_true(console_state(&s, &c) && snap_finish(&s));
    saved = s.out.byte;
    size = s.out.size;

    lseek(fileno(f), 0, SEEK_SET);
    console_init(&c, fileno(f), -1, -1);
    snap_load(&s, saved, size);
    assert_true(console_state(&s, &c) && snap_finish(&s));
    assert_int_equal(console_get(&c, true, &byte), CONSOLE_BYTE);
    assert_int_equal(byte, 'e');

    console_init(&c, fileno(f), -1, -1); /* at its end */
    snap_load(&s, saved, size);
    assert_false(console_state(&s, &c));
    assert_string_equal(s.why, "saved state, section console: 4 bytes of input "
                               "were read, here are only 0");
    free(saved);
    fclose(f);
}

/* Code that is stored over is decoded again. */
static void made_code(void **state)
{
    (void)state;
    try_program(build("unwind/made"), "--mem=4M --cpus=1", NULL);
    try_program(build("unwind/made"), "--mem=4M --cpus=1 --mode=fast", NULL);
}

/* ---- the guest -----------------------------------------------------------
 */

static const char *guest(void)
{
    static char path[700];

    snprintf(path, sizeof path, "%s/guest.elf", getenv("BUILD"));
    return path;
}

static void guest_samples_itself(void **state)
{
    (void)state;
    try_program(guest(),
                "--mem=64M --cpus=4 --mode=fast --pmu-trace=x "
                "--append=work=txn~n=10~trigger=time:5000",
                NULL);
    try_program(guest(),
                "--mem=64M --cpus=2 --pmu-trace=x "
                "--append=work=txn~n=4~trigger=event:dcache_miss:200~idle=spin",
                NULL);
}

static void guest_marks(void **state)
{
    (void)state;
    try_program(guest(),
                "--mem=64M --cpus=2 --pmu-trace=x "
                "--append=work=txn~n=4~pif=insns:300",
                NULL);
    try_program(guest(),
                "--mem=64M --cpus=2 --mode=fast --pmu-trace=x "
                "--append=work=prodcons~n=4~pif=auto",
                NULL);
    try_program(guest(),
                "--mem=64M --cpus=3 --pmu-trace=x --set=pif_frames=8 "
                "--append=work=txn~n=2~pif=threads",
                NULL);
}

/* Everything of the host's at once, by either carrier of marks. */
static void host_watches(void **state)
{
    static const char *const carriers[] = {
        "--mode=fast --set=pif_carrier=0", "--mode=fast --set=pif_carrier=1",
        "--set=pif_carrier=0 --set=pif_frames=6", "--set=pif_carrier=1"};

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        char options[1000];

        snprintf(options, sizeof options,
                 "--mem=64M --cpus=2 %s --mark=func:txn_stage_lookup=limit:7 "
                 "--mark=func:txn_stage_commit=threshold:10,count "
                 "--range=txn_stage_lookup --sample-insns=200 "
                 "-e hits~=~insn_completed~and~marked "
                 "-e hits:50 -e insn_completed:3000 --switch-stacks "
                 "--append=work=txn~n=3",
                 carriers[n]);
        try_program(guest(), options, NULL);
    }
}

static void runs_that_are_cut(void **state)
{
    (void)state;
    try_program(guest(),
                "--mem=64M --cpus=4 --mode=fast --max-cycles=900001 "
                "--append=work=busy",
                NULL);
    try_program(guest(),
                "--mem=64M --cpus=2 --max-insns=100000 --append=work=busy",
                NULL);
}

/* ---- refusals ------------------------------------------------------------
 */

static const char plain[] = "--mem=2M --mode=fast --cpus=2";

static struct statebox *half_way(const char *options)
{
    char line[2000];
    struct statebox *b;

    snprintf(line, sizeof line, "%s %s", options, build("sim/smp"));
    b = statebox_open(line, NULL, scratch_path());
    statebox_run(b, 20);
    assert_int_equal(b->machine.end, MACHINE_RUNNING);
    return b;
}

/* Load `size` bytes into a machine of these options. True: it takes them. */
static bool takes(const char *options, const void *bytes, size_t size,
                  char why[SNAP_WHY])
{
    char line[2000];
    struct statebox *b;
    struct snap s;
    bool taken;

    snprintf(line, sizeof line, "%s %s", options, build("sim/smp"));
    b = statebox_open(line, NULL, scratch_path());
    snap_load(&s, bytes, size);
    statebox_state(&s, b);
    taken = snap_finish(&s);
    memcpy(why, s.why, SNAP_WHY);
    statebox_close(b);
    return taken;
}

static void refused(const char *options, const struct snap *saved,
                    const char *part)
{
    char why[SNAP_WHY];

    assert_false(takes(options, saved->out.byte, saved->out.size, why));
    if (!strstr(why, part))
        fail_msg("%s: expected \"%s\"", why, part);
}

static void another_machine_is_refused(void **state)
{
    struct statebox *b = half_way(plain);
    struct snap s = statebox_save(b);
    char why[SNAP_WHY];

    (void)state;
    assert_true(takes(plain, s.out.byte, s.out.size, why));
    refused("--mem=2M --mode=fast --cpus=3", &s,
            "section machine/setup: \"cpus 2\" there, \"cpus 3\" here");
    refused("--mem=2M --cpus=2", &s, "\"mode fast\" there");
    refused("--mem=3M --mode=fast --cpus=2", &s, "\"ram 2097152\" there");
    refused("--mem=2M --mode=fast --cpus=2 --set=icache_kb=16", &s,
            "\"knob icache_kb 32\" there, \"knob icache_kb 16\" here");
    refused("--mem=2M --mode=fast --cpus=2 --pmu-trace=x", &s,
            "an experiment is written here, not there");
    snap_free(&s);
    statebox_close(b);
}

static void another_recorder_is_refused(void **state)
{
    struct statebox *b =
        half_way("--mem=2M --mode=fast --cpus=2 --mark=func:work");
    struct snap s = statebox_save(b);

    (void)state;
    refused("--mem=2M --mode=fast --cpus=2 --mark=func:_start", &s,
            "section recorder: there were other marks or ranges of the host");
    snap_free(&s);
    b->autoprofile.kind = AUTOPROFILE_SCAN;
    snap_save(&s);
    assert_false(statebox_state(&s, b));
    assert_non_null(strstr(s.why, "--autoprofile runs a program several "));
    snap_free(&s);
    statebox_close(b);
}

/* Any byte may be wrong, and it may end anywhere. */
static void damage_is_refused(void **state)
{
    struct statebox *b = half_way("--mem=2M --cpus=2");
    struct snap s = statebox_save(b);
    char why[SNAP_WHY];
    uint64_t from = seed;

    (void)state;
    for (unsigned n = 0; n < 60; n++) {
        size_t at = draw(s.out.size);
        uint8_t flip = (uint8_t)(1 + draw(255));

        s.out.byte[at] ^= flip;
        if (takes("--mem=2M --cpus=2", s.out.byte, s.out.size, why))
            fail_msg("SEED=%llu: byte %zu is wrong, and it is taken",
                     (unsigned long long)from, at);
        assert_true(at < 15 || strstr(why, "section "));
        s.out.byte[at] ^= flip;
        at = draw(s.out.size);
        assert_false(takes("--mem=2M --cpus=2", s.out.byte, at, why));
    }
    s.out.byte[0] ^= 1;
    refused("--mem=2M --cpus=2", &s, "not written by this version");
    snap_free(&s);
    statebox_close(b);
}

static void what_has_ended_is_not_saved(void **state)
{
    struct statebox *b = half_way(plain);
    struct snap s;

    (void)state;
    statebox_finish(b);
    snap_save(&s);
    assert_false(statebox_state(&s, b));
    assert_string_equal(
        s.why, "saved state, section machine/setup: the run has ended");
    snap_free(&s);
    statebox_close(b);
}

static cycle_t supervise(void *arg, struct core *c, enum exc e)
{
    (void)arg;
    (void)c;
    (void)e;
    return 1;
}

static void linux_programs_are_not_saved(void **state)
{
    struct statebox *b = half_way(plain);
    struct snap s;

    (void)state;
    b->machine.with.supervisor.enter = supervise;
    snap_save(&s);
    assert_false(statebox_state(&s, b));
    assert_string_equal(s.why,
                        "saved state, section machine/setup: a Linux program's "
                        "open files and threads are the host's, so it cannot "
                        "be saved; a whole system can");
    snap_free(&s);
    statebox_close(b);
}

int main(void)
{
    const char *chosen = getenv("SEED");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processors_share_memory),
        cmocka_unit_test(console_input),
        cmocka_unit_test(input_goes_on_where_it_stood),
        cmocka_unit_test(made_code),
        cmocka_unit_test(guest_samples_itself),
        cmocka_unit_test(guest_marks),
        cmocka_unit_test(host_watches),
        cmocka_unit_test(runs_that_are_cut),
        cmocka_unit_test(another_machine_is_refused),
        cmocka_unit_test(another_recorder_is_refused),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(what_has_ended_is_not_saved),
        cmocka_unit_test(linux_programs_are_not_saved),
    };

    seed = chosen ? strtoull(chosen, NULL, 0) : (uint64_t)time(NULL);
    print_message("SEED=%llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
