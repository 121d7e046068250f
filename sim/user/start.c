/* start.c - from an ELF file to the first instruction: segments, heap, stack
 * with arguments, environment and the auxiliary vector.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <stdio.h>
#include <string.h>

#define STACK_SIZE USER_STACK
#define STACK_TOP USER_STACK_TOP
#define PHDR_SIZE 32u

static unsigned prot_of(const struct image_segment *s)
{
    return (s->flags[0] == 'r' ? SPACE_READ : 0) |
           (s->flags[1] == 'w' ? SPACE_WRITE : 0) |
           (s->flags[2] == 'x' ? SPACE_EXEC : 0);
}

/* Segments may share a page: it gets what either of them asks for. */
static int map_segment(struct space *s, ea_t from, ea_t to, unsigned prot)
{
    for (ea_t at = from; at < to;) {
        const struct region *r = space_find(s, at);
        ea_t end = to;
        int error;

        if (r) {
            end = r->end < to ? r->end : to;
            error = space_protect(s, at, end - at, r->prot | prot);
        } else {
            while (end > at + ABI_PAGE && !space_vacant(s, at, end - at))
                end -= ABI_PAGE;
            error = space_map(s, at, end - at, prot, false, -1, 0);
        }
        if (error)
            return error;
        at = end;
    }
    return 0;
}

bool start_segments(struct user *u, const struct image *i, ea_t *top, char *why,
                    size_t size)
{
    struct space *s = &u->space;

    *top = 0;
    for (unsigned n = 0; n < i->count; n++) {
        const struct image_segment *g = &i->segment[n];
        ea_t from = g->va & ~(ABI_PAGE - 1), end = g->va + g->memory;
        ea_t to = (end + ABI_PAGE - 1) & ~(ABI_PAGE - 1);

        if (from < ABI_PAGE || end < g->va || to < end ||
            to > STACK_TOP - STACK_SIZE) {
            snprintf(why, size,
                     "%s: has a segment at 0x%x that a Linux program may not "
                     "have: link it between 0x1000 and 0x%x, or run it "
                     "without --user if it is a bare-metal one",
                     i->name, g->va, STACK_TOP - STACK_SIZE);
            return false;
        }
        if (map_segment(s, from, to, prot_of(g)) != 0 ||
            !space_poke(s, g->va, i->bytes + g->offset, g->file)) {
            snprintf(why, size,
                     "%s: does not fit into the memory, give more with --mem",
                     i->name);
            return false;
        }
        *top = to > *top ? to : *top;
    }
    return true;
}

/* ---- the stack ----------------------------------------------------------- */

/* It is filled downwards; ok stays false once something did not fit. */
struct stack {
    struct user *u;
    ea_t sp;
    bool ok;
};

static ea_t push(struct stack *s, const void *bytes, size_t size)
{
    if (size > s->sp - (STACK_TOP - STACK_SIZE / 4 * 3))
        s->ok = false;
    if (!s->ok)
        return 0;
    s->sp -= (ea_t)size;
    s->ok = space_poke(&s->u->space, s->sp, bytes, size);
    return s->sp;
}

static void push_word(struct stack *s, uint32_t v)
{
    uint8_t b[4];

    be_put32(b, v);
    push(s, b, 4);
}

static ea_t push_text(struct stack *s, const char *text)
{
    return push(s, text, strlen(text) + 1);
}

static unsigned count(char *const *list)
{
    unsigned n = 0;

    while (list[n])
        n++;
    return n;
}

/* Where the program headers are in memory: in the segment that holds their
 * bytes. */
static ea_t headers_at(const struct image *i, uint32_t offset)
{
    for (unsigned n = 0; n < i->count; n++) {
        const struct image_segment *g = &i->segment[n];

        if (offset >= g->offset && offset - g->offset < g->file)
            return g->va + (offset - g->offset);
    }
    return 0;
}

struct aux {
    uint32_t pair[32][2];
    unsigned n;
};

static void add(struct aux *a, uint32_t type, uint32_t value)
{
    a->pair[a->n][0] = type;
    a->pair[a->n++][1] = value;
}

