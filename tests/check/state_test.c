/* state_test.c - every byte of the machine is answered for by an X_state
 * function (lib/base/snap.h): each member of struct machine, of the structs in
 * it and of those that it owns is saved, or skipped by name with a reason. The
 * members come from the debugging information of this program, so a device or a
 * field that is added without a line in its X_state function fails here. What
 * pointers lead to besides is listed below.
 *
 * And what is skipped is no state: in a machine that was loaded it is what it
 * was in the one that was saved. Numbers of which that is not so are listed,
 * too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>
#include <dwarf.h>
#include <elfutils/libdw.h>

#include "sim/core/timing.h"
#include "sim/observe/pif/host_unit.h"
#include "tests/lib/scratch.h"
#include "tests/lib/statebox.h"

/* What the machine points to and does not own, or makes again. */
static const struct {
    const char *type, *why;
} elsewhere[] = {
    {"autoprofile", "refused by machine_state"},
    {"bus", "in struct machine"},
    {"cache", "in struct tags"},
    {"chip", "the chip's table"},
    {"chip_table", "the chip's table"},
    {"core", "in struct machine"},
    {"decode_cache", "in struct machine"},
    {"decode_listener", "plugged in by those who listen"},
    {"elf_image", "the host's"},
    {"elf_symbol", "names of the image"},
    {"engine", "a table of functions"},
    {"ev", "in struct pmu"},
    {"experiment", "the host's"},
    {"host_counter_spec", "of the command line"},
    {"host_counters", "in struct core"},
    {"host_unit", "in struct recorder"},
    {"host_marks", "in struct host_unit"},
    {"host_markers", "in struct host_unit"},
    {"host_stretch", "of programs inside; refused"},
    {"host_view", "in struct core"},
    {"image", "the host's; compared by its sum"},
    {"insn", "decoded records are made again"},
    {"iomap", "in struct machine"},
    {"known_stop", "of the program's code; found again"},
    {"line", "in struct cache"},
    {"flag_thread", "of threads, of an experiment"},
    {"flag_word", "of an experiment"},
    {"lock_call", "of threads, of an experiment"},
    {"lock_record", "of an experiment"},
    {"word_lock", "of an experiment"},
    {"lock_tried", "of threads, of an experiment"},
    {"lock_function", "names, of code that is loaded"},
    {"marked_files", "of programs inside; refused"},
    {"marker", "of the image"},
    {"markers", "of the image"},
    {"observer", "who listens is opened by its owner"},
    {"observers", "in struct machine"},
    {"params", "knobs, compared as the setup"},
    {"perfinst_marks", "of the command line and the program"},
    {"perfinst_word", "of --autoprofile, which is refused"},
    {"pif", "in struct core"},
    {"poller", "of threads, of an experiment"},
    {"port", "made by port_init"},
    {"predicate", "of --event, compared as the setup"},
    {"btac_use", "an order, which is found again"},
    {"hash_slot", "numbers of stacks, of an experiment"},
    {"idle_samples", "in struct recorder"},
    {"idle_stack", "of threads, of an experiment"},
    {"memo", "what was found of timing; made again"},
    {"memo_step", "of the memo; what points there is spelled out"},
    {"program", "names, of those that begin later"},
    {"ram", "in struct machine"},
    {"reservations", "in struct machine"},
    {"scale", "of --what-if, which is refused"},
    {"shadow_pool", "in struct pif_unit"},
    {"shadow_side", "in struct pif_unit"},
    {"shadow_source", "in struct pif_unit"},
    {"stack_numbers", "in struct recorder"},
    {"slot", "places of a hash, which are found again"},
    {"task", "of a Linux kernel, of an experiment"},
    {"task_book", "of a Linux kernel, of an experiment"},
    {"task_layout", "names, of those that begin later"},
    {"task_object", "names, of those that begin later"},
    {"task_program", "names, of those that begin later"},
    {"timing", "a table of functions"},
    {"tlb", "in struct core"},
    {"tlb_entry", "in struct core"},
    {"virtio_kind", "a table of functions"},
    {"waits_part", "of a Linux kernel, of an experiment"},
    {"widened", "in struct host_unit"},
};

