#!/bin/sh
# attacks_test.sh - programs of tests/guest/attacks do what harms a kernel: each of
# them gets the errors and the signals that it should, on 1 CPU and on 4, and ends.
# timeout: 300
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }

# What a program says, but for the kernel's reports: results of calls, and how its
# processes ended (as wait has it).
says() {
    case $1 in
    execs) # too much, no addresses, no words, 20 in a row, with a thread, no program
        echo "0: 700 1: 700 2: e00 3: e00 4: b 5: 400 6: b00 7: e00 8: 800 alive" ;;
    maps) echo "N did not end well alive" ;; # at random: most, not all, hit a hole
    privileged) echo "209 ended alive" ;;
    robusts)
        echo "40000000 40000000 40000000 bad -1 -1 wild -1 -1 -1 unlock of none -1" \
            "of zeros -1 mine 0 alive" ;;
    vforks) echo "b 0 c 9 alive" ;;
    *) fail "what does $1 say?" ;;
    esac
}
for file in tests/guest/attacks/*.c; do
    name=$(basename "$file" .c)
    powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/$name" "$file" ||
        fail "$file does not compile"
    for cpus in 1 4; do
        line="$name on $cpus CPUs"
        status=0
        "$simrun" -q --mode=fast --cpus=$cpus --mem=32M --max-cycles=2000000000 \
            --append memory=4M --program "$dir/$name" "$guest" >"$out" 2>"$dir/err" \
            </dev/null || status=$?
        is "status" "$status $(cat "$dir/err")" "0 "
        is "lines" "$(grep -v '^process \|^    ' "$out" | sed 's/^[1-9][0-9]* did/N did/' |
            tr '\n' ' ' | sed 's/ $//')" "$(says "$name")"
    done
done
exit 0
