/* notes.h - what an ELF file says of itself beside its symbols. */
#ifndef TOOLS_ANALYSIS_SYMBOLS_NOTES_H
#define TOOLS_ANALYSIS_SYMBOLS_NOTES_H

#include <libelf.h>

#include "pmu/markspec/markers.h"

/* Its build-id in hexadecimal, "" if it has none; 129 bytes. */
void elfnotes_build_id(Elf *elf, char *build_id);

/* Where its instructions were moved from (simmark opcodes): *m, which is to be
 * freed; of a broken section, or none, all zero. */
void elfnotes_markers(Elf *elf, struct markers *m);

#endif
