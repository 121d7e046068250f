/* log.h - the execution log: a line for each instruction, its way through the
 * pipeline, each access and interrupt, in the order of the machine. Format and
 * syntax: docs/debug.md. Looks at a machine and changes nothing in it.
 */
#ifndef SIM_OBSERVE_LOG_H
#define SIM_OBSERVE_LOG_H

#include <stdio.h>

#include "isa/disasm.h"
#include "lib/base/konata.h"
#include "sim/machine/machine.h"
#include "sim/observe/stretch/moment.h"
#include "sim/symbols/names.h"

#define LOG_EXEC 1u
#define LOG_MEM 2u
#define LOG_INT 4u
#define LOG_PIPE 8u
#define LOG_KONATA 16u /* alone: a file in another format */

/* What was asked for on the command line. */
struct log_options {
    unsigned what;         /* LOG_...; 0: no log */
    const char *file;      /* NULL: stderr */
    const char *from, *to; /* NULL: the beginning, the end */
    int signals;           /* a file with the signals that end a run */
};

/* "exec,mem:FILE". False: `why` has the line. The texts are not copied. */
bool log_parse(struct log_options *o, const char *text, char *why, size_t size);
/* Do --log-from and --log-to make sense, whatever the program? */
bool log_check(const struct log_options *o, char *why, size_t size);

/* A register of struct cpu that has a place there. */
struct log_register {
    char name[8];
    uint16_t offset;
};

#define LOG_REGISTERS 128

/* What a line says of an instruction whatever it did: most run often. */
#define LOG_TEXTS 8192 /* a power of two */
struct log_text {
    ea_t pc;
    uint32_t word;
    char text[32 + DISASM_TEXT + NAME_TEXT]; /* empty: none yet */
};

#define LOG_WORDS 19 /* letters in front of the disassembly in it */

struct log {
    FILE *out; /* NULL: no log */
    unsigned what;
    struct moment from, to;
    bool on;
    struct machine *machine;
    struct disasm *disasm;
    struct names names;
    struct observer observer;
    unsigned registers;
    struct log_register reg[LOG_REGISTERS];
    struct konata konata;
    struct log_text *text; /* LOG_TEXTS, by pc; owned */
    /* The instruction that each processor is in the middle of. */
    struct {
        bool busy;
        bool last; /* the log ends with it */
        struct cpu old;
        struct insn insn;
        enum exc entered; /* meanwhile */
        ea_t pc;          /* ... there */
        cycle_t at;
    } now[MACHINE_CPUS];
};

/* Begin to look at m, if anything was asked for. False: `why` has the line;
 * log_close is due all the same. */
bool log_open(struct log *l, const struct log_options *o, struct machine *m,
              char *why, size_t size);
/* False: the log is incomplete, it could not be written. */
bool log_close(struct log *l);

#endif
