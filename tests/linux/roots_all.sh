#!/bin/sh
# roots_all.sh - the programs of docs/workloads.md inside Debian's Linux, once make
# linux has built it: of the time in which each ran simprof causes has the root at
# the place which that page says, with every idle cycle in one class, and to-idle
# samples stand behind the function that they are to be behind.
# timeout: 1800
set -u
. tests/sim/lib.sh
. tests/linux/built.sh
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1

# The table's rows: program, kind of root, places on 4 and 8 CPUs, what to-idle samples
# are behind, the least share of them, and the root's functions, which may be several words.
sed -n '/^| program | root | Linux, 4/,/^$/s/^| `\(.*\)` | `\(.*\)` `\(.*\)` | \([0-9]*\) | \([0-9]*\) | `*\([a-z_-]*\)`* | \([0-9-]*\) |$/\1 \2 \4 \5 \6 \7 \3/p' \
    docs/workloads.md >"$dir/rows"
[ "$(wc -l <"$dir/rows")" -eq 12 ] || fail "docs/workloads.md: no table"

mkdir -p "$dir/root/bin"
all=
while read -r program rest; do
    cp "$BUILD/workloads/$program" "$dir/root/bin"
    touch -d @0 "$dir/root/bin/$program"
    echo "file /bin/$program $dir/root/bin/$program 0755 0 0" >>"$dir/files"
    all="$all /bin/$program;"
done <"$dir/rows"
"$linux/kernel/usr/gen_init_cpio" -t 0 "$dir/files" >"$dir/more.cpio"
cat "$linux/initrd.cpio" "$dir/more.cpio" >"$dir/both.cpio"

firsts=0
# look CPUS PLACE: of $program, $what and $function
look() {
    "$simprof" causes $time --limit=3 "$dir/x.exp" >"$dir/text" 2>"$dir/err" ||
        fail "$program: $(cat "$dir/err")"
    tr '\n' ' ' <"$dir/text" | grep -q "classes add up to the [0-9,]* cycles that idle threads ran" ||
        fail "$program, $1 CPUs: another sum: $(cat "$dir/text")"
    "$simprof" causes $time --csv "$dir/x.exp" >"$dir/csv" 2>"$dir/err"
    place=$(sed "s/ ($program)//g" "$dir/csv" |
        awk -F, -v what="^$what\$" -v name="$function" \
            'NR > 1 && $3 ~ what && $5 ~ name { print NR - 1; exit }')
    echo "$program, $1 CPUs: place ${place:--}"
    [ "${place:-1000}" -le "$2" ] ||
        fail "$program, $1 CPUs: place ${place:-none} instead of $2: $(sed -n 1,5p "$dir/csv")"
    [ "$2" != 1 ] || firsts=$((firsts + 1))
}
for cpus in 4 8; do
    rm -rf "$dir/x.exp"
    "$simrun" -q --mode=fast --cpus=$cpus --max-cycles=100000000000 \
        --switch-stacks -e cycles:1000 --sample-idle=5000 "--pmu-trace=$dir/x.exp" \
        --sysroot "$dir/root" --initrd "$dir/both.cpio" \
        --append "console=ttyS0 quiet run=\"$all exit 3\"" "$linux/vmlinux" \
        >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ $status -eq 3 ] || fail "$cpus CPUs: status $status"
    while read -r program what four eight behind least function; do
        case $what in runs) what='(runs|system)' ;; esac
        time="--from=begin:$program --to=end:$program"
        case $cpus in 4) look 4 "$four" ;; *) look 8 "$eight" ;; esac
        [ $cpus -eq 4 ] && [ "$least" != - ] || continue
        "$simprof" idle --csv --limit=0 $time "$dir/x.exp" \
            --filters="name == \"$(echo "$program" | cut -c1-15)\"" >"$dir/csv" 2>"$dir/err" ||
            fail "$program: $(cat "$dir/err")"
        awk -F, -v behind=";$behind" -v least="$least" -v program="$program" '
            $2 == "to-idle" { all += $3; if (";" $5 ~ behind) there += $3 }
            END { printf "%s: %d of %d to-idle samples\n", program, there, all
                exit !(all >= 100 && there * 100 >= all * least) }' "$dir/csv" ||
            fail "$program: too few are behind $behind"
    done <"$dir/rows"
done
[ $firsts -ge 23 ] || fail "$firsts are first"
rm -rf "$dir"
