/* perfinst.h - directives that mark instructions and data for simrun's
 * Performance Instrumentation Facility, in C and in assembly.
 *
 * A directive adds an entry to the section .perfinst of the object file and
 * no instruction to the program: the section is not loaded. Any compiler that
 * takes GNU assembly will do; no flags, no library. docs/pif.md, section 11,
 * says what an entry means. This file stands alone and may be copied.
 *
 * C, outside of functions:
 *   PERFINST_COUNT_FUNCTION(f);               count each instruction of f
 *   PERFINST_FUNCTION(f, FLAGS);              mark each instruction of f
 *   PERFINST_FUNCTION_LIMIT(f, FLAGS, N);     ... with a limit of N
 *   PERFINST_RANGE_FUNCTION(f);               f as one: executions, entries
 *   PERFINST_DATA(object, FLAGS);             each word of a variable
 *   PERFINST_DATA_LIMIT(object, FLAGS, N);
 *   PERFINST_DATA_PART(object, OFFSET, BYTES, FLAGS);
 *   PERFINST_TABLE(f, PERFINST_ENTRY(OFFSET, BYTES, FLAGS, LIMIT) ...);
 *   PERFINST_AREA(object, GRANULARITY, UNIT, counts);  an array, counts[], of
 *       count units of UNIT bytes (1, 2, 4), one for every GRANULARITY bytes of
 *       a variable (a power of two up to 4096): accesses are counted there.
 *       In whole cache lines, PERFINST_UNITS(object, GRANULARITY) in use.
 *   PERFINST_AREA_PART(object, OFFSET, BYTES, GRANULARITY, UNIT, counts);
 *       of a part, and in an array that is there
 * C, between two statements, where it is an empty asm statement; an optimiser
 * keeps its place among the others, and may order instructions otherwise:
 *   PERFINST_MARK_HERE(FLAGS);                the next instruction
 *   PERFINST_TRACE_START();  PERFINST_TRACE_STOP();
 *   PERFINST_BEGIN(ID); ... PERFINST_END(ID, FLAGS);   what is in between;
 *                                             ID: two digits, 10 to 99
 * Assembly: perfinst_function NAME, FLAGS, LIMIT; perfinst_data; and
 *   perfinst_here, perfinst_begin ID, perfinst_end ID, FLAGS, LIMIT;
 *   perfinst_table BASE, EXTENT; perfinst_entry OFFSET, BYTES, FLAGS, LIMIT
 *   as often as wanted; perfinst_table_end. perfinst_range NAME.
 *   perfinst_area NAME, BYTES, GRANULARITY, UNIT, COUNTS makes an array, too,
 *   in .bss; perfinst_area_part NAME, OFFSET, ... does not.
 *
 * A static function or variable must exist by that name: give it
 * __attribute__((used)), a function noinline as well. With PERFINST_LOADED
 * defined in front, the section is loaded, for a program that reads it.
 */
#ifndef PERFINST_H
#define PERFINST_H

/* ---- the format: big-endian words ---------------------------------------- */

/* A group: five words, then entries. */
#define PERFINST_MAGIC 0x50494E53 /* "PINS" */
#define PERFINST_VERSION 1        /* upper half of the second word */
#define PERFINST_KIND_CODE 0      /* lower half */
#define PERFINST_KIND_DATA 1
#define PERFINST_KIND_AREA 2
/* base address; bytes that follow it, 0: not known; bytes of entries */
#define PERFINST_HEADER_BYTES 20

/* An entry: offset from the base, length in bytes, flags, limit. Length 0:
 * the function or object that begins there, by the symbol table. */
#define PERFINST_ENTRY_BYTES 16
/* One of kind 2, a count area: offset of the data from the base, its length
 * (0 as above), its granularity in bytes, the address of the count area, the
 * bytes of a count unit. */
#define PERFINST_AREA_BYTES 20

