#!/bin/sh
# format_test.sh - clang-format would change nothing.
set -u
command -v clang-format >/dev/null || { echo "no clang-format here"; exit 77; }
clang-format --dry-run --Werror $(tests/check/files | grep '[.][ch]$')
