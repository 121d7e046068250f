#!/bin/sh
# konata_test.sh - --log=konata writes the Kanata format: cycles only go on, each
# instruction begins before it is spoken of and retires once, and its stages and
# waits are those of --log=pipe, for every instruction of several processors.
# timeout: 120
set -u
dir=$(mktemp -d)
fail() {
    echo "$*"
    exit 1
}
# Waits, from the ninth word on, in one order.
sorted() {
    awk '{
        for (i = 10; i <= NF; i++)
            for (j = i; j > 9 && $(j - 1) > $j; j--) { t = $j; $j = $(j - 1); $(j - 1) = t }
        $1 = $1
        print
    }'
}
same() { # options of simrun
    "$BUILD/simrun" -q --log=pipe:"$dir/pipe" "$@" >/dev/null 2>"$dir/err" || fail "$(cat "$dir/err")"
    "$BUILD/simrun" -q --log=konata:"$dir/konata" "$@" >/dev/null 2>"$dir/err" || fail "$(cat "$dir/err")"
    # Back to lines of the pipe log, by number, which is its order.
    awk -F '\t' '
        function bad(what) { print "line " NR ": " what; wrong = 1; exit 1 }
        NR == 1 { if ($0 != "Kanata\t0004") bad("head"); next }
        NR == 2 { if ($1 != "C=") bad("no first cycle"); at = $2; next }
        $1 == "C" { if ($2 + 0 <= 0) bad("time stands"); at += $2; next }
        $1 == "I" { if ($2 in cpu) bad("twice"); cpu[$2] = $4; fetch[$2] = at; n++; next }
        !($2 in cpu) { bad("not begun") }
        $2 in gone { bad("it has retired") }
        $1 == "L" { split($4, word, " "); pc[$2] = word[1]; next }
        $1 == "S" && $3 == 0 {
            if ($4 == "F") { if (at != fetch[$2]) bad("F") }
            else if ($4 == "D") dispatch[$2] = at
            else if ($4 == "C") finish[$2] = at
            else { unit[$2] = $4; issue[$2] = at }
            next
        }
        $1 == "S" { begun[$2 $4]++; next }
        $1 == "E" { waits[$2] = waits[$2] " " $4 "<" at; if (!begun[$2 $4]--) bad("E"); next }
        $1 == "R" { gone[$2] = 1; complete[$2] = at; next }
        { bad("what is " $1) }
        END {
            if (wrong) exit 1
            for (i = 0; i < n; i++) {
                if (!(i in gone)) { print i " does not retire"; exit 1 }
                print cpu[i], dispatch[i], complete[i], pc[i], unit[i], fetch[i], issue[i], finish[i] waits[i]
            }
        }' "$dir/konata" >"$dir/back" || fail "$*: $(tail -n 1 "$dir/back")"
    sed 's/ pipe / /; s/ fetch / /; s/ issue / /; s/ finish / /' "$dir/pipe" | sorted >"$dir/want"
    sorted <"$dir/back" | cmp -s - "$dir/want" || fail "$*: $(sorted <"$dir/back" | diff "$dir/want" - | head -n 4)"
    [ "$(wc -l <"$dir/back")" -ge "$least" ] || fail "$*: $(wc -l <"$dir/back") instructions"
}
least=5000
same --cpus=1 --append "work=txn n=2" --log-from=1000 --log-to=40000 "$BUILD/guest.elf"
same --cpus=4 --append "work=txn n=2" --log-from=cycle:200000 --log-to=cycle:260000 "$BUILD/guest.elf"
grep -q 'main' "$dir/konata" || grep -q 'sched' "$dir/konata" || fail "no symbols"
least=3
same --cpus=1 --append "work=txn n=2" --log-from=main --log-to=main+8 "$BUILD/guest.elf"

# ---- refusals --------------------------------------------------------------
"$BUILD/simrun" --log=konata,exec "$BUILD/guest.elf" >/dev/null 2>"$dir/err"
[ $? -eq 2 ] && grep -q "konata is a format of its own" "$dir/err" || fail "konata,exec: $(cat "$dir/err")"
"$BUILD/simrun" -q --log=konata:"$dir/fast" --mode=fast "$BUILD/guest.elf" >/dev/null 2>"$dir/err"
[ $? -eq 2 ] && grep -q "mode=fast has no stages" "$dir/err" || fail "fast: $(cat "$dir/err")"
sh -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' - "$BUILD/simrun" -q --cpus=1 --append "work=txn n=2" \
    --log=konata:"$dir/full" --log-to=40000 "$BUILD/guest.elf" >/dev/null 2>"$dir/err"
[ $? -eq 125 ] && grep -q "full" "$dir/err" || fail "a full disk: $(cat "$dir/err")"
rm -r "$dir"