#define ELSEWHERE (sizeof elsewhere / sizeof *elsewhere)

/* Numbers that are skipped and differ in a machine that was loaded. */
static const struct {
    const char *path, *why;
} again[] = {
    {"struct machine.core.cpu.step", "of the instruction at work"},
    {"struct machine.core.tlb.epoch",
     "of the host; loading passes to the next"},
    {"struct machine.core.trace.begin", "of host code, which does not run now"},
    {"struct machine.core.trace.stop", "of host code, which does not run now"},
    {"struct machine.core.pif.unit.side.changes", "loading is one more"},
    {"struct machine.core.pmu.ev.touched", "what reads it looks at all"},
    {"struct oracle.last_key", "the block found last: found again"},
    {"struct oracle.mask", "of a hash that grew by fewer keys"},
    {"struct oracle.slabs", "blocks are made again, closer together"},
    {"struct pipe.outcome", "of the step at work, found by access_data"},
};

#define AGAIN (sizeof again / sizeof *again)

#define OBJECTS 4096

enum answer { NO_ANSWER, STATE, SKIPPED }; /* for a byte */

struct object {
    char type[64];
    const char *at;
    size_t each, size;      /* of one, of all */
    unsigned char *covered; /* enum answer of each byte */
};

struct coverage {
    Dwarf *dwarf;
    struct object object[OBJECTS];
    unsigned objects;
    char missing[4096]; /* members that no function answers for */
    char strange[4096]; /* types that pointers lead to, not listed */
    bool met[ELSEWHERE];
    uint64_t members;
    /* That of the machine that was saved, while this one was loaded. */
    const struct coverage *saved;
    char other[4096]; /* skipped members that differ there */
    bool differed[AGAIN];
};

/* ---- what the functions answer for ---------------------------------------
 */

static void on_owned(void *arg, const char *type, const void *at, size_t size,
                     size_t count)
{
    struct coverage *c = arg;
    struct object *o = &c->object[c->objects++];

    assert_true(c->objects < OBJECTS);
    assert_int_equal(strncmp(type, "struct ", 7), 0);
    snprintf(o->type, sizeof o->type, "%s", type + 7);
    o->at = at;
    o->each = size;
    o->size = size * count;
    o->covered = calloc(1, o->size + 1);
    assert_non_null(o->covered);
}

static void on_item(void *arg, const struct snap *s, const struct snap_item *i,
                    const char *skipped)
{
    struct coverage *c = arg;
    const char *from = i->at, *end = from + i->width * i->count;

    (void)s;
    if (skipped)
        assert_true(*skipped);
    for (unsigned n = c->objects; n-- > 0;) {
        struct object *o = &c->object[n];

        if (from < o->at || end > o->at + o->size)
            continue;
        memset(o->covered + (from - o->at), skipped ? SKIPPED : STATE,
               (size_t)(end - from));
        return;
    }
}

/* ---- what there is -------------------------------------------------------
 */

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute a;

    if (!dwarf_attr_integrate(die, DW_AT_type, &a) ||
        !dwarf_formref_die(&a, type))
        return false;
    while (dwarf_tag(type) == DW_TAG_typedef ||
           dwarf_tag(type) == DW_TAG_const_type ||
           dwarf_tag(type) == DW_TAG_volatile_type) {
        if (!dwarf_attr_integrate(type, DW_AT_type, &a) ||
            !dwarf_formref_die(&a, type))
            return false; /* const void */
    }
    return true;
}

static bool is_whole(Dwarf_Die *die, const char *name)
{
    return dwarf_tag(die) == DW_TAG_structure_type && dwarf_diename(die) &&
           !strcmp(dwarf_diename(die), name) &&
           !dwarf_hasattr(die, DW_AT_declaration);
}

/* The definition of struct `name` of `size` bytes: private ones of two files
 * may have one name. */
