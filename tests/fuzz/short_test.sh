#!/bin/sh
# short_test.sh - some seconds of damaged ELF files and experiments.
# timeout: 120
SECONDS_EACH=4 exec tests/fuzz/run --plain
