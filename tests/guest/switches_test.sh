#!/bin/sh
# switches_test.sh - thousands of switches of programs' threads under sampling and
# paging: no stray, stuck thread, lost page, switch or sample.
set -u
. tests/guest/switches.sh
recorded 2 5000
recorded 8 5000
exit 0
