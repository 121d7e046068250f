/* access_test.c - a watchpoint is met in front of the access, so what an
 * instruction is about to touch is worked out before it runs. Here every
 * instruction of two programs is asked first and compared with what it then
 * did: the guest, and one with every load and store there is. timeout: 300 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/table.h"
#include "sim/gdb/stub.h"
#include "tests/lib/scratch.h"
#include "sim/core/timing.h"

/* Addresses that cross words, double words and lines. */
static const char program[] =
    ".globl _start\n_start: lis 5,2\nori 5,5,0x1d\nli 6,3\nmfmsr 0\n"
    "ori 0,0,0x2000\nmtmsr 0\nisync\n"
    "lbz 7,1(5)\nlbzx 7,5,6\nlhz 7,2(5)\nlhzx 7,5,6\nlha 7,1(5)\nlhax 7,5,6\n"
    "lwz 7,0(5)\nlwzx 7,5,6\nlhbrx 7,5,6\nlwbrx 7,0,5\n"
    "stb 7,1(5)\nstbx 7,5,6\nsth 7,2(5)\nsthx 7,5,6\nstw 7,-8(5)\n"
    "stwx 7,5,6\nsthbrx 7,5,6\nstwbrx 7,0,5\n"
    "mr 8,5\nlbzu 7,1(8)\nlbzux 7,8,6\nlhzu 7,2(8)\nlhzux 7,8,6\n"
    "lhau 7,-2(8)\nlhaux 7,8,6\nlwzu 7,4(8)\nlwzux 7,8,6\n"
    "stbu 7,1(8)\nstbux 7,8,6\nsthu 7,2(8)\nsthux 7,8,6\nstwu 7,4(8)\n"
    "stwux 7,8,6\n"
    "lis 9,2\nlmw 20,8(9)\nstmw 25,64(9)\nlswi 20,5,11\nlswi 20,5,32\n"
    "stswi 20,5,7\nli 10,13\nmtxer 10\nlswx 20,5,6\nstswx 20,0,5\n"
    "li 10,0\nmtxer 10\nlswx 20,5,6\nstswx 20,5,6\n"
    "lwarx 7,0,9\nstwcx. 7,0,9\nstwcx. 7,0,9\n"
    "lfs 1,4(9)\nlfsx 1,9,9\nlfd 1,8(9)\nlfdx 1,0,9\n"
    "stfs 1,4(9)\nstfsx 1,0,9\nstfd 1,8(9)\nstfdx 1,0,9\nstfiwx 1,0,9\n"
    "mr 8,9\nlfsu 1,4(8)\nlfdu 1,4(8)\nstfsu 1,8(8)\nstfdu 1,16(8)\n"
    "li 10,8\nlfsux 1,8,10\nlfdux 1,8,10\nstfsux 1,8,10\nstfdux 1,8,10\n"
    "dcbz 5,6\ndcbt 5,6\ndcbst 5,6\n"
    "li 3,0\nblr\n";

struct check {
    bool expected;
    struct gdb_watch what;
    struct insn insn;
    unsigned long done;
    uint8_t seen[OP_COUNT];
};

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct check *k = (struct check *)arg + c->number;

    (void)at;
    k->insn = *i;
    k->expected = point_access(&c->cpu, i, &k->what);
    return false;
}

/* The bytes from the first to the last that was loaded or stored. */
static bool touched(const struct step *s, struct gdb_watch *w)
{
    uint64_t from = UINT64_MAX, to = 0;

    for (unsigned n = 0; n < s->accesses; n++) {
        const struct access *a = &s->access[n];
        bool store = a->kind == ACCESS_STORE || a->kind == ACCESS_DCBZ;

        if (!store && a->kind != ACCESS_LOAD)
            continue;
        w->kind = store ? GDB_WRITE : GDB_READ;
        from = a->ea < from ? a->ea : from;
        to = (uint64_t)a->ea + a->size > to ? (uint64_t)a->ea + a->size : to;
    }
    w->from = (ea_t)from;
    w->size = (uint32_t)(to - from);
    return to > 0;
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct check *k = (struct check *)arg + c->number;
    struct gdb_watch did;
    bool any = touched(&c->cpu.step, &did);

    (void)at;
    (void)done;
    k->seen[k->insn.op] = 1;
    if (k->insn.op == OP_STWCX && !any)
        return false; /* the reservation was gone: nothing was stored */
    if (any != k->expected ||
        (any && (did.from != k->what.from || did.size != k->what.size ||
                 did.kind != k->what.kind))) {
        fprintf(stderr, "%s at %08x: touched %08x+%u, expected %08x+%u\n",
                table_row(k->insn.op)->name, pc, did.from, did.size,
                k->what.from, k->what.size);
        abort();
    }
    k->done += any;
    return false;
}

/* Run it all; checks for every processor. */
static void run(const char *path, struct check check[MACHINE_CPUS])
{
    struct machine *m = calloc(1, sizeof *m);
    struct observer o = {.arg = check, .before = before, .after = after};
    struct image image;
    struct machine_setup setup = {
        .timing = &timing_fast,
        .cpus = 4,
        .ram = 64u << 20,
        .args = "work=prodcons n=50",
        .image = &image,
    };
    char why[512];

    memset(check, 0, MACHINE_CPUS * sizeof *check);
    params_default(&setup.params);
    assert_true(image_open(&image, path, IMAGE_BARE, why, sizeof why));
    assert_true(machine_init(m, &setup, why, sizeof why));
    machine_observe(m, &o, true);
    machine_run(m);
    assert_int_equal(m->status, 0);
    assert_true(m->end == MACHINE_POWER || m->end == MACHINE_RETURN);
    machine_free(m);
    image_close(&image);
    free(m);
}

static void in_the_guest(void **state)
{
    static struct check check[MACHINE_CPUS];
    char path[4096];

    (void)state;
    snprintf(path, sizeof path, "%s/guest.elf", getenv("BUILD"));
    run(path, check);
    for (unsigned n = 0; n < 4; n++)
        assert_true(check[n].done > 20000);
}

static void of_every_kind(void **state)
{
    static struct check check[MACHINE_CPUS];
    char path[600], command[2000];
    FILE *f;

    (void)state;
    snprintf(path, sizeof path, "%s/access.S", scratch_dir());
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(program, f);
    fclose(f);
    snprintf(command, sizeof command,
             "powerpc-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x10000 "
             "-mregnames -Wl,--build-id=none -o %.*s.elf %s",
             (int)strlen(path) - 2, path, path);
    assert_int_equal(system(command), 0);
    snprintf(path + strlen(path) - 2, 5, ".elf");
    run(path, check);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const struct row *r = table_row(op);

        if (r->flags & (INSN_LOAD | INSN_STORE) && !check[0].seen[op] &&
            op != OP_ECIWX && op != OP_ECOWX)
            fail_msg("%s was not tried", r->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_every_kind),
        cmocka_unit_test(in_the_guest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
