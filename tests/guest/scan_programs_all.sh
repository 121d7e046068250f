#!/bin/sh
# scan_programs_all.sh - scan_programs_test.sh, and its unions of all of a program and of
# functions, and turns by functions.
# timeout: 600
more=yes
. tests/guest/scan_programs_test.sh
