#!/bin/sh
# marks_test.sh - marks of programs in the guest: the metadata of a program is
# read before its first instruction, and its counts follow it through threads,
# fork, exec, and pages that go out and come back: they are those of simrun's
# own unit for one round of the program, times the rounds. What the kernel cannot
# do with metadata it says in a line, and the program runs all the same.
# timeout: 300
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

# cross NAME [FLAG...]: marked.c as $dir/NAME
cross() {
    name=$1
    shift
    powerpc-linux-gnu-gcc -I. -O1 -g -static -pthread "$@" -o "$dir/$name" \
        tests/guest/prog/marked.c || fail "marked.c does not compile"
}
cross marked
# run PROGRAM CPUS WORDS [OPTION...]: console to $out
run() {
    program=$1 cpus=$2 line=$3
    shift 3
    status=0
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --cpus="$cpus" --append "$line" "$@" \
        --program "$dir/$program" "$guest" -- 5 >"$out" 2>"$dir/err" </dev/null || status=$?
}
counted() { # ENTRY
    sed -n "s/^pif: marked: entry $1: .* counted \([0-9]*\) .*/\1/p" "$out"
}

# One process alone, as simrun counts it: each of main, two children, the program
# that one of them becomes, and four threads does the same.
"$simrun" -q --mode=fast -f --pmu-trace="$dir/user.exp" --user "$dir/marked" 5 again ||
    fail "not under --user"
"$simprof" marks "$dir/user.exp" --csv --limit=0 >"$dir/marks" || fail "no marks"
code=$(awk -F, '$1 == "code" { n += $3 } END { print 8 * n }' "$dir/marks")
data=$(awk -F, '$1 == "data" { n += $3 } END { print 8 * n }' "$dir/marks")
above "executions under --user" "$code" 500
is "accesses under --user" "$data" 40

for mode in fast detailed; do
    for cpus in 1 4; do
        run marked $cpus "pif=own" --mode=$mode
        is "status, $mode, $cpus CPUs" "$status $(sed 1q "$out")" "0 done 0"
        is "counts, $mode, $cpus CPUs" "$(counted 1) $(counted 2)" "$code $data"
    done
done
# 4 MiB of work in 256 KiB: performance segments go and come back.
for cpus in 1 8; do
    rm -f "$dir/disk"
    truncate -s 16M "$dir/disk"
    run marked $cpus "pif=own memory=256K swap=16M" --mode=fast --disk "$dir/disk"
    is "status with paging" "$status $(sed 1q "$out")" "0 done 0"
    is "counts with paging, $cpus CPUs" "$(counted 1) $(counted 2)" "$code $data"
    above "segments that came back" \
        "$(sed -n 's/^pif: marked: .* segments, \([0-9]*\) times.*/\1/p' "$out")" 20
done
# Lines of 64 bytes have other shadow blocks.
run marked 2 "pif=own" --mode=fast --set line_bytes=64
is "counts with lines of 64 bytes" "$(counted 1) $(counted 2)" "$code $data"
# Without the word nothing is looked up, and nothing is printed.
run marked 2 "" --mode=fast
is "console without pif=own" "$status $(cat "$out")" "0 done 0"

# refuses PROGRAM TEXT: without marks, but with its own output, and status 1
refuses() {
    run "$1" 1 "pif=own" --mode=fast
    grep -q "$2" "$out" || fail "$1: no line with: $2"
    grep -q '^done 0' "$out" || fail "$1: did not run"
    ! grep -q counted "$out" || fail "$1: marks were taken"
    is "$1: status" "$status" 1
}
cross area "-DMORE=PERFINST_AREA(table,4,4,units)"
refuses area "^pif: area: .perfinst, group 3, entry 0: a version, or a kind, that the guest does not have"
head -c 40 /dev/zero >"$dir/zeros"
powerpc-linux-gnu-objcopy --update-section .perfinst="$dir/zeros" "$dir/marked" "$dir/broken"
refuses broken "^pif: broken: .perfinst, group 1, entry 0: no group begins here"
run marked 1 "pif=auto" --mode=fast
is "another use" "$status $(cat "$out")" "2 boot line: pif= is about the workloads in the kernel, but for pif=own and pif=scan; run= has none"
run marked 1 "pif=own" --mode=fast --set pif=0
is "no facility" "$status $(wc -l <"$out")" "2 1"
exit 0
