# lib.sh - sourced by scripts that run simrun, from the root of the tree.
# build NAME [FLAG...]  compiles NAME.c beside the script, or in tests/sim, as
#                       a newcomer would; the program is $dir/NAME.elf
# fail TEXT...          says what went wrong; the script ends with status 1
root=$PWD
beside=$(cd "$(dirname "$0")" && pwd)
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
    source=$beside/$name.c
    [ -f "$source" ] || source=$root/tests/sim/$name.c
    "$cc" -I "$root" -O2 -ffreestanding -nostdlib -static "$@" \
        -o "$dir/$name.elf" "$source" ||
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
