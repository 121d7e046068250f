#!/bin/bash
# manual_test.sh - man pages and completion have every option, knob and report that
# --help has; man formats the pages without a complaint; bash completes words that
# the programs take.
# timeout: 120
set -u
dir=$(mktemp -d)
fail() {
    echo "$*"
    exit 1
}
plain() { sed 's/\\&//g; s/\\-/-/g; s/\\f[BIR]//g' "$1"; }
for program in simrun simprof simmark simview; do
    [ -e "$BUILD/$program" ] || continue
    tests/setup/manual page $program >"$dir/$program.1" || fail "$program: no page"
    plain "$dir/$program.1" >"$dir/page"
    case $program in
    simrun) help=--help=all ;;
    *) help=--help ;;
    esac
    # simprof says its options report by report.
    { [ $program != simprof ] || for report in functions timeline export; do
        "$BUILD/simprof" help $report
    done
    "$BUILD/$program" $help; } | grep -oE '^ *(-., )*--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u >"$dir/options"
    [ "$(wc -l <"$dir/options")" -ge 5 ] || fail "$program $help: $(cat "$dir/options")"
    while read -r option; do
        grep -qE -- "$option($|[^a-z-])" "$dir/page" || fail "$program.1: no $option"
    done <"$dir/options"
    if command -v groff >/dev/null; then
        said=$(groff -man -Tascii -P -cbou -ww "$dir/$program.1" 2>&1 >"$dir/shown")
        [ -z "$said" ] || fail "$program.1: $said"
        grep -q 'EXIT STATUS' "$dir/shown" || fail "$program.1: not shown"
    fi
done
# Reports and knobs: all that the programs name.
"$BUILD/simprof" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' >"$dir/reports"
[ "$(wc -l <"$dir/reports")" -ge 40 ] || fail "reports: $(cat "$dir/reports")"
plain "$dir/simprof.1" >"$dir/page"
while read -r report; do
    grep -qx "$report" "$dir/page" || fail "simprof.1: no report $report"
done <"$dir/reports"
plain "$dir/simrun.1" >"$dir/page"
for knob in $(sed -n 's/^PARAM(\([a-z0-9_]*\),.*/\1/p' sim/config/params.def); do
    grep -qx "$knob" "$dir/page" || fail "simrun.1: no knob $knob"
done

# ---- completion ------------------------------------------------------------
tests/setup/manual completion >"$dir/complete" || fail "no completion"
. "$dir/complete" 2>"$dir/said" || fail "$(cat "$dir/said")"
compopt() { :; } # outside of a completion there is none to change
words() { # function, then the words of the line; the last is being typed
    local function=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    $function
    echo "${COMPREPLY[*]}"
}
is() { # what is wanted, then as above
    want=$1
    shift
    got=$(words "$@")
    [ "$got" = "$want" ] || fail "$*: '$got', not '$want'"
}
is "--mode=" _simrun simrun --mod
is "fast" _simrun simrun --mode = f
is "detailed fast warm" _simrun simrun --mode =
is "bus_ratio=" _simrun simrun --set bus_r
is "" _simrun simrun gue
cd "$dir" && mkdir x.exp && cd - >/dev/null || exit 1
is "timeline" _simprof simprof timel
is "--step=" _simprof simprof timeline --st
is "" _simprof simprof info --step
is "overview" _simview simview --panel = o
is "remove" _simmark simmark r
# Each word that is offered is one that simrun knows.
for option in $(words _simrun simrun --); do
    "$BUILD/simrun" --help=all | grep -qE -- "(^|[ ,])${option%=}($|[^a-z-])" || fail "simrun has no $option"
done
rm -r "$dir"
