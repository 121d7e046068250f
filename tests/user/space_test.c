/* space_test.c - the address space of a user program against a model that is
 * nothing but two arrays: random mapping, protecting, unmapping, moving, and
 * every access answered by the machine's own search of the page table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/mmu.h"
#include "isa/insn.h"
#include "sim/user/mm/space.h"

#define PAGE 4096u
#define PAGES 96u
#define LOW 0x20000000u /* two segments: 64 pages in one, 32 in the next */
#define STEPS 40000

struct model {
    bool mapped[PAGES];
    unsigned prot[PAGES];
    uint32_t value[PAGES]; /* first word of the page */
};

struct bench {
    struct ram ram;
    uint8_t code_page[(4u << 20) >> 12];
    struct space space;
    struct model model;
    struct cpu cpu;
    struct port port;
    struct tlb tlb;
    struct reservations reservations;
};

static ea_t at(unsigned page)
{
    return page < 64 ? 0x2FFC0000u + page * PAGE
                     : 0x30000000u + (page - 64) * PAGE;
}

static void changed(void *arg)
{
    struct bench *b = arg;

    tlb_clear(&b->tlb);
}

static void stored(void *arg, pa_t pa, unsigned size)
{
    const struct bench *b = arg;

    assert_true(pa + size <= b->ram.size);
}

static void loaded(void *arg, pa_t pa, unsigned size)
{
    const struct bench *b = arg;

    assert_true(pa + size <= b->ram.size && pa % PAGE + size <= PAGE);
}

static void msr_changed(void *arg, uint32_t old, uint32_t now)
{
    (void)arg, (void)old, (void)now;
}

static void set_up(struct bench *b)
{
    const char *why;

    memset(b, 0, sizeof *b);
    assert_true(ram_init(&b->ram, 4u << 20, &why));
    assert_true(space_init(&b->space, &b->ram));
    b->space.arg = b;
    b->space.changed = changed;
    b->space.stored = stored;
    b->space.loaded = loaded;
    b->port = (struct port){.world = b,
                            .ram = b->ram.bytes,
                            .ram_size = b->ram.size,
                            .code_page = b->code_page,
                            .line_bytes = 32,
                            .reservations = &b->reservations,
                            .msr_changed = msr_changed,
                            .tlb = &b->tlb};
    b->cpu.port = &b->port;
    b->cpu.msr = MSR_PR | MSR_IR | MSR_DR;
    b->cpu.sdr1 = space_sdr1(&b->space);
    for (unsigned n = 0; n < 16; n++)
        b->cpu.sr[n] = 0x20000000u | (b->space.vsid + n);
}

/* What a program would see: the machine translates, the system repairs. */
static bool reach(struct bench *b, ea_t ea, bool store, pa_t *pa)
{
    for (int tries = 0; tries < 2; tries++) {
        if (mmu_data(&b->cpu, ea, store, pa) == EXC_NONE)
            return true;
        if (!(b->cpu.cause & 0x40000000u) ||
            space_fault(&b->space, ea, store ? SPACE_WRITE : SPACE_READ) !=
                FAULT_FIXED)
            return false;
    }
    fail_msg("a repaired page is not found");
    return false;
}

static void check_access(struct bench *b, unsigned page)
{
    struct model *m = &b->model;
    bool reads = m->mapped[page] && m->prot[page];
    bool writes = m->mapped[page] && m->prot[page] & SPACE_WRITE;
    uint32_t word, next = (uint32_t)rand();
    pa_t pa;

    assert_int_equal(reach(b, at(page), false, &pa), reads);
    if (reads) {
        memcpy(&word, b->ram.bytes + pa, 4);
        assert_int_equal(word, m->value[page]);
    }
    assert_int_equal(space_read(&b->space, at(page), &word, 4), reads);
    if (rand() % 2)
        return;
    assert_int_equal(reach(b, at(page), true, &pa), writes);
    if (writes) {
        memcpy(b->ram.bytes + pa, &next, 4);
        m->value[page] = next;
    }
    next++;
    assert_int_equal(space_write(&b->space, at(page), &next, 4), writes);
    if (writes)
        m->value[page] = next;
}

/* Ranges stay within one of the two runs of pages that the model knows. */
static void change(struct bench *b)
{
    struct model *m = &b->model;
    unsigned page = (unsigned)rand() % PAGES;
    unsigned n = 1 + (unsigned)rand() % 12, prot = (unsigned)rand() % 8;
    bool whole = true;

    if (page + n > PAGES)
        n = PAGES - page;
    for (unsigned i = page; i < page + n; i++)
        whole = whole && m->mapped[i];
    switch (rand() % 4) {
    case 0:
        assert_int_equal(
            space_map(&b->space, at(page), n * PAGE, prot, false, -1, 0), 0);
        for (unsigned i = page; i < page + n; i++) {
            m->mapped[i] = true;
            m->prot[i] = prot;
            m->value[i] = 0;
        }
        break;
    case 1:
        assert_int_equal(space_unmap(&b->space, at(page), n * PAGE), 0);
        for (unsigned i = page; i < page + n; i++)
            m->mapped[i] = false;
        break;
    case 2:
        assert_int_equal(
            space_protect(&b->space, at(page), n * PAGE, prot) == 0, whole);
        for (unsigned i = page; whole && i < page + n; i++)
            m->prot[i] = prot;
        break;
    default:
        assert_int_equal(space_discard(&b->space, at(page), n * PAGE) == 0,
                         whole);
        for (unsigned i = page; whole && i < page + n; i++)
            m->value[i] = 0;
    }
}

