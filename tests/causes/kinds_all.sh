#!/bin/sh
# kinds_all.sh - generated_all.sh with two programs of each kind of tests/causes/kinds.pl.
# With WHERE=guest: LEAST=75 NEEDLESS=20.
# timeout: 3600
SEEDS=$(seq 2000 2045 | tr '\n' ' ') ROOTS=${ROOTS:-95} LEAST=${LEAST:-90} exec sh tests/causes/generated_all.sh
