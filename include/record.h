/* record.h - the layout of every record in an experiment directory.
 *
 * #defines only: the simulator, the guest (assembly too) and the tools read
 * the same numbers. A record file is a 32-byte file header and then records
 * back to back; everything is little-endian. A reader stops at the first
 * incomplete record, so that a killed run can still be read.
 *
 *   file header   magic "SIMRUNEX", u32 version, u32 kind, 16 bytes zero
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
 *     chip ROW                       of --chip, where it is not the 604e's
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

/* kind, and the file it goes to */
#define REC_IDLE 1    /* idle.rec    an idle-transition sample */
#define REC_SWITCH 2  /* switch.rec  a context switch */
#define REC_THREAD 3  /* thread.rec  a thread was made, or renamed */
#define REC_STAT 4    /* stat.rec    a guest counter's value */
#define REC_IRQ 5     /* irq.rec     an interrupt was taken (simulator) */
#define REC_ORACLE 6  /* oracle.rec  twelfths of a cycle (simulator) */
#define REC_PROFILE 7 /* profile.rec a counter overflow seen by the host */
#define REC_PROBE 8   /* probe.rec   a probe in the program was passed */
#define REC_MARK 9    /* mark.rec    what a mark or range counted, at the end */
#define REC_TRAP 10   /* trap.rec    an interrupting mark */
#define REC_TRACED 11 /* traced.rec  instructions between trace marks */
#define REC_SAMPLED 12   /* sampled.rec an instruction that was followed */
#define REC_BRANCHES 13  /* branches.rec the branch record */
#define REC_UNSAMPLED 14 /* unsampled.rec a CPU was idle, no stack taken */
/* The guest writes those up to here; traps, sampled instructions, branches and
 * unsampled interrupts, too. */
#define REC_GUEST_MAX REC_STAT

/* REC_IDLE: thread is the target.
 *   w0 IDLE_KIND_*   w1 IDLE_BY_* (who set the affinity)
 *   w2 pid           w3 the sample's number on this CPU (from 1)
 *   w4 depth n       w5.. n program counters, leaf first */
#define IDLE_KIND_TO 1
#define IDLE_KIND_FROM 2
#define IDLE_BY_SCHED 1
#define IDLE_BY_IRQ 2
#define IDLE_BY_PROFILER 3
#define IDLE_BY_BACKEND 4
#define IDLE_WORDS 5

/* REC_UNSAMPLED: a sample interrupt found the CPU idle, and gave no to-idle
 * sample. With the to-idle samples these are all idle sample interrupts. Thread
 * is the one that the CPU remembers, or whose sample is outstanding.
 *   w0 UNSAMPLED_*   w1 its pid */
#define UNSAMPLED_WORDS 2
#define UNSAMPLED_NONE 1 /* the CPU remembers no monitored thread */
/* Stale, for the thread is not blocked any more where it left the CPU: */
#define UNSAMPLED_ENDED 2       /* it has ended */
#define UNSAMPLED_RUNNABLE 3    /* it was woken and has not run since */
#define UNSAMPLED_MOVED 4       /* it has run on another CPU since */
#define UNSAMPLED_OUTSTANDING 5 /* the sample before is not complete */
#define UNSAMPLED_AGAIN 6       /* this idle period has one, and once=on */
#define UNSAMPLED_REASONS 7

/* REC_SWITCH: thread is the incoming one.
 *   w0 pid           w1 outgoing pid       w2 outgoing thread
 *   w3 outgoing THREAD_STATE_*             w4 program counter where it left
 * With simrun --switch-stacks, which walks them from outside:
 *   w5 depth n       w6.. n program counters of the outgoing, leaf first */
#define SWITCH_WORDS 5
#define SWITCH_STACK 6
#define THREAD_STATE_READY 1
#define THREAD_STATE_BLOCKED 2
#define THREAD_STATE_SLEEPING 3
#define THREAD_STATE_DEAD 4

/* REC_THREAD: w0 pid  w1 THREAD_IS_*  w2.. name, zero padded bytes packed
 * most significant first */
#define THREAD_IS_APP 0
#define THREAD_IS_IDLE 1
#define THREAD_IS_SAMPLER 2
#define THREAD_IS_DAEMON 3

