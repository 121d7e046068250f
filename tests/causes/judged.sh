# judged.sh - behind tests/guest/lib.sh: does `simprof predict` say what `simrun --what-if` measures, of a
# program under --user that stands in $dir?
simprof=$BUILD/simprof

cycles() { # cycles PROGRAM OPTION...
    program=$1
    shift
    user "$dir/$program" --mode=fast --summary=json:"$dir/json" "$@" >"$out" 2>"$dir/err" ||
        fail "$program: $(cat "$dir/err")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
judge() { # judge PROGRAM CPUS SPEC...: within a tenth of the change or a fiftieth of all; with no $doubt but
          # that, or, '*', any; with nothing changed it is played as recorded, unless $plays is set
    program=$1 cpus=$2
    shift 2
    rm -rf "$dir/x.exp"
    all=$(cycles "$program" --cpus="$cpus" --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
    is "$program on $cpus, as it was" \
        "$("$simprof" predict --csv --verbose "$dir/x.exp" 2>"$dir/notes" | sed -n '2s/,.*//p')" "$all"
    [ "${doubt:-}${plays:-}" ] || is "$program on $cpus, played" "$(grep 'plays as' "$dir/notes")" ""
    for spec in "$@"; do
        measured=$(cycles "$program" --cpus="$cpus" --what-if "$spec")
        "$simprof" predict --csv "$dir/x.exp" --what-if "$spec" >"$dir/csv" 2>"$dir/err" ||
            fail "$program: $(cat "$dir/err")"
        predicted=$(awk -F, 'NR == 3 { print $1 }' "$dir/csv")
        said="$program on $cpus, $spec: of $all, measured $measured, predicted $predicted"
        echo "$said"
        awk -v r="$all" -v m="$measured" -v p="$predicted" 'BEGIN {
            t = (r > m ? r - m : m - r) / 10; if (t < r / 50) t = r / 50
            exit (p > m ? p - m : m - p) > t }' || fail "$said"
        [ "${doubt:-}" = '*' ] || is "$said: doubt" "$(awk -F, 'NR == 3 { print $NF }' "$dir/csv")" "${doubt:-}"
    done
}