/* Flags: an indicator word of the facility, and two of our own. */
#define PERFINST_COUNT 0x80000000
#define PERFINST_PMU 0x40000000
#define PERFINST_EXCEPTION 0x20000000
#define PERFINST_LIMIT 0x10000000
#define PERFINST_WINDOW_START 0x08000000
#define PERFINST_WINDOW_STOP 0x04000000
#define PERFINST_WINDOW_TOGGLE 0x0C000000
#define PERFINST_TSTART 0x02000000
#define PERFINST_TSTOP 0x01000000
#define PERFINST_THRESHOLD_100 0x00800000 /* as the registers are at reset; */
#define PERFINST_THRESHOLD_50 0x00400000  /* any sum of the three */
#define PERFINST_THRESHOLD_10 0x00200000
#define PERFINST_THRESHOLD_4TH 0x00008000 /* where there are four bits */
#define PERFINST_THRESHOLD_EXCEPTION 0x00100000
#define PERFINST_LOADS 0x00080000
#define PERFINST_STORES 0x00040000
#define PERFINST_STICKY 0x00020000
#define PERFINST_RANGE 0x00000001 /* the entry as one range */
#define PERFINST_FLAGS 0xFFFE8001

/* ---- directives ---------------------------------------------------------- */

/* R: --gc-sections leaves it, and so what is marked. */
#ifdef PERFINST_LOADED
#define PERFINST_SECTION_FLAGS "aR"
#else
#define PERFINST_SECTION_FLAGS "R"
#endif

#ifdef __ASSEMBLER__

/* clang-format off */
    .macro perfinst_group kind, base, extent
    .pushsection .perfinst, PERFINST_SECTION_FLAGS, @progbits
    .balign 4
    .long PERFINST_MAGIC, (PERFINST_VERSION << 16) | \kind
    .long \base, \extent, 7702f - 7701f
7701:
    .endm
    .macro perfinst_entry offset, bytes, flags, limit=0
    .long \offset, \bytes, \flags, \limit
    .endm
    .macro perfinst_table_end
7702:
    .popsection
    .endm
    .macro perfinst_table base, extent=0
    perfinst_group PERFINST_KIND_CODE, \base, \extent
    .endm
    .macro perfinst_function name, flags, limit=0
    perfinst_group PERFINST_KIND_CODE, \name, 0
    perfinst_entry 0, 0, \flags, \limit
    perfinst_table_end
    .endm
    .macro perfinst_range name
    perfinst_function \name, PERFINST_RANGE
    .endm
    .macro perfinst_data name, flags, limit=0
    perfinst_group PERFINST_KIND_DATA, \name, 0
    perfinst_entry 0, 0, \flags, \limit
    perfinst_table_end
    .endm
    .macro perfinst_area_part name, offset, bytes, granularity, unit, counts
    perfinst_group PERFINST_KIND_AREA, \name, 0
    .long \offset, \bytes, \granularity, \counts, \unit
    perfinst_table_end
    .endm
    .macro perfinst_area name, bytes, granularity, unit, counts
    .pushsection .bss
    .balign 32
    .type \counts, @object
    .size \counts, (\bytes + \granularity - 1) / \granularity * \unit
\counts:
    .space ((\bytes + \granularity - 1) / \granularity * \unit + 31) / 32 * 32
    .popsection
    perfinst_area_part \name, 0, \bytes, \granularity, \unit, \counts
    .endm
    .macro perfinst_here flags, limit=0
7700:
    perfinst_group PERFINST_KIND_CODE, 7700b, 4
    perfinst_entry 0, 4, \flags, \limit
    perfinst_table_end
    .endm
    .macro perfinst_begin id
77\id\():
    .endm
    .macro perfinst_end id, flags, limit=0
7700:
    perfinst_group PERFINST_KIND_CODE, 77\id\()b, 7700b - 77\id\()b
    perfinst_entry 0, 7700b - 77\id\()b, \flags, \limit
    perfinst_table_end
    .endm
/* clang-format on */

#else

#define PERFINST_TEXT2_(x) #x
#define PERFINST_TEXT_(x) PERFINST_TEXT2_(x)

/* A group with its entries, in the middle of anything. */
#define PERFINST_MAGIC_ PERFINST_TEXT_(PERFINST_MAGIC)
#define PERFINST_VERSION_ PERFINST_TEXT_(PERFINST_VERSION)
#define PERFINST_OPEN_                                                         \
    ".pushsection .perfinst,\"" PERFINST_SECTION_FLAGS "\",@progbits\n"        \
    ".balign 4\n"                                                              \
    ".long " PERFINST_MAGIC_ ", " PERFINST_VERSION_ " << 16 | "
#define PERFINST_GROUP_(kind, base, extent, entries)                           \
    PERFINST_OPEN_ PERFINST_TEXT_(kind) "\n.long " base ", " extent            \
                                        ", 7702f - 7701f\n"                    \
                                        "7701:\n" entries "7702:\n"            \
                                        ".popsection\n"

