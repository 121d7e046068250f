#!/bin/sh
# differential_test.sh - every user-level instruction does to random operands
# what QEMU's 604e does: single ones, sequences, and words that are none.
# timeout: 120
. tests/isa/differential.sh
differ 200000 1 all && differ 1 1 known
