/* interpreter.c - the first engine of the fast model: decoded records, one
 * behind the other. It keeps nothing but what the decode cache has.
 */
#include "sim/core/fast/interpret.h"

static enum exc run(struct core *c, struct insn *page, pa_t page_pa, uint64_t n)
{
    return interpret(c, page, page_pa, n, false, (struct beside){0});
}

enum exc interpreter_stretch(struct core *c, struct insn *page, pa_t page_pa,
                             uint64_t n)
{
    return interpret(c, page, page_pa, n, true, (struct beside){0});
}

const struct engine engine_interpreter = {.name = "interpreter", .run = run};
