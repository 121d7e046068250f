#!/bin/sh
# determinism_all.sh - determinism_test.sh, and a build without optimisation.
# timeout: 900
more=yes
. tests/e2e/determinism_test.sh
