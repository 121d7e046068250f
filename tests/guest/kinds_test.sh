#!/bin/sh
# kinds_test.sh - marks of programs in the guest that interrupt, pass a limit, open
# windows, trace, or are ranges: what each counts is what simrun's own unit counts
# of the program alone, times those that do it, whichever processors their threads
# are on; through fork, exec, handlers of signals, and pages that go and come back.
# Interrupts are in the experiment, with the program's stack.
# timeout: 300
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
compile() { # NAME [FLAG...]
    name=$1
    shift
    powerpc-linux-gnu-gcc -I. -O1 -g -static -pthread "$@" -o "$dir/$name" \
        tests/guest/prog/kinds.c || fail "kinds.c does not compile"
}
compile kinds

# run CPUS WORDS "ARGUMENT ..." [OPTION...]: console to $out
run() {
    cpus=$1 line=$2 arguments=$3
    shift 3
    status=0
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --cpus="$cpus" --append "pif=own $line" "$@" \
        --program "$dir/kinds" "$guest" -- $arguments >"$out" 2>"$dir/err" </dev/null ||
        status=$?
    is "status of $arguments on $cpus CPUs" "$status" 0
}
entry() { # NUMBER WORD: the number behind the word
    sed -n "s/^pif: kinds: entry $1: .* $2 \([0-9]*\).*/\1/p" "$out"
}
windows() {
    sed -n 's/^pif: kinds: in windows \([0-9]*\), traced \([0-9]*\)$/\1 \2/p' "$out"
}

# ---- what it counts by itself ------------------------------------------------

rounds=150
"$simrun" -q --mode=fast -f --pmu-trace="$dir/user.exp" --user "$dir/kinds" $rounds 0 \
    >/dev/null || fail "not under --user"
"$simprof" marks "$dir/user.exp" --csv --limit=0 >"$dir/marks" || fail "no marks"
of() { # KIND PLACE COLUMN: the sum
    awk -F, -v kind="$1" -v place="$2" -v column="$3" '$1 == kind {
        name = $7; sub(/\+.*/, "", name); if (name == place) n += $column } END { print n + 0 }' "$dir/marks"
}
mix=$(of code mix 3)
mix_range="$(of range mix 3) $(of range mix 8)"
step_range="$(of range step 3) $(of range step 8)"
table="$(of range-data table 3) $(of range-data table 8)"
calls=$((2 * rounds))
inside=$("$simprof" marks "$dir/user.exp" | tr -d , | sed -n 's/^Traced between marks \([0-9]*\) instr.*/\1/p')
is "a call of mix is an entry" "${mix_range#* }" $calls
is "a step is left for two calls" "${step_range#* }" $((3 * calls))
above "executions in windows" "$inside" $((20 * rounds))

through() { # N: what N that go through it count
    n=$1
    steps=$((n * calls))
    is "start interrupts" "$(entry 1 interrupts)" $steps
    is "mix" "$(entry 2 counted)" $((n * mix))
    is "range of mix" "$(entry 3 executed) $(entry 3 entered)" \
        "$((n * ${mix_range% *})) $steps"
    is "range of step" "$(entry 6 executed) $(entry 6 entered)" \
        "$((n * ${step_range% *})) $((3 * steps))"
    is "range of data" "$(entry 7 executed) $(entry 7 entered)" "$steps $steps"
    is "stores interrupt" "$(entry 8 interrupts)" $steps
    above "limits" "$(entry 2 interrupts)" $((n * mix / 10))
}

# ---- threads -----------------------------------------------------------------

for mode in fast detailed; do
    for cpus in 1 4; do
        run $cpus "" "$rounds 4" --mode=$mode
        through 5
        is "in windows, $mode, $cpus CPUs" "$(windows)" "$((5 * inside)) $((5 * inside))"
    done
done
# Slices end, and threads go from one CPU to another: eight on eight, beside
# samples.
run 8 "sampler=both trigger=time:20000" "$rounds 7" --mode=fast
through 8
is "in windows, beside samples" "$(windows)" "$((8 * inside)) $((8 * inside))"

