#!/bin/sh
# numbers_test.sh - numbers that a user writes are read by one rule, that of
# text_number (lib/base/text.h): nothing in the host rooms reads octal, as the
# C library does where the base is left to it.
set -u

sources=$(tests/setup/sources c,h lib isa pmu sim tools)
[ -n "$sources" ] || { echo "no sources"; exit 1; }
found=$(grep -nE 'strto(u?ll?|[iu]max) *\([^;]*, *0\)|scanf.*%[0-9]*i|\batol?l?\(' \
    $sources || :)
if [ -n "$found" ]; then
    echo "these read a leading 0 as octal, or anything as a number:"
    echo "$found"
    exit 1
fi