/* base: where the dynamic loader is, or 0. */
static void fill_aux(struct aux *a, struct stack *s, ea_t base)
{
    const struct image *i = s->u->with.image;
    uint8_t random[16];
    ea_t platform, name;

    platform = push_text(s, "ppc604");
    name = push_text(s, s->u->with.path);
    be_put64(random, user_random(s->u));
    be_put64(random + 8, user_random(s->u));
    s->sp &= ~15u;
    add(a, AT_SYSINFO_EHDR_, VDSO_BASE);
    add(a, AT_RANDOM_, push(s, random, sizeof random));
    add(a, AT_DCACHEBSIZE_, s->u->m->with.params.line_bytes);
    add(a, AT_ICACHEBSIZE_, s->u->m->with.params.line_bytes);
    add(a, AT_UCACHEBSIZE_, 0);
    add(a, AT_HWCAP_, ABI_HWCAP);
    add(a, AT_HWCAP2_, 0);
    add(a, AT_PAGESZ_, ABI_PAGE);
    add(a, AT_CLKTCK_, 100);
    add(a, AT_PHDR_, headers_at(i, be_get32(i->bytes + 28)));
    add(a, AT_PHENT_, PHDR_SIZE);
    add(a, AT_PHNUM_, (uint32_t)i->bytes[44] << 8 | i->bytes[45]);
    add(a, AT_BASE_, base);
    add(a, AT_FLAGS_, 0);
    add(a, AT_ENTRY_, i->start);
    add(a, AT_UID_, 0);
    add(a, AT_EUID_, 0);
    add(a, AT_GID_, 0);
    add(a, AT_EGID_, 0);
    add(a, AT_SECURE_, 0);
    add(a, AT_PLATFORM_, platform);
    add(a, AT_EXECFN_, name);
    add(a, AT_NULL_, 0);
}

/* The texts first, then from the lowest address up: argc, pointers to the
 * arguments, 0, to the environment, 0, the auxiliary vector. */
static bool make_stack(struct user *u, ea_t base, struct cpu *c)
{
    struct stack s = {u, STACK_TOP, true};
    unsigned argc = count(u->with.argv), envc = count(u->with.envp);
    struct aux aux = {.n = 0};
    ea_t args, at;
    unsigned words;

    s.sp -= 16 * space_layout(&u->space, LAYOUT_STACK, 1024);
    push_word(&s, 0);
    for (unsigned n = envc; n--;)
        push_text(&s, u->with.envp[n]);
    for (unsigned n = argc; n--;)
        push_text(&s, u->with.argv[n]);
    args = s.sp;
    fill_aux(&aux, &s, base);
    words = 1 + argc + 1 + envc + 1 + 2 * aux.n;
    s.sp = (s.sp & ~15u) - (4 * words & 15 ? 16 - (4 * words & 15) : 0);
    for (unsigned n = aux.n; n--;) {
        push_word(&s, aux.pair[n][1]);
        push_word(&s, aux.pair[n][0]);
    }
    at = s.sp - 4 * (argc + 1 + envc + 1);
    if (!s.ok || at < STACK_TOP - STACK_SIZE / 4 * 3)
        return false;
    s.sp = at - 4;
    space_write32(&u->space, s.sp, argc);
    for (unsigned n = 0; n < argc; n++, at += 4) {
        space_write32(&u->space, at, args);
        args += (ea_t)strlen(u->with.argv[n]) + 1;
    }
    space_write32(&u->space, at, 0);
    at += 4;
    for (unsigned n = 0; n < envc; n++, at += 4) {
        space_write32(&u->space, at, args);
        args += (ea_t)strlen(u->with.envp[n]) + 1;
    }
    space_write32(&u->space, at, 0);
    c->gpr[1] = s.sp;
    return true;
}

bool start_load(struct user *u, struct cpu *c, char *why, size_t size)
{
    const struct image *first = u->with.image;
    ea_t base = 0, top;

    if (!start_segments(u, first, &top, why, size))
        return false;
    u->space.brk_start = u->space.brk =
        top + ABI_PAGE * space_layout(&u->space, LAYOUT_HEAP, 256);
    if (first->interp[0] && !library_loader(u, &first, &base, why, size))
        return false;
    if (space_map(&u->space, STACK_TOP - STACK_SIZE, STACK_SIZE,
                  SPACE_READ | SPACE_WRITE, false, -1, 0) != 0 ||
        !vdso_map(u) || !make_stack(u, base, c)) {
        snprintf(why, size,
                 "%s: arguments and environment are larger than its stack",
                 u->with.image->name);
        return false;
    }
    c->pc = c->nia = base + first->start;
    return true;
}
