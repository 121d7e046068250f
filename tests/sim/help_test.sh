#!/bin/sh
# help_test.sh - --help fits a screen of 80 columns and shows examples that can
# be typed; --help=all has every option and every knob; an option that cannot
# be obeyed is answered in one line that says which one may have been meant.
set -u
. tests/sim/lib.sh

run 0 --help
[ ! -s "$dir/err" ] || fail "--help: something on stderr"
cp "$dir/out" "$dir/brief"
[ "$(wc -l <"$dir/brief")" -le 48 ] || fail "--help: more than a screen"
for option in -h '-?'; do
    run 0 $option
    cmp -s "$dir/out" "$dir/brief" || fail "$option is not --help"
done
grep -q '^Examples' "$dir/brief" || fail "no examples"
run 0 --help=all
cp "$dir/out" "$dir/all"
for help in brief all; do
    awk -v name=$help 'length($0) > 80 { print name ": " $0; bad = 1 }
        END { exit bad }' "$dir/$help" || fail "wider than 80 columns"
done
for option in $(sed -n 's/^OPTION[A-Z]*([^"]*"\([a-z-]*\)".*/\1/p' \
    sim/cli/options.def); do
    grep -qE -- "--$option(\[|=|:| |\$)" "$dir/all" || fail "no --$option"
done
for knob in $(sed -n 's/^PARAM(\([a-z0-9_]*\),.*/\1/p' sim/config/params.def); do
    grep -qE "^  $knob " "$dir/all" || fail "no knob $knob"
done
# What the short one names is there.
for option in $(grep -oE -- '--[a-z][a-z-]+' "$dir/brief" | sort -u); do
    grep -q -- "$option" "$dir/all" || fail "--help invents $option"
done

says() { # the words of the one line, then the arguments
    words=$1
    shift
    run 2 "$@"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$*: not one line"
    grep -qF -- "$words" "$dir/err" || fail "$*: not '$words'"
    [ ! -s "$dir/out" ] || fail "$*: something on stdout"
}
says '--cpsu: no such option; did you mean cpus?' --cpsu=2 x.elf
says '--usr: no such option; did you mean user?' --usr x.elf
says '--nonsense: no such option; simrun --help=all' --nonsense x.elf
says '--m=3: this may be any of --mem --mode --memo --memo-size --mark' --m=3 x.elf
says '--cpus: something is missing behind it: --cpus=N' x.elf --cpus
says '--quiet=3: --quiet takes nothing behind it' --quiet=3 x.elf
says '-x: no such option' -x x.elf
says '-x: no such option' -qx x.elf
says '-e: something is missing behind it: -e EVENT' x.elf -e
says '-e: something is missing behind it: -e EVENT' x.elf -qe
says '--help=al: give --help or --help=all' --help=al
says 'dcache_kp: no such knob; did you mean dcache_kb' --set dcache_kp=3 x.elf
says 'dcache_kb=999: give dcache_kb=N with N from 1 to 256 KB' \
    --set dcache_kb=999 x.elf
says 'dcache_kb: give dcache_kb=N with N from 1 to 256' --set dcache_kb x.elf
says 'bht_entries=500: give a power of two' --set bht_entries=500 x.elf
says 'dcache_kb=33, dcache_ways=4' --set dcache_kb=33 x.elf
says 'dcache_mis: no such event; did you mean dcache_miss' -e dcache_mis x.elf
says 'simrun --user x.elf' x.elf --user
says 'only one program can run, and that is x.elf' x.elf argument
says '--cpus=-1: give a number from 1 to 8' --cpus=-1 x.elf

says 'begins with two dashes: --cpus=2' -cpus=2 x.elf
says 'write --pmu-trace=a.exp; else a.exp is the program' \
    --pmu-trace a.exp x.elf
says "'10' is one too many" -e cycles:20:10 x.elf
says "'k' is one too many" -e cycles:u:k x.elf
says 'did you mean insn_completed' -e instructions x.elf
says 'did you mean br_mispredict' -e branch-misses x.elf

# Those that are known once the program is.
build facts -Wl,-Ttext-segment=0x10000
near() { # status, words of the first line, arguments
    want=$1 words=$2
    shift 2
    run "$want" "$@" facts.elf
    head -n 1 "$dir/err" | grep -qF -- "$words" || fail "$*: not '$words'"
}
near 125 'no such symbol; did you mean _start' --probe=_strat
near 125 'no symbol of this name; did you mean _start' --mark func:_strat
near 125 'no symbol of this name; did you mean _start' --range _strat
near 125 'did you mean _start?' --log=exec --log-from=_strat
near 125 'no such symbol: _strat; did you mean _start' \
    -e 'A = dcache_miss and pc in _strat'
near 2 'cuont: no such action; did you mean count' --mark func:_start=cuont
near 2 'no such event: dcache_mis; did you mean dcache_miss' \
    -e 'A = dcache_mis'
near 2 'latncy; did you mean latency' -e 'A = dcache_miss and latncy > 3'
near 2 'no such instruction: lwzz; did you mean lwz' \
    -e 'A = dcache_miss and op == "lwzz"'
