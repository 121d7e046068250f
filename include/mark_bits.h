/* mark_bits.h - what a mark says, as numbers: docs/pif.md, sections 2 to 4.
 * #defines only: the simulator, the guest (assembly too) and the tools read
 * the same ones.
 */
#ifndef INCLUDE_MARK_BITS_H
#define INCLUDE_MARK_BITS_H

/* One mark: docs/pif.md 2. */
#define IND_COUNT 0x80000000
#define IND_PMU 0x40000000
#define IND_EXC 0x20000000
#define IND_LIMIT 0x10000000
#define IND_START 0x08000000
#define IND_STOP 0x04000000
#define IND_TOGGLE 0x0C000000
#define IND_TSTART 0x02000000
#define IND_TSTOP 0x01000000
#define IND_TH 0x00E08000
#define IND_TH3 0x00008000 /* when it is built in */
#define IND_TH2 0x00800000
#define IND_TH1 0x00400000
#define IND_TH0 0x00200000
#define IND_THEXC 0x00100000
#define IND_LOADS 0x00080000
#define IND_STORES 0x00040000
#define IND_STICKY 0x00020000
#define IND_ALL 0xFFFE8000

/* Entries of a translation table, and shadow blocks: docs/pif.md 3. */
#define SHADOW_FORMAT 3
#define SHADOW_NONE 0
#define SHADOW_WORDS 1
#define SHADOW_FULL 2
#define SHADOW_BITS 3
#define SHADOW_FULL_BYTES(line) (SHADOW_ENTRY + 4 * (line))
#define SHADOW_ALL 0 /* offsets in a full block */
#define SHADOW_TAG 4
#define SHADOW_CONTEXT 8
#define SHADOW_GROUP 16 /* + 4 a fetch group */
#define SHADOW_ENTRY 32 /* + 16 a word: indicator, count, limit, hits */

/* PIFM: docs/pif.md 4. */
#define PIFM_IE 0x80000000
#define PIFM_DE 0x40000000
#define PIFM_US 0x20000000
#define PIFM_SU 0x10000000
#define PIFM_P1 0x08000000
#define PIFM_P0 0x04000000
#define PIFM_XE 0x02000000
#define PIFM_RE 0x01000000
#define PIFM_CA 0x00C00000
#define PIFM_CA_SHIFT 22
#define PIFM_TB 0x00200000
#define PIFM_TA 0x00100000
#define PIFM_GE 0x00080000
#define PIFM_AC 0x00040000
#define PIFM_CO 0x00020000
#define PIFM_TQ 0x0001E000
#define PIFM_TQ_SHIFT 13
#define PIFM_BITS 0xFFFFE000

#define PIF_CARRIER_SHADOW 0
#define PIF_CARRIER_WIDE 1
#define PIF_CARRIER_MARKER 2

/* PIFS */
#define PIFS_WINDOW 0x80000000
#define PIFS_TRACE 0x40000000
#define PIFS_PENDING 0x20000000
#define PIFS_REFUSED 0x10000000
#define PIFS_RESUME 0x08000000
#define PIFS_OPEN 0x04000000  /* written: open the window; reads as zero */
#define PIFS_BEGIN 0x02000000 /* ... begin tracing */

/* PIFX: why. */
#define PIFX_INSN 1
#define PIFX_DATA 2
#define PIFX_INSN_LIMIT 3
#define PIFX_DATA_LIMIT 4
#define PIFX_INSN_THRESHOLD 5
#define PIFX_DATA_THRESHOLD 6
#define PIFX_SAMPLED 7

#define SRR1_RESUME 0x20000000

/* PIFC: bytes of a block, a cache line. */
#define PIFC_BLOCK 0x0FF00000
#define PIFC_BLOCK_SHIFT 20

#define PIF_SEGMENTS 8
#define PIF_RANGES 8 /* of instructions, and as many of data */
/* PIFRC */
#define PIF_RANGE_ON 0x80000000
#define PIF_RANGE_INSIDE 0x40000000 /* the one before was inside */
#define PIF_AREAS 8                 /* count areas, docs/pif.md 15 */
#define PIFAB_BITS 0x00FFFFFF
#define PIFAC_ON 0x80000000
#define PIFAC_GRANULE 0x000000F0 /* base-2 logarithms of bytes */
#define PIFAC_GRANULE_SHIFT 4
#define PIFAC_UNIT 0x00000003
#define SEGMENT_INSN 2 /* PIFSB: used by lookups of instructions */
#define SEGMENT_DATA 1 /* ... of data */

/* PIFEn: 0, or PMC << 8 and a selector of that PMC; or one of --event. */
#define PIFE_DEFINED 8

/* SIC, SIF: sampled instructions, docs/pif.md 13; the other bits of SIF are
 * SAMPLED_... of include/record.def. */
#define SIC_ON 0x80000000
#define SIC_US 0x40000000
#define SIC_SU 0x20000000
#define SIC_XE 0x10000000
#define SIC_DI 0x08000000
#define SIC_BITS 0xF8000000
#define SIF_VALID 0x80000000
#define SIF_BITS 0x8000FFFF

/* BRC, BRF, BRT: the branch record, docs/pif.md 13. */
#define BRC_ON 0x80000000
#define BRC_US 0x40000000
#define BRC_SU 0x20000000
#define BRC_FZ 0x10000000
#define BRC_FR 0x08000000
#define BRC_EX 0x04000000
#define BRC_NJ 0x02000000
#define BRC_NC 0x01000000
#define BRC_NR 0x00800000
#define BRC_CLEAR 0x00400000
#define BRC_BITS 0xFF800000
#define BRF_EXCEPTION 1
#define BRT_MISPREDICTED 1

/* Filters of a PMC in PIFF. */
#define PIFF_ALL 0
#define PIFF_MARKED 1
#define PIFF_WINDOW 2
#define PIFF_RANGE 8

#endif