/* REC_MARK: cycle is the end of the run.
 *   w0 MARK_*        w1 address (host: effective, guest: physical)
 *   w2 indicator     w3 limit
 *   w4, w5 executions or accesses, high and low     w6, w7 exceedances
 * With MARK_RANGE: w1 first address, w2 the first behind, w3 number,
 *   w4, w5 executions or accesses     w6, w7 entries
 * With MARK_AREA, of one count unit that is not zero: w1 first address of its
 *   granule, w2 address of the unit, w3 number of the area, as `area` in the
 *   log says, w4, w5 its value, w6, w7 1 if it is full */
#define MARK_WORDS 8
#define MARK_DATA 1 /* of data, else of instructions */
#define MARK_HOST 2 /* of the host's unit, else of the guest's */
#define MARK_RANGE 4
#define MARK_AREA 8

/* REC_TRAP: thread is the context; the instruction completed at cycle, or
 * the guest's handler wrote it then.
 *   w0 PIFX_* (include/mark_bits.h), with TRAP_TRUNCATED and TRAP_GUEST
 *   w1 instruction   w2 data address or 0   w3, w4 count: what the counter had
 *      reached; with a limit of the guest what its handler took, from 0 on
 *   w5 depth n       w6.. n program counters, leaf first: the host's begin
 *      with the instruction itself, the guest's with the next to run */
#define TRAP_WORDS 6
#define TRAP_TRUNCATED 0x80000000
#define TRAP_GUEST 0x40000000 /* of the guest's unit, else of the host's */

/* REC_TRACED: thread is the context; cycle is when the first completed.
 *   w0 unit: 0 guest, 1 host   w1 address   w2 instructions from there on */
#define TRACED_WORDS 3

/* REC_SAMPLED: thread is the context; cycle is when it completed, or raised
 * an exception, or the branch was resolved on whose wrong path it was.
 *   w0 SAMPLED_*     w1 pc      w2 data address of its first access, or 0
 *   w3 cycles from fetch to dispatch, w4 to issue, w5 to finish, w6 to the
 *      end; 0 where it did not come to that
 *   w7 cycles of its slowest data access      w8 cycles from the completion
 *      before to its own: in these it was the oldest, or on its way
 *   w9 instructions dispatched since the record before it of this CPU
 *   w10 depth n      w11.. n program counters, the next to run first */
#define SAMPLED_WORDS 11
#define SAMPLED_COMPLETED 0x0001
#define SAMPLED_WRONG 0x0002    /* it was on a wrong path */
#define SAMPLED_ISSUED 0x0004   /* how far it came; w4 holds */
#define SAMPLED_FINISHED 0x0008 /* ... w5 */
#define SAMPLED_IMISS 0x0010    /* its fetch waited for a line */
#define SAMPLED_ITLB 0x0020     /* ... or for a search of the page table */
#define SAMPLED_DTLB 0x0040     /* its access did */
#define SAMPLED_MISPREDICTED 0x0080
#define SAMPLED_TAKEN 0x0100
#define SAMPLED_BRANCH 0x0200
#define SAMPLED_LOAD 0x0400
#define SAMPLED_STORE 0x0800
#define SAMPLED_USER 0x1000 /* MSR[PR] was 1 */
#define SAMPLED_LEVEL 0xE000
#define SAMPLED_LEVEL_SHIFT 13
#define SAMPLED_TRUNCATED 0x10000 /* the walk met a frame that cannot be */
/* Of the guest's sampler: w3 to w8 are 65535 at most, cycle is when it was
 * written. */
#define SAMPLED_GUEST 0x20000
/* SAMPLED_LEVEL: from where its slowest access was served. */
#define LEVEL_NONE 0
#define LEVEL_CACHE 1
#define LEVEL_MEMORY 2 /* a miss */
#define LEVEL_OTHER 3  /* ... of a line that another CPU had modified */
#define LEVEL_UNCACHED 4

/* REC_BRANCHES: thread is the one that was interrupted.
 *   w0 where it was   w1 branches n, newest first
 *   w2.. n pairs of words as BRF and BRT have them (docs/pif.md 13) */
#define BRANCHES_WORDS 2

