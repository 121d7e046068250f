#!/bin/sh
# records_all.sh - records_test.sh with a hundred programs.
# timeout: 3600
SEEDS="$(seq 0 75 | tr '\n' ' ') $(seq 1000 1023 | tr '\n' ' ')" exec sh tests/causes/records_test.sh
