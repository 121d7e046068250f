#!/bin/sh
# fault_test.sh - a bare program without handlers that makes a mistake is told
# its first cause: what it was, the address and the source line of the
# instruction, not where the chain of exceptions ended. In both modes.
set -u
. tests/sim/lib.sh
build fault -g -fno-pic -Wl,-Ttext-segment=0x10000

line_of() { # the line of fault.c with this remark
    grep -n "/\* $1 \*/" tests/sim/fault.c | cut -d: -f1
}

# fault LETTER REMARK WORDS [MORE]: the first line has the words, then the
# place; somewhere below it stands MORE.
fault() {
    for mode in detailed fast; do
        run "${expected:-125}" --mode=$mode --mem=1M --cpus=2 --append="$1" \
            --max-cycles=2000000 fault.elf
        first=$(grep -m 1 '^simrun: CPU 0: ' "$dir/err")
        case $first in
        *"$3"*) ;;
        *) fail "$1, $mode: not '$3': $first" ;;
        esac
        if [ "$2" ]; then
            case $first in
            *"(fault.c:$(line_of "$2")), 0x0001"*) ;;
            *) fail "$1, $mode: not line $(line_of "$2"): $first" ;;
            esac
        fi
        [ -z "${4:-}" ] || grep -qF -- "$4" "$dir/err" ||
            fail "$1, $mode: no word of '$4'"
        [ "$(echo "$first" | grep -c '0x00000700')" -eq 0 ] ||
            fail "$1, $mode: the end of the chain: $first"
    done
}

fault f float 'floating point is off (MSR[FP] is 0) at _start+' 'set MSR[FP]'
fault w '' 'no memory to fetch an instruction from at 0x80000000' \
    "jump+"
grep -q "(fault.c:$(line_of jump)), 0x" "$dir/err" || fail "w: from where?"
fault n '' 'illegal instruction 0x00000000 at 0x00000000: no handler' jump+
fault l load 'nor device answers the load from 0xf0000000 at load' checkstop
fault s store 'nor device answers the store to 0xf0000004 at store' checkstop
fault m load 'answers the load from 0xf0000000 at load' 'no handler'
fault t trap 'trap instruction at _start' 'trapped itself'
fault i illegal 'illegal instruction 0x00000001 at _start' 'no handler'
fault x '' 'decrementer interrupt at _start' 'handler before MSR[EE]'
fault p translated 'load from 0x20000000, which is not translated, at _start'
fault u user 'privileged instruction in user state at'
fault c '' 'illegal instruction 0x00000001, which overwrote 0x9' 'at jump'
fault v vectors 'system call (sc) at' 'there is no memory at its vector'
fault y system 'system call (sc) at' 'run it with simrun --user'
fault e little 'little-endian mode (MSR[LE]) is not modelled, at set_msr'
fault d '' 'of the program, at deep' \
    "in the program's code: has the stack overflowed?"
fault o end 'answers the store to 0xffffffc0 at' 'has the stack overflowed?'
expected=124
fault h handled 'times in a row, its handler goes back to it'