/* REC_STAT: w0 STAT_*  w1 value high  w2 value low; cpu is the owner's. The
 * last record of a (cpu, counter) is the one that holds. */
#define STAT_INTERRUPTS 1    /* sample interrupts taken */
#define STAT_BUSY 2          /* ... that found the CPU busy */
#define STAT_SUPPRESSED 3    /* ... while a sample was outstanding */
#define STAT_TO_IDLE 4       /* to-idle samples completed */
#define STAT_FROM_IDLE 5     /* from-idle samples completed */
#define STAT_STALE 6         /* to-idle entries skipped: target not blocked */
#define STAT_NONE 7          /* idle samples with no monitored thread saved */
#define STAT_IDLE_PERIODS 8  /* times the CPU went idle */
#define STAT_SWITCHES 9      /* context switches */
#define STAT_AFFINITY 10     /* affinity changes by the sampler */
#define STAT_TRANSACTIONS 11 /* units of work the workload finished */
#define STAT_SAMPLED_PERIODS 12 /* idle periods with at least one sample */

/* REC_IRQ: w0 vector  w1 SRR0  w2 cycle signalled high  w3 low */
#define IRQ_WORDS 4

/* REC_ORACLE: thread is the context; cycle is the end of the interval the
 * row covers, which begins where the one before it of this CPU ended. All rows
 * of an interval add up to it, in twelfths of a cycle.
 * One row:
 *   w0 pc  w1 reason index << 24 (names are in the log)
 *   w2 twelfths high  w3 twelfths low
 * More rows of one context, by ascending (pc, reason); never of 4 words:
 *   w0 rows  w1 pc of the first  then bytes, in the order of the file, padded
 *   with zeros. A row is a byte, with the reason in its low 5 bits and, above
 *   them, how many instructions its pc is ahead of the row before it; 7: that
 *   follows as a number. Then the twelfths, a number. A number is groups of 7
 *   bits, the lowest first, a byte each; 0x80 says that one more follows. */
#define ORACLE_WORDS 4
#define ORACLE_LIST_WORDS 2
#define ORACLE_AHEAD_SHIFT 5
#define ORACLE_FAR 7
#define ORACLE_ROW_MAX 16 /* bytes: 1, 5 at most and 10 at most */

/* REC_PROFILE: thread is the context that ran, or that left the CPU which
 * naps; cycle is when the counter overflowed.
 *   w0 number of the counter, as `profile N NAME PERIOD` in the log says
 *   w1 events since the record before it of this counter and CPU
 *   w2 pc of the instruction the event belongs to, or of the last one
 *      completed by then when the event belongs to none
 *   w3 pc at which an interrupt would have been taken
 *   w4 with PROFILE_DATA: address of the access that caused the event
 *   w5 PROFILE_*     w6 depth n
 *   w7.. n program counters, leaf (w3) first, by back chain and LR; what a
 *   signal interrupted stands there by the address behind its next
 *   instruction, as the caller of the handler
 *   behind them, with PROFILE_DATA: the access's physical address */
#define PROFILE_WORDS 7
#define PROFILE_USER 1    /* MSR[PR] was 1 */
#define PROFILE_NAPPING 4 /* the CPU napped; w3 is where its thread stopped */
#define PROFILE_DATA 8 /* the event has an access, and its address is known */
#define PROFILE_TRUNCATED 2 /* the walk met a frame that cannot be */

/* REC_PROBE: thread is the context; cycle is when the probe began.
 *   w0 PROBE_*       w1 function entry address, or the section's number, as
 *                       `section N NAME` in the log says
 *   w2 overhead of this probe in cycles   w3 r1
 *   w4, w5 cycles that the context had run by then, on all processors, by
 *          the machine's own context registers; all ones: not known */
#define PROBE_WORDS 6
#define PROBE_LEAST 4 /* w4 and w5 may be missing */
#define PROBE_ENTER 1
#define PROBE_LEAVE 2
#define PROBE_BEGIN 3 /* of a section */
#define PROBE_END 4
#define PROBE_UNKNOWN 0xFFFFFFFFFFFFFFFF
#define PROBE_NOBODY 0xFFFFFFFF /* thread of a REC_SWITCH under --user */

#endif
