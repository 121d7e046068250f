/* stack_numbers.c - see stack_numbers.h. */
#include "sim/observe/stack_numbers.h"

#include "include/record_put.h"

/* No frame's number: callers of the outermost function of such a program. */
#define PROGRAM 0x80000000u

uint32_t stack_number(struct stack_numbers *f, struct experiment *e, cycle_t at,
                      const uint32_t *pc, unsigned n)
{
    static const struct stack_owner nobody = {0, 0, 0};

    return stack_number_of(f, e, at, &nobody, pc, n);
}

uint32_t stack_number_of(struct stack_numbers *f, struct experiment *e,
                         cycle_t at, const struct stack_owner *owner,
                         const uint32_t *pc, unsigned n)
{
    uint32_t caller = 0, words[FRAME_WORDS];

    while (n-- > 0) {
        bool fresh, own = pc[n] < owner->end;
        struct experiment_stamp s = {REC_FRAME, 0, own ? owner->process : 0,
                                     at};
        uint32_t key = own && !caller ? PROGRAM | owner->program : caller;
        uint32_t *number =
            hash_at(&f->seen, (uint64_t)key << 32 | pc[n], &fresh);

        if (fresh) {
            *number = ++f->count;
            record_put_frame_number(words, *number);
            record_put_frame_caller(words, caller);
            record_put_frame_pc(words, pc[n]);
            experiment_record(e, &s, words, FRAME_WORDS);
        }
        caller = *number;
    }
    return caller;
}

void stack_numbers_free(struct stack_numbers *f)
{
    hash_free(&f->seen);
    *f = (struct stack_numbers){.count = 0};
}
