#!/bin/sh
# short_test.sh - some seconds of damaged ELF files, system calls, experiments,
# debuggers, definitions, marks and DWARF
# timeout: 120
SECONDS_EACH=4 exec tests/fuzz/run --plain elf calls gdb experiment define texts \
    perfinst simmark dwarf
