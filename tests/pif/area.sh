# area.sh - sourced by the tests of count areas: what an execution log with the
# accesses says their units hold, and what an experiment says. It shares nothing
# with the simulator. The script has $dir and complain.
cross=powerpc-linux-gnu-

# First the areas: name, number, start and bytes of the data, granularity,
# largest value of a unit. Then the log: accesses of an instruction stand
# behind it. With `gated` those count that a processor makes while its PIFM is
# not 0.
cat >"$dir/judge.awk" <<'A'
function hex(s,    i, v) {
    for (i = 1; i <= length(s); i++)
        v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return v
}
BEGIN { always = !gated }
FILENAME ~ /areas$/ {
    name[NR] = $1; start[NR] = $3; bytes[NR] = $4
    size[NR] = $5; most[NR] = $6; areas = NR
    next
}
length($5) == 8 {
    turn++
    if ($NF ~ /^pifm=/)
        on[$1] = $NF != "pifm=00000000"
    next
}
!always && !on[$1] { next }
($5 != "load" && $5 != "store" && $5 != "dcbz") || $NF == "device" { next }
{
    ea = hex($7)
    if ($5 == "dcbz")
        ea -= ea % 32
    for (a = 1; a <= areas; a++)
        for (b = ea; b < ea + $6; b++) {
            g = int((b - start[a]) / size[a])
            if (b < start[a] || b >= start[a] + bytes[a] || seen[a, g] == turn)
                continue
            seen[a, g] = turn
            if (n[a, g] < most[a])
                n[a, g]++
        }
}
END {
    for (k in n) {
        split(k, i, SUBSEP)
        print name[i[1]], i[2], n[k]
    }
}
A
address() { # address ELF VARIABLE
    printf '%d' 0x"$(${cross}nm "$1" | awk -v v="$2" '$3 == v { print $1; exit }')"
}
# areas ELF DATA NAME,OFFSET,BYTES,GRANULE,UNIT...
areas() {
    begin=$(address "$1" "$2")
    shift 2
    k=0
    for row in "$@"; do
        IFS=, read -r name offset bytes granule unit <<X
$row
X
        echo "$name $k $((begin + offset)) $bytes $granule $(((1 << 8 * unit) - 1))"
        k=$((k + 1))
    done >"$dir/areas"
}
# The units of an experiment, as programs print theirs.
units() {
    "$BUILD/simprof" marks "$1" --csv --limit=0 >"$dir/csv" ||
        complain "no report"
    sed -n 's/^area,//p' "$dir/csv" | tr -d '"' |
        sed 's/,0x\([0-9a-f]*\),area \([0-9]*\) .*/,\1,\2/' | awk -F, '
        function hex(s,    i, v) {
            for (i = 1; i <= length(s); i++)
                v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
            return v
        }
        FILENAME != "-" { split($0, w, " "); name[w[2]] = w[1]
            start[w[2]] = w[3]; size[w[2]] = w[5]; next }
        { print name[$NF], (hex($(NF - 1)) - start[$NF]) / size[$NF], $2 }
    ' "$dir/areas" - | sort
}
judge() { # judge WHAT LEAST [GATED]
    awk -v gated="${3:-0}" -f "$dir/judge.awk" "$dir/areas" "$dir/log" | sort >"$dir/by_log"
    units "$dir/exp" >"$dir/by_exp"
    [ "$(wc -l <"$dir/by_log")" -gt "$2" ] || complain "$1: little is counted"
    cmp -s "$dir/by_log" "$dir/by_exp" || complain "$1: log and experiment:
$(diff "$dir/by_log" "$dir/by_exp" | head -n 5)"
}