# ---- fork and exec, signals, paging --------------------------------------------

# The window is open on both ways out of fork; what closes it is marked. Behind it
# four steps are made, of 1 and 2, and one is before; exec begins outside.
forked=
for cpus in 1 4; do
    for paging in "" "memory=256K swap=16M"; do
        rm -f "$dir/disk"
        truncate -s 16M "$dir/disk"
        run $cpus "$paging" "$rounds 2 f" --mode=fast --disk "$dir/disk"
        got="$(entry 1 interrupts) $(entry 2 counted) $(entry 3 entered) $(entry 6 executed) $(entry 6 entered) $(entry 7 executed) $(entry 8 interrupts) $(windows)"
        forked=${forked:-$got}
        is "forked, $cpus CPUs, $paging" "$got" "$forked"
        steps=$((4 * calls + 5))
        is "start, forked" "$(entry 1 interrupts) $(entry 3 entered) $(entry 6 entered)" \
            "$steps $steps $((3 * steps))"
        [ -z "$paging" ] || above "pages that came back" \
            "$(sed -n 's/^pif: .* segments, \([0-9]*\) times.*/\1/p' "$out")" 3
        # Of four that go through it, and of fork on both ways.
        in=$(windows)
        above "windows, forked" "${in% *}" $((4 * inside + 50))
        above "a window that stays open would have" $((5 * inside)) "${in% *}"
    done
done
# A mark that interrupts is executed once, be a handler of a signal called in between.
for cpus in 1 4; do
    run $cpus "" "$rounds 4 t" --mode=fast
    is "starts, with a timer" "$(entry 1 interrupts) $(entry 8 interrupts)" "$((5 * calls)) $((5 * calls))"
    ticks=$(sed -n 's/^ticks //p' "$out")
    above "ticks" "$ticks" 10
    is "handlers" "$(entry 9 interrupts)" "$ticks"
    is "mix, with a timer" "$(entry 2 counted)" $((5 * mix))
done

# ---- the experiment ------------------------------------------------------------

run 4 "" "$rounds 2" --mode=fast -f --pmu-trace="$dir/guest.exp"
"$simprof" marks "$dir/guest.exp" --limit=0 >"$dir/text" || fail "no report"
tr -d , <"$dir/text" >"$dir/report"
row() { # BECAUSE INSTRUCTION: interrupts, counted
    awk -v because="$1" -v insn="$2" 'index($0, because) && $NF == insn { print $1, $2 }' "$dir/report"
}
is "start in the experiment" "$(row executed start)" "$((3 * calls)) ."
total=$(awk '/limit passed/ { n += $2 } END { print n }' "$dir/report")
captured=$(entry 2 counted)
above "captured by limits" "$total" $((captured * 8 / 10))
above "counted" $((captured + 1)) "$total"
is "traced in the experiment" \
    "$(sed -n 's/^Traced between marks \([0-9]*\) instr.*/\1/p' "$dir/report")" $((3 * inside))
grep -q ' step  *\. *start$' "$dir/report" || fail "the caller of start is not step"

# ---- what it cannot do ---------------------------------------------------------

refuses() { # FLAG TEXT
    compile refused "-DMORE=$1"
    status=0
    "$simrun" -q --mode=fast --append "pif=own" --program "$dir/refused" "$guest" -- 1 0 >"$out" \
        2>"$dir/err" </dev/null || status=$?
    grep -q "$2" "$out" || fail "no line with: $2"
    grep -q '^ticks 0' "$out" || fail "did not run"
    is "status, refused" "$status" 1
}
refuses "PERFINST_FUNCTION(go,PERFINST_THRESHOLD_EXCEPTION)" \
    "^pif: refused: .perfinst, group 9, entry 1: an interrupt of a threshold without one"
refuses "PERFINST_FUNCTION_LIMIT(go,PERFINST_LIMIT,3)" "group 9, entry 1: a limit without LIMIT"
refuses "PERFINST_FUNCTION(go,PERFINST_COUNT|PERFINST_LOADS)" "group 9, entry 1: loads or stores of inst"
exit 0
