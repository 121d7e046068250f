/* stub.h - private header of sim/gdb. */
#ifndef SIM_GDB_STUB_H
#define SIM_GDB_STUB_H

#include "sim/gdb/gdb.h"

/* ---- gdb.c --------------------------------------------------------------- */

/* The present as the debugger sees it: the dispatch cycle that the machine came
 * to. */
cycle_t gdb_now(const struct gdb *g);
/* Tell the observers what the debugger changed, and when: as a line of the
 * log (include/record.h), with a processor and words of it. */
void gdb_note(struct gdb *g, unsigned cpu, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- command.c ----------------------------------------------------------- */

/* Answer the packet in g->link. True: the machine goes on. */
bool command_run(struct gdb *g);
/* What an answer is: the text of the reply, or an error instead. */
enum { DONE, BAD, NOTHING_THERE, GO_ON };
/* Tell the debugger why the machine stands still, or how it ended. */
void command_report(struct gdb *g);

/* ---- reply.c: the packet being written, and the one being read ----------- */

void reply_add(struct gdb *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void reply_hex(struct gdb *g, const void *bytes, size_t size);
/* Big-endian, `size` bytes. */
void reply_word(struct gdb *g, uint64_t value, unsigned size);
void reply_send(struct gdb *g);

/* What is left of a packet. */
struct scan {
    const uint8_t *at, *end;
};

/* The next character is c: step over it. */
bool scan_char(struct scan *s, char c);
/* The text comes next: step over it. */
bool scan_text(struct scan *s, const char *text);
/* A number that fits an address or a size. */
bool scan_word(struct scan *s, uint32_t *value);
/* "address,size". */
bool scan_range(struct scan *s, uint32_t *from, uint32_t *size);
/* Exactly `size` bytes, two digits each. */
bool scan_bytes(struct scan *s, uint8_t *bytes, size_t size);
bool scan_over(const struct scan *s);

/* ---- points.c ------------------------------------------------------------ */

/* "kind,address,size" of a Z or z packet. */
int point_insert(struct gdb *g, struct scan *s);
int point_remove(struct gdb *g, struct scan *s);

/* The memory that i will load or store, if it gets so far; kind says which of
 * the two. False: none. */
bool point_access(const struct cpu *c, const struct insn *i,
                  struct gdb_watch *a);

/* ---- regs.c -------------------------------------------------------------- */

unsigned regs_count(void);
/* Bytes of register n, 4 or 8. */
unsigned regs_size(unsigned n);
const char *regs_name(unsigned n);
#define REGS_PC 64
uint64_t regs_read(const struct gdb *g, unsigned cpu, unsigned n);
/* False: it cannot be written. */
bool regs_write(struct gdb *g, unsigned cpu, unsigned n, uint64_t value);
/* The target description; at most `size` bytes, zero behind it. Returns its
 * whole length. */
size_t regs_describe(char *text, size_t size);

/* ---- memory.c ------------------------------------------------------------ */

/* Where the processor would find ea, as data or else as code, without asking
 * for permission and without a trace. False: nowhere. */
bool memory_translate(const struct gdb *g, unsigned cpu, ea_t ea, pa_t *pa);
/* Main memory only. False: not all of it is there, nothing was done. */
bool memory_read(const struct gdb *g, unsigned cpu, ea_t ea, void *bytes,
                 uint32_t size);
bool memory_write(struct gdb *g, unsigned cpu, ea_t ea, const void *bytes,
                  uint32_t size);

/* ---- monitor.c ----------------------------------------------------------- */

/* A line that was typed behind "monitor": print the answer as packets. */
void monitor_run(struct gdb *g, char *line);

#endif