static void space_agrees_with_its_model(void **state)
{
    struct bench *b = malloc(sizeof *b);

    (void)state;
    srand(5);
    set_up(b);
    for (unsigned step = 0; step < STEPS; step++) {
        if (rand() % 8 == 0)
            change(b);
        check_access(b, (unsigned)rand() % PAGES);
    }
    space_free(&b->space);
    ram_free(&b->ram);
    free(b);
}

/* More pages than the table has entries for: they take turns. */
static void pages_take_turns_in_a_full_table(void **state)
{
    struct bench *b = malloc(sizeof *b);
    unsigned pages = 600;
    pa_t pa;

    (void)state;
    set_up(b);
    /* every 1024th page of a segment hashes to one group: 16 entries */
    for (unsigned n = 0; n < 60; n++)
        assert_int_equal(space_map(&b->space, 0x40000000u + n * (PAGE << 10),
                                   PAGE, SPACE_READ | SPACE_WRITE, false, -1,
                                   0),
                         0);
    for (unsigned n = 0; n < pages; n++) {
        ea_t ea = 0x40000000u + n % 60 * (PAGE << 10);
        uint32_t word;

        assert_true(reach(b, ea, true, &pa));
        memcpy(&word, b->ram.bytes + pa, 4);
        assert_int_equal(word, n < 60 ? 0 : n - 60);
        word = n;
        memcpy(b->ram.bytes + pa, &word, 4);
        tlb_clear(&b->tlb);
    }
    space_free(&b->space);
    ram_free(&b->ram);
    free(b);
}

static void memory_that_runs_out_is_said(void **state)
{
    struct bench *b = malloc(sizeof *b);
    enum fault f = FAULT_FIXED;

    (void)state;
    set_up(b);
    assert_int_equal(
        space_map(&b->space, 0x50000000u, 8u << 20, SPACE_WRITE, false, -1, 0),
        0);
    for (ea_t ea = 0x50000000u; f == FAULT_FIXED && ea < 0x50800000u;
         ea += PAGE)
        f = space_fault(&b->space, ea, SPACE_WRITE);
    assert_int_equal(f, FAULT_ROOM);
    assert_int_equal(space_unmap(&b->space, 0x50000000u, 4u << 20), 0);
    assert_int_equal(space_fault(&b->space, 0x50700000u, SPACE_WRITE),
                     FAULT_FIXED);
    space_free(&b->space);
    ram_free(&b->ram);
    free(b);
}

#define HOLES 600u /* pages in which places are looked for */
#define TOP (LOW + HOLES * PAGE)

/* The highest run of n free pages, by looking at each. 0: none. */
static ea_t highest(const bool *mapped, unsigned n)
{
    unsigned run = 0;

    for (unsigned page = HOLES; page-- > 0;) {
        run = mapped[page] ? 0 : run + 1;
        if (run == n)
            return LOW + page * PAGE;
    }
    return 0;
}

/* Everything below the pages is taken, so that what is found is among them. */
static void places_are_the_highest_free_ones(void **state)
{
    struct bench *b = malloc(sizeof *b);
    bool mapped[HOLES] = {0};

    (void)state;
    srand(6);
    set_up(b);
    assert_int_equal(space_map(&b->space, SPACE_LOW, LOW - SPACE_LOW,
                               SPACE_READ, false, -1, 0),
                     0);
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned n = 1 + (unsigned)rand() % (rand() % 8 ? 6 : 90);
        unsigned page = (unsigned)rand() % (HOLES - n);
        ea_t found = space_place(&b->space, n * PAGE, TOP);

        assert_int_equal(found, highest(mapped, n));
        if (rand() % 5 < 3 && found)
            page = (found - LOW) / PAGE;
        if (rand() % 5 < 3 && found)
            assert_int_equal(space_map(&b->space, LOW + page * PAGE, n * PAGE,
                                       (unsigned)rand() % 4, false, -1, 0),
                             0);
        else
            assert_int_equal(
                space_unmap(&b->space, LOW + page * PAGE, n * PAGE), 0);
        for (unsigned i = page; i < page + n; i++)
            mapped[i] = !space_vacant(&b->space, LOW + i * PAGE, PAGE);
    }
    space_free(&b->space);
    ram_free(&b->ram);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(space_agrees_with_its_model),
        cmocka_unit_test(pages_take_turns_in_a_full_table),
        cmocka_unit_test(places_are_the_highest_free_ones),
        cmocka_unit_test(memory_that_runs_out_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