static bool find_struct(Dwarf *dwarf, const char *name, size_t size,
                        Dwarf_Die *found)
{
    Dwarf_Off next, at = 0;
    size_t header;

    for (; !dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL);
         at = next) {
        Dwarf_Die unit, child;

        if (!dwarf_offdie(dwarf, at + header, &unit) ||
            dwarf_child(&unit, &child))
            continue;
        do
            if (is_whole(&child, name) && dwarf_bytesize(&child) == (int)size) {
                *found = child;
                return true;
            }
        while (!dwarf_siblingof(&child, &child));
    }
    return false;
}

static void note(char *list, size_t size, const char *text)
{
    char line[400];

    snprintf(line, sizeof line, "  %s\n", text);
    if (!strstr(list, line) && strlen(list) + strlen(line) < size)
        strcat(list, line);
}

static bool owns(const struct coverage *c, const char *type)
{
    for (unsigned n = 0; n < c->objects; n++)
        if (!strcmp(c->object[n].type, type))
            return true;
    return false;
}

static bool is_known(struct coverage *c, const char *type)
{
    for (size_t n = 0; n < ELSEWHERE; n++)
        if (!strcmp(elsewhere[n].type, type))
            return c->met[n] = true;
    return owns(c, type);
}

/* A pointer member: what it leads to is known, too. */
static void follow(struct coverage *c, Dwarf_Die *pointer, const char *path)
{
    Dwarf_Die type;
    char text[300];

    while (dwarf_tag(pointer) == DW_TAG_pointer_type) {
        if (!type_of(pointer, &type))
            return; /* void */
        *pointer = type;
    }
    if (dwarf_tag(pointer) != DW_TAG_structure_type ||
        !dwarf_diename(pointer) || is_known(c, dwarf_diename(pointer)))
        return;
    snprintf(text, sizeof text, "struct %s, by %s", dwarf_diename(pointer),
             path);
    note(c->strange, sizeof c->strange, text);
}

/* Is it the member, or one of a struct that the member is? */
static bool is_below(const char *path, const char *member)
{
    size_t n = strlen(member);

    return !strncmp(path, member, n) && (!path[n] || path[n] == '.');
}

/* A number of `size` bytes that is skipped has the value that it had in the
 * machine that was saved. Of pointers each machine has its own. */
static void compare(struct coverage *c, const struct object *o, Dwarf_Die *type,
                    size_t at, size_t size, const char *path)
{
    const struct object *then = &c->saved->object[o - c->object];

    if (o->covered[at] != SKIPPED || dwarf_tag(type) == DW_TAG_pointer_type ||
        at + size > then->size || !memcmp(o->at + at, then->at + at, size))
        return;
    for (size_t n = 0; n < AGAIN; n++)
        if (is_below(path, again[n].path)) {
            c->differed[n] = true;
            return;
        }
    note(c->other, sizeof c->other, path);
}

static void walk_struct(struct coverage *c, const struct object *o,
                        Dwarf_Die *type, size_t at, const char *path);

static size_t elements(Dwarf_Die *array)
{
    Dwarf_Die range;
    size_t n = 1;

    if (dwarf_child(array, &range))
        return 0;
    do {
        Dwarf_Attribute a;
        Dwarf_Word k = 0;

        if (dwarf_attr(&range, DW_AT_count, &a) && !dwarf_formudata(&a, &k))
            n *= k;
        else if (dwarf_attr(&range, DW_AT_upper_bound, &a) &&
                 !dwarf_formudata(&a, &k))
            n *= k + 1;
    } while (!dwarf_siblingof(&range, &range));
    return n;
}

