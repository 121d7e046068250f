#!/bin/sh
# paging_test.sh - pages that are replaced take their marks and counts along,
# with caches that hold them and with ones that do not: see paging.c.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
build paging tests/pif/paging.c
all_right paging --mode=fast
all_right paging --mode=detailed
all_right paging "--set icache_kb=1 --set dcache_kb=1 --set pif_charge=1"
all_right paging "--set pif_frames=3"
all_right paging "--set line_bytes=64"
exit $bad
