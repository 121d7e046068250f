# switches.sh - sourced: threads of three processes that give their CPU away in
# every way there is, while they are sampled and their pages come and go.
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/switches" tests/guest/prog/switches.c ||
    fail "switches.c does not compile"

# storm CPUS SWITCHES [OPTION...]: no thread is where it may not be, none is stuck,
# no page has what is not its own.
storm() {
    cpus=$1
    line="memory=1600K swap=30M sampler=both trigger=time:${EVERY:-100000}"
    number=$2
    shift 2
    status=0
    "$simrun" -q --mode=fast --cpus="$cpus" --disk=32M --set disk_fixed=20000 \
        --append "$line" "$@" --program "$dir/switches" "$guest" -- "$number" \
        </dev/null >"$out" 2>"$dir/err" || status=$?
    is "status" "$status $(cat "$dir/err")" "0 "
    is "result" "$(head -n 1 "$out")" "wrong 0, strays 0, processes that failed 0"
    above "switches" "$(sed -n 's/^had a CPU \([0-9]*\) .*/\1/p' "$out")" $((number - 1))
}

# sums EXP: what was counted, and what of it is recorded.
sums() {
    records "$1/stat.rec" | awk '{ n[$5] += $7 }
        END { print n[9], n[4] + n[5], n[3] + n[6] + n[7] }'
    for kind in switch idle unsampled; do
        records "$1/$kind.rec" | wc -l
    done | tr '\n' ' '
    echo
}

# recorded CPUS SWITCHES: every switch, sample and interrupt without one is there.
recorded() {
    storm "$1" "$2" -f --pmu-trace="$dir/e.exp"
    sums "$dir/e.exp" >"$dir/sums"
    is "records" "$(sed -n '2s/ $//p' "$dir/sums")" "$(head -n 1 "$dir/sums")"
    above "requests to the disk" "$(records "$dir/e.exp/disk.rec" | wc -l)" "$1"
}
