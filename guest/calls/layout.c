/* layout.c - the boot word layout=SEED: where stack, heap, mappings and page
 * frames of programs are, by a seed, as under simrun --user. What a program
 * does should not hang on that, and what it takes does.
 */
#include "guest/calls/calls.h"
#include "guest/kernel/hook.h"

static uint32_t heap, mappings; /* pages further on; further down */
static uint32_t frames;         /* that no program gets */

static bool take_layout(char *value)
{
    uint32_t seed, state;

    if (!text_number(value, &seed))
        return false;
    state = random_seed(seed, 0);
    stack_lower = seed ? 16 * random_below(&state, 1024) : 0;
    heap = seed ? random_below(&state, 256) : 0;
    mappings = seed ? random_below(&state, 256) : 0;
    frames = seed ? random_below(&state, 64) : 0;
    return true;
}
BOOT_WORD(930, take_layout, "layout", "SEED");

static void vary(const struct process *p, const struct node *file)
{
    static const struct region nothing = {.may = 0};
    struct space *s = p->space;

    (void)file;
    for (; frames; frames--)
        frame_take();
    mutex_lock(&s->lock);
    s->brk_start += heap * PAGE;
    s->brk = s->brk_start;
    if (mappings)
        space_map(s, MAP_TOP - mappings * PAGE, mappings * PAGE, &nothing);
    mutex_unlock(&s->lock);
}
HOOK(program, 90, vary);
