#!/bin/sh
# generated_all.sh - programs that tests/causes/generate makes of SEEDS (0 to 47) under --user, or
# with WHERE=guest in the guest, ROUNDS (1) as long as they are written: is the
# root first in `simprof causes`, does `simprof predict` say what simrun --what-if
# measures, do what-if and a twin with half of the root's work agree? With JITTERED=N what is
# measured is a mean over N seeds of jitter_seed, which hold an instruction in a thousand. The
# root of a program is the change that brings most when all are tried. Prints every miss, and how
# many there were; fails below the shares at the end, of predictions LEAST in 100 (90), of roots
# ROOTS (95), and above it, of those that are in doubt and hold NEEDLESS (5).
# timeout: 3600
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

build() { # build NAME WORD...: $dir/NAME of what generate prints
    name=$1
    shift
    tests/causes/generate --times="${ROUNDS:-1}" "$@" >"$dir/$name.c" &&
        powerpc-linux-gnu-gcc -O2 -g -static -pthread -Wall -Werror -o "$dir/$name" \
            "$dir/$name.c" 2>"$dir/err" || fail "seed $*: $(cat "$dir/err")"
}
told() { sed -n "s/^ \* $1: //p; s/^\/\* $1: //p" "$dir/one.c"; }
cycles() { # cycles PROGRAM OPTION...
    program=$1
    shift
    if [ "${WHERE:-user}" = guest ]; then
        "$simrun" -q --mode=fast --cpus=$cpus --summary=json --append states=on "$@" \
            "$guest" --program "$dir/$program"
    else
        user "$dir/$program" --cpus=$cpus $options --summary=json "$@"
    fi >"$out" 2>"$dir/err" </dev/null || fail "seed $seed: $(cat "$dir/err")"
    sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$dir/err" "$out" | head -n 1
}
# mean PROGRAM OPTION...: the same, or the mean over seeds of schedule jitter
mean() {
    [ "${JITTERED:-0}" -gt 0 ] || { cycles "$@"; return; }
    for j in $(seq "$JITTERED"); do
        cycles "$@" --set jitter=16 --set jitter_every=1000 --set jitter_seed="$j"
    done | awk '{ sum += $1 } END { printf "%.0f\n", sum / NR }'
}
predicted() {
    "$simprof" predict --csv "$dir/x.exp" --what-if "$1" | sed -n '3s/,.*//p'
}
doubt() { "$simprof" predict --csv "$dir/x.exp" --what-if "$1" | sed -n "3s/.*,//p"; }
# Of RECORDED, are A and B apart by no more than a PART-th of the gain or a fiftieth of all?
near() { # near RECORDED A B PART
    awk -v r=$1 -v m=$2 -v p=$3 -v part=$4 'BEGIN {
        t = part ? (r > m ? r - m : m - r) / part : 0
        if (t < r / 50)
            t = r / 50
        exit (p > m ? p - m : m - p) > t }'
}
share() { awk -v a=$1 -v b=$2 'BEGIN { printf "%.1f%%", 100 * (b - a) / b }'; }
miss() { echo "miss: seed $seed, $family, $cpus CPUs: $*"; }

tried=0 rooted=0 foretold=0 said=0 needless=0 twins=0 of_twins=0 planted=0 of_planted=0 controls=0 of_controls=0
for seed in ${SEEDS:-$(seq 0 47)}; do
    build one $seed
    options=$(told options)
    [ -z "$options" ] || [ "${WHERE:-user}" = user ] || continue
    cpus=$(told cpus) family=$(told family) change=$(told change)
    set -- $(told root)
    rm -rf "$dir/x.exp"
    base=$(cycles one --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp")
    [ "$("$simprof" predict --csv --verbose "$dir/x.exp" 2>"$dir/notes" | sed -n '2s/,.*//p')" = "$base" ] &&
        ! grep -q 'plays as' "$dir/notes" || fail "seed $seed: nothing changed, and not the recorded time"
    best=$base best_spec=
    for spec in $(for f in $(told functions); do echo "func:$f+=x0.5"; done) \
        $([ "$1" = mask ] && echo "$change") $(told also); do
        m=$(cycles one --what-if "$spec") || fail "$m"
        [ "$m" -ge "$best" ] || { best=$m best_spec=$spec; }
    done
    if [ "$1" = none ]; then
        of_controls=$((of_controls + 1))
        p=$(predicted func:part_0+=x0.5)
        if [ $((base - best)) -lt $((base / 100)) ] && [ $((base - p)) -lt $((base / 100)) ]; then
            controls=$((controls + 1))
        else
            miss "a control: best $(share $best $base), predicted $(share $p $base)"
        fi
        continue
    fi
    tried=$((tried + 1))
    of_planted=$((of_planted + 1))
    if [ "$best_spec" = "$change" ]; then
        planted=$((planted + 1))
    else
        echo "note: seed $seed, $family, $cpus CPUs: ${best_spec:-nothing} is best, not $change"
    fi
    spec=${best_spec:-$change}
    function=$(echo "$spec" | sed 's/^func://; s/+=.*//')
    first="\\(,\\| < \\)$function\\( < \\|,\\|$\\)"
    [ "$function" = "$spec" ] && first=',mask,' # affinity:
    if "$simprof" causes --csv "$dir/x.exp" | sed -n 2p | grep -q "$first"; then
        rooted=$((rooted + 1))
    else
        miss "first is $("$simprof" causes --csv "$dir/x.exp" | sed -n 2p), not $function"
    fi
    p=$(predicted "$spec")
    why=$(doubt "$spec")
    all=$(mean one)
    p=$(awk -v a=$all -v b=$base -v p=$p 'BEGIN { printf "%.0f", a * p / b }')
    base=$all
    m=$(mean one --what-if "$spec")
    if near $base $m $p 10; then
        foretold=$((foretold + 1))
        [ -z "$why" ] || needless=$((needless + 1))
    else
        miss "$spec brings $(share $m $base), predicted $(share $p $base)" \
            "${why:+in doubt: $why}"
        [ -z "$why" ] || said=$((said + 1))
    fi
    [ "$spec" = "$change" ] || continue
    of_twins=$((of_twins + 1))
    build two --twin $seed
    t=$(mean two)
    if near $base $m $t 0; then
        twins=$((twins + 1))
    else
        miss "$spec brings $(share $m $base), the twin $(share $t $base)"
    fi
done
echo "root first $rooted of $tried; predicted $foretold of $tried;" \
    "what-if and twin $twins of $of_twins; controls $controls of $of_controls;" \
    "best is what was put in $planted of $of_planted;" \
    "in doubt $said of $((tried - foretold)) misses, $needless that hold"
[ $((rooted * 100)) -ge $((tried * ${ROOTS:-95})) ] ||
    fail "the root is not first in ${ROOTS:-95} of 100"
[ $((foretold * 100)) -ge $((tried * ${LEAST:-90})) ] ||
    fail "${LEAST:-90} of 100 are not predicted"
[ $((needless * 100)) -le $((tried * ${NEEDLESS:-5})) ] ||
    fail "more than ${NEEDLESS:-5} of 100 are in doubt and hold"
[ $((twins * 100)) -ge $((of_twins * 95)) ] || fail "what-if and twin differ"
[ $((controls * 100)) -ge $((of_controls * 90)) ] || fail "controls are no controls"
exit 0
