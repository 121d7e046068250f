# lib.sh - sourced by the scripts beside it that run a program of checks.
# build NAME SOURCE...   bare-metal, into $TMPDIR/NAME.elf; FLAGS are added
# all_right NAME OPTIONS it must print "all right" and end with 0; else bad=1
bad=0

build() {
    program=$TMPDIR/$1.elf
    shift
    # shellcheck disable=SC2086 # FLAGS is words
    powerpc-linux-gnu-gcc -I. -O2 -Wall -mcpu=604 -ffreestanding ${FLAGS:-} \
        -fno-pic -msoft-float -nostdlib -static -Wl,-Ttext=0x20000 \
        -Wl,-e,_start -Wl,--no-warn-rwx-segments -Wl,-z,noexecstack \
        -o "$program" tests/pif/start.S tests/pif/common.c "$@" || exit 1
}

all_right() {
    # shellcheck disable=SC2086 # options are words
    out=$(timeout 60 "$BUILD/simrun" "$TMPDIR/$1.elf" --cpus 1 $2 \
        </dev/null 2>"$TMPDIR/err")
    status=$?
    [ $status -eq 0 ] && [ "$out" = "all right" ] && return
    echo "$2: status $status"
    echo "$out" | head -n 40
    tail -n 5 "$TMPDIR/err"
    bad=1
}
