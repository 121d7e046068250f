# lib.sh - sourced by the scripts beside it, from the root of the tree.
# build NAME [FLAG...]  compiles tests/sim/NAME.c as a newcomer would; the
#                       program is $dir/NAME.elf
# fail TEXT...          says what went wrong; the script ends with status 1
root=$PWD
dir=$(mktemp -d)
simrun=$BUILD/simrun
cc=${CROSS:-powerpc-linux-gnu-}gcc
if ! command -v "$cc" >/dev/null; then
    echo "no $cc"
    exit 77
fi

build() {
    name=$1
    shift
    "$cc" -I "$root" -O2 -ffreestanding -nostdlib -static "$@" \
        -o "$dir/$name.elf" "$root/tests/sim/$name.c" ||
        fail "$name.c does not compile"
}

fail() {
    echo "$*"
    for file in "$dir"/out "$dir"/err; do
        [ -s "$file" ] && { echo "--- $(basename "$file")"; head -n 20 "$file"; }
    done
    exit 1
}

# run STATUS ARGUMENT...: in $dir, with out and err there.
run() {
    want=$1
    shift
    status=0
    (cd "$dir" && timeout 60 "$simrun" "$@") >"$dir/out" 2>"$dir/err" ||
        status=$?
    [ "$status" -eq "$want" ] || fail "simrun $*: status $status, not $want"
}
