#!/bin/sh
# files_test.sh - a program of the guest writes files as under qemu-ppc: contents,
# names, mappings, two processes at one file, on 1 to 4 CPUs, with sizes of 32 and
# of 64 bits, and while memory is short; a disk that is full is an error of the
# program's, and what was removed is free again.
# timeout: 200
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
cross() { # PROGRAM FILE OPTION...
    program=$1
    file=$2
    shift 2
    powerpc-linux-gnu-gcc -O1 -w -static "$@" -o "$dir/$program" "tests/guest/prog/$file.c" ||
        fail "$file.c does not compile"
}
# run PROGRAM CPUS WORDS [ARGUMENT...]: console to $out
run() {
    program=$1
    cpus=$2
    line=$3
    shift 3
    status=0
    timeout $((60 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus="$cpus" --disk=16M \
        --append "$line" --program "$dir/$program" "$guest" -- "$@" </dev/null \
        >"$out" 2>"$dir/err" || status=$?
    is "status of $program" "$status $(cat "$dir/err")" "0 "
}
cross files files
cross files64 files -D_FILE_OFFSET_BITS=64
qemu-ppc "$dir/files64" >"$dir/want"
above "lines under qemu-ppc" "$(wc -l <"$dir/want")" 50
for how in "files 1" "files 4" "files64 2"; do
    run $how ""
    cmp "$dir/want" "$out" || fail "$how: $(diff "$dir/want" "$out")"
done
run files 2 "memory=256K swap=8M"
cmp "$dir/want" "$out" || fail "while memory is short: $(diff "$dir/want" "$out")"

cross full full
printf '%s\n' "No space left on device" "wrong 0, more than 100: 1" "again 1" >"$dir/want"
run full 1 "memory=1M"
cmp "$dir/want" "$out" || fail "no disk: $(cat "$out")"
run full 1 "memory=512K swap=3M"
cmp "$dir/want" "$out" || fail "memory and disk: $(cat "$out")"
run full 2 "memory=512K swap=4M" 400
sed -i '1s/.*/all written/' "$dir/want"
cmp "$dir/want" "$out" || fail "more than memory: $(cat "$out")"
exit 0
