#!/bin/sh
# storms_test.sh - more memory, threads, processes and pipes than there are, on 2 and 8
# processors: the largest process ends where nothing can go, those beside it live, and
# what was taken is free again.
# timeout: 300
set -u
. tests/guest/storms.sh
storms 2
storms 8
exit 0