static void walk(struct coverage *c, const struct object *o, Dwarf_Die *type,
                 size_t at, const char *path)
{
    Dwarf_Word size = 0;
    Dwarf_Die inner;

    assert_int_equal(dwarf_aggregate_size(type, &size), 0);
    if (dwarf_tag(type) == DW_TAG_array_type && type_of(type, &inner)) {
        size_t n = elements(type);

        for (size_t k = 0; k < n; k++)
            walk(c, o, &inner, at + k * (size / n), path);
        return;
    }
    if (dwarf_tag(type) == DW_TAG_structure_type) {
        walk_struct(c, o, type, at, path);
        return;
    }
    c->members++;
    for (size_t k = 0; k < size; k++)
        if (!o->covered[at + k]) {
            note(c->missing, sizeof c->missing, path);
            break;
        }
    if (c->saved)
        compare(c, o, type, at, size, path);
    inner = *type;
    follow(c, &inner, path);
}

static void walk_struct(struct coverage *c, const struct object *o,
                        Dwarf_Die *type, size_t at, const char *path)
{
    Dwarf_Die member;

    if (dwarf_child(type, &member))
        return;
    do {
        Dwarf_Attribute a;
        Dwarf_Word offset = 0;
        Dwarf_Die of;
        char inner[300];

        if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &of))
            continue;
        if (dwarf_attr(&member, DW_AT_data_member_location, &a))
            assert_int_equal(dwarf_formudata(&a, &offset), 0);
        snprintf(inner, sizeof inner, "%s.%s", path, dwarf_diename(&member));
        walk(c, o, &of, at + offset, inner);
    } while (!dwarf_siblingof(&member, &member));
}

/* ---- both ----------------------------------------------------------------
 */

static struct coverage *coverage_begin(void)
{
    struct coverage *c = calloc(1, sizeof *c);
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    assert_non_null(c);
    c->dwarf = dwarf_begin(fd, DWARF_C_READ);
    close(fd);
    return c;
}

static void coverage_look(struct coverage *c)
{
    for (unsigned n = 0; n < c->objects; n++) {
        const struct object *o = &c->object[n];
        char path[100];
        Dwarf_Die type;

        if (!find_struct(c->dwarf, o->type, o->each, &type))
            fail_msg("no struct %s of %zu bytes", o->type, o->each);
        snprintf(path, sizeof path, "struct %s", o->type);
        for (size_t at = 0; at < o->size; at += o->each)
            walk_struct(c, o, &type, at, path);
    }
}

static void coverage_end(struct coverage *c)
{
    for (unsigned n = 0; n < c->objects; n++)
        free(c->object[n].covered);
    dwarf_end(c->dwarf);
    free(c);
}

/* ---- the check checked ---------------------------------------------------
 */

struct lacking_inner {
    uint32_t kept, lost;
};

struct lacking {
    bool saved;
    bool forgotten; /* where padding was */
    uint64_t behind;
    struct lacking_inner inner[2];
    struct lacking_other *other;
    void *skipped;
};

struct lacking_other {
    int value;
};

static void lacking_state(struct snap *s, struct lacking *k)
{
    snap_begin(s, "lacking", 1);
    SNAP_OWNS(s, struct lacking, k, 1);
    SNAP(s, k->saved);
    SNAP(s, k->behind);
    for (unsigned n = 0; n < 2; n++)
        SNAP(s, k->inner[n].kept);
    SNAP_SKIP(s, k->other, "for the test");
    SNAP_SKIP(s, k->skipped, "for the test");
    snap_end(s);
}

/* Debugging information has members, which EXTRA_CFLAGS may have left out. */
static bool has_members(const struct coverage *c)
{
    Dwarf_Die type;

    return c->dwarf &&
           find_struct(c->dwarf, "lacking", sizeof(struct lacking), &type);
}

static void what_is_left_out_is_found(void **state)
{
    struct coverage *c = coverage_begin();
    struct snap_visitor v = {c, on_item, on_owned};
    struct lacking_other other = {0};
    struct lacking k = {.other = &other};
    struct snap s;

    (void)state;
    if (!has_members(c))
        skip();
    snap_cover(&s, &v);
    lacking_state(&s, &k);
    assert_true(snap_finish(&s));
    coverage_look(c);
    assert_string_equal(c->missing, "  struct lacking.forgotten\n"
                                    "  struct lacking.inner.lost\n");
    assert_string_equal(c->strange,
                        "  struct lacking_other, by struct lacking.other\n");
    coverage_end(c);
}

