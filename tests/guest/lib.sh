# lib.sh - sourced by the scripts beside it, from the root of the tree.
# boot CPUS LINE [OPTION...]  boots the guest, fast mode; $out has its words;
#                             the status must be 0 and no check may fail
# refused LINE PATTERN        the boot line must be refused, naming PATTERN
# value CPU NAME              a number from CPU's line of the last boot
# total NAME                  ... summed over all CPUs
# records FILE                a record a line: kind cpu thread cycle words...
# user PROGRAM OPTION...      runs a program under --user in its own folder, which it
#                             calls /here: the same cycles wherever the folder is
# fail TEXT...                says what went wrong; ends with status 1
dir=$(mktemp -d)
BUILD=$(cd "$BUILD" && pwd)
out=$dir/out
simrun=$BUILD/simrun
guest=$BUILD/guest.elf
line=

fail() {
    echo "boot line '$line': $*"
    [ -s "$out" ] && grep -vE '^(PASS|top)' "$out" | head -n 20
    exit 1
}

boot() {
    cpus=$1
    line=$2
    shift 2
    status=0
    timeout $((100 * ${TIMES:-1})) "$simrun" --mode=fast --cpus="$cpus" --append "$line" "$@" \
        "$guest" >"$out" 2>"$dir/err" || status=$?
    [ "$status" -eq 0 ] || fail "$cpus CPUs, status $status: $(cat "$dir/err")"
    ! grep FAIL "$out" || fail "$cpus CPUs: a check failed"
    grep -q '^PASS: no thread is stuck' "$out" || fail "no last check"
}

user() (
    cd "$(dirname "$1")" || exit 1
    program=./$(basename "$1")
    shift
    "$simrun" -q --mode=fast --root=.:/here "$@" --user "$program"
)

refused() {
    line=$1
    status=0
    timeout $((20 * ${TIMES:-1})) "$simrun" --mode=fast --append "$line" "$guest" \
        >"$out" 2>/dev/null || status=$?
    [ "$status" -eq 2 ] || fail "status $status, not 2"
    [ "$(wc -l <"$out")" -eq 1 ] || fail "not one line"
    grep -q "$2" "$out" || fail "does not say: $2"
}

value() {
    sed -n "s/^cpu $1:.* $2 \([0-9]*\).*/\1/p" "$out"
}

total() {
    sed -n "s/^cpu [0-9]*:.* $1 \([0-9]*\).*/\1/p" "$out" |
        awk '{ n += $1 } END { print n + 0 }'
}

is() { # is WHAT GOT WANTED
    [ "$2" = "$3" ] || fail "$1: $2, not $3"
}

above() { # above WHAT GOT LIMIT
    [ "$2" -gt "$3" ] || fail "$1: $2, not above $3"
}

records() {
    od -An -v -t u4 -w4 -j 32 "$1" | awk '
        at == 0 { left = ($1 % 65536) / 4; line = "" }
        { at++ }
        at == 1 { line = int($1 / 65536) % 256 " " int($1 / 16777216) }
        at == 3 { low = $1; next }
        at == 4 { line = line " " $1 * 4294967296 + low }
        at == 2 || at > 4 { line = line " " $1 }
        at == left { print line; at = 0 }'
}
