/* record.h - the layout of an experiment directory, and the numbers of its
 * records.
 *
 * Numbers only: the simulator, the guest and the tools read the same. What a
 * record of each kind holds is a row of include/record.def. A record file is a
 * 32-byte file header and then records back to back; everything is
 * little-endian. A reader stops at the first incomplete record, so that a
 * killed run can still be read.
 *
 *   file header   magic "SIMRUNEX", u32 version, u32 kind, u32 words at the end
 *                 of each record that came later than this version (0 so far),
 *                 12 bytes zero
 *   record header u16 size  whole record in bytes, a multiple of 8
 *                 u8  kind  REC_...
 *                 u8  cpu
 *                 u32 thread   the thread it is about (0: none)
 *                 u64 cycle    when, stamped by the machine
 *   payload       u32 words
 *
 * The guest hands a record to the trace port as big-endian words
 *   word 0  kind << 16 | payload words      word 1  thread      then payload
 * and the port adds size, cpu and cycle.
 *
 * The directory around them (written by pmu/experiment/experiment.c):
 *
 *   log       text, one fact a line, "word value...", numbers decimal:
 *     simrun-experiment VERSION      always the first line
 *     image ARCHIVE                  name in archives/ of what was run
 *     mode fast|detailed
 *     cpus N
 *     ram BYTES
 *     clock HZ                       processor cycles a second
 *     timebase HZ                    time base and decrementer
 *     seed N
 *     args TEXT                      to the end of the line; bytes below
 *                                    0x20, 0x7F and \ are written \xHH
 *     knob NAME VALUE                every row of sim/config/params.def
 *     chip ROW, what-if SPEC         of --chip, changed rows; of --what-if
 *     event K TEXT                   what --event defined: NAME = EVENT ...
 *     profile N NAME PERIOD MODES    a counter of the host, MODES of u and k
 *     sampled PERIOD [u|k]           instructions are, on average every so many
 *                                    of all, or of one state
 *     file KIND NAME                 record kind and its file
 *     reason INDEX NAME              the oracle's reasons
 *     start CYCLE                    end of the header
 *     argument TEXT                  to a program under --user, a line each,
 *                                    its name first; written as args is
 *     environment NAME=VALUE         that it was given
 *     root NAME, self NAME           what it calls the root of its files, and
 *                                    its own file
 *     archive BYTES ARCHIVE          so large is a file in archives/
 *     autoprofile WAY                what marks find out by themselves: hot,
 *                                    climb, calls, branches or scan
 *     pass N finds|counts            hot and climb run the program again
 *     hot CYCLE 0xFUNCTION BYTES SAMPLES OF     a function marked at CYCLE
 *     climb CYCLE LEVEL 0xADDR 0xBELOW      an instruction, or the call that
 *                                    led to BELOW, with a limit from CYCLE
 *     calm CYCLE 0xADDR LIMIT        it interrupts more rarely from CYCLE on
 *     unclimbed                      there were more callers than room
 *     call 0xFROM 0xTO N             of marked calls: how often; likewise
 *                                    return, branch
 *     section N NAME                 that the program marks, numbered
 *     mark_cost N                    of such a mark, thousandths of a cycle
 *     mark 0xADDR BYTES 0xFLAGS LIMIT code|data TEXT     marked from outside
 *     range N 0xLOW 0xHIGH code|data TEXT
 *     input CYCLE HEX                a console byte was delivered
 *     stdio CYCLE KIND VALUE [HEX]   a program under --user asked about stdin,
 *                                    stdout or stderr, and heard this: KIND r
 *                                    read, w written less than asked, s
 *                                    place, f kind and size, t terminal, z
 *                                    window, n readable, p poll, g flags;
 *                                    VALUE below 0 is an error; HEX is what
 *                                    was read, or is told of the file
 *     stdio + HEX                    more of the line before
 *     debug CYCLE CPU TURN STEP reg NAME HEX     a debugger wrote a register
 *     debug CYCLE CPU TURN STEP mem 0xADDR HEX   ... or memory; TURN counts
 *                                    the turns of the machine, STEP is 0
 *                                    in front of one, 2k - 1 in front of
 *                                    its k-th instruction, 2k behind it
 *     at CYCLE                       the oracle and all else before it is on
 *                                    the disk; records behind may be, too.
 *                                    The account is kept in intervals of knob
 *                                    account_us, and this is where one ends
 *     insns CPU N                    instructions completed
 *     shadow CPU host|guest code|data LOOKUPS HITS FILLS LATE BYTES WRITEBACKS
 *       BYTES CONFLICTS FRAMES EVICTIONS BITS  of a shadow cache (docs/pif.md
 *                                    6); FRAMES and BITS that it has or shares
 *     widened host|guest code|data|both WORDS COPIES CLEARS  of widened words:
 *                                    how many have something beside them, marks
 *                                    that stores brought and took away
 *     pif-interrupts CPU TAKEN LOST CYCLES  indicator exceptions of the guest,
 *                                    and until EE and RI were on again
 *     marker-slots CPU PMARKS BRANCHES  instructions that carry marks, and
 *                                    those that lead to them and back
 *     shadow-bus CPU CYCLES          of the bus that this traffic takes, or
 *                                    would, less what pif_charge says
 *     ignored N                      guest records that made no sense
 *     records KIND N                 so many records there are of a kind
 *     segments N                     ... and lines in the map
 *     cut CYCLE                      recording stopped, the run did not, and
 *                                    there is no end
 *     unheard N                      input, stdio and debug lines that came
 *                                    later
 *     dropped N                      of what is said of the whole run behind a
 *                                    cut so much found no room
 *     end CYCLE                      the run ended; CYCLE x CPUs cycles
 *     unprobed N                     calls under --probe without a record
 *     exit STATUS REASON             always the last line
 *   A killed run has no `end`; its last `at` says how far it got.
 *   map       text: segment CYCLE 0xADDR 0xSIZE 0xOFFSET FLAGS ARCHIVE
 *     virtual address and size in memory, offset in the file, FLAGS of
 *     "rwx" with - for what is not allowed, loaded at CYCLE
 *   archives/ARCHIVE  the ELF file, ARCHIVE = BASENAME.BUILDID
 *   notes     optional, made by hand: reports print it first
 *   KIND.rec  the records
 */