/* ---- the machine ---------------------------------------------------------
 */

static struct statebox *open_box(const char *mode)
{
    char line[1000];

    snprintf(line, sizeof line,
             "--cpus=8 --mem=64M -e cycles --mode=%s %s/guest.elf", mode,
             getenv("BUILD"));
    return statebox_open(line, NULL, scratch_path());
}

static void cover(struct coverage *c, struct statebox *b)
{
    struct snap_visitor v = {c, on_item, on_owned};
    struct snap s;

    snap_cover(&s, &v);
    if (!statebox_state(&s, b) || !snap_finish(&s))
        fail_msg("%s", s.why);
}

/* In every timing model, each of which owns what it keeps. */
static void every_member_is_answered_for(void **state)
{
    bool met[ELSEWHERE] = {0};
    const struct timing *t;

    (void)state;
    for (unsigned n = 0; (t = timing_at(n)); n++) {
        struct coverage *c = coverage_begin();
        struct statebox *b;

        if (!has_members(c))
            skip();
        b = open_box(t->name);
        cover(c, b);
        coverage_look(c);
        statebox_close(b);
        print_message("%s: %llu members of %u objects\n", t->name,
                      (unsigned long long)c->members, c->objects);
        if (*c->missing)
            fail_msg("no X_state function saves or skips\n%s", c->missing);
        if (*c->strange)
            fail_msg("pointers lead to what is not saved nor in the list of "
                     "this test\n%s",
                     c->strange);
        assert_true(c->members > 10000);
        assert_int_equal(owns(c, "pipe"), t != &timing_fast);
        assert_int_equal(owns(c, "fast"), t != &timing_detailed);
        for (size_t k = 0; k < ELSEWHERE; k++)
            met[k] |= c->met[k];
        coverage_end(c);
    }
    for (size_t k = 0; k < ELSEWHERE; k++)
        if (!met[k])
            fail_msg("no pointer leads to struct %s: take it off the list",
                     elsewhere[k].type);
}

/* Run, so that what counts has counted; code that was decoded is forgotten, as
 * when a program stores to it. */
static void run_box(struct statebox *b)
{
    struct machine *m = &b->machine;
    pa_t pa = 0;

    statebox_run(b, 20000);
    assert_int_equal(m->end, MACHINE_RUNNING);
    while (pa < m->ram.size && !decode_cache_has(&m->decoded, pa))
        pa += 4;
    assert_true(pa < m->ram.size);
    decode_cache_forget(&m->decoded, pa, 4);
}

static void what_is_skipped_is_the_same_when_loaded(void **state)
{
    bool differed[AGAIN] = {0};
    const struct timing *t;

    (void)state;
    for (unsigned n = 0; (t = timing_at(n)); n++) {
        struct coverage *then = coverage_begin(), *now = coverage_begin();
        struct statebox *a = open_box(t->name), *b = open_box(t->name);
        struct snap saved, s;

        if (!has_members(now))
            skip();
        run_box(a);
        saved = statebox_save(a);
        snap_load(&s, saved.out.byte, saved.out.size);
        if (!statebox_state(&s, b) || !snap_finish(&s))
            fail_msg("%s", s.why);
        cover(then, a);
        cover(now, b);
        assert_int_equal(now->objects, then->objects);
        now->saved = then;
        coverage_look(now);
        if (*now->other)
            fail_msg("%s: skipped, and another value when it is loaded\n%s",
                     t->name, now->other);
        for (size_t k = 0; k < AGAIN; k++)
            differed[k] |= now->differed[k];
        snap_free(&saved);
        statebox_close(a);
        statebox_close(b);
        coverage_end(then);
        coverage_end(now);
    }
    for (size_t k = 0; k < AGAIN; k++)
        if (!differed[k])
            fail_msg("%s does not differ: take it off the list", again[k].path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_found),
        cmocka_unit_test(every_member_is_answered_for),
        cmocka_unit_test(what_is_skipped_is_the_same_when_loaded),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
