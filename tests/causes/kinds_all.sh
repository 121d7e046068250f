#!/bin/sh
# kinds_all.sh - generated_all.sh with two programs of each kind of tests/causes/kinds.pl.
# Of 46 the root cannot be first in the two whose threads spin, which are not idle. With
# WHERE=guest: ROOTS=85 LEAST=75 NEEDLESS=20.
# timeout: 3600
SEEDS=$(seq 2000 2045 | tr '\n' ' ') ROOTS=${ROOTS:-95} LEAST=${LEAST:-90} exec sh tests/causes/generated_all.sh