#ifndef INCLUDE_RECORD_H
#define INCLUDE_RECORD_H

#define REC_MAGIC "SIMRUNEX"
#define REC_VERSION 1
#define REC_FILE_HEADER 32
#define REC_HEADER 16
#define REC_MAX_WORDS 1024 /* payload words of one record */

/* REC_IDLE and so on, and REC_KINDS, more than any. */
enum rec_kind {
#define KIND(name, NAME, number, file, by, least, words, later, part, what,    \
             about)                                                            \
    REC_##NAME = number,
#include "include/record.def"
    REC_KINDS
};

/* Words of payload: IDLE_LEAST, those that every record of the kind has, and
 * IDLE_WORDS, those in front of its stack or other tail. */
enum rec_words {
#define KIND(name, NAME, number, file, by, least, words, later, part, what,    \
             about)                                                            \
    NAME##_LEAST = (least), NAME##_WORDS = (words),
#define FORM(name, NAME, kind, words, when) NAME##_WORDS = (words),
#include "include/record.def"
};

/* What fields may hold: IDLE_KIND_TO and so on. Each a type of its own, for a
 * few need 64 bits. */
#define VALUE(form, field, name, value, meaning) enum { name = (value) };
#include "include/record.def"

/* ---- for what is made of the rows, and nothing else ---------------------- */

/* The C type of a field. */
#define RECORD_VALUE_u8 uint32_t
#define RECORD_VALUE_u32 uint32_t
#define RECORD_VALUE_u64 uint64_t

enum rec_machinery {
    RECORD_CELLS_u8 = 1, /* words that a field of the type takes */
    RECORD_CELLS_u32 = 1,
    RECORD_CELLS_u64 = 2,
/* By the name of its form: its kind, its words, and the word of a field. */
#define KIND(name, NAME, number, file, by, least, words, later, part, what,    \
             about)                                                            \
    RECORD_KIND_##name = (number), RECORD_WORDS_##name = (words),
#define FORM(name, NAME, kind, words, when)                                    \
    RECORD_KIND_##name = RECORD_KIND_##kind, RECORD_WORDS_##name = (words),
#define FIELD(form, name, word, type, unit, meaning)                           \
    RECORD_AT_##form##_##name = (word),
#define LATER(form, name, word, type, missing, unit, meaning)                  \
    RECORD_AT_##form##_##name = (word),
#define TAIL(form, name, each, count, unit, meaning)                           \
    RECORD_COUNT_##form##_##name = RECORD_AT_##form##_##count,
#include "include/record.def"
};

/* A field lies in the words of its form. */
#define FIELD(form, name, word, type, unit, meaning)                           \
    _Static_assert((word) + RECORD_CELLS_##type <= RECORD_WORDS_##form,        \
                   #form " has no such word");
#define LATER(form, name, word, type, missing, unit, meaning)                  \
    FIELD(form, name, word, type, unit, meaning)
#include "include/record.def"

#endif