#define PERFINST_ENTRY_(offset, bytes, flags, limit)                           \
    ".long " offset ", " bytes                                                 \
    ", " PERFINST_TEXT_((flags)) ", " PERFINST_TEXT_((limit)) "\n"
#define PERFINST_ENTRY(offset, bytes, flags, limit)                            \
    PERFINST_ENTRY_(PERFINST_TEXT_((offset)), PERFINST_TEXT_((bytes)), flags,  \
                    limit)

#define PERFINST_TABLE(base, entries)                                          \
    __asm__(PERFINST_GROUP_(PERFINST_KIND_CODE, #base, "0", entries))
#define PERFINST_FUNCTION_LIMIT(f, flags, limit)                               \
    __asm__(PERFINST_GROUP_(PERFINST_KIND_CODE, #f, "0",                       \
                            PERFINST_ENTRY(0, 0, flags, limit)))
#define PERFINST_FUNCTION(f, flags) PERFINST_FUNCTION_LIMIT(f, flags, 0)
#define PERFINST_COUNT_FUNCTION(f) PERFINST_FUNCTION(f, PERFINST_COUNT)
#define PERFINST_RANGE_FUNCTION(f) PERFINST_FUNCTION(f, PERFINST_RANGE)

#define PERFINST_DATA_LIMIT(object, flags, limit)                              \
    __asm__(PERFINST_GROUP_(PERFINST_KIND_DATA, #object, "0",                  \
                            PERFINST_ENTRY(0, 0, flags, limit)))
#define PERFINST_DATA(object, flags) PERFINST_DATA_LIMIT(object, flags, 0)
#define PERFINST_DATA_PART(object, offset, bytes, flags)                       \
    __asm__(PERFINST_GROUP_(PERFINST_KIND_DATA, #object, "0",                  \
                            PERFINST_ENTRY(offset, bytes, flags, 0)))

/* Length 0: all of the object. */
#define PERFINST_AREA_PART(object, offset, bytes, granularity, unit, counts)   \
    __asm__(PERFINST_GROUP_(                                                   \
        PERFINST_KIND_AREA, #object, "0",                                      \
        ".long " PERFINST_TEXT_((offset)) ", " PERFINST_TEXT_(                 \
            (bytes)) ", " PERFINST_TEXT_((granularity)) ", " #counts           \
                                                        ", " PERFINST_TEXT_(   \
                                                            (unit)) "\n"))
#define PERFINST_UNIT_1_ unsigned char
#define PERFINST_UNIT_2_ unsigned short
#define PERFINST_UNIT_4_ unsigned int
#define PERFINST_UNITS(object, granularity)                                    \
    ((sizeof(object) + (granularity)-1) / (granularity))
#define PERFINST_AREA(object, granularity, unit, counts)                       \
    PERFINST_UNIT_##unit##_                                                    \
        counts[(PERFINST_UNITS(object, granularity) * (unit) + 31) / 32 * 32 / \
               (unit)] __attribute__((aligned(32), used));                     \
    PERFINST_AREA_PART(object, 0, 0, granularity, unit, counts)

/* `inline`: as small as the nothing it adds to the function. */
#define PERFINST_MARK_HERE_LIMIT(flags, limit)                                 \
    __asm__ __volatile__ __inline__("7700:\n" PERFINST_GROUP_(                 \
        PERFINST_KIND_CODE, "7700b", "4", PERFINST_ENTRY(0, 4, flags, limit)))
#define PERFINST_MARK_HERE(flags) PERFINST_MARK_HERE_LIMIT(flags, 0)
#define PERFINST_TRACE_START() PERFINST_MARK_HERE(PERFINST_TSTART)
#define PERFINST_TRACE_STOP() PERFINST_MARK_HERE(PERFINST_TSTOP)

#define PERFINST_BEGIN(id)                                                     \
    __asm__ __volatile__ __inline__("77" PERFINST_TEXT_(id) ":\n")
#define PERFINST_END(id, flags)                                                \
    __asm__ __volatile__ __inline__("7700:\n" PERFINST_GROUP_(                 \
        PERFINST_KIND_CODE, "77" PERFINST_TEXT_(id) "b",                       \
        "7700b - 77" PERFINST_TEXT_(id) "b",                                   \
        PERFINST_ENTRY_("0", "7700b - 77" PERFINST_TEXT_(id) "b", flags, 0)))

#endif
#endif
