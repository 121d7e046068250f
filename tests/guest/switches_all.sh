#!/bin/sh
# switches_all.sh - the same a million times on 8 CPUs (SWITCHES=10000000 for as many),
# and 200,000 times with all records.
# timeout: 7200
set -u
. tests/guest/switches.sh
recorded 8 200000
rm -rf "$dir/e.exp"
storm 8 "${SWITCHES:-1000000}"
exit 0
