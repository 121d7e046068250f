#!/bin/sh
# torture_all.sh - the programs with which GCC's authors try their compiler
# end as they do under qemu-ppc, in user mode, fast and detailed.
# timeout: 3600
. "$(dirname "$0")/gcc.sh"

torture_run user 1690
exit $bad
