/* table.c - rows to match and mask.
 * Reads the encodings of insns.def once, at first use. The result is the
 * only static data of this room that is written after start-up: it never
 * changes again and is the same in every process.
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

#include "isa/exec/body.h"
#include "isa/table.h"

/* The short names that insns.def uses in its flags column. */
enum {
    LD = INSN_LOAD,
    ST = INSN_STORE,
    UP = INSN_UPDATE,
    MU = INSN_MULTIPLE,
    BR = INSN_BRANCH,
    IN = INSN_INDIRECT,
    SU = INSN_SUPERVISOR,
    OB = INSN_OBSERVES,
    FP = INSN_FP,
    RC = INSN_RC,
    PI = INSN_PIF
};

static const struct row rows[OP_COUNT] = {
    [OP_ILLEGAL] = {"illegal", "", "", "", "", body_illegal, 0, CLASS_ILLEGAL},
#define INSN(id, name, encoding, operands, class, flags, writes, reads, body)  \
    [OP_##id] = {name,  encoding,    operands, writes,                         \
                 reads, body_##body, flags,    CLASS_##class},
#include "isa/insns.def"
#undef INSN
};

#define PRIMARY(word) ((word) >> 26)

/* Rows grouped by primary opcode: order[first[p]] .. order[first[p+1] - 1]. */
static struct {
    once_flag once;
    struct pattern pattern[OP_COUNT];
    uint16_t order[OP_COUNT];
    uint16_t first[65];
} table = {.once = ONCE_FLAG_INIT};

static void pattern_field(struct pattern *p, char letter, unsigned shift)
{
    struct field *f = &p->field[p->fields];

    if (p->fields && f[-1].letter == letter) {
        f[-1].shift = (uint8_t)shift;
        f[-1].width++;
        return;
    }
    assert(p->fields < PATTERN_FIELDS);
    *f = (struct field){letter, (uint8_t)shift, 1};
    p->fields++;
}

static void pattern_parse(struct pattern *p, const char *s)
{
    unsigned bits = 0;

    for (; *s; s++) {
        unsigned shift = 31 - bits;
        if (*s == ' ')
            continue;
        bits++;
        if (*s == '0' || *s == '1') {
            p->mask |= 1u << shift;
            p->match |= (uint32_t)(*s - '0') << shift;
        } else if (*s != '-') {
            pattern_field(p, *s, shift);
        }
    }
    assert(bits == 32);
}

static void table_build(void)
{
    unsigned n = 0;

    for (unsigned op = 1; op < OP_COUNT; op++)
        pattern_parse(&table.pattern[op], rows[op].encoding);
    for (unsigned primary = 0; primary < 64; primary++) {
        table.first[primary] = (uint16_t)n;
        for (unsigned op = 1; op < OP_COUNT; op++)
            if (PRIMARY(table.pattern[op].match) == primary)
                table.order[n++] = (uint16_t)op;
    }
    table.first[64] = (uint16_t)n;
}

const struct row *table_row(enum op op)
{
    return &rows[op];
}

const struct pattern *table_pattern(enum op op)
{
    call_once(&table.once, table_build);
    return &table.pattern[op];
}

enum op table_find(uint32_t word)
{
    unsigned primary = PRIMARY(word);

    call_once(&table.once, table_build);
    for (unsigned n = table.first[primary]; n < table.first[primary + 1]; n++) {
        const struct pattern *p = &table.pattern[table.order[n]];
        if ((word & p->mask) == p->match)
            return table.order[n];
    }
    return OP_ILLEGAL;
}

const char *isa_op_name(enum op op)
{
    return op < OP_COUNT ? rows[op].name : NULL;
}

/* spr.def: the columns' words. */
enum { USER = 0, SUPER = 1 };
enum { RW = 3, RO = 1, WO = 2 };
enum { CPU = 1, PORT = 2, BOTH = 3, MAY = 4, OPT = 6, ON = 8, PIF = 14 };
#define FIELD_CPU(field) offsetof(struct cpu, field)
#define FIELD_BOTH(field) offsetof(struct cpu, field)
#define FIELD_PORT(field) 0
#define FIELD_OPT(field) 0
#define FIELD_PIF(field) 0

enum {
    SPR_NONE,
#define SPR(number, name, level, access, owner, field) SPR_##name,
#include "isa/spr.def"
#undef SPR
    SPR_COUNT
};

static const struct spr sprs[SPR_COUNT] = {
#define SPR(number, name, level, access, owner, field)                         \
    [SPR_##name] = {#name,                                                     \
                    number,                                                    \
                    (level) == SUPER,                                          \
                    ((access)&RO) != 0,                                        \
                    ((access)&WO) != 0,                                        \
                    ((owner)&CPU) != 0,                                        \
                    ((owner)&PORT) != 0,                                       \
                    ((owner)&MAY) != 0,                                        \
                    ((owner)&ON) != 0,                                         \
                    FIELD_##owner(field)},
#include "isa/spr.def"
#undef SPR
};

static const uint8_t spr_index[1024] = {
#define SPR(number, name, level, access, owner, field) [number] = SPR_##name,
#include "isa/spr.def"
#undef SPR
};

const struct spr *spr_find(unsigned number)
{
    unsigned n = number < 1024 ? spr_index[number] : SPR_NONE;

    return n == SPR_NONE ? NULL : &sprs[n];
}

bool spr_there(const struct cpu *c, const struct spr *s)
{
    if (s->pif && !(c->hid0 & HID0_PIFE))
        return false;
    return !s->optional || !c->port->spr_there ||
           c->port->spr_there(c->port->world, s->number);
}
